"""`atto serve` from outside: what it answers, whom it turns away, and that nothing it is sent does harm."""

import http.client
import json
import random
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from served import PATIENCE, Served, gather

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and Path(sys.argv[1]).is_file() else "build/atto"

SMALL = """title = "Small"
[data]
vocab = 6
context = 4
[training]
steps = 400
batch = 32
[[observe]]
what = ["perplexity"]
every = 10
[[observe]]
what = ["embedding"]
linear = 5
[[phenomenon]]
detector = "plateau"
[seeds]
count = 8
[[claim]]
id = "S.1"
statement = "There is a plateau"
quantity = "plateau.present"
statistic = "rate"
above = 0.5
"""
# One run is over at once, the other never is: so whenever it is stopped, one is finished and one half-way.
ENDLESS = """title = "One short run, one endless"
[data]
vocab = 4
[training]
batch = 16
[[sweep.cells]]
training.steps = 20
[[sweep.cells]]
training.steps = 1000000000000
[seeds]
count = 1
[[observe]]
what = ["perplexity"]
linear = 10
"""


class RawStream:
    """A client of a session's stream that reads when it is told to."""

    def __init__(self, server, session):
        self.text = b""
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.socket.sendall((f"GET /api/stream?session={session} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                             f"Authorization: Bearer {server.token}\r\n\r\n").encode())

    def head(self):
        """The first line of the answer."""
        while b"\r\n" not in self.text:
            self.text += self.socket.recv(1 << 16)
        return self.text.partition(b"\r\n")[0]


def read_all(streams):
    """Reads several streams to their ends, whichever has something."""
    selector = selectors.DefaultSelector()
    parts = {one: [one.text] for one in streams}
    for one in streams:
        selector.register(one.socket, selectors.EVENT_READ, one)
    while selector.get_map():
        for key, _ in selector.select(PATIENCE):
            part = key.fileobj.recv(1 << 20)
            parts[key.data].append(part)
            if not part:
                selector.unregister(key.fileobj)
                key.fileobj.close()
    selector.close()
    for one in streams:
        one.text = b"".join(parts[one])


def last_place(stream):
    """The id of the last event that a stream was sent."""
    return re.findall(rb"^id: (\d+)$", stream.text, re.MULTILINE)[-1]


def peak_memory(process):
    """Bytes that a process has held at most so far."""
    (line,) = [one for one in Path(f"/proc/{process}/status").read_text().splitlines() if one.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


class ServeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.studies = cls.folder / "studies"
        cls.studies.mkdir()
        (cls.studies / "small.toml").write_text(SMALL)
        (cls.studies / "endless.toml").write_text(ENDLESS)
        (cls.studies / "broken.toml").write_text("[data]\nvocab = \n")
        (cls.folder / "outside.toml").write_text(SMALL)
        cls.server = Served(PROGRAM, cls.folder, "--threads", "2", "--allow-host", "hub.example.org", studies=cls.studies)

    @classmethod
    def tearDownClass(cls):
        code = cls.server.end(signal.SIGTERM)
        cls.temporary.cleanup()
        assert code == 0, code

    def folder_of_its_own(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    # The page.

    def test_the_link_opens_the_page_and_is_not_kept(self):
        status, headers, _ = self.server.request("GET", f"/?token={self.server.token}", Authorization=None)
        self.assertEqual((status, headers["Location"]), (303, "./"))
        cookie = headers["Set-Cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Strict", cookie)
        status, headers, page = self.server.request("GET", "/", Authorization=None, Cookie=cookie.split(";")[0])
        self.assertEqual(status, 200)
        self.assertIn(b"<html", page)
        for name, part in {"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
                           "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}.items():
            self.assertIn(part, headers[name])
        self.assertNotIn("Access-Control-Allow-Origin", headers)

    # Who may ask.

    def test_turns_away_strangers(self):
        port = self.server.port
        cases = [
            (401, {"Authorization": None}),
            (401, {"Authorization": "Bearer wrong"}),
            (401, {"Authorization": None, "Cookie": f"atto_{port}=wrong"}),
            (403, {"Host": f"evil.example:{port}"}),
            (403, {"Host": None}),
            (403, {"Origin": "https://evil.example"}),
            (403, {"Origin": "null"}),
            (403, {"Origin": f"http://127.0.0.1:{port + 1}"}),
            (403, {"Sec_Fetch_Site": "cross-site"}),
            (403, {"Sec_Fetch_Site": "same-site"}),
            (415, {"Content_Type": "text/plain"}),
            (200, {"Host": f"localhost:{port}"}),
            (200, {"Host": "hub.example.org", "Origin": "https://hub.example.org"}),
            (200, {"Origin": None}),
            (200, {"Sec_Fetch_Site": "same-origin"}),
            (200, {"Authorization": None, "Cookie": f"atto_{port}={self.server.token}"}),
            (200, {"Authorization": None, "X_Atto_Token": self.server.token}),
        ]
        for expected, headers in cases:
            status, answer = self.server.post("/api/ask", {"ask": "about"}, **headers)
            self.assertEqual(status, expected, headers)
            self.assertEqual("error" in answer, expected != 200, headers)

    def test_knows_no_other_addresses(self):
        self.assertEqual(self.server.get("/api/nothing")[0], 404)
        self.assertEqual(self.server.get("/favicon.ico")[0], 404)
        self.assertEqual(self.server.get("/api/ask")[0], 405)
        self.assertEqual(self.server.post("/api/studies", {})[0], 405)
        self.assertEqual(self.server.request("DELETE", "/api/studies")[0], 405)
        self.assertEqual(self.server.request("OPTIONS", "/api/ask", Access_Control_Request_Method="POST")[0], 405)

    # Questions and sessions.

    def test_answers_questions(self):
        self.assertIn("engine_revision", self.server.ask(ask="about"))
        self.assertEqual(self.server.ask(ask="study", text=SMALL)["title"], "Small")
        error = self.server.ask(ask="study", text="[data]\nvocab = 0\n")["error"]
        self.assertEqual(error["line"], 2)

    def test_eight_clients_see_the_same_whatever_the_others_do(self):
        opened = self.server.open(SMALL)
        session = opened["session"]
        self.assertEqual(len(opened["runs"]), 8)
        path = f"/api/stream?session={session}"
        slow = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        slow.request("GET", path, headers=self.server.headers(Content_Type=None))
        leaving = self.server.frames(session)
        next(leaving)
        leaving.close()  # in the middle
        seen = [None] * 8

        def watch(place):
            seen[place] = gather(self.server.frames(session))

        threads = [threading.Thread(target=watch, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        points, runs, last = seen[0]
        self.assertEqual(last, "over")
        self.assertEqual(sorted(runs), list(range(8)))
        for run in range(8):
            self.assertTrue(runs[run]["finished"])
            self.assertIn("plateau.present", runs[run]["findings"])
            self.assertEqual([step for step, _ in points[run, 0]], list(range(0, 401, 10)))
            self.assertEqual(points[run, 1][-1][0], 400)
            self.assertEqual(len(points[run, 1][-1][1]), 6 * 2)
        for other in seen[1:]:
            self.assertEqual(other[0], points)
        self.assertEqual(gather(self.server.frames(session))[0], points, "one that comes late gets all of it")
        answer = slow.getresponse()
        self.assertTrue(answer.read().endswith(b"event: over\ndata: {}\n\n"), "the slow one, too")
        slow.close()
        self.server.post("/api/close", {"session": session})

    def test_sixty_four_clients_share_what_they_are_told(self):
        # All of it is about 1.7 MB as text, so that copies for each client would show.
        text = SMALL.replace("vocab = 6", "vocab = 50").replace("linear = 5", "every = 2") + "[network]\nwidth = 4\n"
        studies = Path(__file__).resolve().parents[2] / "studies"
        with Served(PROGRAM, self.folder_of_its_own(), "--threads", "2", "--studies", studies) as server:
            session = server.open(text)["session"]
            next(server.frames(session))  # it trains
            before = peak_memory(server.process.pid)
            watchers = [RawStream(server, session) for _ in range(66)]
            slow, leaving, staying = watchers[0], watchers[1], watchers[2:]
            leaving.socket.close()  # gone before anything is read
            read_all(staying)
            for one in staying:
                self.assertTrue(one.text.endswith(b"event: over\ndata: {}\n\n"))
                self.assertEqual(last_place(one), last_place(staying[0]), "all of it")
            self.assertGreater(len(staying[0].text), 1_500_000)
            # The slow one has not read a byte so far: it gets what it missed, and the others did not wait for it.
            read_all([slow])
            self.assertTrue(slow.text.endswith(b"event: over\ndata: {}\n\n"))
            if b"__asan_init" not in Path(PROGRAM).read_bytes():  # the sanitizer keeps what was freed
                self.assertLess(peak_memory(server.process.pid) - before, 60_000_000)
            self.assertEqual(server.get("/api/train")[0], 200, "and it still answers")

    def test_turns_away_the_clients_it_has_no_room_for(self):
        session = self.server.open(ENDLESS)["session"]
        watchers = [RawStream(self.server, session) for _ in range(90)]
        try:
            heads = [one.head() for one in watchers]
            self.assertEqual(sum(b" 200 " in head for head in heads), 80)
            self.assertEqual(sum(b" 503 " in head for head in heads), 10)
            self.assertEqual(self.server.get("/api/train")[0], 200, "questions are answered all the same")
        finally:
            for one in watchers:
                one.socket.close()
        self.server.post("/api/close", {"session": session})

    def test_a_stream_goes_on_where_it_was_cut(self):
        session = self.server.open(SMALL)["session"]
        whole = gather(self.server.frames(session))[0]
        path = f"/api/stream?session={session}"
        _, _, place = next(self.server.stream(path))
        rest = [event for event in self.server.stream(path, Last_Event_ID=place)]
        self.assertEqual(rest[-1][0], "over")
        again = gather(self.server.frames(session, Last_Event_ID="0"))[0]
        self.assertEqual(again, whole)

    def test_a_session_rests_goes_on_and_ends(self):
        session = self.server.open(ENDLESS)["session"]
        frames = self.server.frames(session)
        next(frames)
        self.assertEqual(self.server.post("/api/pause", {"session": session}), (200, {}))
        self.assertEqual(self.server.post("/api/resume", {"session": session}), (200, {}))
        reached = 0
        for frame in frames:
            reached = max([reached, *(run["step"] for run in frame[1]["runs"])])
            if reached > 1000:
                break
        self.assertEqual(self.server.post("/api/limit", {"session": session, "step": reached + 50_000}), (200, {}))
        while reached < max(reached, 50_000):
            reached = max([reached, *(run["step"] for run in next(frames)[1]["runs"])])
        self.assertEqual(self.server.post("/api/limit", {"session": session, "step": None}), (200, {}))
        next(frames)
        self.assertEqual(self.server.post("/api/close", {"session": session}), (200, {}))
        self.assertEqual(list(frames)[-1], "over")
        for path in ("pause", "resume", "limit", "close"):
            self.assertEqual(self.server.post(f"/api/{path}", {"session": session})[0], 404, path)
        self.assertEqual(self.server.get(f"/api/stream?session={session}")[0], 404)

    def test_refuses_sessions_that_make_no_sense(self):
        for body in ({}, {"text": 3}, {"text": "x = "}, {"text": SMALL, "options": {"seeds": 10**9}},
                     {"text": SMALL, "options": {"set": ["network.width=1000000000"]}},
                     {"text": SMALL.replace("[data]", '[data]\nfile = "/etc/passwd"')}, {"text": SMALL, "runs": [{"cell": 7, "seed": 1}]}):
            status, answer = self.server.post("/api/open", body)
            self.assertIn(status, (400, 503), body)
            self.assertTrue(answer["error"]["message"])

    def test_closes_what_nobody_watches_where_too_much_is_open(self):
        sessions = [self.server.open(ENDLESS)["session"] for _ in range(9)]
        self.assertEqual(self.server.get(f"/api/stream?session={sessions[0]}")[0], 404)
        for session in sessions[1:]:
            self.server.post("/api/close", {"session": session})

    # Studies and the store.

    def test_lists_studies_and_gives_their_texts_and_nothing_else(self):
        listed = self.server.get("/api/studies")[1]
        self.assertEqual([one["study"] for one in listed["studies"]], ["endless", "small"])
        self.assertEqual([one["study"] for one in listed["broken"]], ["broken"])
        self.assertEqual(self.server.get("/api/studies/small")[1], {"study": "small", "text": SMALL})
        for name in ("smal", "../outside", "..%2foutside", "%2e%2e/outside", "small.toml", "", "/etc/passwd", "small%2f", "."):
            self.assertEqual(self.server.get("/api/studies/" + name)[0], 404, name)

    def test_trains_into_the_store_and_tells_how_it_goes(self):
        before = self.server.post("/api/results", {"study": "small"})[1]
        self.assertEqual((before["runs"], before["planned"], before["verdicts"]), (0, 8, []))
        status, started = self.server.post("/api/train", {"study": "small"})
        self.assertEqual((status, started["training"]["study"]), (200, "small"))
        states = [json.loads(data) for _, data, _ in self.server.stream("/api/train/events")]
        self.assertEqual(states[-1]["state"], "done")
        self.assertEqual(states[-1]["progress"]["done"], 8)
        self.assertEqual(self.server.get("/api/train")[1]["training"]["state"], "done")
        after = self.server.post("/api/results", {"study": "small"})[1]
        self.assertEqual(after["runs"], 8)
        self.assertIn(after["verdicts"][0]["verdict"], ("supported", "refuted", "inconclusive"))
        command = [PROGRAM, "reproduce", "small", "--json", "--studies", str(self.studies), "--store", str(self.folder / "store.db")]
        printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        self.assertEqual(after["verdicts"], printed, "the same as the program's")
        runs = self.server.get("/api/runs?study=small")[1]["runs"]
        self.assertEqual(len(runs), 8)
        run = self.server.get("/api/runs/" + runs[0]["run"])[1]
        self.assertEqual(run["steps_done"], 400)
        self.assertNotIn("values", next(one for one in run["series"] if one["address"] == "embedding"))
        run = self.server.get("/api/runs/" + runs[0]["run"] + "?observable=embedding")[1]
        self.assertEqual(len(next(one for one in run["series"] if one["address"] == "embedding")["values"]), 5 * 12)
        self.assertEqual(self.server.get("/api/runs/nothing")[0], 404)

    def test_trains_one_study_at_a_time_and_stops_it(self):
        with Served(PROGRAM, self.folder_of_its_own(), "--threads", "2", studies=self.studies) as server:
            self.assertEqual(server.get("/api/train")[1], {"training": None})
            self.assertEqual(server.post("/api/train", {"study": "endless"})[0], 200)
            self.assertEqual(server.post("/api/train", {"study": "small"})[0], 409)
            with Served(PROGRAM, server.folder, studies=self.studies) as other:  # another writer of the same store
                status, answer = other.post("/api/train", {"study": "small"})
                self.assertEqual(status, 409)
                self.assertIn("another atto is writing", answer["error"]["message"])
                self.assertEqual(other.post("/api/results", {"study": "small"})[0], 200, "reading goes on")
            self.assertEqual(server.post("/api/train/stop", {})[0], 200)
            states = [json.loads(data)["state"] for _, data, _ in server.stream("/api/train/events")]
            self.assertEqual(states[-1], "stopped")
            self.assertEqual(server.post("/api/train", {"study": "nothing"})[0], 404)
            self.assertEqual(server.post("/api/train", {"text": SMALL, "name": "mine", "options": {"seeds": 2}})[0], 200)

    def test_ends_under_load_and_leaves_a_sound_store(self):
        for how in ([signal.SIGTERM], [signal.SIGINT], [signal.SIGHUP], [signal.SIGTERM, signal.SIGINT]):
            folder = self.folder_of_its_own()
            server = Served(PROGRAM, folder, "--threads", "2", studies=self.studies)
            server.post("/api/train", {"study": "endless"})
            frames = server.frames(server.open(ENDLESS)["session"])
            next(frames)
            for _, data, _ in server.stream("/api/train/events"):
                if json.loads(data)["progress"]["done"] == 1:
                    break
            self.assertEqual(server.end(*how), 0, how)
            self.assertRaises(Exception, lambda: [*frames, next(frames)])
            with Served(PROGRAM, folder, studies=self.studies) as again:
                runs = again.get("/api/runs?study=endless")[1]["runs"]
                self.assertEqual(sorted(run["stored"] for run in runs), [False, True], how)
                self.assertEqual(again.post("/api/results", {"study": "endless"})[1]["runs"], 1)

    def test_says_that_the_port_is_taken(self):
        command = [PROGRAM, "serve", "--studies", str(self.studies), "--port", str(self.server.port)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 6)
        self.assertIn(f":{self.server.port}: ", ended.stderr)
        self.assertIn("--port 0", ended.stderr)

    def test_says_that_a_folder_is_missing(self):
        ended = subprocess.run([PROGRAM, "serve", "--studies", "/nowhere"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 4)

    # Anything at all.

    def test_survives_any_bytes(self):
        rng = random.Random(20)
        page = "".join(f"{name}: {value}\r\n" for name, value in self.server.headers().items())
        heads = [f"GET /api/studies HTTP/1.1\r\n{page}\r\n", f"POST /api/ask HTTP/1.1\r\n{page}Content-Length: 15\r\n\r\n" '{"ask":"about"}',
                 f"GET /?token={self.server.token} HTTP/1.1\r\nHost: localhost:{self.server.port}\r\n\r\n", "\x16\x03\x01", ""]
        for _ in range(1500):
            data = bytearray(rng.choice(heads).encode("latin-1"))
            for _ in range(rng.randrange(6)):
                at = rng.randrange(len(data) + 1)
                data[at:at + rng.randrange(8)] = rng.randbytes(rng.randrange(8))
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as client:
                client.sendall(bytes(data))
                client.shutdown(socket.SHUT_WR)
                heard = b""
                while part := client.recv(65536):
                    heard += part
            self.assertTrue(heard == b"" or heard.startswith(b"HTTP/1.1 "), heard[:80])
        self.assertIn("version", self.server.ask(ask="about"))

    def test_survives_any_json(self):
        rng = random.Random(21)
        words = ["ask", "study", "judge", "predict", "next_cells", "schema", "text", "options", "set", "seeds", "runs", "cell", "seed",
                 "session", "step", "share", "index", "of", "cells", "level", "count", "profile", SMALL, "network.width=3", "small", ""]
        numbers = [0, 1, -1, 2, 0.5, 1e300, -(2**63), 2**64, 10**400, None, True]

        def anything(depth):
            kind = rng.randrange(4 if depth < 4 else 2)
            if kind < 2:
                return rng.choice(words) if kind == 0 else rng.choice(numbers)
            if kind == 2:
                return [anything(depth + 1) for _ in range(rng.randrange(4))]
            return {rng.choice(words): anything(depth + 1) for _ in range(rng.randrange(5))}

        places = ["ask", "open", "pause", "resume", "limit", "close", "results"]
        for _ in range(600):
            body = {"ask": rng.choice(words[1:6]), "text": SMALL, rng.choice(words): anything(1)}
            if rng.random() < 0.2:
                body = anything(0)
            text = json.dumps(body)
            if rng.random() < 0.2:
                text = text[:rng.randrange(len(text) + 1)]
            place = rng.choice(places)
            status, _, answer = self.server.request("POST", "/api/" + place, text)
            self.assertIn(status, (200, 400, 404, 409, 503), (place, text[:300], answer[:300]))
            answer = json.loads(answer)
            if place == "open" and status == 200:
                self.server.post("/api/close", {"session": answer["session"]})
        for text in ("[" * 100_000, '{"a":' * 100_000, "\xff\xfe", '"' + "x" * 5_000_000 + '"'):
            self.assertEqual(self.server.request("POST", "/api/open", text.encode("latin-1"))[0], 400)
        self.assertIn("version", self.server.ask(ask="about"))


if __name__ == "__main__":
    unittest.main()
