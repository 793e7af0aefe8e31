#!/usr/bin/env python3
"""`make bench`: the engine against PyTorch eager on one thread, and against what the machine could do at best.

    /usr/bin/python3 bench/run.py --engine build/atto_bench --out build/bench.json

Both run as long-lived processes and take turns, round by round, so that whatever else the machine does hits both; the best
round of each counts. README.md beside this says what is measured and how the roofline is counted.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import roofline
import transformers

# part (bench_steps.cpp), vocab, width, context, batch -> how many times faster than PyTorch eager it must be.
# A part is held to what the plain network of its size is held to, or the nearest size where the table has none.
CASES = {
    ("plain", 4, 2, 4, 128): 200,
    ("plain", 10, 2, 4, 512): 80,
    ("plain", 100, 2, 4, 128): 100,
    ("plain", 100, 2, 4, 512): 45,
    ("plain", 100, 10, 4, 512): 15,
    ("plain", 100, 10, 100, 512): 14,
    ("distance", 100, 2, 4, 512): 45,
    ("inverse", 100, 2, 4, 512): 45,
    ("harmonic", 100, 2, 4, 512): 45,
    ("unigram", 100, 2, 4, 128): 45,    # 512 answers a step, as the plain batch of 512
    ("unigram", 101, 2, 10, 128): 26,   # 1,280 answers: 100 at 128 and 45 at 512, carried on as a power of the answers
    ("positions", 30, 2, 4, 512): 60,   # between V = 10 and V = 100
    ("toy", 2, 256, 256, 32): 10,       # free scores on regression, T = d = 256
    ("regression", 2, 32, 32, 32): 3,   # transformers, see transformers.py; V means nothing to regression
    ("regression", 2, 64, 64, 32): 1.8,
    ("regression", 2, 128, 128, 32): 1.4,
    ("regression", 2, 256, 256, 32): 1.2,
    ("recall", 32, 32, 17, 128): 5,
}
CASE_KEYS = ("part", "vocab", "width", "context", "batch")
THREADS_TARGET = 1.9       # two threads against one on a sweep
OBSERVATION_TARGET = 0.02  # share of a run that measuring may take at the default schedule
RUN_STEPS = 3000           # the length of a run the default schedule is meant for
RUN_ROUNDS = 10            # turns of whole runs: at least so many, and up to ten times as many ...
RUN_SECONDS = 8            # ... while they stay within so many seconds a case
LEAST_TURNS = 5            # of a step that is slow: so many at least ...
CASE_SECONDS = 20          # ... and no more once a case has taken so long
# Kernels OpenBLAS can be told to use, by the instruction set the engine found.
BLAS_CORES = {"avx3": ("SkylakeX", "Haswell"), "avx2": ("Haswell",)}


class Worker:
    """A process that answers one line of numbers per line of request."""

    def __init__(self, *command, **environment):
        single = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **single, **environment})

    def ask(self, *request):
        self.process.stdin.write(" ".join(map(str, request)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"bench: {self.process.args[0]} ended while asked for: {' '.join(map(str, request))}")
        return answer.split()

    def number(self, *request):
        return float(self.ask(*request)[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def alternate(rounds, *measurements):
    """The best of `rounds` of each measurement, taken in turns."""
    results, start = [], time.monotonic()
    while len(results) < rounds and (len(results) < LEAST_TURNS or time.monotonic() - start < CASE_SECONDS):
        results.append([measure() for measure in measurements])
    return [min(column) for column in zip(*results)]


def start_torch(python, target):
    """PyTorch with the kernels of OpenBLAS that multiply fastest here, and their name. OpenBLAS chooses by the processor's model
    and, where that is younger than itself, falls back to SSE3 at a fifth of the speed; beating that would prove nothing."""
    script = str(pathlib.Path(__file__).with_name("torch_steps.py"))
    environments = [{}]
    if "OPENBLAS_CORETYPE" not in os.environ:
        environments += [{"OPENBLAS_CORETYPE": core} for core in BLAS_CORES.get(target, ())]
    tried = []
    for environment in environments:
        worker = Worker(python, script, **environment)
        tried.append((worker.number("product"), environment.get("OPENBLAS_CORETYPE", "as it comes"), worker))
    tried.sort(key=lambda one: -one[0])
    for _, _, worker in tried[1:]:
        worker.close()
    print("PyTorch, products by OpenBLAS: " + ", ".join(f"{core} {speed:.0f} GFLOP/s" for speed, core, _ in tried)
          + "; the first is used")
    return tried[0][2], tried[0][1]


def transformer_measures(shape, peak, mine, theirs, theirs_asked):
    """GFLOP/s of the matrix products each side takes, and what share of the peak that is."""
    flops = {"": transformers.Work(*shape), "torch_": transformers.Work(*shape, side="everywhere"),
             "torch_asked_": transformers.Work(*shape, side="asked")}
    measures = {"torch_asked_us_per_step": theirs_asked, "ratio_asked": theirs_asked / mine}
    for side, microseconds in zip(flops, (mine, theirs, theirs_asked)):
        rate = 2 * flops[side].multiply_adds() / microseconds * 1e6
        measures[side + "gflops"] = rate / 1e9
        measures[side + "peak_share"] = rate / (2 * peak)
    return measures


def steps_against_torch(engine, torch, rounds, seconds):
    for part, settings in transformers.SETTINGS.items():
        words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in settings.items()}
        engine.ask("part", part, *(f"{key}={word}" for key, word in words.items()))
    rows = []
    for shape, target in CASES.items():
        part, vocab, width, context, batch = shape
        is_transformer = part in transformers.SETTINGS
        peak = max(float(engine.ask("peak")[0]) for _ in range(2))
        measurements = [lambda: engine.number("step", *shape, seconds), lambda: torch.number("step", *shape, seconds)]
        if is_transformer:
            measurements.append(lambda: torch.number("step", f"{part}-asked", *shape[1:], seconds))
        mine, theirs, *asked = alternate(rounds, *measurements)
        count = transformers.Work(*shape) if is_transformer else None
        work = count.vector_instructions() if count else roofline.vector_instructions(*shape)
        moved = count.bytes_touched() if count else roofline.bytes_touched(*shape)
        rows.append({
            "case": f"{part} V={vocab} d={width} C={context} B={batch}", **dict(zip(CASE_KEYS, shape)),
            "us_per_step": mine, "steps_per_second": 1e6 / mine, "torch_us_per_step": theirs,
            "ratio": theirs / mine, "target_ratio": target,
            "roofline_share": work / peak * 1e6 / mine, "roofline_us": work / peak * 1e6,
            "vector_instructions": work, "bytes_touched": moved, "peak_fma_per_second": peak,
            **(transformer_measures(shape, peak, mine, theirs, *asked) if is_transformer else {}),
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
    print(f"{'case':<32}{'us/step':>10}{'steps/s':>10}{'torch us':>12}{'ratio':>9}{'target':>8}{'roofline':>10}"
          f"{'2 threads':>11}{'observing':>11}")
    for row in rows:
        print(f"{row['case']:<32}{row['us_per_step']:>10.2f}{row['steps_per_second']:>10.0f}{row['torch_us_per_step']:>12.1f}"
              f"{row['ratio']:>8.1f}x{row['target_ratio']:>7}x{row['roofline_share']:>10.1%}"
              f"{or_dash(row['two_thread_speedup'], '.2f', 'x'):>11}{or_dash(row['observation_cost'], '.1%'):>11}")


def or_dash(value, form, unit=""):
    return "-" if value is None else f"{value:{form}}{unit}"


def transformer_table(rows):
    """Beside the usual PyTorch module one that, as the engine, computes the last layer at the asked position only."""
    print(f"\n{'transformers':<36}{'ratio':>8}{'asked only':>12}{'GFLOP/s':>10}{'of peak':>9}{'torch':>8}{'of peak':>9}"
          f"{'asked only':>12}{'of peak':>9}")
    for row in rows:
        if "gflops" in row:
            print(f"{row['case']:<36}{row['ratio']:>7.2f}x{row['ratio_asked']:>11.2f}x" + "".join(
                f"{row[side + 'gflops']:>{width}.1f}{row[side + 'peak_share']:>9.1%}"
                for side, width in (("", 10), ("torch_", 8), ("torch_asked_", 12))))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="the engine's side, built from bench_steps.cpp")
    options.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    options.add_argument("--out", default="build/bench.json", type=pathlib.Path)
    options.add_argument("--rounds", default=25, type=int, help="turns each side takes per case; the best counts")
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
    torch, blas = start_torch(chosen.python, target)

    rows = steps_against_torch(engine, torch, rounds, seconds)
    torch.close()
    for row in rows:
        row.update(target=target, hertz=hertz, torch_blas=blas)
        row["observation_cost"] = observation_cost(engine, row, 2 if chosen.quick else RUN_ROUNDS)
        row.update(two_thread_speedup(engine, row, sweep_rounds, sweep_seconds))
    engine.close()

    table(rows)
    transformer_table(rows)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"written to {chosen.out}")
    missed = [row["case"] for row in rows if row["ratio"] < row["target_ratio"]]
    missed += [f"two threads, {row['case']}" for row in rows if (row["two_thread_speedup"] or THREADS_TARGET) < THREADS_TARGET]
    missed += [f"observing, {row['case']}" for row in rows if (row["observation_cost"] or 0) > OBSERVATION_TARGET]
    one, two = (sum(row["sweep_seconds"][i] for row in rows if row["sweep_seconds"]) for i in (0, 1))
    print(f"two threads finish the sweeps of all cases {one / two:.2f} times as fast as one")
    for name in missed:
        print(f"below target: {name}")


if __name__ == "__main__":
    main()
