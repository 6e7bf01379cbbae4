"""What results show of a state: bodies' frames, joint reactions, efforts, force elements, energies, momentum."""

from ..codes import FormCode, Status
from .algebra.quad import load_columns, load_symmetric
from .algebra.rotation import quaternion_of_matrix
from .algebra.small import (
    add3,
    axpy3,
    cross,
    dot3,
    load3,
    load9,
    mul33,
    mul33_vec,
    neg3,
    scale3,
    sub3,
    sym_vec,
)
from .compile.jit import kernel
from .constraint.rows import add_row_loads, eval_rows
from .evaluate import eval_state
from .flex.floating import elastic_parts, eval_strain_energy
from .force.elements import eval_element, without_effort
from .force.power import supplied_power
from .tree.inverse import eval_inverse
from .tree.kinematics import eval_places

ELASTIC, POWER = 2, 11
"""Columns of the system's table that hold the elastic energy [J] and the power supplied [W]."""


@kernel
def put3(out, f, i, c, x):
    """out[f, i, c:c+3] = x."""
    out[f, i, c] = x[0]
    out[f, i, c + 1] = x[1]
    out[f, i, c + 2] = x[2]


@kernel
def measure_bodies(sys, f, out, work):
    """Fill out[f] (n_body, 19): position, quaternion, velocity, angular velocity, accelerations of user's frames."""
    g = load3(sys.constants[0].g_w)
    for i in range(sys.body.shape[0]):
        b, own = sys.body[i], work.body[i]
        R = load_columns(own.E_wb)
        u = mul33_vec(R, load3(b.u_b))
        w, al = load3(own.w_w), load3(own.al_w)
        a = add3(add3(load3(own.a_w), g), add3(cross(al, u), cross(w, cross(w, u))))
        put3(out, f, i, 0, add3(load3(own.r_w), u))
        e = quaternion_of_matrix(mul33(R, load9(b.R_bu)))
        out[f, i, 3], out[f, i, 4], out[f, i, 5], out[f, i, 6] = e
        put3(out, f, i, 7, add3(load3(own.v_w), cross(w, u)))
        put3(out, f, i, 10, w)
        put3(out, f, i, 13, a)
        put3(out, f, i, 16, al)


@kernel
def measure_reactions(sys, f, tau, needed, qdd, out, work):
    """Fill out[f] (n_joint, 6): force and torque of each joint on its second body, at its second attachment.

    The load of the carried body is moved to the second attachment, its part along free motions `needed` (n_v,) is taken out
    (of driven ones the applied efforts `tau` alone), and the sign is changed if the carried body is the joint's first one.
    What a rotor takes of an effort for its own acceleration does not reach the body.
    """
    for j in range(sys.joint.shape[0]):
        k = sys.joint[j]
        last, first = work.body[k.last], sys.body[k.first]
        load_n, load_f = load3(last.n), load3(last.f)
        base = work.body[first.parent]
        if k.reversed == 1:
            seat = add3(load3(base.r_w), mul33_vec(load_columns(base.E_wb), load3(first.d_p)))
            load_n = add3(load_n, cross(sub3(load3(last.r_w), seat), load_f))
        b = sys.body[k.last]
        A = mul33(load_columns(work.body[b.parent].E_wb), load9(b.R_pj))
        for v in range(k.v, k.v + k.nv):
            effort = (tau[v] if sys.dof[v].drive >= 0 else needed[v]) - sys.dof[v].armature * qdd[v]
            load_n, load_f = without_effort(sys, v, effort, A, load_n, load_f)
        if k.reversed == 1:
            load_n, load_f = neg3(load_n), neg3(load_f)
        put3(out, f, j, 0, load_f)
        put3(out, f, j, 3, load_n)


@kernel
def measure_holds(sys, f, first, out, work):
    """Fill out[f] from row `first` on: force and torque of each hold on its second body, at that body's attachment.

    For constraints between coordinates the effort on the first of them takes the place of the first force component.
    """
    for i in range(sys.hold.shape[0]):
        hold = sys.hold[i]
        load_n, load_f, effort = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for r in range(hold.first, hold.first + hold.count):
            c, own = sys.row[r], work.row[r]
            if c.terms > 0:
                effort -= own.lam
                continue
            arm = mul33_vec(load_columns(work.body[c.b].E_wb), load3(c.u_b))
            push = load3(own.f_b)
            load_f = axpy3(-own.lam, push, load_f)
            load_n = axpy3(-own.lam, sub3(load3(own.n_b), cross(arm, push)), load_n)
        put3(out, f, first + i, 0, (load_f[0] + effort, load_f[1], load_f[2]))
        put3(out, f, first + i, 3, load_n)


@kernel
def measure_violations(sys, f, out, work):
    """Fill out[f, 9] and out[f, 10]: largest violation of a constraint and of its rate."""
    for r in range(sys.row.shape[0]):
        out[f, 9] = max(out[f, 9], abs(work.row[r].Phi))
        out[f, 10] = max(out[f, 10], abs(work.row[r].Phid))


@kernel
def load_rows(sys, t, q, qd, multiplier, tau, work) -> int:
    """Evaluate a state with the loads of its multipliers; `tau` takes those on coordinates."""
    status = eval_state(sys, t, q, qd, tau, work)
    if status != Status.OK.value:
        return status
    for r in range(sys.row.shape[0]):
        work.row[r].lam, work.row[r].pen = multiplier[r], 0.0
    status = eval_rows(sys, t, q, qd, work)
    add_row_loads(sys, q, tau, work)
    for r in range(sys.row.shape[0]):
        work.row[r].pen = sys.row[r].penalty
    return status


@kernel
def measure_elements(sys, f, t, q, qd, out, system, work) -> int:
    """Fill out[f] (n_force, 9): force, moment, effort, length, rate of every force element.

    Their energy and the power that they supply are added to system[f].
    """
    for i in range(sys.force.shape[0]):
        force, moment, effort, length, rate, stored, supplied, status = eval_element(sys, sys.force[i], t, q, qd, work)
        if status != Status.OK.value:
            work.fail[0].force = i
            return status
        system[f, ELASTIC] += stored
        system[f, POWER] += supplied
        put3(out, f, i, 0, force)
        put3(out, f, i, 3, moment)
        out[f, i, 6], out[f, i, 7], out[f, i, 8] = effort, length, rate
    return Status.OK.value


@kernel
def measure_system(sys, f, q, qd, out, work):
    """Fill the first nine of out[f] (12,).

    They are kinetic, gravitational and elastic energy [J], the last of flexible bodies alone, linear and angular momentum
    (world origin).
    """
    kinetic, weight = 0.0, 0.0
    p, L = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    g = load3(sys.constants[0].g_w)
    for i in range(1, sys.body.shape[0]):
        own, m = work.body[i], sys.body[i].mass
        r, v, w, h = load3(own.r_w), load3(own.v_w), load3(own.w_w), load3(own.h_w)
        Jw = sym_vec(load_symmetric(own.A_J), w)
        momentum = add3(scale3(v, m), cross(w, h))
        kinetic += 0.5 * (dot3(v, momentum) + dot3(v, cross(w, h)) + dot3(w, Jw))
        weight -= dot3(g, axpy3(m, r, h))
        p = add3(p, momentum)
        L = add3(L, add3(cross(r, momentum), add3(cross(h, v), Jw)))
    for index in range(sys.floating.element.shape[0]):
        energy, momentum, spin = elastic_parts(sys, index, qd, work)
        kinetic += energy
        p = add3(p, momentum)
        L = add3(L, add3(cross(load3(work.body[sys.floating.element[index].body].r_w), momentum), spin))
    for k in range(sys.dof.shape[0]):
        kinetic += 0.5 * sys.dof[k].armature * qd[k] * qd[k]
    out[f, 0], out[f, 1], out[f, ELASTIC] = kinetic, weight, eval_strain_energy(sys, q)
    for c in range(3):
        out[f, 3 + c] = p[c]
        out[f, 6 + c] = L[c]


@kernel
def restore_loads(loads, work):
    """Take the outputs of controllers, the loads on bodies and those on rates from one row, one behind the other."""
    control, k = work.control, 0
    for i in range(control.held.shape[0]):
        control.held[i] = loads[k]
        k += 1
    for i in range(control.outer.shape[0]):
        for c in range(control.outer.shape[1]):
            control.outer[i, c] = loads[k]
            k += 1
    for i in range(control.effort.shape[0]):
        control.effort[i] = loads[k]
        k += 1
    for i in range(control.contact.shape[0]):
        for c in range(4):
            control.contact[i, c] = loads[k]
            k += 1


@kernel
def measure_frames(sys, t, q, qd, qdd, multiplier, loads, body, reaction, effort, element, system, work) -> int:
    """Evaluate all tables for the frames t (nf,), q, qd, qdd (nf, ...) and the multipliers (nf, m); nothing is solved.

    `loads` are the outputs of controllers and the loads from outside, as `restore_loads` takes them.
    `effort` (nf, n_v) holds the applied efforts of undriven rates and the drives' efforts of driven ones.
    """
    tau, needed = work.scratch.frame.tau, work.scratch.frame.needed
    for f in range(t.shape[0]):
        restore_loads(loads[f], work)
        if sys.constants[0].form != FormCode.TREE:
            status = load_rows(sys, t[f], q[f], qd[f], multiplier[f], tau, work)
            measure_violations(sys, f, system, work)
        else:
            status = eval_state(sys, t[f], q[f], qd[f], tau, work)
        if status != Status.OK.value:
            return status
        eval_places(sys, qd[f], work)
        eval_inverse(sys, qdd[f], needed, work)
        measure_bodies(sys, f, body, work)
        measure_reactions(sys, f, tau, needed, qdd[f], reaction, work)
        measure_holds(sys, f, sys.joint.shape[0], reaction, work)
        measure_system(sys, f, q[f], qd[f], system, work)
        for k in range(needed.shape[0]):
            effort[f, k] = needed[k] - tau[k] if sys.dof[k].drive >= 0 else tau[k]
        system[f, POWER] = supplied_power(sys, qd[f], effort[f], work)
        status = measure_elements(sys, f, t[f], q[f], qd[f], element, system, work)
        if status != Status.OK.value:
            return status
    return Status.OK.value
