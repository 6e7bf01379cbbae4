"""Equilibria, linearisation, kinematics and inverse dynamics of mechanisms with loops, against closed forms."""

import numpy as np
import pytest
from mechanisms import spatial_slider_crank
from physics.loop_models import (
    ARM,
    ARM_MASS,
    BAR_MASS,
    CRANK,
    INERTIA,
    MOMENT,
    ROD,
    G,
    eccentric_roller,
    parallelogram,
    slider_crank,
    slider_crank_inertia,
    slider_crank_weight,
    slider_position,
    slider_slope,
)
from promises import ASSEMBLED, JACOBIAN_STEP
from reference import load

import dalembert as dal
from dalembert.analyses.linear import linearize_state
from dalembert.kernels.tree.state import move, normalise
from dalembert.start.assembly import Assembler
from dalembert.start.initial import prepare_start
from dalembert.start.reduction import Equations

EPS = np.finfo(float).eps
BALANCE = 1e-10
"""Unbalanced effort that `static` leaves, relative to the largest stiffness."""
SOLVED = 1e-9
"""Relative error of accelerations and multipliers that augmented Lagrangian iterations leave."""


def derivative(f, x, h=1e-3):
    """Central difference of sixth order; its error is about h⁶ and EPS/h."""
    return (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) + f(x + 3 * h) - f(x - 3 * h)) / (60 * h)


DERIVED = 1e4 * EPS
"""Relative error of `derivative` with steps of 1e-3."""


# --- equilibrium ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("start", [0.5, -1.2])
def test_a_parallelogram_hangs_down_and_carries_its_weight(start):
    rest = dal.static(parallelogram(start))
    assert abs(np.sin(rest["a.angle"][0])) <= BALANCE and rest.stable
    assert set(rest.starts) == {"a", "b", "c"}
    weight = (2 * ARM_MASS + BAR_MASS) * G
    assert rest["a.force"][0, 1] + rest["b.force"][0, 1] == pytest.approx(weight, rel=SOLVED)
    assert rest["constraints.position"][0] <= ASSEMBLED * 2 * ARM


def test_a_parallelogram_on_its_head_is_not_stable():
    rest = dal.static(parallelogram(np.pi))
    assert abs(np.sin(rest["a.angle"][0])) <= BALANCE and not rest.stable


def sprung_slider_crank(stiffness=40.0, rest=0.3, start=1.9):
    return slider_crank(start).add(dal.JointSpring("spring", "guide", stiffness=stiffness, rest=rest))


def sprung_energy(angle, stiffness=40.0, rest=0.3):
    return slider_crank_weight(angle) + 0.5 * stiffness * (slider_position(angle) - rest) ** 2


@pytest.mark.parametrize("start", [1.9, 0.4])
def test_a_slider_crank_stands_where_its_energy_is_extreme(start):
    rest = dal.static(sprung_slider_crank(start=start))
    angle = rest["main.angle"][0]
    bend = derivative(lambda x: derivative(sprung_energy, x), angle)
    assert abs(derivative(sprung_energy, angle)) <= BALANCE * abs(bend) + DERIVED * sprung_energy(angle)
    assert rest.stable == (bend > 0) == (start == 1.9)
    assert rest["guide.displacement"][0] == pytest.approx(slider_position(angle), abs=10 * ASSEMBLED)


def test_drives_of_an_equilibrium_stand_still_where_they_are():
    """A driven crank leaves no freedom; its effort is the slope of the energy, however fast the drive moves there."""
    m = sprung_slider_crank().add(dal.Motion("drive", "main", position=lambda t: 0.4 + 3.0 * t + t * t))
    rest = dal.static(m, t=0.2)
    angle = 0.4 + 0.6 + 0.04
    assert rest["main.angle"][0] == pytest.approx(angle, abs=EPS)
    assert rest["main.effort"][0] == pytest.approx(derivative(sprung_energy, angle), rel=SOLVED)
    assert np.all(rest["slider.velocity"] == 0.0)


def test_a_state_at_a_later_time_has_its_drive_there_and_its_loop_closed():
    """Place, rate and acceleration of the slider follow those of the driven crank."""
    m = slider_crank().add(dal.Motion("drive", "main", position=lambda t: 0.4 + 3.0 * t + t * t))
    t, angle, rate = 0.2, 1.04, 3.4
    state = dal.assemble(m, t=t)
    assert state["main.angle"][0] == pytest.approx(angle, abs=EPS)
    assert state["guide.displacement"][0] == pytest.approx(slider_position(angle), abs=10 * ASSEMBLED)
    assert state["guide.speed"][0] == pytest.approx(slider_slope(angle) * rate, abs=10 * ASSEMBLED)
    bend = derivative(slider_slope, angle)
    assert state["guide.acceleration"][0] == pytest.approx(bend * rate**2 + 2.0 * slider_slope(angle), rel=SOLVED)


def test_a_run_from_equilibrium_of_a_mechanism_stays_there():
    rest = dal.static(sprung_slider_crank())
    r = dal.run(sprung_slider_crank(), until=0.5, start=rest.starts, accuracy=1e-8)
    assert np.ptp(r["main.angle"]) <= 100 * BALANCE


def test_a_roller_rests_with_its_mass_below_its_centre():
    rest = dal.static(eccentric_roller(0.8))
    assert abs(np.sin(rest["plane.coordinates"][0, 2])) <= BALANCE and rest.stable


def test_a_mechanism_that_nothing_holds_is_told():
    m = slider_crank().replaced(gravity=(0, 0, 0)).add(dal.Motor("motor", "main", effort=1.0))
    with pytest.raises(dal.ConvergenceError, match="out of balance"):
        dal.static(m)


# --- small vibrations ----------------------------------------------------------------------------------------------

def test_frequency_of_a_parallelogram():
    modes = dal.eigenmodes(parallelogram())
    assert modes.frequencies == pytest.approx([np.sqrt(MOMENT / INERTIA) / (2 * np.pi)], rel=SOLVED)
    assert len(modes.names) == 1 and modes.names[0].split(".")[0] in "abc"


def test_a_mechanism_has_the_modes_of_the_tree_it_equals():
    """The bar of a parallelogram does not turn: a pendulum with a bob on a hinge that a gear would hold level."""
    tree = dal.Model("pendulum", gravity=(0, -G, 0)).add(
        dal.Body("p", mass=2 * ARM_MASS + BAR_MASS, com=(0, -MOMENT / G / (2 * ARM_MASS + BAR_MASS), 0),
                 inertia=(1, 1, INERTIA - (MOMENT / G) ** 2 / (2 * ARM_MASS + BAR_MASS))),
        dal.Revolute("pin", "ground", "p", axis=(0, 0, 1), start=0.7, start_rate=1.1),
        dal.JointSpring("coil", "pin", stiffness=12.0, damping=1.5))
    loop = parallelogram(0.7, 1.1).add(dal.JointSpring("coil", "a", stiffness=12.0, damping=1.5))
    found, exact = dal.linearize(loop), dal.linearize(tree)
    for part in ("mass", "damping", "stiffness"):  # joint c turns the other way; entries are even in the sign
        assert getattr(found, part)[0, 0] == pytest.approx(getattr(exact, part)[0, 0], rel=SOLVED, abs=SOLVED * MOMENT)


def test_mass_and_stiffness_of_a_slider_crank():
    m = sprung_slider_crank()
    rest = dal.static(m)
    linear = dal.linearize(m, start=rest.starts)
    angle = rest["main.angle"][0]
    per_crank = linear.motions[rest.layout.joints[[j.name for j in rest.layout.joints].index("main")].v, 0]
    assert linear.mass[0, 0] == pytest.approx(slider_crank_inertia(angle) * per_crank**2, rel=SOLVED)
    bend = derivative(lambda x: derivative(sprung_energy, x), angle)
    assert linear.stiffness[0, 0] == pytest.approx(bend * per_crank**2, rel=1e3 * DERIVED)


def test_a_small_swing_has_the_frequency_of_the_mode():
    """Time between zero crossings of a swing; the amplitude changes it by its square."""
    amplitude, accuracy = 1e-3, 1e-9
    rest = dal.static(sprung_slider_crank())
    mode = dal.eigenmodes(sprung_slider_crank(), start=rest.starts)
    begin = float(rest.starts["main"][0])
    period = 1 / mode.frequencies[0]
    r = dal.run(sprung_slider_crank(start=begin + amplitude), until=5 * period, accuracy=accuracy, record=0.01 * period)
    x, t = r["main.angle"] - begin, r.t
    at = np.flatnonzero(x[:-1] * x[1:] < 0)
    crossings = t[at] - x[at] * (t[at + 1] - t[at]) / (x[at + 1] - x[at])
    found = np.mean(np.diff(crossings[::2]))
    assert found == pytest.approx(period, rel=10 * amplitude**2 + (0.02 * np.pi) ** 3)  # straight lines between frames


def differences(begin, rates, step=1e-4):
    """Return -d(acceleration)/d(coordinate) and by the rate, of independent rates, by fourth-order differences."""
    packed, n = begin.packed, begin.packed.layout.n_v
    equations, assembler = Equations(packed), Assembler(packed, 0.0)
    held = np.isin(np.arange(n), rates)

    def accelerations(dx, dv):
        q = np.empty_like(begin.q)
        move(packed.system, begin.q, dx, q)
        normalise(packed.system, q)
        q = assembler.close(q, np.where(held, 0.0, 1.0)).q
        return equations.accelerations(0.0, q, assembler.rates(q, begin.qd + dv, held))[0][rates]

    def slope(f):
        return -(8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step)

    none, unit = np.zeros(n), np.eye(n)
    return (np.array([slope(lambda e, k=k: accelerations(e * unit[k], none)) for k in rates]).T,
            np.array([slope(lambda e, k=k: accelerations(none, e * unit[k])) for k in rates]).T)


def four_bar_on_a_moving_base():
    """Return a four-bar linkage whose second foot is being driven along the ground, with another body on its bar."""
    return parallelogram(0.6, 2.0).replaced("b", first="base.B").replaced("c", start=None).add(
        dal.Body("load", mass=0.7, com=(0.1, -0.2, 0), inertia=(0.01, 0.01, 0.01)),
        dal.Revolute("hinge", "bar.end", "load", axis=(0, 0, 1), start=0.3, start_rate=-1.0),
        dal.Body("base", mass=1.0, points={"B": (1.0, 0, 0)}),
        dal.Prismatic("slide", "ground", "base", axis=(1, 0, 0)),
        dal.Motion("shake", "slide", position=dal.sine(amplitude=0.2, omega=5.0, phase=0.4)))


@pytest.mark.parametrize("m", [slider_crank(0.7, start_rate=5.0), four_bar_on_a_moving_base(),
                               spatial_slider_crank(load("p5_spatial_slider_crank")["data"])],
                         ids=["planar", "driven", "spatial"])
def test_a_moving_mechanism_is_linearised_as_differences_of_its_accelerations_say(m):
    begin = prepare_start(m)
    linear = linearize_state(begin)
    K, C = differences(begin, linear.free)
    A = -linear.state_matrix[len(linear.free):]
    error = 100 * (JACOBIAN_STEP**4 + EPS / JACOBIAN_STEP**2) + 0.01 * ASSEMBLED / 1e-4  # closed to 0.01 ASSEMBLED, steps 1e-4
    assert np.max(abs(A - np.hstack([K, C]))) <= error * np.max(abs(A))


def test_a_spinning_ball_turns_its_own_small_rotations():
    """Without torque phi'' = w x phi' for a body of equal moments: eigenvalues 0 and +-i w."""
    spin = 7.0
    m = dal.Model("ball", gravity=(0, 0, 0)).add(
        dal.Body("b", mass=1.0, inertia=(0.2, 0.2, 0.2)),
        dal.Spherical("j", "ground", "b", start_rate=(0, spin, 0)))
    A = dal.linearize(m).state_matrix
    W = spin * np.array([[0, 0, 1], [0, 0, 0], [-1, 0, 0]])
    assert A[3:, 3:] == pytest.approx(W, abs=10 * EPS * spin) and np.max(abs(A[3:, :3])) <= 100 * EPS * spin**2


def test_an_eccentric_roller_rocks():
    """omega² = m g e / (I + m (R - e)²) about the point of contact."""
    radius, offset, mass, inertia = 0.3, 0.1, 2.0, 0.05
    modes = dal.eigenmodes(eccentric_roller(0.0, radius, offset, mass, inertia))
    exact = np.sqrt(mass * G * offset / (inertia + mass * (radius - offset) ** 2)) / (2 * np.pi)
    assert modes.frequencies == pytest.approx([exact], rel=SOLVED)


def test_a_roller_in_motion_is_not_linearised():
    with pytest.raises(dal.ModelError, match="'wheel' binds rates only"):
        dal.linearize(eccentric_roller(0.3, rate=1.0))


# --- kinematics ----------------------------------------------------------------------------------------------------

def driven(position, **start):
    return slider_crank(**start).add(dal.Motion("drive", "main", position=position))


def test_positions_velocities_and_accelerations_of_a_slider_crank():
    omega = 12.0
    r = dal.kinematics(driven(dal.table([0, 1], [0.0, omega])), np.linspace(0, 0.9, 31))
    angle = omega * r.t
    assert r["main.angle"] == pytest.approx(angle, abs=10 * EPS * omega)
    assert r["guide.displacement"] == pytest.approx(slider_position(angle), abs=10 * ASSEMBLED)
    assert r["guide.speed"] == pytest.approx(slider_slope(angle) * omega, abs=SOLVED * omega)
    bend = np.array([derivative(slider_slope, a) for a in angle])
    assert r["guide.acceleration"] == pytest.approx(bend * omega**2, abs=SOLVED * omega**2)


def test_frames_far_apart_stay_on_the_branch():
    """The crank turns twice between two frames; the rod must not flip to the other side of the slider."""
    r = dal.kinematics(driven(dal.table([0, 1], [0.0, 4 * np.pi + 1.0])), [0.0, 1.0])
    assert r["guide.displacement"][-1] == pytest.approx(slider_position(1.0), abs=10 * ASSEMBLED)


def test_a_drive_by_speed_moves_as_its_integral():
    times = np.linspace(0, 1, 6)
    by_speed = slider_crank(0.4).add(dal.Motion("drive", "main", speed=lambda t: 3.0 + 2.0 * t))
    by_place = driven(lambda t: 0.4 + 3.0 * t + t * t)
    a, b = dal.kinematics(by_speed, times), dal.kinematics(by_place, times)
    assert a["guide.displacement"] == pytest.approx(b["guide.displacement"], abs=100 * ASSEMBLED)
    assert a["main.force"] == pytest.approx(b["main.force"], rel=1e-6, abs=1e-6)  # laws are differenced numerically


def test_a_drive_beyond_reach_is_told_with_the_results_up_to_there():
    speed, begin = 0.2, slider_position(1.0)
    m = slider_crank(1.0).add(dal.Motion("pull", "guide", position=dal.table([0, 2], [begin, begin + 2 * speed])))
    reached = (CRANK + ROD - begin) / speed
    times = np.arange(0, 2, 0.1)
    with pytest.raises(dal.AssemblyError, match="singular position of.*'small end' lacks") as caught:
        dal.kinematics(m, times)
    assert caught.value.results.t == pytest.approx(times[times < reached])
    assert f"t = {reached:.3f}"[:-1] in str(caught.value)


def test_a_singular_position_is_told():
    """Arms and bar of a parallelogram in one line: the bar may move on as before or turn over."""
    m = parallelogram().add(dal.Motion("drive", "a", position=dal.table([0, 1], [0.0, 1.0])))
    with pytest.raises(dal.AssemblyError, match="singular position at t = 1.5708 s") as caught:
        dal.kinematics(m.replaced("drive", position=dal.table([0, 3], [0.0, 3.0])), [0.5, np.pi / 2, 2.0])
    assert len(caught.value.results) == 1


def test_too_few_and_too_many_drives_are_told():
    with pytest.raises(dal.ModelError, match="1 degree of freedom but 0 drives: 1 left open.*Add a motion of"):
        dal.kinematics(slider_crank(), [0.0])
    for place in (0.3, slider_position(0.5)):  # drives that contradict each other, and drives that agree
        twice = driven(0.5).add(dal.Motion("other", "guide", position=place))
        with pytest.raises(dal.ModelError, match="1 degree of freedom but 2 drives: 'drive', 'other'. Remove 1"):
            dal.kinematics(twice, [0.0])


def test_bodies_without_mass_can_be_driven():
    m = driven(dal.sine(amplitude=0.9, omega=5.0, offset=0.4))
    light = m
    for body in ("crank", "rod", "slider"):
        light = light.replaced(body, mass=0.0, inertia=(0, 0, 0))
    a, b = (dal.kinematics(each, np.linspace(0, 1, 5)) for each in (light, m))
    assert a["guide.acceleration"] == pytest.approx(b["guide.acceleration"], rel=SOLVED)
    assert np.max(abs(a["main.effort"])) <= EPS


@pytest.mark.parametrize("times", ["soon", [[0.0, 1.0]], [1.0, 0.5], [0.0, np.nan]])
def test_faulty_times_are_told(times):
    with pytest.raises(dal.ModelError, match="times: expected"):
        dal.kinematics(driven(0.4), times)


@pytest.mark.parametrize(("law", "told"), [(lambda t: 0.4 if t < 0.3 else 1 / 0, "ZeroDivisionError"),
                                           (lambda t: 0.4 if t < 0.3 else np.nan, "motion 'drive'.*not a finite")])
def test_a_law_that_fails_is_reported(law, told):
    with pytest.raises(dal.ModelError, match=told):
        dal.kinematics(driven(law), [0.0, 0.5])
    with pytest.raises(dal.ModelError, match=told):
        dal.static(driven(law), t=0.5)


def test_kinematics_of_a_tree_needs_all_its_drives():
    m = dal.Model("arm").add(dal.Body("b", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)),
                             dal.Revolute("j", "ground", "b", axis=(0, 0, 1)))
    with pytest.raises(dal.ModelError, match="'j.angle'"):
        dal.kinematics(m, [0.0])
    r = dal.kinematics(m.add(dal.Motion("drive", "j", position=dal.table([0, 1], [0.0, 2.0]))), [0.0, 0.5])
    assert r["j.angle"] == pytest.approx([0.0, 1.0], abs=10 * EPS) and r["j.speed"] == pytest.approx(2.0, rel=10 * EPS)


# --- inverse dynamics ----------------------------------------------------------------------------------------------

def test_effort_of_a_parallelogram():
    """INERTIA angle'' + MOMENT sin(angle)."""
    amplitude, omega = 0.8, 3.0
    times = np.linspace(0, 2, 21)
    r = dal.inverse_dynamics(parallelogram(), {"a": dal.sine(amplitude=amplitude, omega=omega)}, times=times)
    angle = amplitude * np.sin(omega * times)
    exact = -INERTIA * omega**2 * angle + MOMENT * np.sin(angle)
    assert r["a.effort"] == pytest.approx(exact, abs=SOLVED * MOMENT)


def test_a_closing_joint_may_be_the_driven_one():
    """Joint d turns as the arm does, the other way round; in a parallelogram its drive does the same power."""
    times = np.linspace(0, 1, 5)
    r = dal.inverse_dynamics(parallelogram(), {"d": dal.sine(amplitude=-0.6, omega=2.0)}, times=times)
    angle = 0.6 * np.sin(2.0 * times)
    assert r["a.angle"] == pytest.approx(angle, abs=100 * ASSEMBLED)
    assert r["d.effort"] == pytest.approx(4.0 * INERTIA * angle - MOMENT * np.sin(angle), abs=SOLVED * MOMENT)


@pytest.mark.parametrize(("m", "joint"), [(slider_crank(), "main"),
                                          (spatial_slider_crank(load("p5_spatial_slider_crank")["data"]), "crank axis")])
def test_power_of_the_drive_changes_the_energy(m, joint):
    h = 1e-3
    law = dal.sine(amplitude=1.5, omega=4.0, offset=0.2)
    for t in (0.1, 0.33):
        r = dal.inverse_dynamics(m, {joint: law}, times=t + h * np.arange(-3, 4))
        E = r["energy.total"]
        power = (45 * (E[4] - E[2]) - 9 * (E[5] - E[1]) + (E[6] - E[0])) / (60 * h)
        noise = 10 * EPS * np.max(abs(r["energy.kinetic"]) + abs(r["energy.potential"])) / h
        assert r[f"{joint}.effort"][3] * r[f"{joint}.speed"][3] == pytest.approx(power, rel=SOLVED, abs=noise)


def test_inverse_dynamics_needs_as_many_drives_as_freedoms():
    with pytest.raises(dal.ModelError, match="1 left open"):
        dal.inverse_dynamics(slider_crank(), times=[0.0])
    with pytest.raises(dal.ModelError, match="Remove 1"):
        dal.inverse_dynamics(slider_crank(), {"main": 0.4, "guide": 0.2}, times=[0.0])
