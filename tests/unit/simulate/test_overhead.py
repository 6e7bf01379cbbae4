"""What a run costs beside its steps, counted in calls, which no busy machine changes."""

import importlib.metadata
import sys

import pytest

import dalembert as dal
from dalembert.model import check as checking
from dalembert.start import begin

MOST_CALLS, MOST_CALLS_AGAIN = 2500, 1500
"""Python functions that a warm run of two bodies may call, and one of a model that was run before; 1500 and 900 now do."""


def double_pendulum():
    rod = dict(mass=1.0, com=(0, 0, -0.5), inertia=dal.inertia_rod(1.0, length=1.0, axis="z"), points={"tip": (0, 0, -1)})
    return dal.Model("double pendulum").add(
        dal.Body("upper", **rod), dal.Body("lower", **rod),
        dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0), start=90 * dal.deg),
        dal.Revolute("elbow", "upper.tip", "lower", axis=(0, 1, 0)))


def calls_of(function):
    """Return how many Python functions a call enters."""
    count = 0

    def look(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(look)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_a_warm_run_of_two_bodies_calls_few_functions():
    pytest.importorskip("numba")
    from numba import config

    if config.DISABLE_JIT:
        pytest.skip("kernels are Python functions")
    dal.run(double_pendulum(), until=5.0)
    other = double_pendulum().replaced("upper", mass=1.1)
    assert calls_of(lambda: dal.run(other, until=5.0)) < MOST_CALLS
    assert calls_of(lambda: dal.run(other, until=5.0)) < MOST_CALLS_AGAIN


def test_a_run_checks_its_model_once_and_looks_up_no_versions(monkeypatch):
    dal.run(double_pendulum(), until=0.01)
    asked, find_faults = [], checking.find_faults
    monkeypatch.setattr(checking, "find_faults", lambda *a: asked.append("check") or find_faults(*a))
    monkeypatch.setattr(importlib.metadata, "version", lambda name: asked.append(name) or "0")
    packs, pack = [], begin.pack
    monkeypatch.setattr(begin, "pack", lambda *a, **k: packs.append(1) or pack(*a, **k))
    dal.run(double_pendulum(), until=0.01)
    assert asked == ["check"] and not packs
    dal.run(double_pendulum().replaced("upper", mass=1.1), until=0.01)
    assert asked == ["check", "check"] and len(packs) == 1
