"""submitit's executors: its own processes, and a Slurm cluster where there is one (ATTO_REQUIRE_SLURM=1 wants one)."""

import os
import shutil
import subprocess

import pytest
import submitit

HERE = os.path.dirname(os.path.dirname(__file__))


def test_local_processes_train_the_same(same, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.path.join(HERE, "python")]))
    same(submitit.LocalExecutor(folder=tmp_path / "jobs"))


def has_cluster():
    """Slurm's programs are there, and a cluster answers them."""
    if shutil.which("sbatch") is None:
        return False
    return subprocess.run(["sinfo", "--noheader"], capture_output=True, timeout=60).returncode == 0


@pytest.mark.skipif(os.environ.get("ATTO_REQUIRE_SLURM") != "1" and not has_cluster(), reason="no Slurm answers here")
def test_a_slurm_cluster_trains_the_same(same, small_packs, tmp_path_factory, monkeypatch):
    """Workers share the folder of submitit's files with us, as on every cluster, and nothing else."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.path.join(HERE, "python")]))
    folder = tmp_path_factory.mktemp("jobs")
    executor = submitit.SlurmExecutor(folder=folder, max_num_timeout=1)
    executor.update_parameters(time=5, cpus_per_task=1, **_parameters())
    same(executor)
    scripts = [path.read_text() for path in folder.glob("*_submission.sh")]
    assert len(scripts) == 16 and all("#SBATCH" in script for script in scripts)  # every run went through sbatch


def _parameters():
    """Of the cluster at hand: ATTO_SLURM_PARTITION names its partition."""
    partition = os.environ.get("ATTO_SLURM_PARTITION")
    return {"partition": partition} if partition else {}
