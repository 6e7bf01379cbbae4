"""Dopico, López Varela, Luaces: index-3 semi-recursive formulations with projections, equation by equation.

Misprints of the article and what stands here instead: docs/theory/closed_loops.md, last table.
"""

import numpy as np
import pytest
from physics.loop_models import slider_crank
from physics.states import EPS, observed_order
from promises import PROJECTED_RATES
from seeds.six_body_chain import six_body_chain

import dalembert as dal
from dalembert.codes import Status
from dalembert.errors import MultibodyError
from dalembert.kernels.constraint.conjugate import FURTHEST
from dalembert.kernels.constraint.multipliers import begin_step
from dalembert.kernels.constraint.saddle import STIFFNESS
from dalembert.kernels.evaluate import eval_loaded_residual
from dalembert.kernels.linked_work import eval_constraints, make_linked_work
from dalembert.kernels.step.stage import factor_exact
from dalembert.kernels.tree.state import move
from dalembert.simulate.integrators import BY_NAME
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import RunOptions
from dalembert.start.given_penalties import owners
from dalembert.start.initial import prepare_start
from dalembert.start.status import error_of

KINDS = [dal.SemiRecursive, dal.Global]
STEP = 1e-3
TRAPEZOIDAL = STEP**2 / 4  # c_q


def stiffly_damped():
    """Slider-crank with a damper between ground and slider that stops it within 1e-3 of a second."""
    return slider_crank().add(dal.SpringDamper("dashpot", "ground", "slider", stiffness=50.0, damping=300.0, length=0.2))


def all_forces():
    """Slider-crank with an element of every kind, and laws of position and velocity."""
    m = slider_crank(start_rate=3.0)
    m = m.replaced("crank", points={**m["crank"].points, "side": (0.05, 0.03, 0.02)})
    return m.add(dal.SpringDamper("spring", "ground", "crank.side", stiffness=900.0, damping=30.0, length=0.02),
                 dal.Bushing("rubber", "ground", "rod.pin", stiffness=(300.0, 200.0, 100.0), damping=20.0,
                             turning_stiffness=8.0, turning_damping=0.5),
                 dal.Force("drag", "slider", direction=(1, 0, 0), magnitude=lambda t, x, v: -3.0 * v * abs(v) - 40.0 * x),
                 dal.Torque("brake", "crank", direction=(0, 0, 1), magnitude=lambda t, x, v: -0.2 * v**3),
                 dal.JointSpring("coil", "main", stiffness=5.0, damping=0.1),
                 dal.Motor("drive", "main", effort=lambda t, x, v: 0.3 * np.cos(x) - 0.05 * v))


# --- (1), (2): penalties --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_penalties_by_name_reach_the_rows_of_their_parts(kind):
    begin = prepare_start(slider_crank(), formulation=kind(penalty={"small end": 2e5, "main": 3e5}))
    packed = (begin.natural or begin).packed
    given, names = packed.system.row["given"], owners(packed)
    assert np.all(given[names == "small end"] == 2e5) and (names == "small end").sum() == 5
    held = {"small end"} if kind is dal.SemiRecursive else {"small end", "main"}
    assert set(names[given > 0]) == held
    assert ("penalty of 'main' is not used" in " ".join(begin.messages)) == (kind is dal.SemiRecursive)


def test_a_number_is_the_mapping_of_all_names():
    """The law is exact: the same numbers are in the same rows."""
    one, each = (dal.run(slider_crank(), until=0.1, step=STEP, formulation=dal.SemiRecursive(penalty=p))
                 for p in (4e6, {"small end": 4e6}))
    assert np.array_equal(one["main.angle"], each["main.angle"])
    default = dal.run(slider_crank(), until=0.1, step=STEP)
    assert not np.array_equal(one["main.angle"], default["main.angle"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_fixed_point_does_not_depend_on_penalties(kind):
    """They change how fast (2) converges; what is left is what Newton's iteration tolerates in each of the steps."""
    exact, other = (dal.run(slider_crank(), until=0.1, step=STEP, accuracy=1e-10, formulation=kind(penalty=p))
                    for p in (None, {"small end": 3e7}))
    assert np.max(np.abs(exact["main.angle"] - other["main.angle"])) < 100 * 1e-10


@pytest.mark.parametrize("penalty, words", [
    ({"smal end": 1e6}, r"no joint, constraint or motion 'smal end'\. Did you mean 'small end'\?"),
    ({"small end": -1.0}, r"small end: found -1\.0, expected a positive number"),
    ({"small end": True}, "found True, expected a positive number"),
    ("large", "found penalty 'large', expected a positive number, or a mapping"),
])
def test_faulty_penalties_are_named(penalty, words):
    with pytest.raises(dal.ModelError, match=words):
        dal.run(slider_crank(), until=0.1, formulation=dal.SemiRecursive(penalty=penalty))


# --- (3), (4): zeta and P -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("projection", ["step", "mass", "tangent"])
@pytest.mark.parametrize("kind", KINDS)
def test_zeta_of_the_step_is_the_default(kind, projection):
    """Factors made with it a second time, at the end of the step instead of its beginning, and nothing else."""
    runs = [dal.run(slider_crank(), until=0.1, step=STEP, integrator="trapezoidal", accuracy=1e-10,
                    formulation=kind(projection=projection, zeta=zeta)) for zeta in (None, TRAPEZOIDAL, 10 * TRAPEZOIDAL)]
    exact = dal.run(slider_crank(), until=0.1, accuracy=1e-11, record=STEP)
    error = np.max(np.abs(runs[0]["main.angle"] - exact["main.angle"]))
    for r in runs[1:]:
        assert np.max(np.abs(r["main.angle"] - runs[0]["main.angle"])) < 1e-2 * error
        assert np.max(r["constraints.velocity"]) < 10 * PROJECTED_RATES * np.max(np.abs(r["main.speed"]))


@pytest.mark.parametrize("projection", ["step", "mass", "tangent"])
def test_a_weak_zeta_leaves_the_gap_that_its_equation_leaves(projection):
    """(3) leaves m/(m + zeta alpha) of a gap: projections whose turns take less than 1/FURTHEST off are given up."""
    weak = TRAPEZOIDAL / (STIFFNESS * FURTHEST * 10)
    gaps = [np.max(dal.run(slider_crank(), until=0.1, step=STEP, integrator="trapezoidal",
                           formulation=dal.SemiRecursive(projection=projection, zeta=zeta))["constraints.velocity"])
            for zeta in (TRAPEZOIDAL, weak)]
    assert gaps[1] > 1e4 * gaps[0]


@pytest.mark.parametrize("options, words", [
    ({"zeta": -1.0}, r"found zeta -1\.0, expected a positive number \[s²\]"),
    ({"zeta": 1.0, "projection": None}, "zeta 1.0 with projection None"),
    ({"projection": "tangens"}, "found projection 'tangens', expected 'step', 'tangent', 'mass' or None"),
])
def test_faulty_projections_are_named(options, words):
    with pytest.raises(dal.ModelError, match=words):
        dal.run(slider_crank(), until=0.1, formulation=dal.SemiRecursive(**options))


def test_a_tangent_too_large_to_be_dense_is_refused(monkeypatch):
    monkeypatch.setattr("dalembert.simulate.methods.LARGEST_DENSE", 2)
    with pytest.raises(dal.ModelError, match="found 3 rates, expected at most 2. Take projection='step'"):
        dal.run(slider_crank(), until=0.01, step=STEP, formulation=dal.SemiRecursive(projection="tangent"))


def test_the_exact_tangent_is_the_derivative_of_the_residual_with_all_forces():
    """M + c_v C + c_q K + c_q Jᵀ α J against central differences along a direction that moves q, qd and qdd together."""
    begin = prepare_start(all_forces(), formulation=dal.SemiRecursive(projection="tangent"))
    loop = Loop(begin, BY_NAME["trapezoidal"], RunOptions(1.0, 0.01, 1e-8, "trapezoidal", "auto", None), np.zeros(1))
    sys, work, flow, tangent, cq, cv, t = loop.system, loop.work, loop.flow, loop.method.tangent, 25e-6, 5e-3, 0.3
    n, tau = len(begin.qd), np.zeros(len(begin.qd))
    begin_step(sys, cq, cv, work)
    work.row["lam"] = np.linspace(-20.0, 30.0, len(sys.row))
    multiplier, penalty = work.row["lam"].copy(), work.row["pen"].copy()
    flow.q_new[:], flow.qd_new[:], flow.qdd_new[:] = begin.q, begin.qd, np.linspace(-5.0, 5.0, n)

    def residual(x):
        out, q = np.zeros(n), np.zeros_like(begin.q)
        move(sys, begin.q, cq * x, q)
        work.row["lam"], work.row["pen"] = multiplier, penalty
        assert eval_loaded_residual(sys, t, q, begin.qd + cv * x, flow.qdd_new + x, tau, out, work) == 0
        return out

    size = 1e-3 / cv  # rates move by 1e-3
    found = np.stack([(residual(size * e) - residual(-size * e)) / (2 * size) for e in np.eye(n)], axis=1)
    residual(np.zeros(n))
    tangent.dq[:] = 0.0
    assert factor_exact(sys, flow, tangent, t, cq, cv, work) == 0
    made = np.tril(tangent.matrix, -1) @ np.triu(tangent.matrix) + np.triu(tangent.matrix)
    for k in range(n - 1, -1, -1):
        made[[k, tangent.pivot[k]]] = made[[tangent.pivot[k], k]]
    rounding = EPS * np.abs(residual(np.zeros(n))).max() / size
    assert np.abs(made - found).max() < (1e-3) ** 2 * np.abs(found).max() + 100 * rounding


def test_projection_by_the_tangent_is_that_of_the_global_formulation_beside_a_stiff_damper():
    """The same P in other coordinates: of second order, and the same errors but for terms of higher order."""
    exact = dal.run(stiffly_damped(), until=0.5, accuracy=1e-12, record=[0.5])["main.angle"][-1]

    def error(h, formulation):
        r = dal.run(stiffly_damped(), until=0.5, step=h, integrator="trapezoidal", record=[0.5], formulation=formulation)
        return r["main.angle"][-1] - exact

    order = observed_order(lambda h: abs(error(h, dal.SemiRecursive(projection="tangent"))), [4e-3, 2e-3, 1e-3])
    assert abs(order - 2.0) < 0.05
    for h in (4e-3, 2e-3, 1e-3):
        ours, other, mass = (error(h, f) for f in (dal.SemiRecursive(projection="tangent"), dal.Global(),
                                                   dal.SemiRecursive(projection="mass")))
        assert abs(ours - other) < 0.05 * abs(other) < 0.05 / 0.2 * abs(mass - other)


# --- what is recorded -----------------------------------------------------------------------------------------------

CHANNELS = ("main.acceleration", "guide.acceleration", "main.force", "small end.force", "big end.force")


@pytest.mark.parametrize("projection", ["step", "tangent", "mass"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("integrator", ["trapezoidal", "generalized-alpha"])
def test_recorded_accelerations_and_reactions_are_of_second_order(kind, projection, integrator):
    m = slider_crank().add(dal.SpringDamper("s", "ground", "slider", stiffness=50.0, damping=1.0, length=0.2))
    exact = dal.run(m, until=0.5, accuracy=1e-11, record=0.05)
    for channel in CHANNELS:
        found = observed_order(lambda h, c=channel: np.max(np.abs(
            dal.run(m, until=0.5, step=h, record=0.05, integrator=integrator,
                    formulation=kind(projection=projection))[c] - exact[c])), [2e-3, 1e-3, 5e-4])
        assert abs(found - 2.0) < 0.2, (channel, found)


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_accelerations_do_not_magnify_errors_of_rates(kind):
    """Evaluated anew, they would be off by c/m times the error of the rates: here three thousand a second."""
    r = dal.run(stiffly_damped(), until=0.5, step=4e-3, record=[0.4, 0.5], formulation=kind())
    exact = dal.run(stiffly_damped(), until=0.5, accuracy=1e-11, record=[0.4, 0.5])
    state = {"main": r["main.angle"][-1]}
    anew = dal.assemble(stiffly_damped(), 0.5, start=state, start_rate={"main": r["main.speed"][-1]})["main.acceleration"][0]
    errors = [abs(a - exact["main.acceleration"][-1]) for a in (r["main.acceleration"][-1], anew)]
    assert errors[0] < 0.2 * errors[1]


def test_multipliers_of_the_step_balance_what_is_recorded_with_the_mass_matrix():
    """M a + Jᵀ (λ* + ν) = Q: without rates to project, the crank being at rest, to the tolerance of Newton's iteration."""
    begin = prepare_start(slider_crank(), formulation=dal.SemiRecursive(projection="mass"))
    options = RunOptions(2 * STEP, STEP, 1e-12, "trapezoidal", "auto", None)
    loop = Loop(begin, BY_NAME["trapezoidal"], options, np.array([0.0, STEP, 2 * STEP]))
    assert loop.advance(10) == 0
    frames = loop.take_frames()
    assert np.all(np.isfinite(frames["multiplier"]))
    residual, tau = np.zeros(len(begin.qd)), np.zeros(len(begin.qd))
    work = make_linked_work(loop.system)
    for f in range(3):
        work.row["lam"], work.row["pen"] = frames["multiplier"][f], 0.0
        q, qd, qdd = (frames[name][f].copy() for name in ("q", "qd", "qdd"))
        assert eval_loaded_residual(loop.system, frames["t"][f], q, qd, qdd, tau, residual, work) == 0
        assert np.max(np.abs(residual)) < 1e-12 / TRAPEZOIDAL * np.max(np.abs(frames["multiplier"][f]))


def test_frames_at_the_ends_of_steps_cost_no_evaluation():
    """Recording each of a hundred steps leaves the count of evaluations as it is."""
    rare, often = (dal.run(slider_crank(), until=0.1, step=STEP, record=record) for record in (0.1, STEP))
    assert len(often) == 101 and len(rare) == 2
    assert rare.stats.evaluations == often.stats.evaluations
    assert np.array_equal(rare["main.acceleration"][-1], often["main.acceleration"][-1])


# --- figure 1: six-body open chain -----------------------------------------------------------------------------------

CHAIN_WAYS = ["recursive", dal.SemiRecursive(reference="origin"), dal.SemiRecursive(reference="centre-of-mass"), "global"]


@pytest.fixture(scope="module")
def chain_reference():
    return dal.run(six_body_chain(), until=0.5, accuracy=1e-12, record=0.1)


@pytest.mark.parametrize("way", CHAIN_WAYS, ids=str)
@pytest.mark.parametrize("channel", ["link 6.end.position", "3.rates", "5.rates", "1.force", "6.force"])
def test_six_body_chain_is_of_second_order_in_every_formulation(way, channel, chain_reference):
    def error(h):
        r = dal.run(six_body_chain(), until=0.5, step=h, record=0.1, formulation=way, integrator="trapezoidal")
        return np.max(np.abs(r[channel] - chain_reference[channel]))

    assert abs(observed_order(error, [2e-3, 1e-3, 5e-4]) - 2.0) < 0.2


def test_both_accumulations_of_the_six_body_chain_are_the_same_equations():
    """Rounding alone tells them apart: it grows like the distance of neighbouring motions, no more than e^5 within 0.5 s."""
    a, b = (dal.run(six_body_chain(), until=0.5, step=1e-3, formulation=way, integrator="trapezoidal", accuracy=1e-12)
            for way in CHAIN_WAYS[1:3])
    gap = np.max(np.abs(a["link 6.end.position"] - b["link 6.end.position"]))
    assert gap < 500 * (1e-12 + EPS) * np.exp(5.0)


def test_all_formulations_list_the_six_body_chain():
    assert {"recursive", "semi-recursive", "global"} <= set(dal.formulations(six_body_chain()))


# --- closed dispatch ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_row_is_named(kind):
    begin = prepare_start(slider_crank(), formulation=kind())
    state = begin.natural or begin
    row = state.packed.system.row.copy()
    row["code"][2] = 99
    row.setflags(write=False)
    odd = state.packed.system._replace(row=row)
    work = make_linked_work(odd)
    assert eval_constraints(odd, 0.0, state.q.copy(), state.qd.copy(), work) == Status.UNKNOWN_ROW
    error = error_of(Status.UNKNOWN_ROW, state.packed, work.fail, 0.0, 0.0)
    assert type(error) is MultibodyError and "row 2 of 'small end'" in str(error)
