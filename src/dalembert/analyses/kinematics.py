"""Kinematic analysis: a mechanism whose drives prescribe all that it can do, advanced from frame to frame.

The steps are those of kernels/step/driven.py in the one time loop; frames are ends of steps.  Steps that shrink to nothing
mean that the drives lead into a singular position or beyond reach.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ..errors import AssemblyError, Fault, HoldsResults, ModelError, MultibodyError
from ..kernels.tree.state import normalise
from ..model.model import Model
from ..results.results import Results
from ..simulate.integrators import Driven
from ..simulate.simulation import Simulation
from ..start.arguments import DEFAULT_ACCURACY, RunOptions
from ..start.assembly import TOLERANCE, Assembler
from ..start.closing import set_drives
from ..start.constraints import Constraints
from ..start.control import idle_parts
from ..start.deformed import Starts
from ..start.evaluate import make_results
from ..start.initial import Start, prepare_start
from ..start.mobility import find_mobility
from ..start.reduction import independent_rates, null_space, scaled
from ..system.names import rate_names
from ..system.pack import Packed

SINGULAR = 10 * TOLERANCE**0.5
"""Smallest singular value of the scaled Jacobian, relative to the largest, below which a position is singular: at a dead
centre a move of the loose joints by x opens the loop by x², which the tolerance of closed loops does not resolve."""
NEARLY_SINGULAR = 0.05
"""Likewise below which a position is called close to a singular one."""


def kinematics(model: Model, times: ArrayLike, *, start: Starts = None) -> Results:
    """Move a mechanism through the positions that its drives prescribe.

    Parameters
    ----------
    model : Model
        Its `Motion` drives prescribe as many coordinates as the mechanism has degrees of freedom.
    times : sequence of float
        Frames [s], ascending.
    start : mapping, optional
        Coordinates by joint name at time zero, or at the first frame if that comes before, instead of the model's; they choose
        between ways to assemble it.

    Returns
    -------
    Results
        All channels as for a run: positions, velocities, accelerations, reactions, and efforts of the drives.

    Raises
    ------
    ModelError
        There are fewer or more drives than degrees of freedom.
    AssemblyError
        The drives lead beyond reach or into a singular position; names joints, gap and time.  The error's attribute
        `results` holds the frames up to there.
    """
    found = check_times(times)
    return drive_through(prepare_driven(model, found, start), found, "kinematics")


def check_times(times: ArrayLike) -> np.ndarray:
    """Return times of frames as an array; ModelError unless they ascend."""
    try:
        found = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if found.ndim != 1 or not np.all(np.isfinite(found)) or np.any(np.diff(found) <= 0):
        raise ModelError([Fault("times", "expected a list of ascending finite times [s]")])
    return found


def prepare_driven(model: Model, times: np.ndarray, start: Starts = None) -> Start:
    """Return the start of a mechanism whose drives prescribe everything; ModelError if they are too few or too many.

    It is that of time zero, or of the first of `times` if that comes before.
    """
    try:
        begin = replace(prepare_start(model, start, t=float(min([0.0, *times[:1]]))), natural=None)
    except AssemblyError as error:
        _refuse_surplus(model, start, error)
        raise
    packed = begin.packed
    J = Constraints(packed).full_jacobian(begin.t, begin.q)
    everything = np.ones(packed.layout.n_v, bool)
    Z = null_space(packed, J)
    freedom, drives = null_space(packed, J, everything).shape[1], len(packed.layout.motions)
    if Z.shape[1]:
        names = rate_names(packed.layout)
        missing = ", ".join(repr(names[k]) for k in independent_rates(packed, Z))
        raise ModelError([Fault("motions", f"the mechanism has {freedom} degree{'s' * (freedom != 1)} of freedom but {drives} "
                                           f"drive{'s' * (drives != 1)}: {Z.shape[1]} left open in its start position. Add a "
                                           f"motion of {missing} (a constant holds it still)")], model.name)
    if drives > freedom:
        raise _surplus(model, freedom, drives)
    return begin


def _refuse_surplus(model: Model, start: Starts, error: AssemblyError) -> None:
    """Report too many drives if that is why a mechanism cannot be assembled."""
    alone = prepare_start(model.without(*(m.name for m in model.motions)), start)
    freedom = find_mobility(alone.packed, alone.t, alone.q, alone.qd).freedom
    if len(model.motions) > freedom:
        raise _surplus(model, freedom, len(model.motions)) from error


def _surplus(model: Model, freedom: int, drives: int) -> ModelError:
    names = ", ".join(repr(m.name) for m in model.motions)
    return ModelError([Fault("motions", f"the mechanism has {freedom} degree{'s' * (freedom != 1)} of freedom but {drives} "
                                        f"drives: {names}. Remove {drives - freedom} of them")], model.name)


def drive_through(begin: Start, times: np.ndarray, what: str) -> Results:
    """Return the frames of a fully driven mechanism at ascending times [s]."""
    until = float(times[-1]) if len(times) else begin.t
    simulation = Simulation(begin, RunOptions(until, None, DEFAULT_ACCURACY, Driven(), "auto", None), times)
    ended = simulation.advance(until)
    simulation.recorder.collect()
    frames = simulation.recorder.frames()
    failure: BaseException | None = _refuse_singular(begin.packed, frames)
    if failure is None and ended.error is not None:
        failure = _beyond_reach(simulation, ended.t, float(times[len(frames["t"])]), ended.error)
    status = "ok" if failure is None else f"{type(failure).__name__}: {failure}"
    results: Results = make_results(begin.packed, begin.formulation.name, frames, integrator=what, status=status,
                                    messages=(*begin.messages, *idle_parts(begin.packed)), events=simulation.events)
    if failure is not None:
        cast(HoldsResults, failure).results = results
        raise failure
    return results


def _loose(packed: Packed, t: float, q: np.ndarray) -> tuple[float, str]:
    """Return how far from singular a position is, and the joints that are about to come loose."""
    free = packed.system.dof["drive"] < 0
    if not np.any(free):
        return 1.0, ""
    J = scaled(packed, Constraints(packed).evaluate(t, q, np.zeros(len(free))).jacobian)[:, free]
    _, sizes, right = np.linalg.svd(J)
    share = np.zeros(len(free))
    share[free] = abs(right[-1])
    layout = packed.layout
    names = dict.fromkeys(layout.joint_of_rate(int(v)).name for v in np.argsort(-share) if share[v] > 0.3 * np.max(share))
    return float(sizes[J.shape[1] - 1] / sizes[0]), ", ".join(map(repr, names))


def _refuse_singular(packed: Packed, frames: dict[str, np.ndarray]) -> AssemblyError | None:
    """Drop frames from the first one on whose rates and accelerations the drives do not determine; the error that says so."""
    for f, (t, q) in enumerate(zip(frames["t"], frames["q"], strict=True)):
        size, names = _loose(packed, float(t), q.copy())
        if size <= SINGULAR:
            for name in frames:
                frames[name] = frames[name][:f]
            return AssemblyError(f"singular position at t = {t:.6g} s: {names} can move although all drives stand still, so "
                                 "that rates and reactions are not determined. Drive another joint, or leave this time out")
    return None


def _beyond_reach(simulation: Simulation, t: float, until: float, cause: BaseException) -> BaseException:
    """Return the error that says where the way ends and what is missing further on, at the frame at `until` [s]."""
    packed = simulation.begin.packed
    q = simulation.loop.tree_state()[0]
    size, names = _loose(packed, t, q.copy())
    set_drives(packed, until, q, np.zeros(packed.layout.n_v))
    if not isinstance(cause, MultibodyError):
        return cause
    normalise(packed.system, q)
    driven = packed.system.dof["drive"] >= 0
    nearest = Assembler(packed, until)
    missing = nearest.missing(nearest.close(q, np.where(driven, 0.0, packed.system.dof["q_scale"])))
    where = f" close to a singular position of {names}" if size <= NEARLY_SINGULAR else ""
    return AssemblyError(f"the drives cannot be followed beyond t = {t:.6g} s{where}: at t = {until:.6g} s, in the nearest "
                         f"position found, {missing or 'another branch of the mechanism would have to be taken'}. "
                         "Shorten the drives' travel, or check lengths and axes of these joints")
