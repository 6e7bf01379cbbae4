"""Random closed mechanisms: trees with joints and constraints added between the places that their bodies have at the start."""

from __future__ import annotations

import numpy as np
from random_models import random_tree

import dalembert as dal

CLOSINGS = ("spherical", "universal", "revolute", "distance", "line", "plane", "cylindrical", "fixed")
"""What may close a loop; the tree keeps at least one freedom if few rows are added."""
ROWS = {"spherical": 3, "universal": 4, "revolute": 5, "distance": 1, "line": 2, "plane": 1, "cylindrical": 4, "fixed": 6}


def frame_of(body_frame, world_position, world_rotation):
    """Return the Frame on a body that stands at a world pose; `body_frame` is (position, rotation matrix)."""
    r, R = body_frame
    return dal.Frame(tuple(R.T @ (world_position - r)), R.T @ world_rotation)


def closing(kind, *ends):
    """Return a part that closes a loop."""
    if kind in ("line", "plane"):
        return dal.PointOnLine(*ends, axis=(1, 0, 0)) if kind == "line" else dal.PointOnPlane(*ends, normal=(0, 0, 1))
    return getattr(dal, kind.capitalize())(*ends)


def closed_mechanism(rng, n_bodies=5, budget=3):
    """Return a model with loops that is assembled at its start; its constraint rows number at most `budget`."""
    tree, _, _ = random_tree(rng, n_bodies, forces=bool(rng.integers(2)))
    start = dal.assemble(tree)
    names = [b.name for b in tree.bodies]
    poses = {b: (start[f"{b}.position"][0], start[f"{b}.rotation"][0]) for b in names}
    points, parts = {b: {} for b in names}, []
    while budget > 0:
        kinds = [k for k in CLOSINGS if ROWS[k] <= budget]
        kind = kinds[rng.integers(len(kinds))]
        budget -= ROWS[kind]
        a, b = (names[i] for i in rng.choice(len(names), 2, replace=False))
        label = f"loop{len(parts)}"
        place, turn = poses[b][0] + rng.uniform(-0.3, 0.3, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn = turn * np.linalg.det(turn)
        far = place + rng.uniform(0.3, 0.6, 3) if kind == "distance" else place
        points[a][label] = frame_of(poses[a], far, turn)
        points[b][label] = frame_of(poses[b], place, turn)
        parts.append(closing(kind, label, f"{a}.{label}", f"{b}.{label}"))
    for b in names:
        tree = tree.replaced(b, points={**tree[b].points, **points[b]})
    return tree.add(*parts)
