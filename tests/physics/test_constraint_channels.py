"""Loads of constraints against closed forms, all at a single state."""

import numpy as np
import pytest
from promises import ASSEMBLED

import dalembert as dal

G = 9.81
EXACT = 1e3 * ASSEMBLED  # relative: loads at an assembled position


def near(expected):
    """Approximately a number, up to the errors of an assembled position."""
    return pytest.approx(expected, rel=EXACT, abs=EXACT)


def test_tension_of_a_string_carries_weight_and_turns_the_bob():
    mass, length, speed = 2.0, 0.8, 3.0
    m = dal.Model("bob", gravity=(0, 0, -G)).add(
        dal.Body("bob", mass=mass, inertia=(0.1, 0.1, 0.1)),
        dal.Free("fly", "ground", "bob", start=(0, 0, -length), start_rate=(speed, 0, 0, 0, 0, 0)),
        dal.Distance("string", "ground", "bob", length=length))
    r = dal.assemble(m)
    tension = mass * (G + speed**2 / length)
    assert r["string.tension"][0] == near(tension) and r["string.length"][0] == near(length)
    assert r["string.force"][0] == near(np.array([0, 0, tension])) and r["string.torque"][0] == near(np.zeros(3))


def test_a_rod_that_is_pushed_has_a_negative_tension():
    m = dal.Model("prop", gravity=(0, 0, -G)).add(
        dal.Body("load", mass=2.0, inertia=(1, 1, 1)), dal.Prismatic("guide", "ground", "load", axis=(0, 0, 1), start=1.5),
        dal.Distance("prop", "ground", "load"))
    r = dal.assemble(m)
    assert r["prop.tension"][0] == near(-2.0 * G) and r["prop.length"][0] == near(1.5)


def gears(constraint):
    """Two wheels of 0.5 and 0.2 kg m² about parallel axes, a torque of 3 N m on the first one."""
    m = dal.Model("gears", gravity=(0, 0, 0))
    for k, inertia in enumerate((0.5, 0.2)):
        m.add(dal.Body(f"wheel{k}", mass=1.0, inertia=(inertia,) * 3),
              dal.Revolute(f"axle{k}", "ground", f"wheel{k}", axis=(0, 0, 1)))
    return dal.assemble(m.add(dal.Motor("motor", "axle0", effort=3.0), constraint))


@pytest.mark.parametrize("constraint", [
    dal.Gear("mesh", "axle0", "axle1", ratio=-2.5),
    dal.CoordinateCoupling("mesh", "axle1", {"axle0": -2.5}),
], ids=["gear", "coupling"])
def test_effort_of_a_gear_is_what_speeds_up_the_wheel_it_tells(constraint):
    r = gears(constraint)
    first = 3.0 / (0.5 + 2.5**2 * 0.2)
    assert r["axle0.acceleration"][0] == near(first) and r["axle1.acceleration"][0] == near(-2.5 * first)
    assert r["mesh.effort"][0] == near(0.2 * -2.5 * first)
    assert r["axle1.effort"][0] == near(r["mesh.effort"][0])
    assert r["axle0.effort"][0] == near(3.0 + 2.5 * r["mesh.effort"][0])


def test_a_ball_that_rolls_down_a_slope():
    """A solid ball rolls with 5/7 of the acceleration of one that slips; the plane is that of a turned frame of the ground."""
    mass, radius, slope = 1.5, 0.2, 0.3
    inertia = 0.4 * mass * radius**2
    turn = [[np.cos(slope), 0, np.sin(slope)], [0, 1, 0], [-np.sin(slope), 0, np.cos(slope)]]
    downhill, normal = np.array(turn)[:, 0], np.array(turn)[:, 2]
    m = dal.Model("slope", gravity=(0, 0, -G), ground={"slope": dal.Frame((0, 0, 0), turn)}).add(
        dal.Body("ball", mass=mass, inertia=(inertia,) * 3),
        dal.Free("fly", "ground", "ball", start=tuple(radius * normal)),
        dal.Rolling("floor", "ground.slope", "ball", radius))
    r = dal.assemble(m)
    assert r["ball.acceleration"][0] == near(5 / 7 * G * np.sin(slope) * downhill)
    assert r["floor.normal_force"][0] == near(mass * G * np.cos(slope))
    friction = -2 / 7 * mass * G * np.sin(slope)
    assert r["floor.force"][0] == near(r["floor.normal_force"][0] * normal + friction * downhill)
    assert r["floor.torque"][0] == near(np.cross(-radius * normal, friction * downhill))


@pytest.mark.parametrize("constraint, force", [
    (dal.PointOnPlane("rest", "ground", "load", normal=(0, 0, 1), offset=0.5), (0, 0, 2.0 * G)),
    (dal.PointOnLine("rest", "ground.up", "load", axis=(0, 1, 0)), (0, 0, 2.0 * G)),
], ids=["plane", "line"])
def test_what_carries_a_load(constraint, force):
    m = dal.Model("table", gravity=(0, 0, -G), ground={"up": (0, 0, 0.5)}).add(
        dal.Body("load", mass=2.0, inertia=(1, 1, 1)), dal.Free("fly", "ground", "load", start=(0, 0, 0.5)), constraint)
    r = dal.assemble(m)
    assert r["rest.force"][0] == near(np.array(force)) and r["rest.torque"][0] == near(np.zeros(3))
