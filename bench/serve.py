"""What watching costs (`atto serve`): how old a result is when a client has it, and what eight clients take of the training.

    bench/serve.py [PROGRAM] [--seconds N] [--json FILE]

The clients run on the same machine and only count what they get. Training is measured by the steps that the server reports
over intervals with and without clients, in turns; a share of the processor's time says the same without their noise.
"""

import argparse
import json
import os
import selectors
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "serve"))
from served import Served  # noqa: E402

CLIENTS = 8
# The scene that the playground opens with, going on for long: 64 seeds, curves, embeddings, ranks and attention maps.
SCENE = """title = "Watched"
[data]
task = "copy"
offset = 0
vocab = 10
context = 4
[network]
width = 2
[training]
rate = 1e-3
batch = 128
steps = 200000
[[observe]]
what = ["perplexity"]
every = 20
[[observe]]
what = ["embedding", "layer.0.query.effective_rank", "layer.0.key.effective_rank", "layer.0.value.effective_rank"]
every = 40
[[observe]]
what = ["layer.0.attention.pattern"]
every = 120
[[phenomenon]]
detector = "plateau"
[seeds]
count = 64
"""


class Watchers:
    """Clients of a stream that take what comes and note when."""

    def __init__(self, server, session, count):
        self.arrivals = [[] for _ in range(count)]
        self.bytes = self.events = 0
        self.selector = selectors.DefaultSelector()
        for place in range(count):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall((f"GET /api/stream?session={session} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                            f"Authorization: Bearer {server.token}\r\nLast-Event-ID: {2**40}\r\n\r\n").encode())
            self.selector.register(client, selectors.EVENT_READ, place)

    def watch(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                part = key.fileobj.recv(1 << 20)
                self.bytes += len(part)
                if part.endswith(b"\n\n"):  # an event is whole
                    self.events += 1
                    self.arrivals[key.data].append(time.monotonic())

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def gaps(self):
        return [later - earlier for own in self.arrivals for earlier, later in zip(own[1:], own[2:])]


def thread_seconds(process):
    """Processor seconds of the server's threads: those that serve, and those that train. By the scheduler, to the nanosecond."""
    serving = training = 0.0
    for task in Path(f"/proc/{process}/task").iterdir():
        seconds = int((task / "schedstat").read_text().split()[0]) / 1e9
        if (task / "comm").read_text().strip() == "atto-http":
            serving += seconds
        else:
            training += seconds
    return serving, training


def steps_done(server, session):
    """Steps of all runs so far: what the next frames say of each."""
    frames = server.frames(session, Last_Event_ID=str(2**40))
    runs = {}
    for _, news in frames:
        runs |= {run["run"]: run["step"] for run in news["runs"]}
        if len(runs) == 64:
            break
    frames.close()
    return sum(runs.values())


def answers_after(server, rounds):
    """Milliseconds from raising a limit to the frame that has the step at each of the clients, while another session trains."""
    opened = server.open(SCENE, options={"seeds": 1})
    session = opened["session"]
    limit = 150_000  # where it has not come to yet
    server.post("/api/limit", {"session": session, "step": limit})
    streams = [server.frames(session) for _ in range(CLIENTS)]

    def wait(frames):
        for points, news in frames:
            if any(run["step"] >= limit for run in news["runs"]):
                return
    for frames in streams:
        wait(frames)
    times = []
    for _ in range(rounds):
        limit += 1
        start = time.monotonic()
        server.post("/api/limit", {"session": session, "step": limit})
        for frames in streams:
            wait(frames)
        times.append(1000 * (time.monotonic() - start))
    for frames in streams:
        frames.close()
    server.post("/api/close", {"session": session})
    return times


def measure(program, seconds, rounds):
    with tempfile.TemporaryDirectory() as folder, Served(program, Path(folder)) as server:
        process = server.process.pid
        ratios, gaps, shares, of_machine, per_event, sent = [], [], [], [], [], 0
        for _ in range(rounds):
            speeds = {}
            for count in (0, CLIENTS):
                session = server.open(SCENE)["session"]
                watchers = Watchers(server, session, count)
                watchers.watch(0.5)
                before, start, steps = thread_seconds(process), time.monotonic(), steps_done(server, session)
                watchers.bytes = watchers.events = 0
                watchers.watch(seconds)
                done = steps_done(server, session) - steps
                after = thread_seconds(process)
                speeds[count] = done / (after[1] - before[1])  # for each second of the threads that train
                if count:
                    gaps += watchers.gaps()
                    passed = time.monotonic() - start
                    serving = after[0] - before[0]
                    shares.append(serving / (after[1] - before[1]))
                    of_machine.append(serving / passed / len(os.sched_getaffinity(process)))
                    per_event.append(1000 * serving / max(1, watchers.events / count))
                    sent = watchers.bytes / passed / count
                watchers.close()
                server.post("/api/close", {"session": session})
            ratios.append(speeds[CLIENTS] / speeds[0])
        busy = server.open(SCENE)["session"]
        keeper = Watchers(server, busy, 1)
        answers = answers_after(server, 50)
        keeper.close()
    gaps.sort()
    answers.sort()
    return {
        "clients": CLIENTS,
        "slowdown": 1 - statistics.median(ratios),
        "serving_of_training": statistics.median(shares),
        "serving_of_machine": statistics.median(of_machine),
        "serving_ms_per_event": statistics.median(per_event),
        "event_gap_ms": {"median": 1000 * statistics.median(gaps), "p99": 1000 * gaps[int(0.99 * len(gaps))], "most": 1000 * gaps[-1]},
        "answer_ms": {"median": statistics.median(answers), "most": answers[-1]},
        "bytes_per_second_and_client": sent,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/atto")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    result = measure(options.program, options.seconds, options.rounds)
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
