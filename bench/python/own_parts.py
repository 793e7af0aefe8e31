"""What parts of one's own cost: a Python task against the built-in one, and an observable besides what NumPy takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import attoscope

STEPS, SEEDS, RUNS = 4000, 8, 64
SIZES = {"network.width": 2, "training.batch": 512, "training.steps": STEPS}


@attoscope.task(vocab=100, context=4)
def copied(rng, n, *, vocab, context):
    """The built-in task `copy`: the answer is the last token."""
    tokens = rng.integers(vocab, size=(n, context), dtype="int32")
    return tokens, tokens[:, -1]


def seconds_to_advance(data: object, clock: Callable[[], float]) -> float:
    """Of an ensemble on all cores."""
    ensemble = attoscope.Ensemble({"data": data, **SIZES}, seeds=SEEDS)
    ensemble.advance(10)
    start = clock()
    ensemble.advance(STEPS - 10)
    return clock() - start


def in_turns(rounds: int, ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float, float]:
    """Medians of the times of both, and of theirs over ours, turn by turn; each is first in every other turn."""
    pairs = []
    for turn in range(rounds):
        if turn % 2:
            pairs.append((ours(), theirs()))
        else:
            second = theirs()
            pairs.append((ours(), second))
    mine, other = zip(*pairs)
    return statistics.median(mine), statistics.median(other), statistics.median(b / a for a, b in pairs)


def compare_tasks(rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """A copy task in NumPy against the built-in one: microseconds a step, and the throughput as a share."""
    built_in = {"task": "copy", "vocab": 100, "context": 4}
    python, native, ratio = in_turns(
        rounds, lambda: seconds_to_advance(copied, clock), lambda: seconds_to_advance(built_in, clock)
    )
    micro = 1e6 / (STEPS - 10) / SEEDS
    return {"native_us": micro * native, "python_us": micro * python, "ratio": ratio}


spent = [0.0]  # seconds inside of the observable's function


@attoscope.observable(version="timed")
def norms(weights):
    """NumPy at work, timed from inside."""
    start = time.thread_time()
    values = np.sqrt((weights["W_E"] ** 2).sum(axis=(1, 2)))
    spent[0] += time.thread_time() - start
    return values


def seconds_to_run(study: attoscope.Study) -> float:
    """Of the thread that makes all calls; those that train only copy the weights, a fraction of a microsecond."""
    start = time.thread_time()
    study.run(progress=False, seeds=RUNS)
    return time.thread_time() - start


def weigh_observable(rounds: int) -> dict[str, float]:
    """Microseconds of a run and measurement, every 50 steps: inside of NumPy, and all that is added besides."""
    data = {"task": "copy", "vocab": 100, "context": 4}
    study = attoscope.Study("plain", data=data, training={"steps": STEPS, "batch": 16}).observe("loss", every=50)
    observed = study.observe(norms, every=50)
    measurements = RUNS * (STEPS // 50 + 1)
    extra, inside = [], []
    for _ in range(rounds):
        plain = seconds_to_run(study)
        spent[0] = 0.0
        extra.append(seconds_to_run(observed) - plain - spent[0])
        inside.append(spent[0])
    return {"numpy_us": 1e6 * min(inside) / measurements, "besides_us": 1e6 * sorted(extra)[rounds // 2] / measurements}
