#!/usr/bin/env python3
"""Prints the rows of a store as the JSON that tests/lab/store/old_stores_test.cpp compares with.

    python3 expected.py STORE

It reads with sqlite3 and without any code of Attoscope, so a mistake of the reader under test cannot hide here.
Blobs are printed as hexadecimal bytes. Checksums are left out: the reader under test checks them.
"""
import json
import sqlite3
import sys


def rows(store, query, *values):
    cursor = store.execute(query, values)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield {name: value.hex() if isinstance(value, bytes) else value
               for name, value in zip(names, row) if name != "checksum"}


def main(path):
    store = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    expected = {"format": store.execute("PRAGMA user_version").fetchone()[0]}
    expected["runs"] = list(rows(store, "SELECT * FROM runs ORDER BY id"))
    for run in expected["runs"]:
        run["seconds"], = store.execute("SELECT seconds FROM timings WHERE run_id = ?", (run["id"],)).fetchone()
        for part in "series", "weights":
            run[part] = list(rows(store, f"SELECT * FROM {part} WHERE run_id = ? ORDER BY position", run["id"]))
    expected["members"] = list(rows(store, "SELECT * FROM members ORDER BY study, profile, position"))
    expected["verdicts"] = list(rows(store, "SELECT * FROM verdicts ORDER BY study, profile"))
    has_checkpoints = store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'").fetchone()
    expected["checkpoints"] = list(rows(store, "SELECT * FROM checkpoints ORDER BY run_id")) if has_checkpoints else []
    if store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'questions'").fetchone():
        expected["questions"] = list(rows(store, "SELECT * FROM questions ORDER BY study, profile, claim, position"))
    print(json.dumps(expected, indent=1, allow_nan=False))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
