"""Power that drives, dampers, motors and loads supply to a mechanism, by which alone its total energy changes.

Kinetic energy, weight and the elastic energy ½ k x² of springs make up the total.  With the efforts u of the drives, the
multipliers λ of rows whose laws change them by Phi_t, and the load of each element beside its linear spring,
    E' = sum u qd + sum λ Phi_t + sum (load - elastic load) rate - etad·D etad,                    (1)
the third sum over the force elements (`supplied` of elements.py), the last term for damped flexible bodies.
"""

from ..compile.jit import kernel
from ..flex.floating import quadratic


@kernel
def supplied_power(sys, qd, effort, work):
    """(1) of a state [W] without the force elements, with the drives' efforts in `effort` (n_v,), after its evaluation."""
    power = 0.0
    for k in range(sys.dof.shape[0]):
        if sys.dof[k].drive >= 0:
            power += effort[k] * qd[k]
    for r in range(sys.row.shape[0]):
        power += work.row[r].multiplier * work.row[r].time_rate
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        if e.damped == 1:
            power -= quadratic(sys.floating.constant, e.De, e.n, qd, e.v)
    return power
