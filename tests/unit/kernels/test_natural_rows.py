"""Constraint rows in natural coordinates: they hold on trees, and their derivatives are those of their values."""

from dataclasses import replace

import numpy as np
import pytest
from physics.states import EPS, dense_of, packed_case, random_case
from unit.kernels.test_constraints import SLOPE_STEP, difference, random_rows
from unit.kernels.test_natural import natural_of, random_natural

import dalembert as dal
from dalembert.codes import RowCode, Status
from dalembert.kernels.algebra.sparse import make_values
from dalembert.kernels.natural.curvature import natural_row_curvature
from dalembert.kernels.natural.rows import eval_natural_rows
from dalembert.system.pack_natural import pack_global

SEEDS = range(3)
STEP = 1e-5
"""Of central differences [s, rad or m]."""
TIME = 0.3


def shaken_rows(seed):
    """Return rows of every kind, of loops and of a driven tree, at a state off all constraints, with its accelerations."""
    loops, rng = random_rows(seed), np.random.default_rng(seed)
    case = random_case(seed, 11, forces=False, motions=True)
    drive = case.sys.drive.copy()
    drive["law"] = np.arange(len(drive)) % 3  # laws of time among those of the loops' rows
    packed = replace(case.packed, system=loops.sys._replace(drive=drive, dof=case.sys.dof))
    made = natural_of(pack_global(packed), case, np.zeros(case.n_v)).shaken(rng)
    return made._replace(keep=(made.keep, loops)), rng.normal(size=len(made.q))


def noise(made):
    """Return the rounding of each row, relative to its size; functions of COUPLING are differenced."""
    return np.where(made.sys.row["code"] == RowCode.COUPLING, EPS / SLOPE_STEP, made.rounding)


# --- trees hold all rows -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(6))
def test_rows_hold_on_trees(seed):
    """Values, rates and accelerations of the rows of bodies, joints and drives vanish on states of the tree."""
    made, _, _ = random_natural(seed, motions=True)
    row, _ = made.rows(0.0)
    acceleration = made.row_accelerations(0.0, made.qdd)
    for found, size in ((row["Phi"], made.q), (row["Phid"], made.qd), (acceleration, made.qdd)):
        assert np.abs(found).max() <= made.rounding * (1 + np.abs(size).max()) ** 2


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_a_tree_leave_its_freedom(seed):
    """As many directions remain as the tree has rates without drives; no row repeats another."""
    made, case, _ = random_natural(seed, motions=True)
    J = made.dense(made.rows(0.0)[1])
    assert np.linalg.matrix_rank(J) == len(J) == len(made.q) - case.n_v + len(case.sys.drive)


def test_loop_rows_keep_their_numbers():
    loops = random_rows(0)
    made, _ = shaken_rows(0)
    n = len(loops.sys.row)
    for name in ("code", "a", "b", "u_a", "e_b", "c", "law", "term", "terms"):
        assert np.array_equal(made.sys.row[name][:n], loops.sys.row[name]), name
    assert np.array_equal(made.sys.term[:len(loops.sys.term)], loops.sys.term)


def test_loop_rows_have_the_values_and_rates_of_joint_coordinates():
    loops = random_rows(1)
    case = random_case(1, 11, forces=False)
    made = natural_of(pack_global(replace(case.packed, system=loops.sys)), case, np.zeros(case.n_v))
    expected, (found, _), n = loops.evaluated(TIME), made.rows(TIME), len(loops.sys.row)
    for name in ("Phi", "Phid", "Phi_t"):
        bound = noise(made)[:n] * (1 + np.abs(expected[name]).max())
        assert np.all(np.abs(found[name][:n] - expected[name]) <= bound), name


# --- derivatives ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_the_derivative_of_the_rows(seed):
    """By coordinates or, for rows that bind rates only, by rates, along random directions; entries left out are zero."""
    made, x = shaken_rows(seed)
    row, jacobian = made.rows(TIME)
    by_q, error = difference(lambda h: made.rows(TIME, q=made.q + h * x)[0]["Phi"])
    by_qd = (made.rows(TIME, qd=made.qd + x)[0]["Phid"] - made.rows(TIME, qd=made.qd - x)[0]["Phid"]) / 2
    expected = np.where(made.sys.row["rate_only"] == 1, by_qd, by_q)
    size = 1 + np.abs(row["Phi"]) + np.abs(row["Phid"]) + np.abs(made.dense(jacobian)) @ np.abs(x)
    bound = error + (noise(made) + made.rounding / STEP) * size
    assert np.all(np.abs(made.dense(jacobian) @ x - expected) <= bound)
    assert error <= 1e-4 * np.abs(expected).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_is_the_time_derivative_of_the_value(seed):
    made, _ = shaken_rows(seed)
    row, _ = made.rows(TIME)
    found, error = difference(lambda h: made.rows(TIME + h, q=made.q + h * made.qd)[0]["Phi"])
    rounding = (noise(made) + made.rounding / STEP) * (1 + np.abs(row["Phi"]))
    wrong = np.abs(row["Phid"] - found) > error + rounding
    assert not np.any(wrong & (made.sys.row["rate_only"] == 0))


@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration_is_the_time_derivative_of_the_rate(seed):
    """Along any motion that has the given rates and accelerations at its middle."""
    made, qdd = shaken_rows(seed)
    row, jacobian = made.rows(TIME)
    found, error = difference(
        lambda h: made.rows(TIME + h, made.q + h * made.qd + 0.5 * h * h * qdd, made.qd + h * qdd)[0]["Phid"])
    size = 1 + np.abs(made.dense(jacobian)) @ np.abs(made.qd) + np.abs(row["Phi_t"])
    assert np.all(np.abs(made.row_accelerations(TIME, qdd) - found) <= error + noise(made) / STEP * size)
    assert error <= 1e-4 * np.abs(found).max()


def curvature(made, i, qj):
    """Return what the kernel adds for row i with the load 1, in the order of `row_place`, and the sum of all the rest."""
    work, sizes = made.work, made.sys.row["count"] * (made.sys.row["count"] + 1) // 2
    work.row["lam"] = work.row["pen"] = 0.0
    work.row["lam"][i] = 0.5
    values = make_values(made.sys.pattern)
    assert natural_row_curvature(made.sys, TIME, made.q, qj, 2.0, values, work) == 0
    place = made.sys.row_place[sizes[:i].sum():sizes[:i + 1].sum()]
    found = values[place]
    values[place] = 0.0
    return found, np.abs(values).sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_curvature_is_the_derivative_of_the_jacobian(seed):
    """Row by row the symmetric part of dJᵀ/dq, as a form of two directions; nothing falls on other rows' places."""
    made, x = shaken_rows(seed)
    y = np.random.default_rng(seed + 50).normal(size=len(x))
    along_x, error_x = difference(lambda h: made.rows(TIME, q=made.q + h * x)[1])
    along_y, error_y = difference(lambda h: made.rows(TIME, q=made.q + h * y)[1])
    jacobian, qj = made.rows(TIME)[1], made.joints()[0]
    for i, row in enumerate(made.sys.row):
        at = slice(row.first, row.first + row.count)
        x_i, y_i = (d[made.sys.entry["column"][at]] for d in (x, y))
        found, rest = curvature(made, i, qj)
        high, low = np.tril_indices(row.count)
        form = np.where(high == low, 0.5, 1.0) * (x_i[high] * y_i[low] + y_i[high] * x_i[low])
        expected = 0.5 * (along_x[at] @ y_i + along_y[at] @ x_i)
        rounding = noise(made)[i] / STEP * (1 + np.abs(jacobian[at]).max()) ** 2
        size = np.abs(x_i).sum() + np.abs(y_i).sum()
        assert abs(found @ form - expected) <= size * (error_x + error_y + size * rounding), (i, RowCode(row.code))
        assert rest == 0.0
    assert error_x + error_y <= 1e-4 * np.abs(along_x).max()


# --- tables --------------------------------------------------------------------------------------------------------

def test_products_of_the_jacobian_lie_in_the_pattern():
    """Entry by entry of each row at `row_place`: the lower triangle of JᵀJ."""
    made, _ = shaken_rows(0)
    sys, at = made.sys, 0
    jacobian = made.rows(TIME)[1]
    values = make_values(sys.pattern)
    for row in sys.row:
        g = jacobian[row.first:row.first + row.count]
        high, low = np.tril_indices(row.count)
        np.add.at(values, sys.row_place[at:at + len(high)], g[high] * g[low])
        at += len(high)
    found = dense_of(sys.pattern, values)
    J = made.dense(jacobian)
    assert at == len(sys.row_place)
    assert np.abs(found - J.T @ J).max() <= made.rounding * np.abs(J.T @ J).max()


def test_slots_that_a_row_does_not_depend_on_have_no_entries():
    """A joint on the ground about a world axis: no column of the ground, none of axes that its rows do not touch."""
    m = dal.Model("hinge").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
                               dal.Revolute("j", "ground", "b", axis=(0, 0, 1)))
    sys = pack_global(packed_case(m).packed).system
    counts = {code: set(sys.row["count"][sys.row["code"] == code]) for code in np.unique(sys.row["code"])}
    assert counts == {RowCode.UNIT: {3}, RowCode.SQUARE: {6}, RowCode.POSITION: {3}, RowCode.DIRECTION: {3}}


def test_an_unknown_row_is_told():
    made, _, _ = random_natural(0)
    row = made.sys.row.copy()
    row["code"][2] = 99
    row.setflags(write=False)
    sys = made.sys._replace(row=row)
    qj, qdj, _ = made.joints()
    assert eval_natural_rows(sys, 0.0, made.q, made.qd, qj, qdj, made.work) == Status.UNKNOWN_ROW
    assert made.work.fail["row"] == 2


def test_a_screw_advances_with_its_angle_over_many_turns():
    """The advance is tied to the angle itself, not to its sine: after five turns its row still vanishes."""
    m = dal.Model("screw").add(dal.Body("nut", mass=1.0, inertia=(1, 1, 1)),
                               dal.Screw("thread", "ground", "nut", axis=(0, 0, 1), pitch=0.02,
                                         start=10 * np.pi + 0.3, start_rate=2.0))
    case = packed_case(m)
    made = natural_of(pack_global(case.packed), case, np.zeros(1))
    row, _ = made.rows(0.0)
    assert np.abs(row["Phi"]).max() <= made.rounding * (1 + case.q[0])
    assert np.abs(row["Phid"]).max() <= made.rounding * (1 + case.qd[0])
