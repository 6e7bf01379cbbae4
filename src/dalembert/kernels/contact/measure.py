"""What results show of contacts: gaps of states, and the forces that were recorded with them."""

from ...codes import Status
from ..compile.jit import kernel
from ..step.events import eval_switch_places
from .gaps import eval_gap
from .joint_rows import on_joint, rubs

FAR = 1e300
"""Gap before the first row of a contact is seen."""


@kernel
def measure_gaps(sys, contacts, q, qd, gap, work) -> int:
    """Fill gap (nf, m) of all rows for frames q, qd (nf, ...)."""
    for f in range(gap.shape[0]):
        status = eval_switch_places(sys, q[f], qd[f], work)
        for i in range(contacts.row.shape[0]):
            c = contacts.row[i]
            if on_joint(c):
                gap[f, i] = 0.0 if rubs(c) else c.sign * (q[f, c.q] - c.limit)
            elif status == Status.OK.value:
                gap[f, i], n, x, status = eval_gap(c, work.body[c.a], work.body[c.b])
        if status != Status.OK.value:
            return status
    return Status.OK.value
