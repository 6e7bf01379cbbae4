"""Bundles: one address for kernels, a tuple for Python."""

import copy
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof

from dalembert.kernels.compile.bundle import BundleType, bundle, vectors
from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.compile.record import record

ROW = record(("count", "i8"), ("x", "f8", 3))


@bundle
class Inner(NamedTuple):
    """Bundle inside another one."""

    vector: np.ndarray
    cube: np.ndarray


@bundle
class Outer(NamedTuple):
    """Bundle with tables, matrices and a bundle."""

    row: np.ndarray
    matrix: np.ndarray
    inner: Inner
    last: np.ndarray


def make(n=3, seed=0):
    rng = np.random.default_rng(seed)
    row = np.zeros(n, ROW)
    row["count"], row["x"] = rng.integers(0, 9, n), rng.normal(size=(n, 3))
    return Outer(row, rng.normal(size=(n, n + 1)), Inner(rng.normal(size=n + 2), rng.normal(size=(n, 2, n + 3))), np.zeros(1))


@kernel
def gather(b, scale):
    """Read every field and write into the last."""
    total = 0.0
    for i in range(b.row.shape[0]):
        total += b.row[i].count * b.row[i].x[2]
    for i in range(b.matrix.shape[0]):
        for j in range(b.matrix.shape[1]):
            total += (i + 10 * j) * b.matrix[i, j]
    return total + gather_inner(b.inner, b.last, scale)


@kernel
def gather_inner(inner, out, scale):
    """Read the inner bundle; the slice of an array is an array."""
    total = 0.0
    for i in range(inner.vector.shape[0]):
        total += i * inner.vector[i]
    for i in range(inner.cube.shape[0]):
        plane = inner.cube[i, 1]
        for j in range(plane.shape[0]):
            total += (i + 2 * j) * plane[j]
    out[0] = scale * total
    return total


def expected(b):
    """The same by NumPy: inner part and whole."""
    i, j = np.indices(b.matrix.shape)
    k, m = np.indices(b.inner.cube[:, 1].shape)
    inner = np.arange(len(b.inner.vector)) @ b.inner.vector + np.sum((k + 2 * m) * b.inner.cube[:, 1])
    return inner, inner + b.row["count"] @ b.row["x"][:, 2] + np.sum((i + 10 * j) * b.matrix)


@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_a_kernel_reads_and_writes_the_arrays_of_a_bundle(n):
    b = make(n)
    inner, whole = expected(b)
    scale = 100 * np.finfo(float).eps * (1 + b.matrix.size + b.inner.cube.size) * 10 * (n + 1)
    assert gather(b, 2.0) == pytest.approx(whole, rel=0, abs=scale)
    assert b.last[0] == pytest.approx(2 * inner, rel=0, abs=2 * scale)


def test_bundles_of_any_size_have_one_type():
    assert typeof(make(1)) is typeof(make(7)) and isinstance(typeof(make(1)), BundleType)


def test_a_frozen_array_makes_another_type():
    b = make()
    b.matrix.setflags(write=False)
    assert typeof(b) != typeof(make())


def test_a_replaced_field_is_seen():
    b = make()
    gather(b, 1.0)
    other = b._replace(matrix=0 * b.matrix)
    assert gather(other, 1.0) == pytest.approx(expected(other)[1])


def test_a_deep_copy_has_addresses_of_its_own():
    b = make()
    gather(b, 1.0)
    twin = copy.deepcopy(b)
    twin.matrix[:] = 0.0
    assert gather(twin, 1.0) == pytest.approx(expected(twin)[1])


def test_scattered_arrays_are_refused():
    b = make()
    with pytest.raises(TypeError, match="contiguous"):
        _ = b._replace(matrix=b.matrix[:, ::2]).address


def test_numba_is_asked_once_for_the_type_of_a_table(monkeypatch):
    """It walks through all columns of a table, which takes longer than a short run."""
    known = make(3).kernel_type
    monkeypatch.setattr("dalembert.kernels.compile.bundle.typeof", None)
    assert make(7).kernel_type is known


def test_tables_that_must_not_be_written_have_a_type_of_their_own():
    fixed = make(3)
    fixed.matrix.flags.writeable = False
    assert fixed.kernel_type != make(3).kernel_type


class Pair(NamedTuple):
    """Two vectors."""

    a: np.ndarray
    b: np.ndarray


Quick, Plain = vectors(Pair), bundle(Pair)


@kernel
def twice(pair):
    for k in range(pair.b.shape[0]):
        pair.b[k] = 2.0 * pair.a[k]


def test_vectors_within_a_block_are_what_any_bundle_of_them_is():
    block = np.arange(7.0)
    made = Quick.within(block, block.ctypes.data, ((1, 3), (3, 7)))
    assert made.listed() == Plain(*made).listed() == [block.ctypes.data + 8, 2, block.ctypes.data + 24, 4]
    assert made.kernel_type.fields == Plain(*made).kernel_type.fields
    pair = Quick.within(block, block.ctypes.data, ((0, 3), (4, 7)))
    twice(pair)
    assert np.array_equal(block, [0, 1, 2, 3, 0, 2, 4])


def test_a_copy_of_vectors_has_a_memory_of_its_own():
    block = np.arange(6.0)
    made = Quick.within(block, block.ctypes.data, ((0, 3), (3, 6)))
    other = copy.deepcopy(made)
    assert other.listed() == [other.a.ctypes.data, 3, other.b.ctypes.data, 3] != made.listed()
    twice(other)
    assert np.array_equal(block, np.arange(6.0)) and np.array_equal(other.b, [0, 2, 4])
