"""Claims judged on arrays from anywhere: the verdicts of studies, and what is refused."""

import math

import numpy as np
import pytest

import attoscope
from attoscope import Outcomes, errors

NEAR_HALF = [0.51, 0.49, 0.5, 0.52, 0.5, 0.51, 0.5, 0.49]


@pytest.fixture(scope="module")
def compared(small):
    """The small study with a claim of every statistic that arrays can be judged by."""
    four, six = {"data.vocab": 4}, {"data.vocab": 6}
    study = small.claim("median", "?", "fallen.step", where=four, region=[10, 40])
    study = study.claim("mean", "?", "perplexity", statistic="mean", where=four, below=5)
    study = study.claim("by", "?", "fallen.step", statistic="rate", by=40, where=four, region=[0.5, 1])
    study = study.claim("paired", "?", "perplexity", where=six, against=four, above=0)
    study = study.claim("apart", "?", "perplexity", where=six, against=four, paired=False, compare="ratio", above=1)
    study = study.claim("together", "?", "perplexity", statistic="correlation", **{"with": "loss"}, where=four, above=0)
    return study.seeds(10).run(progress=False)


def test_arrays_get_the_verdicts_of_a_study(compared):
    four = np.array([run["cell"] == 0 for run in compared.runs])

    def of(quantity, chosen):
        values, censored = compared.outcome(quantity)
        return Outcomes(values[chosen], censored[chosen])

    step, final = of("fallen.step", four), of("perplexity", four)
    found = {
        "falls": attoscope.judge(of("fallen.emerged", four), statistic="rate", region=[0.5, 1]),
        "median": attoscope.judge(step, region=[10, 40]),
        "mean": attoscope.judge(final, statistic="mean", below=5),
        "by": attoscope.judge(step, statistic="rate", by=40, region=[0.5, 1]),
        "paired": attoscope.judge(of("perplexity", ~four), against=final, paired=True, above=0),
        "apart": attoscope.judge(of("perplexity", ~four), against=final, compare="ratio", above=1),
        "together": attoscope.judge(final, with_=of("loss", four), statistic="correlation", above=0),
    }
    for claim, verdict in found.items():
        ours, theirs = verdict.to_dict(), compared.verdicts[claim].to_dict()
        for key in ("verdict", "estimate", "low", "high", "error", "reason", "reason_text", "seeds", "censored",
                    "missing", "paired", "region", "statistic", "anytime_low", "anytime_high"):  # fmt: skip
            assert ours[key] == theirs[key], (claim, key)


def test_the_three_verdicts():
    assert attoscope.judge(NEAR_HALF, region=[0.45, 0.55]).verdict == "supported"
    assert attoscope.judge(NEAR_HALF, above=0.6).verdict == "refuted"
    open_one = attoscope.judge(NEAR_HALF, above=0.5)
    assert open_one.verdict == "inconclusive" and open_one.reason_text
    assert attoscope.judge(NEAR_HALF[:5], region=[0, 1]).verdict == "inconclusive"  # too few


def test_missing_and_censored_runs_widen_the_interval():
    steps = np.array([100.0, 110, 120, 130, 140, 150, 160, 170])
    whole = attoscope.judge(steps, region=[0, 200])
    cut = attoscope.judge(steps, censored=steps >= 150, region=[0, 200])
    assert whole.verdict == "supported" and cut.verdict == "inconclusive"
    assert cut.high == math.inf and cut.censored == 3 and "ended first" in cut.reason_text
    holes = attoscope.judge(np.where(steps >= 150, np.nan, steps), region=[0, 200])
    assert holes.missing == 3 and holes.verdict == "inconclusive"
    masked = attoscope.judge(np.ma.masked_greater_equal(steps, 150), region=[0, 200])
    assert masked.to_dict() == holes.to_dict()


def test_a_verdict_shows_itself():
    verdict = attoscope.judge(NEAR_HALF, region=[0.45, 0.55], claim="half", statement="It is one half")
    assert repr(verdict) == "<Verdict half: supported, 0.5 [0.49, 0.52]>"
    assert "It is one half" in verdict._repr_html_() and "<table>" in verdict._repr_html_()
    assert verdict.statement == "It is one half" and verdict.seeds == 8


def test_curves_become_outcomes_become_a_verdict():
    steps = np.arange(0, 1000, 10)
    falls = np.arange(200, 1000, 50)[:, None]
    curves = np.where(steps < falls, 2.0, 0.1)
    curves[-1] = 2.0  # never falls
    curves[0, 60:] = np.nan  # ended early, after it fell
    found = attoscope.detect("emergence", curves, steps, threshold=0.5)
    assert found["step"].values[0] == 200 and found["step"].censored.tolist() == [False] * 15 + [True]
    assert found["emerged"].values.tolist() == [1] * 15 + [0]
    verdict = attoscope.judge(found["step"], below=900, quantity="step")
    assert verdict.verdict == "supported" and verdict.censored == 1
    one = attoscope.detect("emergence", curves[3], steps, threshold=0.5)
    assert one["step"]["value"] == found["step"].values[3]


def test_tables_of_pandas_are_taken():
    pandas = pytest.importorskip("pandas")
    rows = [(f"run{run}", step, 2.0 if step < 10 * run else 0.1) for run in range(1, 9) for step in range(0, 200, 10)]
    table = pandas.DataFrame(rows, columns=["run", "step", "loss"])
    table = table[(table.run != "run2") | (table.step <= 50)]  # ended early
    curves = table.pivot(index="run", columns="step", values="loss")
    found = attoscope.detect("emergence", curves, curves.columns, threshold=0.5)
    assert found["step"].values.tolist() == [10.0 * run for run in range(1, 9)]
    verdict = attoscope.judge(pandas.Series(found["step"].values), region=[0, 100])
    assert verdict.verdict == "supported" and verdict.estimate == 45


def test_runs_without_a_curve_are_missing():
    curves = np.array([[2.0, 0.1], [np.nan, np.nan]])
    found = attoscope.detect("emergence", {"loss": curves}, series="loss", threshold=0.5)
    assert found["step"].values[0] == 1 and np.isnan(found["step"].values[1])
    with pytest.raises(errors.UsageError, match="nothing but NaN"):
        attoscope.detect("emergence", curves[1:])
    with pytest.raises(errors.UsageError, match="nothing but NaN"):
        attoscope.detect("emergence", curves[1])
    with pytest.raises(errors.UsageError, match="different runs"):
        attoscope.detect("emergence", {"loss": curves, "accuracy": curves[0]})


@pytest.mark.parametrize(
    "values, message",
    [
        ([], "shape"), ([[1.0, 2.0]], "shape"), (3.0, "shape"), (["a", "b"], "<U1"), (None, "object"),
        (np.array([1, None], dtype=object), "object"), ([1.0, math.inf], "infinite"), ([1 + 2j], "complex"),
    ],
)  # fmt: skip
def test_bad_values_are_refused(values, message):
    with pytest.raises(errors.UsageError, match=message) as refused:
        attoscope.judge(values, above=0)
    assert refused.value.remedy


@pytest.mark.parametrize(
    "options, message",
    [
        ({}, "where the number should lie"), ({"region": [0, 1], "above": 0}, "where the number should lie"),
        ({"region": [1, 0]}, "empty"), ({"region": [0]}, "two numbers"), ({"region": "ab"}, "two numbers"),
        ({"region": [-math.inf, math.inf]}, "every number"), ({"region": [math.nan, 1]}, "not a number"),
        ({"above": 0, "censored": [True]}, "8 runs"), ({"above": 0, "censored": [1] * 8}, "int64"),
        ({"above": 0, "paired": True}, "two groups"), ({"above": 0, "against": NEAR_HALF[1:], "paired": True}, "paired"),
        ({"above": 0, "against": []}, "against"), ({"above": 0, "against": [1], "with_": [1]}, "another group"),
        ({"above": 0, "statistic": "rate"}, "1 or 0"), ({"above": 0, "by": 3}, "rate"),
        ({"above": 2, "statistic": "rate", "by": 1}, "between 0 and 1"), ({"above": 0, "margin": -1}, "margin"),
        ({"above": 0, "statistic": "correlation"}, "with_"), ({"above": 0, "with_": NEAR_HALF}, "one quantity"),
        ({"above": 0, "statistic": "fit"}, "law over the cells"),
    ],
)  # fmt: skip
def test_bad_claims_are_refused(options, message):
    with pytest.raises(errors.UsageError, match=message):
        attoscope.judge(NEAR_HALF, **options)


def test_unknown_words_name_the_nearest():
    with pytest.raises(errors.StudyError, match="did you mean 'median'"):
        attoscope.judge(NEAR_HALF, statistic="medain", above=0)
    with pytest.raises(errors.StudyError, match="did you mean 'ratio'"):
        attoscope.judge(NEAR_HALF, against=NEAR_HALF, compare="ration", above=0)


def test_censored_without_a_number_is_refused():
    with pytest.raises(errors.UsageError, match="has no number"):
        attoscope.judge([1.0, math.nan], censored=[False, True], above=0)
    with pytest.raises(errors.UsageError, match="already says"):
        attoscope.judge(Outcomes(np.ones(3), np.zeros(3, bool)), censored=[True] * 3, above=0)
