"""Parts of one's own, whatever they are: tasks, observables and detectors."""

from __future__ import annotations

import os
import traceback
from typing import Any

from .errors import UsageError

__all__ = ["Part"]


class Part:
    """Something that a study names and that is not in its file: known by name, version and the hash of its source."""

    kind = ""

    def __init__(self, name: str, version: str, hash: str) -> None:
        self.name = name
        self.version = version
        self.hash = hash

    def __repr__(self) -> str:
        version = f" {self.version}" if self.version else ""
        return f"<{type(self).__name__} {self.name}{version}, {self.hash[:8]}>"


def name_of(function: Any, name: str | None) -> str:
    if not callable(function):
        raise UsageError(f"{function!r} is no function", "give a function, or use it as a decorator")
    called = name or getattr(function, "__name__", None)
    if not called or called == "<lambda>":
        raise UsageError("the function has no name", 'give it one: name="rank"')
    return str(called)


def tell(error: BaseException) -> tuple[str, str]:
    """What went wrong in a part: in one line, and with its traceback below the calls of this package."""
    frames = error.__traceback__
    own = frames
    while own is not None and os.path.dirname(own.tb_frame.f_code.co_filename) == os.path.dirname(__file__) and own.tb_next is not None:
        own = own.tb_next
    message = "".join(traceback.format_exception_only(type(error), error)).strip()
    return message, "".join(traceback.format_exception(type(error), error, own or frames))
