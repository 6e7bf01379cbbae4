"""Starts of mechanisms: what was given is kept where the constraints allow it, and what had to move is reported."""

import pytest

import dalembert as dal


def ball(rate, formulation="auto"):
    m = dal.Model("ball").add(
        dal.Body("ball", mass=1.0, inertia=dal.inertia_sphere(1.0, radius=0.1)),
        dal.Free("flight", "ground", "ball", start=(0, 0, 0.1), start_rate=rate),
        dal.Rolling("roll", "ground", "ball", radius=0.1))
    return dal.run(m, until=0.01, formulation=formulation)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_ball_of_given_velocity_gets_the_spin_of_rolling(formulation):
    r = ball((1, 0, 0), formulation)
    assert r["flight.rates"][0] == pytest.approx((1, 0, 0, 0, 10, 0), abs=1e-9)
    assert r.messages == ()


def test_velocity_and_spin_that_contradict_each_other_are_moved_and_told():
    r = ball((1, 0, 0, 0, 0, 0))
    v, w = r["flight.rates"][0, [0, 4]]
    assert v == pytest.approx(0.1 * w, rel=1e-9)
    assert any("'flight'" in text and "start rate moved from 1, 0, 0, 0, 0, 0 to" in text for text in r.messages)


def test_a_velocity_off_the_plane_cannot_be_kept():
    r = ball((1, 0, 2))
    assert r["flight.rates"][0, 2] == pytest.approx(0.0, abs=1e-9)
    assert any("start rate moved" in text for text in r.messages)


def test_the_spin_stays_zero_where_others_can_follow():
    """A cart at a velocity: its wheel turns, the cart does not."""
    m = dal.Model("cart").add(
        dal.Body("cart", mass=5.0, inertia=(1, 1, 1)), dal.Body("wheel", mass=1.0, inertia=(0.01, 0.02, 0.01)),
        dal.Free("drive", "ground", "cart", start=(0, 0, 0.2), start_rate=(3, 0, 0)),
        dal.Revolute("axle", "cart", "wheel", axis=(0, 1, 0)),
        dal.Rolling("tyre", "ground", "wheel", radius=0.2, axis=(0, 1, 0)))
    r = dal.run(m, until=0.01)
    assert r["drive.rates"][0] == pytest.approx((3, 0, 0, 0, 0, 0), abs=1e-9)
    assert r["axle.speed"][0] == pytest.approx(15.0, rel=1e-9)
