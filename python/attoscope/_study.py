"""Studies: which runs to train, what to measure, which phenomena to look for and which claims to judge."""

from __future__ import annotations

import copy
import difflib
import html
import json
import os
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _tables, _toml
from . import _arguments as arguments
from ._arguments import whole
from ._detector import Detector
from ._keys import flat_keys
from ._observable import Observable
from ._parts import Part
from ._places import studies_folder
from ._task import Task
from .errors import MissingError, UnknownKeyError, UsageError

if TYPE_CHECKING:
    from ._result import Result
    from ._store import Store

__all__ = ["Study", "studies", "study"]

# Keys and tables at the top of a study file.
_TOP = (
    *("title", "source", "summary", "origin", "scope", "calibrated", "scale", "data", "network", "training", "observe"),
    *("sweep", "seeds", "quantity", "phenomenon", "fit", "claim", "figure", "multiverse", "profile"),
)


def _known_top(given: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in given:
        if name not in _TOP:
            raise UnknownKeyError(f"a study has no '{name}'" + arguments.nearest(name, _TOP), ", ".join(_TOP))
    return given


class Study:
    """Which runs to train, what to measure, which phenomena to look for and which claims to judge.

    Methods that change something return a new study; the one they are called on stays as it is. Every key of a study
    file can be said; docs/writing-a-study.md explains them all.

    Arguments:
        name: what the study is called.
        data, network, training: settings of all runs; `keys` describes them.
        title: one line for reports; the name by default.
        more: any other key or table of a study file, such as `summary` or `seeds`.

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
        tree.update(_known_top(more))  # any other key or table of a study file: summary, seeds, observe ...
        for name_of, settings in tables.items():
            if settings:
                tree[name_of] = _tables.nested(flat_keys({name_of: settings}))[name_of]
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
        tree: Any = _core.toml_tree(arguments.text(text, "the study"), arguments.text(path, "the path"))
        study._tree = tree
        study._text = text
        study._path = path
        study._parts = {part.name: part for part in parts}
        return study

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, parts: Iterable[Part] = ()) -> Study:
        """The study in a file, with the parts that it names and does not hold."""
        place = arguments.path(path, "the path")
        try:
            text = pathlib.Path(place).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:  # not there, not readable, not UTF-8
            why = getattr(error, "strerror", None) or error
            raise MissingError(f"{place}: {why}", "attoscope.studies() lists the published ones") from error
        return cls.from_toml(text, place, parts=parts)

    @property
    def name(self) -> str:
        """What it is called: the name of its file, without the ending."""
        return pathlib.Path(self._path).stem

    @property
    def title(self) -> str:
        """Its title, or its name where it has none."""
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

    def _appended(self, name: str, entry: Mapping[str, Any]) -> Study:
        new = self._changed()
        new._tree.setdefault(name, []).append(_tables.entry_of(entry))
        return new

    def describe(self, **keys: Any) -> Study:
        """Other keys of the top of the file: `title`, `source`, `summary`, `origin`, `scope`, `scale`, `calibrated`."""
        new = self._changed()
        new._tree = {**new._tree, **_known_top(keys)}
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
        ``set(network={"width": 3})``, ``set(data=task)``. As on the command line, an axis of such a key disappears, and
        with it the claims, fits and figures that are about other values of it."""
        if isinstance(settings, str):
            if value is None:
                raise UsageError(f"'{settings}' is given no value", f'set("{settings}", value)')
            settings = {settings: value}
        elif settings is not None:
            settings = arguments.table(settings, "settings")
        new = self._changed()
        given = {**(settings or {}), **tables}
        if isinstance(given.get("data"), Task):
            new._parts[given["data"].name] = given["data"]
        for key, one in flat_keys(given).items():
            _tables.put(new._tree, key, one)
            _tables.fix(new._tree, key, one)
        return new

    def sweep(
        self,
        grid: Mapping[str, Any] | str | None = None,
        values: Any = None,
        /,
        *,
        zip: Any = None,
        cells: Any = None,
        **tables: Any,
    ) -> Study:
        """Axes of the sweep, every combination of their values: ``sweep({"data.vocab": [4, 10]})``, or
        ``sweep("data.vocab", [4, 10])`` for one.

        `zip` is a group of axes that advance together, or a list of such groups; `cells` lists single cells. Each call
        adds to what is there, and an axis of the grid that is named again replaces itself.
        """
        if isinstance(grid, str):
            grid = {grid: values}
        if not (grid or tables or zip or cells):
            raise UsageError("the sweep is empty", "name its axes, or leave it out for a single cell")
        new = self._changed()
        sweep = new._tree["sweep"] = _tables.sweep_of(new._tree.get("sweep", {}))
        if axes := _tables.axes({**(grid or {}), **tables}):
            sweep["grid"] = {**sweep.get("grid", {}), **axes}
        for name, more in _tables.sweep_of({"zip": zip or [], "cells": cells or []}).items():
            if more:
                sweep[name] = [*sweep.get(name, []), *more]
        return new

    def multiverse(self, choices: Mapping[str, Any], claims: Sequence[str], **more: Any) -> Study:
        """Choices that a publication leaves open, and the claims to judge in each combination of them.

        `seeds` is the number of runs of a recipe. ``atto multiverse FILE`` judges them.
        """
        new = self._changed()
        new._tree["multiverse"] = {"claims": list(claims), **more, "choices": _tables.axes(choices)}
        return new

    def profile(
        self,
        name: str,
        *,
        sweep: Mapping[str, Any] | None = None,
        seeds: int | Mapping[str, Any] | None = None,
        set: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Study:
        """What another size of the study says: ``profile("full", seeds=128, set={"training.steps": 5000})``.

        `sweep` (with `grid`, `zip`, `cells`) and `seeds` replace those of the study as a whole.
        """
        profile: dict[str, Any] = dict(more)
        if seeds is not None:
            profile["seeds"] = _tables.seeds_of(seeds)
        if set is not None:
            profile["set"] = _tables.nested(flat_keys(set))
        if sweep is not None:
            profile["sweep"] = _tables.sweep_of(sweep)
        new = self._changed()
        new._tree.setdefault("profile", {})[arguments.text(name, "the name of a profile")] = profile
        return new

    def observe(self, what: str | Observable | Sequence[str], **when: Any) -> Study:
        """Measures addresses such as "perplexity"; `every`, `linear`, `log` or `at` say at which steps.

        An `attoscope.observable` is measured under its name.

        >>> study = study.observe(["loss", "accuracy"], every=10).observe("embedding", at=[0, 500])  # doctest: +SKIP
        """
        if isinstance(what, Observable):
            return self._with_part(what, "observe", {"what": [what.name], **_identity(what), **when})
        if isinstance(what, (bytes, Mapping)) or not isinstance(what, Iterable):
            raise UsageError(f"{what!r} cannot be observed", 'give addresses such as "loss", or an attoscope.observable')
        return self._appended("observe", {"what": [what] if isinstance(what, str) else list(what), **when})

    def quantity(self, name: str, expression: str) -> Study:
        """A series computed from what is observed: ``quantity("excess", "loss - best_loss")``."""
        return self._appended("quantity", {"name": name, "is": expression})

    def phenomenon(self, name: str, detector: str | Detector | None = None, **settings: Any) -> Study:
        """Something to look for in every run; `attoscope.detectors()` lists the detectors and their settings.

        An `attoscope.detector` takes `series`: the address, or the addresses, of the curves that it gets.

        >>> study = study.phenomenon("solved", "emergence", series="loss", threshold=0.5)  # doctest: +SKIP
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
        """A claim to judge: a statistic of a quantity, and the region where it should lie.

        Arguments:
            id: what verdicts are looked up by.
            statement: one sentence.
            quantity: of a phenomenon, such as "plateau.level", or the final value of something observed.
            statistic: "rate", "median", "mean", "fit", "correlation" or "coincidence".
            more: the region as `region`, `above` or `below`, and what else a claim may say: `where`, `against`,
                `compare`, `given`, `by`, `margin` ...

        >>> study = study.claim("wide", "Width 3 helps", "solved.emerged", statistic="rate",
        ...                     where={"network.width": 3}, against={"network.width": 2}, above=0)  # doctest: +SKIP
        """
        return self._appended(
            "claim", {"id": id, "statement": statement, "quantity": quantity, "statistic": statistic, **more}
        )

    def figure(self, name: str, kind: str, **settings: Any) -> Study:
        """A figure to draw; `attoscope.figure_kinds()` lists the kinds and their settings."""
        return self._appended("figure", {"name": name, "kind": kind, "title": settings.pop("title", name), **settings})

    def seeds(self, count: int | None = None, **plan: Any) -> Study:
        """How many runs a cell has: ``seeds(64)``, ``seeds(32, until="decided", most=512)``; `first`, `vary` and `exceptions` as in
        the file."""
        new = self._changed()
        if count is not None:
            plan = {"count": whole(count, "seeds", least=1), **plan}
        new._tree.setdefault("seeds", {}).update(_tables.seeds_of(plan))
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
        options = _options(profile, seeds, until, most)
        return _core.check_study(
            arguments.text(self.toml(), "the study"),
            arguments.text(self._path, "the path"),
            **options,
            parts=list(self._parts.values()),
        )

    @property
    def about(self) -> dict[str, Any]:
        """Its profiles, axes, phenomena, claims and figures."""
        about: dict[str, Any] = json.loads(self.check().about())
        return about

    def run_ids(
        self,
        *,
        profile: str = "quick",
        seeds: int | None = None,
        until: str | None = None,
        most: int | None = None,
    ) -> list[str]:
        """The content addresses of its runs, cell by cell."""
        return list(self.check(profile=profile, seeds=seeds, until=until, most=most).run_ids())

    def run(
        self,
        seeds: int | None = None,
        *,
        store: Store | str | os.PathLike[str] | None = None,
        profile: str = "quick",
        until: str | None = None,
        most: int | None = None,
        threads: int | None = None,
        checkpoint: float = 30.0,
        progress: bool = True,
        executor: Any = None,
    ) -> Result:
        """Trains what the store lacks on all cores and judges the claims.

        Ctrl-C stops: the result then has what is there, and its `complete` is false. A second Ctrl-C is an ordinary
        KeyboardInterrupt. Where a part of one's own raises an exception, the runs of that cell end; the others go on,
        and `result.failures` has the traceback.

        Arguments:
            seeds: runs of each cell; what the study says by default.
            store: a `Store` or the path of one, where runs are kept and found again; in memory by default.
            profile: one of the study's sets of sizes, such as "full".
            until: "decided" trains more seeds until the claims are decided, "count" does not.
            most: at most so many seeds until they are.
            threads: so many; by default all cores, and one for each pack that an executor has.
            checkpoint: seconds after which a run in progress is saved.
            progress: whether to show a bar.
            executor: who trains instead of this process: anything with ``submit(function, *arguments)`` that gives
                futures, such as those of concurrent.futures, a Dask client, mpi4py.futures or submitit. It gets packs of
                runs that take 10 to 60 seconds; their results come back as bytes and are merged into the store.
        """
        from ._running import run_elsewhere, run_study

        study = self._renewed()
        if not study.repeatable:
            checkpoint = 0
        options = _options(profile, seeds, until, most)
        checked = study.check(profile=profile, seeds=seeds, until=until, most=most)
        if executor is not None:
            return run_elsewhere(checked, study, store, executor, options, 1 if threads is None else threads, progress)
        return run_study(checked, study, store, 0 if threads is None else threads, checkpoint, progress)

    @property
    def repeatable(self) -> bool:
        """Whether its runs can be trained again; not where a plain generator makes the data."""
        return all(part.repeatable for part in self._parts.values() if isinstance(part, Task))

    def _renewed(self) -> Study:
        """With a name for this use of a generator, so that its runs are nobody else's."""
        return self if self.repeatable else self.set("data.stream", uuid.uuid4().hex)

    def load(
        self,
        store: Store | str | os.PathLike[str],
        *,
        profile: str = "quick",
        seeds: int | None = None,
        until: str | None = None,
        most: int | None = None,
    ) -> Result:
        """The results of what a store holds; nothing is trained."""
        from ._running import load_study

        return load_study(self.check(profile=profile, seeds=seeds, until=until, most=most), self, store)

    def config(self) -> dict[str, Any]:
        """The settings of a run outside of any sweep, as Run and Ensemble take them: {"data.vocab": 10, ...}."""
        return flat_keys({name: self._tree[name] for name in ("data", "network", "training") if name in self._tree})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self._tree == other._tree

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        file = f"<details><summary>{html.escape(self.name)}.toml</summary><pre>{html.escape(self.toml())}</pre></details>"
        return f"<b>{html.escape(self.title)}</b>{file}"


def _options(profile: str, seeds: int | None, until: str | None, most: int | None) -> dict[str, Any]:
    """What else the program wants to know to read a study."""
    if until not in (None, "count", "decided"):
        raise UsageError(f"until = {until!r}", 'it is "count" or "decided"')
    return {
        "profile": arguments.text(profile, "profile"),
        "set": [],
        "seeds": None if seeds is None else whole(seeds, "seeds", least=1),
        "until": until,
        "most": None if most is None else whole(most, "most", least=1),
    }


def _identity(part: Part) -> dict[str, str]:
    return {"function_hash": part.hash, **({"function_version": part.version} if part.version else {})}


def studies(folder: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the published studies, or of those in a folder."""
    place = pathlib.Path(folder) if folder is not None else studies_folder()
    if not place.is_dir():
        raise MissingError(f"there is no folder '{place}'")
    return sorted(path.stem for path in place.glob("*.toml"))


def study(name: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> Study:
    """A published study by its name, or any by the path of its file."""
    if not isinstance(name, str) or name.endswith(".toml") or os.sep in name:
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
