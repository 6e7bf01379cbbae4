"""Constraint rows made by hand on packed trees, for kernels' tests; import as ``from physics.constraint_rows import ...``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from physics.states import EPS, packed_case, random_case

import dalembert as dal
from dalembert.codes import RowCode
from dalembert.kernels import tables
from dalembert.kernels.constraint import rows as constraints
from dalembert.kernels.tables import System, Work, make_work
from dalembert.kernels.tree.kinematics import eval_motion, eval_places
from dalembert.kernels.tree.state import move
from dalembert.model.laws import ramp, sine
from dalembert.system.pack_laws import LawTable
from dalembert.system.row_records import ROW_RECORDS

SLOPE_STEP = 1e-6
"""Of the differences that `law_slopes` takes; they leave EPS / SLOPE_STEP of rounding in rows of COUPLING."""
TIME = 0.3
SEEDS = range(3)
BODY_ROWS = (RowCode.POSITION, RowCode.DIRECTION, RowCode.DISTANCE, RowCode.ANGLE, RowCode.WHEEL_HEIGHT,
             RowCode.WHEEL_SLIP, RowCode.TURN_SPEED, RowCode.SLIDE_SPEED)
TERM_ROWS = (RowCode.COORDINATES, RowCode.COORDINATE_SPEED, RowCode.COUPLING)
VELOCITY_ROWS = tuple(code for code, record in ROW_RECORDS.items() if record.binds_rates)
WITHOUT_LAW = (RowCode.DIRECTION, RowCode.WHEEL_HEIGHT, RowCode.WHEEL_SLIP)


def random_laws(rng):
    """Return the laws of rows: three of time, one of a coordinate."""
    laws, (a, b, c) = LawTable(), rng.uniform(0.2, 0.8, 3)
    for law in (sine(amplitude=a, omega=3.0, phase=b, offset=c), ramp(begin=-0.4, finish=0.9, start=a, end=b),
                lambda t: a * np.cos(2.0 * t + b), sine(amplitude=b, omega=1.7, phase=c, offset=a)):
        laws.add(law)
    return laws


def random_row(rng, code, bodies):
    """Return a row of a kind between two different bodies, all directions unit."""
    row = np.zeros(1, tables.ROW)[0]
    row.code, row.rate_only, row.law = code, code in VELOCITY_ROWS, -1 if code in WITHOUT_LAW else rng.integers(3)
    row.a, row.b = rng.choice(bodies, 2, replace=False)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    row.u_a, row.u_b, row.e_a, row.f_a = *rng.uniform(-0.5, 0.5, (2, 3)), axes[0], axes[1]
    row.e_b = np.linalg.qr(rng.normal(size=(3, 3)))[0][0]
    row.c, row.radius = rng.uniform(-0.5, 0.5), rng.uniform(0.1, 0.5)
    return row


def random_term_row(rng, code, pairs, terms):
    """Return a row between coordinates, and append its terms to a list."""
    row = np.zeros(1, tables.ROW)[0]
    row.code, row.rate_only = code, code in VELOCITY_ROWS
    row.law = 3 if code == RowCode.COUPLING else rng.integers(3)
    row.c, row.term, row.terms = rng.uniform(-0.5, 0.5), len(terms), 2 if code == RowCode.COUPLING else 3
    for k in rng.choice(len(pairs), row.terms, replace=False):
        terms.append((pairs[k].q, pairs[k].v, rng.uniform(-2, 2)))
    return row


def movers(sys, body):
    """Return the rates that move a body."""
    rates = set()
    while body > 0:
        b = sys.body[body]
        rates |= set(range(b.v, b.v + b.nv))
        body = b.parent
    return rates


def with_rows(sys, rows, terms=(), laws=None):
    """Return the system with constraint rows and the entries of their Jacobian."""
    row, term, entries = np.array(rows, tables.ROW), np.array(list(terms), tables.TERM), []
    for i in range(len(row)):
        row["first"][i] = len(entries)
        if row["code"][i] in TERM_ROWS:
            first, count = row["term"][i], row["terms"][i]
            entries += [(v, 2) for v in term["v"][first:first + count]]
        else:
            a, b = movers(sys, row["a"][i]), movers(sys, row["b"][i])
            entries += sorted([(k, 0) for k in a - b] + [(k, 1) for k in b - a])
        row["count"][i] = len(entries) - row["first"][i]
    made = [row, term, np.array([(*entry, -1, -1) for entry in entries], tables.ENTRY)]
    if laws is not None:
        made += laws.tables()
    for table in made:
        table.setflags(write=False)
    names = ("row", "term", "entry", "law", "knot")
    return sys._replace(**dict(zip(names, made, strict=False)))


class Rows(NamedTuple):
    """A system with rows, a state, and what its laws live in."""

    sys: System
    work: Work
    q: np.ndarray
    qd: np.ndarray
    keep: tuple[Any, ...]

    @property
    def codes(self):
        return self.sys.row["code"]

    @property
    def velocity_rows(self):
        return self.sys.row["rate_only"] == 1

    @property
    def noise(self):
        """Rounding of each row's rate and of its Jacobian, relative to their size."""
        return np.where(self.codes == RowCode.COUPLING, EPS / SLOPE_STEP, 10 * self.sys.body.shape[0] * EPS)

    def moved(self, dq):
        """Return the coordinates moved by increments of the rates."""
        out = np.zeros_like(self.q)
        move(self.sys, self.q, np.ascontiguousarray(dq), out)
        return out

    def evaluated(self, t=TIME, q=None, qd=None):
        """Evaluate the rows and their Jacobian at a state; returns a copy of their scratch."""
        q, qd = self.q if q is None else q, self.qd if qd is None else qd
        assert eval_motion(self.sys, q, qd, self.work) == 0
        assert eval_places(self.sys, qd, self.work) == 0
        assert constraints.eval_rows(self.sys, t, q, qd, self.work) == 0
        assert constraints.eval_jacobian(self.sys, q, self.work) == 0
        return self.work.row.copy()

    def jacobian(self):
        """Return the dense Jacobian at the state that was evaluated last."""
        J = np.zeros((len(self.sys.row), len(self.qd)))
        for i, row in enumerate(self.sys.row):
            for j in range(row.first, row.first + row.count):
                J[i, self.sys.entry[j].column] += self.work.jacobian[j]
        return J


def random_rows(seed, n_bodies=11):
    """Return a random tree with rows of every kind, and random multipliers and penalties."""
    case, rng = random_case(seed, n_bodies, forces=False), np.random.default_rng(seed)
    sys, terms, laws = case.sys, [], random_laws(rng)
    rows = [random_row(rng, code, sys.body.shape[0]) for code in BODY_ROWS for _ in range(4)]
    for row in rows[::8]:
        row.a = 0
        row.b = max(row.b, 1)
    rows[-1].b = 0
    rows[-1].a = max(rows[-1].a, 1)
    rows += [ball(row) for row in rows if row.code in (RowCode.WHEEL_HEIGHT, RowCode.WHEEL_SLIP)]
    rows += [random_term_row(rng, code, sys.pair, terms) for code in TERM_ROWS for _ in range(3)]
    sys = with_rows(sys, rows, terms, laws)
    work = make_work(sys)
    work.row["lam"], work.row["pen"] = rng.uniform(-2, 2, (2, len(rows)))
    return Rows(sys, work, case.q, case.qd, (case, laws))


def ball(row):
    """Return a copy of a wheel's row with a ball in its place."""
    row = row.copy()
    row.e_b = 0.0
    return row


FREE = dal.Free("j", "ground", "b")


def single_row(code, joint=FREE, **fields):
    """Return a body at the ground's origin with one row between them; directions and points are in the body's own axes."""
    case = packed_case(dal.Model("one").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), joint))
    R_bu = np.array(case.sys.body[1].R_bu).reshape(3, 3)
    row = np.zeros(1, tables.ROW)[0]
    row.code, row.rate_only, row.b, row.law = code, code in VELOCITY_ROWS, 1, -1
    for name, value in fields.items():
        row[name] = R_bu @ value if name in ("u_b", "e_b") else value
    sys = with_rows(case.sys, [row])
    return Rows(sys, make_work(sys), case.q, case.qd, (case,))
