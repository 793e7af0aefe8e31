"""The interpreter stays whole: threads, processes, its own end, interrupts, and memory over many runs."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import attoscope
from attoscope import errors

LIMIT = 120  # seconds until a test that hangs is called so


@pytest.fixture(scope="module")
def study():
    """Sixteen runs of a moment each."""
    return (
        attoscope.Study("care", data={"vocab": 4, "context": 2}, training={"steps": 40, "batch": 32})
        .observe("loss", every=10)
        .phenomenon("fallen", "emergence", series="loss", threshold=1.0)
        .claim("falls", "It falls", "fallen.emerged", statistic="rate", region=[0.5, 1])
        .seeds(16)
    )


@pytest.fixture(scope="module")
def losses(study):
    return study.run(progress=False).series("loss")[1]


def python(code, *arguments):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code, *map(str, arguments)],
        capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip


# ---- threads ----


def on_threads(*calls):
    """What each call gave, all of them at once."""
    found = [None] * len(calls)

    def work(i):
        found[i] = calls[i]()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(calls))]
    for one in threads:
        one.start()
    for one in threads:
        one.join(LIMIT)
        assert not one.is_alive()
    return found


def test_two_threads_with_a_store_each(study, losses):
    for result in on_threads(*[lambda: study.run(progress=False)] * 2):
        assert result.complete and np.array_equal(result.series("loss")[1], losses)


def test_two_threads_on_one_store(study, losses):
    store = attoscope.Store()
    for result in on_threads(*[lambda: study.run(store=store, progress=False)] * 3, store.run_ids)[:-1]:
        assert result.complete and np.array_equal(result.series("loss")[1], losses)
    assert len(store.run_ids()) == 16


def test_threads_share_no_ensemble():
    """Of many threads that read and train at once each gets its answer or an error, and what was trained was trained."""
    ensemble = attoscope.Ensemble({"data.vocab": 6, "data.context": 3, "training.batch": 64}, seeds=4)
    advanced = []

    def use(kind):
        for _ in range(30):
            try:
                if kind == 0:
                    ensemble.advance(1)
                    advanced.append(1)
                elif kind == 1:
                    assert ensemble.logits([[0, 1, 2]]).shape == (4, 1, 3, 6)
                elif kind == 2:
                    assert np.isfinite(ensemble.loss).all()
                else:
                    repr(ensemble), ensemble.gradient(), ensemble.snapshot()
            except errors.UsageError as error:
                assert "used by another thread" in str(error)

    on_threads(*[lambda kind=kind: use(kind) for kind in (0, 0, 1, 1, 2, 3)])
    assert ensemble.step == len(advanced)
    alone = attoscope.Ensemble({"data.vocab": 6, "data.context": 3, "training.batch": 64}, seeds=4)
    alone.advance(len(advanced))
    assert np.array_equal(alone.weights["W_E"], ensemble.weights["W_E"])


# ---- processes ----


def losses_in_child(study):
    return study.run(progress=False).series("loss")[1]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(study, losses, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        for found in pool.map_async(losses_in_child, [study] * 2).get(LIMIT):
            assert np.array_equal(found, losses)


FORKED = """
import os, subprocess, sys, threading
import attoscope
long = attoscope.Study("long", data={"vocab": 100}, training={"steps": 10**9}).observe("loss", at=[0]).seeds(2)
store = attoscope.Store(sys.argv[1])
threading.Thread(target=lambda: long.run(store=store, progress=False), daemon=True).start()
ensemble = attoscope.Ensemble({"data.vocab": 100}, seeds=2)
threading.Thread(target=ensemble.advance, args=(10**9,), daemon=True).start()
while not ensemble._core.busy:
    pass
child = os.fork()
if child == 0:  # while threads of the parent train: none of them is here
    try:
        store.run_ids()
    except attoscope.errors.StoreError as error:
        assert "another process" in str(error)
        assert attoscope.Run({"data.vocab": 4}).step == 0
        try:
            attoscope.Store(sys.argv[1])
        except attoscope.errors.StoreError as refused:  # it does not share what the parent has open
            assert "is writing" in str(refused)
            sys.exit(7)
    sys.exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
writer = "import attoscope, sys; attoscope.Store(sys.argv[1])"
other = subprocess.run([sys.executable, "-c", writer, sys.argv[1]], capture_output=True, text=True)
print("locked", "another atto" in other.stderr)  # the child has not given away what the parent holds
"""


def test_fork_while_training(tmp_path):
    ran = python(FORKED, tmp_path / "runs.db")
    assert (ran.returncode, ran.stdout) == (0, "locked True\n"), ran.stderr


FORKED_ENSEMBLE = """
import os, sys
import numpy as np
import attoscope
config = {"data.vocab": 6, "training.batch": 64}
ensemble, alone = attoscope.Ensemble(config, seeds=5, threads=3), attoscope.Ensemble(config, seeds=5, threads=1)
ensemble.advance(10)  # its threads are there now, and wait
child = os.fork()
ensemble.advance(10)  # the child has none of them, and starts its own
alone.advance(20)
same = np.array_equal(ensemble.weights["W_E"], alone.weights["W_E"])
if child == 0:
    sys.exit(7 if same else 1)
print(same, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_an_ensemble_goes_on_in_a_forked_process():
    ran = python(FORKED_ENSEMBLE)
    assert (ran.returncode, ran.stdout) == (0, "True 7\n"), ran.stderr


READER = """
import sys, attoscope
study = attoscope.Study.read(sys.argv[1])
result = study.load(sys.argv[2])
print(result.complete, result.series("loss")[1].shape)
try:
    study.run(store=sys.argv[2], progress=False)
except attoscope.errors.StoreError as error:
    print("refused", error.remedy != "")
"""


def test_two_processes_on_one_store(study, tmp_path):
    study.save(tmp_path / "care.toml")
    with attoscope.Store(tmp_path / "runs.db") as store:
        study.run(store=store, progress=False)
        ran = python(READER, tmp_path / "care.toml", tmp_path / "runs.db")
        assert ran.stdout == "True (16, 5)\nrefused True\n", ran.stderr
    ran = python(READER, tmp_path / "care.toml", tmp_path / "runs.db")
    assert ran.stdout == "True (16, 5)\n", ran.stderr


# ---- the end of the interpreter ----

ENDING = """
import sys, threading
import attoscope
long = attoscope.Study("long", data={"vocab": 100}, training={"steps": 10**9}).observe("loss", at=[0]).seeds(4)
attoscope.Run({"data.vocab": 4}).loss  # Python itself may crash when it ends while threads import modules
long.set("training.steps", 1).run()
begun = threading.Event()
def train():
    begun.set()
    while True:
        {what}
for _ in range(3):
    threading.Thread(target=train, daemon=True).start()
begun.wait()
"""
WHAT = {
    "study": "long.run(progress=False)",
    "bar": "long.run()",
    "advance": "attoscope.Ensemble({'data.vocab': 100}, seeds=2).advance(10**9)",
    "calls": "attoscope.Run({'data.vocab': 100}).loss",
}


@pytest.mark.parametrize("what", WHAT)
def test_the_end_of_the_interpreter(what):
    """Daemon threads that train when the main thread ends are not waited for, and do not crash it."""
    ran = python(ENDING.replace("{what}", WHAT[what]))
    assert ran.returncode == 0 and "Fatal" not in ran.stderr and "terminate" not in ran.stderr, ran.stderr


# ---- callbacks and interrupts ----


def test_exceptions_where_the_bar_is_drawn(study, monkeypatch, tmp_path):
    from attoscope import _running

    def fail(bar, job):
        raise ZeroDivisionError("of the bar")

    monkeypatch.setattr(_running, "_show", fail)
    with attoscope.Store(tmp_path / "runs.db") as store:
        with pytest.raises(ZeroDivisionError, match="of the bar"):
            study.run(store=store)
        assert set(store.run_ids()) <= set(study.run_ids())
    attoscope.Store(tmp_path / "runs.db").close()  # nobody holds it any more


MOMENTS = """
import random, signal, sys, threading
import numpy as np
import attoscope
from attoscope import _running

study = attoscope.Study.read(sys.argv[1])
rng = random.Random(int(sys.argv[2]))
whole = np.load(sys.argv[3])
ids = study.run_ids()
lines = interrupted = incomplete = 0

def trace(frame, event, argument):
    # Counts the lines that Python executes and sends the signal at one of them.
    global lines
    lines += 1
    if lines in at:
        signal.raise_signal(signal.SIGINT)
    return trace

_running._PATIENCE = 0.002
for moment in range(int(sys.argv[4])):
    store = attoscope.Store()
    at = {rng.randrange(1, 900)}
    if moment % 3 == 0:  # and once more
        at.add(max(at) + rng.randrange(1, 100))
    lines = 0
    try:
        sys.settrace(trace)
        try:
            result = study.run(store=store, progress=moment % 2 == 0)
        finally:
            sys.settrace(None)
        incomplete += not result.complete
        assert result.complete == (len(result.runs) == len(ids))
        assert sorted(run["id"] for run in result.runs) == sorted(store.run_ids())
    except KeyboardInterrupt:
        interrupted += 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert set(store.run_ids()) <= set(ids)
    again = study.run(store=store, progress=False)
    assert again.complete and np.array_equal(again.series("loss")[1], whole)
print(interrupted, incomplete)
"""


def test_interrupts_at_random_moments(study, losses, tmp_path):
    """Ctrl-C at 100 lines of Python: no hang, no crash, and what goes on afterwards ends at the same bits."""
    study.save(tmp_path / "care.toml")
    np.save(tmp_path / "losses.npy", losses)
    ran = python(MOMENTS, tmp_path / "care.toml", 19, tmp_path / "losses.npy", 100)
    assert ran.returncode == 0, ran.stderr
    interrupted, incomplete = map(int, ran.stdout.split())
    assert interrupted > 0 and incomplete > 0, ran.stdout


ADVANCING = """
import random, signal, threading
import numpy as np
import attoscope
ensemble = attoscope.Ensemble({"data.vocab": 100}, seeds=4)
rng = random.Random(7)
interrupted = 0
for moment in range(20):
    timer = threading.Timer(rng.uniform(0, 0.2), signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        ensemble.advance(10**9)
    except KeyboardInterrupt:
        interrupted += 1
    timer.join()
    assert np.isfinite(ensemble.loss).all()
print(interrupted)
"""


def test_interrupts_while_advancing():
    ran = python(ADVANCING)
    assert (ran.returncode, ran.stdout) == (0, "20\n"), ran.stderr


def test_an_interrupt_returns_what_is_there_and_a_second_one_is_ordinary(monkeypatch):
    from attoscope import _running

    long = attoscope.Study("long", data={"vocab": 100}, training={"steps": 10**9}).observe("loss", at=[0]).seeds(4)

    def press(times):
        pressed = []

        def show(bar, job):
            if len(pressed) < times:
                pressed.append(signal.raise_signal(signal.SIGINT))

        monkeypatch.setattr(_running, "_show", show)
        return long.run(store=attoscope.Store())

    assert not press(1).complete
    with pytest.raises(KeyboardInterrupt):
        press(2)


# ---- memory ----


def alive():
    gc.collect()
    return len(gc.get_objects())


def resident():
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.plain(why="it weighs the process, and a sanitizer's allocator keeps what was given back")
def test_objects_and_memory_are_flat_over_10000_runs():
    """Runs, their arrays and their studies leave nothing behind: no object, and no memory of the program."""
    small = attoscope.Study("tiny", data={"vocab": 2, "context": 2}, training={"steps": 1, "batch": 1}).observe("loss", at=[0])

    def thousand():
        result = small.run(seeds=900, progress=False, threads=1)
        result.series("loss"), result.runs, result.verdicts, result.frame()
        for seed in range(100):
            run = attoscope.Run({"data.vocab": 2, "data.context": 2, "training.batch": 1}, seed=seed)
            run.advance(1)
            run.loss, run.weights["W_E"], run.gradient(), run.logits([[0, 1]]), run.restore(run.snapshot())
            with pytest.raises(errors.UsageError):
                run.logits([[0, 9]])

    thousand()  # caches fill
    thousand()
    objects, shared, memory = alive(), sys.getrefcount(np.dtype(np.float32)), resident()
    for _ in range(8):
        thousand()
    assert alive() - objects < 50
    assert abs(sys.getrefcount(np.dtype(np.float32)) - shared) < 50
    assert resident() - memory < 8 << 20  # one run that stayed would be 10 kB, all of them 80 MB


def test_docstrings_are_true():
    import doctest
    import importlib
    import pkgutil

    tried = 0
    for module in pkgutil.iter_modules(attoscope.__path__):
        if module.name not in ("_core", "transformer"):  # the latter needs PyTorch
            found = doctest.testmod(importlib.import_module(f"attoscope.{module.name}"))
            assert found.failed == 0
            tried += found.attempted
    assert tried >= 5
