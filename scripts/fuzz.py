#!/usr/bin/env python3
"""Fuzzes every reader of what comes from elsewhere: builds tests/fuzz by clang and libFuzzer, and runs it.

    scripts/fuzz.py [--total S | --seconds S | --fixed] [--only study store …] [--jobs J] [--coverage] [--keep]

Without options all of it takes four minutes: what the build leaves of them is shared by the targets. --seconds gives each
target that time instead, --fixed a number of inputs that are the same every time. Inputs that reach something new are kept in build/fuzz/corpus; --keep adds some of them
to tests/fuzz/corpus, which the tests replay. A finding ends with exit code 1, and its input is in
build/fuzz/findings: mend the fault and put the input into tests/fuzz/corpus. --coverage says how much of the code that
reads each kind of input is reached by what is kept.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
KEPT = ROOT / "tests" / "fuzz" / "corpus"

# Longest input, further folders to begin with, the code that reads such input, and inputs of --fixed.
TARGETS = {
    "study": (6000, ["web/scenes", "studies"], ["src/lab/study", "src/base"], 3000),
    "expression": (300, [], ["src/math/expression"], 10_000),
    "numbers": (2000, [], ["src/data/files"], 20_000),
    "store": (600, [], ["src/lab/store"], 200),
    "live": (3000, [], ["src/live/ask", "src/live/request", "src/live/general", "src/live/study_answers"], 4000),
    "http": (1500, [], ["src/serve/http/access", "src/serve/http/message", "src/serve/http/request_reader"], 20_000),
}
LEAST_SECONDS = 5  # for each target, however long the build took
MOST_MEGABYTES = 2048
MOST_SECONDS_OF_ONE = 60  # input that takes longer counts as a hang
LARGEST_KEPT, MOST_ADDED = 4000, 40  # bytes of an input in tests/fuzz/corpus; how many one call adds for a target


def build():
    def run(*words):
        subprocess.run(["cmake", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    if not (ROOT / "build" / "CMakeCache.txt").exists():
        run("--log-level=WARNING", "--preset", "release")
    run("--build", "build", "--target", "atto_live")  # what the fuzzers are linked with
    run("--log-level=WARNING", "-S", "tests/fuzz/libfuzzer", "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19")
    run("--build", str(BUILD), "--target", "fuzzers")


def command(target, *options, found=None):
    longest, more, _, _ = TARGETS[target]
    found = found or BUILD / "corpus" / target
    found.mkdir(parents=True, exist_ok=True)
    folders = [found, KEPT / target, *(ROOT / one for one in more)]
    return [str(BUILD / f"fuzz_{target}"), f"-max_len={longest}", f"-rss_limit_mb={MOST_MEGABYTES}",
            f"-timeout={MOST_SECONDS_OF_ONE}", f"-artifact_prefix={BUILD}/findings/{target}-", *options,
            *(str(one) for one in folders if one.is_dir())]


def start(command_line, scratch, log):
    # Leaks are looked for at the end; one-time settings of libraries are none of ours.
    environment = dict(os.environ, TMPDIR=scratch, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="detect_leaks=1")
    if symbolizer := shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer"):
        environment["ASAN_SYMBOLIZER_PATH"] = symbolizer  # else findings have addresses in place of names
    with open(log, "wb") as out:
        return subprocess.run(command_line, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=scratch).returncode


def figures(text):
    """Executions, edges and features reached, seconds: of what libFuzzer said last."""
    lines = re.findall(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)", text)
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    edges = re.search(r"\((\d+) inline 8-bit counters\)", text)
    last = lines[-1] if lines else ("0", "0", "0", "0")
    return {"runs": int(executions.group(1)) if executions else int(last[0]), "edges": int(last[1]),
            "features": int(last[2]), "corpus": int(last[3]), "all": int(edges.group(1)) if edges else 0}


def fuzz(target, seconds, scratch):
    """Fuzzes for that time, or with a fixed number of inputs where it is None."""
    log = BUILD / f"{target}.log"
    begin = time.monotonic()
    # What was found before would change what is tried.
    found = None if seconds else pathlib.Path(scratch) / "found"
    limit = f"-max_total_time={seconds}" if seconds else f"-runs={TARGETS[target][3]}"
    code = start(command(target, limit, "-print_final_stats=1", "-seed=1", found=found), scratch, log)
    text = log.read_text(errors="replace")
    return target, code, time.monotonic() - begin, figures(text), text


def coverage(target, scratch):
    """Edges reached and all edges of the functions that stand in the target's folders, by libFuzzer's own account."""
    log = BUILD / f"{target}-coverage.log"
    start(command(target, "-runs=0", "-print_coverage=1"), scratch, log)
    reached, total = collections.Counter(), collections.Counter()
    for hit, every, file in re.findall(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+):\d+$",
                                       log.read_text(errors="replace"), re.M):
        for folder in TARGETS[target][2]:
            if f"/{folder}" in file:
                reached[folder] += int(hit)
                total[folder] += int(every)
    return {folder: (reached[folder], total[folder]) for folder in TARGETS[target][2]}


def keep(target, scratch):
    """Adds inputs found that reach what those kept do not: few, of all sizes, since the tests replay them all."""
    into = KEPT / target
    into.mkdir(parents=True, exist_ok=True)
    before = set(into.iterdir())
    small = pathlib.Path(scratch) / "small"
    small.mkdir()
    for one in (BUILD / "corpus" / target).iterdir():
        if one.stat().st_size <= LARGEST_KEPT:
            shutil.copy(one, small)
    program = command(target)[0]
    start([program, "-set_cover_merge=1", f"-max_len={LARGEST_KEPT}", str(into), str(small)], scratch,
          BUILD / f"{target}-merge.log")
    shutil.rmtree(small)
    added = sorted((one for one in into.iterdir() if one not in before), key=lambda one: (one.stat().st_size, one.name))
    stride = max(1, len(added) / MOST_ADDED)
    chosen = {added[int(i * stride)] for i in range(min(MOST_ADDED, len(added)))}
    for one in added:
        if one not in chosen:
            one.unlink()
    return sum(1 for _ in into.iterdir())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--total", type=float, default=240, help="seconds for all, the build included")
    parser.add_argument("--seconds", type=float, help="for each target, without the build")
    parser.add_argument("--fixed", action="store_true", help="the same inputs every time, as many as TARGETS says")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--coverage", action="store_true", help="only say what the inputs reach")
    parser.add_argument("--keep", action="store_true", help="add new inputs to tests/fuzz/corpus afterwards")
    options = parser.parse_args()
    begin = time.monotonic()
    build()
    left = options.total - (time.monotonic() - begin)
    rounds = -(-len(options.only) // options.jobs)
    seconds = None if options.fixed else int(options.seconds or max(LEAST_SECONDS, left / rounds - 3))
    (BUILD / "findings").mkdir(parents=True, exist_ok=True)
    findings = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # stores are written thousands of times
    with tempfile.TemporaryDirectory(prefix="atto-fuzz-", dir=memory) as folder:
        scratch = {target: os.path.join(folder, target) for target in options.only}
        for one in scratch.values():
            os.mkdir(one)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            if options.coverage:
                for target, reached in zip(options.only, pool.map(lambda one: coverage(one, scratch[one]), options.only)):
                    for code, (hit, total) in reached.items():
                        print(f"{target:<11} {code:<28} {hit:>6} of {total:>6} edges, {100 * hit / max(total, 1):.0f} %")
                return 0
            for target, code, took, told, text in pool.map(lambda one: fuzz(one, seconds, scratch[one]), options.only):
                print(f"{target:<11} {told['runs']:>9} inputs in {took:>4.0f} s, {told['edges']:>6} edges, "
                      f"{told['corpus']:>5} inputs reach them", flush=True)
                if code != 0:
                    findings += 1
                    print(f"\n{target}: a finding (build/fuzz/{target}.log)\n{text[-4000:]}", flush=True)
        if options.keep and not findings:
            for target in options.only:
                print(f"{target}: {keep(target, scratch[target])} inputs kept")
    print(f"{findings} findings; {time.monotonic() - begin:.0f} s with the build")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
