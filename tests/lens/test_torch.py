"""to_torch() gives the answers of the engine, for every option of a network."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import attoscope
from attoscope import errors

BLOCKS = {"network.residual": True, "network.output": True, "network.biases": True}
COPY = {"data.task": "copy", "data.vocab": 7, "data.context": 6, "training.batch": 32}
WIDE = {**COPY, "network.width": 12, "network.heads": 3, **BLOCKS}
CASES = {
    "one head": COPY,
    "one head, wider": {**COPY, "network.width": 9, "network.unembedding": "free"},
    "harmonic logits": {**COPY, "network.logits": "harmonic", "network.logits_power": 3},
    "distance": {**COPY, "network.kernel": "distance"},
    "inverse distance": {**COPY, "network.kernel": "inverse", "network.kernel_power": 3},
    "no attention": {**COPY, "network.stack": []},
    "begin of sequence": {**COPY, "data.task": "bigram", "data.bos": True, "network.positions": "learned"},
    "recall": {"data.task": "recall", "data.vocab": 9, "data.pairs": 4, "data.context": 9, "training.batch": 32,
               "network.width": 8, "network.layers": 2, "network.norm": "pre", **BLOCKS},
    "every answer": {**WIDE, "data.task": "markov", "data.targets": "every", "network.mlp": "gelu"},
    "learned positions": {**WIDE, "network.positions": "learned", "network.mlp": "relu", "network.mlp_factor": 2},
    "sinusoidal positions": {**WIDE, "network.positions": "sinusoidal", "network.mask": "full"},
    "rotary positions": {**WIDE, "network.positions": "rotary", "network.head_width": 5, "network.qk_norm": True},
    "slopes in a window": {**WIDE, "network.position_bias": "slope", "network.window": 3, "network.layers": 2},
    "free position biases alone": {**WIDE, "network.kernel": "none", "network.position_bias": "free",
                                   "network.stride": 2},
    "gates": {**WIDE, "network.gate": True, "network.norm": "pre"},
    "sink": {**WIDE, "network.normalizer": "sink"},
    "softmax plus one": {**WIDE, "network.normalizer": "softmax-plus-one"},
    "sigmoid": {**WIDE, "network.normalizer": "sigmoid"},
    "linear": {**WIDE, "network.normalizer": "linear"},
    "linear mean": {**WIDE, "network.normalizer": "linear-mean", "network.mask": "earlier"},
    "earlier positions only": {**WIDE, "network.mask": "earlier"},
    "a stack of one's own": {**WIDE, "network.stack": ["mlp", "attention", "linear", "attention"],
                             "network.mlp": "gelu", "network.norm": "pre"},
}  # fmt: skip


def trained(config, steps=40):
    run = attoscope.Run({"training.rate": 0.003, **config}, seed=3)
    run.advance(steps)
    return run


def sequences(run, count=50):
    return np.random.default_rng(0).integers(0, run.vocabulary, (count, run.context))


@pytest.mark.parametrize("name", CASES)
def test_the_same_logits(name):
    run = trained(CASES[name])
    tokens = sequences(run)
    module = run.to_torch()
    assert isinstance(module, torch.nn.Module)
    with torch.no_grad():
        logits = module(torch.tensor(tokens)).numpy()
    assert logits.shape == run.logits(tokens).shape
    assert np.abs(logits - run.logits(tokens)).max() < 1e-4
    untrained = attoscope.Run(CASES[name], seed=9).to_torch()
    assert np.abs(untrained(torch.tensor(tokens)).detach().numpy() - logits).max() > 1e-2  # the weights matter


def test_vectors():
    run = trained({"data.task": "regression", "data.context": 8, "data.dimension": 3, "network.width": 8,
                   "network.heads": 2, "network.mlp": "gelu", "network.positions": "sinusoidal",
                   "network.mask": "full", "training.batch": 32, **BLOCKS})  # fmt: skip
    inputs, answers = run.observe("probe.inputs"), run.observe("probe.outputs")
    with torch.no_grad():
        found = run.to_torch()(torch.tensor(inputs, dtype=torch.float32))[:, -1].numpy()
    assert np.abs(found - answers).max() < 1e-4


def test_runs_of_an_ensemble():
    ensemble = attoscope.Ensemble(COPY, seeds=3)
    ensemble.advance(5)
    tokens = np.arange(12).reshape(2, 6) % 7
    for run in range(3):
        logits = ensemble.to_torch(run)(torch.tensor(tokens)).detach().numpy()
        assert np.abs(logits - ensemble.logits(tokens)[run]).max() < 1e-4
    with pytest.raises(errors.UsageError, match="no run 3"):
        ensemble.to_torch(3)


def test_the_module_has_a_copy():
    run = attoscope.Run(COPY)
    module = run.to_torch()
    before = module.embedding.weight.clone()
    run.advance(5)
    assert torch.equal(module.embedding.weight, before)
    module(torch.zeros(1, 6, dtype=torch.long)).sum().backward()  # it can be trained on
    assert module.embedding.weight.grad is not None


def test_other_models_are_refused():
    with pytest.raises(errors.UsageError, match="no network of attention"):
        attoscope.Run({"data.task": "regression", "network.form": "scores"}).to_torch()


def test_torch_is_imported_when_it_is_used():
    code = (
        "import sys, attoscope; run = attoscope.Run({'data.vocab': 4}); run.state_dict(); "
        "assert 'torch' not in sys.modules; run.to_torch(); assert 'torch' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
