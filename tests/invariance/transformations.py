"""The same mechanism written down in another way, and what is seen of it translated back.

    change = Turned(A)
    other = change.write(model)
    seen = change.back(observe(dal.run(other, ...), other), other)

`seen` maps ("coordinates", joint), ("rates", joint), ("force", joint), ("torque", joint), ("effort", motion), "kinetic",
"potential", "t" to arrays; `back` makes of what was seen of the new model what is to be seen of the old one.  Every change
begins with `plain`: all numbers said, all attachments named places, so that only places, axes and laws are left to change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
from brute_motion import rotation_about, sandwich, shortest_rotation
from random_models import random_rotation, start_value

import dalembert as dal
from dalembert.model import constraints as con
from dalembert.model import laws, parts
from dalembert.model.check import check
from dalembert.model.guesses import Guess

ORIGIN = "own origin"
"""Name of the place where a body's old origin is."""
SLIDES = ("displacement", "x", "y", "z")
MIRROR = np.diag([1.0, -1.0, 1.0])
"""Keeps x, the direction of beams, and z, from which planar joints derive their directions."""


# --- models said plainly --------------------------------------------------------------------------------------------

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


# --- what is seen ---------------------------------------------------------------------------------------------------

def observe(results, model):
    """Return what is compared of a run of the model."""
    seen = {"t": results.t, "kinetic": results["energy.kinetic"], "potential": results["energy.potential"]}
    checked = check(model)
    rows = {j.name: j for j in checked.joints}
    for joint in model.joints:
        for quantity in ("coordinates", "rates") if joint.coordinates else ():
            values = results[f"{joint.name}.{quantity}"]
            seen[quantity, joint.name] = values.reshape(len(values), -1)
        for quantity in ("force", "torque"):
            seen[quantity, joint.name] = results[f"{joint.name}.{quantity}"]
        row = rows[joint.name]
        first, second = (_place_of(results, checked, place) for place in (row.first, row.second))
        seen["arm", joint.name] = second - first
    for motion in model.motions:
        seen["effort", motion.name] = results[f"{motion.name}.effort"]
    return seen


def _place_of(results, checked, place):
    """Position (nf, 3) of an attachment in the world."""
    if place.body == 0:
        return np.tile(place.position, (len(results.t), 1))
    name = checked.bodies[place.body].name
    return results[f"{name}.position"] + results[f"{name}.rotation"] @ place.position


# --- changes --------------------------------------------------------------------------------------------------------

class Change:
    """Another way to write a model down; here, only plainly."""

    rounding = 0.0
    """Digits that places lose, relative to the mechanism's length."""
    given = False
    """True if the model has to say its whole state."""

    def write(self, model):
        """Return the other model."""
        return plain(model)

    def back(self, seen, model):
        """Return what is seen of the old model, from what is seen of the new one; `model` is the old one."""
        return seen

    def until(self, until):
        """Return a time of the new model."""
        return until


@dataclass
class Turned(Change):
    """The world turned by A together with gravity, or the mechanism in a standing world."""

    A: np.ndarray

    def write(self, model):
        model, A = plain(model), self.A
        new = with_points(model, lambda name: (A if name == "ground" else np.eye(3), np.zeros(3)))
        new = new.replaced(gravity=A @ model.gravity)
        for part in model.forces:
            if isinstance(part, (dal.Force, dal.Torque)):
                law = law_of_point(part.magnitude, 1.0, 1.0, A.T, np.zeros(3)) if isinstance(part, dal.Force) else None
                turned = part.direction if part.follow else A @ part.direction
                new = new.replaced(part.name, direction=turned, magnitude=law or part.magnitude)
        return new

    def back(self, seen, model):
        return {k: v @ self.A if k[0] in ("force", "torque", "arm") else v for k, v in seen.items()}


@dataclass
class Moved(Change):
    """Everything a distance (3,) away from the origin."""

    distance: np.ndarray
    length: float = 1.0

    @property
    def rounding(self):
        return np.finfo(float).eps * np.linalg.norm(self.distance) / self.length

    def write(self, model):
        model, d = plain(model), np.asarray(self.distance, float)
        new = with_points(model, lambda name: (np.eye(3), d if name == "ground" else np.zeros(3)))
        for part in model.forces:
            if isinstance(part, dal.Force):
                law = law_of_point(part.magnitude, 1.0, 1.0, np.eye(3), d)
                if law is None and depends_on_place(part.magnitude) and part.follow:
                    raise TypeError(f"{part.name}: a following force cannot tell how far it was moved")
                new = new.replaced(part.name, magnitude=law or scaled_law(part.magnitude, shift=d @ part.direction))
        return new


def depends_on_place(law):
    """Tell whether a force's law asks for the place of its point."""
    function = getattr(law, "function", law)
    return callable(function) and (laws.argument_count(function) or 1) > 1


@dataclass
class Reframed(Change):
    """Other axes and origins of the rigid bodies: `frames` maps names to (R, p), u becomes R u + p."""

    frames: dict

    def write(self, model):
        none = np.eye(3), np.zeros(3)
        return with_points(plain(model), lambda name: self.frames.get(name, none))


@dataclass
class Ordered(Change):
    """The parts in another order."""

    seed: int

    def write(self, model):
        model, rng = plain(model), np.random.default_rng(self.seed)
        each = list(model)
        return model.without(*(p.name for p in model)).add(*(each[k] for k in rng.permutation(len(each))))


@dataclass
class Renamed(Change):
    """Other names, in another alphabetical order."""

    def _name(self, name):
        return name if name == "ground" else "".join(chr(219 - ord(c)) if "a" <= c <= "z" else c for c in name) + "'"

    def _place(self, text):
        body, dot, point = text.partition(".")
        return self._name(body) + dot + point

    def write(self, model):
        model = plain(model)
        out = model.without(*(p.name for p in model))
        for part in model:
            said = {"name": self._name(part.name)}
            for f in ("first", "second", "at"):
                if hasattr(part, f):
                    said[f] = self._place(getattr(part, f))
            if hasattr(part, "joint"):
                said["joint"] = self._name(part.joint)
            if isinstance(part, dal.CoordinateCoupling):
                said["to"] = (self._place(part.to) if isinstance(part.to, str) else
                              {self._place(k): v for k, v in part.to.items()})
            out.add(replace(part, **said))
        return out

    def back(self, seen, model):
        old = {self._name(p.name): p.name for p in model}
        return {(k[0], old[k[1]]) if isinstance(k, tuple) else k: v for k, v in seen.items()}


@dataclass
class Cut(Change):
    """Another joint closes its loop; the state is said by the joints of the new tree."""

    joint: str
    given = True

    def write(self, model):
        return plain(model).replaced(self.joint, cut=True, start=None, start_rate=None)


@dataclass
class Exchanged(Change):
    """First and second of these joints, of spring-dampers and of distances exchanged."""

    joints: frozenset
    given = True

    def write(self, model):
        model = plain(model)
        out = with_factors(model, self._factor)
        for joint in model.joints:
            if joint.name in self.joints:
                out = out.replaced(joint.name, **_inverse_fields(joint))
        for part in (*model.forces, *model.constraints):
            if isinstance(part, (dal.SpringDamper, dal.Distance)):
                out = out.replaced(part.name, first=part.second, second=part.first)
        return out

    def _factor(self, joint, coordinate):
        if joint.name not in self.joints:
            return coordinate, 1.0
        if isinstance(joint, dal.Universal):
            return {"angle1": "angle2", "angle2": "angle1"}[coordinate], -1.0
        return coordinate, -1.0

    def back(self, seen, model):
        seen = dict(seen)
        for motion in model.motions:
            seen["effort", motion.name] = seen["effort", motion.name] * self._factor(model[motion.joint], "angle1")[1]
        for name in self.joints:
            joint, f, arm = plain(model)[name], seen["force", name], seen["arm", name]
            # the load on the other body, about the other attachment
            seen["force", name], seen["arm", name] = -f, -arm
            seen["torque", name] = -seen["torque", name] - np.cross(arm, f)
            if joint.coordinates:
                q, u = seen["coordinates", name], seen["rates", name]
                back = replace(joint, **_inverse_axes(joint))
                both = [inverse_state(back, a, b) for a, b in zip(q, u, strict=True)]
                seen["coordinates", name], seen["rates", name] = (np.array(each) for each in zip(*both, strict=True))
        return seen


def exchangeable(model):
    """Names of the joints whose first and second may be exchanged: no element acts on a slide that would turn with them."""
    model = plain(model)
    acted = [(p.joint, p.coordinate) for p in (*model.forces, *model.motions) if hasattr(p, "joint")]
    for c in model.constraints:
        if isinstance(c, dal.Gear):
            acted += [(c.first, c.first_coordinate), (c.second, c.second_coordinate)]
        elif isinstance(c, dal.CoordinateCoupling):
            to = [c.to] if isinstance(c.to, str) else list(c.to)
            acted += [(c.joint, c.coordinate), *(tuple(key.rpartition(".")[::2]) for key in to)]
    fixed = {j for j, c in acted if isinstance(model[j], (dal.Planar, dal.Free)) and c in SLIDES}
    return [j.name for j in model.joints if j.name not in fixed]


def _inverse_axes(joint):
    return {"axis1": joint.axis2, "axis2": joint.axis1} if isinstance(joint, dal.Universal) else {}


def _inverse_fields(joint):
    """Fields of the joint from second to first, with the start of the inverse motion."""
    said = {"first": joint.second, "second": joint.first, **_inverse_axes(joint)}
    if joint.start is None:
        return said
    guessed = isinstance(joint.start, Guess)
    q = np.atleast_1d(joint.start.value if guessed else joint.start)
    u = np.zeros(_rates(joint)) if joint.start_rate is None else np.atleast_1d(joint.start_rate)
    q, u = inverse_state(joint, q, u)
    said["start"] = dal.guess(start_value(q)) if guessed else start_value(q)
    if joint.start_rate is not None:
        said["start_rate"] = start_value(u)
    return said


def _rates(joint):
    return len(joint.coordinates) - isinstance(joint, (dal.Spherical, dal.Free))


def quaternion_inverse(e):
    """Return the quaternion of the inverse rotation."""
    return np.array([e[0], -e[1], -e[2], -e[3]])


def inverse_state(joint, q, u):
    """Return coordinates and rates of the inverse motion of a joint, which its exchanged twin has."""
    if isinstance(joint, dal.Universal):
        return -q[::-1], -u[::-1]
    if isinstance(joint, dal.Spherical):
        return quaternion_inverse(q), -sandwich(q, q).T @ u
    if isinstance(joint, dal.Free):
        R, w = sandwich(q[3:], q[3:]), u[3:]
        return (np.concatenate([-R.T @ q[:3], quaternion_inverse(q[3:])]),
                np.concatenate([R.T @ (np.cross(w, q[:3]) - u[:3]), -R.T @ w]))
    if isinstance(joint, dal.Planar):
        n = np.asarray(joint.axis, float)
        C = shortest_rotation(n)
        R, r, v, w = rotation_about(n, q[2]), C @ (q[0], q[1], 0), C @ (u[0], u[1], 0), u[2] * n
        back, speed = C.T @ (-R.T @ r), C.T @ (R.T @ (np.cross(w, r) - v))
        return np.array([back[0], back[1], -q[2]]), np.array([speed[0], speed[1], -u[2]])
    return -q, -u


@dataclass
class Mirrored(Change):
    """The mechanism in a mirror: every vector in every frame has the opposite y, turning goes the other way."""

    def write(self, model):
        model, S = plain(model), MIRROR
        if any(isinstance(f, dal.FlexibleBody) for f in model.flexible):
            raise TypeError("reduced bodies have no mirror image")

        def moved(points):
            return {n: dal.Frame(S @ f.position, S @ f.rotation @ S) for n, f in points.items()}

        out = with_factors(model, self._factor).replaced(gravity=S @ model.gravity, ground=moved(model.ground))
        for part in model:
            said = {}
            if isinstance(part, dal.Body):
                said = {"com": S @ part.com, "inertia": S @ part.inertia @ S, "points": moved(part.points)}
            elif isinstance(part, parts.Joint):
                said = self._joint(part)
            elif isinstance(part, (dal.Force, dal.Torque)):
                law = law_of_point(part.magnitude, 1.0, 1.0, S, np.zeros(3)) if isinstance(part, dal.Force) else None
                sign = 1.0 if isinstance(part, dal.Force) else -1.0
                said = {"direction": sign * S @ part.direction, "magnitude": law or part.magnitude}
            elif isinstance(part, con.CONSTRAINTS):
                said = {f: S @ getattr(part, f) for f in ("axis", "normal") if getattr(part, f, None) is not None}
            out = out.replaced(part.name, **said) if said else out
        return out

    def _joint(self, joint):
        said, S = {}, MIRROR
        for f in ("axis", "axis1", "axis2"):
            if hasattr(joint, f):
                along = isinstance(joint, (dal.Prismatic, dal.Cylindrical, dal.Planar))
                said[f] = (1.0 if along else -1.0) * S @ getattr(joint, f)
        if isinstance(joint, dal.Screw):
            said["pitch"] = -joint.pitch
        return {**said, **_scaled_start(joint, *self._signs(joint))}

    @staticmethod
    def _signs(joint):
        turn = [-1.0, 1.0, -1.0]
        quaternion = [1.0, *turn]
        slide = [1.0, -1.0, 1.0]
        known = {dal.Cylindrical: ([-1.0, 1.0],) * 2, dal.Planar: ([1.0, -1.0, -1.0],) * 2, dal.Spherical: (quaternion, turn),
                 dal.Free: (slide + quaternion, slide + turn)}
        n = len(joint.coordinates)
        return tuple(np.array(s) for s in known.get(type(joint), ([1.0] * n, [1.0] * n)))

    def _factor(self, joint, coordinate):
        return coordinate, float(self._signs(joint)[0][joint.coordinates.index(coordinate)])

    def back(self, seen, model):
        out = dict(seen)
        model = plain(model)
        for k, v in seen.items():
            if k[0] in ("force", "arm"):
                out[k] = v @ MIRROR
            elif k[0] == "torque":
                out[k] = -v @ MIRROR
            elif k[0] in ("coordinates", "rates"):
                out[k] = v * self._signs(model[k[1]])[k[0] == "rates"]
            elif k[0] == "effort":
                out[k] = v * self._factor(model[model[k[1]].joint], model[k[1]].coordinate)[1]
        return out


def _scaled_start(joint, q, u):
    """Start fields of a joint with factors q and u."""
    said = {}
    for name, factor in (("start", q), ("start_rate", u)):
        value = getattr(joint, name)
        if value is not None:
            guessed = isinstance(value, Guess)
            old = np.atleast_1d(value.value if guessed else value)
            new = start_value(old * factor[:len(old)])
            said[name] = dal.guess(new) if guessed else new
    return said


@dataclass
class InUnits(Change):
    """Numbers that are larger by these factors: in units of length, mass and time that are smaller by them."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def until(self, until):
        return until * self.time

    @property
    def energy(self):
        return self.mass * self.length**2 / self.time**2

    def write(self, model):
        model, (L, M, T) = plain(model), (self.length, self.mass, self.time)
        force, effort = M * L / T**2, self.energy

        def moved(points):
            return {n: dal.Frame(L * f.position, f.rotation) for n, f in points.items()}

        out = with_factors(model, self._factor, effort, T)
        out = out.replaced(gravity=L / T**2 * model.gravity, ground=moved(model.ground))
        for p in model:
            said = {}
            if isinstance(p, dal.Body):
                said = {"mass": M * p.mass, "com": L * p.com, "inertia": M * L**2 * p.inertia, "points": moved(p.points)}
            elif isinstance(p, parts.Joint):
                said = _scaled_start(p, *self._sizes(p)) | ({"pitch": L * p.pitch} if isinstance(p, dal.Screw) else {})
            elif isinstance(p, dal.SpringDamper):
                said = {"stiffness": force / L * p.stiffness, "damping": force * T / L * p.damping, "length": L * p.length,
                        "force": scaled_law(p.force, force, T, L, L / T)}
            elif isinstance(p, dal.Bushing):
                said = {"stiffness": force / L * p.stiffness, "damping": force * T / L * p.damping,
                        "turning_stiffness": effort * p.turning_stiffness, "turning_damping": effort * T * p.turning_damping}
            elif isinstance(p, dal.Force):
                law = law_of_point(p.magnitude, force, T, np.eye(3) / L, np.zeros(3))
                said = {"magnitude": law or scaled_law(p.magnitude, force, T, L, L / T)}
            elif isinstance(p, dal.Torque):
                said = {"magnitude": scaled_law(p.magnitude, effort, T, 1.0, 1.0 / T)}
            elif isinstance(p, dal.Distance):
                said = {"length": scaled_law(p.length, L, T), "derivative_step": T * p.derivative_step}
            elif isinstance(p, dal.PointOnPlane):
                said = {"offset": scaled_law(p.offset, L, T), "derivative_step": T * p.derivative_step}
            elif isinstance(p, dal.Rolling):
                said = {"radius": L * p.radius}
            elif isinstance(p, dal.Beam):
                said = self._beam(p)
            elif isinstance(p, dal.FlexibleBody):
                raise TypeError("reduced bodies are made in their units")
            out = out.replaced(p.name, **said) if said else out
        return out

    def _beam(self, beam):
        L, M, T = self.length, self.mass, self.time
        m, s = beam.material, beam.section
        power = {"diameter": 1, "outer": 1, "wall": 1, "height": 1, "width": 1, "area": 2, "iy": 4, "iz": 4, "torsion": 4}
        return {"length": L * beam.length, "points": {n: L * x for n, x in beam.points.items()},
                "material": replace(m, young=M / (L * T**2) * m.young, density=M / L**3 * m.density, damping=T * m.damping),
                "section": replace(s, **{f.name: L**power[f.name] * getattr(s, f.name) for f in fields(s) if f.name in power})}

    def _sizes(self, joint):
        q = np.array([self.length if c in SLIDES else 1.0 for c in joint.coordinates])
        u = np.delete(q, joint.coordinates.index("qw")) if "qw" in joint.coordinates else q
        return q, u / self.time

    def _factor(self, joint, coordinate):
        return coordinate, self.length if coordinate in SLIDES else 1.0

    def back(self, seen, model):
        out, force, model = {}, self.energy / self.length, plain(model)
        for k, v in seen.items():
            kind = k[0] if isinstance(k, tuple) else k
            if kind in ("coordinates", "rates"):
                out[k] = v / self._sizes(model[k[1]])[kind == "rates"]
            elif kind == "effort":
                motion = model[k[1]]
                out[k] = v / self.energy * self._factor(model[motion.joint], motion.coordinate)[1]
            else:
                out[k] = v / {"force": force, "torque": self.energy, "kinetic": self.energy, "potential": self.energy,
                              "t": self.time, "arm": self.length}[kind]
        return out


@dataclass
class Together(Change):
    """Several changes one after the other."""

    changes: list = field(default_factory=list)

    @property
    def rounding(self):
        return sum(c.rounding for c in self.changes)

    @property
    def given(self):
        return any(c.given for c in self.changes)

    def until(self, until):
        for change in self.changes:
            until = change.until(until)
        return until

    def write(self, model):
        for change in self.changes:
            model = change.write(model)
        return model

    def back(self, seen, model):
        models = [model]
        for change in self.changes[:-1]:
            models.append(change.write(models[-1]))
        for change, old in zip(reversed(self.changes), reversed(models), strict=True):
            seen = change.back(seen, old)
        return seen


def parts_of(change):
    """Return the single changes that a change is made of."""
    return change.changes if isinstance(change, Together) else [change]


def with_state(model, start):
    """Return the model with the whole state of an assembled `start` said by its joints."""
    model = plain(model)
    for joint in model.joints:
        if joint.coordinates:
            q, u = start[f"{joint.name}.coordinates"][0], start[f"{joint.name}.rates"][0]
            model = model.replaced(joint.name, start=start_value(np.atleast_1d(q)), start_rate=start_value(np.atleast_1d(u)))
    return model


def random_frames(model, rng, distance):
    """Other axes and origins, up to a distance away, of all rigid bodies."""
    return {b.name: (random_rotation(rng), rng.uniform(-distance, distance, 3)) for b in model.bodies}
