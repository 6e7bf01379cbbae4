"""Rotors of joints (armature): the law that they follow, in every formulation and analysis."""

import numpy as np
import pytest

import dalembert as dal

FORMULATIONS = ["recursive", "semi-recursive", "global"]
ROTORS = {"turn": 0.3, "slide": 2.0, "ball": 0.05}
ACCURACY = 1e-10


def arm(rotors):
    """Return a revolute, a prismatic and a ball joint in a row."""
    m = dal.Model("arm")
    m.add(dal.Body("a", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.03)),
          dal.Body("b", mass=0.7, com=(0.1, 0.05, 0), inertia=(0.01, 0.01, 0.02)),
          dal.Body("c", mass=0.4, com=(0.1, 0.05, 0.1), inertia=(0.01, 0.02, 0.02)))
    m.add(dal.Revolute("turn", "ground", "a", axis=(0, 1, 0.2), start=0.3, start_rate=1.0, armature=rotors.get("turn", 0.0)),
          dal.Prismatic("slide", "a", "b", axis=(1, 0.3, 0), start=0.2, start_rate=-0.5, armature=rotors.get("slide", 0.0)),
          dal.Spherical("ball", "b", "c", start_rate=(1.0, 2.0, -0.5), armature=rotors.get("ball", 0.0)))
    return m


def with_flywheels(m):
    """Add wheels on fixed axes, geared one to one, in the place of the rotors of `turn` and `slide`."""
    for name, start, rate in (("turn", 0.3, 1.0), ("slide", 0.2, -0.5)):
        J = ROTORS[name]
        m.add(dal.Body(f"wheel of {name}", inertia=(J, J, J)),
              dal.Revolute(f"axle of {name}", "ground", f"wheel of {name}", start=start, start_rate=rate),
              dal.Gear(f"gear of {name}", name, f"axle of {name}", 1.0))
    return m


def ends(m, **more):
    """Return the coordinates of the arm at the end of a run."""
    r = dal.run(m, 0.5, accuracy=ACCURACY, record=0.1, **more)
    return np.concatenate([r[f"{name}.coordinates"][-1] for name in ROTORS]), r


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rotor_is_a_flywheel_geared_to_the_joint(formulation):
    """Wheels that turn about fixed axes as fast as the joints move have the same energy and nothing else."""
    wanted, geared = ends(with_flywheels(arm({"ball": ROTORS["ball"]})), integrator="dopri5")
    found, r = ends(arm(ROTORS), formulation=formulation, integrator="dopri5")
    assert np.abs(found - wanted).max() <= 100 * ACCURACY
    assert np.abs(r["energy.kinetic"] - geared["energy.kinetic"]).max() <= 1000 * ACCURACY
    assert np.abs(found - ends(arm({}))[0]).max() > 0.1
    assert np.ptp(r["energy.total"]) <= 1000 * ACCURACY
    assert np.abs(r["energy.balance"]).max() <= 1000 * ACCURACY


@pytest.mark.parametrize("formulation, integrator, more", [
    ("recursive", "radau", {"accuracy": 1e-7}), ("recursive", "sdirk4", {"accuracy": 1e-7}),
    ("recursive", "bdf", {"accuracy": 1e-7}), ("recursive", "generalized-alpha", {"step": 1e-3}),
    ("semi-recursive", "generalized-alpha", {"step": 1e-3}), ("global", "generalized-alpha", {"step": 1e-3})])
def test_implicit_integrators_agree(formulation, integrator, more):
    """Residuals and tangents know the rotors: the same motion, in few iterations."""
    wanted, _ = ends(arm(ROTORS), integrator="dopri5")
    r = dal.run(arm(ROTORS), 0.5, formulation=formulation, integrator=integrator, record=0.1, **more)
    found = np.concatenate([r[f"{name}.coordinates"][-1] for name in ROTORS])
    assert np.abs(found - wanted).max() <= 1e-4


def four_bar(cut=None, rotors=(0.0, 0.0, 0.0, 0.0)):
    """Return a four-bar in the x-z plane; joint number `cut` closes the loop."""
    m = dal.Model("four-bar", ground={"right": (1.0, 0, 0)})
    corners = [(0.0, 0.0), (0.2, 0.4), (0.9, 0.6), (1.0, 0.0)]
    for name, (x0, z0), (x1, z1) in zip(("crank", "coupler", "rocker"), corners, corners[1:], strict=False):
        m.add(dal.Body(name, mass=1.0, com=((x1 - x0) / 2, 0, (z1 - z0) / 2), inertia=(0.02, 0.02, 0.02),
                       points={"far": (x1 - x0, 0, z1 - z0)}))
    ends = [("ground", "crank"), ("crank.far", "coupler"), ("coupler.far", "rocker"), ("rocker.far", "ground.right")]
    for k, (first, second) in enumerate(ends):
        m.add(dal.Revolute(f"j{k}", first, second, axis=(0, 1, 0), armature=rotors[k], cut=True if k == cut else None))
    return m.replaced("j0", start_rate=3.0)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("cut", [0, 2, 3])
def test_rotors_in_loops(formulation, cut):
    """The joint that closes the loop has a rotor as the others do, whichever it is."""
    rotors = (0.1, 0.2, 0.3, 0.4)
    wanted = dal.run(four_bar(rotors=rotors), 0.3, accuracy=1e-9, integrator="dopri5", record=0.1)
    r = dal.run(four_bar(cut, rotors), 0.3, accuracy=1e-9, integrator="dopri5", formulation=formulation, record=0.1)
    assert np.abs(r["crank.angular_velocity"] - wanted["crank.angular_velocity"]).max() <= 1e-6
    assert np.ptp(r["energy.total"]) <= 1e-6
    slow = dal.run(four_bar(cut), 0.3, accuracy=1e-9, integrator="dopri5", formulation=formulation, record=0.1)
    assert np.abs(slow["crank.angular_velocity"] - wanted["crank.angular_velocity"]).max() > 0.1


def pendulum(**more):
    return dal.Model("pendulum").add(dal.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1)),
                                     dal.Revolute("pin", "ground", "rod", axis=(0, 1, 0), **more))


def test_frequency_of_a_pendulum_with_a_rotor():
    """omega² = m g l / (J + m l² + a)."""
    found = dal.eigenmodes(pendulum(armature=0.4)).frequencies
    assert found[0] == pytest.approx(np.sqrt(2 * 9.81 * 0.5 / (0.1 + 0.5 + 0.4)) / (2 * np.pi), rel=1e-9)


def test_drives_accelerate_rotors():
    """effort = (J + m l² + a) q'' + m g l sin q, of a drive and of inverse dynamics; the joint's reaction is the drive's."""
    law = dal.sine(amplitude=0.5, omega=3.0)
    t = np.linspace(0.0, 1.0, 5)
    angle, bend = 0.5 * np.sin(3 * t), -4.5 * np.sin(3 * t)
    wanted = (0.1 + 0.5 + 0.4) * bend + 2 * 9.81 * 0.5 * np.sin(angle)
    r = dal.inverse_dynamics(pendulum(armature=0.4), {"pin": law}, times=t)
    assert np.abs(r["pin.effort"] - wanted).max() <= 1e-10
    for formulation in FORMULATIONS:
        driven = pendulum(armature=0.4).add(dal.Motion("drive", "pin", position=law))
        r = dal.run(driven, 1.0, record=0.25, formulation=formulation, accuracy=1e-9)
        assert np.abs(r["drive.effort"] - wanted).max() <= 1e-7
        assert np.abs(r["pin.torque"][:, 1] - wanted).max() <= 1e-7


def test_a_free_joint_carries_no_torque_about_its_axis():
    """What the rotor takes is no reaction."""
    r = dal.assemble(pendulum(armature=0.4, start=1.0))
    assert abs(r["pin.torque"][0, 1]) <= 1e-12
    assert r["pin.acceleration"][0] == pytest.approx(-2 * 9.81 * 0.5 * np.sin(1.0) / 1.0, rel=1e-12)


def test_a_rotor_is_inertia_enough():
    """A hand without mass on a joint with a rotor and a spring swings at sqrt(k / a)."""
    m = dal.Model("hand").add(dal.Body("hand"), dal.Revolute("wrist", "ground", "hand", start=0.1, armature=0.2),
                              dal.JointSpring("spring", "wrist", stiffness=5.0))
    for formulation in ("recursive", "semi-recursive"):
        r = dal.run(m, 1.0, accuracy=1e-9, formulation=formulation, record=0.25)
        assert np.abs(r["wrist.angle"] - 0.1 * np.cos(5.0 * r.t)).max() <= 1e-6


def test_reversed_joints_have_rotors():
    """First and second exchanged: the same motion."""
    wanted, _ = ends(arm(ROTORS), integrator="dopri5")
    m = arm(ROTORS)
    swapped = m.without("turn").add(dal.Revolute("turn", "a", "ground", axis=(0, 1, 0.2), start=-0.3, start_rate=-1.0,
                                                 armature=ROTORS["turn"]))
    found, _ = ends(swapped, integrator="dopri5")
    assert np.abs(np.delete(found, 0) - np.delete(wanted, 0)).max() <= 100 * ACCURACY
    assert found[0] == pytest.approx(-wanted[0], abs=100 * ACCURACY)


@pytest.mark.parametrize("joint, fragments", [
    (dal.Revolute("j", "ground", "b", armature=-1.0), ("joints.j.armature", "at least zero")),
    (dal.Revolute("j", "ground", "b", armature=float("nan")), ("joints.j.armature", "finite")),
    (dal.Revolute("j", "ground", "b", armature="heavy"), ("joints.j.armature", "heavy")),
    (dal.Cylindrical("j", "ground", "b", armature=(1.0, 2.0, 3.0)), ("joints.j.armature", "or 2")),
    (dal.Spherical("j", "ground", "b", armature=(1.0, 2.0, 3.0)), ("joints.j.armature", "three equal inertias")),
    (dal.Fixed("j", "ground", "b", armature=1.0), ("joints.j.armature", "no coordinates")),
])
def test_wrong_rotors_are_told(joint, fragments):
    """Path, found and expected."""
    with pytest.raises(dal.ModelError) as error:
        dal.check(dal.Model("m").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), joint))
    assert [f for f in fragments if f not in str(error.value)] == []


def test_model_text_keeps_rotors():
    """One number, or one per rate."""
    m = dal.Model("m").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
                           dal.Cylindrical("j", "ground", "b", armature=[0.1, 2.0]))
    again = dal.from_text(dal.to_text(m))
    assert again["j"] == m["j"]
    assert dal.check(again).joints[0].armature.tolist() == [0.1, 2.0]
    assert "armature" not in dal.to_text(pendulum())
