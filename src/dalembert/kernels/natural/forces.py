"""Generalised forces of natural coordinates: gravity, wrenches of force elements, efforts on joint coordinates.

Gravity does the work g·(m dr + sum h_j de_j) on a body with the first moment h, hence m g on r and h_j g on e_j.  Wrenches
act by (3) of coordinates.py.  An effort tau on a joint coordinate theta(q) of joints.py does tau dtheta, hence tau times
the gradient of theta.
"""

from ...codes import Status
from ..algebra.small import add3, load3, scale3
from ..compile.jit import kernel
from ..force.elements import eval_forces
from .coordinates import add_slot, slot_load, store_slot
from .joints import coordinate_shape
from .shapes import shape_gradient, slot_weights, source_vectors, weighted


@kernel
def add_effort(sys, k, v, effort, q, out):
    """Add the generalised forces of an effort on joint coordinate number k, whose rate has number v."""
    code, source = coordinate_shape(sys, k, v)
    G = shape_gradient(code, source_vectors(sys, source, q, 1.0), 0.0, 0.0)
    for side in range(2):
        i = source[0] if side == 0 else source[1]
        if i > 0:
            for s in range(4):
                add_slot(sys, out, i, s, scale3(weighted(G, slot_weights(source, i, s)), effort))


@kernel
def eval_natural_forces(sys, t, q, qj, qdj, out, tau, work) -> int:
    """Fill the generalised forces out (n_q,) for natural q, and the efforts tau of the tree's rates.

    After `eval_natural_state` and `eval_joint_coordinates`, which gives qj and qdj; adds to en, ef of the bodies.
    """
    status = eval_forces(sys, t, qj, qdj, tau, work)
    if status != Status.OK.value:
        return status
    g = load3(sys.constants[0].g_w)
    for k in range(out.shape[0]):
        out[k] = 0.0
    for i in range(1, sys.body.shape[0]):
        b, own = sys.body[i], work.body[i]
        n, f = load3(own.en), load3(own.ef)
        store_slot(sys, out, i, 0, add3(f, scale3(g, b.mass)))
        for s in range(1, 4):
            store_slot(sys, out, i, s, add3(slot_load(sys, q, i, s, n, f), scale3(g, b.h_b[s - 1])))
    for i in range(1, sys.body.shape[0]):
        b = sys.body[i]
        for k in range(b.nv):
            if tau[b.v + k] != 0.0:
                add_effort(sys, b.q + k, b.v + k, tau[b.v + k], q, out)
    return Status.OK.value
