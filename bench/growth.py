#!/usr/bin/env python3
"""`make growth`: how the cost of a step and of a sweep grows, and what a large sweep takes besides training.

    python3 bench/growth.py --engine build/atto_bench --out build/growth.json --figure docs/figures/growth.svg

README.md beside this says what is measured.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import fits
import growth_axes
import growth_figure
import measure
from worker import Worker

THREADS = 2
THREADS_GOAL, OVERHEAD_GOAL = 1.9, 0.05
LARGE_RUNS, LARGE_STEPS = 10_000, 1_000
LARGE_SHAPES = (("plain", 10, 2, 4, 512), ("plain", 10, 2, 4, 128))


def two_cores():
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < THREADS:
        sys.exit(f"growth: {THREADS} threads are measured, and there is one core")
    return cores[:THREADS]


def of_steps(engine, axis, rounds, seconds):
    columns = measure.alternate(rounds, *(lambda size=size: engine.number("step", *axis.shape(size), seconds) for size in axis.sizes))
    return {"axis": axis.name, "title": axis.title, "case": axis.case, "why": axis.why, "unit": "µs a step", "sizes": axis.sizes,
            "expected": axis.expected, **fits.exponent(axis.sizes, list(zip(*columns)))}


def of_runs(engine, counts, rounds, folder):
    """By the time on processors, which waiting for other programs does not spoil."""
    sweep = lambda runs: float(engine.ask("sweep", *growth_axes.RUNS_SHAPE, runs, growth_axes.RUNS_STEPS, THREADS, folder)[2])
    columns = measure.alternate(rounds, *(lambda runs=runs: sweep(runs) for runs in counts))
    return {"axis": "runs", "steps": growth_axes.RUNS_STEPS, "threads": THREADS, "title": "runs of a sweep", "unit": "s on processors", "sizes": counts, "expected": growth_axes.RUNS_EXPECTED,
            "case": "V = 10, d = 2, C = 4, batch 128",
            "why": "runs are independent", **fits.exponent(counts, list(zip(*columns)))}


def peak_bytes(program, runs, folder):
    """The most memory that a program which does one sweep ever held, as the kernel says."""
    worker = Worker(program)
    worker.ask("sweep", *growth_axes.RUNS_SHAPE, runs, 20, THREADS, folder)
    status = pathlib.Path(f"/proc/{worker.process.pid}/status").read_text()
    worker.close()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])


def of_memory(program, counts, folder):
    amounts = [peak_bytes(program, runs, folder) for runs in counts]
    return {"runs": counts, "peak_bytes": amounts, "bytes_per_run": fits.growth_per_item(counts, amounts)}


def of_threads(engine, rounds, folder):
    """The best of sweeps on one thread over the best on two."""
    shape, runs, steps = LARGE_SHAPES[0], 64, LARGE_STEPS
    one, two = measure.best_of(rounds, *(lambda n=n: engine.number("sweep", *shape, runs, steps, n, folder) for n in (1, THREADS)))
    return {"seconds": [one, two], "speedup": one / two}


def step_on_both_cores(pair, shape, seconds, rounds):
    """Microseconds of a bare training step while the other core does the same: the best of the rounds' means."""
    means = []
    for _ in range(rounds):
        for worker in pair:
            worker.send("step", *shape, seconds)
        means.append(sum(float(worker.receive()[0]) for worker in pair) / len(pair))
    return min(means)


def of_large_sweep(engine, pair, shape, runs, rounds, folder):
    """What a sweep takes besides training, by three measures: of the threads' time, what was not spent in runs, whose set-up and
    observing count as theirs; the same of the time spent on processors, which does not see threads wait, nor other programs; and
    of the threads' time, what bare steps at the same concurrency would not take."""
    before = step_on_both_cores(pair, shape, 0.2, rounds)
    wall, training, processor = map(float, engine.ask("sweep", *shape, runs, LARGE_STEPS, THREADS, folder))
    step = min(before, step_on_both_cores(pair, shape, 0.2, rounds))
    bare = runs * LARGE_STEPS * step * 1e-6
    return {"shape": shape, "runs": runs, "steps": LARGE_STEPS, "threads": THREADS, "seconds": wall, "training_seconds": training,
            "processor_seconds": processor, "us_per_step": step, "scheduler_and_store": fits.overhead(training, THREADS, wall),
            "of_processor_time": fits.overhead(training, 1, processor), "beside_bare_steps": fits.overhead(bare, THREADS, wall)}


def report(found):
    print(f"{found['target']}, the engine by {found['compiler']}")
    print(f"{'cost against':<18}{'exponent':>9}{'quartiles of rounds':>22}{'fitted on':>16}{'expected':>12}  of")
    for row in found["axes"]:
        low, high = row["quartiles"]
        within = row["expected"][0] <= row["exponent"] <= row["expected"][1]
        print(f"{row['title']:<18}{row['exponent']:>9.3f}{f'{low:.3f} .. {high:.3f}':>22}"
              f"{str(row['fitted_from']) + ' .. ' + str(row['fitted_to']):>16}{'{} .. {}'.format(*row['expected']):>12}  "
              f"{row['case']}" + ("" if within else "   OUTSIDE"))
    memory = found["memory"]
    print(f"memory of a sweep: {memory['peak_bytes'][0] / 1e6:.1f} MB with {memory['runs'][0]} runs, "
          f"{memory['peak_bytes'][-1] / 1e6:.1f} MB with {memory['runs'][-1]}: {memory['bytes_per_run']:.0f} bytes a run")
    print(f"two threads: {found['threads']['speedup']:.2f} times as fast as one, goal {THREADS_GOAL}")
    for sweep in found["sweeps"]:
        print(f"{sweep['runs']:,} runs of V=10 d=2 C=4 batch {sweep['shape'][-1]}, {sweep['steps']:,} steps, {sweep['threads']} threads: "
              f"{sweep['seconds']:.1f} s; scheduler and store {sweep['scheduler_and_store']:.1%}, goal {OVERHEAD_GOAL:.0%} "
              f"({sweep['of_processor_time']:.1%} of the processor's time); all beside bare steps of {sweep['us_per_step']:.2f} us {sweep['beside_bare_steps']:.1%}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="built from bench_steps.cpp")
    options.add_argument("--out", default="build/growth.json", type=pathlib.Path)
    options.add_argument("--figure", default="docs/figures/growth.svg", type=pathlib.Path)
    options.add_argument("--rounds", default=15, type=int, help="turns of every size; the best counts")
    options.add_argument("--seconds", default=0.05, type=float, help="length of a turn")
    options.add_argument("--quick", action="store_true", help="few turns, small sweeps: does it work at all?")
    chosen = options.parse_args()
    rounds, seconds, runs = (3, 0.02, 200) if chosen.quick else (chosen.rounds, chosen.seconds, LARGE_RUNS)
    counts = growth_axes.RUNS[:-1] if chosen.quick else growth_axes.RUNS

    engine, pair = Worker(chosen.engine), [Worker(chosen.engine, cores={core}) for core in two_cores()]
    growth_axes.name_stacks(engine)
    with tempfile.TemporaryDirectory() as folder:
        found = {**measure.about(engine), "axes": [of_steps(engine, axis, rounds, seconds) for axis in growth_axes.AXES]}
        found["axes"].append(of_runs(engine, counts, max(3, rounds // 3), folder))
        found["memory"] = of_memory(chosen.engine, counts, folder)
        found["threads"] = of_threads(engine, max(3, rounds // 2), folder)
        found["sweeps"] = [of_large_sweep(engine, pair, shape, runs, rounds, folder) for shape in LARGE_SHAPES]
    for worker in (engine, *pair):
        worker.close()
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(found, indent=2) + "\n")
    report(found)
    print(f"written to {chosen.out}")
    growth_figure.draw(found, chosen.figure)
    print(f"drawn in {chosen.figure}")


if __name__ == "__main__":
    main()
