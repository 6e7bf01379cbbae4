"""Sparse symmetric systems A x = b on a fixed pattern: L D Lᵀ without pivoting, in place and without allocation.

The pattern is analysed once (system/pattern.py): order of the unknowns, upper triangle of the ordered matrix column by
column, pattern of L column by column, and for each row of L the columns it meets, in the order they are eliminated.
Then values are factored anew as often as needed, row by row:
    y = column k of the upper triangle;  for each column c that row k meets:
        y <- y - L_c y_c,   l_kc = y_c / d_c,   d_k <- d_k - y_c l_kc                            (1)
"""

from typing import NamedTuple

import numpy as np

from ..codes import Status
from .jit import kernel, part

SMALLEST_PIVOT = 1e-14
"""A pivot below this fraction of its diagonal entry is taken for zero: the matrix is singular to rounding."""


class Pattern(NamedTuple):
    """Where the numbers of a matrix and of its factor lie; all int64."""

    order: np.ndarray  # (n,) unknown that is eliminated at each place
    diagonal: np.ndarray  # (n,) place of each unknown's diagonal entry
    A_first: np.ndarray  # (n + 1,) first entry of each column of the upper triangle, the diagonal being its last
    A_row: np.ndarray
    L_first: np.ndarray  # (n + 1,)
    L_row: np.ndarray
    meet_first: np.ndarray  # (n + 1,) first of the columns that each row of L meets
    meet: np.ndarray


class Factors(NamedTuple):
    """Numbers of a matrix and of its factor."""

    A: np.ndarray  # (nnz + 1,) upper triangle; the last place takes what belongs nowhere
    L: np.ndarray
    D: np.ndarray  # (n,)
    inverse: np.ndarray  # (n,)
    y: np.ndarray  # (n,)
    x: np.ndarray  # (n,)
    following: np.ndarray  # (n,) i8


def make_factors(pattern: Pattern) -> Factors:
    """Allocate the numbers of a pattern."""
    n = len(pattern.order)
    return Factors(np.zeros(len(pattern.A_row) + 1), np.zeros(len(pattern.L_row)), np.zeros(n), np.zeros(n), np.zeros(n),
                   np.zeros(n), np.zeros(n, np.int64))


@kernel
def factor_sparse(pattern, factors) -> int:
    """Factor factors.A by (1); returns minus one, or the unknown whose pivot vanishes."""
    A, L, D, inverse, y, following = factors.A, factors.L, factors.D, factors.inverse, factors.y, factors.following
    n = D.shape[0]
    for k in range(n):
        y[k] = 0.0
        following[k] = pattern.L_first[k]
    for k in range(n):
        last = pattern.A_first[k + 1] - 1
        for p in range(pattern.A_first[k], last):
            y[pattern.A_row[p]] = A[p]
        d = A[last]
        for p in range(pattern.meet_first[k], pattern.meet_first[k + 1]):
            c = pattern.meet[p]
            yc = y[c]
            y[c] = 0.0
            end = following[c]
            for j in range(pattern.L_first[c], end):
                y[pattern.L_row[j]] -= L[j] * yc
            ratio = yc * inverse[c]
            L[end] = ratio
            d -= yc * ratio
            following[c] = end + 1
        if not abs(d) > SMALLEST_PIVOT * abs(A[last]):
            return pattern.order[k]
        D[k] = d
        inverse[k] = 1.0 / d
    return -1


@kernel
def solve_sparse(pattern, factors, b, x):
    """x = solution for the right-hand side b (may be the same array), after `factor_sparse`."""
    L, z = factors.L, factors.x
    n = z.shape[0]
    for i in range(n):
        z[i] = b[pattern.order[i]]
    for i in range(n):
        v = z[i]
        if v != 0.0:
            for j in range(pattern.L_first[i], pattern.L_first[i + 1]):
                z[pattern.L_row[j]] -= L[j] * v
    for i in range(n - 1, -1, -1):
        v = z[i] * factors.inverse[i]
        for j in range(pattern.L_first[i], pattern.L_first[i + 1]):
            v -= L[j] * z[pattern.L_row[j]]
        z[i] = v
    for i in range(n):
        x[pattern.order[i]] = z[i]


@kernel
def find_parents(A_first, A_row, parent, count, mark):
    """Elimination tree and number of entries below the diagonal of each column of L."""
    n = parent.shape[0]
    for k in range(n):
        parent[k] = -1
        count[k] = 0
        mark[k] = k
        for p in range(A_first[k], A_first[k + 1] - 1):
            i = A_row[p]
            while mark[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                count[i] += 1
                mark[i] = k
                i = parent[i]


@kernel
def fill_pattern(A_first, A_row, parent, L_first, L_row, meet_first, meet, mark, stack, following):
    """Rows of L in each column, and the columns that each row meets in the order of their elimination."""
    n = parent.shape[0]
    for k in range(n):
        following[k] = L_first[k]
        mark[k] = -1
    at = 0
    for k in range(n):
        meet_first[k] = at
        mark[k] = k
        top = n
        for p in range(A_first[k], A_first[k + 1] - 1):
            i, depth = A_row[p], 0
            while mark[i] != k:
                stack[depth] = i
                mark[i] = k
                depth += 1
                i = parent[i]
            while depth > 0:
                depth -= 1
                top -= 1
                stack[top] = stack[depth]
        for p in range(top, n):
            c = stack[p]
            meet[at] = c
            at += 1
            L_row[following[c]] = k
            following[c] += 1
    meet_first[n] = at


@kernel
def multiply_sparse(pattern, values, x, out):
    """out = A x for the upper triangle `values` of a matrix of this pattern."""
    for k in range(x.shape[0]):
        out[k] = 0.0
    for k in range(x.shape[0]):
        column = pattern.order[k]
        for p in range(pattern.A_first[k], pattern.A_first[k + 1] - 1):
            row = pattern.order[pattern.A_row[p]]
            out[row] += values[p] * x[column]
            out[column] += values[p] * x[row]
        out[column] += values[pattern.A_first[k + 1] - 1] * x[column]


@part
def status_of_factor(failed, work) -> int:
    """SINGULAR with the unknown in work.fail[0] if a factorization failed."""
    if failed < 0:
        return Status.OK.value
    work.fail[0] = failed
    return Status.SINGULAR.value
