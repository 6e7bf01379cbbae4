"""A free chain of two flexible superelements that tumbles, bends and falls: energy and momentum."""

import numpy as np
from scipy.spatial.transform import Rotation
from superelement_cases import GRAVITY, natural_pose, natural_rates, packed

from dalembert.codes import Status
from dalembert.flex.beam_superelement import beam_superelement
from dalembert.kernels.flex.superelement_tables import make_super_work
from dalembert.kernels.flex.superelements import eval_superelement, superelement_energies
from dalembert.kernels.tables import FAIL
from dalembert.model.flexible import Material, Rectangle

RUBBER = Material(young=2e6, poisson=0.3, density=1000.0)
FRAMES = 3
DURATION = 0.1


class Tumbling:
    """Frames at r, R with velocities V (n,) of moves and spins in world axes, moved by the classical Runge-Kutta method."""

    def __init__(self):
        self.element = beam_superelement(length=0.5, section=Rectangle(height=0.1, width=0.08), material=RUBBER)
        self.sup = packed(self.element, [(1, 2), (2, 3)])
        self.work, self.fail = make_super_work(self.sup), np.zeros(1, FAIL)
        self.r = np.array([[0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]]) + np.array([0.0, 0.02, 0.0]) * np.array([[1], [-1], [1]])
        self.R = np.tile(np.eye(3), (FRAMES, 1, 1))
        w = np.array([4.0, 6.0, 9.0])
        self.V = np.concatenate([np.r_[np.cross(w, r), w] for r in self.r])

    def moved(self, x):
        """Return positions and axes after rotation vectors and moves x (n,)."""
        x = x.reshape(-1, 6)
        return self.r + x[:, :3], Rotation.from_rotvec(x[:, 3:]).as_matrix() @ self.R

    def natural(self, r, R, V):
        """Return natural coordinates and rates."""
        v, w = V.reshape(-1, 6)[:, :3], V.reshape(-1, 6)[:, 3:]
        return natural_pose(r, R), natural_rates(R, v, w)

    def acceleration(self, x, V):
        """Return V' from M V' = -(loads at zero acceleration) with the frames moved by x."""
        r, R = self.moved(x)
        q, qd = self.natural(r, R, V)
        still, n = np.zeros_like(q), 6 * FRAMES
        loads, mass = np.zeros(n), np.zeros((n, n))
        for i in range(2):
            assert eval_superelement(self.sup, i, q, qd, still, GRAVITY, 0, self.work) == Status.OK
            turn, own = np.kron(np.eye(4), self.work.frame[i]["R"].reshape(3, 3)), slice(6 * i, 6 * i + 12)
            loads[own] += turn @ (self.work.f + self.work.inertia)
            mass[own, own] += turn @ self.element.mass_matrix @ turn.T
        return -np.linalg.solve(mass, loads)

    def step(self, h):
        """Advance by h; rotation vectors from the beginning of the step have the rate T⁻¹ w."""
        def rate(x, V):
            xd = V.copy()
            for k in range(FRAMES):
                th, w = x[6 * k + 3:6 * k + 6], V[6 * k + 3:6 * k + 6]
                a2 = th @ th
                c = 1 / 12 + a2 / 720  # the next term is a⁴/30240
                xd[6 * k + 3:6 * k + 6] = w - 0.5 * np.cross(th, w) + c * np.cross(th, np.cross(th, w))
            return xd, self.acceleration(x, V)

        x, V, V0 = np.zeros(6 * FRAMES), self.V, self.V
        total = np.zeros((2, 6 * FRAMES))
        for weight, ahead in ((1, 0.5), (2, 0.5), (2, 1.0), (1, 0.0)):
            slope = rate(x, V)
            total += weight / 6 * np.array(slope)
            x, V = ahead * h * slope[0], V0 + ahead * h * slope[1]
        self.r, self.R = self.moved(h * total[0])
        self.V = V0 + h * total[1]

    def energies(self):
        """Return kinetic and elastic energy and the potential of the weight."""
        state = self.natural(self.r, self.R, self.V)
        status, *found = superelement_energies(self.sup, *state, GRAVITY, 0, self.fail, self.work)
        assert status == Status.OK
        return np.array(found)

    def momentum(self):
        """Return the sum of R Ctᵀ v."""
        q, qd = self.natural(self.r, self.R, self.V)
        total = np.zeros(3)
        for i in range(2):
            assert eval_superelement(self.sup, i, q, qd, 0 * q, GRAVITY, 0, self.work) == Status.OK
            total += self.work.frame[i]["R"].reshape(3, 3) @ self.element.constants.translation.T @ self.work.v
        return total


def run(steps):
    """Return energies at the beginning and the end, the exchange of energy, and the change of momentum."""
    body = Tumbling()
    begin, first = body.energies(), body.momentum()
    exchange = 0.0
    for _ in range(steps):
        body.step(DURATION / steps)
        exchange = max(exchange, np.abs(body.energies() - begin).max())
    return begin, body.energies(), exchange, body.momentum() - first


def test_energy_and_momentum_change_at_the_order_of_the_method():
    """Energy is kept and momentum gains the weight's impulse, to fourth order or better in the step."""
    energy, momentum = [], []
    for steps in (100, 200):
        begin, end, exchange, gained = run(steps)
        impulse = DURATION * 2 * Tumbling().element.constants.mass * np.array(GRAVITY)
        energy.append(abs(end.sum() - begin.sum()) / exchange)
        momentum.append(np.abs(gained - impulse).max() / np.abs(impulse).max())
    for errors in (energy, momentum):
        assert errors[0] <= 1e-4  # (w h)⁴ of the fastest motion that matters, 100 rad/s
        assert np.log2(errors[0] / errors[1]) >= 3.8
