"""Running studies: a job in threads of its own, a bar, and Ctrl-C."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import real, whole
from ._interrupts import GentleInterrupts
from ._result import Failure, Result
from ._store import Store, store_of

if TYPE_CHECKING:
    from ._study import Study

__all__ = ["load_study", "run_elsewhere", "run_study", "watch_job"]

_PATIENCE = 0.1  # seconds between two looks at a job, which draw the bar
_MOST_WARNINGS = 5


def run_study(
    checked: Any,
    study: Study,
    store: Store | str | os.PathLike[str] | None,
    threads: int,
    checkpoint: float,
    progress: bool,
) -> Result:
    threads = whole(threads, "threads", most=2**15)
    checkpoint = real(checkpoint, "checkpoint", least=0)
    shared = store_of(store, write=True)
    job = _core.Job(checked, shared._core, threads, checkpoint)
    with GentleInterrupts(job.stop) as interrupts:
        watch_job(job, interrupts, study.name if progress else None)
        result = Result(study, job.finish(), shared)
    _warn(result.failures)
    return result


def run_elsewhere(
    checked: Any,
    study: Study,
    store: Store | str | os.PathLike[str] | None,
    executor: Any,
    options: dict[str, Any],
    threads: int,
    progress: bool,
) -> Result:
    """The same with the workers of an executor."""
    from . import _executor
    from ._travel import pack_study

    threads = whole(threads, "threads", most=2**15)
    remote = _core.RemoteSweep(*_executor.PACK_SECONDS, threads)
    crew = _executor.Crew(executor, pack_study(study, checked, options), remote, threads, checked)
    shared = store_of(store, write=True)
    job = _core.Job(checked, shared._core, 1, 0.0, remote)

    def stop() -> None:
        crew.stopped = True
        job.stop()

    try:
        with GentleInterrupts(stop) as interrupts:
            watch_job(job, interrupts, study.name if progress else None, stop=stop, meanwhile=crew.look)
            result = Result(study, job.finish(), shared, crew.failures)
    finally:
        crew.close()
    _warn(result.failures)
    return result


def _warn(failures: list[Failure]) -> None:
    for one in failures[:_MOST_WARNINGS]:
        warnings.warn(f"cell {one.cell}: {one.message} (result.failures has the traceback)", stacklevel=4)
    if len(failures) > _MOST_WARNINGS:
        warnings.warn(f"{len(failures) - _MOST_WARNINGS} more failures are in result.failures", stacklevel=4)


def load_study(checked: Any, study: Study, store: Store | str | os.PathLike[str]) -> Result:
    shared = store_of(store, write=False)
    return Result(study, _core.collect(checked, shared._core), shared)


def watch_job(
    job: Any,
    interrupts: GentleInterrupts,
    bar_name: str | None = None,
    *,
    stop: Callable[[], None] | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> None:
    """Waits for a job, with one bar. The first Ctrl-C stops the job, which keeps what it has; a second one is raised."""
    bar = None
    stopping = False
    try:
        bar = _bar(bar_name) if bar_name is not None else None
        while True:
            try:
                if job.wait(_PATIENCE):
                    break
                if meanwhile is not None:
                    meanwhile()
                if bar is not None:
                    _show(bar, job)
            except KeyboardInterrupt:  # of a second Ctrl-C, or of a handler that is not Python's own
                if stopping or interrupts.interrupted or threading.current_thread() is not threading.main_thread():
                    raise
                stopping = True
                (stop or job.stop)()  # it still calls parts of one's own, so that runs end where they can go on later
        if bar is not None:
            _show(bar, job)
    except BaseException:
        job.abandon()
        while not job.wait(1.0):  # its threads use the store
            pass
        raise
    finally:
        if bar is not None:
            bar.close()


def _bar(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook without ipywidgets the bar is of text, which is fine
        from tqdm.auto import tqdm

    return tqdm(desc=name, unit="run")


def _show(bar: Any, job: Any) -> None:
    now = job.progress()
    if now["total"] and now["total"] != bar.total:
        _resize(bar, now["total"])
    bar.n = now["cached"] + now["done"]
    look = job.look_text()
    bar.set_postfix_str(f"{100 * now['fraction']:.0f} % of the steps" + (f"; {look}" if look else ""), refresh=False)
    bar.refresh()


def _resize(bar: Any, total: int) -> None:
    """Says how many runs there are. A bar of a notebook learns it by `reset` only, which starts the clock anew."""
    started = getattr(bar, "start_t", None)  # none where bars are switched off
    bar.reset(total=total)
    if started is not None:
        bar.start_t = started
