"""The settings of a run, as the program describes them."""

from __future__ import annotations

import difflib
import functools
import json
from collections.abc import Mapping
from typing import Any

from . import _core
from ._arguments import nearest, table, text
from ._task import Task
from .errors import UnknownKeyError

__all__ = ["Key", "Keys", "flat_keys", "keys"]


class Key(str):
    """One setting of a run: what it means, what is allowed and what it is by default.

    It is its own name, so it stands wherever a name does, and completion helps to write it.

    >>> from attoscope import Study, keys
    >>> study = Study("wide").set(keys.network.width, 3).sweep({keys.data.vocab: [4, 6]})
    """

    def __new__(cls, about: Mapping[str, Any]) -> Key:
        return super().__new__(cls, about["key"])

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.name: str = about["key"]
        self.type: str = about["type"]
        self.allowed: str = about["allowed"]
        self.choices: list[str] = about["choices"]
        self.default: Any = about["default"]
        self.help: str = about["help"]
        self.__doc__ = f"{self.help}\n\n{self.allowed}; default {self.default!r}"

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self.name,)  # a copy is the name

    def __repr__(self) -> str:
        return f"{self.name}: {self.help} ({self.allowed}; default {self.default!r})"


class Keys(Mapping[str, Key]):
    """The settings of a run by name: ``keys["network.width"]``, or ``keys.network.width`` with completion."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def _names(self) -> list[str]:
        return [name for name in _all_keys() if name.startswith(self._prefix)]

    def __getitem__(self, name: str) -> Key:
        return _all_keys()[_known(self._prefix + text(name, "the name of a key"))]

    def __iter__(self) -> Any:
        return iter(name[len(self._prefix) :] for name in self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __dir__(self) -> list[str]:
        return sorted({name[len(self._prefix) :].split(".")[0] for name in self._names()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what copying and notebooks ask of every object
            raise AttributeError(name)
        full = self._prefix + name
        if full in _all_keys():
            return _all_keys()[full]
        if any(key.startswith(full + ".") for key in _all_keys()):
            return Keys(full + ".")
        near = difflib.get_close_matches(name, dir(self), n=1)
        raise AttributeError(f"there is no key '{full}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def __reduce__(self) -> tuple[type[Keys], tuple[str]]:
        return Keys, (self._prefix,)

    def __repr__(self) -> str:
        return "\n".join(repr(_all_keys()[name]) for name in self._names())


@functools.cache
def _all_keys() -> dict[str, Key]:
    return {about["key"]: Key(about) for about in json.loads(_core.keys_json())}


#: Every setting of a run, with help and completion: ``keys.network.width``.
keys = Keys()


def _known(name: str) -> str:
    if name in _all_keys():
        return name
    raise UnknownKeyError(f"unknown key '{name}'" + nearest(name, _all_keys()), "attoscope.keys lists them")


def flat_keys(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """``{"network": {"width": 3}}`` and ``{"network.width": 3}`` as the latter, every key known."""
    flat: dict[str, Any] = {}
    for name, value in table(settings, "settings").items():
        full = prefix + name
        if isinstance(value, Task):
            value = value.settings
        if full not in _all_keys() and any(k.startswith(full + ".") for k in _all_keys()):
            flat.update(flat_keys(table(value, f"'{full}'", "{...} of its keys"), full + "."))
        else:
            flat[_known(full)] = value
    return flat
