"""Views of the scratch of flexible bodies; what stands where is told in flex_floating_tables.py.

The scratch is in few arrays, since every table that kernels are passed costs compile time in all of them.
"""

from .flex_floating_tables import AT_D, AT_REST, AT_S, AT_U, AT_X, MOMENTS
from .jit import part


@part
def lines(work, index, first, count):
    """Rows of a flexible body (count, N)."""
    return work.floating.line[index, first:first + count]


@part
def moments_of(work, index):
    """Moments X (12, N) of a flexible body."""
    return lines(work, index, AT_X, MOMENTS)


@part
def strips(work, index, first):
    """Six rows (6, N) of a face."""
    return work.floating.strip[index, first:first + 6]


@part
def directions_of(work, index, kept):
    """Directions S (6, N) of a face; those of an implicit step's factors if `kept` is 1."""
    return strips(work, index, AT_S + 6 * kept)


@part
def inertia_of(work, index, kept):
    """D (N, N) of a flexible body."""
    return work.floating.square[index, AT_D + kept]


@part
def coupling_of(work, index, kept):
    """U (6, N) of a flexible body."""
    return lines(work, index, AT_U + 6 * kept, 6)


@part
def rest_of(work, index, kept):
    """Loads (N,) left to accelerate the elastic coordinates of a flexible body."""
    return work.floating.line[index, AT_REST + kept]
