"""Stages of a fully implicit Runge-Kutta step (Radau IIA): three at once, by a simplified Newton iteration.

With stage accelerations a_i, i = 1..3, increments d' = T(d)⁻¹ qd for quaternions [Munthe-Kaas] and times t + c_i h:
    qd_i = qd0 + h sum_j A_ij a_j,   d_i = h sum_j A_ij T(d_j)⁻¹ qd_j,   F(t_i, q0 moved by d_i, qd_i, a_i) = 0     (1)
The iteration takes M, C, K (kernels/linearize.py) from one state and solves for the changes x_i of all stages
    M x_i + h sum_j A_ij C x_j + h² sum_j (A²)_ij K x_j = -F_i                                               (2)
A has a real eigenvalue mu with right and left vectors r, s and a complex pair nu, conj(nu) with u, w, so that (2) falls
apart into two systems of the size of one stage, x_i = r_i y + 2 Re(u_i z) with [HairerWanner1996, IV.8]
    (M + h mu C + h² mu² K) y = -sum_j s_j F_j,   (M + h nu C + h² nu² K) z = -sum_j w_j F_j                 (3)
M may be singular: where damping acts y follows from C, where stiffness alone does from K.
"""

from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

from ...codes import Status
from ..algebra.dense import factor_lu, solve_lu
from ..algebra.rotation import inverse_tangent_vec
from ..compile.bundle import bundle
from ..compile.jit import kernel
from ..evaluate import eval_residual
from ..tree.state import eval_drives, move

MAX_ITERATIONS = 8
FIXED_ITERATIONS = 25
"""Iterations of a fixed step, which cannot be shortened."""
TURN_PASSES = 4
"""Times that the rotation vectors d of (1) are put into their own equation for given rates."""
DIVERGENCE = 0.99
"""Contraction of the iteration above which a step is given up."""
LEAST_RATE = 1e-3
"""Contraction that is believed at best: motions that converge at once hide those that do not."""

COEFFICIENTS = np.dtype((np.record, [
    ("a", "f8", (3, 3)),
    ("c", "f8", 3),
    ("e", "f8", 3),  # weights of the stages in the error estimate
    ("mu", "f8"),  # real eigenvalue of a
    ("s", "f8", 3),  # its left vector, s·r = 1
    ("r", "f8", 3),  # its right vector
    ("nu", "c16"),  # complex eigenvalue
    ("w", "c16", 3),  # its left vector, w·u = 1
    ("u", "c16", 3),  # its right vector
]))
"""A stiffly accurate collocation method of three stages."""

MASS, DAMPING, STIFFNESS, FACTORS = 0, 1, 2, 3
"""Rows of `Stages.matrix`."""
ACCELERATION, RATE, MOVE, LAST, RESIDUAL, SCRATCH = 0, 1, 2, 3, 4, 5
"""Rows of `Stages.vector`: a, qd, d and F of (1), the a of the last accepted step, and what comes and goes."""


@bundle
class Stages(NamedTuple):
    """Memory of a fully implicit step."""

    matrix: np.ndarray  # (4, n_v, n_v) M, C, K at one state, and the factors of the real system of (3)
    pair: np.ndarray  # (n_v, n_v) complex, factors of the other
    pivot: np.ndarray  # (2, n_v) i8
    vector: np.ndarray  # (6, 3, n_v) by stages
    y: np.ndarray  # (n_v,) right-hand side and solution of (3)
    z: np.ndarray  # (n_v,) complex


@kernel
def guess_stages(c, ratio, past, qd, vector, h):
    """Accelerations of the last step's polynomial, whose step is h/ratio, beyond its end; zero without a past."""
    a, last, d = vector[ACCELERATION], vector[LAST], vector[MOVE]
    for i in range(3):
        s = 1.0 + c[i] * ratio
        w0 = past * (s - c[1]) * (s - c[2]) / ((c[0] - c[1]) * (c[0] - c[2]))
        w1 = past * (s - c[0]) * (s - c[2]) / ((c[1] - c[0]) * (c[1] - c[2]))
        w2 = past * (s - c[0]) * (s - c[1]) / ((c[2] - c[0]) * (c[2] - c[1]))
        for k in range(qd.shape[0]):
            a[i, k] = w0 * last[0, k] + w1 * last[1, k] + w2 * last[2, k]
            d[i, k] = c[i] * h * qd[k]


@kernel
def turn_rates(quaternion, d, rates):
    """Replace the angular velocities of quaternions in `rates` by T(d)⁻¹ times them."""
    for i in range(quaternion.shape[0]):
        v = quaternion[i].v
        turned = inverse_tangent_vec((d[v], d[v + 1], d[v + 2]), (rates[v], rates[v + 1], rates[v + 2]))
        rates[v], rates[v + 1], rates[v + 2] = turned


@kernel
def place_stages(sys, method, flow, vector, h):
    """Rates and increments (1) of all stages; returns the largest change against the old ones, 1 = own scale."""
    A, t, n = method.a, flow.progress[0].t, flow.qd.shape[0]
    a, v, d, rates = vector[ACCELERATION], vector[RATE], vector[MOVE], vector[SCRATCH]
    passes = TURN_PASSES if sys.quaternion.shape[0] > 0 else 1
    worst = 0.0
    for i in range(3):
        for k in range(n):
            rates[i, k] = v[i, k]
            v[i, k] = flow.qd[k] + h * (A[i, 0] * a[0, k] + A[i, 1] * a[1, k] + A[i, 2] * a[2, k])
        eval_drives(sys, t + method.c[i] * h, flow.q_stage, v[i], a[i])
        for k in range(n):
            worst = max(worst, abs(v[i, k] - rates[i, k]) / (flow.qd_scale[k] + abs(flow.qd[k])))
    for _ in range(passes):
        for i in range(3):
            for k in range(n):
                rates[i, k] = v[i, k]
            turn_rates(sys.quaternion, d[i], rates[i])
        for i in range(3):
            for k in range(n):
                new = h * (A[i, 0] * rates[0, k] + A[i, 1] * rates[1, k] + A[i, 2] * rates[2, k])
                worst = max(worst, abs(new - d[i, k]) / flow.dq_scale[k])
                d[i, k] = new
    return worst


@kernel
def factor_stages(method, matrix, pair, pivot, h) -> int:
    """Factors of (3) for the step h."""
    mu, nu = h * method.mu, h * method.nu
    M, C, K, real = matrix[MASS], matrix[DAMPING], matrix[STIFFNESS], matrix[FACTORS]
    for j in range(M.shape[0]):
        for k in range(M.shape[0]):
            real[j, k] = M[j, k] + mu * (C[j, k] + mu * K[j, k])
            pair[j, k] = M[j, k] + nu * (C[j, k] + nu * K[j, k])
    status = factor_lu(real, pivot[0])
    return factor_lu(pair, pivot[1]) if status == Status.OK.value else status


@kernel
def correct_stages(method, stages, fail) -> int:
    """Add the changes (3) to the accelerations of all stages."""
    s, r, w, u, y, z = method.s, method.r, method.w, method.u, stages.y, stages.z
    a, F = stages.vector[ACCELERATION], stages.vector[RESIDUAL]
    for k in range(y.shape[0]):
        y[k] = -(s[0] * F[0, k] + s[1] * F[1, k] + s[2] * F[2, k])
        z[k] = -(w[0] * F[0, k] + w[1] * F[1, k] + w[2] * F[2, k])
    solve_lu(stages.matrix[FACTORS], stages.pivot[0], y)
    solve_lu(stages.pair, stages.pivot[1], z)
    for k in range(y.shape[0]):
        for i in range(3):
            a[i, k] += r[i] * y[k] + 2.0 * (u[i].real * z[k].real - u[i].imag * z[k].imag)
        if not isfinite(a[0, k] + a[1, k] + a[2, k]):
            fail[0].rate = k
            return Status.NOT_FINITE.value
    return Status.OK.value


@kernel
def solve_stages(sys, o, method, flow, stages, h, work) -> int:
    """Iterate from the guess; the last stage is left in q_new, qd_new, qdd_new, the contraction in `progress`."""
    p, vector = flow.progress[0], stages.vector
    a, v, d, F = vector[ACCELERATION], vector[RATE], vector[MOVE], vector[RESIDUAL]
    tolerance, last, before = o.newton * o.accuracy, 0.0, 0.0
    p.contraction = max(p.contraction, LEAST_RATE) ** 0.8  # the older it is, the less it says
    past = 1.0 if p.history > 0 else 0.0
    guess_stages(method.c, h / p.h_last if p.history > 0 else 0.0, past, flow.qd, vector, h)
    place_stages(sys, method, flow, vector, h)
    limit = MAX_ITERATIONS if o.adaptive == 1 else FIXED_ITERATIONS
    for iteration in range(limit):
        for i in range(3):
            t = p.t + method.c[i] * h
            move(sys, flow.q, d[i], flow.q_new)
            eval_drives(sys, t, flow.q_new, v[i], a[i])
            status = eval_residual(sys, t, flow.q_new, v[i], a[i], flow.tau, F[i], work)
            if status != Status.OK.value:
                return status
        p.evaluations += 3
        p.iterations += 1
        status = correct_stages(method, stages, work.fail)
        if status != Status.OK.value:
            return status
        size = place_stages(sys, method, flow, vector, h)
        if iteration > 0:
            now = size / last if last > 0.0 else 0.0
            rate = max(now if iteration == 1 else sqrt(now * before), LEAST_RATE)  # turning makes it alternate
            before, left = now, limit - 1 - iteration
            p.contraction = rate / (1.0 - rate) if rate < DIVERGENCE else DIVERGENCE / (1.0 - DIVERGENCE)
            hopeless = o.adaptive == 1 and rate**left * size * p.contraction > tolerance
            if iteration > 1 and (rate >= DIVERGENCE or hopeless):
                return Status.NO_CONVERGENCE.value
        if p.contraction * size <= tolerance:
            move(sys, flow.q, d[2], flow.q_new)
            eval_drives(sys, p.t + h, flow.q_new, v[2], a[2])
            for k in range(flow.qd.shape[0]):
                flow.qd_new[k], flow.qdd_new[k] = v[2, k], a[2, k]
            return Status.OK.value
        last = size
    return Status.NO_CONVERGENCE.value
