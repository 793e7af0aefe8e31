"""From rounds to ratios, verdicts and the table. Pure: what it is given, it answers."""
import math
import statistics

LARGEST_DIFFERENCE = 4  # combined standard errors between the losses of two sides that did the same work
LEAST_SEEDS = 4         # below, the spread between seeds is anybody's guess and nothing is concluded


def quantile(values, share):
    """Linear between the ordered values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def spread(peer_seconds, engine_seconds):
    """The middle 80 % of the ratio, round by round; rounds that only one side took are left out."""
    ratios = [theirs / ours for theirs, ours in zip(peer_seconds, engine_seconds)]
    return [quantile(ratios, 0.1), quantile(ratios, 0.9)]


def difference(losses, others):
    """Between two means in combined standard errors, or None where seeds are too few to tell. Few seeds know their own spread
    badly: Student's t is brought to the normal scale (Wallace 1959), on which 4 is as rare as for many seeds."""
    if min(len(losses), len(others)) < LEAST_SEEDS:
        return None
    if not all(map(math.isfinite, [*losses, *others])):
        return math.inf
    parts = [statistics.variance(one) / len(one) for one in (losses, others)]
    apart = abs(statistics.fmean(losses) - statistics.fmean(others))
    if sum(parts) == 0:
        return 0.0 if apart == 0 else math.inf
    freedom = sum(parts) ** 2 / sum(part ** 2 / (len(one) - 1) for part, one in zip(parts, (losses, others)))
    t = apart / math.sqrt(sum(parts))
    return (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(t * t / freedom))


def summary(losses):
    """Mean over seeds and its standard error."""
    error = statistics.stdev(losses) / math.sqrt(len(losses)) if len(losses) > 1 else None
    return {"loss": statistics.fmean(losses), "loss_error": error, "seeds": len(losses)}


def judge(case, engine, peers):
    """One row. `engine` and each of `peers` (by name): {"seconds": by round, "losses": [by shape: by run]}, and of peers
    "compilation" and whether the row is "derived" from another case, whose losses were compared there."""
    best = min(engine["seconds"])
    judged = []
    for name, peer in peers.items():
        fastest = min(peer["seconds"])
        one = {"peer": name, "seconds": peer["seconds"], "best_seconds": fastest, "ratio": fastest / best,
               "steps_per_second": case.run_steps / fastest, "ratio_spread": spread(peer["seconds"], engine["seconds"]),
               "compile_seconds": peer["compilation"], "derived": peer["derived"]}
        if not peer["derived"]:
            apart = [difference(*pair) for pair in zip(peer["losses"], engine["losses"])]
            known = [value for value in apart if value is not None]
            one["losses"] = [summary(losses) for losses in peer["losses"]]
            one["difference"] = max(known) if known else None
            one["same_work"] = max(known) <= LARGEST_DIFFERENCE if known else None
        judged.append(one)
    judged.sort(key=lambda one: one["ratio"])
    return {"case": case.name, "kind": case.kind, "shapes": case.shapes, "runs": case.runs, "steps": case.steps,
            "threads": case.threads, "goal": case.goal, "ratio": judged[0]["ratio"] if judged else None,
            "reached": judged[0]["ratio"] >= case.goal if judged else None,
            "engine": {"seconds": engine["seconds"], "best_seconds": best, "steps_per_second": case.run_steps / best,
                       "losses": [summary(losses) for losses in engine["losses"]]},
            "peers": judged}


def one_after_the_other(case, rows):
    """What an ensemble would take as so many single runs in turn, on two threads as two processes: by the single case."""
    single = next((row for row in rows if row["kind"] == "single" and row["shapes"] == case.shapes), None)
    if case.kind != "ensemble" or single is None:
        return {}
    factor = case.run_steps / single["steps"] / case.threads
    return {f"{one['peer']}, seed by seed": {"seconds": [factor * seconds for seconds in one["seconds"]],
                                             "compilation": one["compile_seconds"], "derived": True}
            for one in single["peers"]}


def failures(rows):
    """Peers that trained something else."""
    return [f"{row['case']}: {one['peer']} is {one['difference']:.1f} standard errors from the engine's loss"
            for row in rows for one in row["peers"] if one.get("same_work") is False]


def as_json(value):
    """JSON has no word for what is not finite: null."""
    if isinstance(value, dict):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(rows):
    """Lines: per case the engine, then its peers, the best first."""
    lines = [f"{'case, and its peers by speed':<52}{'steps/s':>11}{'ratio':>9}{'10-90 %':>15}{'goal':>7}{'':>9}{'compile s':>11}"
             f"{'loss':>10}{'±':>9}  same work"]
    for row in rows:
        ours = row["engine"]
        lines.append(f"{row['case']:<52}{speed(ours['steps_per_second']):>11}{'':>51}" + losses_of(ours["losses"]))
        for place, one in enumerate(row["peers"]):
            verdict = f"{row['goal']:>6g}x{'reached' if row['reached'] else 'MISSED':>9}" if place == 0 else " " * 16
            low, high = one["ratio_spread"]
            compilation = f"{one['compile_seconds']:.1f}" if one["compile_seconds"] else "-"
            losses = " " * 19 + "  as single" if one["derived"] else losses_of(one["losses"]) + "  " + same(one)
            lines.append(f"  {one['peer']:<50}{speed(one['steps_per_second']):>11}{one['ratio']:>8.2f}x{low:>7.2f}-{high:<7.2f}"
                         f"{verdict}{compilation:>11}{losses}")
    return lines


def speed(steps_per_second):
    return f"{steps_per_second:.0f}" if steps_per_second >= 100 else f"{steps_per_second:.3g}"


def losses_of(losses):
    """Of several shapes the mean says nothing."""
    if len(losses) > 1:
        return f"{'by shape':>19}"
    error = losses[0]["loss_error"]
    return f"{losses[0]['loss']:>10.4f}" + (f"{error:>9.4f}" if error is not None else f"{'-':>9}")


def same(one):
    if one["same_work"] is None:
        return "too few seeds"
    return ("yes" if one["same_work"] else "NO") + f" ({one['difference']:.1f})"
