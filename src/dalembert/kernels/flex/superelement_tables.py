"""Tables of superelements, to be read beside tables.py: constants in one flat array, one row a superelement.

A superelement has n = 6 n_face + n_mode coordinates, see superelement.py.  The constants of one are together in the
order of `super_constants`; a row of SUPER says where each begins, and rows of equal bodies refer to the same places.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record as _record

SUPER = _record(
    ("n", "i8"),  # coordinates: 6 n_face + n_mode
    ("n_face", "i8"),  # interfaces
    ("n_mode", "i8"),  # fixed-interface modes
    ("face", "i8"),  # first of its interfaces in `Superelements.face`
    ("eta", "i8"),  # its first mode in the coordinates
    ("eta_v", "i8"),  # likewise in the rates
    ("mode", "i8"),  # likewise in `SuperWork.mode`
    ("lead", "i8"),  # first of the rates that move it in `Superelements.lead`; joint coordinates only
    ("n_lead", "i8"),  # number of them
    ("place", "i8"),  # first of its places in `Superelements.place`
    ("damped", "i8"),  # 1 if D is not zero
    ("size", "f8"),  # largest distance of an interface from the frame, undeformed [m]
    ("x", "i8"),  # where x_k (n_face, 3) begins in `Superelements.constant` [m]
    ("R_0", "i8"),  # likewise R_0k transposed (n_face, 9): columns are the undeformed axes, one after the other
    ("K", "i8"),  # stiffness (n, n)
    ("D", "i8"),  # damping (n, n)
    ("M", "i8"),  # mass (n, n)
    ("G", "i8"),  # convective matrices (3, n, n)
    ("Phi", "i8"),  # motion of the frame point (6, n)
    ("Ct", "i8"),  # first moments of the shapes (n, 3) [kg]
    ("rigid", "i8"),  # mass and mass times centre of mass, undeformed (4,) [kg, kg m]
)

SUPER_POINT = _record(
    ("element", "i8"),  # row of the superelement
    ("motion", "i8"),  # where its displacements and rotations (6, n) begin in `Superelements.constant`
    ("u_b", "f8", 3),  # place in the frame, undeformed [m]
    ("R_b", "f8", 9),  # its axes, undeformed -> frame's axes
)

SUPER_LEAD = _record(
    ("v", "i8"),  # rate
    ("body", "i8"),  # row of the body whose joint it belongs to; -1 for a mode
    ("first", "i8"),  # first of the interfaces that it moves in `Superelements.moved`; number of a mode
    ("count", "i8"),  # number of them
)

SUPER_FRAME = _record(
    ("r_w", "f8", 3),  # origin of the floating frame [m]
    ("e", "f8", 4),  # its quaternion (w, x, y, z)
    ("R", "f8", 9),  # its axes -> world
    ("d_f", "f8", 3),  # its origin from the first interface, as that interface sees it [m]
    ("e_f", "f8", 4),  # likewise its quaternion
    ("kept", "i8"),  # 1 once those of a finished step are kept
    ("d_k", "f8", 3),  # the kept ones
    ("e_k", "f8", 4),
    ("z_v", "f8", 3),  # its velocity, own axes [m/s]
    ("z_w", "f8", 3),  # its angular velocity, own axes [rad/s]
    ("g", "f8", 3),  # gravity, own axes [m/s²]
    ("c", "f8", 3),  # mass times centre of mass of the deformed body, own origin and axes [kg m]
    ("sloped", "i8"),  # 1 if `SuperWork.slopes` belong to the state
)


@bundle
class Superelements(NamedTuple):
    """All superelements of a model: frozen tables."""

    element: np.ndarray  # (n_super,) SUPER
    face: np.ndarray  # i8, body rows (> 0) of the interface frames
    column: np.ndarray  # i8, their first natural coordinates
    constant: np.ndarray  # f8, constants; equal superelements share theirs
    point: np.ndarray  # SUPER_POINT
    place: np.ndarray  # i8, places in the pattern of the pairs (0, 0), (1, 0), (1, 1), ... of each one's natural coordinates
    lead: np.ndarray  # SUPER_LEAD: rates that move each one, in joint coordinates; their pairs have the places above
    moved: np.ndarray  # i8, interfaces of a superelement that a rate moves


@bundle
class SuperWork(NamedTuple):
    """Scratch of one thread: `frame` is kept, the rest belongs to the superelement that was evaluated last."""

    frame: np.ndarray  # (n_super,) SUPER_FRAME
    place: np.ndarray  # (n_face, 3) interfaces, world axes [m]
    axes: np.ndarray  # (n_face, 9) their axes -> world
    q: np.ndarray  # (n,) local coordinates
    qd: np.ndarray  # (n,) their rates
    v: np.ndarray  # (n,) velocities of the interfaces and modes, frame's axes
    a: np.ndarray  # (n,) accelerations
    f: np.ndarray  # (n,) elastic, damping and weight loads that the interfaces have to hold, frame's axes
    inertia: np.ndarray  # (n,) likewise of inertia
    H: np.ndarray  # (n_face, 9) d theta / d spin
    bend: np.ndarray  # (n_face, 2) its factors
    sigma: np.ndarray  # (n_face, 3) local moments: H transposed makes those of f of them
    Z: np.ndarray  # (6, n) frame's velocity by v
    Q: np.ndarray  # (6, 6) factors of Phi Hb Phi_rig
    pivot: np.ndarray  # (6,) i8
    six: np.ndarray  # (6,)
    K: np.ndarray  # (n, n) d load / d position
    C: np.ndarray  # (n, n) d load / d velocity
    turned: np.ndarray  # (3, n) inertia by turns of the frame
    spun: np.ndarray  # (3, n) inertia by the frame's angular velocity
    dq: np.ndarray  # (n,) variation of q
    dqd: np.ndarray  # (n,) of its rate
    dp: np.ndarray  # (n,) of the local loads
    column: np.ndarray  # (n,)
    matrix: np.ndarray  # (n, n) of a step, or the mass matrix, frame's axes
    arm: np.ndarray  # (leads, 6 n_face) motion of the interfaces by each rate, frame's axes
    mode: np.ndarray  # loads that all modes have to hold
    shape: np.ndarray  # (n_super, 8 n + 9 n_face) q, f, Z and H of each superelement at the state; joint coordinates only
    slopes: np.ndarray  # (n_super, 2, n, n) K and C of each superelement; joint coordinates only


@cache
def no_superelements() -> Superelements:
    """Return the frozen tables of a model without superelements."""
    none = np.zeros(0, np.int64)
    tables = Superelements(np.zeros(0, SUPER), none, none, np.zeros(0), np.zeros(0, SUPER_POINT), none,
                           np.zeros(0, SUPER_LEAD), none)
    for table in tables:
        table.setflags(write=False)
    return tables


def make_super_work(sup: Superelements) -> SuperWork:
    """Return the scratch of one thread for the largest superelement."""
    return _allocate(sup) if len(sup.element) else _no_work()


@cache
def _no_work() -> SuperWork:
    """Return the scratch of models without superelements, in which there is nothing to write."""
    return _allocate(no_superelements())


def _allocate(sup: Superelements) -> SuperWork:
    n = int(sup.element["n"].max(initial=0))
    faces = int(sup.element["n_face"].max(initial=0))
    leads, modes = int(sup.element["n_lead"].max(initial=0)), int(sup.element["n_mode"].sum())
    vectors, last = [np.zeros(n) for _ in range(6)], [np.zeros(n) for _ in range(4)]
    return SuperWork(np.zeros(len(sup.element), SUPER_FRAME), np.zeros((faces, 3)), np.zeros((faces, 9)), *vectors,
                     np.zeros((faces, 9)), np.zeros((faces, 2)), np.zeros((faces, 3)), np.zeros((6, n)), np.zeros((6, 6)),
                     np.zeros(6, np.int64), np.zeros(6), np.zeros((n, n)), np.zeros((n, n)), np.zeros((3, n)),
                     np.zeros((3, n)), *last, np.zeros((n, n)), np.zeros((leads, 6 * faces)), np.zeros(modes if leads else 0),
                     np.zeros((len(sup.element) if leads else 0, 8 * n + 9 * faces)),
                     np.zeros((len(sup.element) if leads else 0, 2, n, n)))


def super_constants(*, positions: np.ndarray, rotations: np.ndarray, stiffness: np.ndarray, damping: np.ndarray,
                    mass_matrix: np.ndarray, convective: np.ndarray, frame_motion: np.ndarray, translation: np.ndarray,
                    mass: float, first_moment: Sequence[float]) -> np.ndarray:
    """Return the constants of one superelement as one flat array; `super_row` says where each begins.

    Parameters
    ----------
    positions : (n_face, 3) float
        x_k: undeformed interfaces from the frame [m].
    rotations : (n_face, 3, 3) float
        R_0k: undeformed axes of the interfaces, as columns.
    stiffness, damping, mass_matrix : (n, n) float
        K, D and M.
    convective : (3, n, n) float
        G_1, G_2, G_3.
    frame_motion : (6, n) float
        Phi.
    translation : (n, 3) float
        Ct: integral of the shapes over the mass [kg].
    mass : float
        [kg].
    first_moment : (3,) float
        Mass times centre of mass of the undeformed body, from the frame [kg m].
    """
    parts = (positions, np.swapaxes(rotations, 1, 2), stiffness, damping, mass_matrix, convective, frame_motion, translation,
             [mass, *first_moment])
    return np.concatenate([np.asarray(part, dtype=float).ravel() for part in parts])


def super_row(row: np.record, *, n_face: int, n_mode: int, at: int, constant: np.ndarray) -> None:
    """Fill sizes and places of a row of SUPER whose constants begin at place `at` of the array `constant`."""
    n = 6 * n_face + n_mode
    row.n, row.n_face, row.n_mode = n, n_face, n_mode
    sizes = {"x": 3 * n_face, "R_0": 9 * n_face, "K": n * n, "D": n * n, "M": n * n, "G": 3 * n * n, "Phi": 6 * n, "Ct": 3 * n,
             "rigid": 4}
    row.size = np.linalg.norm(constant[at:at + 3 * n_face].reshape(n_face, 3), axis=1).max()
    for name, size in sizes.items():
        row[name] = at
        at += size
    row.damped = np.any(constant[row.D:row.D + n * n])
