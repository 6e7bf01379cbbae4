"""Tangent of the generalised forces of natural coordinates: K = -dQ/dq, C = -dQ/dqd, element by element.

Springs between points and forces on a point have closed forms (points_tangent.py).  Every other element is varied
along the coordinates of its two bodies.  A variation x of axis e_j counts as the small rotation phi
and, at constant rates, changes the angular velocity by dw; a variation x of its rate e_j' changes w by phi,
    phi = ½ e_j x x,     dw = ½ x x e_j'                                                                 (1)
both from (2) of coordinates.py; phi is exact for motions that keep the axes rigid, the only ones that the rows UNIT and SQUARE
leave.  The wrenches vary by force/elements_tangent.py.  Their generalised forces ½ n x e_j vary with the axes by ½ n x x as
well, which is skew and drops out of the symmetric part that is wanted here.
"""

from ...codes import ForceCode, Status
from ..algebra.small import axpy3, cross, load3, neg3, scale3, store3
from ..compile.jit import kernel
from ..force.elements import eval_action, eval_joint_effort, is_on_joint
from ..force.elements_tangent import vary_action
from ..force.laws import law_slopes
from .coordinates import FRAME, slot3, slot_load
from .curvature import unit3
from .joints import coordinate_shape
from .points_tangent import add_force, add_spring
from .shapes import along, shape_gradient, slot_weights, source_vectors, spread, vary_gradient, weighted

PAIRS = FRAME * (2 * FRAME + 1)
"""Pairs i >= j of the 24 coordinates of two bodies."""


@kernel
def still_body(o):
    """Set the variations of a body and of its load to zero."""
    zero = (0.0, 0.0, 0.0)
    store3(o.phi, zero)
    store3(o.w, zero)
    store3(o.r, zero)
    store3(o.v, zero)
    store3(o.n, zero)
    store3(o.f, zero)


@kernel
def vary_slot(sys, q, qd, i, s, x, cq, cv, work):
    """Vary body row i by cq x in slot s and by cv x in its rate."""
    o = work.variation[i]
    if s == 0:
        store3(o.r, scale3(x, cq))
        store3(o.v, scale3(x, cv))
    else:
        phi = scale3(cross(slot3(sys, q, i, s), x), 0.5)
        store3(o.phi, scale3(phi, cq))
        store3(o.w, axpy3(0.5 * cq, cross(x, slot3(sys, qd, i, s)), scale3(phi, cv)))                       # (1)


@kernel
def add_column(sys, first, j, i, a, values):
    """Add the symmetric part of a column j of an element's matrix, its rows i, i + 1, i + 2 being a."""
    for k in range(i, i + 3):
        half = 1.0 if k == j else 0.5
        low, high = min(k, j), max(k, j)
        values[sys.mass_place[first + high * (high + 1) // 2 + low]] += half * a[k - i]


@kernel
def add_body_element(sys, e, first, t, q, qd, cq, cv, values, work) -> int:
    """Add the matrix of an element that acts by wrenches on its bodies."""
    a, b = e.a, e.b
    if a == 0 and b == 0:  # no coordinates, but perhaps an unknown code
        return eval_action(sys, e, t, work)[0]
    begin, end = 0 if a > 0 else FRAME, 2 * FRAME if b > 0 else FRAME
    for j in range(begin, end):
        still_body(work.variation[a])
        still_body(work.variation[b])
        vary_slot(sys, q, qd, a if j < FRAME else b, j % FRAME // 3, unit3(j % 3), cq, cv, work)
        status = vary_action(sys, e, t, work)
        if status != Status.OK.value:
            return status
        for i in range(begin, end, 3):
            body = a if i < FRAME else b
            o = work.variation[body]
            add_column(sys, first, j, i, slot_load(sys, q, body, i % FRAME // 3, load3(o.n), load3(o.f)), values)
    return Status.OK.value


@kernel
def add_joint_element(sys, e, first, t, q, qd, qj, qdj, cq, cv, values, work):
    """Add the matrix of an effort tau(theta, theta') on a joint coordinate: -d(tau dtheta/dq)."""
    code, source = coordinate_shape(sys, e.q, e.v)
    X, V = source_vectors(sys, source, q, 1.0), source_vectors(sys, source, qd, 0.0)
    G = shape_gradient(code, X, 0.0, 0.0)
    effort = eval_joint_effort(sys, e, t, qj, qdj, work)
    slope, slope_rate = law_slopes(sys, e.law, t, qj[e.q], qdj[e.v]) if e.law >= 0 else (0.0, 0.0)
    a, b = source[0], source[1]
    for j in range(0 if a > 0 else FRAME, 2 * FRAME):
        dX = spread(slot_weights(source, a if j < FRAME else b, j % FRAME // 3), unit3(j % 3))
        H = vary_gradient(code, X, dX, 0.0, 0.0)
        dx, dv = cq * along(G, dX), cq * along(H, V) + cv * along(G, dX)
        deffort = (slope - e.k[0]) * dx + (slope_rate - e.c[0]) * dv
        for i in range(0 if a > 0 else FRAME, 2 * FRAME, 3):
            weights = slot_weights(source, a if i < FRAME else b, i % FRAME // 3)
            change = axpy3(deffort, weighted(G, weights), scale3(weighted(H, weights), cq * effort))
            add_column(sys, first, j, i, neg3(change), values)


@kernel
def natural_force_tangent(sys, t, q, qd, qj, qdj, cq, cv, values, work) -> int:
    """Add the symmetric part of cq K + cv C of the force elements to the values of the pattern.

    After `eval_natural_state` for natural q, qd (n_q,), and `eval_joint_coordinates`.  The places of the pairs (0, 0), (1, 0),
    (1, 1), ... of each element's 24 coordinates follow those of the mass matrix in `sys.mass_place`.
    """
    first = 30 * (sys.body.shape[0] - 1)
    still_body(work.variation[0])
    for f in range(sys.force.shape[0]):
        e = sys.force[f]
        if is_on_joint(e):
            add_joint_element(sys, e, first, t, q, qd, qj, qdj, cq, cv, values, work)
        elif e.code == ForceCode.SPRING_DAMPER:
            add_spring(sys, e, first, t, q, qd, cq, cv, values, work)
        elif e.code == ForceCode.FORCE:
            add_force(sys, e, first, t, q, qd, cq, cv, values, work)
        else:
            status = add_body_element(sys, e, first, t, q, qd, cq, cv, values, work)
            if status != Status.OK.value:
                work.fail[0].force = f
                return status
        first += PAIRS
    return Status.OK.value
