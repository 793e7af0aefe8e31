#!/usr/bin/env python3
"""`make peers`: the same training in atto, PyTorch and JAX, side by side. README.md in the folder above explains the table.

    /usr/bin/python3 bench/peers/run.py --engine build/atto_bench --environments build/peers --out build/peers.json

All sides are long-lived processes pinned to the same cores that take turns, round by round. Exits with 1 when a peer ended
at another loss than the engine, which means that one of them did other work.
"""
import argparse
import json
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import cases
import results
import sides
import processor  # from the folder above, which `sides` adds to the path

SLOW = 1.5  # a peer that takes so many times as long as the best one leaves an ensemble or a sweep after its first round


class Entry:
    """What one side did in one case."""

    def __init__(self):
        self.seconds, self.losses, self.compilation = [], None, 0

    def add(self, turn):
        self.seconds.append(turn.seconds)
        self.compilation = max(self.compilation, turn.compilation)
        self.losses = [old + new for old, new in zip(self.losses, turn.losses)] if self.losses else turn.losses

    def values(self):
        return {"seconds": self.seconds, "losses": self.losses, "compilation": self.compilation, "derived": False}


def contestants(case, peers, rows):
    """(label, peer, variant, mode) of all that make sense. On two threads those that were slow on one are not tried again."""
    earlier = next((row for row in rows if (row["kind"], row["shapes"], row["threads"]) == (case.kind, case.shapes, 1)), None)
    chosen = []
    for peer in peers:
        for variant in cases.variants(peer.kind, case):
            name = f"{peer.name} {variant}"
            if earlier and case.threads > 1:
                ratios = {one["peer"]: one["ratio"] for one in earlier["peers"]}
                if ratios.get(name, 0) > SLOW * min(ratios.values()):
                    continue
            for mode in cases.modes(case):
                suffix = {"one": "", "pool": ", 2 threads", "pair": ", 2 processes"}[mode]
                chosen.append((name + suffix, peer, variant, mode))
    return chosen


def measure(case, engine, peers, rows):
    """All rounds of a case, in turns."""
    ours, theirs = Entry(), {}
    running = contestants(case, peers, rows)
    for number in range(case.rounds):
        ours.add(engine.train(case, number))
        for label, peer, variant, mode in running:
            theirs.setdefault(label, Entry()).add(peer.train(case, variant, mode, number))
        if case.kind != "single" and running:
            limit = SLOW * min(min(entry.seconds) for entry in theirs.values())
            running = [one for one in running if min(theirs[one[0]].seconds) <= limit]
    values = {label: entry.values() for label, entry in theirs.items()}
    return results.judge(case, ours.values(), {**values, **results.one_after_the_other(case, rows)})


def chosen_cases(options):
    known = cases.quick_cases() if options.quick else cases.all_cases()
    return [case for case in known if not options.only or any(word in case.name or word == case.kind for word in options.only)]


def parse_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--engine", default="build/atto_bench", help="built from bench_steps.cpp")
    options.add_argument("--environments", default="build/peers", type=pathlib.Path, help="where install.sh put JAX")
    options.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    options.add_argument("--out", default="build/peers.json", type=pathlib.Path)
    options.add_argument("--quick", action="store_true", help="a little of everything: does it work at all?")
    options.add_argument("--only", nargs="+", metavar="WORD", help="cases with one of these in their name, or of that kind: "
                         "single, ensemble, sweep")
    options.add_argument("--peer", nargs="+", metavar="NAME", help="peers whose name begins so: torch, jax")
    options.add_argument("--list", action="store_true", help="name the cases and end")
    return options.parse_args()


def main():
    options = parse_options()
    chosen = chosen_cases(options)
    if options.list or not chosen:
        print("\n".join(case.name for case in cases.all_cases()))
        return 0
    begun = time.monotonic()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        engine = sides.Engine(options.engine, folder)
        about = {"engine": engine.about(), "processor": processor.name(), "cores": sorted(set(sides.two_cores()))}
        wanted = lambda name: not options.peer or any(name.startswith(one) for one in options.peer)
        peers = [peer for peer in sides.jax_peers(options.environments) if wanted(peer.name)]
        if wanted("torch"):
            torch, about["torch_blas"] = sides.torch_peer(options.python, about["engine"]["target"])
            peers.insert(0, torch)
        about["versions"] = {peer.name: peer.version() for peer in peers}
        print(f"{about['processor']}, cores {about['cores']}, engine {about['engine']['target']}, {about['engine']['compiler']}")
        print("peers: " + ", ".join(f"{name} ({version})" for name, version in about["versions"].items()), flush=True)
        rows = []
        for number, case in enumerate(chosen, 1):
            row = measure(case, engine, peers, rows)
            rows.append(row)
            best = f"{row['ratio']:.2f}x {row['peers'][0]['peer']}" if row["peers"] else "no peer"
            print(f"[{number}/{len(chosen)}, {time.monotonic() - begun:.0f} s] {case.name}: {best}", flush=True)
            # After every case: half an hour of measurements is not to be lost.
            options.out.write_text(json.dumps(results.as_json({**about, "cases": rows}), indent=2) + "\n")
    print("\n".join(["", *results.table(rows)]))
    print(f"written to {options.out}")
    if options.quick:
        print("so short a run times nothing: its ratios are no figures")
    for row in rows:
        if row["reached"] is False and not options.quick:
            print(f"below its goal: {row['case']}, {row['ratio']:.2f} of {row['goal']}")
    failed = results.failures(rows)
    unknown = sum(one.get("same_work", True) is None for row in rows for one in row["peers"])
    print("\n".join(failed) if failed else "no side ended at another loss than the engine")
    if unknown:
        print(f"{unknown} times seeds were too few to tell")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
