"""Theory, and the lab's detectors for curves from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import array, nearest, real, settings_text, table, text, whole
from ._keys import flat_keys
from .errors import UnknownKeyError, UsageError

if TYPE_CHECKING:
    import numpy as np

    from ._detector import Detector

__all__ = ["detect", "detectors", "figure_kinds", "predict"]

_LATEST = 10**15  # step


def predict(
    length: int, dimension: int, *, repeat: int = 1, cross: float = 0.0, threshold: float = 0.5
) -> dict[str, float | None]:
    """How long a plateau the theory of emergence expects, in steps × learning rate.

    The theory is that of single-location regression: a network with free attention scores has to find the relevant one
    of `length` tokens.

    Arguments:
        length: tokens of a sequence, T.
        dimension: features of a token, d.
        repeat: copies of the relevant token in a sequence, B.
        cross: how often the relevant token is the same across sequences, p.
        threshold: the plateau ends when this share of the loss at the start is left.

    Returns `growth_rate`, the rate of the linearised flow; `closed_form`, when that leaves the plateau; and `flow`, when
    the gradient flow itself does (None: never).

    >>> round(predict(length=512, dimension=64)["growth_rate"] * 512 * 8, 6)
    1.0
    """
    return dict(
        _core.predict(
            whole(length, "length"),
            whole(dimension, "dimension"),
            whole(repeat, "repeat"),
            real(cross, "cross"),
            real(threshold, "threshold"),
        )
    )


def detectors() -> dict[str, dict[str, Any]]:
    """The detectors by name, with their settings and the quantities they report.

    >>> "level" in detectors()["plateau"]["quantities"]
    True
    """
    return dict(json.loads(_core.detectors_json()))


def figure_kinds() -> dict[str, dict[str, Any]]:
    """The kinds of figure by name, with their settings."""
    return dict(json.loads(_core.figure_kinds_json()))


def detect(
    detector: str | Detector,
    series: Mapping[str, Any] | Any,
    /,
    steps: Any = None,
    *,
    config: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """What a detector finds in curves from anywhere, such as one's own training.

    Arguments:
        detector: its name; `detectors()` lists them with their settings and quantities. Or an `attoscope.detector`,
            which gets the curves in the order of `series`.
        series: one curve, an array [run, step] of curves, or several such by the address that the detector's settings
            name. A run that ended early is NaN from there on.
        steps: the steps of all of them; 0, 1, 2 ... by default.
        config: what the detector has to know of the run, such as {"data.vocab": 100}.
        settings: those of the detector.

    Returns the quantities by name: of one curve {"value": ..., "censored": ...}, of several runs `Outcomes`, which
    `judge` takes.

    >>> detect("emergence", [2.0, 1.5, 0.2, 0.1, 0.1], steps=[0, 10, 20, 30, 40], threshold=0.5)["step"]["value"]
    20.0
    """
    import numpy as np

    from ._judge import Outcomes
    from ._detector import Detector

    if isinstance(detector, Detector):
        _known_settings(settings, detector.name, [])
    elif text(detector, "detector") in (known := detectors()):
        _known_settings(settings, detector, [one["key"] for one in known[detector]["settings"]])
    curves = dict(table(series, "series")) if isinstance(series, Mapping) else {settings.get("series", "loss"): series}
    if not isinstance(series, Mapping):
        settings.setdefault("series", "loss")
    arrays = {text(address, "an address"): _curves(address, values) for address, values in curves.items()}
    shapes = {values.shape[:-1] for values in arrays.values()}
    if len(shapes) != 1:
        raise UsageError("the series are of different runs", "give curves, or arrays [run, step] of the same runs")
    facts = settings_text(flat_keys(config or {}))

    def of_run(own: dict[str, np.ndarray]) -> dict[str, dict[str, Any]]:
        curves = [_measured(values, steps) for values in own.values()]
        if isinstance(detector, Detector):
            quantities: dict[str, dict[str, Any]] = {name: {"value": None, "censored": False} for name in detector.quantities}
            for name, value, censored in detector.find(curves, facts, {"steps_done": int(max(at[-1] for at, _ in curves))}):
                quantities[name] = {"value": value, "censored": censored}
            return quantities
        times, numbers = [at for at, _ in curves], [values for _, values in curves]
        asked = (text(detector, "detector"), settings_text(settings), facts)
        return dict(json.loads(_core.detect(*asked, list(own), times, numbers)))

    (runs,) = shapes
    if not runs:
        return of_run(arrays)
    empty = np.any([np.isnan(values).all(axis=-1) for values in arrays.values()], axis=0)
    if empty.all():
        raise UsageError("the curves hold nothing but NaN")
    # A run without a single value has no outcome of anything.
    each = {run: of_run({name: values[run] for name, values in arrays.items()}) for run in np.flatnonzero(~empty)}
    found = {}
    for name in next(iter(each.values())):
        numbers, censored = np.full(runs[0], np.nan), np.zeros(runs[0], dtype=bool)
        for run, one in each.items():
            if one[name]["value"] is not None:
                numbers[run], censored[run] = float(one[name]["value"]), one[name]["censored"]
        found[name] = Outcomes(numbers, censored)
    return found


def _known_settings(settings: Mapping[str, Any], detector: str, known: list[str]) -> None:
    for name in settings:
        if name not in ("series", *known):
            raise UnknownKeyError(
                f"the detector '{detector}' has no setting '{name}'" + nearest(name, known),
                "its settings are " + ", ".join(known) if known else "a detector of one's own has none",
            )


def _curves(address: str, given: Any) -> np.ndarray:
    import numpy as np

    values = array(given, f"'{address}'", "fiu")
    if values.ndim not in (1, 2) or values.size == 0:
        raise UsageError(f"'{address}' has the shape {values.shape}", "a curve is a list of numbers, several are [run, step]")
    return np.ascontiguousarray(values, dtype=np.float64)


def _measured(values: np.ndarray, steps: Any) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values of a curve up to where it ended."""
    import numpy as np

    at = np.arange(len(values)) if steps is None else array(steps, "steps", "iu")
    if at.ndim != 1 or (at[1:] <= at[:-1]).any() or (at.size and (at[0] < 0 or at[-1] > _LATEST)):
        raise UsageError("steps are not rising whole numbers", "give the steps of the curve: [0, 10, 20]")
    if len(at) != len(values):
        raise UsageError(f"there are {len(at)} steps and {len(values)} values")
    there = np.flatnonzero(~np.isnan(values))
    if not there.size:
        raise UsageError("a curve holds nothing but NaN", "leave the run out")
    end = there[-1] + 1
    return np.ascontiguousarray(at[:end], dtype=np.int64), values[:end]
