#!/usr/bin/env python3
"""Is one build of the engine slower than another? Both take turns at every case, so that what else the machine does meets
both alike; the best turn of each counts.

    python3 bench/compare.py OLD_ATTO_BENCH NEW_ATTO_BENCH [--rounds 100] [--allow 3]

Exit status: 0 no case is slower by more than --allow percent, 1 some are, 2 a program cannot be run.
"""
import argparse
import sys

sys.dont_write_bytecode = True
import shapes
from worker import Worker


def alternate(old, new, shape, rounds, seconds):
    """The best microseconds of both. Who goes first changes with every round."""
    best = {old: float("inf"), new: float("inf")}
    for turn in range(rounds):
        for engine in (old, new) if turn % 2 == 0 else (new, old):
            best[engine] = min(best[engine], engine.number("step", *shape, seconds))
    return best[old], best[new]


def slower(times, percent):
    """Of {case: (old, new)}, the cases in which the new one takes so much longer."""
    return [case for case, (old, new) in times.items() if new > old * (1 + percent / 100)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("old")
    options.add_argument("new")
    options.add_argument("--rounds", default=100, type=int, help="turns of each in every case")
    options.add_argument("--again", default=3, type=int, help="how often a case that seems slower is measured once more")
    options.add_argument("--seconds", default=0.003, type=float, help="length of a turn")
    options.add_argument("--allow", default=3.0, type=float, help="percent")
    chosen = options.parse_args()
    try:
        old, new = Worker(chosen.old), Worker(chosen.new)
    except OSError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    for engine in (old, new):
        shapes.name_parts(engine)
    times = {}
    for shape in shapes.SHAPES:
        case = shapes.name_of(shape)
        times[case] = alternate(old, new, shape, chosen.rounds, chosen.seconds)
        for _ in range(chosen.again):  # the best of more turns: a quiet moment may have met only one of them
            if not slower({case: times[case]}, chosen.allow):
                break
            times[case] = tuple(map(min, times[case], alternate(old, new, shape, chosen.rounds, chosen.seconds)))
        was, now = times[case]
        print(f"{now / was:6.3f}  {was:10.2f} {now:10.2f} us  {case}", flush=True)
    old.close()
    new.close()
    found = slower(times, chosen.allow)
    print(f"{len(times)} cases, slower by more than {chosen.allow:g} %: {', '.join(found) or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
