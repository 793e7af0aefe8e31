"""The server and the live views, from Python."""

import json
import os
import struct
import subprocess
import sys
import urllib.error
import urllib.request
import warnings

import pytest

import attoscope
from attoscope import _core
from attoscope.errors import AttoError, ResourceError, StudyError, UsageError


def ask(server, question, token=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/ask",
        json.dumps(question).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {token or server.url.rpartition('=')[2]}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def test_a_server_answers_until_it_is_stopped(tmp_path):
    with attoscope.serve(port=0, store=tmp_path / "store.db") as server:
        assert ask(server, {"ask": "about"})["engine_revision"] == attoscope.engine_revision
        assert server.url in repr(server)
        assert f'href="{server.url}"' in server._repr_html_()
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(server, {"ask": "about"}, token="wrong")
        assert refused.value.code == 401
        with pytest.raises(ResourceError, match=" port=0 for any"):
            attoscope.serve(port=server.port)
    server.stop()  # once more does no harm
    assert "stopped" in repr(server)
    with pytest.raises(urllib.error.URLError):
        ask(server, {"ask": "about"})


def page_of(server):
    """What a browser gets that follows the link."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(server.url, timeout=60) as answer:
        return answer.read().decode()


@pytest.mark.skipif(not _core.has_page and "ATTO_REQUIRE_PAGE" not in os.environ, reason="built without the page")
def test_the_page_is_in_the_package(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        server = attoscope.serve(port=0, store=tmp_path / "store.db")
    with server:
        page = page_of(server)
        assert '<meta name="atto-server" content="">' in page and "connect-src 'self'" in page
        assert len(page) > 500_000, "the engine is inside"


@pytest.mark.skipif(_core.has_page, reason="built with the page")
def test_a_package_without_the_page_says_how_to_build_it(tmp_path):
    with pytest.warns(UserWarning, match="make page"):
        server = attoscope.serve(port=0, store=tmp_path / "store.db")
    with server:
        assert "<code>make page</code>" in page_of(server)


def test_where_the_page_is_missing_a_warning_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(_core, "has_page", False)
    with pytest.warns(UserWarning, match="make page"), attoscope.serve(port=0, store=tmp_path / "store.db"):
        pass


def test_a_server_wants_arguments_that_make_sense(tmp_path):
    for wrong in ({"port": -1}, {"port": 70000}, {"port": "x"}, {"threads": -1}, {"allow_host": [3]}):
        with pytest.raises(UsageError):
            attoscope.serve(**wrong)
    with pytest.raises(AttoError):
        attoscope.serve(port=0, studies=tmp_path / "nowhere")


def ask_to_train(server, study=None, stop=False, **options):
    path = "train/stop" if stop else "train"
    body = {} if study is None else {"text": study.toml(), "options": options}
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {server.url.rpartition('=')[2]}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["training"]


def states_of_training(server):
    """As they come, up to the end of the training."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/train/events", headers={"Authorization": f"Bearer {server.url.rpartition('=')[2]}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


OPENED = "import sys, attoscope; attoscope.Store(sys.argv[1]); print('open')"


def other_process_opens(path):
    return subprocess.run([sys.executable, "-c", OPENED, path], capture_output=True, text=True).stdout == "open\n"


def test_the_page_trains_into_a_store_that_results_read_from(small, tmp_path):
    path = tmp_path / "store.db"
    first = small.run(seeds=1, store=path, progress=False)  # holds it open for writing
    with attoscope.serve(port=0, store=path) as server:
        ask_to_train(server, small, seeds=2)
        *_, last = states_of_training(server)
        assert (last["state"], last["error"]) == ("done", None)
        assert (last["progress"]["total"], last["progress"]["cached"]) == (4, 2)
        assert first.series("loss")[1].shape[0] == 2
        assert len(small.load(path, seeds=2).runs) == 4
        more = small.run(seeds=3, store=path, progress=False)
        assert more.complete and len(more.runs) == 6
        assert not other_process_opens(path)
        attoscope.Store(path).close()
        assert other_process_opens(path), "a server that does not train holds no file"
        ask_to_train(server, small, seeds=4)
        *_, last = states_of_training(server)
        assert (last["state"], last["progress"]["cached"]) == ("done", 6)
        assert other_process_opens(path)


def test_the_page_and_a_study_take_turns(small, tmp_path):
    store = attoscope.Store(tmp_path / "store.db")
    long = attoscope.Study("long", training={"steps": 10**9}).observe("loss", at=[0]).seeds(1)
    job = _core.Job(long.check(), store._core, 1, 30.0)
    while not job.progress()["total"]:  # until it writes
        job.wait(0.01)
    with attoscope.serve(port=0, store=store) as server:
        for stopped in (True, False):
            ask_to_train(server, small, seeds=1)
            states = states_of_training(server)
            waits = next(state for state in states if state["notices"])
            assert (waits["state"], waits["notices"]) == ("running", ["it begins when what else trains into the store has ended"])
            if stopped:
                ask_to_train(server, stop=True)
                assert list(states)[-1]["state"] == "stopped"
        job.stop()
        last = list(states)[-1]
        assert (last["state"], last["notices"], last["progress"]["done"]) == ("done", [], 2)
        assert not job.finish().complete
        assert small.run(seeds=1, store=store, progress=False).complete


def test_a_study_shares_the_store_that_the_page_trains_into(small, tmp_path):
    path = tmp_path / "store.db"
    long = attoscope.Study("long", training={"steps": 10**9}).observe("loss", at=[0]).seeds(1)
    with attoscope.serve(port=0, store=path) as server:
        ask_to_train(server, long)
        store = attoscope.Store(path)  # shared, not refused
        assert not other_process_opens(path)
    assert small.run(seeds=1, store=path, progress=False).complete  # it is its turn now
    assert len(store.run_ids()) == 2


def test_a_server_has_a_store_in_a_file():
    with pytest.raises(UsageError, match="in memory"):
        attoscope.serve(port=0, store=attoscope.Store())


def test_python_ends_while_a_server_trains(tmp_path):
    script = """
import attoscope, json, urllib.request
server = attoscope.serve(port=0)
text = "[data]\\nvocab = 4\\n[training]\\nsteps = 1000000000\\n[[observe]]\\nwhat = ['loss']\\nlinear = 10\\n[seeds]\\ncount = 2\\n"
for path in ("open", "train"):
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{server.port}/api/{path}", json.dumps({"text": text}).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + server.url.rpartition("=")[2]}))
print("trains")
"""
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120, env=os.environ)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "trains\n", "")


class Told:
    """What a widget sends to its front end."""

    def __init__(self, view):
        self.view, self.sent = view, []
        view.send = lambda content, buffers=None: self.sent.append((content, buffers or []))

    def ask(self, **content):
        self.view._answer(self.view, content, [])
        return self.sent[-1] if self.sent else None


def test_a_view_is_told_all_of_the_training(small):
    pytest.importorskip("anywidget")
    view = attoscope.watch(small, seeds=3, threads=2)
    assert [run["cell"] for run in view.runs] == [0, 1] * 3
    assert [one["address"] for one in view.study["cells"][0]["series"]] == ["loss", "perplexity", "embedding"]
    told, place, frames = Told(view), 0, []
    while True:
        content, buffers = told.ask(ask="news", place=place)
        place = content["news"]
        frames += buffers
        if content["over"]:
            break
    assert content["failure"] == ""
    steps = 0
    for frame in frames:
        magic, _ = struct.unpack_from("<II", frame)
        assert magic == 0x31465441
        steps += json.loads(frame[frame.rindex(b'{"runs"') :])["steps"]
    assert steps == 6 * 60
    again, buffers = told.ask(ask="news", place=0)
    assert buffers and again["news"] > 0, "a view that is opened again gets everything"
    told.ask(ask="pause")
    told.ask(ask="resume")
    view.close()


WATCH = """
import attoscope
study = attoscope.Study("w", data={"vocab": 4}, training={"steps": 400, "batch": 16}).observe("loss", every=10).seeds(2)
view = attoscope.watch(study, threads=1)
"""


def steps_in(frame):
    return json.loads(frame[frame.rindex(b'{"runs"') :])["steps"]


def test_a_view_hears_of_the_training_while_another_cell_runs():
    """In a real kernel, whose second cell does not end until the view has been told everything."""
    pytest.importorskip("anywidget")
    pytest.importorskip("ipykernel")
    from jupyter_client.manager import start_new_kernel

    manager, kernel = start_new_kernel(env=dict(os.environ))
    try:
        kernel.execute_interactive(WATCH, timeout=300, output_hook=lambda message: None)
        running = kernel.execute("input()", allow_stdin=True)
        steps, place = 0, 0
        while steps < 2 * 400:
            message = kernel.get_iopub_msg(timeout=300)
            content = message["content"].get("data", {}).get("content", {})
            if message["msg_type"] != "comm_msg" or not content.get("unasked"):
                continue
            assert content["failure"] == ""
            steps = steps if content["since"] else 0  # it begins anew
            assert content["since"] in (0, place)
            place, steps = content["news"], steps + sum(steps_in(bytes(one)) for one in message["buffers"])
        assert place == content["end"]
        kernel.get_stdin_msg(timeout=300)
        kernel.input("")
        while kernel.get_shell_msg(timeout=300)["parent_header"].get("msg_id") != running:
            pass
        events = "print(len(get_ipython().events.callbacks['pre_run_cell']) - {}, flush=True)"
        said = []
        kernel.execute_interactive(
            events.format(0), timeout=300, output_hook=lambda m: said.append(m["content"].get("text"))
        )
        assert "0\n" in said, "what is over is not looked at any more"
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


def test_without_cells_a_view_is_told_what_it_asks_for(small):
    pytest.importorskip("anywidget")
    view = attoscope.watch(small, seeds=1, threads=1)
    assert view._cells._thread is None
    view.close()


def test_a_view_wants_a_study(small):
    pytest.importorskip("anywidget")
    with pytest.raises(UsageError):
        attoscope.watch("sticky-plateau")
    with pytest.raises(StudyError):
        attoscope.watch(small.set("data.vocab", 0))
    with pytest.raises(UsageError):
        attoscope.watch(small, seeds=0)
    norm = attoscope.observable(lambda weights: weights["W_E"].sum(axis=(1, 2)), name="norm", version="1")
    with pytest.raises(UsageError, match=r"'norm'\n  → study.run\(\)"):
        attoscope.watch(small.observe(norm, every=10))


def test_views_say_what_they_need(small, monkeypatch):
    import attoscope._watch

    monkeypatch.setattr(attoscope._watch, "_CLASS", None)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(UsageError, match="attoscope\\[notebook\\]"):
        attoscope.watch(small)
