"""Observables of one's own: functions of weights."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

from ._parts import Part, name_of
from ._source import source_hash
from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Observable", "observable"]


class Observable(Part):
    """A function of weights, to be observed by a study: ``study.observe(rank, every=50)``."""

    kind = "observable"

    def __init__(self, function: Callable[..., Any], name: str, version: str, shape: tuple[int | str, ...]) -> None:
        super().__init__(name, version, source_hash(function, version))
        self._function = function
        self._steps = _takes_step(function)
        self.extents = [str(extent) for extent in shape]

    def __call__(self, weights: Mapping[str, Any], step: int = 0) -> Any:
        return self._function(weights, step) if self._steps else self._function(weights)

    def show(self, raw: dict[str, np.ndarray], heads: int) -> dict[str, np.ndarray]:
        """The engine's matrices in TransformerLens' shapes."""
        from ._ensemble import lens_view

        return {name: lens_view(name, view, heads) for name, view in raw.items()}

    def measure(self, weights: Mapping[str, Any], step: int, shape: tuple[int, ...]) -> np.ndarray:
        """What the function gives, as numbers of this shape."""
        import numpy as np

        values = np.asarray(self(weights, step))
        if values.dtype.kind not in "fiub":
            raise UsageError(f"'{self.name}' gave {values.dtype}", "an observable gives numbers")
        if values.shape != shape:
            raise UsageError(
                f"'{self.name}' gave the shape {values.shape}, not {shape}: seeds first, then its own shape",
                "keep the first axis, and say what follows: observable(shape=(2,))",
            )
        return np.ascontiguousarray(values, dtype=np.float64)


@overload
def observable(
    function: Callable[..., Any], *, shape: Any = ..., name: str | None = ..., version: str = ...
) -> Observable: ...


@overload
def observable(
    *, shape: Any = ..., name: str | None = ..., version: str = ...
) -> Callable[[Callable[..., Any]], Observable]: ...


def observable(function: Any = None, *, shape: Any = (), name: str | None = None, version: str = "") -> Any:
    """An observable from a function of weights: ``(weights)`` or ``(weights, step)``; also a decorator.

    `weights` has the matrices of several seeds at once by TransformerLens' names: ``weights["W_E"]`` is [seed, V, d].
    The function gives one number for each, [seed], or [seed, *shape]; an entry of `shape` is a number or a key such as
    "data.vocab". It must treat the seeds alike and apart from each other. Arrays are valid during the call.

    >>> @observable
    ... def embedding_norm(weights):
    ...     return (weights["W_E"] ** 2).sum(axis=(1, 2)) ** 0.5
    """
    if function is None:
        return functools.partial(observable, shape=shape, name=name, version=version)
    extents = (shape,) if isinstance(shape, (int, str)) else tuple(shape)
    for extent in extents:
        if isinstance(extent, bool) or not isinstance(extent, (int, str)) or (isinstance(extent, int) and extent < 1):
            raise UsageError(f"{extent!r} is no length", 'entries of a shape are whole numbers, or keys: "data.vocab"')
    return Observable(function, name_of(function, name), version, extents)


def _takes_step(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters) >= 2
