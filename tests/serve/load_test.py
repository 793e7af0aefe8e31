"""`atto serve` with as many clients as it takes, slow ones among them, and requests that are none.

`make soak` (ATTO_SOAK) sends 10,000 of those; the tests send fewer. The memory is looked at where no sanitizer keeps what
was freed (ATTO_WEIGH).
"""

import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from served import PATIENCE, Served

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and Path(sys.argv[1]).is_file() else "build/atto"
SOAK = "ATTO_SOAK" in os.environ
WEIGH = SOAK or "ATTO_WEIGH" in os.environ
CLIENTS = 64
CONNECTIONS = 160  # as many as the server takes (src/serve/http/server.h)
MALFORMED = 10_000 if SOAK else 2_000
QUESTIONS = 50 if SOAK else 5  # of each client

STUDY = """title = "It never ends"
[data]
vocab = 6
[training]
steps = 1000000000000
batch = 16
[seeds]
count = 2
[[observe]]
what = ["perplexity"]
linear = 10
"""


class Process:
    """What the system knows of the server."""

    def __init__(self, number):
        self.folder = Path("/proc") / str(number)

    def resident(self):
        return int((self.folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def handles(self):
        """Files that are open, and threads."""
        return tuple(len(list((self.folder / kind).iterdir())) for kind in ("fd", "task"))

    def children(self):
        return [number for task in (self.folder / "task").iterdir() for number in (task / "children").read_text().split()]


def answers(server, client, body):
    """The status and the JSON of the answer to one question on a connection that stays open."""
    text = json.dumps(body).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in server.headers().items())
    client.sendall(f"POST /api/ask HTTP/1.1\r\n{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
    return read_answer(client)


def read_answer(client):
    heard = b""
    while b"\r\n\r\n" not in heard:
        part = client.recv(65536)
        assert part, heard
        heard += part
    head, _, body = heard.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        part = client.recv(65536)
        assert part, "the answer was cut short"
        body += part
    return int(head.split()[1]), json.loads(body)


class LoadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "studies").mkdir()
        self.server = Served(PROGRAM, Path(folder.name), "--threads", "1", studies=Path(folder.name) / "studies")
        self.process = Process(self.server.process.pid)

    def tearDown(self):
        self.assertEqual(self.process.children(), [])
        self.assertEqual(self.server.end(signal.SIGTERM), 0)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        return client

    def test_takes_64_clients_at_work_and_turns_away_who_is_too_many(self):
        # One that never ends its request, one that never reads its stream: neither keeps the others waiting.
        slow, deaf = self.connect(), self.connect()
        slow.sendall(b"POST /api/ask HTTP/1.1\r\nHost: local")
        session = self.server.open(STUDY)["session"]
        self.server.post("/api/pause", {"session": session})  # its stream stays open, and nothing is trained
        head = "".join(f"{name}: {value}\r\n" for name, value in self.server.headers(Content_Type=None).items())
        deaf.sendall(f"GET /api/stream?session={session} HTTP/1.1\r\n{head}\r\n".encode())
        clients = [self.connect() for _ in range(CLIENTS - 2)]
        wrong = []

        def ask(client, number):
            for question in range(QUESTIONS):
                body = {"ask": "about"} if question % 2 else {"ask": "study", "text": STUDY, "options": {"seeds": 1 + number % 8}}
                status, answer = answers(self.server, client, body)
                right = "version" in answer if question % 2 else answer.get("seeds") == 1 + number % 8
                if status != 200 or not right:
                    wrong.append((status, answer))

        threads = [threading.Thread(target=ask, args=(client, number)) for number, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        idle = [self.connect() for _ in range(CONNECTIONS - CLIENTS)]
        with self.connect() as one_more:
            status, answer = read_answer(one_more)
        self.assertEqual((status, answer["error"]["message"]), (503, "too many clients"))
        idle.pop().close()
        # The server hears of that in its own time, so the next is asked until it is let in.
        for _ in range(1000):
            if self.server.request("GET", "/api/studies")[0] == 200:
                break
        else:
            self.fail("a place that is free is given to nobody")
        self.assertEqual(answers(self.server, clients[0], {"ask": "about"})[0], 200)

    def test_requests_that_are_none_leave_nothing_behind(self):
        rng = random.Random(22)
        head = "".join(f"{name}: {value}\r\n" for name, value in self.server.headers().items())
        # The page stays open, so that questions need no connection of their own.
        page = self.connect()
        self.assertEqual(answers(self.server, page, {"ask": "about"})[0], 200)
        handles = self.process.handles()
        good = [f"POST /api/ask HTTP/1.1\r\n{head}Content-Length: 15\r\n\r\n" '{"ask":"about"}',
                f"GET /api/studies HTTP/1.1\r\n{head}\r\n", f"GET /{'a' * 20_000} HTTP/1.1\r\n{head}\r\n",
                f"POST /api/open HTTP/1.1\r\n{head}Content-Length: 99999999999\r\n\r\n", "\x16\x03\x01\x00"]
        # As many again to warm up: the system counts pages of the program when their code is first run, and some of it
        # answers one request of a thousand only.
        warm = most = 0
        for number in range(2 * MALFORMED):
            data = bytearray(rng.choice(good).encode("latin-1"))
            for _ in range(1 + rng.randrange(6)):
                at = rng.randrange(len(data) + 1)
                data[at:at + rng.randrange(8)] = rng.randbytes(rng.randrange(8))
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as client:
                try:
                    client.sendall(bytes(data))
                    client.shutdown(socket.SHUT_WR)
                    heard = b""
                    while part := client.recv(65536):
                        heard += part
                except ConnectionError:  # turned away before all was sent
                    continue
            self.assertTrue(heard == b"" or heard.startswith(b"HTTP/1.1 "), heard[:80])
            if number < MALFORMED:  # a peak is compared with a peak
                warm = max(warm, self.process.resident())
            else:
                most = max(most, self.process.resident())
        # The server hears in its own time that the last of them are gone, so it is asked until it has.
        for _ in range(1000):
            self.assertEqual(answers(self.server, page, {"ask": "about"})[0], 200)
            if self.process.handles() == handles:
                break
        self.assertEqual(self.process.handles(), handles)
        print(f"{MALFORMED} malformed requests: at most {most / 1e6:.2f} MB, {warm / 1e6:.2f} MB in as many before")
        if WEIGH:
            self.assertLess(most, 1.05 * warm)


if __name__ == "__main__":
    unittest.main()
