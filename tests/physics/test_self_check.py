"""A run of a tree whose accelerations are not those of a motion ends with an error; sound runs are left alone."""

import numpy as np
import pytest
from physics.states import random_case

import dalembert as dal
from dalembert.simulate.loop import Loop
from dalembert.simulate.self_check import unbalanced
from dalembert.start.evaluate import solve_state


def pendulum():
    return dal.Model("pendulum", gravity=(0, 0, -9.81)).add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001)),
        dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=1.0))


@pytest.mark.parametrize("factor", [0.0, 0.5, -1.0, 2.0])
def test_wrong_accelerations_end_a_run(factor, monkeypatch):
    take = Loop.take_frames

    def spoiled(loop):
        frames = take(loop)
        frames["qdd"] *= factor
        return frames

    monkeypatch.setattr(Loop, "take_frames", spoiled)
    with pytest.raises(dal.ConvergenceError, match="'pivot'.*do not satisfy the equations of motion") as caught:
        dal.run(pendulum(), until=1.0)
    assert len(caught.value.results) > 0  # frames are kept
    assert "do not satisfy" in dal.run(pendulum(), until=1.0, on_failure="return").status


@pytest.mark.parametrize("seed", range(12))
def test_states_of_random_trees_are_sound_and_spoiled_ones_are_not(seed):
    case = random_case(seed, 6)
    q, qd = case.q.copy(), case.qd.copy()
    qdd = solve_state(case.packed, 0.0, q, qd)
    frames = {"t": np.zeros(1), "q": q[None], "qd": qd[None], "qdd": qdd[None], "loads": np.zeros((1, 0))}
    assert unbalanced(case.packed, frames, case.work) is None
    assert unbalanced(case.packed, {**frames, "qdd": 10.0 + 10.0 * frames["qdd"]}, case.work) is not None
