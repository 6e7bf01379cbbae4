"""The same mechanism written down in another way, and what is seen of it translated back.

    change = Turned(A)
    other = change.write(model)
    seen = change.back(observe(dal.run(other, ...), other), other)

`seen` maps ("coordinates", joint), ("rates", joint), ("force", joint), ("torque", joint), ("effort", motion), "kinetic",
"potential", "t" to arrays; `back` makes of what was seen of the new model what is to be seen of the old one.  Every change
begins with `plain` (plainly.py), so that only places, axes and laws are left to change.  Joints with exchanged ends are in
exchanged.py, mirrored mechanisms and other units in scaled.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from invariance.plainly import law_of_point, plain, scaled_law, with_points
from random_models import random_rotation, start_value

import dalembert as dal
from dalembert.model import laws
from dalembert.model.check import check

SLIDES = ("displacement", "x", "y", "z")


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
