"""Vectors and 3x3 matrices in quads: four numbers of which the last is zero, as many as one vector register takes.

A matrix is three quads, its rows or its columns.  All hot tables of the tree are kept so: sums of scaled quads take a quarter
of the instructions that sums of single numbers need.  Each operation is here as a Python function, after the machine's
instructions for it (compile/vector.py): `b` builds them.
"""

from numba.core.types import UniTuple, none

from ..compile.jit import part
from ..compile.vector import GIVEN, NUMBER, QUAD, lane, operation, picked, spread, vector_at

QUADS = UniTuple(QUAD, 3)
ON, BACK = (1, 2, 0, 3), (2, 0, 1, 3)
"""Lanes turned by one, and by two."""


def _load(context, b, sig, a):
    return b.load(vector_at(context, b, sig.args[0], a, 0), align=8)


@operation((GIVEN,), QUAD, _load)
def load4(a):
    """Quad of a row."""
    return (a[0], a[1], a[2], a[3])


def _store(context, b, sig, a, x):
    b.store(x, vector_at(context, b, sig.args[0], a, 0), align=8)
    return context.get_dummy_value()


@operation((GIVEN, QUAD), none, _store)
def store4(a, x):
    """Write a quad into a row."""
    for k in range(4):
        a[k] = x[k]


def _load_three(context, b, sig, a):
    return context.make_tuple(b, QUADS, [b.load(vector_at(context, b, sig.args[0], a, k), align=8) for k in range(3)])


@operation((GIVEN,), QUADS, _load_three)
def load_quads(a):
    """Three quads of a row."""
    return ((a[0], a[1], a[2], a[3]), (a[4], a[5], a[6], a[7]), (a[8], a[9], a[10], a[11]))


def _store_three(context, b, sig, a, A):
    for k in range(3):
        b.store(b.extract_value(A, k), vector_at(context, b, sig.args[0], a, k), align=8)
    return context.get_dummy_value()


@operation((GIVEN, QUADS), none, _store_three)
def store_quads(a, A):
    """Write three quads into a row."""
    for k in range(12):
        a[k] = A[k // 4][k % 4]


@part
def load_columns(a):
    """Matrix of nine numbers, row by row, from its three columns."""
    return (a[0], a[4], a[8], a[1], a[5], a[9], a[2], a[6], a[10])


@part
def load_symmetric(a):
    """Symmetric matrix of six numbers from its three rows."""
    return (a[0], a[1], a[2], a[5], a[6], a[10])


@part
def store_symmetric(a, S):
    """Write a symmetric matrix of six numbers as its three rows."""
    store_quads(a, ((S[0], S[1], S[2], 0.0), (S[1], S[3], S[4], 0.0), (S[2], S[4], S[5], 0.0)))


@operation((QUAD, QUAD), QUAD, lambda context, b, sig, x, y: b.fadd(x, y))
def add4(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


@operation((QUAD, NUMBER), QUAD, lambda context, b, sig, x, s: b.fmul(x, spread(b, s)))
def scale4(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s, a[3] * s)


@operation((NUMBER, QUAD, QUAD), QUAD, lambda context, b, sig, s, x, y: b.fadd(b.fmul(spread(b, s), x), y))
def axpy4(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2], s * a[3] + b[3])


def _dot(context, b, sig, x, y):
    xy = b.fmul(x, y)
    return b.fadd(b.fadd(b.extract_element(xy, lane(0)), b.extract_element(xy, lane(1))), b.extract_element(xy, lane(2)))


@operation((QUAD, QUAD), NUMBER, _dot)
def dot4(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(context, b, sig, x, y):
    return b.fsub(b.fmul(picked(b, x, x, ON), picked(b, y, y, BACK)), b.fmul(picked(b, x, x, BACK), picked(b, y, y, ON)))


@operation((QUAD, QUAD), QUAD, _cross)
def cross4(a, b):
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0)


def _transpose(context, b, sig, A):
    x, y, z = (b.extract_value(A, k) for k in range(3))
    return context.make_tuple(b, QUADS, [picked(b, picked(b, x, y, (k, 4 + k, k, k)), z, (0, 1, 4 + k, 7)) for k in range(3)])


@operation((QUADS,), QUADS, _transpose)
def transposed(A):
    """Rows from columns, columns from rows."""
    x, y, z = A
    return ((x[0], y[0], z[0], 0.0), (x[1], y[1], z[1], 0.0), (x[2], y[2], z[2], 0.0))


def _tilde(context, b, sig, h):
    minus = b.fneg(h)
    return context.make_tuple(b, QUADS, [picked(b, h, minus, lanes) for lanes in ((3, 6, 1, 3), (2, 3, 4, 3), (5, 0, 3, 3))])


@operation((QUAD,), QUADS, _tilde)
def tilde(h):
    """Rows of the matrix of h x ."""
    return ((0.0, -h[2], h[1], 0.0), (h[2], 0.0, -h[0], 0.0), (-h[1], h[0], 0.0, 0.0))


@part
def mixed(s, A):
    """s0 A0 + s1 A1 + s2 A2: A s for the columns A, Aᵀs for the rows A."""
    return axpy4(s[2], A[2], axpy4(s[1], A[1], scale4(A[0], s[0])))


@part
def add_quads(A, B):
    """A + B."""
    return (add4(A[0], B[0]), add4(A[1], B[1]), add4(A[2], B[2]))


@part
def axpy_quads(s, A, B):
    """s A + B."""
    return (axpy4(s, A[0], B[0]), axpy4(s, A[1], B[1]), axpy4(s, A[2], B[2]))


@part
def downdated(A, a, b):
    """A - a bᵀ for the rows A."""
    return (axpy4(-a[0], b, A[0]), axpy4(-a[1], b, A[1]), axpy4(-a[2], b, A[2]))


@part
def tilde_mul(d, A):
    """Rows of d~ A for the rows A."""
    return (axpy4(d[1], A[2], scale4(A[1], -d[2])), axpy4(d[2], A[0], scale4(A[2], -d[0])),
            axpy4(d[0], A[1], scale4(A[0], -d[1])))


@part
def columns_mul(A, B):
    """Columns of A B for the columns A and a matrix B of nine numbers, row by row."""
    return (mixed((B[0], B[3], B[6]), A), mixed((B[1], B[4], B[7]), A), mixed((B[2], B[5], B[8]), A))


@part
def congruent(R, S):
    """Rows of R S Rᵀ for the columns R and a symmetric S of six numbers: components of a tensor after a change of axes."""
    T = (mixed((S[0], S[1], S[2]), R), mixed((S[1], S[3], S[4]), R), mixed((S[2], S[4], S[5]), R))
    x, y, z = R
    return (mixed((x[0], y[0], z[0]), T), mixed((x[1], y[1], z[1]), T), mixed((x[2], y[2], z[2]), T))
