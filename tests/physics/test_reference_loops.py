"""Reference problems with closed loops, in both formulations, within the accuracy that their files state for a careful run."""

import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal

sys.path.insert(0, str(Path(__file__).parents[1] / "acceptance"))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from loop_problems import attitude, with_published_moments
from reference import load

ROOT = Path(__file__).parents[2]
WAYS = ["semi-recursive", "global"]


def builder_of_the_vehicle():
    """Return the function of the example that builds the vehicle, without running the example."""
    text = (ROOT / "examples" / "plot_vehicle.py").read_text()
    space = {}
    exec(compile(text[:text.index("r = dal.run(vehicle()")], "plot_vehicle.py", "exec"), space)
    return space["vehicle"]


@pytest.mark.parametrize("formulation", WAYS)
def test_the_vehicle_follows_its_reference(formulation):
    p = load("p8_vehicle_hmmwv")
    model = with_published_moments(builder_of_the_vehicle()())
    r = dal.run(model, until=3.0, accuracy=1e-8, record=np.array(p["t"]), formulation=formulation)
    found = np.column_stack([r["chassis.position"], attitude(r["chassis.orientation"])])
    expected = np.array(p["values"])[:, :6]
    assert np.max(np.abs(found - expected)) < 1e-6  # accuracy times about a hundred, the growth of errors in 3 s
    assert any("no rigid body" in message or "no body" in message for message in r.messages)


def test_fixed_steps_of_a_millisecond_follow_the_vehicle():
    p = load("p8_vehicle_hmmwv")
    r = dal.run(with_published_moments(builder_of_the_vehicle()()), until=3.0, step=1e-3, record=np.array(p["t"]))
    expected = np.array(p["values"])[:, :3]
    assert np.max(np.abs(r["chassis.position"] - expected)) < 1e-3
