"""Groups of shapes that may all touch each other as tables, and what impulses move in a model."""

from __future__ import annotations

import numpy as np

from ..codes import JointCode, MoverCode, ShapeCode
from ..errors import Fault, ModelError
from ..kernels.crowd.tables import CROWD_OPTIONS, GROUP, MOVER, SHAPE, Crowd, no_crowd
from ..kernels.tables import System
from ..model.checked import CheckedGroup, CheckedModel, CheckedShape
from ..model.contacts import SHAPE_RECORDS
from ..model.rotation import rotation_between

SLACK = 1.02
"""Edge of the smallest cells by the diameter of the ball about the smallest shape."""
SINGULAR = 1e-9
"""Smallest moment of inertia by the largest one below which a body is not taken as a free one."""
ROUND = 1e-9
"""Likewise difference of moments of inertia up to which turning changes nothing."""
DEPTH, DEPTH_OF_ROWS = 1e-4, 1e-9
"""Overlap that is tolerated, by the smallest shape of groups, or by the size of the model."""
BALLS = (ShapeCode.POINT, ShapeCode.SPHERE)
MEET: dict[ShapeCode, tuple[ShapeCode, ...]] = {
    ShapeCode.POINT: (*BALLS, ShapeCode.CAPSULE, ShapeCode.CYLINDER, ShapeCode.BOX, ShapeCode.PLANE),
    ShapeCode.SPHERE: (*BALLS, ShapeCode.CAPSULE, ShapeCode.CYLINDER, ShapeCode.BOX, ShapeCode.PLANE),
    ShapeCode.CAPSULE: (*BALLS, ShapeCode.CAPSULE, ShapeCode.BOX, ShapeCode.PLANE),
    ShapeCode.CYLINDER: (*BALLS, ShapeCode.PLANE),
    ShapeCode.BOX: (*BALLS, ShapeCode.CAPSULE, ShapeCode.BOX, ShapeCode.PLANE),
    ShapeCode.PLANE: (*BALLS, ShapeCode.CAPSULE, ShapeCode.CYLINDER, ShapeCode.BOX, ShapeCode.MESH),
    ShapeCode.MESH: (ShapeCode.PLANE,),
}
"""Shapes that kernels/crowd/pairs.py lets a shape meet."""


def pack_crowd(model: CheckedModel, body: np.ndarray, dof: np.ndarray, row_of_body: np.ndarray, length: float, rows: int
               ) -> Crowd:
    """Return the tables of the groups of a model, whose size is `length` [m], beside so many rows of contacts."""
    if not (model.groups or model.contacts):
        return no_crowd()
    faults = [Fault(f"contact_groups.{group.name}", why) for group in model.groups for why in _unknown_pairs(group)]
    if faults:
        raise ModelError(faults, model.name)
    shape, corner = _pack_shapes(model, body, row_of_body)
    group, skip = _pack_groups(model, shape, row_of_body, len(body), length)
    mover = _pack_movers(body, dof)
    options = np.zeros(1, CROWD_OPTIONS)
    reach = shape["reach"][shape["reach"] > 0.0]
    options[0]["depth"] = DEPTH * reach.min() if len(reach) else DEPTH_OF_ROWS * length
    options[0]["rows"] = rows
    options[0]["turns"] = 1 if not model.forces and _all_round(body, mover) else 2
    tables = shape, group, skip, corner, mover, options
    for array in tables:
        array.setflags(write=False)
    return Crowd(*tables)


def bare_crowd(system: System) -> Crowd:
    """Return the tables of a model without contacts."""
    mover = _pack_movers(system.body, system.dof)
    options = np.zeros(1, CROWD_OPTIONS)
    options[0]["turns"] = 2
    for table in (mover, options):
        table.setflags(write=False)
    return no_crowd()._replace(mover=mover, options=options)


def _unknown_pairs(group: CheckedGroup) -> list[str]:
    """Say which pairs of kinds of shapes in a group cannot meet."""
    sets = [{shape.code for shape in shapes} for shapes in (group.shapes, group.against or group.shapes)]
    found = {frozenset((a, b)) for a in sets[0] for b in sets[1] if b not in MEET[a] and not _alone(group, a, b)}
    told = []
    for pair in sorted(sorted(pair) for pair in found):
        a, b = pair[0], pair[-1]
        fits = ", ".join(_word(code) for code in MEET[a])
        told.append(f"found a {_word(a)} and a {_word(b)}, which are not a pair that contacts know; a {_word(a)} "
                    f"({SHAPE_RECORDS[a].does}) meets: {fits}")
    return told


def _alone(group: CheckedGroup, a: ShapeCode, b: ShapeCode) -> bool:
    """Tell whether all shapes of two kinds belong to the same body, so that they never meet."""
    owners = {shape.place.body for shape in (*group.shapes, *group.against) if shape.code in (a, b)}
    return len(owners) < 2


def _word(code: ShapeCode) -> str:
    return code.name.lower()


def _reach(shape: CheckedShape) -> float:
    """Radius of the ball about a shape's place that holds it [m]; negative for a half-space."""
    if shape.code == ShapeCode.PLANE:
        return -1.0
    if shape.code == ShapeCode.BOX:
        return 0.5 * float(np.linalg.norm(shape.size))
    if shape.code == ShapeCode.CYLINDER:
        return float(np.hypot(shape.radius, 0.5 * shape.length))
    if shape.code == ShapeCode.MESH:
        return float(np.max(np.linalg.norm(shape.vertices, axis=1)))
    return shape.radius + 0.5 * shape.length


def _half(shape: CheckedShape) -> tuple[float, float, float]:
    """Half lengths of a shape's core [m]."""
    if shape.code == ShapeCode.BOX:
        x, y, z = 0.5 * shape.size
        return float(x), float(y), float(z)
    if shape.code == ShapeCode.CYLINDER:
        return shape.radius, shape.radius, 0.5 * shape.length
    return 0.0, 0.0, 0.5 * shape.length


def _corners(shape: CheckedShape) -> np.ndarray:
    """Corners of the hull of a mesh: they touch a plane first."""
    if shape.code != ShapeCode.MESH:
        return np.zeros((0, 3))
    from scipy.spatial import ConvexHull

    out: np.ndarray = shape.vertices[ConvexHull(shape.vertices).vertices]
    return out


def _pack_shapes(model: CheckedModel, body: np.ndarray, row_of_body: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sets = [(side, shape) for group in model.groups for side, shapes in enumerate((group.shapes, group.against))
            for shape in shapes]
    table, corners, first = np.zeros(len(sets), SHAPE), [np.zeros((0, 3))], 0
    for row, (side, shape) in zip(table, sets, strict=True):
        index, own = int(row_of_body[shape.place.body]), _corners(shape)
        R = body["R_bu"][index].reshape(3, 3)
        axes = shape.place.rotation @ rotation_between((0.0, 0.0, 1.0), shape.direction)
        row["code"], row["body"], row["side"], row["first"], row["count"] = shape.code, index, side, first, len(own)
        row["u_b"] = body["u_b"][index] + R @ shape.place.position
        row["R_b"], row["half"] = (R @ axes).ravel(), _half(shape)
        row["radius"] = 0.0 if shape.code == ShapeCode.CYLINDER else shape.radius
        row["reach"] = _reach(shape)
        corners.append(own)
        first += len(own)
    return table, np.concatenate(corners)


def _pack_groups(model: CheckedModel, shape: np.ndarray, row_of_body: np.ndarray, n_body: int, length: float
                 ) -> tuple[np.ndarray, np.ndarray]:
    table, skip, first, pairs = np.zeros(len(model.groups), GROUP), [np.zeros(0, np.int64)], 0, 0
    joined = [(j.first.body, j.second.body) for j in model.joints
              if j.code != JointCode.FREE and j.first.body > 0 and j.second.body > 0]
    for row, group in zip(table, model.groups, strict=True):
        end = first + len(group.shapes) + len(group.against)
        ends = [(int(row_of_body[a]), int(row_of_body[b])) for a, b in (*group.apart, *(() if group.joined else joined))]
        keys = np.unique(np.array([min(pair) * n_body + max(pair) for pair in ends], np.int64))
        reach = shape["reach"][first:end]
        row["first"], row["end"], row["two"] = first, end, int(bool(group.against))
        row["skip"], row["skips"] = pairs, len(keys)
        row["cell"] = 2.0 * SLACK * (float(reach[reach > 0.0].min()) if np.any(reach > 0.0) else length)
        row["friction"], row["restitution"], row["compliance"] = group.friction, group.restitution, group.compliance
        skip.append(keys)
        first, pairs = end, pairs + len(keys)
    return table, np.concatenate(skip)


def _pack_movers(body: np.ndarray, dof: np.ndarray) -> np.ndarray:
    """What an impulse on each body moves: free bodies by themselves, others with their trees."""
    mover = np.zeros(len(body), MOVER)
    root = np.zeros(len(body), np.int64)
    for i in range(1, len(body)):
        root[i] = i if body[i]["parent"] == 0 else root[body[i]["parent"]]
    for r in np.unique(root[1:]):
        end = int(body[r]["end"])
        v, nv = int(body[r]["v"]), int(np.sum(body["nv"][r:end]))
        own = mover[r:end]
        own["row"], own["end"], own["v"], own["nv"] = r, end, v, nv
        own["kind"] = MoverCode.TREE if nv else MoverCode.FIXED
        if end == r + 1 and body[r]["code"] == JointCode.FREE and _has_inertia(body[r]):
            if np.all(dof["drive"][v:v + nv] < 0) and not np.any(dof["armature"][v:v + nv]):
                own["kind"], own["iM"] = MoverCode.FREE, 1.0 / body[r]["mass"]
                own["iJ"] = _six(np.linalg.inv(_central(body[r])))
    return mover


def _six(S: np.ndarray) -> np.ndarray:
    out: np.ndarray = S[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return out


def _central(row: np.void) -> np.ndarray:
    """Inertia of a row about its centre of mass, joint frame [kg m²]."""
    J = np.zeros((3, 3))
    J[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]] = row["J_b"]
    J = J + np.triu(J, 1).T
    c = row["h_b"] / row["mass"]
    out: np.ndarray = J - row["mass"] * (c @ c * np.eye(3) - np.outer(c, c))
    return out


def _has_inertia(row: np.void) -> bool:
    if row["mass"] <= 0.0:
        return False
    moments = np.linalg.eigvalsh(_central(row))
    return bool(moments[0] > SINGULAR * moments[2])


def _all_round(body: np.ndarray, mover: np.ndarray) -> bool:
    """Tell whether all bodies are free and keep their inertia as they turn, so that no velocity changes an acceleration."""
    if np.any(mover["kind"][1:] == MoverCode.TREE):
        return False
    free = np.flatnonzero(mover["kind"] == MoverCode.FREE)
    spread = [np.ptp(np.linalg.eigvalsh(_central(body[i]))) / np.trace(_central(body[i])) for i in free]
    off = [np.linalg.norm(body[i]["h_b"]) for i in free]
    return bool(np.all(np.array(spread) < ROUND) and not np.any(off))
