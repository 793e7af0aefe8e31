"""A study that trains while one watches, in a notebook cell. Needs anywidget, which is loaded when it is used."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from . import _arguments as arguments
from . import _core
from ._busy_kernel import WhileCellsRun
from ._study import Study
from .errors import StudyError, UsageError, in_python

__all__ = ["watch"]

_MODULE = pathlib.Path(__file__).with_name("_live_view.mjs")
_CLASS: Any = None


def _described(study: Study, options: dict[str, Any]) -> dict[str, Any]:
    """What the views need to know of the study: titles, cells, series."""
    answer: dict[str, Any] = json.loads(_core.ask(json.dumps({"ask": "study", "text": study.toml(), "options": options})))
    if "error" in answer:
        raise StudyError(in_python(answer["error"]["message"]), in_python(answer["error"].get("remedy") or ""))
    return answer


def _live_view() -> Any:
    """The widget's class, made when first used: anywidget is no dependency of the package."""
    global _CLASS
    if _CLASS is not None:
        return _CLASS
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise UsageError("live views need anywidget", 'pip install "attoscope[notebook]"') from error

    class LiveView(anywidget.AnyWidget):
        """Curves of all seeds with their median, and the embedding of one of them, while they train."""

        _esm = _MODULE
        study: Any = traitlets.Dict().tag(sync=True)
        runs: Any = traitlets.List().tag(sync=True)

        def __init__(self, session: Any, study: dict[str, Any]) -> None:
            self._session = session
            super().__init__(study=study, runs=json.loads(session.runs_json)["runs"])
            self._asked = False  # since the last look
            self._told = 0  # the place up to which it was told unasked
            self.on_msg(self._answer)
            self._cells = WhileCellsRun(self._tell_unasked)

        # The front end asks when it has drawn what it had: a slow one asks less often, and nothing piles up.
        def _answer(self, _: Any, content: Any, buffers: Any) -> None:
            asked = content.get("ask")
            if asked == "news":
                self._asked = True
                self._session.keep_awake()
                since = arguments.whole(content.get("place", 0), "place")
                over = bool(self._session.over)  # before the news: what comes between the two would never be asked for
                frame, place = self._session.news(since)
                news = {"since": since, "news": place, "over": over and not frame, "failure": self._session.failure}
                self.send(news, [frame] if frame else [])
            elif asked == "pause":
                self._session.pause()
            elif asked == "resume":
                self._session.resume()

        def _tell_unasked(self) -> bool:
            """While a cell runs questions may not come through. Then all that is known is sent, so that nothing hangs on
            what was heard before, and again when it has grown by half: that is three times the bytes in all."""
            asked, self._asked = self._asked, False
            self._session.keep_awake()
            over, end, since = bool(self._session.over), int(self._session.end), 0
            if not asked and end > self._told and (over or 2 * end >= 3 * self._told):
                self._told = end
                while since < end:
                    frame, place = self._session.news(since)
                    news = {"since": since, "news": place, "end": end, "failure": self._session.failure}
                    self.send({**news, "unasked": True}, [frame])
                    since = place
            return not over or asked

        def stop(self) -> None:
            """Trains no more."""
            self._cells.stop()
            self._session.close()

        def close(self) -> None:
            """Trains no more, and takes the view away."""
            self.stop()
            super().close()

    _CLASS = LiveView
    return LiveView


def watch(study: Study, *, seeds: int | None = None, profile: str = "quick", threads: int = 0) -> Any:
    """Trains a study while one watches, without a store: a widget for a notebook, with `stop()`.

    It shows the first observable of every run with the median of its cell, and the embedding of a run where the study
    observes it. While another cell runs the view is told of news less and less often, unless notebook and kernel have
    subshells. Training rests while no view is open and no cell runs. Parts of one's own cannot be watched.

    Args:
        study: what to train; it should observe `perplexity` or another single number, and may observe `embedding`.
        seeds: runs per cell, instead of the study's number.
        profile: of the study.
        threads: so many train; all cores by default.
    """
    if not isinstance(study, Study):
        raise UsageError(f"{study!r} is no study", 'attoscope.study("sticky-plateau") is one')
    if own := list(study._parts):
        raise UsageError(f"live views train no parts of one's own, such as '{own[0]}'", "study.run() trains them")
    view = _live_view()
    options: dict[str, Any] = {"profile": arguments.text(profile, "profile")}
    if seeds is not None:
        options["seeds"] = arguments.whole(seeds, "seeds", least=1)
    described = _described(study, options)
    request = json.dumps({"text": study.toml(), "options": options})
    session = _core.watch(request, arguments.whole(threads, "threads", most=4096))
    shown = {
        "title": described["title"],
        "cells": [{"text": cell["text"], "series": cell["series"]} for cell in described["cells"]],
    }
    return view(session, shown)
