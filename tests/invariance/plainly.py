"""Models with all numbers said and all attachments named places, and with other laws, coordinates or places in them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from random_models import start_value

import dalembert as dal
from dalembert.model import constraints as con
from dalembert.model import laws, parts
from dalembert.model.check import check

ORIGIN = "own origin"
"""Name of the place where a body's old origin is."""


def plain(model):
    """Return the model with numbers for all texts and defaults, and with a named place for every attachment."""
    checked = check(model)
    kinds = ("bodies", "joints", "forces", "constraints", "motions")
    rows = {kind: {each.name: each for each in getattr(checked, kind)} for kind in kinds}
    places = {b.name: {n: dal.Frame(p.position, p.rotation) for n, p in b.points.items()} for b in checked.bodies}
    rigid = {"ground", *(b.name for b in model.bodies)}
    origin = ORIGIN
    while any(origin in points for points in places.values()):
        origin += "'"
    here = {origin: dal.Frame(np.zeros(3), np.eye(3))}
    new = dal.Model(model.name, gravity=checked.gravity, ground=places["ground"] | here)
    for part in model:
        if isinstance(part, dal.Body):
            row = rows["bodies"][part.name]
            part = replace(part, mass=row.mass, com=row.com, inertia=row.inertia, points=places[part.name] | here)
        elif isinstance(part, parts.Joint):
            part = _plain_joint(part, rows["joints"][part.name])
        elif isinstance(part, parts.FORCES):
            part = _plain_force(part, rows["forces"][part.name])
        elif isinstance(part, con.CONSTRAINTS):
            part = _plain_constraint(part, rows["constraints"][part.name], checked)
        elif isinstance(part, dal.Motion):
            row = rows["motions"][part.name]
            part = replace(part, **{"speed" if row.speed else "position": row.law, "derivative_step": row.derivative_step,
                                    "coordinate": checked.joints[row.joint].coordinates[row.coordinate]})
        ends = {f: f"{getattr(part, f)}.{origin}" for f in ("first", "second", "at") if getattr(part, f, None) in rigid}
        new.add(replace(part, **ends) if not isinstance(part, dal.Gear) else part)
    return new


def _plain_joint(part, row):
    said = {"axis": row.axis, "axis1": row.axis, "axis2": row.axis2, "pitch": row.pitch}
    said = {f.name: said[f.name] for f in fields(part) if f.name in said}
    for name, value in (("start", row.start), ("start_rate", row.start_rate)):
        if value is not None and len(value):
            value = value[:len(value) - (row.unsaid_rates if name == "start_rate" else 0)]
            said[name] = dal.guess(start_value(value)) if name == "start" and row.guessed else start_value(value)
    return replace(part, **said)


def _plain_force(part, row):
    one = {"stiffness": float(row.stiffness[0]), "damping": float(row.damping[0])}
    if isinstance(part, dal.JointSpring):
        return replace(part, **one, rest=row.rest, effort=row.law)
    if isinstance(part, dal.Motor):
        return replace(part, effort=row.law)
    if isinstance(part, dal.SpringDamper):
        return replace(part, **one, length=row.rest, force=row.law)
    if isinstance(part, dal.Bushing):
        return replace(part, **{name: getattr(row, name) for name in ("stiffness", "damping", "turning_stiffness",
                                                                     "turning_damping")})
    return replace(part, direction=row.direction, magnitude=row.law)


def _plain_constraint(part, row, checked):
    if isinstance(part, (dal.Gear, dal.CoordinateCoupling)):
        names = [(checked.joints[j].name, checked.joints[j].coordinates[c], f) for j, c, f in row.terms]
        if isinstance(part, dal.Gear):
            return replace(part, ratio=-names[1][2], offset=row.value, first=names[1][0], first_coordinate=names[1][1],
                           second=names[0][0], second_coordinate=names[0][1])
        others = {f"{j}.{c}": -f for j, c, f in names[1:]}
        return replace(part, coordinate=names[0][1], offset=row.value or 0.0, derivative_step=row.derivative_step,
                       to=next(iter(others)) if row.law_of_x else others)
    said = {"axis": row.axis, "normal": row.normal, "radius": row.radius}
    said = {f.name: said[f.name] for f in fields(part) if f.name in said and getattr(part, f.name) is not None}
    for name in ("length", "offset"):
        if hasattr(part, name):
            said[name] = row.value if row.law is None else row.law
    return replace(part, **said)


# --- laws -----------------------------------------------------------------------------------------------------------

def scaled_law(law, y=1.0, t=1.0, x=1.0, v=1.0, shift=0.0):
    """Return the law y f(time / t, (place - shift) / x, rate / v) of a law f."""
    if law is None or isinstance(law, (int, float)):
        return None if law is None else y * law
    if isinstance(law, laws.Sine):
        return replace(law, amplitude=y * law.amplitude, omega=law.omega / t, offset=y * law.offset)
    if isinstance(law, laws.Ramp):
        return replace(law, begin=t * law.begin, finish=t * law.finish, start=y * law.start, end=y * law.end)
    if isinstance(law, laws.Table):
        order = slice(None, None, 1 if t > 0 else -1)
        return replace(law, t=tuple(t * np.array(law.t)[order]), y=tuple(y * np.array(law.y)[order]))
    function = getattr(law, "function", law)
    if laws.argument_count(function) == 1:
        return lambda time: y * function(time / t)
    return lambda time, place, rate: y * function(time / t, (place - shift) / x, rate / v)


def law_of_point(law, y, t, back, shift):
    """Return the law y f(time / t, back (r - shift), t back v) of a law of a point, or None for another one."""
    function = getattr(law, "function", law)
    if not callable(function) or laws.argument_count(function) != 7:
        return None
    return lambda time, a, b, c, va, vb, vc: y * function(time / t, *(back @ (np.array([a, b, c]) - shift)),
                                                          *(t * back @ np.array([va, vb, vc])))


def with_factors(model, factor, energy=1.0, time=1.0):
    """Return the model with its elements on new joint coordinates; `factor(joint, coordinate)` -> (name, new over old)."""
    def of(name, coordinate):
        joint = model[name]
        coordinate = coordinate or joint.coordinates[0]
        new, c = factor(joint, coordinate)
        return ({"coordinate": new} if len(joint.coordinates) > 1 else {}), c

    out = model.without(*(p.name for p in model))
    for part in model:
        if isinstance(part, (dal.JointSpring, dal.Motor)):
            where, c = of(part.joint, part.coordinate)
            part = replace(part, effort=scaled_law(part.effort, energy / c, time, c, c / time), **where)
            if isinstance(part, dal.JointSpring):
                part = replace(part, stiffness=energy / c**2 * part.stiffness, damping=energy * time / c**2 * part.damping,
                               rest=c * part.rest)
        elif isinstance(part, dal.Motion):
            where, c = of(part.joint, part.coordinate)
            part = replace(part, position=scaled_law(part.position, c, time), speed=scaled_law(part.speed, c / time, time),
                           derivative_step=part.derivative_step * time, **where)
        elif isinstance(part, dal.Gear):
            (_, c1), (_, c2) = of(part.first, part.first_coordinate), of(part.second, part.second_coordinate)
            part = replace(part, ratio=c2 / c1 * part.ratio, offset=None if part.offset is None else c2 * part.offset,
                           first_coordinate=factor(model[part.first], part.first_coordinate)[0],
                           second_coordinate=factor(model[part.second], part.second_coordinate)[0])
        elif isinstance(part, dal.CoordinateCoupling):
            part = _coupled(part, model, factor)
        out.add(part)
    return out


def _coupled(part, model, factor):
    name, c = factor(model[part.joint], part.coordinate)
    to = {part.to: 1.0} if isinstance(part.to, str) else part.to
    others, scales = {}, []
    for key, value in to.items():
        joint, _, coordinate = key.rpartition(".")
        new, c1 = factor(model[joint], coordinate)
        others[f"{joint}.{new}"] = c / c1 * value
        scales.append(c1)
    if part.function is None:
        return replace(part, coordinate=name, offset=c * part.offset, to=others)
    return replace(part, coordinate=name, offset=c * part.offset, to=next(iter(others)),
                   function=scaled_law(part.function, c, scales[0]), derivative_step=abs(scales[0]) * part.derivative_step)


def with_points(model, move):
    """Return the model with the places and mass properties of every rigid body, `move(name)` -> (R, p): u becomes R u + p."""
    def moved(name, points):
        R, p = move(name)
        return {n: dal.Frame(R @ f.position + p, R @ f.rotation) for n, f in points.items()}

    new = model.replaced(ground=moved("ground", model.ground))
    for body in model.bodies:
        R, p = move(body.name)
        new = new.replaced(body.name, com=R @ body.com + p, inertia=R @ body.inertia @ R.T,
                           points=moved(body.name, body.points))
    return new
