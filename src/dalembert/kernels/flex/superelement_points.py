"""Accelerations of places of a superelement that are no interfaces.

The frame's axes give of q' = Hb (v - Phi_rig z), Phi q' = 0 and the accelerations a of the interfaces, v' = a - w x v,
    Q z' = Phi y,   y = Hb (v' - (w x u_k', 0)) + Hb' (v - Phi_rig z),   q'' = y - Hb Phi_rig z'                (1)
and of a place at l = x_p + Phi_p q, with the rotation vector psi = Psi_p q and the spin s = T(psi) psi' in the frame,
    a_p = z_v' + w x z_v + w' x l + w x (w x l) + 2 w x Phi_p q' + Phi_p q'',                                 (2)
    al_p = w' + w x s + s',   s' = T(psi) (psi'' - H' s),                                                     (3)
the last from H(psi) s = psi'.
"""

from ..algebra.rotation import inverse_tangent_factors, tangent_vec, vary_inverse_tangent
from ..algebra.small import add3, axpy3, cross, load3, load9, mul33_vec, sub3
from ..compile.jit import kernel
from .superelement import shape_times, store_triple, take_off_frame, triple


@kernel
def eval_second_rates(sup, i, work):
    """Fill work.dqd (n,) with q'' by (1) and return z_v', w', after `eval_frame_rates` and `eval_inertia_loads`."""
    s, w = sup.element[i], load3(work.frame[i].z_w)
    for k in range(s.n_face):
        th, factors = triple(work.q, 6 * k + 3), (work.bend[k, 0], work.bend[k, 1])
        v, spin = triple(work.v, 6 * k), triple(work.v, 6 * k + 3)
        slid = sub3(triple(work.a, 6 * k), cross(w, add3(v, triple(work.qd, 6 * k))))
        turned = mul33_vec(load9(work.H[k]), sub3(triple(work.a, 6 * k + 3), cross(w, spin)))
        bent = vary_inverse_tangent(th, factors, sub3(spin, w), triple(work.qd, 6 * k + 3))
        store_triple(work.dqd, 6 * k, slid)
        store_triple(work.dqd, 6 * k + 3, add3(turned, bent))
    for m in range(6 * s.n_face, s.n):
        work.dqd[m] = work.a[m]
    return take_off_frame(sup, s, work)                                                                        # (1)


@kernel
def point_accelerations(sup, j, dv, dw, work):
    """Acceleration [m/s²] and angular acceleration [rad/s²] of point j, world axes, by (2) and (3)."""
    p = sup.point[j]
    n, own = sup.element[p.element].n, work.frame[p.element]
    R, w = load9(own.R), load3(own.z_w)
    local = add3(load3(p.u_b), shape_times(sup.constant, p.motion, n, work.q))
    slide = shape_times(sup.constant, p.motion, n, work.qd)
    a = add3(dv, cross(w, add3(load3(own.z_v), cross(w, local))))
    a = add3(a, add3(cross(dw, local), axpy3(2.0, cross(w, slide), shape_times(sup.constant, p.motion, n, work.dqd))))  # (2)
    psi = shape_times(sup.constant, p.motion + 3 * n, n, work.q)
    rate = shape_times(sup.constant, p.motion + 3 * n, n, work.qd)
    second = shape_times(sup.constant, p.motion + 3 * n, n, work.dqd)
    spin = tangent_vec(psi, rate)
    bent = vary_inverse_tangent(psi, inverse_tangent_factors(psi), spin, rate)
    al = add3(add3(dw, cross(w, spin)), tangent_vec(psi, sub3(second, bent)))                                 # (3)
    return mul33_vec(R, a), mul33_vec(R, al)
