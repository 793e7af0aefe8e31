"""What the tests of the Python package share. PYTHONPATH names the package that is tested (scripts/python.sh)."""

import signal

import pytest

import attoscope


@pytest.fixture(scope="session")
def small():
    """A study that trains in a moment: two vocabularies, six seeds, one claim."""
    return (
        attoscope.Study("small", data={"task": "copy", "vocab": 4, "context": 2}, training={"steps": 60, "batch": 64})
        .sweep({"data.vocab": [4, 6]})
        .observe(["loss", "perplexity"], every=10)
        .observe("embedding", at=[0, 60])
        .phenomenon("fallen", "emergence", series="loss", threshold=1.0)
        .claim("falls", "The loss falls below 1", "fallen.emerged", statistic="rate", region=[0.5, 1], where={"data.vocab": 4})
        .figure("loss", "curves", observables="loss")
        .seeds(6)
    )


@pytest.fixture(scope="session")
def result(small):
    return small.run(progress=False)


def pytest_configure(config):
    config.addinivalue_line("markers", "plain(why): left out where the module was built with sanitizers (make python-sanitize)")


# A shell that starts the tests in the background lets them ignore Ctrl-C; the processes that they start would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
