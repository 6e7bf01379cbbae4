"""Inertia constants against the full nodal mass matrix: kinetic energy, inertia forces, power, discs that turn."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.transform import Rotation

from dalembert.flex.fe_model import FEModel
from dalembert.flex.invariants import PRODUCTS, Inertia, convective_matrices, inertia_constants
from dalembert.flex.plane_elements import plate
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Material

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)


class Body:
    """A finite-element body with random shapes in random motion, and its velocities node by node."""

    def __init__(self, fe, n=4, seed=0):
        self.rng = np.random.default_rng(seed)
        self.fe, self.basis = fe, self.rng.standard_normal((fe.n_dof, n))
        self.constants = inertia_constants(fe, self.basis)
        self.q, self.qd, self.qdd = 0.1 * self.rng.standard_normal((3, n))
        self.v, self.w, self.a, self.wd = self.rng.standard_normal((4, 3))
        if fe.is_planar:
            self.v[2] = self.a[2] = self.w[0] = self.w[1] = self.wd[0] = self.wd[1] = 0.0

    def nodal(self, values):
        """Nodal vectors (n_node, 3, ...) of displacement unknowns."""
        out = np.zeros((len(self.fe.nodes), 3, *values.shape[1:]))
        out[self.fe.dof_node, self.fe.dof_direction] = values
        return out

    def unknowns(self, nodal):
        return nodal[self.fe.dof_node, self.fe.dof_direction]

    def velocity(self, q, qd, v, w):
        place = self.fe.nodes + self.nodal(self.basis @ q)
        return self.unknowns(v + np.cross(w, place) + self.nodal(self.basis @ qd))

    def energy(self, q, qd, v, w):
        velocity = self.velocity(q, qd, v, w)
        return 0.5 * velocity @ (self.fe.mass @ velocity)


def distorted():
    """A solid whose elements are no boxes."""
    fe = box((0.4, 0.2, 0.1), divisions=(3, 2, 1), material=STEEL)
    return FEModel(fe.nodes + [0.3, -0.2, 0.5], fe.dof_node, fe.dof_direction, fe.stiffness, fe.mass)


def flat():
    return plate((0.4, 0.2), thickness=0.02, divisions=(4, 3), material=STEEL)


@pytest.fixture(params=[distorted, flat], ids=["solid", "plane"])
def body(request):
    return Body(request.param())


def test_kinetic_energy_with_all_orders_of_deformation(body):
    rates = np.r_[body.v, body.w, body.qd]
    found = 0.5 * rates @ body.constants.mass_matrix(body.q) @ rates
    expected = body.energy(body.q, body.qd, body.v, body.w)
    assert found == pytest.approx(expected, rel=1e3 * EPS)


def test_inertia_forces_against_nodal_accelerations(body):
    """Virtual power of M times the nodal accelerations on every virtual velocity of frame and shapes."""
    q, qd, w = body.q, body.qd, body.w
    place = body.fe.nodes + body.nodal(body.basis @ q)
    speed = body.nodal(body.basis @ qd)
    acceleration = body.a + np.cross(body.wd, place) + np.cross(w, np.cross(w, place)) + 2 * np.cross(w, speed) \
        + body.nodal(body.basis @ body.qdd)
    force = body.fe.mass @ body.unknowns(acceleration)
    nodal_force = body.nodal(force)
    expected = np.r_[nodal_force.sum(axis=0), np.cross(place, nodal_force).sum(axis=0), body.basis.T @ force]
    found = body.constants.mass_matrix(q) @ np.r_[body.a, body.wd, body.qdd] + body.constants.quadratic_forces(q, qd, w)
    rows = [0, 1, 5, *range(6, 6 + len(q))] if body.fe.is_planar else range(6 + len(q))
    rounding = 1e3 * EPS * np.abs(force).sum()
    assert np.abs(found - expected)[list(rows)].max() < rounding


def test_power_of_inertia_forces_is_the_rate_of_kinetic_energy(body):
    """Central difference of the full model's energy along a motion."""
    dt = EPS ** (1 / 3)
    vd = body.a - np.cross(body.w, body.v)
    energy = [body.energy(body.q + s * body.qd + s * s / 2 * body.qdd, body.qd + s * body.qdd, body.v + s * vd,
                          body.w + s * body.wd) for s in (-dt, dt)]
    forces = body.constants.mass_matrix(body.q) @ np.r_[body.a, body.wd, body.qdd] \
        + body.constants.quadratic_forces(body.q, body.qd, body.w)
    power = np.r_[body.v, body.w, body.qd] @ forces
    assert power == pytest.approx((energy[1] - energy[0]) / (2 * dt), abs=100 * dt**2 * energy[0])


def test_centrifugal_loads_by_products_of_angular_velocity(body):
    """The six columns stand for w_x², w_y², w_z², w_x w_y, w_y w_z, w_x w_z: one after the other."""
    slope = body.constants.inertia_slope
    for a, b in PRODUCTS:
        w = np.zeros(3)
        w[[a, b]] = 1.0
        if body.fe.is_planar and (a, b) != (2, 2):
            continue
        loads = body.basis.T @ (body.fe.mass @ body.unknowns(np.cross(w, np.cross(w, body.fe.nodes))))
        found = -0.5 * np.einsum("lab,a,b->l", slope, w, w)
        assert np.abs(found - loads).max() < 1e3 * EPS * np.abs(loads).max() * np.sqrt(body.fe.n_dof)


def test_symmetries():
    c = Body(distorted()).constants
    assert np.array_equal(c.gyroscopic, -c.gyroscopic.transpose(0, 2, 1))
    assert np.array_equal(c.inertia_slope, c.inertia_slope.transpose(0, 2, 1))
    scale = np.abs(c.inertia_curvature).max()
    assert np.abs(c.inertia_curvature - c.inertia_curvature.transpose(1, 0, 3, 2)).max() < 100 * EPS * scale
    trace = np.einsum("lkaa->lk", c.inertia_curvature)  # |u|² counts twice: 3 |u|² - |u|²
    assert np.abs(trace - 2 * c.modal_mass).max() < 100 * EPS * scale


def test_another_origin():
    body, origin = Body(distorted()), np.array([0.4, -0.3, 0.2])
    fe = body.fe
    there = inertia_constants(FEModel(fe.nodes - origin, fe.dof_node, fe.dof_direction, fe.stiffness, fe.mass), body.basis)
    assert_same(body.constants.shifted(origin), there)


def test_other_coordinates():
    body = Body(distorted())
    change = np.random.default_rng(5).standard_normal((4, 2))
    assert_same(body.constants.projected(change), inertia_constants(body.fe, body.basis @ change))


def assert_same(found: Inertia, expected: Inertia):
    for name in Inertia.__dataclass_fields__:
        a, b = (np.asarray(getattr(c, name)) for c in (found, expected))
        assert np.abs(a - b).max() < 1e4 * EPS * max(np.abs(b).max(), expected.mass), name


def rotor(seed=0):
    """Points with mass and discs of three different moments of inertia, in a row."""
    rng = np.random.default_rng(seed)
    nodes = rng.standard_normal((4, 3))
    mass = np.c_[np.repeat(rng.uniform(1, 2, 4)[:, None], 3, axis=1), rng.uniform(0.5, 1.5, (4, 3))].ravel()
    zero = csr_array((24, 24))
    return FEModel(nodes, np.repeat(np.arange(4), 6), np.tile(np.arange(6), 4), zero, csr_array(np.diag(mass))), mass


def rotor_energy(fe, mass, basis, q, qd, v, w):
    """Kinetic energy of turned discs without any expansion: spins in the axes of each disc."""
    u, ud = ((basis @ x).reshape(4, 6) for x in (q, qd))
    speed = v + np.cross(w, fe.nodes + u[:, :3]) + ud[:, :3]
    turned = Rotation.from_rotvec(u[:, 3:])
    dt = EPS ** (1 / 3)
    later, sooner = (Rotation.from_rotvec(u[:, 3:] + s * ud[:, 3:]) for s in (dt, -dt))
    own = (sooner.inv() * later).as_rotvec() / (2 * dt)  # spin of the disc against the frame, in its axes
    spin = turned.inv().apply(w) + own
    m = mass.reshape(4, 6)
    return 0.5 * (m[:, :3] * speed**2).sum() + 0.5 * (m[:, 3:] * spin**2).sum()


def test_discs_keep_their_gyroscopic_couples_to_second_order():
    """The error of the energy is of third order in deformation and its rate."""
    fe, mass = rotor()
    rng = np.random.default_rng(1)
    basis = rng.standard_normal((24, 3))
    constants = inertia_constants(fe, basis)
    q, qd = rng.standard_normal((2, 3))
    v, w = rng.standard_normal((2, 3))
    errors = []
    for size in (4e-2, 2e-2, 1e-2):
        rates = np.r_[v, w, size * qd]
        found = 0.5 * rates @ constants.mass_matrix(size * q) @ rates
        errors.append(abs(found - rotor_energy(fe, mass, basis, size * q, size * qd, v, w)))
    order = np.polyfit(np.log([4, 2, 1]), np.log(errors), 1)[0]
    assert order == pytest.approx(3.0, abs=0.2)


def test_convective_forces_of_a_rigid_rotation():
    """A rigid velocity field that turns: m w x (w x c) and w x J w, for points and for discs."""
    for fe in (distorted(), rotor()[0]):
        rigid = fe.rigid_modes()
        w = np.array([0.3, -0.7, 0.5])
        force = np.einsum("c,clk,k->l", w, convective_matrices(fe, rigid), np.r_[np.zeros(3), w])
        c = inertia_constants(fe, rigid)
        expected = np.r_[np.cross(w, np.cross(w, c.first_moment)), np.cross(w, c.inertia @ w)]
        assert np.abs(force - expected).max() < 1e3 * EPS * np.abs(c.inertia).max()
