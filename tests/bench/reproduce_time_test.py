"""Two programs timed by their verdicts: which runs are there for old claims, what a resumed measurement repeats, and the ratios."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import reproduce_shares
import reproduce_time


def question(cells, **more):
    return {"runs": {"common": {"data.vocab": 4}, "cells": [{"settings": settings, "seeds": seeds} for settings, seeds in cells]}, **more}


def cell(**settings):
    return reproduce_shares.text_of({"data.vocab": 4} | settings)


class Looks(unittest.TestCase):
    def test_each_has_half_as_many_seeds_again_up_to_the_budget(self):
        self.assertEqual([reproduce_shares.seeds_at_look(32, 162, look) for look in (1, 2, 3, 4, 5, 6)], [32, 48, 72, 108, 162, 162])
        self.assertEqual(reproduce_shares.seeds_at_look(9, 100, 2), 14)
        self.assertEqual(reproduce_shares.seeds_at_look(8, 0, 1), 8)
        self.assertEqual(reproduce_shares.seeds_at_look(300, 162, 4), 300)


class Runs(unittest.TestCase):
    def test_count_for_old_claims_up_to_the_look_that_decided_them(self):
        questions = {"old": question([({"width": 2}, 4)], most=9), "new": question([({"width": 2}, 4), ({"width": 3}, 4)], most=9)}
        members = {f"{width}-{seed}": (cell(width=width), seed) for width in (2, 3, 4) for seed in range(9)}
        wanted = reproduce_shares.wanted_runs(members, questions, {"old": 2, "new": 3}, {"old"})
        self.assertEqual({run for run in wanted if run[0] == "2"}, {f"2-{seed}" for seed in range(6)})
        self.assertEqual({run for run in wanted if run[0] == "3"}, set(), "only the new claim speaks of it")
        self.assertEqual({run for run in wanted if run[0] == "4"}, {f"4-{seed}" for seed in range(9)}, "no claim does: a figure shows it")

    def test_groups_are_found_wherever_they_stand(self):
        compared = question([({}, 2)]) | {"against": question([({"width": 5}, 3)])["runs"], "than": {"runs": question([({"width": 6}, 4)])["runs"]}}
        self.assertEqual(reproduce_shares.asked(compared, 1), {cell(): 2, cell(width=5): 3, cell(width=6): 4})

    def test_belong_to_a_cell_by_what_is_no_default(self):
        defaults = {"data.vocab": 10, "width": 2, "seeds.init": 0}
        config = {"data.vocab": 4, "width": 2, "seeds.init": 7, "observe": []}
        self.assertEqual(reproduce_shares.settings_of(config, defaults), cell())


class Shares(unittest.TestCase):
    def test_go_by_the_time_of_runs_or_by_claims(self):
        spent = {"both": {"a": 1.0, "b": 3.0}, "cached": {}}
        self.assertEqual(reproduce_shares.share("both", {"b"}, spent, ["x"], set()), 0.75)
        self.assertEqual(reproduce_shares.share("cached", {"b"}, spent, ["x", "y"], {"x"}), 0.5)
        self.assertEqual(reproduce_shares.share("cached", set(), spent, [], set()), 0)


class Turns(unittest.TestCase):
    class Program:
        def __init__(self, name, studies, log):
            self.name, self.studies, self.log = name, studies, log

        def names(self):
            return self.studies

        def reproduce(self, study):
            self.log.append((self.name, study))
            return len(self.log)

    def test_alternate_and_go_on_where_they_ended(self):
        log = []
        old, new = self.Program("old", {"a", "b"}, log), self.Program("new", {"a", "b", "c"}, log)
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "times.json"
            record.write_text(json.dumps({"a": {"old": 10}}), encoding="utf-8")
            times = reproduce_time.measure(old, new, ["a", "b", "c"], record)
            self.assertEqual(log, [("new", "a"), ("new", "b"), ("old", "b"), ("new", "c")])
            self.assertEqual(times["a"], {"old": 10, "new": 1})
            self.assertEqual(json.loads(record.read_text(encoding="utf-8")), times)


class Table(unittest.TestCase):
    def test_ends_with_the_two_ratios(self):
        text = reproduce_time.table([("a", 10, 12, 6), ("b", 0, 3, 0)])
        self.assertIn("| all 2 | 10 | 15 | 6 |", text)
        self.assertTrue(text.endswith("old claims: 0.60 x the time of before; everything: 1.50 x"))

    def test_open_claims_are_counted_over_all_and_over_the_old_ones(self):
        verdicts = [{"claim": "a", "verdict": "inconclusive"}, {"claim": "b", "verdict": "refuted"}, {"claim": "c", "verdict": "inconclusive"}]
        self.assertEqual(reproduce_time.open_text(verdicts, {"a", "b"}), "open claims: 2 of 3 (66.7 %); of the old ones 1 of 2 (50.0 %)")


if __name__ == "__main__":
    unittest.main()
