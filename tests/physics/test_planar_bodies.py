"""Floating bodies with the shapes of a plane alone, and fixed steps that are solved roughly."""

import numpy as np
import pytest
from promises import FIXED_ACCURACY

import dalembert as dal

UNTIL, STEP, LENGTH = 0.2, 1e-3, 0.5
STEPS = UNTIL / STEP


def rod():
    """A slender rod of a plastic that bends well."""
    plastic = dal.Material(young=2e9, poisson=0.3, density=1200.0)
    fe = dal.flex.beam(length=LENGTH, section=dal.Circle(0.01), material=plastic, elements=12)
    return dal.flex.craig_bampton(fe, interfaces={"start": "start", "end": "end"}, modes=4)


def swung(body, guided, **how):
    """Let go a rod in the x-y plane with a mass at its end, hinged to a carriage; guided, the mass moves along a line, too."""
    m = dal.Model("elastic pendulum", gravity=(0, -9.81, 0))
    m.add(dal.FlexibleBody("rod", body), dal.Body("bob", mass=0.1), dal.Body("carriage", mass=0.05),
          dal.Prismatic("rail", "ground", "carriage", axis=(1, 0, 0)),
          dal.Revolute("hinge", "carriage", "rod.start", axis=(0, 0, 1)),
          dal.Fixed("seat", "rod.end", "bob"))
    if guided:
        m.add(dal.PointOnPlane("guide", "ground", "bob", normal=(0, 1, 0)))
    return dal.run(m, until=UNTIL, step=STEP, integrator="trapezoidal", **how)


@pytest.mark.parametrize("guided", [False, True])
def test_shapes_across_the_plane_take_no_part(guided):
    """The other half of the elastic coordinates never moves."""
    whole, planar = swung(rod(), guided), swung(rod().floating("start", plane="xy"), guided)
    assert planar["rod.modal"].shape[1] == whole["rod.modal"].shape[1] // 2
    assert planar["rod.end.position"] == pytest.approx(whole["rod.end.position"], abs=STEPS * FIXED_ACCURACY * LENGTH)


@pytest.mark.parametrize("guided", [False, True])
def test_modes_with_other_supports_make_the_same_motion(guided):
    """All of them span what those of the frame do, though their mass matrix is not diagonal."""
    supports = {"start": "displacement", "end": "rotation"}
    held, other = (swung(rod().floating("start", plane="xy", **how), guided) for how in ({}, {"supports": supports}))
    assert other["rod.modal"].shape == held["rod.modal"].shape
    assert other["rod.end.position"] == pytest.approx(held["rod.end.position"], abs=STEPS * FIXED_ACCURACY * LENGTH)


@pytest.mark.parametrize("guided", [False, True])
def test_rough_steps_take_fewer_iterations(guided):
    body, accuracy = rod().floating("start", plane="xy"), 1e-3
    fine, rough = swung(body, guided), swung(body, guided, accuracy=accuracy)
    moved = np.ptp(fine["rod.end.velocity"], axis=0).max() * UNTIL
    assert rough.stats.iterations < fine.stats.iterations
    assert np.max(abs(rough["rod.end.position"] - fine["rod.end.position"])) <= accuracy * moved
