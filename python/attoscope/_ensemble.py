"""Runs in the hand: train, look, change, go on."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import array, nearest, settings_text, table, text, whole
from ._keys import flat_keys
from ._parts import Part
from ._study import Study
from .errors import MissingError, UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Ensemble", "Run", "Weights"]

_MOST_RUNS = 10**6
_LARGEST_SEED = 10**15


def _config(config: Study | Mapping[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """The settings of a run, and the parts of one's own that they name."""
    if isinstance(config, Study):
        flat, parts = config.config(), list(config._parts.values())
    elif isinstance(config, str):
        raise UsageError(
            f"'{config}' is no configuration", f'attoscope.study("{config}") may have one; else give {{"data.vocab": 10}}'
        )
    else:
        flat, parts = flat_keys(config), [one for one in config.values() if isinstance(one, Part)]
    for key in flat:
        if key.startswith("seeds."):
            raise UsageError(f"'{key}' is no setting of a run in the hand", "Ensemble(config, seeds=[(init, data)])")
    return flat, parts


def _seed(seed: Any) -> tuple[int, int]:
    """A seed of the starting weights and one of the data; a lone one is both."""
    pair = tuple(seed) if isinstance(seed, (tuple, list)) else (seed, seed)
    if len(pair) != 2:
        raise UsageError(f"the seed {seed!r} has {len(pair)} parts", "a pair is (of the starting weights, of the data)")
    return whole(pair[0], "a seed", most=_LARGEST_SEED), whole(pair[1], "a seed", most=_LARGEST_SEED)


def _seeds(seeds: int | Iterable[Any]) -> list[tuple[int, int]]:
    """64 for the first 64 seeds, a list of seeds, or of pairs (of the starting weights, of the data)."""
    if isinstance(seeds, (str, bytes, Mapping)) or not isinstance(seeds, Iterable):
        seeds = range(1, whole(seeds, "seeds", least=1, most=_MOST_RUNS) + 1)
    pairs = [_seed(one) for one in itertools.islice(seeds, _MOST_RUNS + 1)]
    if not 1 <= len(pairs) <= _MOST_RUNS:
        raise UsageError("there are no seeds" if not pairs else "there are too many seeds", f"1 to {_MOST_RUNS} are allowed")
    return pairs


class Weights(Mapping[str, Any]):
    """Weight matrices by name, in TransformerLens' shapes, as read-only views of the memory that trains.

    ``weights["blocks.0.attn.W_Q"]`` has the shape [n_heads, d_model, d_head], in an ensemble with the runs in front.
    The numbers change as training goes on; ``.copy()`` keeps them.
    """

    def __init__(self, owner: Ensemble) -> None:
        self._owner = owner

    def __getitem__(self, name: str) -> np.ndarray:
        names = self._owner._matrices
        if text(name, "the name of a matrix") not in names:
            raise MissingError(f"there is no matrix '{name}'" + nearest(name, names), ", ".join(names))
        view: np.ndarray = self._owner._squeeze(self._owner._matrix(name))
        return view

    def __iter__(self) -> Iterator[str]:
        return iter(self._owner._matrices)

    def __len__(self) -> int:
        return len(self._owner._matrices)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

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

    Arrays have the runs in front. The run of seed 3 has the bits that the run of seed 3 of a study has.

    Arguments:
        config: settings such as {"data.vocab": 10}, or a study, whose settings outside of any sweep count.
        seeds: so many, a list of seeds, or of pairs (of the starting weights, of the data).
        threads: so many; all cores by default.

    >>> ensemble = Ensemble({"data.vocab": 4, "training.batch": 128}, seeds=8)
    >>> ensemble.advance(100)
    >>> ensemble.loss.shape
    (8,)
    """

    def __init__(
        self, config: Study | Mapping[str, Any], seeds: int | Iterable[Any] = 32, *, threads: int = 0
    ) -> None:
        flat, parts = _config(config)
        self._set_up(flat, parts, _seeds(seeds), whole(threads, "threads", most=2**15))

    def _set_up(self, config: dict[str, Any], parts: list[Part], seeds: list[tuple[int, int]], threads: int) -> None:
        self.config, self._parts, self.seeds, self._threads = config, parts, seeds, threads
        self._core: Any = _core.Runs(settings_text(config), seeds, threads, parts)
        about = json.loads(self._core.matrices_json())
        self._matrices: dict[str, tuple[int, int]] = {one["name"]: (one["rows"], one["columns"]) for one in about}
        self._heads = int(config.get("network.heads", 1))

    def _squeeze(self, values: np.ndarray) -> Any:
        return values

    def _matrix(self, name: str) -> np.ndarray:
        """[run, ...], in TransformerLens' shape."""
        return lens_view(name, self._core.weight(name), self._heads)

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def context(self) -> int:
        """Positions of a sequence."""
        return int(json.loads(self._core.sizes_json())["context"])

    @property
    def vocabulary(self) -> int:
        """Kinds of token, [BOS] included; of a task of vectors the features of an input."""
        return int(json.loads(self._core.sizes_json())["inputs"])

    @property
    def step(self) -> int:
        """Updates done so far."""
        return int(self._core.step)

    def advance(self, steps: int) -> None:
        """Trains every run for so many steps, without the GIL. Ctrl-C stops it; the next call makes up for the rest."""
        self._core.advance(whole(steps, "steps"))

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
        """Weight matrices by name, in TransformerLens' shapes, as read-only views of the memory that trains.

        The numbers change as training goes on; `.copy()` keeps them. `list(ensemble.weights)` has the names.

        >>> Ensemble({"data.vocab": 10}, seeds=64).weights["blocks.0.attn.W_Q"].shape
        (64, 1, 2, 2)
        """
        return Weights(self)

    def set_weights(self, weights: Mapping[str, Any], run: int | None = None) -> None:
        """Puts other numbers into matrices, in the shapes that `weights` shows; into one run, or into all.

        Arguments:
            weights: arrays by the names of matrices; all runs get the same, or each its own where the runs are in front.
            run: the only run to change; all by default.
        """
        import numpy as np

        runs = range(len(self)) if run is None else [whole(run, "run", most=len(self) - 1)]
        checked: dict[str, np.ndarray] = {}
        for name, given in table(weights, "weights", '{"W_E": array}').items():
            shape = self.weights[name].shape
            one = shape if isinstance(self, Run) else shape[1:]
            values = array(given, f"'{name}'", "fiu")
            if values.shape != one and (run is not None or values.shape != (len(self), *one)):
                raise UsageError(f"'{name}' has the shape {values.shape}", f"it is {one}")
            with np.errstate(over="ignore"):  # what is too large for single precision is told of below
                checked[name] = np.broadcast_to(values.astype(np.float32), (len(self), *one))
            if not np.isfinite(checked[name]).all():
                raise UsageError(f"'{name}' holds numbers that are not finite in single precision")
        for name, all_runs in checked.items():
            for i in runs:
                self._core.set_weight(i, name, _engine_order(name, all_runs[i], *self._matrices[name]))

    def gradient(self) -> dict[str, np.ndarray]:
        """The gradient of the present step's batch, by matrix, in the shapes of `weights`; copies."""
        return {
            name: self._squeeze(lens_view(name, self._core.gradient(name), self._heads)) for name in self._matrices
        }

    def logits(self, tokens: Any) -> np.ndarray:
        """Logits for sequences of tokens [sequence, position], at every position: [sequence, position, token].

        `context` and `vocabulary` say how long sequences are and which tokens there are.
        """
        logits: np.ndarray = self._squeeze(self._core.logits(_tokens(tokens)))
        return logits

    def attention(self, tokens: Any, layer: int = 0) -> np.ndarray:
        """Attention patterns of a layer for sequences of tokens: [sequence, head, query, key]."""
        patterns: np.ndarray = self._squeeze(self._core.attention(_tokens(tokens), whole(layer, "layer", most=2**31 - 1)))
        return patterns

    @property
    def observables(self) -> dict[str, str]:
        """What can be observed, with what it is."""
        about = json.loads(_core.observables_json(settings_text(self.config), self._parts))
        return {one["address"]: one["help"] for one in about}

    def observe(self, address: str) -> np.ndarray:
        """What an observable shows now; `observables` lists the addresses."""
        try:
            shown: np.ndarray = self._squeeze(self._core.observe(text(address, "the address")))
        except MissingError as error:
            raise MissingError(error.message + nearest(address, self.observables), error.remedy) from None
        return shown

    def to_torch(self, run: int = 0) -> Any:
        """A run as a plain `torch.nn.Module` with a copy of its weights (`attoscope/transformer.py`, short enough to
        read): tokens [sequence, position] to logits [sequence, position, token], the same as `logits` to 1e-4.

        Every network of attention is covered. Networks of free scores and gradient flows are not.

        >>> module = run.to_torch()  # doctest: +SKIP
        >>> module(torch.tensor([[1, 2, 3]])).shape  # doctest: +SKIP
        torch.Size([1, 3, 10])
        """
        from ._bridges import to_torch

        return to_torch(self, run)

    def state_dict(self, run: int = 0) -> dict[str, np.ndarray]:
        """Copies of a run's weights as NumPy arrays, under the names and in the shapes of the `state_dict()` of
        TransformerLens' `HookedTransformer`.

        What `HookedTransformer` always has and the run does not is filled in so that nothing changes: biases of 0,
        positions of 0, the transposed embedding where the unembedding is tied to it. Matrices that it has no name for
        keep the lab's.
        """
        from ._bridges import state_dict

        return state_dict(self, run)

    def lens_config(self) -> dict[str, Any]:
        """The arguments of TransformerLens' `HookedTransformerConfig` for this network.

        Raises UsageError where TransformerLens has no such network: one without residual connections, with another
        kernel than dot or another normalizer than softmax, with gates, QK norms, position biases, windows, strides, a
        stack of its own, heads whose keys are wider than their values, or harmonic logits.
        """
        from ._bridges import lens_config

        return lens_config(self)

    def to_lens(self, run: int = 0) -> Any:
        """A run as TransformerLens' `HookedTransformer`, or as its successor `TransformerBridge` where version 4 is
        installed, for hooks and caches.

        It takes what `lens_config` takes.

        >>> logits, cache = run.to_lens().run_with_cache(torch.tensor([[1, 2, 3]]))  # doctest: +SKIP
        >>> cache["pattern", 0].shape  # [sequence, head, query, key]  # doctest: +SKIP
        """
        from ._bridges import to_lens

        return to_lens(self, run)

    def snapshot(self) -> list[Any]:
        """All that changes during training, to be restored later; can be pickled.

        >>> ensemble = Ensemble({"data.vocab": 4, "training.batch": 128}, seeds=2)
        >>> before = ensemble.snapshot()
        >>> ensemble.advance(10)
        >>> ensemble.restore(before)
        >>> ensemble.step
        0
        """
        return [self._core.snapshot(i) for i in range(len(self))]

    def restore(self, snapshot: Sequence[Any]) -> None:
        """Goes back, or forth, to a snapshot of an ensemble of the same configuration; goes on bit for bit."""
        if not isinstance(snapshot, Sequence) or not all(isinstance(one, _core.Snapshot) for one in snapshot):
            raise UsageError(f"{type(snapshot).__name__} is no snapshot", "restore what snapshot() gave")
        self._core.restore(list(snapshot))

    def __reduce__(self) -> Any:
        """A copy is an ensemble of its own at the same step, which goes on with the same bits."""
        return _restored, (type(self), self.config, self._parts, self.seeds, self._threads, self.snapshot())

    def _where(self) -> str:
        return "in use by another thread" if self._core.busy else f"at step {self.step}"

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self)} runs {self._where()}>"


class Run(Ensemble):
    """One run: an ensemble of one seed, without the leading axis. It has all that `Ensemble` has.

    >>> run = Run({"data.vocab": 4, "data.context": 3, "training.batch": 128}, seed=7)
    >>> run.advance(100)
    >>> run.logits([[1, 2, 3]]).shape
    (1, 3, 4)
    """

    def __init__(self, config: Study | Mapping[str, Any], seed: Any = 1) -> None:
        super().__init__(config, [seed], threads=1)

    def _squeeze(self, values: np.ndarray) -> Any:
        return values[0]

    @property
    def seed(self) -> tuple[int, int]:
        """The seeds of its starting weights and of its data."""
        return self.seeds[0]

    def __repr__(self) -> str:
        return f"<Run {self._where()}>"


def _restored(
    kind: type[Ensemble], config: dict[str, Any], parts: list[Part], seeds: list[Any], threads: int, at: list[Any]
) -> Ensemble:
    """What was copied or unpickled: the same settings and seeds, at the same step."""
    new = kind.__new__(kind)
    new._set_up(config, parts, seeds, threads)
    new.restore(at)
    return new


def _tokens(tokens: Any) -> np.ndarray:
    import numpy as np

    given = array(tokens, "tokens", "iu")
    if given.ndim != 2 or given.size == 0:
        raise UsageError(f"tokens have the shape {given.shape}", "give [sequence, position], at least one sequence")
    if given.max() > 2**31 - 1 or given.min() < 0:
        raise UsageError("a token is negative or too large", "tokens are numbered from 0 on")
    return np.ascontiguousarray(given, dtype=np.int32)
