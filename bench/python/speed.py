#!/usr/bin/env python3
"""`make python-speed`: what Python costs on top of the engine, and the same experiment in JAX.

    build/python-env/bin/python bench/python/speed.py --jax build/peers/*/bin/python

Both sides take turns of the same length, and the median of their ratios counts: a processor's clock, or a neighbour on
the same core, makes one turn a third faster than the next, and the best of many turns would be the luckiest. V = 100,
d = 2, C = 4, batch 512 throughout. Times are the clock's, on an otherwise idle machine; with --busy those spent on
processors, all threads together, which other programs change little, but which do not show waiting. Writes build/python-speed.json and the table of docs/python.md; parts that
are not named keep the figures they had.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import attoscope
import own_parts
import page
import processor
from worker import Worker

SHAPE = ("plain", 100, 2, 4, 512)
CONFIG = {"data.vocab": 100, "data.context": 4, "network.width": 2, "training.batch": 512}
CORES = len(os.sched_getaffinity(0))


clock = time.perf_counter


def seconds(call):
    start = clock()
    call()
    return clock() - start


def seconds_of_child(process, call):
    """Of a program that answers while `call` waits for it, or that `call` runs to its end."""
    if clock is time.perf_counter:
        return seconds(call)
    tick = os.sysconf("SC_CLK_TCK")

    def spent():
        if process is None:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / tick

    start = spent()
    call()
    return spent() - start


def best_in_turns(rounds, *calls):
    return [min(column) for column in zip(*([call() for call in calls] for _ in range(rounds)))]


def advancing(engine, steps, runs, rounds):
    """Calls of Ensemble.advance(steps) one after the other against threads of the engine that train as many steps with
    the same shares and without a pause; on a busy machine against its own loop. Where there are fewer runs than cores
    both are kept to the same ones: two cores of a machine that others share may differ by more than what is measured."""
    everywhere = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, everywhere[:runs])
    native = Worker(engine, cores=everywhere[:runs])
    ensemble = attoscope.Ensemble(CONFIG, seeds=runs)
    ensemble.advance(1)
    calls = max(1, 3200 // (steps * runs))
    turn = lambda: seconds(lambda: [ensemble.advance(steps) for _ in range(calls)])
    length = turn()

    def ours():
        return turn() / (calls * steps * runs)

    def theirs():
        if clock is time.perf_counter:
            return 1e-6 * native.number("threads", *SHAPE, runs, calls * steps, min(runs, CORES))
        return 1e-6 * native.number("step", *SHAPE, length)

    python, bare, ratio = own_parts.in_turns(rounds, ours, theirs)
    native.close()
    os.sched_setaffinity(0, everywhere)
    return {"steps": steps, "runs": runs, "python_us": 1e6 * python, "native_us": 1e6 * bare, "ratio": ratio}


def measure_advance(options):
    found = [advancing(options.engine, 10, runs, 3 * options.rounds) for runs in (1, 4, 5, 16, 64)]
    return found + [advancing(options.engine, 1000, runs, options.rounds) for runs in (1, 4, 16)]


def measure_run(options):
    """study.run into a store against `atto run` of the same file; the start of the interpreter is not the study's."""
    study = attoscope.Study("speed", training={"steps": 3000}).set(CONFIG).observe(["loss", "perplexity"], every=10).seeds(32)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study.save(folder / "speed.toml")

        def fresh():
            for file in folder.glob("runs.db*"):
                file.unlink()
            return str(folder / "runs.db")

        def native():
            command = [options.program, "run", str(folder / "speed.toml"), "--store", fresh()]
            return seconds_of_child(None, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

        ours = lambda: seconds(lambda path=fresh(): study.run(store=path, progress=False))
        python, engine, ratio = own_parts.in_turns(options.rounds, ours, native)
    return {"python_seconds": python, "native_seconds": engine, "ratio": 1 / ratio}


def measure_dataset(options, runs=10_000):
    """So many curves of 300 points from a store into an xarray.Dataset."""
    import xarray  # noqa: F401  # imported once, and not part of the measurement

    study = attoscope.Study("curves", data={"vocab": 2, "context": 2}, training={"steps": 299, "batch": 1}).observe("loss", every=1)
    result = study.run(seeds=runs, progress=False)

    def load():
        result.__dict__.pop("dataset", None)
        assert result.dataset["loss"].shape == (runs, 300)

    return {"runs": runs, "seconds": best_in_turns(3, lambda: seconds(load))[0]}


def measure_parts(options):
    return {"task": own_parts.compare_tasks(options.rounds, clock), "observable": own_parts.weigh_observable(5)}


def measure_import(options):
    """Processor time of `import attoscope`, without that of the interpreter's own start."""
    code = "import time; start = time.process_time(); import attoscope; print(time.process_time() - start)"
    run = lambda: float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    return {"seconds": best_in_turns(10, run)[0]}


def measure_jax(options, steps=300, runs=64):
    """The same ensemble by JAX: jit, scan over steps, vmap over seeds (bench/peers has the program), in its fastest form, on
    one core and on all."""
    found = []
    for cores in sorted({1, CORES}):
        peers, workers = {}, []
        for interpreter in options.jax:
            jax = Worker(interpreter, str(pathlib.Path(page.__file__).parent / "peers/jax_worker.py"), cores=list(range(cores)))
            workers.append(jax)
            version = jax.ask("versions")[0]
            for variant in ("vmap", "vmap-onehot", "vmap-rows"):
                peers[f"{version} {variant}"] = jax, variant
        best = {name: [float("inf")] * 2 for name in peers}
        ours = float("inf")
        for turn in range(3):
            if turn == 1:  # forms that are far behind will not win
                front = 1.3 * min(one[0] for one in best.values())
                peers = {name: peer for name, peer in peers.items() if best[name][0] <= front}
            ensemble = attoscope.Ensemble(CONFIG, seeds=runs, threads=cores)
            ours = min(ours, seconds(lambda: ensemble.advance(steps)))
            for name, (jax, variant) in peers.items():
                request = ("train", variant, "keep", 1, runs, steps, *SHAPE)
                answer = []
                spent = seconds_of_child(jax.process, lambda: answer.extend(map(float, jax.ask(*request)[:2])))
                if clock is not time.perf_counter:
                    answer[0] = spent if best[name][1] < float("inf") else float("inf")  # the first turn compiles, too
                best[name] = [min(pair) for pair in zip(best[name], answer)]
        for jax in workers:
            jax.close()
        name = min(best, key=lambda one: best[one][0])
        peer, compilation = best[name]
        found.append({"cores": cores, "peer": name, "runs": runs, "steps": steps, "seconds": ours, "jax_seconds": peer,
                      "compilation": compilation, "ratio": peer / ours, "ratio_with_compilation": (peer + compilation) / ours,
                      "all": best})
    return found


PARTS = {"advance": measure_advance, "run": measure_run, "dataset": measure_dataset, "parts": measure_parts,
         "import": measure_import, "jax": measure_jax}


def table(found):
    """The lines of docs/python.md."""
    rows = []
    for one in found.get("advance", []):
        goal = 0.9 if one["steps"] < 1000 else 0.97
        rows.append((f"`Ensemble.advance({one['steps']})`, {one['runs']} run{'s' * (one['runs'] > 1)}, over the engine's own threads",
                     f"{one['ratio']:.2f} × ({one['python_us']:.2f} against {one['native_us']:.2f} µs a step)", f"≥ {goal} ×", one["ratio"] >= goal))
    if one := found.get("run"):
        rows.append(("`study.run` into a store, over `atto run`", f"{100 * (one['ratio'] - 1):+.1f} %", "≤ +3 %", one["ratio"] <= 1.03))
    if one := found.get("dataset"):
        rows.append((f"{one['runs']:,} curves of 300 points into a Dataset", f"{one['seconds']:.2f} s", "< 1 s", one["seconds"] < 1))
    if both := found.get("parts"):
        one = both["task"]
        rows.append(("a task in NumPy, over the built-in one", f"{one['ratio']:.2f} × ({one['python_us']:.1f} against "
                     f"{one['native_us']:.1f} µs a step)", "≥ 0.5 ×", one["ratio"] >= 0.5))
        one = both["observable"]
        rows.append(("an observable in NumPy, every 50 steps", f"{one['besides_us']:.2f} µs a run and call besides {one['numpy_us']:.2f} in NumPy",
                     "< 5 µs", one["besides_us"] < 5))
    if one := found.get("import"):
        rows.append(("`import attoscope`", f"{1e3 * one['seconds']:.0f} ms", "< 150 ms", one["seconds"] < 0.15))
    for one in found.get("jax", []):
        cores = f"{one['cores']} core{'s' * (one['cores'] > 1)}"
        rows.append((f"JAX {one['peer']} (jit, scan) over `Ensemble.advance`: {one['runs']} seeds, {one['steps']} steps, {cores}",
                     f"{one['ratio']:.1f} × the time; {one['ratio_with_compilation']:.1f} × with {one['compilation']:.1f} s of compilation", "", None))
    verdict = {True: "reached", False: "**missed**", None: ""}
    kind = "Times on processors, while other programs ran." if found["busy"] else "Times by the clock, on an idle machine."
    return [f"{found['processor']}, {found['target']}, {found['cores']} cores, Python {found['python']}. {kind}", "", "| what | measured | goal | |",
            "|---|---|---|---|", *(page.row_of(*row[:3], verdict[row[3]]) for row in rows)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="built from bench/bench_steps.cpp")
    options.add_argument("--program", default="build/atto")
    options.add_argument("--jax", nargs="*", default=[], help="interpreters that have JAX (bench/peers/install.sh); without it JAX is left out")
    options.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    options.add_argument("--rounds", type=int, default=12)
    options.add_argument("--busy", action="store_true", help="other programs run: compare times on processors")
    options.add_argument("--out", default="build/python-speed.json", type=pathlib.Path)
    options.add_argument("--page", default="docs/python.md", type=pathlib.Path)
    chosen = options.parse_args()
    global clock
    clock = time.process_time if chosen.busy else time.perf_counter

    found = json.loads(chosen.out.read_text()) if chosen.out.exists() else {}
    native = Worker(chosen.engine)
    found |= {"processor": processor.name(), "target": native.ask("target")[0], "cores": CORES,
              "busy": chosen.busy, "python": platform.python_version()}
    native.close()
    for part in chosen.parts:
        if part == "jax" and not chosen.jax:
            continue
        found[part] = PARTS[part](chosen)
        chosen.out.write_text(json.dumps(found, indent=2) + "\n")
    lines = table(found)
    print("\n".join(lines))
    chosen.page.write_text(page.with_table(chosen.page.read_text(), "python-speed", lines))


if __name__ == "__main__":
    main()
