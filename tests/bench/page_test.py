"""Tables of docs/performance.md from what the benchmarks left."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import page


class Page(unittest.TestCase):
    def test_a_table_takes_the_place_between_its_marks(self):
        before = "text\n<!-- peers -->\nold\n<!-- end -->\nmore\n<!-- bench -->\n<!-- end -->\n"
        after = page.with_table(before, "peers", ["new", "lines"])
        self.assertEqual(after, before.replace("old", "new\nlines"))
        self.assertEqual(page.with_table(before, "bench", ["x"]), before.replace("bench -->\n", "bench -->\nx\n"))

    def test_marks_that_are_not_there_are_an_error(self):
        with self.assertRaises(SystemExit):
            page.with_table("text", "peers", [])

    def test_the_page_has_the_marks_of_every_table(self):
        text = (ROOT / "docs" / "performance.md").read_text()
        for name in page.TABLES:
            page.with_table(text, name, [])

    def test_peers_say_the_best_and_whether_the_goal_is_reached(self):
        peer = lambda name, ratio, apart: {"peer": name, "steps_per_second": 10.0, "ratio": ratio, "ratio_spread": [ratio, ratio],
                                           "difference": apart}
        case = {"case": "tiny", "goal": 5, "reached": False, "engine": {"steps_per_second": 49.0},
                "peers": [peer("jax scan", 4.9, 1.25), peer("torch", 30.0, 2.5)]}
        lines = page.peers_table({"processor": "P", "engine": {"target": "avx2", "compiler": "C"}, "versions": {"jax": "1"},
                                  "torch_blas": "Haswell", "cases": [case]})
        self.assertIn("| tiny | 49 | jax scan | 10 | 4.90 | 4.90–4.90 | 5 | **missed** |", lines)
        self.assertIn("at most 2.5 combined standard errors", lines[-1])


if __name__ == "__main__":
    unittest.main()
