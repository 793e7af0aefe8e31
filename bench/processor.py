"""The processor that figures are measured on, as Linux tells of it."""
import pathlib
import re

CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")


def name():
    """Its model."""
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return "unknown processor"


def caches(folder=CACHES):
    """A sentence on the caches of a core, as far as the system tells."""
    sizes = []
    for index in sorted(folder.glob("index*")):
        kind, level, size = ((index / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            sizes.append(f"level {level} {size[:-1]} kB" if size.endswith("K") else f"level {level} {size}")
    return "Caches of a core: " + ", ".join(sizes) if sizes else "The sizes of its caches are not known"
