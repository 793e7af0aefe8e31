"""Two builds compared: turns alternate, the best counts, and only what is slower is named."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import compare


class Engine:
    def __init__(self, times, log):
        self.times, self.log = list(times), log

    def number(self, *request):
        self.log.append((id(self), request))
        return self.times.pop(0)


class Alternating(unittest.TestCase):
    def test_takes_turns_and_keeps_the_best(self):
        log = []
        old, new = Engine([5.0, 4.0], log), Engine([3.0, 6.0], log)
        self.assertEqual(compare.alternate(old, new, ("plain", 4), 2, 0.1), (4.0, 3.0))
        self.assertEqual([who for who, _ in log], [id(old), id(new), id(new), id(old)])
        self.assertEqual(log[0][1], ("step", "plain", 4, 0.1))


class Slower(unittest.TestCase):
    def test_names_what_takes_longer_than_allowed(self):
        times = {"same": (100, 100), "within": (100, 103), "beyond": (100, 103.1), "faster": (100, 50)}
        self.assertEqual(compare.slower(times, 3), ["beyond"])


if __name__ == "__main__":
    unittest.main()
