#!/usr/bin/env python3
"""`make bench`: the engine against what the machine could do at best; `make peers` sets it beside other programs.

    /usr/bin/python3 bench/run.py --engine build/atto_bench --out build/bench.json

The best of many turns counts. README.md beside this says what is measured and how the roofline is counted.
"""
import argparse
import json
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import roofline
import transformers
from worker import Worker

# part (bench_steps.cpp), vocab, width, context, batch
CASES = (
    ("plain", 4, 2, 4, 128),
    ("plain", 10, 2, 4, 512),
    ("plain", 100, 2, 4, 128),
    ("plain", 100, 2, 4, 512),
    ("plain", 100, 10, 4, 512),
    ("plain", 100, 10, 100, 512),
    ("distance", 100, 2, 4, 512),
    ("inverse", 100, 2, 4, 512),
    ("harmonic", 100, 2, 4, 512),
    ("unigram", 100, 2, 4, 128),
    ("unigram", 101, 2, 10, 128),
    ("positions", 30, 2, 4, 512),
    ("toy", 2, 256, 256, 32),       # free scores on regression, T = d = 256
    ("regression", 2, 32, 32, 32),  # transformers, see transformers.py; V means nothing to regression
    ("regression", 2, 64, 64, 32),
    ("regression", 2, 128, 128, 32),
    ("regression", 2, 256, 256, 32),
    ("recall", 32, 32, 17, 128),
)
CASE_KEYS = ("part", "vocab", "width", "context", "batch")
THREADS_TARGET = 1.9       # two threads against one on a sweep
OBSERVATION_TARGET = 0.02  # share of a run that measuring may take at the default schedule
RUN_STEPS = 3000           # the length of a run the default schedule is meant for
RUN_ROUNDS = 10            # turns of whole runs: at least so many, and up to ten times as many ...
RUN_SECONDS = 8            # ... while they stay within so many seconds a case
LEAST_TURNS = 5            # of a step that is slow: so many at least ...
CASE_SECONDS = 20          # ... and no more once a case has taken so long


def alternate(rounds, *measurements):
    """The best of `rounds` of each measurement, taken in turns."""
    results, start = [], time.monotonic()
    while len(results) < rounds and (len(results) < LEAST_TURNS or time.monotonic() - start < CASE_SECONDS):
        results.append([measure() for measure in measurements])
    return [min(column) for column in zip(*results)]


def transformer_measures(shape, peak, microseconds):
    """GFLOP/s of the matrix products, and what share of the peak that is."""
    rate = 2 * transformers.Work(*shape).multiply_adds() / microseconds * 1e6
    return {"gflops": rate / 1e9, "peak_share": rate / (2 * peak)}


def time_steps(engine, rounds, seconds):
    for part, settings in transformers.SETTINGS.items():
        words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in settings.items()}
        engine.ask("part", part, *(f"{key}={word}" for key, word in words.items()))
    rows = []
    for shape in CASES:
        part, vocab, width, context, batch = shape
        is_transformer = part in transformers.SETTINGS
        peak = max(float(engine.ask("peak")[0]) for _ in range(2))
        mine, = alternate(rounds, lambda: engine.number("step", *shape, seconds))
        count = transformers.Work(*shape) if is_transformer else None
        work = count.vector_instructions() if count else roofline.vector_instructions(*shape)
        moved = count.bytes_touched() if count else roofline.bytes_touched(*shape)
        rows.append({
            "case": f"{part} V={vocab} d={width} C={context} B={batch}", **dict(zip(CASE_KEYS, shape)),
            "us_per_step": mine, "steps_per_second": 1e6 / mine,
            "roofline_share": work / peak * 1e6 / mine, "roofline_us": work / peak * 1e6,
            "vector_instructions": work, "bytes_touched": moved, "peak_fma_per_second": peak,
            **(transformer_measures(shape, peak, mine) if is_transformer else {}),
        })
    return rows


def observation_cost(engine, row, least_rounds):
    """Extra time of a run of the default length that records every scalar, as a share of the bare run; None: takes too long."""
    shape = [row[name] for name in CASE_KEYS]
    affordable = round(RUN_SECONDS * 1e6 / (2 * row["us_per_step"] * RUN_STEPS))
    if affordable < 1:
        return None
    rounds = min(max(least_rounds, affordable), 10 * least_rounds)
    bare, observed = alternate(rounds, lambda: engine.number("record", *shape, RUN_STEPS, "none"),
                               lambda: engine.number("record", *shape, RUN_STEPS, "scalars"))
    return observed / bare - 1


def two_thread_speedup(engine, row, rounds, seconds):
    """How much faster two threads finish a sweep of 16 runs that takes one thread about `seconds`; nothing if it takes longer."""
    shape = [row[name] for name in CASE_KEYS]
    if 16 * row["us_per_step"] * 1e-6 > 2 * seconds:
        return {"two_thread_speedup": None, "sweep_seconds": None}
    steps = max(1, round(seconds / 16 / (row["us_per_step"] * 1e-6)))
    with tempfile.TemporaryDirectory() as folder:
        one, two = alternate(rounds, *(lambda n=n: engine.number("sweep", *shape, 16, steps, n, folder) for n in (1, 2)))
    return {"two_thread_speedup": one / two, "sweep_seconds": [one, two]}


def table(rows):
    print(f"{'case':<32}{'us/step':>10}{'steps/s':>10}{'roofline':>10}{'2 threads':>11}{'observing':>11}{'GFLOP/s':>10}{'of peak':>9}")
    for row in rows:
        print(f"{row['case']:<32}{row['us_per_step']:>10.2f}{row['steps_per_second']:>10.0f}{row['roofline_share']:>10.1%}"
              f"{or_dash(row['two_thread_speedup'], '.2f', 'x'):>11}{or_dash(row['observation_cost'], '.1%'):>11}"
              f"{or_dash(row.get('gflops'), '.1f'):>10}{or_dash(row.get('peak_share'), '.1%'):>9}")


def or_dash(value, form, unit=""):
    return "-" if value is None else f"{value:{form}}{unit}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="the engine's side, built from bench_steps.cpp")
    options.add_argument("--out", default="build/bench.json", type=pathlib.Path)
    options.add_argument("--rounds", default=25, type=int, help="turns per case; the best counts")
    options.add_argument("--seconds", default=0.05, type=float, help="length of a turn")
    options.add_argument("--quick", action="store_true", help="two turns of everything: does it work at all?")
    chosen = options.parse_args()
    rounds, seconds = (2, 0.02) if chosen.quick else (chosen.rounds, chosen.seconds)
    sweep_rounds, sweep_seconds = (2, 0.1) if chosen.quick else (8, 0.8)

    engine = Worker(chosen.engine)
    target = engine.ask("target")[0]
    fma, hertz = map(float, engine.ask("peak"))
    print(f"instruction set {target}, {hertz / 1e9:.2f} GHz, peak {fma / 1e9:.0f} G multiply-adds/s "
          f"({fma / hertz:.1f} a cycle), one thread")
    rows = time_steps(engine, rounds, seconds)
    for row in rows:
        row.update(target=target, hertz=hertz)
        row["observation_cost"] = observation_cost(engine, row, 2 if chosen.quick else RUN_ROUNDS)
        row.update(two_thread_speedup(engine, row, sweep_rounds, sweep_seconds))
    engine.close()

    table(rows)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {chosen.out}")
    missed = [f"two threads, {row['case']}" for row in rows if (row["two_thread_speedup"] or THREADS_TARGET) < THREADS_TARGET]
    missed += [f"observing, {row['case']}" for row in rows if (row["observation_cost"] or 0) > OBSERVATION_TARGET]
    one, two = (sum(row["sweep_seconds"][i] for row in rows if row["sweep_seconds"]) for i in (0, 1))
    print(f"two threads finish the sweeps of all cases {one / two:.2f} times as fast as one")
    for name in missed:
        print(f"below target: {name}")


if __name__ == "__main__":
    main()
