"""Forces whose magnitude is a function of the whole point, f(t, x, y, z, vx, vy, vz): closed forms and the reference."""

from math import cos, sin

import numpy as np
import pytest
from brute_force import reference_state
from physics.states import EPS, observed_order
from promises import FIXED_ACCURACY, SOLVED_SHARE

import dalembert as dal
from dalembert.model.check import check

FORMULATIONS = ("recursive", "semi-recursive", "global")
STEPS = (0.02, 0.01, 0.005)

# bead on a road: mass [kg], stiffness [N/m], damping [N s/m], radius, amplitude [m], wave number [1/m], speed [m/s]
M, K, C, RADIUS, AMPLITUDE, WAVE, SPEED, G = 2.0, 400.0, 6.0, 0.3, 0.05, 3.0, 2.0, 9.81


def road(t, x, y, z, vx, vy, vz):
    """Spring and damper between a bead and the road below it."""
    return K * (RADIUS + AMPLITUDE * sin(WAVE * x) - z) + C * (AMPLITUDE * WAVE * cos(WAVE * x) * vx - vz)


def bead(law):
    """Return a bead on a vertical rail, carried by a cart that rolls along at constant speed."""
    m = dal.Model("bead over a sine road", gravity=(0, 0, -G))
    m.add(dal.Body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1)), dal.Body("bead", mass=M, inertia=(0.1, 0.1, 0.1)),
          dal.Prismatic("x", "ground", "cart", axis=(1, 0, 0), start_rate=SPEED),
          dal.Prismatic("z", "cart", "bead", axis=(0, 0, 1), start=RADIUS),
          dal.Force("road", "bead", direction=(0, 0, 1), magnitude=law))
    return m


def exact_height(t):
    """Return z of the bead: forced vibration of an oscillator whose support moves, from rest at the start."""
    w = WAVE * SPEED
    H = AMPLITUDE * (K + 1j * C * w) / (K - M * w**2 + 1j * C * w)
    middle = RADIUS - M * G / K
    root = (-C + 1j * np.sqrt(4 * M * K - C**2)) / (2 * M)
    u, ud = RADIUS - middle - H.imag, -(1j * w * H).imag
    free = u * np.cos(root.imag * t) + (ud - root.real * u) / root.imag * np.sin(root.imag * t)
    return middle + (H * np.exp(1j * w * t)).imag + np.exp(root.real * t) * free


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_bead_over_a_sine_road_converges_to_the_closed_form(formulation):
    """Second order of the trapezoidal rule, in every formulation; nothing pushes the cart but what iterations leave."""
    def error(step):
        r = dal.run(bead(road), until=1.0, step=step, formulation=formulation, integrator="trapezoidal")
        assert r["x.displacement"] == pytest.approx(SPEED * r.t, abs=len(r.t) * SOLVED_SHARE * FIXED_ACCURACY * SPEED)
        return np.abs(r["z.displacement"] - exact_height(r.t)).max()

    assert observed_order(error, STEPS) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("law", [road, dal.law(road)], ids=["plain", "compiled"])
def test_a_bead_is_as_accurate_as_asked_for(law):
    """Local errors of a damped oscillator do not add up beyond its time constant, 2 M / C, over the step."""
    accuracy = 1e-9
    r = dal.run(bead(law), until=2.0, accuracy=accuracy)
    steps = 2 * M / C / (r.t[-1] / r.stats.steps)
    assert np.abs(r["z.displacement"] - exact_height(r.t)).max() <= steps * accuracy
    assert r["road.force"][:, 2] == pytest.approx(
        [road(t, *p, *v) for t, p, v in zip(r.t, r["bead.position"], r["bead.velocity"], strict=True)], rel=10 * EPS)


def test_a_planet_closes_its_orbit():
    """Kepler: three components of a central force bring the body back after T = 2 pi sqrt(a³ / mu)."""
    mu, a, e = 1.0, 1.0, 0.3
    period, speed, accuracy = 2 * np.pi * np.sqrt(a**3 / mu), np.sqrt(mu / a * (1 + e) / (1 - e)), 1e-10
    m = dal.Model("planet", gravity=(0, 0, 0))
    m.add(dal.Body("planet", mass=1.0, inertia=(0.1, 0.1, 0.1)),
          dal.Free("fly", "ground", "planet", start=(a * (1 - e), 0, 0), start_rate=(0, 0.8 * speed, 0.6 * speed)),
          *(dal.Force(f"pull {k}", "planet", direction=np.eye(3)[k],
                      magnitude=lambda t, x, y, z, vx, vy, vz, k=k: -mu * (x, y, z)[k] / (x * x + y * y + z * z) ** 1.5)
            for k in range(3)))
    r = dal.run(m, until=period, accuracy=accuracy)
    late = 1.5 * period * r.stats.steps * accuracy  # T ~ E^(-3/2): an error of the energy changes the period
    assert np.abs(r["planet.position"][-1] - r["planet.position"][0]).max() <= late * speed
    assert np.abs(r["planet.velocity"][-1] - r["planet.velocity"][0]).max() <= late * mu / (a * (1 - e)) ** 2


@pytest.mark.parametrize("follow", [False, True])
def test_the_point_is_told_in_world_axes_whatever_the_direction_is(follow):
    """Against the reference formulation, on a turned and turning body with a turned attachment."""
    m = dal.Model("one body", gravity=(1.0, 2.0, -9.81))
    m.add(dal.Body("b", mass=1.5, com=(0.1, 0.05, -0.1), inertia=(0.2, 0.3, 0.4),
                   points={"c": dal.Frame((0.2, -0.1, 0.3), {"axis": (1, 2, 3), "angle": 0.7})}),
          dal.Free("fly", "ground", "b"),
          dal.Force("push", "b.c", direction=(1, 2, -1), follow=follow,
                    magnitude=lambda t, x, y, z, vx, vy, vz: t + x - 2 * y + 3 * z * vx + vy * vz))
    coordinates = {"fly": np.array([0.4, -0.2, 0.1, 0.5, -0.1, 0.7, 0.5])}
    rates = {"fly": np.array([0.3, -0.2, 0.5, 1.0, -2.0, 1.5])}
    reference = reference_state(check(m), coordinates, rates, 0.7)
    r = dal.assemble(m, 0.7, start=coordinates, start_rate=rates)
    tolerance = 2 * reference.unknowns * EPS * reference.condition
    for field in ("acceleration", "angular_acceleration"):
        expected = getattr(reference.bodies["b"], field)
        assert np.abs(r[f"b.{field}"][0] - expected).max() <= tolerance * np.abs(expected).max()


def test_a_raising_law_of_a_point_is_the_cause_of_the_error():
    def bad(t, x, y, z, vx, vy, vz):
        raise ValueError("off the road")

    with pytest.raises(dal.ModelError, match="off the road"):
        dal.run(bead(bad), until=1.0)


def test_a_text_cannot_hold_it(tmp_path):
    with pytest.raises(dal.ModelError, match="a text cannot hold the function 'road'"):
        dal.write(bead(road), tmp_path / "bead.yaml")
