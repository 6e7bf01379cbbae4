"""Stages of a fully implicit Runge-Kutta step (Radau IIA): three at once, by a simplified Newton iteration.

With stage accelerations a_i, i = 1..3, increments d' = T(d)⁻¹ qd for quaternions [Munthe-Kaas] and times t + c_i h:
    qd_i = qd0 + h sum_j A_ij a_j,   d_i = h sum_j A_ij T(d_j)⁻¹ qd_j,   F(t_i, q0 moved by d_i, qd_i, a_i) = 0     (1)
The iteration takes M, C, K (kernels/linearize.py) from one state and solves for the changes x_i of all stages
    M x_i + h sum_j A_ij C x_j + h² sum_j (A²)_ij K x_j = -F_i                                               (2)
A has a real eigenvalue mu with right and left vectors r, l and a complex pair nu, conj(nu) with u, m, so that (2) falls
apart into two systems of the size of one stage, x_i = r_i y + 2 Re(u_i z) with [HairerWanner1996, IV.8]
    (M + h mu C + h² mu² K) y = -sum_j l_j F_j,   (M + h nu C + h² nu² K) z = -sum_j m_j F_j                 (3)
M may be singular: where damping acts y follows from C, where stiffness alone does from K.
"""

from math import isfinite
from typing import NamedTuple

import numpy as np

from ..codes import Status
from .dense import factor_lu, solve_lu
from .evaluate import eval_residual
from .jit import kernel
from .linearize import eval_matrices
from .rotation import inverse_tangent_vec
from .tree_state import eval_drives, move

MAX_ITERATIONS = 8
DIVERGENCE = 0.99
"""Contraction of the iteration above which a step is given up."""


class Coefficients(NamedTuple):
    """A stiffly accurate collocation method of three stages."""

    a: np.ndarray  # (3, 3)
    c: np.ndarray  # (3,)
    e: np.ndarray  # (3,) weights of the stages in the error estimate
    mu: np.ndarray  # (1,) real eigenvalue of a
    l: np.ndarray  # (3,) its left vector, l·r = 1
    r: np.ndarray  # (3,) its right vector
    nu: np.ndarray  # (1,) complex eigenvalue
    m: np.ndarray  # (3,) its left vector, m·u = 1
    u: np.ndarray  # (3,) its right vector


class Stages(NamedTuple):
    """Memory of a fully implicit step."""

    M: np.ndarray  # (n_v, n_v) at the state that the iteration's matrices belong to
    C: np.ndarray
    K: np.ndarray
    real: np.ndarray  # (n_v, n_v) factors of (3)
    real_pivot: np.ndarray  # (n_v,) i8
    pair: np.ndarray  # (n_v, n_v) complex
    pair_pivot: np.ndarray
    a: np.ndarray  # (3, n_v) accelerations of the stages
    v: np.ndarray  # (3, n_v) their rates
    d: np.ndarray  # (3, n_v) their increments
    a_last: np.ndarray  # (3, n_v) accelerations of the last accepted step's stages
    F: np.ndarray  # (3, n_v) residuals
    x: np.ndarray  # (3, n_v) scratch
    y: np.ndarray  # (n_v,)
    z: np.ndarray  # (n_v,) complex


@kernel
def guess_stages(coefficients, flow, stages, h):
    """Accelerations of the last step's polynomial beyond its end; zero without a past."""
    p, a, last, c = flow.progress[0], stages.a, stages.a_last, coefficients.c
    for i in range(3):
        s = 1.0 + c[i] * h / p.h_last if p.history > 0 else 0.0
        w0 = (s - c[1]) * (s - c[2]) / ((c[0] - c[1]) * (c[0] - c[2]))
        w1 = (s - c[0]) * (s - c[2]) / ((c[1] - c[0]) * (c[1] - c[2]))
        w2 = (s - c[0]) * (s - c[1]) / ((c[2] - c[0]) * (c[2] - c[1]))
        for k in range(flow.qd.shape[0]):
            a[i, k] = w0 * last[0, k] + w1 * last[1, k] + w2 * last[2, k] if p.history > 0 else 0.0
            stages.d[i, k] = c[i] * h * flow.qd[k]


@kernel
def place_stages(sys, coefficients, flow, stages, h):
    """Rates and increments (1) of all stages; returns the largest change against the old ones, 1 = own scale."""
    A, t, n = coefficients.a, flow.progress[0].t, flow.qd.shape[0]
    v, d, rates = stages.v, stages.d, stages.x
    worst = 0.0
    for i in range(3):
        for k in range(n):
            rates[i, k] = v[i, k]
            v[i, k] = flow.qd[k] + h * (A[i, 0] * stages.a[0, k] + A[i, 1] * stages.a[1, k] + A[i, 2] * stages.a[2, k])
        eval_drives(sys, t + coefficients.c[i] * h, flow.q_stage, v[i], stages.a[i])
        for k in range(n):
            worst = max(worst, abs(v[i, k] - rates[i, k]) / (flow.qd_scale[k] + abs(flow.qd[k])))
            rates[i, k] = v[i, k]
        turn_rates(sys, d[i], rates[i])
    for i in range(3):
        for k in range(n):
            new = h * (A[i, 0] * rates[0, k] + A[i, 1] * rates[1, k] + A[i, 2] * rates[2, k])
            worst = max(worst, abs(new - d[i, k]) / flow.dq_scale[k])
            d[i, k] = new
    return worst


@kernel
def turn_rates(sys, d, rates):
    """Replace the angular velocities of quaternions in `rates` by T(d)⁻¹ times them."""
    for i in range(sys.quaternion.shape[0]):
        v = sys.quaternion[i].v
        turned = inverse_tangent_vec((d[v], d[v + 1], d[v + 2]), (rates[v], rates[v + 1], rates[v + 2]))
        rates[v], rates[v + 1], rates[v + 2] = turned


@kernel
def place_stage(sys, coefficients, flow, stages, i, h, q):
    """Fill the coordinates q of stage i; returns its time."""
    t = flow.progress[0].t + coefficients.c[i] * h
    move(sys, flow.q, stages.d[i], q)
    eval_drives(sys, t, q, stages.v[i], stages.a[i])
    return t


@kernel
def eval_stages(sys, coefficients, flow, stages, h, work) -> int:
    """Residuals F of all stages."""
    for i in range(3):
        t = place_stage(sys, coefficients, flow, stages, i, h, flow.q_stage)
        status = eval_residual(sys, t, flow.q_stage, stages.v[i], stages.a[i], flow.tau, stages.F[i], work)
        if status != Status.OK.value:
            return status
    flow.progress[0].evaluations += 3
    return Status.OK.value


@kernel
def eval_stage_matrices(sys, flow, stages, work) -> int:
    """M, C, K at the present state; a driven rate has a one on the diagonal of M."""
    status = eval_matrices(sys, flow.progress[0].t, flow.q, flow.qd, flow.qdd, stages.y, stages.M, stages.C, stages.K, work)
    for i in range(sys.drive.shape[0]):
        stages.M[sys.drive[i].v, sys.drive[i].v] = 1.0
    flow.progress[0].factored, flow.progress[0].exact = 0, 1
    return status


@kernel
def factor_stages(coefficients, flow, stages, h) -> int:
    """Factors of (3) for the step h."""
    mu, nu = h * coefficients.mu[0], h * coefficients.nu[0]
    M, C, K = stages.M, stages.C, stages.K
    for j in range(M.shape[0]):
        for k in range(M.shape[0]):
            stages.real[j, k] = M[j, k] + mu * (C[j, k] + mu * K[j, k])
            stages.pair[j, k] = M[j, k] + nu * (C[j, k] + nu * K[j, k])
    p = flow.progress[0]
    p.factorizations += 1
    p.factored, p.factor_scale = 1, h
    status = factor_lu(stages.real, stages.real_pivot)
    return factor_lu(stages.pair, stages.pair_pivot) if status == Status.OK.value else status


@kernel
def correct_stages(coefficients, stages, work) -> int:
    """Add the changes (3) to the accelerations of all stages."""
    l, r, m, u, F, y, z = (coefficients.l, coefficients.r, coefficients.m, coefficients.u, stages.F, stages.y, stages.z)
    n = y.shape[0]
    for k in range(n):
        y[k] = -(l[0] * F[0, k] + l[1] * F[1, k] + l[2] * F[2, k])
        z[k] = -(m[0] * F[0, k] + m[1] * F[1, k] + m[2] * F[2, k])
    solve_lu(stages.real, stages.real_pivot, y)
    solve_lu(stages.pair, stages.pair_pivot, z)
    for k in range(n):
        for i in range(3):
            stages.a[i, k] += r[i] * y[k] + 2.0 * (u[i].real * z[k].real - u[i].imag * z[k].imag)
            if not isfinite(stages.a[i, k]):
                work.fail[0] = k
                return Status.NOT_FINITE.value
    return Status.OK.value


@kernel
def solve_stages(sys, o, coefficients, flow, stages, h, work) -> int:
    """Iterate from the guess; leaves the stages, and the contraction in `progress.contraction`."""
    p = flow.progress[0]
    tolerance = o.newton * o.accuracy
    last, doubt = 0.0, max(p.contraction, 1e-10) ** 0.8
    guess_stages(coefficients, flow, stages, h)
    place_stages(sys, coefficients, flow, stages, h)
    for iteration in range(MAX_ITERATIONS):
        status = eval_stages(sys, coefficients, flow, stages, h, work)
        if status != Status.OK.value:
            return status
        status = correct_stages(coefficients, stages, work)
        if status != Status.OK.value:
            return status
        p.iterations += 1
        size = place_stages(sys, coefficients, flow, stages, h)
        if iteration > 0:
            rate = size / last if last > 0.0 else 0.0
            left = MAX_ITERATIONS - 1 - iteration
            if rate >= DIVERGENCE or rate**left * size * rate / (1.0 - rate) > tolerance:
                return Status.NO_CONVERGENCE.value
            doubt = rate / (1.0 - rate)
            p.contraction = rate
        if doubt * size <= tolerance:
            return Status.OK.value
        last = size
    return Status.NO_CONVERGENCE.value


@kernel
def take_last_stage(sys, coefficients, flow, stages, h):
    """The last stage is the new state."""
    place_stage(sys, coefficients, flow, stages, 2, h, flow.q_new)
    for k in range(flow.qd.shape[0]):
        flow.qd_new[k], flow.qdd_new[k] = stages.v[2, k], stages.a[2, k]


@kernel
def keep_stages(stages):
    """Make the accelerations of the stages the past of the next guess."""
    for i in range(3):
        for k in range(stages.y.shape[0]):
            stages.a_last[i, k] = stages.a[i, k]
