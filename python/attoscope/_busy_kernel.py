"""Live views while a cell runs.

A kernel reads what its front end sends between cells only, so questions wait there for as long as a cell trains, and a
view that only answers them stays as it is. What a kernel sends is shown at once, from any thread of it.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

_SECONDS = 0.5  # between two looks


class WhileCellsRun:
    """Calls `look` again and again while a cell runs, on a thread of its own, until that returns False.

    Without IPython nothing is known of cells, and nothing is called. `look` is a method, of which no reference is kept.
    """

    def __init__(self, look: Callable[[], bool]) -> None:
        self._look = weakref.WeakMethod(look)
        self._no_cell = threading.Event()
        self._thread: threading.Thread | None = None
        ipython: Any = sys.modules.get("IPython")
        self._shell: Any = ipython.get_ipython() if ipython else None
        if self._shell is not None:
            self._shell.events.register("pre_run_cell", self._begin)
            self._shell.events.register("post_run_cell", self._end)
            self._begin()  # it is made by a cell

    def _begin(self, *_: Any) -> None:
        self._no_cell = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(self._no_cell,), name="attoscope-view", daemon=True)
        self._thread.start()

    def _end(self, *_: Any) -> None:
        self._no_cell.set()

    def _work(self, no_cell: threading.Event) -> None:
        while not no_cell.wait(_SECONDS):
            look = self._look()
            if look is None or not look():
                self.stop()
                return

    def stop(self) -> None:
        """Never again."""
        self._no_cell.set()
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.events.unregister("pre_run_cell", self._begin)
            shell.events.unregister("post_run_cell", self._end)
