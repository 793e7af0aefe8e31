"""Studies on their way to other processes: as bytes that hold all a worker needs, parts of one's own with them."""

from __future__ import annotations

import importlib
import io
import pathlib
import pickle
import sys
from typing import Any, NamedTuple

from . import _core
from ._parts import Part
from ._study import Study
from .errors import UsageError

__all__ = ["Cargo", "pack_study", "unpack_study"]


class Cargo(NamedTuple):
    """What a worker checks a study with."""

    text: str
    path: str
    parts: list[Part]
    options: dict[str, Any]


class File(Part):
    """A file of numbers that a study names, which a worker may not have."""

    kind = "file"

    def __init__(self, path: str, content: bytes) -> None:
        super().__init__(path, "", _core.content_hash(content))
        self.content = content


def pack_study(study: Study, checked: Any, options: dict[str, Any]) -> bytes:
    """The study as bytes. What cannot travel is refused by its name."""
    parts = [_dumps(part) for part in study._parts.values()]
    files = [File(path, pathlib.Path(place).read_bytes()) for path, place in checked.files.items()]
    return pickle.dumps((study.toml(), study._path, parts, files, options))


def unpack_study(cargo: bytes) -> Cargo:
    """What `pack_study` has packed, in another process."""
    text, path, parts, files, options = pickle.loads(cargo)
    return Cargo(text, path, [*(pickle.loads(part) for part in parts), *files], options)


def imported_part(module: str, name: str, hash: str) -> Part:
    """A part that both sides can import; the worker's must be the same."""
    found: Any = importlib.import_module(module)
    for one in name.split("."):
        found = getattr(found, one)
    if not isinstance(found, Part) or found.hash != hash:
        raise UsageError(f"{module}.{name} is another one here", "give workers the same version of the module")
    return found


def _place_of(part: Part) -> tuple[str, str] | None:
    """Module and name under which a part can be imported: that of a decorated function."""
    function = getattr(part, "_function", None)
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(module or "")
    for one in name.split("."):
        found = getattr(found, one, None)
    return (module, name) if module is not None and found is part else None


def _dumps(part: Part) -> bytes:
    """A part as bytes. What a module has is imported there; with cloudpickle all else travels by value."""
    try:
        from cloudpickle import Pickler

        by_value = True
    except ImportError:
        from pickle import Pickler

        by_value = False

    class PartPickler(Pickler):  # type: ignore[misc]
        def reducer_override(self, thing: Any) -> Any:
            place = _place_of(thing) if isinstance(thing, Part) else None
            if place is not None and not (by_value and place[0] == "__main__"):
                return imported_part, (*place, thing.hash)
            return super().reducer_override(thing) if by_value else NotImplemented

    buffer = io.BytesIO()
    try:
        PartPickler(buffer).dump(part)
    except Exception as error:
        remedy = "" if by_value else ", or install cloudpickle, which sends functions of notebooks too"
        raise UsageError(
            f"the {part.kind} '{part.name}' cannot be sent to other processes: {error}",
            f"define it in a module, without locks, open files or generators{remedy}",
        ) from error
    return buffer.getvalue()
