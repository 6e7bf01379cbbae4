"""Every entry kernel leaves the System as it is, byte for byte."""

import hashlib

import numpy as np
import pytest
from physics.states import random_case

import dalembert as dal
from dalembert.codes import Status
from dalembert.kernels import evaluate, linearize, linked_work, loop_calls, measure, missing_multipliers
from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.constraint import rows as constraints
from dalembert.kernels.step import massless_frames
from dalembert.kernels.tree import balance as tree_balance
from dalembert.kernels.tree import factor as tree_factor
from dalembert.kernels.tree import inverse as tree_inverse
from dalembert.kernels.tree import kinematics as tree_kinematics
from dalembert.kernels.tree import rank as tree_rank
from dalembert.kernels.tree import state as tree_state
from dalembert.kernels.tree import tangent as tree_tangent
from dalembert.results.tables import FRAMES, frame_shapes
from dalembert.simulate.integrators import BY_NAME, Componentwise
from dalembert.simulate.loop import Loop
from dalembert.simulate.unilateral import prepare_contacts
from dalembert.start.arguments import RunOptions
from dalembert.start.at_state import entries_at_state, make_reader
from dalembert.start.contacts import row_gaps
from dalembert.start.evaluate import evaluate_frames
from dalembert.start.initial import prepare_start
from dalembert.start.massless import make_settling
from dalembert.start.natural import solve_frames

SMALL = dict(motions=True, reverse=0.5)


def tables_of(system):
    """Return all tables, those of the pattern included."""
    return [table for field in system for table in (field if isinstance(field, tuple) else (field,))]


def digest(system):
    """Return a checksum of all tables."""
    total = hashlib.sha256()
    for table in tables_of(system):
        total.update(np.ascontiguousarray(table).tobytes())
    return total.hexdigest()


def frames_of(case):
    """Return the arrays that `measure_frames` fills, for one frame."""
    shapes = frame_shapes(case.packed.layout)
    made = {name: np.zeros((1, *shapes[name])) for name in ("reaction", "effort", "element", "system")}
    return np.zeros((1, case.sys.body.shape[0], 19)), made


def calls(case):
    """Return each entry kernel with arguments, in an order in which each finds what it needs."""
    sys, work, q, qd, n = case.sys, case.work, case.q, case.qd, case.n_v
    qdd, tau, out, add = np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n)
    M, C, K, ones = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.ones(n)
    body, made = frames_of(case)
    return [
        (tree_state.eval_drives, (sys, 0.1, q, qd, qdd)),
        (evaluate.eval_accelerations, (sys, 0.1, q, qd, qdd, tau, work)),
        (evaluate.eval_residual, (sys, 0.1, q, qd, qdd, tau, out, work)),
        (evaluate.eval_loaded_residual, (sys, 0.1, q, qd, qdd, tau, out, work)),
        (tree_balance.check_tree_balance, (sys, 0.1, q, qd, qdd, work)),
        (massless_frames.complete_frames, (sys, np.zeros(1), q[None].copy(), qd[None].copy(), qdd[None].copy(),
                                           np.zeros((1, 0)), np.zeros(1, np.int64), make_settling(0, n), tau, work)),
        (constraints.eval_jacobian, (sys, q, work)),
        (linearize.eval_matrices, (sys, 0.1, q, qd, qdd, out, M, C, K, work)),
        (tree_kinematics.eval_motion, (sys, q, qd, work)),
        (tree_kinematics.eval_places, (sys, qd, work)),
        (tree_inverse.eval_body_accelerations, (sys, qdd, work)),
        (tree_inverse.eval_mass_matrix, (sys, M, work)),
        (tree_kinematics.eval_motion, (sys, q, qd, work)),
        *entries_at_state(sys, make_reader(case.packed), work).values(),
        (tree_kinematics.eval_motion, (sys, q, qd, work)),
        (tree_factor.factor_tree, (sys, add, 0.0, 0.0, work)),
        (tree_factor.solve_tree, (sys, ones, out, work)),
        (measure.measure_frames, (sys, np.zeros(1), q[None], qd[None], qdd[None], np.zeros((1, 0)), np.zeros((1, 0)), body,
                                  made["reaction"], made["effort"], made["element"], made["system"], work)),
        (measure.restore_loads, (np.zeros(0), work)),
        (missing_multipliers.find_multipliers, (sys, np.zeros(1), q[None].copy(), qd[None].copy(), np.zeros((1, 0)),
                                                np.zeros((1, 0)), work)),
        (tree_state.move, (sys, q, 0.1 * ones, q.copy())),
        (tree_state.normalise, (sys, q.copy())),
        (tree_state.eval_coordinate_rates, (sys, q, qd, q.copy())),
        (tree_state.rates_of_coordinates, (sys, q, q.copy(), qd.copy())),
        (evaluate.eval_residual, (sys, 0.1, q, qd, qdd, tau, out, work)),
        (tree_tangent.eval_variation, (sys, 0.1, q, qd, qdd, ones, ones, ones, out, work)),
        (tree_rank.list_massless, (sys, work, np.zeros(n, np.int64))),
        (tree_rank.eval_massless_motion, (sys, 0, out, work)),
        (tree_rank.eval_products, (sys, 0.1, q, qd, qdd, ones, out, add, work)),
    ]


def test_every_table_is_frozen():
    case = random_case(1, 4, **SMALL)
    assert not any(table.flags.writeable for table in tables_of(case.sys))


def closed_loop(formulation):
    """Return a slider-crank, packed, and its state in the coordinates of a formulation."""
    rod = dict(mass=1.0, inertia=(0.1, 0.1, 0.1), points={"pin": (1, 0, 0)})
    model = dal.Model("slider-crank").add(
        dal.Body("crank", **rod), dal.Body("rod", **rod), dal.Body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1)),
        dal.Revolute("main", "ground", "crank", start=0.3, start_rate=1.0), dal.Revolute("big end", "crank.pin", "rod"),
        dal.Revolute("small end", "rod.pin", "slider"), dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0), start=1.9))
    begin = prepare_start(model, formulation=formulation)
    return begin, begin.natural or begin


@kernel
def ask_accelerations(sys, t, q, qd, qdd, tau, work):
    return loop_calls.call_accelerations(sys, t, q, qd, qdd, tau, work)


@kernel
def ask_velocities(sys, q, qd, work):
    return loop_calls.call_velocities(sys, q, qd, work)


@kernel
def ask_projected(sys, t, q, qd, qdd, tau, work):
    return loop_calls.call_projected(sys, t, q, qd, qdd, tau, work)


@kernel
def ask_balance(sys, work):
    return loop_calls.call_balance(sys, work)


@kernel
def ask_residual(sys, bare, t, q, qd, qdd, tau, residual, work):
    return loop_calls.call_residual(sys, bare, t, q, qd, qdd, tau, residual, work)


@kernel
def ask_factor(sys, t, q, qd, qdd, add, cq, cv, work):
    return loop_calls.call_factor(sys, t, q, qd, qdd, add, cq, cv, work)


@kernel
def ask_projection(sys, kind, exact, near, settled, tolerance, t, q, qd, qdd, cq, cv, matrix, pivot, work):
    return loop_calls.call_projection(sys, kind, exact, near, settled, tolerance, t, q, qd, qdd, cq, cv, matrix, pivot, work)


def row_frames(sys, q, qd, work):
    """Return the arguments of `eval_row_frames` for one frame."""
    n_body, m, n = len(sys.body), len(sys.row), len(qd)
    vectors = np.zeros((1, m, 3)), np.zeros((1, m, 3)), np.zeros((1, n_body, 3)), np.zeros((1, n_body, 9))
    return sys, np.zeros(1), q[None].copy(), np.zeros(n), np.zeros((1, m, n)), np.zeros((1, m)), *vectors, work


def calls_with_loops(state, work):
    """Return each kernel of constrained mechanisms with arguments, in an order in which each finds what it needs."""
    sys, q, qd, n = state.packed.system, state.q.copy(), state.qd.copy(), len(state.qd)
    qdd, tau, out, add = np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n)
    at, of_step = (sys, 0.0, q, qd), (0.0, q, qd, qdd)
    return [
        (linked_work.link_entries, (sys, work)),
        (ask_velocities, (sys, q, qd, work)),
        (linked_work.eval_gaps, (*at, work)),
        (linked_work.eval_constraints, (*at, work)),
        (linked_work.eval_row_frames, row_frames(sys, q, qd, work)),
        (linked_work.eval_constraints, (*at, work)),
        (linked_work.eval_needed, (*at, qdd, tau, 0, out, work)),
        (linked_work.eval_mass, (sys, q, work)),
        (ask_accelerations, (*at, qdd, tau, work)),
        (ask_balance, (sys, work)),
        (ask_projected, (*at, qdd, tau, work)),
        (ask_residual, (sys, 1, *of_step, tau, out, work)),
        (ask_factor, (sys, *of_step, add, 1e-6, 1e-3, work)),
        (ask_projection, (sys, 1, 0, 0, 0, 1e-10, *of_step, 1e-6, 1e-3, work.no_matrix, work.no_pivot, work)),
        (linked_work.eval_gaps, (*at, work)),
        (linked_work.eval_needed, (*at, qdd, tau, 1, out, work)),
        (linked_work.add_step_tangent, (*at, qdd, add, 1e-6, 1e-3, work)),
    ]


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_loops_leave_the_tables_alone(formulation):
    begin, state = closed_loop(formulation)
    system = state.packed.system
    assert not any(table.flags.writeable for table in tables_of(system))
    before = digest(system)
    for entry, args in calls_with_loops(state, linked_work.make_linked_work(system)):
        assert entry(*args) == 0, entry
        assert digest(system) == before, entry
    for name, step in (("dopri5", None), ("generalized-alpha", 0.01)):
        options = RunOptions(0.02, step, 1e-4, name, "auto", None)
        loop = Loop(begin, BY_NAME[name], options, np.array([0.0, 0.011, 0.02]))
        assert loop.advance(200) == 0
        assert digest(system) == before


def test_superelements_leave_the_tables_alone():
    model = dal.Model("beam").add(
        dal.Beam("rod", length=1.0, section=dal.Circle(0.02), material=dal.Material(young=1e8, poisson=0.3, density=1000.0),
                 modes=1, points={"mid": 0.5}), dal.Revolute("hinge", "ground", "rod.start"))
    begin = prepare_start(model, formulation="global")
    systems = begin.natural.packed.system, begin.packed.system
    assert not any(table.flags.writeable for system in systems for table in tables_of(system))
    before = [digest(system) for system in systems]
    options = RunOptions(0.002, 1e-3, 1e-4, "hht", "auto", None)
    loop = Loop(begin, BY_NAME["hht"], options, np.array([0.0, 0.002]))
    assert loop.advance(2) == 0
    frames = loop.in_joints(loop.take_frames())
    for multiplier in (frames["multiplier"], None):
        evaluate_frames(begin.shown, *(frames[name] for name in FRAMES), multiplier)
        assert [digest(system) for system in systems] == before
    solve_frames(begin.shown, *(frames[name] for name in ("t", "q", "qd", "loads")))
    assert [digest(system) for system in systems] == before


def test_entry_kernels_leave_the_tables_alone():
    case = random_case(1, 4, **SMALL)
    before = digest(case.sys)
    for entry, args in calls(case):
        status = entry(*args)
        assert status in (None, 0), entry  # list_massless counts none here
        assert digest(case.sys) == before, entry


@pytest.mark.parametrize("name, step", [("dopri5", None), ("rk4", 0.01), ("semi-implicit-euler", 0.01),
                                        ("generalized-alpha", None), ("hht", 0.01), ("radau", None), ("radau", 0.01)])
def test_time_loops_leave_the_tables_alone(name, step):
    case = random_case(1, 4, **SMALL)
    before = digest(case.sys)
    options = RunOptions(0.02, step, 1e-4, name, "auto", None)
    loop = Loop(case.begin, BY_NAME[name], options, np.array([0.0, 0.011, 0.02]))
    assert loop.advance(200) == 0
    loop.between(0.5 * (loop.step_began + loop.t))
    assert digest(case.sys) == before


def test_components_leave_the_tables_alone():
    begin, state = closed_loop("modular")
    system = state.packed.system
    before = digest(system)
    options = RunOptions(0.02, 1e-3, 1e-4, "auto", "modular", None)
    loop = Loop(begin, Componentwise(), options, np.array([0.0, 0.011, 0.02]))
    assert loop.advance(200) == 0
    assert digest(system) == before


@pytest.mark.parametrize("name, step, contact", [("dopri5", None, None), ("generalized-alpha", 0.01, None),
                                                 ("explicit-euler", 0.01, "penalty"), ("moreau", 0.01, None)])
def test_contacts_leave_the_tables_alone(name, step, contact):
    model = dal.Model("ball").add(
        dal.Body("ball", mass=1.0, inertia=dal.inertia_sphere(1.0, 0.1)),
        dal.Prismatic("fall", "ground", "ball", axis=(0, 0, 1), start=0.105, start_rate=-1.0,
                      **({} if name == "moreau" else {"limits": (None, 1.0)})),
        dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground")))
    options = RunOptions(0.02, step, 1e-4, name, "auto", None)
    begin = prepare_contacts(prepare_start(model), BY_NAME[name], options, contact)
    tables = [*tables_of(begin.packed.system), *begin.packed.contacts]
    assert not any(table.flags.writeable for table in tables)
    before = [table.tobytes() for table in tables]
    loop = Loop(begin, BY_NAME[name], options, np.array([0.0, 0.011, 0.02]))
    while (status := loop.advance(200)) == Status.CONTACTS_FULL:
        loop.make_room()
    assert status == 0
    row_gaps(begin.packed, loop.flow.q[None], loop.flow.qd[None])
    assert [table.tobytes() for table in tables] == before


def test_the_list_above_holds_every_kernel_that_python_calls():
    from dalembert.simulate.warm import entries

    covered = {entry.__name__ for entry, _ in calls(random_case(1, 4, **SMALL))}
    begin, state = closed_loop("semi-recursive")
    covered |= {entry.__name__ for entry, _ in calls_with_loops(state, linked_work.make_linked_work(state.packed.system))}
    methods = {f"{verb}_{kind}" for verb in ("begin", "attempt", "shorten", "keep")
               for kind in ("explicit", "implicit", "radau", "bdf", "driven", "fixed", "sprung", "with_contacts", "moreau",
                            "modular")}
    loops = {*methods, "begin_step", "integrate", "state_between", "factor_sparse",
             "measure_natural_frames", "solve_natural_frames", "find_natural_multipliers", "natural_state_of_joint",
             "joint_frames_of_natural", "eval_law", "measure_gaps", "measure_lowest", "measure_interface_frames"}
    assert {entry.__name__ for entry, _ in entries()} <= covered | loops
