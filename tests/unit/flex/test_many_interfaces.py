"""Any number of interfaces in any place: against dense reduction, with inner parts that fall apart."""

import numpy as np
import pytest
from scipy.linalg import eigh

from dalembert.flex.beam_elements import beam
from dalembert.flex.interface_partition import partition
from dalembert.flex.plane_elements import plate
from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Circle, Material

EPS = np.finfo(float).eps
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)


def shaft():
    return beam(length=1.0, section=Circle(0.03), material=STEEL, elements=40)


def block():
    return box((0.6, 0.06, 0.05), divisions=(9, 2, 2), material=STEEL)


def sections(fe, *places):
    """Return the nodes of the sections at x [m], by name."""
    return {f"at {x:g}": fe.nodes_where(lambda a, b, c, x=x: np.abs(a - x) < 1e-9) for x in places}


CASES = {
    "mid node of a beam": (shaft, lambda fe: {"start": "start", "seat": [20], "end": "end"}, "rbe2"),
    "mid node alone": (shaft, lambda fe: {"seat": [20]}, "rbe2"),
    "three seats of a shaft": (shaft, lambda fe: {"a": [7], "b": [20, 21], "c": [33]}, "rbe2"),
    "every fourth node": (shaft, lambda fe: {f"n{k}": [k] for k in range(0, 41, 4)}, "rbe2"),
    "neighbours": (shaft, lambda fe: {f"n{k}": [k] for k in (19, 20, 21)}, "rbe2"),
    "mid-section of a box": (block, lambda fe: {"hub": "-x", **sections(fe, 0.2), "tip": "+x"}, "rbe2"),
    "mid-section in the mean": (block, lambda fe: {"hub": "-x", **sections(fe, 0.2), "tip": "+x"}, "rbe3"),
    "sections without ends": (block, lambda fe: sections(fe, 0.2, 0.4), "rbe2"),
    "section of a plate": (lambda: plate((0.6, 0.06), thickness=0.01, divisions=(18, 3), material=STEEL),
                           lambda fe: {"hub": "-x", **sections(fe, 0.3), "tip": "+x"}, "rbe2"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """Model, reduced body with six modes, and dense K and M by interfaces (active ones first) and inner unknowns."""
    make, interfaces, coupling = CASES[request.param]
    fe = make()
    reduced = craig_bampton(fe, interfaces=interfaces(fe), modes=6, coupling=coupling)
    split = partition(fe, interfaces(fe), coupling)
    whole = np.hstack([split.boundary.toarray()[:, split.active], split.inner.toarray()])
    return fe, reduced, whole.T @ fe.stiffness @ whole, whole.T @ fe.mass @ whole


def test_static_loads_on_interfaces_are_answered_exactly(case):
    """K_bb - K_bi K_ii⁻¹ K_ib by dense factors."""
    _, reduced, K, _ = case
    n = int(reduced.active.sum()) - reduced.n_modes
    condensed = K[:n, :n] - K[:n, n:] @ np.linalg.solve(K[n:, n:], K[n:, :n])
    own = reduced.stiffness[np.ix_(reduced.active, reduced.active)][:n, :n]
    rounding = 10 * EPS * np.linalg.cond(K[n:, n:]) * np.abs(K).max()
    assert np.abs(own - condensed).max() < rounding


def test_fixed_interface_modes_are_the_lowest_of_all_parts(case):
    _, reduced, K, M = case
    n = int(reduced.active.sum()) - reduced.n_modes
    square = eigh(K[n:, n:], M[n:, n:], eigvals_only=True)
    rounding = 100 * EPS * square[-1]
    assert np.abs((2 * np.pi * reduced.frequencies) ** 2 - square[:6]).max() < rounding


def test_rigid_motions_are_exact_and_without_force(case):
    fe, reduced, *_ = case
    rigid = reduced.rigid_modes()
    rigid[~reduced.active] = 0.0
    assert np.abs(reduced.basis @ rigid - fe.rigid_modes()).max() < 1e4 * EPS
    assert np.abs(reduced.stiffness @ rigid).max() < 1e-12 * np.abs(reduced.stiffness).max()  # cancelled large entries


def test_free_frequencies_come_down_to_those_of_the_model(case):
    """Rayleigh and Ritz: from above, and closer with more modes."""
    fe, reduced, K, M = case
    rigid = 3 if fe.is_planar else 6
    exact = np.sqrt(eigh(K, M, eigvals_only=True)[rigid:rigid + 3])

    def found(body):
        part = np.ix_(body.active, body.active)
        return np.sqrt(eigh(body.stiffness[part], body.mass_matrix[part], eigvals_only=True)[rigid:rigid + 3])

    more = craig_bampton(fe, interfaces=dict(zip(reduced.interfaces, reduced.partition.interfaces, strict=True)), modes=18)
    first, second = found(reduced) / exact - 1, found(more) / exact - 1
    rounding = 1e-7  # of the square of a frequency, which the largest eigenvalue scales
    assert np.all(first > -rounding) and np.all(second > -rounding)
    assert np.all(second <= first + rounding) and second.max() < 5e-3
