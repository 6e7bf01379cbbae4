"""Large static bending of a cantilever made of superelements in absolute interface coordinates [ELL §7].

A tube of 1 m (outer radius 10 mm, wall 1 mm, E = 70 GPa) is clamped and carries a dead vertical load at its tip.  The
reference is the extensible elastica, an ordinary differential equation that is solved here; the errors of chains of bodies are
of second order in their number, and vanish in the limit.
"""

import numpy as np
import pytest
from scipy.integrate import quad, solve_bvp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from superelement_cases import natural_pose, packed

from dalembert.codes import Status
from dalembert.flex.beam_superelement import beam_superelement
from dalembert.kernels.flex.superelement_tables import make_super_work
from dalembert.kernels.flex.superelement_tangent import eval_tangents
from dalembert.kernels.flex.superelements import eval_superelement
from dalembert.model.flexible import Material, Tube

MATERIAL, SECTION = Material(young=70e9, poisson=0.3, density=2700.0), Tube(outer=0.02, wall=0.001)
LENGTH = 1.0
LONGEST_TURN = 0.3
"""Of a frame in one iteration [rad]."""


def elastica(force, tolerance=1e-9):
    """Return the tip (x, y) of the extensible elastica: EI theta' = F (x_tip - x), EA strain = F sin theta."""
    bending, axial = MATERIAL.young * SECTION.iz, MATERIAL.young * SECTION.area

    def slope(s, y, load):
        x, _, theta, curvature = y
        stretch = 1 + load * np.sin(theta) / axial
        return np.vstack([stretch * np.cos(theta), stretch * np.sin(theta), curvature,
                          -load / bending * stretch * np.cos(theta)])

    s = np.linspace(0, LENGTH, 200)
    guess = np.vstack([s, 0 * s, 0 * s, 0 * s])
    for load in force * np.linspace(0.1, 1, 10):
        found = solve_bvp(lambda s, y, load=load: slope(s, y, load), lambda a, b: np.array([a[0], a[1], a[2], b[3]]), s, guess,
                          tol=tolerance, max_nodes=100000)
        assert found.success
        guess = found.sol(s)
    return found.y[:2, -1]


class Chain:
    """A straight chain of equal beam superelements along x, clamped at its first frame."""

    def __init__(self, bodies):
        element = beam_superelement(length=LENGTH / bodies, section=SECTION, material=MATERIAL, theory="euler-bernoulli")
        self.sup = packed(element, [(i, i + 1) for i in range(1, bodies + 1)])
        self.work = make_super_work(self.sup)
        self.bodies = bodies
        self.r = np.linspace(0, LENGTH, bodies + 1)[:, None] * np.array([1.0, 0, 0])
        self.R = np.tile(np.eye(3), (bodies + 1, 1, 1))

    def assembled(self):
        """Return loads (6 n,) and tangent (6 n, 6 n) of the free frames in world axes."""
        q, size = natural_pose(self.r, self.R), 6 * (self.bodies + 1)
        still, F, K = np.zeros_like(q), np.zeros(size), np.zeros((size, size))
        for i in range(self.bodies):
            assert eval_superelement(self.sup, i, q, still, still, (0.0, 0.0, 0.0), 0, self.work) == Status.OK
            eval_tangents(self.sup, i, self.work)
            turn = np.kron(np.eye(4), self.work.frame[i]["R"].reshape(3, 3))
            own = slice(6 * i, 6 * i + 12)
            F[own] += turn @ self.work.f
            K[own, own] += turn @ self.work.K @ turn.T
        return F[6:], K[6:, 6:]

    def move(self, x):
        """Move and turn the free frames by x (6 n,)."""
        x = x.reshape(-1, 6)
        self.r[1:] += x[:, :3]
        self.R[1:] = Rotation.from_rotvec(x[:, 3:]).as_matrix() @ self.R[1:]

    def correction(self, force):
        """Return Newton's move (6 n,) for a force (3,) at the tip."""
        F, K = self.assembled()
        F[-6:-3] -= force
        return -np.linalg.solve(K, F)

    def load(self, force):
        """Find the equilibrium with a force (3,) at the tip."""
        for _ in range(40):
            x = self.correction(force)
            self.move(x * min(1.0, LONGEST_TURN / np.abs(x.reshape(-1, 6)[:, 3:]).max()))
            if np.abs(x).max() < 1e-10:
                return
        raise AssertionError(f"no equilibrium for {force}; the last move was {np.abs(x).max():g}")


def tip_error(bodies, force, steps):
    """Return the distance [m] of the tip from that of the elastica."""
    chain = Chain(bodies)
    for step in range(1, steps + 1):
        chain.load((0.0, force * step / steps, 0.0))
    assert abs(chain.r[-1, 2]) < 1e-12
    return np.linalg.norm(chain.r[-1, :2] - elastica(force))


def test_the_reference_bends_as_elliptic_integrals_say():
    """Without stretch theta'' = -F cos(theta) / EI has the first integral theta'² = 2 F (sin(tip) - sin(theta)) / EI."""
    force = 500.0
    bending = MATERIAL.young * SECTION.iz

    def along(tip, power):
        """Return the integral of sin(theta)^power over the length; the end of the root is a square root, u² = tip - theta."""
        def value(u):
            theta = tip - u * u
            return 2 * u * np.sin(theta) ** power / np.sqrt(2 * force / bending * (np.sin(tip) - np.sin(theta)))

        return quad(value, 0, np.sqrt(tip), epsabs=1e-12)[0]

    tip = brentq(lambda tip: along(tip, 0) - LENGTH, 0.05, 1.5)
    x = np.sqrt(2 * bending / force * np.sin(tip))  # moment at the clamp: F x = EI theta'
    stretch = force / (MATERIAL.young * SECTION.area)
    assert elastica(force) == pytest.approx((x, along(tip, 1)), abs=2 * stretch * LENGTH)


@pytest.mark.parametrize("force, steps", [(100, 1), (2000, 8)])
def test_a_cantilever_of_superelements_bends_like_the_elastica(force, steps):
    """Second order, and no further from the elastica than each body's chord is from its arc."""
    bodies = (10, 20)
    errors = [tip_error(n, force, steps) for n in bodies]
    turn = force * LENGTH**2 / (2 * MATERIAL.young * SECTION.iz)  # of the tip, at most
    assert all(error <= LENGTH * (min(turn, np.pi / 2) / n) ** 2 for n, error in zip(bodies, errors, strict=True))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_newton_converges_quadratically():
    """The tangent is exact: one iteration leaves the square of a small distance from the equilibrium, in space.

    Bending by x stretches by x², against the stiffness EA, 10⁴ times that of bending: small means 10⁻⁵ and less.
    """
    force, left = (0.0, 300.0, 50.0), []
    direction = np.random.default_rng(0).standard_normal(18)
    for distance in (1e-6, 1e-7):
        chain = Chain(3)
        chain.load(force)
        chain.move(distance * direction)
        chain.move(chain.correction(force))
        left.append(np.abs(chain.correction(force)).max())
    assert np.log10(left[0] / left[1]) == pytest.approx(2.0, abs=0.1)
