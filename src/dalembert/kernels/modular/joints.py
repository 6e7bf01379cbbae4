"""Joint components: penalties that a step of given length carries, and the loads of all constraint rows on the bodies.

A row r with the load lambda_r pushes its bodies with -lambda_r times its gradient.  Let G_rs be the acceleration along row r that
a unit load of row s makes through the bodies, each a rigid body with its own mass and inertia.  Springs k_r and dampers d_r
along the rows vibrate with frequencies whose squares are the eigenvalues of K G.  Every one of them is at most
    max over r of  k_r G_rr n_r,      n_r = sum over s of |G_rs| / sqrt(G_rr G_ss)                                (1)
(Gershgorin's theorem for the matrix K G, scaled alike on both sides), and so the choice
    k_r = c m_r / h²,   m_r = 1 / (G_rr n_r),   d_r = 2 epsilon sqrt(c) m_r / h                                   (2)
keeps all (omega h)² <= c, with damping epsilon or more.  Rows that bind rates only get (2) with the integral of their rates.
Seeds: [SEG (14)-(18), (20), (21)] the criteria; [SEG (9), (28)] the loads.  Deviations: m_r of (1) in place of the product
j M jᵀ of [SEG (15)], which has no inverse and is no mass; c = 0.1 (2 pi)² of [SEG (17)] is a bound that no explicit prediction
keeps; (28) has the sign of the loads wrong: f^ = f~ - f.  Derived in docs/theory/modular.md.
"""

from math import sqrt

from ...codes import Status
from ..algebra.quad import load_columns
from ..algebra.small import add3, cross, dot3, load3, scale3, store3, sub3, sym_vec, tmul33_vec
from ..compile.jit import kernel
from ..natural.coordinates import slot_at
from ..natural.rows import add3_at
from ..natural.shapes import load3_at

FORGOTTEN = 0.95
"""Share of lambda* that is left after a step."""


@kernel
def eval_end(sys, modular, e, q, work):
    """Unit load of a row on a body, about its centre of mass in body axes, and the accelerations that it makes."""
    own = modular.end[e]
    c, k = modular.component[own.body], sys.body[own.body].column
    R = load_columns(work.body[own.body].E_wb)
    n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(own.slot, own.slot + own.slots):
        g, s = load3_at(work.jacobian, 3 * j), (sys.slot[j].column - k) // 3
        if s == 0:
            f = add3(f, g)
        else:
            n = add3(n, cross(slot_at(q, k, s), g))
    f, n = tmul33_vec(R, f), tmul33_vec(R, n)
    n = sub3(n, cross(load3(c.c_b), f))
    store3(own.n, n)
    store3(own.f, f)
    store3(own.turn, sym_vec(c.inverse, n))


@kernel
def eval_gives(sys, modular, q, work):
    """G_rr and n_r of every row of a joint."""
    joint, end = modular.joint, modular.end
    for r in range(joint.shape[0]):
        joint[r].give, joint[r].share = 0.0, 0.0
    for e in range(end.shape[0]):
        eval_end(sys, modular, e, q, work)
        own = end[e]
        f = load3(own.f)
        joint[own.row].give += dot3(f, f) / modular.component[own.body].mass + dot3(load3(own.n), load3(own.turn))
    for i in range(1, modular.component.shape[0]):
        c = modular.component[i]
        for e in range(c.end, c.end + c.ends):
            a, row = end[e], joint[end[e].row]
            f, turn = scale3(load3(a.f), 1.0 / c.mass), load3(a.turn)
            for d in range(c.end, e + 1):
                b, other = end[d], joint[end[d].row]
                size = row.give * other.give
                if size > 0.0:
                    x = abs(dot3(f, load3(b.f)) + dot3(turn, load3(b.n))) / sqrt(size)
                    row.share += x
                    if d < e:
                        other.share += x


@kernel
def set_penalties(sys, modular, h):
    """k_r and d_r by (2) for a step h of the finest body; what the load would lose by a change of the step is kept as lambda*."""
    o = modular.options[0]
    for r in range(modular.joint.shape[0]):
        own = modular.joint[r]
        if own.inner == 1 or own.give <= 0.0:
            continue
        length = own.finest * h
        m = 1.0 / (own.give * own.share)                                           # [SEG (15)]
        own.k = o.stiffness * m / (length * length)                                # [SEG (17)]
        own.d = 2.0 * o.damping * sqrt(o.stiffness) * m / length                   # [SEG (18)]


@kernel
def add_joint_loads(sys, modular, h, dt, force, work) -> int:
    """Loads of all rows at a state whose rows are evaluated, added to the generalised forces (n_q,) of the bodies.

    `dt` is the time since the last such evaluation, by which slips grow; 0 if that is to be repeated.
    """
    o = modular.options[0]
    for r in range(modular.joint.shape[0]):
        own, row, c = modular.joint[r], work.row[r], sys.row[r]
        if own.inner == 1:
            continue
        way = row.value
        if c.rate_only == 1:
            own.slip += dt * row.rate
            way = own.slip
        elif abs(way) > o.open * c.size:
            o.open, o.row = abs(way) / c.size, r
        if own.h > 0.0 and own.h != h:
            ratio = (h / own.h) * (h / own.h)
            own.kept += (ratio - 1.0) * own.k * way
        own.h = h
        if dt > 0.0:
            own.kept *= FORGOTTEN
        own.load = own.kept + own.k * way + own.d * row.rate                       # [SEG (9)]
        row.multiplier, row.total = own.load, own.load
        for k in range(c.first // 3, (c.first + c.count) // 3):
            add3_at(force, sys.slot[k].column, scale3(load3_at(work.jacobian, 3 * k), -own.load))   # [SEG (28)]
    return Status.OK.value
