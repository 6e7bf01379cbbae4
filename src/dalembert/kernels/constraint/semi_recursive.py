"""Mass matrix and loads in joint coordinates, accumulated from the leaves with one of two reference points [DOP section 2].

A composite body is what a joint carries.  Its unit acceleration along a direction s makes the wrench that is felt by all
inner directions; only the reference point of wrenches and inertias differs:
- origin: everything about the world's origin, where a direction moves with s_f + r x s_n for a joint at r.  Inertias and
  loads of composite bodies are plain sums, and nothing is shifted on the way inward.
- centre of mass: everything about the composite body's own centre c, where a direction moves with s_f + s_n x (c - r).
  Two bodies a vector d apart make J1 + J2 + m1 m2/(m1 + m2) (d·d 1 - d dᵀ).  No digits are lost far from the origin.
Seeds: [DOP] announces both without equations; derived here.
"""

from ...codes import JointCode, Status
from ..algebra.quad import load_symmetric, store_symmetric
from ..algebra.small import add3, axpy3, cross, dot3, load3, scale3, store3, sub3, sym_vec
from ..compile.jit import kernel, part
from ..flex.faces import add_face_effort
from ..flex.floating import heavy_element, put_elastic_loads, with_elastic_wrench
from ..flex.floating_mass import add_body_mass, add_face_mass, add_inner, composite_wrench, seen_from


@part
def add6(a, b):
    """Sum of two symmetric matrices of six numbers."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@part
def steiner(m, d):
    """m (d·d 1 - d dᵀ)."""
    dd = dot3(d, d)
    return (m * (dd - d[0] * d[0]), -m * d[0] * d[1], -m * d[0] * d[2], m * (dd - d[1] * d[1]), -m * d[1] * d[2],
            m * (dd - d[2] * d[2]))


@part
def moved_moment(h, r):
    """(h·r + r·h) 1 - h rᵀ - r hᵀ: what a first moment h adds to an inertia whose reference point moves by -r."""
    hr = 2.0 * dot3(h, r)
    return (hr - 2.0 * h[0] * r[0], -h[0] * r[1] - h[1] * r[0], -h[0] * r[2] - h[2] * r[0], hr - 2.0 * h[1] * r[1],
            -h[1] * r[2] - h[2] * r[1], hr - 2.0 * h[2] * r[2])


@part
def centre_of(m, h):
    """Centre of mass from the reference point; the point itself for a body without mass."""
    return scale3(h, 1.0 / m) if m > 0.0 else (0.0, 0.0, 0.0)


@kernel
def refer_inertia(sys, work):
    """Turn every body's inertia about its origin into one about the reference point; A_M[0] takes the mass, h_w the point.

    With centres of mass h_w becomes the centre's place in the world, else the first moment about the world's origin.
    """
    for i in range(1, sys.body.shape[0]):
        own, m = work.body[i], sys.body[i].mass
        h, r, J = load3(own.h_w), load3(own.r_w), load_symmetric(own.A_J)
        if sys.constants[0].reference == 1:
            c = centre_of(m, h)
            store_symmetric(own.A_J, add6(J, steiner(-m, c)))
            store3(own.h_w, add3(r, c))
        else:
            store_symmetric(own.A_J, add6(add6(J, moved_moment(h, r)), steiner(m, r)))
            store3(own.h_w, axpy3(m, r, h))
        own.A_M[0] = m


@part
def join(reference, parent, own):
    """Add a composite body to its parent's."""
    if reference == 1:
        m1, m2 = parent.A_M[0], own.A_M[0]
        c1, c2 = load3(parent.h_w), load3(own.h_w)
        m = m1 + m2
        share = m2 / m if m > 0.0 else 0.0
        d = sub3(c2, c1)
        store_symmetric(parent.A_J, add6(add6(load_symmetric(parent.A_J), load_symmetric(own.A_J)), steiner(m1 * share, d)))
        store3(parent.h_w, axpy3(share, d, c1))
    else:
        store_symmetric(parent.A_J, add6(load_symmetric(parent.A_J), load_symmetric(own.A_J)))
        store3(parent.h_w, add3(load3(parent.h_w), load3(own.h_w)))
    parent.A_M[0] += own.A_M[0]


@kernel
def add_tree_mass(sys, place, values, work) -> int:
    """Add the mass matrix to `values` at the places of its pairs (system/pack_rows.mass_pairs), after `eval_places`.

    Rows and columns of driven rates are those of the identity.  The bodies' A_J, h_w and A_M are destroyed.
    """
    body, rows, dof, reference = sys.body, work.body, work.dof, sys.constants[0].reference
    refer_inertia(sys, work)
    at = 0
    for i in range(body.shape[0] - 1, 0, -1):
        b, own = body[i], rows[i]
        m, h, J, r = own.A_M[0], load3(own.h_w), load_symmetric(own.A_J), load3(own.r_w)
        for k in range(b.v, b.v + b.nv):
            s_n, driven = load3(dof[k].s_n), sys.dof[k].drive >= 0
            s_c = seen_from(reference, s_n, load3(dof[k].s_f), r, h)
            n, f = composite_wrench(reference, m, h, J, s_n, s_c)
            for c in range(b.v, k + 1):
                if driven or sys.dof[c].drive >= 0:
                    values[place[at]] += 1.0 if c == k else 0.0
                else:
                    t_n = load3(dof[c].s_n)
                    values[place[at]] += dot3(t_n, n) + dot3(seen_from(reference, t_n, load3(dof[c].s_f), r, h), f)
                    if c == k:
                        values[place[at]] += sys.dof[k].armature
                at += 1
            at = add_inner(sys, b.parent, driven, n, f, h, place, values, at, work)
        if b.code == JointCode.ELASTIC:
            at = add_face_mass(sys, i, place, values, at, work)
        if heavy_element(sys, i) >= 0:
            at = add_body_mass(sys, i, place, values, at, work)
        if b.parent > 0:
            join(reference, rows[b.parent], own)
    return Status.OK.value


@kernel
def accumulate_loads(sys, effort, work) -> int:
    """Efforts that the accelerations al_w, a_w of the bodies need, M qdd + bias - applied body forces; without rotors.

    Called after `eval_body_accelerations`, before `add_tree_mass`.
    """
    body, rows, reference = sys.body, work.body, sys.constants[0].reference
    for i in range(1, body.shape[0]):
        own = rows[i]
        al, a, h, m = load3(own.al_w), load3(own.a_w), load3(own.h_w), body[i].mass
        f = sub3(axpy3(m, a, cross(al, h)), load3(own.ef))
        n = sub3(add3(sym_vec(load_symmetric(own.A_J), al), cross(h, a)), load3(own.en))
        if body[i].flex >= 0:
            n, f = with_elastic_wrench(sys, i, n, f, work)
        store3(own.f, f)
        store3(own.n, sub3(n, cross(centre_of(m, h), f)) if reference == 1 else add3(n, cross(load3(own.r_w), f)))
    put_elastic_loads(sys, effort, work)
    for i in range(body.shape[0] - 1, 0, -1):
        b, own = body[i], rows[i]
        n, f, r = load3(own.n), load3(own.f), load3(own.r_w)
        c = add3(r, centre_of(b.mass, load3(own.h_w)))
        for k in range(b.v, b.v + b.nv):
            s_n = load3(work.dof[k].s_n)
            effort[k] = dot3(s_n, n) + dot3(seen_from(reference, s_n, load3(work.dof[k].s_f), r, c), f)
        if b.code == JointCode.ELASTIC:
            moment = add3(n, cross(sub3(c, r), f)) if reference == 1 else sub3(n, cross(r, f))
            add_face_effort(sys, b.flex, moment, f, effort, work)
        if b.parent > 0:
            parent = rows[b.parent]
            if reference == 1:
                p = add3(load3(parent.r_w), centre_of(body[b.parent].mass, load3(parent.h_w)))
                n = add3(n, cross(sub3(c, p), f))
            store3(parent.n, add3(load3(parent.n), n))
            store3(parent.f, add3(load3(parent.f), f))
    return Status.OK.value
