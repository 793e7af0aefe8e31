"""State dicts and configurations for TransformerLens, without torch; `make lens` holds them to TransformerLens itself."""

import sys

import numpy as np
import pytest

import attoscope
from attoscope import errors

TIED = {"data.vocab": 6, "data.context": 3, "network.width": 4, "network.residual": True, "training.batch": 32}


def test_state_dict_has_what_transformer_lens_always_has():
    run = attoscope.Run(TIED)
    state = run.state_dict()
    assert {name: values.shape for name, values in state.items()} == {
        "embed.W_E": (6, 4), "pos_embed.W_pos": (3, 4), "unembed.W_U": (4, 6), "unembed.b_U": (6,),
        **{f"blocks.0.attn.W_{role}": (1, 4, 4) for role in "QKVO"},
        **{f"blocks.0.attn.b_{role}": (1, 4) for role in "QKV"}, "blocks.0.attn.b_O": (4,),
    }  # fmt: skip
    assert all(values.dtype == np.float32 for values in state.values())
    assert np.array_equal(state["unembed.W_U"], run.weights["W_E"].T)
    assert np.array_equal(state["blocks.0.attn.W_O"][0], np.eye(4)) and not state["pos_embed.W_pos"].any()


def test_state_dict_is_a_copy_of_one_run():
    ensemble = attoscope.Ensemble(TIED, seeds=2)
    state = ensemble.state_dict(1)
    assert np.array_equal(state["embed.W_E"], ensemble.weights["W_E"][1])
    assert not np.shares_memory(state["embed.W_E"], ensemble.weights["W_E"])
    with pytest.raises(errors.UsageError, match="no run -1"):
        ensemble.state_dict(-1)


def test_lens_config_names_what_is_in_the_way():
    config = attoscope.Run(TIED).lens_config()
    assert config["d_model"] == config["d_head"] == 4 and config["attn_only"] and config["n_ctx"] == 3
    with pytest.raises(errors.UsageError, match="network.residual = False"):
        attoscope.Run({**TIED, "network.residual": False}).lens_config()


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    run = attoscope.Run(TIED)
    with pytest.raises(errors.MissingError, match=r"torch is not installed\n.*attoscope\[torch\]"):
        run.to_torch()
    with pytest.raises(errors.MissingError, match="pip install transformer-lens"):
        run.to_lens()


def test_sizes_of_sequences():
    run = attoscope.Run({"data.task": "bigram", "data.vocab": 6, "data.context": 4, "data.bos": True})
    assert run.vocabulary == 7 and run.context == 4
    assert run.logits(np.full((1, run.context), run.vocabulary - 1)).shape == (1, 4, 7)
