"""Every key that a study file has can be said from Python, and means the same."""

import itertools
import json

import pytest

import attoscope
from attoscope import errors

EVERYTHING = '''
title = "All of it"
source = "nobody"
summary = "One of each."
origin = "figure"
scope = "scaled"
scale = ["network.width", "data.vocab"]
calibrated = "The rate was guessed."

[data]
task = "copy"
vocab = 6

[network]
positions = "learned"

[training]
steps = 40
batch = 32

[[observe]]
what = ["loss", "perplexity"]
every = 2

[[quantity]]
name = "excess"
is = "loss - best_loss"

[sweep.grid]
data.context = [2, 3]
[[sweep.zip]]
network.width = [2, 3, 4, 5]
training.rate = [1e-2, 2e-2, 3e-2, 4e-2]
[[sweep.cells]]
data.vocab = 5
[[sweep.cells]]
data.vocab = 6

[seeds]
count = 6
first = 3
vary = "init"
until = "decided"
most = 12
[[seeds.exceptions]]
where = { data.vocab = 5 }
count = 7

[[phenomenon]]
name = "solved"
detector = "emergence"
series = "loss"
threshold = 1.0

[[fit]]
name = "law"
quantity = "solved.step"
terms = { width = "network.width" }
expected = { width = -1.0 }
where = { data.context = 2, data.vocab = 5 }

[[claim]]
id = "sooner"
statement = "Width helps"
published = "twice"
origin = "published"
quantity = "solved.step"
statistic = "median"
where = { network.width = 3 }
against = { network.width = 2 }
than = { where = { network.width = 5 }, against = { network.width = 4 } }
compare = "difference"
given = "solved.emerged"
paired = true
margin = 0.1
headline = true
below = 0

[[claim]]
id = "early"
statement = "Most are early"
quantity = "solved.step"
statistic = "rate"
by = 30
pool = "cells"
region = [0.5, 1]

[[claim]]
id = "slope"
statement = "It goes down"
quantity = "law.exponent.width"
statistic = "fit"
above = -2

[[figure]]
name = "falls"
kind = "curves"
title = "It falls"
observables = "loss"
where = { data.context = 2 }

[multiverse]
claims = ["early"]
seeds = 8
[multiverse.choices]
training.batch = [32, 64]

[profile.full]
seeds = { count = 20 }
set = { training.steps = 80 }
scope = "recipe"
[profile.full.sweep.grid]
data.context = [2, 3]
data.vocab = [5, 6]
network.width = [2, 3, 4, 5]
'''


def everything():
    return (
        attoscope.Study(
            "study",
            data={"task": "copy", "vocab": 6},
            network={"positions": "learned"},
            training={"steps": 40, "batch": 32},
            title="All of it",
        )
        .describe(source="nobody", summary="One of each.", origin="figure", scope="scaled")
        .describe(scale=["network.width", "data.vocab"], calibrated="The rate was guessed.")
        .observe(["loss", "perplexity"], every=2)
        .quantity("excess", "loss - best_loss")
        .sweep(
            {"data.context": [2, 3]},
            zip={"network.width": [2, 3, 4, 5], "training.rate": [1e-2, 2e-2, 3e-2, 4e-2]},
            cells=[{"data": {"vocab": 5}}, {"data.vocab": 6}],
        )
        .seeds(6, first=3, vary="init", until="decided", most=12, exceptions=[{"where": {"data.vocab": 5}, "count": 7}])
        .phenomenon("solved", "emergence", series="loss", threshold=1.0)
        .fit("law", "solved.step", {"width": "network.width"}, expected={"width": -1.0}, where={"data.context": 2, "data.vocab": 5})
        .claim(
            "sooner", "Width helps", "solved.step", published="twice", origin="published", where={"network.width": 3},
            against={"network.width": 2}, than={"where": {"network.width": 5}, "against": {"network": {"width": 4}}},
            compare="difference", given="solved.emerged", paired=True, margin=0.1, headline=True, below=0,
        )
        .claim("early", "Most are early", "solved.step", statistic="rate", by=30, pool="cells", region=[0.5, 1])
        .claim("slope", "It goes down", "law.exponent.width", statistic="fit", above=-2)
        .figure("falls", "curves", title="It falls", observables="loss", where={"data.context": 2})
        .multiverse({"training.batch": [32, 64]}, ["early"], seeds=8)
        .profile(
            "full", seeds=20, set={"training.steps": 80}, scope="recipe",
            sweep={"grid": {"data.context": [2, 3], "data.vocab": [5, 6], "network.width": [2, 3, 4, 5]}},
        )
    )  # fmt: skip


def test_python_says_what_the_file_says():
    said, read = everything(), attoscope.Study.from_toml(EVERYTHING)
    assert said._tree == read._tree
    for profile in ("quick", "full"):
        assert said.run_ids(profile=profile) == read.run_ids(profile=profile)
    assert len(said.run_ids()) == 2 * 4 * (6 + 7)


def test_its_text_is_stable():
    text = everything().toml()
    again = attoscope.Study.from_toml(text)
    assert again == everything() and again._changed().toml() == text


def test_every_key_of_a_run_goes_there_and_back():
    for name, key in attoscope.keys.items():
        if name.startswith("seeds."):
            continue
        study = attoscope.Study().set(name, key.default)
        text = study.toml()
        again = attoscope.Study.from_toml(text)
        assert again == study and again._changed().toml() == text, name
        assert again.config() == {name: key.default}, name


def test_set_takes_the_key_out_of_every_sweep():
    fixed = everything().set("network.width", 3)
    tree = fixed._tree
    assert tree["sweep"]["zip"] == [{"training.rate": [1e-2, 2e-2, 3e-2, 4e-2]}]
    assert "width" not in str(tree["profile"]["full"]["sweep"])
    assert "exceptions" in tree["seeds"] and "exceptions" not in fixed.set("data.vocab", 6)._tree["seeds"]
    assert [one["id"] for one in tree["claim"]] == ["early", "slope"]  # the other compares widths
    assert "sweep" not in everything().set({"network.width": 3, "data.context": 2, "training.rate": 0.1, "data.vocab": 5})._tree


def test_set_drops_what_is_about_other_values(small):
    assert "claim" in small.set("data.vocab", 4)._tree
    other = small.set("data.vocab", 6)
    assert "claim" not in other._tree
    assert other.run(seeds=2, progress=False).complete


def test_the_same_axis_replaces_itself(small):
    assert small.sweep({"data.vocab": [5]})._tree["sweep"]["grid"] == {"data.vocab": [5]}
    zipped = small.sweep(zip={"network.width": [2, 3]}).sweep(zip=[{"training.batch": [16, 32]}])
    assert len(zipped._tree["sweep"]["zip"]) == 2
    with pytest.raises(errors.UsageError, match="empty"):
        small.sweep()


TURNS = {"data.vocab": [4, 5], "network.width": [2, 3], "data.context": [2, 3]}


def in_turns():
    """Axes of [data] and [network] that take turns, wherever a study has axes."""
    plain = attoscope.Study("turns", training={"steps": 5}).observe("loss", every=5)
    plain = plain.phenomenon("solved", "emergence", series="loss", threshold=1.0)
    plain = plain.claim("early", "Most are", "solved.emerged", statistic="rate", above=0.5)
    return {
        "grid": plain.sweep(TURNS),
        "zip": plain.sweep(zip=TURNS),
        "cells": plain.sweep(cells=[{key: values[i] for key, values in TURNS.items()} for i in range(2)]),
        "choices": plain.multiverse(TURNS, ["early"]),
        "profile": plain.profile("full", sweep={"grid": TURNS}),
    }


@pytest.mark.parametrize("where", ["grid", "zip", "cells", "choices", "profile"])
def test_axes_stay_in_their_order(where):
    said = in_turns()[where]
    lines = said.toml()
    assert lines.index("data.vocab") < lines.index("network.width") < lines.index("data.context")
    read = attoscope.Study.from_toml(lines, "turns.toml")
    assert read == said and read._changed().toml() == lines
    changed = read.set("training.steps", 6)
    for profile in ("quick", "full") if where == "profile" else ("quick",):
        ids = said.set("training.steps", 6).run_ids(profile=profile, seeds=1)
        assert changed.run_ids(profile=profile, seeds=1) == ids
    nested = attoscope.Study.from_toml(lines.replace("data.vocab", '"data.vocab"'), "turns.toml")
    assert nested == said and nested.run_ids(seeds=1) == said.run_ids(seeds=1)


def test_cells_come_in_the_order_of_the_axes():
    cells = json.loads(in_turns()["grid"].check().cells_json())
    assert [tuple(cell["overrides"][key] for key in TURNS) for cell in cells] == list(itertools.product(*TURNS.values()))


def test_an_axis_joins_those_of_a_study_however_they_are_spelt():
    study = attoscope.Study("x", sweep={"grid": {"data": {"vocab": [4, 5]}}}).sweep({"data.vocab": [6]}, network={"width": [2]}).observe("loss")
    assert study._tree["sweep"]["grid"] == {"data.vocab": [6], "network.width": [2]}
    assert len(study.run_ids(seeds=1)) == 1


def test_profiles_are_taken(small):
    study = small.profile("full", seeds=9, sweep={"cells": [{"data.vocab": 4}]})
    assert len(study.run_ids(profile="full")) == 9
    with pytest.raises(errors.StudyError, match="did you mean 'full'"):
        study.run_ids(profile="ful")
