"""Codes that no branch knows end in a status of their own, which says what has the code, at every dispatch on a code."""

import numpy as np
import pytest
from physics.loop_models import slider_crank
from physics.states import random_case

import dalembert as dal
from dalembert.codes import (
    ConstraintCode,
    DriveCode,
    ForceCode,
    FormCode,
    JointCode,
    LawCode,
    ProjectionCode,
    RowCode,
    SignalCode,
    Status,
)
from dalembert.errors import MultibodyError
from dalembert.kernels import evaluate, linked_work, loop_calls, measure
from dalembert.kernels.compile.jit import kernel
from dalembert.kernels.constraint import row_accelerations, row_tangents, rows, state
from dalembert.kernels.control.controllers import RUNNING
from dalembert.kernels.force import elements, elements_tangent, laws
from dalembert.kernels.natural import curvature, forces_tangent, joints, shapes
from dalembert.kernels.natural import rows as natural_rows
from dalembert.kernels.step import events
from dalembert.kernels.tree import at_state, kinematics, tangent
from dalembert.kernels.tree import state as tree_state
from dalembert.start.at_state import make_reader
from dalembert.start.initial import prepare_start
from dalembert.start.status import error_of

ODD = 99
"""A code that nothing has."""
FORMS = {"semi-recursive": FormCode.SEMI_RECURSIVE, "global": FormCode.GLOBAL}


@kernel
def ask_factor(sys, t, q, qd, qdd, add, cq, cv, work):
    return loop_calls.call_factor(sys, t, q, qd, qdd, add, cq, cv, work)


@kernel
def ask_projection(sys, kind, exact, near, settled, tolerance, t, q, qd, qdd, cq, cv, matrix, pivot, work):
    return loop_calls.call_projection(sys, kind, exact, near, settled, tolerance, t, q, qd, qdd, cq, cv, matrix, pivot, work)


def loaded_crank():
    """Return a slider-crank with an element of each kind, driven."""
    return slider_crank().add(
        dal.JointSpring("spring", "main", stiffness=3.0),
        dal.Motor("motor", "main", effort=dal.sine(amplitude=1.0, omega=2.0)),
        dal.SpringDamper("damper", "ground", "slider", stiffness=2.0, length=0.3),
        dal.Bushing("bush", "ground", "rod", stiffness=1.0), dal.Force("push", "slider", magnitude=1.0, direction=(1, 0, 0)),
        dal.Torque("twist", "rod", magnitude=1.0, direction=(0, 0, 1)))


def with_code(system, table, index, code=ODD):
    """Return the tables with another code in a row."""
    rows = getattr(system, table).copy()
    rows[{"constants": "form", "dof": "axis"}.get(table, "code")][index] = code
    rows.setflags(write=False)
    return system._replace(**{table: rows})


class Loop:
    """A constrained mechanism in the coordinates of a formulation."""

    def __init__(self, formulation, model=None):
        self.begin = prepare_start(model or loaded_crank(), formulation=formulation)
        self.state = self.begin.natural or self.begin
        self.sys, self.q, self.qd = self.state.packed.system, self.state.q, self.state.qd
        self.work, n = linked_work.make_linked_work(self.sys), len(self.qd)
        if self.begin.natural:
            self.work.joint_q[:] = self.begin.q
        self.qdd, self.tau, self.out, self.add = (np.zeros(n) for _ in range(4))
        assert linked_work.eval_constraints(self.sys, 0.0, self.q, self.qd, self.work) == 0

    def find(self, system):
        """Return the status of an evaluation with other tables."""
        return evaluate.eval_accelerations(system, 0.0, self.q.copy(), self.qd.copy(), self.qdd, self.tau, self.work)


@pytest.fixture(params=FORMS)
def loop(request):
    return Loop(request.param)


def told(packed, status, work, expected):
    """Check that the error of a status says what has the code."""
    error = error_of(status, packed, work.fail, 0.0, 0.0)
    assert type(error) is MultibodyError and str(error).startswith(expected), error


# --- joints ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("code", [ODD, JointCode.NONE, JointCode.UNIVERSAL])
def test_joints_of_trees(code):
    case = random_case(1, 4)
    sys = with_code(case.sys, "body", 2, code)
    assert kinematics.eval_motion(sys, case.q, case.qd, case.work) == Status.UNKNOWN_JOINT
    assert case.work.fail["body"] == 2
    told(case.packed, Status.UNKNOWN_JOINT, case.work, "joint of body row 2 is of a kind")
    qdd, tau = np.zeros(case.n_v), np.zeros(case.n_v)
    assert evaluate.eval_accelerations(sys, 0.0, case.q.copy(), case.qd.copy(), qdd, tau, case.work) == Status.UNKNOWN_JOINT


@pytest.mark.parametrize("axis", [ODD, 3, -3])
def test_joints_in_natural_coordinates(axis):
    loop = Loop("global")
    i = int(loop.sys.dof["body"][0])
    sys, n = with_code(loop.sys, "dof", 0, axis), len(loop.sys.dof)
    qj = loop.work.joint_q.copy()
    assert joints.eval_joint_coordinates(sys, loop.q, loop.qd, qj, qj.copy(), np.zeros(n), loop.work) == Status.UNKNOWN_JOINT
    assert loop.work.fail["body"] == i
    loop.work.fail["body"] = -1
    assert joints.eval_joint_accelerations(sys, loop.q, loop.qd, loop.qdd, np.zeros(n), loop.work) == Status.UNKNOWN_JOINT
    assert loop.work.fail["body"] == i
    assert loop.find(sys) == Status.UNKNOWN_JOINT


# --- force elements and laws ----------------------------------------------------------------------------------------

@pytest.fixture
def loaded():
    """A tree with one element."""
    model = dal.Model("pendulum").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
        dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)),
        dal.JointSpring("spring", "pivot", stiffness=3.0),
        dal.Motor("motor", "pivot", effort=dal.sine(amplitude=1.0, omega=2.0)))
    begin = prepare_start(model)
    return begin.packed, begin.packed.system, linked_work.make_linked_work(begin.packed.system), begin.q, begin.qd


@pytest.mark.parametrize("code", [ODD, ForceCode.NONE])
def test_force_elements_of_trees(loaded, code):
    packed, sys, work, q, qd = loaded
    odd, tau, v = with_code(sys, "force", 1, code), np.zeros(1), np.zeros(1)
    kinematics.eval_motion(sys, q, qd, work)
    kinematics.eval_places(sys, qd, work)
    assert elements.eval_forces(odd, 0.0, q, qd, tau, work) == Status.UNKNOWN_FORCE
    assert work.fail["force"] == 1
    told(packed, Status.UNKNOWN_FORCE, work, "force element 1 is of a kind")
    assert elements.eval_action(odd, odd.force[1], 0.0, work)[0] == Status.UNKNOWN_FORCE
    assert elements.eval_element(odd, odd.force[1], 0.0, q, qd, work)[-1] == Status.UNKNOWN_FORCE
    assert np.isnan(elements.eval_load(odd, odd.force[1], 0.0, work.body[1], work)[2])
    assert elements_tangent.vary_action(odd, odd.force[1], 0.0, work) == Status.UNKNOWN_FORCE
    work.fail["force"] = -1
    assert elements_tangent.eval_force_variations(odd, 0.0, q, qd, v, v, tau, work) == Status.UNKNOWN_FORCE
    assert work.fail["force"] == 1
    work.fail["force"] = -1
    out = np.zeros((1, 2, 9)), np.zeros((1, 12))
    assert measure.measure_elements(odd, 0, 0.0, q, qd, *out, work) == Status.UNKNOWN_FORCE
    assert work.fail["force"] == 1
    assert evaluate.eval_residual(odd, 0.0, q, qd, v, tau, np.zeros(1), work) == Status.UNKNOWN_FORCE
    assert tangent.eval_variation(odd, 0.0, q, qd, v, v, v, v, np.zeros(1), work) == Status.UNKNOWN_FORCE


@pytest.mark.parametrize("index", range(6))
def test_force_elements_with_loops(loop, index):
    sys = with_code(loop.sys, "force", index)
    assert loop.find(sys) == Status.UNKNOWN_FORCE
    assert loop.work.fail["force"] == index


@pytest.mark.parametrize("index", range(6))
def test_tangent_of_force_elements_in_natural_coordinates(index):
    loop = Loop("global")
    sys, work = with_code(loop.sys, "force", index), loop.work
    assert forces_tangent.natural_force_tangent(sys, 0.0, loop.q, loop.qd, work.joint_q, work.joint_qd, 1.0, 1.0,
                                                work.factors.A, work) == Status.UNKNOWN_FORCE
    assert work.fail["force"] == index
    assert linked_work.add_step_tangent(sys, 0.0, loop.q, loop.qd, loop.qdd, loop.add, 1.0, 1.0, work) == Status.UNKNOWN_FORCE


@pytest.mark.parametrize("code", [ODD, LawCode.NONE])
def test_laws(loaded, code):
    packed, sys, work, q, qd = loaded
    law = int(sys.force["law"][1])
    odd = with_code(sys, "law", law, code)
    assert np.isnan(laws.eval_law(odd, law, 0.1, 0.0, 0.0, 0))
    assert laws.check_laws(odd, work) == Status.UNKNOWN_LAW and work.fail["law"] == law
    told(packed, Status.UNKNOWN_LAW, work, f"law {law} is of a kind")
    v, tau = np.zeros(1), np.zeros(1)
    assert evaluate.eval_accelerations(odd, 0.0, q.copy(), qd.copy(), v, tau, work) == Status.UNKNOWN_LAW
    assert laws.check_laws(sys, work) == Status.OK


def test_laws_with_loops(loop):
    assert loop.find(with_code(loop.sys, "law", 0)) == Status.UNKNOWN_LAW
    assert loop.work.fail["law"] == 0


# --- drives ---------------------------------------------------------------------------------------------------------

def driven():
    """Return a driven pendulum."""
    return dal.Model("driven").add(
        dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)),
        dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0)),
        dal.Motion("turn", "pivot", position=dal.sine(amplitude=1.0, omega=2.0)))


@pytest.mark.parametrize("code", [ODD, DriveCode.NONE])
def test_drives(code):
    begin = prepare_start(driven())
    sys, q, qd, v = begin.packed.system, begin.q.copy(), begin.qd.copy(), np.zeros(1)
    odd, work = with_code(sys, "drive", 0, code), linked_work.make_linked_work(sys)
    assert tree_state.eval_drives(odd, 0.0, q, qd, v) == Status.UNKNOWN_DRIVE
    work.fail["drive"] = -1
    assert evaluate.eval_accelerations(odd, 0.0, q, qd, v, v.copy(), work) == Status.UNKNOWN_DRIVE
    assert work.fail["drive"] == 0
    told(begin.packed, Status.UNKNOWN_DRIVE, work, "drive 0 is of a kind")


def test_drives_with_loops():
    loop = Loop("semi-recursive", slider_crank().add(dal.Motion("turn", "main", speed=1.0)))
    loop.work.fail["drive"] = -1
    assert loop.find(with_code(loop.sys, "drive", 0)) == Status.UNKNOWN_DRIVE
    assert loop.work.fail["drive"] == 0


@pytest.mark.parametrize("code", [ODD, DriveCode.NONE])
def test_drives_at_a_state(code):
    begin = prepare_start(driven())
    sys, v, reader = with_code(begin.packed.system, "drive", 0, code), np.zeros(1), make_reader(begin.packed)
    work = linked_work.make_linked_work(sys)
    work.fail["drive"] = -1
    assert at_state.eval_forward_at(sys, reader, 0.0, begin.q, begin.qd, v, v.copy(), work) == Status.UNKNOWN_DRIVE
    assert work.fail["drive"] == 0


# --- signals --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("code", [ODD, SignalCode.NONE])
def test_signals(code):
    model = driven().add(
        dal.JointSpring("spring", "pivot"), dal.Event("zero", "rod.position.x"),
        dal.Controller("held", inputs=["pivot.angle"], outputs=["spring"], law=lambda t, u: -u[0]))
    begin = prepare_start(model)
    system, q, qd = begin.packed.system, begin.q.copy(), begin.qd.copy()
    work, v = linked_work.make_linked_work(system), np.zeros(1)
    work.control.running[RUNNING] = 1
    assert evaluate.eval_accelerations(system, 0.0, q, qd, v, v.copy(), work) == Status.OK
    assert np.isfinite(events.eval_one(system, 0, 0.0, q, qd, work))
    read = {int(table["signal"][0]) for table in (system.control.controller, system.control.switch)}
    assert len(read) == 2
    for i in read:
        signal = system.control.signal.copy()
        signal["code"][i] = code
        odd = system._replace(control=system.control._replace(signal=signal))
        work.fail["signal"] = -1
        if i == system.control.controller["signal"][0]:
            assert evaluate.eval_accelerations(odd, 0.0, q, qd, v, v.copy(), work) == Status.UNKNOWN_SIGNAL
        else:
            assert np.isnan(events.eval_one(odd, 0, 0.0, q, qd, work))
        assert work.fail["signal"] == i
        told(begin.packed, Status.UNKNOWN_SIGNAL, work, f"signal {i} is of a kind")
    assert np.isnan(events.eval_one(with_code(system, "body", 1), 0, 0.0, q, qd, work))


# --- constraint rows ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("code", [ODD, RowCode.NONE])
def test_rows_in_joint_coordinates(code):
    loop = Loop("semi-recursive")
    sys, work, v = with_code(loop.sys, "row", 1, code), loop.work, np.zeros(len(loop.qd))
    for attempt in (lambda: rows.eval_rows(sys, 0.0, loop.q, loop.qd, work),
                    lambda: row_accelerations.eval_row_accelerations(sys, 0.0, loop.q, loop.qd, v, work),
                    lambda: row_tangents.vary_rows(sys, 0.0, loop.q, loop.qd, v, v, loop.tau, work),
                    lambda: loop.find(sys)):
        work.fail["row"] = -1
        assert attempt() == Status.UNKNOWN_ROW
        assert work.fail["row"] == 1
    zero = (0.0, 0.0, 0.0)
    c, a, b = sys.row[1], work.body[sys.row[1].a], work.body[sys.row[1].b]
    assert rows.eval_pair(c, a, b, 0.0)[-1] == Status.UNKNOWN_ROW
    assert row_tangents.vary_pair(c, a, b, 0.0, 0.0, (zero, zero, zero, zero))[-1] == Status.UNKNOWN_ROW


@pytest.mark.parametrize("code", [ODD, RowCode.NONE])
def test_rows_in_natural_coordinates(code):
    loop = Loop("global")
    sys, work, q, qd = with_code(loop.sys, "row", 1, code), loop.work, loop.q, loop.qd
    own = work.joint_q, work.joint_qd
    work.row["lam"] = 1.0
    for attempt in (lambda: natural_rows.eval_natural_rows(sys, 0.0, q, qd, *own, work),
                    lambda: natural_rows.eval_natural_row_accelerations(sys, 0.0, q, qd, loop.qdd, *own, work.joint_qdd, work),
                    lambda: curvature.natural_row_curvature(sys, 0.0, q, own[0], 1.0, work.factors.A, work),
                    lambda: loop.find(sys)):
        work.fail["row"] = -1
        assert attempt() == Status.UNKNOWN_ROW
        assert work.fail["row"] == 1


@pytest.mark.parametrize("code", [ODD, RowCode.NONE, RowCode.TURN_SPEED])
def test_shapes_of_rows_without_one_are_not_numbers(code):
    X = tuple(tuple(map(float, x)) for x in np.eye(4, 3))
    assert np.isnan(shapes.eval_shape(code, X, 0.0, 0.0))
    assert np.isnan(shapes.shape_gradient(code, X, 0.0, 0.0)).all()
    assert np.isnan(shapes.vary_gradient(code, X, X, 0.0, 0.0)).all()
    assert np.isnan(curvature.product_weight(code, 0.0, (1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0)))


# --- formulations and projections -----------------------------------------------------------------------------------

def test_formulations(loop):
    sys, work, q, qd, v = with_code(loop.sys, "constants", 0), loop.work, loop.q, loop.qd, loop.qdd
    for attempt in (lambda: state.eval_velocities(sys, q, qd, work),
                    lambda: linked_work.eval_gaps(sys, 0.0, q, qd, work),
                    lambda: state.eval_rates(sys, q, qd, work),
                    lambda: state.eval_rate_gaps(sys, 0.0, q, qd, work),
                    lambda: state.eval_row_matrix(sys, q, work),
                    lambda: state.eval_row_bends(sys, 0.0, q, qd, v, work),
                    lambda: linked_work.eval_needed(sys, 0.0, q, qd, v, loop.tau, 0, loop.out, work),
                    lambda: linked_work.eval_mass(sys, q, work),
                    lambda: linked_work.add_step_tangent(sys, 0.0, q, qd, v, loop.add, 1.0, 1.0, work),
                    lambda: ask_factor(sys, 0.0, q, qd, v, loop.add, 1.0, 1.0, work),
                    lambda: loop.find(sys)):
        work.fail["form"] = -1
        assert attempt() == Status.UNKNOWN_FORM
        assert work.fail["form"] == ODD
    told(loop.begin.packed, Status.UNKNOWN_FORM, work, f"formulation {ODD} is of a kind")


def test_forward_dynamics_at_a_state_is_for_trees():
    loop = Loop("semi-recursive")
    reader = make_reader(loop.begin.packed)
    loop.work.fail["form"] = -1
    status = at_state.eval_forward_at(loop.sys, reader, 0.0, loop.q, loop.qd, loop.tau, loop.out, loop.work)
    assert status == Status.UNKNOWN_FORM and loop.work.fail["form"] == FormCode.SEMI_RECURSIVE


def test_projections(loop):
    work = loop.work
    assert loop.find(loop.sys) == Status.OK
    arguments = (0.0, loop.q.copy(), loop.qd.copy(), loop.qdd, 1e-6, 1e-3, work.no_matrix, work.no_pivot, work)
    assert ask_projection(loop.sys, ODD, 0, 0, 0, 1e-10, *arguments) == Status.UNKNOWN_PROJECTION
    assert work.fail["projection"] == ODD
    told(loop.begin.packed, Status.UNKNOWN_PROJECTION, work, f"projection {ODD} is of a kind")
    for kind in (ProjectionCode.NONE, ProjectionCode.STEP, ProjectionCode.MASS):
        assert ask_projection(loop.sys, kind.value, 0, 0, 0, 1e-10, *arguments) == Status.OK


def test_no_code_is_as_large_as_the_one_that_nothing_has():
    kinds = JointCode, ForceCode, LawCode, DriveCode, FormCode, ConstraintCode, RowCode, ProjectionCode, SignalCode
    assert max(max(kind) for kind in kinds) < ODD
