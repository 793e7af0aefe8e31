"""Bad input: an exception of the package that says what is wrong, and an object that still works afterwards."""

import itertools

import numpy as np
import pytest

import attoscope
from attoscope import errors

CONFIG = {"data.vocab": 6, "data.context": 3, "training.batch": 64}
NAN, INF = float("nan"), float("inf")
LONE = "\ud800"  # half of a character: Python holds it, UTF-8 does not

# Neither a number nor a text nor a table, for every place that wants one of them.
ODD = [object(), b"bytes", {1, 2}, 1j, type, print]


def refuses(error, call, *arguments, **settings):
    with pytest.raises(error) as raised:
        call(*arguments, **settings)
    assert isinstance(raised.value, errors.AttoError) and raised.value.message
    return raised.value


@pytest.fixture
def run():
    run = attoscope.Run(CONFIG)
    yield run
    run.advance(1)  # whatever was refused has left it as it was
    assert np.isfinite(run.loss)


@pytest.mark.parametrize("value", [*ODD, None, NAN, INF, "many", -1, 2**70, [[]], LONE])
@pytest.mark.parametrize("key", ["data.vocab", "training.rate", "network.form"])
def test_values_of_settings(key, value):
    refuses(errors.AttoError, attoscope.Run, {**CONFIG, key: value})


@pytest.mark.parametrize("config", [*ODD, None, 3, [("data.vocab", 4)], {3: 4}, {"": 4}, {LONE: 4}, {"data": 4}])
def test_configurations(config):
    refuses(errors.AttoError, attoscope.Ensemble, config)


def test_unknown_names_name_the_nearest(run, small):
    assert "data.vocab" in str(refuses(KeyError, attoscope.Run, {"data.vocap": 4}))
    assert "W_E" in str(refuses(KeyError, run.weights.__getitem__, "W_F"))
    assert "W_F" not in run.weights and run.weights.get("W_F") is None
    assert "statistic" in str(refuses(KeyError, small.claim("b", "c", "fallen.step", statisti="mean", region=[0, 1]).check))
    assert "summary" in str(refuses(KeyError, lambda: small.describe(sumary="x")))
    with pytest.raises(AttributeError, match="did you mean 'Ensemble'"):
        attoscope.Ensembles


def test_unknown_names_of_results_name_the_nearest(run, result):
    for call, name, near in [
        (run.observe, "losss", "loss"),
        (result.series, "perplexty", "perplexity"),
        (result.outcome, "fallen.steps", "fallen.step"),
        (result.figure, "los", "loss"),
        (result.verdicts.__getitem__, "fall", "falls"),
    ]:
        assert f"did you mean '{near}'" in str(refuses(KeyError, call, name))


@pytest.mark.parametrize("seeds", [*ODD[:2], *ODD[3:], "12", None, True, 1.5, -1, 0, [], [1.5], [(1, 2, 3)], [(1,)], [-1], [2**80], [None]])
def test_seeds(seeds):
    refuses(errors.UsageError, attoscope.Ensemble, CONFIG, seeds=seeds)


@pytest.mark.parametrize("what", [3, None, b"loss", {"loss": 1}, object()])
def test_what_is_observed(small, what):
    refuses(errors.UsageError, small.observe, what)


def test_settings_are_tables(small):
    assert "'data'" in refuses(errors.UsageError, attoscope.Study, "x", data=3).message
    refuses(errors.UsageError, small.set, 3, 4)


@pytest.mark.parametrize("vocab", ["a", 2.5, 0, -1, True, object()])
def test_vocabularies_of_tables(vocab):
    refuses(errors.UsageError, attoscope.table, [[0, 1]], [0], vocab=vocab)


@pytest.mark.parametrize("arrays", [{"tokens": [[0, 1], [2]]}, {"answers": [[0], [1, 0]]}, {"weights": [[1], [1, 2]]}, {"test": [[True], []]}])
def test_ragged_lists(arrays):
    refuses(errors.UsageError, attoscope.table, **{"tokens": [[0, 1], [1, 0]], "answers": [0, 1], **arrays})


def test_blocks_may_be_lists():
    listed = attoscope.task(lambda rng, n: ([[0, 1]] * n, [1] * n), vocab=4, context=2, name="listed", version="1")
    arrays = attoscope.task(lambda rng, n: (np.array([[0, 1]] * n), np.ones(n, int)), vocab=4, context=2, name="listed", version="1")
    listed_loss, loss = (attoscope.Run({"data": data, "training.batch": 8}).loss for data in (listed, arrays))
    assert listed_loss == loss


def test_too_many_runs():
    refuses(errors.UsageError, attoscope.Ensemble, CONFIG, seeds=10**12)
    refuses(errors.UsageError, attoscope.Ensemble, CONFIG, seeds=itertools.count())
    refuses(MemoryError, attoscope.Ensemble, {"data.vocab": 2**16, "network.width": 1000}, seeds=10**5)


def test_seeds_have_one_place():
    refuses(errors.UsageError, attoscope.Run, {**CONFIG, "seeds.init": 3})


@pytest.mark.parametrize("threads", [*ODD, -1, 2**40, "2", NAN])
def test_threads(threads, small):
    refuses(errors.UsageError, attoscope.Ensemble, CONFIG, threads=threads)
    refuses(errors.UsageError, small.run, threads=threads)


@pytest.mark.parametrize("steps", [*ODD, None, True, 1.5, -1, NAN, INF, 2**63, "10"])
def test_steps(run, steps):
    refuses(errors.UsageError, run.advance, steps)


def test_steps_do_not_overflow(run):
    run.advance(1)
    refuses(errors.UsageError, run.advance, 2**63 - 1)
    assert run.step == 1


TOKENS = [
    [[0.5, 1, 2]], [[0, 1]], [0, 1, 2], 3, [], [[]], [[0, 1, 6]], [[0, -1, 2]], [[0, 2**31, 1]], [[0, 2**40, 1]],
    [[0, 2**70, 1]], [[0, 1, 2], [0, 1]], np.zeros((0, 3), dtype=int), np.zeros((1, 1, 3), dtype=int), [["a", "b", "c"]],
    np.array([[None, 1, 2]], dtype=object), [[NAN, 1, 2]], np.zeros((1, 3), dtype=bool), np.zeros((1, 3), dtype="M8[s]"),
    np.array([[2**63, 1, 2]], dtype=np.uint64), *ODD, None,
]  # fmt: skip


@pytest.mark.parametrize("tokens", TOKENS)
def test_tokens(run, tokens):
    refuses(errors.UsageError, run.logits, tokens)
    refuses(errors.UsageError, run.attention, tokens)


@pytest.mark.parametrize("layer", [*ODD, None, -1, 1, 1.5, 2**40])
def test_layers(run, layer):
    refuses(errors.UsageError, run.attention, [[0, 1, 2]], layer=layer)


BAD_WEIGHTS = [
    np.zeros((2, 6)), np.zeros(12), np.zeros((6, 2, 1)), np.full((6, 2), NAN), np.full((6, 2), 1e300), np.array([["a"]]),
    np.zeros((6, 2), dtype=object), np.zeros((6, 2), dtype=complex), [[1, 2], [3]], [], 0, None, *ODD,
]  # fmt: skip


@pytest.mark.parametrize("values", BAD_WEIGHTS)
def test_weights(run, values):
    before = {name: run.weights[name].copy() for name in run.weights}
    other = np.ones_like(before["blocks.0.attn.W_Q"])
    refuses(errors.UsageError, run.set_weights, {"blocks.0.attn.W_Q": other, "W_E": values})
    for name, kept in before.items():  # not even the matrix that was right
        assert np.array_equal(run.weights[name], kept)


def test_weights_in_any_order(run):
    values = np.arange(12.0).reshape(6, 2)
    readonly = values.astype(np.float64)
    readonly.flags.writeable = False
    for same in (values, np.asfortranarray(values), readonly, values.astype(np.int16), np.repeat(values, 2, axis=1)[:, ::2]):
        run.set_weights({"W_E": np.zeros((6, 2))})
        run.set_weights({"W_E": same})
        assert np.array_equal(run.weights["W_E"], values)
    run.set_weights({"W_E": np.zeros((6, 2))})


@pytest.mark.parametrize("which", [*ODD, -1, 2, 0.5, "0"])
def test_which_run(which):
    ensemble = attoscope.Ensemble(CONFIG, seeds=2)
    refuses(errors.UsageError, ensemble.set_weights, {"W_E": np.zeros((6, 2))}, run=which)


def test_weights_are_a_table(run):
    for weights in (*ODD, None, [("W_E", 0)], {3: 0}, {"W_X": 0}):
        refuses(errors.AttoError, run.set_weights, weights)


def test_snapshots_of_others(run):
    for kept in (
        None, 3, [], [None], "x", {}, run.snapshot() * 2, attoscope.Run({**CONFIG, "data.vocab": 7}).snapshot(),
        attoscope.Run({**CONFIG, "training.optimizer": "sgd"}).snapshot(),
    ):  # fmt: skip
        refuses(errors.UsageError, run.restore, kept)


@pytest.mark.parametrize("address", [*ODD, None, "losss", "", LONE])
def test_addresses(run, result, address):
    refuses(errors.AttoError, run.observe, address)
    refuses(errors.AttoError, result.series, address)
    refuses(errors.AttoError, result.outcome, address)
    refuses(errors.AttoError, result.figure, address)


def test_themes(result):
    refuses(errors.UsageError, result.figure, "loss", theme="pink")


@pytest.mark.parametrize("curve", [*ODD, None, 3, [], [[[1.0]]], ["a"], [1, [2]], [None], {}, {3: [1.0]}, {"x": []}])
def test_curves(curve):
    refuses(errors.AttoError, attoscope.detect, "emergence", curve, threshold=0.5)


@pytest.mark.parametrize("steps", [*ODD, [1, 1], [2, 1], [-1, 2], [0.5, 1], [NAN, 1], [1, 2, 3], [], [[1, 2]], [0, 2**63], ["a", "b"]])
def test_steps_of_curves(steps):
    refuses(errors.AttoError, attoscope.detect, "emergence", [1.0, 2.0], steps=steps, threshold=0.5)


def test_curves_that_are_not_finite_are_answered():
    for odd in (NAN, INF, -INF):
        found = attoscope.detect("emergence", [2.0, odd, 0.1, 0.1], threshold=0.5)
        assert set(found) == {"step", "emerged"}


def test_curves_in_any_order():
    curve = np.asfortranarray(np.array([[2.0, 9], [1.5, 9], [0.2, 9], [0.1, 9], [0.1, 9]]))[:, 0]
    assert attoscope.detect("emergence", curve.astype(np.float16), threshold=0.5)["step"]["value"] == 2


@pytest.mark.parametrize("settings", [{"threshold": NAN}, {"threshold": "x"}, {"threshold": None}, {"treshold": 1}, {"threshold": LONE}])
def test_settings_of_detectors(settings):
    refuses(errors.AttoError, attoscope.detect, "emergence", [2.0, 0.1], **settings)


@pytest.mark.parametrize("detector", [*ODD, None, "", "emergense", LONE])
def test_detectors(detector):
    refuses(errors.AttoError, attoscope.detect, detector, [2.0, 0.1])


@pytest.mark.parametrize(
    "sizes",
    [{"length": 0}, {"length": 1.5}, {"length": "x"}, {"dimension": -1}, {"dimension": 2**70}, {"cross": NAN}, {"cross": 2},
     {"threshold": NAN}, {"threshold": 5}, {"repeat": None}],
)  # fmt: skip
def test_predictions(sizes):
    refuses(errors.AttoError, attoscope.predict, **{"length": 8, "dimension": 8, **sizes})


@pytest.mark.parametrize("value", [*ODD, LONE, [object()], {"a": object()}])
def test_values_of_studies(small, value):
    refuses(errors.AttoError, small.set("data.vocab", value).check)
    refuses(errors.AttoError, small.describe(summary=value).check)


@pytest.mark.parametrize("axis", [*ODD[:1], None, 3, "ab", b"ab", {"a": 1}])
def test_axes(small, axis):
    refuses(errors.UsageError, small.sweep, {"data.vocab": axis})
    refuses(errors.UsageError, small.sweep, zip={"data.vocab": axis})
    refuses(errors.AttoError, small.sweep, cells=axis if axis != {"a": 1} else [axis])


@pytest.mark.parametrize("options", [
    {"seeds": 0}, {"seeds": -1}, {"seeds": 1.5}, {"seeds": "x"}, {"seeds": 2**70}, {"seeds": True}, {"profile": "ful"},
    {"profile": 3}, {"profile": LONE}, {"until": "done"}, {"until": 3}, {"most": 5}, {"checkpoint": NAN}, {"checkpoint": -1},
    {"checkpoint": "x"}, {"store": 3}, {"store": object()}, {"store": LONE},
])  # fmt: skip
def test_options_of_run(small, options):
    refuses(errors.AttoError, small.run, progress=False, **options)


def test_studies_that_are_not_there(tmp_path):
    for name in (*ODD, None, 3, "none", str(tmp_path), str(tmp_path / "none.toml"), LONE):
        refuses(errors.AttoError, attoscope.study, name)
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"')
    refuses(errors.MissingError, attoscope.Study.read, tmp_path / "latin.toml")
    for text in (*ODD, None, "title = ", LONE):
        refuses(errors.AttoError, attoscope.Study.from_toml, text)


def test_stores_that_are_none(tmp_path):
    for path in (3, object(), tmp_path, LONE):
        refuses(errors.AttoError, attoscope.Store, path)
    (tmp_path / "text.db").write_text("no database")
    refuses(errors.StoreError, attoscope.Store, tmp_path / "text.db")
    refuses(errors.AttoError, attoscope.Store, tmp_path / "none.db", write=False)
    refuses(errors.UsageError, attoscope.Store, f"{tmp_path}/runs\0.db")
    assert attoscope.Store(bytes(tmp_path / "bytes.db")).path == str(tmp_path / "bytes.db")


def test_a_closed_store(small, tmp_path):
    store = attoscope.Store(tmp_path / "runs.db")
    result = small.run(store=store, progress=False)
    store.close()
    store.close()
    assert store.path == str(tmp_path / "runs.db") and "runs.db" in repr(store)
    for call in (store.run_ids, store.content_digest, lambda: result.series("loss"), lambda: result.figure("loss"),
                 lambda: result.report(tmp_path / "r.html"), lambda: small.run(store=store, progress=False),
                 lambda: small.load(store), lambda: result.addresses):  # fmt: skip
        assert "closed" in str(refuses(errors.StoreError, call))
    assert len(result.verdicts) == 1 and len(result.outcome("fallen.step")[0]) == 12  # what it knows already


def test_keys_that_are_none():
    for name in (*ODD, None, 3, "", "data.vocabb", LONE):
        refuses(errors.AttoError, attoscope.keys.__getitem__, name)


def test_names_that_differ_in_their_letters_case_only(run):
    assert "did you mean 'blocks.0.attn.W_Q'" in refuses(errors.MissingError, run.weights.__getitem__, "blocks.0.attn.W_q").message


def test_remedies_are_those_of_python(small):
    assert 'attoscope.study("sticky-plateau")' in refuses(errors.UsageError, attoscope.Ensemble, "sticky-plateau").remedy
    assert "--seeds" not in str(refuses(errors.UsageError, small.run, seeds=0, progress=False))


def test_an_axis_may_be_said_as_a_setting_is(small):
    assert small.sweep("network.width", [2, 3]) == small.sweep({"network.width": [2, 3]})
    refuses(errors.UsageError, small.sweep, "network.width")
    refuses(errors.UnknownKeyError, small.sweep, "network.widht", [2, 3])
