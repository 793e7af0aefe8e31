#!/usr/bin/env python3
"""A Slurm cluster of a few nodes on this machine, for as long as a command runs.

    tests/cluster/slurm_cluster.py COMMAND...     with SLURM_CONF set, so that sbatch and squeue find it

Debian's munged, slurmctld and one slurmd for each node, on loopback, without systemd and without slurmdbd, in a temporary folder. Runs
as root. All of it stops when the command ends, however it ends; jobs that are left are cancelled first.
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NODES = ["n1", "n2", "n3"]
START_SECONDS = 60  # that all daemons may take
REQUEUE_SECONDS = 20  # that a task which queues again waits; Slurm's own number is 120
SILENT_SECONDS = 20  # after which a node that does not answer is taken for failed; Slurm's own number is 300


def free_ports(count):
    """Ports of loopback that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    """The daemons, each in a session of its own, so that what it started can be stopped with it."""

    def __init__(self, nodes=NODES):
        self.nodes = list(nodes)
        self.folder = Path(tempfile.mkdtemp(prefix="atto-slurm-"))
        self.processes = {}
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        adopt_orphans()
        try:
            self.write_configuration()
            self.start_munge()
            self.start("slurmctld", ["slurmctld", "-D", "-i", "-L", str(self.folder / "slurmctld.log")])
            for node in self.nodes:
                self.start_node(node)
            self.wait_until(self.all_idle, "the nodes to answer")
            return self
        except BaseException:
            self.show_logs()
            self.stop()
            raise

    def __exit__(self, kind, *_):
        if kind not in (None, SystemExit):
            self.show_logs()
        self.stop()

    def write_configuration(self):
        ports = free_ports(len(self.nodes) + 1)
        for part in ("state", "spool", "run"):
            (self.folder / part).mkdir()
        cores, megabytes = os.cpu_count(), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        lines = [
            "ClusterName=atto", "SlurmctldHost=localhost(127.0.0.1)", f"SlurmctldPort={ports[0]}", "SlurmUser=root", "SlurmdUser=root",
            "AuthType=auth/munge", f"AuthInfo=socket={self.folder}/run/munge.socket,cred_expire={REQUEUE_SECONDS}", "CredType=cred/munge",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool/%n",
            f"SlurmctldPidFile={self.folder}/run/slurmctld.pid", f"SlurmdPidFile={self.folder}/run/slurmd.%n.pid",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "AccountingStorageType=accounting_storage/none", "JobAcctGatherType=jobacct_gather/none", "SlurmdParameters=config_overrides",
            "MailProg=/bin/true", "ReturnToService=2", f"SlurmdTimeout={SILENT_SECONDS}", "SlurmctldTimeout=10", "InactiveLimit=0", "KillWait=10",
            "MinJobAge=10", "MaxArraySize=6", "JobRequeue=1", "SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2",
        ]
        # The processors are this machine's, for every node: jobs share them, as the tests only ask for the right rows.
        for node, port in zip(self.nodes, ports[1:]):
            lines.append(f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={cores} RealMemory={megabytes // 4} State=UNKNOWN")
        # Jobs of the second partition take the place of jobs of the first, which queue again.
        lines += ["PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE"]
        for name, more in (("main", "Default=YES PriorityTier=1"), ("urgent", "PriorityTier=10 PreemptMode=OFF")):
            lines.append(f"PartitionName={name} Nodes={','.join(self.nodes)} MaxTime=INFINITE State=UP {more}")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def start_munge(self):
        run = self.folder / "run"
        key = run / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        for folder in (self.folder, run):
            folder.chmod(0o755)
        self.start("munged", ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={run}/munge.socket",
                              f"--pid-file={run}/munged.pid", f"--seed-file={run}/munged.seed", f"--log-file={run}/munged.log"])
        self.wait_until((run / "munge.socket").exists, "munged")

    def start(self, name, words):
        with (self.folder / f"{name}.out").open("ab") as log:
            self.processes[name] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                    start_new_session=True)

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-N", node, "-L", str(self.folder / f"{node}.log")])

    def kill_node(self, node):
        """As when a machine fails: the daemon and all that it runs are gone at once."""
        daemon = self.processes.pop(node)
        os.kill(daemon.pid, signal.SIGKILL)
        daemon.wait()
        for job in self.jobs_on(node):
            kill_tree(parent_of(job))  # the process of Slurm that watches it
            kill_tree(job)

    def jobs_on(self, node):
        """Processes of jobs: Slurm tells them where they run."""
        marks = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.folder}/slurm.conf".encode()}
        return [pid for pid in descendants(os.getpid()) if marks <= set(environment_of(pid).split(b"\0"))]

    def run(self, *words, check=True):
        return subprocess.run(words, env=self.environment, check=check, capture_output=True, text=True).stdout

    def all_idle(self):
        answer = subprocess.run(["sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %T"], env=self.environment, capture_output=True, text=True)
        return answer.returncode == 0 and sorted(answer.stdout.split("\n"))[1:] == [f"{node} idle" for node in sorted(self.nodes)]

    def state_of(self, node):
        return self.run("sinfo", "--noheader", "--Node", "--partition=main", f"--nodes={node}", "--format=%T", check=False).strip()

    def wait_until(self, condition, what, seconds=START_SECONDS):
        """Looks four times a second: daemons have no other way to say that they are ready."""
        end = time.monotonic() + seconds
        while not condition():
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with {process.returncode}")
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s for {what}")
            time.sleep(0.25)

    @staticmethod
    def reap():
        """Waits for all that was left to this process; nothing of it lives any more."""
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass

    def show_logs(self):
        for log in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]):
            lines = log.read_text(errors="replace").splitlines()
            for line in lines[-15:]:
                print(f"{log.name}: {line}", file=sys.stderr)

    def stop(self):
        if "slurmctld" in self.processes:
            subprocess.run(["scancel", "--user=root", "--full"], env=self.environment, capture_output=True, timeout=30)
        for process in reversed(list(self.processes.values())):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for left in descendants(os.getpid()):  # of killed nodes
            kill_tree(left)
        self.reap()
        self.processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def adopt_orphans():
    """Processes whose parent ends become children of this one, so that none can be lost (prctl's PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)


def all_parents():
    """The parent of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            found[int(entry.name)] = parent_of(int(entry.name))
    return found


def descendants(pid):
    parents = all_parents()
    found, new = [], [pid]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


def parent_of(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def environment_of(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def kill_tree(pid):
    if pid is None or pid == os.getpid():
        return
    tree = [pid, *descendants(pid)]
    for one in tree:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def end_cleanly_on_signals():
    """Whoever ends this process ends what it started, too."""
    def interrupt(*_):
        raise KeyboardInterrupt
    for wanted in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(wanted, interrupt)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    end_cleanly_on_signals()
    with Cluster() as cluster:
        sys.exit(subprocess.run(sys.argv[1:], env=cluster.environment).returncode)


if __name__ == "__main__":
    main()
