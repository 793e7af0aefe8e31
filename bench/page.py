#!/usr/bin/env python3
"""Writes the tables of this processor's page in docs/performance from what `make bench`, `make growth` and `make peers` left in build/.

    python3 bench/page.py --build build

A table stands between `<!-- NAME -->` and `<!-- end -->`; those whose file is not there stay as they are. A processor that has no page
gets one.
"""
import argparse
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import processor

FOLDER = pathlib.Path("docs/performance")
NEW_PAGE = """# Performance: {processor}, {target}

{caches}.
[performance.md](../performance.md) says what the tables mean; `make performance` on such a processor writes them.

## Compared with PyTorch and JAX

<!-- peers -->
not measured yet
<!-- end -->

## Compared with the machine's limits

<!-- bench -->
not measured yet
<!-- end -->

## Growth

<!-- growth -->
not measured yet
<!-- end -->
"""


def row_of(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def plainly(value):
    """Three digits at least, and no powers of ten."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def or_dash(value, form):
    return "–" if value is None else format(value, form)


def peers_table(found):
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    lines = [f"{found['processor']}, {found['engine']['target']}; the engine by {found['engine']['compiler']}; {versions}; products of "
             f"PyTorch by OpenBLAS for {found['torch_blas']}.", "",
             row_of("case", "engine, steps/s", "best peer", "its steps/s", "ratio", "10–90 %", "goal", ""), "|---" * 8 + "|"]
    for case in found["cases"]:
        if not case["peers"]:
            continue
        best = case["peers"][0]
        lines.append(row_of(case["case"], plainly(case["engine"]["steps_per_second"]), best["peer"], plainly(best["steps_per_second"]),
                            f"{best['ratio']:.2f}", "{:.2f}–{:.2f}".format(*best["ratio_spread"]), f"{case['goal']:g}",
                            "reached" if case["reached"] else "**missed**"))
    known = [one["difference"] for case in found["cases"] for one in case["peers"] if one.get("difference") is not None]
    lines += ["", f"Same work: over {len(known)} comparisons the final losses differ by at most {max(known):.1f} combined standard errors."]
    return lines


def limits_table(rows):
    peak = rows[0]["peak"]
    lines = [f"{rows[0]['target']}, {peak['hertz'] / 1e9:.2f} GHz, {peak['lanes']:.0f} lanes; the engine by {rows[0]['compiler']}. Per nanosecond at best: " + ", ".join(
        f"{peak[name] / 1e9:.3g} {name.replace('_', ' ')}" for name in
        ("multiply_adds", "exponentials", "logarithms", "roots", "quotients", "random_words", "loads", "stores")) + ".", "",
        row_of("case", "µs a step", "limit, µs", "share", "of FMA peak", "sustained", "2 threads", "observing"), "|---" * 8 + "|"]
    for row in rows:
        lines.append(row_of(row["case"], plainly(row["us_per_step"]), plainly(row["roofline_us"]), f"{row['roofline_share']:.0%}",
                            or_dash(row.get("peak_share"), ".0%"), or_dash(row.get("sustained_share"), ".0%"), or_dash(row["two_thread_speedup"], ".2f"),
                            or_dash(row["observation_cost"], ".1%")))
    return lines


def growth_table(found):
    lines = [f"{found['target']}, the engine by {found['compiler']}.", "", row_of("cost against", "exponent", "quartiles of rounds", "fitted on", "expected", "of"), "|---" * 6 + "|"]
    for axis in found["axes"]:
        lines.append(row_of(axis["title"], f"{axis['exponent']:.2f}", "{:.2f}–{:.2f}".format(*axis["quartiles"]),
                            f"{axis['fitted_from']}–{axis['fitted_to']}", "{}–{}".format(*axis["expected"]), axis["case"]))
    memory = found["memory"]
    lines += ["", f"Memory of a sweep: {memory['peak_bytes'][0] / 1e6:.1f} MB with {memory['runs'][0]} runs, "
              f"{memory['peak_bytes'][-1] / 1e6:.1f} MB with {memory['runs'][-1]:,}, {memory['bytes_per_run']:.0f} bytes a run. "
              f"Two threads: {found['threads']['speedup']:.2f} times as fast as one.", ""]
    for sweep in found["sweeps"]:
        lines.append(f"- {sweep['runs']:,} runs of V = 10, d = 2, C = 4, batch {sweep['shape'][-1]}, {sweep['steps']:,} steps on "
                     f"{sweep['threads']} threads: {sweep['seconds']:.1f} s. Scheduler and store {sweep['scheduler_and_store']:.1%} of the threads' "
                     f"time; everything except bare steps of {sweep['us_per_step']:.2f} µs (set-up, observing, store) {sweep['beside_bare_steps']:.1%}.")
    return lines


TABLES = {"peers": peers_table, "bench": limits_table, "growth": growth_table}


def with_table(page, name, lines):
    """The page with the text between the marks of `name` replaced."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
    if not marked.search(page):
        sys.exit(f"the page has no marks for '{name}'")
    return marked.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], page)


def page_of(name, target):
    """The page of a kind of processor: intel-avx3.md."""
    maker = re.match(r"[a-z]+", name.lower())
    return FOLDER / f"{maker[0] if maker else 'unknown'}-{target}.md"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build", type=pathlib.Path)
    chosen = options.parse_args()
    files = {name: chosen.build / f"{name}.json" for name in TABLES}
    found = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    if "bench" not in found:
        sys.exit(f"{files['bench']} is not there: `make bench` writes it")
    target = found["bench"][0]["target"]
    path = page_of(processor.name(), target)
    page = path.read_text() if path.exists() else NEW_PAGE.format(processor=processor.name(), target=target, caches=processor.caches())
    for name, table in TABLES.items():
        if name in found:
            page = with_table(page, name, table(found[name]))
        else:
            print(f"{files[name]} is not there: its table stays as it is", file=sys.stderr)
    path.write_text(page)
    print(path)


if __name__ == "__main__":
    main()
