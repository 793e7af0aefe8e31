#!/usr/bin/env python3
"""Golden vectors of transformers: what PyTorch computes for networks of several layers and heads, with each option on and off.

    /usr/bin/python3 tests/golden/make_transformer_golden.py        # needs Debian's python3-torch

writes one JSON file per case into transformer/ beside this script: the configuration by the keys of a study, the starting
parameters by the names of src/network, one batch, and the outputs, loss and gradients of PyTorch in float64. The script
refuses a case on which PyTorch's own float32 strays further from them than the tests allow the engine to. The module is the
package's (python/attoscope/transformer.py), which leaves the derivatives to autograd.
"""
import json
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pytorch"))
import torch
from transformer import DEFAULTS, Transformer, mean_loss, module_name, to_state_dict

TOLERANCE = 1e-5  # what the tests hold the engine to, as a share of the largest gradient of the network
PAPER = dict(positions="sinusoidal", mask="full", output=True, residual=True, mlp="gelu", biases=True)  # regression
POSTS = dict(positions="learned")

# Sizes are odd where they may be, and differ from each other, so that no two dimensions can be mistaken. `unasked`: leading
# positions whose answer does not count when every position is asked.
CASES = {
    # real-valued input
    "regression_paper": dict(task="regression", context=6, dimension=3, batch=5, width=8, layers=2, heads=4, mlp_factor=2,
                             **PAPER),
    "regression_one_layer": dict(task="regression", context=5, dimension=2, batch=7, width=5, layers=1, heads=1, **PAPER),
    "regression_no_flag_relu_norm": dict(task="regression", context=4, dimension=3, flag=False, batch=6, width=6, layers=2,
                                         heads=2, head_width=5, **{**PAPER, "mlp": "relu", "mlp_factor": 3, "norm": "pre"}),
    "regression_slope": dict(task="regression", context=7, dimension=2, batch=4, width=4, layers=2, heads=2, output=True,
                             residual=True, mask="full", position_bias="slope"),
    "regression_free_bias_alone": dict(task="regression", context=6, dimension=3, batch=5, width=6, layers=1, heads=2,
                                       output=True, mask="full", kernel="none", position_bias="free", biases=True),
    "regression_window_stride": dict(task="regression", context=9, dimension=2, batch=4, width=4, layers=2, heads=1,
                                     residual=True, mask="full", window=5, stride=2, mlp="gelu", mlp_factor=1),
    # tokens
    "recall_attention_only": dict(task="recall", vocab=7, pairs=3, batch=9, width=6, layers=2, heads=1, output=True,
                                  residual=True, unembedding="free", **POSTS),
    "recall_norm": dict(task="recall", vocab=5, pairs=2, batch=8, width=5, layers=2, heads=1, output=True, residual=True,
                        norm="pre", unembedding="free", **POSTS),
    "recall_three_layers": dict(task="recall", vocab=6, pairs=2, batch=6, width=4, layers=3, heads=4, head_width=3, output=True,
                                residual=True, mlp="gelu", mlp_factor=2, norm="pre", biases=True, **POSTS),
    "tokens_three_layers_bare": dict(task="copy", vocab=5, context=4, batch=11, width=3, layers=3, heads=1),
    "tokens_every_two_heads": dict(task="copy", vocab=6, context=5, batch=5, width=4, layers=2, heads=2, targets="every",
                                   unasked=1, output=True, residual=True, mlp="relu", mlp_factor=2, biases=True,
                                   unembedding="free", **POSTS),
    "tokens_every_window": dict(task="unigram", vocab=5, bos=True, context=7, batch=4, width=4, layers=2, heads=1, targets="every",
                                window=2, residual=True, norm="pre"),
    "tokens_slope_alone": dict(task="copy", vocab=6, context=6, batch=6, width=6, layers=2, heads=3, output=True, residual=True,
                               kernel="none", position_bias="slope"),
    "tokens_free_bias_stride": dict(task="copy", vocab=5, context=7, batch=5, width=4, layers=2, heads=2, head_width=3,
                                    targets="every", output=True, stride=3, mask="full", position_bias="free", biases=True,
                                    norm="pre", mlp="gelu", mlp_factor=1),
    "tokens_full_no_residual": dict(task="copy", vocab=6, context=5, batch=7, width=6, layers=2, heads=2, head_width=1,
                                    output=True, mask="full", mlp="relu", mlp_factor=2, positions="sinusoidal"),
    # forms of attention
    "form_plus_one_rotary": dict(task="copy", vocab=6, context=5, batch=7, width=6, layers=2, heads=2, output=True,
                                 residual=True, normalizer="softmax-plus-one", positions="rotary", biases=True),
    "form_sink_earlier": dict(task="copy", vocab=5, context=6, batch=6, width=4, layers=2, heads=2, head_width=3,
                              targets="every", output=True, residual=True, normalizer="sink", mask="earlier",
                              positions="learned", biases=True),
    "form_sigmoid_gate": dict(task="regression", context=5, dimension=2, batch=6, width=6, layers=2, heads=3, output=True,
                              residual=True, mask="full", normalizer="sigmoid", gate=True, biases=True, mlp="gelu", mlp_factor=1),
    "form_linear_qk_norm": dict(task="regression", context=6, dimension=3, batch=5, width=8, layers=2, heads=2, output=True,
                                residual=True, mask="full", normalizer="linear-mean", qk_norm=True, norm="pre"),
    "form_linear": dict(task="copy", vocab=6, context=4, batch=8, width=3, layers=1, heads=1, normalizer="linear"),
    "form_distance_heads": dict(task="copy", vocab=6, context=5, batch=6, width=6, layers=2, heads=2, head_width=5, output=True,
                                residual=True, kernel="distance", positions="rotary", qk_norm=True, biases=True),
    "form_inverse_slope": dict(task="copy", vocab=5, context=6, batch=5, width=6, layers=2, heads=3, targets="every",
                               output=True, residual=True, kernel="inverse", kernel_power=3.0, position_bias="slope",
                               window=4, gate=True),
    "form_one_head_earlier": dict(task="copy", vocab=7, context=4, batch=9, width=2, layers=1, heads=1, targets="every",
                                  mask="earlier", positions="rotary", gate=True, qk_norm=True, unembedding="free"),
    # stacks
    "stack_empty": dict(task="copy", vocab=6, context=4, batch=7, width=3, positions="learned", stack=[]),
    "stack_empty_norm": dict(task="copy", vocab=5, context=3, batch=6, width=4, stack=[], norm="pre", unembedding="free", biases=True),
    "stack_mlp_attention_linear": dict(task="copy", vocab=6, context=5, batch=6, width=4, heads=2, output=True, residual=True,
                                       stack=["mlp", "attention", "linear"], mlp="gelu", mlp_factor=2, norm="pre", biases=True,
                                       **POSTS),
    "stack_two_attentions": dict(task="regression", context=5, dimension=2, batch=5, width=4, heads=1, residual=True, mask="full",
                                 stack=["linear", "attention", "mlp", "mlp", "attention"], mlp="relu", mlp_factor=2),
    "stack_linear_every": dict(task="copy", vocab=5, context=4, batch=5, width=3, targets="every", stack=["linear", "mlp"],
                               mlp="gelu", residual=True, biases=True),
}
DATA = ("task", "vocab", "context", "pairs", "dimension", "flag", "bos", "targets")


def configuration(case):
    """A study's keys, with every default of the module spelled out."""
    given = {f"{'data' if key in DATA else 'network'}.{key}": value for key, value in case.items()
             if key not in ("batch", "unasked")}
    if case["task"] == "recall":
        given["data.context"] = 2 * case["pairs"] + 1
    return {**DEFAULTS, **given}


def starting_rows(draw, name, rows, columns):
    """Of the size networks start with, in multiples of 1/1024, so that every precision starts from the same point."""
    centre, reach = 0.0, 1.0 / math.sqrt(columns)
    if name.endswith((".w", ".slope")):
        centre, reach = 1.0, 0.5
    elif rows == 1 or name.endswith("attn.bias"):
        reach = 0.5
    reach = round(1024 * reach)
    return [[centre + draw.randint(-reach, reach) / 1024 for _ in range(columns)] for _ in range(rows)]


def parameter_shapes(config, network):
    """{name of src/network: (rows, columns)}; vectors are one row."""
    sizes = network.sizes
    names = ["W_in" if sizes.real else "W_E", "b_in", "W_pos"]
    for block in range(len(network.blocks)):
        parts = ["ln1.w", "ln1.b", *(f"attn.{part}_{role}" for role in "QKVO" for part in "Wb"), "attn.slope", "attn.bias",
                 "ln2.w", "ln2.b", "mlp.W_in", "mlp.b_in", "mlp.W_out", "mlp.b_out", "attn.W_G", "attn.b_G", "attn.sink",
                 "attn.q_norm.w", "attn.k_norm.w", "ln3.w", "ln3.b", "linear.W", "linear.b"]
        names += [f"blocks.{block}.{part}" for part in parts]
    names += ["ln_final.w", "ln_final.b", "W_U", "b_U"]
    known = dict(network.named_parameters())  # a tied unembedding is not named a second time
    shapes = {name: tuple(known.pop(module_name(name)).shape) for name in names if module_name(name) in known}
    assert not known, f"unnamed parameters {list(known)}"
    return {name: shape if len(shape) == 2 else (1, *shape) for name, shape in shapes.items()}


def draw_batch(draw, case, sizes):
    samples, places = range(case["batch"]), range(sizes.context)
    if sizes.real:
        real = lambda: draw.randint(-1024, 1024) / 1024
        flags = [draw.randrange(sizes.context) for _ in samples]
        inputs = [[[real() for _ in range(case["dimension"])] + [float(t == flags[b])] * (sizes.inputs - case["dimension"])
                   for t in places] for b in samples]
        return dict(inputs=inputs, answers=[[real() for _ in range(sizes.outputs)] for _ in samples])
    answers = sizes.context - sizes.first_asked
    unasked = case.get("unasked", 0)
    return dict(tokens=[[draw.randrange(sizes.inputs) for _ in places] for _ in samples],
                targets=[[draw.randrange(sizes.outputs) for _ in range(answers)] for _ in samples],
                weights=[0.0] * unasked + [1.0] * (answers - unasked), asked=answers - unasked)


def evaluate(config, start, batch, dtype, **options):
    torch.set_default_dtype(dtype)
    network = Transformer(config, **options)
    network.load_state_dict(to_state_dict({name: torch.tensor(rows) for name, rows in start.items()}, network))
    real = network.sizes.real
    outputs = network(torch.tensor(batch["inputs" if real else "tokens"]))
    loss = mean_loss(outputs, torch.tensor(batch["answers" if real else "targets"]), None if real else torch.tensor(batch["weights"]))
    loss.backward()
    known = dict(network.named_parameters())
    gradients = {name: known[module_name(name)].grad.reshape(len(rows), -1) for name, rows in start.items()}
    return dict(outputs=outputs.detach(), loss=loss.detach(), gradients=gradients)


def shortened(value):
    """Ten digits, and none of what rounding leaves of an exact zero (keys' biases do not move a softmax)."""
    if isinstance(value, list):
        return [shortened(one) for one in value]
    return float(f"{value:.10g}") if abs(value) > 1e-13 else 0.0


def check_against(exact, other, tolerance, what):
    largest = max(gradient.abs().max() for gradient in exact["gradients"].values())
    for name, gradient in exact["gradients"].items():
        strays = ((other["gradients"][name].double() - gradient).abs().max() / largest).item()
        assert strays < tolerance, f"{what}: {name} strays by {strays:.1e}"


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(__file__).parent / "transformer"
    folder.mkdir(exist_ok=True)
    for seed, (name, case) in enumerate(CASES.items()):
        draw = random.Random(seed)  # Python's generator keeps its sequence across versions, PyTorch's need not
        config = configuration(case)
        network = Transformer(config)
        start = {matrix: starting_rows(draw, matrix, *shape) for matrix, shape in parameter_shapes(config, network).items()}
        batch = draw_batch(draw, case, network.sizes)
        exact = evaluate(config, start, batch, torch.float64)
        check_against(exact, evaluate(config, start, batch, torch.float32), TOLERANCE, f"{name} in float32")
        check_against(exact, evaluate(config, start, batch, torch.float64, last_layer_asked_only=True), 1e-13,
                      f"{name} with a last layer of asked positions only")
        content = dict(made_with=f"PyTorch {torch.__version__}", config=config, first_asked=network.sizes.first_asked, start=start,
                       batch=batch, outputs=shortened(exact["outputs"].tolist()), loss=shortened(exact["loss"].item()),
                       gradients={matrix: shortened(rows.tolist()) for matrix, rows in exact["gradients"].items()})
        lines = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in content.items()]
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
