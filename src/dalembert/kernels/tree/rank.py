"""Motions of a tree that need no inertia: a basis of the null space of the mass matrix, O(N) a vector.

Seeds: [ARN (18)-(26)].  After `solve_accelerations` every rate k with iD = 0 has one such motion: qdd_k = 1, the rates
of the bodies outboard follow from (3) of dynamics.py without forces, and all bodies with inertia stay unaccelerated.
The motion's product with the equations of motion is the first-order equation [ARN (20b)] of the rate.
"""

from ...codes import JointCode, Status
from ..algebra.small import add3, axpy3, cross, dot3, load3, store3
from ..compile.jit import kernel
from ..flex.elimination import solve_block
from ..flex.faces import face_acceleration
from .tangent import eval_variation


@kernel
def list_massless(sys, work, rates):
    """Fill the rates without inertia in growing order; returns their number."""
    count = 0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive < 0 and work.dof[k].iD == 0.0:
            rates[count] = k
            count += 1
    return count


@kernel
def eval_massless_motion(sys, rate, x, work):
    """Fill the motion x (n_v,) of a massless rate."""
    rows, dof = work.factor_body, work.dof
    zero = (0.0, 0.0, 0.0)
    store3(rows[0].al, zero)
    store3(rows[0].a, zero)
    for i in range(1, sys.body.shape[0]):
        b, own, parent = sys.body[i], rows[i], rows[sys.body[i].parent]
        al = load3(parent.al)
        a = add3(load3(parent.a), cross(al, load3(work.body[i].d_w)))
        if b.code == JointCode.ELASTIC:
            turn, slide = face_acceleration(sys, b.flex, x, work)
            al, a = add3(al, turn), add3(a, slide)
        for place in range(b.v, b.v + b.nv):
            k = place if b.plain == 1 else dof[place].order
            d = dof[k]
            if sys.dof[k].drive >= 0:
                x[k] = 0.0
            elif d.iD == 0.0:
                x[k] = 1.0 if k == rate else 0.0
            else:
                x[k] = -(dot3(load3(d.U_n), al) + dot3(load3(d.U_f), a)) * d.iD
            al = axpy3(x[k], load3(d.s_n), al)
            if b.plain == 0:
                a = axpy3(x[k], load3(d.s_f), a)
        if b.flex >= 0 and b.code != JointCode.ELASTIC:
            solve_block(sys, b.flex, 0.0, 0, al, a, x, work)
        store3(own.al, al)
        store3(own.a, a)


@kernel
def eval_products(sys, t, q, qd, qdd, x, C_x, K_x, work) -> int:
    """Products of damping and stiffness with a motion x (n_v,), after `eval_residual` at the state."""
    still = work.scratch.linear.still
    for k in range(still.shape[0]):
        still[k] = 0.0
    status = eval_variation(sys, t, q, qd, qdd, still, x, still, C_x, work)
    if status != Status.OK.value:
        return status
    return eval_variation(sys, t, q, qd, qdd, x, still, still, K_x, work)
