#!/usr/bin/env python3
"""`make bench`: the engine against what the machine could do at best, on one thread.

    python3 bench/run.py --engine build/atto_bench --out build/bench.json

README.md beside this says what is measured and how the roofline is counted.
"""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
import forms
import measure
import shapes
import table
import training_parts
from worker import Worker


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="built from bench_steps.cpp")
    options.add_argument("--out", default="build/bench.json", type=pathlib.Path)
    # Short turns, and many: the best of them then met no other program, however seldom that is.
    options.add_argument("--rounds", default=400, type=int, help="turns per case; the best counts")
    options.add_argument("--seconds", default=0.003, type=float, help="length of a turn")
    options.add_argument("--quick", action="store_true", help="two turns of everything: does it work at all?")
    options.add_argument("--steps-only", action="store_true", help="leave out threads and observing")
    chosen = options.parse_args()
    rounds, seconds = (2, 0.02) if chosen.quick else (chosen.rounds, chosen.seconds)
    run_rounds, sweep_rounds, sweep_seconds = (2, 2, 0.1) if chosen.quick else (measure.RUN_ROUNDS, 12, 0.8)

    engine = Worker(chosen.engine)
    shapes.name_parts(engine)
    about = measure.about(engine)
    peak, rows = measure.read_peak(engine), []
    for shape in shapes.SHAPES:
        time = measure.step_time(engine, shape, rounds, seconds)
        if shape[0] in shapes.DRAWN:
            time["drawing_share"] = measure.drawing_share(engine, shape, time["us_per_step"], rounds, seconds)
        peak = measure.read_peak(engine, peak)
        rows.append({"case": shapes.name_of(shape), **dict(zip(shapes.SHAPE_KEYS, shape)), **about, **time,
                     "steps_per_second": 1e6 / time["us_per_step"], "observation_cost": None, "two_thread_speedup": None, "sweep_seconds": None})
    for shape, row in zip(shapes.SHAPES, rows):
        row.update(measure.limits(shape, row["us_per_step"], peak, row.get("sustained_multiply_adds")), peak=peak)
        if not chosen.steps_only:
            row["observation_cost"] = measure.observation_cost(engine, shape, row["us_per_step"], run_rounds)
            row.update(measure.two_thread_speedup(engine, shape, row["us_per_step"], sweep_rounds, sweep_seconds))
    updates = training_parts.update_rows(engine, rounds, seconds)
    settings = training_parts.step_rows(engine, rounds, seconds)
    form_rows = forms.rows(engine, rounds, seconds)
    engine.close()

    table.print_peak(about, peak)
    table.print_table(rows)
    training_parts.print_rows(updates, settings)
    forms.print_rows(form_rows)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(rows, indent=2) + "\n")
    chosen.out.with_name("training.json").write_text(json.dumps({"updates": updates, "steps": settings}, indent=2) + "\n")
    chosen.out.with_name("forms.json").write_text(json.dumps(form_rows, indent=2) + "\n")
    print(f"written to {chosen.out}")
    swept = [row["sweep_seconds"] for row in rows if row["sweep_seconds"]]
    if swept:
        one, two = (sum(pair[i] for pair in swept) for i in (0, 1))
        print(f"two threads finish the sweeps of all cases {one / two:.2f} times as fast as one")
    for line in shapes.missed_goals(rows) + forms.missed_goals(form_rows):
        print(f"below its goal: {line}")


if __name__ == "__main__":
    main()
