"""Arguments of a run: numbers, record times, faults all at once."""

import numpy as np
import pytest
from promises import DEFAULT_ACCURACY, FIXED_ACCURACY

import dalembert as dal
from dalembert.start.arguments import check_run_arguments, record_times

MODEL = dal.Model("empty", run={"until": 2.0, "step": 0.1})


def options(model=MODEL, until=None, step=None, accuracy=None, integrator=None, on_failure="raise"):
    """Return the checked options."""
    return check_run_arguments(model, until, step, accuracy, integrator, on_failure)


def test_the_models_own_numbers_stand_behind_the_call():
    own = options()
    assert (own.until, own.step, own.accuracy) == (2.0, 0.1, FIXED_ACCURACY)
    asked = options(until=3.0, step=0.2, accuracy=1e-3)
    assert (asked.until, asked.step, asked.accuracy) == (3.0, 0.2, 1e-3)
    assert options(dal.Model("empty"), until=1.0).accuracy == DEFAULT_ACCURACY


def test_texts_with_a_unit_of_time_are_numbers():
    own = options(dal.Model("empty", run={"until": "500 ms", "step": "1 ms"}))
    assert (own.until, own.step) == (0.5, 1e-3)
    assert list(record_times(["100 ms", 0.2], own)) == [0.1, 0.2]
    assert list(record_times("250 ms", own)) == [0.0, 0.25, 0.5]
    with pytest.raises(dal.ModelError, match="until"):
        options(until="3 kg")


def test_all_faults_at_once():
    with pytest.raises(dal.ModelError) as error:
        options(until=-1.0, step="x", accuracy=2.0, on_failure="ignore")
    assert [f.where for f in error.value.faults] == ["until", "step", "accuracy", "on_failure"]


@pytest.mark.parametrize("until", [None, float("nan"), float("inf"), True, "soon", -0.1])
def test_an_end_is_a_number_that_is_not_negative(until):
    with pytest.raises(dal.ModelError, match="until"):
        options(dal.Model("empty"), until=until)


@pytest.mark.parametrize("step", [0.1, 0.3, 1 / 3, 1e-3, 7.0])
@pytest.mark.parametrize("until", [1.0, 2.0, 0.7])
def test_spaced_frames_begin_at_zero_grow_and_end_at_the_end(until, step):
    times = record_times(None, options(until=until, step=step))
    assert times[0] == 0.0 and times[-1] == until
    assert np.all(np.diff(times) > 1e-9 * step)
    assert np.all(np.diff(times) <= step * (1 + 1e-9))


def test_given_times_are_kept():
    given = [0.1, 0.25, 2.0]
    assert list(record_times(given, options())) == given


@pytest.mark.parametrize("record", [[0.0, 0.0], [1.0, 0.5], [-0.1], [2.1], [np.nan], "often", [[0.0]], -0.1, 0.0])
def test_other_times_are_refused(record):
    with pytest.raises(dal.ModelError, match="record"):
        record_times(record, options())


def test_five_hundred_intervals_without_a_step():
    assert len(record_times(None, options(dal.Model("m"), until=1.0))) == 501
    assert list(record_times(None, options(dal.Model("m"), until=0.0))) == [0.0]


@pytest.mark.parametrize("options", [{}, {"step": 0.1}, {"step": 0.1, "integrator": "rk4"}])
def test_a_last_record_time_beyond_the_end_by_rounding_is_recorded(options):
    """3 * 0.1 is 0.30000000000000004; the frame is there, not silently left out."""
    times = np.arange(4) * 0.1
    assert times[-1] > 0.3
    assert len(dal.run(dal.Model("empty"), until=0.3, record=times, **options)) == 4
