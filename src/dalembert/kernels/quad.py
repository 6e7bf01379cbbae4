"""Vectors and 3x3 matrices in quads: four numbers of which the last is zero, as many as one vector register takes.

A matrix is three quads, its rows or its columns.  All hot tables of the tree are kept so: sums of scaled quads compile to
a quarter of the instructions that sums of single numbers need.
"""

from .jit import kernel


@kernel
def load4(a):
    """Quad of a row."""
    return (a[0], a[1], a[2], a[3])


@kernel
def store4(a, x):
    """Write a quad into a row."""
    a[0] = x[0]
    a[1] = x[1]
    a[2] = x[2]
    a[3] = x[3]


@kernel
def load_quads(a):
    """Three quads of a row."""
    return ((a[0], a[1], a[2], a[3]), (a[4], a[5], a[6], a[7]), (a[8], a[9], a[10], a[11]))


@kernel
def store_quads(a, A):
    """Write three quads into a row."""
    x, y, z = A
    a[0] = x[0]
    a[1] = x[1]
    a[2] = x[2]
    a[3] = x[3]
    a[4] = y[0]
    a[5] = y[1]
    a[6] = y[2]
    a[7] = y[3]
    a[8] = z[0]
    a[9] = z[1]
    a[10] = z[2]
    a[11] = z[3]


@kernel
def load_columns(a):
    """Matrix of nine numbers, row by row, from its three columns."""
    return (a[0], a[4], a[8], a[1], a[5], a[9], a[2], a[6], a[10])


@kernel
def load_symmetric(a):
    """Symmetric matrix of six numbers from its three rows."""
    return (a[0], a[1], a[2], a[5], a[6], a[10])


@kernel
def store_symmetric(a, S):
    """Write a symmetric matrix of six numbers as its three rows."""
    store_quads(a, ((S[0], S[1], S[2], 0.0), (S[1], S[3], S[4], 0.0), (S[2], S[4], S[5], 0.0)))


@kernel
def add4(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


@kernel
def scale4(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s, a[3] * s)


@kernel
def axpy4(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2], s * a[3] + b[3])


@kernel
def cross4(a, b):
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0)


@kernel
def mixed(s, A):
    """s0 A0 + s1 A1 + s2 A2: A s for the columns A, Aᵀs for the rows A."""
    return axpy4(s[2], A[2], axpy4(s[1], A[1], scale4(A[0], s[0])))


@kernel
def add_quads(A, B):
    """A + B."""
    return (add4(A[0], B[0]), add4(A[1], B[1]), add4(A[2], B[2]))


@kernel
def axpy_quads(s, A, B):
    """s A + B."""
    return (axpy4(s, A[0], B[0]), axpy4(s, A[1], B[1]), axpy4(s, A[2], B[2]))


@kernel
def downdated(A, a, b):
    """A - a bᵀ for the rows A."""
    return (axpy4(-a[0], b, A[0]), axpy4(-a[1], b, A[1]), axpy4(-a[2], b, A[2]))


@kernel
def transposed(A):
    """Rows from columns, columns from rows."""
    x, y, z = A
    return ((x[0], y[0], z[0], 0.0), (x[1], y[1], z[1], 0.0), (x[2], y[2], z[2], 0.0))


@kernel
def tilde(h):
    """Rows of the matrix of h x ."""
    return ((0.0, -h[2], h[1], 0.0), (h[2], 0.0, -h[0], 0.0), (-h[1], h[0], 0.0, 0.0))


@kernel
def tilde_mul(d, A):
    """Rows of d~ A for the rows A."""
    return (axpy4(d[1], A[2], scale4(A[1], -d[2])), axpy4(d[2], A[0], scale4(A[2], -d[0])),
            axpy4(d[0], A[1], scale4(A[0], -d[1])))


@kernel
def columns_mul(A, B):
    """Columns of A B for the columns A and a matrix B of nine numbers, row by row."""
    return (mixed((B[0], B[3], B[6]), A), mixed((B[1], B[4], B[7]), A), mixed((B[2], B[5], B[8]), A))


@kernel
def congruent(R, S):
    """Rows of R S Rᵀ for the columns R and a symmetric S of six numbers: components of a tensor after a change of axes."""
    T = (mixed((S[0], S[1], S[2]), R), mixed((S[1], S[3], S[4]), R), mixed((S[2], S[4], S[5]), R))
    x, y, z = R
    return (mixed((x[0], y[0], z[0]), T), mixed((x[1], y[1], z[1]), T), mixed((x[2], y[2], z[2]), T))
