"""What `make bench` computes: counts of work, the limit they set, and which goals are missed."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import operations
import roofline
import shapes
import transformers
from operations import Operations

# A machine on which each operation takes a second and a register holds four.
UNIT_PEAK = {name: 1.0 for name in ("multiply_adds", "exponentials", "logarithms", "random_words", "roots", "quotients", "loads", "stores")}
UNIT_PEAK["lanes"] = 4


class Rooflines(unittest.TestCase):
    def test_a_tiny_network_by_hand(self):
        # V = 3, D = 2, C = 4, one sample. Registers hold everything but tokens and what the optimizer reads and writes.
        work = roofline.step("plain", 3, 2, 4, 1)
        parameters = 3 * 2 + 3 * 2 * 2
        by_hand = (
            2 * 4                        # words to tokens
            + 4 * 2                      # a permutation for each token and feature
            + 4 * 3 * (1 + 2)            # dx into the rows of E: tokens compared with 3, added where equal
            + 3 * 3 * 2 * 2              # three products, forward and twice backward
            + 6 * 4 * 2                  # scores, mean, da, dq, dx, dx
            + 4 + 2 + 2 * 4 + 2          # sum of weights, mean over it; ds = a (da - dmean·mean)
            + 3 * 3 * 2 + 3 + 2 * 2      # logits, dU, do; their sum; the answer's row
            + 7 * parameters             # Adam
        )
        self.assertEqual(work.multiply_adds, by_hand)
        self.assertEqual(work.exponentials, 4 + 3)
        self.assertEqual(work.logarithms, 1)
        self.assertEqual(work.random_words, 4)
        self.assertEqual((work.roots, work.quotients), (parameters, parameters + 2))
        self.assertEqual((work.loaded, work.stored), (4 + 4 * parameters, 4 + 3 * parameters))
        self.assertEqual((work.looked_up, work.scattered), (0, 0))

    def test_what_registers_cannot_hold_goes_through_memory(self):
        rows = lambda vocab, width, context: roofline.step("plain", vocab, width, context, 1).stored - 3 * roofline.parameters(
            "plain", vocab, width, context)
        self.assertEqual(rows(32, 2, 4), 4)             # tokens
        self.assertEqual(rows(33, 2, 4), 4 + 33)        # and the exponentials of 33 logits
        self.assertEqual(rows(32, 2, 100), 100 + 200)   # and 200 features
        large = roofline.step("plain", 129, 2, 4, 1)
        self.assertEqual((large.looked_up, large.scattered), (4 * (2 + 1), 4))

    def test_tables_are_permuted_and_their_gradients_added_in_the_cheapest_way(self):
        lookups, additions = 4 * 2, 4 * 16
        rows = lambda vocab: roofline.table_rows(vocab, 2, 4)
        self.assertEqual(rows(5).multiply_adds, lookups + 4 * 5 * 3)             # compared with 5, in 15 instructions
        self.assertEqual(rows(6).multiply_adds, lookups + additions)             # 18 would be more than a row for each sample
        self.assertEqual((rows(6).looked_up, rows(6).scattered), (4, 4))
        self.assertEqual(rows(32).multiply_adds, lookups + additions)            # a permutation reads two registers
        self.assertEqual(rows(100).multiply_adds, (4 + 3) * lookups + additions)  # four of them, three choices
        self.assertEqual(rows(129).multiply_adds, additions)                     # read from memory

    def test_every_query_of_unigram_counts(self):
        one, every = roofline.step("plain", 100, 2, 4, 1), roofline.step("unigram", 100, 2, 4, 1)
        self.assertEqual(every.exponentials - one.exponentials, 3 * 100 + (10 - 4))
        self.assertEqual(every.logarithms, 4)

    def test_work_grows_with_the_batch_and_not_the_optimizer(self):
        one, two = roofline.step("plain", 10, 2, 4, 1), roofline.step("plain", 10, 2, 4, 2)
        update = roofline.ADAM * roofline.parameters("plain", 10, 2, 4)
        self.assertEqual((one + one).multiply_adds, (two + update).multiply_adds)

    def test_a_transformer_does_its_products_and_more(self):
        work = transformers.Work("recall", 32, 32, 17, 4)
        step = work.step()
        self.assertGreater(step.multiply_adds, work.multiply_adds())
        # Causal pairs of the first layer, one query of the second; 32 logits.
        self.assertEqual(step.exponentials, 4 * (17 * 18 // 2 + 17 + 32))
        self.assertEqual(step.random_words, 4 * 17)

    def test_the_slowest_side_sets_the_limit(self):
        work = Operations(multiply_adds=2, exponentials=1, random_words=1, roots=3, loaded=8, looked_up=1, stored=4)
        times = operations.least_times(work, UNIT_PEAK)
        seconds = {side: sum(parts.values()) / 1e6 for side, parts in times.items()}
        self.assertEqual(seconds, {"arithmetic": 4, "division": 3, "loads": 3, "stores": 1})
        self.assertEqual(operations.limit(times), (4e6, "arithmetic"))
        self.assertEqual(operations.limit(operations.least_times(work + Operations(scattered=9), UNIT_PEAK)), (10e6, "stores"))


class Goals(unittest.TestCase):
    ROW = {"case": "x", "width": 2, "roofline_share": 0.7, "two_thread_speedup": 1.95, "observation_cost": 0.01}

    def test_a_case_that_reaches_all_is_not_named(self):
        self.assertEqual(shapes.missed_goals([self.ROW]), [])
        self.assertEqual(shapes.missed_goals([{**self.ROW, "two_thread_speedup": None, "observation_cost": None}]), [])
        self.assertEqual(shapes.missed_goals([{**self.ROW, "width": 10, "roofline_share": 0.1}]), [])

    def test_each_goal_can_be_missed(self):
        for changed in ({"roofline_share": 0.59}, {"two_thread_speedup": 1.8}, {"observation_cost": 0.03}, {"drawing_share": 0.31},
                        {"width": 128, "peak_share": 0.5}):
            self.assertEqual(len(shapes.missed_goals([{**self.ROW, **changed}])), 1, changed)


if __name__ == "__main__":
    unittest.main()
