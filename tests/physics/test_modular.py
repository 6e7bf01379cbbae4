"""The modular formulation converges to what others find, holds joints as a step allows, and gives bodies their own steps."""

import numpy as np
import pytest
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.model.parts import OWN_STEPS
from dalembert.simulate.integrators import COMPONENTWISE
from dalembert.start.formulations import Modular

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LINK = dict(mass=1.0, com=(0.05, -0.5, 0.1), inertia=(0.1, 0.06, 0.09), points={"tip": (0, -1, 0)})


def chain(n=3, **fields):
    m = dal.Model("chain", gravity=(0, -9.81, 0))
    for k in range(n):
        m.add(dal.Body(f"r{k}", **LINK, **fields),
              dal.Revolute(f"j{k}", f"r{k - 1}.tip" if k else "ground", f"r{k}", axis=Z, start=0.5 - 0.3 * k))
    return m


def error(model, channel, step, until=0.3, **method):
    exact = dal.run(model, until=until, accuracy=1e-9, record=[until])[channel][-1]
    found = dal.run(model, until=until, step=step, formulation="modular", record=[until], **method)[channel][-1]
    return float(np.max(abs(found - exact)))


JOINTS = {
    "fixed": lambda: [dal.Fixed("joint", "arm.tip", "hand")],
    "prismatic": lambda: [dal.Prismatic("joint", "arm.tip", "hand", axis=(1, 1, 0), start=0.1),
                          dal.SpringDamper("s", "ground", "hand.tip", stiffness=5.0, length=1.0)],
    "cylindrical": lambda: [dal.Cylindrical("joint", "arm.tip", "hand", axis=(0, 1, 1), start=(0.2, 0.1))],
    "universal": lambda: [dal.Universal("joint", "arm.tip", "hand", axis1=X, axis2=Z, start=(0.4, 0.2))],
    "spherical": lambda: [dal.Spherical("joint", "arm.tip", "hand")],
    "planar": lambda: [dal.Planar("joint", "arm.tip", "hand", axis=Z, start=(0.1, 0.2, 0.3))],
    "screw": lambda: [dal.Screw("joint", "arm.tip", "hand", axis=Y, pitch=0.2, start=0.3)],
    "free": lambda: [dal.Free("joint", "arm.tip", "hand", start=(0.1, 0.2, 0.3))],
    "sprung": lambda: [dal.Revolute("joint", "arm.tip", "hand", axis=X, start=0.5),
                       dal.JointSpring("s", "joint", stiffness=5.0, damping=0.2), dal.Motor("m", "joint", effort=0.3)],
    "driven": lambda: [dal.Revolute("joint", "arm.tip", "hand", axis=X),
                       dal.Motion("m", "joint", position=dal.sine(amplitude=0.3, omega=4.0))],
    "distance": lambda: [dal.Free("joint", "arm.tip", "hand", start=(0.3, -0.4, 0.2)),
                         dal.Distance("rod", "arm.tip", "hand.tip")],
}


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_converges_with_second_order(kind):
    m = dal.Model(kind, gravity=(0, -9.81, 1.0))
    m.add(dal.Body("arm", **LINK), dal.Revolute("shoulder", "ground", "arm", axis=Z, start=0.7, start_rate=1.0),
          dal.Body("hand", **LINK), *JOINTS[kind]())
    coarse, fine = (error(m, "hand.tip.position", step) for step in (2e-3, 5e-4))
    assert coarse < 5e-3
    assert fine < coarse / 4 ** 1.5 or fine < 1e-6  # order two, less half an order


def test_loops_gears_and_rolling():
    assert error(slider_crank(0.7, start_rate=3.0), "rod.position", 2.5e-4, until=0.2) < 1e-4
    m = dal.Model("wheel", gravity=(0, 0, -9.81))
    m.add(dal.Body("wheel", mass=1.0, inertia=(0.02, 0.04, 0.02)),
          dal.Free("free", "ground", "wheel", start=(0, 0, 0.3), start_rate=(1.2, 0, 0, 0, 4.0, 0)),
          dal.Rolling("road", "ground", "wheel", radius=0.3, normal=Z, axis=Y),
          dal.Force("push", "wheel", direction=X, magnitude=2.0))
    assert error(m, "wheel.position", 5e-4) < 1e-4
    m = dal.Model("gear", gravity=(0, 0, 0))
    m.add(dal.Body("a", mass=1.0, inertia=(0.1, 0.1, 0.1)), dal.Body("b", mass=1.0, inertia=(0.2, 0.2, 0.2)),
          dal.Revolute("ja", "ground", "a", axis=Z), dal.Revolute("jb", "ground", "b", axis=Z),
          dal.Gear("pair", "ja", "jb", ratio=2.0), dal.Motor("m", "ja", effort=1.0))
    assert error(m, "a.angular_velocity", 5e-4) < 1e-3


def test_joints_open_by_the_square_of_the_step_and_it_is_shown():
    opened = [dal.run(chain(), until=0.3, step=step, formulation="modular")["constraints.position"].max()
              for step in (2e-3, 1e-3, 5e-4)]
    assert 0 < opened[2] < opened[1] < opened[0] < 1e-2
    assert opened[0] / opened[2] == pytest.approx(16.0, rel=0.1)


def test_linear_momentum_is_kept_to_rounding():
    """Joints push both bodies alike, and steps are linear in the accelerations; axes are orthonormal but for steps."""
    m = chain(3).without("j0").replaced(gravity=(0, 0, 0))
    m.add(dal.Free("free", "ground", "r0", start_rate=(1.0, 2.0, 3.0, 0.5, 1.0, -2.0)))
    r = dal.run(m, until=0.5, step=1e-3, formulation="modular", record=0.1)
    assert np.max(abs(r["momentum.linear"] - r["momentum.linear"][0])) < 1e-6 * np.max(abs(r["momentum.linear"]))
    assert np.max(abs(r["momentum.angular"] - r["momentum.angular"][0])) < 1e-3 * np.max(abs(r["momentum.angular"]))


@pytest.mark.parametrize("masses", [(1.0, 0.1, 1.0), (3.0, 1.0, 0.1), (1e4, 1.0, 1e-4)])
def test_steps_are_stable_whatever_the_masses_and_levers(masses):
    """The criterion holds for all of them; nothing is tuned."""
    m = dal.Model("odd", gravity=(0, -9.81, 0))
    for k, mass in enumerate(masses):
        m.add(dal.Body(f"b{k}", mass=mass, com=(0, -0.5 - k, 0), inertia=(mass, 0.01 * mass, mass),
                       points={"tip": (0.1, -1, 0)}),
              dal.Revolute(f"j{k}", f"b{k - 1}.tip" if k else "ground", f"b{k}", axis=Z, start=1.0))
    r = dal.run(m, until=5.0, step=2e-3, formulation="modular", record=0.1)
    assert np.ptp(r["energy.total"]) < 0.05 * np.ptp(r["energy.potential"])


@pytest.mark.parametrize("scheme", OWN_STEPS)
def test_bodies_choose_their_own_steps(scheme):
    m = chain(2)
    m = m.replaced("r1", integrator=scheme, substeps=4)
    assert error(m, "r1.tip.position", 5e-4) < (5e-3 if scheme == "semi-implicit-euler" else 2e-4)
    assert error(chain(2), "r1.tip.position", 5e-4, integrator=scheme) < 5e-3


def test_schemes_have_the_same_names_in_models_and_runs():
    assert set(OWN_STEPS) == set(COMPONENTWISE)


def test_error_control_keeps_the_perturbation_small():
    m = chain(2)
    exact = dal.run(m, until=0.5, accuracy=1e-9, record=[0.5])["r1.tip.position"][-1]
    errors, steps = [], []
    for accuracy in (1e-4, 1e-6):
        r = dal.run(m, until=0.5, accuracy=accuracy, formulation="modular", record=[0.5])
        errors.append(np.max(abs(r["r1.tip.position"][-1] - exact)))
        steps.append(r.stats.steps)
    assert errors[1] < 0.3 * errors[0] and errors[1] < 1e-2 and steps[1] > steps[0]


def test_reactions_are_those_of_the_other_formulations():
    r, exact = (dal.run(chain(2), until=0.3, step=5e-4, formulation=f, record=0.05) for f in ("modular", "recursive"))
    late = r.t > 0.12  # joints begin without loads, and settle
    assert r["j0.force"][late] == pytest.approx(exact["j0.force"][late], abs=0.02 * np.max(abs(exact["j0.force"])))


@pytest.mark.parametrize("change, remedy", [
    (lambda m: m.add(dal.Body("hub"), dal.Fixed("j", "r0.tip", "hub")), "semi-recursive"),
    (lambda m: m.replaced("j0", armature=1.0), "rotors"),
    (lambda m: m.add(dal.Contact("floor", dal.Plane("ground"), dal.Sphere("r0", radius=0.1))), "contacts"),
])
def test_what_it_does_not_carry_is_refused_with_a_remedy(change, remedy):
    model = chain(1)
    model = change(model) or model
    with pytest.raises(dal.MultibodyError, match=remedy):
        dal.run(model, until=0.1, step=1e-3, formulation="modular")


def test_joints_that_come_apart_end_the_run_and_are_named():
    """A link of a gram cannot hold a ton in steps of a hundredth of a second."""
    m = chain(2).replaced("r0", mass=1e-3, inertia=(1e-4, 1e-4, 1e-4)).replaced("r1", mass=1e3, inertia=(100, 60, 90))
    with pytest.raises(dal.ConvergenceError, match="came apart.*shorter step"):
        dal.run(m, until=2.0, step=1e-2, formulation="modular")


def test_how_far_joints_opened_is_told():
    r = dal.run(chain(2), until=0.3, step=2e-3, formulation="modular")
    told = next(message for message in r.messages if "opened" in message)
    assert float(told.split("up to ")[1].split(",")[0]) > 0.3 * r["constraints.position"].max()


def test_wrong_options_are_refused():
    with pytest.raises(dal.ModelError, match="stiffness"):
        dal.run(chain(1), until=0.1, step=1e-3, formulation=Modular(stiffness=5.0))
    with pytest.raises(dal.ModelError, match="rk4"):
        dal.run(chain(1), until=0.1, step=1e-3, formulation="modular", integrator="rk4")
    with pytest.raises(dal.ModelError, match="substeps"):
        dal.check(chain(1, substeps=0))
    with pytest.raises(dal.ModelError, match="integrator"):
        dal.check(chain(1, integrator="rk4"))
    text = dal.to_text(chain(1, integrator="trapezoidal", substeps=2))
    assert dal.from_text(text)["r0"].substeps == 2
