"""Where the package finds its files."""

from __future__ import annotations

import pathlib


def studies_folder() -> pathlib.Path:
    """The folder of the published studies: in the package, or that of the source tree it was built in."""
    here = pathlib.Path(__file__).resolve().parent
    inside = here / "studies"
    if inside.is_dir():
        return inside
    for parent in here.parents:
        if (parent / "studies" / "sticky-plateau.toml").is_file():
            return parent / "studies"
    return inside
