"""Bodies that only bushings hold."""

import numpy as np
import pytest

import dalembert as dal


def mounted(*joints, first="ground.mount"):
    """An engine on one bushing."""
    return dal.Model("engine", ground={"mount": (0, 0, 1)}).add(
        dal.Body("engine", mass=10.0, inertia=(1, 1, 1), points={"foot": (0, 0, -0.1)}), *joints,
        dal.Bushing("rubber", first, "engine.foot", stiffness=1e4, damping=50.0, turning_stiffness=100.0, turning_damping=1.0))


def test_a_bushing_implies_a_free_joint_where_nothing_else_holds_a_body():
    r = dal.static(mounted())
    assert r["rubber free.z"][-1] == pytest.approx(-10 * 9.81 / 1e4, rel=1e-6)
    assert any("'rubber'" in m and "Free('rubber free', 'ground.mount', 'engine.foot')" in m for m in r.messages)


def test_it_moves_as_with_the_joint_said():
    said = dal.run(mounted(dal.Free("rubber free", "ground.mount", "engine.foot")), until=0.2)
    implied = dal.run(mounted(), until=0.2)
    assert not said.messages and np.array_equal(said["engine.position"], implied["engine.position"])


def test_a_chain_of_bushings_and_a_body_that_floats_off():
    m = mounted().add(dal.Body("box", mass=1.0, inertia=(0.1, 0.1, 0.1)),
                      dal.Bushing("strap", "box", "engine", stiffness=1e3, turning_stiffness=10.0))
    r = dal.run(m, until=0.05)
    fallen = r["box.position"][:, 2] - r["box.position"][0, 2]
    assert np.all(fallen[1:] < 0) and np.all(fallen >= -9.81 / 2 * r.t**2 - 1e-9)  # held back by the strap
    with pytest.raises(dal.TopologyError, match="'stray'"):
        dal.run(m.add(dal.Body("stray", mass=1.0)), until=0.05)


def test_a_body_that_joints_hold_gets_nothing():
    m = dal.Model("arm").add(dal.Body("arm", mass=1.0, com=(1, 0, 0)), dal.Revolute("hinge", "ground", "arm", axis=(0, 1, 0)),
                             dal.Bushing("stop", "ground", "arm", turning_stiffness=10.0))
    assert dal.run(m, until=0.05).messages == ()
