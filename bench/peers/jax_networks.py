"""The trainings in JAX, as functions of one run: first parameters (NumPy), a fresh batch, its loss. jax_worker.py makes the
scan over steps and the vmap over seeds.

Samples are innermost in the plain network ([D][B], not [B][D]): XLA then has a vector to work on and not two numbers, which
is up to twice as fast; at width 10 features innermost win at times, so both are tried there. bench/README.md lists what else
was tried. Embeddings are looked up by gather, or as a product with one-hot vectors, whose gradient is a product
too and no scatter.

Shapes: B batch, C context, D width, V vocabulary, H heads, F features of a real-valued input.
"""
import math
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from transformers import SETTINGS, config_of


def whole_below(key, limit, shape):
    """Whole numbers below `limit`; jax.random.randint draws twice as many words and takes remainders."""
    words = jax.random.bits(key, shape, jnp.uint32) >> 8
    return (words.astype(jnp.float32) * (limit / 2 ** 24)).astype(jnp.int32)


def uniform(random, *shape):
    """In ±1/√(last of the shape)."""
    return (random.uniform(-1, 1, shape) / math.sqrt(shape[-1])).astype(np.float32)


def unit_columns(random, size):
    """W* of the regression tasks."""
    weights = random.standard_normal((size, size))
    return (weights / np.linalg.norm(weights, axis=0)).astype(np.float32)


class Plain:
    """Copy of the last token by one head without residuals; tied. Only the last query is formed, and keys and values never
    are: q·(W_K x) = (W_Kᵀ q)·x and Σ a W_V x = W_V Σ a x."""

    rate = 1e-3

    def __init__(self, one_hot, vocab, width, context, batch):
        self.one_hot, self.vocab, self.width, self.context, self.batch = one_hot, vocab, width, context, batch

    def start(self, random):
        width = self.width
        return {"E": uniform(random, self.vocab, width), **{name: uniform(random, width, width) for name in "QKV"}}, {}

    def draw(self, key, fixed):
        return whole_below(key, self.vocab, (self.context, self.batch))

    def loss(self, weights, fixed, tokens):
        table = weights["E"]
        if self.one_hot:
            seen = (tokens[:, None] == jnp.arange(self.vocab)[:, None]).astype(table.dtype)  # [C][V][B]
            x = jnp.einsum("vd,cvb->cdb", table, seen)                                       # [C][D][B]
        else:
            x = jnp.moveaxis(table.T[:, tokens], 0, 1)
        query = weights["K"].T @ (weights["Q"] @ x[-1]) / math.sqrt(self.width)              # [D][B]
        attention = jax.nn.softmax(jnp.sum(x * query, 1), 0)                                 # [C][B]
        logits = table @ (weights["V"] @ jnp.sum(attention[:, None] * x, 0))                 # [V][B]
        if self.one_hot:
            answers = jnp.sum(seen[-1] * logits, 0)
        else:
            answers = jnp.take_along_axis(logits, tokens[-1:], 0)[0]
        return jnp.mean(jax.nn.logsumexp(logits, 0) - answers)


class PlainRows(Plain):
    """The same with features innermost, embeddings by gather."""

    def draw(self, key, fixed):
        return whole_below(key, self.vocab, (self.batch, self.context))

    def loss(self, weights, fixed, tokens):
        table = weights["E"]
        x = table[tokens]                                                                    # [B][C][D]
        query = x[:, -1] @ weights["Q"].T @ weights["K"] / math.sqrt(self.width)             # [B][D]
        attention = jax.nn.softmax(jnp.einsum("bcd,bd->bc", x, query), 1)
        logits = jnp.einsum("bc,bcd->bd", attention, x) @ weights["V"].T @ table.T           # [B][V]
        answers = jnp.take_along_axis(logits, tokens[:, -1:], 1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, 1) - answers)


class Toy:
    """y = W Σ softmax(a)_t x_t on single-location regression, by SGD."""

    rate = 1.0

    def __init__(self, one_hot, vocab, width, context, batch):
        self.width, self.context, self.batch = width, context, batch

    def start(self, random):
        width = self.width
        weights = {"W": np.zeros((width, width), np.float32), "a": np.zeros(self.context, np.float32)}
        return weights, {"target": unit_columns(random, width)}

    def draw(self, key, fixed):
        return jax.random.normal(key, (self.batch, self.context, self.width)) / math.sqrt(self.width)

    def loss(self, weights, fixed, tokens):
        mean = jnp.einsum("t,btd->bd", jax.nn.softmax(weights["a"]), tokens)
        error = mean @ weights["W"].T - tokens[:, -1] @ fixed["target"].T
        return jnp.mean(jnp.sum(error ** 2, 1)) / 2


class ToyByLaw(Toy):
    """From the law of its gradient, as the engine does it: of the T - 1 tokens beside the relevant one only their mean,
    N(0, S/d), is drawn, and for each score one number (src/theory/scores_network.h has the derivation)."""

    def draw(self, key, fixed):
        count = 2 * self.batch * self.width
        drawn = jax.random.normal(key, (count + self.context - 1,))
        return drawn[:count].reshape(2, self.batch, self.width), drawn[count:]

    def loss_and_gradients(self, weights, fixed, drawn):
        (relevant, rest), noise = drawn
        attention = jax.nn.softmax(weights["a"])
        others, spread = attention[:-1], jnp.sum(attention[:-1] ** 2)
        relevant, rest = relevant / math.sqrt(self.width), rest * jnp.sqrt(spread / self.width)
        mean = attention[-1] * relevant + rest
        error = mean @ weights["W"].T - relevant @ fixed["target"].T
        slope = error @ weights["W"]                                          # v = Wᵀ (y - y*)
        noise = noise * jnp.sqrt(jnp.sum(slope ** 2) / self.width)
        # Σ_b x_t·v of the others, given their mean; then through the softmax.
        products = others / spread * (jnp.sum(rest * slope) - others @ noise) + noise
        products = jnp.append(products, jnp.sum(relevant * slope)) / self.batch
        gradients = {"W": error.T @ mean / self.batch, "a": attention * (products - attention @ products)}
        return jnp.sum(error ** 2) / (2 * self.batch), gradients
