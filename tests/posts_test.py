"""scripts/update_posts.py writes what the verdicts say, and the pages in docs/posts name every study."""

import importlib.util
import json
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else Path(__file__).resolve().parent.parent

spec = importlib.util.spec_from_file_location("update_posts", ROOT / "scripts" / "update_posts.py")
posts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(posts)


def verdict(**changes):
    usual = {"study": "one", "claim": "X.1", "statement": "a | b", "published": "about 2", "estimate": 2.0, "low": 1.5, "high": "inf",
             "region": ["-inf", 4.0], "seeds": 32, "missing": 0, "censored": 0, "diverged": 0, "verdict": "inconclusive", "tuned": "",
             "tuned_against": ""}
    return usual | changes


PAGE = "before\n<!-- verdicts -->\n<!-- end -->\nbetween\n<!-- verdicts: one -->\nold\n<!-- end -->\nafter\n"


class Update(unittest.TestCase):
    def test_writes_the_table_and_leaves_the_prose(self):
        page = posts.update(PAGE, [verdict(), verdict(study="other", claim="Y.1")])
        self.assertIn("| X.1 | a \\| b | about 2 | 2 [1.5, ∞] | [−∞, 4] | 32 | **inconclusive** |", page)
        self.assertNotIn("old", page)
        self.assertNotIn("Y.1", page)
        self.assertIn("1 claims: 0 supported, 0 refuted, 1 inconclusive.", page)
        for prose in ("before\n", "\nbetween\n", "\nafter\n"):
            self.assertIn(prose, page)

    def test_off_the_published_scope_nothing_is_refuted(self):
        scaled = {"origin": "published", "scope": "scaled", "at": "width 32", "status": "revised", "status_text": "revised after 6 runs (ledger)"}
        recipe = {"origin": "figure", "scope": "recipe", "at": "", "status": "fixed", "status_text": "fixed beforehand (ledger)"}
        own = {"origin": "ours", "scope": None, "at": "", "status": "fixed", "status_text": "fixed beforehand (ledger)"}
        page = posts.update(PAGE, [verdict(verdict="refuted", **scaled), verdict(claim="X.2", verdict="supported", **recipe),
                                   verdict(claim="X.3", verdict="refuted", **own),
                                   verdict(claim="X.4", verdict="refuted", **(own | {"origin": "figure", "scope": "published"}))])
        self.assertIn("**not found** at width 32; revised after 6 runs (ledger) |", page)
        self.assertIn("| X.2 | a \\| b | about 2 | 2 [1.5, ∞] | [−∞, 4] | 32 | **found** at the published size, with a guessed recipe |", page)
        self.assertEqual(page.count("**refuted** |"), 2)
        self.assertIn("4 claims: 0 supported, 2 refuted, 1 found, 1 not found off the published scope, 0 inconclusive.\n\n- 1 published statement scaled down: 0 found, 1 not found, 0 inconclusive\n"
                      "- 1 reading of a figure at the published size and recipe: 0 supported, 1 refuted, 0 inconclusive\n"
                      "- 1 reading of a figure at the published size, recipe guessed: 1 found, 0 not found, 0 inconclusive\n"
                      "- 1 question of the lab's own: 0 supported, 1 refuted, 0 inconclusive\n"
                      "- 3 fixed beforehand; 1 revised after runs\n", page)

    def test_only_off_the_published_scope(self):
        scaled = {"origin": "published", "scope": "scaled", "at": "width 32"}
        self.assertEqual(posts.overall([verdict(verdict="refuted", **scaled)]), "1 claims: 0 found, 1 not found off the published scope, 0 inconclusive.")

    def test_an_open_claim_says_why(self):
        page = posts.update(PAGE, [verdict(reason="near the edge", reason_text="near the edge: about 30 times its seeds would be needed")])
        self.assertIn("| **inconclusive** (near the edge: about 30 times its seeds would be needed) |", page)

    def test_shows_the_interval_that_decides(self):
        looked = verdict(estimate=0.55, low=0.52, high=0.58, anytime_low=0.49, anytime_high=0.61, region=[0.5, 1.0])
        self.assertIn("| 0.55 [0.52, 0.58] |", posts.update(PAGE, [looked | {"rests_on": "ordinary"}]))
        page = posts.update(PAGE, [looked | {"rests_on": "anytime"}])
        self.assertIn("| 0.55 [0.49, 0.61] | [0.5, 1] |", page)
        self.assertIn("\n\nSeeds came until the claims were decided; the interval shown is the one that decides: one that holds at every look.\n", page)
        line = posts.update("<!-- found: X.1 --><!-- end -->", [looked | {"rests_on": "anytime"}])
        self.assertEqual(line, "<!-- found: X.1 -->0.55 [0.49, 0.61]<!-- end -->")

    def test_open_ends_of_a_region_are_said(self):
        self.assertIn("| > 0 |", posts.update(PAGE, [verdict(region=[0, "inf"], open=[True, False])]))

    def test_names_recipes_and_calibration(self):
        recipes = {"supported": 2, "refuted": 1, "inconclusive": 1, "text": "holds in 2 of 4 recipes; fails in 1, all with tying = free; open in 1",
                   "stale": "", "command": "atto multiverse one", "date": "2026-01-02", "engine_revision": 5}
        page = posts.update(PAGE, [verdict(recipes=recipes, calibration="Chosen with a look."), verdict(claim="X.2", recipes=None),
                                   verdict(claim="X.3", recipes=recipes | {"stale": "its question has changed since"})])
        self.assertIn("\n\nCalibration: Chosen with a look.\n", page)
        self.assertIn("\n\nIn the recipes that the source leaves open (`atto multiverse one`, 2026-01-02, engine revision 5):\n\n"
                      "- X.1 holds in 2 of 4 recipes; fails in 1, all with tying = free; open in 1\n- X.3 holds in 2 of 4", page)
        self.assertIn("open in 1 (stale: its question has changed since)\n", page)
        self.assertNotIn("- X.2", page)

    def test_says_how_many_decisions_stand(self):
        decided = [verdict(claim=f"X.{i}", verdict="supported", adjusted="supported" if i else "inconclusive", publication="a") for i in range(3)]
        page = posts.update(PAGE, [*decided, verdict(claim="X.9", adjusted="inconclusive", publication="a")])
        self.assertIn("\n- of 3 decisions 2 stand when the error of 5 % is shared by all claims of the source (Holm's method)\n", page)
        page = posts.update(PAGE, [*decided, verdict(claim="X.9", verdict="refuted", adjusted="refuted", publication="b")])
        self.assertIn("\n- of 3 decisions of a 2 stand when", page)
        self.assertIn("\n- of 1 decision of b 1 stands when", page)

    def test_a_second_time_changes_nothing(self):
        once = posts.update(PAGE, [verdict()])
        self.assertEqual(posts.update(once, [verdict()]), once)

    def test_tells_what_could_not_answer(self):
        page = posts.update(PAGE, [verdict(estimate=None, low=None, high=None, missing=3, diverged=1)])
        self.assertIn("| – | [−∞, 4] | 32 (3 missing, 1 diverged) |", page)

    def test_names_the_tuned_values(self):
        page = posts.update(PAGE, [verdict(tuned="training.rate = 0.1", tuned_against="training.rate = 0.01")])
        self.assertIn("2 [1.5, ∞]; training.rate = 0.1 against training.rate = 0.01", page)

    def test_small_numbers_stay_readable(self):
        self.assertEqual(posts.number(4.321e-7), "4.32e−7")
        self.assertEqual(posts.number(-0.5), "−0.5")
        self.assertEqual(posts.number(1400), "1400")

    def test_nearly_one_is_not_one(self):
        self.assertEqual(posts.number(0.99972), "0.99972")
        self.assertEqual(posts.number(1.001), "1.001")
        self.assertEqual(posts.number(1.0), "1")
        self.assertEqual(posts.number(0.992), "0.992")

    def test_numbers_in_a_line_are_those_of_their_claims(self):
        line = "| a | <!-- found: X.1 -->old<!-- end --> | <!-- found: Y-2 --><!-- end --> |\n"
        page = posts.update(line, [verdict(), verdict(claim="Y-2", estimate=-0.5, low=None, high=None)])
        self.assertEqual(page, "| a | <!-- found: X.1 -->2 [1.5, ∞]<!-- end --> | <!-- found: Y-2 -->−0.5<!-- end --> |\n")
        with self.assertRaisesRegex(KeyError, "X.1"):
            posts.update(line, [verdict(claim="Z")])

    def test_a_study_without_verdicts_is_named(self):
        with self.assertRaisesRegex(KeyError, "one"):
            posts.update(PAGE, [verdict(study="other")])


class Pages(unittest.TestCase):
    def test_every_study_stands_on_one_page(self):
        named = []
        for page in (ROOT / "docs" / "posts").glob("*.md"):
            named += [match["study"] for match in posts.BLOCK.finditer(page.read_text(encoding="utf-8")) if match["study"]]
        self.assertEqual(sorted(named), sorted(path.stem for path in (ROOT / "studies").glob("*.toml")))

    def test_recipes_and_calibration_stand_with_their_study(self):
        blocks = {}
        for page in (ROOT / "docs" / "posts").glob("*.md"):
            for match in posts.BLOCK.finditer(page.read_text(encoding="utf-8")):
                blocks[match["study"]] = match[0]
        for path in (ROOT / "studies").glob("*.toml"):
            calibration = tomllib.loads(path.read_text(encoding="utf-8")).get("calibrated")
            if calibration:
                self.assertIn(f"\nCalibration: {calibration}\n", blocks[path.stem])
        kept = list((ROOT / "studies" / "multiverse").glob("*.json"))
        self.assertTrue(kept)
        for path in kept:
            for claim in json.loads(path.read_text(encoding="utf-8"))["claims"]:
                held = sum(verdict[0] == "supported" for verdict in claim["verdicts"])
                self.assertIn(f"\n- {claim['claim']} holds in {held} of {len(claim['verdicts'])} recipes", blocks[path.stem])

    def test_the_first_tally_has_the_words_of_the_scope(self):
        for page in (ROOT / "docs" / "posts").glob("*.md"):
            text = page.read_text(encoding="utf-8")
            if "recipe guessed: " in text or "scaled down: " in text:
                self.assertRegex(text, r"\n\d+ claims: .*\d+ not found off the published scope, ", page.name)


if __name__ == "__main__":
    unittest.main()
