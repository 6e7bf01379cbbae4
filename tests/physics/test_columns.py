"""Natural coordinates stand where the tables say: the same motion, loads and failures whatever the order of their columns."""

import numpy as np
import pytest
from physics.closed_mechanisms import closed_mechanism
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.start.initial import prepare_start
from dalembert.system import columns, pack

EPS = np.finfo(float).eps
STEPS, GROWTH = 20, 1e5
"""Steps of a run, and what roundings of another order of sums may grow to in them."""
CHANNELS = ("energy.total", "constraints.position", "constraints.velocity")


def backwards(body):
    """Give the bodies their columns from the last to the first."""
    n = len(body)
    body["column"], body["columns"] = columns.FRAME * (n - 1 - np.arange(n)), columns.FRAME
    body["column"][0], body["columns"][0] = -1, 0


def with_elements():
    """A slider-crank with an element of every kind that has a tangent of its own, a rotor, a gear of a wheel and a drive."""
    m = slider_crank(0.7, start_rate=4.0, armature=0.02)
    return m.add(
        dal.Body("wheel", mass=0.4, com=(0.01, 0, 0), inertia=(2e-3, 2e-3, 3e-3), points={"rim": (0.1, 0, 0)}),
        dal.Revolute("axle", "ground", "wheel", axis=(0, 0, 1)), dal.Gear("teeth", "main", "axle", ratio=-2.0),
        dal.SpringDamper("spring", "wheel.rim", "slider", stiffness=200.0, damping=2.0, length=0.1),
        dal.Force("push", "rod.pin", direction=(0, 1, 0), magnitude=dal.sine(amplitude=5.0, omega=20.0), follow=True),
        dal.Bushing("rubber", "crank.pin", "wheel.rim", stiffness=20.0, turning_stiffness=1.0),
        dal.JointSpring("coil", "big end", stiffness=3.0, damping=0.1))


def beam():
    """Two superelements with modes."""
    return dal.Model("beam", gravity=(0, 0, -9.81)).add(
        dal.Beam("rod", length=1.0, section=dal.Circle(0.02), bodies=2, modes=1, points={"mid": 0.5},
                 material=dal.Material(young=1e9, poisson=0.3, density=1000.0)),
        dal.Revolute("hinge", "ground", "rod.start", axis=(0, 1, 0), start=0.3),
        dal.Body("load", mass=0.2, inertia=(1e-3,) * 3), dal.Fixed("weld", "rod.end", "load"))


def compared(monkeypatch, evaluate):
    """Return what `evaluate()` gives with columns in the usual order and backwards."""
    first = evaluate()
    monkeypatch.setattr(pack, "lay_columns", backwards)
    return first, evaluate()


CASES = {"elements": with_elements, "beam": beam, "random": lambda: closed_mechanism(np.random.default_rng(3))}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("integrator", ["generalized-alpha", "rk4"])
def test_the_order_of_columns_changes_nothing(monkeypatch, name, integrator):
    if name == "beam" and integrator == "rk4":
        pytest.skip("explicit steps do not take interface coordinates")
    step = 1e-3

    def run():
        how = dict(step=step, accuracy=1e-10, formulation="global", integrator=integrator)
        return dal.run(CASES[name](), until=STEPS * step, **how)

    one, other = compared(monkeypatch, run)
    assert other.stats.steps == STEPS
    for body in one.layout.bodies[1:]:
        for channel in ("position", "velocity", "acceleration"):
            values = one[f"{body}.{channel}"]
            size = max(1.0, np.abs(values).max())
            tight = GROWTH * EPS if channel != "acceleration" else 1e-6
            assert np.abs(other[f"{body}.{channel}"] - values).max() <= max(tight, 1e-9) * size, (body, channel)


def test_static_equilibria_do_not_hang_on_the_order_of_columns(monkeypatch):
    one, other = compared(monkeypatch, lambda: dal.static(beam()))
    assert other["rod.end.position"] == pytest.approx(one["rod.end.position"], abs=1e-9)


def test_error_controlled_steps_weigh_the_same_coordinates(monkeypatch):
    """Scales belong to columns, so that both runs take the same steps."""
    one, other = compared(monkeypatch, lambda: dal.run(slider_crank(0.7, start_rate=9.0), until=0.3, formulation="global"))
    assert other.stats.steps == one.stats.steps and other.stats.rejected == one.stats.rejected
    assert other["guide.displacement"] == pytest.approx(one["guide.displacement"], abs=1e-9)


def test_tables_hold_the_columns_that_were_laid(monkeypatch):
    monkeypatch.setattr(pack, "lay_columns", backwards)
    system = prepare_start(slider_crank(), formulation="global").natural.packed.system
    first = system.body["column"][1:]
    assert np.all(np.diff(first) == -columns.FRAME) and first[-1] == 0
    assert np.array_equal(columns.frame_columns(system)[:, 0], first)
    assert np.array_equal(system.pair["body"][first], np.arange(1, len(system.body)))
