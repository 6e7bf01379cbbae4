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

from .flex_floating import multiply
from .jit import kernel, part
from .quad import add4, axpy4, columns_mul, cross4, load_quads, mixed, scale4
from .small import add3, dot3, load3, load9, store3


@part
def contract(a, b, n, row, first):
    """Vector of the sums over l of a[row + c, l] b[first + l], c = 0, 1, 2."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(n):
        s = b[first + k]
        x += a[row, k] * s
        y += a[row + 1, k] * s
        z += a[row + 2, k] * s
    return (x, y, z)


@kernel
def multiply_curves(face, constant, n, x, first, out):
    """out (6, n) = B x[first:first + n]."""
    for c in range(6):
        for k in range(n):
            out[c, k] = 0.0
        if face.curved[c] == 1:
            multiply(constant, face.B + c * n * n, n, x, first, out[c])


@kernel
def eval_shape_of_face(face, n, constant, q, first, phi):
    """Fill phi (6, n) of (1); returns displacement and angles."""
    multiply_curves(face, constant, n, q, first, phi)
    u0, u1, u2, th0, th1, th2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        s = q[first + k]
        at = face.Phi + k
        u0 += s * (constant[at] + 0.5 * phi[0, k])                                                # (1)
        u1 += s * (constant[at + n] + 0.5 * phi[1, k])
        u2 += s * (constant[at + 2 * n] + 0.5 * phi[2, k])
        th0 += s * (constant[at + 3 * n] + 0.5 * phi[3, k])
        th1 += s * (constant[at + 4 * n] + 0.5 * phi[4, k])
        th2 += s * (constant[at + 5 * n] + 0.5 * phi[5, k])
        for c in range(6):
            phi[c, k] += constant[at + c * n]
    return (u0, u1, u2), (th0, th1, th2)


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
    e, constant = sys.floating.element[face.element], sys.floating.constant
    phi, Bqd, S, n = work.floating.phi[b.flex], work.floating.Bqd[b.flex], work.floating.S[b.flex], e.n
    P = load_quads(work.body[b.parent].E_wb)
    u, th = eval_shape_of_face(face, n, constant, q, e.q, phi)
    multiply_curves(face, constant, n, qd, e.v, Bqd)
    a1, a2, a3, E = turned_axes(P, th)
    for c in range(3):
        own.axes[c], own.axes[3 + c], own.axes[6 + c] = a1[c], a2[c], a3[c]
    for k in range(n):
        s_f = mixed((phi[0, k], phi[1, k], phi[2, k]), P)
        s_n = mixed((phi[3, k], phi[4, k], phi[5, k]), (a1, a2, a3))
        for c in range(3):
            S[c, k], S[3 + c, k] = s_f[c], s_n[c]
    thd = contract(phi, qd, n, 3, e.v)
    vel, rel = mixed(contract(phi, qd, n, 0, e.v), P), mixed(thd, (a1, a2, a3))                   # (2), (3)
    ca = add4(spun(a1, a2, a3, thd), mixed(contract(Bqd, qd, n, 3, e.v), (a1, a2, a3)))
    cl = mixed(contract(Bqd, qd, n, 0, e.v), P)
    store3(own.thd, thd)
    store3(own.rel, rel)
    store3(own.vel, vel)
    return columns_mul(E, load9(b.R_pj)), mixed(add3(load3(b.d_p), u), P), rel, vel, ca, cl


@part
def face_direction(S, k):
    """Direction k of a face: turning and moving, world axes."""
    return (S[3, k], S[4, k], S[5, k]), (S[0, k], S[1, k], S[2, k])


@part
def face_acceleration(sys, index, qdd, work):
    """Angular and linear acceleration that the elastic accelerations give to a face, world axes."""
    e, S = sys.floating.element[sys.floating.face[index].element], work.floating.S[index]
    return contract(S, qdd, e.n, 3, e.v), contract(S, qdd, e.n, 0, e.v)


@part
def add_face_effort(sys, index, n, f, out, work):
    """Add the product of a face's directions with a load to out (n_v,) at the elastic rates."""
    e, S = sys.floating.element[sys.floating.face[index].element], work.floating.S[index]
    for k in range(e.n):
        s_n, s_f = face_direction(S, k)
        out[e.v + k] += dot3(s_n, n) + dot3(s_f, f)
