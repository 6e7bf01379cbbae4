"""Spanning tree of a checked model: which joint carries which body, and in which order bodies are numbered.

Properties of a plan:
- the ground is body 0 and every other body has exactly one carrying joint;
- a parent comes before its children, and every subtree is a contiguous range (depth first);
- a joint with a given start is preferred as tree joint, `cut=True` forbids it;
- joints that are left over close loops.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ..errors import TopologyError
from ..model.checked import CheckedModel


@dataclass(frozen=True)
class Plan:
    """A checked model with its tree.

    Attributes
    ----------
    model : CheckedModel
    order : tuple of int
        Model indices of the bodies in tree order; ``order[0] == 0``.
    carrier : tuple of int
        For each entry of `order` the model index of the joint that carries it (-1 for the ground).
    reversed : tuple of bool
        True where the carried body is the joint's first one.
    cut : tuple of int
        Model indices of the joints that close loops.
    """

    model: CheckedModel
    order: tuple[int, ...]
    carrier: tuple[int, ...]
    reversed: tuple[bool, ...]
    cut: tuple[int, ...]


def span(model: CheckedModel) -> Plan:
    """Choose the spanning tree.  Raises TopologyError for bodies without a way to the ground."""
    adjacent = _adjacency(model)
    carrier = _reach(model, adjacent)
    _refuse_loose_bodies(model, carrier)
    order = _depth_first(model, carrier)
    tree = set(carrier.values())
    cut = tuple(k for k in range(len(model.joints)) if k not in tree)
    return Plan(model, tuple(order), (-1, *(carrier[i] for i in order[1:])),
                (False, *(model.joints[carrier[i]].first.body == i for i in order[1:])), cut)


def _adjacency(model: CheckedModel) -> list[list[int]]:
    adjacent: list[list[int]] = [[] for _ in model.bodies]
    for k, joint in enumerate(model.joints):
        if not joint.cut:
            adjacent[joint.first.body].append(k)
            adjacent[joint.second.body].append(k)
    return adjacent


def _reach(model: CheckedModel, adjacent: list[list[int]]) -> dict[int, int]:
    """Grow a tree from the ground, taking joints with a given start before all others: body -> carrying joint."""
    carrier: dict[int, int] = {}
    preferred, others, reached = deque(), deque(), {0}

    def visit(body):
        for k in adjacent[body]:
            (others if model.joints[k].start is None else preferred).append((body, k))

    visit(0)
    while preferred or others:
        body, k = preferred.popleft() if preferred else others.popleft()
        joint = model.joints[k]
        target = joint.second.body if joint.first.body == body else joint.first.body
        if target not in reached:
            reached.add(target)
            carrier[target] = k
            visit(target)
    return carrier


def _refuse_loose_bodies(model: CheckedModel, carrier: dict[int, int]) -> None:
    loose = [b.name for i, b in enumerate(model.bodies) if i and i not in carrier]
    if not loose:
        return
    only = len(loose) == 1
    shown = ", ".join(repr(n) for n in loose[:8]) + (", …" if len(loose) > 8 else "")
    raise TopologyError(f"bod{'y' if only else 'ies'} {shown}: no chain of joints leads to the ground. Connect "
                        f"{'it' if only else 'them'} by a joint, or by Free(name, \"ground\", {loose[0]!r}) "
                        f"if {'it' if only else 'each'} shall fly freely.")


def _depth_first(model: CheckedModel, carrier: dict[int, int]) -> list[int]:
    children: list[list[int]] = [[] for _ in model.bodies]
    for body in sorted(carrier):
        joint = model.joints[carrier[body]]
        parent = joint.first.body if joint.second.body == body else joint.second.body
        children[parent].append(body)
    order, stack = [], [0]
    while stack:
        body = stack.pop()
        order.append(body)
        stack.extend(reversed(children[body]))
    return order


def refuse_loops(plan: Plan) -> None:
    """Raise TopologyError if joints close loops, for formulations that carry trees only."""
    if not plan.cut:
        return
    joints = plan.model.joints
    shown = ", ".join(repr(joints[k].name) for k in plan.cut[:8])
    raise TopologyError(f"joint{'s' * (len(plan.cut) > 1)} {shown} close{'s' * (len(plan.cut) == 1)} a loop; this version "
                        "simulates trees. Open the loop: remove a joint of it, or replace one by a Bushing, "
                        "which holds two bodies together elastically.")
