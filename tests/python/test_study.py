"""Studies from Python: the same keys, the same runs, the same bytes."""

import json
import pickle

import pytest

import attoscope
from attoscope import errors


def test_published_studies_round_trip():
    for name in attoscope.studies():
        study = attoscope.study(name)
        assert study.toml() == study.toml()
        written = study._changed().toml()  # not the file's own text
        again = attoscope.Study.from_toml(written, study._path)
        assert again == study, name
        assert again._changed().toml() == written, name


def test_a_written_study_has_the_same_runs():
    for name in ("sticky-plateau", "rank-collapse", "transformer-places"):
        study = attoscope.study(name)
        written = attoscope.Study.from_toml(study._changed().toml(), study._path)
        assert written.run_ids() == study.run_ids()


def test_python_and_toml_say_the_same(small):
    text = """
title = "small"
[data]
task = "copy"
vocab = 4
context = 2
[training]
steps = 60
batch = 64
[sweep.grid]
data.vocab = [4, 6]
[[observe]]
what = ["loss", "perplexity"]
every = 10
[[observe]]
what = ["embedding"]
at = [0, 60]
[seeds]
count = 6
"""
    assert small.run_ids() == attoscope.Study.from_toml(text).run_ids()


def test_methods_leave_the_study_alone(small):
    before = small.toml()
    small.set("network.width", 3).sweep({"data.context": [2, 3]}).seeds(9)
    assert small.toml() == before


def test_set_takes_every_spelling(small):
    widths = [small.set("network.width", 3), small.set({"network.width": 3}), small.set(network={"width": 3})]
    assert len({one.toml() for one in widths}) == 1
    assert widths[0].config()["network.width"] == 3


def test_set_removes_the_axis(small):
    assert json.loads(small.set("data.vocab", 4).check().cells_json())[0]["overrides"] == {}


def test_unknown_keys_name_the_nearest(small):
    with pytest.raises(KeyError, match="network.width"):
        small.set("network.widht", 3)
    with pytest.raises(errors.StudyError, match="did you mean"):
        attoscope.Study(data={"vocabb": 3})
    with pytest.raises(AttributeError, match="did you mean 'width'"):
        attoscope.keys.network.widht
    with pytest.raises(LookupError, match="sticky-plateau"):
        attoscope.study("stickyplateau")


def test_keys_are_described():
    key = attoscope.keys.network.width
    assert key.default == 2 and key.type == "int" and key.help
    assert "width" in dir(attoscope.keys.network)
    assert attoscope.keys["data.vocab"].name == "data.vocab"
    assert len(attoscope.keys) > 60


def test_a_key_stands_for_its_name():
    keys = attoscope.keys
    by_key = attoscope.Study("x").set(keys.network.width, 3).set({keys.training.steps: 10}).sweep({keys.data.vocab: [4, 6]})
    by_key = by_key.observe("loss").figure("f", "curves", observables="loss", where={keys.data.vocab: 4})
    by_name = attoscope.Study("x").set("network.width", 3).set({"training.steps": 10}).sweep({"data.vocab": [4, 6]})
    by_name = by_name.observe("loss").figure("f", "curves", observables="loss", where={"data.vocab": 4})
    assert by_key.toml() == by_name.toml() == pickle.loads(pickle.dumps(by_key)).toml()
    assert attoscope.Run({keys.data.vocab: 5}).vocabulary == 5
    assert "network.width" in keys._ipython_key_completions_()


def test_a_wrong_value_has_line_and_remedy(small):
    with pytest.raises(errors.StudyError, match=r"small\.toml:\d+:\d+"):
        small.set("data.vocab", 1).check()
    with pytest.raises(errors.StudyError):
        small.set("network.width", object()).toml()


def test_infinite_regions_survive():
    study = attoscope.Study("x").claim("a", "b", "c", region=[0, float("inf")])
    assert attoscope.Study.from_toml(study.toml()) == study
    assert "inf" in study.toml()


def test_saved_studies_are_read(small, tmp_path):
    path = tmp_path / "mine.toml"
    small.save(path)
    assert attoscope.study(str(path)).run_ids() == small.run_ids()


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(errors.MissingError, match="No such file"):
        attoscope.Study.read(tmp_path / "none.toml")


@pytest.mark.plain(why="it trains for minutes then what other tests train for a moment")
def test_readme_section_runs(tmp_path, monkeypatch):
    """The first Python block of the README's section, as it stands there."""
    import pathlib
    import re

    root = pathlib.Path(__file__).resolve().parents[2]
    section = (root / "README.md").read_text(encoding="utf-8").split("## From Python", 1)[1]
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```\n+```\n(.*?)```", section, re.S)
    exec(code[1], found := {})
    assert repr(found["result"].verdicts) == code[2].rstrip("\n")  # what it says there is what comes out
    notebook = (root / "docs/notebooks/five-minutes-to-a-verdict.py").read_text(encoding="utf-8")
    assert code[1].split("result = ")[0] in notebook  # its second example is the first notebook


def test_names_that_no_study_has_are_refused_at_once(small):
    with pytest.raises(errors.UnknownKeyError, match="a study has no 'dat'; did you mean 'data'"):
        attoscope.Study("x", dat={"vocab": 10})
    with pytest.raises(errors.UnknownKeyError, match="did you mean 'summary'"):
        small.describe(sumary="short")
    with pytest.raises(errors.UnknownKeyError) as unknown:  # the program knows the same names
        attoscope.Study.from_toml("nothing = 1\n" + small.toml()).check()
    from attoscope import _study

    assert unknown.value.remedy == "the keys of the study are " + ", ".join(_study._TOP)


@pytest.mark.parametrize(
    ("method", "given", "wrong", "near"),
    [
        ("observe", ["accuracy"], {"evry": 10}, "every"),
        ("phenomenon", ["solved", "emergence"], {"series": "loss", "treshold": 0.5}, "threshold"),
        ("fit", ["law", "fallen.step", {"vocab": "data.vocab"}], {"wher": {"data.vocab": 4}}, "where"),
        ("claim", ["c", "It falls", "fallen.step"], {"abov": 1}, "above"),
        ("claim", ["c", "It falls", "fallen.step"], {"above": 0, "compare": "ratio", "agianst": {"data.vocab": 6}}, "against"),
        ("figure", ["mine", "curves"], {"observabels": "loss"}, "observables"),
        ("seeds", [4], {"most": 8, "untill": "decided"}, "until"),
        ("multiverse", [{"training.batch": [32, 64]}, ["falls"]], {"sedes": 8}, "seeds"),
        ("profile", ["full"], {"sedes": 8}, "seeds"),
    ],
)
def test_unknown_arguments_name_the_nearest(small, method, given, wrong, near):
    changed = getattr(small, method)(*given, **wrong)
    (unknown,) = [name for name in wrong if name not in ("series", "above", "compare", "most")]
    with pytest.raises(errors.UnknownKeyError, match=f"unknown key '{unknown}' in .*; did you mean '{near}'"):
        changed.check()


def test_functions_name_the_argument_that_they_do_not_have(small, tmp_path):
    attoscope.Store(tmp_path / "runs.db").close()
    with pytest.raises(TypeError, match=r"Study.run_ids\(\) got an unexpected keyword argument 'seed'"):
        small.run_ids(seed=3)
    with pytest.raises(TypeError, match=r"Study.load\(\) got an unexpected keyword argument 'seed'"):
        small.load(tmp_path / "runs.db", seed=3)
    assert len(small.run_ids(seeds=3)) == 6


def test_a_study_that_observes_nothing_says_how():
    with pytest.raises(errors.StudyError, match="observes nothing") as empty:
        attoscope.Study("empty").run()
    assert empty.value.remedy == 'say what to measure: study.observe("perplexity")'


def test_a_key_without_its_table(small):
    with pytest.raises(errors.UnknownKeyError, match="did you mean 'network.width'"):
        small.set(width=3)
    with pytest.raises(errors.UsageError, match=r"'network.width' is given no value\n  → set\(\"network.width\", value\)"):
        small.set("network.width")


def test_a_study_shows_itself_in_brief(small):
    page = small._repr_html_()
    assert page.startswith("<b>small</b><details><summary>small.toml</summary><pre>title") and "<details open" not in page

