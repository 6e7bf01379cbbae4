"""Constraint rows that no motion of the tree violates: found in any axes, and left out of steps without a trace."""

import numpy as np
import pytest
from invariance.transformations import Turned
from mechanisms import bricard, n_fourbar
from physics.loop_models import parallelogram, slider_crank
from random_models import random_rotation
from reference import load

import dalembert as dal
from dalembert.kernels.evaluate import eval_accelerations
from dalembert.kernels.linked_work import make_linked_work
from dalembert.simulate import loop
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import RunOptions
from dalembert.start.identities import moved_rows, only_rows
from dalembert.start.initial import prepare_start
from dalembert.system.edit import changed

ROUNDING = 1e-11
"""Of accelerations and reactions, relative to the largest: penalties are 1e4 times masses."""


def linkage():
    """Bricard's: one row more than can be independent, but none that all motions of the tree satisfy."""
    return bricard(load("p5_A04_bricard")["data"])


def chain():
    """Three four-bars in a row."""
    return n_fourbar(load("p5_A02_n_fourbar")["data"], 3)


def door():
    """Two hinges on one axis, of which one holds nothing that the other does not."""
    places = {"low": (0, 0, 0), "high": (0, 0, 2)}
    return dal.Model("door", gravity=(0, 0, -9.81), ground=places).add(
        dal.Body("leaf", mass=10.0, com=(0.5, 0, 1), inertia=(1, 1, 1), points=places),
        *(dal.Revolute(name, f"ground.{name}", f"leaf.{name}", axis=(0, 0, 1)) for name in places))


def coupled():
    """A parallelogram whose second arm is driven by a gear: the row between coordinates is no identity."""
    return parallelogram(0.3).add(dal.Gear("gear", "a", "b", ratio=-1.0))


def rows_of(model):
    begin = prepare_start(model, formulation="semi-recursive")
    system = begin.packed.system
    return moved_rows(system, 0.0, make_linked_work(system))


@pytest.mark.parametrize("make, rows, moved", [(parallelogram, 5, 2), (slider_crank, 5, 2), (chain, 15, 6), (door, 5, 0),
                                               (coupled, 6, 3), (linkage, 5, 5)], ids=lambda x: getattr(x, "__name__", x))
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_rows_that_nothing_moves_are_found_in_any_axes(make, rows, moved, seed):
    model = make() if seed is None else Turned(random_rotation(np.random.default_rng(seed))).write(make())
    found = rows_of(model)
    assert (len(found), int(np.sum(found))) == (rows, moved)


def test_motions_of_drives_count():
    """A table on a driven lift, hinged to a rod on a post: the drive alone moves the row along the post, not the Jacobian."""
    m = dal.Model("lift", ground={"side": (1, 0, 0)}).add(
        dal.Body("table", mass=1.0, inertia=(1, 1, 1), points={"side": (1, 0, 0)}),
        dal.Body("rod", mass=1.0, inertia=(1, 1, 1)),
        dal.Prismatic("lift", "ground", "table", axis=(0, 0, 1)), dal.Motion("drive", "lift", position=0.0),
        dal.Revolute("hinge", "table.side", "rod", axis=(0, 0, 1)), dal.Revolute("post", "ground.side", "rod", axis=(0, 0, 1)))
    begin = prepare_start(m, formulation="semi-recursive")
    system = begin.packed.system
    kept = moved_rows(system, 0.0, make_linked_work(system))
    assert len(kept) == 5 and int(np.sum(kept)) == 1


@pytest.mark.parametrize("make", [parallelogram, slider_crank, chain, door], ids=lambda f: f.__name__)
@pytest.mark.parametrize("options", [dict(), dict(step=0.01), dict(step=0.01, integrator="rk4")], ids=str)
def test_steps_without_them_give_what_steps_with_them_do(make, options, monkeypatch):
    """Planar mechanisms lie in a plane of the axes: rows that are left out are zero to the last digit."""
    def seen():
        r = dal.run(make(), until=0.2, record=0.05, formulation="semi-recursive", **options)
        return {name: r[name] for name in ("energy.total", "constraints.position", *(f"{j.name}.{c}" for j in make().joints
                                                                                     for c in ("force", "torque")))}

    found = seen()
    monkeypatch.setattr(loop, "moved_rows", lambda system, t, work: np.ones(len(system.row), bool))
    for name, wanted in seen().items():
        assert np.max(abs(found[name] - wanted)) <= ROUNDING * max(1.0, np.max(abs(wanted))), name


def test_what_a_step_is_told_of_a_row_is_told_of_the_models_row():
    begin = prepare_start(Turned(random_rotation(np.random.default_rng(3))).write(chain()), formulation="semi-recursive")
    simulation = Simulation(begin, RunOptions(1.0, None, 1e-6, "dopri5", "semi-recursive", None), np.array([0.0]))
    kept = np.flatnonzero(simulation.loop.rows)
    simulation.loop.work.fail["row"] = 3
    assert simulation.loop.failure["row"][0] == kept[3] != 3
    assert simulation.state()["multiplier"].shape == (1, 15)
    assert not np.any(simulation.state()["multiplier"][0, ~simulation.loop.rows])


def test_matrices_of_the_rows_that_are_left_stay_in_their_places():
    """Kept rows enter matrix and accelerations as they do among others without penalties, whichever are left out."""
    begin = prepare_start(linkage(), formulation="semi-recursive")
    kept = np.array([True, False, True, True, False])
    full = changed(begin.packed.system, row={"penalty": np.where(kept, begin.packed.system.row["penalty"], 0.0)})
    work = make_linked_work(full)
    found = []
    for system, scratch in ((full, make_linked_work(full)), (only_rows(full, kept), work._replace(row=work.row[kept]))):
        qdd, tau = np.zeros_like(begin.qd), np.zeros_like(begin.qd)
        eval_accelerations(system, 0.0, begin.q.copy(), begin.qd.copy(), qdd, tau, scratch)
        found.append((scratch.factors.A.copy(), qdd))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], atol=ROUNDING * np.max(abs(found[0][1])))
