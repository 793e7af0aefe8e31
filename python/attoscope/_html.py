"""Tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]], align: str) -> str:
    """Texts as a table. Some notebooks, such as marimo, give cells no room by themselves."""

    def line(tag: str, cells: Iterable[str]) -> str:
        style = f"padding: 0.2em 0.7em; text-align: {align}"
        return "<tr>" + "".join(f'<{tag} style="{style}">{html.escape(cell)}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"
