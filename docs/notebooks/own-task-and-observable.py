# %% [markdown]
# # Your own task and observable
#
# **The question.** A tiny attention network learns to add two numbers modulo ten. People who studied modular addition
# found that embeddings end up on circles: the sums of a Fourier series. Does that also show in a network of width 4,
# while it learns?
#
# We need a task, a number that says how circular an embedding is, and a claim that is fixed before we look.

# %%
import numpy as np

import attoscope

# %% [markdown]
# ## The task
#
# A function makes `n` sequences and their answers. It is called for large blocks ahead of need. `rng` is keyed by the
# data seed and the block, so the same seed gives the same data on any number of threads, and after an interruption.
# Keyword-only parameters are settings of the data.


# %%
@attoscope.task(vocab=10, context=2)
def addition(rng, n, *, vocab):
    tokens = rng.integers(vocab, size=(n, 2))
    return tokens, tokens.sum(axis=1) % vocab


addition(np.random.default_rng(0), 3, vocab=10)

# %% [markdown]
# ## The observable
#
# How much of the embedding's variance lies in its strongest frequency over the tokens? The function sees the weights of
# many seeds at once, under the names of TransformerLens; the first axis is the seed.


# %%
@attoscope.observable
def circularity(weights):
    embedding = weights["W_E"] - weights["W_E"].mean(axis=1, keepdims=True)
    power = (np.abs(np.fft.rfft(embedding, axis=1)[:, 1:]) ** 2).sum(axis=2)
    return power.max(axis=1) / power.sum(axis=1)


# %% [markdown]
# Try it on an ensemble first: a few seeds in the hand.

# %%
ensemble = attoscope.Ensemble({"data": addition, "network.width": 4, "training.batch": 128}, seeds=4)
before = circularity(ensemble.weights)
ensemble.advance(1500)
before.round(2), circularity(ensemble.weights).round(2)

# %% [markdown]
# ## The detector
#
# When does the network begin to be circular? The first step at which the observable is 0.2 above its start. A run that
# ends before has not shown it: its step is censored.


# %%
@attoscope.detector(quantities={"step": float, "present": bool})
def circle_begins(curve, run):
    risen = curve.steps[curve.values > curve.values[0] + 0.2]
    if len(risen) == 0:
        return {"step": attoscope.Censored(run.steps_done), "present": False}
    return {"step": risen[0], "present": True}


# %% [markdown]
# ## The study
#
# Two widths, sixteen seeds each, and a claim: in a network of width 4, most seeds become circular.

# %%
study = (
    attoscope.Study("circular-addition", data=addition, training={"steps": 1500, "batch": 128})
    .sweep({"network.width": [2, 4]})
    .observe(["loss", "accuracy"], every=50)
    .observe(circularity, every=50)
    .phenomenon("circle", circle_begins, series="circularity")
    .claim(
        "most-are-circular",
        "At width 4, most networks become circular while they learn",
        "circle.present",
        statistic="rate",
        where={"network.width": 4},
        above=0.5,
    )
    .figure("circularity", "curves", observables="circularity")
    .seeds(16)
)
result = study.run(progress=False)
result.verdicts

# %% [markdown]
# ## What was measured
#
# The observable is a series like any other: in arrays, in the dataset, in figures.

# %%
steps, values = result.series("circularity")
width = np.array([result.cells[run["cell"]]["overrides"]["network.width"] for run in result.runs])
for one in (2, 4):
    print(f"width {one}: {np.median(values[width == one, 0]):.2f} at first, {np.median(values[width == one, -1]):.2f} at last")

# %%
result.figure("circularity")

# %% [markdown]
# The verdict is about this task, these sizes and these steps. Change one, and the runs get other ids; change nothing,
# and the store has them. The functions are part of the ids, too: the hash of their source is in the study's text.

# %%
print(study.toml()[:220])
