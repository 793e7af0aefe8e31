"""Parts of a study that workers import by name."""

import numpy as np

import attoscope


@attoscope.task(vocab=6, context=2)
def successor(rng, n, *, vocab, context):
    tokens = rng.integers(vocab, size=(n, context))
    return tokens, (tokens[:, -1] + 1) % vocab


@attoscope.observable
def norm(weights):
    return np.linalg.norm(weights["W_E"], axis=(1, 2))


@attoscope.detector(quantities={"last": float})
def last_norm(curve, run):
    return {"last": curve.values[-1]}
