"""A study on a real Slurm cluster: a node fails, a time limit is near, a task is cancelled, a disk is full; and yet the rows of one machine.

    tests/cluster/cluster_test.py PROGRAM

`make cluster` runs it. Everything that it starts ends with it.
"""
import json
import os
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
STEPS = 2_000_000  # some 60 s of processor time for all runs
PATIENCE = 150  # seconds, for what takes a worker or Slurm a while


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

    def raw_ids(self, job):
        """Slurm's own number of each task of an array, and where it runs."""
        lines = self.cluster.run("squeue", "--noheader", "--array", "--states=RUNNING", f"--jobs={job}", "--format=%K %A %N", check=False)
        return {int(task): (number, node) for task, number, node in (line.split() for line in lines.splitlines() if len(line.split()) == 3)}

    def hurry(self):
        """Slurm lets a task that comes back wait for two minutes; nobody needs that here."""
        for line in self.cluster.run("squeue", "--noheader", "--states=PENDING", "--format=%A", check=False).split():
            self.cluster.run("scontrol", "update", f"JobId={line}", "StartTime=now", check=False)

    def finished(self):
        self.hurry()
        return self.status()["done"]

    def assert_same_rows(self, study):
        """The merged store against that of one machine: every series and every weight of every run, and what was found."""
        judged = json.loads(self.atto("collect", "job", "--store", "merged.db", "--json").stdout)
        alone = json.loads(self.atto("run", study, "--store", "alone.db", "--json").stdout)
        self.assertEqual(judged, alone)
        compared = subprocess.run([sys.executable, str(COMPARE), str(self.folder / "alone.db"), str(self.folder / "merged.db")],
                                  capture_output=True, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
        self.assertEqual(self.atto("check", "--store", "merged.db").returncode, 0)

    def test_a_node_fails_a_limit_is_near_and_a_task_is_cancelled(self):
        study = self.write_study("disturbed", vocab=10, steps=STEPS, seeds=9)
        submitted = json.loads(self.atto("submit", study, "--slurm", "--nodes", "3", "--time", "10", "--threads", "1", "--checkpoint", "2",
                                         "--pack", "8", "--folder", "job", "--scratch", str(self.folder / "scratch"), "--json").stdout)
        job = submitted["job"]
        self.assertGreater(submitted["packs"], 3)
        self.wait(lambda: len(self.raw_ids(job)) == 3 and all(task["host"] for task in self.status()["tasks"]), "three workers")
        running = self.raw_ids(job)

        self.cluster.kill_node(running[1][1])  # with the worker on it; Slurm itself would wait for a while before it believes that
        self.cluster.run("scontrol", "update", f"NodeName={running[1][1]}", "State=DOWN", "Reason=killed")
        self.cluster.run("scancel", f"{job}_3")
        # What Slurm sends before the limit (--signal=B:USR1@...), without the half minute that it takes to look at the clock.
        self.cluster.run("scancel", "--batch", "--signal=USR1", running[2][0])
        self.wait(lambda: self.standings()[3] == "gone", "the cancelled task to leave the queue")
        again = json.loads(self.atto("submit", "job", "--slurm", "--json").stdout)
        self.assertEqual(again["workers"], 1)

        def came_back():
            self.hurry()
            tasks = self.status()["tasks"]
            return tasks[0]["attempt"] > 1 and tasks[1]["attempt"] > 1 and tasks[2]["attempt"] > 1
        self.wait(came_back, "every task to begin again")
        self.wait(self.finished, "all packs")
        logs = "".join(log.read_text() for log in (self.folder / "job/logs").glob("*.log"))
        self.assertIn("the task queues again", logs)  # the one whose limit was near
        self.assertEqual(set(self.standings().values()), {"done"})
        self.assert_same_rows(study)

    def test_a_disk_is_full_and_an_array_too_large(self):
        study = self.write_study("full", vocab=10, steps=500, seeds=20)
        disk = self.folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=True))
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
        self.assert_same_rows(study)

    def test_slips_are_told(self):
        study = self.write_study("slips", vocab=4, steps=10, seeds=2)
        refused = self.atto("submit", study, "--slurm", "--partition", "mein", code=2)
        self.assertIn("did you mean 'main'?", refused.stderr)
        self.assertFalse((self.folder / "results").exists())
        self.atto("status", ".", code=4)
        # Slurm says no: nothing runs, and the folder can be submitted later.
        self.atto("submit", study, "--slurm", "--folder", "job", "--sbatch=--nodelist=nowhere", code=2)
        self.assertEqual(set(self.standings().values()), {"gone"})
        self.atto("submit", "job", "--slurm", "--sbatch=--nodelist=n1")


def main():
    """unittest does not clean up after an interrupt, so the cluster is started and stopped around it."""
    end_cleanly_on_signals()
    with Cluster() as OnACluster.cluster:
        tested = unittest.main(verbosity=2, exit=False)
    sys.exit(0 if tested.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
