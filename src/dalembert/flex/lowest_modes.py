"""The lowest vibration modes of a large model by block Lanczos with the inverse of the stiffness.

Blocks use the factor better than single vectors do, and find multiple frequencies (a round shaft bends both ways), as often
as a block has vectors.  Where one occurs so often (equal bays between many interfaces), the block grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.sparse import csr_array

Matrix: TypeAlias = "np.ndarray | csr_array"
Solve = Callable[[np.ndarray], np.ndarray]

BLOCK = 8
"""Vectors that are iterated together, at least."""
TOLERANCE = 1e-10
"""Residual of a mode, relative to its size; frequencies are then exact to rounding."""
GRAM_FLOOR = 1e-14
"""Added to the scaled Gram matrix, so that directions lost to rounding do not stop the iteration."""
SAME_VALUE = 1e-6
"""Eigenvalues nearer than this part of them may be one multiple eigenvalue that rounding, or a mesh, splits."""
LARGEST_SPACE = 0.5
"""Spaces larger than this part of the unknowns are not iterated but solved densely."""


def lowest_modes(solve: Solve, stiffness: Matrix | Callable[[], Matrix], mass: Matrix, count: int, *, shift: float = 0.0
                 ) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest eigenvalues and modes of K x = λ M x, in a fixed order and with fixed signs.

    Parameters
    ----------
    solve : callable
        (n, k) loads to (K + shift M)⁻¹ loads.
    stiffness, mass : (n, n) sparse or array
        Symmetric; K + shift M and M positive definite.  The stiffness may be a function that returns it, since only
        small models need it.
    count : int
        Modes wanted, at most n.
    shift : float
        [1/s²] for models that can move freely.

    Returns
    -------
    eigenvalues : (count,) float
        λ = ω² [rad²/s²], ascending.
    modes : (n, count) float
        Columns with unit modal mass; the largest entry of each is positive.
    """
    n = mass.shape[0]
    if count == 0 or n == 0:
        return np.zeros(0), np.zeros((n, 0))
    block = min(max(BLOCK, (3 * count + 3) // 4), n)
    while 2 * count + 4 * block < LARGEST_SPACE * n:
        values, modes = _iterated(solve, mass, count, block)
        if not _crowded(values, block):
            return values - shift, signed(modes)
        block *= 2
    values, modes = _dense(stiffness, mass, count)
    return values, signed(modes)


def signed(modes: np.ndarray) -> np.ndarray:
    """Return the modes (columns) with the first of their largest entries positive."""
    if modes.size == 0:
        return modes
    size = np.abs(modes)
    largest = np.argmax(size >= (1.0 - 1e-6) * size.max(axis=0), axis=0)
    signs = np.sign(modes[largest, np.arange(modes.shape[1])])
    return modes * np.where(signs == 0, 1.0, signs)


def _crowded(values: np.ndarray, block: int) -> bool:
    """Tell whether an eigenvalue occurs as often as a block can find it, and therefore perhaps more often."""
    return values.size >= block and bool(np.any(values[block - 1:] <= (1.0 + SAME_VALUE) * values[:values.size - block + 1]))


def _dense(stiffness: Matrix | Callable[[], Matrix], mass: Matrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    stiffness = stiffness() if callable(stiffness) else stiffness
    full = [a if isinstance(a, np.ndarray) else a.toarray() for a in (stiffness, mass)]
    values, modes = eigh(*full, subset_by_index=[0, count - 1])
    return values, modes


def _iterated(solve: Solve, mass: Matrix, count: int, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Block Lanczos: a growing M-orthonormal basis V of the Krylov space of K⁻¹ M, and Ritz vectors in it."""
    n = mass.shape[0]
    start = np.random.default_rng(0).standard_normal((n, block))  # fixed seed: the same modes in every run
    v, mv, _ = _orthonormal(solve(mass @ start), mass)
    basis, before, inverse = [v], None, np.zeros((0, 0))
    while True:
        w = solve(mv)  # K⁻¹ M v; its parts along all but the last two blocks are rounding
        column = np.zeros((len(inverse) + block, block))
        for b, mb, rows in ((basis[-1], mv, slice(-block, None)), (basis[-2:][0], before, slice(-2 * block, -block))):
            if mb is not None:
                column[rows] = mb.T @ w
                w -= b @ column[rows]
        mw = mass @ w
        again = np.vstack([b.T @ mw for b in basis])
        _subtract(w, basis, again)
        column += again
        inverse = np.block([[inverse, column[:-block]], [column[:-block].T, column[-block:]]])
        before = mv
        v, mv, size = _orthonormal(w, mass)
        if len(inverse) > count:
            ritz, s = eigh((inverse + inverse.T) / 2)
            ritz, s = ritz[::-1][:count], s[:, ::-1][:, :count]
            residual = np.linalg.norm(size @ s[-block:], axis=0)
            if np.all(residual <= TOLERANCE * ritz) or len(inverse) + block > n:
                return 1.0 / ritz, _combined(basis, s)
        basis.append(v)


def _combined(basis: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Return the blocks of a basis times their weights."""
    block = basis[0].shape[1]
    total: np.ndarray = basis[0] @ weights[:block]
    for k, b in enumerate(basis[1:], 1):
        total += b @ weights[k * block:(k + 1) * block]
    out: np.ndarray = total
    return out


def _subtract(w: np.ndarray, basis: Sequence[np.ndarray], weights: np.ndarray) -> None:
    """Subtract the blocks of a basis times their weights, in place."""
    begin = 0
    for b in basis:
        w -= b @ weights[begin:begin + b.shape[1]]
        begin += b.shape[1]


def _orthonormal(w: np.ndarray, mass: Matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return v, M v and R of w = v R with vᵀ M v = 1, by Cholesky factors of the Gram matrix, twice for accuracy."""
    total = np.eye(w.shape[1])
    for _ in range(2):
        mw = mass @ w
        gram = w.T @ mw
        scale = np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
        upper = cholesky(gram / np.outer(scale, scale) + GRAM_FLOOR * np.eye(len(gram)))
        inverse = solve_triangular(upper, np.eye(len(gram))) / scale[:, None]
        w = w @ inverse
        total = (upper * scale) @ total
    return w, mw @ inverse, total
