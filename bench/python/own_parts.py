"""What parts of one's own cost: a Python task against the built-in one, and an observable besides what NumPy takes.

    PYTHONPATH=build/python build/python-env/bin/python bench/python/own_parts.py

Prints the throughput of a copy task written in NumPy as a share of the built-in's (V = 100, d = 2, C = 4, batch 512).
Then the time that an observable in NumPy, every 50 steps, adds to a run and a measurement, without NumPy's own. Times
are the processor's and not the clock's, and rounds take turns, so that a busy machine matters less.
"""

from __future__ import annotations

import time

import numpy as np

import attoscope

ROUNDS, STEPS, SEEDS, RUNS = 5, 2000, 8, 64
SIZES = {"network.width": 2, "training.batch": 512, "training.steps": STEPS}


@attoscope.task(vocab=100, context=4)
def copied(rng, n, *, vocab, context):
    """The built-in task `copy`: the answer is the last token."""
    tokens = rng.integers(vocab, size=(n, context), dtype="int32")
    return tokens, tokens[:, -1]


def seconds_to_advance(data: object) -> float:
    """Of an ensemble on all cores."""
    ensemble = attoscope.Ensemble({"data": data, **SIZES}, seeds=SEEDS)
    ensemble.advance(10)
    start = time.process_time()
    ensemble.advance(STEPS - 10)
    return time.process_time() - start


def compare_tasks() -> None:
    built_in = {"task": "copy", "vocab": 100, "context": 4}
    best = [min(times) for times in zip(*((seconds_to_advance(built_in), seconds_to_advance(copied)) for _ in range(ROUNDS)))]
    per_step = [1e6 * seconds / (STEPS - 10) / SEEDS for seconds in best]
    print(f"built-in copy task   {per_step[0]:6.1f} µs a step")
    print(f"the same in NumPy    {per_step[1]:6.1f} µs a step, {best[0] / best[1]:.2f} x the throughput")


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


def weigh_observable() -> None:
    data = {"task": "copy", "vocab": 100, "context": 4}
    study = attoscope.Study("plain", data=data, training={"steps": STEPS, "batch": 16}).observe("loss", every=50)
    observed = study.observe(norms, every=50)
    measurements = RUNS * (STEPS // 50 + 1)
    extra, inside = [], []
    for _ in range(ROUNDS):
        plain = seconds_to_run(study)
        spent[0] = 0.0
        extra.append(seconds_to_run(observed) - plain - spent[0])
        inside.append(spent[0])
    print(f"NumPy observable     {1e6 * min(inside) / measurements:6.2f} µs a run and measurement in NumPy,"
          f" {1e6 * sorted(extra)[ROUNDS // 2] / measurements:.2f} µs besides (median of {ROUNDS})")


if __name__ == "__main__":
    compare_tasks()
    weigh_observable()
