"""An implicit step or stage as equations for the accelerations a = qdd_new: its state, residual and matrices.

A step or stage is affine in a: coordinates are q moved by dq = dq_base + cq a, rates are qd_base + cv a, and
    residual(t1, q, qd, a) = 0,   derivative  M + cv C + cq K T(dq)                              (1)
Two matrices serve the iterations: M with the joint springs' part of (1), factored in O(N) by tree/factor.py;
and (1) itself, exact, column by column from tree/tangent.py and dense.
Mechanisms with loops (constraint/multipliers.py) add Jᵀ(λ + α Phi) to the residual [DOP (1)] and cq Jᵀ α J to the matrix.
Trees are iterated by newton.py, loops by augmented.py.

A Runge-Kutta stage of a quaternion joint (`opt.turns` = 1) moves by dq = dq_sum + cv T(dq)⁻¹ qd, with the rotation
vector dq on the right-hand side taken from the last iteration; dq_sum = dq_base - cv qd_base.
"""

from typing import NamedTuple

import numpy as np

from ...codes import ForceCode, Status
from ..algebra.dense import factor_lu
from ..algebra.rotation import inverse_tangent_vec, tangent_vec
from ..compile.bundle import bundle
from ..compile.jit import kernel, part
from ..force.laws import law_slopes
from ..tree.state import eval_drives, move
from ..tree.tangent import eval_variation


@bundle
class Tangent(NamedTuple):
    """Memory of the iteration; matrix and pivot are (0, 0) if a run is too large for a dense tangent."""

    matrix: np.ndarray  # (n_v, n_v)
    pivot: np.ndarray  # (n_v,) i8
    direction: np.ndarray  # (4, n_v): dq, dqd, dqdd, column
    add: np.ndarray  # (n_v,) joint springs' part of (1)
    residual: np.ndarray  # (n_v,)
    guess: np.ndarray  # (2, n_v) accelerations and increments that the iteration begins with
    dq: np.ndarray  # (n_v,) present increments
    dq_base: np.ndarray
    qd_base: np.ndarray
    kd: np.ndarray  # (8, n_v) stage rates of the increments
    kv: np.ndarray  # (8, n_v) stage accelerations


@part
def place_new(sys, o, flow, tangent, t1, cq, cv):
    """q_new and qd_new for the present qdd_new; drives are set."""
    dq = tangent.dq
    for k in range(dq.shape[0]):
        flow.qd_new[k] = tangent.qd_base[k] + cv * flow.qdd_new[k]
    if o.turns == 1:
        turn_stage(sys, flow, tangent, cv)
    for k in range(dq.shape[0]):
        if flow.turning[k] == 0 or o.turns == 0:
            dq[k] = tangent.dq_base[k] + cq * flow.qdd_new[k]
    move(sys, flow.q, dq, flow.q_new)
    eval_drives(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new)


@kernel
def turn_stage(sys, flow, tangent, cv):
    """Rotation vectors of quaternion joints in a Runge-Kutta stage."""
    dq = tangent.dq
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        rate = inverse_tangent_vec((dq[v], dq[v + 1], dq[v + 2]),
                                   (flow.qd_new[v], flow.qd_new[v + 1], flow.qd_new[v + 2]))
        for c in range(3):
            dq[v + c] = tangent.dq_base[v + c] - cv * tangent.qd_base[v + c] + cv * rate[c]


@kernel
def eval_joint_part(sys, flow, tangent, t, cq, cv):
    """Joint springs' share of (1) into tangent.add, negative slopes left out."""
    add = tangent.add
    for k in range(add.shape[0]):
        add[k] = 0.0
    for i in range(sys.force.shape[0]):
        e = sys.force[i]
        if e.code == ForceCode.JOINT_SPRING or e.code == ForceCode.MOTOR:
            k, c = e.k[0], e.c[0]
            if e.law >= 0:
                slope, slope_rate = law_slopes(sys, e.law, t, flow.q_new[e.q], flow.qd_new[e.v])
                k, c = k - slope, c - slope_rate
            add[e.v] += max(0.0, cv * c + cq * k)


@kernel
def factor_exact(sys, flow, tangent, t1, cq, cv, work) -> int:
    """Factor (1) at the new state, after the residual there and the loads of the joints."""
    n = tangent.add.shape[0]
    direction, A = tangent.direction, tangent.matrix
    for k in range(n):
        for j in range(n):
            direction[0, j] = direction[1, j] = direction[2, j] = 0.0
        if sys.dof[k].drive < 0:
            direction[0, k], direction[1, k], direction[2, k] = cq, cv, 1.0
            turn_direction(sys, k, tangent)
        status = eval_variation(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, direction[0], direction[1],
                                direction[2], direction[3], work)
        if status != Status.OK.value:
            return status
        for j in range(n):
            A[j, k] = direction[3, j]
        if sys.dof[k].drive >= 0:
            A[k, k] = 1.0
    return factor_lu(A, tangent.pivot)


@kernel
def turn_direction(sys, k, tangent):
    """T(dq) of (1) for a rate of a quaternion: the rotation that an increment of its rotation vector makes."""
    dq, direction = tangent.dq, tangent.direction
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        if v <= k < v + 3:
            turn = tangent_vec((dq[v], dq[v + 1], dq[v + 2]), (direction[0, v], direction[0, v + 1], direction[0, v + 2]))
            direction[0, v], direction[0, v + 1], direction[0, v + 2] = turn
