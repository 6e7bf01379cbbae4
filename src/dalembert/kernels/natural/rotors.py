"""Rotors in natural coordinates: the kinetic energy ½ a theta'² of a joint's rate theta' = g·qd.

The rate is linear in qd, g depending on q, and so Lagrange's equations get
    a g (g·qdd + g'·qd) = a g theta''                                                                    (1)
that is a g gᵀ in the mass matrix and the generalised force of the effort -a theta''.  Of an angle or a displacement g is the
gradient of joints.py; the rates of a ball are those of a moment about its parent's axes, by (3) of coordinates.py.
"""

from ..algebra.small import neg3, scale3
from ..compile.jit import kernel
from .coordinates import FRAME, add_slot, direction_of, slot_load
from .curvature import unit3
from .forces_tangent import PAIRS, add_column
from .joints import BALL, coordinate_shape, joint_axis
from .shapes import shape_gradient, slot_weights, source_vectors, spread, vary_gradient, weighted


@kernel
def rotor_body(sys, v, place):
    """Body row of slot number `place` (0 ... 3 the parent's, 4 ... 7 the body's) that rate v may depend on."""
    i = sys.dof[v].body
    return sys.body[i].parent if place < 4 else i


@kernel
def rate_gradient(sys, v, place, q):
    """Derivative g of rate v by the rate of slot number `place`."""
    i, slot, body = sys.dof[v].body, place % 4, rotor_body(sys, v, place)
    b = sys.body[i]
    k = v - b.v
    if sys.dof[v].axis == BALL:
        n = direction_of(sys, q, b.parent, joint_axis(b, k - (b.nv - 3)), 1.0)
        return slot_load(sys, q, body, slot, n if place > 3 else neg3(n), (0.0, 0.0, 0.0))
    code, source = coordinate_shape(sys, b.q + k, v)
    G = shape_gradient(code, source_vectors(sys, source, q, 1.0), 0.0, 0.0)
    return weighted(G, slot_weights(source, body, slot))


@kernel
def add_rotor_mass(sys, q, values):
    """Add a g gᵀ of every rotor to the values of the pattern; its places follow those of the force elements."""
    first = 30 * (sys.body.shape[0] - 1) + PAIRS * sys.force.shape[0]
    for v in range(sys.dof.shape[0]):
        if sys.dof[v].armature == 0.0:
            continue
        for high in range(0 if rotor_body(sys, v, 0) > 0 else 4, 8):
            a = scale3(rate_gradient(sys, v, high, q), sys.dof[v].armature)
            for low in range(0 if rotor_body(sys, v, 0) > 0 else 4, high + 1):
                g = rate_gradient(sys, v, low, q)
                for k in range(3):
                    row = 3 * high + k
                    for m in range(3 if low < high else k + 1):
                        values[sys.mass_place[first + row * (row + 1) // 2 + 3 * low + m]] += a[k] * g[m]
        first += PAIRS


@kernel
def add_rotor_loads(sys, q, qddj, needed):
    """Add (1) of every rotor to the loads `needed` (n_q,) for the accelerations qddj of the tree's rates."""
    for v in range(sys.dof.shape[0]):
        effort = sys.dof[v].armature * qddj[v]
        if effort != 0.0:
            for place in range(0 if rotor_body(sys, v, 0) > 0 else 4, 8):
                add_slot(sys, needed, rotor_body(sys, v, place), place % 4, scale3(rate_gradient(sys, v, place, q), effort))


@kernel
def add_rotor_tangent(sys, q, qddj, cq, values):
    """Add cq a theta'' times the Hessian of theta of every rotor, but those of balls; the rest of (1) by q is left out."""
    first = 30 * (sys.body.shape[0] - 1) + PAIRS * sys.force.shape[0]
    for v in range(sys.dof.shape[0]):
        if sys.dof[v].armature == 0.0:
            continue
        b = sys.body[sys.dof[v].body]
        if sys.dof[v].axis != BALL:
            code, source = coordinate_shape(sys, b.q + v - b.v, v)
            X, load = source_vectors(sys, source, q, 1.0), cq * sys.dof[v].armature * qddj[v]
            begin = 0 if source[0] > 0 else FRAME
            for j in range(begin, 2 * FRAME):
                dX = spread(slot_weights(source, rotor_body(sys, v, j // 3), j % FRAME // 3), unit3(j % 3))
                H = vary_gradient(code, X, dX, 0.0, 0.0)
                for i in range(begin, 2 * FRAME, 3):
                    weights = slot_weights(source, rotor_body(sys, v, i // 3), i % FRAME // 3)
                    add_column(sys, first, j, i, scale3(weighted(H, weights), load), values)
        first += PAIRS
