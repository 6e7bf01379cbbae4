"""Superelements in absolute interface coordinates: flexible bodies described by the positions of their interface frames.

A superelement joins N frames, body rows at r_k with axes E_k, and has n_m modes eta of its own.  Its floating frame (r, R) is
where it does not deform in the mean.  In its axes the coordinates of the linear model are
    u_k = Rᵀ(r_k - r) - x_k,   theta_k = log(Rᵀ E_k R_0kᵀ),   q = (u_1, theta_1, ..., u_N, theta_N, eta),     (1)
    Phi q = 0, six conditions that give (r, R).                                                               (2)
Velocities v = (Rᵀ r_k', Rᵀ w_k, ..., eta') and the frame's z = (Rᵀ r', Rᵀ w) make the rate
    q' = Hb (v - Phi_rig z),   Phi_rig = [[1, -(x_k + u_k)~], [0, 1]] for each frame, 0 for eta,              (3)
where Hb has the inverse tangent operators H_k = T(theta_k)⁻¹ of the rotation vectors.  By (2)
    z = Z v,   Z = Q⁻¹ Phi Hb,   Q = Phi Hb Phi_rig,   q' = Hb T v,   T = 1 - Phi_rig Z.                      (4)
Newton's iteration for (2) moves the frame by Q⁻¹ Phi q.  A place of the body with displacements Phi_p q and rotations
Psi_p q is at
    p = r + R (x_p + Phi_p q),   axes R exp(Psi_p q) R_0p.                                                    (5)
Seeds: [ELL (4.3), (5.1)-(5.10)].  Deviations: rotation vectors, not the skew part (4.5), and H_k, which (4.6) takes as 1, so
that (4) is the exact rate of (1); modes take part in (2); order displacement, rotation, as in (2.5), not (4.1).
"""

from math import inf

from ...codes import Status
from ..algebra.dense import factor_lu, solve_lu
from ..algebra.rotation import (
    inverse_tangent_factors,
    inverse_tangent_matrix,
    matrix_of_quaternion,
    multiplied,
    quaternion_of_matrix,
    quaternion_of_vector,
    tangent_vec,
    vector_of_matrix,
)
from ..algebra.small import (
    add3,
    axpy3,
    cross,
    dot3,
    load3,
    load9,
    mul33,
    mul33_vec,
    scale3,
    store3,
    store9,
    sub3,
    tmul33,
    tmul33_vec,
)
from ..compile.jit import kernel, part, shared
from ..natural.coordinates import slot_at, spin_at

MAX_ITERATIONS = 30
"""Of Newton for the frame; three or four do where local rotations are below half a radian.  A body bent by more than a radian
may have no frame at all."""
SMALL_MOVE = 1e-9
"""Move of the frame [rad or body sizes] that is the last: the next one would be its square."""
LONGEST_TURN = 0.5
"""Largest turn of the frame in one iteration [rad]."""


@part
def triple(x, k):
    """Three numbers of an array from place k on."""
    return (x[k], x[k + 1], x[k + 2])


@part
def store_triple(x, k, a):
    """Write three numbers of an array."""
    x[k], x[k + 1], x[k + 2] = a


@part
def nine(x, k):
    """Nine numbers of an array from place k on."""
    return (x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8])


@part
def axes_of(q, at):
    """E of the frame whose coordinates begin at place `at` as nine numbers, row by row."""
    x, y, z = slot_at(q, at, 1), slot_at(q, at, 2), slot_at(q, at, 3)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def take_natural_places(sup, i, q, work):
    """Fill work.place and work.axes (n_face, ...), and the modes in work.q, from natural coordinates q (n_q,)."""
    s = sup.element[i]
    for k in range(s.n_face):
        at = sup.column[s.face + k]
        store3(work.place[k], slot_at(q, at, 0))
        store9(work.axes[k], axes_of(q, at))
    for m in range(s.n_mode):
        work.q[6 * s.n_face + m] = q[s.eta + m]


@part
def face_turn(sup, s, k, work):
    """E_k R_0kᵀ: rotation of the body as interface k sees it."""
    return mul33(load9(work.axes[k]), nine(sup.constant, s.R_0 + 9 * k))


@part
def arm(sup, s, k, work):
    """x_k + u_k: interface k from the frame, its axes."""
    return add3(triple(sup.constant, s.x + 3 * k), triple(work.q, 6 * k))


@kernel
def mean_frame(sup, s, work):
    """Offset from the first interface and quaternion of a frame to begin with: means of what each interface gives."""
    e = quaternion_of_matrix(face_turn(sup, s, 0, work))
    w, x, y, z = e
    for k in range(1, s.n_face):
        b = quaternion_of_matrix(face_turn(sup, s, k, work))
        sign = 1.0 if e[0] * b[0] + e[1] * b[1] + e[2] * b[2] + e[3] * b[3] >= 0.0 else -1.0
        w, x, y, z = w + sign * b[0], x + sign * b[1], y + sign * b[2], z + sign * b[3]
    R = matrix_of_quaternion((w, x, y, z))
    base = load3(work.place[0])
    d = (0.0, 0.0, 0.0)
    for k in range(s.n_face):
        stand = mul33_vec(R, triple(sup.constant, s.x + 3 * k))
        d = add3(d, sub3(sub3(load3(work.place[k]), base), stand))
    length = (w * w + x * x + y * y + z * z) ** 0.5
    return scale3(d, 1.0 / s.n_face), (w / length, x / length, y / length, z / length)


@part
def eval_local(sup, s, d, R, work):
    """Local coordinates (1) in a frame with axes R whose origin is d from the first interface; fills q, H, bend."""
    base = load3(work.place[0])
    for k in range(s.n_face):
        away = sub3(sub3(load3(work.place[k]), base), d)
        th = vector_of_matrix(tmul33(R, face_turn(sup, s, k, work)))
        store_triple(work.q, 6 * k, sub3(tmul33_vec(R, away), triple(sup.constant, s.x + 3 * k)))            # [ELL (4.3)]
        store_triple(work.q, 6 * k + 3, th)
        factors = inverse_tangent_factors(th)
        work.bend[k, 0], work.bend[k, 1] = factors
        store9(work.H[k], inverse_tangent_matrix(th, factors[0]))


@part
def factor_frame_matrix(sup, s, work) -> int:
    """Fill Z with Phi Hb and Q with the factors of Q = Phi Hb Phi_rig, after `eval_local`."""
    for i in range(6):
        row = s.Phi + i * s.n
        by_force, by_moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(s.n_face):
            a = triple(sup.constant, row + 6 * k)
            b = tmul33_vec(load9(work.H[k]), triple(sup.constant, row + 6 * k + 3))
            store_triple(work.Z[i], 6 * k, a)
            store_triple(work.Z[i], 6 * k + 3, b)
            by_force = add3(by_force, a)
            by_moment = add3(by_moment, add3(b, cross(arm(sup, s, k, work), a)))
        for m in range(6 * s.n_face, s.n):
            work.Z[i, m] = sup.constant[row + m]
        store_triple(work.Q[i], 0, by_force)                                                                 # [ELL (5.3)]
        store_triple(work.Q[i], 3, by_moment)
    return factor_lu(work.Q, work.pivot)


@kernel
def frame_motion_of(constant, s, x, out):
    """out (6,) = Phi x for local x (n,)."""
    for i in range(6):
        total = 0.0
        for j in range(s.n):
            total += constant[s.Phi + i * s.n + j] * x[j]
        out[i] = total


@kernel
def take_off_frame(sup, s, work):
    """Take what the frame carries along off work.dqd (n,), as in (4), and return its motion: Q (dv, dw) = Phi dqd."""
    frame_motion_of(sup.constant, s, work.dqd, work.six)
    solve_lu(work.Q, work.pivot, work.six)
    dv, dw = triple(work.six, 0), triple(work.six, 3)
    for k in range(s.n_face):
        carried = add3(dv, cross(dw, arm(sup, s, k, work)))
        store_triple(work.dqd, 6 * k, sub3(triple(work.dqd, 6 * k), carried))
        store_triple(work.dqd, 6 * k + 3, sub3(triple(work.dqd, 6 * k + 3), mul33_vec(load9(work.H[k]), dw)))
    return dv, dw


@kernel
def iterate_frame(sup, s, d, e, work):
    """Newton's iteration for (2) from offset d and quaternion e: status, offset, quaternion."""
    for _ in range(MAX_ITERATIONS):
        R = matrix_of_quaternion(e)
        eval_local(sup, s, d, R, work)
        if factor_frame_matrix(sup, s, work) != Status.OK.value:
            return Status.NO_FRAME.value, d, e
        frame_motion_of(sup.constant, s, work.q, work.six)
        solve_lu(work.Q, work.pivot, work.six)
        move, turn = triple(work.six, 0), triple(work.six, 3)
        angle = dot3(turn, turn) ** 0.5
        if not angle < inf:
            return Status.NO_FRAME.value, d, e
        shorter = min(1.0, LONGEST_TURN / angle) if angle > 0.0 else 1.0
        d = axpy3(shorter, mul33_vec(R, move), d)
        e = multiplied(e, quaternion_of_vector(scale3(turn, shorter)))
        if angle <= SMALL_MOVE and dot3(move, move) <= (SMALL_MOVE * s.size) ** 2:
            return Status.OK.value, d, e
    return Status.NO_FRAME.value, d, e


@part
def keep_seen(own, B, d, e):
    """Store a frame, offset d and quaternion e, as an interface sees it that the body is turned by B at."""
    b = quaternion_of_matrix(B)
    store3(own.d_f, tmul33_vec(B, d))
    own.e_f[0], own.e_f[1], own.e_f[2], own.e_f[3] = multiplied((b[0], -b[1], -b[2], -b[3]), e)


@kernel
def keep_frames(sup, work):
    """Keep the frames found last, as the first interfaces see them: `find_frame` begins there if it is warm."""
    for i in range(sup.element.shape[0]):
        own = work.frame[i]
        store3(own.d_k, load3(own.d_f))
        for c in range(4):
            own.e_k[c] = own.e_f[c]
        own.kept = 1


@shared
def settle_frame(sup, i, warm, work) -> int:
    """Find the floating frame of superelement i for the places and modes at hand: fills work.frame[i], q, H, Z, Q.

    Newton begins from the mean of the interfaces, or first, if warm = 1, from the frame that `keep_frames` kept of a finished
    step, carried along by the first interface: iterates in between may be far away.
    """
    s, own = sup.element[i], work.frame[i]
    B = face_turn(sup, s, 0, work)
    d, e = mul33_vec(B, load3(own.d_k)), multiplied(quaternion_of_matrix(B), (own.e_k[0], own.e_k[1], own.e_k[2], own.e_k[3]))
    status = Status.NO_FRAME.value
    if warm == 1 and own.kept == 1:
        status, d, e = iterate_frame(sup, s, d, e, work)
    if status != Status.OK.value:
        d, e = mean_frame(sup, s, work)
        status, d, e = iterate_frame(sup, s, d, e, work)
    if status != Status.OK.value:
        return status
    R = matrix_of_quaternion(e)
    eval_local(sup, s, d, R, work)
    status = factor_frame_matrix(sup, s, work)
    for j in range(s.n):
        for c in range(6):
            work.six[c] = work.Z[c, j]
        solve_lu(work.Q, work.pivot, work.six)                                                               # [ELL (5.7)]
        for c in range(6):
            work.Z[c, j] = work.six[c]
    store3(own.r_w, add3(load3(work.place[0]), d))
    own.e[0], own.e[1], own.e[2], own.e[3] = e
    store9(own.R, R)
    keep_seen(own, B, d, e)
    return status


@kernel
def find_frame(sup, i, q, warm, work) -> int:
    """`settle_frame` for natural coordinates q (n_q,)."""
    take_natural_places(sup, i, q, work)
    return settle_frame(sup, i, warm, work)


@kernel
def load_natural_rates(sup, i, q, x, out, work):
    """out (n,): velocities for x = qd or accelerations for x = qdd (n_q,) of the interfaces and modes, frame's axes."""
    s, R = sup.element[i], load9(work.frame[i].R)
    for k in range(s.n_face):
        at = sup.column[s.face + k]
        store_triple(out, 6 * k, tmul33_vec(R, slot_at(x, at, 0)))
        store_triple(out, 6 * k + 3, tmul33_vec(R, spin_at(q, x, at)))
    for m in range(s.n_mode):
        out[6 * s.n_face + m] = x[s.eta + m]


@kernel
def eval_frame_rates(sup, i, q, qd, work):
    """Velocities v, the frame's z = Z v and the local rates q' = Hb T v for natural qd (n_q,), after `find_frame`."""
    load_natural_rates(sup, i, q, qd, work.v, work)
    settle_rates(sup, i, work)


@kernel
def settle_rates(sup, i, work):
    """The frame's z = Z v and the local rates q' = Hb T v for the velocities work.v, after `settle_frame`."""
    s, own = sup.element[i], work.frame[i]
    for c in range(6):
        total = 0.0
        for j in range(s.n):
            total += work.Z[c, j] * work.v[j]
        work.six[c] = total                                                                                  # [ELL (5.5)]
    v, w = triple(work.six, 0), triple(work.six, 3)
    store3(own.z_v, v)
    store3(own.z_w, w)
    for k in range(s.n_face):
        carried = add3(v, cross(w, arm(sup, s, k, work)))
        store_triple(work.qd, 6 * k, sub3(triple(work.v, 6 * k), carried))                                   # [ELL (5.10)]
        store_triple(work.qd, 6 * k + 3, mul33_vec(load9(work.H[k]), sub3(triple(work.v, 6 * k + 3), w)))
    for m in range(6 * s.n_face, s.n):
        work.qd[m] = work.v[m]


@kernel
def shape_times(constant, at, n, x):
    """Three rows of n constants from `at` on, times x (n,)."""
    a, b, c = 0.0, 0.0, 0.0
    for j in range(n):
        a += constant[at + j] * x[j]
        b += constant[at + n + j] * x[j]
        c += constant[at + 2 * n + j] * x[j]
    return a, b, c


@kernel
def point_pose(sup, j, work):
    """Position [m] and axes (nine numbers) of point j in the world by (5), after `find_frame` of its superelement."""
    p = sup.point[j]
    n, own = sup.element[p.element].n, work.frame[p.element]
    R = load9(own.R)
    local = add3(load3(p.u_b), shape_times(sup.constant, p.motion, n, work.q))
    turn = matrix_of_quaternion(quaternion_of_vector(shape_times(sup.constant, p.motion + 3 * n, n, work.q)))
    return add3(load3(own.r_w), mul33_vec(R, local)), mul33(R, mul33(turn, load9(p.R_b)))


@kernel
def point_rates(sup, j, work):
    """Velocity [m/s] and angular velocity [rad/s] of point j, world axes: rates of (5), after `eval_frame_rates`."""
    p = sup.point[j]
    n, own = sup.element[p.element].n, work.frame[p.element]
    R, w = load9(own.R), load3(own.z_w)
    local = add3(load3(p.u_b), shape_times(sup.constant, p.motion, n, work.q))
    v = add3(add3(load3(own.z_v), cross(w, local)), shape_times(sup.constant, p.motion, n, work.qd))
    turn = shape_times(sup.constant, p.motion + 3 * n, n, work.q)
    rate = shape_times(sup.constant, p.motion + 3 * n, n, work.qd)
    return mul33_vec(R, v), mul33_vec(R, add3(w, tangent_vec(turn, rate)))
