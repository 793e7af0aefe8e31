"""A server started for tests and benchmarks, and a client that speaks to it."""

import base64
import http.client
import json
import signal
import struct
import subprocess
import urllib.parse

PATIENCE = 120  # seconds after which something that should have come counts as missing


class Served:
    """`atto serve` at a free port, until the end of the block."""

    def __init__(self, program, folder, *options, studies=None):
        self.folder = folder
        command = [program, "serve", "--port", "0", "--json", "--store", str(folder / "store.db"), *options]
        if studies:
            command += ["--studies", str(studies)]
        # A shell that starts tests in the background lets them ignore Ctrl-C, and what they start would, too.
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        said = ""
        while not said.endswith("}\n"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(self.process.stderr.read())
            said += line
        self.about = json.loads(said)
        self.port, self.token = self.about["port"], self.about["token"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end(signal.SIGTERM)

    def end(self, *signals):
        """Its exit code after these signals, which come together."""
        for one in signals:
            self.process.send_signal(one)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def headers(self, **changes):
        """Those of the page itself, with some of them changed or, where None, left out."""
        own = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}",
               "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        own |= {name.replace("_", "-"): value for name, value in changes.items()}
        return {name: value for name, value in own.items() if value is not None}

    def request(self, method, path, body=None, **headers):
        """Status, headers and bytes of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers(**headers).items():
                connection.putheader(name, value)
            data = body.encode() if isinstance(body, str) else body
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path, **headers):
        status, _, body = self.request("GET", path, **headers)
        return status, json.loads(body)

    def post(self, path, body, **headers):
        status, _, answer = self.request("POST", path, json.dumps(body), **headers)
        return status, json.loads(answer)

    def ask(self, **question):
        status, answer = self.post("/api/ask", question)
        assert status == 200, answer
        return answer

    def open(self, text, **more):
        status, answer = self.post("/api/open", {"text": text, **more})
        assert status == 200, answer
        return answer

    def stream(self, path, **headers):
        """Events as they come, each (name, data, id)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers=self.headers(Content_Type=None, **headers))
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            name, data, place = "message", None, None
            for line in answer:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data = value
                elif field == "id":
                    place = value
                elif not field and data is not None:
                    yield name, data, place
                    name, data = "message", None
        finally:
            connection.close()

    def frames(self, session, **headers):
        """The frames of a session to its end; the last event's name comes last."""
        for name, data, _ in self.stream("/api/stream?" + urllib.parse.urlencode({"session": session}), **headers):
            yield decode(base64.b64decode(data)) if name == "message" else name


def decode(data):
    """A frame (src/live/frame.h): {(run, series): [(step, values)]} and what it says of the runs."""
    magic, blocks = struct.unpack_from("<II", data)
    assert magic == 0x31465441
    at, points = 8, {}
    for _ in range(blocks):
        run, series, count, width = struct.unpack_from("<IIII", data, at)
        steps = struct.unpack_from(f"<{count}d", data, at + 16)
        values = struct.unpack_from(f"<{count * width}f", data, at + 16 + 8 * count)
        at += (16 + 8 * count + 4 * count * width + 7) // 8 * 8
        own = points.setdefault((run, series), [])
        own += [(step, values[i * width:(i + 1) * width]) for i, step in enumerate(steps)]
    (length,) = struct.unpack_from("<I", data, at)
    return points, json.loads(data[at + 4:at + 4 + length])


def gather(frames):
    """All points and the last state of every run."""
    points, runs, last = {}, {}, None
    for frame in frames:
        if isinstance(frame, str):
            last = frame
            continue
        for key, own in frame[0].items():
            points.setdefault(key, []).extend(own)
        for run in frame[1]["runs"]:
            runs.setdefault(run["run"], {}).update(run)
    return points, runs, last
