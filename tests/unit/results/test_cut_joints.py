"""Joints that close loops: their channels give back the motion that two moving bodies were laid out by.

The frames are chained outwards, first body, attachment, joint, attachment, second body, with the rates of every link by the
rules of rigid bodies; the channels go the way back.
"""

from typing import NamedTuple

import numpy as np
import pytest

from dalembert.results import tables as tab
from dalembert.results.results import Results
from dalembert.results.rotation import unwound
from dalembert.results.tables import frame_shapes
from dalembert.system.layout import CutEntry, Layout
from dalembert.system.quaternion import quaternions_of
from dalembert.system.rows import alignment

EPS = np.finfo(float).eps
T = np.linspace(0.0, 3.0, 31)
X, Y, Z = np.eye(3)
AXIS, AXIS2 = np.array([2.0, -1.0, 2.0]) / 3, np.array([0.6, 0.8, 0.0])
SEAT_A, SEAT_B = np.array([0.3, -0.2, 0.5]), np.array([-0.4, 0.1, 0.2])


def turning(axis, angle):
    """Rotation matrix about a unit axis."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


TURN_A, TURN_B = turning(AXIS2, 0.7), turning(Z, -1.9)


class Frame(NamedTuple):
    """A moving frame, world axes: rotation, origin, angular velocity, velocity and their derivatives."""

    R: np.ndarray = np.eye(3)
    r: np.ndarray = np.zeros(3)
    w: np.ndarray = np.zeros(3)
    v: np.ndarray = np.zeros(3)
    wd: np.ndarray = np.zeros(3)
    a: np.ndarray = np.zeros(3)

    def turned(self, axis, q):
        """Turn about an own axis by q = (angle, rate, acceleration)."""
        n = self.R @ axis
        return self._replace(R=self.R @ turning(axis, q[0]), w=self.w + n * q[1],
                             wd=self.wd + n * q[2] + np.cross(self.w, n) * q[1])

    def moved(self, u, q=(1.0, 0.0, 0.0)):
        """Move along an own vector by q = (way, rate, acceleration)."""
        d = self.R @ u
        wxd = np.cross(self.w, d)
        a = np.cross(self.wd, d) * q[0] + np.cross(self.w, wxd) * q[0] + 2 * wxd * q[1] + d * q[2]
        return self._replace(r=self.r + d * q[0], v=self.v + wxd * q[0] + d * q[1], a=self.a + a)

    def fixed(self, C):
        """Other axes, fixed in this frame."""
        return self._replace(R=self.R @ C)

    def row(self):
        """Row of the body table."""
        row = np.zeros(19)
        row[tab.POSITION], row[tab.ORIENTATION], row[tab.VELOCITY] = self.r, quaternions_of(self.R[None])[0], self.v
        row[tab.ANGULAR_VELOCITY], row[tab.ACCELERATION], row[tab.ANGULAR_ACCELERATION] = self.w, self.a, self.wd
        return row


def wave(k, t, fast=0.0):
    """Value and two derivatives of a smooth function."""
    f = 0.7 + 0.3 * k
    return 0.4 * k + fast * t + np.sin(f * t), fast + f * np.cos(f * t), -f * f * np.sin(f * t)


def links(kind, t):
    """The joint as turns and moves of a frame: (method, direction, (q, qd, qdd)) each, in the order they are chained."""
    quick, slow, third = wave(1, t, fast=45.0), wave(2, t), wave(3, t)
    C = alignment(AXIS)
    ball = [("turned", X, slow), ("turned", Y, third), ("turned", Z, wave(1, t))]
    return {
        "revolute": [("turned", AXIS, quick)],
        "prismatic": [("moved", AXIS, slow)],
        "cylindrical": [("turned", AXIS, quick), ("moved", AXIS, slow)],
        "universal": [("turned", AXIS, quick), ("turned", AXIS2, wave(2, t, fast=-50.0))],
        "planar": [("moved", C @ X, slow), ("moved", C @ Y, third), ("turned", AXIS, quick)],
        "spherical": ball,
        "free": [("moved", X, slow), ("moved", Y, third), ("moved", Z, wave(4, t)), *ball],
        "fixed": [],
    }[kind]


def chained(frame, steps):
    """Apply the links of a joint to a frame."""
    for method, direction, q in steps:
        frame = getattr(frame, method)(direction, q)
    return frame


def run_of(kind, names, times=T):
    """Results of two bodies that move as a joint of this kind prescribes; the first body tumbles."""
    turn_a, turn_b = (tuple(quaternions_of(C[None])[0]) for C in (TURN_A, TURN_B))
    entry = CutEntry("hinge", kind, tuple(names), 1, 2, tuple(SEAT_A), turn_a, tuple(SEAT_B), turn_b, tuple(AXIS),
                     tuple(AXIS2), "one", "two", 0, 6)
    layout = Layout("by hand", ("ground", "one", "two"), (), (), (), (), 0, 0, cuts=(entry,))
    arrays = {name: np.zeros((len(times), *shape)) for name, shape in frame_shapes(layout).items()}
    arrays["t"], arrays["body"][:, 0, 3] = times, 1.0
    arrays["reaction"][:, 0] = np.arange(1, 7)
    for f, t in enumerate(times):
        one = Frame().moved(X, wave(1, t)).turned(Y, wave(2, t)).moved(Z, wave(3, t)).turned(X, wave(4, t))
        b = chained(one.moved(SEAT_A).fixed(TURN_A), links(kind, t))
        arrays["body"][f, 1] = one.row()
        arrays["body"][f, 2] = b.fixed(TURN_B.T).moved(-SEAT_B).row()
    return Results(arrays, layout, tables=arrays)


NAMES = {"revolute": ["angle"], "prismatic": ["displacement"], "cylindrical": ["angle", "displacement"],
         "universal": ["angle1", "angle2"], "planar": ["x", "y", "angle"]}
FASTEST = 51.0 + 3.0  # rad/s, of any joint, and of the tumbling first body


def near(found, expected, power=0):
    """Assert equality up to the rounding of some hundred operations; a derivative is larger by a speed."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=500 * EPS * max(np.max(np.abs(expected)), FASTEST**power))


@pytest.mark.parametrize("kind", NAMES)
def test_coordinates_rates_and_accelerations(kind):
    """Angles go on although a frame lies up to five radians after the one before."""
    r = run_of(kind, NAMES[kind])
    told = np.array([[q for _, _, q in links(kind, t)] for t in T])
    near(r["hinge.coordinates"], told[:, :, 0], 1)
    near(r["hinge.rates"], told[:, :, 1], 1)
    near(r["hinge.acceleration"].reshape(len(T), -1), told[:, :, 2], 2)
    for k, name in enumerate(NAMES[kind]):
        assert np.array_equal(r[f"hinge.{name}"], r["hinge.coordinates"][:, k])
    if len(NAMES[kind]) == 1:
        assert np.array_equal(r["hinge.speed"], r["hinge.rates"][:, 0])
    assert not r["hinge.effort"].any()


@pytest.mark.parametrize("kind, names", [("spherical", ["qw", "qx", "qy", "qz"]),
                                         ("free", ["x", "y", "z", "qw", "qx", "qy", "qz"])])
def test_balls(kind, names):
    """Quaternion without jumps, angular velocity in the axes of the first frame, and its derivative."""
    r = run_of(kind, names)
    seen = [chained(Frame(), links(kind, t)) for t in T]  # by an observer in the first frame
    turn = quaternions_of(np.array([frame.R for frame in seen]))
    found = r["hinge.orientation"]
    near(found * np.sign(np.sum(found * turn, axis=1))[:, None], turn)
    assert found[0, 0] >= 0 and np.all(np.sum(found[1:] * found[:-1], axis=1) > 0)
    near(r["hinge.rates"][:, -3:], [frame.w for frame in seen], 1)
    near(r["hinge.acceleration"][:, -3:], [frame.wd for frame in seen], 2)
    if kind == "free":
        near(np.stack([r["hinge.x"], r["hinge.y"], r["hinge.z"]], axis=1), [frame.r for frame in seen])
        near(r["hinge.rates"][:, :3], [frame.v for frame in seen], 1)
        near(r["hinge.acceleration"][:, :3], [frame.a for frame in seen], 2)


def test_a_weld_has_loads_only():
    r = run_of("fixed", [])
    assert [c for c in r.channels if c.startswith("hinge.")] == ["hinge.force", "hinge.torque"]
    assert np.array_equal(r["hinge.force"][0], [1, 2, 3]) and np.array_equal(r["hinge.torque"][0], [4, 5, 6])


@pytest.mark.parametrize("frames", [0, 1])
@pytest.mark.parametrize("kind", [*NAMES, "fixed"])
def test_no_frame_and_a_single_one(kind, frames):
    r = run_of(kind, NAMES.get(kind, []), T[:frames])
    for channel in r.channels:
        assert r[channel].shape == (frames, *map(len, r.components(channel))), channel


def test_the_first_angle_lies_within_half_a_turn():
    angle, speed = np.array([[4.0], [-2.0]]), np.array([[0.3], [0.3]])
    turn = 2 * np.pi
    np.testing.assert_allclose(unwound(angle, speed, np.array([0.0, 1.0])), [[4.0 - turn], [-2.0]], atol=8 * EPS)
