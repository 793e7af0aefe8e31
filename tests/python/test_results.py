"""Results in the forms of NumPy, xarray, Arrow and Vega-Lite."""

import importlib.util
import json
import sys

import numpy as np
import pytest

from attoscope import errors


def test_series_are_stacked(result):
    steps, values = result.series("loss")
    assert steps.dtype == np.int64 and values.shape == (12, len(steps)) and values.dtype == np.float64
    assert steps[0] == 0 and steps[-1] == 60
    assert result.addresses["embedding"] == (4, 2) or "embedding" in result.addresses


def test_dataset(result, small):
    xarray = pytest.importorskip("xarray")
    only = small.set("data.vocab", 4).run(progress=False)
    data = only.dataset
    assert isinstance(data, xarray.Dataset)
    assert data["loss"].dims == ("seed", "step") and data["loss"].attrs["units"] == "nats"
    assert data["embedding"].shape[-2:] == (4, 2)
    assert data["fallen.emerged"].attrs["region_falls"] == [0.5, 1.0]


def test_shapes_that_differ_between_cells(result):
    pytest.importorskip("xarray")
    with pytest.raises(errors.StudyError, match="cell=0"):
        result.series("embedding")
    assert result.series("embedding", cell=1)[1].shape == (6, 2, 6, 2)
    with pytest.raises(errors.MissingError, match="cells are 0 to 1"):
        result.series("embedding", cell=2)
    embedding = result.dataset["embedding"]
    assert embedding.shape == (2, 6, 2, 6, 2)
    assert np.isnan(embedding.values[0, :, :, 4:]).all() and not np.isnan(embedding.values[1]).any()
    assert np.array_equal(embedding.values[0, :, :, :4], result.series("embedding", cell=0)[1])


def test_dataset_has_the_axes(small):
    pytest.importorskip("xarray")
    study = small.sweep({"network.width": [2, 3]})
    data = study.run(progress=False).dataset
    assert data["loss"].dims == ("data.vocab", "network.width", "seed", "step")
    assert list(data["data.vocab"].values) == [4, 6]
    assert not np.isnan(data["loss"].values).any()
    assert data["seed"].values.tolist() == [1, 2, 3, 4, 5, 6]  # the study's own numbers
    assert data["network.width"].attrs["long_name"].startswith("D, features")


def test_runs_stand_at_their_seeds(small):
    pytest.importorskip("xarray")
    some = small.seeds(3, first=5).run(progress=False)
    assert some.dataset["seed"].values.tolist() == [5, 6, 7]
    values = some.dataset["fallen.step"].sel(seed=6).values
    chosen = [run["seed"] == 6 for run in some.runs]
    assert values.tolist() == some.outcome("fallen.step").values[chosen].tolist()


def test_frame_is_read_by_others(result):
    frame = result.frame()
    assert frame.shape[0] == 12 and set(frame["data.vocab"]) == {4, 6}
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    assert list(frame.to_pandas()["data.vocab"]) == list(frame["data.vocab"])
    assert polars.DataFrame(frame)["seed"].to_list() == frame["seed"].tolist()
    assert polars.DataFrame(frame)["run"].to_list() == list(frame["run"])
    assert duckdb.sql("SELECT count(*), sum(\"data.vocab\") FROM frame").fetchall() == [(12, 60)]
    assert pandas is not None


def test_outcomes_show_themselves(result):
    plain, page = repr(result.outcomes), result.outcomes._repr_html_()
    assert plain.splitlines()[0].split()[:2] == ["data.vocab", "seed"] and len(plain.splitlines()) == 13
    assert page.count("<tr>") == 13 and ">fallen.step</th>" in page and "padding" in page
    many = type(result.outcomes)({"x": np.arange(25)})
    assert repr(many).endswith("5 more runs") and "5 more runs" in many._repr_html_()


def test_verdicts(result):
    verdict = result.verdicts["falls"]
    assert verdict.verdict in ("supported", "refuted", "inconclusive") and verdict.seeds > 0
    assert 0 <= verdict.low <= verdict.estimate <= verdict.high <= 1
    assert "falls" in repr(result.verdicts) and "<table>" in result.verdicts._repr_html_()
    with pytest.raises(LookupError):
        result.verdicts["none"]
    with pytest.raises(AttributeError, match="estimate"):
        verdict.nothing


def test_outcomes(result):
    values, censored = result.outcome("fallen.step")
    assert values.shape == censored.shape == (12,) and censored.dtype == bool
    with pytest.raises(errors.MissingError):
        result.outcome("fallen.stepp")


def test_figures(result, tmp_path):
    figure = result.figure("loss")
    bundle = figure._repr_mimebundle_()
    assert "application/vnd.vegalite.v5+json" in bundle
    pytest.importorskip("vl_convert")
    assert bundle["image/svg+xml"].startswith("<svg")  # for viewers that do not know Vega-Lite
    figure.save(tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").read_text().startswith("<svg")
    figure.save(tmp_path / "loss.json")
    assert json.loads((tmp_path / "loss.json").read_text())["$schema"]
    pytest.importorskip("altair")
    assert figure.to_altair().to_dict(validate=False)["$schema"]
    with pytest.raises(errors.UsageError):
        figure.save(tmp_path / "loss.bmp")
    with pytest.raises(errors.MissingError, match="no figure"):
        result.figure("nothing")


def test_figures_say_what_is_missing_where_no_picture_can_be_made(result, monkeypatch):
    """Colab does not draw Vega-Lite, and has no vl-convert."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "vl_convert" else found(name))
    figure = result.figure("loss")
    figure.title = "a < b"
    bundle = figure._repr_mimebundle_()
    assert "image/svg+xml" not in bundle and "application/vnd.vegalite.v5+json" in bundle
    assert "a &lt; b" in bundle["text/html"] and "pip install" in bundle["text/html"]


def test_report(result, tmp_path):
    result.report(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "The loss falls below 1" in text and "http" not in text.split("<body", 1)[0].replace("http-equiv", "")


def test_names_are_completed(result):
    from attoscope import Run

    for table, name in [(result.verdicts, "falls"), (result.frame(), "fallen.step"), (Run(result.study).weights, "W_E")]:
        assert name in table._ipython_key_completions_() and table[name] is not None


def test_what_is_not_installed_is_named(result, monkeypatch, tmp_path):
    for name in ("pandas", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(errors.MissingError, match=r"pip install 'attoscope\[data\]'"):
        result.frame().to_pandas()
    with pytest.raises(errors.MissingError, match=r"pip install 'attoscope\[figures\]'"):
        result.figure("loss").save(tmp_path / "loss.svg")
    with pytest.raises(errors.UsageError, match="does not end in"):
        result.figure("loss").save(tmp_path / "loss.gif")
    with pytest.raises(errors.MissingError, match="did you mean 'seed'"):
        result.frame()["sed"]

