"""Articulated inertia of a body about its reference point: [[J, H], [Hᵀ, M]], J and M symmetric, world axes.

Wrench at the reference point: moment n = J al + H a, force f = Hᵀ al + M a, for the angular acceleration al and the
acceleration a of the point.
"""

from .jit import kernel


@kernel
def add6(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def add9(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
            a[8] + b[8])


@kernel
def tilde(h):
    """Matrix of h x ."""
    return (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0)


@kernel
def downdated_sym(S, a, b):
    """S - a bᵀ for parallel a and b."""
    return (S[0] - a[0] * b[0], S[1] - a[0] * b[1], S[2] - a[0] * b[2], S[3] - a[1] * b[1], S[4] - a[1] * b[2],
            S[5] - a[2] * b[2])


@kernel
def downdated(H, a, b):
    """H - a bᵀ."""
    return (H[0] - a[0] * b[0], H[1] - a[0] * b[1], H[2] - a[0] * b[2],
            H[3] - a[1] * b[0], H[4] - a[1] * b[1], H[5] - a[1] * b[2],
            H[6] - a[2] * b[0], H[7] - a[2] * b[1], H[8] - a[2] * b[2])


@kernel
def tilde_sym(d, M):
    """d~ M."""
    return (d[1] * M[2] - d[2] * M[1], d[1] * M[4] - d[2] * M[3], d[1] * M[5] - d[2] * M[4],
            d[2] * M[0] - d[0] * M[2], d[2] * M[1] - d[0] * M[4], d[2] * M[2] - d[0] * M[5],
            d[0] * M[1] - d[1] * M[0], d[0] * M[3] - d[1] * M[1], d[0] * M[4] - d[1] * M[2])


@kernel
def shifted_inertia(J, H, G, d):
    """J + H d~ᵀ + d~ Gᵀ with G = H + d~ M: the moment block about a point -d away."""
    return (J[0] + (H[2] * d[1] - H[1] * d[2]) + (d[1] * G[2] - d[2] * G[1]),
            J[1] + (H[0] * d[2] - H[2] * d[0]) + (d[1] * G[5] - d[2] * G[4]),
            J[2] + (H[1] * d[0] - H[0] * d[1]) + (d[1] * G[8] - d[2] * G[7]),
            J[3] + (H[3] * d[2] - H[5] * d[0]) + (d[2] * G[3] - d[0] * G[5]),
            J[4] + (H[4] * d[0] - H[3] * d[1]) + (d[2] * G[6] - d[0] * G[8]),
            J[5] + (H[7] * d[0] - H[6] * d[1]) + (d[0] * G[7] - d[1] * G[6]))
