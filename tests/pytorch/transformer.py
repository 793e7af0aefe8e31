"""The package's PyTorch module, loaded by itself: golden vectors, exported weights and the benchmark have torch, but not
the rest of the package. And the losses they are trained by."""
import importlib.util
import pathlib
import sys

import torch.nn.functional as F

_FILE = pathlib.Path(__file__).resolve().parents[2] / "python" / "attoscope" / "transformer.py"
_spec = importlib.util.spec_from_file_location("attoscope_transformer", _FILE)
_module = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
DEFAULTS, Sizes, Transformer = _module.DEFAULTS, _module.Sizes, _module.Transformer
from_transformer_lens, module_name, to_state_dict = _module.from_transformer_lens, _module.module_name, _module.to_state_dict


def mean_loss(outputs, expected, weights=None):
    """Cross-entropy with targets [B][Q], each weighted by `weights` [Q]; or ½‖y - y*‖² with answers [B][d]."""
    if expected.is_floating_point():
        return (outputs[:, -1] - expected).pow(2).sum(-1).mean() / 2
    losses = F.cross_entropy(outputs.flatten(0, 1), expected.flatten(), reduction="none").view(expected.shape)
    return losses.mean() if weights is None else (losses * weights).sum() / (len(expected) * weights.sum())
