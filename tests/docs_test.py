"""The pages name files that exist, keep their lines short, and agree on the version."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else Path(__file__).resolve().parent.parent
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and Path(sys.argv[1]).is_file() else None

# Pages whose file names are checked; those that guide a newcomer through the tree.
GUIDES = ["docs/where-things-are.md", "docs/design.md", "CONTRIBUTING.md"]
MADE_BY_PROGRAMS = ("build/", "results/")  # not in a fresh checkout
SUFFIX = re.compile(r"\.(cpp|h|py|md|toml|txt|cmake|js|mjs|json|sh|svg|html|css)$")
LONGEST_LINE = 120


def paths_named(text):
    """Files and folders that a page names: targets of links, and `code` that has a slash or ends like a source file."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    code = [one for one in re.findall(r"`([^`\n]+)`", text) if re.fullmatch(r"[\w./-]+", one)]
    return links + [one for one in code if not one.startswith(MADE_BY_PROGRAMS) and ("/" in one or SUFFIX.search(one))]


def missing_paths(page, root):
    """Those of a page's paths that are not there, looked for from the page, the root and src/; a lone name anywhere."""
    def exists(name):
        lone = name.rstrip("/")
        if "/" not in lone and any(next((root / top).rglob(lone), None) for top in ("src", "tests", "web", "docs")):
            return True
        return any((base / name).exists() for base in (page.parent, root, root / "src"))
    return [name for name in paths_named(page.read_text(encoding="utf-8")) if not exists(name)]


def long_lines(text):
    """Numbers of lines that are too long. Tables, code, pictures and what programs write cannot be wrapped."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            if inside in line:
                inside = None
            continue
        if line.lstrip().startswith("```"):
            inside = "```"
        elif line.startswith("<!--") and "<!-- end -->" not in line:
            inside = "<!-- end -->"
        elif len(line) > LONGEST_LINE and not line.startswith(("|", "    ", "![")):
            found.append(number)
    return found


def newest_version(changelog):
    """The version of the first section that has one: "## [0.2.0] - 2026-11-16"."""
    return re.search(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)[1]


class Pages(unittest.TestCase):
    def test_name_files_that_exist(self):
        for name in GUIDES:
            page = ROOT / name
            self.assertGreater(len(paths_named(page.read_text(encoding="utf-8"))), 5, name)
            self.assertEqual(missing_paths(page, ROOT), [], name)

    def test_have_short_lines(self):
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "bench" / "README.md"]
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertEqual(long_lines(page.read_text(encoding="utf-8")), [], page)


def option_rows(text):
    """The pairs (option, verb) of the table of options in cli.md, whose second column names the verbs or says "all"."""
    pairs = set()
    for options, verbs in re.findall(r"^\| (`--[^|]*(?:\\\|[^|]*)*) \| ([^|]*) \|", text, re.MULTILINE):
        for option in re.findall(r"`(--[a-z-]+)", options):
            pairs.update((option, verb) for verb in verbs.split(", "))
    return pairs


@unittest.skipUnless(PROGRAM, "ctest names the program")
class WhatTheProgramTakes(unittest.TestCase):
    def atto(self, *words):
        return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout

    def test_is_in_the_table_of_options(self):
        rows = option_rows((ROOT / "docs" / "cli.md").read_text(encoding="utf-8"))
        verbs = re.findall(r"^  ([a-z]+) ", self.atto("--help").split("Subcommands:")[1].split("Examples")[0], re.MULTILINE)
        self.assertGreater(len(verbs), 15)
        verbs.remove("predict")  # whose options have a table of their own
        taken = {(option, verb) for verb in verbs for option in re.findall(r"^ +(--[a-z-]+)", self.atto(verb, "--help"), re.MULTILINE)}
        shared = {option for option, verb in rows if verb == "all"}
        self.assertEqual(shared, {"--studies", "--store", "--json"})
        self.assertEqual({pair for pair in taken if pair[0] not in shared}, {pair for pair in rows if pair[1] in verbs})

    def test_is_in_the_table_of_detectors(self):
        table = (ROOT / "docs" / "writing-a-study.md").read_text(encoding="utf-8")
        for detector in json.loads(self.atto("help", "detectors", "--json")):
            self.assertIn(f"\n| `{detector['detector']}` | ", table)


class Version(unittest.TestCase):
    def test_is_the_same_everywhere(self):
        version = newest_version((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        self.assertEqual(re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1], version)
        cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^project\(\w+ VERSION (\S+) ", cmake, re.MULTILINE)[1], version)
        if PROGRAM:  # ctest names it
            printed = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(printed.splitlines()[0], f"atto {version}")

    def test_sections_are_in_order_and_dated(self):
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
        if headings[0] == "[Unreleased]":
            headings = headings[1:]
        sections = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)", heading) for heading in headings]
        self.assertTrue(all(sections), headings)
        versions = [tuple(map(int, section.groups()[:3])) for section in sections]
        self.assertEqual(versions, sorted(set(versions), reverse=True))
        dates = [section[4] for section in sections]
        self.assertEqual(dates, sorted(dates, reverse=True))


class TheCheck(unittest.TestCase):
    """The checks themselves find made-up faults and let good pages pass."""

    def test_finds_paths(self):
        text = "See `src/a/b.cpp`, `network.cpp`, [x](y.md#z), `--set`, `data.vocab`, `build/atto`, `a * b/c`, [web](https://a.b/c)."
        self.assertEqual(sorted(paths_named(text)), ["network.cpp", "src/a/b.cpp", "y.md"])

    def test_finds_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("src/lab/study.cpp", "docs/other.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            page = root / "docs" / "page.md"
            page.write_text("`src/lab/study.cpp` `lab/study.cpp` `study.cpp` `src/lab/` [o](other.md) "
                            "`lab/` `src/lab/gone.cpp` `gone.h` `src/gone/` `gone/` [g](gone.md)", encoding="utf-8")
            self.assertEqual(sorted(missing_paths(page, root)), ["gone.h", "gone.md", "gone/", "src/gone/", "src/lab/gone.cpp"])

    def test_finds_long_lines(self):
        long = "x" * 121
        text = f"short\n{long}\n| {long} |\n```\n{long}\n```\n<!-- bench -->\n{long}\n<!-- end -->\n    {long}\n- {long}\n"
        self.assertEqual(long_lines(text), [2, 11])


if __name__ == "__main__":
    unittest.main()
