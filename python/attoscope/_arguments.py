"""What callers give, checked: what is wrong is said before the program sees it, with what would be right."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import StudyError, UsageError

if TYPE_CHECKING:
    import numpy as np

_LARGEST = 2**63 - 1  # of the program's whole numbers


def whole(value: Any, what: str, *, least: int = 0, most: int = _LARGEST) -> int:
    """A whole number, Python's or NumPy's; no flag, and nothing that would have to be rounded."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        if not (isinstance(value, float) and value.is_integer()):
            raise UsageError(f"{what} is {value!r}", "give a whole number") from None
        number = int(value)
    if not least <= number <= most:
        raise UsageError(
            f"{what} is {number}", f"give at least {least}" if number < least and most == _LARGEST else f"{least} to {most} are allowed"
        )
    return number


def real(value: Any, what: str, *, least: float = -math.inf) -> float:
    """A number, not NaN."""
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{what} is {value!r}", "give a number") from None
    if not number >= least:
        raise UsageError(f"{what} is {number}", f"give at least {least}" if least > -math.inf else "give a number")
    return number


def text(value: Any, what: str) -> str:
    """A text that can be written down: no lone surrogates."""
    if not isinstance(value, str):
        raise UsageError(f"{what} is {value!r}", "give a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is no Unicode", "leave out lone surrogates") from None
    return value


def path(value: Any, what: str) -> str:
    """The path of a file, as text."""
    try:
        name = text(os.fsdecode(value), what)
    except TypeError:
        raise UsageError(f"{what} is {value!r}", "give a path") from None
    if "\0" in name:
        raise UsageError(f"{what} is {name!r}", "no path holds a null character")
    return name


def table(value: Any, what: str, example: str = '{"data.vocab": 10}') -> Mapping[str, Any]:
    """A mapping whose keys are texts."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} is {value!r}", f"give a table such as {example}")
    for name in value:
        text(name, f"a key of {what}")
    return value


def nearest(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'loss'?" where something is spelt nearly so."""
    names = list(known)
    wanted = name.lower()
    same = [one for one in names if one.lower() == wanted]  # W_q: to difflib W_V is as near as W_Q
    same = same or [one for one in names if one.lower().endswith("." + wanted)]  # without the tables that it stands in
    near = same or difflib.get_close_matches(name, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def array(value: Any, what: str, kinds: str) -> np.ndarray:
    """An array of one of NumPy's `kinds` ("iu" whole numbers, "f" others)."""
    import numpy as np

    try:
        given = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:  # ragged lists, for one
        raise UsageError(f"{what} is no array: {error}", "give lists of equal lengths, or an array") from None
    if given.dtype.kind not in kinds:
        raise UsageError(f"{what} is of {given.dtype}", "give numbers" if "f" in kinds else "give whole numbers")
    return given


def plain(value: Any) -> Any:
    """For json.dumps: scalars and arrays of NumPy as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise StudyError(
        f"{value!r} is no value of a setting", "settings are flags, numbers, texts, lists and tables of them"
    )


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings as JSON, for the program."""
    import json

    try:
        return json.dumps(settings, default=plain, allow_nan=False)
    except ValueError as error:  # NaN, or a list that holds itself
        raise StudyError(f"a setting is no number: {error}", "settings are finite") from None
