"""Closed loops of the benchmarks: data, reference motions and errors against them.

References come from `tests/problems` (independent solutions in minimal coordinates); the planar slider-crank and chains
of more than forty four-bars have one degree of freedom and are integrated here in that one.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Problem:
    """A mechanism, the times and columns it is compared at, and how dalembert's results give these columns."""

    name: str
    data: dict
    times: np.ndarray  # (n,) [s], equally spaced from zero
    reference: np.ndarray  # (n, c)
    model: Callable[[], Any]  # () -> dal.Model
    columns: Callable[[Any], np.ndarray]  # results recorded at `times` -> (n, c)

    @property
    def until(self) -> float:
        """End [s]."""
        return float(self.times[-1])

    @property
    def spacing(self) -> float:
        """Time between two compared instants [s]."""
        return float(self.times[1] - self.times[0])

    def error(self, values: np.ndarray) -> float:
        """Return the largest deviation of a column relative to the largest value in it; infinite for a run that broke off."""
        if values.shape != self.reference.shape or not np.all(np.isfinite(values)):
            return float("inf")
        return float(np.max(np.abs(values - self.reference).max(axis=0) / np.abs(self.reference).max(axis=0)))


@cache
def acceptance():
    """Return the module of mechanisms as a user writes them."""
    return module_of_tests("acceptance/mechanisms.py")


def module_of_tests(path: str):
    """Return a module that stands below the tests."""
    spec = importlib.util.spec_from_file_location(path.removesuffix(".py").replace("/", "_"), ROOT / "tests" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def stored(name: str) -> dict:
    """Return a reference problem."""
    return json.loads((ROOT / "tests" / "problems" / f"{name}.json").read_text())


def fourbars(n: int, until: float = 10.0) -> Problem:
    """N four-bars in a row: the point B0, 10 s through the singular position."""
    p = stored("p5_A02_n_fourbar")
    times = np.array([t for t in p["t"] if t <= until + 1e-9])
    if str(n) in p["cases"]:
        reference = np.array(p["cases"][str(n)]["B0"])[:len(times), :2]
    else:
        reference = fourbar_motion(p["data"], n, times)
    return Problem(f"{n} four-bars", {**p["data"], "n": n}, times, reference,
                   lambda: acceptance().n_fourbar(p["data"], n), lambda r: r["up0.top.position"][:, :2])


def fourbar_motion(data: dict, n: int, times: np.ndarray) -> np.ndarray:
    """Integrate J phi'' = -G cos(phi): n + 1 bars turn, n bars keep their direction; phi from +x."""
    m, length = data["link_mass"], data["link_length"]
    inertia = m * length**2 * ((n + 1) / 3 + n)
    weight = m * data["g"] * length * ((n + 1) / 2 + n)
    phi = one_degree(lambda x, v: -weight * np.cos(x) / inertia, np.pi / 2, -data["v_B0x"] / length, times)
    return length * np.column_stack([np.cos(phi), np.sin(phi)])


def one_degree(acceleration, x: float, v: float, times: np.ndarray) -> np.ndarray:
    """Integrate x'' = acceleration(x, x') to about twelve digits."""
    from scipy.integrate import solve_ivp

    return solve_ivp(lambda t, y: (y[1], acceleration(*y)), (0.0, times[-1]), (x, v), "DOP853", times,
                     rtol=1e-13, atol=1e-14).y[0]


def squeezer() -> Problem:
    """Andrews' squeezer until 0.03 s: absolute angles of its seven bodies."""
    p = stored("p5_A03_andrews")
    beta, theta, gamma, phi, delta, omega, epsilon = np.array(p["q"])[:61].T

    def absolute(beta, theta, gamma, phi, delta, omega, epsilon):
        return np.column_stack([beta, beta + theta, gamma, delta + phi, delta, epsilon + omega, epsilon])

    names = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
    return Problem("squeezer", {**p["data"], "q0": p["q0"]}, np.array(p["t"])[:61],
                   absolute(beta, theta, gamma, phi, delta, omega, epsilon),
                   lambda: acceptance().andrews(p["data"], p["q0"]),
                   lambda r: absolute(*(r[f"{name}.angle"] for name in names)))


def bricard() -> Problem:
    """Bricard's linkage, 10 s: its middle point."""
    p = stored("p5_A04_bricard")
    return Problem("Bricard", p["data"], np.array(p["t"]), np.array(p["P3"])[:, :3],
                   lambda: acceptance().bricard(p["data"]), lambda r: r["bar3.end.position"])


def spatial_places(d: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return pin and slider of the spatial slider-crank at its start [m], direction of the rod, second axis of the cross."""
    b = np.array([0.0, d["yA"], d["zA"] + d["lAB"]])
    c = np.array([np.sqrt(d["lBC"] ** 2 - b @ b), 0.0, 0.0])
    e = (c - b) / d["lBC"]
    across = np.cross(e, (1, 0, 0))
    return b, c, e, across / np.linalg.norm(across)


def spatial_slider_crank() -> Problem:
    """Spatial slider-crank, 5 s: the slider and the crank's pin."""
    p = stored("p5_spatial_slider_crank")
    d, values = p["data"], np.array(p["values"])
    theta = values[:, p["columns"].index("theta")]
    pin = np.column_stack([d["yA"] - d["lAB"] * np.sin(theta), d["zA"] + d["lAB"] * np.cos(theta)])
    return Problem("spatial slider-crank", d, np.array(p["t"]),
                   np.column_stack([values[:, p["columns"].index("x_slider")], pin]),
                   lambda: acceptance().spatial_slider_crank(d),
                   lambda r: np.column_stack([r["guide.displacement"], r["crank.B.position"][:, 1:]]))


def planar_slider_crank(until: float = 2.0) -> Problem:
    """Planar slider-crank, 2 s: crank pin and slider."""
    d = dict(crank=0.15, rod=0.3, mass=(0.5, 0.3, 0.2), speed=10.0, gravity=9.81)
    times = np.linspace(0.0, until, round(until / 0.02) + 1)
    theta = one_degree(lambda x, v: slider_crank_acceleration(d, x, v), 0.0, d["speed"], times)
    pin = d["crank"] * np.column_stack([np.cos(theta), np.sin(theta)])
    slider = pin[:, 0] + np.sqrt(d["rod"] ** 2 - pin[:, 1] ** 2)
    return Problem("planar slider-crank", d, times, np.column_stack([pin, slider]),
                   lambda: acceptance().planar_slider_crank(**d),
                   lambda r: np.column_stack([r["crank.pin.position"][:, :2], r["guide.displacement"]]))


def slider_crank_acceleration(d: dict, x: float, v: float) -> float:
    """Virtual power of weights and inertia forces: velocities u and accelerations b for theta' = v, theta'' = 0."""
    r, length, (m1, m2, m3) = d["crank"], d["rod"], d["mass"]
    s, c = np.sin(x), np.cos(x)
    sin_f = -r * s / length
    cos_f = np.sqrt(1 - sin_f**2)
    f_u = -r * c / (length * cos_f)  # phi' per theta'
    f_b = (r * s * v**2 / length + sin_f * (f_u * v) ** 2) / cos_f  # phi'' for theta'' = 0

    def along_rod(distance):
        u = np.array([-r * s - distance * sin_f * f_u, r * c + distance * cos_f * f_u])
        b = (np.array([-r * c, -r * s]) * v**2 - distance * np.array([cos_f, sin_f]) * (f_u * v) ** 2
             + distance * np.array([-sin_f, cos_f]) * f_b)
        return u, b

    inertia, load = m1 * r**2 / 3 + m2 * length**2 / 12 * f_u**2, -m2 * length**2 / 12 * f_u * f_b
    load -= m1 * d["gravity"] * r * c / 2
    for m, distance in ((m2, length / 2), (m3, length)):
        u, b = along_rod(distance)
        inertia += m * u @ u
        load -= m * (u @ b + d["gravity"] * u[1])
    return load / inertia


def vehicle() -> Problem:
    """Full vehicle over a bump and around a bend, 3 s: position and attitude of the chassis."""
    p = stored("p8_vehicle_hmmwv")
    return Problem("vehicle", p["data"], np.array(p["t"]), np.array(p["values"])[:, :6],
                   lambda: with_published_moments(example_vehicle()()),
                   lambda r: np.column_stack([r["chassis.position"], attitude(r["chassis.orientation"])]))


def with_published_moments(model):
    """Return the vehicle with the moments of inertia of its source, which for the arms about z no body can have."""
    for corner in ("FL", "FR", "RL", "RR"):
        model = model.replaced(f"lower {corner}", inertia=(0.4, 0.4, 0.8938))
        model = model.replaced(f"upper {corner}", inertia=(0.03, 0.03, 0.06276))
    return model


@cache
def example_vehicle():
    """Return the builder of the example of the vehicle."""
    import runpy

    import matplotlib

    matplotlib.use("Agg")
    with contextlib.redirect_stdout(io.StringIO()):  # what the example prints is no part of a table
        return runpy.run_path(str(ROOT / "examples" / "plot_vehicle.py"))["vehicle"]


def attitude(quaternion: np.ndarray) -> np.ndarray:
    """Return yaw, pitch and roll [rad] of quaternions (n, 4)."""
    w, x, y, z = quaternion.T
    return np.column_stack([np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), np.arcsin(2 * (w * y - x * z)),
                            np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))])
