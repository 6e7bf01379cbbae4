"""Articulated inertia of a body about its reference point: [[J, H], [Hᵀ, M]], J and M symmetric, world axes.

Wrench at the reference point: moment n = J al + H a, force f = Hᵀ al + M a, for the angular acceleration al and the
acceleration a of the point.  The three blocks are kept by rows, in quads.
"""

from ..compile.jit import kernel
from .quad import add4, add_quads, cross4, downdated, load_quads, mixed, scale4, store_quads, tilde_mul, transposed


@kernel
def load_inertia(own):
    """Articulated inertia of a row."""
    return load_quads(own.A_J), load_quads(own.A_H), load_quads(own.A_M)


@kernel
def add_inertia(own, J, H, M):
    """Add to the articulated inertia of a row."""
    store_quads(own.A_J, add_quads(load_quads(own.A_J), J))
    store_quads(own.A_H, add_quads(load_quads(own.A_H), H))
    store_quads(own.A_M, add_quads(load_quads(own.A_M), M))


@kernel
def inertia_vec(J, H, M, n, f):
    """Wrench of the accelerations (n, f)."""
    return add4(mixed(n, J), mixed(f, transposed(H))), add4(mixed(n, H), mixed(f, M))


@kernel
def downdated_inertia(J, H, M, U_n, U_f, factor):
    """A - factor U Uᵀ."""
    g_n, g_f = scale4(U_n, factor), scale4(U_f, factor)
    return downdated(J, U_n, g_n), downdated(H, U_n, g_f), downdated(M, U_f, g_f)


@kernel
def shifted_inertia(J, H, M, d):
    """The same inertia about a point -d away.

    J + H d~ᵀ + d~ Hᵀ + d~ M d~ᵀ = J + Z + Zᵀ with Z = d~ (H + ½ d~ M)ᵀ,   H + d~ M,   M
    """
    Y = add_quads(H, tilde_mul(d, M))
    Z = tilde_mul(d, transposed(H))
    return add_quads(add_quads(J, Z), (cross4(d, Y[0]), cross4(d, Y[1]), cross4(d, Y[2]))), Y, M
