"""Attoscope: a laboratory for watching attention emerge.

>>> import attoscope
>>> study = attoscope.study("sticky-plateau")
>>> result = study.run(seeds=16)  # doctest: +SKIP
>>> result.verdicts  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, errors

if TYPE_CHECKING:
    from ._analysis import detect, detectors, figure_kinds, predict
    from ._detector import Censored, Curve, Detector, RunFacts, detector
    from ._ensemble import Ensemble, Run
    from ._figure import Figure
    from ._frame import Frame
    from ._judge import Outcomes, judge
    from ._keys import Key, keys
    from ._observable import Observable, observable
    from ._parts import Part
    from ._result import Failure, Result, Verdict, Verdicts
    from ._serve import Server, serve
    from ._store import Store
    from ._study import Study, studies, study
    from ._task import Task, table, task
    from ._watch import watch

__version__: str = _core.version
engine_revision: int = _core.engine_revision

# Loaded when first used, so that importing the package takes no time.
_PLACES = {
    "Censored": "_detector",
    "Curve": "_detector",
    "Detector": "_detector",
    "Ensemble": "_ensemble",
    "Failure": "_result",
    "Figure": "_figure",
    "Frame": "_frame",
    "Key": "_keys",
    "Observable": "_observable",
    "Outcomes": "_judge",
    "Part": "_parts",
    "Result": "_result",
    "Run": "_ensemble",
    "RunFacts": "_detector",
    "Server": "_serve",
    "Store": "_store",
    "Study": "_study",
    "Task": "_task",
    "Verdict": "_result",
    "Verdicts": "_result",
    "detect": "_analysis",
    "detector": "_detector",
    "detectors": "_analysis",
    "figure_kinds": "_analysis",
    "judge": "_judge",
    "keys": "_keys",
    "observable": "_observable",
    "predict": "_analysis",
    "serve": "_serve",
    "studies": "_study",
    "study": "_study",
    "table": "_task",
    "task": "_task",
    "watch": "_watch",
}

__all__ = ["__version__", "engine_revision", "errors", *_PLACES]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        import difflib

        near = difflib.get_close_matches(name, __all__, n=1)
        raise AttributeError(
            f"module 'attoscope' has no attribute '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
        )
    value = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
