"""Dask's LocalCluster as the executor of a study."""

import os
import signal

import dask
import distributed
import pytest


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):  # a pack whose worker dies is ours to send again
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_a_client_trains_the_same(client, same, small_packs):
    same(client)


def test_its_executor_trains_the_same(client, same):
    same(client.get_executor())


def kill_this_worker_once(marker):
    """Ends the worker's process the first time, in the middle of a task."""
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)


class Killing:
    """Dask, one of whose workers dies in the middle of the first pack."""

    def __init__(self, client, marker):
        self.client, self.marker = client, marker

    def submit(self, function, *arguments):
        return self.client.submit(train_after, self.marker, function, *arguments, retries=0)


def train_after(marker, function, *arguments):
    kill_this_worker_once(marker)
    return function(*arguments)


def test_a_worker_may_die(client, same, small_packs, tmp_path):
    same(Killing(client, str(tmp_path / "died")))
    assert (tmp_path / "died").exists()
