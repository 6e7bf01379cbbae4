"""Second time derivatives of the constraint rows.

The rate of a row between bodies is the power of its unit wrench W = (n_a, f_a, n_b, f_b) on the velocities V of the bodies,
plus what time itself makes.  Hence, with the variation dW of the wrench along V and along y',
    Phi'' = W·V' + dW·V + Phi_y y'' + dPhi_y y'                                                          (1)
where Phi_y is -1 but for ANGLE.  The accelerations of tree/inverse.py are those of the origins minus gravity; W does no work
in a common acceleration of all bodies, so that (1) holds with them as they stand.
"""

from ...codes import Status
from ..algebra.small import load3
from ..compile.jit import part, shared
from .coordinate_rows import eval_term_acceleration, is_term_row
from .row_tangents import vary_wrench
from .rows import eval_law_rate, eval_prescribed, eval_work, load_velocities, load_wrench


@part
def eval_pair_acceleration(sys, c, own, t, work):
    """Phi'' of a row between two bodies by (1), or the derivative of its rate; and a status."""
    row_a, row_b = work.body[c.a], work.body[c.b]
    velocities = load_velocities(row_a, row_b)
    accelerations = (load3(row_a.al_w), load3(row_a.a_w), load3(row_b.al_w), load3(row_b.a_w))
    yd, ydd = eval_law_rate(sys, c, t, 1), eval_law_rate(sys, c, t, 2)
    by_y, dby_y, dwrench, status = vary_wrench(c, row_a, row_b, eval_prescribed(sys, c, t, 0), yd, velocities)
    moved = eval_work(load_wrench(own), accelerations) + eval_work(dwrench, velocities)
    return moved + by_y * ydd + dby_y * yd, status                                                # (1)


@shared
def eval_row_accelerations(sys, t, q, qd, qdd, work) -> int:
    """Fill the acceleration of every row, after `eval_rows` and `eval_body_accelerations`; qd and qdd (n_v,)."""
    for i in range(sys.row.shape[0]):
        c, own = sys.row[i], work.row[i]
        if is_term_row(c.code):
            own.Phidd = eval_term_acceleration(sys, c, t, q, qd, qdd)
        else:
            own.Phidd, status = eval_pair_acceleration(sys, c, own, t, work)
            if status != Status.OK.value:
                work.fail[0].row = i
                return status
    return Status.OK.value
