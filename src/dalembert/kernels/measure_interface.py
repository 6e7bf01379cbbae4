"""What results show of a model whose superelements stand between the bodies of a tree; see measure.py.

The superelements' loads act on the rows of their interfaces, so that inverse dynamics gives the reaction of every joint: the
balance of the interface that it carries.
"""

from ..codes import Status
from .algebra.small import load3
from .compile.jit import shared
from .flex.superelement_tree import eval_tree_superelement, load_rows_of
from .force.power import supplied_power
from .measure import (
    POWER,
    load_rows,
    measure_bodies,
    measure_elements,
    measure_holds,
    measure_reactions,
    measure_system,
    measure_violations,
    restore_loads,
)
from .measure_superelements import measure_superelement
from .tree.inverse import eval_body_accelerations, eval_inverse
from .tree.kinematics import eval_places


@shared
def measure_tree_superelements(sys, f, q, qd, qdd, point, system, work) -> int:
    """Loads of all superelements onto their interfaces' rows, their share of system[f] and their points."""
    g, last = load3(sys.constants[0].g_w), 0
    eval_body_accelerations(sys, qdd, work)
    for i in range(sys.sup.element.shape[0]):
        status = eval_tree_superelement(sys, i, q, qd, qdd, work)
        if status != Status.OK.value:
            return status
        load_rows_of(sys, i, work)
        last = measure_superelement(sys.sup, i, f, g, last, point, system, work.sup)
    return Status.OK.value


@shared
def measure_interface_frames(sys, t, q, qd, qdd, multiplier, loads, body, point, reaction, effort, element, system,
                             work) -> int:
    """As `measure_frames`; `point` (nf, n_point, 19) takes the places of superelements that are no interfaces."""
    tau, needed = work.scratch.frame.tau, work.scratch.frame.needed
    for f in range(t.shape[0]):
        restore_loads(loads[f], work)
        status = load_rows(sys, t[f], q[f], qd[f], multiplier[f], tau, work)
        if status != Status.OK.value:
            return status
        measure_violations(sys, f, system, work)
        eval_places(sys, qd[f], work)
        measure_system(sys, f, q[f], qd[f], system, work)
        status = measure_tree_superelements(sys, f, q[f], qd[f], qdd[f], point, system, work)
        if status != Status.OK.value:
            return status
        eval_inverse(sys, qdd[f], needed, work)
        measure_bodies(sys, f, body, work)
        measure_reactions(sys, f, tau, needed, qdd[f], reaction, work)
        measure_holds(sys, f, sys.joint.shape[0], reaction, work)
        for k in range(needed.shape[0]):
            effort[f, k] = needed[k] - tau[k] if sys.dof[k].drive >= 0 else tau[k]
        system[f, POWER] += supplied_power(sys, qd[f], effort[f], work)
        status = measure_elements(sys, f, t[f], q[f], qd[f], element, system, work)
        if status != Status.OK.value:
            return status
    return Status.OK.value
