#!/usr/bin/env python3
"""Instructions of a training step, counted by Valgrind, against those recorded: slower code shows, a busy machine does not.

    python3 tests/performance/instructions.py build/tests/atto_steps "GNU 12.2.0 -O2 -DNDEBUG"           compare
    python3 tests/performance/instructions.py build/tests/atto_steps "GNU 12.2.0 -O2 -DNDEBUG" --record  record, as `make instructions`

Only the training loop is counted (counted_steps in steps.cpp), and a step's count is the difference of two runs of
different lengths over the steps between them, so that what the first step does for all cancels. It depends on the compiler and its flags, so there is a record for each that somebody made;
for any other the test is skipped, as a count from elsewhere would say nothing. ATTO_REQUIRE_INSTRUCTIONS in the
environment, as in CI, makes every skip a failure.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

RECORD = pathlib.Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03
SKIPPED = 77
# Steps of the shorter and of the longer run, by case of steps.cpp: a second or so of Valgrind each.
LENGTHS = {"tiny": (2, 22), "wide-vocabulary": (1, 5), "transformer": (1, 3)}


def instructions_in(report):
    """The total in what callgrind says at its end."""
    found = re.search(r"Collected : (\d+)", report)
    if not found:
        raise ValueError(f"no count in what Valgrind said:\n{report}")
    return int(found[1])


def instructions_of_run(program, case, steps):
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=counted_steps", "--callgrind-out-file=/dev/null", program,
               case, str(steps)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return instructions_in(done.stderr)


def instructions_per_step(program, case, lengths, count=instructions_of_run):
    shorter, longer = lengths
    return round((count(program, case, longer) - count(program, case, shorter)) / (longer - shorter))


def change(recorded, counted):
    """Relative: +0.05 is 5 % more instructions than recorded."""
    return counted / recorded - 1


def complaints(recorded, counted):
    """One line for each case that left its band; a case that only one side knows is a complaint, too."""
    found = [f"{case}: only {'recorded' if case in recorded else 'counted'}" for case in sorted(recorded.keys() ^ counted.keys())]
    for case in sorted(recorded.keys() & counted.keys()):
        moved = change(recorded[case], counted[case])
        if abs(moved) > TOLERANCE:
            found.append(f"{case}: {recorded[case]:,} -> {counted[case]:,} instructions a step, {moved:+.1%}, outside "
                         f"±{TOLERANCE:.0%}")
    return found


def skip(reason):
    print(f"skipped: {reason}")
    return 1 if os.environ.get("ATTO_REQUIRE_INSTRUCTIONS") else SKIPPED


def read_record():
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def check(counted, recorded):
    for case, number in counted.items():
        print(f"{case}: {number:,} instructions a step" + (f", recorded {recorded[case]:,}" if case in recorded else ""))
    found = complaints(recorded, counted)
    for line in found:
        print(line)
    if found:
        print("If that is meant, say why in the commit and run `make instructions`, which records the new counts.")
    return 1 if found else 0


def record(counted, compiler):
    records = read_record()
    old = records.get(compiler, {})
    for case, number in counted.items():
        before = f"{old[case]:,} -> {number:,} ({change(old[case], number):+.2%})" if case in old else f"new, {number:,}"
        print(f"{case}: {before} instructions a step")
    records[compiler] = counted
    RECORD.write_text(json.dumps(records, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"recorded for {compiler} in {RECORD}")
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", help="built from steps.cpp")
    options.add_argument("compiler", help="its name, version and flags: which record to compare with")
    options.add_argument("--record", action="store_true", help="write the counts instead of comparing them")
    chosen = options.parse_args()
    if not shutil.which("valgrind"):
        return skip("Valgrind counts, and is not installed (scripts/setup.sh test)")
    if "avx2" not in subprocess.run([chosen.program, "targets"], capture_output=True, text=True, check=True).stdout.split():
        return skip("the counts are of AVX2 kernels, which this machine cannot run")
    recorded = read_record().get(chosen.compiler)
    if recorded is None and not chosen.record:
        return skip(f"no counts are recorded for {chosen.compiler}; `make instructions` records them")
    counted = {case: instructions_per_step(chosen.program, case, lengths) for case, lengths in LENGTHS.items()}
    return record(counted, chosen.compiler) if chosen.record else check(counted, recorded)


if __name__ == "__main__":
    sys.exit(main())
