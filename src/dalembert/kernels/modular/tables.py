"""Tables of the modular formulation, to be read beside kernels/tables.py: a row per body, joint, row, and end of a row."""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record
from ..natural.coordinates import FRAME

COMPONENT = record(
    ("due", "i8"),  # substeps of the finest body in one of its own
    ("inner", "i8"),  # first of its six rows UNIT and SQUARE
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
    ("weights", "f8"),  # sum of the square roots of w_J^i of its joints
)

JOINT_BLOCK = record(
    ("row", "i8"),  # first of its constraint rows
    ("rows", "i8"),
    ("side", "i8"),  # first of its bodies in `Modular.side`
    ("sides", "i8"),
    ("finest", "f8"),  # longest step of its bodies, relative to the finest one [-]
    ("share", "f8"),  # n_J of joints.py (2)
    ("k", "f8"),  # factor of its stiffness that was used last [1/s²]
    ("h", "f8"),  # step that it was made for [s]
    ("before", "f8", 2),  # k and h at the beginning of the step
)

SIDE = record(
    ("body", "i8"),
    ("first", "i8"),  # first of the ends of the joint's rows on it
    ("last", "i8"),  # one behind the last
    ("weight", "f8"),  # square root of w_J^i
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
    ("kept", "f8"),  # lambda* of [SEG (9)]: what a change of the stiffness would take off the load
    ("slip", "f8"),  # integral of the rate of a row that binds rates only
    ("load", "f8"),  # lambda at the present state
    ("before", "f8", 3),  # load, slip and lambda* at the beginning of the step
)

MODULAR = record(
    ("stiffness", "f8"),  # c, the bound of (omega h)² of joints
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
    joint: np.ndarray  # JOINT_BLOCK
    side: np.ndarray  # SIDE, joint by joint
    end: np.ndarray  # END, side by side
    row: np.ndarray  # (m,) JOINT_ROW
    options: np.ndarray  # (1,) MODULAR
    gives: np.ndarray  # (n_joint, b, b) factors of G_JJ
    block: np.ndarray  # (b, b) scratch
    other: np.ndarray  # (b, b)
    way: np.ndarray  # (b,)
    rate: np.ndarray  # (b,)
    matrix: np.ndarray  # (12, 12) factor of a body
    vector: np.ndarray  # (3, 12)
    force: np.ndarray  # (n_q,)
    q: np.ndarray  # (n_q,) coordinates that forces are evaluated at
    qd: np.ndarray  # (n_q,)


def make_modular(component: np.ndarray, joint: np.ndarray, side: np.ndarray, end: np.ndarray, rows: int, options: np.ndarray,
                 n_q: int) -> Modular:
    """Return components with their scratch."""
    b = int(np.max(joint["rows"], initial=0))
    return Modular(component, joint, side, end, np.zeros(rows, JOINT_ROW), options, np.zeros((len(joint), b, b)),
                   np.zeros((b, b)), np.zeros((b, b)), np.zeros(b), np.zeros(b), np.zeros((FRAME, FRAME)),
                   np.zeros((3, FRAME)), *np.zeros((3, n_q)))


def no_modular() -> Modular:
    """Return empty tables."""
    return make_modular(np.zeros(0, COMPONENT), np.zeros(0, JOINT_BLOCK), np.zeros(0, SIDE), np.zeros(0, END), 0,
                        np.zeros(0, MODULAR), 0)
