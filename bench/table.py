"""The table of `make bench`."""


def or_dash(value, form, unit=""):
    return "-" if value is None else f"{value:{form}}{unit}"


def parts_of(row):
    """What the roofline of a case is made of: shares of the side that sets it, the largest first."""
    parts = row["roofline_parts_us"][row["bound_by"]]
    shares = sorted(((time / row["roofline_us"], name) for name, time in parts.items()), reverse=True)
    return ", ".join(f"{name.replace('_', ' ')} {share:.0%}" for share, name in shares if share >= 0.02)


def print_peak(about, peak):
    print(f"the engine by {about['compiler']}")
    print(f"instruction set {about['target']}, {peak['hertz'] / 1e9:.2f} GHz, {peak['lanes']:.0f} lanes; per nanosecond on one thread at best: "
          + ", ".join(f"{peak[name] / 1e9:.3g} {name.replace('_', ' ')}" for name in
                      ("multiply_adds", "exponentials", "logarithms", "roots", "quotients", "random_words"))
          + "; instructions: " + ", ".join(f"{peak[name] / 1e9:.3g} {name}" for name in ("loads", "stores")))


def print_table(rows):
    print(f"{'case':<34}{'us/step':>11}{'steps/s':>9}{'GFLOP/s':>9}{'of peak':>9}{'sustained':>11}{'2 threads':>11}{'observing':>11}{'drawing':>9}{'roofline':>10}"
          "  which is")
    for row in rows:
        print(f"{row['case']:<34}{row['us_per_step']:>11.2f}{row['steps_per_second']:>9.0f}{or_dash(row.get('gflops'), '.1f'):>9}"
              f"{or_dash(row.get('peak_share'), '.1%'):>9}{or_dash(row.get('sustained_share'), '.1%'):>11}{or_dash(row['two_thread_speedup'], '.2f', 'x'):>11}"
              f"{or_dash(row['observation_cost'], '.1%'):>11}{or_dash(row.get('drawing_share'), '.1%'):>9}{row['roofline_share']:>10.1%}  {row['roofline_us']:.2f} us of "
              f"{row['bound_by']}: {parts_of(row)}")
