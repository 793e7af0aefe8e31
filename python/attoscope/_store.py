"""Stores of finished runs."""

from __future__ import annotations

import os
import warnings
from types import TracebackType
from typing import Any

from . import _arguments as arguments
from . import _core

__all__ = ["Store"]

IN_MEMORY = ":memory:"


class Store:
    """A file of finished runs, addressed by content, or a store in memory without a path.

    A run that the store has is never trained again. A file takes one process that writes and any number of readers.
    Within this process all that write to a file share it.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, write: bool = True) -> None:
        self._core = _core.Store(IN_MEMORY if path is None else arguments.path(path, "the store"), bool(write))
        for notice in self._core.take_notices():  # of what was lost, and what becomes of it
            warnings.warn(notice, stacklevel=2)

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

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Store is an open file and cannot be copied or pickled; attoscope.Store(store.path) opens it")

    def __repr__(self) -> str:
        return f"<Store {self._core.path}{', closed' if self._core.closed else ''}>"


def store_of(store: Store | str | os.PathLike[str] | None, *, write: bool) -> Store:
    """The store that a caller names by itself, by a path or not at all."""
    return store if isinstance(store, Store) else Store(store, write=write)
