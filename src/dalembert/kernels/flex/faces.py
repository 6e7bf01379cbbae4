"""Faces of flexible bodies: places that move with the elastic coordinates q of a floating frame F.

A place is displaced by u and turned by three angles th about x, y and z in turn, both in F's axes and of second order in q:
    u_c = Phi_c q + ½ q·B_c q,   th_c = Psi_c q + ½ q·B_c q,   phi_c = Phi_c + B_c q                     (1)
    u' = phi qd,   u'' = phi qdd + qd·B qd,   likewise th', th''                                         (2)
The angles equal the rotation vector to first order; B is minus the geometric stiffness by unit forces and torques in the
place, so that the work of a force through the displacements of second order is its geometric stiffness.  With F's axes P and
the axes of the turns, a1 = P x, a2 = P Rx y, a3 = P Rx Ry z, velocities and accelerations relative to F are
    w = a_c th_c',   al = a_c th_c'' + th1' th2' a1 x a2 + th3' (th1' a1 + th2' a2) x a3                 (3)
Seeds: derived here.
"""

from math import cos, sin

from ..algebra.quad import add4, axpy4, columns_mul, cross4, load_quads, mixed, scale4
from ..algebra.small import add3, axpy3, dot3, load3, load9, store3
from ..compile.jit import kernel, part
from .floating_tables import AT_BQD, AT_PHI, AT_S

ZERO_PAIR = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@part
def six_of(table, k):
    """Row k of a table (rows, 6): displacement and turn."""
    return (table[k, 0], table[k, 1], table[k, 2]), (table[k, 3], table[k, 4], table[k, 5])


@part
def store_six(table, k, u, th):
    """Write displacement and turn into row k of a table (rows, 6)."""
    for c in range(3):
        table[k, c], table[k, 3 + c] = u[c], th[c]


@part
def axpy6(s, a, b):
    """s a + b for pairs of vectors."""
    return axpy3(s, a[0], b[0]), axpy3(s, a[1], b[1])


@part
def contract(table, x, n, first):
    """Sums over l of displacement and turn, table[l], times x[first + l]."""
    total = ZERO_PAIR
    for k in range(n):
        total = axpy6(x[first + k], six_of(table, k), total)
    return total


@kernel
def multiply_curves(face, curve, n, x, first, out):
    """out (n, 6) = B x[first:first + n]."""
    for k in range(n):
        total = ZERO_PAIR
        if face.curved == 1:
            for i in range(n):
                total = axpy6(x[first + i], six_of(curve, face.B + k * n + i), total)
        store_six(out, k, total[0], total[1])


@part
def eval_shape_of_face(face, e, curve, q, qd, phi, Bqd):
    """Fill phi and B qd (n, 6) of (1); returns displacement and angles, phi qd and qd·B qd."""
    n, first, rate = e.n, e.q, e.v
    place, speed, bent = ZERO_PAIR, ZERO_PAIR, ZERO_PAIR
    for k in range(n):
        own, x, xd = six_of(curve, face.Phi + k), q[first + k], qd[rate + k]
        place = axpy6(x, own, place)                                                              # (1)
        if face.curved == 1:
            bend, bend_rate = ZERO_PAIR, ZERO_PAIR
            base = face.B + k * n
            for i in range(n):
                row = six_of(curve, base + i)
                bend, bend_rate = axpy6(q[first + i], row, bend), axpy6(qd[rate + i], row, bend_rate)
            place = axpy6(0.5 * x, bend, place)
            own = axpy6(1.0, bend, own)
            bent = axpy6(xd, bend_rate, bent)
            store_six(Bqd, k, bend_rate[0], bend_rate[1])
        speed = axpy6(xd, own, speed)                                                             # (2)
        store_six(phi, k, own[0], own[1])
    return place, speed, bent


@part
def turned_axes(P, th):
    """Axes a1, a2, a3 of the turns and the axes of the frame turned by them all, world."""
    c1, s1, c2, s2, c3, s3 = cos(th[0]), sin(th[0]), cos(th[1]), sin(th[1]), cos(th[2]), sin(th[2])
    a1, a2, z = P[0], axpy4(s1, P[2], scale4(P[1], c1)), axpy4(-s1, P[1], scale4(P[2], c1))
    a3, x = axpy4(c2, z, scale4(a1, s2)), axpy4(-s2, z, scale4(a1, c2))
    return a1, a2, a3, (axpy4(s3, a2, scale4(x, c3)), axpy4(-s3, x, scale4(a2, c3)), a3)


@part
def spun(a1, a2, a3, thd):
    """What the rates of the angles alone add to al of (3)."""
    turn = add4(scale4(a1, thd[0]), scale4(a2, thd[1]))
    return axpy4(thd[0] * thd[1], cross4(a1, a2), scale4(cross4(turn, a3), thd[2]))


@kernel
def eval_face_pose(sys, i, q, qd, work):
    """Fill shapes, directions and velocities of the face in row i; returns R_wb (columns), d, rel, vel, ca and cl.

    ca and cl are accelerations relative to F without those of the elastic accelerations, world axes.
    """
    b = sys.body[i]
    face, own = sys.floating.face[b.flex], work.floating.face[b.flex]
    e = sys.floating.element[face.element]
    strip = work.floating.strip[b.flex]
    phi, S = strip[AT_PHI], strip[AT_S]
    P = load_quads(work.body[b.parent].E_wb)
    (u, th), (ud, thd), (bent_u, bent_th) = eval_shape_of_face(face, e, sys.floating.curve, q, qd, phi, strip[AT_BQD])
    a1, a2, a3, E = turned_axes(P, th)
    axes = (a1, a2, a3)
    for c in range(3):
        own.axes[c], own.axes[3 + c], own.axes[6 + c] = a1[c], a2[c], a3[c]
    for k in range(e.n):
        move, turn = six_of(phi, k)
        store_six(S, k, mixed(move, P), mixed(turn, axes))
    vel, rel = mixed(ud, P), mixed(thd, axes)                                                     # (2), (3)
    ca = add4(spun(a1, a2, a3, thd), mixed(bent_th, axes))
    cl = mixed(bent_u, P)
    store3(own.thd, thd)
    store3(own.rel, rel)
    store3(own.vel, vel)
    return columns_mul(E, load9(b.R_pj)), mixed(add3(load3(b.d_p), u), P), rel, vel, ca, cl


@kernel
def eval_face_rates(sys, index, qd, work):
    """Velocities of a face relative to F for new elastic rates, the shapes as they are; returns rel, vel, ca, cl."""
    face, own = sys.floating.face[index], work.floating.face[index]
    e, strip = sys.floating.element[face.element], work.floating.strip[index]
    P, x = load_quads(work.body[sys.body[face.body].parent].E_wb), own.axes
    a1, a2, a3 = (x[0], x[1], x[2], 0.0), (x[3], x[4], x[5], 0.0), (x[6], x[7], x[8], 0.0)
    if face.curved == 1:
        multiply_curves(face, sys.floating.curve, e.n, qd, e.v, strip[AT_BQD])
    ud, thd = contract(strip[AT_PHI], qd, e.n, e.v)
    bent_u, bent_th = contract(strip[AT_BQD], qd, e.n, e.v)
    vel, rel = mixed(ud, P), mixed(thd, (a1, a2, a3))                                             # (2), (3)
    store3(own.thd, thd)
    store3(own.rel, rel)
    store3(own.vel, vel)
    return rel, vel, add4(spun(a1, a2, a3, thd), mixed(bent_th, (a1, a2, a3))), mixed(bent_u, P)


@part
def face_direction(S, k):
    """Direction k of a face: turning and moving, world axes."""
    return (S[k, 3], S[k, 4], S[k, 5]), (S[k, 0], S[k, 1], S[k, 2])


@part
def face_acceleration(sys, index, qdd, work):
    """Angular and linear acceleration that the elastic accelerations give to a face, world axes."""
    e, S = sys.floating.element[sys.floating.face[index].element], work.floating.strip[index, AT_S]
    slide, turn = contract(S, qdd, e.n, e.v)
    return turn, slide


@part
def add_face_effort(sys, index, n, f, out, work):
    """Add the product of a face's directions with a load to out (n_v,) at the elastic rates."""
    e, S = sys.floating.element[sys.floating.face[index].element], work.floating.strip[index, AT_S]
    for k in range(e.n):
        s_n, s_f = face_direction(S, k)
        out[e.v + k] += dot3(s_n, n) + dot3(s_f, f)
