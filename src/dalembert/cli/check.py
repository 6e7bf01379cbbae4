"""`dalembert check`: find the faults of a model, or tell what it consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .failures import told
from .sources import find_model, read_model

if TYPE_CHECKING:
    from ..topology.span import Plan

MOST = 200
"""Bodies whose place in the tree is printed."""


@click.command()
@click.argument("model")
def check(model: str) -> None:
    """Check MODEL and print what it consists of."""
    with told():
        from ..model.check import check as check_model
        from ..topology.span import span

        path = find_model(model)
        described = read_model(path)
        plan = span(check_model(described))
        click.echo(_summary(plan))
        for note in described.notes:
            click.echo(note)


def _summary(plan: Plan) -> str:
    """Return counts, mass and tree as lines of text."""
    from ..codes import JOINT_SIZES

    model = plan.model
    carried = [model.joints[k] for k in plan.carrier[1:]]
    sizes = [JOINT_SIZES[joint.code] for joint in carried]
    kinds = list(dict.fromkeys(joint.code.name.lower() for joint in model.joints))
    driven = len(model.motions)
    rates = sum(nv for _, nv in sizes)
    lines = [
        f"{model.name}: no faults",
        f"  bodies       {len(model.bodies) - 1}, mass {sum(body.mass for body in model.bodies):.6g} kg",
        f"  joints       {len(model.joints)}" + (f" ({', '.join(kinds)})" if kinds else ""),
        f"  forces       {len(model.forces)}, motions {driven}",
        f"  coordinates  {sum(nq for nq, _ in sizes)}, rates {rates}" + (f", of them driven {driven}" * bool(driven)),
        f"  gravity      ({', '.join(f'{g:g}' for g in model.gravity)}) m/s²",
    ]
    if plan.cut:
        lines.append(f"  loops        closed by {', '.join(model.joints[k].name for k in plan.cut)}")
    if model.run:
        lines.append(f"  run          {', '.join(f'{key} {value}' for key, value in model.run.items())}")
    return "\n".join([*lines, "  tree", *_tree(plan)])


def _tree(plan: Plan) -> list[str]:
    """Return one line a body, each below its parent and further right."""
    model, depth = plan.model, {0: 0}
    lines = ["    ground"]
    for body, k, reverse in list(zip(plan.order, plan.carrier, plan.reversed, strict=True))[1:]:
        joint = model.joints[k]
        parent = joint.second.body if reverse else joint.first.body
        depth[body] = depth[parent] + 1
        if len(lines) <= MOST:
            indent = "  " * min(depth[body], 20)
            lines.append(f"    {indent}{model.bodies[body].name}  ({joint.name}: {joint.code.name.lower()})")
    more = len(plan.order) - len(lines)
    return [*lines, f"    … and {more} more"] if more > 0 else lines
