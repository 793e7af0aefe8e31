"""The lab's networks as a plain PyTorch module. `run.to_torch()` makes one with the weights of a run.

    network = Transformer(config)                             # {"network.width": 32, ...}, the settings of a run
    network.load_state_dict(to_state_dict(tensors, network))  # tensors: [out, in], under the names of `run.weights`

Shapes: B sequences, C positions, D width, H heads, K width of a head's queries and keys, V tokens, F features of a
real-valued input, Q positions where an answer is asked for. This file needs torch and nothing else of the package, so
it can be copied.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
import torch.nn as nn

__all__ = ["Transformer"]

# Settings that a configuration may leave out.
DEFAULTS: dict[str, Any] = {
    "data.targets": "last", "data.bos": False, "data.flag": True, "network.form": "attention", "network.layers": 1,
    "network.heads": 1, "network.head_width": 0, "network.positions": "none", "network.mask": "causal",
    "network.window": 0, "network.stride": 1, "network.kernel": "dot", "network.position_bias": "none",
    "network.output": False, "network.residual": False, "network.mlp": "none", "network.mlp_factor": 4,
    "network.norm": "none", "network.biases": False, "network.unembedding": "tied", "network.logits": "linear",
    "network.logits_power": 2.0, "network.kernel_power": 2.0, "network.stack": ["blocks"],
    "network.normalizer": "softmax", "network.qk_norm": False, "network.gate": False,
}  # fmt: skip
ACTIVATIONS = {"gelu": nn.GELU, "relu": nn.ReLU}
KERNELS = ("dot", "distance", "inverse", "none")
PARTS = ("attention", "mlp", "linear")
COINCIDENT = 1e-6  # added to squared distances, so that their logarithm is finite


class Sizes(NamedTuple):
    """The shapes at both ends of a network."""

    context: int
    inputs: int  # tokens, or features of a real-valued input
    outputs: int
    real: bool  # inputs are vectors and not tokens
    tied: bool
    first_asked: int  # answers are asked for from this position on

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Sizes:
        """What the settings of the built-in tasks say."""
        real = config["data.task"] == "regression"
        context = 2 * config["data.pairs"] + 1 if config["data.task"] == "recall" else config["data.context"]
        inputs = config["data.dimension"] + config["data.flag"] if real else config["data.vocab"] + config["data.bos"]
        tied = not real and config["network.unembedding"] == "tied"
        asked = 0 if config["data.targets"] == "every" else context - 1
        return cls(context, inputs, config["data.dimension"] if real else inputs, real, tied, asked)


def sinusoids(context: int, width: int) -> torch.Tensor:
    """[C, D]: sin on even features, cos of the same angle on odd ones."""
    feature = torch.arange(width)
    angle = torch.arange(context).double()[:, None] / 10000 ** ((feature - feature % 2) / width).double()
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos())


def visible(config: Mapping[str, Any], context: int) -> torch.Tensor:
    """[C, C], true where query i (row) may see key j (column)."""
    offset = torch.arange(context)[:, None] - torch.arange(context)
    seen = offset.abs() % config["network.stride"] == 0
    if config["network.window"] > 0:
        seen &= offset.abs() <= config["network.window"]
    if config["network.mask"] != "full":
        seen &= offset >= 0
    if config["network.mask"] == "earlier":
        seen &= offset > 0
    return seen


def stack(config: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The parts between embedding and read-out with the number of their block: within one, in the order of PARTS."""
    if list(config["network.stack"]) == ["blocks"]:
        block = ["attention"] if config["network.mlp"] == "none" else ["attention", "mlp"]
        return [(part, number) for number in range(config["network.layers"]) for part in block]
    parts: list[tuple[str, int]] = []
    for part in config["network.stack"]:
        before, number = parts[-1] if parts else (None, 0)
        opens = before is not None and PARTS.index(part) <= PARTS.index(before)
        parts.append((part, number + opens))
    return parts


def rotated(x: torch.Tensor) -> torch.Tensor:
    """[B, H, C, K] with features 2m and 2m+1 turned by position / 10000^(2m/K); the last of an odd number stays."""
    positions, width = x.shape[-2:]
    pairs = width // 2
    angle = torch.arange(positions)[:, None] / 10000 ** (2 * torch.arange(pairs) / width)
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x[..., 0 : 2 * pairs : 2], x[..., 1 : 2 * pairs : 2]
    turned = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)
    return torch.cat((turned, x[..., 2 * pairs :]), -1)


class HeadNorm(nn.Module):
    """Features of a head over their root mean square, times a learned scale."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()


class Attention(nn.Module):
    """Attention of several heads; queries from position `first` on, keys and values everywhere."""

    def __init__(self, config: Mapping[str, Any], context: int) -> None:
        super().__init__()
        width, heads, biases = config["network.width"], config["network.heads"], config["network.biases"]
        self.heads, self.head_width = heads, config["network.head_width"] or width // heads
        self.kernel, self.power = config["network.kernel"], config["network.kernel_power"]
        self.normalizer = config["network.normalizer"]
        self.rotary = config["network.positions"] == "rotary"
        scored = self.kernel != "none"
        self.query: Any = nn.Linear(width, heads * self.head_width, biases) if scored else None
        self.key: Any = nn.Linear(width, heads * self.head_width, biases) if scored else None
        self.q_norm = HeadNorm(self.head_width) if config["network.qk_norm"] else nn.Identity()
        self.k_norm = HeadNorm(self.head_width) if config["network.qk_norm"] else nn.Identity()
        self.value = nn.Linear(width, width, biases)
        self.gate = nn.Linear(width, width, biases) if config["network.gate"] else None
        self.output = nn.Linear(width, width, biases) if config["network.output"] else None
        if self.normalizer == "sink":
            self.sink = nn.Parameter(torch.zeros(heads))
        self.position_bias = config["network.position_bias"]
        if self.position_bias == "slope":
            self.slope = nn.Parameter(2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads))
        if self.position_bias == "free":
            self.bias = nn.Parameter(torch.zeros(heads, 2 * context - 1))
        seen = visible(config, context)
        offset = torch.arange(context)[:, None] - torch.arange(context)
        # Added to scores: 0 where a query may look, -∞ elsewhere; None where it may look everywhere.
        hidden = None if seen.all() else torch.zeros(seen.shape).masked_fill(~seen, -math.inf)
        self.register_buffer("seen", seen, False)
        self.register_buffer("hidden", hidden, False)
        self.register_buffer("distance", offset.abs(), False)
        self.register_buffer("relative", offset + context - 1, False)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        """[B, C, H·K] to [B, H, C, K]"""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def biases(self, first: int) -> Any:
        """What is added to scores by position, [H, Q, C], or None."""
        if self.position_bias == "none":
            return None
        if self.position_bias == "slope":
            return -self.slope[:, None, None] * self.distance[first:]
        return self.bias[:, self.relative[first:]]

    def prepared(self, x: torch.Tensor, norm: nn.Module) -> torch.Tensor:
        """Queries or keys of all positions, [B, H, C, K]."""
        x = norm(self.split(x))
        return rotated(x) if self.rotary else x

    def scores(self, x: torch.Tensor, first: int) -> torch.Tensor:
        """[B, H, Q, C], the position bias included."""
        bias = self.biases(first)
        if self.kernel == "none":
            return bias[None]
        query = self.prepared(self.query(x), self.q_norm)[:, :, first:]
        key = self.prepared(self.key(x), self.k_norm)
        if self.kernel == "dot":
            scores = query / math.sqrt(self.head_width) @ key.transpose(-2, -1)
        else:
            apart = (query[..., :, None, :] - key[..., None, :, :]).pow(2).sum(-1)
            if self.kernel == "distance":
                scores = -apart / math.sqrt(self.head_width)
            else:  # inverse: weights ∝ 1 / distance^power
                scores = -self.power / 2 * torch.log(apart + COINCIDENT)
        return scores if bias is None else scores + bias

    def weights(self, scores: torch.Tensor, first: int) -> torch.Tensor:
        """From scores to weights, 0 where a query does not look."""
        seen = self.seen[first:]
        if self.normalizer == "sigmoid":
            return scores.sigmoid() * seen
        if self.normalizer.startswith("linear"):
            count = seen.sum(-1, keepdim=True).clamp(min=1) if self.normalizer == "linear-mean" else 1
            return scores * seen / count
        if self.hidden is not None:
            scores = scores + self.hidden[first:]
        if self.normalizer == "softmax" and seen.any(-1).all():
            return scores.softmax(-1)
        # One more logit, whose weight is dropped; softmax has it only where a query sees no key at all.
        if self.normalizer == "softmax":
            extra = torch.zeros(seen.shape[0]).masked_fill(seen.any(-1), -math.inf)
        else:
            extra = self.sink[:, None] if self.normalizer == "sink" else torch.zeros(1)
        extra = extra.to(scores.dtype).expand(scores.shape[:-1])[..., None]
        return torch.cat((scores, extra), -1).softmax(-1)[..., :-1]

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        mixed = self.weights(self.scores(x, first), first) @ self.split(self.value(x))  # [B, H, Q, D/H]
        mixed = mixed.transpose(1, 2).flatten(-2)  # [B, Q, D]
        if self.gate is not None:
            mixed = self.gate(x[:, first:]).sigmoid() * mixed
        return mixed if self.output is None else self.output(mixed)


class MLP(nn.Module):
    """Two linear maps with a nonlinearity between them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width, biases = config["network.width"], config["network.biases"]
        self.hidden = nn.Linear(width, config["network.mlp_factor"] * width, biases)
        self.activation = ACTIVATIONS[config["network.mlp"]]()
        self.output = nn.Linear(config["network.mlp_factor"] * width, width, biases)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.output(self.activation(self.hidden(x)))


class Block(nn.Module):
    """Some of attention, an MLP and a linear map, in this order."""

    def __init__(self, config: Mapping[str, Any], context: int, parts: list[str]) -> None:
        super().__init__()
        width = config["network.width"]
        self.parts, self.residual = parts, config["network.residual"]
        normed = config["network.norm"] == "pre"
        if "attention" in parts:
            self.ln1 = nn.LayerNorm(width) if normed else nn.Identity()
            self.attn = Attention(config, context)
        if "mlp" in parts:
            self.ln2 = nn.LayerNorm(width) if normed else nn.Identity()
            self.mlp = MLP(config)
        if "linear" in parts:
            self.ln3 = nn.LayerNorm(width) if normed else nn.Identity()
            self.linear = nn.Linear(width, width, config["network.biases"])

    def forward(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        if "attention" in self.parts:
            attended = self.attn(self.ln1(x), first)
            x = x[:, first:] + attended if self.residual else attended
        for part, norm in (("mlp", "ln2"), ("linear", "ln3")):
            if part in self.parts:
                out = getattr(self, part)(getattr(self, norm)(x))
                x = x + out if self.residual else out
        return x


class Transformer(nn.Module):
    """Tokens [B, C] or inputs [B, C, F] to logits or answers at the asked positions, [B, Q, V or d].

    `config` has the settings of a run; `sizes` are those of its task, for a task that is not built in.
    `last_layer_asked_only`: the last block is computed only where an answer is asked for, which gives the same numbers.
    """

    def __init__(
        self, config: Mapping[str, Any], last_layer_asked_only: bool = False, sizes: Sizes | None = None
    ) -> None:
        super().__init__()
        config = {**DEFAULTS, **config}
        if config["network.form"] != "attention" or config["network.kernel"] not in KERNELS:
            raise ValueError("this module knows the program's own forms of attention")
        if config["network.mlp"] not in ("none", *ACTIVATIONS):
            raise ValueError("this module knows the program's own MLPs")
        sizes = self.sizes = sizes or Sizes.of(config)
        width, biases = config["network.width"], config["network.biases"]
        self.embedding = nn.Linear(sizes.inputs, width, biases) if sizes.real else nn.Embedding(sizes.inputs, width)
        if config["network.positions"] == "learned":
            self.positions = nn.Parameter(torch.randn(sizes.context, width))
        else:
            table = sinusoids(sizes.context, width) if config["network.positions"] == "sinusoidal" else None
            self.register_buffer("positions", table, False)
        parts = stack(config)
        blocks = 1 + parts[-1][1] if parts else 0
        self.blocks = nn.ModuleList(
            Block(config, sizes.context, [part for part, block in parts if block == number]) for number in range(blocks)
        )
        self.last_mixing = max((block for part, block in parts if part == "attention"), default=None)
        self.ln_final = nn.LayerNorm(width) if config["network.norm"] == "pre" else nn.Identity()
        self.unembedding = nn.Linear(width, sizes.outputs, biases)
        self.harmonic = config["network.logits_power"] if config["network.logits"] == "harmonic" else None
        if not sizes.real:
            nn.init.uniform_(self.embedding.weight, -1 / math.sqrt(width), 1 / math.sqrt(width))
        if sizes.tied:
            self.unembedding.weight = self.embedding.weight
        self.asked_only = last_layer_asked_only
        self.to(torch.get_default_dtype())

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        first = self.sizes.first_asked
        x = self.embedding(inputs)  # [B, C, D]
        if self.positions is not None:
            x = x + self.positions
        for depth, block in enumerate(self.blocks):
            x = block(x, first if self.asked_only and depth == self.last_mixing else 0)
        x = self.ln_final(x[:, -(self.sizes.context - first) :])
        if self.harmonic is None:
            return self.unembedding(x)
        apart = (x[..., None, :] - self.unembedding.weight).pow(2).sum(-1)  # probabilities ∝ 1 / distance^power
        return -self.harmonic / 2 * torch.log(apart + COINCIDENT)


def from_transformer_lens(name: str, values: torch.Tensor) -> torch.Tensor:
    """A tensor in TransformerLens' shape (x W, heads first) as this module's [out, in]."""
    if re.fullmatch(r".*\.attn\.W_[QKV]", name):
        return values.transpose(1, 2).flatten(0, 1)  # [H, D, K] to [H·K, D]
    if name.endswith(".attn.W_O"):
        return values.flatten(0, 1).T  # [H, K, D] to [D, H·K]
    if re.fullmatch(r".*\.attn\.b_[QKV]", name):
        return values.flatten()
    if re.fullmatch(r"W_U|W_in|.*\.mlp\.W_(in|out)|.*\.linear\.W|.*\.attn\.W_G", name):
        return values.T
    return values


# The lab's names of matrices, as patterns, and this module's.
NAMES = [
    (r"W_E|W_in", "embedding.weight"), (r"b_in", "embedding.bias"), (r"W_pos", "positions"),
    (r"(.*\.)?(ln1|ln2|ln3|ln_final)\.w", r"\1\2.weight"), (r"(.*\.)?(ln1|ln2|ln3|ln_final)\.b", r"\1\2.bias"),
    (r"(.*\.attn)\.W_Q", r"\1.query.weight"), (r"(.*\.attn)\.b_Q", r"\1.query.bias"),
    (r"(.*\.attn)\.W_K", r"\1.key.weight"), (r"(.*\.attn)\.b_K", r"\1.key.bias"),
    (r"(.*\.attn)\.W_V", r"\1.value.weight"), (r"(.*\.attn)\.b_V", r"\1.value.bias"),
    (r"(.*\.attn)\.W_O", r"\1.output.weight"), (r"(.*\.attn)\.b_O", r"\1.output.bias"),
    (r"(.*\.attn)\.W_G", r"\1.gate.weight"), (r"(.*\.attn)\.b_G", r"\1.gate.bias"),
    (r"(.*\.attn)\.(slope|bias|sink)", r"\1.\2"), (r"(.*\.attn\.[qk]_norm)\.w", r"\1.weight"),
    (r"(.*\.linear)\.W", r"\1.weight"), (r"(.*\.linear)\.b", r"\1.bias"),
    (r"(.*\.mlp)\.W_in", r"\1.hidden.weight"), (r"(.*\.mlp)\.b_in", r"\1.hidden.bias"),
    (r"(.*\.mlp)\.W_out", r"\1.output.weight"), (r"(.*\.mlp)\.b_out", r"\1.output.bias"),
    (r"W_U", "unembedding.weight"), (r"b_U", "unembedding.bias"),
]  # fmt: skip


def module_name(name: str) -> str:
    """This module's name of a matrix."""
    for pattern, ours in NAMES:
        if match := re.fullmatch(pattern, name):
            return match.expand(ours)
    raise KeyError(f"no part of the module takes '{name}'")


def to_state_dict(tensors: Mapping[str, torch.Tensor], network: Transformer) -> dict[str, torch.Tensor]:
    """Matrices [out, in] as `network.load_state_dict` takes them: vectors come as [1, n], a tied matrix once."""
    known = dict(network.named_parameters())
    state = {}
    for name, values in tensors.items():
        ours = module_name(name)
        if ours in known and values.numel() == known[ours].numel():
            values = values.reshape(known[ours].shape)
        state[ours] = values  # anything else is for load_state_dict to refuse
    if network.sizes.tied:
        state["unembedding.weight"] = state["embedding.weight"]
    return state
