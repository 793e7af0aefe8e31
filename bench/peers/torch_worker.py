#!/usr/bin/env python3
"""PyTorch's side of bench/peers/run.py: answers one line of numbers per line of standard input.

    versions                                           PyTorch's
    product                                            GFLOP/s of a matrix product
    train VARIANT KEEP SEED RUNS STEPS PART V D C B    seconds, seconds of compilation (0), loss of each run over its last tenth

VARIANT is eager, batched (all runs at once, by hand) or law (the toy network, see torch_networks.py).
"""
import sys
import time

sys.dont_write_bytecode = True
import torch
from torch_networks import Training

torch.set_num_threads(int(sys.argv[1]))


def product_speed():
    """GFLOP/s of the kind of product transformers are made of, the best of some."""
    rows, columns = torch.randn(2048, 256), torch.randn(256, 1024)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        rows @ columns
        times.append(time.perf_counter() - start)
    return 2 * 2048 * 256 * 1024 / min(times) / 1e9


def train(variant, keep, seed, runs, steps, part, *shape):
    torch.manual_seed(int(seed))
    runs, steps, shape = int(runs), int(steps), tuple(map(int, shape))
    Training(variant, runs, part, *shape).step()  # warm-up: allocator, kernel choice
    training = Training(variant, runs, part, *shape)
    start = time.perf_counter()
    losses = [training.step() for _ in range(steps)]
    seconds = time.perf_counter() - start
    last = torch.stack(losses[-max(1, steps // 10):]).mean(0).view(-1)
    return [seconds, 0, *last.tolist()]


def main():
    answers = {"product": lambda: [product_speed()], "versions": lambda: [torch.__version__], "train": train}
    for line in sys.stdin:
        what, *arguments = line.split()
        print(*answers[what](*arguments), flush=True)


if __name__ == "__main__":
    main()
