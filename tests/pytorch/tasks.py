"""Fresh batches of the two tasks transformers learn, without repetition, as vectorised PyTorch."""
import math

import torch
import torch.nn.functional as F


class Regression:
    """Tokens x ~ N(0, 1/d); one of them, flagged by a further feature at a random position, is asked for W* x."""

    def __init__(self, context, dimension, batch):
        self.shape = (batch, context, dimension)
        self.target = F.normalize(torch.randn(dimension, dimension), dim=0)  # W*, columns of unit length
        self.rows = torch.arange(batch)

    def draw(self):
        """Inputs [B][C][d + 1] and answers [B][d]."""
        batch, context, dimension = self.shape
        inputs = torch.zeros(batch, context, dimension + 1)
        tokens = inputs[..., :dimension].normal_(std=1 / math.sqrt(dimension))
        places = torch.randint(context, (batch,))
        inputs[self.rows, places, dimension] = 1
        return inputs, tokens[self.rows, places] @ self.target.T


class Recall:
    """k1 v1 k2 v2 … query: keys drawn without replacement, values by a permutation of the tokens drawn per sequence."""

    def __init__(self, vocabulary, pairs, batch):
        self.vocabulary, self.pairs, self.batch = vocabulary, pairs, batch

    def draw(self):
        """Tokens [B][2·pairs + 1] and targets [B][1]."""
        keys = torch.rand(self.batch, self.vocabulary).topk(self.pairs).indices             # [B][pairs]
        values = torch.rand(self.batch, self.vocabulary).argsort(-1).gather(1, keys)        # [B][pairs]
        asked = torch.randint(self.pairs, (self.batch, 1))
        pairs = torch.stack([keys, values], dim=2).flatten(1)
        return torch.cat([pairs, keys.gather(1, asked)], dim=1), values.gather(1, asked)
