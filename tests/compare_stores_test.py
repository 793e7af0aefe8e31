"""scripts/compare_stores.py finds every kind of difference between two stores, and none where there is none."""

import contextlib
import importlib.util
import io
import json
import sqlite3
import struct
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else Path(__file__).resolve().parent.parent

spec = importlib.util.spec_from_file_location("compare_stores", ROOT / "scripts" / "compare_stores.py")
compare_stores = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare_stores)

# The tables of docs/store-format.md that the comparison reads.
TABLES = """
CREATE TABLE runs (id TEXT PRIMARY KEY, engine_revision INTEGER NOT NULL, config TEXT NOT NULL, init_seed INTEGER NOT NULL,
  data_seed INTEGER NOT NULL, steps_done INTEGER NOT NULL, diverged_at INTEGER, stopped_early INTEGER NOT NULL, best_loss REAL,
  series_count INTEGER NOT NULL, weights_count INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE series (run_id TEXT NOT NULL, position INTEGER NOT NULL, address TEXT NOT NULL, shape TEXT NOT NULL,
  dtype TEXT NOT NULL, steps BLOB NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (run_id, address));
CREATE TABLE weights (run_id TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, shape TEXT NOT NULL,
  dtype TEXT NOT NULL, data BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (run_id, name));
CREATE TABLE timings (run_id TEXT PRIMARY KEY, seconds REAL NOT NULL, checksum INTEGER NOT NULL);
PRAGMA application_id = 0x4174746F;
PRAGMA user_version = 2;
"""
A, B = "a" * 32, "b" * 32


def add_run(store, run_id):
    """A run with two series (three scalars, two pairs) and one matrix of 1 x 2."""
    store.execute("INSERT INTO runs VALUES (?, 5, '{\"data.vocab\":3}', 1, 2, 20, NULL, 0, 0.0, 2, 1, 11)", (run_id,))
    store.execute("INSERT INTO series VALUES (?, 0, 'loss', '[]', '<f8', ?, ?, 12)",
                  (run_id, struct.pack("<3q", 0, 10, 20), struct.pack("<3d", 1.0, 0.5, float("nan"))))
    store.execute("INSERT INTO series VALUES (?, 1, 'embedding', '[2]', '<f4', ?, ?, 13)",
                  (run_id, struct.pack("<2q", 0, 20), struct.pack("<4f", 1, 2, 3, 4)))
    store.execute("INSERT INTO weights VALUES (?, 0, 'W_E', '[1,2]', '<f4', ?, 14)", (run_id, struct.pack("<2f", 1, 0.0)))
    store.execute("INSERT INTO timings VALUES (?, 0.25, 15)", (run_id,))


VERDICTS = [
    {"study": "one", "claim": "X.1", "statement": "It grows", "published": "2", "source": "a paper", "note": "", "verdict": "supported",
     "estimate": 2.0, "region": [1.0, "inf"], "fit": {"exponents": {"length": {"low": 0.9}}}},
    {"study": "one", "claim": "X.2", "statement": "It falls", "published": "3", "source": "a paper", "note": "", "verdict": "refuted",
     "estimate": None, "region": ["-inf", 1.0]},
]


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def store(self, name, *statements, runs=(A, B)):
        """Makes a store of these runs, then carries out SQL statements on it, each a text or (text, parameters)."""
        path = self.folder / name
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.executescript("PRAGMA synchronous = OFF;" + TABLES)
            for run_id in runs:
                add_run(database, run_id)
            for statement in statements:
                text, parameters = (statement, ()) if isinstance(statement, str) else statement
                changed = database.execute(text, parameters).rowcount
                self.assertNotEqual(changed, 0, f"changes nothing: {text}")
        return str(path)

    def verdicts(self, name, value):
        path = self.folder / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return str(path)

    def compare(self, *arguments):
        """The exit status and what was printed, paths shortened to names."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = compare_stores.main(list(arguments))
            except SystemExit as stopped:
                status = stopped.code
        return status, output.getvalue().replace(f"{self.folder}/", "").splitlines()

    def differences(self, *statements):
        """What is found in a store changed by these statements, both ways round: the lists must be equally long."""
        for path in self.folder.iterdir():
            path.unlink()
        old, new = self.store("old.db"), self.store("new.db", *statements)
        status, lines = self.compare(old, new)
        self.assertEqual(status, 1 if len(lines) > 1 else 0, lines)
        self.assertEqual(len(self.compare(new, old)[1]), len(lines))
        return lines[:-1]


class Stores(Comparison):
    def test_that_are_the_same(self):
        old, new = self.store("old.db"), self.store("new.db", runs=(B, A))
        self.assertEqual(self.compare(old, new), (0, ["compared 2 common runs: the same"]))
        self.assertEqual(self.compare(old, old)[0], 0)

    def test_do_not_differ_by_time_or_format(self):
        self.assertEqual(self.differences("UPDATE timings SET seconds = 9, checksum = 0"), [])
        old = self.store("first.db")
        new = self.store("second.db", "PRAGMA user_version = 1")
        self.assertEqual(self.compare(old, new)[0], 0)

    def test_that_lack_runs(self):
        old, new = self.store("old.db", runs=(A,)), self.store("new.db", runs=(B,))
        self.assertEqual(self.compare(old, new), (1, [f"run {A}: only in old.db", f"run {B}: only in new.db",
                                                      "compared 0 common runs: 2 differences"]))

    def test_that_differ_in_what_a_run_is(self):
        for change, message in {
                "engine_revision = 6": "engine revision differs: 5 and 6",
                "config = '{\"data.vocab\": 3}'": "canonical text differs",
                "init_seed = 7": "init_seed differs: 1 and 7",
                "data_seed = 7": "data_seed differs: 2 and 7",
                "steps_done = 19": "steps done differs: 20 and 19",
                "diverged_at = 0": "divergence differs: None and 0",
                "stopped_early = 1": "stop differs: 0 and 1",
                "best_loss = 1e-300": "best_loss differs: 0.0 and 1e-300",
                "best_loss = NULL": "best_loss differs: 0.0 and None"}.items():
            with self.subTest(change):
                self.assertEqual(self.differences(f"UPDATE runs SET {change} WHERE id = '{B}'"), [f"run {B}: {message}"])

    def test_that_differ_in_a_series(self):
        other_nan = struct.pack("<2d", 1.0, 0.5) + b"\1" + struct.pack("<d", float("nan"))[1:]
        for change, parameters, message in [
                ("data = ?", (struct.pack("<3d", 1.0, -0.5, float("nan")),), "values differ in 1 of 3 measurements, first at step 10"),
                ("data = ?", (other_nan,), "values differ in 1 of 3 measurements, first at step 20"),
                ("data = ?", (struct.pack("<2d", 1.0, 0.5),), "values differ: 24 and 16 bytes"),
                ("steps = ?", (struct.pack("<3q", 0, 11, 20),), "steps differ"),
                ("shape = '[1]'", (), "shapes differ"),
                ("dtype = '<i8'", (), "number types differ")]:
            with self.subTest(message):
                statement = (f"UPDATE series SET {change} WHERE run_id = '{A}' AND address = 'loss'", parameters)
                self.assertEqual(self.differences(statement), [f"run {A}: series loss: {message}"])

    def test_that_differ_in_an_array_series(self):
        statement = ("UPDATE series SET data = ? WHERE run_id = ? AND address = 'embedding'", (struct.pack("<4f", 1, 2, 3, 5), A))
        self.assertEqual(self.differences(statement), [f"run {A}: series embedding: values differ in 1 of 2 measurements, first at step 20"])

    def test_that_differ_in_a_matrix(self):
        for change, parameters, message in [("data = ?", (struct.pack("<2f", 1, -0.0),), "values differ"),
                                            ("shape = '[2,1]'", (), "shapes differ"), ("dtype = '<i4'", (), "number types differ")]:
            with self.subTest(message):
                statement = (f"UPDATE weights SET {change} WHERE run_id = '{A}'", parameters)
                self.assertEqual(self.differences(statement), [f"run {A}: weights W_E: {message}"])

    def test_that_name_or_order_parts_otherwise(self):
        self.assertEqual(self.differences(f"UPDATE series SET address = 'lost' WHERE run_id = '{A}' AND address = 'loss'"),
                         [f"run {A}: series loss: only in old.db", f"run {A}: series lost: only in new.db"])
        self.assertEqual(self.differences(f"UPDATE weights SET name = 'W_U' WHERE run_id = '{A}'"),
                         [f"run {A}: weights W_E: only in old.db", f"run {A}: weights W_U: only in new.db"])
        self.assertEqual(self.differences(f"UPDATE series SET position = 1 - position WHERE run_id = '{A}'"),
                         [f"run {A}: series or weights in another order"])
        self.assertEqual(self.differences(f"DELETE FROM weights WHERE run_id = '{A}'", f"UPDATE runs SET weights_count = 0 WHERE id = '{A}'"),
                         [f"run {A}: weights W_E: only in old.db"])

    def test_with_many_differences_get_a_short_list(self):
        old, new = self.store("old.db"), self.store("new.db", "UPDATE runs SET steps_done = 3, engine_revision = 6")
        status, lines = self.compare(old, new, "--lines", "3")
        self.assertEqual((status, len(lines)), (1, 5))
        self.assertEqual(lines[3:], ["... and 1 more", "compared 2 common runs: 4 differences"])


class Files(Comparison):
    def cannot_read(self, path, reason):
        for arguments in ((path, self.store("good.db")), (str(self.folder / "good.db"), path)):
            status, lines = self.compare(*arguments)
            self.assertEqual((status, len(lines)), (2, 1), lines)
            self.assertIn(reason, lines[0])
            self.assertIn(Path(path).name, lines[0])
        (self.folder / "good.db").unlink()

    def test_that_are_no_stores(self):
        self.cannot_read(str(self.folder / "missing.db"), "no such file")
        self.cannot_read(self.verdicts("text.db", "no database at all" * 100), "not a database")
        self.cannot_read(self.store("foreign.db", "PRAGMA application_id = 1"), "not an Attoscope store")
        self.cannot_read(self.store("future.db", "PRAGMA user_version = 99"), "format 99")

    def test_that_are_damaged(self):
        self.cannot_read(self.store("half.db", f"DELETE FROM series WHERE run_id = '{A}' AND address = 'loss'"), "should have 2 series and has 1")
        self.cannot_read(self.store("column.db", "ALTER TABLE weights DROP COLUMN dtype"), "dtype")

    def test_are_left_as_they_are(self):
        path = Path(self.store("old.db"))
        before = path.read_bytes()
        self.compare(str(path), self.store("new.db"))
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["new.db", "old.db"])

    def test_must_be_two(self):
        self.assertEqual(self.compare(self.store("old.db"))[0], 2)


class Verdicts(Comparison):
    def differences_of(self, new):
        """What is found when the verdicts `new` are compared with VERDICTS."""
        for path in self.folder.iterdir():
            path.unlink()
        store = self.store("one.db")
        status, lines = self.compare(store, store, "--verdicts", self.verdicts("old.json", VERDICTS), self.verdicts("new.json", new))
        self.assertEqual(status, 1 if len(lines) > 1 else 0, lines)
        self.assertIn("and the verdicts", lines[-1])
        return lines[:-1]

    def changed(self, **changes):
        return self.differences_of([VERDICTS[0] | changes, VERDICTS[1]])

    def test_do_not_differ_by_prose(self):
        for key in ("statement", "published", "note", "source"):
            self.assertEqual(self.changed(**{key: "put otherwise"}), [], key)
        without_note = [{k: v for k, v in verdict.items() if k != "note"} for verdict in VERDICTS]
        self.assertEqual(self.differences_of(without_note), [])
        self.assertEqual(self.differences_of([dict(reversed(verdict.items())) for verdict in VERDICTS]), [])

    def test_differ_by_anything_else(self):
        name = "verdict one X.1"
        self.assertEqual(self.changed(verdict="refuted"), [f'{name}: verdict is "supported" and "refuted"'])
        self.assertEqual(self.changed(estimate=2.0000000000000004), [f"{name}: estimate is 2.0 and 2.0000000000000004"])
        self.assertEqual(self.changed(estimate=None), [f"{name}: estimate is 2.0 and null"])
        self.assertEqual(self.changed(region=[1.0, 2.0]), [f'{name}: region[1] is "inf" and 2.0'])
        self.assertEqual(self.changed(region=[1.0]), [f'{name}: region is [1.0, "inf"] and [1.0]'])
        self.assertEqual(self.changed(fit={"exponents": {"length": {"low": 0.8}}}), [f"{name}: fit.exponents.length.low is 0.9 and 0.8"])
        self.assertEqual(self.changed(fit={}), [f"{name}: fit.exponents is in one only"])
        self.assertEqual(self.changed(seeds=3), [f"{name}: seeds is in one only"])

    def test_differ_by_their_claims(self):
        self.assertEqual(self.differences_of(VERDICTS[:1]), ["verdict one X.2: only in old.json"])
        self.assertEqual(self.differences_of([*VERDICTS, VERDICTS[0]]), ["verdict one X.1: only in new.json"])
        self.assertEqual(self.differences_of(VERDICTS[::-1]), ["verdicts in another order in new.json"])

    def test_that_cannot_be_read(self):
        store, good = self.store("one.db"), self.verdicts("good.json", VERDICTS)
        for bad in (str(self.folder / "missing.json"), self.verdicts("broken.json", "[{"), self.verdicts("number.json", "3"),
                    self.verdicts("other.json", '[{"study": "one"}]')):
            status, lines = self.compare(store, store, "--verdicts", good, bad)
            self.assertEqual((status, len(lines)), (2, 1), bad)
            self.assertIn(Path(bad).name, lines[0])


if __name__ == "__main__":
    unittest.main()
