"""The networks of src/network as a plain PyTorch module.

    network = Transformer(config)                                  # the flat configuration of a run, "network.width": 32 ...
    network.load_state_dict(to_state_dict(tensors, network))       # tensors: [out][in], by the names of src/network

Shapes: B batch, C context, D width, H heads, K query/key width of a head, V vocabulary, F features of a real-valued input,
Q asked positions. Golden vectors, the test of exported weights and the benchmark all use this one module.
"""
import math
import re

import torch
import torch.nn as nn
import torch.nn.functional as F

ACTIVATIONS = {"gelu": nn.GELU, "relu": nn.ReLU}
# Keys a configuration may leave out; those written before a key existed meant these.
DEFAULTS = {
    "data.targets": "last", "data.bos": False, "data.flag": True, "network.form": "attention", "network.layers": 1,
    "network.heads": 1, "network.head_width": 0, "network.positions": "none", "network.mask": "causal", "network.window": 0,
    "network.stride": 1, "network.kernel": "dot", "network.position_bias": "none", "network.output": False,
    "network.residual": False, "network.mlp": "none", "network.mlp_factor": 4, "network.norm": "none", "network.biases": False,
    "network.unembedding": "tied", "network.logits": "linear",
}


class Sizes:
    """What a configuration says about the shapes at both ends of the network."""

    def __init__(self, config):
        self.real = config["data.task"] == "regression"
        self.context = 2 * config["data.pairs"] + 1 if config["data.task"] == "recall" else config["data.context"]
        self.inputs = config["data.dimension"] + config["data.flag"] if self.real else config["data.vocab"] + config["data.bos"]
        self.outputs = config["data.dimension"] if self.real else self.inputs
        self.tied = not self.real and config["network.unembedding"] == "tied"
        self.first_asked = 0 if config["data.targets"] == "every" else self.context - 1


def sinusoids(context, width):
    """[C][D]: sin on even features, cos of the same angle on odd ones."""
    feature = torch.arange(width)
    angle = torch.arange(context).double()[:, None] / 10000 ** ((feature - feature % 2) / width).double()
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos())


def visible(config, context):
    """[C][C], true where query i (row) may see key j (column)."""
    offset = torch.arange(context)[:, None] - torch.arange(context)
    seen = offset.abs() % config["network.stride"] == 0
    if config["network.window"] > 0:
        seen &= offset.abs() <= config["network.window"]
    if config["network.mask"] == "causal":
        seen &= offset >= 0
    return seen


class Attention(nn.Module):
    """Softmax attention; queries from position `first` on, keys and values everywhere."""

    def __init__(self, config, context):
        super().__init__()
        width, heads, biases = config["network.width"], config["network.heads"], config["network.biases"]
        self.heads, self.head_width = heads, config["network.head_width"] or width // heads
        scored = config["network.kernel"] == "dot"
        self.query = nn.Linear(width, heads * self.head_width, biases) if scored else None
        self.key = nn.Linear(width, heads * self.head_width, biases) if scored else None
        self.value = nn.Linear(width, width, biases)
        self.output = nn.Linear(width, width, biases) if config["network.output"] else None
        self.position_bias = config["network.position_bias"]
        if self.position_bias == "slope":
            self.slope = nn.Parameter(2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads))
        if self.position_bias == "free":
            self.bias = nn.Parameter(torch.zeros(heads, 2 * context - 1))
        seen = visible(config, context)
        offset = torch.arange(context)[:, None] - torch.arange(context)
        # Added to scores: 0 where a query may look, -∞ elsewhere; None where it may look everywhere.
        self.register_buffer("hidden", None if seen.all() else torch.zeros(seen.shape).masked_fill(~seen, -math.inf), False)
        self.register_buffer("distance", offset.abs(), False)
        self.register_buffer("relative", offset + context - 1, False)

    def split(self, x):
        """[B][P][H·K] to [B][H][P][K]"""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def offsets(self, first):
        """What is added to scores, [Q][C] or [H][Q][C], or None."""
        hidden = None if self.hidden is None else self.hidden[first:]
        if self.position_bias == "none":
            return hidden
        if self.position_bias == "slope":
            bias = -self.slope[:, None, None] * self.distance[first:]
        else:
            bias = self.bias[:, self.relative[first:]]
        return bias if hidden is None else bias + hidden

    def forward(self, x, first=0):
        offsets = self.offsets(first)
        if self.query is None:
            scores = offsets                                                  # [H][Q][C]
        else:
            query = self.split(self.query(x[:, first:])) / math.sqrt(self.head_width)
            scores = query @ self.split(self.key(x)).transpose(-2, -1)        # [B][H][Q][C]
            if offsets is not None:
                scores = scores + offsets
        mixed = scores.softmax(-1) @ self.split(self.value(x))                # [B][H][Q][D/H]
        mixed = mixed.transpose(1, 2).flatten(-2)                             # [B][Q][D]
        return mixed if self.output is None else self.output(mixed)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, biases = config["network.width"], config["network.biases"]
        self.hidden = nn.Linear(width, config["network.mlp_factor"] * width, biases)
        self.activation = ACTIVATIONS[config["network.mlp"]]()
        self.output = nn.Linear(config["network.mlp_factor"] * width, width, biases)

    def forward(self, x):
        return self.output(self.activation(self.hidden(x)))


class Block(nn.Module):
    def __init__(self, config, context):
        super().__init__()
        norm = lambda: nn.LayerNorm(config["network.width"]) if config["network.norm"] == "pre" else nn.Identity()
        has_mlp = config["network.mlp"] != "none"
        self.residual = config["network.residual"]
        self.ln1, self.attn = norm(), Attention(config, context)
        self.ln2, self.mlp = (norm(), MLP(config)) if has_mlp else (None, None)

    def forward(self, x, first=0):
        attended = self.attn(self.ln1(x), first)
        x = x[:, first:] + attended if self.residual else attended
        if self.mlp is None:
            return x
        out = self.mlp(self.ln2(x))
        return x + out if self.residual else out


class Transformer(nn.Module):
    """Tokens [B][C] or inputs [B][C][F] to logits or answers at the asked positions, [B][Q][V or d].

    `last_layer_asked_only`: the last block is computed only where an answer is asked for, which gives the same numbers.
    """

    def __init__(self, config, last_layer_asked_only=False):
        super().__init__()
        config = {**DEFAULTS, **config}
        if config["network.form"] != "attention" or config["network.kernel"] not in ("dot", "none") \
                or config["network.logits"] != "linear":
            raise ValueError("this module knows attention by dot products or positions alone, and linear logits")
        sizes = self.sizes = Sizes(config)
        width, biases = config["network.width"], config["network.biases"]
        self.embedding = nn.Linear(sizes.inputs, width, biases) if sizes.real else nn.Embedding(sizes.inputs, width)
        if config["network.positions"] == "learned":
            self.positions = nn.Parameter(torch.randn(sizes.context, width))
        else:
            table = sinusoids(sizes.context, width) if config["network.positions"] == "sinusoidal" else None
            self.register_buffer("positions", table, False)
        self.blocks = nn.ModuleList(Block(config, sizes.context) for _ in range(config["network.layers"]))
        self.ln_final = nn.LayerNorm(width) if config["network.norm"] == "pre" else nn.Identity()
        self.unembedding = nn.Linear(width, sizes.outputs, biases)
        if not sizes.real:
            nn.init.uniform_(self.embedding.weight, -1 / math.sqrt(width), 1 / math.sqrt(width))
        if sizes.tied:
            self.unembedding.weight = self.embedding.weight
        self.asked_only = last_layer_asked_only
        self.to(torch.get_default_dtype())

    def forward(self, inputs):
        first, last = self.sizes.first_asked, len(self.blocks) - 1
        x = self.embedding(inputs)                                            # [B][C][D]
        if self.positions is not None:
            x = x + self.positions
        for depth, block in enumerate(self.blocks):
            x = block(x, first if self.asked_only and depth == last else 0)
        return self.unembedding(self.ln_final(x[:, -(self.sizes.context - first):]))


def mean_loss(outputs, expected, weights=None):
    """Cross-entropy with targets [B][Q], each weighted by `weights` [Q]; or ½‖y - y*‖² with answers [B][d]."""
    if expected.is_floating_point():
        return (outputs[:, -1] - expected).pow(2).sum(-1).mean() / 2
    losses = F.cross_entropy(outputs.flatten(0, 1), expected.flatten(), reduction="none").view(expected.shape)
    return losses.mean() if weights is None else (losses * weights).sum() / (len(expected) * weights.sum())


def from_transformer_lens(name, values):
    """An exported tensor, in TransformerLens' shape (x W, heads first), as this module's [out][in]."""
    if re.fullmatch(r".*\.attn\.W_[QKV]", name):
        return values.transpose(1, 2).flatten(0, 1)                           # [H][D][K] to [H·K][D]
    if name.endswith(".attn.W_O"):
        return values.flatten(0, 1).T                                         # [H][K][D] to [D][H·K]
    if re.fullmatch(r".*\.attn\.b_[QKV]", name):
        return values.flatten()
    if re.fullmatch(r"W_U|W_in|.*\.mlp\.W_(in|out)", name):
        return values.T
    return values


# The names of src/network, as patterns, and the module's.
NAMES = [
    (r"W_E|W_in", "embedding.weight"), (r"b_in", "embedding.bias"), (r"W_pos", "positions"),
    (r"(.*\.)?(ln1|ln2|ln_final)\.w", r"\1\2.weight"), (r"(.*\.)?(ln1|ln2|ln_final)\.b", r"\1\2.bias"),
    (r"(.*\.attn)\.W_Q", r"\1.query.weight"), (r"(.*\.attn)\.b_Q", r"\1.query.bias"),
    (r"(.*\.attn)\.W_K", r"\1.key.weight"), (r"(.*\.attn)\.b_K", r"\1.key.bias"),
    (r"(.*\.attn)\.W_V", r"\1.value.weight"), (r"(.*\.attn)\.b_V", r"\1.value.bias"),
    (r"(.*\.attn)\.W_O", r"\1.output.weight"), (r"(.*\.attn)\.b_O", r"\1.output.bias"),
    (r"(.*\.attn)\.(slope|bias)", r"\1.\2"),
    (r"(.*\.mlp)\.W_in", r"\1.hidden.weight"), (r"(.*\.mlp)\.b_in", r"\1.hidden.bias"),
    (r"(.*\.mlp)\.W_out", r"\1.output.weight"), (r"(.*\.mlp)\.b_out", r"\1.output.bias"),
    (r"W_U", "unembedding.weight"), (r"b_U", "unembedding.bias"),
]


def module_name(name):
    """The module's name of an exported matrix."""
    for pattern, ours in NAMES:
        if match := re.fullmatch(pattern, name):
            return match.expand(ours)
    raise KeyError(f"no part of the module takes '{name}'")


def to_state_dict(tensors, network):
    """Matrices [out][in] as `network.load_state_dict` takes them: vectors come as [1][n], a tied matrix once."""
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
