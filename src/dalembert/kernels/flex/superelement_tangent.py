"""Exact tangents of a superelement's loads and their way into the matrix of natural coordinates.

The loads in the world's axes, Rb f, are varied by spins and moves x of the interfaces (and by the modes), at constant
velocities V and accelerations of the world's axes.  In the frame's axes, (d, phi) = Z x and r_k = x_k + u_k,
    dq = Hb T x,   dv = -phi x v,   dg = g x phi                                                               (1)
    Q dz = Phi y,   y = Hb (dv - (w x du_k, 0)) + dHb (v - Phi_rig z),   dq' = y - Hb Phi_rig dz               (2)
the second from the variation of Phi q' = 0.  Of f = Tᵀ Hbᵀ p + Zᵀ s follows, with f = Hbᵀ sigma and Phi_rigᵀ f = s,
    df = Tᵀ (Hbᵀ dp + dHbᵀ sigma) + Zᵀ (ds - (0, sum du_k x f_k)),                                            (3)
    dp = K dq + D dq' - Ct dg,   ds = -(m dg, (Ctᵀ dq) x g + c x dg).
Inertia (2) of superelement_loads.py, with A(w) = sum w_i (G_i - M E_i), varies by
    M (-phi x a) + A(w) dv + A(dw) v.                                                                         (4)
The turning of the axes adds phi x f to all of them: the columns of K.  Variations of the velocities alone give
    C = Tᵀ Hbᵀ D Hb T + A(w) + sum_i A(e_i) v Z_(3+i).                                                         (5)
K is not symmetric: a moment n on a spinning frame leaves -½ n~.  In natural coordinates this is cancelled by the variation of
½ n x e_j with e_j, which is skew; the symmetric part is what Newton's matrix takes.  An axis e_j that moves by x is a spin
½ e_j x x and, at constant e_j', e_j'', changes w_k by ½ x x e_j' and w_k' by ½ x x e_j''.
Seeds: [ELL (5.10), (6.5)]; the tangent is not given there.
"""

from ..algebra.rotation import tangent_vec, vary_inverse_tangent
from ..algebra.small import add3, axpy3, cross, dot3, load3, load9, mul33_vec, neg3, scale3, store3, sub3, tmul33_vec
from ..compile.jit import kernel, part
from ..natural.coordinates import FRAME, slot_at, slot_load_at
from ..natural.curvature import unit3
from .superelement import arm, store_triple, take_off_frame, triple
from .superelement_loads import add_product, add_weight, balance, clear, moved_moment, turn_faces


@part
def vary_local(sup, s, j, work):
    """work.dq = Hb T x for the unit variation x of coordinate j; returns the frame's turn phi."""
    d, phi = (work.Z[0, j], work.Z[1, j], work.Z[2, j]), (work.Z[3, j], work.Z[4, j], work.Z[5, j])
    for k in range(s.n_face):
        slot = j - 6 * k
        du = unit3(slot) if 0 <= slot < 3 else (0.0, 0.0, 0.0)
        spin = unit3(slot - 3) if 3 <= slot < 6 else (0.0, 0.0, 0.0)
        carried = add3(d, cross(phi, arm(sup, s, k, work)))
        store_triple(work.dq, 6 * k, sub3(du, carried))
        store_triple(work.dq, 6 * k + 3, mul33_vec(load9(work.H[k]), sub3(spin, phi)))
    for m in range(6 * s.n_face, s.n):
        work.dq[m] = 1.0 if m == j else 0.0
    return phi


@part
def vary_rates(sup, s, own, phi, work):
    """work.dqd = dq' by (2) for a turn phi of the frame and dq; returns the variation of its angular velocity."""
    w = load3(own.z_w)
    for k in range(s.n_face):
        th, factors = triple(work.q, 6 * k + 3), (work.bend[k, 0], work.bend[k, 1])
        spin = sub3(triple(work.v, 6 * k + 3), w)
        bent = vary_inverse_tangent(th, factors, spin, triple(work.dq, 6 * k + 3))
        turned = mul33_vec(load9(work.H[k]), cross(triple(work.v, 6 * k + 3), phi))
        store_triple(work.dqd, 6 * k, sub3(cross(triple(work.v, 6 * k), phi), cross(w, triple(work.dq, 6 * k))))
        store_triple(work.dqd, 6 * k + 3, add3(bent, turned))
    for m in range(6 * s.n_face, s.n):
        work.dqd[m] = 0.0
    return take_off_frame(sup, s, work)[1]                                                                     # (2)


@part
def vary_loads(sup, s, own, phi, work):
    """work.dp = df by (3) for a turn phi of the frame, dq and dq'."""
    g, dp = load3(own.g), work.dp
    dg = cross(g, phi)
    clear(dp, s.n)
    add_product(sup.constant, s.K, s.n, work.dq, 1.0, dp)
    if s.damped == 1:
        add_product(sup.constant, s.D, s.n, work.dqd, 1.0, dp)
    add_weight(sup.constant, s, dg, -1.0, dp)
    moment = add3(cross(dg, load3(own.c)), cross(g, moved_moment(sup.constant, s, work.dq)))
    for k in range(s.n_face):
        th, factors = neg3(triple(work.q, 6 * k + 3)), (work.bend[k, 0], work.bend[k, 1])
        bent = vary_inverse_tangent(th, factors, load3(work.sigma[k]), neg3(triple(work.dq, 6 * k + 3)))
        store_triple(dp, 6 * k + 3, add3(tmul33_vec(load9(work.H[k]), triple(dp, 6 * k + 3)), bent))
        moment = sub3(moment, cross(triple(work.dq, 6 * k), triple(work.f, 6 * k)))
    balance(sup, s, dp, (scale3(dg, -sup.constant[s.rigid]), moment), work)                                    # (3)


@kernel
def fill_convective(sup, s, w, work):
    """work.C = A(w) of (4)."""
    n = s.n
    for i in range(n):
        row = i * n
        for j in range(n):
            g = s.G + row + j
            work.C[i, j] = (w[0] * sup.constant[g] + w[1] * sup.constant[g + n * n] + w[2] * sup.constant[g + 2 * n * n])
        for k in range(2 * s.n_face):
            m = cross(w, triple(sup.constant, s.M + row + 3 * k))
            for c in range(3):
                work.C[i, 3 * k + c] += m[c]


@kernel
def fill_inertia_slopes(sup, s, work):
    """Rows of work.turned: (4) but for its last term, and of work.spun: A(e_i) v, by unit turns; after `fill_convective`."""
    n = s.n
    for c in range(3):
        turned, spun = work.turned[c], work.spun[c]
        clear(turned, n)
        clear(spun, n)
        turn_faces(s, unit3(c), work.a, work.dp)
        add_product(sup.constant, s.M, n, work.dp, -1.0, turned)
        turn_faces(s, unit3(c), work.v, work.dp)
        for i in range(n):
            for j in range(n):
                turned[i] -= work.C[i, j] * work.dp[j]
        add_product(sup.constant, s.M, n, work.dp, -1.0, spun)
        add_product(sup.constant, s.G + c * n * n, n, work.v, 1.0, spun)


@part
def fill_stiffness_column(sup, s, own, j, phi, work):
    """Column j of work.K by (1) to (4), for the turn phi of the frame after `vary_local`."""
    dw = vary_rates(sup, s, own, phi, work)
    vary_loads(sup, s, own, phi, work)
    for i in range(s.n):
        work.K[i, j] = (work.dp[i] + phi[0] * work.turned[0, i] + phi[1] * work.turned[1, i] + phi[2] * work.turned[2, i]
                        + dw[0] * work.spun[0, i] + dw[1] * work.spun[1, i] + dw[2] * work.spun[2, i])
    for k in range(2 * s.n_face):
        load = add3(triple(work.f, 3 * k), triple(work.inertia, 3 * k))
        turned = cross(phi, load)
        for c in range(3):
            work.K[3 * k + c, j] += turned[c]


@part
def fill_damping_column(sup, s, j, work):
    """Add to column j of work.C all of (5) but A(w), after `vary_local`."""
    clear(work.dp, s.n)
    if s.damped == 1:
        add_product(sup.constant, s.D, s.n, work.dq, 1.0, work.dp)
        for k in range(s.n_face):
            store_triple(work.dp, 6 * k + 3, tmul33_vec(load9(work.H[k]), triple(work.dp, 6 * k + 3)))
        balance(sup, s, work.dp, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), work)
    for i in range(s.n):
        work.C[i, j] += (work.dp[i] + work.spun[0, i] * work.Z[3, j] + work.spun[1, i] * work.Z[4, j]
                         + work.spun[2, i] * work.Z[5, j])


@kernel
def eval_tangents(sup, i, work):
    """Fill work.K and work.C (n, n), frame's axes, after `eval_internal_loads` and `eval_inertia_loads`."""
    s, own = sup.element[i], work.frame[i]
    for k in range(s.n_face):
        store3(work.sigma[k], tangent_vec(neg3(triple(work.q, 6 * k + 3)), triple(work.f, 6 * k + 3)))
    fill_convective(sup, s, load3(own.z_w), work)
    fill_inertia_slopes(sup, s, work)
    for j in range(s.n):
        phi = vary_local(sup, s, j, work)
        fill_damping_column(sup, s, j, work)
        fill_stiffness_column(sup, s, own, j, phi, work)


@part
def fill_column(sup, s, j, a, b, c, tangents, work):
    """work.column = K a + C b + M c, for vectors a, b, c at the coordinates j, j + 1, j + 2; M c alone without tangents."""
    for i in range(s.n):
        work.column[i] = dot3(triple(sup.constant, s.M + i * s.n + j), c)
        if tangents:
            work.column[i] += dot3(triple(work.K[i], j), a) + dot3(triple(work.C[i], j), b)


@part
def add_pair(sup, s, i, j, x, values):
    """Add half of x, the entry (i, j) of a matrix, to (i, j) and (j, i): one place of the lower triangle."""
    low, high = min(i, j), max(i, j)
    values[sup.place[s.place + high * (high + 1) // 2 + low]] += x if i == j else 0.5 * x


@part
def add_natural_column(sup, s, j, q, R, values, work):
    """Add the symmetric part of natural column j, whose loads in the frame's axes are work.column."""
    for k in range(s.n_face):
        at = sup.column[s.face + k]
        force, moment = mul33_vec(R, triple(work.column, 6 * k)), mul33_vec(R, triple(work.column, 6 * k + 3))
        for slot in range(4):
            load = slot_load_at(q, at, slot, moment, force)
            for c in range(3):
                add_pair(sup, s, FRAME * k + 3 * slot + c, j, load[c], values)
    for m in range(s.n_mode):
        add_pair(sup, s, FRAME * s.n_face + m, j, work.column[6 * s.n_face + m], values)


@kernel
def add_superelement_matrix(sup, i, q, qd, qdd, cq, cv, cm, values, work):
    """Add the symmetric part of cq K + cv C + cm M of natural coordinates to the values of the pattern.

    After `eval_tangents`; with cq = cv = 0 after `find_frame` alone, for the mass matrix.
    """
    s, R = sup.element[i], load9(work.frame[i].R)
    tangents = cq != 0.0 or cv != 0.0
    for k in range(s.n_face):
        at = sup.column[s.face + k]
        for c in range(3):
            x = unit3(c)
            along = tmul33_vec(R, x)
            fill_column(sup, s, 6 * k, scale3(along, cq), scale3(along, cv), scale3(along, cm), tangents, work)
            add_natural_column(sup, s, FRAME * k + c, q, R, values, work)
            for slot in range(1, 4):
                spin = tmul33_vec(R, scale3(cross(slot_at(q, at, slot), x), 0.5))
                dw = tmul33_vec(R, scale3(cross(x, slot_at(qd, at, slot)), 0.5 * cq))
                dal = tmul33_vec(R, scale3(cross(x, slot_at(qdd, at, slot)), 0.5 * cq))
                fill_column(sup, s, 6 * k + 3, scale3(spin, cq), axpy3(cv, spin, dw), axpy3(cm, spin, dal), tangents, work)
                add_natural_column(sup, s, FRAME * k + 3 * slot + c, q, R, values, work)
    for m in range(s.n_mode):
        j = 6 * s.n_face + m
        for r in range(s.n):
            work.column[r] = cm * sup.constant[s.M + r * s.n + j]
            if tangents:
                work.column[r] += cq * work.K[r, j] + cv * work.C[r, j]
        add_natural_column(sup, s, FRAME * s.n_face + m, q, R, values, work)
