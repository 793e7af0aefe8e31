"""What can go wrong, as the exceptions that this package raises.

Every exception says what is wrong and, where there is one, a remedy. They are the errors of the command line, in the
words of this package; each is also one of Python's own kinds, so that code which knows nothing of this package can catch it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

__all__ = [
    "AttoError",
    "InternalError",
    "MissingError",
    "PartError",
    "ResourceError",
    "StoreError",
    "StudyError",
    "UnknownKeyError",
    "UsageError",
]


class AttoError(Exception):
    """Anything that this package has to complain about."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  → {self.remedy}" if self.remedy else self.message

    def __reduce__(self) -> tuple[type[AttoError], tuple[str, ...]]:
        return type(self), (self.message, self.remedy)


class UsageError(AttoError, ValueError):
    """A call or its arguments are wrong."""


class StudyError(AttoError, ValueError):
    """A study or a setting is wrong."""


class UnknownKeyError(StudyError, KeyError):
    """There is no such key; the message names the nearest one."""


class MissingError(AttoError, KeyError):
    """A named file, study, matrix, figure or quantity does not exist; the message names the nearest one."""


class PartError(AttoError, RuntimeError):
    """A part of one's own has failed: a task's function, an observable, a detector. `traceback` says where."""

    def __init__(self, message: str, remedy: str = "", traceback: str = "") -> None:
        super().__init__(message, remedy)
        self.traceback = traceback

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.traceback}" if self.traceback else super().__str__()

    def __reduce__(self) -> tuple[type[AttoError], tuple[str, ...]]:
        return type(self), (self.message, self.remedy, self.traceback)


class StoreError(AttoError, OSError):
    """The store is not writable, damaged, of another version, in use or closed."""


class ResourceError(AttoError, MemoryError):
    """Memory or disk would not suffice."""


class InternalError(AttoError, RuntimeError):
    """A broken promise of the program's own; please report it."""


# The program's remedies name options and verbs of its command line; here they are arguments and functions. Commands that
# have no counterpart stay: the package brings `atto` with it.
_COMMANDS = {
    "`atto help detectors`": "`attoscope.detectors()`",
    "`atto help figures`": "`attoscope.figure_kinds()`",
    "`atto help keys`": "`attoscope.keys`",
    "`atto help observables`": "`attoscope.Run(study).observables`",
    "`atto list`": "`attoscope.studies()`",
    "`atto run`": "`study.run()`",
}
_TABLES = {'add an [[observe]] with what = ["perplexity"]': 'say what to measure: study.observe("perplexity")'}
_COMMAND = r"(`[^`]*`)"
_OPTION = (
    r"(?<![\w./-])--(store|threads|seeds|until|most|profile|port|allow-host|set)(?![\w-])(?P<value>:| -?\d+| /[^\s)]+| decided)?"
)


def _argument(option: re.Match[str]) -> str:
    name, value = option[1].replace("-", "_"), (option["value"] or "").strip()
    if name == "set":
        return "set()" + value
    if value == ":":
        return name + value
    return f"{name}=" + (f'"{value}"' if value.startswith("/") or value.isalpha() else value)


def in_python(text: str) -> str:
    """What the program says, in the words of its Python package: "give --store another path" as "give store= another
    path"."""
    import re  # importing the package takes no time

    if text in _TABLES:
        return _TABLES[text]
    return "".join(
        _COMMANDS.get(part, part) if part.startswith("`") else re.sub(_OPTION, _argument, part)
        for part in re.split(_COMMAND, text)
    )
