"""Relative rest of flexible bodies: elastic coordinates that stay as they are while the mechanism moves on.

A spinning blade is stretched by its own inertia; small vibrations are those about the stretched blade.  With the given
joint coordinates and all rates at hand, the elastic coordinates q_e and the joints' accelerations a_j solve

    r(q, qd, (a_j, 0)) = 0                                                                       (1)

by Newton's iteration with the columns K_e and M_j of its tangent; the elastic rates and accelerations are zero.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import ConvergenceError
from ..start.closing import at_time
from ..start.reduction import Equations
from ..start.start import Start

MAX_ITERATIONS = 30
TOLERANCE = 1e-12
"""Last change of an elastic coordinate, relative to the size of its kind."""


def settled(begin: Start, t: float) -> Start:
    """Return a start without loops whose flexible bodies are deformed as their motion asks for at time t [s].

    Raises
    ------
    ConvergenceError
        The bodies are too soft for the motion: their inertia tears them away.
    """
    system, flexibles = begin.packed.system, begin.packed.layout.flexibles
    if not flexibles or len(system.row) or begin.massless:
        return begin
    equations, no_multipliers = Equations(begin.packed), np.zeros(0)
    elastic = np.concatenate([np.arange(f.v, f.v + f.n) for f in flexibles])
    of_joints = np.setdiff1d(np.flatnonzero(equations.free), elastic)
    place = {int(pair["v"]): int(pair["q"]) for pair in system.pair}
    at = np.array([place[int(v)] for v in elastic])
    q, qd = at_time(begin, t)
    qd[elastic] = 0.0
    qdd = equations.accelerations(t, q, qd)[0]
    qdd[elastic] = 0.0
    rows = np.concatenate([of_joints, elastic])
    for _ in range(MAX_ITERATIONS):
        residual = equations.residual(t, q, qd, qdd, no_multipliers)
        M, _, K = equations.matrices(t, q, qd, qdd, no_multipliers)
        tangent = np.hstack([M[np.ix_(rows, of_joints)], K[np.ix_(rows, elastic)]])
        step = -np.linalg.solve(tangent, residual[rows])                                          # (1)
        qdd[of_joints] += step[:len(of_joints)]
        q[at] += step[len(of_joints):]
        change = np.max(abs(step[len(of_joints):]) / system.dof["q_scale"][elastic])
        if not np.isfinite(change):
            break
        if change <= TOLERANCE:
            return replace(begin, q=q, qd=qd, t=t)
    raise ConvergenceError("flexible bodies find no relative rest at the start: their inertia deforms them without bound. "
                           "Begin with smaller rates, or make them stiffer.")
