"""JAX's side of bench/peers/run.py: answers one line of numbers per line of standard input.

    versions                                           JAX's and jaxlib's
    train VARIANT KEEP SEED RUNS STEPS PART V D C B    seconds, seconds of compilation, loss of each run over its last tenth

VARIANT is scan (one run after the other) or vmap (all runs at once), with -onehot for embeddings by one-hot vectors, -rows for
features innermost, -law for the toy network by the law of its gradient (jax_networks.py). KEEP is keep, or fresh: compile
again what was compiled before.

All steps are one compiled scan over donated buffers that draws its data as it goes.
"""
import functools
import sys
import time

sys.dont_write_bytecode = True
import jax
import jax.numpy as jnp
import numpy as np
from jax_networks import Plain, PlainRows, SETTINGS, Toy, ToyByLaw
from jax_transformers import Transformer

jax.config.update("jax_threefry_partitionable", True)  # the default of later versions, and faster on 0.4.31


def make_network(variant, part, *shape):
    one_hot = "onehot" in variant
    if part in SETTINGS:
        return Transformer(part, one_hot, *shape)
    kinds = {"plain": PlainRows if "rows" in variant else Plain, "toy": ToyByLaw if "law" in variant else Toy}
    return kinds[part](one_hot, *shape)


def adam(rate, step, weights, gradients, memory):
    means, squares = memory
    count = step + 1.0
    rate, scale = rate / (1 - 0.9 ** count), 1 / jnp.sqrt(1 - 0.999 ** count)
    means = {name: 0.9 * means[name] + 0.1 * gradients[name] for name in weights}
    squares = {name: 0.999 * squares[name] + 0.001 * gradients[name] ** 2 for name in weights}
    weights = {name: weights[name] - rate * means[name] / (jnp.sqrt(squares[name]) * scale + 1e-8) for name in weights}
    return weights, (means, squares)


def sgd(rate, step, weights, gradients, memory):
    return {name: weights[name] - rate * gradients[name] for name in weights}, memory


def train_run(network, steps, state, fixed, key):
    """The end state, whose buffers are those of the first, and the losses of all steps."""
    key = jax.random.wrap_key_data(key)
    update = sgd if isinstance(network, Toy) else adam
    differentiate = getattr(network, "loss_and_gradients", None) or jax.value_and_grad(network.loss)

    def advance(state, step):
        weights, memory = state
        loss, gradients = differentiate(weights, fixed, network.draw(jax.random.fold_in(key, step), fixed))
        return update(network.rate, step, weights, gradients, memory), loss

    return jax.lax.scan(advance, state, jnp.arange(steps))


def starting_state(network, seeds, several):
    """Weights, optimizer memory, what stays fixed, and the key of the data, of one run or of several stacked."""
    each = [network.start(np.random.default_rng(seed)) for seed in seeds]
    stack = lambda dicts: {name: jnp.asarray(np.stack([one[name] for one in dicts]) if several else dicts[0][name])
                           for name in dicts[0]}
    weights, fixed = (stack([one[i] for one in each]) for i in (0, 1))
    zeros = lambda: {name: jnp.zeros_like(value) for name, value in weights.items()}
    memory = () if isinstance(network, Toy) else (zeros(), zeros())
    keys = jnp.stack([jax.random.key_data(jax.random.key(seed)) for seed in seeds])
    return jax.block_until_ready(((weights, memory), fixed, keys if several else keys[0]))


class Programs:
    """What was compiled so far, and how long it took."""

    def __init__(self):
        self.known = {}

    def compiled(self, keep, several, network, steps, name, arguments):
        if keep == "fresh":
            self.known.pop(name, None)
            jax.clear_caches()
        if name not in self.known:
            run = functools.partial(train_run, network, steps)
            start = time.perf_counter()
            program = jax.jit(jax.vmap(run) if several else run, donate_argnums=0).lower(*arguments).compile()
            self.known[name] = program, time.perf_counter() - start
        return self.known[name]


def train(programs, variant, keep, seed, runs, steps, part, *shape):
    runs, steps, shape = int(runs), int(steps), tuple(map(int, shape))
    seeds = range(int(seed), int(seed) + runs)
    several = variant.startswith("vmap")
    network = make_network(variant, part, *shape)
    start_all = lambda: [starting_state(network, group, several) for group in ([seeds] if several else [[one] for one in seeds])]
    name = (variant, runs, steps, part, shape)
    is_new = name not in programs.known
    program, compilation = programs.compiled(keep, several, network, steps, name, start_all()[0])
    if is_new and keep == "keep":
        jax.block_until_ready(program(*start_all()[0]))  # the first call makes threads and buffers
    groups = start_all()
    start = time.perf_counter()
    losses = [jax.block_until_ready(program(*group))[1] for group in groups]
    seconds = time.perf_counter() - start
    last = np.stack(losses).reshape(runs, steps)[:, -max(1, steps // 10):].mean(1)
    return [seconds, compilation, *last.tolist()]


def main():
    programs = Programs()
    answers = {"versions": lambda: [jax.__version__], "train": functools.partial(train, programs)}
    for line in sys.stdin:
        what, *arguments = line.split()
        print(*answers[what](*arguments), flush=True)


if __name__ == "__main__":
    main()
