"""The examples in docstrings do what they say."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["_analysis", "_ensemble", "_judge", "_study"])
def test_examples(module):
    found = doctest.testmod(importlib.import_module(f"attoscope.{module}"))
    assert found.attempted > 0 and found.failed == 0
