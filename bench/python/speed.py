#!/usr/bin/env python3
"""`make python-speed`: what Python costs on top of the engine. docs/python.md has the table.

    build/python-env/bin/python bench/python/speed.py --jax build/peers/jax/bin/python

Both sides take turns, and the best turn of each counts. Times are those that a process spends on processors, all of its
threads together: they hardly change when other programs run on the machine, which the time on the wall does. JAX answers
with the time on the wall only, so those two are compared by it. V = 100, d = 2, C = 4, batch 512 throughout.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import attoscope
from worker import Worker

SHAPE = ("plain", 100, 2, 4, 512)
CONFIG = {"data.vocab": 100, "data.context": 4, "network.width": 2, "training.batch": 512}


def processor_seconds(call):
    """What the call takes of this process, all threads."""
    before = time.process_time()
    call()
    return time.process_time() - before


def child_seconds(command):
    """The same of a program that is run to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best_in_turns(rounds, *calls):
    return [min(column) for column in zip(*([call() for call in calls] for _ in range(rounds)))]


def advancing(native, steps, rounds, runs):
    """Ensemble.advance(steps) of so many runs on one thread against the engine's own loop: their throughputs as a ratio. A turn of the
    engine is as long as a call, so that the best turn of both had the same chance of a quiet machine."""
    ensemble = attoscope.Ensemble(CONFIG, seeds=runs, threads=1)
    ensemble.advance(1)
    length = processor_seconds(lambda: ensemble.advance(steps))
    ours, theirs = best_in_turns(
        rounds,
        lambda: processor_seconds(lambda: ensemble.advance(steps)) / (steps * runs),
        lambda: 1e-6 * native.number("step", *SHAPE, length),
    )
    return {"python_us": 1e6 * ours, "native_us": 1e6 * theirs, "ratio": theirs / ours}


def running(program, rounds, seeds):
    """study.run into a store against `atto run` of the same file; the start of the interpreter is not the study's."""
    study = attoscope.Study("speed", training={"steps": 3000}).set(CONFIG).observe(["loss", "perplexity"], every=10).seeds(seeds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study.save(folder / "speed.toml")

        def fresh():
            for file in folder.glob("runs.db*"):
                file.unlink()
            return str(folder / "runs.db")

        ours, theirs = best_in_turns(
            rounds,
            lambda: processor_seconds(lambda path=fresh(): study.run(store=path, progress=False)),
            lambda: child_seconds([program, "run", str(folder / "speed.toml"), "--store", fresh()]),
        )
    return {"python_seconds": ours, "native_seconds": theirs, "ratio": ours / theirs}


def curves(runs, rounds):
    """So many curves of 300 points from a store into an xarray.Dataset."""
    import xarray  # noqa: F401  # imported once, and not part of the measurement

    study = attoscope.Study("curves", data={"vocab": 2, "context": 2}, training={"steps": 299, "batch": 1}).observe("loss", every=1)
    result = study.run(seeds=runs, progress=False)

    def load():
        result.__dict__.pop("dataset", None)
        assert result.dataset["loss"].shape == (runs, 300)

    return {"runs": runs, "seconds": best_in_turns(rounds, lambda: processor_seconds(load))[0]}


def against_jax(python, steps, rounds, runs=64):
    """The same ensemble by JAX: jit, scan over steps, vmap over seeds (bench/peers has the program), one thread each."""
    jax = Worker(python, str(pathlib.Path(__file__).resolve().parents[1] / "peers/jax_worker.py"), cores=[0])
    compilation = []

    def theirs(keep="keep"):
        seconds, compiled, *_ = map(float, jax.ask("train", "vmap", keep, 1, runs, steps, *SHAPE))
        compilation.append(compiled)
        return seconds

    def ours():
        ensemble = attoscope.Ensemble(CONFIG, seeds=runs, threads=1)
        start = time.perf_counter()
        ensemble.advance(steps)
        return time.perf_counter() - start

    atto, peer = best_in_turns(rounds, ours, theirs)
    version = jax.ask("versions")[0]
    jax.close()
    return {"version": version, "runs": runs, "steps": steps, "seconds": atto, "jax_seconds": peer, "compilation": min(compilation),
            "ratio": peer / atto, "ratio_with_compilation": (peer + min(compilation)) / atto}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="built from bench/bench_steps.cpp")
    options.add_argument("--program", default="build/atto")
    options.add_argument("--jax", help="an interpreter that has JAX (bench/peers/install.sh); without it JAX is left out")
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--out", default="build/python-speed.json", type=pathlib.Path)
    chosen = options.parse_args()

    native = Worker(chosen.engine)
    found = {"target": native.ask("target")[0], "python": sys.version.split()[0]}
    found["advance_10"] = advancing(native, 10, 5 * chosen.rounds, runs=64)
    found["advance_1000"] = advancing(native, 1000, chosen.rounds, runs=4)
    native.close()
    found["run"] = running(chosen.program, max(3, chosen.rounds // 3), seeds=8)
    found["dataset"] = curves(10_000, max(3, chosen.rounds // 5))
    if chosen.jax:
        found["jax"] = against_jax(chosen.jax, steps=300, rounds=max(3, chosen.rounds // 3))
    chosen.out.write_text(json.dumps(found, indent=2) + "\n")
    print("\n".join(table(found)))
    print(f"written to {chosen.out}")


def table(found):
    """The rows of docs/python.md."""
    rows = [("what", "measured", "goal"), ("---",) * 3]
    for steps, runs, goal in ((10, 64, 0.9), (1000, 4, 0.97)):
        one = found[f"advance_{steps}"]
        rows.append((f"`Ensemble.advance({steps})` over the engine's own loop, {runs} runs on one thread", f"{one['ratio']:.3f} × ({one['python_us']:.1f} against "
                     f"{one['native_us']:.1f} µs a step)", f"≥ {goal} ×"))
    one = found["run"]
    rows.append(("`study.run` over `atto run`", f"{100 * (one['ratio'] - 1):+.1f} %", "≤ +3 %"))
    one = found["dataset"]
    rows.append((f"{one['runs']:,} curves of 300 points into a Dataset", f"{one['seconds']:.2f} s", "< 1 s"))
    if "jax" in found:
        one = found["jax"]
        rows.append((f"64 seeds, {one['steps']} steps: JAX {one['version']} (jit, scan, vmap) over `Ensemble.advance`, one core",
                     f"{one['ratio']:.1f} ×; with {one['compilation']:.1f} s of compilation {one['ratio_with_compilation']:.1f} ×", ""))
    return [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    main()
