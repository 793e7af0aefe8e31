#!/usr/bin/env python3
"""Golden vectors: what PyTorch computes for the networks of src/network, on fixed tokens from fixed parameters.

    /usr/bin/python3 tests/golden/make_golden.py        # needs Debian's python3-torch

writes one JSON file per case beside this script: the starting parameters, the batches of ten steps, loss and gradients of the
first batch, and the parameters after ten steps of Adam and of SGD with momentum. Values are PyTorch's in float64; the script
refuses a case on which PyTorch's own float32 strays further from them than the tests allow the engine to. The network
below leaves the derivatives to autograd, so it shares nothing with the hand-written ones it checks.
"""
import json
import math
import pathlib
import random

import torch
import torch.nn.functional as F

STEPS = 10
ADAM = dict(lr=0.01, betas=(0.9, 0.999), eps=1e-8)
SGD = dict(lr=0.1, momentum=0.9)
BLOCK = "blocks.0.attn."  # the names of src/network
TOLERANCE = 1e-5  # tests/training/golden_test.cpp holds the engine to this
COINCIDENT = 1e-6  # added to squared distances before a logarithm

# `unasked`: leading positions whose answer does not count (weight 0) when every position is asked. `next`: the last token of
# the vocabulary is [BOS], which opens each sequence, and every position is asked for the token that follows it.
CASES = {
    "width2_last_causal_tied": dict(vocab=4, width=2, context=4, batch=9),
    "width1_every_causal_tied": dict(vocab=5, width=1, context=3, batch=17, targets="every"),
    "width3_last_causal_free": dict(vocab=7, width=3, context=4, batch=16, unembedding="free"),
    "width10_every_full_free_learned": dict(vocab=6, width=10, context=5, batch=18, targets="every", mask="full",
                                            unembedding="free", positions="learned"),
    "width2_last_causal_tied_learned": dict(vocab=10, width=2, context=4, batch=33, positions="learned"),
    "width3_every_causal_tied_sinusoidal": dict(vocab=8, width=3, context=7, batch=5, targets="every", unasked=1,
                                                positions="sinusoidal"),
    "width10_last_full_tied": dict(vocab=9, width=10, context=6, batch=20, mask="full"),
    "width2_last_causal_tied_distance": dict(vocab=6, width=2, context=4, batch=18, kernel="distance"),
    "width1_every_causal_free_distance": dict(vocab=5, width=1, context=3, batch=17, targets="every", unembedding="free",
                                              kernel="distance"),
    "width3_last_causal_tied_inverse": dict(vocab=6, width=3, context=4, batch=17, kernel="inverse"),
    "width10_every_full_free_learned_inverse": dict(vocab=6, width=10, context=4, batch=16, targets="every", mask="full",
                                                    unembedding="free", positions="learned", kernel="inverse",
                                                    kernel_power=3.5),
    "width3_last_causal_tied_harmonic": dict(vocab=6, width=3, context=4, batch=17, logits="harmonic"),
    "width10_every_causal_free_harmonic": dict(vocab=7, width=10, context=3, batch=9, targets="every", unembedding="free",
                                               logits="harmonic", logits_power=10.0),
    "width3_every_causal_tied_distance_harmonic": dict(vocab=5, width=3, context=3, batch=12, targets="every",
                                                       kernel="distance", logits="harmonic", logits_power=3.0),
    "width2_next_causal_tied": dict(vocab=7, width=2, context=5, batch=19, targets="every", next=True),
}


def sinusoids(context, width, dtype):
    """[C][D]: sin on even features, cos of the same angle on odd ones."""
    table = torch.zeros(context, width, dtype=torch.float64)
    for t in range(context):
        for i in range(width):
            angle = t / 10000 ** ((i // 2) * 2 / width)
            table[t, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return table.to(dtype)


def squared_distances(a, b):
    """[..][M][D] and [..][N][D] give [..][M][N]."""
    return (a.unsqueeze(-2) - b.unsqueeze(-3)).pow(2).sum(-1)


def inverse_power(squares, power):
    """Scores whose softmax is proportional to 1/distance^power."""
    return -power / 2 * (squares + COINCIDENT).log()


def attention_scores(case, query, key):
    """[B][C][C]"""
    if case["kernel"] == "distance":
        return -squared_distances(query, key) / math.sqrt(case["width"])
    if case["kernel"] == "inverse":
        return inverse_power(squared_distances(query, key), case["kernel_power"])
    return query @ key.transpose(1, 2) / math.sqrt(case["width"])


def logits_of(case, out, table):
    """[B][A][V]"""
    if case["logits"] == "harmonic":
        return inverse_power(squared_distances(out, table), case["logits_power"])
    return F.linear(out, table)


def mean_loss(case, parameters, batch, dtype):
    tokens = torch.tensor(batch["tokens"])                     # [B][C]
    targets = torch.tensor(batch["targets"])                   # [B][A]
    weights = torch.tensor(case["weights"], dtype=dtype)       # [A]
    context, width = case["context"], case["width"]
    x = F.embedding(tokens, parameters["W_E"])                 # [B][C][D]
    if case["positions"] == "learned":
        x = x + parameters["W_pos"]
    if case["positions"] == "sinusoidal":
        x = x + sinusoids(context, width, dtype)
    query, key, value = (F.linear(x, parameters[BLOCK + name]) for name in ("W_Q", "W_K", "W_V"))
    scores = attention_scores(case, query, key)                # [B][C][C]
    if case["mask"] == "causal":
        scores = scores.masked_fill(torch.ones(context, context).triu(1).bool(), -math.inf)
    out = scores.softmax(-1) @ value                           # [B][C][D]
    logits = logits_of(case, out[:, case["first_asked"]:], parameters["W_E" if case["unembedding"] == "tied" else "W_U"])
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)
    return (losses * weights).sum() / (len(batch["tokens"]) * case["asked"])


def train(case, start, batches, dtype, optimizer=None, **options):
    """Loss and gradients of the first batch, or the parameters once every batch has been stepped on."""
    parameters = {name: torch.tensor(rows, dtype=dtype, requires_grad=True) for name, rows in start.items()}
    if optimizer is None:
        loss = mean_loss(case, parameters, batches[0], dtype)
        loss.backward()
        return dict(loss=loss.detach(), **{name: tensor.grad for name, tensor in parameters.items()})
    optimizer = optimizer(list(parameters.values()), **options)
    for batch in batches:
        optimizer.zero_grad()
        mean_loss(case, parameters, batch, dtype).backward()
        optimizer.step()
    return {name: tensor.detach() for name, tensor in parameters.items()}


def build(case, seed):
    draw = random.Random(seed)  # Python's generator keeps its sequence across versions, PyTorch's need not
    case = dict(dict(targets="last", mask="causal", unembedding="tied", positions="none", unasked=0, kernel="dot",
                     kernel_power=2.0, logits="linear", logits_power=2.0), **case)
    has_bos = case.pop("next", False)
    vocab, width, context, batch = (case[name] for name in ("vocab", "width", "context", "batch"))
    case["first_asked"] = 0 if case["targets"] == "every" else context - 1
    answers = context - case["first_asked"]
    case["weights"] = [0.0] * case["unasked"] + [1.0] * (answers - case["unasked"])
    case["asked"] = answers - case.pop("unasked")

    shapes = {"W_E": (vocab, width), **{BLOCK + name: (width, width) for name in ("W_Q", "W_K", "W_V")}}
    if case["positions"] == "learned":
        shapes["W_pos"] = (context, width)
    if case["unembedding"] == "free":
        shapes["W_U"] = (vocab, width)
    # Multiples of 1/1024 are exact in float32, so every precision starts from the same point.
    start = {name: [[draw.randint(-1024, 1024) / 1024 for _ in range(columns)] for _ in range(rows)]
             for name, (rows, columns) in shapes.items()}
    batches = [dict(tokens=[[draw.randrange(vocab) for _ in range(context)] for _ in range(batch)],
                    targets=[[draw.randrange(vocab) for _ in range(answers)] for _ in range(batch)])
               for _ in range(STEPS)]
    if has_bos:
        for sequences in batches:
            sequences["targets"] = [[draw.randrange(vocab - 1) for _ in range(context)] for _ in range(batch)]
            sequences["tokens"] = [[vocab - 1] + targets[:-1] for targets in sequences["targets"]]
    return case, start, batches


def rounded(tensor):
    values = tensor.tolist()
    shorten = lambda value: [shorten(one) for one in value] if isinstance(value, list) else float(f"{value:.10g}")
    return shorten(values)


def expected(name, case, start, batches):
    results = {}
    for key, arguments in {"gradients": {}, "after_adam": dict(optimizer=torch.optim.Adam, **ADAM),
                           "after_sgd": dict(optimizer=torch.optim.SGD, **SGD)}.items():
        exact = train(case, start, batches, torch.float64, **arguments)
        single = train(case, start, batches, torch.float32, **arguments)
        for matrix, value in exact.items():
            strays = ((single[matrix].double() - value).abs().max() / value.abs().max()).item()
            assert strays < TOLERANCE, f"{name}: {key} of {matrix} is ill-conditioned, float32 strays by {strays:.1e}"
        results[key] = {matrix: rounded(value) for matrix, value in exact.items()}
    results["loss"] = results["gradients"].pop("loss")
    return results


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(__file__).parent
    for seed, (name, case) in enumerate(CASES.items()):
        case, start, batches = build(case, seed)
        content = dict(made_with=f"PyTorch {torch.__version__}", shape=case, adam=ADAM, sgd=SGD, start=start, batches=batches,
                       **expected(name, case, start, batches))
        lines = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in content.items()]
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
