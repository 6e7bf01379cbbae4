"""The same mechanism seen in a mirror, or in other units; see transformations.py."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from invariance.plainly import law_of_point, plain, scaled_law, with_factors
from invariance.transformations import SLIDES, Change
from random_models import start_value

import dalembert as dal
from dalembert.model import constraints as con
from dalembert.model import parts
from dalembert.model.guesses import Guess

MIRROR = np.diag([1.0, -1.0, 1.0])
"""Keeps x, the direction of beams, and z, from which planar joints derive their directions."""


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
