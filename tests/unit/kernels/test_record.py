"""Rows of tables."""

import numpy as np
import pytest

from dalembert.kernels.compile.record import LINE, QUAD, record, record_in_lines, zeros_in_lines

FIELDS = ("a", "f8", 9), ("n", "i8"), ("b", "f8", 4)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_tables_in_lines_begin_at_a_line(count):
    table = zeros_in_lines(count, record_in_lines(*FIELDS))
    assert table.shape == (count,) and table.dtype.itemsize % LINE == 0
    assert count == 0 or table.ctypes.data % LINE == 0


def test_rows_in_lines_hold_the_same_fields():
    plain, wide = np.zeros(2, record(*FIELDS)), zeros_in_lines(2, record_in_lines(*FIELDS))
    assert wide.dtype.names == plain.dtype.names
    for table in (plain, wide):
        table[1].a[2], table[1].n = 3.5, 7
    assert all(np.array_equal(wide[name], plain[name]) for name in plain.dtype.names)


def test_no_quad_lies_in_two_lines():
    kind = record_in_lines(("order", "i8"), ("a", "f8", 4), ("u", "f8"), ("A", "f8", 12))
    assert [kind.fields[name][1] % QUAD for name in "aA"] == [0, 0]
