"""A run cannot end well with accelerations that do not satisfy the equations of motion.

Penalties are spoiled on purpose: by those that the masses along redundant rows would give, which are rounding over the square
of rounding in a linkage that is turned in space, and by powers of ten drawn at random.  A motion is then the sound one, or the
run is refused; a linkage that hangs in the air with status "ok" is neither.
"""

from dataclasses import replace

import numpy as np
import pytest
from invariance.library import fourbar
from physics.test_frames import turned_world
from random_models import random_rotation

import dalembert as dal
from dalembert.kernels.linked_work import eval_constraints, eval_mass, make_linked_work
from dalembert.start import begin, natural, prepared

ACCURACY = 1e-6
"""Of `run` by default."""
UNTIL = 0.2
TURNS = 20


def along_rows(packed, t, q, qd, *_):
    """Return j D jᵀ / (j jᵀ)² of every row j, D the diagonal of the mass matrix, without a look at rounding."""
    system, work = packed.system, make_linked_work(packed.system)
    eval_constraints(system, float(t), q, qd, work)
    eval_mass(system, q, work)
    columns, owner = system.entry["column"], np.repeat(np.arange(len(system.row)), system.row["count"])
    square, count = work.jacobian**2, len(system.row)
    moved = np.bincount(owner, square * work.mass[system.pattern.diagonal][columns], count)
    length = np.bincount(owner, square, count)
    mass = np.divide(moved, length**2, out=np.zeros(count), where=length > 0)
    heavy = mass > 1e-6 * mass.max()
    return 1e4 * np.where(heavy, mass, np.median(mass[heavy]))


def spoiled(with_penalties, penalties):
    """Return `with_penalties` with other penalties in joint coordinates."""

    def spoil(packed, *state):
        packed = with_penalties(packed, *state)
        rows = packed.system.row.copy()
        rows["penalty"] = penalties(packed, *state)
        rows.setflags(write=False)
        return replace(packed, system=packed.system._replace(row=rows))

    return spoil


def refusals(monkeypatch, formulation, penalties):
    """Run turned four-bars with and without the penalties; return why runs were refused, after a look at the others."""
    original, texts = begin.with_penalties, []
    for seed in range(TURNS):
        model = turned_world(fourbar(), random_rotation(np.random.default_rng(seed)))
        for module in (begin, natural):
            monkeypatch.setattr(module, "with_penalties", original)
        sound = dal.run(model, until=UNTIL, formulation=formulation)["a.angle"]
        for module in (begin, natural):
            monkeypatch.setattr(module, "with_penalties", spoiled(original, penalties(seed)))
        prepared.forget()
        try:
            found = dal.run(model, until=UNTIL, formulation=formulation)["a.angle"]
        except dal.MultibodyError as error:
            texts.append(str(error))
        else:
            assert np.max(abs(found - sound)) <= 1e3 * ACCURACY  # local errors of some hundred steps
    return texts


def test_masses_of_redundant_rows_do_not_freeze_a_linkage(monkeypatch):
    assert refusals(monkeypatch, "semi-recursive", lambda seed: along_rows)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_uneven_penalties_do_not_freeze_a_linkage(monkeypatch, formulation):
    def penalties(seed):
        rng = np.random.default_rng(seed)
        return lambda packed, *state: packed.system.row["penalty"] * 10.0 ** rng.uniform(0, 16, len(packed.system.row))

    texts = refusals(monkeypatch, formulation, penalties)
    assert texts if formulation == "semi-recursive" else any("equations of motion" in text for text in texts), texts


@pytest.mark.parametrize("integrator, step", [("dopri5", None), ("generalized-alpha", 1e-3)])
@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_sound_penalties_are_not_refused(formulation, integrator, step):
    for seed in range(TURNS):
        model = turned_world(fourbar(), random_rotation(np.random.default_rng(seed)))
        r = dal.run(model, until=UNTIL, formulation=formulation, integrator=integrator, step=step)
        assert np.ptp(r["a.angle"]) > 0.1  # radians that it falls
