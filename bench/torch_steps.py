#!/usr/bin/env python3
"""The same training step in PyTorch eager, the way a notebook would write it. One thread.

Reads cases from standard input, one per line, `step PART VOCAB WIDTH CONTEXT BATCH SECONDS`, trains for about so many seconds
and answers with the microseconds a step took, so that bench/run.py can take turns between this and the engine. PART is what
differs from the plain network, as in bench_steps.cpp, or a transformer of transformers.py; with `-asked` added, one whose last
layer is computed only where an answer is asked for. `product` answers with the GFLOP/s of a matrix product.
"""
import math
import pathlib
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "pytorch"))
from tasks import Recall, Regression
from transformer import Transformer, mean_loss
from transformers import SETTINGS, config_of

torch.set_num_threads(1)
torch.manual_seed(1)


def inverse_power(points, others, power=2):
    """Scores whose softmax is proportional to 1/distance^power."""
    return -power / 2 * (squared_distances(points, others) + 1e-6).log()


def squared_distances(points, others):
    return (points.unsqueeze(-2) - others.unsqueeze(-3)).pow(2).sum(-1)


class AttentionOnly(nn.Module):
    def __init__(self, part, vocab, width, context):
        super().__init__()
        self.part = part
        self.embedding = nn.Embedding(vocab, width)  # its rows are the unembedding, too
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.register_buffer("future", torch.ones(context, context).triu(1).bool())
        for weight in self.parameters():
            nn.init.uniform_(weight, -1 / math.sqrt(width), 1 / math.sqrt(width))
        if part == "positions":
            self.positions = nn.Parameter(torch.randn(context, width))

    def scores(self, query, key):
        if self.part == "distance":
            return -squared_distances(query, key) / math.sqrt(query.shape[-1])
        if self.part == "inverse":
            return inverse_power(query, key)
        return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])

    def forward(self, tokens):
        x = self.embedding(tokens)
        if self.part == "positions":
            x = x + self.positions
        query, key, value = self.query(x), self.key(x), self.value(x)
        attention = self.scores(query, key).masked_fill(self.future, -math.inf).softmax(-1)
        out = attention @ value
        if self.part != "unigram":
            out = out[:, -1]  # the loss asks for the last position only
        if self.part == "harmonic":
            return inverse_power(out, self.embedding.weight)
        return out @ self.embedding.weight.T


class Toy:
    """y = W Σ softmax(a)_t x_t on single-location regression, by SGD; the vocabulary means nothing here."""

    def __init__(self, part, vocab, width, context, batch):
        self.shape = (batch, context, width)
        self.weights = nn.Parameter(torch.zeros(width, width))
        self.scores = nn.Parameter(torch.zeros(context))
        self.target = F.normalize(torch.randn(width, width), dim=0)
        self.optimizer = torch.optim.SGD([self.weights, self.scores], lr=1.0)

    def step(self):
        tokens = torch.randn(self.shape) / math.sqrt(self.shape[-1])
        answers = tokens[:, -1] @ self.target.T
        out = (self.scores.softmax(0) @ tokens) @ self.weights.T
        loss = (out - answers).pow(2).sum(-1).mean() / 2
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Case:
    def __init__(self, part, vocab, width, context, batch):
        self.part, self.vocab, self.shape = part, vocab, (batch, context)
        self.network = AttentionOnly(part, vocab, width, context)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.frequencies = 1 / torch.arange(1, vocab).float()  # of the tokens but [BOS], by Zipf's law
        self.bos = torch.full((batch, 1), vocab - 1)

    def draw(self):
        """Tokens and what is asked about them."""
        if self.part == "unigram":
            drawn = torch.multinomial(self.frequencies, self.shape[0] * self.shape[1], replacement=True).view(self.shape)
            return torch.cat([self.bos, drawn[:, :-1]], dim=1), drawn.flatten()
        tokens = torch.randint(0, self.vocab, self.shape)
        return tokens, tokens[:, -2 if self.part == "positions" else -1]

    def step(self):
        tokens, answers = self.draw()
        loss = F.cross_entropy(self.network(tokens).flatten(0, -2), answers)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class TransformerCase:
    """Projections one by one, attention spelled out: timed against fused projections and PyTorch's own
    scaled_dot_product_attention, which were the same within a tenth. Adam's loop over tensors is the faster of its two."""

    def __init__(self, part, vocab, width, context, batch):
        part, *variant = part.split("-")
        config = config_of(part, vocab, width, context)
        self.network = Transformer(config, last_layer_asked_only=variant == ["asked"])
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config["training.rate"], foreach=True)
        self.task = (Regression(context, config["data.dimension"], batch) if self.network.sizes.real
                     else Recall(vocab, config["data.pairs"], batch))

    def step(self):
        inputs, expected = self.task.draw()
        loss = mean_loss(self.network(inputs), expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def make_case(part, *shape):
    if part.split("-")[0] in SETTINGS:
        return TransformerCase(part, *shape)
    return (Toy if part == "toy" else Case)(part, *shape)


def product_speed():
    """GFLOP/s of the kind of product transformers are made of, the best of some."""
    rows, columns = torch.randn(2048, 256), torch.randn(256, 1024)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        rows @ columns
        times.append(time.perf_counter() - start)
    return 2 * 2048 * 256 * 1024 / min(times) / 1e9


def seconds_for(case, steps):
    start = time.perf_counter()
    for _ in range(steps):
        case.step()
    return time.perf_counter() - start


def main():
    cases = {}
    for line in sys.stdin:
        if line.split() == ["product"]:
            print(product_speed(), flush=True)
            continue
        _, part, *shape, seconds = line.split()
        shape = (part, *map(int, shape))
        if shape not in cases:
            case = cases[shape] = make_case(*shape)
            seconds_for(case, 3)  # warm-up: allocator, kernel choice, optimizer state
            case.per_step = seconds_for(case, 1)
        case = cases[shape]
        steps = max(1, round(float(seconds) / case.per_step))
        case.per_step = seconds_for(case, steps) / steps
        print(case.per_step * 1e6, flush=True)


if __name__ == "__main__":
    main()
