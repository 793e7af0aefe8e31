"""TransformerLens' own HookedTransformer computes the same logits and attention patterns from a run's weights."""

import numpy as np
import pytest
import torch
from test_torch import BLOCKS, COPY, WIDE, sequences, trained

import attoscope
from attoscope import errors

NETWORKS = {
    "attention only": {**WIDE, "network.positions": "learned", "network.layers": 2},
    "GPT-2's shape": {**WIDE, "network.positions": "learned", "network.layers": 2, "network.mlp": "gelu",
                      "network.norm": "pre", "network.unembedding": "free"},
    "no biases, no map after the head": {**COPY, "network.width": 6, "network.residual": True, "network.mlp": "relu"},
    "sinusoidal, bidirectional": {**WIDE, "network.positions": "sinusoidal", "network.mask": "full"},
    "rotary": {**WIDE, "network.positions": "rotary"},
}  # fmt: skip


def assert_agrees(model, run, tokens):
    with torch.no_grad():
        logits, cache = model.run_with_cache(torch.tensor(tokens))
    assert np.abs(logits.numpy() - run.logits(tokens)).max() < 1e-4
    for layer in range(model.cfg.n_layers):
        pattern = cache[f"blocks.{layer}.attn.hook_pattern"].numpy()
        assert np.abs(pattern - run.attention(tokens, layer)).max() < 1e-5


@pytest.mark.parametrize("name", NETWORKS)
def test_to_lens_agrees(name):
    run = trained(NETWORKS[name])
    assert_agrees(run.to_lens(), run, sequences(run))


@pytest.mark.parametrize("name", NETWORKS)
def test_hooked_transformer_agrees(name):
    from transformer_lens import HookedTransformer, HookedTransformerConfig  # until version 4

    run = trained(NETWORKS[name])
    model = HookedTransformer(HookedTransformerConfig(**run.lens_config()))
    state = run.state_dict()
    theirs = model.state_dict()
    assert all(tuple(theirs[key].shape) == values.shape for key, values in state.items())
    model.load_state_dict({key: torch.tensor(values) for key, values in state.items()}, strict=False)
    assert_agrees(model, run, sequences(run))


@pytest.mark.parametrize(
    "setting",
    [
        {"network.residual": False}, {"network.kernel": "distance"}, {"network.normalizer": "sink"},
        {"network.gate": True}, {"network.qk_norm": True}, {"network.window": 2}, {"network.stride": 2},
        {"network.position_bias": "slope"}, {"network.mask": "earlier"}, {"network.head_width": 6},
        {"network.stack": ["attention", "linear"]},
    ],
)  # fmt: skip
def test_what_it_has_not_is_refused(setting):
    run = attoscope.Run({**WIDE, **setting})
    with pytest.raises(errors.UsageError, match="TransformerLens has no") as refused:
        run.to_lens()
    assert "to_torch" in refused.value.remedy
    run.to_torch()


def test_vectors_are_refused():
    run = attoscope.Run({"data.task": "regression", "data.dimension": 3, "network.width": 8, **BLOCKS})
    with pytest.raises(errors.UsageError, match="vectors"):
        run.lens_config()
