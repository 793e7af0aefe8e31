"""Claims judged on numbers from anywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._arguments import array
from ._result import Verdict
from .errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Outcomes", "judge"]


class Outcomes(NamedTuple):
    """One number a run: `values`, NaN where a run has none, and `censored`, true where the run ended before the number
    was reached, so that the truth lies above it.

    `result.outcome(...)` and `detect(...)` give such a pair, and `judge` takes it. It unpacks like any pair.
    """

    values: np.ndarray
    censored: np.ndarray


def judge(
    values: Any,
    *,
    statistic: str = "median",
    region: Sequence[float] | None = None,
    above: float | None = None,
    below: float | None = None,
    censored: Any = None,
    against: Any = None,
    paired: bool = False,
    compare: str = "difference",
    with_: Any = None,
    within: float = 0.1,
    by: float | None = None,
    margin: float | None = None,
    statement: str = "",
    claim: str = "claim",
    quantity: str = "value",
) -> Verdict:
    """The verdict on a claim about numbers from anywhere: one's own training, a table of somebody else's runs.

    It is the verdict that a study with these runs would get, from the same judge: supported where the whole 95 %
    interval lies in the region, refuted where it lies outside, else inconclusive with the reason. Fix the region before
    you look at the numbers.

    Arguments:
        values: one number a run, or `Outcomes`. NaN is a run without the number; it widens the interval.
        statistic: "median", "mean", "rate" (of 0 and 1, or with `by`), "correlation" or "coincidence" (with `with_`).
        region: [low, high], with both ends inside; -inf and inf leave a side open.
        above, below: instead of `region`, ends that are not inside themselves.
        censored: true where the run ended first and the truth lies above its value.
        against: the numbers of a second group. The claim is then about the first compared with the second.
        paired: the i-th runs of both groups share their seed, and are compared one by one.
        compare: "difference" or "ratio" of the two groups.
        with_: a second number of the same runs, for a correlation or a coincidence.
        within: a coincidence: the later step is at most 1 + this times the earlier.
        by: a rate of steps: the share of runs in which it came by this step.
        margin: so near to an end of the region that it makes no difference.
        statement, claim, quantity: how the verdict calls the claim and the number.

    Raises UsageError (a ValueError) for arrays that are empty, of objects or texts, infinite or of different lengths,
    and for regions that hold nothing or everything; StudyError (a ValueError) for an unknown statistic.

    >>> judge([0.51, 0.49, 0.5, 0.52, 0.5, 0.51, 0.5, 0.49], region=[0.45, 0.55]).verdict
    'supported'
    """
    if (region is None) == (above is None and below is None):
        raise UsageError("say where the number should lie", "give either region, or above and below")
    low, high = _ends(region) if region is not None else (_end(above, -math.inf), _end(below, math.inf))
    if against is not None and with_ is not None:
        raise UsageError("against is another group, with_ another number of the same runs", "give one of them")
    if censored is not None and isinstance(values, Outcomes):
        raise UsageError("`values` already says what is censored", "leave censored out")
    first = _outcomes("values", values, censored)
    other = against if against is not None else with_
    role = "against" if against is not None else "with" if with_ is not None else ""
    second = _outcomes(role, other) if role else None
    if second is not None and (paired or role == "with") and len(second.values) != len(first.values):
        raise UsageError(
            f"{len(first.values)} and {len(second.values)} runs cannot be paired", "both need a value, or NaN, a seed"
        )
    if paired and role != "against":
        raise UsageError("paired says how two groups belong together", "give the second one as against")
    if statistic == "rate" and by is None:
        for one in filter(None, (first, second)):
            _only_yes_or_no(one)
    about = {
        "claim": claim, "statement": statement, "quantity": quantity, "statistic": statistic, "compare": compare,
        "low": _json(low), "high": _json(high), "low_open": above is not None, "high_open": below is not None,
        "within": float(within), "by": None if by is None else _json(by),
        "margin": None if margin is None else _json(margin),
    }  # fmt: skip
    others, others_censored = second if second is not None else (None, None)
    judged = _core.judge(json.dumps(about), first.values, first.censored, others, others_censored, role, paired)
    return Verdict(json.loads(judged))


def _end(end: float | None, open_end: float) -> float:
    return open_end if end is None else float(end)


def _ends(region: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in region)
    except (TypeError, ValueError):
        raise UsageError(f"region is {region!r}", "it is two numbers, [low, high]; inf leaves a side open") from None
    return low, high


def _json(number: float) -> Any:
    if math.isnan(number):
        raise UsageError("an end of the region, by or margin is not a number")
    return float(number) if math.isfinite(number) else str(float(number))


def _outcomes(name: str, given: Any, censored: Any = None) -> Outcomes:
    """What a caller gave, checked, as the arrays that the judge takes."""
    import numpy as np

    if isinstance(given, Outcomes):
        given, censored = given
    if np.ma.isMaskedArray(given):
        given = np.ma.filled(given.astype(float), np.nan)
    values = array(given, f"`{name}`", "fiub")
    if values.ndim != 1 or values.size == 0:
        raise UsageError(f"`{name}` has the shape {values.shape}", "give one number a run, and at least one run")
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    if np.isinf(numbers).any():
        raise UsageError(f"`{name}` holds infinite numbers", "give what a run that ended first reached, as censored")
    flags = np.zeros(len(numbers), dtype=bool) if censored is None else np.asarray(censored)
    if flags.dtype != np.bool_ or flags.shape != numbers.shape:
        raise UsageError(
            f"censored is {flags.dtype}{flags.shape}", f"it is true or false for each of the {len(numbers)} runs"
        )
    if (flags & np.isnan(numbers)).any():
        raise UsageError("a run is censored, but has no number", "give the step at which it ended")
    return Outcomes(numbers, np.ascontiguousarray(flags))


def _only_yes_or_no(outcomes: Outcomes) -> None:
    import numpy as np

    known = outcomes.values[~np.isnan(outcomes.values)]
    if not np.isin(known, (0, 1)).all():
        raise UsageError(
            "a rate is of runs that show something or do not, 1 or 0", "compare first: values > 0.5; or say by="
        )
