"""Inverse dynamics: the efforts that a given motion needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..codes import DriveCode
from ..errors import Fault, ModelError, near_names
from ..kernels.tree.state import eval_drives
from ..model.check import check
from ..model.laws import LawLike
from ..model.model import Model
from ..model.parts import Motion
from ..results.results import Results
from ..start.control import idle_parts
from ..start.evaluate import make_results
from ..start.initial import prepare_start
from ..system.edit import changed
from ..system.pack import Packed
from ..topology.span import span
from .kinematics import check_times, drive_through, prepare_driven


def inverse_dynamics(model: Model, motion: Mapping[str, LawLike] | None = None, *, times: ArrayLike) -> Results:
    """Return the efforts that a motion of all joints needs.

    Parameters
    ----------
    model : Model
        Its own `Motion` drives hold; ball and free joints of trees keep their start.
    motion : mapping, optional
        Joint name -> position law ``f(t)`` (number, `table`, `sine`, `ramp`, function), for joints with one
        coordinate; for others ``"joint.coordinate"``.  Coordinates left out keep their start; with loops they follow from
        the constraints, and there must be as many drives as degrees of freedom.
    times : sequence of float
        Frames [s]; with loops ascending.

    Returns
    -------
    Results
        ``r["joint.effort"]`` is the effort that a drive must add to the model's own springs and motors
        [N m or N]; all other channels as for a run.

    Raises
    ------
    ModelError
        An argument is faulty, or a mechanism with loops has fewer or more drives than degrees of freedom.
    AssemblyError
        With loops: the drives lead beyond reach or into a singular position, see `kinematics`.
    """
    try:
        times = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        times = np.array([np.nan])
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise ModelError([Fault("times", "expected a list of finite times [s]")])
    driven = _with_drives(model, motion or {})
    if span(check(driven)).has_loops:
        ascending = check_times(times)
        return drive_through(prepare_driven(driven, ascending), ascending, "inverse dynamics")
    begin = prepare_start(driven)
    packed = begin.packed
    if np.any(packed.system.drive["code"] == DriveCode.SPEED):
        raise ModelError([Fault("motion", "a drive by speed leaves its position open; inverse dynamics needs "
                                          "position= in all drives")])
    n = len(times)
    q, qd = np.tile(begin.q, (n, 1)), np.zeros((n, packed.layout.n_v))
    qdd = np.zeros_like(qd)
    for f, t in enumerate(times):
        eval_drives(packed.system, t, q[f], qd[f], qdd[f])
    if packed.law_errors:
        raise packed.law_errors[0].error("while the drives were evaluated")
    frames = {"t": times, "q": q, "qd": qd, "qdd": qdd}
    return make_results(_all_driven(packed), begin.formulation.name, frames,
                        messages=(*begin.messages, *idle_parts(packed)), integrator="inverse dynamics")


def _with_drives(model: Model, motion: Mapping[str, LawLike]) -> Model:
    """A copy in which the coordinates asked for are driven."""
    joints = {j.name: j for j in model.joints}
    parts, faults = [], []
    for key, law in motion.items():
        name, _, coordinate = key.partition(".")
        if name not in joints:
            faults.append(Fault(f"motion[{key!r}]", "no such joint." + near_names(name, joints)))
        else:
            parts.append(Motion(f"inverse dynamics of {key.replace('.', ' ')}", name, position=law,
                                coordinate=coordinate or None))
    if faults:
        raise ModelError(faults, model.name)
    return model.replaced().add(*parts)


def _all_driven(packed: Packed) -> Packed:
    """The same model with every rate marked as driven, so that its effort is the one needed."""
    return changed(packed, dof={"drive": np.maximum(packed.system.dof["drive"], 0)})
