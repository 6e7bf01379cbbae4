"""Tangents in interface coordinates: exact by differences, vibrations by them, and the methods that live on them."""

import numpy as np
import pytest
from interface_cases import arm, cantilever, crank, flying

import dalembert as dal
from dalembert.codes import Status
from dalembert.kernels.evaluate import eval_residual
from dalembert.kernels.linearize import eval_matrices
from dalembert.kernels.linked_work import make_linked_work
from dalembert.kernels.tree.state import move
from dalembert.start.initial import prepare_start

STEP = 1e-6


class State:
    """A model in interface coordinates, bent and moving, with its residual."""

    def __init__(self, model):
        begin, rng = prepare_start(model, formulation="interface"), np.random.default_rng(1)
        self.system = begin.packed.system
        self.n, self.scale = len(begin.qd), self.system.dof["q_scale"]
        self.free = self.system.dof["drive"] < 0
        self.work = make_linked_work(self.system)
        self.q = self.moved(begin.q, 0.02 * self.free * self.scale * rng.standard_normal(self.n))
        self.qd = begin.qd + self.free * self.scale * rng.standard_normal(self.n)
        self.qdd = 10 * self.free * self.scale * rng.standard_normal(self.n)

    def moved(self, q, x):
        out = q.copy()
        move(self.system, q, x, out)
        return out

    def residual(self, q, qd):
        out, tau = np.zeros(self.n), np.zeros(self.n)
        status = eval_residual(self.system, 0.0, q.copy(), qd.copy(), self.qdd.copy(), tau, out, self.work)
        assert status == Status.OK
        return out

    def matrices(self):
        M, C, K = (np.zeros((self.n, self.n)) for _ in range(3))
        out = np.zeros(self.n)
        status = eval_matrices(self.system, 0.0, self.q, self.qd, self.qdd, out, M, C, K, self.work)
        assert status == Status.OK
        return M, C, K

    def differences(self, along):
        """Return central differences (n, n) of the residual."""
        out = np.zeros((self.n, self.n))
        for k in np.flatnonzero(self.free):
            x = np.zeros(self.n)
            x[k] = STEP * self.scale[k]
            ahead, back = (self.residual(*along(self, sign * x)) for sign in (1, -1))
            out[:, k] = (ahead - back) / (2 * x[k])
        return out


@pytest.mark.parametrize("make", [cantilever, arm, crank])
def test_stiffness_and_damping_are_exact(make):
    state = State(make())
    _, C, K = state.matrices()
    size = np.outer(state.scale, state.scale)
    stiff = np.max(abs(K * size))
    by_places = state.differences(lambda s, x: (s.moved(s.q, x), s.qd))
    assert np.max(abs(K - by_places) * size) < 1e-7 * stiff  # a difference errs by its step's square, and by rounding over it
    by_rates = state.differences(lambda s, x: (s.q, s.qd + x))
    assert np.max(abs(C - by_rates) * size) < 1e-9 * stiff + 1e-7 * np.max(abs(C * size))


@pytest.mark.parametrize("integrator", ["radau", "sdirk4", "bdf", "generalized-alpha", "hht"])
def test_every_integrator_follows_the_motion(integrator):
    """Explicit and implicit steps of all kinds, error-controlled, reach the same end."""
    runs = [dal.run(flying(1), until=5e-3, accuracy=a, integrator=i, formulation="interface", record=5e-3)
            for i, a in ((integrator, 1e-6), ("dopri5", 1e-9))]
    ends = [r["beam.end.position"][-1] for r in runs]
    assert np.max(abs(ends[0] - ends[1])) < 1e-5  # ten times the accuracy, which is that of a step


def test_a_bent_beam_vibrates_as_in_floating_frames():
    """About the same equilibrium both formulations have the same beams: frequencies differ by their linear strains' error."""
    m = cantilever(6)
    rest = dal.static(m)
    found = [dal.eigenmodes(m, start=rest, formulation=f).frequencies[:6] for f in ("interface", "auto")]
    assert np.allclose(*found, rtol=2e-3)


def test_a_run_begins_in_the_equilibrium_that_was_found():
    m = cantilever(6)
    rest = dal.static(m)
    r = dal.run(m, start=rest, until=0.05, step=1e-3, formulation="interface")
    assert np.max(np.ptp(r["beam.end.position"], axis=0)) < 1e-9
    assert np.allclose(r["clamp.force"][0], rest["clamp.force"][0], atol=1e-6)


def test_what_cannot_be_linearised_is_told():
    with pytest.raises(dal.ModelError, match="at rest"):
        dal.linearize(flying(), formulation="interface")
    with pytest.raises(dal.ModelError, match="'global' has natural coordinates"):
        dal.linearize(cantilever(), formulation="global")
