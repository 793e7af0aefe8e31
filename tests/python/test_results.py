"""Results in the forms of NumPy, xarray, Arrow and Vega-Lite."""

import json

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


def test_dataset_has_the_axes(small):
    pytest.importorskip("xarray")
    study = small.sweep({"network.width": [2, 3]})
    study._tree["observe"] = study._tree["observe"][:1]  # embeddings differ in shape
    data = study.run(progress=False).dataset
    assert data["loss"].dims == ("data.vocab", "network.width", "seed", "step")
    assert list(data["data.vocab"].values) == [4, 6]
    assert not np.isnan(data["loss"].values).any()


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


def test_report(result, tmp_path):
    result.report(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "The loss falls below 1" in text and "http" not in text.split("<body", 1)[0].replace("http-equiv", "")
