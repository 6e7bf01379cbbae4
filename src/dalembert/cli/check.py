"""`dalembert check`: find the faults of a model, or report what it consists of and how it can move."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from .failures import reported
from .sources import find_model, read_model

if TYPE_CHECKING:
    from pathlib import Path

    from ..topology.span import Plan

MOST = 200
"""Bodies whose place in the tree is printed, and names in a list."""


@click.command()
@click.argument("model")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object and nothing else.")
def check(model: str, json_wanted: bool) -> None:
    """Check MODEL, print what it consists of and how many degrees of freedom it has.

    Loops are closed for that; directions that are held more than once are named.
    """
    with reported(json_wanted):
        from ..model.check import check as check_model
        from ..topology.span import span

        path = find_model(model)
        described = read_model(path)
        plan = span(check_model(described))
        mobility, notes = _mobility(plan, path), (*described.notes, *plan.model.notes)
        if json_wanted:
            click.echo(json.dumps({**_facts(plan), "mobility": mobility, "notes": notes}, ensure_ascii=False))
            return
        click.echo(_summary(plan, mobility))
        for note in notes:
            click.echo(note)


def _mobility(plan: Plan, path: Path) -> str:
    """Return the degrees of freedom in words; those of a tree are counted, loops have to be closed."""
    if plan.has_loops:
        from .mobility import ask

        return ask(path)
    freedom = _sizes(plan)[1] - len(plan.model.motions)
    return f"{freedom} degree{'s' * (freedom != 1)} of freedom"


def _sizes(plan: Plan) -> tuple[int, int]:
    """Return the numbers of coordinates and rates."""
    from ..model.joints import JOINT_RECORDS

    sizes = [JOINT_RECORDS[plan.model.joints[k].code].sizes for k in plan.carrier[1:]]
    elastic = sum(body.floating.n for body in plan.model.bodies if body.floating is not None)
    return sum(nq for nq, _ in sizes) + elastic, sum(nv for _, nv in sizes) + elastic


def _facts(plan: Plan) -> dict[str, Any]:
    """Return what a model consists of."""
    model = plan.model
    floating = [body.floating for body in model.bodies if body.floating is not None]
    coordinates, rates = _sizes(plan)
    return {
        "name": model.name,
        "bodies": sum(not body.face and not body.hidden for body in model.bodies[1:]),
        "flexible": len(floating),
        "elastic": sum(f.n for f in floating),
        "mass": float(sum(body.mass for body in model.bodies)),
        "joints": {joint.name: joint.code.name.lower() for joint in model.joints if not joint.hidden},
        "forces": len(model.forces),
        "motions": len(model.motions),
        "coordinates": coordinates,
        "rates": rates,
        "gravity": [float(g) for g in model.gravity],
        "loops": [model.joints[k].name for k in (*plan.cut, *plan.split)],
        "constraints": [constraint.name for constraint in model.constraints],
        "run": dict(model.run),
    }


def _summary(plan: Plan, mobility: str) -> str:
    """Return counts, mass, mobility and tree as lines of text."""
    has = _facts(plan)
    kinds, driven = list(dict.fromkeys(has["joints"].values())), has["motions"]
    flexible = f" rigid, {has['flexible']} flexible with {has['elastic']} elastic coordinates" * bool(has["flexible"])
    lines = [
        f"{has['name']}: no faults",
        f"  bodies       {has['bodies']}{flexible}, mass {has['mass']:.6g} kg",
        f"  joints       {len(has['joints'])}" + (f" ({', '.join(kinds)})" if kinds else ""),
        f"  forces       {has['forces']}, motions {driven}",
        f"  coordinates  {has['coordinates']}, rates {has['rates']}" + (f", of them driven {driven}" * bool(driven)),
        f"  gravity      ({', '.join(f'{g:g}' for g in has['gravity'])}) m/s²",
    ]
    if has["loops"]:
        lines.append(f"  loops        closed by {_listed(has['loops'])}")
    if has["constraints"]:
        lines.append(f"  constraints  {_listed(has['constraints'])}")
    lines.append(f"  mobility     {mobility}")
    if has["run"]:
        lines.append(f"  run          {', '.join(f'{key} {value}' for key, value in has['run'].items())}")
    return "\n".join([*lines, "  tree", *_tree(plan)])


def _listed(names: list[str]) -> str:
    """Return names in one line."""
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def _is_shown(plan: Plan, body: int) -> bool:
    """Tell whether a body of the tree, or a stand-in, is one that the user speaks of."""
    return body >= len(plan.model.bodies) or not plan.model.bodies[body].hidden


def _tree(plan: Plan) -> list[str]:
    """Return one line per body, each below its parent and further right."""
    model, depth = plan.model, {0: 0}
    lines = ["    ground"]
    for body, k, reverse in list(zip(plan.order, plan.carrier, plan.reversed, strict=True))[1:]:
        joint = model.joints[k]
        parent = joint.second.body if reverse else joint.first.body
        depth[body] = depth[parent] + 1
        if len(lines) <= MOST and _is_shown(plan, body):
            indent, kind = "  " * min(depth[body], 20), joint.code.name.lower()
            stand_in = body >= len(model.bodies)
            name = f"= {model.bodies[joint.second.body].name}" if stand_in else model.bodies[body].name
            lines.append(f"    {indent}{name}  ({joint.name}: {kind}{', closes a loop' * stand_in})")
    more = sum(_is_shown(plan, body) for body in plan.order) - len(lines)
    return [*lines, f"    … and {more} more"] if more > 0 else lines
