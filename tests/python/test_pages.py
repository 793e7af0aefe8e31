"""The scripts that make notebooks and the reference, on made-up sources."""

import importlib.util
import pathlib

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def load(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def notebooks():
    pytest.importorskip("nbformat")
    return load("notebooks")


@pytest.fixture(scope="module")
def reference():
    return load("reference")


def test_cells_of_a_script(notebooks):
    cells = notebooks.read_cells("# %% [markdown]\n# # Title\n#\n# text\n\n# %%\nx = 1\n\n\n# %% named\nx\n")
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "code"]
    assert [cell.source for cell in cells] == ["# Title\n\ntext", "x = 1", "x"]
    assert [cell.id for cell in cells] == ["cell-1", "cell-2", "cell-3"]
    with pytest.raises(SystemExit, match="at least one cell"):
        notebooks.read_cells("x = 1\n")


def printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def test_what_is_printed_is_one_piece(notebooks):
    outputs = [printed("a"), printed("b"), printed("c", "stderr"), printed("d"), {"output_type": "display_data"}]
    assert [output.get("text") for output in notebooks.joined(outputs)] == ["ab", "c", "d", None]


def test_paths_of_the_machine_are_refused(notebooks):
    notebook = notebooks.new_notebook("# %%\nprint(1)\n")
    notebook.cells[0].outputs = [printed(f"see {notebooks.FOLDER}")]
    with pytest.raises(SystemExit, match="path of this machine"):
        notebooks.clean(notebook, "/nowhere")


def test_figures_need_a_picture(notebooks):
    notebook = notebooks.new_notebook("# %%\nfigure\n")
    vega = {f"application/vnd.vegalite.v{version}+json": {} for version in (5, 6)}
    notebook.cells[0].outputs = [{"output_type": "display_data", "data": dict(vega)}]
    assert notebooks.lacks_picture(notebook)
    notebook.cells[0].outputs[0]["data"]["image/svg+xml"] = "<svg/>"
    assert not notebooks.lacks_picture(notebook)
    notebooks.clean(notebook, "/nowhere")
    assert list(notebook.cells[0].outputs[0]["data"]) == ["application/vnd.vegalite.v5+json", "image/svg+xml"]


def test_calls(reference):
    def short(a: int, /, b="x", *, c=None) -> str: ...
    def long(self, first_argument: "dict[str, int]" = {}, **the_settings_that_are_left: "dict[str, list[float]]"): ...
    assert reference.signature("short", short) == "short(a: <class 'int'>, /, b = 'x', *, c = None) -> <class 'str'>"
    wide = reference.signature("a_name_that_makes_the_line_longer_than_a_page_is_wide", long)
    assert wide.splitlines()[1:] == [
        "    first_argument: dict[str, int] = {},", "    **the_settings_that_are_left: dict[str, list[float]],", ")",
    ]  # fmt: skip


def test_docstrings_as_pages(reference):
    doc = """What ``it`` does,
    on two lines.

    Arguments:
        a, b: the ends,
            both inside.
        c: the rest.

    >>> it()  # doctest: +SKIP
    1
    """
    assert reference.prose(doc) == (
        "What `it` does, on two lines.\n\nArguments:\n\n- `a`, `b`: the ends, both inside.\n- `c`: the rest.\n\n"
        "```python\n>>> it()\n1\n```"
    )


def test_a_name_without_docstring_is_refused(reference):
    def bare(): ...
    with pytest.raises(SystemExit, match="bare has no docstring"):
        reference.documented("bare", bare)
