"""Tables of the modular formulation, to be read beside kernels/tables.py: a row per body, constraint row and end of a row."""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record
from ..natural.coordinates import FRAME

COMPONENT = record(
    ("due", "i8"),  # substeps of the finest body in one of its own
    ("inner", "i8"),  # first of its six rows UNIT and SQUARE
    ("end", "i8"),  # first of the ends of joints' rows that act on it
    ("ends", "i8"),
    ("mass", "f8"),  # [kg]
    ("h_b", "f8", 3),  # first moment, joint frame [kg m]
    ("c_b", "f8", 3),  # centre of mass, joint frame [m]
    ("J_b", "f8", 6),  # inertia about the origin, with what a direction lacks [kg m²]
    ("inverse", "f8", 6),  # inverse of the inertia about the centre of mass, joint frame [1/(kg m²)]
    ("alpha", "f8"),  # penalty of the inner rows at the level of accelerations, alpha of [SEG (27)]
    ("lead", "f8"),  # of a step's prediction q + h qd + lead h² qdd
    ("beta", "f8"),  # Newmark's numbers of the correction
    ("gamma", "f8"),
    ("t", "f8"),  # time that its state belongs to [s]
)

END = record(
    ("row", "i8"),  # constraint row
    ("body", "i8"),
    ("slot", "i8"),  # first of its slots in `System.slot`
    ("slots", "i8"),
    ("n", "f8", 3),  # moment about the centre of mass that a unit load makes, body axes [m or -]
    ("f", "f8", 3),  # force, body axes [-]
    ("turn", "f8", 3),  # angular acceleration that it makes [1/kg m, ...]
)

JOINT_ROW = record(
    ("inner", "i8"),  # 1 for rows UNIT and SQUARE of a body
    ("finest", "f8"),  # longest step of the bodies that it joins, relative to the finest one [-]
    ("give", "f8"),  # acceleration along the row by a unit load, G of theory (4)
    ("share", "f8"),  # of its coupling with others, sum |G_rs| / sqrt(G_rr G_ss)
    ("k", "f8"),  # stiffness, alpha p of [SEG (17)]
    ("d", "f8"),  # damping, alpha v of [SEG (18)]
    ("kept", "f8"),  # lambda* of [SEG (9)], what a change of the stiffness would take off the load
    ("slip", "f8"),  # integral of the rate of a row that binds rates only
    ("load", "f8"),  # lambda at the present state
    ("before", "f8", 3),  # load, slip and lambda* at the beginning of the step
    ("h", "f8"),  # step that k and d were made for [s]
)

MODULAR = record(
    ("stiffness", "f8"),  # (omega h)² of joints
    ("damping", "f8"),  # of joints, relative to the critical one, epsilon of [SEG (14)]
    ("inner_stiffness", "f8"),  # likewise of the bodies' own rows
    ("inner_damping", "f8"),
    ("substeps", "i8"),  # of the finest body
    ("iterations", "i8"),  # most of a body's own
    ("small", "f8"),  # change of accelerations that ends them, relative to them
    ("open", "f8"),  # largest violation of a joint so far, relative to the size of its row
    ("row", "i8"),  # where
)


@bundle
class Modular(NamedTuple):
    """Components of a model; empty for other formulations."""

    component: np.ndarray  # (n_body,) COMPONENT; row 0 is the ground
    end: np.ndarray  # END, body by body
    joint: np.ndarray  # (m,) JOINT_ROW
    options: np.ndarray  # (1,) MODULAR
    matrix: np.ndarray  # (12, 12) factor of a body
    vector: np.ndarray  # (4, 12)
    force: np.ndarray  # (n_q,)
    q: np.ndarray  # (n_q,) coordinates that forces are evaluated at
    qd: np.ndarray  # (n_q,)


def make_modular(component: np.ndarray, end: np.ndarray, joint: np.ndarray, options: np.ndarray, n_q: int) -> Modular:
    """Return components with their scratch."""
    return Modular(component, end, joint, options, np.zeros((FRAME, FRAME)), np.zeros((4, FRAME)), *np.zeros((3, n_q)))


def no_modular() -> Modular:
    """Return empty tables."""
    return make_modular(np.zeros(0, COMPONENT), np.zeros(0, END), np.zeros(0, JOINT_ROW), np.zeros(0, MODULAR), 0)
