"""Random mechanisms, random changes of how they are written, random formulations; many.py runs more of them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariance.drawn import case, judge

EXAMPLES = 60


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**31))
def test_random_mechanisms_move_the_same_however_they_are_written(seed):
    drawn = case(seed)
    assert judge(drawn) == "", str(drawn)


@pytest.mark.parametrize("seed", [77_001_364, 77_001_610])
def test_cases_that_were_wrong(seed):
    """Order one of bdf beside a slide in small units of length; a chaotic linkage that given rates whirl forty times."""
    assert judge(case(seed)) == ""
