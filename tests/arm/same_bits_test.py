#!/usr/bin/env python3
"""Does ARM train to the same bits? Studies of every kind, shortened, by the native program and by the one for ARM under qemu.

    same_bits_test.py NATIVE_ATTO ARM_ATTO EMULATOR...

Each study is trained by both, and by both in turns: begun natively, stopped in the middle of a run, continued on ARM. Every
stored byte of every series and weight matrix must agree (scripts/compare_stores.py).
"""
import contextlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True

# Studies of few cells that differ in task, network, optimizer and observables, with steps cut to what qemu can bear.
SHORTENED = {
    "sticky-plateau": 100,
    "similar-content": 20,
    "spikes-and-swaps": 50,
    "attention-sink": 40,
    "repetition-order": 200,
    "transformer-norm": 3,
    "transformer-repetition-order": 3,
    "recall-emergence": 2,
}


class SameBits(unittest.TestCase):
    native: list[str]
    arm: list[str]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_study(self, program, study, store, *options):
        done = subprocess.run([*program, "run", study, "--store", store, "--threads", "2", *options], cwd=ROOT, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_same(self, one, other):
        compared = subprocess.run([sys.executable, ROOT / "scripts/compare_stores.py", one, other], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)

    def test_every_kind_of_run(self):
        for study, steps in SHORTENED.items():
            with self.subTest(study):
                options = ["--set", f"training.steps={steps}", "--seeds", "1"]
                stores = [self.folder / f"{study}-{name}.db" for name in ("native", "arm")]
                for program, store in zip((self.native, self.arm), stores):
                    self.run_study(program, study, store, *options)
                self.assert_same(*stores)

    def begin(self, study):
        """A store whose training was stopped in the middle of a run. When that is depends on the machine: the runs may take 20 ms."""
        for try_number in range(1, 100):
            store = self.folder / f"begun-{try_number}.db"
            with subprocess.Popen([*self.native, "run", study, "--store", store, "--threads", "1"], cwd=ROOT, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.005 * try_number)
                process.send_signal(signal.SIGINT)
            if checkpoints(store) > 0:
                return store
        self.fail("it was never stopped in the middle of a run")

    def test_a_run_begun_natively_ends_on_arm(self):
        study, whole = HERE / "long.toml", self.folder / "whole.db"
        self.run_study(self.native, study, whole)
        begun = self.begin(study)
        self.run_study(self.arm, study, begun)
        self.assertEqual(checkpoints(begun), 0)
        self.assert_same(whole, begun)


def checkpoints(store):
    """Runs in the store that were begun and not finished."""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0]
    except sqlite3.Error:  # not there yet
        return 0


if __name__ == "__main__":
    SameBits.native, SameBits.arm = [sys.argv[1]], [*sys.argv[3:], sys.argv[2]]
    unittest.main(argv=sys.argv[:1])
