"""The energy of a mechanism changes by what its drives, dampers, motors and loads supply, and by nothing else."""

import numpy as np
import pytest
from physics.loop_models import slider_crank
from physics.test_frames import turned_world
from random_models import random_rotation

import dalembert as dal
from dalembert.results import tables as tab

ACCURACY = 1e-9
FRAMES = 2001
"""So many that a cubic spline through them integrates the power with errors far below those of the run."""
Y, Z = (0, 1, 0), (0, 0, 1)


def arm(**joint):
    """Return two links with all kinds of elements that supply or take power."""
    link = dict(mass=1.2, com=(0.05, 0.02, -0.3), inertia=(0.05, 0.04, 0.02), points={"tip": (0, 0, -0.6)})
    return dal.Model("arm", gravity=(0, 0, -9.81), ground={"wall": (0.7, 0.2, -0.5)}).add(
        dal.Body("upper", **link), dal.Body("lower", **link), dal.Body("pad", mass=0.4, inertia=(0.01, 0.02, 0.015)),
        dal.Revolute("shoulder", "ground", "upper", axis=Y, start=0.7), dal.Universal("elbow", "upper.tip", "lower", **joint),
        dal.Free("pad joint", "ground.wall", "pad", start=(0.02, 0, 0.01)))


def elements():
    """Return the elements that supply or take power, by name."""
    return {
        "motor": dal.Motor("motor", "shoulder", effort=dal.sine(amplitude=3.0, frequency=2.0)),
        "joint damper": dal.JointSpring("joint damper", "shoulder", stiffness=5.0, damping=0.8, rest=0.1),
        "damper": dal.SpringDamper("damper", "ground.wall", "lower.tip", stiffness=80.0, damping=4.0, length=0.5),
        "law": dal.SpringDamper("law", "ground.wall", "upper.tip", stiffness=20.0, length=0.4,
                                force=lambda t, x, v: 3.0 * x**3 - 2.0 * v * abs(v)),
        "bushing": dal.Bushing("bushing", "ground.wall", "pad", stiffness=(300, 200, 100), damping=(3, 2, 1),
                               turning_stiffness=(4, 3, 2), turning_damping=(0.04, 0.03, 0.02)),
        "force": dal.Force("force", "lower.tip", direction=(1, 0, 1), magnitude=dal.sine(amplitude=4.0, frequency=1.0)),
        "follower": dal.Force("follower", "lower.tip", direction=(1, 1, 0), magnitude=2.0, follow=True),
        "torque": dal.Torque("torque", "lower", direction=(0, 1, 1), magnitude=0.5),
        "drive": dal.Motion("drive", "shoulder", position=dal.sine(amplitude=0.5, frequency=1.0, offset=0.7)),
    }


def assert_balanced(r, share=1e3 * ACCURACY):
    """Energies add up to a thousand local errors of the energy that is exchanged."""
    exchanged = max(np.ptp(r["energy.kinetic"]), np.ptp(r["energy.potential"]), np.ptp(r["energy.work"]))
    assert np.max(np.abs(r["energy.balance"])) <= share * exchanged
    return exchanged


@pytest.mark.parametrize("name", elements())
@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive", "global"])
def test_every_element_supplies_what_the_energy_gains(name, formulation):
    r = dal.run(arm().add(elements()[name]), until=1.0, accuracy=ACCURACY, formulation=formulation,
                record=np.linspace(0, 1.0, FRAMES))
    exchanged = assert_balanced(r)
    assert np.ptp(r["energy.work"]) > 1e-4 * exchanged  # it does supply something


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("cut", ["main", "guide"])
def test_a_drive_supplies_its_work_to_a_loop(formulation, cut):
    model = slider_crank().replaced(cut, cut=True).add(
        dal.Motion("drive", "main", speed=dal.sine(amplitude=3.0, frequency=1.5)))
    assert_balanced(dal.run(model, until=1.0, accuracy=ACCURACY, formulation=formulation, record=np.linspace(0, 1.0, FRAMES)))


def test_a_distance_that_changes_does_work():
    length = dal.sine(amplitude=0.1, frequency=1.0, offset=0.9)
    model = arm().add(dal.Distance("rope", "ground.wall", "lower.tip", length=length))
    r = dal.run(model, until=1.0, accuracy=ACCURACY, record=np.linspace(0, 1.0, FRAMES))
    assert np.ptp(r["energy.work"]) > 0.1
    assert_balanced(r)


@pytest.mark.parametrize("formulation", ["recursive", "global"])
def test_a_damped_beam_loses_what_its_damping_takes(formulation):
    steel = dal.Material(young=2e9, poisson=0.3, density=1200.0, damping=2e-3)
    model = dal.Model("beam", gravity=(0, 0, -9.81)).add(
        dal.Beam("rod", length=1.0, section=dal.Rectangle(height=0.02, width=0.03), material=steel),
        dal.Revolute("hinge", "ground", "rod.start", axis=Y))
    accuracy = 1e-7
    r = dal.run(model, until=0.3, accuracy=accuracy, formulation=formulation, record=np.linspace(0, 0.3, FRAMES))
    assert r["energy.work"][-1] < -1e-6
    assert_balanced(r, 1e3 * accuracy)


def test_a_run_that_loses_energy_by_itself_shows_it():
    """Semi-implicit Euler with a long step: the balance is the error of its energy."""
    model = arm().add(elements()["damper"])
    r = dal.run(model, until=1.0, step=2e-3, integrator="semi-implicit-euler")
    exact = dal.run(model, until=1.0, accuracy=ACCURACY, record=2e-3)
    error = (r["energy.total"] - r["energy.work"]) - (exact["energy.total"] - exact["energy.work"])
    assert np.max(np.abs(r["energy.balance"])) > 1e-3
    assert np.allclose(r["energy.balance"], error, atol=1e-6)


def test_the_balance_does_not_depend_on_axes():
    model = arm().add(elements()["damper"], elements()["force"])
    turned = turned_world(model, random_rotation(np.random.default_rng(1)))
    one, other = (dal.run(m, until=0.5, accuracy=ACCURACY, record=1e-2)["energy.work"] for m in (model, turned))
    assert np.max(np.abs(one - other)) <= 1e3 * ACCURACY * np.ptp(one)


def test_results_keep_the_balance_in_their_file(tmp_path):
    r = dal.run(arm().add(elements()["motor"]), until=0.2, record=1e-3)
    assert np.array_equal(dal.load(r.save(tmp_path / "out.h5"))["energy.balance"], r["energy.balance"])
    assert r.array("system").shape[1] == tab.POWER + 1


@pytest.mark.parametrize("element", [dal.Motor("motor", "shoulder", effort=1.0),
                                     dal.SpringDamper("line", "ground.wall", "lower.tip", stiffness=20.0, length=0.4),
                                     dal.Force("pull", "lower.tip", direction=(1, 0, 1), magnitude=0.0)],
                         ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("frames", [51, 401, 733])
def test_sampled_controllers_supply_what_the_energy_gains(element, frames):
    """Frames at the samples, several for each of them, and such that miss them, while the power jumps by all of its size.

    Rates bend where outputs jump: what is left falls with the square of the frames' spacing.
    """
    hand = dal.Controller("hand", inputs=["time"], outputs=[element.name], every=0.02, law=lambda t, u: [5 * np.cos(20 * t)])
    r = dal.run(arm().add(element, hand), until=1.0, accuracy=ACCURACY, record=np.linspace(0, 1.0, frames))
    supplied, spacing = np.ptp(r["energy.work"]), 1.0 / (frames - 1)
    assert supplied > 0.01 * np.ptp(r["energy.kinetic"])
    assert np.max(np.abs(r["energy.balance"])) <= (1e4 * ACCURACY + 10 * spacing**2) * supplied
