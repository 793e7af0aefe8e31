#!/usr/bin/env python3
"""Builds docs/notebooks: every NAME.py there, in the percent format, becomes NAME.ipynb with its outputs.

    scripts/notebooks.py            executes all of them and writes the notebooks (`make notebooks`)
    scripts/notebooks.py --check    executes them and says which of the committed ones differ

Cells begin with `# %%`, those of text with `# %% [markdown]`. What is written depends on the sources and on results
alone: no times, no ids by chance, no paths of the machine.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
import tempfile
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "notebooks"
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?.*\n", re.MULTILINE)
TIMEOUT = 300  # seconds for one cell, on a machine that is busy
WIDGET = "application/vnd.jupyter.widget-view+json"  # a bar of progress: nothing is left of it but an id by chance
VEGA = re.compile(r"application/vnd\.vegalite\.v(\d+)\+json")


def read_cells(text: str) -> list[Any]:
    """The cells of a script in the percent format."""
    marks = list(CELL.finditer(text))
    if not marks:
        raise SystemExit("a notebook has at least one cell: # %%")
    cells = []
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip("\n")
        if mark["markdown"]:
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.splitlines())
            cell = nbformat.v4.new_markdown_cell(body)
        else:
            cell = nbformat.v4.new_code_cell(body)
        cell["id"] = f"cell-{number + 1}"
        cells.append(cell)
    return cells


def new_notebook(text: str) -> Any:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(
        cells=read_cells(text), metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )


def execute(notebook: Any) -> None:
    """Runs the cells in an empty folder, which nothing outlives."""
    with tempfile.TemporaryDirectory() as folder:
        # Neither the settings of whoever runs this nor bars of progress have a part in the outputs.
        quiet = {"JUPYTER_CONFIG_DIR": folder, "IPYTHONDIR": folder, "JUPYTER_RUNTIME_DIR": folder, "TQDM_DISABLE": "1"}
        packages = [os.path.abspath(place) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
        os.environ.update(quiet, PYTHONPATH=os.pathsep.join(packages))
        client = NotebookClient(
            notebook, timeout=TIMEOUT, record_timing=False, extra_arguments=["--log-level=ERROR"]
        )
        client.execute(cwd=folder)
        clean(notebook, folder)


def clean(notebook: Any, folder: str) -> None:
    """One specification of a figure is enough next to its picture; paths of the machine are refused."""
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined([output for output in cell.outputs if WIDGET not in output.get("data", {})])
        for output in cell.get("outputs", []):
            kinds = sorted(kind for kind in output.get("data", {}) if VEGA.fullmatch(kind))
            for kind in kinds[1:]:
                del output["data"][kind]
            text = str(output)
            for path in (folder, str(FOLDER.parent.parent), str(pathlib.Path.home())):
                if len(path) > 1 and path in text:
                    raise SystemExit(f"an output names a path of this machine: {path}\n{text[:500]}")


def joined(outputs: list[Any]) -> list[Any]:
    """What was printed comes in pieces that depend on how busy the machine was: as one."""
    whole: list[Any] = []
    for output in outputs:
        if whole and output.get("name") and output.get("name") == whole[-1].get("name"):
            whole[-1]["text"] += output["text"]
        else:
            whole.append(output)
    return whole


def texts(notebook: Any) -> list[str]:
    """What readers see of a notebook besides figures: sources and texts."""
    shown = []
    for cell in notebook.cells:
        shown.append(cell.source)
        for output in cell.get("outputs", []):
            plain = output.get("text", output.get("data", {}).get("text/plain", ""))
            shown.append("".join(plain))
    return shown


def lacks_picture(notebook: Any) -> bool:
    """Whether a figure comes without one, which viewers that do not know Vega-Lite need."""
    bundles = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    return any(any(VEGA.fullmatch(kind) for kind in data) and "image/svg+xml" not in data for data in bundles)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the notebooks there are; write nothing")
    parser.add_argument("names", nargs="*", help="notebooks to build; all without any")
    options = parser.parse_args()
    sources = [FOLDER / f"{name}.py" for name in options.names] or sorted(FOLDER.glob("*.py"))
    differ = []
    for source in sources:
        target = source.with_suffix(".ipynb")
        notebook = new_notebook(source.read_text(encoding="utf-8"))
        execute(notebook)
        if lacks_picture(notebook):
            raise SystemExit(f"{source.name}: a figure has no picture; is vl-convert installed?")
        if not options.check:
            nbformat.write(notebook, target)
            print(target.relative_to(FOLDER.parent.parent))
        elif not target.is_file() or texts(nbformat.read(target, as_version=4)) != texts(notebook):
            differ.append(target.name)
    if differ:
        print(f"not up to date: {', '.join(differ)}; `make notebooks` builds them", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
