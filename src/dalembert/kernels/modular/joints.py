"""Joint components: penalties that a step of given length carries, and the loads of all constraint rows on the bodies.

The rows of a joint (a constraint, a drive) are a block J with the violations Phi_J and the loads lambda_J, which push its
bodies with -lambda_Jᵀ times their gradients.  Let G_JS be the accelerations along the rows of J by unit loads along those of
S, through the bodies that both act on, each of them rigid with its own mass and inertia: G_JJ = sum of G_JJ^i over bodies i.
Springs K_J along the rows vibrate with frequencies whose squares are the eigenvalues of K G.  With
    K_J = c/(n_J h²) G_JJ⁻¹,   D_J = 2 epsilon sqrt(c)/(n_J h) G_JJ⁻¹,                                            (1)
    n_J = 1 + sum over bodies i of J, joints S ≠ J of i, of sqrt(w_J^i w_S^i),   w_J^i >= |G_JJ^i| by G_JJ       (2)
all (omega h)² are at most c (theorem of Gershgorin for blocks, and Cauchy's inequality for each body), whatever the masses,
the levers and the number of joints.  G_JJ⁻¹ is the mass that a joint moves along its rows.  Rows that bind rates only get (1)
with the integral of their rates.
Seeds: [SEG (14)-(18), (20), (21)] the criteria; [SEG (9), (28)] the loads.  Deviations: G_JJ⁻¹ in place of the products
j M jᵀ of [SEG (15)], which have no inverse and are no masses; c below the 0.1 (2 pi)² of [SEG (17)], which no explicit
prediction carries; (28) has the sign of the loads wrong: f^ = f~ - f.  Derived in docs/theory/modular.md.
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
APART = 1.0
"""Violation of a joint, relative to its size, that ends a run."""
DEPENDENT = 1e-10
"""What is added to the diagonal of G_JJ, relative to it, for rows that depend on each other."""
SQUARINGS = 2
"""How often a matrix is squared to bound its largest eigenvalue by its size."""


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
def add_body_gives(modular, g, first, last, G):
    """Add G_JJ^i of the ends first ... last-1, of one body and one joint whose first row is g, to the lower triangle of G."""
    mass = modular.component[modular.end[first].body].mass
    for a in range(first, last):
        x, f, turn = modular.end[a], scale3(load3(modular.end[a].f), 1.0 / mass), load3(modular.end[a].turn)
        for b in range(first, a + 1):
            y = modular.end[b]
            G[x.row - g, y.row - g] += dot3(f, load3(y.f)) + dot3(turn, load3(y.n))


@kernel
def factor_gives(n, G):
    """Cholesky's factor of G (n, n) in its lower triangle, the inverse of its diagonal there."""
    for j in range(n):
        s = G[j, j] * (1.0 + DEPENDENT)
        for k in range(j):
            s -= G[j, k] * G[j, k]
        inverse = 1.0 / sqrt(s) if s > 0.0 else 0.0
        G[j, j] = inverse
        for i in range(j + 1, n):
            s = G[i, j]
            for k in range(j):
                s -= G[i, k] * G[j, k]
            G[i, j] = s * inverse


@kernel
def solve_gives(n, G, x):
    """Overwrite x (n,) with G⁻¹ x."""
    for i in range(n):
        s = x[i]
        for k in range(i):
            s -= G[i, k] * x[k]
        x[i] = s * G[i, i]
    for j in range(n):
        i = n - 1 - j
        s = x[i]
        for k in range(i + 1, n):
            s -= G[k, i] * x[k]
        x[i] = s * G[i, i]


@kernel
def weight_of(n, L, B, C):
    """Bound of the largest eigenvalue of B (n, n), its lower triangle, relative to G = L Lᵀ; B and C are destroyed."""
    for i in range(n):
        for j in range(i + 1, n):
            B[i, j] = B[j, i]
    for _ in range(2):  # B <- L⁻¹ B, transposed, twice
        for c in range(n):
            for i in range(n):
                s = B[i, c]
                for k in range(i):
                    s -= L[i, k] * C[c, k]
                C[c, i] = s * L[i, i]
        for i in range(n):
            for j in range(n):
                B[i, j] = C[i, j]
    size = 0.0
    for _ in range(SQUARINGS):
        for i in range(n):
            for j in range(n):
                s = 0.0
                for k in range(n):
                    s += B[i, k] * B[k, j]
                C[i, j] = s
        size = 0.0
        for i in range(n):
            for j in range(n):
                B[i, j] = C[i, j]
                size += C[i, j] * C[i, j]
    for _ in range(SQUARINGS + 1):
        size = sqrt(size)
    return min(size, 1.0)


@kernel
def eval_blocks(sys, modular, q, work):
    """Factor of G_JJ of every joint, and the weights w_J^i of its bodies."""
    B, C = modular.block, modular.other
    for e in range(modular.end.shape[0]):
        eval_end(sys, modular, e, q, work)
    for i in range(modular.component.shape[0]):
        modular.component[i].weights = 0.0
    for j in range(modular.joint.shape[0]):
        own = modular.joint[j]
        G, n = modular.gives[j], own.rows
        for a in range(n):
            for b in range(a + 1):
                G[a, b] = 0.0
        for s in range(own.side, own.side + own.sides):
            add_body_gives(modular, own.row, modular.side[s].first, modular.side[s].last, G)
        factor_gives(n, G)
        for s in range(own.side, own.side + own.sides):
            side = modular.side[s]
            for a in range(n):
                for b in range(a + 1):
                    B[a, b] = 0.0
            add_body_gives(modular, own.row, side.first, side.last, B)
            side.weight = sqrt(weight_of(n, G, B, C))
            modular.component[side.body].weights += side.weight
    for j in range(modular.joint.shape[0]):
        own = modular.joint[j]
        own.share = 1.0
        for s in range(own.side, own.side + own.sides):
            side = modular.side[s]
            own.share += side.weight * (modular.component[side.body].weights - side.weight)      # (2)


@kernel
def note_open(modular, c, row, r):
    """Remember the largest violation of a joint."""
    o = modular.options[0]
    if c.rate_only == 0 and not abs(row.Phi) <= o.open * c.size:
        o.open, o.row = abs(row.Phi) / c.size, r


@kernel
def eval_block_loads(sys, modular, j, h, dt, work):
    """Loads of the rows of joint j by (1), for a finest step h; slips grow by dt."""
    o, own = modular.options[0], modular.joint[j]
    length = own.finest * h
    k = o.stiffness / (own.share * length * length)                                    # [SEG (17)]
    d = 2.0 * o.damping * sqrt(o.stiffness) / (own.share * length)                     # [SEG (18)]
    way, rate = modular.way, modular.rate
    for i in range(own.rows):
        c, row, mine = sys.row[own.row + i], work.row[own.row + i], modular.row[own.row + i]
        note_open(modular, c, row, own.row + i)
        if c.rate_only == 1:
            mine.slip += dt * row.Phid
        way[i] = mine.slip if c.rate_only == 1 else row.Phi
        rate[i] = row.Phid
    solve_gives(own.rows, modular.gives[j], way)
    solve_gives(own.rows, modular.gives[j], rate)
    for i in range(own.rows):
        mine = modular.row[own.row + i]
        if own.k > 0.0 and own.k != k and own.h != h:
            mine.kept += (own.k - k) * way[i]
        if dt > 0.0:
            mine.kept *= FORGOTTEN
        mine.load = mine.kept + k * way[i] + d * rate[i]                               # [SEG (9)]
    own.k, own.h = k, h


@kernel
def add_joint_loads(sys, modular, h, dt, force, work) -> int:
    """Loads of all joints at a state whose rows and blocks are evaluated, added to the generalised forces (n_q,) of bodies.

    `dt` is the time since the last such evaluation, by which slips grow; 0 if that is to be repeated.
    """
    for j in range(modular.joint.shape[0]):
        eval_block_loads(sys, modular, j, h, dt, work)
        if not modular.options[0].open < APART:
            work.fail[0].row = modular.options[0].row
            return Status.APART.value
        own = modular.joint[j]
        for r in range(own.row, own.row + own.rows):
            c, load = sys.row[r], modular.row[r].load
            work.row[r].lam, work.row[r].lam_shown = load, load
            for k in range(c.first // 3, (c.first + c.count) // 3):
                add3_at(force, sys.slot[k].column, scale3(load3_at(work.jacobian, 3 * k), -load))   # [SEG (28)]
    return Status.OK.value
