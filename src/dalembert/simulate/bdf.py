"""Backward differentiation formulas of variable order and step: SUNDIALS IDA on the fully implicit equations.

The rates that the solver sees are z with qd = z + sum_k (x_k - e_k) z_k over the massless rates k, x_k their motions at
the start: the rates of bodies with inertia then do not hang on those without, whose size is left out of the error test,
since they follow from the coordinates by equations without derivatives.  Where a frame shows that a rate has gained or lost
its inertia the solver starts anew.

Newton's iteration of a step takes the exact matrix dF/dy + c dF/dy' of its own state and c, factored anew each time.  The
solver's own way keeps old factors while c changes by less than two thirds; along stiff directions that leaves errors of the
rates of about the tolerance, which differences of high order enlarge until the error test cuts order and step: a robot on
light legs took 120 times as many steps.  The matrix enters as the preconditioner of a Krylov iteration, which then has
nothing left to do; that is the one place where the solver asks for it at every iteration.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from ..codes import FormCode, Status
from ..errors import ModelError, MultibodyError
from ..kernels.compile.jit import direct
from ..kernels.evaluate import eval_accelerations
from ..kernels.linked_work import make_linked_work
from ..kernels.step.implicit_form import eval_implicit_form, eval_implicit_jacobian
from ..kernels.tree.rank import list_massless
from ..kernels.tree.state import eval_coordinate_rates, normalise
from ..results.stats import Stats
from ..start.arguments import RunOptions
from ..start.massless import MasslessState, complete_frame, complete_in_kernels, completion_entry
from ..start.start import Start
from .integrators import Bdf

if TYPE_CHECKING:
    from sksundae.ida import IDA

MOST_UNKNOWNS = 1000
"""Unknowns up to which the Jacobian is kept dense and exact."""
UNCONTROLLED = 1e20
"""Absolute tolerance of a rate that is left out of the error test."""
LEAST_LOOKS = 200
"""How often progress is told at least."""
RANK_LOOKS = 20
"""How often it is seen whether directions have lost their inertia, where none had at the start; where some had, it is seen at
every look whether they have gained it."""
STEPS_A_LOOK = 10
"""Steps between two frames, about, if every step is not looked at."""
MOST_TRIES = 200_000
"""Internal steps that the solver may take on its way to one accepted step."""


class BdfLoop:
    """State of a run inside IDA; the same face as `loop.Loop`."""

    def __init__(self, begin: Start, method: Bdf, options: RunOptions, times: np.ndarray):
        self.integrator, self.options, self.times, self.packed = method, options, times, begin.packed
        self.system, self.work = begin.packed.system, make_linked_work(begin.packed.system)
        self.n_q, self.n_v = len(begin.q), len(begin.qd)
        self.t, self.step, self.until = 0.0, 0.0, options.until
        self.steps = self.next = 0
        self.next_look = 0.0
        self.sizes: list[float] = []
        self.rows: list[tuple[Any, ...]] = []
        self.done: list[dict[str, np.ndarray]] = []
        self.slack = np.zeros(0, np.int64)
        self.form = direct(eval_implicit_form, lambda: self.entries()[0][1])
        v, point = np.zeros(self.n_v), np.zeros(self.n_q)
        self.eliminate = direct(eval_accelerations, lambda: (self.system, 0.0, point, v, v, v, self.work))
        self.list = direct(list_massless, lambda: (self.system, self.work, np.zeros(1, np.int64)))
        self.by_y = direct(eval_implicit_jacobian, lambda: self.entries()[1][1])
        self.evaluations = self.counted = self.factorizations = 0
        self.status = Status.OK
        self.turns = len(self.system.quaternion) > 0
        self.has_rows = bool(self.system.constants[0].form != FormCode.TREE)
        self._begin(begin.q, begin.qd)

    def _begin(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Start the solver anew at the time reached."""
        self._flush()
        self.tried = self.taken = self.t
        state = MasslessState(self.packed, self.t, q, qd)
        found = state.find() if self.system.constants[0].pivot else None
        self.packed, self.system = state.packed, state.packed.system
        self.slack = np.zeros(0, np.int64) if found is None else found.rates
        self.basis = np.zeros((0, self.n_v)) if found is None else np.eye(self.n_v)
        self.basis[self.slack] = 0.0 if found is None else found.basis
        self.at = self.n_q + self.slack
        self.motions = self.basis[self.slack] - np.eye(self.n_v)[self.slack]
        self.solver = self._make_solver()
        self.y, self.yp = self._unknowns(q, qd)
        self.counted, self.evaluations = self.counted + self.evaluations, 0
        self.solver.init_step(self.t, self.y, self.yp)

    def _unknowns(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The solver's unknowns and their derivatives at a state."""
        _, qd, qdd, _ = complete_frame(self.packed, self.t, q, qd)
        rates = np.zeros(self.n_q)
        eval_coordinate_rates(self.system, q, qd, rates)
        return (np.concatenate([q, qd - qd[self.slack] @ self.motions]),
                np.concatenate([rates, qdd - qdd[self.slack] @ self.motions]))

    def _tolerances(self) -> np.ndarray:
        """Absolute tolerances of the unknowns."""
        scale = np.ones(self.n_q)
        scale[self.system.pair["q"]] = self.system.dof["q_scale"][self.system.pair["v"]]
        atol = self.options.accuracy * np.concatenate([scale, self.system.dof["qd_scale"]])
        atol[self.n_q + self.slack] = UNCONTROLLED
        return atol

    def _make_solver(self) -> IDA:
        try:
            from sksundae.ida import IDA, IDAJacTimes, IDAPrecond
        except ImportError as error:
            raise ModelError("integrator 'bdf' needs SUNDIALS: pip install \"dalembert[sundials]\"") from error
        atol = self._tolerances()
        n = len(atol)
        exact = {"jactimes": IDAJacTimes(self._factor, self._multiply), "precond": IDAPrecond(None, self._solve)}
        self.matrix = np.zeros((n, n) if n <= MOST_UNKNOWNS else (0, 0))
        return IDA(self._residual, rtol=self.options.accuracy, atol=atol, max_num_steps=MOST_TRIES,
                   max_order=self.integrator.max_order, linsolver="gmres", **(exact if n <= MOST_UNKNOWNS else {}))

    def _factor(self, t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray, c: float) -> None:
        """Make the matrix of an iteration and its factors; asked for before every solution."""
        self._jacobian(t, y, yp, c, self.matrix)
        self.factors, self.pivot, column = dgetrf(self.matrix)
        self.factorizations += 1
        if column > 0:
            MasslessState(self.packed, t, *self._state(y)).find()  # tells which direction has no equation, if one has none
            self.work.fail["rate"] = self._rate_of_unknown(min(column, self.n_q + self.n_v) - 1)
            self._check(Status.SINGULAR)

    def _multiply(self, t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray, v: np.ndarray, out: np.ndarray, c: float
                  ) -> None:
        out[:] = self.matrix @ v

    def _solve(self, t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray, r: np.ndarray, out: np.ndarray, c: float,
               tolerance: float) -> None:
        out[:] = dgetrs(self.factors, self.pivot, r)[0]

    def _whole(self, y: np.ndarray) -> np.ndarray:
        """Coordinates and rates from the solver's unknowns, in memory of their own.

        The solver's is read-only: for another type of array the kernels would be compiled once more.
        """
        whole = y.copy()
        if not len(self.slack):
            return whole
        whole[self.n_q:] += whole[self.at].dot(self.motions)
        return whole

    def _residual(self, t: float, y: np.ndarray, yp: np.ndarray, res: np.ndarray) -> None:
        self._count(t)
        self._check(self.form(self.system, t, self._whole(y), yp.copy(), self.basis, res, self.work), res)

    def _count(self, t: float) -> None:
        """Count the solver's steps by the times at which it asks: it goes on only after a step was accepted."""
        if t > self.tried:
            self._accept(self.tried)
        self.tried = t

    def _accept(self, t: float) -> None:
        size = t - self.taken
        if size > 0.0:
            self.steps, self.step, self.taken = self.steps + 1, size, t
            self.sizes = [min([*self.sizes[:1], size]), max([*self.sizes[1:], size])]

    def _jacobian(self, t: float, y: np.ndarray, yp: np.ndarray, c: float, A: np.ndarray) -> None:
        """Fill A = dF/dy + c dF/dy'."""
        self._check(self.by_y(self.system, t, self._whole(y), yp.copy(), self.basis, c, A, self.work))
        if len(self.slack):
            A[:self.n_q, self.n_q + self.slack] += A[:self.n_q, self.n_q:] @ self.motions.T

    def _check(self, status: int, values: np.ndarray | None = None) -> None:
        """Stop the solver at a failure of a kernel; the status is kept for `advance`, the failing rate in `work.fail`."""
        if status == Status.OK and values is not None and not isfinite(values.sum()) and not np.all(np.isfinite(values)):
            status = Status.NOT_FINITE
            self.work.fail["rate"] = self._rate_of_unknown(int(np.argmin(np.isfinite(values))))
        if status != Status.OK:
            self.status = Status(status)
            raise ArithmeticError(f"kernel status {self.status.name}")

    def _rate_of_unknown(self, k: int) -> int:
        """Return the rate that an unknown is, or the first one of the joint whose coordinate it is."""
        return k - self.n_q if k >= self.n_q else next(j.v for j in self.packed.layout.joints if j.q <= k < j.q + j.nq)

    def _rank_changed(self, q: np.ndarray, qd: np.ndarray) -> bool:
        """Tell whether other rates are without inertia than at the last start."""
        if not self.system.constants[0].pivot:
            return False
        rates = np.zeros(self.n_v, np.int64)
        self.work.rank["allowed"] = self.n_v
        status = self.eliminate(self.system, self.t, q, qd, np.zeros(self.n_v), np.zeros(self.n_v), self.work)
        return status == Status.OK and not np.array_equal(rates[:self.list(self.system, self.work, rates)], self.slack)

    def entries(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """The kernels needed, for `prepare`."""
        n = self.n_q + self.n_v
        y, square = np.zeros(n), np.zeros((n, n))
        return [(eval_implicit_form, (self.system, 0.0, y, y, square, y, self.work)),
                (eval_implicit_jacobian, (self.system, 0.0, y, y, square, 1.0, square, self.work)),
                completion_entry(self.packed)]

    def advance(self, chunk: int) -> int:
        """Take up to `chunk` steps and return the status."""
        try:
            status = self._advance(chunk)
            self._flush()
            return status
        except ArithmeticError:
            if self.status == Status.OK:
                raise
            return self.status

    def _advance(self, chunk: int) -> int:
        self._record(self.t)
        for _ in range(chunk if self.has_rows else max(1, chunk // STEPS_A_LOOK)):
            if self.t >= self.until:
                self._accept(self.tried)
                return Status.OK
            found = self.solver.step(*self._goal(), tstop=self._stop())
            if not found.success:
                return Status.STEP_TOO_SMALL
            now = float(np.ravel(found.t)[-1])
            if now == self.t:
                continue
            self.t = now
            if self.has_rows:
                self._accept(now)
            self.y, self.yp = np.ravel(found.y).copy(), np.ravel(found.yp).copy()
            self.evaluations = int(found.nfev)
            self._record(now)
            self._after_step()
        return Status.CHUNK_DONE

    def _goal(self) -> tuple[float, str]:
        """Time to go to and how: all steps to the next frame, bend or look; one step where other rows may take over."""
        if self.has_rows:
            return self.until, "onestep"
        frame = self.times[self.next] if self.next < len(self.times) else self.until
        return min(float(frame), self._stop(), self.t + self.until / LEAST_LOOKS), "normal"

    def _after_step(self) -> None:
        """Start anew where a law bends or other directions become massless."""
        bends = self.t in self.packed.breaks
        if not (bends or self.t >= self.next_look):
            return
        self.next_look = self.t + self.until / (LEAST_LOOKS if len(self.slack) else RANK_LOOKS)
        q, qd = self._state(self.y)
        if bends or self._rank_changed(q.copy(), qd.copy()):
            self._begin(q, qd)

    def _state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates from the solver's unknowns."""
        whole = self._whole(y)
        q, qd = whole[:self.n_q].copy(), whole[self.n_q:]
        if self.turns:
            normalise(self.system, q)
        return q, qd

    def _stop(self) -> float:
        """Next time at which a step must end [s]."""
        return next((t for t in self.packed.breaks if self.t < t < self.until), self.until)

    def _record(self, now: float) -> None:
        """Keep the frames due within the last step, read off the solver's own interpolation."""
        while self.next < len(self.times) and self.times[self.next] <= now:
            t = float(self.times[self.next])
            y = self.y if t == now or self.steps == 0 else np.ravel(self.solver.step(t).y)
            self.rows.append((t, y))
            self.next += 1

    def _flush(self) -> None:
        """Complete the frames so far, while the directions without inertia are those of the last start."""
        rows, self.rows = self.rows, []
        n, m = len(rows), len(self.system.row)
        states = [self._state(y) for _, y in rows]
        block = {"t": np.array([t for t, _ in rows], float), "q": np.array([q for q, _ in states]).reshape(n, self.n_q),
                 "qd": np.array([qd for _, qd in states]).reshape(n, self.n_v), "qdd": np.zeros((n, self.n_v)),
                 "multiplier": np.zeros((n, m)), "loads": np.zeros((n, 0))}
        for f in complete_in_kernels(self.packed, block, len(self.slack), self.work) if n else ():
            try:
                found = complete_frame(self.packed, float(block["t"][f]), block["q"][f], block["qd"][f])
            except MultibodyError:
                self.done.append({name: values[:f] for name, values in block.items()})
                raise
            for name, value in zip(("q", "qd", "qdd", "multiplier"), found, strict=True):
                block[name][f] = value
        self.done.append(block)

    def take_frames(self) -> dict[str, np.ndarray]:
        """Return the recorded frames and forget them."""
        self._flush()
        done, self.done = self.done, []
        return {name: np.concatenate([block[name] for block in done]) for name in done[0]}

    def go_to(self, until: float) -> None:
        """Set the time at which the advance ends [s]."""
        self.until = until

    def crossings(self) -> list[tuple[int, float, int]]:
        """Return the crossings of switches, which are not watched here."""
        return []

    def present(self) -> dict[str, np.ndarray]:
        """Return the present state as a frame."""
        kept, self.rows, self.done = (self.rows, self.done), [(self.t, self.y)], []
        self._flush()
        block = self.done[0]
        self.rows, self.done = kept
        return block

    @property
    def failure(self) -> np.ndarray:
        """What `Work.fail` says."""
        return self.work.fail

    @property
    def fastest(self) -> np.ndarray:
        """As `failure`, for the rate that changes most, relative to the size of its kind."""
        fail, change = self.work.fail.copy(), abs(self.yp[self.n_q:self.n_q + self.n_v]) / self.system.dof["q_scale"]
        fail["rate"] = int(np.argmax(change)) if len(change) else 0
        return fail

    def stats(self, seconds: float) -> Stats:
        """Cost so far."""
        smallest, largest = (self.sizes[0], self.sizes[-1]) if self.sizes else (0.0, 0.0)
        evaluations = self.counted + self.evaluations
        return Stats(self.steps, 0, evaluations, self.factorizations, evaluations, seconds, smallest, largest)
