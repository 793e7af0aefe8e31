#!/usr/bin/env python3
"""Reads an Attoscope store with nothing but sqlite3 and NumPy.

    python3 read_store.py STORE                    the runs it holds
    python3 read_store.py STORE RUN                what a run holds (the first digits of its id suffice)
    python3 read_store.py STORE RUN perplexity     a series, one measurement a line

docs/store-format.md describes the tables.
"""
import json
import signal
import sqlite3
import sys

import numpy as np

APPLICATION_ID, FORMATS = 0x4174746F, (1, 2, 3)  # later formats add checkpoints and questions, which this script does not read


def open_store(path):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    store.row_factory = sqlite3.Row
    if store.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        sys.exit(f"{path} is not an Attoscope store")
    found = store.execute("PRAGMA user_version").fetchone()[0]
    if found not in FORMATS:
        sys.exit(f"{path} has format {found}, this script reads formats {FORMATS}")
    return store


def series(store, run_id, address):
    """Steps, shape (T,), and values, shape (T, *shape of one measurement)."""
    row = store.execute("SELECT * FROM series WHERE run_id = ? AND address = ?", (run_id, address)).fetchone()
    if row is None:
        sys.exit(f"run {run_id} has no series {address}")
    steps = np.frombuffer(row["steps"], dtype="<i8")
    return steps, np.frombuffer(row["data"], dtype=row["dtype"]).reshape(len(steps), *json.loads(row["shape"]))


def weights(store, run_id):
    """The matrices at the end of the run, by name."""
    rows = store.execute("SELECT * FROM weights WHERE run_id = ? ORDER BY position", (run_id,))
    return {row["name"]: np.frombuffer(row["data"], dtype=row["dtype"]).reshape(json.loads(row["shape"])) for row in rows}


def find_run(store, prefix):
    ids = [row["id"] for row in store.execute("SELECT id FROM runs WHERE substr(id, 1, ?) = ?", (len(prefix), prefix))]
    if len(ids) != 1:
        sys.exit(f"{len(ids)} runs start with {prefix}")
    return ids[0]


def main(path, run=None, address=None):
    store = open_store(path)
    if run is None:
        for row in store.execute("SELECT * FROM runs ORDER BY id"):
            config = json.loads(row["config"])
            end = "diverged" if row["diverged_at"] is not None else f"{row['steps_done']} steps"
            print(row["id"], f"V={config['data.vocab']} d={config['network.width']} seed={row['init_seed']}", end)
    elif address is None:
        run = find_run(store, run)
        for row in store.execute("SELECT address FROM series WHERE run_id = ? ORDER BY position", (run,)):
            steps, values = series(store, run, row["address"])
            print(f"{row['address']}: {len(steps)} measurements of shape {values.shape[1:]}")
        for name, matrix in weights(store, run).items():
            print(f"{name}: {matrix.shape[0]} x {matrix.shape[1]}")
    else:
        for step, value in zip(*series(store, find_run(store, run), address)):
            print(step, np.array2string(value, separator=", "))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly when the reader of a pipe does
    main(*sys.argv[1:])
