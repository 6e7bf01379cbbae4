"""What results show of a model with superelements: their loads on the faces, energies, momenta and points of a state.

Frames are in joint coordinates of the tree of faces, followed by the modes.  A state is brought to natural coordinates, with
the accelerations and multipliers that the run has found; nothing is solved.  The tree's own inverse dynamics then gives the
joint reactions: the faces are massless rows, on which the superelements act with the loads found, and the loops with their
multipliers.  The momentum of a superelement is that of its interfaces, M v, and its moment.
"""

from ..codes import Status
from .algebra.rotation import quaternion_of_matrix
from .algebra.small import add3, cross, load3, load9, mul33_vec, neg3, store3
from .compile.jit import kernel, shared
from .constraint.rows import add_row_loads, eval_rows
from .evaluate import eval_accelerations, eval_state
from .flex.superelement import eval_frame_rates, find_frame, point_pose, point_rates, triple
from .flex.superelement_loads import (
    add_product,
    clear,
    damped_power,
    elastic_energy,
    eval_inertia_loads,
    eval_internal_loads,
    kinetic_energy,
    weight_energy,
)
from .flex.superelement_points import eval_second_rates, point_accelerations
from .force.power import supplied_power
from .measure import (
    POWER,
    measure_bodies,
    measure_elements,
    measure_holds,
    measure_reactions,
    measure_system,
    measure_violations,
    put3,
    restore_loads,
)
from .natural.coordinates import natural_state_of_joint
from .natural.joints import joint_state_of_natural
from .tree.inverse import eval_body_accelerations, eval_inverse
from .tree.kinematics import eval_motion, eval_places

WARM = 1


@shared
def natural_of_joint(sys, tree, q, qd, qdd, y, yd, ydd, work, tree_work) -> int:
    """Natural y, yd, ydd of joint coordinates q, rates qd and accelerations qdd of the tree with the modes behind."""
    n_q, n_v = tree.constants[0].n_q, tree.constants[0].n_v
    status = eval_motion(tree, q[:n_q], qd[:n_v], tree_work)
    if status != Status.OK.value:
        return status
    eval_places(tree, qd[:n_v], tree_work)
    eval_body_accelerations(tree, qdd[:n_v], tree_work)
    natural_state_of_joint(tree, y, yd, ydd, tree_work)
    at = 0
    for i in range(sys.sup.element.shape[0]):
        s = sys.sup.element[i]
        for k in range(s.eta, s.eta + s.n_mode):
            y[k], yd[k], ydd[k] = q[n_q + at], qd[n_v + at], qdd[n_v + at]
            at += 1
    for k in range(n_q):
        work.joint_q[k] = q[k]
    return Status.OK.value


@kernel
def solve_natural_frame(sys, tree, t, q, qd, qdd, work, tree_work) -> int:
    """Accelerations qdd of a state of the tree and its modes; leaves natural ones and multipliers in `work`."""
    own = work.scratch.frame
    y, yd, ydd = own.q, own.qd, own.qdd
    for k in range(qdd.shape[0]):
        qdd[k] = 0.0
    status = natural_of_joint(sys, tree, q, qd, qdd, y, yd, ydd, work, tree_work)
    if status != Status.OK.value:
        return status
    status = eval_accelerations(sys, t, y, yd, ydd, own.tau, work)
    if status != Status.OK.value:
        return status
    n_v = tree.constants[0].n_v
    status = joint_state_of_natural(sys, y, yd, ydd, work.joint_q, work.joint_q, work.joint_qd, work.joint_qdd, work)
    for k in range(n_v):
        qdd[k] = work.joint_qdd[k]
    at = n_v
    for i in range(sys.sup.element.shape[0]):
        s = sys.sup.element[i]
        for k in range(s.eta, s.eta + s.n_mode):
            qdd[at] = ydd[k]
            at += 1
    return status


@kernel
def solve_natural_frames(sys, tree, t, q, qd, qdd, loads, work, tree_work) -> int:
    """Fill the accelerations qdd (nf, n_v) of frames t (nf,), q, qd of the tree, modes behind; `loads` as in measure.py."""
    for f in range(t.shape[0]):
        restore_loads(loads[f], work)
        status = solve_natural_frame(sys, tree, t[f], q[f], qd[f], qdd[f], work, tree_work)
        if status != Status.OK.value:
            return status
    return Status.OK.value


@kernel
def load_faces(sup, i, work, tree_work):
    """Add the loads of superelement i, after `eval_inertia_loads`, to the faces' rows of the tree."""
    s, R = sup.element[i], load9(work.frame[i].R)
    for k in range(s.n_face):
        own = tree_work.body[sup.face[s.face + k]]
        f = add3(triple(work.f, 6 * k), triple(work.inertia, 6 * k))
        n = add3(triple(work.f, 6 * k + 3), triple(work.inertia, 6 * k + 3))
        store3(own.ef, add3(load3(own.ef), neg3(mul33_vec(R, f))))
        store3(own.en, add3(load3(own.en), neg3(mul33_vec(R, n))))


@kernel
def add_momentum(sup, i, f, out, work):
    """Add the momentum of superelement i and its moment about the world's origin to out[f]; destroys dq."""
    s, R = sup.element[i], load9(work.frame[i].R)
    clear(work.dq, s.n)
    add_product(sup.constant, s.M, s.n, work.v, 1.0, work.dq)
    for k in range(s.n_face):
        p, L = mul33_vec(R, triple(work.dq, 6 * k)), mul33_vec(R, triple(work.dq, 6 * k + 3))
        L = add3(L, cross(load3(work.place[k]), p))
        for c in range(3):
            out[f, 3 + c] += p[c]
            out[f, 6 + c] += L[c]


@kernel
def measure_point(sup, j, f, dv, dw, out, work):
    """Fill out[f, j] (19,): position, quaternion, velocity, angular velocity, accelerations; see `eval_second_rates`."""
    place, R = point_pose(sup, j, work)
    v, w = point_rates(sup, j, work)
    a, al = point_accelerations(sup, j, dv, dw, work)
    put3(out, f, j, 0, place)
    out[f, j, 3], out[f, j, 4], out[f, j, 5], out[f, j, 6] = quaternion_of_matrix(R)
    put3(out, f, j, 7, v)
    put3(out, f, j, 10, w)
    put3(out, f, j, 13, a)
    put3(out, f, j, 16, al)


@kernel
def measure_superelement(sup, i, f, g, last, point, system, own):
    """Share of superelement i in system[f], after its loads, and its points from row `last` on; returns the next row."""
    system[f, 0] += kinetic_energy(sup, i, own)
    system[f, 1] += weight_energy(sup, i, g, own)
    system[f, 2] += elastic_energy(sup, i, own)
    system[f, POWER] -= damped_power(sup, i, own)
    while last < sup.point.shape[0] and sup.point[last].element == i:
        dv, dw = eval_second_rates(sup, i, own)
        measure_point(sup, last, f, dv, dw, point, own)
        last += 1
    add_momentum(sup, i, f, system, own)
    return last


@kernel
def measure_superelements(sys, f, point, system, work, tree_work) -> int:
    """Loads of all superelements onto the tree's faces, their share of system[f] and their points, of the natural state."""
    sup, own, g = sys.sup, work.sup, load3(sys.constants[0].g_w)
    q, qd, qdd, last = work.scratch.frame.q, work.scratch.frame.qd, work.scratch.frame.qdd, 0
    for i in range(sup.element.shape[0]):
        status = find_frame(sup, i, q, WARM, own)
        if status != Status.OK.value:
            work.fail[0].superelement = i
            return status
        eval_frame_rates(sup, i, q, qd, own)
        eval_internal_loads(sup, i, g, own)
        eval_inertia_loads(sup, i, q, qdd, own)
        load_faces(sup, i, own, tree_work)
        last = measure_superelement(sup, i, f, g, last, point, system, own)
    return Status.OK.value


@kernel
def measure_natural_frames(sys, tree, t, q, qd, qdd, multiplier, loads, body, point, reaction, effort, element, system, work,
                           tree_work) -> int:
    """Evaluate all tables for frames t (nf,), q, qd, qdd (nf, ...) of the tree with the modes behind.

    As `measure_frames`; `point` (nf, n_point, 19) takes the places of superelements that are no interfaces.
    """
    n_q, n_v = tree.constants[0].n_q, tree.constants[0].n_v
    tau, needed, rows = tree_work.scratch.frame.tau, tree_work.scratch.frame.needed, tree_work.row
    for f in range(t.shape[0]):
        restore_loads(loads[f], work)
        restore_loads(loads[f], tree_work)
        own = work.scratch.frame
        status = natural_of_joint(sys, tree, q[f], qd[f], qdd[f], own.q, own.qd, own.qdd, work, tree_work)
        if status != Status.OK.value:
            return status
        x, xd = q[f][:n_q], qd[f][:n_v]
        status = eval_state(tree, t[f], x, xd, tau, tree_work)
        if status != Status.OK.value:
            return status
        measure_system(tree, f, x, xd, system, tree_work)
        status = measure_superelements(sys, f, point, system, work, tree_work)
        if status != Status.OK.value:
            return status
        for r in range(rows.shape[0]):
            rows[r].lam, rows[r].pen = multiplier[f, r], 0.0
        eval_rows(tree, t[f], x, xd, tree_work)
        add_row_loads(tree, x, tau, tree_work)
        measure_violations(tree, f, system, tree_work)
        eval_inverse(tree, qdd[f][:n_v], needed, tree_work)
        measure_bodies(tree, f, body, tree_work)
        measure_reactions(tree, f, tau, needed, qdd[f], reaction, tree_work)
        measure_holds(tree, f, tree.joint.shape[0], reaction, tree_work)
        status = measure_elements(tree, f, t[f], x, xd, element, system, tree_work)
        if status != Status.OK.value:
            return status
        for k in range(n_v):
            effort[f, k] = needed[k] - tau[k] if tree.dof[k].drive >= 0 else tau[k]
        system[f, POWER] += supplied_power(tree, xd, effort[f], tree_work)
    return Status.OK.value
