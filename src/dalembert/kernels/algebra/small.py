"""Algebra of 3-vectors, 3x3 matrices (9 numbers, row by row) and symmetric ones (xx xy xz yy yz zz) as tuples."""

from ..compile.jit import kernel


@kernel
def load3(a):
    """Three numbers of a row as a tuple."""
    return (a[0], a[1], a[2])


@kernel
def load6(a):
    """Six numbers of a row as a tuple."""
    return (a[0], a[1], a[2], a[3], a[4], a[5])


@kernel
def load9(a):
    """Nine numbers of a row as a tuple."""
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])


@kernel
def store3(a, x):
    """Write a 3-vector into a row."""
    a[0] = x[0]
    a[1] = x[1]
    a[2] = x[2]


@kernel
def store9(a, x):
    """Write nine numbers into a row."""
    a[0] = x[0]
    a[1] = x[1]
    a[2] = x[2]
    a[3] = x[3]
    a[4] = x[4]
    a[5] = x[5]
    a[6] = x[6]
    a[7] = x[7]
    a[8] = x[8]


@kernel
def add3(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub3(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def neg3(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@kernel
def scale3(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def axpy3(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@kernel
def dot3(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def mul33_vec(R, a):
    """R a."""
    return (R[0] * a[0] + R[1] * a[1] + R[2] * a[2], R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
            R[6] * a[0] + R[7] * a[1] + R[8] * a[2])


@kernel
def tmul33_vec(R, a):
    """Transposed R times a."""
    return (R[0] * a[0] + R[3] * a[1] + R[6] * a[2], R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
            R[2] * a[0] + R[5] * a[1] + R[8] * a[2])


@kernel
def sym_vec(S, a):
    """S a for a symmetric S of six numbers."""
    return (S[0] * a[0] + S[1] * a[1] + S[2] * a[2], S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
            S[2] * a[0] + S[4] * a[1] + S[5] * a[2])


@kernel
def mul33(A, B):
    """A B."""
    return (A[0] * B[0] + A[1] * B[3] + A[2] * B[6], A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
            A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
            A[3] * B[0] + A[4] * B[3] + A[5] * B[6], A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
            A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
            A[6] * B[0] + A[7] * B[3] + A[8] * B[6], A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
            A[6] * B[2] + A[7] * B[5] + A[8] * B[8])


@kernel
def tmul33(A, B):
    """Transposed A times B."""
    return mul33((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)
