"""Runs in the hand: views without copies, snapshots, logits, bad input."""

import copy
import pickle
import signal
import threading

import numpy as np
import pytest

import attoscope
from attoscope import errors

CONFIG = {"data.vocab": 6, "data.context": 3, "training.batch": 64}
BLOCKS = {
    "data": {"task": "copy", "vocab": 6, "context": 4},
    "network": {
        "width": 8, "heads": 2, "layers": 2, "output": True, "residual": True, "biases": True, "mlp": "gelu",
        "positions": "learned", "unembedding": "free", "norm": "pre",
    },
    "training": {"batch": 32},
}  # fmt: skip


def test_an_ensemble_trains_what_a_study_trains():
    study = attoscope.Study("x", data={"vocab": 6, "context": 3}, training={"batch": 64, "steps": 50})
    result = study.observe("loss", every=10).seeds(3).run(progress=False)
    ensemble = attoscope.Ensemble(study, seeds=3)
    losses = [ensemble.loss]
    for _ in range(5):
        ensemble.advance(10)
        losses.append(ensemble.loss)
    assert np.array_equal(np.stack(losses, axis=1), result.series("loss")[1])


def test_views_share_the_memory():
    ensemble = attoscope.Ensemble(CONFIG, seeds=4)
    embedding = ensemble.weights["W_E"]
    assert embedding.shape == (4, 6, 2) and embedding.dtype == np.float32 and not embedding.flags.writeable
    assert np.shares_memory(embedding, ensemble.weights["W_E"])
    query = ensemble.weights["blocks.0.attn.W_Q"]
    assert query.shape == (4, 1, 2, 2) and np.shares_memory(query, ensemble.weights["blocks.0.attn.W_Q"])
    before = embedding.copy()
    ensemble.advance(5)
    assert not np.array_equal(before, embedding)  # the view sees the training
    with pytest.raises(ValueError):
        embedding[0, 0, 0] = 1


def test_a_view_outlives_its_ensemble():
    embedding = attoscope.Run(CONFIG).weights["W_E"]
    assert np.isfinite(embedding).all()


def test_every_matrix_of_blocks_has_its_shape():
    weights = attoscope.Run(BLOCKS).weights
    assert weights["blocks.1.attn.W_Q"].shape == (2, 8, 4)
    assert weights["blocks.1.attn.W_O"].shape == (2, 4, 8)
    assert weights["blocks.1.attn.b_Q"].shape == (2, 4)
    assert weights["blocks.0.mlp.W_in"].shape == (8, 32)
    assert weights["W_U"].shape == (8, 6)
    assert weights["W_pos"].shape == (4, 8)


@pytest.mark.parametrize("config", [CONFIG, BLOCKS])
def test_set_weights_and_back(config):
    first, second = attoscope.Run(config, seed=1), attoscope.Run(config, seed=2)
    assert not np.array_equal(first.weights["W_E"], second.weights["W_E"])
    second.set_weights({name: first.weights[name].copy() for name in first.weights})
    for name in first.weights:
        assert np.array_equal(first.weights[name], second.weights[name]), name
    tokens = np.arange(first.config.get("data.context", 3) * 2).reshape(2, -1) % 6
    assert np.array_equal(first.logits(tokens), second.logits(tokens))


def test_loss_is_that_of_the_logits():
    run = attoscope.Run({**CONFIG, "data.task": "copy"})
    run.advance(30)
    tokens = np.random.default_rng(0).integers(0, 6, (500, 3))
    logits = run.logits(tokens)
    assert logits.shape == (500, 3, 6)
    last = logits[:, -1]
    loss = np.mean(np.log(np.exp(last).sum(-1)) - last[np.arange(500), tokens[:, -1]])
    assert abs(loss - run.test_loss) < 0.1


def test_attention_sums_to_one():
    run = attoscope.Run(BLOCKS)
    pattern = run.attention(np.zeros((5, 4), dtype=int), layer=1)
    assert pattern.shape == (5, 2, 4, 4)
    assert np.allclose(pattern.sum(-1), 1, atol=1e-5) and np.allclose(np.triu(pattern[0, 0], 1), 0)


def test_gradient_is_the_slope():
    run = attoscope.Run(CONFIG)
    gradient = run.gradient()["W_E"]
    base = {"W_E": run.weights["W_E"].copy()}
    difference = 0.0
    for sign in (1, -1):
        moved = base["W_E"].copy()
        moved[1, 1] += sign * 1e-2
        run.set_weights({"W_E": moved})
        difference += sign * float(run.loss)
    assert abs(difference / 2e-2 - gradient[1, 1]) < 1e-3


def test_snapshots_go_on_bit_for_bit():
    ensemble = attoscope.Ensemble(CONFIG, seeds=3)
    ensemble.advance(20)
    kept = pickle.loads(pickle.dumps(ensemble.snapshot()))
    ensemble.advance(20)
    after = ensemble.weights["W_E"].copy()
    other = attoscope.Ensemble(CONFIG, seeds=3)
    other.restore(kept)
    assert other.step == 20
    other.advance(20)
    assert np.array_equal(other.weights["W_E"], after)


def test_observables():
    run = attoscope.Run(CONFIG)
    assert "perplexity" in run.observables
    assert run.observe("embedding").shape == (6, 2)
    assert np.isclose(run.observe("perplexity"), np.exp(run.loss))
    with pytest.raises(errors.MissingError):
        run.observe("perplexityy")


def test_ctrl_c_stops_advancing():
    ensemble = attoscope.Ensemble({"data.vocab": 100}, seeds=2)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        ensemble.advance(10**9)
    assert np.isfinite(ensemble.loss).all()


def test_reading_while_it_advances_raises():
    asked, go_on = threading.Event(), threading.Event()

    @attoscope.task(vocab=6, context=2, version="1")
    def waits(rng, n):  # until somebody has tried to read
        asked.set()
        go_on.wait(60)
        tokens = rng.integers(6, size=(n, 2))
        return tokens, tokens[:, 0]

    ensemble = attoscope.Ensemble({"data": waits, "training.batch": 32}, seeds=2)
    trainer = threading.Thread(target=ensemble.advance, args=(20,))
    trainer.start()
    assert asked.wait(60)
    with pytest.raises(errors.UsageError, match="used by another thread"):
        ensemble.weights["W_E"]
    go_on.set()
    trainer.join()
    assert ensemble.step == 20 and np.isfinite(ensemble.weights["W_E"]).all()


@pytest.mark.parametrize(
    "tokens",
    [
        [[0.5, 1, 2]], [[0, 1]], [0, 1, 2], [[0, 1, 6]], [[0, -1, 2]], [[0, 2**40, 1]], np.zeros((0, 3), dtype=int),
        [["a", "b", "c"]], np.array([[None, 1, 2]], dtype=object), [[np.nan, 1, 2]],
    ],
)  # fmt: skip
def test_bad_tokens_are_refused(tokens):
    with pytest.raises(errors.UsageError):
        attoscope.Run(CONFIG).logits(tokens)


def test_orders_and_flags_of_tokens_do_not_matter():
    run = attoscope.Run(CONFIG)
    tokens = np.array([[0, 1, 2], [3, 4, 5]])
    expected = run.logits(tokens)
    readonly = tokens.astype(np.uint8)
    readonly.flags.writeable = False
    assert np.array_equal(run.logits(np.asfortranarray(tokens)), expected)
    assert np.array_equal(run.logits(readonly), expected)


@pytest.mark.parametrize(
    "weights", [{"W_E": np.zeros((2, 6))}, {"W_E": np.full((6, 2), np.nan)}, {"W_E": np.array([["a"]])}, {"W_X": 0}]
)
def test_bad_weights_are_refused(weights):
    with pytest.raises(errors.AttoError):
        attoscope.Run(CONFIG).set_weights(weights)


@pytest.mark.parametrize("seeds", [[], [-1], 0])
def test_bad_seeds_are_refused(seeds):
    with pytest.raises(errors.UsageError):
        attoscope.Ensemble(CONFIG, seeds=seeds)


def test_bad_configurations_are_refused():
    with pytest.raises(errors.UnknownKeyError):
        attoscope.Run({"data.vocabulary": 3})
    with pytest.raises(errors.StudyError):
        attoscope.Run({"data.vocab": -3})
    with pytest.raises(errors.AttoError):
        attoscope.Run({"data.task": "regression", "network.form": "attention"}).logits([[0, 1]])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_its_own_way(copied):
    config = {"data.vocab": 4, "training.batch": 64}
    ensemble, run = attoscope.Ensemble(config, seeds=[(1, 2), 5], threads=1), attoscope.Run(config, seed=3)
    ensemble.advance(20)
    ensemble.set_weights({"W_E": np.ones((4, 2))}, run=1)
    run.advance(5)
    other, alone = copied(ensemble), copied(run)
    assert other.seeds == [(1, 2), (5, 5)] and other.step == 20
    assert type(alone) is attoscope.Run and alone.seed == (3, 3) and alone.step == 5
    ensemble.advance(30)
    assert other.step == 20 and not np.array_equal(other.weights["W_E"], ensemble.weights["W_E"])
    other.advance(30)
    assert np.array_equal(other.weights["W_E"], ensemble.weights["W_E"])


def test_a_matrix_by_its_last_word():
    with pytest.raises(errors.MissingError, match="did you mean 'blocks.0.attn.W_Q'"):
        attoscope.Run({"data.vocab": 4}).weights["W_q"]
