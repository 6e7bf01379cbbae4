"""Several superelements: what is added up is the sum of each alone, and the one that fails is named."""

import numpy as np
from scipy.spatial.transform import Rotation
from superelement_cases import GRAVITY, beam, natural_pose, natural_rates, packed

from dalembert.codes import Status
from dalembert.kernels import tables
from dalembert.kernels.flex.superelement_tables import make_super_work
from dalembert.kernels.flex.superelements import (
    add_superelement_loads,
    add_superelement_masses,
    add_superelement_tangents,
    superelement_energies,
)

EPS = np.finfo(float).eps
NO_FAIL = -1


def two_beams(seed=0):
    """Return a beam, tables of two that share a frame, their natural state, and where the coordinates of each stand."""
    element, rng = beam(2), np.random.default_rng(seed)
    r = np.array([[0, 0, 0], [0.8, 0, 0], [1.6, 0, 0]]) + 0.02 * rng.standard_normal((3, 3))
    R = Rotation.from_rotvec(0.1 * rng.standard_normal((3, 3))).as_matrix()
    q = natural_pose(r, R, 0.01 * rng.standard_normal(4))
    qd, qdd = (natural_rates(R, *rng.standard_normal((2, 3, 3)), rng.standard_normal(4)) for _ in range(2))
    own = [np.r_[12 * i:12 * i + 24, 36 + 2 * i:38 + 2 * i] for i in range(2)]
    return element, packed(element, [(1, 2), (2, 3)]), (q, qd, qdd), own


def added_up(sup, state):
    """Return loads, mass matrices, tangents (2 K + 3 C) and energies of all superelements."""
    work, fail = make_super_work(sup), np.full(1, NO_FAIL, tables.FAIL)
    out, masses, tangents = np.zeros_like(state[0]), np.zeros(len(sup.place)), np.zeros(len(sup.place))
    assert add_superelement_loads(sup, *state, GRAVITY, 0, out, fail, work) == Status.OK
    assert add_superelement_masses(sup, state[0], 1, masses, fail, work) == Status.OK
    assert add_superelement_tangents(sup, *state, GRAVITY, 2.0, 3.0, 0.0, 1, tangents, fail, work) == Status.OK
    status, *energies = superelement_energies(sup, *state[:2], GRAVITY, 1, fail, work)
    assert status == Status.OK and fail["superelement"] == NO_FAIL
    return out, masses, tangents, np.array(energies)


def test_two_superelements_add_up():
    """Each alone, in coordinates of its own; matrices stand one after the other in these tables."""
    element, sup, state, own = two_beams()
    together = added_up(sup, state)
    alone = [added_up(packed(element, [(1, 2)]), [x[places] for x in state]) for places in own]
    out = np.zeros_like(state[0])
    for places, single in zip(own, alone, strict=True):
        out[places] += single[0]
    expected = (out, *(np.concatenate([one[k] for one in alone]) for k in (1, 2)), alone[0][3] + alone[1][3])
    for found, x in zip(together, expected, strict=True):
        assert np.abs(found - x).max() <= 1e4 * EPS * np.abs(x).max()  # of frames from different starts


def test_the_superelement_without_a_frame_is_named():
    element, sup, (q, qd, qdd), _ = two_beams()
    work, fail, out, values = make_super_work(sup), np.zeros(1, tables.FAIL), np.zeros_like(q), np.zeros(len(sup.place))
    q[24:27] = np.nan
    calls = (lambda: add_superelement_loads(sup, q, qd, qdd, GRAVITY, 0, out, fail, work),
             lambda: add_superelement_masses(sup, q, 0, values, fail, work),
             lambda: add_superelement_tangents(sup, q, qd, qdd, GRAVITY, 1.0, 1.0, 0.0, 0, values, fail, work),
             lambda: superelement_energies(sup, q, qd, GRAVITY, 0, fail, work)[0])
    for call in calls:
        fail["superelement"] = NO_FAIL
        assert call() == Status.NO_FRAME
        assert fail["superelement"] == 1
