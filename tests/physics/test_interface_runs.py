"""Flexible bodies in absolute interface coordinates, in runs of the global formulation: closed forms and laws of mechanics."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.codes import Status
from dalembert.start.status import error_of

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
G = 9.81
STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
RUBBER = dal.Material(young=2e7, poisson=0.3, density=1000.0)
STRIP = dal.Rectangle(height=0.02, width=0.02)
CLAMPED = 1.8751040687
"""First root of cos x cosh x = -1: bending of a clamped beam."""


def swinging(material=RUBBER, bodies=2, **beam):
    """Return a beam that falls from the horizontal about a hinge."""
    beam = dict(length=1.0, section=STRIP, material=material, bodies=bodies) | beam
    return dal.Model("pendulum", gravity=(0, 0, -G)).add(dal.Beam("rod", **beam),
                                                         dal.Revolute("hinge", "ground", "rod.start", axis=Y))


def run(model, until, step, **how):
    return dal.run(model, until=until, step=step, formulation="global", **how)


def test_a_stiff_beam_swings_like_a_rigid_rod():
    """Deflections are of the order of the weight's, m g L³ / (8 E I); both runs have the same step and integrator."""
    stiff = dal.Material(young=2.1e14, poisson=0.3, density=7850.0)
    mass = STRIP.area * 7850.0
    rod = dal.Model("rigid", gravity=(0, 0, -G)).add(
        dal.Body("rod", mass=mass, com=(0.5, 0, 0), inertia=dal.inertia_box(mass, size=(1.0, STRIP.height, STRIP.width)),
                 points={"end": (1, 0, 0)}), dal.Revolute("hinge", "ground", "rod", axis=Y))
    ends = [run(model, 0.5, 1e-3)["rod.end.position"][-1] for model in (swinging(stiff, bodies=2), rod)]
    sag = mass * G / (8 * stiff.young * STRIP.iy)
    assert np.abs(ends[0] - ends[1]).max() <= 10 * sag


def errors_of_steps(model, steps, until, channel):
    """Return the differences of the last frame to that of a quarter of the smallest step."""
    how = dict(record=np.array([0.0, until]), integrator="trapezoidal")
    exact = run(model, until, min(steps) / 4, **how)[channel][-1]
    return [np.abs(run(model, until, h, **how)[channel][-1] - exact).max() for h in steps]


def test_steps_are_of_second_order():
    """Steps that resolve the stretching, 1000 rad/s; the reference of a quarter of the step makes 2.07 of 2."""
    errors = errors_of_steps(swinging(), (4e-4, 2e-4), 0.1, "rod.end.position")
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.07, abs=0.1)


def test_energy_is_kept_at_the_order_of_the_trapezoidal_rule():
    drift = []
    for h in (2e-3, 1e-3):
        r = run(swinging(), 0.2, h, integrator="trapezoidal")
        exchange = np.ptp(r["energy.kinetic"])
        drift.append(np.ptp(r["energy.total"]) / exchange)
    assert drift[0] <= 1e-2
    assert np.log2(drift[0] / drift[1]) >= 1.7


def test_reactions_are_what_changes_the_momentum():
    """Hinge force plus weight is the rate of the momentum, taken by central differences of the frames."""
    h = 5e-4
    r = run(swinging(), 0.1, h)
    weight = STRIP.area * RUBBER.density * np.array([0, 0, -G])
    rate = (r["momentum.linear"][2:] - r["momentum.linear"][:-2]) / (2 * h)
    force = r["hinge.force"][1:-1] + weight
    later = slice(20, None)  # what rings from the sudden start is damped by then
    assert np.abs(rate - force)[later].max() <= 0.02 * np.abs(force).max()
    turning = (r["momentum.angular"][2:] - r["momentum.angular"][:-2])[:, 1] / (2 * h)
    arm = r["rod.1.position"][1:-1, 0]  # centre of mass of two equal segments, nearly
    assert np.abs(turning - arm * -weight[2])[later].max() <= 0.05 * abs(weight[2])


def test_a_clamped_beam_rings_with_its_frequency():
    """Suddenly weighed down, the tip swings about its sag, nearly in the first mode alone (3 % of the others)."""
    length, height = 1.0, 0.01
    section = dal.Rectangle(height=height, width=height)
    frequency = CLAMPED**2 / (2 * np.pi) * np.sqrt(STEEL.young * section.iy / (STEEL.density * section.area)) / length**2
    model = dal.Model("clamped", gravity=(0, 0, -0.1)).add(
        dal.Beam("rod", length=length, section=section, material=STEEL, theory="euler-bernoulli", bodies=4),
        dal.Fixed("clamp", "ground", "rod.start"))
    r = run(model, 4 / frequency, 1 / (400 * frequency), integrator="trapezoidal")
    z, t = r["rod.end.position"][:, 2], r.t
    basis = np.column_stack([np.ones_like(t), np.cos(2 * np.pi * frequency * t), np.sin(2 * np.pi * frequency * t)])
    fit, *_ = np.linalg.lstsq(basis, z, rcond=None)
    assert np.sqrt(np.mean((z - basis @ fit) ** 2)) <= 0.03 * abs(fit[1])  # a shift of 1 % would leave 0.1 after four periods
    sag = STEEL.density * section.area * 0.1 * length**4 / (8 * STEEL.young * section.iy)
    assert fit[0] == pytest.approx(-sag, rel=0.02)


@pytest.mark.parametrize("modes, bound", [(0, None), (3, 2e-3)])
def test_modes_sharpen_a_single_body(modes, bound):
    """A single segment between hinges has the frequency sqrt(120/pi^4) too high (cubic shape); modes mend it."""
    length, section = 1.0, dal.Rectangle(height=0.01, width=0.01)
    exact = np.pi / 2 * np.sqrt(STEEL.young * section.iy / (STEEL.density * section.area)) / length**2
    model = dal.Model("hinged", gravity=(0, 0, -0.1)).add(
        dal.Beam("rod", length=length, section=section, material=STEEL, theory="euler-bernoulli", modes=modes,
                 points={"mid": 0.5}), dal.Revolute("left", "ground", "rod.start", axis=Y),
        dal.Cylindrical("right", "rod.end", "stop", axis=Y), dal.Body("stop", mass=1e-3, inertia=(1e-6,) * 3),
        dal.Prismatic("guide", "ground", "stop", axis=X, start=1.0))
    h = 1 / (400 * exact)
    r = run(model, 3 / exact, h, integrator="trapezoidal")
    z = r["rod.mid.deflection"][:, 2] if modes else r["rod.mid.position"][:, 2]
    found = _frequency(r.t, z, exact)
    if bound is None:
        assert found / exact == pytest.approx(np.sqrt(120 / np.pi**4), rel=0.02)
    else:
        assert found == pytest.approx(exact, rel=bound + 1 / 400)
        assert r["rod.modal"].shape[1] == modes


def _frequency(t, z, near):
    """Frequency of the best fit of one harmonic and a constant near a guess [Hz]."""
    best = None
    for f in near * np.linspace(0.85, 1.2, 701):
        basis = np.column_stack([np.ones_like(t), np.cos(2 * np.pi * f * t), np.sin(2 * np.pi * f * t)])
        left = z - basis @ np.linalg.lstsq(basis, z, rcond=None)[0]
        if best is None or left @ left < best[0]:
            best = (left @ left, f)
    return best[1]


def test_places_inside_a_body_move_as_their_channels_tell():
    h = 1e-3
    r = run(swinging(bodies=1, points={"third": 1 / 3}), 0.2, h)
    place, v, a = (r[f"rod.third.{what}"] for what in ("position", "velocity", "acceleration"))
    assert np.abs((place[2:] - place[:-2]) / (2 * h) - v[1:-1])[50:].max() <= 0.01 * np.abs(v).max()
    assert np.abs((v[2:] - v[:-2]) / (2 * h) - a[1:-1])[50:].max() <= 0.05 * np.abs(a).max()
    at_rest = r["rod.third.position"][0]
    assert at_rest == pytest.approx((1 / 3, 0, 0), abs=1e-12)


def test_explicit_integrators_are_refused():
    with pytest.raises(dal.ModelError, match="natural coordinates.*generalized-alpha"):
        run(swinging(), 0.1, 1e-4, integrator="rk4")
    r = run(swinging(), 2e-3, None)
    assert "generalized-alpha" in repr(r) and any("stiff" in message for message in r.messages)


def test_results_survive_a_file(tmp_path):
    r = run(swinging(bodies=1, modes=1, points={"third": 1 / 3}), 5e-3, 1e-3)
    again = dal.load(r.save(tmp_path / "swing.h5"))
    for channel in ("rod.modal", "rod.third.position", "rod.end.deflection", "hinge.force", "energy.elastic"):
        assert np.array_equal(again[channel], r[channel])


def test_loads_inside_a_body_are_refused_and_the_remedy_is_told():
    model = swinging(bodies=1, points={"third": 1 / 3}).add(dal.Force("push", "rod.third", direction=Z, magnitude=1.0))
    with pytest.raises(dal.ModelError, match="'push'.*'rod.third'.*interface.*semi-recursive"):
        run(model, 0.1, 1e-3)


def test_a_body_without_a_frame_is_named():
    from dalembert.kernels.tables import FAIL
    from dalembert.start.initial import prepare_start

    packed, fail = prepare_start(swinging(), formulation="global").shown, np.zeros(1, FAIL)
    fail["superelement"] = 1
    error = error_of(Status.NO_FRAME, packed, fail, 0.5, 1e-3)
    assert isinstance(error, dal.ConvergenceError) and "'rod 2'" in str(error) and "more bodies" in str(error)
