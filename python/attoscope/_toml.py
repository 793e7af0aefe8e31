"""Writes a study as TOML. Reading is the program's (one parser for files, command line and Python).

What is written reads back to the same tree, and writing that again gives the same bytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .errors import StudyError

# Tables that get a heading of their own below that of their parent; all others are written as dotted keys.
_HEADINGS = ("sweep.grid", "multiverse.choices", "profile")
# Tables of axes, which the tree holds under full keys such as "data.vocab". Their order is that of the cells, and tables
# within tables would change it: data.vocab, network.width, data.context.
_AXES = ("sweep.grid", "sweep.zip", "sweep.cells", "multiverse.choices")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(tree: Mapping[str, Any]) -> str:
    """The tree as a text; tables and lists of tables follow the plain values, in the order of the tree."""
    blocks: list[str] = []
    plain = [line for key, value in tree.items() if not _has_heading(value) for line in _lines("", key, value)]
    if plain:
        blocks.append("\n".join(plain))
    for key, value in tree.items():
        if isinstance(value, Mapping):
            blocks.extend(_table(key, value))
        elif _has_heading(value):
            for item in value:
                blocks.append("\n".join([f"[[{_key(key)}]]", *_entries(key, item)]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _has_heading(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(item, Mapping) for item in value)


def _table(path: str, table: Mapping[str, Any]) -> Iterator[str]:
    below = {
        key: value
        for key, value in table.items()
        if isinstance(value, Mapping) and (f"{path}.{key}".endswith(_HEADINGS[:2]) or path in _HEADINGS)
    }
    lines = [line for key, value in table.items() if key not in below for line in _lines(path, key, value)]
    if lines or not below:
        yield "\n".join([f"[{path}]", *lines])
    for key, value in below.items():
        yield from _table(f"{path}.{_key(key)}", value)


def _entries(path: str, table: Mapping[str, Any]) -> list[str]:
    return [f"{_name(path, key)} = {_value(value, f'{path}.{key}')}" for key, value in table.items()]


def _lines(path: str, key: str, value: Any) -> Iterator[str]:
    """`path` is that of the table which has the key."""
    if isinstance(value, Mapping) and value:
        for inner, one in value.items():
            for line in _lines(f"{path}.{key}", inner, one):
                yield f"{_name(path, key)}.{line}"
    else:
        yield f"{_name(path, key)} = {_value(value, f'{path}.{key}')}"


def _name(path: str, key: str) -> str:
    return ".".join(map(_key, key.split("."))) if path.endswith(_AXES) else _key(key)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any, path: str) -> str:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a scalar of NumPy
        value = value.item()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        entries = ", ".join(line for key, one in value.items() for line in _lines(path, key, one))
        return "{ " + entries + " }" if entries else "{}"
    if isinstance(value, (Sequence, range)):
        return "[" + ", ".join(_value(item, path) for item in value) + "]"
    raise StudyError(
        f"{value!r} is no value of a setting", "settings are flags, numbers, texts, lists and tables of them"
    )
