"""Energy, momentum and power.

An error-controlled run adds at most `accuracy` times the size of the state per step; invariants drift by no more than
the sum of that over the steps, times the size of the invariant's terms.
"""

import numpy as np
import pytest
from random_models import random_body, random_joint, random_places, random_tree, random_unit, scalar_coordinates
from scipy.integrate import simpson

import dalembert as dal
from dalembert.model import parts

EPS = np.finfo(float).eps
ACCURACY = 1e-9


def floating_tree(seed, n_bodies=6):
    """Return a tree that flies without gravity, with springs between its own bodies and on its joints only."""
    rng = np.random.default_rng(seed)
    m = dal.Model("floating", gravity=(0, 0, 0), ground=random_places(rng, True))
    names = [f"b{i}" for i in range(n_bodies)]
    m.add(*(random_body(rng, name, True) for name in names))
    kinds = [k for k in parts.JOINTS if k not in (parts.Fixed, parts.Free)]
    m.add(random_joint(rng, parts.Free, "fly", "ground", names[0], 0.0)[0])
    m.add(*(random_joint(rng, kinds[rng.integers(len(kinds))], f"j{i}", names[rng.integers(i)], names[i], 0.5)[0]
            for i in range(1, n_bodies)))
    targets = scalar_coordinates([j for j in m.joints if j.name != "fly"])
    for i, (joint, coordinate, _) in enumerate(targets):
        m.add(dal.JointSpring(f"coil{i}", joint.name, coordinate=coordinate if len(joint.coordinates) > 1 else None,
                              stiffness=5.0, rest=0.3))
    m.add(dal.SpringDamper("spring", "b0.c", "b3.c", stiffness=20.0, length=0.4),
          dal.Bushing("rubber", "b1.c", "b4.c", stiffness=(10.0, 20.0, 5.0), turning_stiffness=0.5))
    return m


@pytest.mark.parametrize("seed", range(4))
def test_a_floating_tree_keeps_energy_and_both_momenta(seed):
    r = dal.run(floating_tree(seed), until=1.0, accuracy=ACCURACY, integrator="dopri5", record=0.05)
    drift = r.stats.steps * ACCURACY
    for channel, size in (("energy.total", r["energy.kinetic"].max() + np.abs(r["energy.potential"]).max()),
                          ("momentum.linear", np.abs(r["momentum.linear"]).max() + 10.0),
                          ("momentum.angular", np.abs(r["momentum.angular"]).max() + 10.0)):
        assert np.abs(r[channel] - r[channel][0]).max() <= 10 * drift * size, channel


@pytest.mark.parametrize("seed", range(4))
def test_momenta_change_at_the_rate_of_outer_forces(seed):
    """Sum of m a and of its moments from accelerations: nothing but gravity and the ground acts."""
    m = floating_tree(seed).replaced(gravity=(1.0, -2.0, 3.0))
    r = dal.assemble(m)
    mass = sum(b.mass for b in m.bodies)
    force = sum(b.mass * _com_acceleration(r, b) for b in m.bodies)
    assert np.abs(force - mass * np.array([1.0, -2.0, 3.0])).max() <= 1e-12 * mass * np.abs(
        [_com_acceleration(r, b) for b in m.bodies]).max()


def _com_acceleration(r, body):
    """Acceleration of the centre of mass from the channels of the body."""
    u = r[f"{body.name}.rotation"][0] @ np.asarray(body.com)
    w, al = r[f"{body.name}.angular_velocity"][0], r[f"{body.name}.angular_acceleration"][0]
    return r[f"{body.name}.acceleration"][0] + np.cross(al, u) + np.cross(w, np.cross(w, u))


@pytest.mark.parametrize("seed", range(4))
def test_energy_of_a_tree_under_gravity_and_springs(seed):
    """Joints of all kinds on the ground; damping, laws and loads removed."""
    rng = np.random.default_rng(seed)
    m, _, _ = random_tree(rng, 6, forces=False)
    m.add(dal.SpringDamper("s", "ground.c", "b3.c", stiffness=30.0, length=0.5),
          dal.Bushing("rubber", "b1.c", "b5.c", stiffness=20.0, turning_stiffness=0.5))
    r = dal.run(m, until=0.5, accuracy=ACCURACY, integrator="dopri5", record=0.05)
    size = r["energy.kinetic"].max() + np.abs(r["energy.potential"]).max()
    assert np.abs(r["energy.total"] - r["energy.total"][0]).max() <= 10 * r.stats.steps * ACCURACY * size


def test_numerical_damping_takes_energy_and_never_gives():
    """Generalized-alpha with rho_inf < 1 on an oscillator: amplitudes fall; the trapezoidal rule keeps them."""
    m = dal.Model("oscillator", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Prismatic("x", "ground", "b", start=1.0),
          dal.JointSpring("s", "x", stiffness=100.0))
    kept = dal.run(m, until=10.0, step=0.05, integrator="trapezoidal")["energy.total"]
    lost = dal.run(m, until=10.0, step=0.05, integrator=dal.GeneralizedAlpha(rho_inf=0.5))["energy.total"]
    assert np.abs(kept - kept[0]).max() <= 200 * 1e-10 * kept[0]  # tolerance of Newton's iteration, 200 steps
    assert lost[-1] < 0.9 * lost[0]
    assert np.all(lost[20:] <= lost[:-20] * (1 + 1e-9))


# --- power of the joints -------------------------------------------------------------------------------------------

def body_of(attachment):
    """Return the body's name of an attachment."""
    return attachment.partition(".")[0]


def motion(r, attachment, point):
    """Return velocity of the attachment's body at a point of space, and its angular velocity."""
    body = body_of(attachment)
    if body == "ground":
        return np.zeros(3), np.zeros(3)
    w = r[f"{body}.angular_velocity"][0]
    return r[f"{body}.velocity"][0] + np.cross(w, point - r[f"{body}.position"][0]), w


def place(r, attachment):
    """Return where an attachment is; the ground's origin is the world's."""
    return np.zeros(3) if attachment == "ground" else r[f"{attachment}.position"][0]


def joint_power(r, joint):
    """Return the power of a joint's reaction on both of its bodies, and its size."""
    point = place(r, joint.second)
    v2, w2 = motion(r, joint.second, point)
    v1, w1 = motion(r, joint.first, point)
    force, torque = r[f"{joint.name}.force"][0], r[f"{joint.name}.torque"][0]
    return force @ (v2 - v1) + torque @ (w2 - w1), np.abs(force) @ np.abs(v2 - v1) + np.abs(torque) @ np.abs(w2 - w1)


@pytest.mark.parametrize("reverse", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_reactions_do_no_work(seed, reverse):
    """Springs and motors on joints are no reaction: what remains has no power."""
    m, _, _ = random_tree(np.random.default_rng(seed), 9, reverse=reverse)
    r = dal.assemble(m)
    size = max(joint_power(r, joint)[1] for joint in m.joints)
    for joint in m.joints:
        assert abs(joint_power(r, joint)[0]) <= 1e-11 * size, joint.name  # condition of the tree times eps


@pytest.mark.parametrize("reverse", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_reactions_of_driven_joints_have_the_power_of_the_drives(seed, reverse):
    m, coordinates, rates = random_tree(np.random.default_rng(seed), 9, motions=True, reverse=reverse)
    r = dal.assemble(m)
    size = max(joint_power(r, joint)[1] for joint in m.joints)
    for joint in m.joints:
        drives = [d for d in m.motions if d.joint == joint.name]
        power = sum(r[f"{d.name}.effort"][0] * rates[joint.name][_index(joint, d.coordinate)] for d in drives)
        assert abs(joint_power(r, joint)[0] - power) <= 1e-11 * max(size, abs(power)), joint.name


def _index(joint, coordinate):
    return joint.coordinates.index(coordinate) if coordinate else 0


def test_work_of_a_drive_is_the_change_of_energy():
    """Effort times speed, summed by Simpson's rule (error of spacing^4), is the energy gained."""
    m = dal.Model("crane", gravity=(0, 0, -9.81))
    m.add(dal.Body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2), points={"tip": (1, 0, 0)}),
          dal.Body("load", mass=3.0, com=(0, 0, -0.4), inertia=(0.05, 0.05, 0.01)),
          dal.Body("trolley", mass=1.0, inertia=(0.1, 0.1, 0.1)),
          dal.Prismatic("rail", "ground", "trolley", axis=(0, 1, 0)),
          dal.Revolute("boom", "trolley", "arm", axis=(0, 1, 0)),
          dal.Universal("rope", "arm.tip", "load"),
          dal.Motion("travel", "rail", speed=dal.ramp(begin=0.2, finish=1.0, end=0.8)),
          dal.Motion("hoist", "boom", position=dal.sine(amplitude=0.6, omega=2.0)))
    spacing = 1 / 512
    r = dal.run(m, until=1.0, accuracy=1e-11, record=spacing)
    power = r["travel.effort"] * r["rail.speed"] + r["hoist.effort"] * r["boom.speed"]
    gained = r["energy.total"][-1] - r["energy.total"][0]
    size = np.abs(power).max()
    assert simpson(power, x=r.t) == pytest.approx(gained, abs=1e3 * spacing**4 * size)


def test_dampers_take_the_energy_that_is_lost():
    m = dal.Model("damped", gravity=(0, 0, -9.81))
    m.add(dal.Body("b", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)),
          dal.Revolute("pin", "ground", "b", axis=(0, 1, 0), start_rate=2.0),
          dal.JointSpring("d", "pin", damping=0.7))
    spacing = 1 / 512
    r = dal.run(m, until=1.0, accuracy=1e-11, record=spacing)
    loss = simpson(0.7 * r["pin.speed"] ** 2, x=r.t)
    assert r["energy.total"][0] - r["energy.total"][-1] == pytest.approx(loss, abs=1e3 * spacing**4 * loss)


def test_a_motor_gives_its_power():
    m = dal.Model("motor", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=np.diag(random_unit(np.random.default_rng(1)) ** 2 + 1) / 10),
          dal.Revolute("pin", "ground", "b", axis=(0, 1, 0)), dal.Motor("m", "pin", effort=lambda t, x, v: 3.0 - v))
    spacing = 1 / 512
    r = dal.run(m, until=1.0, accuracy=1e-11, record=spacing)
    given = simpson(r["m.power"], x=r.t)
    assert r["energy.total"][-1] == pytest.approx(given, abs=1e3 * spacing**4 * np.abs(r["m.power"]).max())
