"""Transformers in JAX, by the keys of a study, and the two tasks they learn. See jax_networks.py for the interface.

The last layer has one query, and its keys and values are not formed, as in the plain network.
"""
import math

import jax
import jax.numpy as jnp
import numpy as np

from jax_networks import config_of, uniform, unit_columns, whole_below


class RegressionData:
    """Tokens x ~ N(0, 1/d); one of them, flagged by a further feature at a random position, is asked for W* x."""

    def __init__(self, config, batch):
        self.batch, self.context, self.dimension = batch, config["data.context"], config["data.dimension"]
        self.inputs, self.outputs, self.real = self.dimension + 1, self.dimension, True

    def start(self, random):
        return {"target": unit_columns(random, self.dimension)}

    def draw(self, key, fixed):
        for_tokens, for_places = jax.random.split(key)
        tokens = jax.random.normal(for_tokens, (self.batch, self.context, self.dimension)) / math.sqrt(self.dimension)
        places = whole_below(for_places, self.context, (self.batch, 1))
        flags = (places == jnp.arange(self.context)).astype(tokens.dtype)[..., None]      # [B][C][1]
        return jnp.concatenate([tokens, flags], 2), jnp.sum(tokens * flags, 1) @ fixed["target"].T

    def loss(self, outputs, answers):
        return jnp.mean(jnp.sum((outputs - answers) ** 2, 1)) / 2


class RecallData:
    """k1 v1 k2 v2 … query: distinct keys, and distinct values independent of them."""

    def __init__(self, config, batch):
        self.batch, self.vocab, self.pairs = batch, config["data.vocab"], config["data.pairs"]
        self.context, self.inputs, self.outputs, self.real = 2 * self.pairs + 1, self.vocab, self.vocab, False

    def start(self, random):
        return {}

    def distinct(self, words):
        """`pairs` distinct tokens by sample: each a number among those left, counted past those taken."""
        taken, drawn = [], []  # ascending; in the order drawn
        for i in range(self.pairs):
            token = (words[i] * ((self.vocab - i) / 2 ** 24)).astype(jnp.int32)
            for other in taken:
                token = token + (token >= other)
            drawn.append(token)
            rest = token
            for j, other in enumerate(taken):
                taken[j], rest = jnp.minimum(other, rest), jnp.maximum(other, rest)
            taken.append(rest)
        return jnp.stack(drawn, 1)                                                        # [B][pairs]

    def draw(self, key, fixed):
        words = (jax.random.bits(key, (2 * self.pairs + 1, self.batch), jnp.uint32) >> 8).astype(jnp.float32)
        keys, values = self.distinct(words[:self.pairs]), self.distinct(words[self.pairs:-1])
        slot = (words[-1] * (self.pairs / 2 ** 24)).astype(jnp.int32)
        asked = slot[:, None] == jnp.arange(self.pairs)
        pairs = jnp.stack([keys, values], 2).reshape(self.batch, 2 * self.pairs)
        query = jnp.sum(jnp.where(asked, keys, 0), 1, keepdims=True)
        return jnp.concatenate([pairs, query], 1), jnp.sum(jnp.where(asked, values, 0), 1)

    def loss(self, outputs, answers):
        picked = jnp.sum(jnp.where(answers[:, None] == jnp.arange(self.vocab), outputs, 0), 1)
        return jnp.mean(jax.nn.logsumexp(outputs, 1) - picked)


def sinusoids(context, width):
    """[C][D]: sin on even features, cos of the same angle on odd ones."""
    feature = np.arange(width)
    angle = np.arange(context)[:, None] / 10000 ** ((feature - feature % 2) / width)
    return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle)).astype(np.float32)


class Transformer:
    def __init__(self, part, one_hot, vocab, width, context, batch):
        config = self.config = config_of(part, vocab, width, context)
        self.one_hot, self.width, self.rate = one_hot, width, config["training.rate"]
        self.heads, self.layers = config["network.heads"], config["network.layers"]
        self.hidden = config["network.mlp_factor"] * width if config["network.mlp"] != "none" else 0
        self.causal = config["network.mask"] == "causal"
        self.data = (RegressionData if config["data.task"] == "regression" else RecallData)(config, batch)

    def start(self, random):
        width, data = self.width, self.data
        maps = {"U": (data.outputs, width)}
        if data.real:
            maps["in"] = (width, data.inputs)
        for layer in range(self.layers):
            maps.update({f"{layer}.{name}": (width, width) for name in "QKVO"})
            if self.hidden:
                maps.update({f"{layer}.up": (self.hidden, width), f"{layer}.down": (width, self.hidden)})
        weights = {name: uniform(random, *shape) for name, shape in maps.items()}
        if self.config["network.biases"]:  # as wide as its matrix's rows, drawn as its matrix is
            weights.update({name + ".b": uniform(random, *shape)[:, 0].copy() for name, shape in maps.items()})
        if not data.real:
            weights["E"] = uniform(random, data.inputs, width)
        if self.config["network.positions"] == "learned":
            weights["P"] = random.standard_normal((data.context, width)).astype(np.float32)
        return weights, data.start(random)

    def draw(self, key, fixed):
        return self.data.draw(key, fixed)

    def map(self, weights, name, x):
        y = x @ weights[name].T
        return y + weights[name + ".b"] if name + ".b" in weights else y

    def embed(self, weights, inputs):
        if self.data.real:
            x = self.map(weights, "in", inputs)
        elif self.one_hot:
            x = jax.nn.one_hot(inputs, self.data.inputs, dtype=jnp.float32) @ weights["E"]
        else:
            x = weights["E"][inputs]
        return x + (weights["P"] if "P" in weights else sinusoids(self.data.context, self.width))

    def attend(self, weights, layer, x):
        """At every position: [B][C][D] to [B][C][D]"""
        split = lambda name: self.map(weights, f"{layer}.{name}", x).reshape(*x.shape[:2], self.heads, -1)
        query, key, value = map(split, "QKV")                                  # [B][C][H][K]
        scores = jnp.einsum("bqhk,bchk->bhqc", query, key) / math.sqrt(query.shape[-1])
        if self.causal:
            scores = jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -jnp.inf)
        mixed = jnp.einsum("bhqc,bchk->bqhk", jax.nn.softmax(scores, -1), value)
        return self.map(weights, f"{layer}.O", mixed.reshape(x.shape))

    def attend_last(self, weights, layer, x):
        """At the last position: [B][C][D] to [B][D]"""
        heads, size = self.heads, self.width // self.heads
        by_head = lambda name: weights[f"{layer}.{name}"].reshape(heads, size, self.width)
        query = self.map(weights, f"{layer}.Q", x[:, -1]).reshape(-1, heads, size) / math.sqrt(size)
        carried = jnp.einsum("bhk,hkd->bhd", query, by_head("K"))  # a bias of the keys would add the same to all scores
        attention = jax.nn.softmax(jnp.einsum("bhd,bcd->bhc", carried, x), -1)
        mixed = jnp.einsum("bhd,hkd->bhk", jnp.einsum("bhc,bcd->bhd", attention, x), by_head("V")).reshape(-1, self.width)
        if f"{layer}.V.b" in weights:
            mixed = mixed + weights[f"{layer}.V.b"]
        return self.map(weights, f"{layer}.O", mixed)

    def loss(self, weights, fixed, batch):
        inputs, answers = batch
        x = self.embed(weights, inputs)
        for layer in range(self.layers):
            last = layer == self.layers - 1
            x = x[:, -1] + self.attend_last(weights, layer, x) if last else x + self.attend(weights, layer, x)
            if self.hidden:
                hidden = jax.nn.gelu(self.map(weights, f"{layer}.up", x), approximate=False)
                x = x + self.map(weights, f"{layer}.down", hidden)
        return self.data.loss(self.map(weights, "U", x), answers)
