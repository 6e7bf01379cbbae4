"""Points that are fixed in bodies, and wrenches that act there."""

from ..algebra.quad import load_columns
from ..algebra.small import add3, cross, load3, mul33_vec, store3
from ..compile.jit import kernel


@kernel
def point_state(row, u_b):
    """Arm, position and velocity of a point fixed in a body, world axes."""
    arm = mul33_vec(load_columns(row.E_wb), u_b)
    return arm, add3(load3(row.r_w), arm), add3(load3(row.v_w), cross(load3(row.w_w), arm))


@kernel
def add_wrench(row, arm, n, f):
    """Add a moment n and a force f, acting at `arm` from the origin, to a body's applied wrench."""
    store3(row.en, add3(load3(row.en), add3(n, cross(arm, f))))
    store3(row.ef, add3(load3(row.ef), f))
