"""Elastic coordinates in the mass matrix: directions of faces with what they carry, and the inertia of the bodies themselves.

A unit acceleration of an elastic rate moves what the faces of its body carry, whose wrench is felt by all inner directions,
and makes the wrench (Cr_l, c_l) on the row of the body's inertia, (4) and (5) of floating.py, felt there and further in.
Where that row is a face, the elastic rates feel their own wrenches: both S_i·(Cr, c)_k and S_k·(Cr, c)_i count.
"""

from ...codes import JointCode
from ..algebra.quad import add4, cross4, load4, load_columns, load_symmetric
from ..algebra.small import add3, axpy3, cross, dot3, load3, mul33_vec, scale3, sub3, sym_vec
from ..algebra.spatial import inertia_vec
from ..compile.jit import kernel, part
from .faces import face_direction
from .floating import heavy_element
from .floating_tables import AT_S, AT_X


@part
def coupling(R, X, k):
    """Moment and force that a unit acceleration of elastic coordinate k makes on the frame, world axes."""
    return mul33_vec(R, (X[k, 3], X[k, 4], X[k, 5])), mul33_vec(R, (X[k, 0], X[k, 1], X[k, 2]))


# --- dense matrix --------------------------------------------------------------------------------------------------

@kernel
def add_felt(sys, j, k, n, f, M, work):
    """Add to M (n_v, n_v) what the directions from row j inward feel of the wrench of rate k, about the origin of row j."""
    body = sys.body
    while j > 0:
        b = body[j]
        if b.code == JointCode.ELASTIC:
            e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S]
            for i in range(e.n):
                s_n, s_f = face_direction(S, i)
                felt = dot3(s_n, n) + dot3(s_f, f)
                M[e.v + i, k] += felt
                M[k, e.v + i] += felt
        else:
            for c in range(b.v, b.v + b.nv):
                felt = dot3(load4(work.dof[c].s_n), n) + dot3(load4(work.dof[c].s_f), f)
                M[c, k] += felt
                M[k, c] += felt
        n = add4(n, cross4(load4(work.body[j].d_w), f))
        j = b.parent


@kernel
def add_face_columns(sys, i, J, H, A_M, M, work):
    """Add what row i, a face, and all it carries give to the columns of the elastic rates; (J, H, A_M) is its inertia."""
    b = sys.body[i]
    e, S = sys.floating.element[sys.floating.face[b.flex].element], work.floating.strip[b.flex, AT_S]
    d = load4(work.body[i].d_w)
    for k in range(e.n):
        s_n, s_f = face_direction(S, k)
        n, f = inertia_vec(J, H, A_M, (s_n[0], s_n[1], s_n[2], 0.0), (s_f[0], s_f[1], s_f[2], 0.0))
        for c in range(e.n):
            t_n, t_f = face_direction(S, c)
            M[e.v + c, e.v + k] += dot3(t_n, n) + dot3(t_f, f)
        add_felt(sys, b.parent, e.v + k, add4(n, cross4(d, f)), f, M, work)


@kernel
def add_body_columns(sys, i, M, work):
    """Add the modal mass of row i, a flexible body, and its coupling with the frame."""
    index = heavy_element(sys, i)
    e, X, R = sys.floating.element[index], work.floating.moment[index, AT_X], load_columns(work.body[i].E_wb)
    for k in range(e.n):
        for c in range(e.n):
            M[e.v + c, e.v + k] += sys.floating.constant[e.Me + c * e.n + k]
        n, f = coupling(R, X, k)
        add_felt(sys, i, e.v + k, (n[0], n[1], n[2], 0.0), (f[0], f[1], f[2], 0.0), M, work)


# --- places of a pattern, either reference point -------------------------------------------------------------------

@part
def seen_from(reference, s_n, s_f, r, c):
    """Velocity that a direction of a joint at r gives to the reference point: the world's origin or the centre c."""
    if reference == 1:
        return add3(s_f, cross(s_n, sub3(c, r)))
    return add3(s_f, cross(r, s_n))


@part
def composite_wrench(reference, m, h, J, s_n, s_c):
    """Wrench about the reference point of a composite body that a direction, seen there, accelerates."""
    if reference == 1:
        return sym_vec(J, s_n), scale3(s_c, m)
    return add3(sym_vec(J, s_n), cross(h, s_c)), axpy3(m, s_c, cross(s_n, h))


@kernel
def add_inner(sys, j, driven, n, f, h, place, values, at, work):
    """Add what the directions from row j inward feel of a wrench about the reference point h; returns the next place."""
    body, reference = sys.body, sys.constants[0].reference
    while j > 0:
        b, r = body[j], load3(work.body[j].r_w)
        if b.code == JointCode.ELASTIC:
            S, count = work.floating.strip[b.flex, AT_S], sys.floating.element[sys.floating.face[b.flex].element].n
            for k in range(count):
                if not driven:
                    s_n, s_f = face_direction(S, k)
                    values[place[at]] += dot3(s_n, n) + dot3(seen_from(reference, s_n, s_f, r, h), f)
                at += 1
        else:
            for c in range(b.v, b.v + b.nv):
                if not driven and sys.dof[c].drive < 0:
                    s_n = load3(work.dof[c].s_n)
                    values[place[at]] += dot3(s_n, n) + dot3(seen_from(reference, s_n, load3(work.dof[c].s_f), r, h), f)
                at += 1
        j = b.parent
    return at


@kernel
def add_face_mass(sys, i, place, values, at, work):
    """Add the pairs of row i, a face, with what it carries; returns the next place."""
    b, own, reference = sys.body[i], work.body[i], sys.constants[0].reference
    S, count = work.floating.strip[b.flex, AT_S], sys.floating.element[sys.floating.face[b.flex].element].n
    m, h, J, r = own.A_M[0], load3(own.h_w), load_symmetric(own.A_J), load3(own.r_w)
    if m == 0.0 and J[0] + J[3] + J[5] == 0.0:
        e = sys.floating.element[sys.floating.face[b.flex].element]
        inner = e.inner if e.body == e.root else e.inner - e.n  # a heavy face has its elastic rates behind it, too
        return at + count * (count + 1) // 2 + count * inner
    for k in range(count):
        s_n, s_f = face_direction(S, k)
        n, f = composite_wrench(reference, m, h, J, s_n, seen_from(reference, s_n, s_f, r, h))
        for c in range(k + 1):
            t_n, t_f = face_direction(S, c)
            values[place[at]] += dot3(t_n, n) + dot3(seen_from(reference, t_n, t_f, r, h), f)
            at += 1
        at = add_inner(sys, b.parent, False, n, f, h, place, values, at, work)
    return at


@kernel
def add_body_mass(sys, i, place, values, at, work):
    """Add the pairs of the elastic rates of row i, a flexible body, that its own inertia makes; returns the next place."""
    index, row, b = heavy_element(sys, i), work.body[i], sys.body[i]
    e, X, R, r = sys.floating.element[index], work.floating.moment[index, AT_X], load_columns(row.E_wb), load3(row.r_w)
    for k in range(e.n):
        for c in range(k + 1):
            values[place[at]] += sys.floating.constant[e.Me + k * e.n + c]
            at += 1
        n, f = coupling(R, X, k)
        if b.code == JointCode.ELASTIC:
            s_n, s_f = face_direction(work.floating.strip[b.flex, AT_S], k)
            values[place[at - 1]] += dot3(s_n, n) + dot3(s_f, f)
        if sys.constants[0].reference == 0:
            n = add3(n, cross(r, f))
        at = add_inner(sys, i, False, n, f, r, place, values, at, work)
    return at


@kernel
def add_elastic_tangent(sys, cq, cv, A):
    """Add cq Ke + cv De to the matrix of an implicit step, at the places of the elastic coordinates' pairs."""
    constant = sys.floating.constant
    for index in range(sys.floating.element.shape[0]):
        e = sys.floating.element[index]
        at = e.pair
        for k in range(e.n):
            for c in range(k + 1):
                A[sys.mass_place[at + c]] += cq * constant[e.Ke + k * e.n + c] + cv * constant[e.De + k * e.n + c]
            at += k + 1 + e.inner
