"""What `make growth` computes: exponents, memory of a run, overheads, and the line it draws."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import fits
import growth_axes
import growth_figure


class Axes(unittest.TestCase):
    def test_have_enough_points_over_a_wide_enough_range(self):
        for axis in growth_axes.AXES:
            self.assertGreaterEqual(len(axis.sizes), 6, axis.name)
            self.assertGreaterEqual(max(axis.sizes) / min(axis.sizes), 8 if axis.name == "layers" else 10 ** 1.5, axis.name)
            self.assertEqual(len({axis.shape(size) for size in axis.sizes}), len(axis.sizes), axis.name)


class Fits(unittest.TestCase):
    def test_a_power_law_is_found(self):
        sizes = [1, 2, 4, 8, 16, 32]
        found = fits.exponent(sizes, [[3 * x ** 1.5 for x in sizes]] * 3)
        self.assertAlmostEqual(found["exponent"], 1.5)
        self.assertAlmostEqual(found["quartiles"][1], 1.5)
        self.assertEqual((found["fitted_from"], found["fitted_to"]), (8, 32))

    def test_only_the_upper_half_counts_and_the_best_of_the_rounds(self):
        sizes = [1, 4, 16, 64]
        found = fits.exponent(sizes, [[50, 50, 16, 640], [50, 50, 160, 64]])
        self.assertAlmostEqual(found["exponent"], 1)
        self.assertEqual(found["best"], [50, 50, 16, 64])
        low, high = found["quartiles"]
        self.assertLess(low, 0.5)
        self.assertGreater(high, 1.5)

    def test_growth_by_item(self):
        self.assertAlmostEqual(fits.growth_per_item([10, 20, 40], [1100, 1200, 1400]), 10)

    def test_overhead_is_what_is_not_training(self):
        self.assertAlmostEqual(fits.overhead(19, 2, 10), 0.05)
        self.assertEqual(fits.overhead(20, 2, 10), 0)

    def test_the_drawn_law_passes_through_points_on_it(self):
        sizes = [1, 2, 4, 8, 16, 32]
        row = {"sizes": sizes, **fits.exponent(sizes, [[2 * x for x in sizes]])}
        ends = [(end["size"], round(end["cost"], 9)) for end in growth_figure.law(row)]
        self.assertEqual(ends, [(8, 16), (32, 64)])


if __name__ == "__main__":
    unittest.main()
