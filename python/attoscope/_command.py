"""The `atto` command: the program itself, from inside the package."""

from __future__ import annotations

import os
import sys


def main() -> int:
    from . import _core
    from ._places import studies_folder

    os.environ.setdefault("ATTO_STUDIES", "" if os.path.isdir("studies") else str(studies_folder()))
    return _core.run_program(["atto", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
