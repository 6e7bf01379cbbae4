"""Absolute interface coordinates without constraints: counts, laws, agreement with other formulations."""

import numpy as np
import pytest
from interface_cases import arm, cantilever, crank, flying, four_bar, spinning

import dalembert as dal


@pytest.mark.parametrize("make, unknowns, multipliers", [
    (crank, 9, 0), (spinning, 15, 0), (cantilever, 60, 0), (four_bar, 15, 5)])
def test_joints_need_no_unknowns_and_no_multipliers(make, unknowns, multipliers):
    r = dal.run(make(), until=2e-4, step=1e-4, formulation="interface")
    assert (r.stats.unknowns, r.stats.multipliers) == (unknowns, multipliers)


def largest(run, other, channel):
    """Largest difference of a channel, relative to its size."""
    a, b = run[channel], other[channel]
    return np.max(abs(a - b)) / np.max(abs(b))


@pytest.mark.parametrize("make, step, channels", [
    (crank, 1e-5, ["slider.position", "main.torque", "big end.force", "small end.force", "guide.force",
                   "rod.end.acceleration"]),
    (cantilever, 1e-3, ["beam.end.position", "clamp.force", "clamp.torque"]),
    (arm, 2e-4, ["end.position", "a.place.position", "a.place.velocity", "hinge.torque", "ball.force", "cross.force"]),
    (four_bar, 5e-4, ["r.tip.position", "clamp.torque", "weld.force", "A.force", "D.force"])])
def test_motions_and_reactions_are_those_of_natural_coordinates(make, step, channels):
    """Both take steps of the same method in other coordinates: they differ by its error of second order."""
    runs = [dal.run(make(), until=200 * step, step=step, formulation=f, integrator="generalized-alpha")
            for f in ("interface", "global")]
    for channel in channels:
        assert largest(*runs, channel) < 5e-3, channel
    assert np.allclose(runs[0]["energy.total"], runs[1]["energy.total"], atol=1e-4 * np.ptp(runs[1]["energy.kinetic"]) + 1e-9)


def test_a_free_beam_keeps_momentum_and_energy():
    """Momentum is kept but for the step's error; energy errs by the square of the step, without a drift."""
    drift = []
    for step in (4e-4, 2e-4):
        r = dal.run(flying(), until=0.1, step=step, formulation="interface", integrator="trapezoidal")
        energy = r["energy.total"]
        drift.append(np.ptp(energy) / energy[0])
        assert np.ptp(r["momentum.linear"], axis=0).max() < 1e-6 * abs(r["momentum.linear"][0]).max()
        assert np.ptp(r["momentum.angular"], axis=0).max() < 2e2 * step**2 * abs(r["momentum.angular"][0]).max()
    assert drift[1] < drift[0] / 3


def test_explicit_and_implicit_steps_meet():
    """The explicit solution, error-controlled, is the limit of the implicit ones, which are off by the square of the step."""
    ends = {step: dal.run(flying(1), until=2e-3, step=step, formulation="interface", integrator="trapezoidal")
            for step in (2e-6, 1e-6)}
    exact = dal.run(flying(1), until=2e-3, accuracy=1e-10, formulation="interface", integrator="dopri5")
    off = [np.max(abs(r["beam.end.position"][-1] - exact["beam.end.position"][-1])) for r in ends.values()]
    assert off[1] < off[0] / 3.5


@pytest.mark.parametrize("formulation", ["interface", "global"])
def test_places_inside_of_deformed_bodies_are_no_signals_of_kernels(formulation):
    """They do not move with the first interface; an event, which is located within a step, is refused."""
    m = arm().add(dal.Event("low", "a.place.position.z", value=-0.04))
    with pytest.raises(dal.ModelError, match="'a.place.position' cannot be watched within a step"):
        dal.run(m, until=1e-3, step=5e-4, formulation=formulation)
