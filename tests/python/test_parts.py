"""Tasks of one's own: the same bits however they are trained, and every mistake said with a remedy."""

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


STOPPED = """
import signal, sys
sys.path.insert(0, sys.argv[2])
import attoscope, attoscope._result
from test_parts import losses, run, study_of, successor
study = study_of(successor, steps=6000)
store = attoscope.Store(sys.argv[1])
def interrupt(bar, job):
    if not stopped and job.progress()["fraction"] > 0:
        stopped.append(True)
        signal.raise_signal(signal.SIGINT)
stopped = []
show, attoscope._result._show = attoscope._result._show, interrupt
first = study.run(store=store)
attoscope._result._show = show
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


@pytest.mark.parametrize("generator, says", [(ends, "has ended"), (changes, "shape")])
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
