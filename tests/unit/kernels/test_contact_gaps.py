"""Gaps between shapes against their definition: distances by minimising over the shapes, rates by finite differences."""

import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as dal
from dalembert.start.contacts import row_gaps
from dalembert.start.initial import prepare_start

SHAPES = {
    "point": lambda at: dal.Point(at),
    "sphere": lambda at: dal.Sphere(at, radius=0.3),
    "capsule": lambda at: dal.Capsule(at, radius=0.2, length=0.8, axis=(1, 2, -0.5)),
    "cylinder": lambda at: dal.Cylinder(at, radius=0.25, length=0.6, axis=(0.3, -1, 2)),
    "box": lambda at: dal.Box(at, size=(0.5, 0.7, 0.9)),
    "plane": lambda at: dal.Plane(at, normal=(1, -2, 3)),
    "mesh": lambda at: dal.Mesh(at, vertices=[(0.1, 0, 0), (1, 0.1, 0), (0, 1.2, 0.1), (0, 0.2, 0.9)],
                                faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
}
PAIRS = [("plane", other) for other in ("point", "sphere", "capsule", "cylinder", "box", "mesh")] + [
    ("sphere", "sphere"), ("sphere", "point"), ("capsule", "point"), ("capsule", "sphere"), ("capsule", "capsule"),
    ("box", "point"), ("box", "sphere")]
INERTIA = dal.inertia_box(1.0, (1, 2, 3))


def model(first, second, start, rate):
    m = dal.Model("pair", gravity=(0, 0, 0))
    turn = dal.rotation_between((0, 0, 1), (0.2, 0.5, -1))
    m.add(dal.Body("one", mass=1.0, inertia=INERTIA, points={"p": dal.Frame((0.1, -0.2, 0.3), rotation=turn)}),
          dal.Body("two", mass=1.0, inertia=INERTIA, points={"p": dal.Frame((-0.3, 0.1, 0.2), rotation=turn.T)}),
          dal.Free("f1", "ground", "one", start=start[0], start_rate=rate[0]),
          dal.Free("f2", "ground", "two", start=start[1], start_rate=rate[1]),
          dal.Contact("touch", SHAPES[first]("one.p"), SHAPES[second]("two.p")))
    return m


def poses(seed):
    """Two bodies apart from each other, turned anyhow."""
    random = np.random.default_rng(seed)
    turns = [q / np.linalg.norm(q) for q in random.normal(size=(2, 4))]
    away = np.array([1.0, -2.0, 3.0])
    return [(*(k * 0.8 * away), *turns[k]) for k in range(2)], random.normal(size=(2, 6))


def core_points(kind, shape, parameters):
    """Point of the shape's core for parameters in [-1, 1], in the shape's place, and its radius."""
    if kind == "capsule":
        axis = np.array(shape.axis) / np.linalg.norm(shape.axis)
        return parameters[0] * 0.5 * shape.length * axis, shape.radius
    if kind == "box":
        return 0.5 * np.array(shape.size) * parameters, 0.0
    if kind == "cylinder":
        axis = np.array(shape.axis) / np.linalg.norm(shape.axis)
        R = dal.rotation_between((0, 0, 1), axis)
        angle = np.pi * parameters[1]
        return (parameters[0] * 0.5 * shape.length * axis
                + shape.radius * parameters[2] * R @ (np.cos(angle), np.sin(angle), 0)), 0.0
    if kind == "mesh":
        weights = np.exp(40 * np.array([*parameters, 0.0]))
        return weights @ np.array(shape.vertices, float) / weights.sum(), 0.0
    return np.zeros(3), getattr(shape, "radius", 0.0)


def smallest_distance(kinds, shapes, places):
    """Distance of the two shapes by minimising over their cores from many starts."""
    def ends(x):
        found = []
        for k in range(2):
            local, radius = core_points(kinds[k], shapes[k], x[3 * k:3 * k + 3])
            r, R = places[k]
            found.append((r + R @ local, radius))
        return found

    def distance(x):
        (p, a), (q, b) = ends(x)
        if kinds[0] == "plane":
            r, R = places[0]
            n = R @ (np.array(shapes[0].normal) / np.linalg.norm(shapes[0].normal))
            return n @ (q - r) - b
        return np.linalg.norm(q - p) - a - b

    random = np.random.default_rng(1)
    return min(minimize(distance, random.uniform(-1, 1, 6), bounds=[(-1, 1)] * 6, method="L-BFGS-B",
                        options={"ftol": 1e-15, "gtol": 1e-12}).fun for _ in range(12))


@pytest.mark.parametrize("first, second", PAIRS)
def test_a_gap_is_the_smallest_distance(first, second):
    for seed in range(3):
        start, rate = poses(seed)
        begin = prepare_start(model(first, second, start, rate))
        gap = row_gaps(begin.packed, begin.q[None], begin.qd[None]).min()
        state = dal.assemble(model(first, second, start, rate))
        places = [(state[f"{name}.p.position"][0], _matrix(state[f"{name}.p.orientation"][0])) for name in ("one", "two")]
        expected = smallest_distance((first, second), (SHAPES[first]("x"), SHAPES[second]("x")), places)
        assert gap == pytest.approx(expected, abs=2e-6)  # of the minimiser near corners


def _matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@pytest.mark.parametrize("first, second", PAIRS)
def test_swapped_shapes_have_the_same_gap(first, second):
    start, rate = poses(5)
    m = model(first, second, start, rate)
    swapped = m.replaced("touch", first=m["touch"].second, second=m["touch"].first)
    gaps = []
    for each in (m, swapped):
        begin = prepare_start(each)
        gaps.append(row_gaps(begin.packed, begin.q[None], begin.qd[None]).min())
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-14)
