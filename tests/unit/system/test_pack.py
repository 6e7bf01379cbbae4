"""Packed tables: rows, blocks of coordinates, frames and inertia."""

import numpy as np
import pytest
from physics.states import packed_case
from random_models import random_tree

import dalembert as dal
from dalembert.codes import JointCode
from dalembert.model.joints import JOINT_RECORDS
from dalembert.system.layout import Layout
from dalembert.system.rows import alignment, dual_basis

EPS = np.finfo(float).eps


@pytest.fixture(scope="module", params=range(4))
def case(request):
    """Return a random tree of all joints, forces and drives, packed."""
    model, _, _ = random_tree(np.random.default_rng(request.param), 12, motions=True, reverse=0.5)
    return packed_case(model)


def blocks(entries, begin, count):
    """Return the index ranges of all joints as one sorted list."""
    return sorted(k for e in entries for k in range(getattr(e, begin), getattr(e, begin) + getattr(e, count)))


def test_layout_slices_are_disjoint_and_complete(case):
    layout = case.packed.layout
    assert blocks(layout.joints, "q", "nq") == list(range(layout.n_q)) and len(case.q) == layout.n_q
    assert blocks(layout.joints, "v", "nv") == list(range(layout.n_v)) and len(case.qd) == layout.n_v


def test_body_rows_share_out_all_coordinates_and_rates(case):
    body = case.sys.body[1:]
    assert blocks(body, "q", "nq") == list(range(len(case.q)))
    assert blocks(body, "v", "nv") == list(range(len(case.qd)))
    for row in body:
        code = JointCode(row.code)
        assert (row.nq, row.nv) == JOINT_RECORDS[code].sizes
        assert code != JointCode.UNIVERSAL  # two revolute rows


def test_pairs_and_quaternions_share_out_all_coordinates(case):
    pairs = list(case.sys.pair["q"])
    quaternions = [k + c for k in case.sys.quaternion["q"] for c in range(4)]
    assert sorted(pairs + quaternions) == list(range(len(case.q)))
    rates = list(case.sys.pair["v"]) + [k + c for k in case.sys.quaternion["v"] for c in range(3)]
    assert sorted(rates) == list(range(len(case.qd)))


def test_rows_keep_tree_order(case):
    body = case.sys.body
    assert np.all(body["parent"][1:] < np.arange(1, len(body)))
    for i in range(1, len(body)):
        inside = [j for j in range(i + 1, len(body)) if i <= body[j].parent < body[i].end]
        assert inside == list(range(i + 1, body[i].end))


def test_frames_are_orthogonal_and_directions_unit(case):
    for table in ("R_pj", "R_bu"):
        for R in case.sys.body[table][1:].reshape(-1, 3, 3):
            assert np.abs(R.T @ R - np.eye(3)).max() <= 20 * EPS
    for row in case.sys.dof:
        assert np.linalg.norm(row.s_n) in (0.0, 1.0)


def test_efforts_do_unit_work_on_their_own_rate_only(case):
    """Wrenches of unit efforts are dual to the directions of their joint's rates, where elements can act."""
    for joint in case.packed.layout.joints:
        if joint.kind in ("universal", "spherical", "free", "fixed") or joint.reversed:
            continue
        rows = case.sys.dof[joint.v:joint.v + joint.nv]
        work = np.array([[a.s_n @ b.e_n + a.s_f @ b.e_f for a in rows] for b in rows])
        assert np.abs(work - np.eye(joint.nv)).max() <= 4 * EPS, joint.kind


def test_mass_is_kept_and_inertia_is_physical(case):
    total = sum(b.mass for b in case.packed.plan.model.bodies)
    assert case.sys.body["mass"].sum() == pytest.approx(total, rel=4 * EPS)
    for row in case.sys.body:
        J = np.zeros((3, 3))
        J[np.triu_indices(3)] = row.J_b
        moments = np.linalg.eigvalsh(J + np.triu(J, 1).T)
        assert moments[0] + moments[1] >= moments[2] * (1 - 1e-12)


def test_drives_point_at_their_rates(case):
    driven = np.flatnonzero(case.sys.dof["drive"] >= 0)
    assert sorted(case.sys.drive["v"]) == list(driven) == sorted(m.v for m in case.packed.layout.motions)
    assert not np.any(case.sys.body["plain"][case.sys.dof["body"][driven]] == 1)


def test_names_and_rows(case):
    layout, plan = case.packed.layout, case.packed.plan
    assert layout.bodies == tuple(plan.model.bodies[i].name for i in plan.order)
    assert [j.body for j in layout.joints] == list(range(1, len(layout.bodies)))
    for entry in layout.joints:
        ends = {entry.first.partition(".")[0], entry.second.partition(".")[0]}
        assert layout.bodies[entry.body] in ends
        assert entry.reversed == (layout.bodies[entry.body] == entry.first.partition(".")[0])
    assert all(layout.joint_of_rate(v) is j for j in layout.joints for v in range(j.v, j.v + j.nv))


def test_layout_survives_json(case):
    import json

    assert Layout.from_dict(json.loads(json.dumps(case.packed.layout.as_dict()))) == case.packed.layout


def test_no_bodies():
    case = packed_case(dal.Model("empty"))
    assert case.sys.body.shape == (1,) and len(case.q) == len(case.qd) == 0
    assert case.packed.layout.bodies == ("ground",)


def test_one_body_on_a_turned_reversed_joint():
    """The user's frame is found again behind the joint's own axes."""
    turn = {"axis": (1, 1, 0), "angle": 0.7}
    m = dal.Model("one", ground={"p": dal.Frame((1, 2, 3), turn)})
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1, 1), points={"q": dal.Frame((0.1, 0.2, 0.3), turn)}),
          dal.Revolute("j", "b.q", "ground.p", axis=(0, 1, 1), start=0.0))
    r = dal.assemble(m)
    assert r["b.q.position"][0] == pytest.approx([1, 2, 3], abs=10 * EPS)
    assert np.abs(r["b.rotation"][0] - np.eye(3)).max() <= 10 * EPS


def test_drives_win_over_starts_and_say_so():
    m = dal.Model("driven")
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Revolute("j", "ground", "b", start=0.5),
          dal.Motion("m", "j", position=0.2))
    r = dal.assemble(m)
    assert r["j.angle"][0] == 0.2
    assert r.messages == ("joint 'j': start moved from 0.5 to 0.2 by the drive 'm'",)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.6, -0.48, 0.64), (1e-2, 0, -1), (1e-4, 2e-4, -1),
                                  (0, 1e-5, -1), (1e-7, 0, -1), (0, 1e-9, -1)])
def test_alignment_takes_z_to_the_axis(axis):
    """To rounding for every axis, also close to -z, where 1 + z cancels."""
    axis = np.array(axis) / np.linalg.norm(axis)
    R = alignment(axis)
    assert np.abs(R @ (0, 0, 1) - axis).max() <= 4 * EPS
    assert np.abs(R.T @ R - np.eye(3)).max() <= 10 * EPS
    assert np.linalg.det(R) == pytest.approx(1.0, abs=10 * EPS)


def test_dual_basis_is_dual():
    a, b = np.array([1.0, 0.2, 0.0]), np.array([0.3, 1.0, 0.5])
    u, v = dual_basis(a, b)
    assert np.array([[u @ a, u @ b], [v @ a, v @ b]]) == pytest.approx(np.eye(2), abs=10 * EPS)
    assert abs(np.cross(a, b) @ u) + abs(np.cross(a, b) @ v) <= 10 * EPS
