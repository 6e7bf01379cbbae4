"""Tables of contacts, to be read beside kernels/tables.py.

A contact of two shapes is one row or several: a box above a plane has a row for each corner.  In each row the point, disc,
segment or sphere of body b meets the shape of body a; the normal points from a to b.  What acts along a row are *lines*:
its normal, and with friction two tangents.  Rows of joints have one line, the effort on a coordinate, joint_rows.py.
"""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record
from ..control.tables import OUTER

CONTACT_ROW = record(
    ("code", "i8"),  # PairCode
    ("contact", "i8"),  # number of the contact
    ("flip", "i8"),  # 1 if body b carries the contact's first shape
    ("a", "i8"),  # row of the body whose surface gives the normal
    ("b", "i8"),  # row of the other body
    ("lines", "i8"),  # 1, or 3 with friction
    ("u_a", "f8", 3),  # place of the shape, joint frame [m]
    ("R_a", "f8", 9),  # axes of the shape -> joint frame; z is a normal or an axis
    ("half_a", "f8", 3),  # half lengths along these axes [m]
    ("u_b", "f8", 3),
    ("R_b", "f8", 9),
    ("half_b", "f8", 3),
    ("radius", "f8"),  # sum of the radii by which both cores are thickened [m]
    ("radius_b", "f8"),  # that of body b's core
    ("disc", "f8"),  # radius of the disc of a DISC_PLANE [m]
    ("friction", "f8"),
    ("restitution", "f8"),
    ("compliance", "f8"),  # [m/N]
    ("damping", "f8"),  # of its spring, as a share of the critical one
    ("size", "f8"),  # length by which gaps are normalised [m]
    ("q", "i8"),  # coordinate of the tree that a limit or friction of a joint belongs to
    ("v", "i8"),  # its rate
    ("sign", "f8"),  # 1 for a lower limit and for friction, -1 for an upper limit
    ("limit", "f8"),  # [rad or m]
    ("most", "f8"),  # largest friction [N m or N]
)

CONTACT_OPTIONS = record(
    ("method", "i8"),  # ContactMethod of fixed steps
    ("penalty", "f8"),  # [N/m]
    ("closed_gap", "f8"),  # gap below which a contact is closed, as a share of its size
    ("resting", "f8"),  # height of a rebound, as a share of its size, that counts as none
    ("unit", "f8"),  # load whose response is looked at [N]
    ("length", "f8"),  # size of the model [m]
    ("steady", "f8"),  # gap of a fixed step that is tolerated, as a share of its size
)

CONTACT_WORK = record(
    ("gap", "f8"),  # [m]
    ("rate", "f8", 3),  # velocity of b relative to a along normal and tangents [m/s]
    ("n", "f8", 3),  # normal, world axes
    ("s", "f8", 3),  # first tangent
    ("t", "f8", 3),  # second tangent
    ("x", "f8", 3),  # point of contact, world [m]
    ("closed", "i8"),  # 1 while the contact may carry a force
    ("sprung", "i8"),  # 1 if that is the force of a spring, `load`
    ("soft", "f8"),  # added to the diagonal of W for its lines [1/kg]
    ("share", "f8"),  # what a unit of force along its lines changes gaps by, over W [s²]
    ("stick", "i8"),  # 1 while it does not slide
    ("first", "i8"),  # first of its lines, -1 for an open contact
    ("force", "f8", 3),  # along normal and tangents [N]
    ("load", "f8", 3),  # force of the position level of a fixed step [N]
    ("bend", "f8", 3),  # second derivative of the gap and those of the tangential ways [m/s²]
    ("begin", "f8"),  # gap at the beginning of a step [m]
    ("before", "f8"),  # its rate there [m/s]
    ("slack", "f8"),  # multiplier that a closed contact without force would have [N], negative
    ("n_0", "f8", 3),  # normal where the step began
    ("p_a", "f8", 3),  # place of the point of contact there in body a's joint frame [m]
    ("p_b", "f8", 3),  # likewise in body b's
    ("way", "f8", 3),  # tangential way since sticking began, or since the step began, world axes [m]
    ("held", "f8", 3),  # what of it was there where the step began
    ("kept", "f8"),  # force along the normal at the end of the last step [N]
    ("carried", "i8"),  # 1 if it has carried a force since it closed
    ("base", "f8"),  # coordinate at which friction of a joint began to stick [rad or m]
    ("most", "f8"),  # largest friction of a joint in the present problem [N m, N, or their impulses]
)

CONTACT_PROGRESS = record(
    ("lines", "i8"),  # of the closed contacts
    ("pending", "i8"),  # 1 if an impact waits at the present state
    ("cut", "i8"),  # 1 if the step is to be repeated up to `at`
    ("at", "f8"),  # [s]
    ("cuts", "i8"),  # how often the present step was cut
    ("h_free", "f8"),  # step before the cut [s]
    ("events", "i8"),  # rows used in `event`
    ("impacts", "i8"),  # impacts so far
    ("turns", "i8"),  # sweeps of the last complementarity problem
)

CONTACT_EVENT = record(
    ("code", "i8"),  # ContactEventCode
    ("row", "i8"),  # of CONTACT_ROW
    ("t", "f8"),  # [s]
    ("impulse", "f8", 3),  # on body b along normal and tangents [N s]
)

LINE = record(
    ("row", "i8"),  # of CONTACT_ROW
    ("axis", "i8"),  # 0 normal, 1 and 2 tangents
)

EVENTS = 100
"""Rows of the table of events beside those of two steps."""


@bundle
class Contacts(NamedTuple):
    """Contacts of a model: frozen tables."""

    row: np.ndarray  # (m,) CONTACT_ROW
    options: np.ndarray  # (1,) CONTACT_OPTIONS


@bundle
class ContactState(NamedTuple):
    """What is known of the contacts of a run, and scratch."""

    row: np.ndarray  # (m,) CONTACT_WORK
    progress: np.ndarray  # (1,) CONTACT_PROGRESS
    event: np.ndarray  # CONTACT_EVENT
    line: np.ndarray  # (k,) LINE of the closed contacts
    response: np.ndarray  # (k, n_v) accelerations by a unit of force along each line
    W: np.ndarray  # (k, k) accelerations along the lines by units of force along them [1/kg]
    right: np.ndarray  # (k,) of a complementarity problem
    found: np.ndarray  # (k,) its solution
    image: np.ndarray  # (k,) W times something, or a step of the forces
    active: np.ndarray  # (k, k) matrix of active.py
    pivot: np.ndarray  # (k,) i8
    unknown: np.ndarray  # (k,) i8, what is unknown of each line there
    slide: np.ndarray  # (k,) friction of sliding contacts by a unit of normal force
    guess: np.ndarray  # (2, n_v) accelerations that the iteration of a step began with, and those of its last turn
    still: np.ndarray  # (n_v,) accelerations without contact forces
    moved: np.ndarray  # (n_v,) increments
    qd: np.ndarray  # (n_v,) rates nearby
    q: np.ndarray  # (n_q,) coordinates nearby
    given: np.ndarray  # (n_body, OUTER) loads from outside
    effort: np.ndarray  # (n_v of the tree,) efforts from outside


def make_contact_state(contacts: Contacts, n_body: int, n_q: int, n_v: int, n_efforts: int) -> ContactState:
    """Allocate the state of the contacts; all are open."""
    m, k = len(contacts.row), int(np.sum(contacts.row["lines"]))
    row = np.zeros(m, CONTACT_WORK)
    row["first"] = -1
    table = [np.zeros(1, CONTACT_PROGRESS), np.zeros(EVENTS + 8 * m if m else 0, CONTACT_EVENT), np.zeros(k, LINE)]
    problem = [np.zeros((k, n_v)), np.zeros((k, k)), np.zeros(k), np.zeros(k), np.zeros(k), np.zeros((k, k)),
               np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k)]
    nearby = [np.zeros((2, n_v)), np.zeros(n_v), np.zeros(n_v), np.zeros(n_v), np.zeros(n_q)]
    return ContactState(row, *table, *problem, *nearby, np.zeros((n_body, OUTER)), np.zeros(n_efforts))


def no_contacts() -> Contacts:
    """Return empty tables, which cannot be written to, like all of a model: kernels know the difference as another type."""
    tables = Contacts(np.zeros(0, CONTACT_ROW), np.zeros(0, CONTACT_OPTIONS))
    for table in tables:
        table.setflags(write=False)
    return tables
