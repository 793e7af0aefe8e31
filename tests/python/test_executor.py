"""Studies trained by executors: the same rows as without one, whatever becomes of tasks on their way."""

import concurrent.futures
import multiprocessing
import signal
import threading

import numpy as np
import own_module
import pytest

import attoscope
from attoscope import _executor, errors


@pytest.fixture(autouse=True)
def single_runs(monkeypatch):
    """Every run is a pack by itself, however fast the machine is."""
    monkeypatch.setattr(_executor, "PACK_SECONDS", (0.0, 0.0))


class Here:
    """Trains in this process as soon as it is asked, and counts."""

    def __init__(self):
        self.calls = []

    def submit(self, function, *arguments):
        self.calls.append(arguments)
        future = concurrent.futures.Future()
        try:
            future.set_result(self.answer(len(self.calls), function, arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def answer(self, number, function, arguments):
        return function(*arguments)


def trained(study, executor=None, **options):
    store = attoscope.Store()
    result = study.run(store=store, executor=executor, progress=False, **options)
    return result, store


def same(study, executor, **options):
    """Rows, membership and verdicts are those of a run without executor."""
    (ours, store), (plain, expected) = trained(study, executor, **options), trained(study, **options)
    assert ours.complete and ours.failures == []
    assert store.content_digest() == expected.content_digest()
    assert [one.to_dict() for one in ours.verdicts] == [one.to_dict() for one in plain.verdicts]
    assert ours.runs == plain.runs
    return ours


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(small, method):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        same(small, pool)


def test_threads(small):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        same(small, pool)


def test_a_pack_may_have_several_threads_and_runs(small, monkeypatch):
    monkeypatch.setattr(_executor, "PACK_SECONDS", (1e6, 1e6))
    here = Here()
    same(small, here, threads=2)
    ((cargo, places, threads, attempt),) = here.calls
    assert (len(places), threads, attempt) == (12, 2, 0)


def test_what_the_store_has_is_not_sent(small, tmp_path):
    with attoscope.Store(tmp_path / "runs.db") as store:
        small.run(seeds=4, store=store, progress=False)
        here = Here()
        assert small.run(store=store, executor=here, progress=False).complete
        assert sorted(places for _, places, _, _ in here.calls) == [[(0, 4)], [(0, 5)], [(1, 4)], [(1, 5)]]
        small.run(store=store, executor=here, progress=False)
        assert len(here.calls) == 4


def test_seeds_come_until_claims_are_decided(small):
    here = Here()
    undecided = small.claim("close", "The median is near", "fallen.step", below=25, where={"data.vocab": 4})
    result = same(undecided, here, seeds=4, until="decided", most=16)
    assert max(seed for _, ((_, seed),), _, _ in here.calls) >= 4, "more looks than one"
    assert len(result.runs) == len(here.calls)


def test_the_bar_counts_runs(small, capsys):
    small.run(executor=Here())
    assert "12/12" in capsys.readouterr().err


# ---- parts of one's own ----


def own_study(observable=own_module.norm):
    return (
        attoscope.Study("own", data=own_module.successor, training={"steps": 40, "batch": 32})
        .observe("loss", every=10)
        .observe(observable, every=20)
        .phenomenon("grown", own_module.last_norm, series=observable.name)
        .claim("grows", "It grows", "grown.last", above=0.1)
        .seeds(4)
    )


def test_parts_travel():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(own_study(), pool)


def test_parts_of_notebooks_travel():
    """A function that no module has travels by value."""
    pytest.importorskip("cloudpickle")
    scale = 3.0

    @attoscope.observable
    def scaled(weights):
        return scale * np.linalg.norm(weights["W_E"], axis=(1, 2))

    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(own_study(scaled), pool)


def test_arrays_and_files_travel(tmp_path):
    tokens = np.arange(24).reshape(12, 2) % 4
    same(attoscope.Study("t", data=attoscope.table(tokens, tokens[:, 0]), training={"steps": 9}).observe("loss", every=3).seeds(2), Here())
    np.savez(tmp_path / "pairs.npz", tokens=tokens.astype(float), answers=tokens[:, 0].astype(float))
    (tmp_path / "file.toml").write_text(
        "[data]\ntask = 'table'\nfile = 'pairs.npz'\nvocab = 4\ncontext = 2\n[training]\nsteps = 9\n"
        "[[observe]]\nwhat = ['loss']\nevery = 3\n[seeds]\ncount = 3\n"
    )
    study = attoscope.Study.read(tmp_path / "file.toml")
    expected = trained(study)[1].content_digest()

    class Elsewhere(Here):
        def answer(self, number, function, arguments):
            (tmp_path / "pairs.npz").unlink(missing_ok=True)  # a worker has no such file
            return function(*arguments)

    result, store = trained(study, Elsewhere())
    assert result.complete and store.content_digest() == expected


def test_what_cannot_travel_is_refused_before_anything_is_sent():
    lock = threading.Lock()

    @attoscope.observable(version="1")
    def locked(weights):
        with lock:
            return weights["W_E"][:, 0, 0]

    here = Here()
    with pytest.raises(errors.UsageError, match="the observable 'locked' cannot be sent"):
        own_study(locked).run(executor=here, progress=False)
    blocks = ((np.zeros((8, 2), int), np.zeros(8, int)) for _ in range(100))
    data = attoscope.task(blocks, vocab=4, context=2, name="blocks", version="1")
    with pytest.raises(errors.UsageError, match="the task 'blocks' cannot be sent"):
        attoscope.Study("g", data=data, training={"steps": 9}).observe("loss", every=3).run(executor=here, progress=False)
    assert here.calls == []


def test_a_worker_with_another_version_of_a_part_is_refused():
    from attoscope._travel import imported_part

    with pytest.raises(errors.UsageError, match="same version"):
        imported_part("own_module", "norm", "another hash")
    assert imported_part("own_module", "norm", own_module.norm.hash) is own_module.norm


def test_exceptions_of_parts_come_back_and_others_go_on():
    @attoscope.task(vocab=6, context=2)
    def odd(rng, n, *, vocab):
        if vocab == 6:
            raise ZeroDivisionError("six")
        tokens = rng.integers(vocab, size=(n, 2))
        return tokens, tokens[:, 0]

    study = attoscope.Study("odd", data=odd, training={"steps": 9}).sweep({"data.vocab": [4, 6]}).observe("loss", every=3).seeds(2)
    pytest.importorskip("cloudpickle")
    with pytest.warns(UserWarning, match="six"):
        result, _ = trained(study, Here())
    (failure,) = result.failures
    assert (failure.cell, failure.part) == ("data.vocab=6", "odd") and "ZeroDivisionError" in failure.traceback
    assert not result.complete and [run["cell"] for run in result.runs] == [0, 0]


# ---- executors that lose, garble and repeat ----


class Losing(Here):
    """The first `times` tries of every pack are lost."""

    def __init__(self, times, loss):
        super().__init__()
        self.times, self.loss = times, loss

    def answer(self, number, function, arguments):
        done = function(*arguments)
        return self.loss(done) if arguments[-1] < self.times else done


def fail(done):
    raise RuntimeError("the worker has gone")


LOSSES = {
    "raises": fail,
    "cut short": lambda done: (done[0][:4096], done[1]),
    "no store": lambda done: (b"nothing", done[1]),
    "empty": lambda done: (b"", done[1]),
    "no bytes": lambda done: ("text", done[1]),
    "nothing": lambda done: None,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_packs_are_sent_again(small, loss):
    here = Losing(2, LOSSES[loss])
    same(small, here, seeds=2)
    assert len(here.calls) == 3 * 4


def test_packs_that_are_lost_again_and_again_are_named(small):
    class LosingOne(Here):
        def answer(self, number, function, arguments):
            return fail(None) if arguments[1] == [(1, 2)] else function(*arguments)

    here = LosingOne()
    with pytest.warns(UserWarning, match="lost 3 times, lastly by RuntimeError: the worker has gone"):
        result, store = trained(small, here)
    (failure,) = result.failures
    assert (failure.cell, failure.seed, failure.part) == ("data.vocab=6", 3, "executor")
    assert not result.complete and len(store.run_ids()) == 11 and len(here.calls) == 11 + 3
    assert small.run(store=store, executor=Here(), progress=False).complete


def test_an_executor_that_takes_nothing_is_named(small):
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.warns(UserWarning):
        result, store = trained(small, pool)
    assert not result.complete and store.run_ids() == []
    assert all("shutdown" in one.message for one in result.failures) and result.failures


def test_cancelled_packs_are_sent_again(small):
    class Cancelling(Here):
        def submit(self, function, *arguments):
            future = super().submit(function, *arguments)
            if arguments[-1] == 0:
                future = concurrent.futures.Future()
                future.cancel()
            return future

    same(small, Cancelling())


def test_late_and_double_returns_do_no_harm(small):
    """A try that counted as lost comes back in the place of the next pack, and what came once comes again."""

    class Mixing(Here):
        late = None

        def answer(self, number, function, arguments):
            done = function(*arguments)
            if arguments[-1] == 0 and number % 3 == 0:
                self.late = done
                raise TimeoutError("too late")
            if self.late is not None:
                done, self.late = self.late, None
            return done

    here = Mixing()
    same(small, here)
    assert len(here.calls) > 12


def test_ctrl_c_returns_what_is_there(small, tmp_path):
    cancelled = []

    class Pending(concurrent.futures.Future):
        def cancel(self):
            cancelled.append(True)
            return super().cancel()

    class Pressing(Here):
        def submit(self, function, *arguments):
            if len(self.calls) < 5:
                return super().submit(function, *arguments)
            signal.raise_signal(signal.SIGINT)
            return Pending()

    with attoscope.Store(tmp_path / "runs.db") as store:
        result = small.run(store=store, executor=Pressing(), progress=False)
        assert not result.complete and result.failures == []
        assert len(result.runs) == len(store.run_ids()) == 5 and len(cancelled) == 1
        again = small.run(store=store, executor=Here(), progress=False)
        assert again.complete and store.content_digest() == trained(small)[1].content_digest()


def test_what_is_no_executor_is_refused(small):
    with pytest.raises(errors.UsageError, match="submit"):
        small.run(executor=4, progress=False)
    with pytest.raises(errors.UsageError, match="threads"):
        small.run(executor=Here(), threads=-1, progress=False)
