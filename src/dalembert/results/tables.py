"""The arrays of a run: their names, the shape of one frame, and where the columns of a body's row lie."""

from __future__ import annotations

from ..system.layout import Layout

FRAMES = ("t", "q", "qd", "qdd")
"""Time [s], coordinates, rates and their derivatives: what the time loop records."""
TABLES = ("body", "reaction", "effort", "element", "system", "held", "contact", "group")
"""What is evaluated from the frames."""

POSITION, ORIENTATION, VELOCITY = slice(0, 3), slice(3, 7), slice(7, 10)
ANGULAR_VELOCITY, ACCELERATION, ANGULAR_ACCELERATION = slice(10, 13), slice(13, 16), slice(16, 19)
"""Columns of `body`: user's body frame, world axes; row 0 is the ground."""

FORCE, TORQUE = slice(0, 3), slice(3, 6)
"""Columns of `reaction` and `element` [N], [N m]; world axes."""
SCALAR, LENGTH, RATE = 6, 7, 8
"""Columns of `element`: effort, tension or magnitude; length or coordinate; its rate."""

KINETIC, GRAVITY, ELASTIC = 0, 1, 2
LINEAR_MOMENTUM, ANGULAR_MOMENTUM = slice(3, 6), slice(6, 9)
POSITION_GAP, VELOCITY_GAP, POWER = 9, 10, 11
"""Columns of `system`: energies [J], momentum [kg m/s], angular momentum about the world's origin [kg m²/s], largest
violation of a constraint and of its time derivative, power that drives, dampers and loads supply [W]."""


GAP, NORMAL_FORCE, FRICTION_FORCE = 0, 1, slice(2, 5)
"""Columns of `contact`: smallest gap [m], force along the normal, friction on the second body in world axes [N]."""
TOUCHES = 2
"""Columns of `group`: smallest gap, or infinity where nothing is near [m], sum of the forces along the normals [N], number of
points of contact with a force."""


def frame_shapes(layout: Layout) -> dict[str, tuple[int, ...]]:
    """Return the shape of one frame of every array of a run of this layout."""
    return {
        "t": (),
        "q": (layout.n_q,),
        "qd": (layout.n_v,),
        "qdd": (layout.n_v,),
        "body": (len(layout.bodies), 19),
        "reaction": (len(layout.joints) + len(layout.cuts) + len(layout.constraints), 6),
        "effort": (layout.n_v,),
        "element": (len(layout.forces), 9),
        "system": (12,),
        "held": (sum(len(c.outputs) for c in layout.controllers),),
        "contact": (len(layout.contacts), 5),
        "group": (len(layout.groups), 3),
    }
