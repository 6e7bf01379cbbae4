"""Flexible mechanisms of the benchmarks: data, reference motions and errors against them.

The slider-crank has its reference in `tests/problems` (an independent solution by splines).  The hinge of the arm moves as
prescribed, so that its elastic equation alone is left, linear and integrated here; bodies are reduced by dalembert, and the
peers are given the same matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from loop_problems import Problem, stored

import dalembert as dal


@dataclass(frozen=True)
class Deflection(Problem):
    """A flexible mechanism, compared by the root of the mean square of its deflections."""

    def error(self, values: np.ndarray) -> float:
        """Return the r.m.s. deviation of all columns relative to their r.m.s.; infinite for a run that broke off."""
        if values.shape != self.reference.shape or not np.all(np.isfinite(values)):
            return float("inf")
        return float(np.sqrt(np.mean((values - self.reference) ** 2) / np.mean(self.reference**2)))


def slider_crank(bodies: int = 2, modes: int = 0) -> Deflection:
    """Slider-crank with a flexible rod, two turns: distance of the rod's middle from its chord."""
    p = stored("p6_slidercrank_flex_2d")

    def columns(r):
        return sag(*(r[f"rod.{place}.position"][:, :2] for place in ("start", "end", "mid")))

    return Deflection("flexible slider-crank", p["data"], np.array(p["t"]), np.array(p["values"])[:, 1:2],
                      lambda: slider_crank_model(p["data"], bodies, modes), columns)


def slider_crank_model(data: dict, bodies: int, modes: int):
    """The slider's mass sits at the end of the rod, which stays in a plane, as in the models of the peers."""
    z, length = (0, 0, 1), data["L"]
    m = dal.Model("flexible slider-crank", gravity=(0, 0, 0))
    m.add(dal.Body("crank", mass=1.0, inertia=(1e-3,) * 3, points={"pin": (data["R"], 0, 0)}),
          dal.Beam("rod", length=length, section=dal.Circle(data["dia"]),
                   material=dal.Material(young=data["E"], poisson=0.3, density=data["rho"]), theory="euler-bernoulli",
                   bodies=bodies, modes=modes, points={"mid": length / 2}),
          dal.Body("slider", mass=data["slider_mass"]),
          dal.Revolute("main", "ground", "crank", axis=z),
          dal.Revolute("big end", "crank.pin", "rod.start", axis=z),
          dal.Fixed("small end", "rod.end", "slider"),
          dal.PointOnPlane("guide", "ground", "slider", normal=(0, 1, 0)),
          dal.Motion("drive", "main", speed=data["omega"]))
    return m


HINGE, SLIDE = "displacement", "rotation"
SUPPORTS = {1: ((HINGE, HINGE),), 2: ((HINGE, SLIDE), (SLIDE, HINGE))}
"""What the mechanism and, by symmetry, the other half of the rod hold at start and end of each of its pieces."""


def planar_slider_crank(bodies: int, modes: int = 0, kept: int = 0) -> Deflection:
    """The same with a rod of bodies that bend in the plane alone and do not stretch, each in a floating frame.

    They have all their bending shapes, with the frame held, or, as supported in the mechanism, as many modes as are `kept`.
    """
    p = stored("p6_slidercrank_flex_2d")
    rod, centre = Rod(p["data"]["L"] / bodies, p["data"]["dia"], p["data"]["E"], p["data"]["rho"]), (bodies + 1) / 2
    supports = SUPPORTS[bodies] if kept else (None,) * bodies
    pieces = {i: planar_piece(rod, modes, i == centre, supports[i - 1], kept) for i in range(1, bodies + 1)}
    middle = f"rod {bodies // 2 + 1}.mid" if bodies % 2 else f"rod {bodies // 2}.end"

    def columns(r):
        return sag(*(r[f"{place}.position"][:, :2] for place in ("rod 1.start", f"rod {bodies}.end", middle)))

    return Deflection("flexible slider-crank", p["data"], np.array(p["t"]), np.array(p["values"])[:, 1:2],
                      lambda: planar_model(p["data"], pieces), columns)


class Rod(NamedTuple):
    """Length and diameter of a piece of the rod [m], Young's modulus [Pa] and density [kg/m³]."""

    length: float
    diameter: float
    young: float
    density: float


PIECE_ELEMENTS = 24


@cache
def planar_piece(rod: Rod, modes: int, marked: bool, supports: tuple[str, str] | None, kept: int):
    """Return a piece of the rod: two static shapes and some fixed-interface modes of bending in the plane.

    Stretching is left out: its frequency in two coordinates is above that of a bar with one end held.  With supports at start
    and end, that many of its lowest modes are kept.  The middle of the piece is a place of it if it is `marked`.
    """
    fe = dal.flex.beam(length=rod.length, section=dal.Circle(rod.diameter), elements=PIECE_ELEMENTS,
                       material=dal.Material(young=rod.young, poisson=0.3, density=rod.density), theory="euler-bernoulli")
    reduced = dal.flex.craig_bampton(fe, interfaces={"start": "start", "end": "end"}, modes=2 * modes,
                                     points={"mid": [PIECE_ELEMENTS // 2]} if marked else None)
    if supports is None:
        return reduced.floating("start", plane="xy", max_frequency=sqrt(rod.young / rod.density) / (4 * rod.length))
    held = dict(zip(("start", "end"), supports, strict=True))
    highest = reduced.floating("start", plane="xy", supports=held).frequencies[kept - 1]
    return reduced.floating("start", plane="xy", supports=held, max_frequency=highest * (1 + 1e-9))


def planar_model(data: dict, pieces: dict):
    """The mechanism of `slider_crank_model`; the pieces of the rod are welded to each other."""
    z, bodies = (0, 0, 1), len(pieces)
    m = dal.Model("flexible slider-crank", gravity=(0, 0, 0))
    m.add(dal.Body("crank", mass=1.0, inertia=(1e-3,) * 3, points={"pin": (data["R"], 0, 0)}),
          dal.Body("slider", mass=data["slider_mass"]),
          *(dal.FlexibleBody(f"rod {i}", piece) for i, piece in pieces.items()),
          dal.Revolute("main", "ground", "crank", axis=z),
          dal.Revolute("big end", "crank.pin", "rod 1.start", axis=z),
          *(dal.Fixed(f"weld {i}", f"rod {i}.end", f"rod {i + 1}.start") for i in range(1, bodies)),
          dal.Fixed("small end", f"rod {bodies}.end", "slider"),
          dal.PointOnPlane("guide", "ground", "slider", normal=(0, 1, 0)),
          dal.Motion("drive", "main", speed=data["omega"]))
    return m


def sag(start: np.ndarray, end: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Return the distance (n, 1) of the middle from the chord, to its left, by positions (n, 2)."""
    x, y = (end - start).T
    offset = middle - (start + end) / 2
    return ((x * offset[:, 1] - y * offset[:, 0]) / np.hypot(x, y))[:, None]


ARM_LENGTH, ARM_HEIGHT, ARM_WIDTH = 1.0, 0.02, 0.05
TURN, TURN_TIME = pi / 2, 0.5
"""Angle [rad] and duration [s] of the arm's turn from rest to rest."""
GRAVITY = 9.81
ARM_MODES = 20
REFERENCE_STEPS = 100
"""Within a compared spacing of 5 ms; leave an error of about 1e-5."""


@cache
def arm_body(divisions: tuple[int, int, int] = (40, 2, 4)):
    """Return the arm, a reduced solid with as many coordinates as leave twenty elastic ones in a floating frame."""
    steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
    solid = dal.flex.box((ARM_LENGTH, ARM_HEIGHT, ARM_WIDTH), divisions=divisions, material=steel)
    return dal.flex.craig_bampton(solid, interfaces={"hub": solid.face("-x"), "tip": solid.face("+x")}, modes=ARM_MODES - 6)


def turn(t: float) -> tuple[float, float, float]:
    """Return the hinge angle [rad] at a time, its speed and its acceleration: a polynomial of fifth degree."""
    x, a, b = t / TURN_TIME, TURN / TURN_TIME, TURN / TURN_TIME**2
    return (TURN * x**3 * (10 + x * (6 * x - 15)), 30 * a * x * x * (1 + x * (x - 2)),
            60 * b * x * (1 + x * (2 * x - 3)))


def arm_model():
    """Arm on a vertical hinge that turns as prescribed; its weight is let go at the start."""
    m = dal.Model("arm", gravity=(0, 0, -GRAVITY))
    m.add(dal.FlexibleBody("arm", arm_body(), stiffening=False),
          dal.Revolute("hinge", "ground", "arm.hub", axis=(0, 0, 1)),
          dal.Motion("drive", "hinge", position=dal.ramp(begin=0.0, finish=TURN_TIME, end=TURN)))
    return m


@cache
def arm(compared: int = 100) -> Deflection:
    """Arm with twenty modes that turns by a right angle: deflection of its tip across, in the axes of the hinge."""
    times = np.linspace(0.0, TURN_TIME, compared + 1)
    body = arm_body().floating("hub", stiffening=False)
    tip = elastic_motion(body, times) @ body.places["tip"].displacement.T
    return Deflection("arm, 20 modes", {"body": body}, times, tip[:, 1:], arm_model,
                      lambda r: tip_deflection(times, r["arm.tip.position"]))


def tip_deflection(times: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return the tip's deflections (n, 2) across the arm from its positions (n, 3) [m]."""
    angle = np.array([turn(t)[0] for t in times])
    return np.column_stack([np.cos(angle) * position[:, 1] - np.sin(angle) * position[:, 0], position[:, 2]])


def elastic_motion(body, times: np.ndarray) -> np.ndarray:
    """Integrate the elastic equation (n, modes) of a body in a frame that turns about z.

    With y = (q, qd) it reads y' = A(t) y + f(t); Gauss' method with two stages, of fourth order, damps nothing.
    """
    c, n = body.constants, body.n
    assert np.allclose(c.modal_mass, np.eye(n)), "elastic coordinates have unit modal mass"
    weight, swing, pull = c.translation[:, 2] * GRAVITY, c.rotation[:, 2], c.inertia_slope[:, 2, 2] / 2
    coriolis, softening = c.gyroscopic[2] - c.gyroscopic[2].T, c.inertia_curvature[:, :, 2, 2]

    def linear(t):
        _, w, wd = turn(t)
        stiffness = body.stiffness + wd * c.gyroscopic[2] - w * w * softening
        matrix = np.block([[np.zeros((n, n)), np.eye(n)], [-stiffness, -body.damping - w * coriolis]])
        return matrix, np.concatenate([np.zeros(n), w * w * pull - wd * swing - weight])

    h = (times[1] - times[0]) / REFERENCE_STEPS
    y, out = np.zeros(2 * n), [np.zeros(n)]
    for begin in times[:-1]:
        for k in range(REFERENCE_STEPS):
            y = gauss_step(linear, begin + k * h, h, y)
        out.append(y[:n])
    return np.array(out)


def gauss_step(linear, t: float, h: float, y: np.ndarray) -> np.ndarray:
    """Return y after a step of Gauss' method with two stages; `linear(t)` gives A and f of y' = A y + f."""
    (a1, f1), (a2, f2) = (linear(t + (0.5 + side * sqrt(3) / 6) * h) for side in (-1, 1))
    lower, upper = 0.25 - sqrt(3) / 6, 0.25 + sqrt(3) / 6
    matrix = np.eye(2 * len(y)) - h * np.block([[a1 / 4, lower * a1], [upper * a2, a2 / 4]])
    slopes = np.linalg.solve(matrix, np.concatenate([a1 @ y + f1, a2 @ y + f2]))
    return y + h / 2 * (slopes[:len(y)] + slopes[len(y):])


def hanging_beam(bodies: int):
    """A cable-like beam of many segments, let go horizontally from a hinge."""
    m = dal.Model("hanging beam", gravity=(0, 0, -9.81))
    steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
    m.add(dal.Beam("beam", length=0.1 * bodies, section=dal.Circle(0.01), material=steel, bodies=bodies),
          dal.Revolute("hinge", "ground", "beam.start", axis=(0, 1, 0)))
    return m
