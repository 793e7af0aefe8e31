"""Studies: which runs to train, what to measure, which phenomena to look for and which claims to judge."""

from __future__ import annotations

import copy
import difflib
import functools
import html
import json
import os
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _toml
from ._parts import Detector, Observable, Part, Task
from ._places import studies_folder
from .errors import MissingError, UnknownKeyError, UsageError

if TYPE_CHECKING:
    from ._result import Result
    from ._store import Store

__all__ = ["Key", "Study", "keys", "studies", "study"]


class Key:
    """One setting of a run: what it means, what is allowed and what it is by default."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.name: str = about["key"]
        self.type: str = about["type"]
        self.allowed: str = about["allowed"]
        self.choices: list[str] = about["choices"]
        self.default: Any = about["default"]
        self.help: str = about["help"]
        self.__doc__ = f"{self.help}\n\n{self.allowed}; default {self.default!r}"

    def __repr__(self) -> str:
        return f"{self.name}: {self.help} ({self.allowed}; default {self.default!r})"


class Keys(Mapping[str, Key]):
    """The settings of a run by name: ``keys["network.width"]``, or ``keys.network.width`` with completion."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def _names(self) -> list[str]:
        return [name for name in _all_keys() if name.startswith(self._prefix)]

    def __getitem__(self, name: str) -> Key:
        return _all_keys()[_known(self._prefix + name)]

    def __iter__(self) -> Any:
        return iter(name[len(self._prefix) :] for name in self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __dir__(self) -> list[str]:
        return sorted({name[len(self._prefix) :].split(".")[0] for name in self._names()})

    def __getattr__(self, name: str) -> Any:
        full = self._prefix + name
        if full in _all_keys():
            return _all_keys()[full]
        if any(key.startswith(full + ".") for key in _all_keys()):
            return Keys(full + ".")
        near = difflib.get_close_matches(name, dir(self), n=1)
        raise AttributeError(f"there is no key '{full}'" + (f"; did you mean '{near[0]}'?" if near else ""))

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
    near = difflib.get_close_matches(name, _all_keys(), n=1)
    raise UnknownKeyError(
        f"unknown key '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""), "attoscope.keys lists them"
    )


def flat_keys(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """``{"network": {"width": 3}}`` and ``{"network.width": 3}`` as the latter, every key known."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        full = prefix + name
        if isinstance(value, Task):
            value = value.settings
        if full not in _all_keys() and isinstance(value, Mapping) and any(k.startswith(full + ".") for k in _all_keys()):
            flat.update(flat_keys(value, full + "."))
        else:
            flat[_known(full)] = value
    return flat


def _put(tree: dict[str, Any], dotted: str, value: Any) -> None:
    *tables, last = dotted.split(".")
    for name in tables:
        tree = tree.setdefault(name, {})
    tree[last] = value


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        _put(tree, name, value)
    return tree


class Study:
    """A study. Methods that change something return a new study; the one they are called on stays as it is.

    >>> study = Study("mine", data={"task": "copy", "vocab": 10}, training={"steps": 500})
    >>> study = study.sweep({"network.width": [2, 3]}).observe("perplexity", every=10)
    >>> result = study.run(seeds=8)  # doctest: +SKIP
    """

    def __init__(
        self,
        name: str = "study",
        *,
        data: Task | Mapping[str, Any] | None = None,
        network: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        title: str | None = None,
        **more: Any,
    ) -> None:
        tree: dict[str, Any] = {"title": title or name}
        tables = {"data": data.settings if isinstance(data, Task) else data, "network": network, "training": training}
        for key, value in more.items():  # any other key or table of a study file: summary, seeds, observe ...
            tree[key] = value
        for table, settings in tables.items():
            if settings:
                tree.update(_merge(tree, _nested(flat_keys({table: settings}))))
        self._tree = copy.deepcopy(tree)
        self._text: str | None = None
        self._path = f"{name}.toml"
        self._parts: dict[str, Part] = {data.name: data} if isinstance(data, Task) else {}

    @classmethod
    def from_toml(cls, text: str, path: str = "study.toml", *, parts: Iterable[Part] = ()) -> Study:
        """The study that a TOML text says; `path` is how messages call it, and files it names are relative to it.

        `parts` are the functions and arrays that it names: tasks, observables and detectors of one's own.
        """
        study = cls.__new__(cls)
        tree: Any = _core.toml_tree(text, path)
        study._tree = tree
        study._text = text
        study._path = path
        study._parts = {part.name: part for part in parts}
        return study

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, parts: Iterable[Part] = ()) -> Study:
        """The study in a file, with the parts that it names and does not hold."""
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise MissingError(f"{path}: {error.strerror}", "attoscope.studies() lists the published ones") from error
        return cls.from_toml(text, os.fspath(path), parts=parts)

    @property
    def name(self) -> str:
        return pathlib.Path(self._path).stem

    @property
    def title(self) -> str:
        return str(self._tree.get("title", self.name))

    def toml(self) -> str:
        """The study as a TOML text: its file's own where nothing was changed."""
        return self._text if self._text is not None else _toml.dumps(self._tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the study to a file, which `atto run FILE` takes."""
        pathlib.Path(path).write_text(self.toml(), encoding="utf-8")

    def _changed(self) -> Study:
        new = copy.copy(self)
        new._tree = copy.deepcopy(self._tree)
        new._text = None
        new._parts = dict(self._parts)
        return new

    def _appended(self, table: str, entry: Mapping[str, Any]) -> Study:
        new = self._changed()
        new._tree.setdefault(table, []).append({key: value for key, value in entry.items() if value is not None})
        return new

    def _with_part(self, part: Part, table: str, entry: Mapping[str, Any]) -> Study:
        known = self._parts.get(part.name)
        if known is not None and (known.kind, known.version, known.hash) != (part.kind, part.version, part.hash):
            raise UsageError(f"two parts are called '{part.name}'", 'give one another name: name="other"')
        new = self._appended(table, entry)
        new._parts[part.name] = part
        return new

    def set(self, settings: Mapping[str, Any] | str | None = None, value: Any = None, /, **tables: Any) -> Study:
        """Other settings in every cell: ``set("network.width", 3)``, ``set({"network.width": 3})``,
        ``set(network={"width": 3})``, ``set(data=task)``. An axis of such a key disappears."""
        if isinstance(settings, str):
            settings = {settings: value}
        new = self._changed()
        given = {**(settings or {}), **tables}
        if isinstance(given.get("data"), Task):
            new._parts[given["data"].name] = given["data"]
        for key, one in flat_keys(given).items():
            _put(new._tree, key, one)
            new._drop_axis(key)
        return new

    def _drop_axis(self, key: str) -> None:
        path = ["sweep", "grid", *key.split(".")]
        tables = [self._tree]
        for name in path[:-1]:
            if not isinstance(tables[-1].get(name), dict):
                return
            tables.append(tables[-1][name])
        tables[-1].pop(path[-1], None)
        for table, name in reversed(list(zip(tables, path))):  # tables that it leaves empty go, too
            if table.get(name) == {}:
                del table[name]

    def sweep(self, grid: Mapping[str, Sequence[Any]] | None = None, /, **tables: Any) -> Study:
        """Axes of the sweep, every combination of their values: ``sweep({"data.vocab": [4, 10]})``."""
        new = self._changed()
        for key, values in flat_keys({**(grid or {}), **tables}).items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise UsageError(f"the axis '{key}' is {values!r}", "an axis is a list of values")
            _put(new._tree.setdefault("sweep", {}).setdefault("grid", {}), key, list(values))
        return new

    def observe(self, what: str | Observable | Sequence[str], **when: Any) -> Study:
        """Measures addresses such as "perplexity"; `every`, `linear`, `log` or `at` say at which steps.

        An `attoscope.observable` is measured under its name.
        """
        if isinstance(what, Observable):
            return self._with_part(what, "observe", {"what": [what.name], **_identity(what), **when})
        return self._appended("observe", {"what": [what] if isinstance(what, str) else list(what), **when})

    def quantity(self, name: str, expression: str) -> Study:
        """A series computed from what is observed: ``quantity("excess", "loss - best_loss")``."""
        return self._appended("quantity", {"name": name, "is": expression})

    def phenomenon(self, name: str, detector: str | Detector | None = None, **settings: Any) -> Study:
        """Something to look for in every run; `attoscope.detectors()` lists the detectors and their settings.

        An `attoscope.detector` takes `series`: the address, or the addresses, of the curves that it gets.
        """
        if isinstance(detector, Detector):
            series = settings.pop("series", "loss")
            entry: dict[str, Any] = {"name": name, "detector": "function", "function": detector.name}
            entry |= _identity(detector)
            entry["series"] = [series] if isinstance(series, str) else list(series)
            entry["quantities"] = list(detector.quantities)
            entry["yes_or_no"] = [one for one, kind in detector.quantities.items() if kind is bool]
            return self._with_part(detector, "phenomenon", {**entry, **settings})
        return self._appended("phenomenon", {"name": name, "detector": detector or name, **settings})

    def fit(self, name: str, quantity: str, terms: Mapping[str, str], **more: Any) -> Study:
        """A power law over the cells: ``fit("law", "learnt.step", {"length": "data.context"})``."""
        return self._appended("fit", {"name": name, "quantity": quantity, "terms": dict(terms), **more})

    def claim(self, id: str, statement: str, quantity: str, *, statistic: str = "median", **more: Any) -> Study:
        """A claim to judge: a statistic of a quantity and the region it should fall into (`region`, `above`,
        `below`), and what else a claim may say: `where`, `against`, `given`, `by` ..."""
        more = {key: _nested(flat_keys(value)) if key in ("where", "against") else value for key, value in more.items()}
        return self._appended(
            "claim", {"id": id, "statement": statement, "quantity": quantity, "statistic": statistic, **more}
        )

    def figure(self, name: str, kind: str, **settings: Any) -> Study:
        """A figure to draw; `attoscope.figure_kinds()` lists the kinds and their settings."""
        return self._appended("figure", {"name": name, "kind": kind, "title": settings.pop("title", name), **settings})

    def seeds(self, count: int | None = None, **plan: Any) -> Study:
        """How many runs a cell has: ``seeds(64)``, ``seeds(32, until="decided", most=512)``."""
        new = self._changed()
        table = new._tree.setdefault("seeds", {})
        table.update({**({"count": int(count)} if count is not None else {}), **plan})
        return new

    def check(
        self,
        *,
        profile: str = "quick",
        seeds: int | None = None,
        until: str | None = None,
        most: int | None = None,
    ) -> Any:
        """Reads the study as the program does; what is wrong with it is said here, with line and remedy."""
        if until not in (None, "count", "decided"):
            raise UsageError(f"until = {until!r}", 'it is "count" or "decided"')
        return _core.check_study(
            self.toml(), self._path, profile, [], seeds, until, most, list(self._parts.values())
        )

    @property
    def about(self) -> dict[str, Any]:
        """Its profiles, axes, phenomena, claims and figures."""
        about: dict[str, Any] = json.loads(self.check().about())
        return about

    def run_ids(self, **options: Any) -> list[str]:
        """The content addresses of its runs, cell by cell."""
        return list(self.check(**options).run_ids())

    def run(
        self,
        seeds: int | None = None,
        *,
        store: Store | str | os.PathLike[str] | None = None,
        profile: str = "quick",
        until: str | None = None,
        most: int | None = None,
        threads: int = 0,
        checkpoint: float = 30.0,
        progress: bool = True,
    ) -> Result:
        """Trains what the store lacks on all cores and judges the claims.

        Without a `store` the runs are kept in memory, with a path in that file. Ctrl-C stops: the result then has
        what is there, and its `complete` is false. A second Ctrl-C is an ordinary KeyboardInterrupt.

        Where a part of one's own raises an exception, the runs of that cell end; the others go on, and
        `result.failures` has the traceback.
        """
        from ._result import run_study

        study = self._renewed()
        if not study.repeatable:
            checkpoint = 0
        checked = study.check(profile=profile, seeds=seeds, until=until, most=most)
        return run_study(checked, study, store, threads, checkpoint, progress)

    @property
    def repeatable(self) -> bool:
        """Whether its runs can be trained again; not where a plain generator makes the data."""
        return all(part.repeatable for part in self._parts.values() if isinstance(part, Task))

    def _renewed(self) -> Study:
        """With a name for this use of a generator, so that its runs are nobody else's."""
        return self if self.repeatable else self.set("data.stream", uuid.uuid4().hex)

    def load(self, store: Store | str | os.PathLike[str], *, profile: str = "quick", **options: Any) -> Result:
        """The results of what a store holds; nothing is trained."""
        from ._result import load_study

        return load_study(self.check(profile=profile, **options), self, store)

    def config(self) -> dict[str, Any]:
        """The settings of a run outside of any sweep, as Run and Ensemble take them: {"data.vocab": 10, ...}."""
        return flat_keys({table: self._tree[table] for table in ("data", "network", "training") if table in self._tree})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self._tree == other._tree

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self.title)}</b><pre>{html.escape(self.toml())}</pre>"


def _identity(part: Part) -> dict[str, str]:
    return {"function_hash": part.hash, **({"function_version": part.version} if part.version else {})}


def _merge(tree: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in more.items():
        tree[key] = _merge(dict(tree.get(key, {})), value) if isinstance(value, Mapping) else value
    return tree


def studies(folder: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the published studies, or of those in a folder."""
    place = pathlib.Path(folder) if folder is not None else studies_folder()
    if not place.is_dir():
        raise MissingError(f"there is no folder '{place}'")
    return sorted(path.stem for path in place.glob("*.toml"))


def study(name: str, folder: str | os.PathLike[str] | None = None) -> Study:
    """A published study by its name, or any by the path of its file."""
    if name.endswith(".toml") or os.sep in name:
        return Study.read(name)
    known = studies(folder)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        raise MissingError(
            f"there is no study '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""),
            "attoscope.studies() lists them",
        )
    place = pathlib.Path(folder) if folder is not None else studies_folder()
    return Study.read(place / f"{name}.toml")
