"""Cholesky factors of large sparse stiffness matrices, by nested dissection and dense fronts.

The unknowns are halved again and again across the longest side of the body; the unknowns on the cut come after both
halves, so fill stays inside small dense blocks.  LAPACK does the arithmetic, many right-hand sides at once cost little
more than one, and only one triangle is stored.  The tree of cuts is short (some hundred blocks for 10⁵ unknowns), so
the walk over it may be Python's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dgemm, dsyrk, dtrsm
from scipy.linalg.lapack import dpotrf
from scipy.sparse import csr_array

LEAF = 96
"""Unknowns of a piece that is not cut further."""
NEIGHBOURS = 24
"""Unknowns of a cut that need not be sorted further."""
SHORT = 100
"""Entries that are added one by one in the time that a stretch of them costs besides."""


@dataclass
class _Front:
    """Columns of the factor that are eliminated together.

    Attributes
    ----------
    begin, end : int
        Its unknowns, in the order of elimination.
    below : (k,) int
        Later unknowns that they couple with, ascending.
    children : tuple of int
        Fronts that update this one.
    diagonal : (m, m) float
        Lower triangular factor of its own block.
    lower : (k, m) float
        Rows of the factor that belong to `below`.
    """

    begin: int
    end: int
    below: np.ndarray
    children: tuple[int, ...]
    diagonal: np.ndarray
    lower: np.ndarray


class SparseCholesky:
    """The factor L of a symmetric positive definite sparse matrix A = L Lᵀ.

    Parameters
    ----------
    matrix : (n, n) sparse
        Both triangles stored.
    places : (n, 3) float
        Where each unknown lives [m]; guides the cuts, and unknowns of one place stay together.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite; `args[1]` is the row of `matrix` where it was seen.
    """

    def __init__(self, matrix: csr_array, places: np.ndarray):
        matrix = csr_array(matrix)
        pieces = dissect(matrix, np.asarray(places, dtype=float))
        self.order = np.concatenate([piece for piece, _ in pieces]) if pieces else np.zeros(0, dtype=np.int64)
        self._fronts = _factored(matrix, self.order, pieces)
        self.n = matrix.shape[0]

    @property
    def entries(self) -> int:
        """Numbers stored for the factor."""
        return sum(front.diagonal.size + front.lower.size for front in self._fronts)

    def solve(self, load: np.ndarray) -> np.ndarray:
        """Return x of A x = load for (n,) or (n, k) loads."""
        load = np.asarray(load, dtype=float)
        x = np.ascontiguousarray(load.reshape(self.n, load.size // self.n if self.n else 0)[self.order])
        for front in self._fronts:
            own = x[front.begin:front.end]
            _divide(front.diagonal, own, transposed=False)
            if front.below.size:
                x[front.below] -= (np.ascontiguousarray(own.T) @ front.lower.T).T  # in the order that BLAS need not copy
        for front in reversed(self._fronts):
            own = x[front.begin:front.end]
            if front.below.size:
                own -= dgemm(1.0, x[front.below].T, front.lower).T
            _divide(front.diagonal, own, transposed=True)
        out = np.empty_like(x)
        out[self.order] = x
        return out.reshape(load.shape)


def _divide(factor: np.ndarray, load: np.ndarray, *, transposed: bool) -> None:
    """Replace a load by L⁻¹ load or L⁻ᵀ load; seen from BLAS the rows of `load` are columns, hence the other side."""
    if factor.size == 0:
        return
    dtrsm(1.0, factor, load.T, side=1, lower=1, trans_a=int(not transposed), overwrite_b=1)


def dissect(matrix: csr_array, places: np.ndarray) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """Return pieces of unknowns in the order of elimination, each with the numbers of the pieces cut off by it.

    Parameters
    ----------
    matrix : (n, n) csr_array
        Whose pattern says who couples with whom.
    places : (n, 3) float
        Of the unknowns [m].
    """
    pieces: list[tuple[np.ndarray, tuple[int, ...]]] = []
    side = np.zeros(matrix.shape[0], dtype=np.int8)

    def cut(unknowns: np.ndarray) -> int:
        children: tuple[int, ...] = ()
        halves = _halves(matrix, places, unknowns, side) if unknowns.size > LEAF else None
        if halves is not None:
            first, second, unknowns = halves
            children = tuple(cut(half) for half in (first, second) if half.size)
        pieces.append((_neighbouring(places, unknowns) if children else unknowns, children))
        return len(pieces) - 1

    if matrix.shape[0]:
        cut(np.arange(matrix.shape[0]))
    return pieces


def _neighbouring(places: np.ndarray, unknowns: np.ndarray) -> np.ndarray:
    """Return the unknowns of a cut halved again and again, so that pieces on its sides touch few long stretches of them."""
    if unknowns.size <= NEIGHBOURS:
        return unknowns
    x = places[unknowns]
    extent = np.ptp(x, axis=0)
    x = x[:, np.argmax(extent)]
    near = x < np.partition(x, x.size // 2)[x.size // 2] - 1e-9 * extent.max()
    if not near.any():
        return unknowns
    return np.concatenate([_neighbouring(places, unknowns[near]), _neighbouring(places, unknowns[~near])])


def _halves(matrix: csr_array, places: np.ndarray, unknowns: np.ndarray, side: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return two sets without couplings and the cut between them; None if no cut makes the pieces smaller."""
    x = places[unknowns]
    extent = np.ptp(x, axis=0)
    axis = int(np.argmax(extent))
    level = np.partition(x[:, axis], unknowns.size // 2)[unknowns.size // 2]
    edge = 1e-9 * extent[axis]
    near = x[:, axis] < level - edge
    if not near.any():  # the lower half lies in one plane
        near = x[:, axis] <= level + edge
        if near.all():
            return None
    first, rest = unknowns[near], unknowns[~near]
    side[first] = 1
    counts = matrix.indptr[rest + 1] - matrix.indptr[rest]
    starts = np.repeat(matrix.indptr[rest] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    touched = side[matrix.indices[starts + np.arange(counts.sum())]]
    side[first] = 0
    owner = np.repeat(np.arange(rest.size), counts)
    on_cut = np.bincount(owner, weights=touched, minlength=rest.size) > 0
    if on_cut.all():
        return None if first.size < rest.size // 4 else (first, rest[:0], rest)
    return first, rest[~on_cut], rest[on_cut]


def _factored(matrix: csr_array, order: np.ndarray, pieces: Sequence[tuple[np.ndarray, tuple[int, ...]]]
              ) -> list[_Front]:
    """Return the fronts of the factor, children before parents."""
    permuted = _upper(matrix, order)
    fronts: list[_Front] = []
    updates: dict[int, np.ndarray] = {}
    begin = 0
    for piece, children in pieces:
        end = begin + piece.size
        entries = slice(permuted.indptr[begin], permuted.indptr[end])
        rows = np.repeat(np.arange(begin, end), np.diff(permuted.indptr[begin:end + 1]))
        columns, values = permuted.indices[entries], permuted.data[entries]
        below = np.unique(np.concatenate([columns[columns >= end],
                                          *(fronts[c].below[fronts[c].below >= end] for c in children)]))
        block = _assembled(begin, end, below, rows, columns, values,
                           [(fronts[c].below, updates.pop(c)) for c in children if c in updates])
        front = _eliminated(block, begin, end, below, children, order)
        if below.size:
            updates[len(fronts)] = block[2]
        fronts.append(front)
        begin = end
    return fronts


def _upper(matrix: csr_array, order: np.ndarray) -> csr_array:
    """Return the upper triangle of a matrix in another order, rows sorted."""
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    rows, columns = np.repeat(place, np.diff(matrix.indptr)), place[matrix.indices]
    upper = columns >= rows
    found = csr_array((matrix.data[upper], (rows[upper], columns[upper])), shape=matrix.shape)
    found.sort_indices()
    return found


def _assembled(begin: int, end: int, below: np.ndarray, rows: np.ndarray, columns: np.ndarray, values: np.ndarray,
               updates: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the dense blocks (own, own), (below, own) and (below, below) of a front before elimination.

    Of symmetric blocks only the lower triangles count; indices ascend, so they stay lower triangles in later fronts.
    """
    m, k = end - begin, below.size
    own, lower, rest = (np.zeros(shape, order="F") for shape in ((m, m), (k, m), (k, k)))
    inner = columns < end
    own[columns[inner] - begin, rows[inner] - begin] = values[inner]
    lower[np.searchsorted(below, columns[~inner]), rows[~inner] - begin] = values[~inner]
    for index, update in updates:
        inside = int(np.searchsorted(index, end))
        at, after = index[:inside] - begin, np.searchsorted(below, index[inside:])
        _add_lower(own, at, update[:inside, :inside])
        _add(lower, after, at, update[inside:, :inside])
        _add_lower(rest, after, update[inside:, inside:])
    return own, lower, rest


def _runs(index: np.ndarray) -> list[tuple[int, int, int]]:
    """Return first and last place in an ascending index, and first value, of each stretch without gaps."""
    cuts = np.flatnonzero(np.diff(index) != 1) + 1
    begins = np.concatenate([[0], cuts])
    return list(zip(begins.tolist(), [*cuts.tolist(), index.size], index[begins].tolist(), strict=True))


def _add(target: np.ndarray, rows: np.ndarray, columns: np.ndarray, update: np.ndarray) -> None:
    """Add a block to rows and columns of another, stretch by stretch unless they are too short."""
    if not update.size:
        return
    high, wide = _runs(rows), _runs(columns)
    if len(high) * len(wide) * SHORT > update.size:
        target[np.ix_(rows, columns)] += update
        return
    for c, d, y in wide:
        part, own = update[:, c:d], target[:, y:y + d - c]
        for a, b, x in high:
            own[x:x + b - a] += part[a:b]


def _add_lower(target: np.ndarray, index: np.ndarray, update: np.ndarray) -> None:
    """Add the lower triangle of a symmetric block to rows and columns of another; what is above it does not count."""
    if not update.size:
        return
    runs = _runs(index)
    if len(runs) ** 2 * SHORT // 2 > update.size:
        target[np.ix_(index, index)] += update
        return
    for k, (c, d, y) in enumerate(runs):
        part, own = update[:, c:d], target[:, y:y + d - c]
        for a, b, x in runs[k:]:
            own[x:x + b - a] += part[a:b]


def _eliminated(block: tuple[np.ndarray, np.ndarray, np.ndarray], begin: int, end: int, below: np.ndarray,
                children: tuple[int, ...], order: np.ndarray) -> _Front:
    """Factor the own block of a front and subtract its part from the update, in place."""
    own, lower, rest = block
    if end == begin:  # the halves have no couplings, and nothing lies between them
        return _Front(begin, end, below, children, own, lower)
    diagonal, info = dpotrf(own, lower=1, clean=1, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError("matrix is not positive definite", int(order[begin + info - 1]))
    if below.size:
        lower = dtrsm(1.0, diagonal, lower, side=1, lower=1, trans_a=1, overwrite_b=1)
        dsyrk(-1.0, lower, beta=1.0, c=rest, lower=1, overwrite_c=1)
    return _Front(begin, end, below, children, diagonal, lower)
