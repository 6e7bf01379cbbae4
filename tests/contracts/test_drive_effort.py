"""The effort of a prescribed motion is what the drive adds to the springs and motors on the same coordinate."""

import numpy as np
import pytest

import dalembert as dal


@pytest.mark.parametrize("joint, which", [(dal.Revolute, {}), (dal.Cylindrical, {"coordinate": "angle"})])
def test_a_drive_works_against_a_motor_on_its_coordinate(joint, which):
    m = dal.Model("driven", gravity=(0, 0, 0))
    m.add(dal.Body("wheel", mass=1.0, inertia=(1, 1, 1)), joint("axle", "ground", "wheel"),
          dal.Motor("motor", "axle", effort=5.0, **which),
          dal.Motion("drive", "axle", position=dal.table([0, 1, 2, 3], [0, 1, 4, 9]), **which))
    r = dal.run(m, until=0.5)
    acceleration = r["wheel.angular_acceleration"][:, 2]
    scale = 5.0 + np.abs(acceleration).max()
    assert np.abs(r["drive.effort"] - (acceleration - 5.0)).max() <= 100 * np.finfo(float).eps * scale
    assert np.array_equal(r["motor.effort"], np.full(len(r), 5.0))
