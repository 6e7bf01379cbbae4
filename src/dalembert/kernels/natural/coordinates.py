"""Natural coordinates: the origin and the three axes of every body's joint frame, twelve numbers per body.

    q[k : k + 12] = (r, x, y, z) of body row i,  k = sys.body[i].column,  E = [x y z],  qd their time derivatives
A point fixed in a body is at p = r + E u, a direction at E e: both are linear in q, and the rates of all points are
    p' = r' + sum_j u_j e_j',     e_1, e_2, e_3 = x, y, z.
The kinetic energy ½ ∫ |p'|² dm then has the constant matrix [SEG §4]
    M = [[m, hᵀ], [h, P]] ⊗ 1,   h = ∫ u dm,   P = ∫ u uᵀ dm = ½ tr(J) 1 - J                             (1)
(four slots r, x, y, z, each with three components): J = ∫ (uᵀu 1 - u uᵀ) dm has the trace 2 ∫ uᵀu dm.  There are no
gyroscopic forces.  With rigid axes e_j' = w x e_j, and the sum of e_j x (w x e_j) is 2 w, hence
    w = ½ sum e_j x e_j',   w' = ½ sum e_j x e_j''                                                       (2)
A moment n and a force f in the origin do the power n·w + f·r', and so the generalised forces are
    f on r,   ½ n x e_j on e_j                                                                           (3)
The ground, row 0, has no coordinates: its frame is the world's.
Seeds: [SEG §4] choice of the coordinates, [DOP (1)] the equations they enter.
"""

from ...codes import Status
from ..algebra.quad import load_columns, store_quads
from ..algebra.small import add3, axpy3, cross, load3, load6, scale3, store3, sub3
from ..compile.jit import kernel, part

FRAME = 12
"""Numbers of a frame: its origin and three axes."""


@part
def slot_at(x, k, s):
    """Slot s (0: origin, 1, 2, 3: axes) of the frame whose numbers begin at place k."""
    k += 3 * s
    return (x[k], x[k + 1], x[k + 2])


@part
def store_slot_at(x, k, s, a):
    """Write slot s of the frame whose numbers begin at place k."""
    k += 3 * s
    x[k], x[k + 1], x[k + 2] = a


@part
def add_slot_at(x, k, s, a):
    """Add a vector to slot s of the frame whose numbers begin at place k."""
    store_slot_at(x, k, s, add3(slot_at(x, k, s), a))


@part
def spin_at(q, x, k):
    """½ sum e_j x x_j of the frame whose numbers begin at place k, by (2)."""
    w = add3(cross(slot_at(q, k, 1), slot_at(x, k, 1)), cross(slot_at(q, k, 2), slot_at(x, k, 2)))
    return scale3(add3(w, cross(slot_at(q, k, 3), slot_at(x, k, 3))), 0.5)


@part
def slot_load_at(q, k, s, n, f):
    """Generalised force on slot s of that frame of a moment n and a force f in its origin, by (3)."""
    return f if s == 0 else scale3(cross(n, slot_at(q, k, s)), 0.5)


@part
def slot3(sys, x, i, s):
    """Slot s (0: origin, 1, 2, 3: axes) of body row i > 0 in an array of natural coordinates."""
    return slot_at(x, sys.body[i].column, s)


@part
def store_slot(sys, x, i, s, a):
    """Write slot s of body row i > 0."""
    store_slot_at(x, sys.body[i].column, s, a)


@part
def add_slot(sys, x, i, s, a):
    """Add a vector to slot s of body row i > 0."""
    add_slot_at(x, sys.body[i].column, s, a)


@kernel
def direction_of(sys, x, i, e, still):
    """E e of body row i; x (n_q,) are coordinates (still = 1) or time derivatives of them (still = 0)."""
    if i == 0:
        return scale3(e, still)
    k = sys.body[i].column
    return axpy3(e[0], slot_at(x, k, 1), axpy3(e[1], slot_at(x, k, 2), scale3(slot_at(x, k, 3), e[2])))


@kernel
def point_of(sys, x, i, u, still):
    """r + E u of body row i; x (n_q,) are coordinates (still = 1) or time derivatives of them (still = 0)."""
    e = direction_of(sys, x, i, u, still)
    return e if i == 0 else add3(slot3(sys, x, i, 0), e)


@kernel
def origin_of(sys, x, i):
    """Slot r of body row i, or zero for the ground."""
    return (0.0, 0.0, 0.0) if i == 0 else slot3(sys, x, i, 0)


@kernel
def spin_of(sys, q, x, i):
    """½ sum e_j x x_j of body row i: angular velocity for x = qd, angular acceleration for x = qdd, by (2)."""
    return (0.0, 0.0, 0.0) if i == 0 else spin_at(q, x, sys.body[i].column)


@kernel
def slot_load(sys, q, i, s, n, f):
    """Generalised force on slot s of body row i > 0 of a moment n and a force f in its origin, by (3)."""
    return slot_load_at(q, sys.body[i].column, s, n, f)


@kernel
def eval_natural_state(sys, q, qd, work) -> int:
    """Fill E_wb, r_w, d_w, w_w, v_w of every body for natural q, qd (n_q,), and set en, ef to zero.

    E_wb holds E as it is, which is a rotation only where the rows UNIT and SQUARE hold.
    """
    zero = (0.0, 0.0, 0.0)
    ground = work.body[0]
    store_quads(ground.E_wb, ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)))
    store3(ground.r_w, zero)
    store3(ground.v_w, zero)
    store3(ground.w_w, zero)
    store3(ground.en, zero)
    store3(ground.ef, zero)
    for i in range(1, sys.body.shape[0]):
        own, k = work.body[i], sys.body[i].column
        r, x, y, z = slot_at(q, k, 0), slot_at(q, k, 1), slot_at(q, k, 2), slot_at(q, k, 3)
        store_quads(own.E_wb, ((x[0], x[1], x[2], 0.0), (y[0], y[1], y[2], 0.0), (z[0], z[1], z[2], 0.0)))
        store3(own.r_w, r)
        store3(own.d_w, sub3(r, load3(work.body[sys.body[i].parent].r_w)))
        store3(own.w_w, spin_at(q, qd, k))
        store3(own.v_w, slot_at(qd, k, 0))
        store3(own.en, zero)
        store3(own.ef, zero)
    return Status.OK.value


@kernel
def pseudo_inertia(b):
    """The matrix of (1) without its factor 1, lower triangle by rows: m, h_x, P_xx, h_y, P_xy, P_yy, h_z, ..., P_zz."""
    h, J = load3(b.h_b), load6(b.J_b)
    half = 0.5 * (J[0] + J[3] + J[5])
    return (b.mass, h[0], half - J[0], h[1], -J[1], half - J[3], h[2], -J[2], -J[4], half - J[5])


@kernel
def add_natural_mass(sys, values):
    """Add the mass matrix (1) to the values of the pattern, at the first places of `sys.mass_place`."""
    at = 0
    for i in range(1, sys.body.shape[0]):
        m = pseudo_inertia(sys.body[i])
        for pair in range(10):
            for c in range(3):
                values[sys.mass_place[at + c]] += m[pair]
            at += 3


@kernel
def natural_momentum_product(sys, x, out):
    """out = M x for x (n_q,), zero for what is no body's coordinate."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    for i in range(1, sys.body.shape[0]):
        m, k = pseudo_inertia(sys.body[i]), sys.body[i].column
        a, b, c, d = slot_at(x, k, 0), slot_at(x, k, 1), slot_at(x, k, 2), slot_at(x, k, 3)
        store_slot_at(out, k, 0, axpy3(m[0], a, axpy3(m[1], b, axpy3(m[3], c, scale3(d, m[6])))))
        store_slot_at(out, k, 1, axpy3(m[1], a, axpy3(m[2], b, axpy3(m[4], c, scale3(d, m[7])))))
        store_slot_at(out, k, 2, axpy3(m[3], a, axpy3(m[4], b, axpy3(m[5], c, scale3(d, m[8])))))
        store_slot_at(out, k, 3, axpy3(m[6], a, axpy3(m[7], b, axpy3(m[8], c, scale3(d, m[9])))))


@kernel
def natural_state_of_joint(sys, q, qd, qdd, work):
    """Fill natural q, qd, qdd (n_q,) from the bodies' poses, velocities and accelerations in `work.body`.

    After `eval_motion`, `eval_places` and `eval_body_accelerations`, whose accelerations are those minus gravity.
    """
    g = load3(sys.constants[0].g_w)
    for i in range(1, sys.body.shape[0]):
        own, k = work.body[i], sys.body[i].column
        R, w, al = load_columns(own.E_wb), load3(own.w_w), load3(own.al_w)
        store_slot_at(q, k, 0, load3(own.r_w))
        store_slot_at(qd, k, 0, load3(own.v_w))
        store_slot_at(qdd, k, 0, add3(load3(own.a_w), g))
        for s in range(1, 4):
            e = (R[s - 1], R[s + 2], R[s + 5])
            ed = cross(w, e)
            store_slot_at(q, k, s, e)
            store_slot_at(qd, k, s, ed)
            store_slot_at(qdd, k, s, add3(cross(al, e), cross(w, ed)))
