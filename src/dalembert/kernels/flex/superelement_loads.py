"""Loads that the interfaces and modes of a superelement have to hold: stiffness, damping, weight and inertia; energies.

With the elastic energy ½ qᵀKq, the damping D and the potential of the weight -g·(m r + R c), c = s_0 + Ctᵀq, the virtual
power on v gives, in the axes of the frame and by (3) and (4) of superelement.py,
    f = Tᵀ Hbᵀ p + Zᵀ s,   p = K q + D q' - Ct g,   s = -(m g, c x g),   g = Rᵀ g_w,                           (1)
the exact gradient of the energies.  Its resultant is Phi_rigᵀ f = s: a rigid motion meets the weight alone.  Inertia adds
    M a + sum_i w_i (G_i - M E_i) v,                                                                          (2)
a the accelerations in the frame's axes, w the frame's angular velocity, and E_i turning the vectors of the interfaces by
e_i.  It is the virtual power of the velocity field Rb Phi(x) v, whose convected part is w x Phi v; the mass matrix of
the world's axes is Rb M Rbᵀ.  As the G_i are antisymmetric, the power of the second term is -vᵀM (w x v) = ½ vᵀ M' v.
In natural coordinates a frame has V = (r', ½ sum e_j x e_j') = W qd.  The rate of W adds nothing to V', as e_j' x e_j' = 0:
    V' = W qdd,   generalised forces Wᵀ f:  f on r,  ½ n x e_j on e_j,   mass matrix Wᵀ Rb M Rbᵀ W,           (3)
so that (2) is energy-consistent in natural coordinates, too: qdᵀ Wᵀ Q_v = ½ qdᵀ (Wᵀ Rb M Rbᵀ W)' qd.
Seeds: [ELL (6.5)].  Deviations: Q_v is not given there, (2) is its derivation; Hb of the rotation vectors in (1); the
weight is a potential's gradient, so that energy is conserved.
"""

from ..algebra.small import add3, axpy3, cross, dot3, load3, load9, mul33_vec, scale3, store3, sub3, tmul33_vec
from ..compile.jit import kernel, part
from ..natural.coordinates import add_slot_at, slot_load_at
from .superelement import arm, load_natural_rates, store_triple, triple


@kernel
def add_product(constant, at, n, x, factor, out):
    """out <- out + factor A x for the matrix A (n, n) of constants from `at` on."""
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += constant[at + i * n + j] * x[j]
        out[i] += factor * total


@kernel
def form_of(constant, at, n, x):
    """xᵀ A x for the matrix A (n, n) of constants from `at` on."""
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += constant[at + i * n + j] * x[j]
        total += x[i] * row
    return total


@part
def clear(x, n):
    """Set n numbers to zero."""
    for j in range(n):
        x[j] = 0.0


@kernel
def turn_faces(s, w, x, out):
    """out = w x x for the vectors of all interfaces, zero for the modes: (sum w_i E_i) x."""
    for k in range(2 * s.n_face):
        store_triple(out, 3 * k, cross(w, triple(x, 3 * k)))
    for m in range(6 * s.n_face, s.n):
        out[m] = 0.0


@part
def first_moment(sup, s, work):
    """c = s_0 + Ctᵀ q: mass times centre of mass of the deformed body, from the frame [kg m]."""
    return add3(triple(sup.constant, s.rigid + 1), moved_moment(sup.constant, s, work.q))


@kernel
def moved_moment(constant, s, x):
    """Ctᵀ x for local x (n,)."""
    c = (0.0, 0.0, 0.0)
    for j in range(s.n):
        c = axpy3(x[j], triple(constant, s.Ct + 3 * j), c)
    return c


@kernel
def add_weight(constant, s, g, factor, out):
    """out <- out + factor Ct g for g in the frame's axes."""
    for j in range(s.n):
        out[j] += factor * dot3(triple(constant, s.Ct + 3 * j), g)


@part
def balance(sup, s, p, resultant, work):
    """p <- Tᵀ p + Zᵀ s for loads p (n,) on velocities and the resultant s = (force, moment): Phi_rigᵀ p becomes s."""
    force, moment = resultant
    for k in range(s.n_face):
        a = triple(p, 6 * k)
        force = sub3(force, a)
        moment = sub3(moment, add3(triple(p, 6 * k + 3), cross(arm(sup, s, k, work), a)))
    for j in range(s.n):
        p[j] += (force[0] * work.Z[0, j] + force[1] * work.Z[1, j] + force[2] * work.Z[2, j]
                 + moment[0] * work.Z[3, j] + moment[1] * work.Z[4, j] + moment[2] * work.Z[5, j])


@kernel
def eval_internal_loads(sup, i, g_w, work):
    """Fill work.f (n,) by (1) for gravity g_w [m/s²], world axes; after `find_frame` and `eval_frame_rates`."""
    s, own, f = sup.element[i], work.frame[i], work.f
    g, c = tmul33_vec(load9(own.R), g_w), first_moment(sup, s, work)
    store3(own.g, g)
    store3(own.c, c)
    clear(f, s.n)
    add_product(sup.constant, s.K, s.n, work.q, 1.0, f)
    if s.damped == 1:
        add_product(sup.constant, s.D, s.n, work.qd, 1.0, f)
    add_weight(sup.constant, s, g, -1.0, f)
    for k in range(s.n_face):
        store_triple(f, 6 * k + 3, tmul33_vec(load9(work.H[k]), triple(f, 6 * k + 3)))
    weight = scale3(g, -sup.constant[s.rigid])
    balance(sup, s, f, (weight, cross(g, c)), work)                                                 # (1), [ELL (6.5)]


@kernel
def eval_inertia_loads(sup, i, q, qdd, work):
    """Fill work.a and work.inertia (n,) by (2) for natural qdd (n_q,), after `eval_frame_rates`; destroys dq."""
    load_natural_rates(sup, i, q, qdd, work.a, work)
    settle_inertia_loads(sup, i, work)


@kernel
def settle_inertia_loads(sup, i, work):
    """Fill work.inertia (n,) by (2) for the accelerations work.a, after `settle_rates`; destroys dq."""
    s, w, out = sup.element[i], load3(work.frame[i].z_w), work.inertia
    clear(out, s.n)
    turn_faces(s, w, work.v, work.dq)
    for j in range(s.n):
        work.dq[j] = work.a[j] - work.dq[j]
    add_product(sup.constant, s.M, s.n, work.dq, 1.0, out)                                                   # (2)
    for c in range(3):
        add_product(sup.constant, s.G + c * s.n * s.n, s.n, work.v, w[c], out)


@kernel
def add_natural_loads_of(sup, i, q, f, out, work):
    """out (n_q,) <- out + Wᵀ f for loads f (n,) in the frame's axes, by (3)."""
    s, R = sup.element[i], load9(work.frame[i].R)
    for k in range(s.n_face):
        at = sup.column[s.face + k]
        force, moment = mul33_vec(R, triple(f, 6 * k)), mul33_vec(R, triple(f, 6 * k + 3))
        for slot in range(4):
            add_slot_at(out, at, slot, slot_load_at(q, at, slot, moment, force))
    for m in range(s.n_mode):
        out[s.eta + m] += f[6 * s.n_face + m]


@kernel
def elastic_energy(sup, i, work):
    """½ qᵀ K q [J], after `find_frame`."""
    s = sup.element[i]
    return 0.5 * form_of(sup.constant, s.K, s.n, work.q)


@kernel
def damped_power(sup, i, work):
    """qdᵀ D qd [W], after `eval_frame_rates`."""
    s = sup.element[i]
    return form_of(sup.constant, s.D, s.n, work.qd)


@kernel
def kinetic_energy(sup, i, work):
    """½ vᵀ M v [J], after `eval_frame_rates`."""
    s = sup.element[i]
    return 0.5 * form_of(sup.constant, s.M, s.n, work.v)


@kernel
def weight_energy(sup, i, g_w, work):
    """Potential of the weight, -g·(m r + R c) [J], after `find_frame`."""
    s, own = sup.element[i], work.frame[i]
    c = mul33_vec(load9(own.R), first_moment(sup, s, work))
    return -dot3(g_w, axpy3(sup.constant[s.rigid], load3(own.r_w), c))
