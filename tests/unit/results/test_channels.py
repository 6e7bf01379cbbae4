"""Channels against closed forms: an arm at (0, 0, 1) turns about z at constant speed; its tip is 1 m along x."""

import numpy as np
import pytest
import synthetic
from synthetic import SPEED

import dalembert as dal
from dalembert.errors import ChannelError, MultibodyError

EPS = np.finfo(float).eps


@pytest.fixture(scope="module")
def r():
    return synthetic.results()


def near(found, expected, scale=SPEED**2):
    """Assert equality up to rounding of a few operations."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=16 * EPS * scale)


def test_point_position(r):
    a = SPEED * r.t
    near(r["arm.tip.position"], np.stack([np.cos(a), np.sin(a), np.ones_like(a)], axis=1))


def test_point_velocity(r):
    a = SPEED * r.t
    near(r["arm.tip.velocity"], SPEED * np.stack([-np.sin(a), np.cos(a), 0 * a], axis=1))


def test_point_acceleration_is_centripetal(r):
    a = SPEED * r.t
    near(r["arm.tip.acceleration"], -(SPEED**2) * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1))


def test_velocity_is_the_rate_of_position():
    h = 1e-5
    r = synthetic.results([1.0 - h, 1.0, 1.0 + h])
    p, v = r["arm.tip.position"], r["arm.tip.velocity"]
    np.testing.assert_allclose((p[2] - p[0]) / (2 * h), v[1], atol=SPEED**3 * h**2 + 4 * EPS / h)


def test_point_orientation_follows_its_frame(r):
    a = SPEED * r.t + np.pi / 2
    near(r["arm.tip.orientation"], np.stack([np.cos(a / 2), 0 * a, 0 * a, np.sin(a / 2)], axis=1))
    turn = r["arm.tip.rotation"]
    near(turn[:, 0, 0], np.cos(a))
    near(turn @ np.swapaxes(turn, 1, 2), np.broadcast_to(np.eye(3), turn.shape))


def test_orientation_does_not_jump_where_the_table_changes_sign():
    r = synthetic.results()
    body = r.tables()["body"]
    body[::2, 1, 3:7] *= -1
    steps = np.abs(np.diff(r["arm.orientation"], axis=0)).max()
    assert steps < SPEED * np.diff(r.t).max()


def test_body_is_the_table_itself(r):
    body = r.tables()["body"][:, 1]
    assert np.array_equal(r["arm.position"], body[:, 0:3])
    assert np.array_equal(r["arm.angular_velocity"], body[:, 10:13])
    assert np.array_equal(r["arm.angular_acceleration"], body[:, 16:19])


def test_ground_points_stand_still(r):
    assert np.array_equal(r["ground.A.position"], np.broadcast_to([0.0, 3.0, 0.0], (31, 3)))
    assert not r["ground.A.velocity"].any() and not r["ground.A.acceleration"].any()


def test_revolute(r):
    assert np.array_equal(r["crank axis.angle"], SPEED * r.t)
    assert np.array_equal(r["crank axis.speed"], np.full(31, SPEED))
    assert r["crank axis.coordinates"].shape == r["crank axis.rates"].shape == (31, 1)
    assert r["crank axis.acceleration"].shape == (31,)
    assert np.array_equal(r["crank axis.force"][0], [1, 2, 3])
    assert np.array_equal(r["crank axis.torque"][0], [4, 5, 6])
    assert np.array_equal(r["crank axis.effort"], np.full(31, 7.0))


def test_screw_advances_a_pitch_a_turn(r):
    assert np.array_equal(r["thread.angle"], r.t**2)
    near(r["thread.displacement"], 0.01 * r.t**2 / (2 * np.pi), 1.0)
    assert np.array_equal(r["thread.acceleration"], np.full(31, 2.0))


def test_joints_with_several_coordinates(r):
    assert np.array_equal(r["cross.angle1"], np.full(31, 6.0))
    assert np.array_equal(r["cross.angle2"], np.full(31, 7.0))
    assert np.array_equal(r["table.coordinates"][0], [8.0, 9.0, 10.0])
    assert (r["table.x"][0], r["table.y"][0], r["table.angle"][0]) == (8.0, 9.0, 10.0)
    assert r["table.rates"].shape == r["table.acceleration"].shape == r["table.effort"].shape == (31, 3)
    assert "table.speed" not in r and "cross.speed" not in r
    assert r["socket.orientation"].shape == (31, 4) and r["socket.rates"].shape == (31, 3)


def test_force_elements(r):
    assert (r["spring.force"][0], r["spring.length"][0], r["spring.rate"][0]) == (6.0, 7.0, 8.0)
    assert (r["coil.effort"][0], r["coil.force"][0], r["coil.coordinate"][0], r["coil.rate"][0]) == (16, 16, 17, 18)
    assert r["engine.power"][0] == 26.0 * 28.0
    assert np.array_equal(r["push.force"][0], [30, 31, 32])
    assert np.array_equal(r["twist.torque"][0], [43, 44, 45])
    assert np.array_equal(r["rubber.torque"][0], [53, 54, 55])


def test_elements_on_a_joint_have_the_units_of_its_coordinate(r):
    assert [r.unit(f"coil.{name}") for name in ("effort", "coordinate", "rate")] == ["N m", "rad", "rad/s"]
    assert r.unit("drive.effort") == "N m"
    m = dal.Model("slide").add(
        dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Prismatic("rail", "ground", "b"),
        dal.Motor("push", "rail", effort=1.0),
        dal.Body("c", mass=1.0, inertia=(1, 1, 1)), dal.Cylindrical("sleeve", "b", "c"),
        dal.Motion("pull", "sleeve", coordinate="displacement", position=0.0))
    slide = dal.assemble(m)
    assert (slide.unit("push.effort"), slide.unit("push.rate"), slide.unit("pull.effort")) == ("N", "m/s", "N")


def test_effort_of_a_drive_is_that_of_its_rate(r):
    assert np.array_equal(r["drive.effort"], np.full(31, 7.0))


def test_a_hinge_that_closes_a_loop_counts_turns(r):
    near(r["latch.angle"], SPEED * r.t)
    near(r["latch.speed"], np.full(31, SPEED))
    assert np.array_equal(r["latch.force"][0], [50, 51, 52]) and np.array_equal(r["weld.torque"][0], [73, 74, 75])
    assert not r["latch.acceleration"].any() and not r["latch.effort"].any()
    a = SPEED * r.t
    near(r["knuckle.orientation"], np.stack([np.cos(a / 2), 0 * a, 0 * a, np.sin(a / 2)], axis=1))
    near(r["knuckle.rates"], np.broadcast_to([0, 0, SPEED], (31, 3)))


def test_a_joint_has_the_same_channels_in_the_tree_and_as_a_cut(r):
    def of(name):
        return {c.rpartition(".")[2]: (r.unit(c), r.components(c)) for c in r.channels if c.rpartition(".")[0] == name}

    assert of("latch") == of("crank axis") and of("knuckle") == of("socket")


def test_constraints(r):
    a = SPEED * r.t
    line = np.stack([np.cos(a), np.sin(a) - 3.0, np.ones_like(a)], axis=1)
    near(r["rod.length"], np.linalg.norm(line, axis=1))
    near(r["rod.tension"], -line @ [80, 81, 82] / np.linalg.norm(line, axis=1), 82)
    assert np.array_equal(r["rod.force"][0], [80, 81, 82]) and np.array_equal(r["rod.torque"][0], [83, 84, 85])
    assert np.array_equal(r["mesh.effort"], np.full(31, 90.0)) and "mesh.force" not in r
    normal = np.stack([-np.sin(a), np.cos(a), 0 * a], axis=1)  # x of the frame "arm.tip"
    near(r["wheel.normal_force"], normal @ [100, 101, 102], 102)
    assert np.array_equal(r["groove.force"][0], [110, 111, 112])


def test_a_rod_pulls_its_ends_together(r):
    """A force towards the first place is a tension; points that coincide have no direction."""
    pulled = synthetic.results()
    line = pulled["arm.tip.position"] - pulled["ground.A.position"]
    pulled.tables()["reaction"][:, 8, :3] = -7.0 * line / np.linalg.norm(line, axis=1, keepdims=True)
    near(pulled["rod.tension"], np.full(31, 7.0), 7.0)
    pulled.tables()["body"][:, 1, :3] += pulled["ground.A.position"] - pulled["arm.tip.position"]
    assert np.all(np.isfinite(pulled["rod.tension"]))


def test_system(r):
    assert (r["energy.kinetic"][0], r["energy.gravity"][0], r["energy.elastic"][0]) == (1.0, 2.0, 3.0)
    assert (r["energy.potential"][0], r["energy.total"][0]) == (5.0, 6.0)
    assert np.array_equal(r["momentum.linear"][0], [4, 5, 6]) and np.array_equal(r["momentum.angular"][0], [7, 8, 9])
    near(r["constraints.position"], 1e-3 * r.t, 1.0)
    assert not r["constraints.velocity"].any()


def test_every_channel_has_its_shape_and_a_unit(r):
    for name in r.channels:
        assert r[name].shape == (31, *map(len, r.components(name))), name
        assert r.unit(name)


@pytest.mark.parametrize("name, said", [
    ("crank axis.angel", "Did you mean 'angle'?"),
    ("crank axs.angle", "Did you mean 'crank axis'?"),
    ("crank axis", "is a part, not a channel. Its channels: crank axis.acceleration"),
    ("energy.totl", "Did you mean 'total'?"),
    ("arm.tip.speed", "'arm.tip' has no channel 'speed'"),
    ("", "no channel ''"),
])
def test_unknown_channels_name_the_near_miss(r, name, said):
    with pytest.raises(ChannelError) as error:
        r[name]
    assert said in str(error.value)
    assert isinstance(error.value, KeyError) and isinstance(error.value, MultibodyError)
