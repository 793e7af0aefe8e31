#!/usr/bin/env python3
"""Makes tests/golden/optimizers/*.json: matrices after ten updates with given gradients, by PyTorch's optimizers.

    /usr/bin/python3 tests/golden/make_optimizer_golden.py     (`scripts/setup.sh bench` installs PyTorch)

Lion, sign descent and Muon, which PyTorch 1.13 has not, are written here as their papers and authors' code have them. Each file
holds the settings of a study that ask for the same, so the test needs to know none of them.
"""
import json
import pathlib
import random

import torch

STEPS = 10
# Tokens are a table, the others stand inside the network: taller and wider than square, and a vector.
SHAPES = {"W_E": (6, 3), "blocks.0.attn.W_Q": (5, 3), "blocks.0.attn.b_Q": (1, 5), "blocks.0.attn.W_O": (3, 4)}
TOLERANCE = 1e-5  # tests/training/optimizers_test.cpp holds the engine to ten times this


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, algorithm 2."""

    def __init__(self, params, lr, betas, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                mean = self.state[p].setdefault("mean", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_((mean * beta1 + p.grad * (1 - beta1)).sign(), alpha=-group["lr"])
                mean.mul_(beta2).add_(p.grad, alpha=1 - beta2)


class Signum(torch.optim.Optimizer):
    """Bernstein et al. 2018, algorithm 2, with decoupled weight decay."""

    def __init__(self, params, lr, momentum, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                mean = self.state[p].setdefault("mean", torch.zeros_like(p))
                mean.mul_(group["momentum"]).add_(p.grad, alpha=1 - group["momentum"])
                p.mul_(1 - group["lr"] * group["weight_decay"]).add_(mean.sign(), alpha=-group["lr"])


def newton_schulz(G):
    """zeropower_via_newtonschulz5 of the authors' code, in full precision."""
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G.T if G.shape[0] > G.shape[1] else G
    X = X / (X.norm() + 1e-7)
    for _ in range(5):
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X.T if G.shape[0] > G.shape[1] else X


class Muon(torch.optim.Optimizer):
    """Jordan et al. 2024 (github.com/KellerJordan/Muon), with Nesterov momentum."""

    def __init__(self, params, lr, momentum, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                buffer = self.state[p].setdefault("buffer", torch.zeros_like(p))
                buffer.lerp_(p.grad, 1 - group["momentum"])
                update = newton_schulz(p.grad.lerp(buffer, group["momentum"]))
                update = update * max(1, p.shape[0] / p.shape[1]) ** 0.5
                p.mul_(1 - group["lr"] * group["weight_decay"]).add_(update, alpha=-group["lr"])


def everything(maker, **options):
    return lambda p: [maker(list(p.values()), **options)]


ADAM = dict(lr=0.01, betas=(0.8, 0.95), eps=1e-6)
ADAM_KEYS = {"training.rate": 0.01, "training.beta1": 0.8, "training.beta2": 0.95, "training.epsilon": 1e-6}


def muon_with_adamw(p):
    inner = [name for name, (rows, columns) in SHAPES.items() if name.startswith("blocks.") and min(rows, columns) > 1]
    return [Muon([p[name] for name in inner], lr=0.01, momentum=0.9, weight_decay=0.1),
            torch.optim.AdamW([p[name] for name in p if name not in inner], weight_decay=0.1, **ADAM)]


def by_matrix(p):
    return [torch.optim.AdamW([dict(params=[p["W_E"]], weight_decay=0.0),
                               dict(params=[p["blocks.0.attn.W_Q"]], lr=0.001),
                               dict(params=[p["blocks.0.attn.W_O"]])], weight_decay=0.5, **ADAM)]


# name: (settings of a study, optimizers over the parameters by name, longest gradient)
CASES = {
    "adam": ({"training.optimizer": "adam", **ADAM_KEYS}, everything(torch.optim.Adam, **ADAM), None),
    "adam_penalty": ({"training.optimizer": "adam", "training.weight_decay": 0.5, **ADAM_KEYS},
                     everything(torch.optim.Adam, weight_decay=0.5, **ADAM), None),
    "adamw": ({"training.optimizer": "adamw", "training.weight_decay": 0.5, **ADAM_KEYS},
              everything(torch.optim.AdamW, weight_decay=0.5, **ADAM), None),
    "sgd_penalty": ({"training.optimizer": "sgd", "training.rate": 0.1, "training.momentum": 0.9, "training.weight_decay": 0.2},
                    everything(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.2), None),
    "nesterov": ({"training.optimizer": "nesterov", "training.rate": 0.1, "training.momentum": 0.9},
                 everything(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True), None),
    "nesterov_penalty": ({"training.optimizer": "nesterov", "training.rate": 0.1, "training.momentum": 0.9,
                          "training.weight_decay": 0.2},
                         everything(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.2, nesterov=True), None),
    "lion": ({"training.optimizer": "lion", "training.rate": 0.01, "training.beta1": 0.9, "training.beta2": 0.99,
              "training.weight_decay": 0.3},
             everything(Lion, lr=0.01, betas=(0.9, 0.99), weight_decay=0.3), None),
    "signsgd": ({"training.optimizer": "signsgd", "training.rate": 0.01}, everything(Signum, lr=0.01, momentum=0.0), None),
    "signsgd_momentum": ({"training.optimizer": "signsgd", "training.rate": 0.01, "training.momentum": 0.9,
                          "training.weight_decay": 0.3},
                         everything(Signum, lr=0.01, momentum=0.9, weight_decay=0.3), None),
    "muon": ({"training.optimizer": "muon", "training.momentum": 0.9, "training.weight_decay": 0.1, **ADAM_KEYS},
             muon_with_adamw, None),
    "by_matrix": ({"training.optimizer": "adamw", "training.weight_decay": 0.5, **ADAM_KEYS, "training.decay": {"W_E": 0},
                   "training.rates": {"layer.*.query": 0.1}, "training.frozen": ["blocks.0.attn.b_Q"]}, by_matrix, None),
    "clipped": ({"training.optimizer": "sgd", "training.rate": 0.1, "training.clip": 3.5},
                everything(torch.optim.SGD, lr=0.1), 3.5),
}


def draw(generator, shape):
    """Multiples of 1/1024 are exact in float32, so every precision starts from the same point."""
    rows, columns = shape
    return [[generator.randint(-1024, 1024) / 1024 for _ in range(columns)] for _ in range(rows)]


def train(make, longest, start, gradients, dtype):
    parameters = {name: torch.tensor(rows, dtype=dtype, requires_grad=True) for name, rows in start.items()}
    optimizers = make(parameters)
    for step in gradients:
        for name, tensor in parameters.items():
            tensor.grad = torch.tensor(step[name], dtype=dtype)
        if longest is not None:
            torch.nn.utils.clip_grad_norm_(list(parameters.values()), longest)
        for optimizer in optimizers:
            optimizer.step()
    return {name: tensor.detach() for name, tensor in parameters.items()}


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(__file__).parent / "optimizers"
    folder.mkdir(exist_ok=True)
    for seed, (name, (settings, make, longest)) in enumerate(CASES.items()):
        generator = random.Random(seed)
        start = {matrix: draw(generator, shape) for matrix, shape in SHAPES.items()}
        gradients = [{matrix: draw(generator, shape) for matrix, shape in SHAPES.items()} for _ in range(STEPS)]
        exact = train(make, longest, start, gradients, torch.float64)
        single = train(make, longest, start, gradients, torch.float32)
        for matrix, value in exact.items():
            strays = (single[matrix].double() - value).abs().max().item()
            assert strays < TOLERANCE, f"{name}: {matrix} is ill-conditioned, float32 strays by {strays:.1e}"
        after = {matrix: [[float(f"{x:.10g}") for x in row] for row in value.tolist()] for matrix, value in exact.items()}
        content = dict(made_with=f"PyTorch {torch.__version__}", settings=settings, start=start, gradients=gradients, after=after)
        lines = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in content.items()]
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
