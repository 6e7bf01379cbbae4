"""A joint reports the same whether it is in the tree or closes the loop: mechanisms with each joint cut in turn.

All mechanisms have one degree of freedom and no redundant constraint, so that reactions are unique.
"""

import numpy as np
import pytest
from physics.loop_models import with_cut
from promises import ASSEMBLED

import dalembert as dal

SKEW = [(1.0, 0.2, -0.1), (0.3, 1.0, 0.2), (-0.2, 0.4, 1.0), (1.0, -0.6, 0.5)]
CORNERS = [(0.0, 0.0, 0.0), (0.0, 0.6, 0.8), (1.1, 0.9, 0.7), (1.3, -0.2, 0.1)]


def ring(name, joints):
    """Bodies in a ring from the ground to the ground; at the start all frames lie as the world's and joint k in a corner."""
    n = len(joints)
    points = {f"P{k}": CORNERS[k] for k in range(n)}
    m = dal.Model(name, gravity=(0.3, -1.0, -9.0), ground=points)
    for k in range(1, n):
        middle = np.mean([CORNERS[k - 1], CORNERS[k]], axis=0)
        m.add(dal.Body(f"b{k}", mass=1.0 + 0.5 * k, com=middle, inertia=(0.2, 0.3, 0.4), points=points))
    for k, (kind, more) in enumerate(joints):
        ends = [f"b{i}.P{k}" if 0 < i < n else f"ground.P{k}" for i in (k, k + 1)]
        m.add(kind(f"j{k}", *ends, **more))
    return m


def rccc():
    """The spatial four-bar of a revolute and three cylindrical joints."""
    return ring("RCCC", [(dal.Revolute, {"axis": SKEW[0]}), *((dal.Cylindrical, {"axis": a}) for a in SKEW[1:])])


def rsup():
    """Crank, ball, universal joint and slider."""
    return ring("RSUP", [(dal.Revolute, {"axis": SKEW[0]}), (dal.Spherical, {}),
                         (dal.Universal, {"axis1": SKEW[1], "axis2": SKEW[2]}), (dal.Prismatic, {"axis": SKEW[3]})])


def cue():
    """A rod that turns and slides, a universal joint, and a foot that stays on a plane."""
    return ring("CUE", [(dal.Cylindrical, {"axis": SKEW[0]}), (dal.Universal, {"axis1": SKEW[1], "axis2": SKEW[2]}),
                        (dal.Planar, {"axis": SKEW[3]})])


CASES = [(make, k) for make, n in ((rccc, 4), (rsup, 4), (cue, 3)) for k in range(n)]


def scales(r, names):
    """Largest values of each quantity over all joints: what an error is normalised by."""
    found = {}
    for name in names:
        quantity = name.rpartition(".")[2]
        found[quantity] = max(found.get(quantity, 1.0), np.max(np.abs(r[name])))
    return found


@pytest.mark.parametrize("make, k", CASES, ids=lambda x: x if isinstance(x, int) else x.__name__)
def test_a_state_is_told_alike(make, k):
    """Tolerance: errors of an assembled position, thousandfold in accelerations and loads, that depend on it."""
    model = make()
    way = np.array([1.0, -1.0])[:len(model.joints[0].coordinates)]
    tree = dal.assemble(model, start={"j0": 0.4 * way}, start_rate={"j0": 3.0 * way})
    cut = dal.assemble(with_cut(model, f"j{k}", tree))
    assert [j.name for j in cut.layout.cuts] == [f"j{k}"] and len(cut.layout.joints) == len(model.joints) - 1
    names = [c for c in tree.channels if c.startswith("j")]
    assert names == [c for c in cut.channels if c.startswith("j")]
    assert all(np.any(np.abs(tree[f"{joint.name}.rates"]) > 0.1) for joint in model.joints)
    size = scales(tree, names)
    for name in names:
        assert tree.unit(name) == cut.unit(name) and tree.components(name) == cut.components(name)
        difference = np.max(np.abs(tree[name] - cut[name]), initial=0.0)
        assert difference <= 1e3 * ASSEMBLED * size[name.rpartition(".")[2]], name


def slider_crank(cut):
    """A driven slider-crank; the big end turns once a turn of the crank."""
    flat = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    m = dal.Model("slider-crank", gravity=(0, -9.81, 0))
    m.add(dal.Body("crank", **flat, points={"pin": (0.15, 0, 0)}), dal.Body("rod", **flat, points={"pin": (0.3, 0, 0)}),
          dal.Body("slider", **flat), dal.Revolute("main", "ground", "crank", axis=(0, 0, 1)),
          dal.Revolute("big end", "crank.pin", "rod", axis=(0, 0, 1)),
          dal.Revolute("small end", "rod.pin", "slider", axis=(0, 0, 1)),
          dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0)), dal.Motion("drive", "main", speed=40.0))
    return m.replaced(cut, cut=True)


def test_angles_count_turns_over_frames_that_lie_more_than_half_a_turn_apart():
    """The positions of a driven mechanism follow from its constraints alone."""
    runs = [dal.run(slider_crank(cut), until=0.5, step=0.0125, record=0.1, integrator="rk4") for cut in ("big end", "guide")]
    assert [[j.name for j in r.layout.cuts] for r in runs] == [["big end"], ["guide"]]
    gap = max(np.max(r["constraints.position"]) for r in runs)
    for name in ("main.angle", "big end.angle", "small end.angle", "guide.displacement"):
        assert np.max(np.abs(runs[0][name] - runs[1][name])) <= 100 * max(gap, ASSEMBLED), name
    assert runs[0]["big end.angle"][-1] < -2.5 * 2 * np.pi  # 20 rad of the crank
