"""Spanning tree of a checked model: which joint carries which body, and in which order bodies are numbered.

Properties of a plan:
- the ground is body 0 and every other body has exactly one carrying joint;
- a parent comes before its children, and every subtree is a contiguous range (depth first);
- a joint with a given start is preferred as tree joint, then one whose coordinates something acts on; `cut=True`
  forbids it;
- joints that are left over close loops;
- flexible bodies are replaced by their frames, faces and hidden joints (flexible.py), which always are tree joints;
- a joint with a lead across its axis carries its second body only (`reversible` of its record);
- a loop-closing joint whose own coordinates are needed (a start, a spring, a motor, a drive, a rotor, a gear; every lead)
  carries a massless stand-in of its second body, and the loop is cut between the two.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from ..codes import JointCode
from ..errors import TopologyError
from ..model.checked import CheckedJoint, CheckedModel
from ..model.joints import JOINT_RECORDS
from .flexible import FLOATING, lower
from .held import with_implied_joints


@dataclass(frozen=True)
class Plan:
    """A checked model with its tree.

    Attributes
    ----------
    model : CheckedModel
    order : tuple of int
        Model indices of the bodies in tree order; ``order[0] == 0``; those from ``len(model.bodies)`` on are stand-ins.
    carrier : tuple of int
        For each entry of `order` the model index of the joint that carries it (-1 for the ground).
    reversed : tuple of bool
        True where the carried body is the joint's first one.
    cut : tuple of int
        Model indices of the joints that close loops and carry nothing.
    split : tuple of int
        Model indices of the joints that close loops and carry a stand-in, in the order of the stand-ins' indices.
    """

    model: CheckedModel
    order: tuple[int, ...]
    carrier: tuple[int, ...]
    reversed: tuple[bool, ...]
    cut: tuple[int, ...]
    split: tuple[int, ...] = ()

    @property
    def has_loops(self) -> bool:
        """True if constraints are left besides the tree joints."""
        return bool(self.cut or self.split or self.model.constraints)


def span(model: CheckedModel, flexible: str = FLOATING) -> Plan:
    """Choose the spanning tree.

    Parameters
    ----------
    model : CheckedModel
    flexible : {"floating", "rigid", "faces"}
        What flexible bodies become, see topology/flexible.py.

    Returns
    -------
    Plan

    Raises
    ------
    TopologyError
        For bodies without a way to the ground.
    """
    model = with_implied_joints(model)
    used = used_joints(model)

    def reach(lowered: CheckedModel) -> dict[int, int]:
        return _reach(lowered, _adjacency(lowered), used)

    model, carrier = lower(model, reach, flexible) if model.flexibles else (model, reach(model))
    _refuse_loose_bodies(model, carrier)
    tree = set(carrier.values())
    closing = [k for k in range(len(model.joints)) if k not in tree]
    split = tuple(k for k in closing if k in used or model.joints[k].start is not None
                  or model.joints[k].start_rate is not None or JOINT_RECORDS[model.joints[k].code].lead is not None)
    carrier |= {len(model.bodies) + i: k for i, k in enumerate(split)}
    order = _depth_first(model, carrier)
    return Plan(model, tuple(order), (-1, *(carrier[i] for i in order[1:])),
                (False, *(model.joints[carrier[i]].first.body == i for i in order[1:])),
                tuple(k for k in closing if k not in split), split)


def used_joints(model: CheckedModel) -> set[int]:
    """Return the joints whose coordinates a force, a drive, a rotor, a limit, friction or a constraint refers to."""
    used = {f.joint for f in model.forces if f.joint >= 0} | {m.joint for m in model.motions}
    used |= {k for k, joint in enumerate(model.joints) if np.any(joint.armature) or joint.limits or joint.friction}
    return used | {joint for c in model.constraints for joint, _, _ in c.terms}


def _adjacency(model: CheckedModel) -> list[list[int]]:
    adjacent: list[list[int]] = [[] for _ in model.bodies]
    for k, joint in enumerate(model.joints):
        if not joint.cut:
            adjacent[joint.first.body].append(k)
            adjacent[joint.second.body].append(k)
    return adjacent


def _reach(model: CheckedModel, adjacent: list[list[int]], used: set[int]) -> dict[int, int]:
    """Grow a tree from the ground: body -> carrying joint.

    Hidden joints come before joints with a given start, these before those something acts on, and these before all others.
    """
    carrier: dict[int, int] = {}
    waiting: tuple[deque[tuple[int, int]], ...] = tuple(deque() for _ in range(5))
    reached = {0}

    def visit(body: int) -> None:
        for k in adjacent[body]:
            waiting[_rank(model, model.joints[k], k in used)].append((body, k))

    visit(0)
    while any(waiting):
        body, k = next(queue for queue in waiting if queue).popleft()
        joint = model.joints[k]
        forward = joint.first.body == body
        target = joint.second.body if forward else joint.first.body
        if target not in reached and (forward or JOINT_RECORDS[joint.code].reversible):
            reached.add(target)
            carrier[target] = k
            visit(target)
    return carrier


def _rank(model: CheckedModel, joint: CheckedJoint, used: bool) -> int:
    """Turn of a joint in growing the tree; a free face is carried by a hidden joint from the ground if by nothing else."""
    if joint.hidden:
        return 4 if joint.code == JointCode.FREE and model.bodies[joint.second.body].face else 0
    return 1 if joint.start is not None else 2 if used else 3


def _refuse_loose_bodies(model: CheckedModel, carrier: dict[int, int]) -> None:
    loose = [b.name for i, b in enumerate(model.bodies) if i and i not in carrier and not b.hidden]
    if not loose:
        return
    only = len(loose) == 1
    shown = ", ".join(repr(n) for n in loose[:8]) + (", …" if len(loose) > 8 else "")
    one_way = [j for j in model.joints if not JOINT_RECORDS[j.code].reversible and model.bodies[j.first.body].name in loose]
    if one_way:
        raise TopologyError(f"bod{'y' if only else 'ies'} {shown}: no chain of joints leads to the ground, since joint "
                            f"{one_way[0].name!r} can carry its second body only. Exchange its two places, or connect "
                            f"{one_way[0].first.text!r} by another joint.")
    raise TopologyError(f"bod{'y' if only else 'ies'} {shown}: no chain of joints leads to the ground. Connect "
                        f"{'it' if only else 'them'} by a joint, or by Free(name, \"ground\", {loose[0]!r}) "
                        f"if {'it' if only else 'each'} is to fly freely. (A Bushing to it implies that.)")


def _depth_first(model: CheckedModel, carrier: dict[int, int]) -> list[int]:
    children: list[list[int]] = [[] for _ in range(len(carrier) + 1)]
    for body in sorted(carrier):
        joint = model.joints[carrier[body]]
        parent = joint.second.body if joint.first.body == body else joint.first.body
        children[parent].append(body)
    order, stack = [], [0]
    while stack:
        body = stack.pop()
        order.append(body)
        stack.extend(reversed(children[body]))
    return order
