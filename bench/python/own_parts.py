"""What parts of one's own cost: a Python task against the built-in one.

    PYTHONPATH=build/python build/python-env/bin/python bench/python/own_parts.py

Prints the throughput of a copy task written in NumPy as a share of the built-in's (V = 100, d = 2, C = 4, batch 512).
The best of several rounds counts, and rounds of both take turns, so that a busy machine slows both alike.
"""

from __future__ import annotations

import time

import attoscope

ROUNDS, STEPS, SEEDS = 5, 2000, 8
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


if __name__ == "__main__":
    compare_tasks()
