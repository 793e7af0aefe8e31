"""A transformer that `atto` trained and exported, loaded into a plain PyTorch module, gives the same answers.

    /usr/bin/python3 tests/torch_export_test.py build/atto
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "pytorch"))
import or_skip
import numpy
import torch
from transformer import Transformer, from_transformer_lens, to_state_dict

TOLERANCE = 1e-4
STEPS = 40
TRANSFORMER = {"network.residual": True, "network.output": True, "network.biases": True}
CASES = {
    "one layer of one head, tied": {
        "data.task": "copy", "data.vocab": 7, "data.context": 5, "network.width": 3, "network.positions": "learned",
        "network.output": True},
    "regression, as in the paper": {
        "data.task": "regression", "data.context": 12, "data.dimension": 4, "network.width": 16, "network.layers": 2,
        "network.heads": 4, "network.mlp": "gelu", "network.positions": "sinusoidal", "network.mask": "full", **TRANSFORMER},
    "regression by free position biases alone": {
        "data.task": "regression", "data.context": 9, "data.dimension": 3, "data.places": "fixed", "data.flag": False,
        "network.width": 6, "network.heads": 2, "network.mask": "full", "network.kernel": "none",
        "network.position_bias": "free", "network.stride": 2, **TRANSFORMER},
    "recall, attention only with norms": {
        "data.task": "recall", "data.vocab": 9, "data.pairs": 4, "data.context": 9, "network.width": 8, "network.layers": 2,
        "network.positions": "learned", "network.unembedding": "free", "network.norm": "pre", "network.residual": True,
        "network.output": True},
    "tokens in a window with slopes": {
        "data.task": "copy", "data.vocab": 7, "data.context": 6, "data.offset": 2, "network.width": 12, "network.layers": 3,
        "network.heads": 3, "network.head_width": 5, "network.position_bias": "slope", "network.window": 3,
        "network.mlp": "relu", "network.mlp_factor": 2, "network.norm": "pre", **TRANSFORMER},
    "rotary, normalised, gated, with a sink": {
        "data.task": "copy", "data.vocab": 7, "data.context": 6, "data.offset": 2, "network.width": 12, "network.layers": 2,
        "network.heads": 3, "network.head_width": 5, "network.positions": "rotary", "network.qk_norm": True,
        "network.gate": True, "network.normalizer": "sink", **TRANSFORMER},
    "a stack with sigmoid attention by distance": {
        "data.task": "regression", "data.context": 8, "data.dimension": 3, "network.width": 8, "network.heads": 2,
        "network.stack": ["mlp", "attention", "linear"], "network.mlp": "gelu", "network.kernel": "inverse",
        "network.kernel_power": 3, "network.normalizer": "sigmoid", "network.mask": "earlier", **TRANSFORMER},
}


def study_text(config):
    """A study of one run that records its answers at the end."""
    inputs = "probe.inputs" if config["data.task"] == "regression" else "probe.tokens"
    settings = {**config, "training.batch": 32, "training.steps": STEPS, "training.rate": 0.003, "seeds.count": 1}
    tables = {}
    for key, value in settings.items():
        table, name = key.split(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}")
    lines = ['title = "A network to export"', 'source = "a test"']
    for table, entries in tables.items():
        lines += [f"[{table}]", *entries]
    return "\n".join([*lines, "[[observe]]", f'what = ["{inputs}", "probe.outputs"]', f"at = [{STEPS}]"]) + "\n"


def read_safetensors(path):
    """Configuration and tensors: eight bytes of length, a JSON header, then the numbers."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    config = json.loads(header.pop("__metadata__")["config"])
    tensors = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        values = numpy.frombuffer(content[start + first:start + end], "<f4").reshape(entry["shape"])
        tensors[name] = torch.tensor(values)
    return config, tensors


def last_answers(network, inputs):
    with torch.no_grad():
        return network(inputs)[:, -1]


class Export(unittest.TestCase):
    def train_and_export(self, config, folder):
        """Configuration, tensors, probe sequences and the program's answers to them."""
        (folder / "net.toml").write_text(study_text(config))
        self.atto(folder, "run", "net.toml")
        self.atto(folder, "export", "net.toml", "--format", "safetensors", "--output", "weights")
        self.atto(folder, "export", "net.toml", "--format", "npz", "--output", "probe.npz")
        weights, = (folder / "weights").glob("*.safetensors")
        with numpy.load(folder / "probe.npz") as probe:
            of = lambda name: torch.tensor(probe[f"cell0/{name}/values"][0, -1])
            inputs = of("probe.inputs").float() if config["data.task"] == "regression" else of("probe.tokens").long()
            return *read_safetensors(weights), inputs, of("probe.outputs").float()

    def atto(self, folder, *words):
        done = subprocess.run([ATTO, *words, "--store", "runs.db"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_shapes(self, config, tensors):
        """Those that TransformerLens means by these names."""
        width, heads = config["network.width"], config["network.heads"]
        head_width, hidden = config["network.head_width"] or width // heads, config["network.mlp_factor"] * width
        meant = {
            "attn.W_Q": (heads, width, head_width), "attn.W_K": (heads, width, head_width), "attn.b_Q": (heads, head_width),
            "attn.b_K": (heads, head_width), "attn.W_V": (heads, width, width // heads), "attn.b_V": (heads, width // heads),
            "attn.W_O": (heads, width // heads, width), "attn.b_O": (width,), "mlp.W_in": (width, hidden),
            "attn.W_G": (width, width), "attn.sink": (heads,), "attn.q_norm.w": (head_width,), "linear.W": (width, width),
            "mlp.b_in": (hidden,), "mlp.W_out": (hidden, width), "mlp.b_out": (width,), "ln1.w": (width,), "ln1.b": (width,),
        }
        for name, values in tensors.items():
            short = name.split(".", 2)[-1]
            if name.startswith("blocks.") and short in meant:
                self.assertEqual(values.shape, meant[short], name)
        outside = {"W_E": (config["data.vocab"], width), "W_U": (width, config["data.vocab"])}
        for name in outside.keys() & tensors.keys():
            if config["data.task"] != "regression":
                self.assertEqual(tensors[name].shape, outside[name], name)

    def test_gives_the_same_answers(self):
        for name, config in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                exported, tensors, inputs, answers = self.train_and_export(config, pathlib.Path(folder))
                network = Transformer(exported)
                untrained = last_answers(network, inputs)
                self.check_shapes(exported, tensors)
                ours = {name: from_transformer_lens(name, values) for name, values in tensors.items()}
                network.load_state_dict(to_state_dict(ours, network))
                self.assertEqual(untrained.shape, answers.shape)
                self.assertGreater(len(inputs), 1)
                self.assertLess((last_answers(network, inputs) - answers).abs().max(), TOLERANCE)
                self.assertGreater((untrained - answers).abs().max(), 100 * TOLERANCE, "the weights must matter")


if __name__ == "__main__":
    ATTO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
