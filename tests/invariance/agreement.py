"""Runs of a mechanism and of its other writings, compared with each other."""

from __future__ import annotations

import numpy as np
from invariance.exchanged import Exchanged
from invariance.scaled import Mirrored
from invariance.transformations import SLIDES, Cut, Ordered, observe, parts_of, with_state

import dalembert as dal
from dalembert.model.check import check
from dalembert.system.extent import length_scale

CONTROLLED = ("dopri5", "bdf", "radau", "sdirk4")
"""Integrators that are asked for an accuracy; the others step the same whatever the writing is."""
INTEGRATORS = {"recursive": ("dopri5", "radau", "sdirk4", "trapezoidal", "bdf"),
               "semi-recursive": ("dopri5", "trapezoidal", "bdf"), "global": ("dopri5", "generalized-alpha")}
"""One or more of each family that works with a formulation."""
MOTION = ("coordinates", "rates", "kinetic", "potential", "t")
LOADS = ("force", "torque", "effort")
PER_RUN = 1e3
"""Local errors that add up in a run."""
OF_LOADS = 10
"""Errors of loads, which the accelerations decide, over those of the motion."""


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
    turns = ("turn",) * 3
    return {dal.Spherical: turns, dal.Free: ("x", "y", "z", *turns)}.get(type(joint), joint.coordinates)


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


def judge(model, change, until, formulation, integrator, accuracy, steps=40):
    """Return how far a model and its other writing are apart beyond what the accuracy allows, in words, or an empty text."""
    seen, other, model, loose = both(model, change, until, formulation, integrator, accuracy, steps)
    found = differences(seen, other, model, loose)
    (motion, moved), (loads, loaded) = worst(found, *MOTION), worst(found, *LOADS)
    # an accuracy of rates refers to 1/s, or to the rates themselves where they are faster
    slower = max(1.0, change.until(until) / until)
    tolerance = PER_RUN * (accuracy * slower + change.rounding)
    allowed = np.array([tolerance, OF_LOADS * tolerance])
    if integrator not in CONTROLLED and any(map(steps_differ, parts_of(change))):
        allowed += truncation(seen, other, model, change, until, loose, formulation, integrator, accuracy, steps)
    if motion <= allowed[0] and loads <= allowed[1]:
        return ""
    return f"motion {motion:.1e} {moved} (allowed {allowed[0]:.1e}), loads {loads:.1e} {loaded} ({allowed[1]:.1e})"


def steps_differ(change):
    """Tell whether equal steps have other errors: in other coordinates, with other axes across joints (those of mirrored ones
    are chosen anew), and with penalties [1/s²] in other units of time.
    """
    return isinstance(change, (Cut, Exchanged, Ordered, Mirrored)) or change.until(1.0) != 1.0


def truncation(seen, other, model, change, until, loose, formulation, integrator, accuracy, steps):
    """Errors of steps of fixed length, of motion and loads, of both runs: 4/3 of the change that half the step makes."""
    twin = change.write(model)
    half = observe(run(model, until, formulation, integrator, accuracy, 2 * steps), model)
    there = change.back(observe(run(twin, change.until(until), formulation, integrator, accuracy, 2 * steps), twin), model)
    found = [differences(seen, now, model, loose) for now in (half, {**seen, **_moved(seen, other, there)})]
    return 4 / 3 * sum(np.array([worst(each, *MOTION)[0], worst(each, *LOADS)[0]]) for each in found)


def _moved(seen, other, half):
    """What is seen plus what half the step changes in the other run."""
    return {k: seen[k] + half[k] - other[k] for k in seen if k != "t"}
