"""A mechanism does not know how its axes were chosen: planar linkages turned in space, or with turned axes of their bodies.

Rows that are redundant in a planar linkage are zero along the axes, and rounding errors off them.
"""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import andrews, bricard, n_fourbar, spatial_slider_crank
from physics.loop_models import parallelogram, slider_crank
from physics.test_frames import turned_world
from random_models import random_rotation
from reference import load

import dalembert as dal
from dalembert.model.check import check

ACCURACY = 1e-8
UNTIL = 0.4
SQUEEZED = 4e-3
"""Seven radians of the squeezer's crank [s]."""


def fourbar():
    """Return a four-bar of slender rods with revolute joints all around."""
    def rod(length, mass):
        across = mass * length**2 / 12
        return dict(mass=mass, com=(length / 2, 0, 0), inertia=(0.01 * across, across, across), points={"tip": (length, 0, 0)})

    axis = (0, 0, 1)
    return dal.Model("four-bar", gravity=(0, -9.81, 0), ground={"B": (1.0, 0, 0)}).add(
        dal.Body("crank", **rod(0.4, 1.0)), dal.Body("coupler", **rod(0.9, 2.0)), dal.Body("rocker", **rod(0.7, 1.5)),
        dal.Revolute("a", "ground", "crank", axis=axis, start=1.0),
        dal.Revolute("b", "crank.tip", "coupler", axis=axis, start=-0.8),
        dal.Revolute("c", "ground.B", "rocker", axis=axis, start=1.6),
        dal.Revolute("d", "coupler.tip", "rocker.tip", axis=axis))


def squeezer():
    """Return the seven-body mechanism of Andrews at its start."""
    p = load("p5_A03_andrews")
    return andrews(p["data"], p["q0"])


def turned_bodies(model, rng):
    """Return the model with other axes of every body, its points and joints where they were."""
    turn = {body.name: random_rotation(rng) for body in model.bodies}
    places = {b.name: b.points for b in check(model).bodies}
    new = dal.Model(model.name, gravity=model.gravity,
                    ground={n: dal.Frame(p.position, p.rotation) for n, p in places["ground"].items()})
    for part in model:
        if isinstance(part, dal.Body):
            R = turn[part.name]
            points = {n: dal.Frame(R @ p.position, R @ p.rotation) for n, p in places[part.name].items()}
            inertia = np.diag(part.inertia) if np.ndim(part.inertia) == 1 else np.asarray(part.inertia, float)
            part = replace(part, com=R @ np.asarray(part.com, float), inertia=R @ inertia @ R.T,
                           points={**points, "turned origin": dal.Frame((0, 0, 0), R)})
        else:
            ends = {f: f"{getattr(part, f)}.turned origin" for f in ("first", "second") if getattr(part, f, None) in turn}
            part = replace(part, **ends)
        new.add(part)
    return new


MECHANISMS = {
    "four-bar": (fourbar, UNTIL),
    "parallelogram": (lambda: parallelogram(start=0.5), UNTIL),
    "slider-crank": (slider_crank, UNTIL),
    "two four-bars": (lambda: n_fourbar(load("p5_A02_n_fourbar")["data"], 2), UNTIL),
    "squeezer": (squeezer, SQUEEZED),
    "Bricard": (lambda: bricard(load("p5_A04_bricard")["data"]), UNTIL),
    "spatial slider-crank": (lambda: spatial_slider_crank(load("p5_spatial_slider_crank")["data"]), UNTIL),
}
WAYS = [("semi-recursive", "dopri5"), ("global", "dopri5"), ("semi-recursive", "trapezoidal"), ("semi-recursive", "bdf"),
        ("global", "generalized-alpha")]


def run(model, until, formulation, integrator):
    """Run error-controlled by dopri5 and bdf, else in fixed steps, which are the same whatever the axes are."""
    step = {} if integrator in ("dopri5", "bdf") else {"step": until / 80}
    return dal.run(model, until=until, accuracy=ACCURACY, formulation=formulation, integrator=integrator, record=until / 8,
                   **step)


def assert_same(one, other, model, A):
    """Coordinates, energies and reactions agree to a thousand local errors, reactions as vectors turned by A."""
    tolerance = 1e3 * ACCURACY
    size = max(1.0, np.max(np.abs(one.array("reaction"))))
    energy = max(np.ptp(one["energy.kinetic"]), np.ptp(one["energy.potential"]), np.max(one["energy.kinetic"]))
    for joint in model.joints:
        for channel in ("coordinates", "rates") if joint.coordinates else ():
            a, b = one[f"{joint.name}.{channel}"], other[f"{joint.name}.{channel}"]
            assert np.max(np.abs(a - b)) <= tolerance * max(1.0, np.max(np.abs(a))), (joint.name, channel)
        force = one[f"{joint.name}.force"] @ A.T
        assert np.max(np.abs(force - other[f"{joint.name}.force"])) <= 100 * tolerance * size, joint.name
    assert np.max(np.abs(one["energy.kinetic"] - other["energy.kinetic"])) <= tolerance * energy


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_linkage_moves_the_same_turned_in_space(name, formulation, integrator):
    make, until = MECHANISMS[name]
    model, rng = make(), np.random.default_rng(len(name))
    one = run(model, until, formulation, integrator)
    assert np.max(np.ptp(np.column_stack([one[f"{j.name}.coordinates"].reshape(len(one.t), -1) for j in model.joints]),
                         axis=0)) > 0.05  # it moves at all
    for _ in range(2):
        A = random_rotation(rng)
        assert_same(one, run(turned_world(model, A), until, formulation, integrator), model, A)


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_linkage_moves_the_same_with_other_axes_of_its_bodies(name, formulation, integrator):
    make, until = MECHANISMS[name]
    model, rng = make(), np.random.default_rng(len(name))
    one = run(model, until, formulation, integrator)
    assert_same(one, run(turned_bodies(model, rng), until, formulation, integrator), model, np.eye(3))
