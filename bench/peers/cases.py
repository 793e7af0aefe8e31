"""What is trained, described once for all sides; and which ways of training it each peer tries.

A shape is (part, vocabulary, width, context, batch), as bench_steps.cpp and bench/transformers.py know it.
"""
import dataclasses
import typing

SEEDS = 32  # of an ensemble, and of each shape of the sweep


@dataclasses.dataclass(frozen=True)
class Case:
    kind: str  # single: one run | ensemble: SEEDS runs of one shape | sweep: SEEDS runs of each shape, compilation counted
    shapes: typing.Tuple[tuple, ...]
    steps: int   # of a run
    rounds: int  # turns each side takes; in a single case a turn is another seed
    goal: float  # how many times faster than its best peer the engine must be
    threads: int = 1

    @property
    def runs(self):
        return 1 if self.kind == "single" else SEEDS

    @property
    def name(self):
        if self.kind == "sweep":
            return f"sweep of {len(self.shapes)} shapes x {self.runs} seeds, {self.threads} threads"
        part, vocab, width, context, batch = self.shapes[0]
        name = f"{part} V={vocab} d={width} C={context} B={batch}"
        if self.kind == "ensemble":
            name += f" x {self.runs} seeds, {self.threads} thread" + "s" * (self.threads > 1)
        return name

    @property
    def run_steps(self):
        """Steps of all runs."""
        return len(self.shapes) * self.runs * self.steps


# shape of the plain network: steps of a single run; steps of the runs of an ensemble, towards the 3,000 a study takes, as the
# store's fixed cost is the engine's
PLAIN = {
    (4, 2, 4, 128): (1000, 3000),
    (10, 2, 4, 512): (1000, 1500),
    (100, 2, 4, 128): (1000, 1500),
    (100, 2, 4, 512): (500, 1500),
    (100, 10, 4, 512): (300, 1000),
    (100, 10, 100, 512): (40, 150),
}
# shape: steps, rounds, goal; the larger ones take a second a step
OTHERS = {
    ("toy", 2, 256, 256, 32): (20, 16, 1),
    ("regression", 2, 32, 32, 32): (100, 16, 1.5),
    ("regression", 2, 64, 64, 32): (20, 16, 1.5),
    ("regression", 2, 128, 128, 32): (6, 8, 1.1),
    ("regression", 2, 256, 256, 32): (2, 5, 1.1),
    ("recall", 32, 32, 17, 128): (100, 16, 1.5),
}
SWEEP_SHAPES = tuple(("plain", vocab, width, context, 128)
                     for vocab in (100, 50, 20, 10, 5) for width, context in ((4, 8), (2, 4)))


def goal_of_width(width):
    """Of the plain network."""
    return 5 if width <= 4 else 3


def all_cases():
    cases = [Case("single", (("plain", *shape),), steps, 16, goal_of_width(shape[1])) for shape, (steps, _) in PLAIN.items()]
    cases += [Case("single", (shape,), *rest) for shape, rest in OTHERS.items()]
    cases += [Case("ensemble", (("plain", *shape),), steps, 4, goal_of_width(shape[1]), threads)
              for threads in (1, 2) for shape, (_, steps) in PLAIN.items()]
    return cases + [Case("sweep", SWEEP_SHAPES, 3000, 2, 10, threads=2)]


def quick_cases():
    """A little of everything: does it work?"""
    few = [case for case in all_cases() if case.kind != "ensemble" or case.shapes[0][1:] in ((4, 2, 4, 128), (100, 10, 4, 512))]
    return [dataclasses.replace(case, steps=max(1, case.steps // 50), rounds=1, shapes=case.shapes[:2]) for case in few]


def variants(peer, case):
    """How `peer` (torch or jax) trains a case: names that its worker knows."""
    part, _, width, *_ = case.shapes[0]
    rows = part == "plain" and width > 4
    if case.kind == "single":
        by_law = part == "toy"
        by_token = part in ("plain", "recall")
        if peer == "torch":
            return ["eager"] + ["law"] * by_law
        return ["scan"] + ["scan-law"] * by_law + ["scan-onehot"] * by_token + ["scan-rows"] * rows
    if peer == "torch":
        return ["batched"]
    one_by_one = ["scan"] * (case.kind == "sweep")  # an ensemble's is that of the single case
    return ["vmap", "vmap-onehot"] + ["vmap-rows"] * rows + one_by_one


def modes(case):
    """How a peer uses the threads: with its own pool, or as two processes that share the seeds (of a sweep, the shapes)."""
    if case.threads == 1:
        return ["one"]
    return ["pair"] if case.kind == "sweep" else ["pool", "pair"]
