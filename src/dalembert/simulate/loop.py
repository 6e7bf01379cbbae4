"""The kernel's side of a run: its arrays, its options, and one call per chunk."""

from __future__ import annotations

import numpy as np

from ..codes import DriveCode, FormCode, ProjectionCode, RowCode
from ..errors import ModelError
from ..kernels.compile.bundle import Bundle
from ..kernels.linked_work import make_linked_work
from ..kernels.step.explicit import Tableau, integrate_explicit
from ..kernels.step.flow import OPTIONS, PROGRESS, Flow, Frames
from ..kernels.step.implicit import integrate_implicit
from ..kernels.step.radau import integrate_radau
from ..kernels.step.radau_stages import COEFFICIENTS, Stages
from ..kernels.step.stage import Tangent
from ..results.stats import Stats
from ..start.arguments import RunOptions
from ..start.initial import Start
from ..start.massless import complete_frame, complete_in_kernels, completion_entry, make_settling
from ..start.natural import NaturalStart, in_rates, joint_frames, natural_accelerations, natural_slack
from ..system.pack import length_scale
from .integrators import DiagonallyImplicit, Explicit, Implicit, Radau, tableau_arrays

BUFFER_BYTES = 4_000_000
SMALLEST_STEP = 1e-13
"""Relative to the time span; an error-controlled step below it is given up."""
ANY_SIZE = 1e300
"""Scale of driven coordinates and rates: they are exact and take no part in the error control."""
LARGEST_DENSE = 2000
"""Rates up to which the exact dense tangent is kept at hand."""
STEP_SHARE = 0.02
"""Share of the tolerated local error that Newton's iteration may take."""
FIRMER = 30.0
"""Factor of the penalties of rigid bodies in natural coordinates in implicit steps: iterations and turns of projections then
grow more slowly with the length of a chain of loops.  Steps pass singular positions with 100, too, but some not with 1000."""
PROJECTIONS = {None: ProjectionCode.NONE, "step": ProjectionCode.STEP, "mass": ProjectionCode.MASS,
               "tangent": ProjectionCode.TANGENT}
SETTLING = 10
"""Steps after a start within which recorded times end a step: layers of massless directions die out in them."""
EVERY_STEP = 2**62
"""Likewise where massless directions decay much faster than frames follow each other, or at once: their rates, which are
the decay times what a coordinate is off its equilibrium, are then known only where a step has solved for them."""
SMOOTH_DECAY = 10.0
"""Decay within the time between two frames up to which frames are read off between steps."""
STAGE_SHARE = 0.02
"""Share of it for each stage of a Runge-Kutta method, whose weights enlarge the stages' errors up to thirty times."""


class Loop:
    """State of a run inside the kernels."""

    def __init__(self, begin: Start, method, options: RunOptions, times: np.ndarray, *, detect: int = 0):
        self.begin = begin  # owns the laws that the tables point to
        state = begin.natural or begin
        self.system, self.options, self.times = state.packed.system, options, times
        self.work = make_linked_work(self.system)
        if begin.natural:
            self.work.joint_q[:] = begin.q
        self.work.rank["allowed"] = begin.massless
        self.flow = _make_flow(self.system, begin, state, options)
        n_q, n_v = len(state.q), len(state.qd)
        m = len(self.system.row)
        rows = max(1, min(len(times), BUFFER_BYTES // (8 * (1 + n_q + 2 * n_v + m))))
        buffer = (np.zeros(rows), np.zeros((rows, n_q)), np.zeros((rows, n_v)), np.zeros((rows, n_v)),
                  np.zeros((rows, len(self.work.joint_q))), np.zeros((rows, m)), np.zeros(rows, np.int64))
        self.frames = Frames(times, np.asarray(begin.packed.breaks, float), *buffer)
        self.change_method(method, detect=detect)
        if begin.massless and isinstance(method, Implicit):  # its first accelerations are never forgotten
            qdd, multipliers = complete_frame(begin.packed, 0.0, begin.q, begin.qd)[2:]
            self.flow.qdd[:] = natural_accelerations(begin.packed, begin.q, begin.qd, qdd) if begin.natural else qdd
            if not begin.natural:
                self.work.row["push"] = multipliers
            self.flow.progress[0].started = 1

    def change_method(self, method, *, detect: int = 0, h_explicit: float = 0.0) -> None:
        """Go on with another integrator from the present state; `detect` steps held back by stability are called stiff."""
        self.method, self.system = method, _system_for(method, self.begin)
        opt = np.zeros(1, OPTIONS)
        o, p, asked = opt[0], self.flow.progress[0], self.options
        o.adaptive = asked.step is None
        o.accuracy = asked.accuracy
        o.step = asked.step or 0.0
        o.h_max = max(asked.until / 10, 1e-300)
        o.h_min = SMALLEST_STEP * max(asked.until, 1e-300)
        o.detect, o.h_explicit, o.order = detect, h_explicit, method.order
        o.settling = self._settling_steps()
        p.history = p.factored = p.dense = p.exact = p.smooth = p.held = p.stiff = p.calm = p.trusted = p.renewals = 0
        p.contraction, p.h_trusted = 1.0, 0.0
        self.work.row["total"] = np.nan
        if isinstance(method, Explicit):
            self.method_data = Tableau(*tableau_arrays(method))
            o.stages, o.symplectic = len(method.b), method.symplectic
            self.kernel = integrate_explicit
        elif isinstance(method, Radau):
            self.method_data = (_coefficients(method), _make_stages(len(self.flow.qd)))
            o.newton = (1.0 if o.adaptive else STAGE_SHARE) * STEP_SHARE
            self.kernel = integrate_radau
        else:
            self.method_data = (_stages(method), _make_tangent(len(self.flow.qd), dense=not self.begin.natural))
            if isinstance(method, DiagonallyImplicit):
                o.stages, o.turns = len(method.b), 1
            else:
                o.stages, o.order = 1, 3
                o.am, o.af, o.beta, o.gamma = method.coefficients()
            o.projection = PROJECTIONS[getattr(self.begin.formulation, "projection", None)]
            if o.projection == ProjectionCode.TANGENT and not self.begin.natural and len(self.flow.qd) > LARGEST_DENSE:
                raise ModelError(f"SemiRecursive: projection 'tangent' makes a dense matrix; found {len(self.flow.qd)} rates, "
                                 f"expected at most {LARGEST_DENSE}. Take projection='step' or formulation 'global'.")
            if o.projection == ProjectionCode.MASS and self.begin.natural and self.begin.massless:
                raise ModelError("Global: projection 'mass' needs inertia in every direction, but the model lacks it in some. "
                                 "Take projection='step', or formulation 'semi-recursive'.")
            o.zeta = getattr(self.begin.formulation, "zeta", None) or 0.0
            o.newton = (STAGE_SHARE if o.turns else 1.0) * STEP_SHARE
            self.kernel = integrate_implicit
        self.opt = opt

    def _settling_steps(self) -> int:
        """Steps after a start within which recorded times end a step."""
        if not self.begin.massless:
            return 0
        spacing = float(np.min(np.diff(self.times), initial=self.options.until))
        return SETTLING if self.begin.fastest * spacing <= SMOOTH_DECAY else EVERY_STEP

    def arguments(self) -> tuple:
        """Arguments of the kernel."""
        return self.system, self.opt, self.method_data, self.flow, self.frames, self.work

    def entries(self) -> list[tuple]:
        """The kernels needed, for `prepare`; the addresses of their tables are found here, before the time loop."""
        arguments = self.arguments()
        _find_addresses(arguments)
        if self.begin.natural and self.begin.massless:
            return [(self.kernel, arguments), completion_entry(self.begin.packed)]
        return [(self.kernel, arguments)]

    def advance(self, chunk: int) -> int:
        """Take up to `chunk` steps and return the status."""
        self.opt[0].chunk = chunk
        return self.kernel(*self.arguments())

    def take_frames(self) -> dict[str, np.ndarray]:
        """Copy the recorded frames and empty the buffer."""
        p = self.flow.progress[0]
        n = int(p.rows)
        p.rows = 0
        block = {name: getattr(self.frames, name)[:n].copy() for name in ("t", "q", "qd", "qdd", "multiplier")}
        self.open = np.flatnonzero(self.frames.open[:n])
        if self.begin.natural:
            loops = len(self.begin.packed.system.row)  # they come first among the rows of natural coordinates
            block = {**joint_frames(self.begin.natural.packed, block, self.frames.joint[:n]),
                     "multiplier": block["multiplier"][:, :loops].copy()}
            if self.begin.massless:
                self.open = complete_in_kernels(self.begin.packed, block, self.begin.massless)
        return block

    def tree_state(self) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the present coordinates and rates of the tree."""
        state = {name: getattr(self.flow, name)[None].copy() for name in ("q", "qd", "qdd")}
        if self.begin.natural:
            near = self.work.joint_q[None].copy()
            state = joint_frames(self.begin.natural.packed, {"t": np.array([self.t]), **state}, near)
        return state["q"][0], state["qd"][0]

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self.flow.progress[0].t)

    @property
    def until(self) -> float:
        """End time [s]."""
        return self.options.until

    @property
    def step(self) -> float:
        """Step tried last, or to be tried next [s]."""
        return float(self.options.step or self.flow.progress[0].h)

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.flow.progress[0].steps)

    @property
    def failure(self) -> np.ndarray:
        """What `Work.fail` says, in rates of the tree."""
        return in_rates(self.begin, self.work.fail)

    @property
    def fastest(self) -> np.ndarray:
        """As `failure`, for the rate that changes most after the last step, relative to the size of its kind."""
        fail, change = self.work.fail.copy(), abs(self.flow.qdd)
        if not self.begin.natural and len(change):
            change = change / self.system.dof["q_scale"]
        fail["rate"] = int(np.argmax(change)) if len(change) else 0
        return in_rates(self.begin, fail)

    def stats(self, seconds: float) -> Stats:
        """Cost so far."""
        p = self.flow.progress[0]
        smallest = float(p.h_smallest) if p.steps else 0.0
        return Stats(int(p.steps), int(p.rejected), int(p.iterations), int(p.factorizations), int(p.evaluations),
                     seconds, smallest, float(p.h_largest))


def _system_for(method, begin: Start):
    """System with the penalties that an integrator takes."""
    system = (begin.natural or begin).packed.system
    if begin.natural is None or not isinstance(method, Implicit) or len(system.sup.element):
        return system
    row = system.row.copy()
    row["penalty"] *= FIRMER
    row.setflags(write=False)
    return system._replace(row=row)


def _find_addresses(arguments: tuple) -> None:
    for argument in arguments:
        if isinstance(argument, Bundle):
            argument.words  # noqa: B018 - found once and kept
        elif isinstance(argument, tuple):
            _find_addresses(argument)


def _make_flow(system, begin: Start, state: Start | NaturalStart, options: RunOptions) -> Flow:
    n_q, n_v = len(state.q), len(state.qd)
    progress = np.zeros(1, PROGRESS)
    progress[0].t_end = options.until
    progress[0].h_smallest = np.inf
    progress[0].error_last = 1e-4

    def q():
        return np.zeros(n_q)

    def v():
        return np.zeros(n_v)

    q_scale, qd_scale = _scales(system, n_q, length_scale(begin.packed.plan.model))
    slack, motions = begin.slack, begin.motions
    if begin.natural:
        slack, motions = natural_slack(begin.packed, begin.q, begin.motions, n_v), np.zeros((begin.massless, n_v))
    return Flow(progress, state.q.copy(), state.qd.copy(), v(), q(), v(), v(), q(), v(), v(), q(), v(),
                np.zeros((8, n_q)), np.zeros((8, n_v)), np.zeros((4, n_v)), v(), q_scale, qd_scale, v(), slack.copy(),
                _turning_rates(system, n_v), begin.massless_rates.copy(), motions.copy(), make_settling(begin.massless, n_v))


def _scales(system, n_q: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of coordinates and rates that an accuracy refers to, for the length of a model that has no rows to tell it."""
    if system.constants[0].form == FormCode.GLOBAL:
        lengths = system.row["size"][system.row["code"] == RowCode.POSITION]
        length = float(lengths[0]) if len(lengths) else length
        bodies = np.tile(np.repeat([length, 1.0], [3, 9]), len(system.body) - 1)
        scale = np.concatenate([bodies, length * _modal_sizes(system.sup)])
        return scale, scale.copy()
    q_scale = np.ones(n_q)
    q_scale[system.pair["q"]] = system.dof["q_scale"][system.pair["v"]]
    qd_scale = system.dof["qd_scale"].copy()
    qd_scale[system.drive["v"]] = ANY_SIZE
    q_scale[system.drive["q"][system.drive["code"] == DriveCode.POSITION]] = ANY_SIZE
    return q_scale, qd_scale


def _modal_sizes(sup) -> np.ndarray:
    """Modal coordinates of superelements, with unit modal mass, that move their mass by one in the mean [sqrt(kg)]."""
    return np.repeat(np.sqrt(sup.constant[sup.element["rigid"]]), sup.element["n_mode"])


def _turning_rates(system, n_v: int) -> np.ndarray:
    turning = np.zeros(n_v, np.int64)
    for c in range(3):
        turning[system.quaternion["v"] + c] = 1
    return turning


def _stages(method) -> Tableau:
    """Tableau of an implicit method; empty for the generalized-alpha family."""
    if isinstance(method, DiagonallyImplicit):
        return Tableau(*tableau_arrays(method))
    return Tableau(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0))


def _make_tangent(n_v: int, *, dense: bool) -> Tangent:
    n = n_v if dense and n_v <= LARGEST_DENSE else 0
    add, residual, dq, dq_base, qd_base = (np.zeros(n_v) for _ in range(5))
    return Tangent(np.zeros((n, n)), np.zeros(n, np.int64), np.zeros((4, n_v)), add, residual, np.zeros((2, n_v)), dq,
                   dq_base, qd_base, np.zeros((8, n_v)), np.zeros((8, n_v)))


def _coefficients(method: Radau) -> np.ndarray:
    """Table of one row."""
    table = np.zeros(1, COEFFICIENTS)
    for name, value in method.coefficients().items():
        table[name] = value
    return table


def _make_stages(n: int) -> Stages:
    return Stages(np.zeros((4, n, n)), np.zeros((n, n), complex), np.zeros((2, n), np.int64), np.zeros((6, 3, n)),
                  np.zeros(n), np.zeros(n, complex))
