"""Tables of shapes that may all touch each other, to be read beside kernels/tables.py.

A *group* is a set of shapes, any two of which may touch, or two sets, of which one touches the other.  What is near in a step
is a *touch*: a point of contact with the impulse that acts there.  The rows of contact/tables.py are touches that are always
looked at.
"""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record

SHAPE = record(
    ("code", "i8"),  # ShapeCode
    ("body", "i8"),  # row of its body
    ("side", "i8"),  # set of its group, 0 or 1
    ("first", "i8"),  # first of its corners
    ("count", "i8"),  # number of them
    ("u_b", "f8", 3),  # its place, joint frame [m]
    ("R_b", "f8", 9),  # its axes -> joint frame; z is a normal or an axis
    ("half", "f8", 3),  # half lengths of its core along these axes [m]
    ("radius", "f8"),  # by which its core is thickened [m]
    ("reach", "f8"),  # of the ball about its place that holds it; negative for a half-space [m]
)

GROUP = record(
    ("first", "i8"),  # its shapes
    ("end", "i8"),
    ("two", "i8"),  # 1 if only shapes of different sets touch
    ("skip", "i8"),  # first of the pairs of bodies that do not touch
    ("skips", "i8"),
    ("cell", "f8"),  # edge of the smallest cells [m]
    ("friction", "f8"),
    ("restitution", "f8"),
    ("compliance", "f8"),  # [m/N]
)

MOVER = record(
    ("kind", "i8"),  # MoverCode
    ("v", "i8"),  # first rate of its tree
    ("nv", "i8"),  # rates of its tree
    ("row", "i8"),  # first body row of its tree
    ("end", "i8"),
    ("iM", "f8"),  # inverse of the mass of a free body [1/kg]
    ("iJ", "f8", 6),  # inverse of its inertia about the centre of mass, joint frame [1/(kg m²)]
)

CROWD_OPTIONS = record(
    ("sweeps", "i8"),  # most sweeps for impulses
    ("tolerance", "f8"),  # change of a speed in a sweep that is tolerated, relative to what a step changes it by
    ("depth", "f8"),  # overlap that is tolerated [m]
    ("turns", "i8"),  # evaluations of accelerations in a step
    ("rows", "i8"),  # rows of contact/tables.py
)

TOUCH = record(
    ("key", "i8"),  # shapes and point of contact, the same in all steps
    ("group", "i8"),  # of the channel that shows it: rows first, then groups
    ("a", "i8"),  # body rows; the normal points from a to b
    ("b", "i8"),
    ("strip_a", "i8"),  # first number of its strip in `pool`, -1 for a body without a tree
    ("strip_b", "i8"),
    ("v_a", "i8"),  # first rate of the strip
    ("v_b", "i8"),
    ("n_a", "i8"),  # rates of the strip
    ("n_b", "i8"),
    ("n", "f8", 3),  # normal, world axes
    ("x", "f8", 3),  # point of contact [m]
    ("r_a", "f8", 3),  # from the centres of mass of free bodies to it [m]
    ("r_b", "f8", 3),
    ("W", "f8", 6),  # velocities of b's point relative to a's by a unit of impulse on b and minus that on a [1/kg]
    ("share_n", "f8"),  # inverse of W along the normal, with `soft` [kg]
    ("share_t", "f8"),  # inverse of the largest eigenvalue of W across it [kg]
    ("gap", "f8"),  # [m]
    ("speed", "f8"),  # its rate before the step [m/s]
    ("bias", "f8"),  # least of the rate after it, with the opposite sign [m/s]
    ("soft", "f8"),  # of a compliance [1/kg]
    ("friction", "f8"),
    ("restitution", "f8"),
    ("compliance", "f8"),  # [m/N]
    ("push", "f8"),  # impulse along the normal [N s]
    ("rub", "f8", 3),  # that across it, world axes [N s]
    ("lift", "f8"),  # what takes overlaps off, as an impulse times time [kg m]
)

CROWD_PROGRESS = record(
    ("touches", "i8"),  # rows used in `touch`
    ("before", "i8"),  # those of the last step, in `last`
    ("pool", "i8"),  # numbers used in `pool`
    ("trees", "i8"),  # touches with a body of a tree
    ("wanted", "i8"),  # touches, or numbers of the pool, that had no room
    ("wanted_pool", "i8"),
    ("sweeps", "i8"),  # of all steps
    ("most", "i8"),  # of a step
    ("unsettled", "i8"),  # steps whose sweeps ended before impulses were settled
    ("worst", "f8"),  # largest change of a speed in the last sweep of these [m/s]
    ("lowest", "f8"),  # smallest gap of all steps [m]
)

PLACE = record(
    ("x", "f8", 3),  # place of a shape, world [m]
    ("R", "f8", 9),  # its axes (columns)
    ("swell", "f8"),  # by which the ball about it grows to hold it during the step [m]
    ("level", "i8"),  # its cells have the edge 2^level times the smallest
    ("cell", "i8", 3),  # its cell
    ("next", "i8"),  # next shape in the same bin, -1 at the end
)

LAST = record(("key", "i8"), ("next", "i8"), ("push", "f8"), ("rub", "f8", 3))
"""An impulse of the last step."""

POINT = record(("gap", "f8"), ("n", "f8", 3), ("x", "f8", 3), ("feature", "i8"))
"""A point of contact of a pair of shapes."""

POINTS = 16
"""Most points of contact of a pair, before some are left out."""
LEVELS = 40
"""Levels of cells."""


@bundle
class Crowd(NamedTuple):
    """Shapes of a model that may all touch: frozen tables."""

    shape: np.ndarray  # SHAPE
    group: np.ndarray  # GROUP
    skip: np.ndarray  # i8, sorted within a group: row of a body times the number of rows plus that of the other
    corner: np.ndarray  # (n, 3) corners of meshes in the shapes' axes [m]
    mover: np.ndarray  # (n_body,) MOVER
    options: np.ndarray  # (1,) CROWD_OPTIONS


@bundle
class CrowdState(NamedTuple):
    """What is known of them in a run, and scratch."""

    progress: np.ndarray  # (1,) CROWD_PROGRESS
    touch: np.ndarray  # TOUCH
    last: np.ndarray  # LAST
    place: np.ndarray  # (n_shape,) PLACE
    order: np.ndarray  # (n_shape,) i8
    level: np.ndarray  # (LEVELS,) i8, shapes of each level
    bin: np.ndarray  # i8, first shape of each bin of cells
    known: np.ndarray  # i8, first impulse of the last step in each bin of keys
    point: np.ndarray  # (POINTS,) POINT
    twist: np.ndarray  # (2, n_body, 6) velocities of the centres of free bodies and their turning; their displacements
    centre: np.ndarray  # (n_body, 3) centres of mass of free bodies, world [m]
    inverse: np.ndarray  # (n_body, 6) inverse of their inertia, world axes
    rate: np.ndarray  # (2, n_v) rates; displacements
    still: np.ndarray  # (2, n_v) accelerations without contacts; scratch
    pool: np.ndarray  # strips: for each rate of a tree 3 velocities by it, and its 3 changes by a unit of impulse
    right: np.ndarray  # (3, n_v) generalised impulses
    shown: np.ndarray  # (n_channel, 4) of each row and group: normal force, smallest gap, touches, largest overlap


def no_crowd() -> Crowd:
    """Return empty tables, which cannot be written to, like all of a model: kernels know the difference as another type."""
    tables = Crowd(np.zeros(0, SHAPE), np.zeros(0, GROUP), np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0, MOVER),
                   np.zeros(0, CROWD_OPTIONS))
    for table in tables:
        table.setflags(write=False)
    return tables


def make_crowd_state(crowd: Crowd, n_v: int, rows: int, touches: int = 0, pool: int = 0) -> CrowdState:
    """Allocate the state of a crowd with room for a number of touches and for the strips of those with trees."""
    n, n_body = len(crowd.shape), len(crowd.mover)
    touches = max(touches, 4 * (n + rows)) if n_body else 0
    bins = 1 << (2 * max(n, 1)).bit_length() if n_body else 0
    return CrowdState(
        np.zeros(1, CROWD_PROGRESS), np.zeros(touches, TOUCH), np.zeros(touches, LAST), np.zeros(n, PLACE),
        np.zeros(n, np.int64), np.zeros(LEVELS, np.int64), np.full(bins, -1),
        np.full(1 << (2 * max(touches, 1)).bit_length() if n_body else 0, -1), np.zeros(POINTS, POINT),
        np.zeros((2, n_body, 6)), np.zeros((n_body, 3)), np.zeros((n_body, 6)), np.zeros((2, n_v)), np.zeros((2, n_v)),
        np.zeros(pool), np.zeros((3, n_v)), np.zeros((rows + len(crowd.group), 4)))
