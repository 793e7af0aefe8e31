"""What parts of one's own cost: a Python task against the built-in one, and an observable besides what NumPy takes."""

from __future__ import annotations

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


def compare_tasks(rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """A copy task in NumPy against the built-in one: microseconds a step, and the throughput as a share."""
    built_in = {"task": "copy", "vocab": 100, "context": 4}
    turns = [(seconds_to_advance(built_in, clock), seconds_to_advance(copied, clock)) for _ in range(rounds)]
    native, python = (1e6 * min(times) / (STEPS - 10) / SEEDS for times in zip(*turns))
    return {"native_us": native, "python_us": python, "ratio": native / python}


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
