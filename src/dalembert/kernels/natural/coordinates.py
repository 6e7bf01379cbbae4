"""Natural coordinates: the origin and the three axes of every body's joint frame, twelve numbers a body.

    q[12 (i - 1) : 12 i] = (r, x, y, z) of body row i = 1, 2, ...,  E = [x y z],  qd their time derivatives
A point fixed in a body stands at p = r + E u, a direction at E e: both are linear in q, and the rates of all points are
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


@part
def slot3(x, i, s):
    """Slot s (0: origin, 1, 2, 3: axes) of body row i > 0 in an array of natural coordinates."""
    k = 12 * i - 12 + 3 * s
    return (x[k], x[k + 1], x[k + 2])


@part
def store_slot(x, i, s, a):
    """Write slot s of body row i > 0."""
    k = 12 * i - 12 + 3 * s
    x[k], x[k + 1], x[k + 2] = a


@part
def add_slot(x, i, s, a):
    """Add a vector to slot s of body row i > 0."""
    store_slot(x, i, s, add3(slot3(x, i, s), a))


@kernel
def direction_of(x, i, e, still):
    """E e of body row i; x (n_q,) are coordinates (still = 1) or time derivatives of them (still = 0)."""
    if i == 0:
        return scale3(e, still)
    return axpy3(e[0], slot3(x, i, 1), axpy3(e[1], slot3(x, i, 2), scale3(slot3(x, i, 3), e[2])))


@kernel
def point_of(x, i, u, still):
    """r + E u of body row i; x (n_q,) are coordinates (still = 1) or time derivatives of them (still = 0)."""
    e = direction_of(x, i, u, still)
    return e if i == 0 else add3(slot3(x, i, 0), e)


@kernel
def origin_of(x, i):
    """Slot r of body row i, or zero for the ground."""
    return (0.0, 0.0, 0.0) if i == 0 else slot3(x, i, 0)


@kernel
def spin_of(q, x, i):
    """½ sum e_j x x_j of body row i: angular velocity for x = qd, angular acceleration for x = qdd, by (2)."""
    if i == 0:
        return (0.0, 0.0, 0.0)
    w = add3(cross(slot3(q, i, 1), slot3(x, i, 1)), cross(slot3(q, i, 2), slot3(x, i, 2)))
    return scale3(add3(w, cross(slot3(q, i, 3), slot3(x, i, 3))), 0.5)


@kernel
def slot_load(q, i, s, n, f):
    """Generalised force on slot s of body row i > 0 of a moment n and a force f in its origin, by (3)."""
    return f if s == 0 else scale3(cross(n, slot3(q, i, s)), 0.5)


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
        own = work.body[i]
        r, x, y, z = slot3(q, i, 0), slot3(q, i, 1), slot3(q, i, 2), slot3(q, i, 3)
        store_quads(own.E_wb, ((x[0], x[1], x[2], 0.0), (y[0], y[1], y[2], 0.0), (z[0], z[1], z[2], 0.0)))
        store3(own.r_w, r)
        store3(own.d_w, sub3(r, load3(work.body[sys.body[i].parent].r_w)))
        store3(own.w_w, spin_of(q, qd, i))
        store3(own.v_w, slot3(qd, i, 0))
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
    """out = M x for x (n_q,)."""
    for i in range(1, sys.body.shape[0]):
        m = pseudo_inertia(sys.body[i])
        a, b, c, d = slot3(x, i, 0), slot3(x, i, 1), slot3(x, i, 2), slot3(x, i, 3)
        store_slot(out, i, 0, axpy3(m[0], a, axpy3(m[1], b, axpy3(m[3], c, scale3(d, m[6])))))
        store_slot(out, i, 1, axpy3(m[1], a, axpy3(m[2], b, axpy3(m[4], c, scale3(d, m[7])))))
        store_slot(out, i, 2, axpy3(m[3], a, axpy3(m[4], b, axpy3(m[5], c, scale3(d, m[8])))))
        store_slot(out, i, 3, axpy3(m[6], a, axpy3(m[7], b, axpy3(m[8], c, scale3(d, m[9])))))


@kernel
def natural_state_of_joint(sys, q, qd, qdd, work):
    """Fill natural q, qd, qdd (n_q,) from the bodies' poses, velocities and accelerations in `work.body`.

    After `eval_motion`, `eval_places` and `eval_body_accelerations`, whose accelerations are those minus gravity.
    """
    g = load3(sys.constants[0].g_w)
    for i in range(1, sys.body.shape[0]):
        own = work.body[i]
        R, w, al = load_columns(own.E_wb), load3(own.w_w), load3(own.al_w)
        store_slot(q, i, 0, load3(own.r_w))
        store_slot(qd, i, 0, load3(own.v_w))
        store_slot(qdd, i, 0, add3(load3(own.a_w), g))
        for s in range(1, 4):
            e = (R[s - 1], R[s + 2], R[s + 5])
            ed = cross(w, e)
            store_slot(q, i, s, e)
            store_slot(qd, i, s, ed)
            store_slot(qdd, i, s, add3(cross(al, e), cross(w, ed)))
