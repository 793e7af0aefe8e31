"""Executors of other packages train what one process trains. PYTHONPATH names the package that is tested (make executors)."""

import pathlib
import sys

import pytest

import attoscope

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))  # parts that workers import


@pytest.fixture(scope="session")
def study():
    """A task, an observable and a detector of one's own, and one that no module has."""
    import numpy as np
    import own_module

    factor = 2.0

    @attoscope.observable
    def twice(weights):
        return factor * np.abs(weights["W_E"]).sum(axis=(1, 2))

    return (
        attoscope.Study("own", data=own_module.successor, training={"steps": 200, "batch": 64})
        .sweep({"network.width": [2, 3]})
        .observe("loss", every=10)
        .observe(own_module.norm, every=50)
        .observe(twice, every=50)
        .phenomenon("grown", own_module.last_norm, series="norm")
        .claim("grows", "It grows", "grown.last", above=0.1, where={"network.width": 2})
        .seeds(8)
    )


@pytest.fixture(scope="session")
def same(study):
    """Compares what an executor's workers trained with what this process trains, row for row."""
    expected = attoscope.Store()
    plain = study.run(store=expected, progress=False)

    def compare(executor, **options):
        store = attoscope.Store()
        result = study.run(store=store, executor=executor, progress=False, **options)
        assert result.complete and result.failures == []
        assert store.content_digest() == expected.content_digest()
        assert [one.to_dict() for one in result.verdicts] == [one.to_dict() for one in plain.verdicts]

    return compare


@pytest.fixture
def small_packs(monkeypatch):
    """Every run is a pack by itself."""
    from attoscope import _executor

    monkeypatch.setattr(_executor, "PACK_SECONDS", (0.0, 0.0))
