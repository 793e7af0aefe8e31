# %% [markdown]
# # The theory beside the network
#
# Zucchet et al., [The emergence of sparse attention](https://arxiv.org/abs/2505.17863), reduce a network with one layer of
# attention scores to two variables: how far the weights have come, and how far the scores of the relevant token stand
# above the others. The gradient flow of these two predicts how long the network stays on its plateau: about √d T steps at
# learning rate 1, for sequences of T tokens of d features.
#
# How well does that describe a network that is trained on samples?
#
# To run it: `pip install 'attoscope[data,figures]'`.

# %% [markdown]
# ## What the theory expects
#
# `flow` is the time at which the loss of the gradient flow has fallen to a tenth of its start.

# %%
import attoscope
import numpy as np

LENGTHS, DIMENSION, THRESHOLD = [32, 64, 128, 256], 64, 0.1

expected = {length: attoscope.predict(length, DIMENSION, threshold=THRESHOLD) for length in LENGTHS}
for length, times in expected.items():
    print(f"T = {length:3}: {times['flow']:4.0f} steps at rate 1, where √d T is {DIMENSION**0.5 * length:4.0f}")

# %% [markdown]
# ## What networks do
#
# For each length, 16 networks trained by SGD on fresh samples that start where the flow starts, at W = 0
# (`init_scale` 0), and 16 that start at random weights, as in the paper (`init_scale` 1).

# %%
study = (
    attoscope.Study(
        "theory",
        data={"task": "regression", "dimension": DIMENSION},
        network={"form": "scores", "init": "normal"},
        training={"optimizer": "sgd", "rate": 1, "batch": 32, "steps": 6000, "stop_loss": 0.02},
    )
    .sweep({"data.context": LENGTHS, "network.init_scale": [0.0, 1.0]})
    .observe(["loss.expected", "attention.relevant"], every=10)
    .phenomenon("escape", "emergence", series="loss.expected", threshold=THRESHOLD, relative=True,
                interpolate=True)
    .figure("loss", "curves", observables="loss.expected", panels="network.init_scale")
)
result = study.run(seeds=16)
result.figure("loss")

# %% [markdown]
# ## Both, side by side
#
# The time of each run over the time that the flow predicts for its length.

# %%
escape = result.dataset["escape.step"]
predicted = np.array([expected[length]["flow"] for length in escape["data.context"].values])
ratio = escape / escape["data.context"].copy(data=predicted)
ratio.median("seed").to_pandas().round(3)

# %% [markdown]
# As claims, for the networks that start at W = 0 and for those that start at random. At each length the median of 16 runs
# should lie within a tenth of the prediction.

# %%
for start in (0.0, 1.0):
    for length in LENGTHS:
        times = ratio.sel({"network.init_scale": start, "data.context": length}).values
        verdict = attoscope.judge(times, region=[0.9, 1.1])
        print(f"start {start}, T = {length:3}: {verdict.verdict:12} {verdict.estimate:.3f} [{verdict.low:.3f}, {verdict.high:.3f}]")

# %% [markdown]
# From W = 0 the networks leave the plateau when the flow says, to half a percent. Two variables are enough there. From
# random weights, short sequences take longer than predicted. For longer ones the median comes close, but the start
# spreads the times so far that 16 seeds do not decide it.
#
# The study [`sgd-follows-flow`](../posts/emergence-of-sparse-attention.md) asks this at the published size, with more
# seeds.
