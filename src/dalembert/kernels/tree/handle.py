"""The dynamics of a tree at a state for functions that users compile with Numba: controllers, observers, planners.

Every function takes the handle of a model (`Dynamics.compiled.handle`, int64) and C-contiguous arrays of float64, fills the
last one and returns a status, 0 if all is well.  Called from plain Python they do the same.
"""

from weakref import WeakValueDictionary, finalize

import numpy as np
from numba import config, types
from numba.extending import overload

from ..compile.calls import address_of
from ..compile.handles import KERNELS, TABLES, call_kernel, demand
from .at_state import eval_forward_at, eval_inverse_at, eval_jacobian_at, eval_mass_matrix_at, eval_place_at

AT_MASS, AT_INVERSE, AT_FORWARD, AT_JACOBIAN, AT_PLACE = range(KERNELS, KERNELS + 5)
HANDLE, INTEGER, NUMBER = types.Array(types.int64, 1, "C"), types.int64, types.float64
VECTOR, MATRIX = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_OPEN: WeakValueDictionary = WeakValueDictionary()
"""Address of tables -> the tables, for calls from Python."""


class _Opened:
    """Tables, reader and scratch of a model, which a handle leads to as long as this object lives."""

    def __init__(self, *tables):
        self.tables = tables


def make_handle(system, reader, work) -> np.ndarray:
    """Return a handle; what it leads to lives as long as this array, which a compiled function that froze it keeps."""
    n, q, qd = len(reader.still), reader.q, reader.qd
    M, J, out = np.zeros((n, n)), np.zeros((6, n)), np.zeros(24)
    addresses = [address_of(entry, (system, reader, *arguments, work)) for entry, arguments in (
        (eval_mass_matrix_at, (q, M)), (eval_inverse_at, (0.0, q, qd, qd, qd)), (eval_forward_at, (0.0, q, qd, qd, qd)),
        (eval_jacobian_at, (0, q, J)), (eval_place_at, (0, q, qd, qd, out)))]
    handle = np.array([system.address, reader.address, work.address, *addresses], np.int64)
    opened = _OPEN[int(system.address)] = _Opened(system, reader, work)
    finalize(handle, _let_go, opened).atexit = False
    return handle


def _let_go(opened) -> None:
    """Nothing to be done: until the end of its handle the call keeps `opened`."""


def _called(entry, handle, arguments) -> int:
    system, reader, work = _OPEN[int(handle[TABLES])].tables
    return entry(system, reader, *arguments, work)


def mass_matrix(handle, q, M):
    """Fill the mass matrix M (n_v, n_v) at q (n_q,): the composite-rigid-body algorithm."""
    return _called(eval_mass_matrix_at, handle, (q, M))


def inverse_dynamics(handle, t, q, qd, qdd, tau):
    """Fill tau = M qdd + bias, all (n_v,): the recursive Newton-Euler algorithm; bias itself for qdd = 0."""
    return _called(eval_inverse_at, handle, (float(t), q, qd, qdd, tau))


def forward_dynamics(handle, t, q, qd, tau, qdd):
    """Fill the accelerations qdd for efforts tau, all (n_v,), of trees: the articulated-body algorithm."""
    return _called(eval_forward_at, handle, (float(t), q, qd, tau, qdd))


def jacobian(handle, place, q, J):
    """Fill J (6, n_v) of place number `place`: its velocity, then the angular velocity, world axes."""
    return _called(eval_jacobian_at, handle, (int(place), q, J))


def place_motion(handle, place, q, qd, qdd, out):
    """Fill out (24,): position, axes by rows (9), velocity, angular velocity and their derivatives of place number `place`."""
    return _called(eval_place_at, handle, (int(place), q, qd, qdd, out))


if not config.DISABLE_JIT:

    @overload(mass_matrix)
    def _compiled_mass_matrix(handle, q, M):
        demand("mass_matrix", (handle, q, M), ("handle", HANDLE, "q", VECTOR, "M", MATRIX))
        return lambda handle, q, M: call_kernel(handle, AT_MASS, (q, M))

    @overload(inverse_dynamics)
    def _compiled_inverse(handle, t, q, qd, qdd, tau):
        demand("inverse_dynamics", (handle, q, qd, qdd, tau),
               ("handle", HANDLE, "q", VECTOR, "qd", VECTOR, "qdd", VECTOR, "tau", VECTOR))
        return lambda handle, t, q, qd, qdd, tau: call_kernel(handle, AT_INVERSE, (float(t), q, qd, qdd, tau))

    @overload(forward_dynamics)
    def _compiled_forward(handle, t, q, qd, tau, qdd):
        demand("forward_dynamics", (handle, q, qd, tau, qdd),
               ("handle", HANDLE, "q", VECTOR, "qd", VECTOR, "tau", VECTOR, "qdd", VECTOR))
        return lambda handle, t, q, qd, tau, qdd: call_kernel(handle, AT_FORWARD, (float(t), q, qd, tau, qdd))

    @overload(jacobian)
    def _compiled_jacobian(handle, place, q, J):
        demand("jacobian", (handle, q, J), ("handle", HANDLE, "q", VECTOR, "J", MATRIX))
        return lambda handle, place, q, J: call_kernel(handle, AT_JACOBIAN, (np.int64(place), q, J))

    @overload(place_motion)
    def _compiled_place(handle, place, q, qd, qdd, out):
        demand("place_motion", (handle, q, qd, qdd, out),
               ("handle", HANDLE, "q", VECTOR, "qd", VECTOR, "qdd", VECTOR, "out", VECTOR))
        return lambda handle, place, q, qd, qdd, out: call_kernel(handle, AT_PLACE, (np.int64(place), q, qd, qdd, out))
