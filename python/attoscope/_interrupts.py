"""Ctrl-C while a study trains: the first one ends it in order, the second one is an ordinary interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType


class GentleInterrupts:
    """Within it the first Ctrl-C calls `stop` and raises nothing, wherever Python is at that moment.

    Signals are the main thread's; in others, and under a handler of somebody else's, this does nothing.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._mine = False
        self.interrupted = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:  # wherever that is raised, Python has its own handler again
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.default_int_handler(number, frame)
        self.interrupted = True
        self._stop()

    def __enter__(self) -> GentleInterrupts:
        self._mine = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._mine:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
