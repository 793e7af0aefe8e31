"""A study on a real Slurm cluster: a node fails, a time limit comes, a task is cancelled, a more urgent job comes, a disk is full,
rounds are chosen; and yet the rows of one machine.

    tests/cluster/cluster_test.py PROGRAM

`make cluster` runs it. Everything that it starts ends with it.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from slurm_cluster import Cluster, end_cleanly_on_signals

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
COMPARE = Path(__file__).resolve().parents[2] / "scripts" / "compare_stores.py"

STUDY = """title = "Copying, on a cluster"
[data]
vocab = {vocab}
[training]
batch = 64
steps = {steps}
rate = 0.01
[sweep.grid]
network.width = [2, 3]
[seeds]
count = {seeds}
[[observe]]
what = ["perplexity", "accuracy"]
[[phenomenon]]
detector = "value"
name = "final"
series = "perplexity"
[[claim]]
id = "C-holds"
statement = "The perplexity ends between one and the size of the vocabulary."
quantity = "final.value"
statistic = "median"
region = [1, 20]
"""
PLANE = """title = "A plane"
[data]
vocab = 4
[training]
batch = 16
steps = 60
rate = 0.02
[sweep.grid]
network.width = [1, 4]
data.context = [2, 8]
[seeds]
count = 4
[[observe]]
what = ["loss"]
every = 20
[[phenomenon]]
detector = "emergence"
name = "fallen"
series = "loss"
threshold = 1.2
hold = 1
"""
PATIENCE = 150  # seconds, for what takes a worker or Slurm a while


def waits_for(pid, wanted):
    """Has somebody sent the process this signal, which it has not taken yet?"""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    pending = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(mask >> (wanted - 1) & 1 for mask in pending)


def wake(pid):
    """Lets a halted process go on, if it is still there."""
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass


class OnACluster(unittest.TestCase):
    cluster = None  # main() starts it

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="atto-cluster-")))

    def write_study(self, name, **sizes):
        path = self.folder / f"{name}.toml"
        path.write_text(STUDY.format(**sizes), encoding="utf-8")
        return str(path)

    def atto(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.cluster.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}{done.stdout}")
        return done

    def status(self):
        return json.loads(self.atto("status", "job", "--json").stdout)

    def standings(self):
        return {task["task"]: task["standing"] for task in self.status()["tasks"]}

    def wait(self, condition, what):
        def show():
            queue = self.cluster.run("squeue", "--array", "--long", check=False)
            logs = "".join(f"{log.name}: {log.read_text()[-500:]}\n" for log in sorted((self.folder / "job/logs").glob("*")))
            return f"{queue}\n{json.dumps(self.status(), indent=1)}\n{logs}"
        try:
            self.cluster.wait_until(condition, what, PATIENCE)
        except TimeoutError as error:
            self.fail(f"{error}\n{show()}")

    def workers(self):
        """The process of each task's worker, and its node."""
        found = {}
        for node in self.cluster.nodes:
            for pid in self.cluster.jobs_on(node):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if words[0] == PROGRAM.encode() and b"--task" in words and str(self.folder / "job").encode() in words:
                    found[int(words[words.index(b"--task") + 1])] = (pid, node)
        return found

    def attempts(self):
        return {task["task"]: task["attempt"] for task in self.status()["tasks"]}

    def finished(self):
        return self.status()["done"]

    def started_alone(self, study):
        """The same study on one machine, while the cluster waits for something."""
        alone = subprocess.Popen([PROGRAM, "run", study, "--store", "alone.db", "--json"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(alone.communicate)
        self.addCleanup(alone.kill)
        return alone

    def assert_same_rows(self, alone):
        """The merged store against that of one machine: every series and every weight of every run, and what was found."""
        judged = json.loads(self.atto("collect", "job", "--store", "merged.db", "--json").stdout)
        out, err = alone.communicate()
        self.assertEqual(alone.returncode, 0, err)
        self.assertEqual(judged, json.loads(out))
        self.assert_same_stores()

    def assert_same_stores(self):
        compared = subprocess.run([sys.executable, str(COMPARE), str(self.folder / "alone.db"), str(self.folder / "merged.db")],
                                  capture_output=True, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
        self.assertEqual(self.atto("check", "--store", "merged.db").returncode, 0)

    def test_a_node_fails_a_limit_comes_and_a_task_is_cancelled(self):
        """Three workers are halted in the middle of their runs, so that what happens to them happens there on any machine.

        One is on a node that fails: Slurm notices by itself. One meets its time limit of a minute: Slurm sends the signal that comes
        before it. One is cancelled. Each goes on with what it had published, or with nothing.
        """
        study = self.write_study("disturbed", vocab=10, steps=600_000, seeds=9)
        submitted = json.loads(self.atto("submit", study, "--slurm", "--nodes", "3", "--time", "1", "--threads", "1", "--checkpoint", "1",
                                         "--pack", "1", "--folder", "job", "--scratch", str(self.folder / "scratch"), "--json").stdout)
        self.assertGreater(submitted["packs"], 3)  # also where the runs are forecast to take a third of what they take here
        halted = self.halt_workers(3)
        alone = self.started_alone(study)  # the processors are free until the limit is near
        failed = halted[1][1]
        self.cluster.kill_node(failed)  # with the worker on it
        self.cluster.run("scancel", f"{submitted['job']}_3")
        wake(halted[3][0])
        self.wait(lambda: self.standings()[3] == "gone", "the cancelled task to leave the queue")
        again = json.loads(self.atto("submit", "job", "--slurm", "--json").stdout)
        self.assertEqual(again["workers"], 1)
        self.wait(lambda: self.attempts()[3] > 1, "the cancelled task to begin again")
        self.wait(lambda: self.cluster.state_of(failed).startswith("down"), "Slurm to miss the node")
        self.cluster.start_node(failed)
        # Some versions of Slurm wake the process up for its signal, others leave it halted.
        self.wait(lambda: waits_for(halted[2][0], signal.SIGUSR1) or self.attempts()[2] > 1, "the signal before the time limit")
        wake(halted[2][0])
        self.wait(lambda: min(self.attempts().values()) > 1, "every task to begin again")
        self.wait(self.finished, "all packs")
        logs = "".join(log.read_text() for log in (self.folder / "job/logs").glob("*.log"))
        self.assertIn("the task queues again", logs)  # the one whose limit was near
        self.assertIn("stopped: what was trained is published", logs)  # the one that was cancelled
        self.assertEqual(set(self.standings().values()), {"done"})
        self.assert_same_rows(alone)

    def halt_workers(self, count):
        """Each in the middle of its runs, once there is a store in its scratch. (Before, it may not watch for signals yet.)"""
        halted = {}

        def all_halted():
            for task, (pid, node) in self.workers().items():
                if task not in halted and list((self.folder / "scratch").glob(f"*-{task}-{node}/pack-*.db")):
                    os.kill(pid, signal.SIGSTOP)
                    halted[task] = (pid, node)
            return len(halted) == count
        self.wait(all_halted, f"{count} workers")
        self.assertFalse(self.finished(), "they should have been halted in the middle")
        return halted

    def test_a_more_urgent_job_comes(self):
        """Slurm stops the worker and queues its task again."""
        study = self.write_study("preempted", vocab=10, steps=300_000, seeds=3)
        alone = self.started_alone(study)
        self.atto("submit", study, "--slurm", "--time", "10", "--threads", "1", "--checkpoint", "1", "--pack", "2", "--folder", "job",
                  "--scratch", str(self.folder / "scratch"))
        pid, node = self.halt_workers(1)[1]
        self.cluster.run("sbatch", "--partition=urgent", f"--nodelist={node}", "--exclusive", "--output=/dev/null", "--wrap=true")
        self.wait(lambda: waits_for(pid, signal.SIGTERM) or self.workers().get(1, (None,))[0] != pid, "the worker to be stopped")
        wake(pid)
        self.wait(lambda: self.attempts()[1] > 1, "the task to begin again")
        self.wait(self.finished, "all packs")
        self.assertIn("stopped: what was trained is published", "".join(log.read_text() for log in (self.folder / "job/logs").glob("*.log")))
        self.assert_same_rows(alone)

    def test_a_disk_is_full_and_an_array_too_large(self):
        study = self.write_study("full", vocab=10, steps=500, seeds=20)
        disk = self.folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=True))
        alone = self.started_alone(study)
        submitted = json.loads(self.atto("submit", study, "--slurm", "--nodes", "9", "--threads", "1", "--folder", "job",
                                         "--scratch", str(disk), "--logs", str(self.folder / "own-logs"), "--json").stdout)
        self.assertEqual(submitted["workers"], 5)  # as many as an array of this cluster can have
        self.wait(lambda: set(self.standings().values()) == {"failed"}, "all workers to fail")
        self.assertIn("full", self.atto("status", "job").stdout)
        self.assertEqual(len(list((self.folder / "own-logs").glob("*.log"))), 5)
        self.atto("collect", "job", code=4)
        subprocess.run(["mount", "-o", "remount,size=100m", str(disk)], check=True)
        self.atto("submit", "job", "--slurm")
        self.wait(self.finished, "all packs")
        self.assert_same_rows(alone)

    def test_an_experiment_chooses_its_runs(self):
        """Each round is a job of the cluster, and what is found is what one machine finds."""
        (self.folder / "plane.toml").write_text(PLANE, encoding="utf-8")
        words = ["explore", "plane.toml", "--quantity", "fallen.emerged", "--tolerance", "0.2", "--batch", "24", "--budget-runs", "300", "--json"]
        found = self.atto(*words, "--store", "merged.db", "--slurm", "--nodes", "2", "--threads", "1", "--wait", "--folder", "jobs",
                          "--scratch", str(self.folder / "scratch"))
        alone = self.atto(*words, "--store", "alone.db")
        self.assertEqual(json.loads(found.stdout), json.loads(alone.stdout))
        self.assertGreater(json.loads(alone.stdout)["rounds"], 1)
        self.assertEqual(len(list((self.folder / "jobs").iterdir())), json.loads(alone.stdout)["rounds"])
        self.assert_same_stores()

    def test_slips_are_told(self):
        study = self.write_study("slips", vocab=4, steps=10, seeds=2)
        refused = self.atto("submit", study, "--slurm", "--partition", "mein", code=2)
        self.assertIn("did you mean 'main'?", refused.stderr)
        self.assertFalse((self.folder / "results").exists())
        self.atto("status", ".", code=4)
        # Slurm says no: nothing runs, and the folder can be submitted later.
        self.atto("submit", study, "--slurm", "--folder", "job", "--sbatch=--nodelist=nowhere", code=2)
        self.assertEqual(set(self.standings().values()), {"planned"})
        self.atto("submit", "job", "--slurm", "--sbatch=--nodelist=n1")


def main():
    """unittest does not clean up after an interrupt, so the cluster is started and stopped around it."""
    end_cleanly_on_signals()
    with Cluster() as OnACluster.cluster:
        tested = unittest.main(verbosity=2, exit=False)
    sys.exit(0 if tested.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
