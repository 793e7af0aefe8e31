"""Figures: Vega-Lite specifications that draw themselves in notebooks."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import pathlib
from typing import Any

from .errors import MissingError, UsageError

__all__ = ["Figure"]


class Figure:
    """A figure of a study over many seeds, as the report draws it.

    It draws itself in notebooks. `spec` is the Vega-Lite specification, `title` and `caption` are its texts, `how` says
    how it was made, and `notice` what it could not show.
    """

    def __init__(self, name: str, about: dict[str, Any]) -> None:
        self.name = name
        self.spec: dict[str, Any] = about["spec"]
        self.title: str = about["title"]
        self.caption: str = about["caption"]
        self.how: str = about["how"]
        self.notice: str = about["notice"]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For JupyterLab, VS Code and marimo, which draw Vega-Lite by themselves. Viewers that do not, such as Colab and
        pages that show notebooks, get a picture where vl-convert is installed, and else the words and the remedy."""
        # The specification is of version 6; viewers that know 5 only draw it as well.
        kinds = ("application/vnd.vegalite.v6+json", "application/vnd.vegalite.v5+json")
        bundle: dict[str, Any] = {**{kind: self.spec for kind in kinds}, "text/plain": repr(self)}
        if importlib.util.find_spec("vl_convert") is not None:
            bundle["image/svg+xml"] = self._svg()
        else:
            bundle["text/html"] = self._words()
        return bundle

    def _words(self) -> str:
        title, caption = html.escape(self.title), html.escape(self.caption)
        remedy = "To see the figure here: <code>pip install 'attoscope[figures]'</code>"
        return f"<figure><figcaption><b>{title}</b> {caption}</figcaption><p>{remedy}</p></figure>"

    def _svg(self) -> str:
        import vl_convert

        svg: str = vl_convert.vegalite_to_svg(self.spec)
        return svg

    def to_altair(self) -> Any:
        """The figure as an `altair.Chart`, to be changed further."""
        try:
            import altair
        except ImportError as error:
            raise MissingError("altair is not installed", "pip install 'attoscope[figures]'") from error
        kinds = {
            "layer": altair.LayerChart,
            "hconcat": altair.HConcatChart,
            "vconcat": altair.VConcatChart,
            "concat": altair.ConcatChart,
            "facet": altair.FacetChart,
            "repeat": altair.RepeatChart,
        }
        chart: Any = next((kind for key, kind in kinds.items() if key in self.spec), altair.Chart)
        config = {key: value for key, value in self.spec.get("config", {}).items() if key != "errorband"}
        return chart.from_dict({**self.spec, "config": config}, validate=False)  # whose opacity altair does not know

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
        """Writes .svg, .png, .pdf, .html or .json by the ending of `path`; no browser is needed."""
        target = pathlib.Path(path)
        kind = target.suffix.lower()
        if kind not in (".svg", ".png", ".pdf", ".html", ".json"):
            raise UsageError(f"'{target.name}' does not end in .svg, .png, .pdf, .html or .json")
        if kind == ".json":
            target.write_text(json.dumps(self.spec, indent=2) + "\n", encoding="utf-8")
            return
        try:
            import vl_convert
        except ImportError as error:
            raise MissingError("vl-convert is not installed", "pip install 'attoscope[figures]'") from error
        if kind == ".svg":
            target.write_text(self._svg(), encoding="utf-8")
        elif kind == ".png":
            target.write_bytes(vl_convert.vegalite_to_png(self.spec, scale=scale))
        elif kind == ".pdf":
            target.write_bytes(vl_convert.vegalite_to_pdf(self.spec))
        else:
            target.write_text(vl_convert.vegalite_to_html(self.spec, bundle=True), encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}. {self.caption}>"
