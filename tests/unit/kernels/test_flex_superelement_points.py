"""Accelerations of places of a superelement: rates of their velocities along the motion of the interfaces."""

import numpy as np
import pytest
from superelement_cases import ELEMENTS, random_case

from dalembert.kernels.flex.superelement import point_rates
from dalembert.kernels.flex.superelement_points import eval_second_rates, point_accelerations

STEP = 1e-5


@pytest.fixture(params=list(ELEMENTS), scope="module")
def case(request):
    return random_case(ELEMENTS[request.param](), 5)


def rates_after(case, time, j):
    """Velocity and angular velocity of point j at a time near zero, for constant accelerations of the interfaces."""
    later = case.moved(time * case.V + 0.5 * time**2 * case.A)._replace(V=case.V + time * case.A)
    return np.concatenate(point_rates(case.sup, j, later.evaluate().work))


def test_accelerations_are_the_rates_of_velocities(case):
    """Central differences: the truncation is of the order of STEP², rounding of the order of eps / STEP."""
    for j in range(len(case.sup.point)):
        expected = (rates_after(case, STEP, j) - rates_after(case, -STEP, j)) / (2 * STEP)
        dv, dw = eval_second_rates(case.sup, 0, case.evaluate().work)
        found = np.concatenate(point_accelerations(case.sup, j, dv, dw, case.work))
        scale = np.abs(expected).max() + 1.0
        assert np.abs(found - expected).max() <= (1e2 * STEP**2 + 1e3 * np.finfo(float).eps / STEP) * scale


def test_a_place_at_an_interface_accelerates_like_it(case):
    """Points that are interfaces: the recovered acceleration is that of the frame."""
    dv, dw = eval_second_rates(case.sup, 0, case.evaluate().work)
    for k, name in enumerate(list(case.element.points)[:case.n_face]):
        j = list(case.element.points).index(name)
        found = np.concatenate(point_accelerations(case.sup, j, dv, dw, case.work))
        expected = case.A[6 * k:6 * k + 6]
        assert np.abs(found - expected).max() <= 1e-9 * (1 + np.abs(case.A).max())
