#!/usr/bin/env python3
"""Golden values of the gradient flow: what SciPy's LSODA makes of the reduced dynamics in src/theory/reduced_loss.h.

    /usr/bin/python3 tests/golden/make_flow_golden.py        # needs Debian's python3-scipy

writes flow/lsoda.json: for each problem (T, d, B, p) when the loss falls to fractions of its start, for the training loss and
for the test loss, and the state and losses at times before, at and after the fall. The derivatives are taken by complex
step from the loss as published, so they share nothing with the analytic ones they check; the late phase is stiff, so LSODA
gets a Jacobian, by differences of them. A problem on which LSODA and Radau do not agree ten times better than the test
asks of the engine is refused, and so is a moment: in long sequences the fall is so steep that the time of a state is
known to all digits and the state at a time is not.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

TOLERANCE = 1e-6  # tests/theory/flow_golden_test.cpp holds the engine to this
THRESHOLDS = [0.9, 0.5, 0.2, 0.01]
MOMENTS = [0.02, 0.5, 0.9, 0.99, 1.0, 1.01, 1.5, 4.0]  # of the training loss's fall to 0.2
PROBLEMS = [  # T, d, B, p
    (2, 1, 1, 0), (2, 2, 1, 0.5), (3, 7, 2, 0), (16, 4, 15, 0.3), (128, 16, 1, 0), (128, 64, 1, 0), (512, 16, 1, 0), (512, 64, 1, 0),
    (2048, 16, 1, 0), (2048, 64, 1, 0), (4096, 16, 16, 0), (4096, 64, 4, 0), (256, 256, 1, 0), (4096, 32, 1, 0.01),
    (4096, 32, 1, 0.1), (4096, 256, 1, 0.1), (4096, 256, 1, 0.5), (4096, 16, 1, 0.9), (512, 64, 4, 0.1), (512, 64, 8, 0.02),
    (16, 1000, 1, 0.99), (100000, 1000, 1, 0), (1000000, 100000, 1, 0), (1000000, 100000, 100, 0.01), (1000000, 2, 1, 0),
    (64, 100000, 1, 0),
]


def sizes(d, p, test):
    """Targets and variances of the directions."""
    if p == 0:
        return np.array([np.sqrt(d)]), np.array([1 / d])
    p = 0 if test else p
    return np.array([1, np.sqrt(d - 1)]), np.array([p + (1 - p) / d, (1 - p) / d])


def loss(problem, x, test=False):
    T, d, B, p = problem
    target, variance = sizes(d, p, test)
    w, gap = x[:-1], x[-1]
    alpha = 1 / ((T - B) * np.exp(-gap) + B)
    noise = (T - B) * np.exp(-gap) * alpha  # 1 - B alpha
    return (noise**2 * (w**2).sum() / (d * (T - B)) + (variance * (B * alpha * w - target)**2).sum()) / 2


def slope(problem, x):
    h = 1e-100
    steps = np.asarray(x)[:, None] + 1j * h * np.eye(len(x))
    return -np.array([loss(problem, steps[:, i]).imag / h for i in range(len(x))])


def jacobian(problem, x):
    """Only guides the solver's iteration, so differences will do."""
    columns = []
    for i in range(len(x)):
        h = 1e-6 * max(1, abs(x[i]))
        forward, backward = np.array(x), np.array(x)
        forward[i] += h
        backward[i] -= h
        columns.append((slope(problem, forward) - slope(problem, backward)) / (2 * h))
    return np.array(columns).T


def flow(problem, method, end, rtol):
    start = np.zeros(2 if problem[3] == 0 else 3)
    solution = solve_ivp(lambda _, x: slope(problem, x), (0, end), start, method=method, rtol=rtol, atol=rtol / 100,
                         dense_output=True, jac=lambda _, x: jacobian(problem, x))
    assert solution.success, (problem, solution.message)
    return solution


def fall(problem, solution, threshold, test):
    excess = lambda t: loss(problem, solution.sol(t), test) - threshold / 2
    above = [excess(t) > 0 for t in solution.t]
    assert above[0]
    if all(above):
        return None
    first = above.index(False)
    return brentq(excess, solution.t[first - 1], solution.t[first], xtol=1e-300, rtol=1e-14)


def scale(problem):
    T, d, B, p = problem
    return np.sqrt(d) * T / B / np.sqrt(p * p * d + 1 - p * p)


def values(problem, method, end, rtol):
    solution = flow(problem, method, end, rtol)
    falls = {kind: [fall(problem, solution, threshold, kind == "test") for threshold in THRESHOLDS]
             for kind in ("train", "test")}
    return solution, falls


def furthest(a, b):
    return max(abs(x - y) / abs(y) for x, y in zip(a, b))


def build(problem):
    T, d, B, p = problem
    # Long enough for every threshold and moment: the linear scale times a logarithm, the slow direction, the algebraic tail.
    end = 60 * scale(problem) + 20 * d / (1 - p) / (1 if p else d) + 1000
    solution, falls = values(problem, "LSODA", end, 1e-12)
    other, other_falls = values(problem, "Radau", end, 1e-10)
    for kind in falls:
        strays = furthest(other_falls[kind], falls[kind])
        assert strays < TOLERANCE / 10, f"{problem}: Radau strays by {strays:.1e} in the {kind} loss"
    unit = falls["train"][THRESHOLDS.index(0.2)]
    assert MOMENTS[-1] * unit < end
    moments = []
    for share in MOMENTS:
        x = solution.sol(share * unit)
        if furthest(other.sol(share * unit), x) < TOLERANCE / 10:
            moments.append(dict(time=share * unit, state=x.tolist(), train=loss(problem, x), test=loss(problem, x, True)))
    assert len(moments) >= 5, problem
    return dict(length=T, dimension=d, repeat=B, cross=p, falls=falls, moments=moments)


def main():
    content = dict(made_with=f"SciPy {scipy.__version__}", thresholds=THRESHOLDS, problems=[build(one) for one in PROBLEMS])
    shorten = lambda value: json.loads(json.dumps(value), parse_float=lambda text: float(f"{float(text):.12g}"))
    lines = ",\n".join(json.dumps(shorten(one), separators=(",", ":")) for one in content.pop("problems"))
    header = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    folder = pathlib.Path(__file__).parent / "flow"
    folder.mkdir(exist_ok=True)
    (folder / "lsoda.json").write_text("{\n" + header + ',\n"problems": [\n' + lines + "\n]\n}\n")


if __name__ == "__main__":
    main()
