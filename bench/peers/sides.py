"""Who takes part: the engine, PyTorch and each JAX, as workers pinned to cores, and how each is asked for a round."""
import collections
import os
import pathlib
import queue
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measure
import transformers
from worker import Worker

# seconds; seconds of compilation, which are not among them; losses [by shape][by run]
Round = collections.namedtuple("Round", "seconds compilation losses")

# Kernels OpenBLAS can be told to use, by the instruction set the engine found.
BLAS_CORES = {"avx3": ("SkylakeX", "Haswell"), "avx2": ("Haswell",)}


def seed_of(round_number, half=0):
    """The first seed of a round; no two rounds, and no two halves of one, share any."""
    return 1 + 1000 * round_number + 500 * half


def two_cores():
    """The last two this process may use (the first ones serve more interrupts), or the same one twice."""
    available = sorted(os.sched_getaffinity(0))
    return (available[-1], available[-2] if len(available) > 1 else available[-1])


class Engine:
    name = "atto"

    def __init__(self, program, folder):
        one, other = two_cores()
        self.folder = folder
        self.workers = {1: Worker(program, cores={one}), 2: Worker(program, cores={one, other})}
        for part, settings in transformers.SETTINGS.items():
            words = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in settings.items()]
            for worker in self.workers.values():
                worker.ask("part", part, *words)

    def about(self):
        return measure.about(self.workers[1])

    def train(self, case, round_number):
        worker, seed = self.workers[case.threads], seed_of(round_number)
        if case.kind == "single":
            seconds, loss = map(float, worker.ask("train", *case.shapes[0], seed, case.steps))
            return Round(seconds, 0, [[loss]])
        shapes = [word for shape in case.shapes for word in shape]
        seconds, *losses = map(float, worker.ask("ensemble", seed, case.runs, case.steps, case.threads, self.folder, *shapes))
        return Round(seconds, 0, [losses[i:i + case.runs] for i in range(0, len(losses), case.runs)])


class Peer:
    """A framework. Workers start when they are first needed: one for one thread, another beside it, one with a pool of two."""

    def __init__(self, name, kind, command, **environment):
        self.name, self.kind, self.command, self.environment, self.workers = name, kind, command, environment, {}

    def worker(self, which):
        if which not in self.workers:
            one, other = two_cores()
            cores = {"one": {one}, "other": {other}, "pool": {one, other}}[which]
            threads = len(cores)
            # XLA's products use a pool of their own unless told not to.
            flags = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"} if self.kind == "jax" and threads == 1 else {}
            self.workers[which] = Worker(*self.command, str(threads), cores=cores, **flags, **self.environment)
        return self.workers[which]

    def version(self):
        return self.worker("one").ask("versions")[0]

    def train(self, case, variant, mode, round_number):
        if case.kind == "sweep":
            return self.sweep(case, variant, round_number)
        if mode == "pair":
            workers = [self.worker("one"), self.worker("other")]
        else:
            workers = [self.worker(mode)]
        for half, worker in enumerate(workers):
            worker.send("train", variant, "keep", seed_of(round_number, half), case.runs // len(workers), case.steps, *case.shapes[0])
        answers = [list(map(float, worker.receive())) for worker in workers]
        return Round(max(answer[0] for answer in answers), max(answer[1] for answer in answers),
                     [[loss for answer in answers for loss in answer[2:]]])

    def sweep(self, case, variant, round_number):
        """Two processes take shape after shape, each compiling what it takes: its time counts compilation."""
        left, answers = queue.SimpleQueue(), {}
        for index in range(len(case.shapes)):
            left.put(index)

        def work(worker, totals):
            while True:
                try:
                    index = left.get_nowait()
                except queue.Empty:
                    return
                seconds, compilation, *losses = map(float, worker.ask("train", variant, "fresh", seed_of(round_number), case.runs,
                                                                      case.steps, *case.shapes[index]))
                totals.append((seconds + compilation, compilation))
                answers[index] = losses

        totals = [[], []]
        threads = [threading.Thread(target=work, args=(self.worker(which), total)) for which, total in zip(("one", "other"), totals)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len(answers) < len(case.shapes):
            sys.exit(f"bench: {self.name} ended during the sweep")
        seconds = max(sum(total for total, _ in one) for one in totals)
        return Round(seconds, sum(compilation for one in totals for _, compilation in one),
                     [answers[index] for index in range(len(case.shapes))])


def torch_peer(python, target):
    """PyTorch with the kernels of OpenBLAS that multiply fastest here, and their name. OpenBLAS chooses by the processor's model
    and, where that is younger than itself, falls back to SSE3 at a fifth of the speed; beating that would prove nothing."""
    environments = [{}]
    if "OPENBLAS_CORETYPE" not in os.environ:
        environments += [{"OPENBLAS_CORETYPE": core} for core in BLAS_CORES.get(target, ())]
    tried = []
    for environment in environments:
        peer = Peer("torch", "torch", (python, str(HERE / "torch_worker.py")), **environment)
        tried.append((peer.worker("one").number("product"), environment.get("OPENBLAS_CORETYPE", "as it comes"), peer))
    tried.sort(key=lambda one: -one[0])
    for _, _, peer in tried[1:]:
        peer.worker("one").close()
    print("PyTorch, products by OpenBLAS: " + ", ".join(f"{core} {speed:.0f} GFLOP/s" for speed, core, _ in tried)
          + "; the first is used")
    return tried[0][2], tried[0][1]


def jax_peers(folder):
    """Each JAX that install.sh made an environment of."""
    return [Peer(python.parents[1].name, "jax", (str(python), str(HERE / "jax_worker.py")))
            for python in sorted(folder.glob("jax*/bin/python"))]
