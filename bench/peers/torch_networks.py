"""The trainings in PyTorch: one run as a notebook writes it, and R runs batched by hand with a leading run axis.

A network here holds its parameters in one vector, of which the matrices are views, and so are their gradients: Adam is then
a few calls whatever the number of matrices and runs. bench/README.md lists what else was tried.

Shapes: R runs (batched forms only), B batch, C context, D width, V vocabulary.
"""
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests" / "pytorch")]
from tasks import Recall, Regression
from transformer import Transformer, mean_loss
from transformers import SETTINGS, config_of


class Flat:
    """Leaves whose values and gradients are views of two long vectors."""

    def __init__(self, tensors):
        self.values = torch.cat([tensor.detach().flatten() for tensor in tensors])
        self.gradients = torch.zeros_like(self.values)
        first = 0
        for tensor in tensors:
            part = slice(first, first + tensor.numel())
            tensor.data = self.values[part].view(tensor.shape)
            tensor.grad = self.gradients[part].view(tensor.shape)
            first += tensor.numel()


class Adam:
    def __init__(self, flat, rate):
        self.flat, self.rate, self.steps = flat, rate, 0
        self.mean, self.square = torch.zeros_like(flat.values), torch.zeros_like(flat.values)

    def step(self):
        self.steps += 1
        gradient = self.flat.gradients
        self.mean.lerp_(gradient, 0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        root = self.square.sqrt().mul_(1 / math.sqrt(1 - 0.999 ** self.steps)).add_(1e-8)
        self.flat.values.addcdiv_(self.mean, root, value=-self.rate / (1 - 0.9 ** self.steps))
        gradient.zero_()


class Sgd:
    def __init__(self, flat, rate):
        self.flat, self.rate = flat, rate

    def step(self):
        self.flat.values.add_(self.flat.gradients, alpha=-self.rate)
        self.flat.gradients.zero_()


def uniform(*shape):
    """In ±1/√D, with D the last of the shape."""
    return torch.empty(shape).uniform_(-1, 1).div_(math.sqrt(shape[-1])).requires_grad_()


class Plain:
    """Copy of the last token by one head without residuals; tied. Only the last query is formed. Keys and values never are:
    q·(W_K x) = (W_Kᵀ q)·x and Σ a W_V x = W_V Σ a x. Samples are innermost: sums over two features as the last axis are loops
    of two."""

    rate = 1e-3

    def __init__(self, vocab, width, context, batch):
        self.vocab, self.shape, self.scale = vocab, (context, batch), 1 / math.sqrt(width)
        self.table = uniform(vocab, width)
        self.query, self.key, self.value = (uniform(width, width) for _ in range(3))
        self.flat = Flat([self.table, self.query, self.key, self.value])

    def losses(self):
        tokens = torch.randint(0, self.vocab, self.shape)                          # [C][B]
        x = F.embedding(tokens, self.table).transpose(1, 2).contiguous()           # [C][D][B]
        query = (self.key.T @ self.query) @ x[-1] * self.scale                     # [D][B]
        attention = (x * query).sum(1).softmax(0)                                  # [C][B]
        out = self.value @ (attention.unsqueeze(1) * x).sum(0)                     # [D][B]
        return F.cross_entropy(out.T @ self.table.T, tokens[-1])


class BatchedPlain:
    """R of them. Embeddings by gather along the transposed table, so that samples are innermost from the start."""

    rate = 1e-3

    def __init__(self, runs, vocab, width, context, batch):
        self.vocab, self.shape, self.scale = vocab, (runs, width, context, batch), 1 / math.sqrt(width)
        self.table = uniform(runs, vocab, width)
        self.query, self.key, self.value = (uniform(runs, width, width) for _ in range(3))
        self.flat = Flat([self.table, self.query, self.key, self.value])

    def losses(self):
        runs, width, context, batch = self.shape
        tokens = torch.randint(0, self.vocab, (runs, 1, context * batch))
        x = self.table.transpose(1, 2).gather(2, tokens.expand(-1, width, -1)).view(self.shape)  # [R][D][C][B]
        query = self.key.transpose(1, 2) @ (self.query @ x[:, :, -1]) * self.scale               # [R][D][B]
        attention = (x * query.unsqueeze(2)).sum(1).softmax(1)                                   # [R][C][B]
        out = self.value @ (attention.unsqueeze(1) * x).sum(2)                                   # [R][D][B]
        answers = tokens[:, 0, -batch:]
        return F.cross_entropy(self.table @ out, answers, reduction="none").mean(1)              # [R]


class Toy:
    """y = W Σ softmax(a)_t x_t on single-location regression, by SGD."""

    rate = 1.0

    def __init__(self, vocab, width, context, batch):
        self.shape = (batch, context, width)
        self.weights = torch.zeros(width, width, requires_grad=True)
        self.scores = torch.zeros(context, requires_grad=True)
        self.target = F.normalize(torch.randn(width, width), dim=0)
        self.flat = Flat([self.weights, self.scores])

    def losses(self):
        tokens = torch.randn(self.shape).mul_(1 / math.sqrt(self.shape[-1]))
        out = (self.scores.softmax(0) @ tokens) @ self.weights.T
        return (out - tokens[:, -1] @ self.target.T).pow(2).sum(-1).mean() / 2


class ToyByLaw(Toy):
    """The same training from the law of its gradient, as the engine does it: of the T - 1 tokens beside the relevant one only
    their mean, N(0, S/d), is drawn, and for each score one number (src/theory/scores_network.h has the derivation)."""

    def step_gradients(self):
        batch, context, width = self.shape
        weights, flat = self.weights.detach(), self.flat
        attention = self.scores.detach().softmax(0)
        others = attention[:-1]
        spread = others.pow(2).sum()
        relevant = torch.randn(batch, width).mul_(1 / math.sqrt(width))
        rest = torch.randn(batch, width).mul_((spread / width).sqrt())
        mean = attention[-1] * relevant + rest
        error = mean @ weights.T - relevant @ self.target.T
        slope = error @ weights                                          # v = Wᵀ (y - y*)
        self.weights.grad.addmm_(error.T, mean, alpha=1 / batch)
        noise = torch.randn(context - 1).mul_((slope.pow(2).sum() / width).sqrt())
        # Σ_b x_t·v of the others, given their mean; then through the softmax.
        products = others / spread * ((rest * slope).sum() - others @ noise) + noise
        products = torch.cat([products, (relevant * slope).sum().view(1)]).div_(batch)
        self.scores.grad.add_(attention * (products - attention @ products))
        return error.pow(2).sum() / (2 * batch)


def attend_last(attention, x):
    """What the module's attention gives for the last position, [B][C][D] to [B][1][D], without its keys and values. A bias of the
    keys would add the same to all scores."""
    heads, size = attention.heads, attention.head_width
    query = attention.query(x[:, -1]).unflatten(-1, (heads, size)).transpose(0, 1) / math.sqrt(size)  # [H][B][K]
    carried = query @ attention.key.weight.unflatten(0, (heads, size))                                # [H][B][D]
    weights = (x @ carried.permute(1, 2, 0)).softmax(1)                                               # [B][C][H]
    mean = (weights.transpose(1, 2) @ x).transpose(0, 1)                                              # [H][B][D]
    mixed = mean @ attention.value.weight.unflatten(0, (heads, -1)).transpose(1, 2)                   # [H][B][D/H]
    mixed = mixed.transpose(0, 1).flatten(1)
    if attention.value.bias is not None:
        mixed = mixed + attention.value.bias
    return attention.output(mixed).unsqueeze(1)


class Transformed:
    """The module that the tests compare the engine with, its last layer at the asked position only."""

    def __init__(self, part, vocab, width, context, batch):
        config = config_of(part, vocab, width, context)
        self.rate = config["training.rate"]
        self.network = Transformer(config, last_layer_asked_only=True)
        last = self.network.blocks[-1].attn
        last.forward = lambda x, first: attend_last(last, x)
        self.flat = Flat(list(self.network.parameters()))
        self.task = (Regression(context, config["data.dimension"], batch) if self.network.sizes.real
                     else Recall(vocab, config["data.pairs"], batch))

    def losses(self):
        inputs, expected = self.task.draw()
        return mean_loss(self.network(inputs), expected)


def make_network(variant, runs, part, *shape):
    if variant == "batched":
        return BatchedPlain(runs, *shape)
    if part in SETTINGS:
        return Transformed(part, *shape)
    return {"plain": Plain, "toy": ToyByLaw if variant == "law" else Toy}[part](*shape)


class Training:
    """A network with its optimizer."""

    def __init__(self, variant, runs, part, *shape):
        self.network = make_network(variant, runs, part, *shape)
        self.by_law = isinstance(self.network, ToyByLaw)
        self.optimizer = (Sgd if part == "toy" else Adam)(self.network.flat, self.network.rate)

    def step(self):
        """The loss of a fresh batch, by run, and the update it leads to."""
        if self.by_law:
            losses = self.network.step_gradients()
        else:
            losses = self.network.losses()
            losses.sum().backward()
            losses = losses.detach()
        self.optimizer.step()
        return losses
