"""A linkage moves the same far from the origin of the world, and in units of millimetres, tonnes or milliseconds."""

from dataclasses import replace

import numpy as np
import pytest
from invariance.test_turned_linkages import ACCURACY, MECHANISMS, WAYS, run

import dalembert as dal
from dalembert.model.check import check

PER_RUN = 1e3
"""Local errors that add up in a run."""
UNITS = [(1e-3, 1.0, 1.0), (1e3, 1.0, 1.0), (1.0, 1e-3, 1.0), (1.0, 1e4, 1.0), (1.0, 1.0, 1e-3), (1e-3, 1e-3, 1.0)]
"""Factors of lengths, masses and times."""


def far_away(model, distance):
    """Return the model with everything that stands on the ground moved."""
    frames = check(model).bodies[0].points
    ground = {name: dal.Frame(p.position + distance, p.rotation) for name, p in frames.items()}
    new = dal.Model(model.name, gravity=model.gravity, ground={**ground, "origin": dal.Frame(distance)})
    for part in model:
        new.add(replace(part, **{f: "ground.origin" for f in ("first", "second") if getattr(part, f, None) == "ground"}))
    return new


def in_units(model, length, mass, time):
    """Return the model with all lengths, masses and times multiplied by these factors."""
    places = {b.name: {n: dal.Frame(length * p.position, p.rotation) for n, p in b.points.items()}
              for b in check(model).bodies}
    new = dal.Model(model.name, gravity=np.asarray(model.gravity, float) * length / time**2, ground=places["ground"])
    for part in model:
        if isinstance(part, dal.Body):
            part = replace(part, mass=part.mass * mass, com=length * np.asarray(part.com, float),
                           inertia=mass * length**2 * np.asarray(part.inertia, float), points=places[part.name])
        elif isinstance(part, dal.SpringDamper):
            part = replace(part, stiffness=part.stiffness * mass / time**2, damping=part.damping * mass / time,
                           length=part.length * length)
        elif isinstance(part, dal.Motor):
            part = replace(part, effort=part.effort * mass * length**2 / time**2)
        else:
            size = length if isinstance(part, dal.Prismatic) else 1.0
            given = {f: size / time**k * np.asarray(getattr(part, f), float) for k, f in enumerate(("start", "start_rate"))
                     if getattr(part, f, None) is not None}
            part = replace(part, **{f: v if v.ndim else float(v) for f, v in given.items()})
        new.add(part)
    return new


def largest_difference(one, other, model, length=1.0):
    """Of joint coordinates, those of sliding joints in the first run's unit."""
    return max(np.max(np.abs(one[f"{j.name}.coordinates"]
                             - other[f"{j.name}.coordinates"] / (length if isinstance(j, dal.Prismatic) else 1.0)))
               for j in model.joints if j.coordinates)


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_linkage_moves_the_same_far_from_the_origin(name, formulation, integrator):
    """Places lose the digits of their distance, and motions as many: the smallest linkage is 5 cm long."""
    make, until = MECHANISMS[name]
    model, distance = make(), 1e4 * np.array([0.6, -0.3, 0.7])
    one, other = (run(m, until, formulation, integrator) for m in (model, far_away(model, distance)))
    lost = np.finfo(float).eps * 1e4 / 0.05
    assert largest_difference(one, other, model) <= PER_RUN * (ACCURACY + lost)


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_linkage_moves_the_same_in_other_units(name, formulation, integrator, units):
    make, until = MECHANISMS[name]
    model = make()
    one = run(model, until, formulation, integrator)
    other = run(in_units(model, *units), until * units[2], formulation, integrator)
    assert largest_difference(one, other, model, units[0]) <= 2 * PER_RUN * ACCURACY
