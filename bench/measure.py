"""How cases are timed: in turns, the best of each counts."""
import tempfile
import time

import operations
import roofline
import transformers

RUN_STEPS = 3000   # the length of a run the default schedule is meant for
RUN_ROUNDS = 10    # turns of whole runs: at least so many, and up to ten times as many ...
RUN_SECONDS = 8    # ... while they stay within so many seconds a case
LEAST_TURNS = 5    # of a step that is slow: so many at least ...
CASE_SECONDS = 20  # ... and no more once a case has taken so long
MANY_RUNS, FEW_RUNS = 64, 16  # of a sweep on one and on two threads


def about(engine):
    """What stands beside every number: the instruction set in use, the compiler and its flags."""
    return {"target": engine.ask("target")[0], "compiler": " ".join(engine.ask("compiler"))}


def alternate(rounds, *measurements):
    """What each measurement gave in each of `rounds`, taken in turns: a list for each of them."""
    results, start = [], time.monotonic()
    while len(results) < rounds and (len(results) < LEAST_TURNS or time.monotonic() - start < CASE_SECONDS):
        results.append([measure() for measure in measurements])
    return [list(column) for column in zip(*results)]


def best_of(rounds, *measurements):
    return [min(column) for column in alternate(rounds, *measurements)]


def step_time(engine, shape, rounds, seconds):
    """Microseconds of the best step. Of a transformer also how many multiply-adds a second registers alone sustain over as long as
    the best step takes, in turns with it: a step of many milliseconds never has the clock and the quiet of a short burst."""
    step = lambda: engine.number("step", *shape, seconds)
    if shape[0] not in transformers.SETTINGS:
        return {"us_per_step": best_of(rounds, step)[0]}
    length = 1e-6 * step()
    steps, rates = alternate(rounds, step, lambda: engine.number("sustain", length))
    return {"us_per_step": min(steps), "sustained_multiply_adds": max(rates)}


def drawing_share(engine, shape, microseconds, rounds, seconds):
    """What drawing its batch takes of a step, both at their best."""
    return best_of(rounds, lambda: engine.number("draw", *shape, seconds))[0] / microseconds


def read_peak(engine, before=None):
    """The machine's peaks; where some were measured before, the better of both: something else may have run meanwhile."""
    now = {name: float(value) for name, value in (word.split("=") for word in engine.ask("peak"))}
    return {name: max(value, before[name]) for name, value in now.items()} if before else now


def limits(shape, microseconds, peak, sustained=None):
    """How near the time of a step comes to what the machine could do at best, and what sets that."""
    is_transformer = shape[0] in transformers.SETTINGS
    work = transformers.Work(*shape).step() if is_transformer else roofline.step(*shape)
    times = operations.least_times(work, peak)
    least, side = operations.limit(times)
    found = {"roofline_us": least, "roofline_share": least / microseconds, "bound_by": side, "roofline_parts_us": times,
             "operations": vars(work)}
    if is_transformer:
        rate = transformers.Work(*shape).multiply_adds() / microseconds * 1e6
        found.update(gflops=2 * rate / 1e9, peak_share=rate / peak["multiply_adds"], sustained_share=rate / sustained)
    return found


def observation_cost(engine, shape, microseconds, least_rounds):
    """Extra time of a run of the default length that records every scalar, as a share of the bare run; None: takes too long."""
    affordable = round(RUN_SECONDS * 1e6 / (2 * microseconds * RUN_STEPS))
    if affordable < 1:
        return None
    rounds = min(max(least_rounds, affordable), 10 * least_rounds)
    bare, observed = best_of(rounds, lambda: engine.number("record", *shape, RUN_STEPS, "none"),
                             lambda: engine.number("record", *shape, RUN_STEPS, "scalars"))
    return observed / bare - 1


def two_thread_speedup(engine, shape, microseconds, rounds, seconds):
    """How much faster two threads finish a sweep that takes one thread about `seconds`; nothing if it takes longer. Of few runs the
    thread that is done first may wait for the other's last, so these are many, as in a study, unless one step is long."""
    runs = MANY_RUNS if MANY_RUNS * microseconds * 1e-6 <= seconds else FEW_RUNS
    if runs * microseconds * 1e-6 > 2 * seconds:
        return {"two_thread_speedup": None, "sweep_seconds": None}
    steps = max(1, round(seconds / runs / (microseconds * 1e-6)))
    with tempfile.TemporaryDirectory() as folder:
        one, two = best_of(rounds, *(lambda n=n: engine.number("sweep", *shape, runs, steps, n, folder) for n in (1, 2)))
    return {"two_thread_speedup": one / two, "sweep_seconds": [one, two]}
