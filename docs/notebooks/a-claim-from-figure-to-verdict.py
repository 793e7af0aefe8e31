# %% [markdown]
# # A claim of a post, from figure to verdict
#
# The post [Sparse attention 1](https://KindXiaoming.github.io/blog/2026/sparse-attention-1/) by Ziming Liu trains one
# attention layer to output the current token. Every figure shows one run: the perplexity falls to half of the vocabulary,
# stays there for about 1,000 steps, and then the task is solved.
#
# This notebook goes from that figure to a verdict: one run, then many, then the published statements one by one.

# %%
import attoscope

study = attoscope.study("sticky-plateau")
print(study.title)
print(*(f"  {key} = {value}" for key, value in study.config().items()), sep="\n")

# %% [markdown]
# ## The figure, with one run
#
# This is what a reader of the post sees: one curve for each vocabulary.

# %%
one = study.run(seeds=1, until="count")
one.figure("perplexity")

# %% [markdown]
# One run supports nothing. The lab says so itself:

# %%
one.verdicts["S1.1-v10-level"].reason_text

# %% [markdown]
# ## The figure, with 32 runs
#
# The line is the median over the seeds, and the band holds the middle 80 % of them.

# %%
result = study.run(seeds=32, until="count")
result.figure("perplexity")

# %% [markdown]
# The median hides that the seeds split. Some solve the task, others still rest at V/2 when the run ends:

# %%
result.figure("final")

# %% [markdown]
# ## The statements next to the numbers
#
# Each statement was read off the post and given a region before anything was trained. On the left is what was published,
# on the right what 32 seeds say.

# %%
print(f"{'claim':17} {'published':41} {'found':>7}   verdict")
for verdict in result.verdicts:
    print(f"{verdict.claim:17} {verdict.published:41} {verdict.estimate:7.4g}   {verdict.verdict}")

# %% [markdown]
# The levels are as published. How long the plateau lasts, and whether most networks leave it, is open after 32 seeds.
# What is open says why, and how many more seeds would decide it:

# %%
for verdict in result.verdicts:
    if verdict.verdict == "inconclusive":
        print(f"{verdict.claim}: {verdict.reason_text}")

# %% [markdown]
# ## Does it depend on what the post does not say?
#
# The post does not state whether the read-out shares the embedding's weights. The lab took them to be tied. With a free
# read-out, is there still a plateau at V = 10?

# %%
free = study.set("network.unembedding", "free").run(seeds=32, until="count")
for recipe, runs in {"tied": result, "free": free}.items():
    print(recipe, runs.verdicts["S1.1-v10-present"])

# %% [markdown]
# With a free read-out a plateau is less common, and 32 seeds do not tell whether most networks have one. What the figure
# shows depends on something that its text does not say.
#
# `atto multiverse sticky-plateau` asks this in every recipe that the post leaves open, and
# [the page of the post](../posts/sparse-attention-1.md) has all claims with their final verdicts.
