"""A pack of runs, as a worker of an executor trains it."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

from . import _core
from ._interrupts import GentleInterrupts
from ._running import watch_job
from ._travel import unpack_study

__all__ = ["train_pack"]


def train_pack(
    cargo: bytes, places: list[tuple[int, int]], threads: int, attempt: int
) -> tuple[bytes, list[dict[str, Any]]]:
    """Trains runs of a study, by cell and seed, and gives a store with them as bytes, and what failed on the way.

    `attempt` makes a second try another call: some executors answer the same call with the same future.
    """
    text, path, parts, options = unpack_study(cargo)
    with tempfile.TemporaryDirectory(prefix="attoscope-") as folder:
        file = pathlib.Path(folder) / "pack.db"
        store = _core.Store(str(file), True)
        checked = _core.check_study(text, path, **options, parts=parts, picked=places)
        job = _core.Job(checked, store, threads, 0.0)
        with GentleInterrupts(job.stop) as interrupts:
            watch_job(job, interrupts)
            trained = job.finish()
        failures = json.loads(trained.failures_json())
        store.close()
        return file.read_bytes(), failures
