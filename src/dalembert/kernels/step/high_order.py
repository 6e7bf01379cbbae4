"""Steps in which accelerations follow the parabola through those of the last two states and the new one [GLO (32)-(39)].

With the last step r h and the new one h, a(s) through a₋ at -r, a at 0 and a₊ at 1,
    qd₊ = qd + h (c₋ a₋ + c a + c₊ a₊)                                                            (1)
        c₊ = (2 + 3 r)/(6 (1 + r)),   c = (1 + 3 r)/(6 r),   c₋ = -1/(6 r (1 + r))
    dq = h qd + h² (d₋ a₋ + d a + d₊ a₊)                                                          (2)
        d₊ = (1 + 2 r)/(12 (1 + r)),  d = (1 + 4 r)/(12 r),  d₋ = -1/(12 r (1 + r))
For r = 1 these are [GLO (36)]: c₊ = 5/12 and d₊ = 1/8 give 10/(3 h) C and 8/h² M.  The brackets of [GLO (39)] are misprinted:
the rates follow from (2) and (1).  Without a last step the accelerations vary linearly, r -> infinity.
The accelerations of the last state and of the one before are in aa[2] and aa[0].
"""

from ..compile.jit import part


@part
def prepare_parabola(flow, tangent, h):
    """Base values of (1), (2) for a₊ = 0, and the guess of a₊; returns cq, cv."""
    p, aa = flow.progress[0], flow.aa
    r = p.h_last / h if p.history > 0 else 0.0
    c_new, c_now, c_old, d_new, d_now, d_old = 0.5, 0.5, 0.0, 1.0 / 6.0, 1.0 / 3.0, 0.0
    if r > 0.0:
        c_new, c_now, c_old = (2.0 + 3.0 * r) / (6.0 + 6.0 * r), (1.0 + 3.0 * r) / (6.0 * r), -1.0 / (6.0 * r * (1.0 + r))
        d_new, d_now = (1.0 + 2.0 * r) / (12.0 + 12.0 * r), (1.0 + 4.0 * r) / (12.0 * r)
        d_old = 0.5 * c_old
    ratio = min(1.0 / r, 2.0) if r > 0.0 else 0.0
    for k in range(flow.qd.shape[0]):
        tangent.qd_base[k] = flow.qd[k] + h * (c_now * aa[2, k] + c_old * aa[0, k])
        tangent.dq_base[k] = h * flow.qd[k] + h * h * (d_now * aa[2, k] + d_old * aa[0, k])
        flow.qdd_new[k] = flow.qdd[k] + ratio * (flow.qdd[k] - flow.qdd_last[k])
    return h * h * d_new, h * c_new
