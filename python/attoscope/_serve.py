"""The page of `atto serve`, started from Python."""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Iterable
from types import TracebackType

from . import _arguments as arguments
from . import _core
from ._places import studies_folder
from ._store import Store
from .errors import UsageError

__all__ = ["Server", "serve"]

_USUAL_PORT = 8321
_PORTS_TO_TRY = 20


class Server:
    """A server that runs until `stop()`, the end of a `with` block or the end of Python; `serve()` starts one."""

    def __init__(self, core: _core.Server) -> None:
        self._core = core
        self._running = True

    @property
    def url(self) -> str:
        """The link that opens the page. The token in it lets in whoever has it."""
        return str(self._core.url)

    @property
    def port(self) -> int:
        """Where it listens, on this machine only."""
        return int(self._core.port)

    def stop(self) -> None:
        """Drops all clients and ends what trains; a study that was being trained into the store can go on from there."""
        self._core.stop()
        self._running = False

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server {self.url}>" if self._running else "<Server, stopped>"

    def _repr_html_(self) -> str:
        if not self._running:
            return "<p>The server was stopped.</p>"
        link = html.escape(self.url, quote=True)
        return f'<p>Open <a href="{link}" target="_blank" rel="noopener">{link}</a></p>'


def serve(
    *,
    port: int | None = None,
    store: Store | str | os.PathLike[str] = "results/atto.db",
    studies: str | os.PathLike[str] | None = None,
    allow_host: str | Iterable[str] = (),
    threads: int = 0,
) -> Server:
    """Starts the page with the native engine, as `atto serve` does, in threads of this process.

    Wheels have the page in them. Where attoscope was built without it, a warning says so, and the link shows how to
    build it.

    Args:
        port: where to listen, on this machine only; 0 for any free port, by default 8321 or the next free one.
        store: the file of finished runs that the page shows and trains into, or a `Store` that has one. Studies of this
            process that train into it take turns with the page.
        studies: a folder of study files; the published ones by default.
        allow_host: names under which a proxy is reached by browsers, such as that of a notebook server.
        threads: so many train; all cores by default.
    """
    if not _core.has_page:
        warnings.warn(
            "this build of attoscope has no page, so the link shows none; `make page` builds it, then build attoscope again."
            " What programs ask the server works all the same",
            stacklevel=2,
        )
    names = [allow_host] if isinstance(allow_host, str) else list(allow_host)
    folder = studies_folder() if studies is None else studies
    if isinstance(store, Store):
        if store.path is None:
            raise UsageError("the page cannot show a store in memory", "open one with a path: attoscope.Store(path)")
        store = store.path
    return Server(
        _core.serve(
            _USUAL_PORT if port is None else arguments.whole(port, "port", most=65535),
            _PORTS_TO_TRY if port is None else 1,
            [arguments.text(name, "a name of allow_host") for name in names],
            arguments.path(folder, "the folder of studies"),
            arguments.path(store, "the store"),
            arguments.whole(threads, "threads", most=4096),
        )
    )
