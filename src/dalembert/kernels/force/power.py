"""Power that drives, dampers, motors and loads supply to a mechanism, by which alone its total energy changes.

Kinetic energy, weight and the elastic energy ½ k x² of springs make up the total.  With the efforts u of the drives, the
multipliers λ of rows whose laws change them by Phi_t, and the load of each element beside its linear spring,
    E' = sum u qd + sum λ Phi_t + sum (load - elastic load) rate - etad·D etad,                    (1)
the third sum over the force elements (`supplied` of elements.py), the last term for damped flexible bodies.
"""

from ..algebra.quad import load_columns
from ..algebra.small import add3, cross, dot3, load3, mul33_vec
from ..compile.jit import kernel
from ..flex.floating import quadratic


@kernel
def outer_power(qd, work):
    """Power of the loads from outside [W]."""
    outer, effort, power = work.control.outer, work.control.effort, 0.0
    for i in range(outer.shape[0]):
        own, load = work.body[i], outer[i]
        w, arm = load3(own.w_w), mul33_vec(load_columns(own.E_wb), (load[6], load[7], load[8]))
        power += dot3((load[0], load[1], load[2]), w)
        power += dot3((load[3], load[4], load[5]), add3(load3(own.v_w), cross(w, arm)))
    for k in range(effort.shape[0]):
        power += effort[k] * qd[k]
    return power


@kernel
def supplied_power(sys, qd, effort, work):
    """(1) of a state [W] without the force elements, with the drives' efforts in `effort` (n_v,), after its evaluation."""
    power = 0.0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive >= 0:
            power += effort[k] * qd[k]
    for r in range(sys.row.shape[0]):
        power += work.row[r].lam * work.row[r].Phi_t
    power += outer_power(qd, work)
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        if e.damped == 1:
            power -= quadratic(sys.floating.constant, e.De, e.n, qd, e.v)
    return power
