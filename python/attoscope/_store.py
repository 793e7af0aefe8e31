"""Stores of finished runs."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from types import TracebackType
from typing import Any

from . import _arguments as arguments
from . import _core
from .errors import StoreError

__all__ = ["Store"]

IN_MEMORY = ":memory:"


class _File:
    """An open store of the program's, which is closed when nobody has it any more."""

    def __init__(self, path: str, write: bool) -> None:
        self.core = _core.Store(path, write)
        self.place = os.path.realpath(path)
        self.closed = False


_guard = threading.RLock()
_written: weakref.WeakValueDictionary[tuple[int, int], _File] = weakref.WeakValueDictionary()


def _forget() -> None:  # a forked process opens its own
    global _guard
    _guard = threading.RLock()
    _written.clear()


os.register_at_fork(after_in_child=_forget)


def _identity(path: str) -> tuple[int, int] | None:
    """Which file that is, whatever its path is called."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _opened(path: str, write: bool) -> tuple[_File, bool]:
    """The store at a path, and whether it is newly open. This process writes to a file through one store only, so that a
    result that still reads from it does not stand in the way of the next run."""
    if path == IN_MEMORY or not write:
        return _File(path, write), True
    with _guard:
        known = _written.get(_identity(path) or (0, 0))
        if known is not None and not known.closed:
            return known, False
        place = os.path.realpath(path)
        if any(one.place == place and not one.closed for one in _written.values()):
            raise StoreError(
                f"{path}: the store was moved or deleted while results or stores of this process still have it open",
                "give store= another path, or close those first",
            )
        file = _File(path, write)
        if identity := _identity(path):
            _written[identity] = file
        return file, True


class Store:
    """A file of finished runs, addressed by content, or a store in memory without a path.

    A run that the store has is never trained again. A file takes one process that writes and any number of readers.
    Within this process all that write to a file share it.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, write: bool = True) -> None:
        self._file, new = _opened(IN_MEMORY if path is None else arguments.path(path, "the store"), bool(write))
        for notice in self._core.notices if new else ():  # of what was lost, and what becomes of it
            warnings.warn(notice, stacklevel=2)

    @property
    def _core(self) -> Any:
        return self._file.core

    @property
    def path(self) -> str | None:
        """The file, or None for a store in memory; also of a closed store."""
        path: str = self._core.path
        return None if path == IN_MEMORY else path

    def run_ids(self) -> list[str]:
        """The content addresses of the runs it has."""
        return list(self._core.run_ids())

    def content_digest(self) -> str:
        """A hash over every result: equal for two stores that hold the same."""
        return str(self._core.content_digest())

    def close(self) -> None:
        """Gives the file free for another process. Results that read from it raise StoreError from then on."""
        self._core.close()
        self._file.closed = True

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Store is an open file and cannot be copied or pickled; attoscope.Store(store.path) opens it")

    def __repr__(self) -> str:
        return f"<Store {self._core.path}{', closed' if self._file.closed else ''}>"


def store_of(store: Store | str | os.PathLike[str] | None, *, write: bool) -> Store:
    """The store that a caller names by itself, by a path or not at all."""
    return store if isinstance(store, Store) else Store(store, write=write)
