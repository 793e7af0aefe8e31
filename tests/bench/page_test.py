"""Pages of docs/performance from what the benchmarks left."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import page
import processor


class Page(unittest.TestCase):
    def test_a_table_takes_the_place_between_its_marks(self):
        before = "text\n<!-- peers -->\nold\n<!-- end -->\nmore\n<!-- bench -->\n<!-- end -->\n"
        after = page.with_table(before, "peers", ["new", "lines"])
        self.assertEqual(after, before.replace("old", "new\nlines"))
        self.assertEqual(page.with_table(before, "bench", ["x"]), before.replace("bench -->\n", "bench -->\nx\n"))

    def test_marks_that_are_not_there_are_an_error(self):
        with self.assertRaises(SystemExit):
            page.with_table("text", "peers", [])

    def test_every_page_has_the_marks_of_every_table_and_is_listed(self):
        listed = (ROOT / "docs" / "performance.md").read_text()
        pages = list((ROOT / "docs" / "performance").glob("*.md"))
        self.assertGreater(len(pages), 0)
        for path in pages:
            self.assertIn(f"(performance/{path.name})", listed)
        for text in [path.read_text() for path in pages] + [page.NEW_PAGE]:
            for name in page.TABLES:
                page.with_table(text, name, [])

    def test_a_processor_has_a_page_of_its_own(self):
        self.assertEqual(page.page_of("Intel(R) Xeon(R) Processor", "avx3").name, "intel-avx3.md")
        self.assertEqual(page.page_of("AMD EPYC", "avx2").name, "amd-avx2.md")
        self.assertEqual(page.page_of("", "neon").name, "unknown-neon.md")

    def test_caches_are_told_where_the_system_tells_them(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            self.assertEqual(processor.caches(folder), "The sizes of its caches are not known")
            for i, (kind, level, size) in enumerate([("Data", "1", "32K"), ("Instruction", "1", "32K"), ("Unified", "2", "512K")]):
                index = folder / f"index{i}"
                index.mkdir()
                for name, text in (("type", kind), ("level", level), ("size", size)):
                    (index / name).write_text(text + "\n")
            self.assertEqual(processor.caches(folder), "Caches of a core: level 1 32 kB, level 2 512 kB")

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
