"""Comparison of runs."""

import numpy as np
import pytest
import synthetic

from dalembert.errors import ChannelError, MultibodyError
from dalembert.results.compare import compare


def shifted(times, by):
    """Return the run with the crank's angle off by a constant."""
    r = synthetic.results(times)
    r.frames()["q"][:, 0] += by
    return r


def test_equal_runs_do_not_differ():
    c = compare({"a": synthetic.results(), "b": synthetic.results()}, ["crank axis.angle", "arm.tip.position"])
    assert [(row.name, row.channel) for row in c.rows] == [
        ("a", "crank axis.angle"), ("a", "arm.tip.position"), ("b", "crank axis.angle"), ("b", "arm.tip.position")]
    assert c.worst.relative == 0.0


def test_a_difference_is_told_with_size_time_and_cost():
    r = synthetic.results()
    r.frames()["q"][7, 0] += 0.3
    c = compare({"one": synthetic.results(), "two": r}, "crank axis.angle")
    assert c.reference == "one" and c.worst.name == "two"
    assert c.worst.absolute == pytest.approx(0.3) and c.worst.time == r.t[7]
    assert c.worst.relative == pytest.approx(0.3 / 6.0)
    text = str(c)
    assert "(reference)" in text and "0.3 rad" in text and "5.00e-02" in text and "0.7" in text and "30" in text


def test_times_in_common_are_used():
    c = compare({"fine": synthetic.results(np.linspace(0, 3, 61)), "coarse": shifted(np.linspace(0, 3, 31), 0.25)},
                "crank axis.angle")
    assert c.worst.absolute == pytest.approx(0.25, rel=1e-14)


def test_other_times_are_interpolated_to_third_order():
    gaps = []
    for n in (50, 100):
        runs = {"reference": synthetic.results(np.linspace(0.1, 2.9, 37)),
                "run": synthetic.results(np.linspace(0, 3, n + 1) + 1e-4)}
        gaps.append(compare(runs, "arm.tip.position").worst.absolute)
    assert np.log2(gaps[0] / gaps[1]) > 2.7


def test_a_reference_may_be_chosen():
    c = compare({"a": synthetic.results(), "b": shifted(None, 1.0)}, "crank axis.angle", reference="b")
    assert c.reference == "b" and c.worst.name == "a"


def test_nan_is_the_worst():
    r = synthetic.results()
    r.frames()["q"][3, 0] = np.nan
    c = compare({"a": synthetic.results(), "b": shifted(None, 1e9), "c": r}, "crank axis.angle")
    assert c.worst.name == "c" and np.isnan(c.worst.absolute)


def test_faults():
    a, b = synthetic.results(), synthetic.results(np.linspace(10, 12, 5))
    with pytest.raises(MultibodyError, match="no results given"):
        compare({}, "energy.total")
    with pytest.raises(MultibodyError, match="no run 'rk5' to compare with. Did you mean 'rk4'"):
        compare({"rk4": a}, "energy.total", reference="rk5")
    with pytest.raises(MultibodyError, match="do not overlap in time"):
        compare({"a": a, "b": b}, "energy.total")
    with pytest.raises(ChannelError):
        compare({"a": a}, "energy.totl")
