"""What is said of directions without inertia: which bodies, the kind of their equations, and what is missing."""

from __future__ import annotations

import numpy as np

from ..errors import SingularError
from ..model.joints import JOINT_KINDS
from ..system.layout import JointEntry
from ..system.pack import Packed


def describe(packed: Packed, rates: np.ndarray, first_order: int) -> tuple[str, ...]:
    """Messages that name the massless bodies and the kind of their equations."""
    layout, messages = packed.layout, []
    kind = ("first-order equation" if first_order == len(rates) else
            "algebraic (quasi-static) equation" if first_order == 0 else "first-order or algebraic equation")
    for rate in rates:
        j = layout.joint_of_rate(int(rate))
        direction = packed.system.dof[rate]
        way = "about the axis" if direction.s_n.any() else "along the axis"
        messages.append(f"body {layout.bodies[j.body]!r} is massless {way} of joint {j.name!r}: {kind}")
    return tuple(messages)


def unsupported(packed: Packed, t: float, rate: int, rates: np.ndarray) -> SingularError:
    """Return the error of a rate without inertia, damping and stiffness; `rates` are all without inertia."""
    layout = packed.layout
    j = next(joint for joint in layout.joints if joint.v <= rate < joint.v + joint.nv)
    direction = packed.system.dof[rate]
    turns = bool(direction.s_n.any())
    own = sum(j.v <= r < j.v + j.nv for r in rates)
    body = layout.bodies[j.body]
    return SingularError(
        f"joint {j.name!r} (between {j.first!r} and {j.second!r}): body {body!r} and what it carries give no "
        f"{'inertia about' if turns else 'mass along'} {_axis(packed, j, rate)}, and neither "
        f"damping nor stiffness acts there, at t = {t:.3f} s; hinge rank {j.nv - own}, needed {j.nv}. Give {body!r} "
        f"{'an inertia about' if turns else 'a mass along'} that axis, put a spring or damper on the joint, or fix it.")


def _axis(packed: Packed, j: JointEntry, rate: int) -> str:
    """Say which direction of a joint a rate is, in the words of the model."""
    record = JOINT_KINDS[j.kind]
    if not record.ball and not record.one_axis:
        return f"the axis of its {j.coordinates[rate - j.v]}"
    direction = packed.system.dof[rate]
    axis = direction.s_n if direction.s_n.any() else direction.s_f
    if not record.ball:
        axis = next(joint.axis for joint in packed.plan.model.joints if joint.name == j.name)
    said = "(" + ", ".join(f"{x:.6g}" for x in np.round(axis, 6) + 0.0) + ")"
    return f"{said} of {j.second if j.reversed else j.first!r}" if record.ball else f"its axis {said}"
