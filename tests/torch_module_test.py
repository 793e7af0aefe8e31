"""The PyTorch module and tasks that the engine is compared with: they still give the golden vectors, and the right data."""
import json
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "pytorch"))
import or_skip
import torch
from tasks import Recall, Regression
from transformer import Transformer, to_state_dict


class Module(unittest.TestCase):
    def test_still_gives_the_golden_outputs(self):
        files = sorted((TESTS / "golden" / "transformer").glob("*.json"))
        self.assertGreaterEqual(len(files), 15)
        for file in files:
            golden = json.loads(file.read_text())
            inputs = torch.tensor(golden["batch"].get("tokens") or golden["batch"]["inputs"])
            tensors = {name: torch.tensor(rows) for name, rows in golden["start"].items()}
            for asked_only in (False, True):
                with self.subTest(file.stem, last_layer_asked_only=asked_only), torch.no_grad():
                    network = Transformer(golden["config"], last_layer_asked_only=asked_only)
                    network.load_state_dict(to_state_dict(tensors, network))
                    outputs = network(inputs)
                    self.assertEqual(outputs.shape, torch.tensor(golden["outputs"]).shape)
                    self.assertLess((outputs - torch.tensor(golden["outputs"])).abs().max(), 1e-5)

    def test_refuses_weights_of_another_network(self):
        config = {"data.task": "copy", "data.vocab": 5, "data.context": 4, "network.width": 3}
        network = Transformer(config)
        weights = {"W_E": torch.zeros(5, 3), **{f"blocks.0.attn.W_{role}": torch.zeros(3, 3) for role in "QKV"}}
        network.load_state_dict(to_state_dict(weights, network))
        for wrong in ({"W_pos": torch.zeros(4, 3)}, {"blocks.1.attn.W_Q": torch.zeros(3, 3)}, {"W_E": torch.zeros(6, 3)}):
            with self.assertRaises(RuntimeError):
                network.load_state_dict(to_state_dict({**weights, **wrong}, network))
        with self.assertRaises(KeyError):
            to_state_dict({"W_X": torch.zeros(3)}, network)


class Tasks(unittest.TestCase):
    def test_regression_asks_for_the_flagged_token(self):
        task = Regression(context=6, dimension=4, batch=2000)
        inputs, answers = task.draw()
        tokens, flags = inputs[..., :4], inputs[..., 4:]
        self.assertTrue(flags.sum(1).eq(1).all())
        self.assertGreater(flags.mean(0).min(), 0.12)  # 1/6 each
        self.assertLess((tokens.var() - 1 / 4).abs(), 0.01)
        self.assertLess(((tokens * flags).sum(1) @ task.target.T - answers).abs().max(), 1e-6)
        self.assertLess((task.target.norm(dim=0) - 1).abs().max(), 1e-6)

    def test_recall_asks_for_the_value_of_one_of_the_keys(self):
        tokens, targets = Recall(vocabulary=7, pairs=3, batch=2000).draw()
        keys, values, query = tokens[:, 0:6:2], tokens[:, 1:6:2], tokens[:, 6:]
        asked = keys == query
        self.assertTrue(asked.sum(1).eq(1).all())
        self.assertTrue(values[asked].eq(targets[:, 0]).all())
        for drawn in (keys, values):  # none twice in a sequence
            self.assertTrue(drawn.sort(1).values.diff(dim=1).gt(0).all())
        self.assertGreater(asked.float().mean(0).min(), 0.28)  # 1/3 each
        self.assertGreater(query.flatten().bincount(minlength=7).min(), 200)  # 2000/7 each


if __name__ == "__main__":
    unittest.main()
