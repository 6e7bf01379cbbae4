"""Equilibria of flexible bodies by load steps: closed forms, supports that move, failures that say how far they came."""

import numpy as np
import pytest

import dalembert as dal

Z = (0, 0, 1)
ALUMINIUM = dal.Material(young=70e9, poisson=0.3, density=2700.0)
STRIP = dal.Rectangle(height=0.01, width=0.01)
BENDING = 70e9 * 0.01**4 / 12


def cantilever(bodies, *loads, gravity=(0, 0, 0), ground=None, **beam):
    return dal.Model("cantilever", gravity=gravity, ground=ground or {}).add(
        dal.Beam("beam", length=1.0, section=STRIP, material=ALUMINIUM, theory="euler-bernoulli", bodies=bodies, **beam),
        dal.Fixed("clamp", "ground", "beam.start"), *loads)


def test_a_pure_moment_rolls_a_beam_into_a_circle():
    """M = 2 pi E I / L: equal segments make a closed polygon; its corners are off the circle by the square of 2 pi / n."""
    moment, errors = 2 * np.pi * BENDING, []
    for bodies in (8, 16):
        s = dal.static(cantilever(bodies, dal.Torque("roll", "beam.end", direction=Z, magnitude=moment)))
        assert s["clamp.torque"][-1] == pytest.approx((0, 0, -moment), abs=1e-6 * moment)
        assert np.abs(s["beam.end.position"][-1]).max() <= 1e-8
        errors.append(np.linalg.norm(s[f"beam.{bodies // 2}.position"][-1] - (0, 1 / np.pi, 0)))
    assert errors[0] <= (2 * np.pi / 8) ** 2 / 12
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def test_without_load_nothing_bends_in_any_attitude():
    """The clamp is turned at random; what is left is rounding of the stiffest direction."""
    turn = dal.Frame((0.3, -0.2, 0.5), rotation=dal.rotation_between((1, 0, 0), np.array([2.0, -1.0, 2.0]) / 3))
    model = dal.Model("still", gravity=(0, 0, 0), ground={"wall": turn}).add(
        dal.Beam("beam", length=1.0, section=STRIP, material=ALUMINIUM, bodies=3),
        dal.Fixed("clamp", "ground.wall", "beam.start"))
    s = dal.static(model)
    stiffest = ALUMINIUM.young * STRIP.area * 3
    assert np.abs(s["clamp.force"]).max() <= 1e2 * np.finfo(float).eps * stiffest
    assert s["energy.elastic"][-1] <= (1e2 * np.finfo(float).eps) ** 2 * stiffest


def test_weight_bends_and_the_clamp_carries_it():
    weight = ALUMINIUM.density * STRIP.area * 0.1
    s = dal.static(cantilever(4, gravity=(0, 0, -0.1)))
    assert s["beam.end.position"][-1, 2] == pytest.approx(-weight / (8 * BENDING), rel=1e-3)  # small deflection
    assert s["clamp.force"][-1] == pytest.approx((0, 0, weight), abs=1e-6 * weight)
    assert s["clamp.torque"][-1] == pytest.approx((0, -weight / 2, 0), abs=1e-4 * weight)


def test_a_support_that_moves_bends_the_beam():
    """A drive lifts the pinned end by d, which takes 3 E I d / L³, and 1.2 N d / L for the tension N = 0.6 E A (d/L)²."""
    lift = 1e-4
    model = cantilever(4, dal.Body("lift", mass=1.0, com=(0, 0, -0.1), inertia=(1e-3,) * 3, points={"pin": (0, 0, 0)}),
                       dal.Prismatic("guide", "ground.far", "lift", axis=Z), dal.Spherical("ball", "lift.pin", "beam.end"),
                       dal.Motion("raise", "guide", position=lift), ground={"far": (1, 0, 0)})
    s = dal.static(model)
    assert s["beam.end.position"][-1, 2] == pytest.approx(lift, rel=1e-9)
    assert abs(s["ball.force"][-1, 2]) == pytest.approx(3 * BENDING * lift, rel=1e-3)  # tension: 3e-4


def test_a_spring_on_its_hinge_carries_the_weight_of_a_beam():
    """k θ = (1/2) W L cos θ of a rigid beam; this one bends by W L³ / (8 E I) = 6 mm."""
    weight, k = 9.81 * ALUMINIUM.density * STRIP.area, 5.0
    model = dal.Model("lever").add(
        dal.Beam("beam", length=1.0, section=STRIP, material=ALUMINIUM, bodies=2),
        dal.Revolute("hinge", "ground", "beam.start", axis=(0, 1, 0)), dal.JointSpring("spring", "hinge", stiffness=k))
    s = dal.static(model)
    angle = s["hinge.angle"][-1]
    assert angle == pytest.approx(weight / (2 * k) * np.cos(angle), rel=6e-3)
    assert s["hinge.force"][-1] == pytest.approx((0, 0, weight), abs=1e-6 * weight)


ROPES = {"revolute": dal.Revolute("rope", "beam.end", "load", axis=(0, 1, 0), start=0.5),
         "universal": dal.Universal("rope", "beam.end", "load", axis1=(1, 0, 0), axis2=(0, 1, 0), start=(0.2, 0.1)),
         "spherical": dal.Spherical("rope", "beam.end", "load")}


@pytest.mark.parametrize("rope", ROPES.values(), ids=ROPES)
def test_a_load_hangs_plumb_on_a_bent_beam(rope):
    """Without load nothing holds the rope, and on a ball joint nothing ever keeps the load from spinning."""
    s = dal.static(cantilever(2, dal.Body("load", mass=2.0, com=(0, 0, -0.5), inertia=(0.1,) * 3, points={"low": (0, 0, -1)}),
                              rope, gravity=(0, 0, -9.81)))
    weight = 9.81 * (2.0 + ALUMINIUM.density * STRIP.area)
    assert s["clamp.force"][-1] == pytest.approx((0, 0, weight), abs=1e-6 * weight)
    assert (s["load.low.position"] - s["load.position"])[-1] == pytest.approx((0, 0, -1), abs=1e-7)


def test_a_failure_tells_the_load_factor():
    """Nothing holds a hinged beam against a torque about the hinge."""
    model = dal.Model("loose", gravity=(0, 0, 0)).add(
        dal.Beam("beam", length=1.0, section=STRIP, material=ALUMINIUM), dal.Revolute("hinge", "ground", "beam.start", axis=Z),
        dal.Torque("turn", "beam.end", direction=Z, magnitude=1.0))
    with pytest.raises(dal.ConvergenceError, match="load factor 0 .*nothing holds it: hinge.angle"):
        dal.static(model)


def test_a_buckled_column_is_told_unstable_while_straight():
    """Euler's load of a cantilever, pi² E I / (4 L²): the straight column is an equilibrium on both sides of it."""
    euler = np.pi**2 * BENDING / 4
    for factor, stable in ((0.95, True), (1.05, False)):
        push = dal.Force("push", "beam.end", direction=(-1, 0, 0), magnitude=factor * euler)
        s = dal.static(cantilever(4, push))
        assert abs(s["beam.end.position"][-1, 2]) <= 1e-9
        assert s.stable == stable


WEIGHT = (0, 0, -9.81)


def hanging(joint, bodies=2):
    return dal.Model("hanging", gravity=WEIGHT).add(
        dal.Beam("beam", length=1.0, section=STRIP, material=ALUMINIUM, bodies=bodies), joint)


@pytest.mark.parametrize("bodies", [1, 3])
@pytest.mark.parametrize("joint", [dal.Revolute("pin", "ground", "beam.start", axis=(0, 1, 0)),
                                   dal.Spherical("pin", "ground", "beam.start")], ids=["hinge", "ball"])
def test_a_beam_on_a_hinge_falls_from_sideways_to_plumb(joint, bodies):
    """Stretched by its weight, half of it on average."""
    s = dal.static(hanging(joint, bodies))
    stretch = ALUMINIUM.density * 9.81 / (2 * ALUMINIUM.young)
    assert s["beam.end.position"][0] == pytest.approx((0, 0, -1 - stretch), abs=1e-9)
    assert s.stable


@pytest.mark.parametrize("bodies", [1, 2, 3])
def test_a_load_on_a_ball_hangs_plumb_from_a_bent_beam(bodies):
    model = cantilever(bodies, dal.Body("load", mass=0.1, inertia=(1e-4,) * 3, points={"eye": (0, 0, 0.1)}),
                       dal.Spherical("ball", "beam.end", "load.eye", start=(0.3, 0.2, 0.5)), gravity=WEIGHT)
    s = dal.static(model)
    assert s.stable
    assert s["load.position"][0] - s["beam.end.position"][0] == pytest.approx((0, 0, -0.1), abs=1e-8)
    carried = (0.1 + ALUMINIUM.density * STRIP.area) * 9.81
    assert s["clamp.force"][0] == pytest.approx((0, 0, carried), abs=1e-6 * carried)
    moved = dal.run(model, until=0.02, step=1e-3, start=s)["beam.end.position"]
    assert np.abs(moved - moved[0]).max() <= 1e-6 * abs(moved[0, 2])


@pytest.mark.parametrize("bodies", [1, 3])
def test_a_falling_beam_is_told_that_nothing_holds_it(bodies):
    with pytest.raises(dal.ConvergenceError, match=r"nothing holds it: flight\.z is out of balance by 2\.65 N") as told:
        dal.static(hanging(dal.Free("flight", "ground", "beam.start"), bodies))
    assert "radian" not in str(told.value)
