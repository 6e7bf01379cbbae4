"""Runs of a mechanism and of its other writings, held against each other."""

from __future__ import annotations

import numpy as np
from invariance.transformations import SLIDES, observe, with_state

import dalembert as dal
from dalembert.model.check import check
from dalembert.system.pack import length_scale

CONTROLLED = ("dopri5", "bdf", "radau", "sdirk4")
"""Integrators that are asked for an accuracy; the others step the same whatever the writing is."""


def run(model, until, formulation, integrator, accuracy, steps=40, frames=8):
    """Run a model, error-controlled where the integrator can, and record `frames` after the start."""
    step = {} if integrator in CONTROLLED else {"step": until / steps}
    return dal.run(model, until=until, accuracy=accuracy, formulation=formulation, integrator=integrator,
                   record=until / frames, **step)


def both(model, change, until, formulation, integrator, accuracy, steps=40):
    """Return what is seen of the model and of its other writing, in terms of the model, and the model that was run."""
    if change.given:
        model = with_state(model, dal.assemble(model))
    one = run(model, until, formulation, integrator, accuracy, steps)
    other = change.write(model)
    two = run(other, change.until(until), formulation, integrator, accuracy, steps)
    loose = {c.name for r in (one, two) for c in r.layout.cuts}
    return observe(one, model), change.back(observe(two, other), model), model, loose


def sizes(seen, model):
    """Length [m], pace [1/s] and force [N] of a motion, that differences are relative to."""
    length = length_scale(check(model))
    pace = 1.0 / seen["t"][-1] if seen["t"][-1] > 0 else 0.0
    for joint in model.joints:
        if joint.coordinates:
            unit = np.where([c in SLIDES for c in rate_coordinates(joint)], length, 1.0)
            pace = max(pace, np.max(np.abs(seen["rates", joint.name]) / unit))
    mass = sum(b.mass for b in model.bodies)
    force = max(mass * length * pace**2, mass * np.linalg.norm(check(model).gravity),
                *(np.max(np.abs(seen[k])) / (length if k[0] == "torque" else 1.0) for k in seen
                  if k[0] in ("force", "torque")))
    return length, pace, force


def rate_coordinates(joint):
    """Coordinates whose derivatives are the joint's rates, as far as their unit goes."""
    return {dal.Spherical: ("turn",) * 3, dal.Free: ("x", "y", "z", "turn", "turn", "turn")}.get(type(joint), joint.coordinates)


def differences(one, other, model, loose=()):
    """Largest differences of what is seen, relative to sizes of the motion, by what and of which."""
    length, pace, force = sizes(one, model)
    energy = max(np.max(one["kinetic"]), np.ptp(one["potential"]), force * length * 1e-3)
    found = {"t": np.max(np.abs(one["t"] - other["t"])) / max(one["t"][-1], 1e-300),
             "kinetic": np.max(np.abs(one["kinetic"] - other["kinetic"])) / energy,
             "potential": np.max(np.abs((one["potential"] - one["potential"][0])
                                        - (other["potential"] - other["potential"][0]))) / energy}
    for joint in model.joints:
        name = joint.name
        for what, unit in (("force", force), ("torque", force * length)):
            found[what, name] = np.max(np.abs(one[what, name] - other[what, name])) / unit
        if joint.coordinates:
            a, b = one["coordinates", name], other["coordinates", name]
            unit = np.where([c in SLIDES for c in joint.coordinates], length, 1.0) + np.max(np.abs(a), axis=0)
            found["coordinates", name] = np.max(np.abs(_nearest(joint, a, b, name in loose) - a) / unit)
            unit = pace * np.where([c in SLIDES for c in rate_coordinates(joint)], length, 1.0)
            found["rates", name] = np.max(np.abs(one["rates", name] - other["rates", name]) / unit)
    for motion in model.motions:
        joint = model[motion.joint]
        unit = force * (1.0 if (motion.coordinate or joint.coordinates[0]) in SLIDES else length)
        found["effort", motion.name] = np.max(np.abs(one["effort", motion.name] - other["effort", motion.name])) / unit
    return found


def _nearest(joint, a, b, loose):
    """Return coordinates b with the sign of quaternions, and full turns of joints that close loops, as those of a."""
    b = b.copy()
    if "qw" in joint.coordinates:
        at = joint.coordinates.index("qw")
        b[:, at:] *= np.where(np.sum(a[:, at:] * b[:, at:], axis=1) < 0, -1.0, 1.0)[:, None]
    elif loose:
        turning = [c not in SLIDES for c in joint.coordinates]
        b[:, turning] -= 2 * np.pi * np.round((b - a)[:, turning] / (2 * np.pi))
    return b


def worst(found, *kinds):
    """Return the largest difference of these kinds and what it is of."""
    chosen = {k: v for k, v in found.items() if (k[0] if isinstance(k, tuple) else k) in kinds}
    key = max(chosen, key=lambda k: np.inf if np.isnan(chosen[k]) else chosen[k]) if chosen else None
    return (chosen[key] if chosen else 0.0), key
