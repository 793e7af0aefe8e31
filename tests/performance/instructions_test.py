"""The count of instructions finds what it should: made-up counts, no Valgrind."""
import sys
import unittest

sys.dont_write_bytecode = True
import instructions


class TheCheck(unittest.TestCase):
    def test_a_step_is_the_difference_of_two_runs(self):
        count = lambda program, case, steps: 1000 + 7 * steps
        self.assertEqual(instructions.instructions_per_step("p", "c", (2, 22), count), 7)

    def test_reads_what_callgrind_says(self):
        self.assertEqual(instructions.instructions_in("==7== Events    : Ir\n==7== Collected : 290810\n"), 290810)
        with self.assertRaises(ValueError):
            instructions.instructions_in("valgrind: no such program")

    def test_complains_beyond_three_percent_either_way(self):
        recorded = {"tiny": 1000}
        self.assertEqual(instructions.complaints(recorded, {"tiny": 1029}), [])
        self.assertEqual(instructions.complaints(recorded, {"tiny": 971}), [])
        self.assertEqual(len(instructions.complaints(recorded, {"tiny": 1031})), 1)
        self.assertEqual(len(instructions.complaints(recorded, {"tiny": 969})), 1)

    def test_complains_about_a_case_only_one_side_knows(self):
        self.assertEqual(len(instructions.complaints({"a": 1}, {"b": 1})), 2)

    def test_the_record_has_every_case(self):
        for compiler, counts in instructions.read_record().items():
            self.assertEqual(counts.keys(), instructions.LENGTHS.keys(), compiler)


if __name__ == "__main__":
    unittest.main()
