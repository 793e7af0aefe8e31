"""Studies trained elsewhere: packs of runs handed to whatever has `submit(function, *arguments)`."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
import tempfile
import traceback
from typing import Any

from ._pack import train_pack
from ._result import Failure
from .errors import UsageError

__all__ = ["Crew"]

PACK_SECONDS = (10.0, 60.0)  # that a pack takes, about
_TRIES = 3  # until a pack that does not come back is given up
_MOST_OUT = 256  # packs with the executor at a time


@dataclasses.dataclass
class _Pack:
    places: list[tuple[int, int]]  # cell and seed
    lost: int = 0  # times


def _over(future: Any) -> bool:
    try:
        return bool(future.done())
    except Exception:  # whose executor has gone; result() says why
        return True


def _cancel(future: Any) -> None:
    try:
        future.cancel()
    except Exception:  # not every future can be, and its executor may have ended
        pass


class Crew:
    """The workers of an executor, and the packs that they have."""

    def __init__(self, executor: Any, cargo: bytes, remote: Any, threads: int, checked: Any) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise UsageError(
                f"{type(executor).__name__} is no executor",
                "give something with submit(function, *arguments): concurrent.futures, Dask, mpi4py, submitit",
            )
        self._executor, self._cargo, self._remote, self._threads = executor, cargo, remote, threads
        self._cells = [str(cell["text"]) for cell in json.loads(checked.cells_json())]
        self._first_seed = int(checked.first_seed)
        self._waiting: collections.deque[_Pack] = collections.deque()
        self._out: list[tuple[Any, _Pack]] = []
        self._sweeping = False
        self._folder = tempfile.TemporaryDirectory(prefix="attoscope-")
        #: What went wrong: parts that raised exceptions, and packs that were lost.
        self.failures: list[Failure] = []
        self.stopped = False

    def look(self) -> None:
        """Called again and again while the sweep is on: takes what has come, and sends what waits."""
        for places in self._remote.take_packs():
            self._waiting.append(_Pack(places))
            self._sweeping = True
        if not self._sweeping:
            return
        while self._waiting and not self.stopped and len(self._out) < _MOST_OUT:
            self._send(self._waiting.popleft())
        if self.stopped:
            self._waiting.clear()
        out, self._out = self._out, []
        for future, pack in out:
            if _over(future):
                self._take(future, pack)
            elif self.stopped:  # what has not come by now comes too late
                _cancel(future)
            else:
                self._out.append((future, pack))
        if not self._waiting and not self._out:
            self._sweeping = False
            self._remote.finish()

    def close(self) -> None:
        """Takes back what nobody waits for any more."""
        for future, _ in self._out:
            _cancel(future)
        self._out.clear()
        self._folder.cleanup()

    def _send(self, pack: _Pack) -> None:
        try:
            future = self._executor.submit(train_pack, self._cargo, pack.places, self._threads, pack.lost)
        except Exception as error:
            self._lose(pack, error)
        else:
            self._out.append((future, pack))

    def _take(self, future: Any, pack: _Pack) -> None:
        error: BaseException | None = None
        try:
            error = future.exception()  # a worker's KeyboardInterrupt is not ours
            if error is None:
                shard, failures = future.result()
                pack.places = self._merge(shard, pack.places)
                self._note(Failure(**about) for about in failures)
                if failures:  # its runs would fail again
                    return
                error = UsageError(f"{len(pack.places)} runs were not trained") if pack.places else None
        except Exception as raised:  # cancelled, or no store
            error = raised
        if error is not None and not self.stopped:
            self._lose(pack, error)

    def _merge(self, shard: Any, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those of its runs that the store now lacks."""
        if not isinstance(shard, bytes):
            raise UsageError(f"a worker has sent {type(shard).__name__}", "workers send the bytes of a store")
        path = pathlib.Path(self._folder.name) / "pack.db"
        path.write_bytes(shard)
        try:
            missing: list[tuple[int, int]] = self._remote.merge(os.fspath(path), places)
        finally:
            path.unlink()
        return missing

    def _lose(self, pack: _Pack, error: BaseException) -> None:
        pack.lost += 1
        if pack.lost < _TRIES:
            self._waiting.append(pack)
            return
        cell, seed = pack.places[0]
        message = (
            f"a pack of {len(pack.places)} runs was lost {pack.lost} times, lastly by "
            + "".join(traceback.format_exception_only(type(error), error)).strip()
        )
        told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self._note([Failure(self._cells[cell], self._first_seed + seed, "executor", message, told)])

    def _note(self, failures: Any) -> None:
        """Each cell's first failure of a kind."""
        known = {(one.cell, one.part, one.message) for one in self.failures}
        self.failures += [one for one in failures if (one.cell, one.part, one.message) not in known]
