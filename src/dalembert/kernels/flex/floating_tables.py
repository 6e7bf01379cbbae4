"""Tables of flexible bodies in floating frames of reference, beside tables.py: one row per body, one row per place of a body.

The floating frame F of a body is in the body table with the joint that carries it; the body's n elastic coordinates
follow the joint's own in q and qd.  A *face* is a row whose joint ELASTIC is moved by the elastic coordinates of F: a massless
body at a place of the flexible one, or, with geometric stiffening, the frame that its inertia belongs to (floating.py).
Constants are in one flat array; bodies of equal constants refer to the same places.  All are in the axes of F.  Matrices of n
columns are kept by rows.  The twelve moments of all coordinates are one long vector, coordinate by coordinate, so that their
change with a coordinate is one product of such a vector; the motion of a face is in rows of six, one per coordinate.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle

MOMENTS = 12
"""Components of the moments X(q): c (3), Cr (3), and the inertia's slope J_l (xx, xy, xz, yy, yz, zz).

Those by which they change with a coordinate are G - Gᵀ (3), which is no change of c, but wanted with the others; G (3) and
2 J2 (6)."""

FLOATING = np.dtype((np.record, [
    ("root", "i8"),  # row of F
    ("body", "i8"),  # row that its inertia belongs to: F, or a face of it
    ("q", "i8"),  # first elastic coordinate
    ("v", "i8"),  # its rate
    ("n", "i8"),  # number of elastic coordinates
    ("damped", "i8"),  # 1 if De is not zero
    ("modal", "i8"),  # 1 if Me and Ke are diagonal
    ("rigid", "i8"),  # where mass, s0 (3) and J0 (6), undeformed, begin in `Floating.constant` [kg, kg m, kg m²]
    ("X0", "i8"),  # row of `Floating.change` with the moments (12 n) of the undeformed body
    ("X1", "i8"),  # first of the rows that say how they change with each coordinate
    ("Me", "i8"),  # where the modal mass (n, n) begins in `Floating.constant`
    ("Ke", "i8"),  # stiffness (n, n)
    ("De", "i8"),  # damping (n, n)
    ("load", "i8"),  # elastic forces of initial stress (n,)
    ("pair", "i8"),  # where the pairs of its own inertia begin in `System.mass_place`
    ("inner", "i8"),  # number of rates that follow there those of each elastic one
]))

FACE = np.dtype((np.record, [
    ("body", "i8"),  # row of the face
    ("heavy", "i8"),  # 1 if the inertia of the flexible body belongs to it
    ("element", "i8"),  # row of its body in `Floating.element`
    ("curved", "i8"),  # 1 if B is not zero
    ("Phi", "i8"),  # row of `Floating.curve` where displacement and rotation by each coordinate begin, one row per coordinate
    ("B", "i8"),  # likewise their second derivatives, n rows per coordinate
]))


@bundle
class Floating(NamedTuple):
    """All flexible bodies in floating frames of a model: frozen tables."""

    element: np.ndarray  # (n_element,) FLOATING
    face: np.ndarray  # (n_face,) FACE
    constant: np.ndarray  # f8
    change: np.ndarray  # (rows, 12 N) f8, N the largest number of elastic coordinates
    curve: np.ndarray  # (rows, 6) f8


ELEMENT_WORK = np.dtype((np.record, [
    ("ready", "i8"),  # 1 once the matrices of the tangent belong to the present state
    ("s_b", "f8", 3),  # mass times centre of mass [kg m]
    ("J_b", "f8", 6),  # inertia about the origin [kg m²]
    ("Jd_b", "f8", 6),  # its rate
    ("w_b", "f8", 3),  # angular velocity
    ("al_b", "f8", 3),  # angular acceleration
    ("a_b", "f8", 3),  # acceleration of the origin minus gravity
    ("p_b", "f8", 3),  # momentum of the elastic rates, c qd
    ("l_b", "f8", 3),  # their angular momentum, Cr qd
    ("n_w", "f8", 3),  # moment about the origin that the elastic accelerations make
    ("f_w", "f8", 3),  # force
    ("n_b", "f8", 3),  # whole inertia moment, F's axes; for variations
    ("f_b", "f8", 3),  # likewise the force
]))

FACE_WORK = np.dtype((np.record, [
    ("axes", "f8", 9),  # world axes of the three turns, one after the other
    ("thd", "f8", 3),  # their rates [rad/s]
    ("thdd", "f8", 3),  # their second derivatives
    ("rel", "f8", 3),  # angular velocity relative to F, world axes
    ("vel", "f8", 3),  # velocity of the origin relative to F
    ("turn", "f8", 3),  # angular acceleration relative to F
    ("slide", "f8", 3),  # acceleration of the origin relative to F
]))


AT_X, AT_Y, AT_Z = 0, 1, 2
"""Parts of `FloatingWork.moment`: moments X of the deformed body, X1 qd, X1 qdd."""
AT_BIAS, AT_LOAD, AT_CHANGE, AT_REST = 0, 1, 2, 3
"""Parts of `FloatingWork.load`: elastic loads without accelerations and faces, with accelerations, the variation of these, and
what is left to accelerate the elastic coordinates (another one for an implicit step)."""
AT_K, AT_C, AT_D = 0, 1, 2
"""Parts of `FloatingWork.square`: derivatives of the loads by q and by qd, inertia of the elastic coordinates and then its
factor (another one for an implicit step)."""
AT_PHI, AT_BQD, AT_BQDD, AT_S = 0, 1, 2, 3
"""Parts of `FloatingWork.strip`: displacement and turns by each coordinate in F's axes, B qd, B qdd, and the directions,
moving and then turning, world axes (another one that an implicit step's factors belong to)."""


@bundle
class FloatingWork(NamedTuple):
    """Scratch of one thread, in few arrays; N is the largest number of elastic coordinates."""

    element: np.ndarray  # (n_element,) ELEMENT_WORK
    face: np.ndarray  # (n_face,) FACE_WORK
    moment: np.ndarray  # (n_element, 3, N, 12)
    flat: np.ndarray  # (n_element, 3, 12 N), the same numbers
    coupling: np.ndarray  # (n_element, 2, 6, N): force and moment on the frame, world axes; the second of an implicit step
    load: np.ndarray  # (n_element, 5, N)
    square: np.ndarray  # (n_element, 4, N, N)
    strip: np.ndarray  # (n_face, 5, N, 6)


def make_floating_work(floating: Floating) -> FloatingWork:
    """Return the scratch of one thread."""
    if not len(floating.element) and not len(floating.face):
        return _no_work()
    n = int(floating.element["n"].max(initial=0))
    return _allocate(len(floating.element), len(floating.face), n)


@cache
def _no_work() -> FloatingWork:
    """Return the scratch of models without flexible bodies, in which there is nothing to write."""
    return _allocate(0, 0, 0)


def _allocate(e: int, f: int, n: int) -> FloatingWork:
    moment = np.zeros((e, 3, n, MOMENTS))
    return FloatingWork(np.zeros(e, ELEMENT_WORK), np.zeros(f, FACE_WORK), moment, moment.reshape(e, 3, MOMENTS * n),
                        np.zeros((e, 2, 6, n)), np.zeros((e, 5, n)), np.zeros((e, 4, n, n)), np.zeros((f, 5, n, 6)))
