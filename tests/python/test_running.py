"""Running studies: stores, interruption, threads, processes."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import attoscope
from attoscope import errors


def test_results_do_not_depend_on_threads(small):
    one = small.run(threads=1, progress=False)
    two = small.run(threads=2, progress=False)
    assert np.array_equal(one.series("loss")[1], two.series("loss")[1])


def test_a_store_is_reused(small, tmp_path):
    path = tmp_path / "runs.db"
    with attoscope.Store(path) as store:
        first = small.run(store=store, progress=False)
        digest = store.content_digest()
        assert store.path == str(path) and sorted(store.run_ids()) == sorted(run["id"] for run in first.runs)
        small.run(store=store, progress=False)
        assert store.content_digest() == digest
    loaded = small.load(path)
    assert loaded.complete
    assert loaded.verdicts["falls"].verdict == first.verdicts["falls"].verdict


def test_memory_and_file_hold_the_same(small, tmp_path):
    memory, file = attoscope.Store(), attoscope.Store(tmp_path / "runs.db")
    small.run(store=memory, progress=False)
    small.run(store=file, progress=False)
    assert memory.path is None and memory.content_digest() == file.content_digest()


def test_a_closed_store_is_an_error(small, tmp_path):
    store = attoscope.Store(tmp_path / "runs.db")
    result = small.run(store=store, progress=False)
    store.close()
    with pytest.raises(errors.StoreError, match="closed"):
        result.series("loss")
    with pytest.raises(OSError):
        small.run(store=store, progress=False)


HOLDER = "import sys, attoscope; store = attoscope.Store(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


def test_a_second_process_that_writes_is_refused(small, tmp_path):
    path = tmp_path / "runs.db"
    words = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        for write in (lambda: attoscope.Store(path), lambda: small.run(store=path, progress=False)):
            with pytest.raises(errors.StoreError, match=f"another atto .*process {other.pid}") as refused:
                write()
            assert refused.value.remedy == "wait for it to finish, or give store= another path"
        assert not small.load(path).complete
        other.stdin.close()
    assert small.run(store=path, progress=False).complete


def test_a_cell_may_run_again(small, tmp_path, monkeypatch):
    path = tmp_path / "runs.db"
    first = small.run(seeds=2, store=path, progress=False)  # holds the store open, as a notebook's variable does
    more = small.run(seeds=3, store=path, progress=False)
    (tmp_path / "link.db").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    for name in ("runs.db", "link.db"):
        store = attoscope.Store(name)
        assert sorted(store.run_ids()) == sorted(run["id"] for run in more.runs)
    assert first.series("loss")[1].shape[0] == 4 and more.series("loss")[1].shape[0] == 6
    store.close()
    assert repr(store).endswith("runs.db, closed>")
    with pytest.raises(errors.StoreError, match="closed"):
        first.series("perplexity")
    assert len(small.run(seeds=3, store=path, progress=False).runs) == 6


def test_a_store_that_was_deleted_is_not_written_to(small, tmp_path):
    path = tmp_path / "runs.db"
    store = attoscope.Store(path)
    first = small.run(seeds=1, store=store, progress=False)
    path.unlink()
    with pytest.raises(errors.StoreError, match="deleted while .* open"):
        small.run(seeds=2, store=path, progress=False)
    assert first.series("loss")[1].shape[0] == 2
    store.close()
    assert small.run(seeds=2, store=path, progress=False).complete and len(attoscope.Store(path).run_ids()) == 4


def test_threads_share_a_path(small, tmp_path):
    found = []
    workers = [
        threading.Thread(target=lambda n=n: found.append(small.run(seeds=n, store=tmp_path / "runs.db", progress=False)))
        for n in (1, 2, 3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(len(one.runs) for one in found) == [2, 4, 6] and all(one.complete for one in found)


def test_seeds_are_taken(small):
    assert len(small.run(seeds=2, progress=False).runs) == 4


def test_the_bar_counts_runs(small, capsys):
    small.run(progress=True)
    assert "12/12" in capsys.readouterr().err


class Widget:
    """What tqdm's bar of a notebook is to us: its length is told by `reset`, which starts the clock anew."""

    total, n, start_t, text, length = None, 0, 7.0, "", None

    def reset(self, total=None):
        self.total = self.length = total
        self.n, self.start_t = 0, 100.0

    def set_postfix_str(self, text, refresh):
        self.text = text

    def refresh(self):
        pass


def test_a_bar_of_a_notebook_grows(small):
    from attoscope import _running

    class Job:
        def __init__(self, total, done):
            self.now = {"total": total, "cached": 1, "done": done, "fraction": 0.5}

        def progress(self):
            return self.now

        def look_text(self):
            return ""

    bar = Widget()
    for total, length in ((0, None), (12, 12), (24, 24)):
        _running._show(bar, Job(total, 3))
        assert (bar.length, bar.n, bar.start_t) == (length, 4, 7.0)
    assert bar.text == "50 % of the steps"


def test_from_another_thread(small):
    found = []
    worker = threading.Thread(target=lambda: found.append(small.run(progress=False)))
    worker.start()
    worker.join()
    assert found[0].complete


INTERRUPTED = """
import signal, sys
import attoscope, attoscope._running
study = (attoscope.Study("long", data={"vocab": 100}, training={"steps": 10**9, "batch": 512})
         .observe("loss", at=[0]).seeds(4))
def interrupt(bar, job):  # where the bar would be drawn, while the runs train
    if not stopped:
        stopped.append(True)
        signal.raise_signal(signal.SIGINT)
stopped = []
attoscope._running._show = interrupt
result = study.run(store=sys.argv[1])
print("complete", result.complete, len(result.runs))
"""


def test_ctrl_c_returns_what_is_there(tmp_path):
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED, str(tmp_path / "runs.db")], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "complete False" in ran.stdout


EXIT = """
import threading, attoscope
study = attoscope.Study("long", data={"vocab": 100}, training={"steps": 10000000}).observe("loss", every=1000).seeds(4)
from attoscope import _core
job = _core.Job(study.check(), _core.Store(":memory:", True), 0, 30.0)
job.wait(0.2)
"""


def test_the_interpreter_may_end_while_training():
    ran = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(errors.StudyError("wrong", "do this")))
    assert error.remedy == "do this" and "do this" in str(error)


@pytest.mark.parametrize(
    "said, here",
    [
        ("move it away or give --store another path", "move it away or give store= another path"),
        ("a local disk (--store /tmp/atto.db) and", 'a local disk (store="/tmp/atto.db") and'),
        ("use --threads 4, or choose", "use threads=4, or choose"),
        ("fix an axis with --set, or ask for fewer --seeds", "fix an axis with set(), or ask for fewer seeds="),
        ("--seeds: 0 is not allowed", "seeds: 0 is not allowed"),
        ("add --until decided", 'add until="decided"'),
        ("name another port, or --port 0", "name another port, or port=0"),
        ("`atto check --repair --store a.db` keeps", "`atto check --repair --store a.db` keeps"),
        ("`atto help keys` lists every key", "`attoscope.keys` lists every key"),
        ("runs--store.db: --setting --shard 1/2", "runs--store.db: --setting --shard 1/2"),
        ("", ""),
    ],
)
def test_options_are_arguments(said, here):
    assert errors.in_python(said) == here and errors.in_python(here) == here


def test_remedies_name_arguments(small, tmp_path):
    with pytest.raises(errors.StudyError, match=r'^most= has no meaning [^→]*\n  → add until="decided"$'):
        small.run(most=10)
    with pytest.raises(errors.StudyError, match="^seeds: 1000000000 is not allowed"):
        small.run(seeds=10**9)
    with pytest.raises(errors.StoreError, match="give store= the path of a file$"):
        small.run(store=tmp_path)
    with pytest.raises(errors.StudyError, match=r"→ `attoscope.Run\(study\).observables` lists them$"):
        small.observe("perplexty").check()
    assert "perplexity" in attoscope.Run(small).observables


def test_the_command(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "attoscope._command", "list"], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.returncode == 0 and "sticky-plateau" in ran.stdout, ran.stderr


def test_import_is_light():
    code = "import sys, attoscope; print(sorted(set(sys.modules) & {'numpy','xarray','pandas','altair','torch','tqdm'}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr


def test_copies():
    from attoscope import keys

    verdict = attoscope.judge(np.arange(9.0), above=-1)
    for copied in (copy.copy(verdict), copy.deepcopy(verdict), pickle.loads(pickle.dumps(verdict))):
        assert copied.to_dict() == verdict.to_dict() and repr(copied) == repr(verdict)
    for copied in (copy.copy(keys.network), copy.deepcopy(keys.network), pickle.loads(pickle.dumps(keys.network))):
        assert copied.width == "network.width"


def test_what_stays_where_it_is(result, tmp_path):
    assert copy.deepcopy({"of": result})["of"] is result and copy.copy(result) is result
    with pytest.raises(TypeError, match="study.load"):
        pickle.dumps(result)
    assert repr(pickle.loads(pickle.dumps(result.verdicts))) == repr(result.verdicts)
    with pytest.raises(TypeError, match="attoscope.Store"):
        pickle.dumps(attoscope.Store())
