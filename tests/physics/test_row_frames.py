"""Rows of many frames at once are those of single states: Jacobians by all rates, driven ones too, places and unit loads."""

from functools import partial

import numpy as np
import pytest
from physics.closed_mechanisms import closed_mechanism
from physics.loop_models import slider_crank

import dalembert as dal
from dalembert.start.constraints import Constraints
from dalembert.start.initial import prepare_start
from dalembert.start.sharing import Sharing

EPS = np.finfo(float).eps


def driven():
    """A slider-crank whose crank is driven."""
    return slider_crank(0.7).add(dal.Motion("drive", "main", position=dal.sine(amplitude=0.1, omega=2.0, offset=0.7)))


@pytest.mark.parametrize("make", [driven, *(partial(closed_mechanism, np.random.default_rng(seed)) for seed in range(4))])
def test_frames_hold_what_single_states_give(make):
    rng, model = np.random.default_rng(0), make()
    begin = prepare_start(model, formulation="semi-recursive")
    q = np.array([begin.q, begin.q]) + 1e-3 * rng.normal(size=(2, len(begin.q)))
    t = np.array([0.2, 0.3])
    constraints = Constraints(begin.packed)
    poses = Sharing(begin.packed)._poses(t, q)
    for f in range(2):
        J = constraints.full_jacobian(float(t[f]), q[f].copy())
        size = max(1.0, np.abs(J).max())
        assert np.abs(poses.jacobian[f] - J).max() <= 100 * EPS * size
        work = constraints.work
        assert np.abs(poses.place[f] - work.body["r_w"]).max() <= 100 * EPS * max(1.0, np.abs(work.body["r_w"]).max())
        assert np.abs(np.linalg.det(poses.axes[f]) - 1.0).max() < 1e-6
        assert poses.violation[f] == pytest.approx(np.max(abs(work.row["Phi"]) / constraints.size), rel=1e-9)
