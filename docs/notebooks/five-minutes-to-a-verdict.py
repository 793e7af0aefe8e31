# %% [markdown]
# # Five minutes to a verdict
#
# A network with one attention head learns to repeat the last token of its input. On the way it may rest for a long time
# at a perplexity of half the vocabulary. Does that happen to most networks, or only to the one in the figure? And does a
# wider embedding help?
#
# Three steps: say what you expect, train many seeds, read the verdict.
#
# To run it: `pip install 'attoscope[data,figures]'`.

# %% [markdown]
# ## Say what you expect
#
# A claim is a statistic of many runs, and the region where it should lie. It is fixed before anything is trained.

# %%
import attoscope

study = (
    attoscope.Study("width", data={"task": "copy", "vocab": 10, "context": 4}, training={"steps": 3000})
    .sweep({"network.width": [2, 5]})
    .observe("perplexity", every=10)
    .phenomenon("plateau")
    .claim("narrow", "With width 2 most networks show a plateau", "plateau.present", statistic="rate",
           where={"network.width": 2}, above=0.5)
    .claim("wide", "With width 5 most networks show a plateau", "plateau.present", statistic="rate",
           where={"network.width": 5}, above=0.5)
    .figure("perplexity", "curves", observables="perplexity")
)

# %% [markdown]
# ## Train many seeds
#
# 64 networks, on all cores. Ctrl-C stops; what is there then is still a result.

# %%
result = study.run(seeds=32)
result

# %% [markdown]
# ## Read the verdict
#
# A claim is supported where its whole 95 % interval lies in the region, refuted where it lies outside, and else
# inconclusive.

# %%
result.verdicts

# %%
result.figure("perplexity")

# %% [markdown]
# So the plateau is real at width 2, and rare at width 5.
#
# ## Look closer
#
# Every number is there: one row a run, for pandas, polars or DuckDB, and an `xarray.Dataset` whose dimensions are the axes
# of the sweep, the seed and the step.

# %%
result.outcomes

# %%
level = result.dataset["plateau.level"]
print("Where there is a plateau, its median level is")
print(level.median("seed").to_series())

# %% [markdown]
# Half of the vocabulary is 5. That could be a claim, too. These runs have suggested it, so it needs runs of its own to be
# judged on. `judge` takes numbers from anywhere, here from seeds that the study above did not use.

# %%
fresh = study.seeds(32, first=1001).run()
level = fresh.dataset["plateau.level"].sel({"network.width": 2, "seed": fresh.dataset["plateau.present"][0] == 1})
attoscope.judge(level, region=[4.5, 5.8], statement="Where there is a plateau, it lies at half the vocabulary")
