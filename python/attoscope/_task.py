"""Tasks of one's own: sequences and answers from arrays, functions and generators."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _core
from ._arguments import whole
from ._parts import Part
from ._source import source_hash
from ._tokens import BlockStream, block, in_range, plain_array, tokens_of, weights_of
from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Task", "table", "task"]


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


class BlockRequest(NamedTuple):
    """Which sequences the engine asks for, and what they must be."""

    reader: int  # who asks: a run has one
    settings: str  # of the data, as JSON
    seed: int
    stream: int  # 0 is training
    number: int  # of the block within the stream
    rows: int
    context: int  # positions of a sequence
    asked: int  # of which so many have an answer


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

    def block(self, *request: Any) -> tuple[np.ndarray, np.ndarray]:
        """Called by the engine with what a `BlockRequest` holds."""
        return self._make(BlockRequest(*request))

    def _make(self, wanted: BlockRequest) -> tuple[np.ndarray, np.ndarray]:
        """Block `number` of a stream: tokens [rows, context], answers [rows, asked], whole numbers."""
        import numpy as np

        # Keyed by all that names a block. SFC64 is the fastest of NumPy's generators, and most of a task is drawing.
        key = np.random.SeedSequence(wanted.seed, spawn_key=(wanted.stream, wanted.number))
        made = self._function(np.random.Generator(np.random.SFC64(key)), wanted.rows, **self._chosen(wanted))
        return block(made, wanted.rows, wanted.context, wanted.asked)

    def _chosen(self, wanted: BlockRequest) -> dict[str, Any]:
        """The settings of the data that the function asks for."""
        return {name: _settings(wanted.settings)[name] for name in self._wanted}

    def refuse(self, tokens: np.ndarray, answers: np.ndarray, vocab: int) -> None:
        """Says which number of a block is no token; the engine has seen that there is one."""
        in_range("tokens", tokens, vocab)
        in_range("answers", answers, vocab)

    def forget(self, reader: int) -> None:
        """A run has ended: it leaves nothing behind."""


class GeneratorTask(FunctionTask):
    """Sequences that a generator yields. It cannot give them twice, so its runs are never reused and never resumed."""

    repeatable = False

    def __init__(self, function: Any, name: str, version: str, settings: dict[str, Any]) -> None:
        self._shared = None if callable(function) else iter(function)
        super().__init__(function if callable(function) else _generator_of(function), name, version, settings)
        self._streams: dict[int, dict[tuple[int, int], BlockStream]] = {}

    def _make(self, wanted: BlockRequest) -> tuple[np.ndarray, np.ndarray]:
        """The next `rows` sequences of a run's stream."""
        streams = self._streams.setdefault(wanted.reader, {})
        key = wanted.seed, wanted.stream
        if key not in streams:
            blocks = self._shared or iter(self._function(**self._chosen(wanted)))
            streams[key] = BlockStream(blocks, self.name)
        return streams[key].take(wanted.number, wanted.rows, wanted.context, wanted.asked)

    def forget(self, reader: int) -> None:
        """A run has ended, and its generators with it."""
        self._streams.pop(reader, None)


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

    given = plain_array("tokens", tokens)
    if given.ndim != 2 or given.size == 0:
        raise UsageError(f"tokens have the shape {given.shape}", "give [sequence, position], at least one sequence")
    count, context = given.shape
    asked = plain_array("answers", answers)
    kinds = None if vocab is None else whole(vocab, "vocab", least=2)
    if kinds is None:
        kinds = 2
        for one in (given, asked):
            if one.dtype.kind in "iu" and one.size:
                kinds = max(kinds, int(one.max()) + 1)
    arrays = {"tokens": tokens_of("tokens", given, (count, context), kinds)}
    wanted = (count,) if asked.ndim == 1 else (count, asked.shape[1] if asked.ndim == 2 else 1)
    arrays["answers"] = tokens_of("answers", asked, wanted, kinds)
    settings: dict[str, Any] = {"vocab": kinds, "context": context}
    if asked.ndim == 2 and asked.shape[1] > context:
        raise UsageError(f"{asked.shape[1]} answers of {context} positions", "give an answer for each asked position")
    if asked.ndim == 2 and asked.shape[1] > 1:
        settings["targets"] = "every"
    if weights is not None:
        arrays["weights"] = weights_of(weights, count)
    if test is not None:
        marks = plain_array("test", test)
        if marks.dtype.kind != "b" or marks.shape != (count,):
            raise UsageError(f"test is {marks.dtype}{marks.shape}", f"give true or false for each of {count} sequences")
        arrays["test"] = marks
    plain = {key: np.ascontiguousarray(value, dtype=np.float64) for key, value in arrays.items()}
    return Arrays(name, plain, settings)


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
