#!/usr/bin/env python3
"""Writes docs/reference from the docstrings of the Python package.

    scripts/reference.py            writes the pages (`make reference`)
    scripts/reference.py --check    says which of the committed pages differ

Each public name stands on the page of its module; a member without a docstring is an error.
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import attoscope

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference"
WIDTH = 120
# Page, title, what it is about, and the modules whose names it has. Names of other modules go to the last page.
PAGES = (
    ("studies", "Studies", "What to train, measure, look for and judge.", ("_study",)),
    ("results", "Results", "What the runs of a study came to.", ("_result", "_frame", "_figure", "_store")),
    ("runs", "Runs in the hand", "Train, look, change, go on.", ("_ensemble",)),
    ("parts", "Parts of your own", "Tasks, observables and detectors in Python.", ("_task", "_observable", "_detector", "_parts")),
    ("analysis", "Numbers from anywhere, and theory", "Detectors, verdicts and predictions.", ("_analysis", "_judge")),
    ("page", "The page and live views", "Studies that train while one watches.", ("_serve", "_watch")),
    ("errors", "Errors", "Every exception, with a `message` and a `remedy`.", ("errors",)),
    ("more", "Further names", "Everything else.", ("_keys",)),
)


# Classes that nobody makes by hand.
HANDED_OUT = ("Figure", "Frame", "Key", "Result", "Server", "Verdict", "Verdicts")


def public() -> Iterator[tuple[str, str, Any]]:
    """Every public name: its module, how it is called and what it is."""
    for name in attoscope.__all__:
        value = getattr(attoscope, name)
        if inspect.ismodule(value):
            for inner in value.__all__:
                yield value.__name__.rsplit(".", 1)[-1], f"{value.__name__}.{inner}", getattr(value, inner)
        elif hasattr(value, "__module__") and value.__module__.startswith("attoscope"):
            yield value.__module__.rsplit(".", 1)[-1], f"attoscope.{name}", value


def place(one: tuple[str, str, Any]) -> tuple[int, int]:
    """Where it stands in the pages: in the order of modules, and of their source."""
    module, _, value = one
    modules = [name for *_, of_page in PAGES for name in of_page]
    described = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
    return modules.index(module) if module in modules else len(modules), inspect.getsourcelines(described)[1]


def signature(name: str, value: Any) -> str:
    """The call as code, with an argument a line where it is long."""
    described = inspect.signature(value)
    texts = list(parameters(described))
    returns = described.return_annotation
    arrow = "" if returns is inspect.Signature.empty or inspect.isclass(value) else f" -> {returns}"
    line = f"{name}({', '.join(texts)}){arrow}"
    return line if len(line) <= WIDTH else f"{name}(\n" + "".join(f"    {text},\n" for text in texts) + f"){arrow}"


def parameters(described: inspect.Signature) -> Iterator[str]:
    """Name, type and default of each, and the marks between kinds of them."""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    given = [one for one in described.parameters.values() if one.name not in ("self", "cls")]
    starred = False
    for number, one in enumerate(given):
        if one.kind is one.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        kind = "" if one.annotation is one.empty else f": {one.annotation}"
        default = "" if one.default is one.empty else f" = {one.default!r}"
        yield f"{marks.get(one.kind, '')}{one.name}{kind}{default}"
        after = given[number + 1].kind if number + 1 < len(given) else None
        if one.kind is one.POSITIONAL_ONLY and after is not one.POSITIONAL_ONLY:
            yield "/"


def prose(doc: str) -> str:
    """A docstring as Markdown: examples as code, arguments as a list."""
    doc = inspect.cleandoc(doc).replace("``", "`")
    blocks = []
    for block in re.split(r"\n\s*\n", doc):
        lines = block.splitlines()
        if lines[0].lstrip().startswith(">>>"):
            blocks.append("```python\n" + textwrap.dedent(block).replace("  # doctest: +SKIP", "") + "\n```")
        elif lines[0] in ("Arguments:",):
            blocks.append(f"{lines[0]}\n\n" + arguments(lines[1:]))
        elif lines[0].startswith("    "):
            blocks.append("```python\n" + textwrap.dedent(block) + "\n```")
        else:
            blocks.append(textwrap.fill(" ".join(line.strip() for line in lines), WIDTH, break_on_hyphens=False))
    return "\n\n".join(blocks)


def arguments(lines: list[str]) -> str:
    """`name: what it is`, each with further lines indented below it, as a list."""
    items: list[str] = []
    for line in textwrap.dedent("\n".join(lines)).splitlines():
        if line.startswith(" "):
            items[-1] += " " + line.strip()
        else:
            names, _, text = line.partition(": ")
            items.append("- " + ", ".join(f"`{one}`" for one in names.split(", ")) + f": {text}")
    wrapped = (textwrap.fill(item, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for item in items)
    return "\n".join(wrapped)


def documented(name: str, value: Any) -> str:
    doc = inspect.getdoc(value)
    if not doc:
        raise SystemExit(f"{name} has no docstring")
    return prose(doc)


def members(name: str, kind: type) -> Iterator[str]:
    """The public methods and properties of a class, in the order of its source."""
    for member, value in vars(kind).items():
        if member.startswith("_") or member in getattr(kind, "_fields", ()):
            continue
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if inspect.isfunction(value):
            call = f"```python\n{signature(member, value)}\n```"
            yield f"### `{member}`\n\n{call}\n\n{documented(f'{name}.{member}', value)}"
        elif isinstance(value, property) or hasattr(value, "func"):
            yield f"### `{member}`\n\n{documented(f'{name}.{member}', value)}"


def entry(name: str, value: Any) -> str:
    """One public name."""
    parts = [f"## `{name.removeprefix('attoscope.')}`"]
    if inspect.isclass(value) and issubclass(value, Exception):
        kinds = ", ".join(f"`{base.__name__}`" for base in value.__bases__)
        return "\n\n".join([*parts, documented(name, value), f"A kind of {kinds}."])
    if inspect.isclass(value):
        if "__init__" in vars(value) and value.__name__ not in HANDED_OUT:
            parts.append(f"```python\n{signature(name, value)}\n```")
        return "\n\n".join([*parts, documented(name, value), *members(name, value)])
    if callable(value):
        parts.append(f"```python\n{signature(name, value)}\n```")
    return "\n\n".join([*parts, documented(name, value)])


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    of_module = {module: page for page, _, _, modules in PAGES for module in modules}
    entries: dict[str, list[str]] = {page: [] for page, *_ in PAGES}
    names: dict[str, list[str]] = {page: [] for page, *_ in PAGES}
    for module, name, value in sorted(public(), key=place):
        page = of_module.get(module, PAGES[-1][0])
        entries[page].append(entry(name, value))
        names[page].append(f"`{name.removeprefix('attoscope.')}`")
    texts = {}
    lines = []
    for page, title, about, _ in PAGES:
        if entries[page]:
            made = "Written by `make reference` from the docstrings of the package."
            texts[f"{page}.md"] = "\n\n".join([f"# {title}", f"{about} {made}", *entries[page]]) + "\n"
            item = f"- [{title}]({page}.md): {', '.join(names[page])}"
            lines.append(textwrap.fill(item, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    intro = "Every public name of the package `attoscope`. [Python](../python.md) is the guide to it."
    texts["README.md"] = "\n\n".join(["# Reference of the Python package", intro, "\n".join(lines)]) + "\n"
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the pages there are; write nothing")
    check = parser.parse_args().check
    wanted = pages()
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    if check:
        differ = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
        if differ:
            print(f"not up to date: {', '.join(differ)}; `make reference` writes them", file=sys.stderr)
        return 1 if differ else 0
    FOLDER.mkdir(exist_ok=True)
    for name in there.keys() - wanted.keys():
        (FOLDER / name).unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
