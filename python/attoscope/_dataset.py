"""Results as an xarray.Dataset."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from ._result import units_of
from ._keys import keys
from .errors import MissingError, StudyError

if TYPE_CHECKING:
    from ._result import Result


def dataset_of(result: Result) -> Any:
    import numpy as np

    try:
        import xarray
    except ImportError as error:
        raise MissingError("xarray is not installed", "pip install 'attoscope[data]'") from error

    grid = _Grid(result)
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = dict(grid.coordinates)
    coordinates["seed"] = ("seed", np.array(grid.seeds, dtype=np.int64), {"long_name": "number of the seed"})
    step_names: dict[bytes, str] = {}
    regions = _regions(result)
    for address in result.addresses:
        steps, values = _stacked(result, address)
        dimension = step_names.get(steps.tobytes())
        if dimension is None:  # series that were measured at other steps have a dimension of their own
            dimension = "step" if not step_names else f"step_{address}"
            step_names[steps.tobytes()] = dimension
            coordinates[dimension] = (dimension, steps, {"units": "steps", "long_name": "training step"})
        own = [f"{address}_{i}" for i in range(values.ndim - 2)]
        attributes = {"units": units_of(address), **regions.get(address, {})}
        variables[address] = ((*grid.dimensions, "seed", dimension, *own), grid.spread(values), attributes)
    for quantity in result.quantities:
        values, censored = result.outcome(quantity)
        dimensions = (*grid.dimensions, "seed")
        attributes = {"units": units_of(quantity), **regions.get(quantity, {})}
        variables[quantity] = (dimensions, grid.spread(values), attributes)
        if censored.any():
            note = {"long_name": f"{quantity} lies above the value: the run ended first"}
            variables[f"{quantity}.censored"] = (dimensions, grid.spread(censored.astype(float)) == 1, note)
    about = {"study": result.study.name, "title": result.study.title, "complete": int(result.complete)}
    return xarray.Dataset(variables, coordinates, about)


def _stacked(result: Result, address: str) -> tuple[Any, Any]:
    """Steps and values of all runs; where cells differ in shape, the smaller ones end in NaN."""
    import numpy as np

    try:
        return result.series(address)
    except StudyError:
        with_runs = sorted({run["cell"] for run in result.runs})
        parts = [result.series(address, cell) for cell in with_runs]
    steps = max((own for own, _ in parts), key=len)
    shape = np.max([values.shape[2:] for _, values in parts], axis=0)
    full = np.full((len(result.runs), len(steps), *shape), np.nan)
    first = 0
    for own, values in parts:
        rows = slice(first, first + len(values))
        inside = tuple(slice(extent) for extent in values.shape[2:])
        places = np.searchsorted(steps, own)
        for place, step in zip(places, range(len(own))):
            if place < len(steps) and steps[place] == own[step]:
                full[(rows, place, *inside)] = values[:, step]
        first += len(values)
    return steps, full


def _regions(result: Result) -> dict[str, dict[str, Any]]:
    """What claims say of a quantity, as attributes of it."""
    found: dict[str, dict[str, Any]] = {}
    for verdict in result.verdicts:
        about = verdict.to_dict()
        region = about.get("region")
        if isinstance(region, (list, tuple)):
            low, high = (float(end) if end is not None else math.nan for end in region)
            found.setdefault(about["quantity"], {}).update(
                {f"region_{about['claim']}": [low, high], f"verdict_{about['claim']}": about["verdict"]}
            )
    return found


class _Grid:
    """Where each run stands among the axes of the sweep: a full grid has its axes, any other sweep one of cells."""

    def __init__(self, result: Result) -> None:
        import numpy as np

        cells = [cell["overrides"] for cell in result.cells]
        axes: dict[str, list[Any]] = {}
        for cell in cells:
            for key, value in cell.items():
                if value not in axes.setdefault(key, []):
                    axes[key].append(value)
        names = list(axes)
        places = {tuple(str(v) for v in combination): i for i, combination in enumerate(itertools.product(*axes.values()))}
        self.full = len(cells) == math.prod(len(values) for values in axes.values()) and all(
            set(cell) == set(names) for cell in cells
        )
        if self.full:
            self.dimensions: tuple[str, ...] = tuple(names)
            self.lengths = tuple(len(axes[name]) for name in names)
            self.coordinates: dict[str, Any] = {name: (name, _axis(axes[name]), _about(name)) for name in names}
            place = [places[tuple(str(cell[name]) for name in names)] for cell in cells]
        else:
            self.dimensions = ("cell",)
            self.lengths = (len(cells),)
            self.coordinates = {
                name: ("cell", _axis([cell.get(name) for cell in cells]), _about(name)) for name in names
            }
            place = list(range(len(cells)))
        self.seeds = sorted({run["seed"] for run in result.runs})
        rank = {seed: i for i, seed in enumerate(self.seeds)}
        at = [(place[run["cell"]], rank[run["seed"]]) for run in result.runs]
        self._at = np.array(at, dtype=np.int64).reshape(-1, 2)

    def spread(self, values: Any) -> Any:
        """[run, ...] as [axes ..., seed, ...]; NaN where there is no run."""
        import numpy as np

        cells = math.prod(self.lengths)
        full = np.full((cells, len(self.seeds), *values.shape[1:]), np.nan)
        full[self._at[:, 0], self._at[:, 1]] = values
        return full.reshape(*self.lengths, len(self.seeds), *values.shape[1:])


def _about(key: str) -> dict[str, str]:
    return {"long_name": keys[key].help} if key in keys else {}


def _axis(values: list[Any]) -> Any:
    import numpy as np

    return np.array([str(one) if isinstance(one, (list, dict)) else one for one in values])
