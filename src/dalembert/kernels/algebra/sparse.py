"""Sparse symmetric systems A x = b on a fixed pattern: L D Lᵀ without pivoting, in place and without allocation.

The pattern is analysed once (system/pattern.py): order of the unknowns, and *nodes*, runs of unknowns that are eliminated
together because they meet the same later ones.  A node of w unknowns with r rows below them is a dense panel, w columns of
w + r numbers, each filled up to whole quads (four numbers) so that four rows go at a time.  Values are factored anew as
often as needed, node by node; with the panel's columns P_c, later rows i, j and d_c the pivots,
    P_c <- P_c - sum_{m<c} L_m (l_cm d_m),   d_c = P_cc,   L_c = P_c / d_c                       (1)
    a_ij <- a_ij - sum_c l_ic d_c l_jc   in the panels of later nodes                            (2)
Numbers above the diagonal of a panel's top and those that fill up its quads mean nothing.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ...codes import Status
from ..compile.bundle import bundle
from ..compile.jit import kernel, part, shared

SMALLEST_PIVOT = 1e-14
"""A pivot below this fraction of its diagonal entry is taken for zero: the matrix is singular to rounding."""


@bundle
class Pattern(NamedTuple):
    """Where the numbers of a matrix and of its factor lie; all int64.  Places are those in `Factors.A`."""

    order: np.ndarray  # (n,) unknown that is eliminated at each place of the order
    diagonal: np.ndarray  # (n,) place of each unknown's diagonal entry
    first: np.ndarray  # (m + 1,) first unknown of each node, in the order
    panel: np.ndarray  # (m + 1,) first quad of each node's panel
    stride: np.ndarray  # (m,) quads of a column of it
    row_first: np.ndarray  # (m + 1,) first of the rows below each node
    row: np.ndarray  # their places in the order
    target: np.ndarray  # places that (2) changes: of each node the rows (j, j), (j + 1, j), ... for j = 0, 1, ...


@bundle
class Factors(NamedTuple):
    """Numbers of a matrix and of its factor; the quads are views of the numbers."""

    A: np.ndarray  # (4 quads + 1,) panels of the matrix; the last place takes what belongs nowhere
    L: np.ndarray  # likewise of the factor
    L4: np.ndarray  # (quads, 4)
    D: np.ndarray  # (n,)
    inverse: np.ndarray  # (n,)
    x: np.ndarray  # (n,)
    weight: np.ndarray  # (n,)
    u: np.ndarray  # numbers of a column
    u4: np.ndarray  # its quads


def make_values(pattern: Pattern) -> np.ndarray:
    """Allocate the numbers of a matrix of a pattern, zero; the last place takes what belongs nowhere."""
    return np.zeros(4 * int(pattern.panel[-1]) + 1 if len(pattern.panel) else 1)


def make_factors(pattern: Pattern) -> Factors:
    """Return the numbers of a pattern; those of no unknowns are shared, as there is nothing to write."""
    return _allocate(pattern) if len(pattern.order) else _no_factors()


@cache
def _no_factors() -> Factors:
    none = np.zeros(0, np.int64)
    return _allocate(Pattern(*(none for _ in Pattern._fields)))


def _allocate(pattern: Pattern) -> Factors:
    n, A, L = len(pattern.order), make_values(pattern), make_values(pattern)
    u = np.zeros(4 * int(np.max(pattern.stride, initial=0)))
    return Factors(A, L, L[:-1].reshape(-1, 4), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), u, u.reshape(-1, 4))


@part
def subtract_column(out4, to, L4, p, f, begin, end):
    """out <- out - f times a column of a panel, quads begin to end - 1; both at their first quads `to` and `p`."""
    for i in range(begin, end):
        m, n = to + i, p + i
        a, b = out4[m, 0] - f * L4[n, 0], out4[m, 1] - f * L4[n, 1]
        c, d = out4[m, 2] - f * L4[n, 2], out4[m, 3] - f * L4[n, 3]
        out4[m, 0], out4[m, 1], out4[m, 2], out4[m, 3] = a, b, c, d


@part
def subtract_columns(out4, to, L4, p, stride, count, weight, begin, end):
    """out <- out - weighted sum of `count` columns of a panel, the first at quad p; four columns at a time."""
    m = 0
    while m + 4 <= count:
        e, f, g, h = weight[m], weight[m + 1], weight[m + 2], weight[m + 3]
        k0 = p + m * stride
        k1, k2, k3 = k0 + stride, k0 + 2 * stride, k0 + 3 * stride
        for i in range(begin, end):
            n = to + i
            a = e * L4[k0 + i, 0] + f * L4[k1 + i, 0] + g * L4[k2 + i, 0] + h * L4[k3 + i, 0]
            b = e * L4[k0 + i, 1] + f * L4[k1 + i, 1] + g * L4[k2 + i, 1] + h * L4[k3 + i, 1]
            c = e * L4[k0 + i, 2] + f * L4[k1 + i, 2] + g * L4[k2 + i, 2] + h * L4[k3 + i, 2]
            d = e * L4[k0 + i, 3] + f * L4[k1 + i, 3] + g * L4[k2 + i, 3] + h * L4[k3 + i, 3]
            a, b, c, d = out4[n, 0] - a, out4[n, 1] - b, out4[n, 2] - c, out4[n, 3] - d
            out4[n, 0], out4[n, 1], out4[n, 2], out4[n, 3] = a, b, c, d
        m += 4
    while m < count:
        subtract_column(out4, to, L4, p + m * stride, weight[m], begin, end)
        m += 1


@part
def clear_quads(u4, begin, end):
    """Set quads to zero."""
    for i in range(begin, end):
        u4[i, 0] = u4[i, 1] = u4[i, 2] = u4[i, 3] = 0.0


@part
def factor_panel(pattern, factors, s) -> int:
    """(1) for node s; returns minus one, or the place in the order whose pivot vanishes."""
    L, L4, D, weight = factors.L, factors.L4, factors.D, factors.weight
    k, first, stride = pattern.first[s], pattern.panel[s], pattern.stride[s]
    for c in range(pattern.first[s + 1] - k):
        for m in range(c):
            weight[m] = L[4 * (first + m * stride) + c] * D[k + m]
        column = first + c * stride
        subtract_columns(L4, column, L4, first, stride, c, weight, c // 4, stride)
        d, asked = L[4 * column + c], factors.A[4 * column + c]
        if not abs(d) > SMALLEST_PIVOT * abs(asked):
            return k + c
        inverse = 1.0 / d
        D[k + c], factors.inverse[k + c] = d, inverse
        for i in range(c // 4, stride):
            p = column + i
            L4[p, 0] *= inverse
            L4[p, 1] *= inverse
            L4[p, 2] *= inverse
            L4[p, 3] *= inverse
    return -1


@part
def update_later(pattern, factors, s, at):
    """(2) for node s, whose targets begin at `at`; returns where the next node's do."""
    L, L4, weight, u, u4 = factors.L, factors.L4, factors.weight, factors.u, factors.u4
    k, first, stride = pattern.first[s], pattern.panel[s], pattern.stride[s]
    w = pattern.first[s + 1] - k
    end = w + pattern.row_first[s + 1] - pattern.row_first[s]
    for j in range(w, end):
        for c in range(w):
            weight[c] = L[4 * (first + c * stride) + j] * factors.D[k + c]
        clear_quads(u4, j // 4, stride)
        subtract_columns(u4, 0, L4, first, stride, w, weight, j // 4, stride)
        for i in range(j, end):
            L[pattern.target[at]] += u[i]
            at += 1
    return at


@shared
def factor_sparse(pattern, factors) -> int:
    """Factor factors.A by (1) and (2); returns minus one, or the unknown whose pivot vanishes."""
    for p in range(factors.A.shape[0]):
        factors.L[p] = factors.A[p]
    at = 0
    for s in range(pattern.stride.shape[0]):
        failed = factor_panel(pattern, factors, s)
        if failed >= 0:
            return pattern.order[failed]
        at = update_later(pattern, factors, s, at)
    return -1


@shared
def solve_sparse(pattern, factors, b, x):
    """x = solution for the right-hand side b (may be the same array), after `factor_sparse`."""
    z = factors.x
    for i in range(z.shape[0]):
        z[i] = b[pattern.order[i]]
    if pattern.stride.shape[0] == 1:
        solve_alone(pattern, factors, z)
    else:
        for s in range(pattern.stride.shape[0]):
            solve_down(pattern, factors, s, z)
        for s in range(pattern.stride.shape[0] - 1, -1, -1):
            solve_up(pattern, factors, s, z)
    for i in range(z.shape[0]):
        x[pattern.order[i]] = z[i]


@part
def solve_alone(pattern, factors, z):
    """z <- (L D Lᵀ)⁻¹ z for the only node of a pattern, as small mechanisms have: nothing is below its panel."""
    L, inverse, length = factors.L, factors.inverse, 4 * pattern.stride[0]
    n = z.shape[0]
    for c in range(n):
        v, column = z[c], c * length
        for i in range(c + 1, n):
            z[i] -= L[column + i] * v
    for c in range(n - 1, -1, -1):
        total, column = 0.0, c * length
        for i in range(c + 1, n):
            total += L[column + i] * z[i]
        z[c] = z[c] * inverse[c] - total


@part
def solve_down(pattern, factors, s, z):
    """z <- L⁻¹ z for the columns of node s."""
    L, L4, weight, u, u4 = factors.L, factors.L4, factors.weight, factors.u, factors.u4
    k, first, stride, rows = pattern.first[s], pattern.panel[s], pattern.stride[s], pattern.row_first[s]
    w = pattern.first[s + 1] - k
    for c in range(w):
        v, column = z[k + c], 4 * (first + c * stride)
        weight[c] = v
        for i in range(c + 1, w):
            z[k + i] -= L[column + i] * v
    clear_quads(u4, w // 4, stride)
    subtract_columns(u4, 0, L4, first, stride, w, weight, w // 4, stride)
    for i in range(pattern.row_first[s + 1] - rows):
        z[pattern.row[rows + i]] += u[w + i]


@part
def solve_up(pattern, factors, s, z):
    """z <- L⁻ᵀ D⁻¹ z for the columns of node s."""
    L4, u, u4 = factors.L4, factors.u, factors.u4
    k, first, stride, rows = pattern.first[s], pattern.panel[s], pattern.stride[s], pattern.row_first[s]
    w = pattern.first[s + 1] - k
    end = w + pattern.row_first[s + 1] - rows
    for i in range(w):
        u[i] = 0.0
    for i in range(w, end):
        u[i] = z[pattern.row[rows + i - w]]
    for i in range(end, 4 * stride):
        u[i] = 0.0
    for c in range(w - 1, -1, -1):
        column = first + c * stride
        a, b, d, e = 0.0, 0.0, 0.0, 0.0
        for i in range(c // 4, stride):
            p = column + i
            a += L4[p, 0] * u4[i, 0]
            b += L4[p, 1] * u4[i, 1]
            d += L4[p, 2] * u4[i, 2]
            e += L4[p, 3] * u4[i, 3]
        v = z[k + c] * factors.inverse[k + c] - (a + b + d + e)
        z[k + c] = u[c] = v


@kernel
def multiply_sparse(pattern, values, x, out):
    """out = A x for the panels `values` of a matrix of this pattern."""
    order = pattern.order
    for k in range(x.shape[0]):
        out[k] = 0.0
    if pattern.stride.shape[0] == 1:
        multiply_alone(pattern, values, x, out)
        return
    for s in range(pattern.stride.shape[0]):
        k, rows = pattern.first[s], pattern.row_first[s]
        w = pattern.first[s + 1] - k
        for c in range(w):
            column, p = order[k + c], 4 * (pattern.panel[s] + c * pattern.stride[s])
            y, total = x[column], values[p + c] * x[column]
            for i in range(c + 1, w + pattern.row_first[s + 1] - rows):
                row = order[k + i] if i < w else order[pattern.row[rows + i - w]]
                out[row] += values[p + i] * y
                total += values[p + i] * x[row]
            out[column] += total


@part
def multiply_alone(pattern, values, x, out):
    """out <- out + A x for the only node of a pattern."""
    order, length = pattern.order, 4 * pattern.stride[0]
    for c in range(order.shape[0]):
        column, p = order[c], c * length
        y = x[column]
        total = values[p + c] * y
        for i in range(c + 1, order.shape[0]):
            row = order[i]
            out[row] += values[p + i] * y
            total += values[p + i] * x[row]
        out[column] += total


@part
def status_of_factor(failed, work) -> int:
    """SINGULAR with the unknown in `work.fail` if a factorization failed."""
    if failed < 0:
        return Status.OK.value
    work.fail[0].rate = failed
    return Status.SINGULAR.value
