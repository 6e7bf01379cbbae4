"""Loads from outside go with their bodies: their work is the change of energy, and a rope's pull turns with nothing."""

import numpy as np
import pytest
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start

ACCURACY = 1e-10
ERRORS = 1e3
"""Local errors of a run that may add up, relative to the energy that goes round."""
FORCE = np.array([3.0, -2.0, 1.5])


def spinning():
    """A body that spins fast on a ball joint away from its origin and its centre of mass."""
    return dal.Model("top", gravity=(0, 0, 0)).add(
        dal.Body("top", mass=1.5, com=(0.1, -0.05, 0.2), inertia=(0.03, 0.05, 0.04), points={
            "seat": (-0.2, 0.3, -0.1), "eye": (0.25, 0.1, 0.4)}),
        dal.Spherical("ball", "ground", "top.seat", start_rate=(4.0, -7.0, 11.0)))


def chain():
    """Two links, the outer one free to move as well, joined at places that are not their origins."""
    link = dict(mass=1.0, com=(0.05, 0.0, -0.3), inertia=(0.05, 0.04, 0.02), points={
        "top": (0.02, 0.1, 0.1), "tip": (0, 0, -0.6), "eye": (0.25, 0.1, 0.4)})
    return dal.Model("chain", gravity=(0, 0, 0)).add(
        dal.Body("first", **link), dal.Body("top", **link), dal.Revolute("hinge", "ground", "first.top", axis=(0, 1, 0),
                                                                       start_rate=3.0),
        dal.Universal("cross", "first.tip", "top.top", start_rate=(5.0, -4.0)))


def advanced(model, formulation, points, until=0.8, moment=(0.0, 0.0, 0.0)):
    """Return a simulation after an advance under a force with fixed axes on `top`, and what it was before."""
    options = RunOptions(until, None, ACCURACY, "dopri5", "auto", None)
    s = Simulation(prepare_start(model, formulation=formulation), options, np.zeros(0), outer=True)
    row = list(s.layout.bodies).index("top")
    wrenches = np.zeros((len(s.layout.bodies), 6))
    wrenches[row] = (*FORCE, *moment)
    places = None
    if points is not None:
        places = np.zeros((len(s.layout.bodies), 3))
        places[row] = points
    s.load(wrenches, points=places)
    eye = "top.eye" if points is not None else "top"
    before = {name: s[name] for name in ("energy.total", f"{eye}.position")}
    s.advance(until)
    assert s.t == until
    return s, before, eye


@pytest.mark.parametrize("formulation", ["recursive", "global"])
@pytest.mark.parametrize("make", [spinning, chain])
@pytest.mark.parametrize("points", [None, (0.25, 0.1, 0.4)])
def test_the_work_of_a_force_on_a_turning_body_is_the_change_of_energy(make, formulation, points):
    """W = F·(p1 - p0) for a force with fixed axes whose place p goes with the body, whatever the path."""
    s, before, eye = advanced(make(), formulation, points)
    work = FORCE @ (s[f"{eye}.position"] - before[f"{eye}.position"])
    gained = s["energy.total"] - before["energy.total"]
    size = before["energy.total"] + abs(work)
    assert abs(work) > 0.01 * size
    assert gained == pytest.approx(work, abs=ERRORS * ACCURACY * size)
    w, v = s["top.angular_velocity"], s[f"{eye}.velocity"]
    assert np.linalg.norm(w) > 1.0 and s["energy.power"] == pytest.approx(FORCE @ v, abs=ERRORS * ACCURACY * size)


@pytest.mark.parametrize("formulation", ["recursive", "global"])
def test_a_place_is_a_moment_of_the_force_about_the_origin_at_the_moment(formulation):
    """Accelerations of a force at a place are those of the force and its moment about the origin, R p x F."""
    s, _, _ = advanced(spinning(), formulation, (0.25, 0.1, 0.4), until=0.3)
    at_place = s["top.acceleration"].copy(), s["top.angular_acceleration"].copy(), s["ball.force"].copy()
    arm = s["top.eye.position"] - s["top.position"]
    s.load(np.array([[0.0] * 6, [*FORCE, *np.cross(arm, FORCE)]]))
    for found, name in zip(at_place, ("top.acceleration", "top.angular_acceleration", "ball.force"), strict=True):
        assert s[name] == pytest.approx(found, abs=1e-9 * max(1.0, np.abs(found).max()))


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_loads_in_a_closed_loop_do_the_work_of_their_places(formulation):
    model = slider_crank(0.7, start_rate=3.0)
    options = RunOptions(0.5, None, ACCURACY, "dopri5", "auto", None)
    s = Simulation(prepare_start(model, formulation=formulation), options, np.zeros(0), outer=True)
    names = list(s.layout.bodies)
    body = next(name for name in names if name not in ("ground", "slider"))
    wrenches = np.zeros((len(names), 6))
    wrenches[names.index(body)] = (40.0, -30.0, 0, 0, 0, 0)
    points = np.zeros((len(names), 3))
    points[names.index(body)] = (0.1, 0.05, 0.0)

    def place():
        frame = s[f"{body}.orientation"]
        w, x, y, z = frame
        R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        return s[f"{body}.position"] + R @ points[names.index(body)]

    s.load(wrenches, points=points)
    energy, begun = s["energy.total"], place()
    s.advance(0.5)
    work = wrenches[names.index(body), :3] @ (place() - begun)
    assert abs(work) > 0.1
    assert s["energy.total"] - energy == pytest.approx(work, abs=ERRORS * ACCURACY * max(abs(energy), abs(work), 1.0))
