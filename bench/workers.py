#!/usr/bin/env python3
"""What workers cost: a sweep trained in packs, published, merged and judged, against the same sweep by `atto run`.

    python3 bench/workers.py build/atto [--seeds 400] [--pack 60] [--rounds 1]

Both have one thread and run at the same time, so that whatever else the machine does meets both alike. The worker is started by hand, as a
cluster's script starts it: a stand-in for Slurm takes the job. Prints processor seconds of both, their ratio and the elapsed time of each.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

# Runs of a phase diagram: a quarter of a second to a second each.
STUDY = """title = "A sweep for workers"
[training]
batch = 128
steps = 3000
rate = 0.01
[sweep.grid]
data.vocab = [10, 30, 100]
network.width = [2, 3, 4]
data.context = [3, 4, 8]
[seeds]
count = {seeds}
[[observe]]
what = ["loss", "perplexity", "accuracy"]
[[phenomenon]]
detector = "value"
name = "final"
series = "perplexity"
[[claim]]
id = "W-ends"
statement = "The perplexity ends between one and the size of the vocabulary."
quantity = "final.value"
statistic = "median"
region = [1, 100]
"""
STAND_IN = {"sbatch": "echo 1", "sinfo": "echo 1", "scontrol": "echo MaxArraySize = 1001", "squeue": "true"}


def cost_of(commands, folder, environment):
    """Processor seconds and elapsed seconds of commands, one after the other."""
    spent, start = 0.0, time.monotonic()
    for words in commands:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        complaint = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise RuntimeError(f"{' '.join(words)}: {complaint.decode()}")
        spent += used.ru_utime + used.ru_stime
    return spent, time.monotonic() - start


def both(program, seeds, pack, folder):
    """The two sides at the same time."""
    (folder / "sweep.toml").write_text(STUDY.format(seeds=seeds))
    stand_ins = folder / "slurm"
    stand_ins.mkdir()
    for name, does in STAND_IN.items():
        (stand_ins / name).write_text(f"#!/bin/sh\n{does}\n")
        (stand_ins / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{stand_ins}:{os.environ['PATH']}"}
    sides = {
        "alone": [[program, "run", "sweep.toml", "--store", "alone.db", "--threads", "1"]],
        "workers": [[program, "submit", "sweep.toml", "--slurm", "--threads", "1", "--pack", str(pack), "--folder", "job",
                     "--scratch", str(folder / "scratch")],
                    [program, "work", "job", "--task", "1"], [program, "collect", "job", "--store", "merged.db"]],
    }
    found = {}

    def measure(side):
        try:
            found[side] = cost_of(sides[side], folder, environment)
        except (OSError, RuntimeError) as error:
            found[side] = error
    threads = [threading.Thread(target=measure, args=(side,)) for side in sides]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in found.values():
        if isinstance(result, Exception):
            raise result
    packs = len(list((folder / "job" / "shards").glob("*.db")))
    return {"alone": found["alone"], "workers": found["workers"], "packs": packs, "ratio": found["workers"][0] / found["alone"][0]}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--seeds", default=400, type=int, help="of each of the 27 cells")
    options.add_argument("--pack", default=60, type=int, help="seconds that a pack should take")
    options.add_argument("--rounds", default=1, type=int)
    chosen = options.parse_args()
    for _ in range(chosen.rounds):
        with tempfile.TemporaryDirectory(prefix="atto-workers-") as folder:
            try:
                print(json.dumps(both(os.path.abspath(chosen.program), chosen.seeds, chosen.pack, pathlib.Path(folder))), flush=True)
            except (OSError, RuntimeError) as error:
                sys.exit(str(error))


if __name__ == "__main__":
    main()
