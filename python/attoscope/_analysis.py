"""Theory, and the lab's detectors for curves from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import UsageError

if TYPE_CHECKING:
    from ._parts import Detector

__all__ = ["detect", "detectors", "figure_kinds", "predict"]


def predict(
    length: int, dimension: int, *, repeat: int = 1, cross: float = 0.0, threshold: float = 0.5
) -> dict[str, float | None]:
    """How long a plateau the theory of emergence expects, in steps × learning rate.

    `growth_rate` and `closed_form` are of the linearised flow, `flow` is the gradient flow itself (None: never).
    """
    return dict(_core.predict(length, dimension, repeat, cross, threshold))


def detectors() -> dict[str, dict[str, Any]]:
    """The detectors by name, with their settings and the quantities they report."""
    return dict(json.loads(_core.detectors_json()))


def figure_kinds() -> dict[str, dict[str, Any]]:
    """The kinds of figure by name, with their settings."""
    return dict(json.loads(_core.figure_kinds_json()))


def detect(
    detector: str | Detector,
    series: Mapping[str, Any] | Any,
    steps: Any = None,
    *,
    config: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, dict[str, Any]]:
    """What a detector finds in curves from anywhere, such as one's own training.

    `series` is one curve, or several by address; `steps` are the steps of all of them (0, 1, 2 ... by default).
    `detector` is the name of one of the lab's, or an `attoscope.detector`, which gets the curves in this order.
    `config` says what the detector has to know of the run, such as {"data.vocab": 100}.

    >>> detect("emergence", [2.0, 1.5, 0.2, 0.1], steps=[0, 10, 20, 30], threshold=0.5)["step"]["value"]
    20.0
    """
    import numpy as np

    from ._parts import Detector
    from ._study import flat_keys

    curves = dict(series) if isinstance(series, Mapping) else {settings.get("series", "loss"): series}
    if not isinstance(series, Mapping):
        settings.setdefault("series", "loss")
    addresses, all_steps, all_values = [], [], []
    for address, values in curves.items():
        own = np.asarray(values)
        if own.dtype.kind not in "fiu" or own.ndim != 1 or own.size == 0:
            raise UsageError(f"'{address}' is {own.dtype}{own.shape}", "a curve is a list of numbers")
        at = np.arange(len(own)) if steps is None else np.asarray(steps)
        if at.dtype.kind not in "iu" or (at.size > 1 and (np.diff(at) <= 0).any()) or (at.size and at[0] < 0):
            raise UsageError("steps are not rising whole numbers")
        addresses.append(address)
        all_steps.append(np.ascontiguousarray(at, dtype=np.int64))
        all_values.append(np.ascontiguousarray(own, dtype=np.float64))
    flat = flat_keys(config or {})
    if isinstance(detector, Detector):
        done = {"steps_done": int(max(at[-1] for at in all_steps))}
        found = detector.find(list(zip(all_steps, all_values)), json.dumps(flat), done)
        return {name: {"value": value, "censored": censored} for name, value, censored in found}
    return dict(json.loads(_core.detect(detector, json.dumps(settings), json.dumps(flat), addresses, all_steps, all_values)))
