"""Tables of a study that hold keys of runs: sweeps, and which cells claims, fits and figures are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._arguments import table
from ._keys import flat_keys
from .errors import UsageError

_FILTERS = ("where", "against")  # of claims, fits, figures and exceptions of the seeds


def put(tree: dict[str, Any], dotted: str, value: Any) -> None:
    """Sets ``tree["network"]["width"]`` by "network.width"."""
    *tables, last = dotted.split(".")
    for name in tables:
        inner = tree.setdefault(name, {})
        if not isinstance(inner, dict):
            raise UsageError(f"'{name}' of '{dotted}' is {inner!r}", "it has keys of its own: give a table")
        tree = inner
    tree[last] = value


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """{"network.width": 3} as {"network": {"width": 3}}."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        put(tree, name, value)
    return tree


def axes(given: Any) -> dict[str, Any]:
    """Full keys with a list of values each, in their order, which is that of the cells."""
    flat = flat_keys(table(given, "an axis"))
    for key, values in flat.items():
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise UsageError(f"the axis '{key}' is {values!r}", "an axis is a list of values")
    return {key: list(values) for key, values in flat.items()}


def groups(given: Any, what: str) -> list[Any]:
    """One table, or a list of them, as a list."""
    if isinstance(given, Mapping):
        return [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise UsageError(f"{what} is {given!r}", "give a table, or a list of tables")
    return list(given)


def sweep_of(given: Any) -> dict[str, Any]:
    """The table [sweep]: `grid`, `zip` and `cells`, each with keys in any spelling, as full keys."""
    sweep: dict[str, Any] = dict(table(given, "sweep"))
    if "grid" in sweep:
        sweep["grid"] = axes(sweep["grid"])
    if "zip" in sweep:
        sweep["zip"] = [axes(group) for group in groups(sweep["zip"], "zip")]
    if "cells" in sweep:
        sweep["cells"] = [flat_keys(table(cell, "a cell")) for cell in groups(sweep["cells"], "cells")]
    return sweep


def entry_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A claim, a fit or a figure whose filters may be spelt in any way; None leaves a key out."""
    entry: dict[str, Any] = {}
    for key, value in settings.items():
        if value is None:
            continue
        if key in _FILTERS:
            value = nested(flat_keys(table(value, key)))
        elif key == "than":
            value = entry_of(table(value, key))
        entry[key] = value
    return entry


def seeds_of(given: Any) -> dict[str, Any]:
    """The table [seeds]; a number is its `count`."""
    if not isinstance(given, Mapping):
        return {"count": given}
    seeds = dict(table(given, "seeds"))
    if "exceptions" in seeds:
        seeds["exceptions"] = [entry_of(table(one, "exceptions")) for one in groups(seeds["exceptions"], "exceptions")]
    return seeds


def fix(tree: dict[str, Any], key: str, value: Any) -> None:
    """Takes a key that every cell now has with one value out of the sweeps, and what was about other values with it."""
    for part in [tree, *(tree.get("profile") or {}).values()]:
        sweep = part.get("sweep")
        if isinstance(sweep, dict):
            _remove(sweep.get("grid"), key)
            for group in [*sweep.get("zip", []), *sweep.get("cells", [])]:
                _remove(group, key)
            for name in ("zip", "cells"):
                if name in sweep:
                    sweep[name] = [group for group in sweep[name] if group] if name == "zip" else _distinct(sweep[name])
            for name in ("grid", "zip", "cells"):
                if name in sweep and (not sweep[name] or sweep[name] == [{}]):
                    del sweep[name]
            if not sweep:
                del part["sweep"]
        seeds = part.get("seeds")
        if isinstance(seeds, dict) and "exceptions" in seeds:
            seeds["exceptions"] = [one for one in seeds["exceptions"] if _matches(one, key, value)]
            if not seeds["exceptions"]:
                del seeds["exceptions"]
    for name in ("fit", "claim", "figure"):
        if name in tree:
            tree[name] = [one for one in tree[name] if _matches(one, key, value)]
            if not tree[name]:
                del tree[name]


def _matches(entry: Mapping[str, Any], key: str, value: Any) -> bool:
    return all(_named(entry.get(name, {}), key, value) == value for name in _FILTERS) and (
        "than" not in entry or _matches(entry["than"], key, value)
    )


def _named(tree: Any, dotted: str, otherwise: Any) -> Any:
    """What a filter says of a key, in whatever spelling."""
    if not isinstance(tree, Mapping):
        return otherwise
    if dotted in tree:
        return tree[dotted]
    head, dot, rest = dotted.partition(".")
    return _named(tree[head], rest, otherwise) if dot and head in tree else otherwise


def _remove(tree: Any, dotted: str) -> None:
    if not isinstance(tree, dict):
        return
    tree.pop(dotted, None)
    head, dot, rest = dotted.partition(".")
    if dot and isinstance(tree.get(head), dict):
        _remove(tree[head], rest)
        if not tree[head]:
            del tree[head]


def _distinct(cells: list[Any]) -> list[Any]:
    return [cell for i, cell in enumerate(cells) if cell not in cells[:i]]
