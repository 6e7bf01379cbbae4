"""Exact directional derivative of the equations of motion of a tree, O(N) a direction.

The recursion of kinematics.py and inverse.py differentiated line by line: variations of rotation phi,
angular velocity w, accelerations al, a, offset d, position r, velocity v and joint load (n, f), all in world axes.
The directions s of a joint are constant in its parent's frame, hence
    ds = phi_p x s,  dd = phi_p x d + sum s_f dq,  dphi = phi_p + sum s_n dq                     (1)
    dw = w'_p + drel,  drel = phi_p x rel + sum s_n dqd,  dvel = phi_p x vel + sum s_f dqd       (2)
    dal = al'_p + w'_p x rel + w_p x drel + phi_p x (sum s_n qdd) + sum s_n dqdd                 (3)
    da = a'_p + al'_p x d + al_p x dd + w'_p x (w_p x d) + w_p x (w'_p x d + w_p x dd)
         + 2 (w'_p x vel + w_p x dvel) + phi_p x (sum s_f qdd) + sum s_f dqdd                    (4)
    d(J x) = phi x J x - J (phi x x) + J dx,  dh = phi x h                                       (5)
where a prime marks the parent's variation.  Faces of flexible bodies add changes of their own directions.
"""

from ...codes import JointCode, Status
from ..algebra.quad import load_symmetric
from ..algebra.small import add3, axpy3, cross, dot3, load3, scale3, store3, sub3, sym_vec
from ..compile.jit import kernel, shared
from ..constraint.row_tangents import vary_rows
from ..flex.floating_tangent import add_face_variation, prepare_tangent, put_load_variations, vary_element, vary_face
from ..force.elements_tangent import eval_force_variations
from ..loop_calls import call_variation
from .kinematics import relative_velocities


@kernel
def turned_inertia_vec(J, phi, x, dx):
    """Variation (5) of J x in a body that turns by phi while x changes by dx."""
    return add3(sub3(cross(phi, sym_vec(J, x)), sym_vec(J, cross(phi, x))), sym_vec(J, dx))


@kernel
def vary_motion(sys, qd, qdd, dq, dqd, dqdd, work):
    """Outward: variations (1)-(4) of every body."""
    zero = (0.0, 0.0, 0.0)
    rows, var, dof = work.body, work.variation, work.dof
    ground = var[0]
    store3(ground.phi, zero)
    store3(ground.w, zero)
    store3(ground.al, zero)
    store3(ground.a, zero)
    store3(ground.r, zero)
    store3(ground.v, zero)
    for i in range(1, sys.body.shape[0]):
        b, own, p, o, op = sys.body[i], rows[i], rows[sys.body[i].parent], var[i], var[sys.body[i].parent]
        phi, dw, dal_p = load3(op.phi), load3(op.w), load3(op.al)
        w, al, d = load3(p.w_w), load3(p.al_w), load3(own.d_w)
        rel, vel = relative_velocities(b, qd, work)
        s_q, m_q, s_qd, m_qd, s_qdd, m_qdd, turn, slide = zero, zero, zero, zero, zero, zero, zero, zero
        if b.code == JointCode.ELASTIC:
            s_q, m_q, s_qd, m_qd, s_qdd, m_qdd, turn, slide = vary_face(sys, b, dq, dqd, dqdd, work)
        for k in range(b.v, b.v + b.nv):
            s_n, s_f = load3(dof[k].s_n), load3(dof[k].s_f)
            s_q, m_q = axpy3(dq[k], s_n, s_q), axpy3(dq[k], s_f, m_q)
            s_qd, m_qd = axpy3(dqd[k], s_n, s_qd), axpy3(dqd[k], s_f, m_qd)
            s_qdd, m_qdd = axpy3(dqdd[k], s_n, s_qdd), axpy3(dqdd[k], s_f, m_qdd)
            turn, slide = axpy3(qdd[k], s_n, turn), axpy3(qdd[k], s_f, slide)
        dd = add3(cross(phi, d), m_q)                                                            # (1)
        drel = add3(cross(phi, rel), s_qd)                                                       # (2)
        dvel = add3(cross(phi, vel), m_qd)
        dal = add3(add3(dal_p, cross(dw, rel)), add3(cross(w, drel), add3(cross(phi, turn), s_qdd)))  # (3)
        wd = cross(w, d)
        whirl = add3(cross(dw, wd), cross(w, add3(cross(dw, d), cross(w, dd))))
        coriolis = add3(cross(dw, vel), cross(w, dvel))
        da = add3(add3(load3(op.a), cross(dal_p, d)), add3(cross(al, dd), whirl))                # (4)
        da = add3(axpy3(2.0, coriolis, da), add3(cross(phi, slide), m_qdd))
        store3(o.phi, add3(phi, s_q))
        store3(o.w, add3(dw, drel))
        store3(o.al, dal)
        store3(o.a, da)
        store3(o.d, dd)
        store3(o.r, add3(load3(op.r), dd))
        store3(o.v, add3(add3(load3(op.v), cross(dw, d)), add3(cross(w, dd), dvel)))


@kernel
def vary_loads(sys, dq, dqd, dqdd, work):
    """Variations of the inertia wrench of every body by (5), into its row; those of flexible bodies with elastic loads."""
    for i in range(1, sys.body.shape[0]):
        own, o = work.body[i], work.variation[i]
        m = sys.body[i].mass
        J, h, w, al, a = load_symmetric(own.A_J), load3(own.h_w), load3(own.w_w), load3(own.al_w), load3(own.a_w)
        phi, dw, dal, da = load3(o.phi), load3(o.w), load3(o.al), load3(o.a)
        dh = cross(phi, h)
        spin = add3(cross(dw, sym_vec(J, w)), cross(w, turned_inertia_vec(J, phi, w, dw)))
        n = add3(turned_inertia_vec(J, phi, al, dal), add3(cross(dh, a), cross(h, da)))
        whirl = add3(cross(dw, cross(w, h)), cross(w, add3(cross(dw, h), cross(w, dh))))
        f = add3(add3(scale3(da, m), add3(cross(dal, h), cross(al, dh))), whirl)
        store3(o.n, add3(n, spin))
        store3(o.f, f)
    for index in range(sys.floating.element.shape[0]):
        vary_element(sys, index, dq, dqd, dqdd, work)


@shared
def eval_variation(sys, t, q, qd, qdd, dq, dqd, dqdd, out, work) -> int:
    """out = variation of `eval_residual` along (dq, dqd, dqdd), each (n_v,); call after `eval_residual` at the state.

    dq of a quaternion is a rotation in the joint's fixed axes.  Entries of driven rates are zero.  Loads of constraint rows
    vary with the multipliers and penalties in work.row.
    """
    prepare_tangent(sys, qd, qdd, work)
    vary_motion(sys, qd, qdd, dq, dqd, dqdd, work)
    vary_loads(sys, dq, dqd, dqdd, work)
    status = eval_force_variations(sys, t, q, qd, dq, dqd, out, work)
    if status == Status.OK.value:
        status = vary_rows(sys, t, q, qd, dq, dqd, out, work)
    if status != Status.OK.value:
        return status
    rows, var, dof = work.body, work.variation, work.dof
    put_load_variations(sys, out, work)
    if sys.sup.element.shape[0] > 0:
        call_variation(sys, q, qd, qdd, dq, dqd, dqdd, out, work)
    for i in range(sys.body.shape[0] - 1, 0, -1):
        b, own, o = sys.body[i], rows[i], var[i]
        phi = load3(var[b.parent].phi)
        n, f, dn, df = load3(own.n), load3(own.f), load3(o.n), load3(o.f)
        for k in range(b.v, b.v + b.nv):
            if sys.dof[k].drive >= 0:
                out[k] = 0.0
                continue
            s_n, s_f = load3(dof[k].s_n), load3(dof[k].s_f)
            out[k] = (dot3(s_n, dn) + dot3(s_f, df) + dot3(cross(phi, s_n), n) + dot3(cross(phi, s_f), f)) - out[k]
            out[k] += sys.dof[k].armature * dqdd[k]
        if b.code == JointCode.ELASTIC:
            add_face_variation(sys, b, n, f, dn, df, phi, dq, out, work)
        if b.parent > 0:
            op, d = var[b.parent], load3(own.d_w)
            moment = add3(dn, add3(cross(load3(o.d), f), cross(d, df)))
            store3(op.n, add3(load3(op.n), moment))
            store3(op.f, add3(load3(op.f), df))
    return Status.OK.value
