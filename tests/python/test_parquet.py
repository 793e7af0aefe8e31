"""Tables of a study in Parquet files, as DuckDB and polars read them."""

import math

import pytest

from attoscope import _core

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")

STUDY = """title = "Tables"
[data]
vocab = 4
[training]
batch = 32
steps = 40
[sweep.grid]
network.width = [1, 2]
training.rate = [0.01, 1]
[seeds]
count = 3
[[observe]]
what = ["loss", "embedding"]
every = 10
[[phenomenon]]
detector = "emergence"
name = "fallen"
series = "loss"
threshold = 1.2
hold = 1
[[claim]]
id = "falls"
statement = "The loss falls, with ü and 'quotes'"
quantity = "fallen.emerged"
statistic = "rate"
region = [0.5, 1]
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "tables.toml").write_text(STUDY, encoding="utf-8")
    store = ["--store", str(folder / "runs.db")]
    assert _core.run_program(["atto", "run", str(folder / "tables.toml"), *store, "--json"]) == 0
    for kind in ("parquet", "csv"):
        assert _core.run_program(["atto", "export", str(folder / "tables.toml"), *store, "--format", kind, "--output", str(folder)]) == 0
    return folder


def test_scalars_are_the_numbers_of_the_csv(tables):
    read = polars.read_parquet(tables / "tables.scalars.parquet")
    csv = polars.read_csv(tables / "tables.csv")
    assert read.columns == ["study", "network.width", "training.rate", "seed", "run", "observable", "step", "value"]
    assert read.height == csv.height == 4 * 3 * 5
    assert read["value"].to_list() == csv["value"].to_list()
    assert read["run"].to_list() == csv["run"].to_list()
    assert read["network.width"].dtype == polars.Int64 and read["training.rate"].dtype == polars.Float64
    assert read["step"].to_list() == csv["step"].to_list()


def test_duckdb_reads_the_same(tables):
    for table in ("scalars", "outcomes", "verdicts"):
        path = tables / f"tables.{table}.parquet"
        rows = duckdb.sql(f"SELECT * FROM '{path}'").fetchall()
        expected = polars.read_parquet(path).rows()
        assert len(rows) == len(expected) > 0
        for row, other in zip(rows, expected):
            for a, b in zip(row, other):
                assert a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
    shares = duckdb.sql(f"""SELECT "network.width", avg(value) FROM '{tables}/tables.outcomes.parquet'
                            WHERE quantity = 'fallen.emerged' GROUP BY 1 ORDER BY 1""").fetchall()
    assert [width for width, _ in shares] == [1, 2]


def test_tables_are_joined_by_cell_and_seed(tables):
    keys = '"network.width", "training.rate", seed'
    rows = duckdb.sql(f"""SELECT s.run, o.run, seed FROM
                          (SELECT DISTINCT {keys}, run FROM '{tables}/tables.scalars.parquet') s FULL JOIN
                          (SELECT DISTINCT {keys}, run FROM '{tables}/tables.outcomes.parquet') o USING ({keys})""").fetchall()
    assert len(rows) == 12 and all(measured == answered for measured, answered, _ in rows)
    assert sorted({seed for _, _, seed in rows}) == [1, 2, 3]  # as in the study, and as in the CSV
    assert sorted(set(polars.read_csv(tables / "tables.csv")["seed"])) == [1, 2, 3]


def test_outcomes_that_are_missing_are_null(tables):
    read = polars.read_parquet(tables / "tables.outcomes.parquet")
    emerged = read.filter(polars.col("quantity") == "fallen.emerged")
    steps = read.filter(polars.col("quantity") == "fallen.step")
    assert emerged.height == steps.height == 12
    assert read["censored"].dtype == polars.Boolean
    for seen, step, censored in zip(emerged["value"], steps["value"], steps["censored"]):
        assert seen in (0, 1) and (step is None or censored or seen == 1)


def test_verdicts_are_those_of_the_claims(tables):
    (row,) = polars.read_parquet(tables / "tables.verdicts.parquet").rows(named=True)
    assert row["claim"] == "falls" and row["statement"] == "The loss falls, with ü and 'quotes'"
    assert (row["region_low"], row["region_high"]) == (0.5, 1)
    assert row["verdict"] in ("supported", "refuted", "inconclusive")
    assert row["seeds"] == 12 and row["paired"] is False


def test_a_run_alone_is_one_table(tables):
    run = polars.read_parquet(tables / "tables.scalars.parquet")["run"][0]
    path = tables / "one.parquet"
    assert _core.run_program(["atto", "export", run, "--store", str(tables / "runs.db"), "--format", "parquet", "--output", str(path)]) == 0
    assert polars.read_parquet(path)["run"].unique().to_list() == [run]


def test_large_tables_have_several_groups(tables, tmp_path):
    """More rows than one group holds; each is read."""
    (tmp_path / "long.toml").write_text(STUDY.replace("steps = 40", "steps = 20000").replace("every = 10", "every = 1")
                                        .replace('"loss", "embedding"', '"loss"').replace("[1, 2]", "[1]")
                                        .replace("[0.01, 1]", "[0.01, 0.02]"), encoding="utf-8")
    words = [str(tmp_path / "long.toml"), "--store", str(tmp_path / "runs.db")]
    assert _core.run_program(["atto", "run", *words, "--json"]) == 0
    assert _core.run_program(["atto", "export", *words, "--format", "parquet", "--output", str(tmp_path)]) == 0
    path = tmp_path / "long.scalars.parquet"
    assert duckdb.sql(f"SELECT count(*), sum(step) FROM '{path}'").fetchall()[0] == (6 * 20001, 6 * 20000 * 20001 // 2)
    assert polars.read_parquet(path)["value"].null_count() == 0
