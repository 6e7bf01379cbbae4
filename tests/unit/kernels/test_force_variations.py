"""Variations of force elements by differences against the exact ones, body by body."""

import numpy as np
import pytest
from physics.states import EPS, random_case

from dalembert.codes import ForceCode
from dalembert.kernels.force.elements_tangent import vary_action, vary_by_differences
from dalembert.kernels.tree.kinematics import eval_motion, eval_places

LAW_STEP = 1e-6
DIFFERENCE = EPS ** (1 / 3)  # the best step of a central difference
"""Relative step over which the exact variations differentiate laws of state."""
FIELDS = ("phi", "r", "v", "w")


def case_with_variations(seed):
    """Return a tree with elements of all kinds in motion, and a random variation of each of its bodies."""
    case, rng = random_case(seed, 6), np.random.default_rng(seed)
    eval_motion(case.sys, case.q, case.qd, case.work)
    eval_places(case.sys, case.qd, case.work)
    for row in case.work.variation[1:]:
        for name in FIELDS:
            row[name] = rng.normal(size=3)
    return case


def loads(case, vary, e):
    """Return status and what an element's variation adds to the loads (n_body - 1, 6) of the bodies."""
    case.work.variation["n"], case.work.variation["f"] = 0.0, 0.0
    status = vary(case.sys, e, 0.3, case.work)
    return status, np.hstack([case.work.variation["n"], case.work.variation["f"]])[1:].copy()


@pytest.mark.parametrize("seed", range(4))
def test_differences_agree_with_exact_variations(seed):
    """Central differences are good to the square of the step, and laws to their own step; the bodies are put back."""
    case = case_with_variations(seed)
    before = case.work.body.copy()
    between = [e for e in case.sys.force if e.code not in (ForceCode.JOINT_SPRING, ForceCode.MOTOR)]
    assert {int(e.code) for e in between} == set(ForceCode) - {ForceCode.NONE, ForceCode.JOINT_SPRING, ForceCode.MOTOR}
    varied = set()
    for e in between:
        status, exact = loads(case, vary_action, e)
        assert status == 0
        status, found = loads(case, vary_by_differences, e)
        assert status == 0
        varied |= {int(e.code)} if np.any(exact) else set()
        size = max(1.0, np.abs(exact).max()) * 100  # third derivatives over a variation of a size of about ten
        assert np.abs(found - exact).max() <= (DIFFERENCE**2 + EPS / DIFFERENCE + EPS / LAW_STEP) * size, ForceCode(e.code)
    assert varied >= {ForceCode.SPRING_DAMPER, ForceCode.BUSHING}  # constant loads do not vary
    assert all(np.array_equal(case.work.body[name], before[name]) for name in before.dtype.names)


def test_a_body_without_a_variation_is_left_alone():
    case = case_with_variations(0)
    case.work.variation[1:] = np.zeros((), case.work.variation.dtype)
    for e in case.sys.force:
        if e.code == ForceCode.BUSHING:
            assert loads(case, vary_by_differences, e)[0] == 0 and not np.any(loads(case, vary_by_differences, e)[1])
