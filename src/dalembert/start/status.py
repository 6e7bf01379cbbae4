"""From a kernel's status to an error that names the thing: the only place that turns indices into names."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..codes import Status
from ..errors import ConvergenceError, MultibodyError, SingularError
from ..system.layout import FlexibleEntry
from ..system.pack import Packed


class AtState(Protocol):
    """A packed model with coordinates and rates."""

    @property
    def packed(self) -> Packed:
        """The tables."""

    @property
    def q(self) -> np.ndarray:
        """(n_q,) coordinates."""

    @property
    def qd(self) -> np.ndarray:
        """(n_v,) rates."""


class Begun(AtState, Protocol):
    """A start, as those see it on whom it is built."""

    @property
    def t(self) -> float:
        """Time [s]."""

    @property
    def natural(self) -> AtState | None:
        """The same in natural coordinates, if the formulation takes them."""

    @property
    def massless(self) -> int:
        """Number of independent directions without inertia."""

    @property
    def shown(self) -> Packed:
        """Tables in whose coordinates results are given."""


def error_of(status: int, packed: Packed, fail: np.ndarray, t: float, step: float) -> MultibodyError:
    """Return the error for a status that ended a run at time t [s] with the step tried last [s]."""
    if packed.law_errors:
        return packed.law_errors[0].error(f"at t = {t:.6g} s or within the step after it")
    code, at = Status(status), {name: int(fail[name][0]) for name in fail.dtype.names or ()}
    rate = at["rate"]
    if code == Status.SINGULAR:
        return _singular(packed, rate, t)
    if code == Status.NOT_FINITE:
        return ConvergenceError(f"{_joint(packed, rate)}: the acceleration is not a finite number at "
                                f"t = {t:.6g} s, step {step:.3g} s. Look for laws that return NaN or grow without "
                                "bound; an unstable fixed step needs a smaller step or an implicit integrator.")
    if code == Status.STEP_TOO_SMALL:
        return ConvergenceError(f"the step shrank to {step:.3g} s at t = {t:.6g} s without meeting the accuracy; fastest "
                                f"there is {_joint(packed, rate)}. Look for a jump or a singularity, or ask for "
                                "less accuracy.")
    if code == Status.NO_CONVERGENCE:
        return ConvergenceError(f"Newton's iteration did not converge at t = {t:.6g} s with the step {step:.3g} s; "
                                f"slowest near {_joint(packed, rate)}. Take a smaller step, or leave it out for "
                                "an error-controlled one.")
    if code == Status.LOCKED:
        return ConvergenceError(f"{_joint(packed, rate)}: the loops can hardly be closed after t = {t:.6g} s, "
                                f"in steps of {step:.3g} s: the mechanism is locked, or all but locked, in this position. See "
                                "its mobility with `dalembert check`, and give it the freedom that is missing.")
    if code == Status.UNBALANCED:
        remedy = ("or leave out a penalty that was given" if len(packed.system.row) else
                  "or look for masses and inertias that differ by many powers of ten")
        return ConvergenceError(f"{_joint(packed, rate)}: the accelerations found at t = {t:.6g} s do not satisfy the "
                                "equations of motion along the directions that are free; going on would show a motion that is "
                                f"none. Take another formulation, formulation=\"global\" for instance, {remedy}.")
    if code == Status.NO_CONTACT_FORCES:
        return ConvergenceError(f"no forces of the contacts were found at t = {t:.6g} s with the step {step:.3g} s. Take a "
                                "shorter step, a smaller coefficient of friction, or springs, "
                                "contact=UnilateralContact(method=\"penalty\", penalty=...).")
    if code == Status.APART:
        names = packed.layout.rows
        which = "joint {!r} ({})".format(*names[at["row"]]) if at["row"] < len(names) else "a joint"
        return ConvergenceError(f"{which} came apart by the size of the machine at t = {t:.6g} s: in steps of {step:.3g} s "
                                "its bodies are too light for what it carries, or a force element is too stiff. Take a "
                                "shorter step, or formulation 'semi-recursive' or 'global'.")
    if code == Status.NO_FRAME:
        name = packed.layout.flexibles[at["superelement"]].name
        return ConvergenceError(f"flexible body {name!r}: no floating frame was found at t = {t:.6g} s, step {step:.3g} s; it "
                                "is bent by more than a radian, which a linear body cannot describe. Take more bodies "
                                "(Beam(..., bodies=n)), a smaller step or smaller loads.")
    if code == Status.UNKNOWN_ROW:
        names = packed.layout.rows
        which = " of {!r} ({})".format(*names[at["row"]]) if at["row"] < len(names) else ""
        return _unknown(f"constraint row {at['row']}{which}")
    if code in _UNKNOWN:
        what, field = _UNKNOWN[code]
        return _unknown(f"{what} {at[field]}")
    return MultibodyError(f"kernel ended with {code.name} at t = {t:.6g} s")


_UNKNOWN = {Status.UNKNOWN_JOINT: ("joint of body row", "body"), Status.UNKNOWN_FORCE: ("force element", "force"),
            Status.UNKNOWN_LAW: ("law", "law"), Status.UNKNOWN_DRIVE: ("drive", "drive"),
            Status.UNKNOWN_SIGNAL: ("signal", "signal"),
            Status.UNKNOWN_FORM: ("formulation", "form"), Status.UNKNOWN_PROJECTION: ("projection", "projection")}
"""Status -> what has a code that the kernels do not know, and the field of `Work.fail` that says which."""


def _unknown(what: str) -> MultibodyError:
    return MultibodyError(f"{what} is of a kind that the kernels do not know: they are of another version than the packed "
                          "model. Install dalembert anew.")


def _joint(packed: Packed, rate: int) -> str:
    j = packed.layout.joint_of_rate(rate)
    if isinstance(j, FlexibleEntry):
        return f"flexible body {j.name!r} ({j.coordinates[rate - j.v]})"
    return f"joint {j.name!r} (between {j.first!r} and {j.second!r})"


def _singular(packed: Packed, rate: int, t: float) -> SingularError:
    j = packed.layout.joint_of_rate(rate)
    if isinstance(j, FlexibleEntry):
        return SingularError(
            f"flexible body {j.name!r}: its mass matrix is not positive definite at t = {t:.6g} s; it is deformed beyond what "
            "a linear body can describe. Make the beam of more bodies, take a shorter step, or see whether stiffening=False "
            "will do.")
    direction = packed.system.dof[rate]
    turns = bool(direction.s_n.any())
    carried = packed.layout.bodies[j.body]
    what = "an inertia about" if turns else "a mass along"
    if len(packed.system.row):
        return SingularError(
            f"{_joint(packed, rate)}: neither inertia nor loops decide how it moves at t = {t:.6g} s, to rounding. "
            f"Give {carried!r} {what} its axis, or start a little away from this position, in which its loops lock it.")
    which = f" ({j.coordinates[min(rate - j.v, len(j.coordinates) - 1)]})" if j.nv > 1 else ""
    return SingularError(
        f"{_joint(packed, rate)}: the bodies outboard of it give no "
        f"{'inertia about' if turns else 'mass along'} its axis{which} at t = {t:.3f} s; hinge rank {j.nv - 1}, "
        f"needed {j.nv}. Give {carried!r} {what} that axis, or fix the joint.")
