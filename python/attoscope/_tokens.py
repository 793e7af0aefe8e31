"""What sequences of one's own must be: whole numbers of the right shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np


def pair(made: Any) -> tuple[Any, Any]:
    if not isinstance(made, (tuple, list)) or len(made) != 2:
        raise UsageError(f"a block of type {type(made).__name__}", "give two arrays: return tokens, answers")
    return made[0], made[1]


def block(made: Any, rows: int, context: int, asked: int) -> tuple[np.ndarray, np.ndarray]:
    """What a function made, as whole numbers of the right shapes. The engine looks whether they are tokens."""
    given, asked_for = pair(made)
    tokens, answers = numbers("tokens", given, (rows, context)), plain_array("answers", asked_for)
    if asked == 1 and answers.ndim == 1:
        return tokens, numbers("answers", answers, (rows,)).reshape(rows, 1)
    return tokens, numbers("answers", answers, (rows, asked))


def plain_array(what: str, given: Any) -> np.ndarray:
    """Whatever is given as an array; lists of different lengths are none."""
    import numpy as np

    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{what} are no array: {error}", "give lists of equal lengths, or an array") from None


def numbers(what: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers of this shape, in the bytes of this machine."""
    values = plain_array(what, given)
    if values.dtype.kind not in "iu":
        raise UsageError(f"{what} are of {values.dtype}", "they are whole numbers: .astype(int)")
    if values.shape != shape:
        raise UsageError(f"{what} have the shape {values.shape}", f"it should be {shape}")
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def in_range(what: str, values: np.ndarray, vocab: int) -> None:
    if values.size and (values.min() < 0 or values.max() >= vocab):
        wrong = values.min() if values.min() < 0 else values.max()
        raise UsageError(f"{what} hold {wrong}", f"tokens are whole numbers from 0 to vocab - 1 = {vocab - 1}")


def tokens_of(what: str, given: Any, shape: tuple[int, ...], vocab: int) -> np.ndarray:
    """Whole numbers of this shape, each of them a token."""
    values = numbers(what, given, shape)
    in_range(what, values, vocab)
    return values


def weights_of(weights: Any, count: int) -> np.ndarray:
    import numpy as np

    values = plain_array("weights", weights)
    if values.dtype.kind not in "fiu" or values.shape != (count,):
        raise UsageError(f"weights are {values.dtype}{values.shape}", f"give a number for each of {count} sequences")
    if not np.isfinite(values).all() or (values < 0).any():
        raise UsageError("a weight is negative or not finite", "give 0 or more")
    return values


class BlockStream:
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
            length = len(pair(made)[0]) if np.ndim(pair(made)[0]) else 0
            if length == 0:
                raise UsageError(f"the generator '{self._name}' has yielded no sequence", "yield tokens [n, positions]")
            self._left.append(block(made, length, context, asked))
        tokens = np.concatenate([one for one, _ in self._left])
        answers = np.concatenate([one for _, one in self._left])
        self._left = [(tokens[rows:], answers[rows:])]
        return tokens[:rows], answers[:rows]
