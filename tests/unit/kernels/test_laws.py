"""Laws and their derivatives against closed forms, SciPy's spline and difference quotients."""

import numpy as np
import pytest
from promises import LAW_STEP
from scipy.interpolate import CubicSpline

from dalembert.kernels.force.laws import eval_law, eval_point_law, law_slopes, point_slopes
from dalembert.model.laws import law, ramp, sine, table
from dalembert.model.model import Model
from dalembert.start.initial import prepare_start
from dalembert.system.pack_laws import LawTable

EPS = np.finfo(float).eps
EMPTY = prepare_start(Model("laws only")).packed.system


class Laws:
    """Laws packed into a system of their own, callable by number."""

    def __init__(self, *laws, step=1e-3):
        self.table = LawTable()
        for each in laws:
            self.table.add(each, step)
        rows, knots = self.table.tables()
        self.sys = EMPTY._replace(law=_frozen(rows), knot=_frozen(knots))

    def __call__(self, t, order=0, x=0.0, v=0.0, index=0):
        return eval_law(self.sys, index, float(t), x, v, order)


def _frozen(array):
    array.setflags(write=False)
    return array


def test_a_number_is_constant():
    y = Laws(2.5)
    assert [y(0.7, order) for order in range(3)] == [2.5, 0.0, 0.0]


@pytest.mark.parametrize("t", [0.0, 0.3, 17.0])
def test_sine_and_its_derivatives(t):
    a, w, p, b = 1.5, 3.0, 0.4, -0.2
    y = Laws(sine(amplitude=a, omega=w, phase=p, offset=b))
    exact = (b + a * np.sin(w * t + p), a * w * np.cos(w * t + p), -a * w**2 * np.sin(w * t + p))
    for order in range(3):  # the argument is rounded to eps (w t + pi)
        assert y(t, order) == pytest.approx(exact[order], abs=2 * EPS * a * w**order * (w * t + 4))


def test_sine_by_frequency():
    assert Laws(sine(frequency=0.5))(0.5) == pytest.approx(1.0, abs=EPS)


def test_cubic_table_is_scipys_spline():
    rng = np.random.default_rng(1)
    t, y = np.cumsum(rng.uniform(0.1, 1, 9)), rng.normal(size=9)
    spline, found = CubicSpline(t, y), Laws(table(t, y))
    for s in np.linspace(t[0], t[-1], 40)[:-1]:
        for order in range(3):
            assert found(s, order) == pytest.approx(spline(s, order), abs=100 * EPS * np.abs(spline.c).max())


def test_table_meets_its_points_and_is_constant_outside():
    t, y = np.array([1.0, 2.0, 2.5, 4.0]), np.array([3.0, -1.0, 0.5, 2.0])
    for kind in ("cubic", "linear"):
        found = Laws(table(t, y, kind=kind))
        assert [found(s) for s in t] == pytest.approx(list(y), abs=10 * EPS)
        assert found(-5.0) == y[0] and found(9.0) == y[-1]
        assert all(found(s, order) == 0.0 for s in (-5.0, 9.0) for order in (1, 2))


def test_linear_table_has_the_slopes_of_its_pieces():
    t, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, -2.0])
    found = Laws(table(t, y, kind="linear"))
    assert found(0.5) == pytest.approx(np.interp(0.5, t, y), abs=4 * EPS)
    assert [found(s, 1) for s in (0.5, 2.0)] == [2.0, -2.0]
    assert [found(s, 2) for s in (0.5, 2.0)] == [0.0, 0.0]


def test_two_tables_do_not_mix():
    found = Laws(table([0, 1], [0, 1]), 7.0, table([0, 1, 2, 3], [5, 6, 7, 8]))
    assert found(0.5) == 0.5
    assert found(0.5, index=1) == 7.0
    assert found(0.5, index=2) == pytest.approx(5.5, abs=10 * EPS)


def test_ramp_is_twice_differentiable():
    """Values, speeds and accelerations are continuous at both ends; the derivatives are those of the values."""
    begin, finish, start, end = 0.5, 2.0, -1.0, 3.0
    y = Laws(ramp(begin=begin, finish=finish, start=start, end=end))
    assert y(begin) == start and y(finish) == end
    for edge in (begin, finish):
        for order in (1, 2):
            jump = abs(y(edge - EPS, order) - y(edge + EPS, order))
            assert jump <= 1000 * EPS * (end - start)
    assert y(-1.0) == start and y(5.0) == end
    h = np.cbrt(EPS)
    for t in np.linspace(begin, finish, 9)[1:-1]:
        for order in (1, 2):
            slope = (y(t + h, order - 1) - y(t - h, order - 1)) / (2 * h)
            assert y(t, order) == pytest.approx(slope, abs=200 * EPS ** (2 / 3) * (end - start))


def test_ramp_never_turns_back():
    y = Laws(ramp(begin=0.0, finish=1.0))
    assert min(y(t, 1) for t in np.linspace(0, 1, 50)) >= 0.0


def test_derivatives_of_a_function_have_errors_of_sixth_order():
    """Halving the spacing divides the error by 64, of both derivatives."""
    exact = (3 * np.cos(3 * 0.4), -9 * np.sin(3 * 0.4))
    for order in (1, 2):
        errors = [abs(Laws(lambda t: np.sin(3 * t), step=dt)(0.4, order) - exact[order - 1]) for dt in (0.2, 0.1, 0.05)]
        slopes = np.log2(np.array(errors[:-1]) / errors[1:])
        assert slopes == pytest.approx(6.0, abs=0.3)


def test_default_derivative_step_is_good_to_rounding_over_the_step():
    y = Laws(lambda t: np.sin(3 * t))
    assert y(0.4, 1) == pytest.approx(3 * np.cos(1.2), abs=10 * EPS / 1e-3)
    assert y(0.4, 2) == pytest.approx(-9 * np.sin(1.2), abs=20 * EPS / 1e-3**2)


def test_functions_of_state_and_compiled_functions():
    def f(t, x, v):
        return t + 2.0 * x - 3.0 * v

    y = Laws(f, law(f), law(lambda t: 4.0 * t))
    for index in (0, 1):
        assert y(0.5, x=1.0, v=2.0, index=index) == -3.5
    assert y(0.5, index=2) == 2.0


def test_slopes_of_a_law_by_its_state():
    """Central differences: errors of the square of their step, and rounding over it."""
    y = Laws(lambda t, x, v: np.sin(x) * v**2, sine(omega=1.0))
    x, v = 0.7, -1.3
    slopes = law_slopes(y.sys, 0, 0.0, x, v)
    assert slopes == pytest.approx((np.cos(x) * v**2, 2 * v * np.sin(x)), abs=20 * EPS / LAW_STEP)
    assert law_slopes(y.sys, 1, 0.0, x, v) == (0.0, 0.0)


def test_a_function_of_a_point():
    """Arguments in their order, plain and compiled, and gradients by both vectors; for its own kernels only."""
    def f(t, x, y, z, vx, vy, vz):
        return t + 2.0 * x - 3.0 * y + 4.0 * z * vx + 5.0 * vy**2 - 6.0 * vz

    r, v = (0.5, -1.0, 2.0), (0.25, 3.0, -4.0)
    laws = Laws(f, law(f))
    for index in (0, 1):
        assert eval_point_law(laws.sys, index, 7.0, r, v) == f(7.0, *r, *v)
        by_r, by_v = point_slopes(laws.sys, index, 7.0, r, v)
        tolerance = 10 * EPS / LAW_STEP * abs(f(7.0, *r, *v))
        assert by_r == pytest.approx((2.0, -3.0, 4.0 * v[0]), abs=tolerance)
        assert by_v == pytest.approx((4.0 * r[2], 10.0 * v[1], -6.0), abs=tolerance)
        assert np.isnan(laws(7.0, index=index))


def test_a_raising_law_is_nan_and_remembered():
    def bad(t):
        raise ValueError("no value")

    y = Laws(bad)
    assert np.isnan(y(0.0))
    assert isinstance(y.table.errors[0].cause, ValueError)


def test_an_unknown_code_is_nan():
    y = Laws(1.0)
    rows = y.sys.law.copy()
    rows["code"] = 99
    assert np.isnan(eval_law(y.sys._replace(law=_frozen(rows)), 0, 0.0, 0.0, 0.0, 0))
