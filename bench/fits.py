"""How a cost grows: exponents of power laws, and what a sweep takes besides training."""
import math
import statistics


def slope(points):
    """Of ln y against ln x by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.fmean(column) for column in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def upper_half(sizes):
    """The sizes above the geometric middle of their range: there what a step costs in any case weighs least."""
    middle = math.sqrt(min(sizes) * max(sizes))
    return [size for size in sizes if size >= middle * (1 - 1e-9)]


def exponent(sizes, rounds):
    """The growth of a cost that `rounds` hold, each a list with a number for each size. The best of each size counts; how far the
    rounds agree, each with a slope of its own, is said by their quartiles."""
    used = set(upper_half(sizes))
    fit = lambda costs: slope([(size, cost) for size, cost in zip(sizes, costs) if size in used])
    best = [min(column) for column in zip(*rounds)]
    slopes = [fit(costs) for costs in rounds]
    low, _, high = statistics.quantiles(slopes, n=4) if len(slopes) > 1 else slopes * 3
    return {"exponent": fit(best), "quartiles": [low, high], "fitted_from": min(used), "fitted_to": max(used), "best": best}


def growth_per_item(counts, amounts):
    """By how much an amount grows with each item, from the straight line through all points."""
    mean_count, mean_amount = statistics.fmean(counts), statistics.fmean(amounts)
    return (sum((n - mean_count) * (a - mean_amount) for n, a in zip(counts, amounts))
            / sum((n - mean_count) ** 2 for n in counts))


def overhead(training_seconds, threads, wall_seconds):
    """The share of the threads' time that did not train."""
    return 1 - training_seconds / (threads * wall_seconds)
