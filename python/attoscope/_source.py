"""What a function of one's own is known by: a hash of its source and of the values that it holds on to."""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _core
from .errors import UsageError

__all__ = ["source_hash"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class _Unknown(Exception):
    """A value that has no text of its own."""


def source_hash(function: Callable[..., Any], version: str) -> str:
    """The hash of a function's source, its defaults, what it closes over and the plain globals that it reads.

    Where one of these cannot be told, as of a lambda or of a compiled function, the function needs a `version`: then
    the hash is of what can be told, and changing the rest without a new version goes unnoticed.
    """
    try:
        text = "\n".join(_parts_of(function, set(), strict=not version))
    except _Unknown as unknown:
        raise UsageError(
            f"{_name(function)}: {unknown}, so nobody could tell whether it has changed",
            'give it a version, and another one whenever it changes: version="1"',
        ) from None
    return _core.content_hash(text.encode())


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", repr(function)))


def _parts_of(function: Any, seen: set[int], strict: bool) -> Iterator[str]:
    """The texts that make a function what it is; functions that it calls are part of it."""
    if id(function) in seen:
        return
    seen.add(id(function))
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_name == "<lambda>":
        if strict:
            raise _Unknown("it is a lambda or has no source")
        return
    try:
        yield _definition(inspect.getsource(function))
    except (OSError, TypeError):
        if strict:
            raise _Unknown("its source is not to be found") from None
    yield from _values("default", enumerate(function.__defaults__ or ()), seen, strict)
    yield from _values("default", sorted((function.__kwdefaults__ or {}).items()), seen, strict)
    closed = zip(code.co_freevars, function.__closure__ or ())
    yield from _values("closes over", ((name, cell.cell_contents) for name, cell in closed), seen, strict)
    known = function.__globals__
    read = ((name, known[name]) for name in sorted(_names(code)) if name in known)
    yield from _values("reads", read, seen, strict)


def _names(code: types.CodeType) -> set[str]:
    """Names of globals and attributes in a function and in those inside of it; comprehensions are such."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _definition(source: str) -> str:
    """Without its decorators, which say how it is used, and without indentation and blanks at the ends of lines."""
    lines = textwrap.dedent(source).splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(("def ", "async def "))), 0)
    return "\n".join(line.rstrip() for line in lines[first:]).rstrip()


def _values(what: str, values: Any, seen: set[int], strict: bool) -> Iterator[str]:
    for name, value in values:
        try:
            yield f"{what} {name} = " + "\n".join(_text(value, seen, strict))
        except _Unknown as unknown:
            if strict:
                raise _Unknown(f"it {what} {name}, {unknown}") from None


def _text(value: Any, seen: set[int], strict: bool) -> Iterator[str]:
    if isinstance(value, _PLAIN):
        yield repr(value)
    elif isinstance(value, (types.ModuleType, types.BuiltinFunctionType, type)):
        yield _name(value)
    elif hasattr(value, "__name__") and str(getattr(value, "__module__", "")).partition(".")[0] in _LIBRARIES:
        yield _name(value)
    elif isinstance(value, types.FunctionType):
        yield from _parts_of(value, seen, strict)
    elif hasattr(value, "tobytes") and hasattr(value, "dtype") and value.dtype.kind in "biufcSU":
        yield f"{value.dtype.str}{value.shape} {_core.content_hash(value.tobytes())}"
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _text(item, seen, strict)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield repr(key)
            yield from _text(item, seen, strict)
    elif hasattr(value, "_function"):  # a part of one's own that another one uses
        yield from _parts_of(value._function, seen, strict)
    else:
        raise _Unknown(f"which is of {type(value).__name__}")


# What these say is known by their own versions, not by the text of every function in them.
_LIBRARIES = {"attoscope", "math", "numpy", "scipy", "functools", "itertools", "operator", "typing"}
