"""Columns by name, for pandas, polars and pyarrow, none of which is needed before it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Column = Any


class Table(Mapping[str, Column]):
    """Columns of the same length by name: NumPy arrays of numbers, lists of anything else."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            near = difflib.get_close_matches(name, self._columns, 1)
            hint = f' (did you mean "{near[0]}"?)' if near else ""
            raise KeyError(f'there is no column "{name}"{hint}')
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns; `rows` is that of rows."""
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return next((len(column) for column in self._columns.values()), 0)

    def row(self, index: int) -> dict[str, Any]:
        """One row by the names of its columns."""
        return {name: column[index] for name, column in self._columns.items()}

    def to_arrow(self) -> pyarrow.Table:
        """A table of pyarrow. Columns of numbers are not copied."""
        import pyarrow

        def array(column: Column) -> Any:
            # A buffer of the array's own memory.
            if isinstance(column, np.ndarray) and column.dtype == np.float64 and column.size > 0:
                buffer = pyarrow.py_buffer(column)
                return pyarrow.Array.from_buffers(pyarrow.float64(), len(column), [None, buffer])
            return pyarrow.array(column)

        return pyarrow.table({name: array(column) for name, column in self._columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """A frame of pandas."""
        import pandas

        frame: pandas.DataFrame = pandas.DataFrame(self._columns)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A frame of polars, over the memory of `to_arrow`."""
        import polars

        frame: polars.DataFrame = polars.DataFrame(self.to_arrow())
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.rows} rows of {', '.join(self._columns)}>"


def names(prefix: str, columns: Sequence[str]) -> list[str]:
    """The columns that begin with a prefix."""
    return [column for column in columns if column.startswith(prefix)]
