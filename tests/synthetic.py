"""A run made by hand: an arm turns at constant speed, other joints hang beside it; every channel has a closed form."""

import numpy as np

from dalembert.results.provenance import provenance
from dalembert.results.results import Results
from dalembert.results.stats import Stats
from dalembert.results.tables import frame_shapes
from dalembert.system.layout import (
    ConstraintEntry,
    CutEntry,
    ForceEntry,
    JointEntry,
    Layout,
    MotionEntry,
    PointEntry,
)

SPEED = 2.0  # rad/s, of the arm about z
HALF = np.sqrt(0.5)
UNIT = (1.0, 0.0, 0.0, 0.0)


def joint(name, kind, body, q, v, coordinates, nv=None, **more):
    """Return a joint's entry; the ground carries its body."""
    nv = len(coordinates) if nv is None else nv
    return JointEntry(name, kind, body, q, len(coordinates), v, nv, tuple(coordinates), False, "ground", "", **more)


def cut(name, kind, coordinates):
    """Return the entry of a joint between the point (0, 3, 0) of the ground and the arm that closes a loop."""
    return CutEntry(name, kind, tuple(coordinates), 0, 1, (0.0, 3.0, 0.0), UNIT, (0.0, 0.0, 0.0), UNIT, (0.0, 0.0, 1.0),
                    (1.0, 0.0, 0.0), "ground.A", "arm", 0, 5)


LAYOUT = Layout(
    model="by hand",
    bodies=("ground", "arm", "ball", "nut", "disc", "puck"),
    points=(PointEntry("arm.tip", 1, (1.0, 0.0, 0.0), (HALF, 0.0, 0.0, HALF)),
            PointEntry("ground.A", 0, (0.0, 3.0, 0.0), UNIT)),
    joints=(joint("crank axis", "revolute", 1, 0, 0, ["angle"]),
            joint("socket", "spherical", 2, 1, 1, ["qw", "qx", "qy", "qz"], nv=3),
            joint("thread", "screw", 3, 5, 4, ["angle"], pitch=0.01),
            joint("cross", "universal", 4, 6, 5, ["angle1", "angle2"]),
            joint("table", "planar", 5, 8, 7, ["x", "y", "angle"])),
    forces=(ForceEntry("spring", "springdamper", 0, ("arm.tip", "ground.A")),
            ForceEntry("coil", "jointspring", 1, ("crank axis",)),
            ForceEntry("engine", "motor", 2, ("thread",)),
            ForceEntry("push", "force", 3, ("arm.tip",)),
            ForceEntry("twist", "torque", 4, ("arm",)),
            ForceEntry("rubber", "bushing", 5, ("ground", "arm"))),
    motions=(MotionEntry("drive", "crank axis", 0, 0),),
    n_q=11,
    n_v=10,
    cuts=(cut("latch", "revolute", ["angle"]), cut("knuckle", "spherical", ["qw", "qx", "qy", "qz"]),
          cut("weld", "fixed", [])),
    constraints=(ConstraintEntry("rod", "distance", ("ground.A", "arm.tip"), 8, 1),
                 ConstraintEntry("mesh", "gear", ("thread", "crank axis"), 9, 1),
                 ConstraintEntry("wheel", "rolling", ("arm.tip", "disc"), 10, 3, (1.0, 0.0, 0.0)),
                 ConstraintEntry("groove", "pointonline", ("ground", "puck"), 13, 2)),
    rows=tuple(("latch", f"row {k}") for k in range(15)),
)


def frames(t):
    """Return coordinates, rates and their derivatives at times t (nf,)."""
    q, qd, qdd = np.zeros((len(t), 11)), np.zeros((len(t), 10)), np.zeros((len(t), 10))
    q[:, 0], qd[:, 0] = SPEED * t, SPEED
    q[:, 1] = 1.0 + 1e-3 * t  # a quaternion that drifts
    q[:, 5], qd[:, 4], qdd[:, 4] = t**2, 2 * t, 2.0
    q[:, 6:11] = np.arange(6, 11)
    return {"t": t, "q": q, "qd": qd, "qdd": qdd}


def tables(t, q, qd, qdd):
    """Return what the kernels would: the arm's origin stands at (0, 0, 1) and the arm turns about z."""
    made = {name: np.zeros((len(t), *shape)) for name, shape in frame_shapes(LAYOUT).items() if name not in frames(t)}
    made["body"][:, :, 3] = 1.0
    arm = made["body"][:, 1]
    arm[:, 2] = 1.0
    arm[:, 3], arm[:, 6] = np.cos(SPEED * t / 2), np.sin(SPEED * t / 2)
    arm[:, 12] = SPEED
    made["reaction"][:, 0] = (1, 2, 3, 4, 5, 6)
    made["effort"][:, 0] = 7.0
    made["element"][:] = np.arange(9) + 10 * np.arange(6)[:, None]
    made["system"][:] = [*range(1, 10), 0, 0, 0]
    made["reaction"][:, 5:12] = np.arange(6) + 10 * np.arange(5, 12)[:, None]
    return made


def results(times=None, **more):
    """Return the run with its tables evaluated lazily."""
    t = np.linspace(0.0, 3.0, 31) if times is None else np.asarray(times, float)
    given = {"evaluate": tables, "stats": Stats(steps=30, evaluations=180, seconds=0.25, smallest_step=0.05,
                                               largest_step=0.1),
             "messages": ["start of 'socket' moved"],
             "provenance": provenance(model="name: by hand", formulation="recursive", integrator="dopri5",
                                      accuracy=1e-6)}
    return Results(frames(t), LAYOUT, **{**given, **more})
