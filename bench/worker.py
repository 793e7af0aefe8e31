"""A long-lived process that measures on request, so that several can take turns."""
import os
import subprocess
import sys


class Worker:
    """A process that answers one line of words per line of request. `cores`: those it may run on, all unless said."""

    def __init__(self, *command, cores=None, **environment):
        threads = str(len(cores) if cores else 1)
        limits = {name: threads for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        pin = (lambda: os.sched_setaffinity(0, cores)) if cores else None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pin,
                                        env={**os.environ, **limits, **environment})
        self.request = ""

    def send(self, *request):
        self.request = " ".join(map(str, request))
        self.process.stdin.write(self.request + "\n")
        self.process.stdin.flush()

    def receive(self):
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"bench: {' '.join(map(str, self.process.args))} ended while asked for: {self.request}")
        return answer.split()

    def ask(self, *request):
        self.send(*request)
        return self.receive()

    def number(self, *request):
        return float(self.ask(*request)[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
