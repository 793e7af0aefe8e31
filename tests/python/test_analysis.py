"""Theory, and detectors on curves from anywhere."""

import math

import numpy as np
import pytest

import attoscope
from attoscope import errors


def test_prediction():
    found = attoscope.predict(length=512, dimension=64)
    assert math.isclose(found["growth_rate"], 1 / (8 * 512), rel_tol=1e-6)
    assert found["flow"] > 0 and found["closed_form"] > 0
    with pytest.raises(ValueError):
        attoscope.predict(length=0, dimension=4)


def test_detectors_take_any_curve():
    steps = np.arange(0, 3000, 10)
    curve = np.where(steps < 500, 4.6 - 0.7 * steps / 500, np.where(steps < 2000, 3.9, 0.1))
    found = attoscope.detect("emergence", curve, steps, threshold=0.5)
    assert found["step"]["value"] == 2000
    assert not found["step"]["censored"]


def test_detectors_are_described():
    assert "level" in attoscope.detectors()["plateau"]["quantities"]
    assert "curves" in attoscope.figure_kinds()


@pytest.mark.parametrize("curve", [[], [[[1.0]]], [[]], ["a"], None])
def test_bad_curves_are_refused(curve):
    with pytest.raises(errors.UsageError):
        attoscope.detect("emergence", curve)


def test_bad_steps_and_detectors_are_refused():
    with pytest.raises(errors.UsageError):
        attoscope.detect("emergence", [1.0, 2.0], steps=[1, 1])
    with pytest.raises(errors.UsageError):
        attoscope.detect("emergence", [1.0, 2.0], steps=[1, 2, 3])
    with pytest.raises(errors.StudyError, match="emergence"):
        attoscope.detect("emergense", [1.0, 2.0])


def test_a_detector_of_ones_own_has_no_settings():
    @attoscope.detector(quantities={"last": float})
    def last(curve, run):
        return {"last": curve.values[-1]}

    assert attoscope.detect(last, [2.0, 1.0])["last"]["value"] == 1.0
    with pytest.raises(errors.UnknownKeyError, match="'last' has no setting 'threshold'\n  → a detector of one's own has none"):
        attoscope.detect(last, [2.0, 1.0], threshold=0.5)


def test_unknown_settings_of_a_detector_name_the_nearest():
    with pytest.raises(errors.UnknownKeyError, match="'emergence' has no setting 'treshold'; did you mean 'threshold'") as unknown:
        attoscope.detect("emergence", [2.0, 1.0], treshold=0.5)
    assert unknown.value.remedy.startswith("its settings are series, threshold, direction")
    with pytest.raises(errors.AttoError, match="no detector '3'|detector is 3"):
        attoscope.detect(3, [2.0, 1.0])
