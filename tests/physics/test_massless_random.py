"""Random trees with random massless bodies against dense matrices and the SVD, and against bodies of tiny inertia.

The dense mass matrix is the sum of Jᵀ M J over the bodies, with velocities by tests/brute_motion.py; accelerations come from
the least-squares solution of its system of all bodies and joint wrenches.  Bodies are whole, massless, point masses or rods
without inertia about their axis; joints of neighbours are coaxial half of the time, so that massless bodies in the middle
of a tree have nothing to move.
"""

import brute_force as brute
import numpy as np
import pytest
from brute_loads import applied_wrenches
from brute_motion import body_states
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from physics.states import EPS
from random_models import random_coordinates, random_inertia, random_unit, scalar_coordinates, start_value

import dalembert as dal
from dalembert.kernels.tree.state import move
from dalembert.model import parts
from dalembert.model.check import check
from dalembert.start.initial import prepare_start
from dalembert.start.massless import MasslessState
from dalembert.system.pack import pack
from dalembert.topology.span import span

JOINTS = (parts.Revolute, parts.Prismatic, parts.Revolute, parts.Cylindrical, parts.Universal, parts.Spherical, parts.Planar)
GAP = 1e-9
"""Singular values of a matrix with entries of about one are either below (rounding) or far above."""
UNDECIDED = 5e-10, 1e-6
"""Damping that the dense matrices cannot tell from none, nor from some: differences are good to about 1e-9."""
SEEDS = st.integers(0, 2**31)
BOUNDED = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
FEW = settings(BOUNDED, max_examples=10)


# --- random models -------------------------------------------------------------------------------------------------

def random_body(rng, name):
    """Return a body that is whole, massless, a point mass or a rod without inertia about its axis."""
    kind = ("whole", "massless", "massless", "point", "rod")[rng.integers(5)]
    mass, com = rng.uniform(0.5, 2.0), rng.uniform(-0.3, 0.3, 3)
    J, missing = random_inertia(rng, mass), np.zeros((3, 3))
    if kind == "massless":
        mass, com, J = 0.0, np.zeros(3), missing
    elif kind == "point":
        com, J = np.array([0.0, 0.0, -0.4]), missing
    elif kind == "rod":
        com, J = np.array([0.0, 0.0, -0.4]), np.diag([0.1, 0.1, 0.0])
    return parts.Body(name, mass=mass, com=tuple(com), inertia=J, points={"a": tuple(rng.uniform(-0.5, 0.5, 3))})


def elements(rng, joint, support):
    """Return springs and dampers on all coordinates of a joint; each is left out with probability 1 - support."""
    def size(large):
        return float(rng.uniform(0.2, 1.0) * large * (rng.random() < support))

    if isinstance(joint, parts.Spherical):
        return [parts.Bushing(f"{joint.name} rubber", joint.first, joint.second, turning_stiffness=size(8.0),
                              turning_damping=size(1.0))]
    return [parts.JointSpring(f"{joint.name} {c}", joint.name, stiffness=size(20.0), damping=size(2.0),
                              **({"coordinate": c} if len(joint.coordinates) > 1 else {}))
            for _, c, _ in scalar_coordinates([joint])]


def random_model(seed, support, n=6):
    """Return a random tree with massless bodies, its coordinates and its rates."""
    rng = np.random.default_rng(seed)
    model, names = dal.Model(f"seed {seed}", gravity=(0, 0, -9.81)), ["ground"]
    coordinates, rates = {}, {}
    for i in range(1, n + 1):
        kind = JOINTS[rng.integers(len(JOINTS))]
        inner, coaxial = names[rng.integers(len(names))], rng.random() < 0.5
        place = inner if coaxial or inner == "ground" else f"{inner}.a"
        axis = (0, 0, 1) if coaxial else tuple(random_unit(rng))
        axes = ({"axis1": (1, 0, 0), "axis2": (0, 0, 1)} if kind is parts.Universal else
                {"axis": axis} if hasattr(kind, "axis") else {})
        q, u = random_coordinates(rng, kind), rng.normal(size=len(kind.record.rates))
        joint = kind(f"j{i}", place, f"b{i}", **axes, start=start_value(q), start_rate=start_value(u))
        model.add(random_body(rng, f"b{i}"), joint, *elements(rng, joint, support))
        names.append(f"b{i}")
        coordinates[joint.name], rates[joint.name] = q, u
    return model, coordinates, rates


# --- dense matrices ------------------------------------------------------------------------------------------------

class Dense:
    """A model with dense matrices at a state, in the order of the tree's rates."""

    def __init__(self, model, coordinates, rates):
        self.checked = check(model)
        self.packed = pack(span(self.checked))
        self.layout = self.packed.layout
        q, qd = np.zeros(self.layout.n_q), np.zeros(self.layout.n_v)
        for j in self.layout.joints:
            q[j.q:j.q + j.nq], qd[j.v:j.v + j.nv] = coordinates[j.name], rates[j.name]
        self.set(q, qd)

    def set(self, q, qd):
        """Take a state in tree coordinates."""
        self.state = MasslessState(self.packed, 0.0, q, qd)
        self.n = len(qd)
        self.coordinates = {j.name: q[j.q:j.q + j.nq] for j in self.layout.joints}
        self.rates = {j.name: qd[j.v:j.v + j.nv] for j in self.layout.joints}

    def by_joint(self, vector):
        """Split a vector of rates by the model's joints."""
        return {j.name: vector[j.v:j.v + j.nv] for j in self.layout.joints}

    def mass_matrix(self):
        """Return M as the sum of Jᵀ M J, with velocities of unit rates."""
        M = np.zeros((self.n, self.n))
        moving = [body_states(self.checked, *brute.joint_vectors(self.checked, self.coordinates, self.by_joint(e)))
                  for e in np.eye(self.n)]
        for i, body in enumerate(self.checked.bodies[1:], 1):
            v, w = (np.array([getattr(states[i], name) for states in moving]) for name in "vw")
            R = moving[0][i].R
            M += body.mass * v @ v.T + w @ R @ body.inertia @ R.T @ w.T
        return M

    def accelerations(self):
        """Return joint accelerations of the dense system of all bodies and wrenches, the shortest where they are open."""
        model = self.checked
        q, u = brute.joint_vectors(model, self.coordinates, self.rates)
        states, number = body_states(model, q, u), brute.number_unknowns(model)
        A, rhs = np.zeros((number.size, number.size)), np.zeros(number.size)
        brute.add_newton_euler(model, states, number, applied_wrenches(model, states, q, u, 0.0), A, rhs)
        for k in range(len(model.joints)):
            brute.add_joint(model, states, number, k, q[k], u[k], A, rhs)
        solution = np.linalg.lstsq(A, rhs, rcond=1e-11)[0]
        gap = np.abs(A @ solution - rhs).max()
        qdd = np.zeros(self.n)
        for k, joint in enumerate(model.joints):
            j = next(entry for entry in self.layout.joints if entry.name == joint.name)
            qdd[j.v:j.v + j.nv] = solution[number.rate[k]:number.rate[k] + j.nv]
        return qdd, gap

    def null_space(self):
        """Return orthonormal columns that M maps to zero."""
        _, sizes, V = np.linalg.svd(self.mass_matrix())
        assert not np.any((sizes > 1e-13 * sizes[0]) & (sizes < GAP * sizes[0])), "no clear rank"
        return V[sizes <= 1e-13 * sizes[0]].T if sizes[0] > 0 else np.eye(self.n)

    def damping_and_stiffness(self, qdd, step=1e-5):
        """Return the derivatives of the residual by rates and coordinates, central differences."""
        C, K = np.zeros((self.n, self.n)), np.zeros((self.n, self.n))
        q, qd = self.state.q.copy(), self.state.qd.copy()
        for k, e in enumerate(np.eye(self.n)):
            for sign in (1, -1):
                self.state.q, self.state.qd = q, qd + sign * step * e
                C[:, k] += sign * self.state.residual(qdd) / (2 * step)
                moved = np.empty_like(q)
                move(self.packed.system, q, sign * step * e, moved)
                self.state.q, self.state.qd = moved, qd
                K[:, k] += sign * self.state.residual(qdd) / (2 * step)
        self.state.q, self.state.qd = q, qd
        return C, K

    def kinds(self, N, qdd):
        """Return (first-order, algebraic, open) numbers of the motions N by dense matrices."""
        C, K = self.damping_and_stiffness(qdd)
        C, K = N.T @ C @ N, N.T @ K @ N
        left, sizes, right = np.linalg.svd(C)
        assume(not np.any((sizes > UNDECIDED[0]) & (sizes < UNDECIDED[1])))
        first = int(np.sum(sizes > UNDECIDED[1]))
        stiff = left[:, first:].T @ K @ right[first:].T
        algebraic = int(np.sum(np.linalg.svd(stiff, compute_uv=False) > 1e-6)) if stiff.size else 0
        return first, algebraic, N.shape[1] - first - algebraic


def started(model):
    """Return the consistent start, or the SingularError, which must name a joint and its body."""
    try:
        return prepare_start(model)
    except dal.SingularError as error:
        text = str(error)
        joint = next((j for j in model.joints if f"joint {j.name!r}" in text), None)
        assert joint is not None and repr(joint.second) in text, text
        assert "rank" in text and "Give" in text, text
        return error


# --- the laws ------------------------------------------------------------------------------------------------------

@BOUNDED
@given(SEEDS)
def test_motions_without_inertia_span_the_null_space(seed):
    dense = Dense(*random_model(seed, support=1.0))
    N, found = dense.null_space(), dense.state.find()
    X = np.zeros((0, dense.n)) if found is None else found.basis
    assert len(X) == N.shape[1]
    if len(X):
        size = np.abs(X).max()
        assert np.abs(X - X @ N @ N.T).max() <= 1e4 * dense.n * EPS * size  # in the span
        assert np.linalg.matrix_rank(X, tol=1e-6 * size) == len(X)
        assert np.array_equal(X[:, found.rates], np.eye(len(X)))


@BOUNDED
@given(SEEDS)
def test_accelerations_leave_only_the_first_order_equations(seed):
    """Inverse dynamics gives zero for rates with inertia; at the massless ones it leaves x·F, [ARN (20b)], at any state."""
    dense = Dense(*random_model(seed, support=1.0))
    N, found = dense.null_space(), dense.state.find()
    if found is None:
        return
    F, free = dense.state.residual(found.qdd), dense.state.residual(np.zeros(dense.n))
    massive = np.setdiff1d(np.arange(dense.n), found.rates)
    sizes = np.linalg.svd(dense.mass_matrix(), compute_uv=False)
    condition = sizes[0] / sizes[len(massive) - 1] if len(massive) else 1.0
    loss = 1e3 * dense.n * EPS * condition * (1 + np.abs(free).max())
    assert np.abs(F[massive]).max(initial=0.0) <= loss
    assert np.abs(found.basis @ F - F[found.rates]).max() <= loss * np.abs(found.basis).max()
    assert np.linalg.norm(N.T @ F - N.T @ free) <= loss  # accelerations have no say in them


@BOUNDED
@given(SEEDS)
def test_accelerations_agree_with_the_dense_system(seed):
    """At a consistent state the dense system is singular but has solutions; they differ by motions without inertia."""
    model, coordinates, rates = random_model(seed, support=1.0)
    begin = started(model)
    if isinstance(begin, Exception) or not begin.massless:
        return
    dense = Dense(model, coordinates, rates)
    dense.set(begin.q, begin.qd)
    qdd, gap = dense.accelerations()
    difference = dense.state.find().qdd - qdd
    M = dense.mass_matrix()
    load = 1 + np.abs(dense.state.residual(np.zeros(dense.n))).max()
    assert gap <= 1e-8 * load  # the least-squares solution is one
    assert np.abs(M @ difference).max() <= 1e-8 * load


@pytest.mark.parametrize("support", [1.0, 0.6])
@BOUNDED
@given(seed=SEEDS)
def test_the_kinds_of_equations_are_those_of_dense_matrices(support, seed):
    """Damped: first order; stiff only: algebraic; neither: SingularError that names joint and body; never NaN."""
    model, coordinates, rates = random_model(seed, support)
    dense = Dense(model, coordinates, rates)
    N = dense.null_space()
    if not N.shape[1]:
        return
    dense.state.work.rank["allowed"] = dense.n
    try:
        found = dense.state.find()
    except dal.SingularError as error:
        assert isinstance(started(model), dal.SingularError), error
        found = None
    qdd = np.zeros(dense.n) if found is None else found.qdd
    if found is None:  # accelerations of the massive ones enter the stiffness
        qdd = np.linalg.lstsq(dense.mass_matrix(), -dense.state.residual(np.zeros(dense.n)), rcond=1e-12)[0]
    first, algebraic, unsupported = dense.kinds(N, qdd)
    assert (found is None) == (unsupported > 0)
    if found is not None:
        assert (found.first_order, len(found.rates) - found.first_order) == (first, algebraic)
        assert np.all(np.isfinite(found.qdd)) and np.all(np.isfinite(found.jacobian))


@FEW
@given(SEEDS)
def test_every_model_runs_or_says_why_not(seed):
    """Poorly supported trees: finite results, or an error of ours that names a joint."""
    model, _, _ = random_model(seed, support=0.5, n=4)
    try:
        r = dal.run(model, until=0.05, step=0.005, record=0.01)
    except dal.SingularError as error:
        assert any(repr(j.name) in str(error) for j in model.joints)
        return
    except dal.ConvergenceError:
        return
    for j in model.joints:
        for channel in ("rates", "speed"):
            if f"{j.name}.{channel}" in r.channels:
                assert np.all(np.isfinite(r[f"{j.name}.{channel}"])), j.name


def with_tiny_inertia(model, eps):
    """Return the model with inertia `eps` in all directions of all bodies, started where the massless one is."""
    begin = dal.assemble(model)
    for body in model.bodies:
        model = model.replaced(body.name, mass=body.mass + eps, inertia=np.array(body.inertia) + eps * np.eye(3))
    for j in model.joints:
        scalar = len(j.coordinates) == 1
        q = begin[f"{j.name}.{'angle' if 'angle' in j.coordinates else 'displacement'}" if scalar else
                  f"{j.name}.coordinates"][0]
        u = begin[f"{j.name}.{'speed' if scalar else 'rates'}"][0]
        model = model.replaced(j.name, start=start_value(np.atleast_1d(q)), start_rate=start_value(np.atleast_1d(u)))
    return model


def passes(model, step, until, integrator):
    """Tell whether an integrator gets through a model with a fixed step."""
    try:
        return dal.run(model, until=until, step=step, integrator=integrator).status == "ok"
    except dal.ConvergenceError:
        return False


@pytest.mark.parametrize("options", [dict(accuracy=1e-7), dict(step=1e-3)], ids=["auto", "fixed"])
@FEW
@given(seed=SEEDS)
@example(seed=0)
@example(seed=310)
@example(seed=329)
def test_tiny_inertias_give_nearly_the_same_motion(options, seed):
    """O(eps) on the positions of the bodies with inertia, in damped trees (all massless equations of first order).

    A fixed step may be too long for a layer at the start (seed 310: 4e5 rad/s² for 0.1 ms), then for every integrator; where
    others get over it (seed 329: 7e4 rad/s²) generalized-alpha does, too.
    """
    model, _, _ = random_model(seed, support=1.0, n=4)
    begin = started(model)
    if isinstance(begin, Exception) or not begin.massless:
        return
    eps, until = 1e-7, 0.05
    step = options.get("step")
    if step and not passes(model, step, until, "generalized-alpha"):
        assert not any(passes(model, step, until, other) for other in ("sdirk4", "radau"))
        return
    slow = [b for b in model.bodies if b.mass > 0]
    reduced, tiny = (dal.run(m, until=until, record=0.01, **options) for m in (model, with_tiny_inertia(model, eps)))
    steps = max(reduced.stats.steps, tiny.stats.steps)
    solver = 20 * options["accuracy"] * np.sqrt(steps) if "accuracy" in options else 1e-3**2
    for body in slow:
        distance = np.abs(reduced[f"{body.name}.position"] - tiny[f"{body.name}.position"]).max()
        assert distance <= 1e3 * eps + solver, body.name
