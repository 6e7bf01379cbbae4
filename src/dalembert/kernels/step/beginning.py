"""The beginning of methods that remember nothing but the last state: first accelerations and a cautious first step."""

from ...codes import Status
from ..compile.jit import kernel
from .flow import begin, keep_multipliers


@kernel
def first_step(opt, flow):
    """A cautious first step from the sizes of rates and accelerations, massless ones left out [s]."""
    rate = 0.0
    for k in range(flow.qd.shape[0]):
        if flow.slack[k] == 0.0:
            speed = flow.qd_scale[k] + abs(flow.qd[k])
            rate = max(rate, abs(flow.qd[k]) / flow.qd_scale[k], abs(flow.qdd[k]) / speed)
    h = 0.01 / rate if rate > 0.0 else 1e-3 * (flow.progress[0].t_end - flow.progress[0].t)
    h *= min(1.0, (opt.accuracy * 1e6) ** (1.0 / (opt.order + 1)))
    return min(h, opt.h_max)


@kernel
def begin_step(sys, opt, method, flow, t1, work) -> int:
    """First accelerations and first step."""
    p, o = flow.progress[0], opt[0]
    status = Status.OK.value
    if p.started == 0:
        status = begin(sys, flow, work)
        keep_multipliers(sys, work)
    if o.adaptive == 1 and p.h <= 0.0 and status == Status.OK.value:
        p.h = first_step(o, flow)
    return status
