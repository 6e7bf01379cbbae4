"""Inverse dynamics of a tree in O(N) by the recursive Newton-Euler algorithm (RNEA): the efforts that given accelerations need
and the load of every joint; its mass matrix by the composite-rigid-body algorithm (CRBA).

Seeds: [ARN (9), (10)] with the joint loads summed from the leaves; deviations as in dynamics.py.
"""

from ...codes import JointCode, Status
from ..algebra.quad import add4, cross4, load4, load_symmetric
from ..algebra.small import add3, axpy3, cross, dot3, load3, store3, sub3, sym_vec
from ..algebra.spatial import add_inertia, inertia_vec, load_inertia, shifted_inertia
from ..compile.jit import part, shared
from ..flex.faces import add_face_effort, face_acceleration
from ..flex.floating import eval_floating_accelerations, heavy_element, put_elastic_loads, with_elastic_wrench
from ..flex.floating_mass import add_body_columns, add_face_columns, add_felt


@part
def eval_body_accelerations(sys, qdd, work) -> int:
    """Fill al_w and a_w (minus gravity) of every body for given qdd, after `eval_motion`."""
    rows, dof = work.body, work.dof
    g = load3(sys.constants[0].g_w)
    store3(rows[0].al_w, (0.0, 0.0, 0.0))
    store3(rows[0].a_w, (-g[0], -g[1], -g[2]))
    for i in range(1, sys.body.shape[0]):
        b, own, parent = sys.body[i], rows[i], rows[sys.body[i].parent]
        al = load3(parent.al_w)
        a = add3(add3(load3(parent.a_w), cross(al, load3(own.d_w))), load3(own.cl_w))          # [ARN (9)]
        al = add3(al, load3(own.ca_w))
        if b.code == JointCode.REVOLUTE:
            al = axpy3(qdd[b.v], load3(dof[b.v].s_n), al)
        elif b.code == JointCode.ELASTIC:
            turn, slide = face_acceleration(sys, b.flex, qdd, work)
            al, a = add3(al, turn), add3(a, slide)
        else:
            for k in range(b.v, b.v + b.nv):
                al = axpy3(qdd[k], load3(dof[k].s_n), al)
                a = axpy3(qdd[k], load3(dof[k].s_f), a)
        store3(own.al_w, al)
        store3(own.a_w, a)
    for index in range(sys.floating.element.shape[0]):
        eval_floating_accelerations(sys, index, qdd, work)
    return Status.OK.value


@part
def eval_joint_loads(sys, work) -> int:
    """Fill n, f of every body: the wrench at its origin that its joint must carry, inward.  J, h_w are its own."""
    rows = work.body
    for i in range(1, sys.body.shape[0]):
        own = rows[i]
        al, a, h = load3(own.al_w), load3(own.a_w), load3(own.h_w)
        n = add3(sym_vec(load_symmetric(own.A_J), al), cross(h, a))                             # [ARN (10)]
        f = axpy3(sys.body[i].mass, a, cross(al, h))
        if sys.body[i].flex >= 0:
            n, f = with_elastic_wrench(sys, i, n, f, work)
        store3(own.n, sub3(n, load3(own.en)))
        store3(own.f, sub3(f, load3(own.ef)))
    for i in range(sys.body.shape[0] - 1, 0, -1):
        own = rows[i]
        p = sys.body[i].parent
        if p > 0:
            parent = rows[p]
            n, f = load3(own.n), load3(own.f)
            store3(parent.n, add3(load3(parent.n), add3(n, cross(load3(own.d_w), f))))
            store3(parent.f, add3(load3(parent.f), f))
    return Status.OK.value


@part
def eval_efforts(sys, effort, work) -> int:
    """Project the joint loads on the directions: effort needed on every rate [N m or N]; [ARN (11)] with effort."""
    for k in range(sys.dof.shape[0]):
        own, d = work.body[sys.dof[k].body], work.dof[k]
        if sys.body[sys.dof[k].body].code == JointCode.REVOLUTE:
            effort[k] = dot3(load3(d.s_n), load3(own.n))
        else:
            effort[k] = dot3(load3(d.s_n), load3(own.n)) + dot3(load3(d.s_f), load3(own.f))
    put_elastic_loads(sys, effort, work)
    for index in range(sys.floating.face.shape[0]):
        own = work.body[sys.floating.face[index].body]
        add_face_effort(sys, index, load3(own.n), load3(own.f), effort, work)
    return Status.OK.value


@part
def add_rotors(sys, qdd, effort):
    """Add the efforts that rotors need for accelerations qdd."""
    if sys.constants[0].rotors > 0:
        for k in range(sys.dof.shape[0]):
            effort[k] += sys.dof[k].armature * qdd[k]


@shared
def eval_inverse(sys, qdd, effort, work) -> int:
    """effort = M qdd + bias - applied body forces, after `eval_motion` and `eval_forces`, by RNEA."""
    eval_body_accelerations(sys, qdd, work)
    eval_joint_loads(sys, work)
    status = eval_efforts(sys, effort, work)
    add_rotors(sys, qdd, effort)
    return status


@shared
def eval_mass_matrix(sys, M, work) -> int:
    """Fill the mass matrix (n_v, n_v) after `eval_motion` (destroys the rows' inertia): the composite-rigid-body algorithm."""
    body, rows, dof = sys.body, work.body, work.dof
    for k in range(M.shape[0]):
        for j in range(M.shape[1]):
            M[k, j] = 0.0
    for i in range(body.shape[0] - 1, 0, -1):
        b, own = body[i], rows[i]
        A_J, A_H, A_M = load_inertia(own)

        # wrench that a unit acceleration of each direction makes, felt by all inner directions
        for k in range(b.v, b.v + b.nv):
            n, f = inertia_vec(A_J, A_H, A_M, load4(dof[k].s_n), load4(dof[k].s_f))
            for c in range(b.v, k + 1):
                M[c, k] = M[k, c] = dot3(load4(dof[c].s_n), n) + dot3(load4(dof[c].s_f), f)
            M[k, k] += sys.dof[k].armature
            add_felt(sys, b.parent, k, add4(n, cross4(load4(own.d_w), f)), f, M, work)
        if b.code == JointCode.ELASTIC:
            add_face_columns(sys, i, A_J, A_H, A_M, M, work)
        if heavy_element(sys, i) >= 0:
            add_body_columns(sys, i, M, work)

        # the composite body joins its parent's
        if b.parent > 0:
            A_J, A_H, A_M = shifted_inertia(A_J, A_H, A_M, load4(own.d_w))
            add_inertia(rows[b.parent], A_J, A_H, A_M)
    return Status.OK.value
