"""Detectors of one's own: functions of curves."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ._parts import Part, name_of
from ._source import source_hash
from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Censored", "Curve", "Detector", "RunFacts", "detector"]


class Censored:
    """A quantity that the end of the run has cut off: the truth lies above `value`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Censored({self.value!r})"


class Curve(NamedTuple):
    """One series of a run."""

    steps: np.ndarray
    values: np.ndarray


@dataclasses.dataclass(frozen=True)
class RunFacts:
    """What is known of a run whose curves a detector sees."""

    config: Mapping[str, Any]  # {"data.vocab": 10, ...}
    steps_done: int = 0
    diverged_at: int | None = None
    stopped_early: bool = False
    best_loss: float | None = None


class Detector(Part):
    """A function of curves, to be looked for by a study: ``study.phenomenon("jump", largest_jump, series="loss")``."""

    kind = "detector"

    def __init__(self, function: Callable[..., Any], name: str, version: str, quantities: Mapping[str, type]) -> None:
        super().__init__(name, version, source_hash(function, version))
        self._function = function
        self.quantities = dict(quantities)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def find(self, curves: list[tuple[Any, Any]], config: str, about: dict[str, Any]) -> list[tuple[str, Any, bool]]:
        """What the function finds, as name, value and whether the truth lies above it."""
        facts = RunFacts(json.loads(config), **about)
        found = self._function(*(Curve(*one) for one in curves), facts)
        if not isinstance(found, Mapping):
            raise UsageError(f"'{self.name}' gave {type(found).__name__}", "a detector gives quantities by name: {...}")
        for name in found:
            if name not in self.quantities:
                raise UsageError(
                    f"'{self.name}' found '{name}', which it does not announce",
                    f"announce it: quantities={{..., {name!r}: float}}",
                )
        return [(name, *self._number(name, value)) for name, value in found.items()]

    def _number(self, name: str, value: Any) -> tuple[float | None, bool]:
        inner = value.value if isinstance(value, Censored) else value
        if inner is None:
            return None, False
        try:
            number = float(inner)
        except (TypeError, ValueError):
            raise UsageError(
                f"'{self.name}' found {name} = {value!r}", "a quantity is a number, true or false, Censored(..) or None"
            ) from None
        if math.isnan(number):
            return None, False
        if self.quantities[name] is bool and number not in (0.0, 1.0):
            raise UsageError(f"'{self.name}' found {name} = {value!r}", "it was announced as true or false")
        return number, isinstance(value, Censored)


@overload
def detector(
    function: Callable[..., Any], *, quantities: Mapping[str, type], name: str | None = ..., version: str = ...
) -> Detector: ...


@overload
def detector(
    *, quantities: Mapping[str, type], name: str | None = ..., version: str = ...
) -> Callable[[Callable[..., Any]], Detector]: ...


def detector(
    function: Any = None, *, quantities: Mapping[str, type], name: str | None = None, version: str = ""
) -> Any:
    """A detector from a function ``(curve, ..., run) -> {quantity: value}``; also a decorator.

    It gets a `Curve` (steps, values) for each series that the study names, then `RunFacts`. `quantities` announces what
    it finds: float, or bool for what is true or false of a run. None or NaN is missing, ``Censored(value)`` says that
    the run ended first.

    >>> @detector(quantities={"step": float, "present": bool})
    ... def below_one(curve, run):
    ...     below = curve.steps[curve.values < 1]
    ...     return {"step": below[0] if len(below) else Censored(run.steps_done), "present": len(below) > 0}
    """
    if function is None:
        return functools.partial(detector, quantities=quantities, name=name, version=version)
    known = isinstance(quantities, Mapping) and all(one in (float, bool) for one in quantities.values())
    if not known or not quantities:
        raise UsageError(f"quantities = {quantities!r}", 'announce what it finds: {"step": float, "present": bool}')
    return Detector(function, name_of(function, name), version, quantities)
