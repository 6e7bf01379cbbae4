"""Mobility, redundant rows, equilibria, their stability and frequencies do not depend on how a model is written down."""

from dataclasses import replace

import numpy as np
import pytest
from invariance.drawn import mobility
from invariance.library import LIBRARY, fourbar
from invariance.test_library import CHANGES
from physics.loop_models import parallelogram, slider_crank

import dalembert as dal
from dalembert.analyses.linear import modes_of

HANGING = {"four-bar": fourbar, "slider-crank": slider_crank, "parallelogram": lambda: parallelogram(start=0.5),
           "vehicle": LIBRARY["vehicle"].make, "two pendulums and a slide": lambda: swing()}
PER_FREQUENCY = 1e-6
"""Equilibria are found to about 1e-10, differences of fourth order in the linearisation cost as much again."""


def swing():
    """Return a slide on a spring that carries two pendulums."""
    return dal.Model("swing").add(
        dal.Body("slide", mass=2.0, inertia=(0.1,) * 3), dal.Body("one", mass=1.0, com=(0, 0, -0.4), inertia=(0.02,) * 3),
        dal.Body("two", mass=0.5, com=(0, 0, -0.3), inertia=(0.01,) * 3),
        dal.Prismatic("guide", "ground", "slide", axis=(1, 0, 0.5), start=0.3),
        dal.Revolute("a", "slide", "one", axis=(0, 1, 0), start=0.4),
        dal.Spherical("b", "slide", "two", start=(0.2, 0.1, 0.0)),
        dal.JointSpring("s", "guide", stiffness=200.0, damping=3.0), dal.JointSpring("d", "a", damping=0.2))


@pytest.mark.parametrize("change", CHANGES)
def test_as_many_directions_are_redundant(change):
    for name in ("four-bar", "Bricard", "Bennett", "door", "carriage", "two four-bars", "squeezer", "Stewart platform"):
        model = LIBRARY[name]()
        other = CHANGES[change](model, np.random.default_rng(1)).write(model)
        assert mobility(model) == mobility(other), name
        told = [[m.partition(":")[0] for m in dal.assemble(m).messages if "redundant" in m] for m in (model, other)]
        assert told[0] == told[1], name


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n == "vehicle" else n for n in HANGING])
def test_equilibria_and_frequencies_are_the_same(name, change):
    model = HANGING[name]().replaced("driving", start_rate=None) if name == "vehicle" else HANGING[name]()
    changed = CHANGES[change](model, np.random.default_rng(len(name)))
    other = changed.write(model)
    here, there = dal.static(model), dal.static(other)
    assert here.stable == there.stable
    one, two = (dal.eigenmodes(m, start=found.starts) for m, found in ((model, here), (other, there)))
    a, b = (with_conjugates(modes.eigenvalues * scale) for modes, scale in ((one, 1.0), (two, changed.until(1.0))))
    assert len(a) == len(b)
    # a double eigenvalue zero, of motions that nothing holds, is known to the root of rounding
    loss = np.sqrt(np.finfo(float).eps) * np.max(np.abs(a)) + PER_FREQUENCY * np.abs(a)
    assert np.all(np.min(np.abs(a[:, None] - b[None]), axis=1) <= 10 * loss)
    assert np.all(np.min(np.abs(a[:, None] - b[None]), axis=0) <= 10 * np.max(loss))


@pytest.mark.parametrize("length", [1e-6, 1e6])
def test_units_cost_eigenvalues_no_digits(length):
    model = swing()
    found = dal.static(model)
    one = dal.linearize(model, start=found.starts)
    sizes = np.where([name.startswith("guide") for name in one.names], length, 1.0)
    scale = length * length / sizes[:, None] / sizes  # coordinates in the other unit, energies in its square
    system = one.begin.packed.system._replace(dof=one.begin.packed.system.dof.copy())
    system.dof["q_scale"][one.free] *= sizes
    begin = replace(one.begin, packed=replace(one.begin.packed, system=system))
    other = replace(one, mass=scale * one.mass, damping=scale * one.damping, stiffness=scale * one.stiffness, begin=begin)
    a, b = (modes_of(linear).eigenvalues for linear in (one, other))
    a, b = (x[np.abs(x) > 1e-3 * np.max(np.abs(a))] for x in (a, b))  # a double zero is known to the root of rounding
    assert len(a) == len(b) >= 3 and np.all(np.abs(a - b) <= 1e3 * np.finfo(float).eps * np.max(np.abs(a)))


def with_conjugates(values):
    """Return all eigenvalues; a double zero is found as a conjugate pair or as two real ones, as rounding has it."""
    return np.concatenate([values, np.conj(values[values.imag > 0])])


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_a_pendulum_upside_down_is_unstable_in_any_units(length, mass):
    from invariance.scaled import InUnits

    model = dal.Model("pendulum").add(dal.Body("rod", mass=1e-3, com=(0, 0, 0.01), inertia=(1e-8,) * 3),
                                      dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=0.0))
    assert not dal.static(InUnits(length, mass).write(model)).stable
