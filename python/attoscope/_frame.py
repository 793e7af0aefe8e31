"""A table of runs that other packages read through Arrow's PyCapsule interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _html
from ._arguments import nearest
from .errors import MissingError

if TYPE_CHECKING:
    from ._result import Result

__all__ = ["Frame"]

_SHOWN = 20  # rows that a notebook or a terminal shows


class Frame(Mapping[str, Any]):
    """Columns by name, each a NumPy array with one entry a run.

    ``pandas.DataFrame(frame)``, ``polars.DataFrame(frame)`` and DuckDB's ``FROM frame`` read it.
    """

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Any:
        try:
            return self._columns[name]
        except KeyError:
            raise MissingError(
                f"there is no column '{name}'" + nearest(str(name), self._columns), ", ".join(self._columns)
            ) from None

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows = len(next(iter(self._columns.values()))) if self._columns else 0
        return rows, len(self._columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        try:
            import nanoarrow
        except ImportError as error:
            raise MissingError("nanoarrow is not installed", "pip install 'attoscope[data]'") from error
        fields, arrays = {}, []
        for name, column in self._columns.items():
            kind = column.dtype.kind
            if kind == "b":
                fields[name], values = nanoarrow.bool_(), column.tolist()
            elif kind in "iu":
                fields[name], values = nanoarrow.int64(), column
            elif kind == "f":
                fields[name], values = nanoarrow.float64(), column
            else:
                fields[name], values = nanoarrow.string(), [str(one) for one in column]
            arrays.append(nanoarrow.c_array(values, fields[name]))
        schema = nanoarrow.struct(fields)
        array = nanoarrow.c_array_from_buffers(schema, self.shape[0], buffers=[None], children=arrays)
        return nanoarrow.c_array_stream(nanoarrow.Array(array)).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`."""
        try:
            import pandas
        except ImportError as error:
            raise MissingError("pandas is not installed", "pip install 'attoscope[data]'") from error
        return pandas.DataFrame(dict(self._columns))

    def _cells(self) -> list[list[str]]:
        """The first rows as texts."""
        shown = range(min(_SHOWN, self.shape[0]))
        return [[_text(column[row]) for column in self._columns.values()] for row in shown]

    def _rest(self) -> str:
        more = self.shape[0] - _SHOWN
        return f"{more} more runs" if more > 0 else ""

    def __repr__(self) -> str:
        rows = [list(self._columns), *self._cells()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self._columns))]
        lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in rows]
        return "\n".join([*lines, *filter(None, [self._rest()])])

    def _repr_html_(self) -> str:
        rest = f"<p>{self._rest()}</p>" if self._rest() else ""
        return _html.table(self._columns, self._cells(), align="right") + rest


def frame_of(result: Result) -> Frame:
    import numpy as np

    runs = result.runs
    cells = [cell["overrides"] for cell in result.cells]
    keys = list(dict.fromkeys(key for cell in cells for key in cell))
    columns: dict[str, Any] = {}
    for key in keys:
        columns[key] = np.array([_plain(cells[run["cell"]].get(key)) for run in runs])
    columns["seed"] = np.array([run["seed"] for run in runs], dtype=np.int64)
    columns["run"] = np.array([run["id"] for run in runs], dtype=object)
    columns["diverged"] = np.array([run["diverged"] for run in runs], dtype=bool)
    for quantity in result.quantities:
        values, censored = result.outcome(quantity)
        columns[quantity] = values
        if censored.any():
            columns[f"{quantity}.censored"] = censored
    return Frame(columns)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, (list, dict)) else value
