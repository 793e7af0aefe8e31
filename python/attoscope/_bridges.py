"""Runs in other libraries: as a PyTorch module, and under TransformerLens' names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._keys import keys
from .errors import MissingError, UsageError

if TYPE_CHECKING:
    import numpy as np

    from ._ensemble import Ensemble

# Where TransformerLens keeps what is not part of a block.
_OUTSIDE = {"W_E": "embed.W_E", "W_pos": "pos_embed.W_pos", "W_U": "unembed.W_U", "b_U": "unembed.b_U"}
# What it computes for itself and keeps next to its weights.
_LENS_BUFFERS = ("mask", "IGNORE", "rotary_sin", "rotary_cos")


class _Network:
    """The settings and weights of one run."""

    def __init__(self, runs: Ensemble, run: int) -> None:
        import numpy as np

        if not 0 <= run < len(runs):
            raise UsageError(f"there is no run {run}", f"runs are 0 to {len(runs) - 1}")
        self.sizes: dict[str, Any] = json.loads(runs._core.sizes_json())
        self.config: dict[str, Any] = {**{name: key.default for name, key in keys.items()}, **runs.config}
        self.weights: dict[str, np.ndarray] = {name: np.array(runs._matrix(name)[run]) for name in runs._matrices}

    def get(self, name: str) -> Any:
        return self.config[f"network.{name}"]

    @property
    def blocks(self) -> int:
        """How many there are."""
        return 1 + max((int(name.split(".")[1]) for name in self.weights if name.startswith("blocks.")), default=-1)


def to_torch(runs: Ensemble, run: int) -> Any:
    """The body of `Ensemble.to_torch`."""
    network = _Network(runs, run)
    try:
        import torch
    except ImportError as error:
        raise MissingError("torch is not installed", "pip install 'attoscope[torch]'") from error
    from .transformer import Sizes, Transformer, from_transformer_lens, to_state_dict

    sizes = Sizes(**network.sizes, tied=not network.sizes["real"] and network.get("unembedding") == "tied")
    if not sizes.real:
        sizes = sizes._replace(first_asked=0)  # tokens are answered at every position, as `logits` does
    try:
        module = Transformer(network.config, sizes=sizes)
    except ValueError as error:
        raise UsageError(str(error), "parts of one's own have to be written in PyTorch as well") from error
    tensors = {name: from_transformer_lens(name, torch.tensor(values)) for name, values in network.weights.items()}
    module.load_state_dict(to_state_dict(tensors, module))
    return module.eval()


def state_dict(runs: Ensemble, run: int) -> dict[str, np.ndarray]:
    """The body of `Ensemble.state_dict`."""
    import numpy as np

    network = _Network(runs, run)
    state = {_OUTSIDE.get(name, name): values for name, values in network.weights.items()}

    def fill(name: str, shape: tuple[int, ...]) -> None:
        state.setdefault(name, np.zeros(shape, dtype=np.float32))

    width, heads, vocabulary = network.get("width"), network.get("heads"), network.sizes["outputs"]
    head = (heads, width // heads)
    for block in range(network.blocks):
        attention, mlp = f"blocks.{block}.attn.", f"blocks.{block}.mlp."
        if attention + "W_V" in state:
            if not network.get("output"):  # one head, whose output stays as it is
                state[attention + "W_O"] = np.eye(width, dtype=np.float32)[None]
            for role in "QK":
                if attention + f"W_{role}" in state:
                    fill(attention + f"b_{role}", (heads, state[attention + f"W_{role}"].shape[-1]))
            fill(attention + "b_V", head)
            fill(attention + "b_O", (width,))
        if mlp + "W_in" in state:
            fill(mlp + "b_in", (state[mlp + "W_in"].shape[1],))
            fill(mlp + "b_out", (width,))
    if not network.sizes["real"]:
        if network.get("unembedding") == "tied":
            state["unembed.W_U"] = state["embed.W_E"].T.copy()
        fill("unembed.b_U", (vocabulary,))
    if network.get("positions") == "sinusoidal":
        state["pos_embed.W_pos"] = _sinusoids(network.sizes["context"], width)
    elif network.get("positions") == "none":
        fill("pos_embed.W_pos", (network.sizes["context"], width))
    return state


def _sinusoids(context: int, width: int) -> np.ndarray:
    """[position, feature]: sin on even features, cos of the same angle on odd ones."""
    import numpy as np

    feature = np.arange(width)
    angle = np.arange(context)[:, None] / 10000 ** ((feature - feature % 2) / width)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle)).astype(np.float32)


def _obstacle(network: _Network) -> str | None:
    """The setting that TransformerLens' networks do not have, or None."""
    get = network.get
    wanted = {
        "residual": True, "kernel": "dot", "normalizer": "softmax", "logits": "linear", "qk_norm": False, "gate": False,
        "window": 0, "stride": 1, "position_bias": "none",
    }  # fmt: skip
    for name, value in wanted.items():
        if get(name) != value:
            return f"network.{name} = {get(name)!r}"
    if network.sizes["real"]:
        return "a task of vectors"
    if get("mask") == "earlier":
        return "network.mask = 'earlier'"
    if list(get("stack")) != ["blocks"]:
        return f"network.stack = {get('stack')!r}"
    width = get("width") // get("heads")
    if get("head_width") not in (0, width):
        return f"network.head_width = {get('head_width')} next to values of {width} features"
    if get("positions") == "rotary" and width % 2:
        return f"rotary positions of {width} features, an odd number"
    return None


def lens_config(runs: Ensemble, run: int = 0) -> dict[str, Any]:
    """The body of `Ensemble.lens_config`."""
    network = _Network(runs, run)
    if obstacle := _obstacle(network):
        raise UsageError(f"TransformerLens has no {obstacle}", "to_torch() gives such a network as a plain module")
    get = network.get
    head, rotary, mlp = get("width") // get("heads"), get("positions") == "rotary", get("mlp") != "none"
    return {
        "n_layers": get("layers"),
        "d_model": get("width"),
        "n_ctx": network.sizes["context"],
        "n_heads": get("heads"),
        "d_head": head,
        "d_vocab": network.sizes["inputs"],
        "attn_only": not mlp,
        **({"d_mlp": get("mlp_factor") * get("width"), "act_fn": get("mlp")} if mlp else {}),
        "normalization_type": "LN" if get("norm") == "pre" else None,
        "eps": 1e-5,
        "attention_dir": "causal" if get("mask") == "causal" else "bidirectional",
        "positional_embedding_type": "rotary" if rotary else "standard",
        **({"rotary_dim": head, "rotary_adjacent_pairs": True} if rotary else {}),
        "device": "cpu",
    }


def to_lens(runs: Ensemble, run: int) -> Any:
    """The body of `Ensemble.to_lens`."""
    config = lens_config(runs, run)
    try:
        import torch
        import transformer_lens  # noqa: F401
    except ImportError as error:
        raise MissingError("transformer-lens is not installed", "pip install transformer-lens") from error
    tensors = {name: torch.tensor(values) for name, values in state_dict(runs, run).items()}
    try:
        from transformer_lens import HookedTransformer, HookedTransformerConfig
    except ImportError:  # version 4 has its successor, which reads the state dicts of HookedTransformer
        from transformer_lens.config import TransformerBridgeConfig
        from transformer_lens.model_bridge.sources.native import boot
        from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

        bridge_config = TransformerBridgeConfig(**config)
        model = boot(bridge_config)
        model.load_state_dict(convert_tl_checkpoint(tensors, bridge_config))
        return model.eval()
    model = HookedTransformer(HookedTransformerConfig(**config))
    left = model.load_state_dict(tensors, strict=False)
    missing = [name for name in left.missing_keys if name.rsplit(".", 1)[-1] not in _LENS_BUFFERS]
    if missing or left.unexpected_keys:
        raise UsageError(f"TransformerLens did not take {', '.join([*missing, *left.unexpected_keys])}")
    return model.eval()
