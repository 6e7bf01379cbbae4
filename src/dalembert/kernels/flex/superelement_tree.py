"""Superelements between the bodies of a tree: absolute interface coordinates without constraints [ELL (6.5)].

The interfaces are rows of the body table, mostly massless, which joints carry on either side, or a free joint from the ground.
Their velocities are V = J qd, with the columns of the tree, and the loads of superelement.py act on their rows like forces:
    M = M_tree + sum Jᵀ Rb M_e Rbᵀ J,   f = f_tree + sum Jᵀ Rb (f_e + inertia_e(V, V')).                     (1)
The rate J' qd is in the accelerations V' that the tree's own pass finds, so that nothing is left to differentiate.  What a
step or an equilibrium needs of stiffness and damping is, with the tangents of superelement_tangent.py,
    sum Jᵀ Rb (cq K_e + cv C_e + cm M_e) Rbᵀ J,                                                              (2)
its symmetric part; the change of J by the coordinates, which is none for free joints, is left out here and taken in
`vary_superelements`, where the tree gives the variations of places, velocities and accelerations.
Modes are coordinates behind those of the joints.
"""

from ...codes import Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, cross, load3, load9, mul33_vec, store3, store9, sub3, tmul33_vec
from ..compile.jit import kernel, part
from .superelement import settle_frame, settle_rates, store_triple, triple
from .superelement_loads import add_product, clear, eval_internal_loads, settle_inertia_loads
from .superelement_step import eval_step_matrix, keep_shape
from .superelement_tangent import eval_tangents

WARM = 1


@kernel
def take_tree_places(sys, i, q, work):
    """Fill work.sup.place and work.sup.axes, and the modes in work.sup.q, of superelement i."""
    sup, own = sys.sup, work.sup
    s = sup.element[i]
    for k in range(s.n_face):
        row = work.body[sup.face[s.face + k]]
        store3(own.place[k], load3(row.r_w))
        store9(own.axes[k], load_columns(row.E_wb))
    for m in range(s.n_mode):
        own.q[6 * s.n_face + m] = q[s.eta + m]


@kernel
def load_tree_rates(sys, i, qd, work):
    """Velocities work.sup.v (n,) of the interfaces and modes, axes of the frame found."""
    sup, own = sys.sup, work.sup
    s, R = sup.element[i], load9(own.frame[i].R)
    for k in range(s.n_face):
        row = work.body[sup.face[s.face + k]]
        store_triple(own.v, 6 * k, tmul33_vec(R, load3(row.v_w)))
        store_triple(own.v, 6 * k + 3, tmul33_vec(R, load3(row.w_w)))
    for m in range(s.n_mode):
        own.v[6 * s.n_face + m] = qd[s.eta_v + m]


@kernel
def load_tree_accelerations(sys, i, qdd, work):
    """Likewise accelerations work.sup.a (n,), after `eval_body_accelerations`."""
    sup, own = sys.sup, work.sup
    s, R, g = sup.element[i], load9(own.frame[i].R), load3(sys.constants[0].g_w)
    for k in range(s.n_face):
        row = work.body[sup.face[s.face + k]]
        store_triple(own.a, 6 * k, tmul33_vec(R, add3(load3(row.a_w), g)))
        store_triple(own.a, 6 * k + 3, tmul33_vec(R, load3(row.al_w)))
    for m in range(s.n_mode):
        own.a[6 * s.n_face + m] = qdd[s.eta_v + m]


@kernel
def find_tree_frame(sys, i, q, work) -> int:
    """Floating frame of superelement i where the tree has its interfaces; work.fail names it if there is none."""
    take_tree_places(sys, i, q, work)
    status = settle_frame(sys.sup, i, WARM, work.sup)
    if status != Status.OK.value:
        work.fail[0].superelement = i
    return status


@kernel
def eval_tree_superelement(sys, i, q, qd, qdd, work) -> int:
    """Frame, rates and loads work.sup.f, work.sup.inertia of superelement i, after `eval_body_accelerations`."""
    status = find_tree_frame(sys, i, q, work)
    if status == Status.OK.value:
        load_tree_rates(sys, i, qd, work)
        settle_rates(sys.sup, i, work.sup)
        eval_internal_loads(sys.sup, i, load3(sys.constants[0].g_w), work.sup)
        load_tree_accelerations(sys, i, qdd, work)
        settle_inertia_loads(sys.sup, i, work.sup)
    return status


@kernel
def load_rows_of(sys, i, work):
    """Take the loads of superelement i off those that act on the rows of its interfaces; keep those of its modes."""
    sup, own = sys.sup, work.sup
    s, R = sup.element[i], load9(own.frame[i].R)
    for k in range(s.n_face):
        row = work.body[sup.face[s.face + k]]
        f = mul33_vec(R, add3(triple(own.f, 6 * k), triple(own.inertia, 6 * k)))
        n = mul33_vec(R, add3(triple(own.f, 6 * k + 3), triple(own.inertia, 6 * k + 3)))
        store3(row.ef, sub3(load3(row.ef), f))
        store3(row.en, sub3(load3(row.en), n))
    for m in range(s.n_mode):
        own.mode[s.mode + m] = own.f[6 * s.n_face + m] + own.inertia[6 * s.n_face + m]


@kernel
def add_tree_superelement_loads(sys, q, qd, qdd, work) -> int:
    """Loads of all superelements for accelerations qdd onto the rows of their interfaces, after `eval_body_accelerations`."""
    for i in range(sys.sup.element.shape[0]):
        status = eval_tree_superelement(sys, i, q, qd, qdd, work)
        if status != Status.OK.value:
            return status
        load_rows_of(sys, i, work)
        keep_shape(sys.sup.element[i], work.sup.shape[i], work.sup)
        work.sup.frame[i].sloped = 0
    return Status.OK.value


@kernel
def put_mode_loads(sys, needed, work):
    """needed (n_v,) of the modes' rates, after `add_tree_superelement_loads`."""
    for i in range(sys.sup.element.shape[0]):
        s = sys.sup.element[i]
        for m in range(s.n_mode):
            needed[s.eta_v + m] = work.sup.mode[s.mode + m]


@kernel
def eval_arms(sys, i, work):
    """Fill work.sup.arm: motion of the interfaces by each rate that moves them, axes of the frame found; J of (1)."""
    sup, own = sys.sup, work.sup
    s, R = sup.element[i], load9(own.frame[i].R)
    for c in range(s.n_lead):
        lead = sup.lead[s.lead + c]
        if lead.body < 0:
            continue
        s_n, s_f, r = load3(work.dof[lead.v].s_n), load3(work.dof[lead.v].s_f), load3(work.body[lead.body].r_w)
        turn = tmul33_vec(R, s_n)
        for p in range(lead.first, lead.first + lead.count):
            k = sup.moved[p]
            arm = sub3(load3(work.body[sup.face[s.face + k]].r_w), r)
            slide = add3(s_f, cross(s_n, arm))
            store_triple(own.arm[c], 6 * k, tmul33_vec(R, slide))
            store_triple(own.arm[c], 6 * k + 3, turn)


@part
def fill_lead_column(sup, s, c, own):
    """own.column = (work.matrix) J_c for the symmetric matrix and the rate number c."""
    lead = sup.lead[s.lead + c]
    if lead.body < 0:
        for j in range(s.n):
            own.column[j] = own.matrix[6 * s.n_face + lead.first, j]
        return
    clear(own.column, s.n)
    for p in range(lead.first, lead.first + lead.count):
        at = 6 * sup.moved[p]
        for a in range(at, at + 6):
            x, row = own.arm[c, a], own.matrix[a]
            for j in range(s.n):
                own.column[j] += x * row[j]


@part
def lead_product(sup, s, c, own):
    """J_cᵀ own.column for the rate number c."""
    lead = sup.lead[s.lead + c]
    if lead.body < 0:
        return own.column[6 * s.n_face + lead.first]
    total = 0.0
    for p in range(lead.first, lead.first + lead.count):
        at = 6 * sup.moved[p]
        for a in range(at, at + 6):
            total += own.arm[c, a] * own.column[a]
    return total


@kernel
def add_lead_matrix(sys, i, values, work):
    """Add Jᵀ (work.sup.matrix) J, symmetric, to the values of the pattern."""
    sup, own = sys.sup, work.sup
    s = sup.element[i]
    eval_arms(sys, i, work)
    at = s.place
    for c in range(s.n_lead):
        fill_lead_column(sup, s, c, own)
        for b in range(c + 1):
            values[sup.place[at]] += lead_product(sup, s, b, own)
            at += 1


@kernel
def add_tree_superelement_masses(sys, q, values, work) -> int:
    """Add the mass matrices of (1) to the values of the pattern, after `eval_places`."""
    sup, own = sys.sup, work.sup
    for i in range(sup.element.shape[0]):
        status = find_tree_frame(sys, i, q, work)
        if status != Status.OK.value:
            return status
        s = sup.element[i]
        for a in range(s.n):
            for b in range(s.n):
                own.matrix[a, b] = sup.constant[s.M + a * s.n + b]
        add_lead_matrix(sys, i, values, work)
    return Status.OK.value


@kernel
def add_tree_superelement_tangents(sys, cq, cv, cm, values, work) -> int:
    """Add (2) to the values of the pattern, by superelement_step.py, after `add_tree_superelement_loads` at the state."""
    sup, own = sys.sup, work.sup
    for i in range(sup.element.shape[0]):
        eval_step_matrix(sup, i, cq, cv, cm, own)
        add_lead_matrix(sys, i, values, work)
    return Status.OK.value


@kernel
def keep_slopes(sys, i, q, qd, qdd, work):
    """Fill work.sup.slopes of superelement i with K and C of the state, unless they are there."""
    own = work.sup
    if own.frame[i].sloped == 1:
        return
    eval_tree_superelement(sys, i, q, qd, qdd, work)
    eval_tangents(sys.sup, i, own)
    n = sys.sup.element[i].n
    for a in range(n):
        for b in range(n):
            own.slopes[i, 0, a, b], own.slopes[i, 1, a, b] = own.K[a, b], own.C[a, b]
    own.frame[i].sloped = 1


@part
def take_variations(sys, i, dq, dqd, dqdd, work):
    """Variations of the interfaces and modes, frame's axes: places into dq, velocities into dqd, accelerations into dp."""
    sup, own = sys.sup, work.sup
    s, R = sup.element[i], load9(own.frame[i].R)
    for k in range(s.n_face):
        o = work.variation[sup.face[s.face + k]]
        store_triple(own.dq, 6 * k, tmul33_vec(R, load3(o.r)))
        store_triple(own.dq, 6 * k + 3, tmul33_vec(R, load3(o.phi)))
        store_triple(own.dqd, 6 * k, tmul33_vec(R, load3(o.v)))
        store_triple(own.dqd, 6 * k + 3, tmul33_vec(R, load3(o.w)))
        store_triple(own.dp, 6 * k, tmul33_vec(R, load3(o.a)))
        store_triple(own.dp, 6 * k + 3, tmul33_vec(R, load3(o.al)))
    for m in range(s.n_mode):
        at, v = 6 * s.n_face + m, s.eta_v + m
        own.dq[at], own.dqd[at], own.dp[at] = dq[v], dqd[v], dqdd[v]


@kernel
def vary_superelements(sys, q, qd, qdd, dq, dqd, dqdd, out, work) -> int:
    """Add the variations of all loads to those of the rows of the interfaces, and put those of the modes into out (n_v,).

    After the loads at the state, with the variations of the bodies' motion in work.variation.
    """
    sup, own = sys.sup, work.sup
    for i in range(sup.element.shape[0]):
        keep_slopes(sys, i, q, qd, qdd, work)
        take_variations(sys, i, dq, dqd, dqdd, work)
        s, R, f = sup.element[i], load9(own.frame[i].R), own.column
        clear(f, s.n)
        for a in range(s.n):
            total = 0.0
            for b in range(s.n):
                total += own.slopes[i, 0, a, b] * own.dq[b] + own.slopes[i, 1, a, b] * own.dqd[b]
            f[a] = total
        add_product(sup.constant, s.M, s.n, own.dp, 1.0, f)
        for k in range(s.n_face):
            o = work.variation[sup.face[s.face + k]]
            store3(o.f, add3(load3(o.f), mul33_vec(R, triple(f, 6 * k))))
            store3(o.n, add3(load3(o.n), mul33_vec(R, triple(f, 6 * k + 3))))
        for m in range(s.n_mode):
            out[s.eta_v + m] = f[6 * s.n_face + m]
    return Status.OK.value
