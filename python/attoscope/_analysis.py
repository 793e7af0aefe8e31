"""Theory, and the lab's detectors for curves from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _core
from ._arguments import array, real, settings_text, table, text, whole
from ._keys import flat_keys
from .errors import UsageError

__all__ = ["detect", "detectors", "figure_kinds", "predict"]

_LATEST = 10**15  # step


def predict(
    length: int, dimension: int, *, repeat: int = 1, cross: float = 0.0, threshold: float = 0.5
) -> dict[str, float | None]:
    """How long a plateau the theory of emergence expects, in steps × learning rate.

    `growth_rate` and `closed_form` are of the linearised flow, `flow` is the gradient flow itself (None: never).
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
    """The detectors by name, with their settings and the quantities they report."""
    return dict(json.loads(_core.detectors_json()))


def figure_kinds() -> dict[str, dict[str, Any]]:
    """The kinds of figure by name, with their settings."""
    return dict(json.loads(_core.figure_kinds_json()))


def detect(
    detector: str,
    series: Mapping[str, Any] | Any,
    steps: Any = None,
    *,
    config: Mapping[str, Any] | None = None,
    **settings: Any,
) -> dict[str, dict[str, Any]]:
    """What a detector finds in curves from anywhere, such as one's own training.

    `series` is one curve, or several by address; `steps` are the steps of all of them (0, 1, 2 ... by default).
    `config` says what the detector has to know of the run, such as {"data.vocab": 100}.

    >>> detect("emergence", [2.0, 1.5, 0.2, 0.1, 0.1], steps=[0, 10, 20, 30, 40], threshold=0.5)["step"]["value"]
    20.0
    """
    import numpy as np

    curves = dict(table(series, "series")) if isinstance(series, Mapping) else {settings.get("series", "loss"): series}
    if not isinstance(series, Mapping):
        settings.setdefault("series", "loss")
    addresses, all_steps, all_values = [], [], []
    for address, values in curves.items():
        own = array(values, f"'{address}'", "fiu")
        if own.ndim != 1 or own.size == 0:
            raise UsageError(f"'{address}' has the shape {own.shape}", "a curve is a list of numbers")
        at = np.arange(len(own)) if steps is None else array(steps, "steps", "iu")
        if at.ndim != 1 or (at[1:] <= at[:-1]).any() or (at.size and (at[0] < 0 or at[-1] > _LATEST)):
            raise UsageError("steps are not rising whole numbers", "give the steps of the curve: [0, 10, 20]")
        addresses.append(text(address, "an address"))
        all_steps.append(np.ascontiguousarray(at, dtype=np.int64))
        all_values.append(np.ascontiguousarray(own, dtype=np.float64))
    flat = settings_text(flat_keys(config or {}))
    found = _core.detect(text(detector, "detector"), settings_text(settings), flat, addresses, all_steps, all_values)
    return dict(json.loads(found))
