"""docs/claims-history.md says of every claim of the first 334 what became of it, once; and none of their ids is gone."""

import re
import sys
import tomllib
import unittest
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else Path(__file__).resolve().parent.parent
FATES = {"revised", "replaced", "moved"}
REMARKS = {"seeds", "wording", "new", "moved here"}


def first_claims():
    """The ids of each study at the commit before the rules changed."""
    claims = {}
    for line in (ROOT / "tests" / "golden" / "claim_ids_334.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            study, claim = line.split()
            claims.setdefault(study, []).append(claim)
    return claims


def sections(text):
    return dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))


def named(cell):
    """[(id or pattern, how many ids a pattern means or None)]"""
    return [(match[1], int(match[2]) if match[2] else None) for match in re.finditer(r"([^\s,]+)(?: \((\d+)\))?(?:, |$)", cell)]


def fates(section):
    """[(id or pattern, number, fate)] of a study."""
    found = []
    for match in re.finditer(r"^Unchanged: (.*?)\.$", section, re.MULTILINE | re.DOTALL):
        found += [(name, number, "unchanged") for name, number in named(match[1].replace("\n", " "))]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("claim", "---"):
            continue
        if cells[1] not in FATES | REMARKS:
            raise ValueError(f"what does '{cells[1]}' mean? {line}")
        if cells[1] in FATES:
            found += [(name, number, cells[1]) for name, number in named(cells[0])]
    return found


def fate_of_each(claims, section):
    """What became of each claim; a ValueError says which is not told, or told twice, or told of none."""
    told = {claim: [] for claim in claims}
    listed = fates(section)
    for name, number, fate in listed:
        if "*" not in name:
            if name not in told:
                raise ValueError(f"{name} is no claim of the first ones")
            told[name].append(fate)
    literal = {claim for claim, what in told.items() if what}
    for name, number, fate in listed:
        if "*" in name:
            meant = [claim for claim in claims if claim not in literal and fnmatchcase(claim, name)]
            if len(meant) != number:
                raise ValueError(f"{name} means {len(meant)} claims, not {number}: {meant}")
            for claim in meant:
                told[claim].append(fate)
    for claim, what in told.items():
        if len(what) != 1:
            raise ValueError(f"{claim} is told {len(what)} times: {what}")
    return {claim: what[0] for claim, what in told.items()}


class Form(unittest.TestCase):
    def test_ids_and_patterns(self):
        section = "\nUnchanged: A-1,\nA-2.\n\n| claim | | why |\n|---|---|---|\n| A-* (2), B | revised | because |\n| A-1 | seeds | more |\n"
        self.assertEqual(fate_of_each(["A-1", "A-2", "A-3", "A-4", "B"], section),
                         {"A-1": "unchanged", "A-2": "unchanged", "A-3": "revised", "A-4": "revised", "B": "revised"})

    def test_told_twice_or_never(self):
        for section, complaint in (("\nUnchanged: A, B.\n| B | revised | why |\n", "B is told 2 times"), ("\nUnchanged: A.\n", "B is told 0 times"),
                                   ("\nUnchanged: A, B, C.\n", "C is no claim"), ("\nUnchanged: A.\n| * (2) | revised | why |\n", "means 1 claims"),
                                   ("\nUnchanged: A.\n| B | dropped | why |\n", "what does 'dropped' mean")):
            with self.assertRaisesRegex(ValueError, complaint):
                fate_of_each(["A", "B"], section)


class Page(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "docs" / "claims-history.md").read_text(encoding="utf-8")
        self.claims = first_claims()

    def test_every_claim_is_told_once(self):
        self.assertEqual(sum(len(ids) for ids in self.claims.values()), 334)
        told = sections(self.text)
        self.assertEqual(sorted(told), sorted(self.claims))
        counts = Counter()
        for study, ids in self.claims.items():
            with self.subTest(study=study):
                counts.update(fate_of_each(ids, told[study]).values())
        sentence = f"{counts['unchanged']} are unchanged, {counts['revised']} revised, {counts['replaced']} replaced, {counts['moved']} moved."
        self.assertTrue(f"\n{sentence}\n" in self.text, f"the page should say: {sentence}")

    def test_no_id_is_gone(self):
        now = set()
        for path in (ROOT / "studies").glob("*.toml"):
            now |= {claim["id"] for claim in tomllib.loads(path.read_text(encoding="utf-8")).get("claim", [])}
        self.assertEqual([claim for ids in self.claims.values() for claim in ids if claim not in now], [])


if __name__ == "__main__":
    unittest.main()
