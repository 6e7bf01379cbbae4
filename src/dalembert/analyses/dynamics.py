"""The equations of motion at single states: mass matrix, bias, Jacobians, inverse and forward dynamics for controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..codes import FormCode, Status
from ..errors import Fault, ModelError, near_names
from ..kernels.compile.jit import direct, prepare
from ..kernels.linked_work import make_linked_work
from ..kernels.tables import System
from ..kernels.tree import handle as compiled
from ..kernels.tree.state import eval_drives
from ..model.model import Model
from ..start.arguments import check_time
from ..start.at_state import entries_at_state, make_reader, places_of
from ..start.constraints import least_solution
from ..start.initial import prepare_start
from ..start.reduction import independent_rates, null_space
from ..start.status import error_of
from ..system.edit import changed
from ..system.layout import Layout
from ..system.names import coordinate_names, rate_names
from ..system.pack import Packed
from ..system.reverse import swap
from .states import state_by_name

SIX = 6
FLOAT = np.dtype(float)


class Compiled(NamedTuple):
    """What compiled functions of users call; every function takes the handle first and returns a status, 0 if all is well.

    ``mass_matrix(handle, q, M)``, ``inverse_dynamics(handle, t, q, qd, qdd, tau)``,
    ``forward_dynamics(handle, t, q, qd, tau, qdd)``, ``jacobian(handle, place, q, J)`` and
    ``place_motion(handle, place, q, qd, qdd, out)``; the last argument is filled.
    """

    handle: np.ndarray
    mass_matrix: Any = compiled.mass_matrix
    inverse_dynamics: Any = compiled.inverse_dynamics
    forward_dynamics: Any = compiled.forward_dynamics
    jacobian: Any = compiled.jacobian
    place_motion: Any = compiled.place_motion


class Dynamics:
    """The equations of motion of a model, to be evaluated at any state: made once, each call a few microseconds.

    With the coordinates q, the rates qd and the efforts tau that a controller adds to all that is in the model,

        M(q) qdd + bias(q, qd, t) = tau

    where bias holds weight, centrifugal, Coriolis and gyroscopic loads, minus what *all* force elements of the model do at
    this state and time: springs, dampers, bushings, forces, torques, motors by their own laws, elastic forces of flexible
    bodies.  Motors that a controller commands are listed in `without`: their laws do not count then.  The efforts that
    make accelerations qdd are ``tau = M qdd + bias``, which is `inverse_dynamics`; computed torque takes the accelerations
    of a reference plus feedback.

    Parameters
    ----------
    model : Model
        Fixed or floating bases, all joints, rotors, flexible bodies in floating frames, closed loops.
    without : sequence of str
        Names of force elements that are left out.

    Attributes
    ----------
    coordinates : tuple of str
        What the entries of q are, ``"elbow.angle"``, in SI units.  Balls have four, the quaternion (w, x, y, z), whose length
        does not matter.
    rates : tuple of str
        What the entries of qd, qdd and tau are.  Those of a ball, ``"ball.turn_x"`` and so on, are the relative angular
        velocity in the axes of the first attachment, as in `Spherical`; tau has the moments about these axes.
    q, qd : (n_q,), (n_v,) float
        The assembled start of the model.
    constraints : tuple of str
        Names of the rows of the constraint Jacobian; none in trees.

    Notes
    -----
    The recursive Newton-Euler algorithm (RNEA) gives `bias` and `inverse_dynamics`, the articulated-body algorithm (ABA)
    `forward_dynamics`, both O(N); the composite-rigid-body algorithm (CRBA) `mass_matrix`, O(N d) for trees of depth d.

    A `Motion` does not move anything here, q and qd are taken as given; in `forward_dynamics` driven rates have the
    accelerations of their laws.  With closed loops q holds the coordinates of the spanning tree, more than there are degrees
    of freedom: `mass_matrix`, `bias` and `inverse_dynamics` are those of the tree, in which cut joints carry nothing;
    `constraint_jacobian`, `constraint_acceleration` and `motions` close it.

    An object belongs to one thread; it does not change when the model does.

    Examples
    --------
    >>> import dalembert as dal
    >>> m = dal.Model("pendulum").add(dal.Body("bob", mass=2.0, com=(0, 0, -0.5)),
    ...                               dal.Revolute("pivot", "ground", "bob", axis=(0, 1, 0)))
    >>> d = dal.Dynamics(m)
    >>> d.coordinates, d.rates
    (('pivot.angle',), ('pivot.angle',))
    >>> d.mass_matrix([0.3]).round(6)
    array([[0.5]])
    """

    def __init__(self, model: Model, without: Sequence[str] = ()):
        begin = prepare_start(model)
        self._model, self._packed = model, begin.packed
        self._system = _without_elements(begin.packed, without)
        self._layout = begin.packed.layout
        self._work = make_linked_work(self._system)
        self.n_q, self.n_v = self._layout.n_q, self._layout.n_v
        self.coordinates = tuple(coordinate_names(self._layout))
        self.rates = tuple(rate_names(self._layout))
        self.constraints = tuple(f"{owner}: {what}" for owner, what in self._layout.rows)
        self._places = {name: k for k, (name, *_) in enumerate(places_of(begin.packed))}
        self._reader = make_reader(begin.packed)
        self.q, self.qd = as_user(self._layout, begin.q, begin.qd)
        self._still, self._closed = np.zeros(self.n_v), bool(self._system.constants[0].form != FormCode.TREE)
        self._calls: dict[str, Any] = {}
        self._handle: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<Dynamics of {self._layout.model!r}: {self.n_q} coordinates, {self.n_v} rates, {len(self._places)} places>"

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the bodies and points that Jacobians know, ``"hand.tip"``."""
        return tuple(self._places)

    def place(self, name: str) -> int:
        """Return the number of a place, for compiled functions; ModelError if there is none of this name."""
        found = self._places.get(name)
        if found is None:
            raise ModelError([Fault("place", f"no body or point {name!r}." + near_names(name, self._places))],
                             self._layout.model)
        return found

    def state(self, coordinates: Mapping[str, Any] | None = None, rates: Mapping[str, Any] | None = None, t: float = 0.0
              ) -> tuple[np.ndarray, np.ndarray]:
        """Return q (n_q,) and qd (n_v,) of a state by joint names, as `start` and `start_rate` of a run.

        What is left out has the model's start; drives win at time t, and loops are closed.  Takes about a millisecond.
        """
        q, qd = state_by_name(self._model, self._packed, (self.q, self.qd), coordinates, rates, check_time(t))
        return as_user(self._layout, q, qd)

    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Return M (n_v, n_v) [kg, kg m, kg m²] by composite rigid bodies (CRBA); written to `out` if that is given."""
        M = np.empty((self.n_v, self.n_v)) if out is None else _given(out, (self.n_v, self.n_v))
        call = self._calls.get("mass") or self._made("mass")
        status = call(self._system, self._reader, self._coordinates(q), M, self._work)
        return M if status == 0 else self._fail(status, 0.0)

    def bias(self, q: ArrayLike, qd: ArrayLike, t: float = 0.0, out: np.ndarray | None = None) -> np.ndarray:
        """Return the efforts (n_v,) [N m or N] that zero accelerations need, by the recursive Newton-Euler algorithm (RNEA).

        Weight, centrifugal, Coriolis and gyroscopic loads minus the loads of all force elements of the model at time t [s].
        """
        return self.inverse_dynamics(q, qd, self._still, t, out)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, t: float = 0.0, out: np.ndarray | None = None
                         ) -> np.ndarray:
        """Return the efforts tau = M qdd + bias (n_v,) [N m or N] that accelerations qdd need, by RNEA."""
        tau = np.empty(self.n_v) if out is None else _given(out, (self.n_v,))
        call, v = self._calls.get("inverse") or self._made("inverse"), self._rates
        status = call(self._system, self._reader, float(t), self._coordinates(q), v("qd", qd), v("qdd", qdd), tau, self._work)
        if status != 0 or self._packed.law_errors:
            self._fail(status, t)
        return tau

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike | None = None, t: float = 0.0,
                         out: np.ndarray | None = None) -> np.ndarray:
        """Return the accelerations (n_v,) [rad/s² or m/s²] that efforts tau and the model's own forces make.

        Trees: the articulated-body algorithm (ABA).  Closed loops: rates and coordinates have to meet the constraints, whose
        loads are eliminated by the motions that they leave free (dense, about 0.2 ms).

        Raises
        ------
        SingularError
            A direction has no inertia.
        """
        qdd = np.empty(self.n_v) if out is None else _given(out, (self.n_v,))
        tau = self._still if tau is None else tau
        if self._closed:
            qdd[:] = self._constrained(self._coordinates(q), self._rates("qd", qd), self._rates("tau", tau), float(t))
            return qdd
        call, v = self._calls.get("forward") or self._made("forward"), self._rates
        status = call(self._system, self._reader, float(t), self._coordinates(q), v("qd", qd), v("tau", tau), qdd, self._work)
        if status != 0 or self._packed.law_errors:
            self._fail(status, t)
        return qdd

    def jacobian(self, q: ArrayLike, place: str, out: np.ndarray | None = None) -> np.ndarray:
        """Return J (6, n_v) of a body or point: J qd = (velocity of the place, angular velocity), world axes [m/s, rad/s].

        Parameters
        ----------
        q : (n_q,) float
        place : str
            ``"body"`` or ``"body.point"``, see `places`.
        out : (6, n_v) float, optional
        """
        J = np.empty((SIX, self.n_v)) if out is None else _given(out, (SIX, self.n_v))
        call = self._calls.get("jacobian") or self._made("jacobian")
        status = call(self._system, self._reader, self.place(place), self._coordinates(q), J, self._work)
        return J if status == 0 else self._fail(status, 0.0)

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, place: str) -> np.ndarray:
        """Return J' qd (6,): accelerations of a place and of its body for qdd = 0, world axes [m/s², rad/s²]."""
        return self._motion(q, qd, self._still, place)[18:]

    def acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, place: str) -> np.ndarray:
        """Return J qdd + J' qd (6,): acceleration of a place and angular acceleration, world axes [m/s², rad/s²]."""
        return self._motion(q, qd, qdd, place)[18:]

    def velocity(self, q: ArrayLike, qd: ArrayLike, place: str) -> np.ndarray:
        """Return J qd (6,): velocity of a place and angular velocity of its body, world axes [m/s, rad/s]."""
        return self._motion(q, qd, self._still, place)[12:18]

    def position(self, q: ArrayLike, place: str) -> np.ndarray:
        """Return the position (3,) of a place, world axes [m]."""
        return self._motion(q, self._still, self._still, place)[:3]

    def pose(self, q: ArrayLike, place: str) -> tuple[np.ndarray, np.ndarray]:
        """Return position (3,) [m] and axes (3, 3), one a column, of a place, in world axes."""
        found = self._motion(q, self._still, self._still, place)
        return found[:3], found[3:12].reshape(3, 3)

    def constraint_jacobian(self, q: ArrayLike, t: float = 0.0) -> np.ndarray:
        """Return the Jacobian (m, n_v) of the constraint rows Phi(q, t) = 0 by all rates: Phi' = J qd + Phi_t.

        Rows that bind rates only, of rolling wheels for instance, have their coefficients.  Multipliers λ load the
        rates with -Jᵀλ.
        """
        return self._constraints(q, self._still, t)[0]

    def constraint_violation(self, q: ArrayLike, t: float = 0.0) -> np.ndarray:
        """Return Phi (m,), what coordinates lack of closing the loops [m, rad or -]; zero for rows that bind rates only."""
        return self._constraints(q, self._still, t)[1][:, 0]

    def constraint_acceleration(self, q: ArrayLike, qd: ArrayLike, t: float = 0.0) -> np.ndarray:
        """Return Phi'' (m,) for zero accelerations: J qdd has to be minus this."""
        return self._constraints(q, qd, t)[1][:, 2]

    def motions(self, q: ArrayLike, t: float = 0.0) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return the motions Z (n_v, f) that constraints and drives leave free, and the f independent rates.

        The rows of Z at the independent rates are those of the identity, so that qd = Z x and ``Z.T @ M @ Z`` is the mass
        matrix of the f degrees of freedom; efforts tau do the work of ``Z.T @ tau``.
        """
        J = self._constraints(q, self._still, t)[0]
        Z = null_space(self._packed, J)
        at = independent_rates(self._packed, Z)
        return Z @ np.linalg.inv(Z[at]), tuple(self.rates[k] for k in at)

    @property
    def compiled(self) -> Compiled:
        """Handle and functions for code that is compiled with Numba; valid as long as the array `handle` lives."""
        if self._handle is None:
            self._handle = compiled.make_handle(self._system, self._reader, self._work)
        return Compiled(self._handle)

    def _constrained(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: float) -> np.ndarray:
        """Accelerations with constraints: one that meets the rows, and along the free motions what the equations ask for."""
        J, motion = self._constraints(q, qd, t)
        qdd, driven = np.zeros(self.n_v), self._system.dof["drive"] >= 0
        eval_drives(self._system, t, self._reader.q.copy(), self._reader.qd.copy(), qdd)
        scale, size = self._system.dof["q_scale"][~driven], self._system.row["size"]
        gap = -motion[:, 2] - J[:, driven] @ qdd[driven]
        qdd[~driven] = scale * least_solution(J[:, ~driven] * scale / size[:, None], gap / size)
        Z = null_space(self._packed, J)
        M = self.mass_matrix(q)
        inertia, load = Z.T @ M @ Z, Z.T @ (tau - self.bias(q, qd, t) - M @ qdd)
        if inertia.size and not np.linalg.eigvalsh(inertia)[0] > np.finfo(float).eps * len(inertia) * np.max(abs(inertia)):
            self._work.fail["rate"] = int(np.argmax(abs(np.linalg.eigh(inertia)[1][:, 0] @ Z.T)))
            self._fail(Status.SINGULAR, t)
        out: np.ndarray = qdd + Z @ np.linalg.solve(inertia, load)
        return out

    def _constraints(self, q: ArrayLike, qd: ArrayLike, t: float) -> tuple[np.ndarray, np.ndarray]:
        m = len(self.constraints)
        J, motion = np.zeros((m, self.n_v)), np.zeros((m, 3))
        if m:
            call = self._calls.get("constraints") or self._made("constraints")
            status = call(self._system, self._reader, float(t), self._coordinates(q), self._rates("qd", qd), self._still, J,
                          motion, self._work)
            if status != 0 or self._packed.law_errors:
                self._fail(status, t)
        return J, motion

    def _motion(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, place: str) -> np.ndarray:
        out = np.empty(24)
        call, v = self._calls.get("place") or self._made("place"), self._rates
        status = call(self._system, self._reader, self.place(place), self._coordinates(q), v("qd", qd), v("qdd", qdd), out,
                      self._work)
        return out if status == 0 else self._fail(status, 0.0)

    def _coordinates(self, q: ArrayLike) -> np.ndarray:
        if type(q) is np.ndarray and q.dtype is FLOAT and q.shape == (self.n_q,) and q.flags.c_contiguous:
            return q
        return _vector("q", q, self.n_q, "coordinates")

    def _rates(self, name: str, x: ArrayLike) -> np.ndarray:
        if type(x) is np.ndarray and x.dtype is FLOAT and x.shape == (self.n_v,) and x.flags.c_contiguous:
            return x
        return _vector(name, x, self.n_v, "rates")

    def _made(self, name: str) -> Callable[..., int]:
        """Kernel as Python calls it, compiled or loaded at the first call."""
        self._calls[name] = call = _entry(name)
        return call

    def _fail(self, status: int, t: float) -> NoReturn:
        """Raise the error of a status, or of a law."""
        error = error_of(status, self._packed, self._work.fail, float(t), 0.0)
        self._packed.law_errors.clear()
        raise error


@cache
def _entry(name: str) -> Callable[..., int]:
    """Kernel by name, ready to be called; all systems have the same types."""
    begin = prepare_start(Model("no bodies"))
    system = begin.packed.system
    kernel, arguments = entries_at_state(system, make_reader(begin.packed), make_linked_work(system))[name]
    prepare([(kernel, arguments)])
    called: Callable[..., int] = direct(kernel, lambda: arguments)
    return called


def _given(out: object, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array to be filled, or report what it lacks."""
    if not (type(out) is np.ndarray and out.dtype == FLOAT and out.shape == shape and out.flags.c_contiguous
            and out.flags.writeable):
        found = f"an array of {out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else f"{out!r}"
        raise ModelError([Fault("out", f"found {found}, expected a C-contiguous array of floats of shape {shape}")])
    return out


def _vector(name: str, x: ArrayLike, n: int, names: str) -> np.ndarray:
    try:
        array = np.ascontiguousarray(x, float)
    except (TypeError, ValueError):
        array = np.zeros(0)
        if n == 0:
            array = np.zeros(1)
    if np.ndim(x) != 1 or array.shape != (n,):
        found = f"an array of shape {np.shape(x)}" if isinstance(x, np.ndarray) else f"{x!r}"
        raise ModelError([Fault(name, f"found {found}, expected {n} number{'s' * (n != 1)}, one for each of Dynamics.{names}; "
                                      "Dynamics.state makes them of joint names")])
    return array


def _without_elements(packed: Packed, names: Sequence[str]) -> System:
    """Tables without the force elements of some names."""
    known = {e.name: e.row for e in packed.layout.forces}
    names = [names] if isinstance(names, str) else list(names)
    faults = [Fault("without", f"no force element {name!r}." + near_names(name, known)) for name in names if name not in known]
    if faults:
        raise ModelError(faults, packed.layout.model)
    if not names:
        return packed.system
    kept = np.setdiff1d(np.arange(len(packed.system.force)), [known[name] for name in names])
    return changed(packed.system, force=packed.system.force[kept])


def as_user(layout: Layout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of the tables as a user has them."""
    q, qd = q[None].copy(), qd[None].copy()
    swap(layout, q, qd, np.zeros_like(qd))
    return q[0], qd[0]
