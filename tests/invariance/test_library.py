"""Every mechanism of the library moves the same, with the same loads, however it is written down."""

import numpy as np
import pytest
from invariance import transformations as tr
from invariance.agreement import judge
from invariance.exchanged import Exchanged, exchangeable
from invariance.library import LIBRARY
from invariance.scaled import InUnits, Mirrored
from random_models import random_rotation

import dalembert as dal
from dalembert.model.check import check
from dalembert.system.extent import length_scale

ACCURACY = 1e-8
FAR = 1e3
"""Distance of the origin, and MOVED that of the bodies' own ones, over the length of the mechanism."""
MOVED = 2.0
CHANGES = {
    "turned": lambda m, rng: tr.Turned(random_rotation(rng)),
    "far away": lambda m, rng: tr.Moved(FAR * length(m) * random_rotation(rng)[0], length(m)),
    "reframed": lambda m, rng: tr.Reframed(tr.random_frames(m, rng, MOVED * length(m))),
    "exchanged": lambda m, rng: Exchanged(frozenset(exchangeable(m))),
    "ordered": lambda m, rng: tr.Ordered(3),
    "renamed": lambda m, rng: tr.Renamed(),
    "mirrored": lambda m, rng: Mirrored(),
    "millimetres": lambda m, rng: InUnits(length=1e3),
    "kilometres": lambda m, rng: InUnits(length=1e-3),
    "light": lambda m, rng: InUnits(mass=1e-3),
    "heavy": lambda m, rng: InUnits(mass=1e4),
    "milliseconds": lambda m, rng: InUnits(time=1e3),
    "kiloseconds": lambda m, rng: InUnits(time=1e-3),
    "all at once": lambda m, rng: tr.Together([
        tr.Turned(random_rotation(rng)), tr.Reframed(tr.random_frames(m, rng, length(m))), Mirrored(), tr.Ordered(5),
        InUnits(30.0, 0.2, 0.5), tr.Renamed()]),
}


def length(model):
    """Length of the mechanism [m]."""
    return length_scale(check(model))


CASES = [(name, change) for name in LIBRARY for change in CHANGES]
CASES += [(name, f"cut {joint}") for name, mechanism in LIBRARY.items() for joint in mechanism.cuts]


def told(name, change, way):
    """What is wrong with a mechanism in another writing, run in a way."""
    mechanism = LIBRARY[name]
    model, rng = mechanism(), np.random.default_rng(len(name))
    changed = tr.Cut(change[4:]) if change.startswith("cut ") else CHANGES[change](model, rng)
    return judge(model, changed, mechanism.until, *way, ACCURACY)


@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_mechanism_moves_the_same_however_it_is_written(name, change):
    """In one of the ways to run it, another one for every change."""
    ways = LIBRARY[name].ways()
    way = ways[(list(LIBRARY).index(name) + [c for n, c in CASES if n == name].index(change)) % len(ways)]
    assert told(name, change, way) == "", way


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARY)
def test_a_mechanism_moves_the_same_in_every_formulation_and_integrator(name):
    wrong = {(change, way): found for n, change in CASES if n == name for way in LIBRARY[name].ways(costly=True)
             if (found := told(name, change, way))}
    assert not wrong


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_rods_whose_moments_are_rounding_errors_pass_the_check_of_accelerations(seed):
    """In natural coordinates, where a rod has none along two of its axes, however its own frame is moved and turned."""
    model, rng = LIBRARY["Stewart platform"](), np.random.default_rng(seed)
    moved = tr.Reframed(tr.random_frames(model, rng, MOVED * length(model))).write(model)
    assert dal.run(moved, until=1e-3, formulation="global", integrator="dopri5").status == "ok"


@pytest.mark.parametrize("name", LIBRARY)
def test_mechanisms_of_the_library_move(name):
    """What stands still agrees with anything."""
    from invariance.agreement import run

    mechanism = LIBRARY[name]
    model = mechanism()
    results = run(model, mechanism.until, *mechanism.ways()[0], ACCURACY)
    assert max(np.max(np.ptp(results[f"{j.name}.coordinates"].reshape(len(results.t), -1), axis=0))
               for j in model.joints if j.coordinates) > 1e-3
