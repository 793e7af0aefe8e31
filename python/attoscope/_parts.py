"""Parts of one's own: tasks, observables and detectors."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _core
from ._source import source_hash
from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Censored",
    "Curve",
    "Detector",
    "Observable",
    "Part",
    "RunFacts",
    "Task",
    "detector",
    "observable",
    "table",
    "task",
]


class Part:
    """Something that a study names and that is not in its file: known by name, version and the hash of its source."""

    kind = ""

    def __init__(self, name: str, version: str, hash: str) -> None:
        self.name = name
        self.version = version
        self.hash = hash

    def __repr__(self) -> str:
        version = f" {self.version}" if self.version else ""
        return f"<{type(self).__name__} {self.name}{version}, {self.hash[:8]}>"


def tell(error: BaseException) -> tuple[str, str]:
    """What went wrong in a part: in one line, and with its traceback below the calls of this package."""
    frames = error.__traceback__
    own = frames
    while own is not None and own.tb_frame.f_code.co_filename == __file__ and own.tb_next is not None:
        own = own.tb_next
    message = "".join(traceback.format_exception_only(type(error), error)).strip()
    return message, "".join(traceback.format_exception(type(error), error, own or frames))


class Task(Part):
    """Sequences and answers of one's own, to be used as the data of a study: ``Study(data=task)``."""

    #: Whether the same seed gives the same data again.
    repeatable = True

    def __init__(self, name: str, version: str, hash: str, settings: dict[str, Any]) -> None:
        super().__init__(name, version, hash)
        #: The keys of `[data]` that choose it.
        self.settings = settings


class Arrays(Task):
    """Sequences and answers that are given."""

    kind = "arrays"

    def __init__(self, name: str, arrays: dict[str, np.ndarray], settings: dict[str, Any]) -> None:
        described = "".join(f"{key}{value.shape}" for key, value in arrays.items()).encode()
        hash = _core.content_hash(described + b"".join(value.tobytes() for value in arrays.values()))
        file = {"task": "table", "file": f"python:{name}", "file_hash": hash}
        super().__init__(name, "", hash, {**file, **settings})
        self.arrays = arrays


class FunctionTask(Task):
    """Sequences that a function makes."""

    kind = "task"

    def __init__(self, function: Callable[..., Any], name: str, version: str, settings: dict[str, Any]) -> None:
        hash = source_hash(function, version)
        identity = {"task": "function", "function": name, "function_hash": hash}
        if version:
            identity["function_version"] = version
        super().__init__(name, version, hash, {**identity, **settings})
        self._function = function
        self._wanted = _wanted_settings(function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function(*arguments, **named)

    def block(
        self,
        reader: int,
        settings: str,
        seed: int,
        stream: int,
        number: int,
        rows: int,
        context: int,
        asked: int,
        vocab: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Block `number` of a stream: tokens [rows, context], answers [rows, asked], whole numbers."""
        import numpy as np

        # Keyed by all that names a block. SFC64 is the fastest of NumPy's generators, and most of a task is drawing.
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(stream, number))))
        made = self._function(rng, rows, **_chosen(settings, self._wanted))
        return _block(made, rows, context, asked)

    def refuse(self, tokens: np.ndarray, answers: np.ndarray, vocab: int) -> None:
        """Says which number of a block is no token; the engine has seen that there is one."""
        _in_range("tokens", tokens, vocab)
        _in_range("answers", answers, vocab)

    def forget(self, reader: int) -> None:
        """A run has ended: it leaves nothing behind."""


class GeneratorTask(FunctionTask):
    """Sequences that a generator yields. It cannot give them twice, so its runs are never reused and never resumed."""

    repeatable = False

    def __init__(self, function: Any, name: str, version: str, settings: dict[str, Any]) -> None:
        self._shared = None if callable(function) else iter(function)
        super().__init__(function if callable(function) else _generator_of(function), name, version, settings)
        self._streams: dict[int, dict[tuple[int, int], _Stream]] = {}

    def block(
        self,
        reader: int,
        settings: str,
        seed: int,
        stream: int,
        number: int,
        rows: int,
        context: int,
        asked: int,
        vocab: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next `rows` sequences of a run's stream."""
        streams = self._streams.setdefault(reader, {})
        if (seed, stream) not in streams:
            blocks = self._shared or iter(self._function(**_chosen(settings, self._wanted)))
            streams[seed, stream] = _Stream(blocks, self.name)
        return streams[seed, stream].take(number, rows, context, asked)

    def forget(self, reader: int) -> None:
        """A run has ended, and its generators with it."""
        self._streams.pop(reader, None)


class _Stream:
    """The blocks of a generator, cut anew into blocks of the size that the engine wants."""

    def __init__(self, blocks: Iterator[Any], name: str) -> None:
        self._blocks = blocks
        self._name = name
        self._next = 0
        self._left: list[tuple[np.ndarray, np.ndarray]] = []  # not yet taken

    def take(self, number: int, rows: int, context: int, asked: int) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np

        if number != self._next:
            raise UsageError(
                f"the generator '{self._name}' cannot go back to sequences that it has given",
                "take a task from a function (rng, n), which can",
            )
        self._next += 1
        while sum(len(tokens) for tokens, _ in self._left) < rows:
            try:
                made = next(self._blocks)
            except StopIteration:
                raise UsageError(
                    f"the generator '{self._name}' has ended before the training", "let it go on: while True: yield ..."
                ) from None
            length = len(_pair(made)[0]) if np.ndim(_pair(made)[0]) else 0
            self._left.append(_block(made, length, context, asked))
        tokens = np.concatenate([one for one, _ in self._left])
        answers = np.concatenate([one for _, one in self._left])
        self._left = [(tokens[rows:], answers[rows:])]
        return tokens[:rows], answers[:rows]


@overload
def task(
    function: Any, *, vocab: int, context: int, targets: str = ..., name: str | None = ..., version: str = ...
) -> Task: ...


@overload
def task(
    *, vocab: int, context: int, targets: str = ..., name: str | None = ..., version: str = ...
) -> Callable[[Any], Task]: ...


def task(
    function: Any = None,
    *,
    vocab: int,
    context: int,
    targets: str = "last",
    name: str | None = None,
    version: str = "",
) -> Any:
    """A task from a function ``(rng, n) -> tokens, answers``, or from a generator of such pairs; also a decorator.

    The function makes `n` sequences: tokens [n, context], and answers [n] at the last position, or [n, context] with
    ``targets="every"``. It is called for large blocks ahead of need. `rng` is a ``numpy.random.Generator`` keyed by the
    data seed and the number of the block, so threads, interruptions and resuming change nothing: the function must take
    all its chance from it. Settings of the data are given to keyword-only parameters of their name, as in
    ``def pairs(rng, n, *, vocab)``, and follow the sweep.

    A generator, a generator function or any other iterator of blocks (tokens, answers) of any length works too. Nobody
    can ask it for the same data twice: its runs are trained anew each time, and their record says so.

    >>> @task(vocab=10, context=2)
    ... def successor(rng, n, *, vocab):
    ...     tokens = rng.integers(vocab, size=(n, 2))
    ...     return tokens, (tokens[:, 1] + 1) % vocab
    """
    if function is None:
        return functools.partial(task, vocab=vocab, context=context, targets=targets, name=name, version=version)
    if not callable(function) and not hasattr(function, "__next__"):
        raise UsageError(f"{function!r} is neither a function nor a generator", "attoscope.table() takes arrays")
    settings = {"vocab": vocab, "context": context, **({"targets": targets} if targets != "last" else {})}
    called = name or getattr(function, "__name__", None)
    if not called or called == "<lambda>":
        raise UsageError("the task has no name", 'give it one: name="successor"')
    if inspect.isgeneratorfunction(function) or not callable(function):
        return GeneratorTask(function, called, version, settings)
    return FunctionTask(function, called, version, settings)


def table(
    tokens: Any,
    answers: Any,
    *,
    vocab: int | None = None,
    weights: Any = None,
    test: Any = None,
    name: str = "arrays",
) -> Task:
    """A task from arrays: tokens [n, positions], and answers [n] at the last position or [n, asked] at the last ones.

    `weights` says how much each sequence counts in training, `test` which ones are kept for testing (true or false).
    `vocab` is how many kinds of token there are; the largest decides unless it is given. The numbers themselves are
    part of the runs' ids.
    """
    import numpy as np

    given = np.asarray(tokens)
    if given.ndim != 2 or given.size == 0:
        raise UsageError(f"tokens have the shape {given.shape}", "give [sequence, position], at least one sequence")
    count, context = given.shape
    asked = np.asarray(answers)
    kinds = vocab
    if kinds is None:
        kinds = 2
        for one in (given, asked):
            if one.dtype.kind in "iu" and one.size:
                kinds = max(kinds, int(one.max()) + 1)
    arrays = {"tokens": _whole("tokens", given, (count, context), kinds)}
    wanted = (count,) if asked.ndim == 1 else (count, asked.shape[1] if asked.ndim == 2 else 1)
    arrays["answers"] = _whole("answers", asked, wanted, kinds)
    settings: dict[str, Any] = {"vocab": kinds, "context": context}
    if asked.ndim == 2 and asked.shape[1] > context:
        raise UsageError(f"{asked.shape[1]} answers of {context} positions", "give an answer for each asked position")
    if asked.ndim == 2 and asked.shape[1] > 1:
        settings["targets"] = "every"
    if weights is not None:
        arrays["weights"] = _weights(weights, count)
    if test is not None:
        marks = np.asarray(test)
        if marks.dtype.kind != "b" or marks.shape != (count,):
            raise UsageError(f"test is {marks.dtype}{marks.shape}", f"give true or false for each of {count} sequences")
        arrays["test"] = marks
    plain = {key: np.ascontiguousarray(value, dtype=np.float64) for key, value in arrays.items()}
    return Arrays(name, plain, settings)


def _weights(weights: Any, count: int) -> np.ndarray:
    import numpy as np

    values = np.asarray(weights)
    if values.dtype.kind not in "fiu" or values.shape != (count,):
        raise UsageError(f"weights are {values.dtype}{values.shape}", f"give a number for each of {count} sequences")
    if not np.isfinite(values).all() or (values < 0).any():
        raise UsageError("a weight is negative or not finite", "give 0 or more")
    return values


def _generator_of(iterator: Any) -> Any:
    """The function that a running generator came from, for its source."""
    function = getattr(iterator, "gi_code", None)
    return _Named(function.co_name if function is not None else type(iterator).__name__)


class _Named:
    """Something whose source cannot be told."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


def _wanted_settings(function: Any) -> list[str]:
    """Keyword-only parameters without a default: settings of the data that the function wants to know."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    known = {about["key"] for about in json.loads(_core.keys_json())}
    wanted = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    for one in wanted:
        if f"data.{one}" not in known:
            raise UsageError(
                f"the parameter '{one}' is no setting of the data", "keyword-only parameters are: vocab, context ..."
            )
    return wanted


@functools.lru_cache(maxsize=64)
def _settings(text: str) -> dict[str, Any]:
    return dict(json.loads(text))


def _chosen(settings: str, wanted: list[str]) -> dict[str, Any]:
    return {name: _settings(settings)[name] for name in wanted}


def _pair(made: Any) -> tuple[Any, Any]:
    if not isinstance(made, (tuple, list)) or len(made) != 2:
        raise UsageError(f"a block of type {type(made).__name__}", "give two arrays: return tokens, answers")
    return made[0], made[1]


def _block(made: Any, rows: int, context: int, asked: int) -> tuple[np.ndarray, np.ndarray]:
    """What a function made, as whole numbers of the right shapes. The engine looks whether they are tokens."""
    tokens, answers = _pair(made)
    tokens = _numbers("tokens", tokens, (rows, context))
    if asked == 1 and getattr(answers, "ndim", 2) == 1:
        return tokens, _numbers("answers", answers, (rows,)).reshape(rows, 1)
    return tokens, _numbers("answers", answers, (rows, asked))


def _numbers(what: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers of this shape, of 32 or 64 bits."""
    import numpy as np

    values = np.asarray(given)
    if values.dtype.kind not in "iu":
        raise UsageError(f"{what} are of {values.dtype}", "they are whole numbers: .astype(int)")
    if values.shape != shape:
        raise UsageError(f"{what} have the shape {values.shape}", f"it should be {shape}")
    return values if values.dtype in (np.int32, np.int64) else values.astype(np.int64)


def _in_range(what: str, values: np.ndarray, vocab: int) -> None:
    if values.size and (values.min() < 0 or values.max() >= vocab):
        wrong = values.min() if values.min() < 0 else values.max()
        raise UsageError(f"{what} hold {wrong}", f"tokens are whole numbers from 0 to vocab - 1 = {vocab - 1}")


def _whole(what: str, given: Any, shape: tuple[int, ...], vocab: int) -> np.ndarray:
    """Whole numbers of this shape, each of them a token."""
    values = _numbers(what, given, shape)
    _in_range(what, values, vocab)
    return values


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
    return Observable(function, _name_of(function, name), version, extents)


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
    return Detector(function, _name_of(function, name), version, quantities)


def _name_of(function: Any, name: str | None) -> str:
    if not callable(function):
        raise UsageError(f"{function!r} is no function", "give a function, or use it as a decorator")
    called = name or getattr(function, "__name__", None)
    if not called or called == "<lambda>":
        raise UsageError("the function has no name", 'give it one: name="rank"')
    return str(called)


def _takes_step(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters) >= 2
