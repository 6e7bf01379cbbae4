"""Dense output: the state between the ends of a step, the same for all methods.

Between two steps a frame is read off the quintic that meets coordinates, velocities and accelerations at both ends;
its error h⁶/46080 max|q⁽⁶⁾| lies below the local error of every integrator here, and no integrator needs its own
interpolation.  Where directions are massless rates and accelerations of both ends are completed first, and those of the frame
afterwards, massless_frames.py; if that fails the quintic is made a cubic, by
    y0'' = (6 (y1 - y0) - h (4 y0' + 2 y1')) / h²,   y1'' = (6 (y0 - y1) + h (2 y0' + 4 y1')) / h²
With s = (t - t0)/h and the ends' values y, y', y'':
    y(s) = y0 + h s y0' + h²s²/2 y0'' + s³ (A + (s - 1) (B + (s - 1) C))                       (1)
    A = y1 - y0 - h y0' - h²/2 y0'',   B = h y1' - h y0' - h² y0'' - 3 A,
    C = (h² y1'' - h² y0'' - 6 A - 6 B) / 2
"""

from ...codes import FormCode, Status
from ..compile.jit import kernel
from ..evaluate import eval_accelerations, find_projected
from ..tree.state import (
    eval_coordinate_accelerations,
    eval_coordinate_rates,
    normalise,
    rates_of_coordinates,
)
from .flow import copy
from .massless_frames import complete_state

COMPLETED, OPEN = 1, 2
"""Massless directions at the ends of a step, `Progress.ends`."""


@kernel
def interpolate(sys, flow, t, qd0, qdd0, qd1, qdd1, cubic):
    """Coordinates and rates at t within the last step, into q_stage and qd_stage, by (1).

    With rates and accelerations qd0, qdd0 at its beginning and qd1, qdd1 at its end.
    """
    p = flow.progress[0]
    place_on_quintic(sys, flow, p.h_last, (t - p.t_last) / p.h_last, flow.q_last, qd0, qdd0, flow.q, qd1, qdd1, cubic)


@kernel
def place_on_quintic(sys, flow, h, s, q0, qd0, qdd0, q1, qd1, qdd1, cubic):
    """Coordinates and rates at the share s of a step h between two states, into q_stage and qd_stage, by (1)."""
    kq = flow.kq
    eval_coordinate_rates(sys, q0, qd0, kq[2])
    eval_coordinate_accelerations(sys, q0, qd0, qdd0, kq[3])
    eval_coordinate_rates(sys, q1, qd1, kq[4])
    eval_coordinate_accelerations(sys, q1, qd1, qdd1, kq[5])
    for i in range(q0.shape[0]):
        y0, y1, y0d, y1d = q0[i], q1[i], h * kq[2, i], h * kq[4, i]
        y0dd, y1dd = h * h * kq[3, i], h * h * kq[5, i]
        if cubic:
            y0dd, y1dd = 6.0 * (y1 - y0) - 4.0 * y0d - 2.0 * y1d, 6.0 * (y0 - y1) + 2.0 * y0d + 4.0 * y1d
        A = y1 - y0 - y0d - 0.5 * y0dd
        B = y1d - y0d - y0dd - 3.0 * A
        C = 0.5 * (y1dd - y0dd - 6.0 * A - 6.0 * B)
        r = s - 1.0
        tail = A + r * (B + r * C)
        slope = B + 2.0 * r * C
        flow.q_stage[i] = y0 + s * (y0d + 0.5 * s * y0dd) + s * s * s * tail                     # (1)
        kq[6, i] = (y0d + s * y0dd + 3.0 * s * s * tail + s * s * s * slope) / h
    rates_of_coordinates(sys, flow.q_stage, kq[6], flow.qd_stage)
    normalise(sys, flow.q_stage)


@kernel
def settle_ends(sys, flow, work):
    """Complete massless directions at both ends of the last step; False if that fails."""
    p, ends = flow.progress[0], flow.settling.ends
    copy(flow.qd_last, ends[0])
    copy(flow.qdd_last, ends[1])
    copy(flow.qd, ends[2])
    copy(flow.qdd, ends[3])
    status = complete_state(sys, p.t_last, flow.q_last, ends[0], ends[1], flow.settling, flow.tau, work)
    if status == Status.OK.value:
        status = complete_state(sys, p.t, flow.q, ends[2], ends[3], flow.settling, flow.tau, work)
    return status == Status.OK.value


@kernel
def place_between(sys, flow, t, work):
    """Coordinates and rates at t within the last step, into q_stage and qd_stage, as the polynomial has them."""
    p, ends = flow.progress[0], flow.settling.ends
    massless = flow.massless.shape[0] > 0
    if massless and p.ends == 0:
        p.ends = COMPLETED if settle_ends(sys, flow, work) else OPEN
    if p.ends == COMPLETED:
        interpolate(sys, flow, t, ends[0], ends[1], ends[2], ends[3], False)
    else:
        interpolate(sys, flow, t, flow.qd_last, flow.qdd_last, flow.qd, flow.qdd, massless)


@kernel
def show_projected(sys, t, q, qd, qdd, tau, work) -> int:
    """`find_projected` of a frame between steps; near a singular position with the frame's own factors, or not projected."""
    status = find_projected(sys, t, q, qd, qdd, tau, work)
    if status == Status.NO_CONVERGENCE.value:
        eval_accelerations(sys, t, q, qd, qdd, tau, work)
        status = find_projected(sys, t, q, qd, qdd, tau, work)
    if status == Status.NO_CONVERGENCE.value:
        status = eval_accelerations(sys, t, q, qd, qdd, tau, work)
    return status


@kernel
def blend_accelerations(flow, t, qdd, work):
    """Accelerations between those at the ends of the last step, and the loads at its end."""
    p = flow.progress[0]
    s = (t - p.t_last) / p.h_last
    for k in range(qdd.shape[0]):
        qdd[k] = (1.0 - s) * flow.qdd_last[k] + s * flow.qdd[k]
    for r in range(work.row.shape[0]):
        work.row[r].lam_now = work.row[r].lam_shown


@kernel
def state_between(sys, flow, t, qdd, work) -> int:
    """State at t within the last step, on the constraints: q_stage, qd_stage, accelerations qdd, multipliers in row.lam_now.

    Accelerations of massless trees are left to the completion of the frame.
    """
    place_between(sys, flow, t, work)
    if sys.constants[0].modular == 1:
        blend_accelerations(flow, t, qdd, work)
        return Status.OK.value
    form, massless, status = sys.constants[0].form, flow.massless.shape[0] > 0, Status.OK.value
    if massless and form == FormCode.SEMI_RECURSIVE:
        eval_accelerations(sys, t, flow.q_stage, flow.qd_stage, qdd, flow.tau, work)
    if form != FormCode.TREE and not (massless and form == FormCode.GLOBAL):
        status = show_projected(sys, t, flow.q_stage, flow.qd_stage, qdd, flow.tau, work)
    elif form == FormCode.TREE and flow.progress[0].ends != COMPLETED:
        status = eval_accelerations(sys, t, flow.q_stage, flow.qd_stage, qdd, flow.tau, work)
    return status
