#!/usr/bin/env python3
"""Says whether two stores hold the same results, bit for bit.

    scripts/compare_stores.py OLD.db NEW.db                                     the runs
    scripts/compare_stores.py OLD.db NEW.db --verdicts OLD.json NEW.json        the runs, and two outputs of `atto reproduce --json`

Two runs are the same if their canonical text, engine revision, steps, divergence and stop agree, and every byte of every series
(steps, shape, values) and weight matrix. Two verdicts are the same if everything but their prose agrees. How long a run took and
which studies it belongs to are not compared.

Exit status: 0 the same, 1 different, 2 one of the files cannot be read.
docs/store-format.md describes the tables.
"""
import argparse
import itertools
import json
import sqlite3
import sys
from pathlib import Path

APPLICATION_ID, FORMATS = 0x4174746F, (1, 2, 3)  # they differ in checkpoints and questions, which are not results
RUN = ["engine_revision", "config", "init_seed", "data_seed", "steps_done", "diverged_at", "stopped_early", "best_loss"]
# How each column of a run is called in a message; the others go by their own name.
COLUMN_NAMES = {"engine_revision": "engine revision", "config": "canonical text", "steps_done": "steps done",
                "diverged_at": "divergence", "stopped_early": "stop"}
# Also what is said of a claim beside its verdict: where it comes from, and when it was asked.
PROSE = {"statement", "published", "note", "source", "origin", "scope", "at", "calibrated", "status", "status_runs", "status_text"}


class Unreadable(Exception):
    """A file is not what it should be; the text says which and why."""


def same(a, b):
    """Equal to the last bit: 0.0 and -0.0 differ, and so do 1 and 1.0."""
    return type(a) is type(b) and (repr(a) == repr(b) if isinstance(a, float) else a == b)


class Store:
    """A store, opened for reading only."""

    def __init__(self, path):
        self.path = Path(path)
        if not self.path.is_file():
            raise Unreadable(f"{path}: no such file")
        address = self.path.resolve().as_uri() + "?mode=ro"
        # A store that was closed properly leaves no log. Only then can SQLite read it in a folder where nothing can be written.
        if not Path(f"{self.path}-wal").exists():
            address += "&immutable=1"
        self.database = sqlite3.connect(address, uri=True)
        self.database.row_factory = sqlite3.Row
        self.database.text_factory = bytes  # the bytes are compared, whatever they mean
        if self.rows("PRAGMA application_id")[0][0] != APPLICATION_ID:
            raise Unreadable(f"{path}: not an Attoscope store")
        found = self.rows("PRAGMA user_version")[0][0]
        if found not in FORMATS:
            raise Unreadable(f"{path}: format {found}; this script reads formats {', '.join(map(str, FORMATS))}")

    def rows(self, query, *arguments):
        try:
            return self.database.execute(query, arguments).fetchall()
        except sqlite3.Error as error:
            raise Unreadable(f"{self.path}: {error}") from error

    def run_ids(self):
        return {row["id"].decode() for row in self.rows("SELECT id FROM runs")}

    def run(self, run_id):
        """The run's row and its parts: {("series", address): row, ("weights", name): row}, in the order of the store."""
        run = self.rows(f"SELECT {', '.join(RUN)}, series_count, weights_count FROM runs WHERE id = ?", run_id)[0]
        parts = {}
        for table, key, columns in (("series", "address", "shape, dtype, steps, data"), ("weights", "name", "shape, dtype, data")):
            rows = self.rows(f"SELECT {key}, {columns} FROM {table} WHERE run_id = ? ORDER BY position", run_id)
            if len(rows) != run[f"{table}_count"]:
                raise Unreadable(f"{self.path}: run {run_id} should have {run[f'{table}_count']} {table} and has {len(rows)}")
            parts.update({(table, row[key].decode()): row for row in rows})
        return run, parts


def series_difference(old, new):
    """What differs between two rows of one series, or None."""
    for column, name in (("shape", "shapes"), ("dtype", "number types"), ("steps", "steps")):
        if not same(old[column], new[column]):
            return f"{name} differ"
    a, b, measurements = old["data"], new["data"], len(old["steps"]) // 8
    if a == b:
        return None
    if len(a) != len(b) or measurements == 0 or len(a) % measurements:
        return f"values differ: {len(a)} and {len(b)} bytes"
    size = len(a) // measurements
    different = [i for i in range(measurements) if a[i * size:(i + 1) * size] != b[i * size:(i + 1) * size]]
    first = int.from_bytes(old["steps"][different[0] * 8:different[0] * 8 + 8], "little", signed=True)
    return f"values differ in {len(different)} of {measurements} measurements, first at step {first}"


def weights_difference(old, new):
    """What differs between two rows of one weight matrix, or None."""
    for column, name in (("shape", "shapes"), ("dtype", "number types"), ("data", "values")):
        if not same(old[column], new[column]):
            return f"{name} differ"
    return None


def run_differences(old, new, run_id):
    (old_run, old_parts), (new_run, new_parts) = old.run(run_id), new.run(run_id)
    for column in RUN:
        a, b = old_run[column], new_run[column]
        if not same(a, b):
            values = "" if column == "config" else f": {a} and {b}"
            yield f"run {run_id}: {COLUMN_NAMES.get(column, column)} differs{values}"
    for table, name in [*old_parts, *(part for part in new_parts if part not in old_parts)]:
        part = f"run {run_id}: {table} {name}"
        a, b = old_parts.get((table, name)), new_parts.get((table, name))
        if a is None or b is None:
            yield f"{part}: only in {(old if b is None else new).path}"
        elif difference := (series_difference if table == "series" else weights_difference)(a, b):
            yield f"{part}: {difference}"
    if old_parts.keys() == new_parts.keys() and list(old_parts) != list(new_parts):
        yield f"run {run_id}: series or weights in another order"


def store_differences(old, new):
    old_ids, new_ids = old.run_ids(), new.run_ids()
    for store, ids in ((old, old_ids - new_ids), (new, new_ids - old_ids)):
        for run_id in sorted(ids):
            yield f"run {run_id}: only in {store.path}"
    for run_id in sorted(old_ids & new_ids):
        yield from run_differences(old, new, run_id)


def read_verdicts(path):
    """{(study, claim, 0 for the first of that name, 1 for the second ...): verdict}, in the order of the file."""
    try:
        verdicts = {}
        for verdict in json.loads(Path(path).read_text(encoding="utf-8")):
            number = sum(1 for key in verdicts if key[:2] == (verdict["study"], verdict["claim"]))
            verdicts[verdict["study"], verdict["claim"], number] = verdict
        return verdicts
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: {error}") from error
    except (TypeError, KeyError) as error:
        raise Unreadable(f"{path}: not the output of `atto reproduce --json`") from error


def json_difference(old, new, place=""):
    """The first place at which two JSON values differ, with both values, or None. Objects may list their keys in any order."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            name = f"{place}.{key}" if place else key
            if key not in old or key not in new:
                return f"{name} is in one only"
            if difference := json_difference(old[key], new[key], name):
                return difference
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        differences = (json_difference(a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(old, new)))
        return next(filter(None, differences), None)
    return None if same(old, new) else f"{place} is {json.dumps(old)} and {json.dumps(new)}"


def verdict_differences(old_path, new_path):
    old, new = read_verdicts(old_path), read_verdicts(new_path)
    for key in [*old, *(key for key in new if key not in old)]:
        name = f"verdict {key[0]} {key[1]}"
        if key not in old or key not in new:
            yield f"{name}: only in {old_path if key in old else new_path}"
            continue
        a, b = ({k: v for k, v in verdict[key].items() if k not in PROSE} for verdict in (old, new))
        if difference := json_difference(a, b):
            yield f"{name}: {difference}"
    if old.keys() == new.keys() and list(old) != list(new):
        yield f"verdicts in another order in {new_path}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--verdicts", nargs=2, metavar=("OLD.json", "NEW.json"))
    parser.add_argument("--lines", type=int, default=20, help="list at most so many differences (default 20)")
    options = parser.parse_args(arguments)
    try:
        old, new = Store(options.old), Store(options.new)
        found = store_differences(old, new)
        if options.verdicts:
            found = itertools.chain(found, verdict_differences(*options.verdicts))
        count = 0
        for count, difference in enumerate(found, 1):
            if count <= options.lines:
                print(difference)
    except (Unreadable, sqlite3.Error) as error:
        print(f"cannot compare: {error}", file=sys.stderr)
        return 2
    if count > options.lines:
        print(f"... and {count - options.lines} more")
    compared = f"{len(old.run_ids() & new.run_ids())} common runs" + (" and the verdicts" if options.verdicts else "")
    print(f"compared {compared}: " + ("the same" if count == 0 else f"{count} difference{'s' * (count > 1)}"))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
