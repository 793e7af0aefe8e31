"""Results of a study, in the forms that notebooks use."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import os
import pathlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _html
from ._arguments import nearest, text, whole
from ._figure import Figure
from .errors import MissingError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import xarray

    from ._frame import Frame
    from ._judge import Outcomes
    from ._study import Study

__all__ = ["Failure", "Result", "Verdict", "Verdicts"]

# What series and quantities are measured in, by the last word of their name.
_UNITS = {"loss": "nats", "test": "nats", "step": "steps", "start": "steps", "end": "steps", "length": "steps"}


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}".replace("inf", "∞")


class Verdict:
    """What the runs say of one claim. Every key of `atto reproduce --json` is an attribute:

    `verdict` is "supported", "refuted" or "inconclusive"; `estimate`, `low` and `high` are the statistic and the ends of
    its 95 % interval; `reason_text` says why a claim is open; `error` is the smallest error at which the decision still
    stands; `seeds`, `missing`, `censored` and `diverged` count runs; `statement`, `published`, `source`, `quantity`,
    `statistic` and `region` repeat the claim. docs/cli.md has the others.
    """

    def __init__(self, about: dict[str, Any]) -> None:
        self._about = about

    def __getattr__(self, name: str) -> Any:
        if name == "_about":  # of one that is being copied
            raise AttributeError(name)
        try:
            value = self._about[name]
        except KeyError:
            raise AttributeError(f"a verdict has no '{name}'; it has {', '.join(self._about)}") from None
        return _number(value) if value in ("inf", "-inf") else value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._about]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON has it: infinities are "inf" and "-inf", what does not exist is None."""
        return dict(self._about)

    def _repr_html_(self) -> str:
        return Verdicts([self])._repr_html_()

    def __repr__(self) -> str:
        low, high = _text(_number(self._about.get("low"))), _text(_number(self._about.get("high")))
        estimate = _text(_number(self._about.get("estimate")))
        return f"<Verdict {self._about['claim']}: {self._about['verdict']}, {estimate} [{low}, {high}]>"


class Verdicts(Sequence[Verdict]):
    """The verdicts of a study, by number or by the claim's id."""

    def __init__(self, verdicts: list[Verdict]) -> None:
        self._verdicts = verdicts

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            for one in self._verdicts:
                if one.claim == which:
                    return one
            claims = [str(one.claim) for one in self._verdicts]
            raise MissingError(f"there is no claim '{which}'" + nearest(which, claims), ", ".join(claims))
        return self._verdicts[which]

    def __len__(self) -> int:
        return len(self._verdicts)

    def _ipython_key_completions_(self) -> list[str]:
        return [str(one.claim) for one in self._verdicts]

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for one in self._verdicts:
            about = one.to_dict()
            interval = f"[{_text(_number(about.get('low')))}, {_text(_number(about.get('high')))}]"
            estimate = f"{_text(_number(about.get('estimate')))} {interval}"
            yield about["claim"], about["verdict"], estimate, str(about.get("seeds", "")), about["statement"]

    def __repr__(self) -> str:
        rows = [("claim", "verdict", "estimate [95 %]", "seeds", "statement"), *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        return "\n".join(
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[4]]).rstrip() for row in rows
        )

    def _repr_html_(self) -> str:
        return _html.table(("claim", "verdict", "estimate [95 %]", "seeds", "statement"), self._rows(), align="left")


@dataclasses.dataclass(frozen=True)
class Failure:
    """A part of one's own that has raised an exception, which ended the runs of a cell, or runs that an executor has lost
    (`part` is "executor" then)."""

    cell: str
    seed: int  # of the run that met it
    part: str
    message: str
    traceback: str


class Result:
    """What the runs of a study came to."""

    def __init__(self, study: Study, collected: Any, store: Any, failures: Sequence[Failure] = ()) -> None:
        self.study = study
        self._core = collected
        self._elsewhere = list(failures)  # of workers
        self._store = store  # kept open as long as somebody may read from it

    @property
    def complete(self) -> bool:
        """Whether all runs are there; false after Ctrl-C and where a part of one's own has failed."""
        return bool(self._core.complete)

    @functools.cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts on the study's claims."""
        return Verdicts([Verdict(about) for about in json.loads(self._core.verdicts_json())])

    @functools.cached_property
    def failures(self) -> list[Failure]:
        """Cells that parts of one's own have ended by an exception, with its traceback; and packs of runs that an executor
        has lost."""
        return [*self._elsewhere, *(Failure(**about) for about in json.loads(self._core.failures_json()))]

    @functools.cached_property
    def cells(self) -> list[dict[str, Any]]:
        """Cells of the sweep with summaries, as `atto run --json` prints them."""
        return list(json.loads(self._core.cells_json()))

    @functools.cached_property
    def fits(self) -> list[dict[str, Any]]:
        """The power laws of the study's fits."""
        return list(json.loads(self._core.fits_json()))

    @functools.cached_property
    def runs(self) -> list[dict[str, Any]]:
        """Cell, seed and id of every run, in the order of all arrays."""
        return list(json.loads(self._core.runs_json()))

    @functools.cached_property
    def addresses(self) -> dict[str, tuple[int, ...]]:
        """The series that every run has, observed and derived, with the shape of one measurement."""
        return {one["address"]: tuple(one["shape"]) for one in json.loads(self._core.series_json())}

    @functools.cached_property
    def quantities(self) -> list[str]:
        """What the detectors found, by name: "plateau.level" ..."""
        return list(self._core.quantity_names())

    def series(self, address: str, cell: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Steps, and the values of all runs, or of those of one cell: [run, step, ...].

        A run that ended early is NaN from there on. `addresses` lists the series. One whose shape differs between cells,
        such as an embedding where the vocabulary is swept, has to be taken cell by cell.

        >>> steps, loss = result.series("loss")  # doctest: +SKIP
        """
        if cell is not None and not 0 <= whole(cell, "cell") < len(self.cells):
            raise MissingError(f"there is no cell {cell}", f"cells are 0 to {len(self.cells) - 1}")
        try:
            steps, values = self._core.stacked(text(address, "the address"), cell)
        except MissingError as error:
            if address in self.addresses:  # then something else is missing
                raise
            raise MissingError(
                f"the runs have no series '{address}'" + nearest(address, self.addresses), error.remedy
            ) from None
        return steps, values

    def outcome(self, quantity: str) -> Outcomes:
        """The value of every run (NaN where it has none), and whether the truth lies above it (censored)."""
        from ._judge import Outcomes

        try:
            values, censored = self._core.outcomes(text(quantity, "the quantity"))
        except MissingError as error:
            known = [*self.quantities, *self.addresses]
            raise MissingError(error.message + nearest(quantity, known), error.remedy) from None
        return Outcomes(values, censored.astype(bool))

    @property
    def outcomes(self) -> Frame:
        """One row a run: its place in the sweep, its seed and what the detectors found."""
        from ._frame import Frame

        return Frame({name: column for name, column in self.frame().items() if name not in ("run", "diverged")})

    def frame(self) -> Frame:
        """`outcomes` with the id of each run and whether it diverged.

        pandas, polars and DuckDB read it through the Arrow PyCapsule interface.

        >>> polars.DataFrame(result.frame())  # doctest: +SKIP
        """
        from ._frame import frame_of

        return frame_of(self)

    @functools.cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything that was measured and found, with the axes of the sweep, seed and step as dimensions.

        A sweep that is not a full grid has one dimension `cell` instead. Variables have `units`; what claims say of a
        quantity are attributes of it: `region_<claim>` and `verdict_<claim>`.
        """
        from ._dataset import dataset_of

        dataset: xarray.Dataset = dataset_of(self)
        return dataset

    @property
    def figures(self) -> list[str]:
        """The names of the study's figures."""
        return list(self.study.about["figures"])

    def figure(self, name: str, *, theme: str = "light") -> Figure:
        """One of the study's figures, drawn from these runs, in a "light" or "dark" theme."""
        if theme not in ("light", "dark"):
            raise UsageError(f"theme is {theme!r}", 'it is "light" or "dark"')
        if text(name, "the figure") not in self.figures:
            raise MissingError(
                f"the study has no figure '{name}'" + nearest(name, self.figures), "result.figures lists those it has"
            )
        return Figure(name, json.loads(self._core.figure_json(name, theme)))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes figures, verdicts and numbers as one HTML file that loads nothing from elsewhere."""
        pathlib.Path(path).write_text(self._core.report_html(), encoding="utf-8")

    def __copy__(self) -> Result:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Result:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Result reads from its store and cannot be pickled; study.load(store) gives it again, and"
            " result.frame(), result.dataset, verdicts and figures can be"
        )

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for one in self.verdicts:
            counts[one.verdict] = counts.get(one.verdict, 0) + 1
        found = ", ".join(f"{count} {word}" for word, count in counts.items()) or "no claims"
        state = "" if self.complete else ", not complete"
        return f"<Result of {self.study.name}: {len(self.runs)} runs{state}; {found}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + (self.verdicts._repr_html_() if len(self.verdicts) else "")


def units_of(name: str) -> str:
    """What a series or quantity is measured in; "1" for ratios, counts and everything that is not known."""
    return _UNITS.get(name.rsplit(".", 1)[-1], "1")
