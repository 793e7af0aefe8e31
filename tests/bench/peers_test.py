"""The side-by-side benchmark: its figures, its check that all sides did the same work, and its cases."""
import pathlib
import random
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "peers")]
import cases
import results
import sides
import transformers

CASE = cases.Case("single", (("plain", 10, 2, 4, 512),), steps=100, rounds=4, goal=5)


def entry(seconds, losses, compilation=0, derived=False):
    return {"seconds": seconds, "losses": losses, "compilation": compilation, "derived": derived}


def drawn(mean, count, seed, deviation=0.1):
    source = random.Random(seed)
    return [source.gauss(mean, deviation) for _ in range(count)]


class Figures(unittest.TestCase):
    def test_quantiles_lie_between_the_values(self):
        self.assertEqual(results.quantile([3, 1, 2], 0.5), 2)
        self.assertAlmostEqual(results.quantile([0, 10], 0.1), 1)
        self.assertEqual(results.quantile([7], 0.9), 7)

    def test_the_spread_is_of_ratios_within_rounds(self):
        # A machine twice as busy in every other round slows both sides.
        self.assertEqual(results.spread([10, 20, 10], [1, 2, 1]), [10, 10])
        # A peer that left early is compared over the rounds it took.
        self.assertEqual(results.spread([10], [2, 1, 1]), [5, 5])

    def test_the_best_round_of_each_side_counts(self):
        row = results.judge(CASE, entry([1, 2, 0.5, 1], [[1, 2]]), {"a": entry([4, 3, 8], [[1, 2]]), "b": entry([2, 9], [[1, 2]])})
        self.assertEqual([one["peer"] for one in row["peers"]], ["b", "a"])
        self.assertEqual(row["ratio"], 4)
        self.assertEqual(row["peers"][0]["steps_per_second"], 50)
        self.assertFalse(row["reached"])
        self.assertTrue(results.judge(CASE, entry([0.4], [[1]]), {"b": entry([2], [[1]])})["reached"])


class SameWork(unittest.TestCase):
    def test_equal_trainings_pass(self):
        for count in (4, 16, 64):
            found = [results.difference(drawn(1, count, seed), drawn(1, count, seed + 1000)) for seed in range(200)]
            self.assertLess(max(found), results.LARGEST_DIFFERENCE, count)
            self.assertGreater(max(found), 1.5, count)  # it is not blind either

    def test_other_trainings_fail(self):
        self.assertGreater(results.difference(drawn(1, 32, 1), drawn(1.2, 32, 2)), results.LARGEST_DIFFERENCE)
        self.assertGreater(results.difference(drawn(1, 5, 1), drawn(3, 5, 2)), results.LARGEST_DIFFERENCE)
        self.assertEqual(results.difference([1.0] * 8, [float("nan")] * 8), float("inf"))
        self.assertEqual(results.difference([1.0] * 8, [2.0] * 8), float("inf"))

    def test_many_seeds_give_the_plain_number_of_standard_errors(self):
        alternating = [0.0, 2.0] * 5000  # mean 1, standard error 0.01
        self.assertAlmostEqual(results.difference(alternating, [value + 0.05 for value in alternating]), 0.05 / 0.0001 ** 0.5 / 2 ** 0.5,
                               places=2)

    def test_what_is_not_finite_is_null_in_json(self):
        self.assertEqual(results.as_json({"a": [float("inf"), 1.5], "b": ("x", float("nan"))}), {"a": [None, 1.5], "b": ["x", None]})

    def test_too_few_seeds_conclude_nothing(self):
        self.assertIsNone(results.difference([1, 2, 3], [5, 6, 7, 8]))

    def test_one_shape_of_a_sweep_is_enough_to_fail(self):
        sweep = cases.Case("sweep", CASE.shapes * 2, 100, 1, 10)
        ours = entry([1], [drawn(1, 32, 1), drawn(2, 32, 2)])
        row = results.judge(sweep, ours, {"good": entry([9], [drawn(1, 32, 3), drawn(2, 32, 4)]),
                                          "bad": entry([8], [drawn(1, 32, 5), drawn(2.5, 32, 6)])})
        self.assertEqual([(one["peer"], one["same_work"]) for one in row["peers"]], [("bad", False), ("good", True)])
        self.assertEqual(len(results.failures([row])), 1)
        self.assertIn("bad", results.failures([row])[0])
        self.assertIn("NO", "\n".join(results.table([row])))

    def test_a_derived_row_is_not_judged_again(self):
        row = results.judge(CASE, entry([1], [drawn(1, 8, 1)]), {"x": entry([9], None, derived=True)})
        self.assertNotIn("same_work", row["peers"][0])
        self.assertEqual(results.failures([row]), [])
        self.assertIn("as single", results.table([row])[-1])


class Table(unittest.TestCase):
    def test_names_goal_and_verdict_beside_the_best_peer_only(self):
        row = results.judge(CASE, entry([1, 1], [drawn(1, 8, 1)]), {"slow": entry([9, 9], [drawn(1, 8, 2)]),
                                                                    "quick": entry([4, 4], [drawn(1, 8, 3)], compilation=2.5)})
        engine, quick, slow = results.table([row])[1:]
        self.assertIn(CASE.name, engine)
        for word in ("quick", "4.00x", "5x", "MISSED", "2.5", "yes"):
            self.assertIn(word, quick)
        self.assertNotIn("MISSED", slow)


class Cases(unittest.TestCase):
    def test_names_are_different(self):
        names = [case.name for case in cases.all_cases()]
        self.assertEqual(len(names), len(set(names)))

    def test_the_sweep_has_ten_shapes(self):
        sweep = cases.all_cases()[-1]
        self.assertEqual((sweep.kind, len(set(sweep.shapes)), sweep.runs, sweep.steps), ("sweep", 10, 32, 3000))
        self.assertEqual(sweep.run_steps, 10 * 32 * 3000)

    def test_every_plain_size_has_an_ensemble_on_one_and_on_two_threads(self):
        found = [(case.shapes, case.threads) for case in cases.all_cases() if case.kind == "ensemble"]
        self.assertEqual(set(found), {((("plain", *shape),), threads) for shape in cases.PLAIN for threads in (1, 2)})

    def test_the_engine_knows_every_part_and_key(self):
        engine = (ROOT / "bench" / "bench_case.cpp").read_text()
        fields = "".join((ROOT / "src" / layer / "config.cpp").read_text() for layer in ("data", "network", "training"))
        known = set(re.findall(r'"((?:data|network|training)\.[a-z_0-9]+)"', fields))
        self.assertIn("data.vocab", known)
        for case in cases.all_cases():
            for part, *_ in case.shapes:
                if part in transformers.SETTINGS:
                    self.assertLessEqual(set(transformers.SETTINGS[part]), known)
                else:
                    self.assertIn(f'one.part {"!=" if part == "plain" else "=="} "{part}"', engine)

    def test_the_quick_cases_are_of_every_kind_and_part(self):
        kinds = lambda some: {(case.kind, case.threads, case.shapes[0][0]) for case in some}
        self.assertEqual(kinds(cases.quick_cases()), kinds(cases.all_cases()))
        for case in cases.quick_cases():
            self.assertGreaterEqual(min(case.steps, case.rounds, len(case.shapes)), 1)

    def test_rounds_and_halves_share_no_seed(self):
        firsts = sorted(sides.seed_of(number, half) for number in range(20) for half in (0, 1))
        self.assertGreaterEqual(min(b - a for a, b in zip(firsts, firsts[1:])), cases.SEEDS)

    def test_what_an_ensemble_takes_seed_by_seed_follows_from_the_single_run(self):
        row = results.judge(CASE, entry([1], [[1]]), {"x scan": entry([3, 4], [[1]], compilation=2)})
        ensemble = cases.Case("ensemble", CASE.shapes, steps=50, rounds=3, goal=5, threads=2)
        derived = results.one_after_the_other(ensemble, [row])
        self.assertEqual(derived["x scan, seed by seed"]["seconds"], [24, 32])  # 32 runs of half the steps on two processes
        self.assertEqual(results.one_after_the_other(CASE, [row]), {})


if __name__ == "__main__":
    unittest.main()
