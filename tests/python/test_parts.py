"""Parts of one's own: the same bits however they are trained, and every mistake said with a remedy."""

import linecache
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import attoscope
from attoscope import errors


@attoscope.task(vocab=6, context=2)
def successor(rng, n, *, vocab, context):
    tokens = rng.integers(vocab, size=(n, context))
    return tokens, (tokens[:, -1] + 1) % vocab


def study_of(data, **training):
    settings = {"steps": 60, "batch": 64, **training}
    return attoscope.Study("own", data=data, training=settings).observe("loss", every=10).seeds(4)


def run(study, **options):
    return study.run(progress=False, **options)


def losses(result):
    return result.series("loss")[1]


def test_a_function_trains_on_any_number_of_threads():
    study = study_of(successor).observe("loss.test", every=10).sweep({"data.vocab": [4, 6]})
    one, two = run(study, threads=1), run(study, threads=2)
    assert one.complete and losses(one).shape == (8, 7)
    assert np.array_equal(losses(one), losses(two))
    assert losses(one)[:, -1].mean() < losses(one)[:, 0].mean()


def test_an_ensemble_gives_the_bits_of_a_study():
    ensemble = attoscope.Ensemble({"data": successor, "training.batch": 64}, seeds=4)
    ensemble.advance(35)
    ensemble.advance(25)
    assert np.array_equal(ensemble.loss, losses(run(study_of(successor)))[:, -1])
    assert np.isfinite(ensemble.test_loss).all() and np.isfinite(attoscope.Run(study_of(successor)).loss)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_kind_of_whole_numbers_does_not_matter(kind, order):
    def numbers(rng, n, *, vocab, context):
        tokens, answers = successor(rng, n, vocab=vocab, context=context)
        return np.asarray(tokens, dtype=kind, order=order), answers.astype(kind)

    losses_of = []
    for function in (numbers, successor._function):
        data = attoscope.task(function, vocab=6, context=2, name="numbers")
        ensemble = attoscope.Ensemble({"data": data, "training.batch": 64}, seeds=1)
        ensemble.advance(20)
        losses_of.append(ensemble.loss[0])
    assert losses_of[0] == losses_of[1]


STOPPED = """
import signal, sys
sys.path.insert(0, sys.argv[2])
import attoscope, attoscope._running
from test_parts import losses, run, study_of, successor
study = study_of(successor, steps=6000)
store = attoscope.Store(sys.argv[1])
def interrupt(bar, job):
    if not stopped and job.progress()["fraction"] > 0:
        stopped.append(True)
        signal.raise_signal(signal.SIGINT)
stopped = []
show, attoscope._running._show = attoscope._running._show, interrupt
first = study.run(store=store)
attoscope._running._show = show
again = run(study, store=store)
print(len(stopped), again.complete, (losses(again) == losses(run(study))).all())
"""


def test_stopping_and_going_on_changes_nothing(tmp_path):
    store, here = str(tmp_path / "runs.db"), __file__.rsplit("/", 1)[0]
    ran = subprocess.run([sys.executable, "-c", STOPPED, store, here], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "True", "True"]


def test_a_function_is_asked_for_large_blocks_of_its_own_numbers():
    seen = []

    @attoscope.task(vocab=4, context=2, version="spying")
    def spied(rng, n):
        tokens = rng.integers(4, size=(n, 2))
        seen.append((n, tokens[:3].tobytes()))
        return tokens, tokens[:, 0]

    run(study_of(spied).observe("accuracy", every=60), seeds=2)
    assert max(n for n, _ in seen) >= 4096
    assert len({numbers for _, numbers in seen}) == len(seen)


def test_the_source_is_part_of_the_id():
    def made(shift):
        @attoscope.task(vocab=6, context=2, name="successor")
        def one(rng, n):
            tokens = rng.integers(6, size=(n, 2))
            return tokens, (tokens[:, -1] + shift) % 6

        return study_of(one)

    ids = [tuple(one.run_ids()) for one in (made(1), made(2), study_of(successor))]
    assert len(set(ids)) == 3 and ids[0] == tuple(made(1).run_ids())
    versions = [attoscope.task(lambda rng, n: None, vocab=6, context=2, name="a", version=v) for v in "12"]
    assert study_of(versions[0]).run_ids() != study_of(versions[1]).run_ids()


def test_what_cannot_be_told_needs_a_version():
    for function in (lambda rng, n: None, np.random.default_rng):
        with pytest.raises(errors.UsageError, match="version"):
            attoscope.task(function, vocab=6, context=2, name="a")
    with pytest.raises(errors.UsageError, match="name"):
        attoscope.task(lambda rng, n: None, vocab=6, context=2)
    held = object()

    def closing(rng, n):
        return held

    with pytest.raises(errors.UsageError, match="closes over held"):
        attoscope.task(closing, vocab=6, context=2)


def test_toml_names_the_part_and_takes_it_back(tmp_path):
    study = study_of(successor)
    text = study.toml()
    assert "successor" in text and successor.hash in text
    again = attoscope.Study.from_toml(text, parts=[successor])
    assert again.run_ids() == study.run_ids()
    with pytest.raises(errors.StudyError, match="not here") as missing:
        attoscope.Study.from_toml(text).check()
    assert "parts=" in missing.value.remedy
    other = attoscope.task(successor._function, vocab=6, context=2, version="2")
    with pytest.raises(errors.StudyError, match="not the one"):
        attoscope.Study.from_toml(text, parts=[other]).check()
    path = tmp_path / "own.toml"
    study.save(path)
    said = subprocess.run(
        [sys.executable, "-m", "attoscope._command", "run", str(path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert said.returncode != 0 and "Python" in said.stderr


def tokens_and_answers():
    tokens = np.array([[i, j] for i in range(5) for j in range(5)])
    return tokens, tokens.sum(axis=1) % 5


def test_arrays_are_a_task(tmp_path):
    tokens, answers = tokens_and_answers()
    data = attoscope.table(tokens, answers, test=np.arange(25) % 5 == 0)
    study = study_of(data).observe("loss.test", every=10)
    result = run(study, store=tmp_path / "runs.db")
    assert result.complete and np.isfinite(result.series("loss.test")[1]).all()
    del result
    assert study.load(tmp_path / "runs.db").complete
    weighed = study_of(attoscope.table(tokens, answers, weights=np.arange(25.0)))
    assert weighed.run_ids() != study.run_ids()
    assert attoscope.Study.from_toml(study.toml(), parts=[data]).run_ids() == study.run_ids()
    with pytest.raises(errors.MissingError, match="arrays"):
        attoscope.Study.from_toml(study.toml()).check()
    assert np.isfinite(attoscope.Run({"data": data, "training.batch": 16}).loss)


def test_arrays_in_any_order_are_the_same():
    tokens, answers = tokens_and_answers()
    fortran = np.asfortranarray(tokens.astype(np.uint8))
    fortran.setflags(write=False)
    assert study_of(attoscope.table(fortran, answers)).run_ids() == study_of(attoscope.table(tokens, answers)).run_ids()
    every = attoscope.table(tokens, np.stack([answers, answers], axis=1))
    assert every.settings["targets"] == "every" and run(study_of(every), seeds=1).complete


TOKENS, ANSWERS = tokens_and_answers()
BAD_ARRAYS = {
    "float tokens": (TOKENS.astype(float), ANSWERS, {}),
    "NaN": (np.full((25, 2), np.nan), ANSWERS, {}),
    "objects": (TOKENS.astype(object), ANSWERS, {}),
    "texts": (TOKENS.astype(str), ANSWERS, {}),
    "negative": (TOKENS - 1, ANSWERS, {}),
    "too large": (TOKENS, ANSWERS, {"vocab": 3}),
    "empty": (TOKENS[:0], ANSWERS[:0], {}),
    "one dimension": (TOKENS[:, 0], ANSWERS, {}),
    "other length": (TOKENS, ANSWERS[:-1], {}),
    "too many answers": (TOKENS, np.zeros((25, 3), int), {}),
    "three dimensions": (TOKENS, np.zeros((25, 1, 1), int), {}),
    "bad weights": (TOKENS, ANSWERS, {"weights": np.full(25, np.nan)}),
    "short weights": (TOKENS, ANSWERS, {"weights": np.ones(24)}),
    "test is no mark": (TOKENS, ANSWERS, {"test": np.arange(25)}),
}


@pytest.mark.parametrize("what", BAD_ARRAYS)
def test_bad_arrays_are_refused(what):
    tokens, answers, more = BAD_ARRAYS[what]
    with pytest.raises(errors.UsageError) as refused:
        attoscope.table(tokens, answers, **more)
    assert refused.value.remedy


def block_of(n, **wrong):
    tokens = np.zeros((n, 2), int)
    return wrong.get("tokens", tokens), wrong.get("answers", tokens[:, 0])


BAD_BLOCKS = {
    "None": lambda n: None,
    "one array": lambda n: np.zeros((n, 2), int),
    "floats": lambda n: block_of(n, tokens=np.zeros((n, 2))),
    "NaN": lambda n: block_of(n, tokens=np.full((n, 2), np.nan)),
    "objects": lambda n: block_of(n, tokens=np.zeros((n, 2), object)),
    "too few": lambda n: block_of(n, tokens=np.zeros((n - 1, 2), int)),
    "other context": lambda n: block_of(n, tokens=np.zeros((n, 3), int)),
    "negative": lambda n: block_of(n, answers=np.full(n, -1)),
    "too large": lambda n: block_of(n, answers=np.full(n, 6)),
    "huge": lambda n: block_of(n, answers=np.full(n, 2**40)),
    "ragged": lambda n: ([[1], [1, 2]], [0, 0]),
}


@pytest.mark.parametrize("what", BAD_BLOCKS)
def test_bad_blocks_end_the_cell(what):
    bad = attoscope.task(lambda rng, n: BAD_BLOCKS[what](n), vocab=6, context=2, name="bad", version="1")
    with pytest.warns(UserWarning, match="bad"):
        result = run(study_of(bad), seeds=1)
    assert not result.complete and result.runs == []
    assert "Error" in result.failures[0].message and "Traceback" in result.failures[0].traceback
    with pytest.raises(errors.PartError, match="bad"):
        attoscope.Run({"data": bad}).advance(1)


def test_layouts_of_blocks_make_no_difference():
    @attoscope.task(vocab=6, context=2, name="successor", version="layout")
    def strange(rng, n):
        tokens = rng.integers(6, size=(n, 2))
        answers = ((tokens[:, -1] + 1) % 6).astype(np.int16)
        tokens = np.asfortranarray(tokens)
        tokens.setflags(write=False)
        return tokens, answers

    assert np.array_equal(losses(run(study_of(strange))), losses(run(study_of(successor))))


def test_an_exception_ends_its_cell_and_no_other(tmp_path):
    @attoscope.task(vocab=6, context=2)
    def picky(rng, n, *, vocab):
        if vocab == 5:
            raise ArithmeticError("five is too many")
        tokens = rng.integers(vocab, size=(n, 2))
        return tokens, tokens[:, 0]

    study = study_of(picky).sweep({"data.vocab": [4, 5, 6]})
    with pytest.warns(UserWarning, match="five is too many"):
        result = run(study, store=tmp_path / "runs.db")
    assert [run["cell"] for run in result.runs] == [0] * 4 + [2] * 4 and not result.complete
    failure = result.failures[0]
    assert failure.cell == "data.vocab=5" and failure.part == "picky"
    assert "five is too many" in failure.message and "raise ArithmeticError" in failure.traceback
    assert len(attoscope.Store(tmp_path / "runs.db", write=False).run_ids()) == 8


def forever():
    rng = np.random.default_rng(0)
    while True:
        tokens = rng.integers(6, size=(1000, 2))
        yield tokens, tokens[:, 0]


def test_generators_are_never_reused():
    store = attoscope.Store()
    data = attoscope.task(forever, vocab=6, context=2)
    study = study_of(data)
    assert not study.repeatable and study_of(successor).repeatable
    first, second = (run(study, store=store) for _ in range(2))
    assert not {one["id"] for one in first.runs} & {one["id"] for one in second.runs}
    assert "stream" in first.study.toml()
    again = attoscope.Study.from_toml(first.study.toml(), parts=[data]).load(store)
    assert np.array_equal(losses(again), losses(first))
    running = attoscope.task(forever(), vocab=6, context=2, name="running", version="1")
    assert run(study_of(running)).complete


def ends():
    yield np.zeros((100, 2), int), np.zeros(100, int)


def changes():
    yield np.zeros((100, 2), int), np.zeros(100, int)
    yield np.zeros((100, 3), int), np.zeros(100, int)


def empty():
    while True:
        yield np.zeros((0, 2), int), np.zeros(0, int)


@pytest.mark.parametrize("generator, says", [(ends, "has ended"), (changes, "shape"), (empty, "no sequence")])
def test_generators_that_end_or_change_are_failures(generator, says):
    with pytest.warns(UserWarning, match=says):
        result = run(study_of(attoscope.task(generator, vocab=6, context=2)), seeds=1)
    assert says in result.failures[0].message and not result.complete


def test_generators_cannot_go_back():
    ensemble = attoscope.Ensemble({"data": attoscope.task(forever, vocab=6, context=2), "training.batch": 512}, 2)
    start = ensemble.snapshot()
    ensemble.advance(300)
    ensemble.restore(start)
    with pytest.raises(errors.PartError, match="cannot go back"):
        ensemble.advance(1)


def test_an_interrupt_in_a_callback_stops_the_study(tmp_path):
    calls = []

    @attoscope.task(vocab=6, context=2, version="interrupting")
    def interrupting(rng, n):
        calls.append(n)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        tokens = rng.integers(6, size=(n, 2))
        return tokens, tokens[:, 0]

    store = attoscope.Store(tmp_path / "runs.db")
    result = run(study_of(interrupting, steps=5000), store=store, seeds=6)
    assert not result.complete and result.failures == []
    calls.extend([0] * 3)
    again = run(study_of(interrupting, steps=5000), store=store, seeds=6)
    assert again.complete
    assert np.array_equal(losses(again), losses(run(study_of(interrupting, steps=5000), seeds=6)))
    calls[:] = [0, 0]
    ensemble = attoscope.Ensemble({"data": interrupting}, 2)
    with pytest.raises(KeyboardInterrupt):
        ensemble.advance(1000)
    ensemble.advance(0)
    assert ensemble.step == 1000


# With as many threads as there are cores, or more, the calling one trains, too; with fewer it answers only.
@pytest.mark.parametrize("threads", [1, 2, 64])
def test_however_many_threads_train_the_bits_are_the_same(threads):
    config = {"data": successor, "training.batch": 512}
    alone = attoscope.Ensemble(config, seeds=5, threads=1)
    together = attoscope.Ensemble(config, seeds=5, threads=threads)
    for steps in (1, 100, 300, 7):  # blocks end within a call, and runs change their thread
        alone.advance(steps)
        together.advance(steps)
        np.testing.assert_array_equal(together.weights["W_E"], alone.weights["W_E"])
        np.testing.assert_array_equal(together.loss, alone.loss)


@pytest.mark.parametrize("threads", [1, 64])
def test_a_failure_on_any_thread_is_told(threads):
    calls = []

    @attoscope.task(vocab=6, context=2, version="fails")
    def fails(rng, n, *, vocab, context):
        calls.append(n)
        if len(calls) > 20:
            raise RuntimeError("no more")
        tokens = rng.integers(vocab, size=(n, context))
        return tokens, tokens[:, 0]

    ensemble = attoscope.Ensemble({"data": fails, "training.batch": 512}, seeds=4, threads=threads)
    with pytest.raises(errors.PartError, match="no more"):
        ensemble.advance(5000)
    with pytest.raises(errors.PartError, match="no more"):  # it is not stuck
        ensemble.advance(1)


@pytest.mark.parametrize("threads", [1, 64])
def test_an_interrupt_on_any_thread_stops_and_loses_nothing(threads):
    calls = []

    @attoscope.task(vocab=6, context=2, version="interrupts")
    def interrupts(rng, n, *, vocab, context):
        calls.append(n)
        if len(calls) == 20:
            signal.raise_signal(signal.SIGINT)
        tokens = rng.integers(vocab, size=(n, context))
        return tokens, (tokens[:, -1] + 1) % vocab

    ensemble = attoscope.Ensemble({"data": interrupts, "training.batch": 512}, seeds=4, threads=threads)
    with pytest.raises(KeyboardInterrupt):
        ensemble.advance(2000)
    ensemble.advance(0)
    assert ensemble.step == 2000 and set(ensemble._core.steps()) == {2000}
    whole = attoscope.Ensemble({"data": successor, "training.batch": 512}, seeds=4)
    whole.advance(2000)
    np.testing.assert_array_equal(ensemble.weights["W_E"], whole.weights["W_E"])


def test_a_task_may_train_an_ensemble_of_its_own():
    config = {"data": successor, "training.batch": 64}

    @attoscope.task(vocab=6, context=2, version="nested")
    def nested(rng, n, *, vocab, context):
        inner = attoscope.Ensemble(config, seeds=3, threads=64)
        inner.advance(3)
        assert np.isfinite(inner.loss).all()
        tokens = rng.integers(vocab, size=(n, context))
        return tokens, tokens[:, 0]

    outer = attoscope.Ensemble({"data": nested, "training.batch": 512}, seeds=3, threads=64)
    outer.advance(300)
    assert outer.step == 300


def test_unknown_settings_are_refused():
    with pytest.raises(errors.UsageError, match="vocabulary"):

        @attoscope.task(vocab=6, context=2)
        def wrong(rng, n, *, vocabulary):
            return None

    with pytest.raises(errors.UsageError, match="neither"):
        attoscope.task(7, vocab=6, context=2)
    with pytest.raises(errors.StudyError, match="data.function"):
        attoscope.Study(data={"task": "copy", "function": "x"}).observe("loss").check()


def test_a_closed_store_is_an_error(tmp_path):
    store = attoscope.Store(tmp_path / "runs.db")
    store.close()
    with pytest.raises(errors.StoreError, match="closed"):
        run(study_of(successor), store=store)


# Observables.


@attoscope.observable
def norm(weights, step):
    assert not weights["W_E"].flags.writeable
    return np.sqrt((weights["W_E"] ** 2).sum(axis=(1, 2))) + 0 * step


@attoscope.observable(shape=("data.vocab", 2))
def embedding_again(weights):
    return weights["W_E"]


def observing(seeds=4, **training):
    study = study_of(successor, **training).set("network.width", 2).sweep({"data.vocab": [4, 6]})
    return study.observe("embedding", every=20).observe(norm, every=20).observe(embedding_again, at=[0, 60]).seeds(seeds)


def test_an_observable_sees_the_weights():
    study = observing()
    with pytest.raises(errors.StudyError, match="another shape"):
        run(study).series("embedding_again")
    result = run(study.set("data.vocab", 6))
    steps, shown = result.series("norm")
    embedding = result.series("embedding")[1]
    assert list(steps) == [0, 20, 40, 60] and shown.shape == (4, 4)
    assert np.allclose(shown, np.sqrt((embedding**2).sum(axis=(2, 3))), rtol=1e-6)
    steps, copies = result.series("embedding_again")
    assert list(steps) == [0, 60] and np.array_equal(copies, embedding[:, [0, 3]])
    assert norm(attoscope.Ensemble(study, 3).weights).shape == (3,)


def test_observed_bits_depend_on_nothing_else(tmp_path):
    """Not on threads, on how many seeds there are, nor on which of them the store has already."""
    study = observing().set("data.vocab", 6)
    all_seeds = run(study, seeds=20, threads=2).series("norm")[1]
    assert np.array_equal(run(study, seeds=20, threads=1).series("norm")[1], all_seeds)
    store = attoscope.Store()
    assert np.array_equal(run(study, seeds=3, store=store).series("norm")[1], all_seeds[:3])
    assert np.array_equal(run(study, seeds=20, store=store).series("norm")[1], all_seeds)


STOPPED_OBSERVING = STOPPED.replace("study_of(successor, steps=6000)", "observing(steps=6000)").replace(
    "import losses, run", "import losses, observing, run"
).replace("losses(again) == losses(run(study))", "again.series('norm')[1] == run(study).series('norm')[1]")


def test_stopping_changes_nothing_that_is_observed(tmp_path):
    store, here = str(tmp_path / "runs.db"), __file__.rsplit("/", 1)[0]
    ran = subprocess.run(
        [sys.executable, "-c", STOPPED_OBSERVING, store, here], capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "True", "True"]


def test_everything_uses_an_observable():
    pytest.importorskip("xarray")
    result = run(
        observing()
        .set("data.vocab", 6)
        .quantity("squared", "norm ^ 2")
        .phenomenon("grown", "emergence", series="norm", threshold=0.0, direction="above", hold=1)
        .claim("grows", "It grows", "grown.emerged", statistic="rate", above=0.5)
        .figure("norms", "curves", observables="norm"),
        seeds=8,
    )
    assert np.allclose(result.series("squared")[1], result.series("norm")[1] ** 2)
    assert result.verdicts["grows"].verdict == "supported"
    assert "norm" in result.dataset and result.figure("norms").spec


def test_an_observable_is_part_of_the_id():
    again = attoscope.observable(norm._function, version="2")
    base = study_of(successor)
    ids = [base.observe(one, every=20).run_ids() for one in (norm, again)]
    assert ids[0] != ids[1] and ids[0] != base.run_ids()
    text = base.observe(norm, every=20).toml()
    assert attoscope.Study.from_toml(text, parts=[norm, successor]).run_ids() == ids[0]
    for parts, says in (([successor], "not here"), ([successor, again], "not the one")):
        with pytest.raises(errors.StudyError, match=says):
            attoscope.Study.from_toml(text, parts=parts).check()
    with pytest.raises(errors.StudyError, match="observable of the program"):
        base.observe(attoscope.observable(norm._function, name="accuracy"), every=20).check()
    with pytest.raises(errors.UsageError, match="two parts"):
        base.observe(norm, every=20).observe(again, every=30)


BAD_VALUES = {
    "no seeds": lambda w: 1.0,
    "too few": lambda w: np.zeros(len(w["W_E"]) - 1),
    "too many": lambda w: np.zeros((len(w["W_E"]), 2)),
    "texts": lambda w: ["a"] * len(w["W_E"]),
    "objects": lambda w: np.full(len(w["W_E"]), None),
    "nothing": lambda w: None,
    "no such matrix": lambda w: w["W_X"],
    "writing": lambda w: w["W_E"].fill(0),
}


@pytest.mark.parametrize("what", BAD_VALUES)
def test_bad_values_end_the_cell(what):
    bad = attoscope.observable(BAD_VALUES[what], name="bad", version="1")
    with pytest.warns(UserWarning, match="bad"):
        result = run(study_of(successor).observe(bad, every=30))
    assert result.runs == [] and not result.complete and "Traceback" in result.failures[0].traceback


def test_an_observable_that_fails_leaves_other_cells_alone():
    @attoscope.observable
    def picky(weights):
        if weights["W_E"].shape[1] == 4:
            raise ArithmeticError("four is too few")
        return weights["W_E"][:, 0, 0]

    with pytest.warns(UserWarning, match="four is too few"):
        result = run(study_of(successor).sweep({"data.vocab": [4, 6]}).observe(picky, every=30))
    assert [one["cell"] for one in result.runs] == [1] * 4
    assert result.failures[0].cell == "data.vocab=4" and result.failures[0].part == "picky"


def test_bad_shapes_are_refused():
    for shape in (0, -1, 1.5, True, (2, None)):
        with pytest.raises((errors.UsageError, TypeError)):
            attoscope.observable(norm._function, shape=shape)
    wrong = attoscope.observable(norm._function, shape="data.vocabb")
    with pytest.raises(errors.StudyError, match="data.vocab"):
        study_of(successor).observe(wrong, every=30).check()
    with pytest.raises(errors.UsageError, match="no function"):
        attoscope.observable(7)


# Detectors.


@attoscope.detector(quantities={"step": float, "fell": bool, "never": float})
def fall(curve, run):
    assert run.config["training.batch"] == 64 and run.steps_done == 60 and run.diverged_at is None
    below = curve.steps[curve.values < 0.99 * curve.values[0]]
    step = float(below[0]) if len(below) else attoscope.Censored(run.steps_done)
    return {"step": step, "fell": len(below) > 0, "never": None}


def test_a_detector_finds_what_a_claim_asks_for():
    pytest.importorskip("xarray")
    study = study_of(successor).phenomenon("fall", fall, series="loss").seeds(8)
    study = study.claim("falls", "The loss falls", "fall.fell", statistic="rate", above=0.5)
    result = run(study)
    values, censored = result.outcome("fall.step")
    assert len(values) == 8 and result.failures == []
    for curve, value, cut in zip(losses(result), values, censored):
        below = np.flatnonzero(curve < 0.99 * curve[0])
        assert (value, cut) == ((10.0 * below[0], False) if len(below) else (60.0, True))
    assert result.verdicts["falls"].estimate == result.outcome("fall.fell")[0].mean()
    assert np.isnan(result.outcome("fall.never")[0]).all()
    assert "fall.step" in result.dataset
    curve = losses(result)[0]
    last = attoscope.detector(lambda c, r: {"last": c.values[-1]}, quantities={"last": float}, name="last", version="1")
    assert attoscope.detect(last, curve)["last"] == {"value": curve[-1], "censored": False}
    assert attoscope.Study.from_toml(study.toml(), parts=[successor, fall]).run_ids() == study.run_ids()
    with pytest.raises(errors.StudyError, match="not here"):
        attoscope.Study.from_toml(study.toml(), parts=[successor]).check()


def test_detectors_do_not_change_runs():
    study = study_of(successor)
    assert study.phenomenon("fall", fall).run_ids() == study.run_ids()
    store = attoscope.Store()
    run(study, store=store)
    assert run(study.phenomenon("fall", fall), store=store).outcome("fall.fell")[0].shape == (4,)
    assert study.phenomenon("fall", fall).load(store).outcome("fall.fell")[0].shape == (4,)


BAD_FINDINGS = {
    "no table": lambda c, r: 7,
    "not announced": lambda c, r: {"other": 1},
    "a text": lambda c, r: {"yes": "a"},
    "no flag": lambda c, r: {"yes": 0.5},
    "an exception": lambda c, r: 1 / 0,
}


@pytest.mark.parametrize("what", BAD_FINDINGS)
def test_bad_findings_are_missing(what):
    bad = attoscope.detector(BAD_FINDINGS[what], quantities={"yes": bool}, name="bad", version="1")
    with pytest.warns(UserWarning, match="bad"):
        result = run(study_of(successor).phenomenon("bad", bad))
    assert result.complete and len(result.runs) == 4 and np.isnan(result.outcome("bad.yes")[0]).all()
    assert result.failures[0].part == "bad" and "Traceback" in result.failures[0].traceback


def test_quantities_are_announced():
    for quantities in ({}, {"a": int}, ["a"]):
        with pytest.raises(errors.UsageError, match="announce"):
            attoscope.detector(fall._function, quantities=quantities)


def test_the_pages_example_runs():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "python.md").read_text()
    code = page.split("<!-- executed by tests/python/test_parts.py -->\n```python\n")[1].split("```")[0]
    path = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    lines = page[: page.index(code)].count("\n")
    scope = {"__name__": "page"}
    linecache.cache[str(path)] = (len(page), None, page.splitlines(keepends=True), str(path))
    exec(compile("\n" * lines + code, str(path), "exec"), scope)
    assert scope["result"].complete and scope["result"].failures == []
