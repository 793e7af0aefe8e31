#!/usr/bin/env python3
"""What do verdicts cost? The `reproduce` of two checkouts in turns, study by study, each on one thread into a store of its own.

    python3 bench/reproduce_time.py OLD NEW [STUDY...] [--folder DIR]

OLD and NEW are folders with `build/atto` and `studies`. Processor time counts, so what else the machine does matters little, and
meets both alike. Times are kept in the folder after each study: a second call goes on where the first one ended.

Two ratios are printed: everything that NEW does against everything that OLD does, and what NEW does for the claims that OLD
has too. A study that asks more than before trains for both; each of its runs counts for the old claims if one of them speaks
of it and was not decided without it, or if no claim speaks of it at all.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import reproduce_shares

PROFILE = "quick"


def seconds_of(command, output):
    """Processor seconds of a program and its children; what it prints goes to a file."""
    with open(output, "w", encoding="utf-8") as out, open(output.with_suffix(".log"), "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=out, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed: see {output.with_suffix('.log')}")
    return usage.ru_utime + usage.ru_stime


class Program:
    def __init__(self, name, checkout, folder):
        self.name, self.folder = name, folder
        self.atto, self.studies = checkout / "build" / "atto", checkout / "studies"
        self.store = folder / f"{name}.db"

    def names(self):
        return {path.stem for path in self.studies.glob("*.toml")}

    def verdicts(self, study):
        return json.loads((self.folder / f"{self.name}-{study}.json").read_text(encoding="utf-8"))

    def reproduce(self, study):
        command = [self.atto, "reproduce", study, "--profile", PROFILE, "--threads", "1", "--json", "--studies", self.studies, "--store", self.store]
        return seconds_of(command, self.folder / f"{self.name}-{study}.json")


def measure(old, new, studies, record):
    """Adds to {study: {program: seconds}}, and keeps it in a file. Who goes first changes with every study."""
    times = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    for turn, study in enumerate(studies):
        row = times.setdefault(study, {})
        for program in (old, new) if turn % 2 == 0 else (new, old):
            if program.name not in row and study in program.names():
                row[program.name] = program.reproduce(study)
                record.write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")
    return times


def rows_of(times, new, old_claims):
    """[(study, seconds of the old program, of the new one, of these for old claims)]"""
    wanted, spent = reproduce_shares.read(new, list(times), old_claims, PROFILE)
    rows = []
    for study, seconds in sorted(times.items()):
        share = reproduce_shares.share(study, wanted, spent, [claim["claim"] for claim in new.verdicts(study)], old_claims)
        rows.append((study, seconds.get("old", 0), seconds["new"], seconds["new"] * share))
    return rows


def table(rows):
    lines = ["| study | old, s | new, s | of these for old claims, s |", "|---|---|---|---|"]
    lines += [f"| {study} | {before:.1f} | {after:.1f} | {share:.1f} |" for study, before, after, share in rows]
    before, after, share = (sum(row[i] for row in rows) for i in (1, 2, 3))
    lines.append(f"| all {len(rows)} | {before:.0f} | {after:.0f} | {share:.0f} |")
    if before > 0:
        lines += ["", f"old claims: {share / before:.2f} x the time of before; everything: {after / before:.2f} x"]
    return "\n".join(lines)


def open_text(verdicts, old_claims):
    def count(claims):
        still = sum(claim["verdict"] == "inconclusive" for claim in claims)
        return f"{still} of {len(claims)}" + (f" ({100 * still / len(claims):.1f} %)" if claims else "")

    return f"open claims: {count(verdicts)}; of the old ones {count([claim for claim in verdicts if claim['claim'] in old_claims])}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("old", type=Path, help="a checkout with build/atto")
    options.add_argument("new", type=Path, help="another one")
    options.add_argument("studies", nargs="*", metavar="STUDY", help="only these")
    options.add_argument("--folder", type=Path, default=Path("build/reproduce-time"), help="of stores, verdicts and times")
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    old, new = (Program(name, checkout.resolve(), chosen.folder) for name, checkout in (("old", chosen.old), ("new", chosen.new)))
    unknown = set(chosen.studies) - new.names()
    if unknown:
        raise SystemExit(f"{new.studies} has no study {', '.join(sorted(unknown))}")
    old_claims = reproduce_shares.claims_in(old.studies)
    times = measure(old, new, chosen.studies or sorted(new.names()), chosen.folder / "times.json")
    times = {study: row for study, row in times.items() if "new" in row and ("old" in row or study not in old.names())}
    print(table(rows_of(times, new, old_claims)))
    print(open_text([claim for study in times for claim in new.verdicts(study)], old_claims))


if __name__ == "__main__":
    main()
