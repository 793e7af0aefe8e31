#!/usr/bin/env python3
"""Installs a wheel on every Python from 3.10 on that can be found, and runs tests/python there.

    scripts/test_wheel.py build/wheels/attoscope-*.whl

Looked for are python3.10 to python3.13 on the PATH and what pyenv has installed. ATTO_PYTHONS="3.11 3.12" names those that
must be there: it fails if one is missing. Each gets an environment of its own with what the package needs to run and pytest,
each file checked against its hash in python/requirements.txt; tests that want more are skipped there, and are run by
`make test`. The package is only the wheel's: the tests are copied away from its sources.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
NEEDED = {"nanobind-backend", "numpy", "tqdm", "pytest"}


def version_of(python):
    """"3.11" of an interpreter that works; shims of pyenv may not."""
    asked = subprocess.run([python, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else None


def interpreters():
    """The first interpreter of each version."""
    places = [shutil.which(f"python{version}") for version in VERSIONS]
    places += [f"/usr/bin/python{version}" for version in VERSIONS]
    places += sorted(map(str, pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")).glob("versions/3.*/bin/python")))
    found = {}
    for place in filter(None, places):
        version = version_of(place) if os.access(place, os.X_OK) else None
        if version in VERSIONS:
            found.setdefault(version, place)
    return dict(sorted(found.items(), key=lambda one: VERSIONS.index(one[0])))


def pinned(names):
    """Those entries of requirements.txt, and what they depend on ("via" says so), with their hashes."""
    entries = {}
    for block in re.split(r"\n(?=\S)", (ROOT / "python/requirements.txt").read_text()):
        if match := re.match(r"([A-Za-z0-9_.-]+)==", block):
            entries.setdefault(match[1], []).append(block)
    wanted, before = set(names), set()
    while wanted != before:
        before = set(wanted)
        for name, blocks in entries.items():
            users = re.findall(r"#\s+(?:via\s+)?([A-Za-z0-9_.-]+)\s*$", "\n".join(blocks), re.M)
            if wanted & set(users):
                wanted.add(name)
    missing = set(names) - set(entries)
    if missing:
        sys.exit(f"python/requirements.txt lacks {missing}")
    return "\n".join(block for name in sorted(wanted & set(entries)) for block in entries[name]) + "\n"


def test(version, python, wheel, folder):
    """True if the tests pass there."""
    environment = folder / version
    run = lambda *command, **more: subprocess.run([str(environment / "bin/python"), *map(str, command)], check=True, **more)
    subprocess.run([python, "-m", "venv", environment], check=True)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-deps", "--require-hashes", "--requirement", folder / "requirements.txt")
    run(*pip, "--no-deps", wheel)
    run("-m", "pip", "check", stdout=subprocess.DEVNULL)
    names = subprocess.run([environment / "bin/atto", "list"], capture_output=True, text=True, cwd=folder)
    if "sticky-plateau" not in names.stdout:
        print(f"python {version}: the atto command does not list the studies\n{names.stderr}")
        return False
    print(f"python {version} ({python}):", flush=True)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    clean["ATTO_REQUIRE_PAGE"] = "1"  # a wheel serves it without Node and emscripten
    tests = [environment / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python"]
    return subprocess.run(list(map(str, tests)), cwd=folder, env=clean).returncode == 0


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    wheel = pathlib.Path(sys.argv[1]).resolve()
    found = interpreters()
    missing = [version for version in os.environ.get("ATTO_PYTHONS", "").split() if version not in found]
    if missing:
        sys.exit(f"there is no Python {', '.join(missing)}, which ATTO_PYTHONS names; found: {', '.join(found) or 'none'}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "requirements.txt").write_text(pinned(NEEDED))
        shutil.copytree(ROOT / "tests/python", folder / "tests/python", ignore=shutil.ignore_patterns("__pycache__"))
        pages = ("README.md", "docs/python.md", "docs/notebooks/five-minutes-to-a-verdict.py")
        for file in (*pages, "scripts/notebooks.py", "scripts/reference.py"):  # what the tests read
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
        results = {version: test(version, python, wheel, folder) for version, python in found.items()}
    for version in VERSIONS:
        print(f"python {version}: {'passed' if results.get(version) else 'FAILED' if version in results else 'not found'}")
    return 0 if results and all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
