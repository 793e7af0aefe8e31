"""Runs in the hand: train, look, change, go on."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._parts import Part
from ._study import Study, flat_keys
from .errors import MissingError, UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Ensemble", "Run", "Weights"]


def _config(config: Study | Mapping[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """The settings of a run, and the parts of one's own that they name."""
    if isinstance(config, Study):
        return config.config(), list(config._parts.values())
    return flat_keys(config), [one for one in config.values() if isinstance(one, Part)]


def _seeds(seeds: int | Iterable[Any]) -> list[tuple[int, int]]:
    """64 for the first 64 seeds, a list of seeds, or of pairs (of the starting weights, of the data)."""
    if isinstance(seeds, int):
        seeds = range(1, seeds + 1)
    pairs = [(int(one[0]), int(one[1])) if isinstance(one, (tuple, list)) else (int(one), int(one)) for one in seeds]
    if any(seed < 0 for pair in pairs for seed in pair):
        raise UsageError("a seed is negative", "seeds are whole numbers from 0 on")
    return pairs


class Weights(Mapping[str, Any]):
    """Weight matrices by name, in TransformerLens' shapes, as read-only views of the memory that trains.

    ``weights["blocks.0.attn.W_Q"]`` has the shape [n_heads, d_model, d_head], in an ensemble with the runs in front.
    The numbers change as training goes on; ``.copy()`` keeps them.
    """

    def __init__(self, owner: Ensemble) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> np.ndarray:
        runs = self._owner._core
        names = self._owner._matrices
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            raise MissingError(
                f"there is no matrix '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""), ", ".join(names)
            )
        view: np.ndarray = self._owner._squeeze(lens_view(name, runs.weight(name), self._owner._heads))
        return view

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner._matrices)

    def __len__(self) -> int:
        return len(self._owner._matrices)

    def __repr__(self) -> str:
        return "\n".join(f"{name} {list(self[name].shape)}" for name in self)


def lens_view(name: str, raw: np.ndarray, heads: int) -> np.ndarray:
    """[run][out][in], as the engine keeps a matrix, in TransformerLens' shape; no number is copied."""
    runs, rows, columns = raw.shape
    last = name.rsplit(".", 1)[-1]
    if name.endswith(("attn.W_Q", "attn.W_K", "attn.W_V")):
        return raw.reshape(runs, heads, rows // heads, columns).transpose(0, 1, 3, 2)
    if name.endswith(("attn.b_Q", "attn.b_K", "attn.b_V")):
        return raw.reshape(runs, heads, rows * columns // heads)
    if name.endswith(("W_E", "W_pos", "attn.bias")):
        return raw
    if not last.startswith("W"):
        return raw.reshape(runs, rows * columns)
    if name.endswith("attn.W_O"):
        return raw.transpose(0, 2, 1).reshape(runs, heads, columns // heads, rows)
    return raw.transpose(0, 2, 1)


def _engine_order(name: str, values: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The inverse of the above, of one run."""
    import numpy as np

    last = name.rsplit(".", 1)[-1]
    if name.endswith(("attn.W_Q", "attn.W_K", "attn.W_V")):
        values = values.transpose(0, 2, 1)
    elif name.endswith("attn.W_O"):
        values = values.reshape(columns, rows).T
    elif last.startswith("W") and not name.endswith(("W_E", "W_pos")):
        values = values.T
    return np.ascontiguousarray(values, dtype=np.float32).reshape(rows, columns)


class Ensemble:
    """Runs of one configuration and several seeds, advanced together on all cores.

    >>> ensemble = Ensemble({"data.vocab": 4, "training.batch": 128}, seeds=8)
    >>> ensemble.advance(100)
    >>> ensemble.loss.shape
    (8,)
    """

    def __init__(
        self, config: Study | Mapping[str, Any], seeds: int | Iterable[Any] = 32, *, threads: int = 0
    ) -> None:
        flat, self._parts = _config(config)
        self.config = flat
        self.seeds = _seeds(seeds)
        if not self.seeds:
            raise UsageError("there are no seeds", "an ensemble has at least one run")
        self._core: Any = _core.Runs(json.dumps(flat, default=_plain), self.seeds, threads, self._parts)
        about = json.loads(self._core.matrices_json())
        self._matrices: dict[str, tuple[int, int]] = {one["name"]: (one["rows"], one["columns"]) for one in about}
        self._heads = int(flat.get("network.heads", 1))

    def _squeeze(self, values: np.ndarray) -> Any:
        return values

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def step(self) -> int:
        """Updates done so far."""
        return int(self._core.step)

    def advance(self, steps: int) -> None:
        """Trains every run for so many steps, without the GIL. Ctrl-C stops it; the next call makes up for the rest."""
        if isinstance(steps, bool) or int(steps) != steps:
            raise UsageError(f"{steps!r} is no number of steps")
        self._core.advance(int(steps))

    @property
    def loss(self) -> Any:
        """The loss of the present step's batch."""
        return self._squeeze(self._core.batch()[0])

    @property
    def accuracy(self) -> Any:
        """The share of right answers in the present step's batch."""
        return self._squeeze(self._core.batch()[1])

    @property
    def test_loss(self) -> Any:
        """The loss on held-out data."""
        return self._squeeze(self._core.test_losses())

    @property
    def weights(self) -> Weights:
        """Weight matrices by name: read-only views."""
        return Weights(self)

    def set_weights(self, weights: Mapping[str, Any], run: int | None = None) -> None:
        """Puts other numbers into matrices, in the shapes that `weights` shows; into one run, or into all."""
        import numpy as np

        for name, given in weights.items():
            shown = self.weights[name]
            one = shown.shape[1:] if len(shown.shape) and type(self) is Ensemble else shown.shape
            values = np.asarray(given)
            if values.dtype.kind not in "fiu":
                raise UsageError(f"'{name}' is of {values.dtype}", "give numbers")
            if not np.isfinite(values).all():
                raise UsageError(f"'{name}' holds numbers that are not finite")
            runs = range(len(self)) if run is None else [run]
            for i in runs:
                if not 0 <= i < len(self):
                    raise UsageError(f"there is no run {i}", f"runs are 0 to {len(self) - 1}")
                own = values[i] if values.shape == (len(self), *one) and run is None else values
                if own.shape != tuple(one):
                    raise UsageError(f"'{name}' has the shape {tuple(own.shape)}", f"it is {tuple(one)}")
                self._core.set_weight(i, name, _engine_order(name, own.astype(np.float32), *self._matrices[name]))

    def gradient(self) -> dict[str, np.ndarray]:
        """The gradient of the present step's batch, by matrix, in the shapes of `weights`; copies."""
        return {
            name: self._squeeze(lens_view(name, self._core.gradient(name), self._heads)) for name in self._matrices
        }

    def logits(self, tokens: Any) -> np.ndarray:
        """Logits for sequences of tokens [sequence, position]: [sequence, position, token]."""
        logits: np.ndarray = self._squeeze(self._core.logits(_tokens(tokens)))
        return logits

    def attention(self, tokens: Any, layer: int = 0) -> np.ndarray:
        """Attention patterns of a layer for sequences of tokens: [sequence, head, query, key]."""
        patterns: np.ndarray = self._squeeze(self._core.attention(_tokens(tokens), layer))
        return patterns

    @property
    def observables(self) -> dict[str, str]:
        """What can be observed, with what it is."""
        about = json.loads(_core.observables_json(json.dumps(self.config, default=_plain), self._parts))
        return {one["address"]: one["help"] for one in about}

    def observe(self, address: str) -> np.ndarray:
        """What an observable shows now."""
        shown: np.ndarray = self._squeeze(self._core.observe(address))
        return shown

    def snapshot(self) -> list[Any]:
        """All that changes during training, to be restored later; can be pickled."""
        return [self._core.snapshot(i) for i in range(len(self))]

    def restore(self, snapshot: Sequence[Any]) -> None:
        """Goes back, or forth, to a snapshot of an ensemble of the same configuration; goes on bit for bit."""
        if len(snapshot) != len(self):
            raise UsageError(f"the snapshot is of {len(snapshot)} runs, the ensemble has {len(self)}")
        for i, one in enumerate(snapshot):
            self._core.restore(i, one)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} runs at step {self.step}>"


class Run(Ensemble):
    """One run: an ensemble of one seed, without the leading axis."""

    def __init__(self, config: Study | Mapping[str, Any], seed: Any = 1) -> None:
        super().__init__(config, [seed], threads=1)

    def _squeeze(self, values: np.ndarray) -> Any:
        return values[0]

    @property
    def seed(self) -> tuple[int, int]:
        return self.seeds[0]

    def __repr__(self) -> str:
        return f"<Run at step {self.step}>"


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise UsageError(f"{value!r} is no value of a setting")


def _tokens(tokens: Any) -> np.ndarray:
    import numpy as np

    given = np.asarray(tokens)
    if given.dtype.kind not in "iu":
        raise UsageError(f"tokens are of {given.dtype}", "tokens are whole numbers")
    if given.ndim != 2 or given.size == 0:
        raise UsageError(f"tokens have the shape {given.shape}", "give [sequence, position], at least one sequence")
    if given.max() > 2**31 - 1 or given.min() < 0:
        raise UsageError("a token is negative or too large")
    return np.ascontiguousarray(given, dtype=np.int32)
