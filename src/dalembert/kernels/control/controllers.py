"""Signals of a state, and the controllers that read them.

A controller's outputs are held between its samples, y(t) = y_k for t_k <= t < t_k+1, t_k = k T; a continuous one is asked
at every evaluation of the forces.  Kernels call a controller by its address.
"""

from ...codes import SignalCode, Status
from ..algebra.quad import load_columns
from ..algebra.rotation import quaternion_of_matrix
from ..algebra.small import load3, load9, mul33
from ..compile.jit import kernel
from ..compile.user_functions import call_control
from ..force.points import point_state

RUNNING, GIVEN = 0, 1
"""Places in `ControlWork.running`."""


@kernel
def eval_signal(s, t, q, qd, work):
    """Value of a signal, after the evaluation of places; q, qd are joint coordinates and rates."""
    if s.code == SignalCode.TIME:
        return t
    if s.code == SignalCode.COORDINATE:
        return s.factor * q[s.index]
    if s.code == SignalCode.RATE:
        return s.factor * qd[s.index]
    own = work.body[s.body]
    arm, r, v = point_state(own, load3(s.u_b))
    if s.code == SignalCode.POSITION:
        return r[0] if s.index == 0 else r[1] if s.index == 1 else r[2]
    if s.code == SignalCode.VELOCITY:
        return v[0] if s.index == 0 else v[1] if s.index == 1 else v[2]
    if s.code == SignalCode.ANGULAR_VELOCITY:
        return own.w_w[s.index]
    e = quaternion_of_matrix(mul33(load_columns(own.E_wb), load9(s.R_b)))
    return e[0] if s.index == 0 else e[1] if s.index == 1 else e[2] if s.index == 2 else e[3]


@kernel
def eval_signals(sys, first, count, t, q, qd, work) -> int:
    """Fill `inputs` of some signals; those that are given from outside stay as they are."""
    for i in range(first, first + count):
        s = sys.control.signal[i]
        if s.code == SignalCode.GIVEN:
            continue
        if s.code < SignalCode.GIVEN or s.code > SignalCode.ANGULAR_VELOCITY:
            work.fail[0].signal = i
            return Status.UNKNOWN_SIGNAL.value
        work.control.inputs[i] = eval_signal(s, t, q, qd, work)
    return Status.OK.value


@kernel
def run_controller(sys, c, t, q, qd, work) -> int:
    """Ask controller number c for its outputs."""
    k, control = sys.control.controller[c], work.control
    status = eval_signals(sys, k.signal, k.signals, t, q, qd, work)
    if status == Status.OK.value:
        call_control(k.address, t, control.inputs[k.signal:k.signal + k.signals],
                     control.memory[k.memory:k.memory + k.memories], control.held[k.held:k.held + k.helds])
    return status


@kernel
def eval_controllers(sys, t, q, qd, work) -> int:
    """Run all continuous controllers, and the sampled ones that are due, in their order; after the evaluation of places."""
    control = work.control
    if control.running[RUNNING] == 0:
        return Status.OK.value
    for c in range(sys.control.controller.shape[0]):
        if sys.control.controller[c].every == 0.0 or control.due[c] == 1:
            control.due[c] = 0
            status = run_controller(sys, c, t, q, qd, work)
            if status != Status.OK.value:
                return status
    return Status.OK.value


@kernel
def next_sample(sys, work):
    """Time of the next sample of all controllers [s]; infinite without sampled ones."""
    t = 1e300
    for c in range(sys.control.controller.shape[0]):
        every = sys.control.controller[c].every
        if every > 0.0:
            t = min(t, work.control.samples[c] * every)
    return t


@kernel
def mark_due(sys, t, work):
    """Mark the controllers whose sample is due by t; returns 0: none, 1: some, 2: some that need inputs from outside."""
    found, control = 0, work.control
    for c in range(sys.control.controller.shape[0]):
        k = sys.control.controller[c]
        if k.every > 0.0 and control.samples[c] * k.every <= t:
            if k.given == 1 and control.running[GIVEN] == 0:
                return 2
            found = 1
    for c in range(sys.control.controller.shape[0]):
        k = sys.control.controller[c]
        if found == 1 and k.every > 0.0 and control.samples[c] * k.every <= t:
            control.due[c] = 1
            control.samples[c] += 1
    if found == 1:
        control.running[GIVEN] = 0
    return found
