"""What tables and pictures show of bodies that turn in space."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.results.figure import picture_of
from dalembert.results.tabular import overview


def turn(axis, angle):
    """Rotation matrices (n, 3, 3) about a coordinate axis by angles [rad] (n,)."""
    c, s, i, j = np.cos(angle), np.sin(angle), (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((len(angle), 3, 3))
    R[:, axis, axis] = 1.0
    R[:, i, i], R[:, j, j], R[:, i, j], R[:, j, i] = c, c, -s, s
    return R


@pytest.fixture(scope="module")
def tumbling():
    m = dal.Model("tumbling", gravity=(0, 0, 0)).add(
        dal.Body("brick", mass=1.0, inertia=(1.0, 2.0, 2.8)),
        dal.Free("flight", "ground", "brick", start_rate=(1.0, 0, 0, 1.0, 5.0, 0.1)))
    return dal.run(m, until=3.0)


def test_roll_pitch_and_yaw_are_the_orientation(tumbling):
    w, *v = tumbling["flight.orientation"].T
    v = np.column_stack(v)
    cross = np.zeros((len(w), 3, 3))
    for (i, j), (k, sign) in {(0, 1): (2, -1), (0, 2): (1, 1), (1, 2): (0, -1)}.items():
        cross[:, i, j], cross[:, j, i] = sign * v[:, k], -sign * v[:, k]
    R = np.eye(3) + 2 * w[:, None, None] * cross + 2 * cross @ cross
    roll, pitch, yaw = np.radians(tumbling["flight.roll_pitch_yaw"]).T
    again = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
    near_gimbal = np.sqrt(np.finfo(float).eps)  # where an arcsine keeps half of the digits
    assert np.max(abs(again - R)) < 10 * near_gimbal
    assert tumbling.unit("flight.roll_pitch_yaw") == "deg"


def test_a_spin_goes_on_past_half_a_turn():
    m = dal.Model("spin").add(dal.Body("top", mass=1.0, inertia=(1, 1, 1)),
                              dal.Spherical("ball", "ground", "top", start_rate=(0, 0, 2 * np.pi)))
    assert dal.run(m, until=2.0)["ball.roll_pitch_yaw"][-1] == pytest.approx([0, 0, 720], abs=720 * 1e-5)


def test_pictures_show_positions_and_turns_on_axes_of_their_own(tumbling):
    assert overview(tumbling)[:4] == ["flight.x", "flight.y", "flight.z", "flight.roll_pitch_yaw"]
    labels = [panel.label for panel in picture_of(tumbling).panels]
    assert labels == ["[m]", "flight.roll_pitch_yaw [deg]", "[J]"]
    assert not any("q" in line.rpartition(".")[2] for panel in picture_of(tumbling).panels for line in panel.lines)
