"""Newmark, HHT and generalized-alpha steps on joint coordinates, fixed or error-controlled.

With algorithmic accelerations aa and finite moves dq (quaternions turn, see tree_state.move):
    (1 - am) aa1 + am aa0 = (1 - af) qdd1 + af qdd0                                              (1)
    dq = h qd0 + h² ((½ - beta) aa0 + beta aa1),   qd1 = qd0 + h ((1 - gamma) aa0 + gamma aa1)   (2)
    residual(t1, q0 moved by dq, qd1, qdd1) = 0                                                  (3)
(3) is solved for qdd1.  Its derivative is
    M + h gamma s C + h² beta s K T(dq),   s = (1 - af)/(1 - am)                                 (4)
Two matrices serve: M with the joint springs' part of (4), factored in O(N) by tree_factor.py, as long as the iteration
contracts well; else (4) itself, exact, column by column from tree_tangent.py and dense.

Local errors of (2), with the time shift (am - af) h of aa and differences of accelerations:
    e_q = c_q h² (qdd1 - qdd0),          c_q = beta + (am - af)/2 - 1/6                          (5)
    e_v = c_v h³ d²qdd/dt²,              c_v = ½ ((am - af)² + gamma (1 + 2 (am - af))) - 1/6    (6)
"""

from math import isfinite
from typing import NamedTuple

import numpy as np

from ..codes import ForceCode, Status
from .dense import factor_lu, solve_lu
from .evaluate import find_residual
from .flow import accept, begin, next_time, record_due
from .integrate_explicit import first_step
from .jit import kernel, part
from .laws import law_slopes
from .rotation import tangent_vec
from .tree_factor import factor_tree, solve_tree
from .tree_kinematics import eval_motion
from .tree_state import eval_drives, move
from .tree_tangent import eval_variation

MAX_ITERATIONS = 25
GOOD_RATE = 0.15
"""Contraction of the iteration above which old factors are made anew."""
SWITCH_RATE = 0.5
"""Contraction of the simple iteration with fresh factors above which the exact tangent takes over."""
DIVERGENCE = 2.0
"""Contraction of the exact iteration above which a step is given up."""
DENSE_STEPS = 50
"""Steps that the exact tangent stays in use before the simple iteration is tried again."""


class Tangent(NamedTuple):
    """Memory of the exact tangent; (0, 0) if a run cannot need it."""

    matrix: np.ndarray  # (n_v, n_v)
    pivot: np.ndarray  # (n_v,) i8
    direction: np.ndarray  # (4, n_v): dq, dqd, dqdd, column
    add: np.ndarray  # (n_v,) joint springs' part of (4)
    residual: np.ndarray
    dq: np.ndarray


@part
def place_new(sys, o, flow, tangent, t1, h):
    """q_new, qd_new and aa[1] for the present qdd_new by (1), (2); drives are set."""
    aa, dq = flow.aa, tangent.dq
    for k in range(dq.shape[0]):
        aa[1, k] = ((1.0 - o.af) * flow.qdd_new[k] + o.af * flow.qdd[k] - o.am * aa[0, k]) / (1.0 - o.am)
        dq[k] = h * flow.qd[k] + h * h * ((0.5 - o.beta) * aa[0, k] + o.beta * aa[1, k])
        flow.qd_new[k] = flow.qd[k] + h * ((1.0 - o.gamma) * aa[0, k] + o.gamma * aa[1, k])
    move(sys, flow.q, dq, flow.q_new)
    eval_drives(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new)


@kernel
def eval_joint_part(sys, o, flow, tangent, t, h):
    """Joint springs' share of (4) into tangent.add, negative slopes left out."""
    s = (1.0 - o.af) / (1.0 - o.am)
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
            add[e.v] += max(0.0, h * o.gamma * s * c + h * h * o.beta * s * k)


@kernel
def factor_simple(sys, o, flow, tangent, t1, h, work) -> int:
    """Factor M + joint springs at the new state, O(N)."""
    eval_joint_part(sys, o, flow, tangent, t1, h)
    eval_motion(sys, flow.q_new, flow.qd_new, work)
    return factor_tree(sys, tangent.add, work)


@kernel
def factor_exact(sys, o, flow, tangent, t1, h, work) -> int:
    """Factor (4) at the new state, after `eval_residual` there."""
    s = (1.0 - o.af) / (1.0 - o.am)
    n = tangent.add.shape[0]
    direction, A = tangent.direction, tangent.matrix
    for k in range(n):
        for j in range(n):
            direction[0, j] = direction[1, j] = direction[2, j] = 0.0
        if sys.dof[k].drive < 0:
            direction[0, k] = h * h * o.beta * s
            direction[1, k] = h * o.gamma * s
            direction[2, k] = 1.0
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
    """T(dq) of (4) for a rate of a quaternion: the rotation that an increment of its rotation vector makes."""
    dq, direction = tangent.dq, tangent.direction
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        if v <= k < v + 3:
            turn = tangent_vec((dq[v], dq[v + 1], dq[v + 2]), (direction[0, v], direction[0, v + 1], direction[0, v + 2]))
            direction[0, v], direction[0, v + 1], direction[0, v + 2] = turn


@part
def correction_size(o, flow, x, h):
    """Largest change of a coordinate or rate that a change x of qdd makes, 1 = tolerated error of the step."""
    s = (1.0 - o.af) / (1.0 - o.am)
    worst = 0.0
    for k in range(x.shape[0]):
        step = abs(x[k]) * s * h
        worst = max(worst, step * o.gamma / (flow.qd_scale[k] + abs(flow.qd_new[k])))
        worst = max(worst, step * h * o.beta / flow.dq_scale[k])
    return worst / o.accuracy


@part
def solve_step(sys, o, flow, tangent, t1, h, work) -> int:
    """Newton's iteration for (3); leaves q_new, qd_new, qdd_new, aa[1]."""
    p = flow.progress[0]
    exact = p.dense > 0
    last, rate = 0.0, 1.0
    residual = tangent.residual
    fresh = False
    for iteration in range(MAX_ITERATIONS):
        place_new(sys, o, flow, tangent, t1, h)
        if not exact and p.factored == 0:
            status = factor_simple(sys, o, flow, tangent, t1, h, work)
            if status != Status.OK.value:
                return status
            p.factored, p.factor_scale, fresh = 1, h, True
            p.factorizations += 1
        status = find_residual(sys, t1, flow.q_new, flow.qd_new, flow.qdd_new, flow.tau, residual, work)
        if status != Status.OK.value:
            return status
        p.evaluations += 1
        if exact and p.factored == 0:
            status = factor_exact(sys, o, flow, tangent, t1, h, work)
            if status != Status.OK.value:
                return status
            p.factored, p.factor_scale, fresh = 1, h, True
            p.factorizations += 1
        for k in range(residual.shape[0]):
            residual[k] = -residual[k]
        x = tangent.direction[3]
        if exact:
            for k in range(residual.shape[0]):
                x[k] = residual[k]
            solve_lu(tangent.matrix, tangent.pivot, x)
        else:
            solve_tree(sys, residual, x, work)
        p.iterations += 1
        for k in range(x.shape[0]):
            if not isfinite(x[k]):
                work.fail[0] = k
                return Status.NOT_FINITE.value
            if sys.dof[k].drive < 0:
                flow.qdd_new[k] += x[k]
        size = correction_size(o, flow, x, h)
        if iteration > 0:
            rate = size / last if last > 0.0 else 0.0
            p.rate = rate
        if size <= o.newton or (0 < iteration and rate < 1.0 and size * rate / (1.0 - rate) <= o.newton):
            place_new(sys, o, flow, tangent, t1, h)
            return Status.OK.value
        if iteration > 0 and rate > GOOD_RATE:
            if not fresh:
                p.factored = 0
            elif not exact and rate > SWITCH_RATE and tangent.matrix.shape[0] > 0:
                exact, p.dense, p.factored, fresh = True, DENSE_STEPS, 0, False
            elif rate > DIVERGENCE:
                return Status.NO_CONVERGENCE.value
        last = size
    return Status.NO_CONVERGENCE.value


@part
def step_error(o, flow, h):
    """Local error (5), (6) of the step, 1 = tolerated."""
    p = flow.progress[0]
    shift = o.am - o.af
    c_q = abs(o.beta + 0.5 * shift - 1.0 / 6.0)
    c_v = abs(0.5 * (shift * shift + o.gamma * (1.0 + 2.0 * shift)) - 1.0 / 6.0)
    worst = 0.0
    for k in range(flow.qd.shape[0]):
        jump = flow.qdd_new[k] - flow.qdd[k]
        e_q = c_q * h * h * abs(jump)
        worst = max(worst, e_q / flow.dq_scale[k])
        if p.history > 0:
            bend = 2.0 * (jump / h - (flow.qdd[k] - flow.qdd_last[k]) / p.h_last) / (h + p.h_last)
            worst = max(worst, c_v * h**3 * abs(bend) / (flow.qd_scale[k] + abs(flow.qd_new[k])))
    return worst / o.accuracy


@part
def predict(sys, flow, h):
    """Start the iteration from accelerations extrapolated over the last step."""
    p = flow.progress[0]
    ratio = min(h / p.h_last, 2.0) if p.history > 0 else 0.0
    for k in range(flow.qdd.shape[0]):
        flow.qdd_new[k] = flow.qdd[k] + ratio * (flow.qdd[k] - flow.qdd_last[k])


@part
def rescale_shift(flow, ratio):
    """Move aa along when the step changes: it stands for the acceleration at t + (am - af) h."""
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k] = flow.qdd[k] + ratio * (flow.aa[0, k] - flow.qdd[k])


@part
def update_scales(sys, flow):
    """Sizes of the coordinates' increments that errors refer to: own scale plus size of the coordinate."""
    for i in range(sys.pair.shape[0]):
        k, v = sys.pair[i].q, sys.pair[i].v
        flow.dq_scale[v] = flow.q_scale[k] + abs(flow.q[k])
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        flow.dq_scale[v] = flow.dq_scale[v + 1] = flow.dq_scale[v + 2] = 1.0


@kernel
def reject(o, flow, h, factor) -> int:
    """Shrink the step after a failure or a large error."""
    p = flow.progress[0]
    rescale_shift(flow, factor)
    p.h = h * factor
    p.rejected += 1
    p.factored = 0
    return Status.STEP_TOO_SMALL.value if p.h < o.h_min else Status.OK.value


@kernel
def choose_next(o, flow, h, error) -> int:
    """Step to try next; NOT_STIFF after many steps no longer than an explicit integrator could take."""
    p = flow.progress[0]
    factor = 0.9 * max(error, 1e-6) ** (-1.0 / 3.0)
    factor = min(2.0, max(0.3, factor))
    if 0.9 <= factor <= 1.2:
        factor = 1.0
    h_next = min(h * factor, o.h_max)
    rescale_shift(flow, h_next / h)
    p.h = h_next
    if o.h_explicit > 0.0:
        p.smooth = p.smooth + 1 if h_next < 2.0 * o.h_explicit else 0
        if p.smooth > 100:
            p.smooth = 0
            return Status.NOT_STIFF.value
    return Status.OK.value


@kernel
def begin_implicit(sys, o, flow, work) -> int:
    """First accelerations, algorithmic ones and first step."""
    p = flow.progress[0]
    if p.started == 1 and p.history > 0:
        return Status.OK.value
    status = begin(sys, flow, work)
    for k in range(flow.qdd.shape[0]):
        flow.aa[0, k] = flow.qdd[k]
    if o.adaptive == 1 and p.h <= 0.0:
        p.h = 0.1 * first_step(sys, o, flow)
    return status


@kernel
def integrate_implicit(sys, opt, tangent, flow, frames, work) -> int:
    """Advance until the end, a full buffer, `opt.chunk` steps or a failure."""
    p, o = flow.progress[0], opt[0]
    status = begin_implicit(sys, o, flow, work)
    if status != Status.OK.value:
        return status
    for _ in range(o.chunk):
        status = record_due(sys, flow, frames, work)
        if status != Status.OK.value or p.t >= p.t_end:
            return status
        t1 = next_time(o, p)
        h = t1 - p.t
        if o.adaptive == 1 and h != p.h:
            rescale_shift(flow, h / p.h)
            p.h = h
        if abs(h - p.factor_scale) > 0.2 * h:
            p.factored = 0
        predict(sys, flow, h)
        update_scales(sys, flow)
        status = solve_step(sys, o, flow, tangent, t1, h, work)
        error = 0.0
        if o.adaptive == 1:
            if status == Status.NO_CONVERGENCE.value or status == Status.NOT_FINITE.value:
                if reject(o, flow, h, 0.25) != Status.OK.value:
                    return status
                continue
            if status != Status.OK.value:
                return status
            error = step_error(o, flow, h)
            if error > 1.5:
                status = reject(o, flow, h, max(0.2, 0.8 * error ** (-1.0 / 3.0)))
                if status != Status.OK.value:
                    return status
                continue
        elif status != Status.OK.value:
            return status
        accept(flow, t1)
        for k in range(flow.qdd.shape[0]):
            flow.aa[0, k] = flow.aa[1, k]
        p.dense = max(0, p.dense - 1)
        if p.dense == 0 and p.exact == 1:
            p.factored = 0
        p.exact = 1 if p.dense > 0 else 0
        if o.adaptive == 1:
            status = choose_next(o, flow, h, error)
            if status != Status.OK.value:
                return status
    status = record_due(sys, flow, frames, work)
    return Status.CHUNK_DONE.value if status == Status.OK.value and p.t < p.t_end else status
