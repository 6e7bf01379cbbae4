"""Tangent of springs between two points and of forces on a point in natural coordinates, slot by slot in closed form.

A force f acts on a body in a point with the place u in it, arm = E u; its generalised forces are f on r and ½ n x e_j on e_j
with n = arm x f, (3) of coordinates.py.  A variation x of slot s (weight w = 1 for the origin, u_s for an axis) moves the
point by w x and, if s is an axis of the body, the arm by u_s x.  With df = -D x the loads on r and e_j then vary by
    -df = D x,     ½ ((arm·e_j) D - arm (e_jᵀ D)) x - ½ u_s (f (e_j·x) - (f·e_j) x),                     (1)
without ½ n x x, which is skew.  At constant rates of the coordinates the velocity of the point, v + w x arm with the w of (2)
of coordinates.py, has along a direction d the gradient by axis s
    ½ e_s' x (arm x d) + u_s d x w.                                                                      (2)
All forces here are size times direction d:
    spring   f = -T d on b, +T on a,  T(l, l'):   D x = cq T/l (1 - d dᵀ) dline + d dT                    (3)
    load     f = size(t, x, x') d:                D x = -cq size dd - d dsize                             (4)
"""

from ...codes import LawCode
from ..algebra.small import add3, axpy3, cross, dot3, load3, load9, mul33_vec, neg3, scale3, sub3
from ..compile.jit import kernel, part
from ..force.elements import eval_line, eval_load, eval_tension
from ..force.laws import law_slopes, point_slopes
from ..force.points import point_state
from .coordinates import FRAME, slot3
from .curvature import unit3


@part
def slot_weight(u, s):
    """Weight of slot s in the place of a point u of its body."""
    return 1.0 if s == 0 else u[s - 1]


@part
def component(a, c):
    """Component c of a vector."""
    return a[0] if c == 0 else a[1] if c == 1 else a[2]


@kernel
def rate_gradient(sys, q, qd, i, s, u, arm, w, d):
    """Gradient (2) of the velocity of a point of body row i along d, by slot s."""
    if s == 0:
        return (0.0, 0.0, 0.0)
    return axpy3(u[s - 1], cross(d, w), scale3(cross(slot3(sys, qd, i, s), cross(arm, d)), 0.5))


@kernel
def add_slot_column(sys, first, j, side, i, q, arm, f, turn, dx, x, values):
    """Add (1) for a column j of an element: loads of the slots of body row i, the element's first (side 0) or second.

    The force varies by -dx, and the arm by `turn` times x.
    """
    for s in range(4):
        a = dx
        if s > 0:
            e = slot3(sys, q, i, s)
            a = scale3(axpy3(dot3(arm, e), dx, scale3(arm, -dot3(e, dx))), 0.5)
            a = axpy3(-0.5 * turn, axpy3(dot3(e, x), f, scale3(x, -dot3(f, e))), a)
        at = FRAME * side + 3 * s
        for c in range(3):
            k = at + c
            half = 1.0 if k == j else 0.5
            low, high = min(k, j), max(k, j)
            values[sys.mass_place[first + high * (high + 1) // 2 + low]] += half * component(a, c)


@kernel
def add_spring(sys, e, first, t, q, qd, cq, cv, values, work):
    """Add the matrix of a spring and damper by (3)."""
    arm_a, arm_b, unit, length, rate = eval_line(e, work.body[e.a], work.body[e.b])
    if length == 0.0:
        return
    tension = eval_tension(sys, e, t, length, rate, work)
    slope, slope_rate = law_slopes(sys, e.law, t, length, rate) if e.law >= 0 else (0.0, 0.0)
    k, c, bent = e.k[0] + slope, e.c[0] + slope_rate, cq * tension / length
    relative = sub3(point_state(work.body[e.b], load3(e.u_b))[2], point_state(work.body[e.a], load3(e.u_a))[2])
    sway = scale3(axpy3(-rate, unit, relative), 1.0 / length)
    f = scale3(unit, -tension)
    for j in range(0 if e.a > 0 else FRAME, 2 * FRAME if e.b > 0 else FRAME):
        on_a, s = j < FRAME, j % FRAME // 3
        i, u, arm, sign = (e.a, load3(e.u_a), arm_a, -1.0) if on_a else (e.b, load3(e.u_b), arm_b, 1.0)
        x = unit3(j % 3)
        weight = sign * slot_weight(u, s)
        along = dot3(unit, x)
        turned = rate_gradient(sys, q, qd, i, s, u, arm, load3(work.body[i].w_w), unit)
        dtension = k * cq * weight * along + c * (weight * (cv * along + cq * dot3(sway, x)) + sign * cq * dot3(turned, x))
        dx = axpy3(dtension, unit, scale3(axpy3(-along, unit, x), bent * weight))
        turn = cq * u[s - 1] if s > 0 else 0.0
        if e.a > 0:
            add_slot_column(sys, first, j, 0, e.a, q, arm_a, neg3(f), turn if on_a else 0.0, neg3(dx), x, values)
        if e.b > 0:
            add_slot_column(sys, first, j, 1, e.b, q, arm_b, f, 0.0 if on_a else turn, dx, x, values)


@kernel
def load_slopes(sys, e, t, r, v, d, x, rate):
    """Slopes of the size of a load by the place and the velocity of its point, and by the direction itself."""
    if sys.law[e.law].code == LawCode.POINT_FUNCTION:
        by_r, by_v = point_slopes(sys, e.law, t, r, v)
        return by_r, by_v, (0.0, 0.0, 0.0)
    slope, slope_rate = law_slopes(sys, e.law, t, x, rate)
    return scale3(d, slope), scale3(d, slope_rate), axpy3(slope, r, scale3(v, slope_rate))


@kernel
def add_force(sys, e, first, t, q, qd, cq, cv, values, work):
    """Add the matrix of a force on a body by (4)."""
    i, u = e.b, load3(e.u_b)
    if i == 0:
        return
    row = work.body[i]
    d, arm, size, x, rate = eval_load(sys, e, t, row, work)
    arm, r, v = point_state(row, u)
    by_r, by_v, by_d = load_slopes(sys, e, t, r, v, d, x, rate)
    fixed = mul33_vec(load9(e.R_b), load3(e.dir)) if e.follow == 1 else (0.0, 0.0, 0.0)
    f = scale3(d, size)
    for j in range(FRAME, 2 * FRAME):
        s, move = j % FRAME // 3, unit3(j % 3)
        weight = slot_weight(u, s)
        turned = 0.0 if s == 0 else fixed[s - 1]
        g = axpy3(cq * turned, by_d, scale3(add3(scale3(by_r, cq), scale3(by_v, cv)), weight))
        g = axpy3(cq, rate_gradient(sys, q, qd, i, s, u, arm, load3(row.w_w), by_v), g)
        dx = neg3(axpy3(dot3(g, move), d, scale3(move, cq * size * turned)))
        add_slot_column(sys, first, j, 1, i, q, arm, f, 0.0 if s == 0 else cq * u[s - 1], dx, move, values)
