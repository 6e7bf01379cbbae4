"""Robots in MuJoCo's format (MJCF): bodies become bodies, joints become joints, equalities close loops.

A body's frame is MuJoCo's.  A body with several joints hangs on a chain of massless bodies, one joint each.  Coordinates
are zero in the drawn pose: MuJoCo's `ref` is taken off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, near_names
from ..model.check import find_faults
from ..model.constraints import CoordinateCoupling, Gear
from ..model.model import Model
from ..model.parts import Bushing, Fixed, Free, Joint, JointSpring, Motion, Motor, Prismatic, Revolute, Spherical
from ..model.yaml_tree import TextFaults
from .mjcf_bodies import Made
from .mjcf_drawings import geom_drawing
from .mjcf_masses import NO_MASS, Mass, bounded, geom_mass, joined, read_inertial
from .mjcf_meshes import mesh_name
from .mjcf_springs import directions, inverse_weights, sized
from .mjcf_values import AT_ORIGIN, Pose, Settings, matrix_of_quaternion, pose_of, read_included, read_settings
from .part_names import PartNames
from .xml_lines import Element, line_of, numbers

_KINDS: dict[str, type[Joint]] = {"hinge": Revolute, "slide": Prismatic, "ball": Spherical, "free": Free}
_NOT_READ = ("composite", "flexcomp", "replicate", "attach", "plugin")
_EQUALITIES = ("connect", "weld", "joint", "tendon")
_SECTIONS = ("contact", "tendon", "sensor", "keyframe", "deformable", "extension")


def read_mjcf(path: str | PathLike[str], *, limits: bool = False) -> Model:
    """Read a robot in MuJoCo's format.

    Parameters
    ----------
    path : str or path
        ``<mujoco>``; files it includes are read too.
    limits : bool
        Whether limits and dry friction of hinges and slides act.

    Returns
    -------
    Model
        Its `notes` say what was left out: contacts, actuators, tendons, and limits and dry friction unless asked for.
        ``connect`` becomes a `Spherical`, ``weld`` a `Fixed` joint that closes a loop, ``joint`` a `Gear`, ``tendon`` between
        fixed tendons a `Gear` or `CoordinateCoupling`.  Coordinates count from the drawn pose, so that ``ref`` is taken off
        them.  A ``motor`` on a joint becomes a `Motor` without effort.  Geoms become the bodies' `drawing`.

    Raises
    ------
    FormatError
        If the file is no MJCF, or says what cannot be read: file, line, found, expected.
    ModelError
        If the robot cannot exist, such as an inertia with a negative principal moment.
    """
    root = read_included(Path(path))
    reader = _Reader(root, read_settings(root, Path(path).parent), TextFaults(fspath(path)), limits)
    for world in root.all("worldbody"):
        reader.read_body(world, None, AT_ORIGIN, "main")
    reader.size_springs()
    reader.read_tendons(root)
    for section in root.all("equality"):
        for element in section.children:
            reader.read_equality(element)
    model = reader.model(root)
    find_faults(model, reader.faults)
    if reader.faults:
        raise ModelError(reader.faults.in_order(), model.name)
    return model


class _Reader:
    """Collects the parts of one model."""

    def __init__(self, root: Element, settings: Settings, faults: TextFaults, limits: bool):
        self.settings, self.faults, self.names, self.limits = settings, faults, PartNames(()), limits
        self.ground = Made("ground", AT_ORIGIN, NO_MASS)
        self.bodies: list[Made] = []
        self.parts: list[Any] = []
        self.notes: list[str] = []
        self.said = {"world": self.ground}
        self.sites: dict[str, tuple[Made, Pose]] = {}
        self.joints: dict[str, Joint] = {}
        self.meshes: dict[str, Element] = {}
        self.to_size: list[tuple[Element, str, Joint, Made, float, float]] = []
        self.tendons: dict[str, dict[str, float]] = {}
        self.mesh_masses: dict[str, Mass] = {}
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                mesh = settings.complete(mesh, "main")
                self.meshes[mesh_name(mesh)] = mesh

    def read_body(self, element: Element, parent: Made | None, pose: Pose, childclass: str) -> None:
        """Read a body at a pose in its parent, its joints and all bodies below."""
        content = list(self._content(element, AT_ORIGIN, element.attributes.get("childclass", childclass)))
        if parent is None:
            body = self.ground
        else:
            said = element.attributes.get("name")
            if said in self.said:
                raise element.fail(f"the name {said!r} a second time", "one name per body")
            body = Made(self.names.new(said or f"body_{len(self.bodies) + 1}"), parent.world.then(pose),
                         self._mass(element, content))
            self.said[said or body.name] = body
            self.faults.lines[f"bodies.{body.name}"] = line_of(element)
            for geom, at, _ in content:
                if geom.tag == "geom":
                    drawn = geom_drawing(geom, at, self.settings, self.meshes)
                    body.drawing += [] if drawn is None else [drawn]
            self._hang(element, [(e, at) for e, at, _ in content if e.tag in ("joint", "freejoint")], parent, body, pose)
            self.bodies.append(body)
            if element.attributes.get("mocap", "false") == "true":
                self.notes.append(f"body {body.name!r}: it is moved from outside in MuJoCo and fixed here")
            if numbers(element, "gravcomp", (0.0,))[0]:
                self.notes.append(f"body {body.name!r}: its gravity compensation is left out")
        for child, at, inherited in content:
            if child.tag == "body":
                self.read_body(child, body, at.then(pose_of(child, self.settings)), inherited)
            elif child.tag == "site":
                self.sites[child.attributes.get("name", "")] = body, at.then(pose_of(child, self.settings))

    def _content(self, element: Element, at: Pose, childclass: str) -> Iterator[tuple[Element, Pose, str]]:
        """Return what a body holds, with the pose of its frame and the class that its children inherit."""
        for child in element.children:
            if child.tag in _NOT_READ:
                raise child.fail(f"<{child.tag}>", "plain bodies; load the file in MuJoCo and save it with mj_saveLastXML")
            if child.tag == "frame":
                inner = at.then(pose_of(child, self.settings))
                yield from self._content(child, inner, child.attributes.get("childclass", childclass))
            elif child.tag == "body":
                yield child, at, childclass
            else:
                yield self.settings.complete(child, childclass), at, childclass

    def _mass(self, element: Element, content: list[tuple[Element, Pose, str]]) -> Mass:
        mode = self.settings.word("inertiafromgeom", "auto")
        if mode not in ("auto", "true", "false"):
            raise self.settings.compiler.fail(f'inertiafromgeom="{mode}"', "auto, true or false")
        inertial = element.one("inertial")
        if mode == "false" or (mode == "auto" and inertial is not None):
            mass = NO_MASS if inertial is None else read_inertial(inertial, self.settings)
        else:
            mass = joined([geom_mass(e, self.settings, self.meshes, self.mesh_masses).placed(at)
                           for e, at, _ in content if e.tag == "geom"])
        return bounded(mass, self.settings)

    def _hang(self, element: Element, joints: list[tuple[Element, Pose]], parent: Made, body: Made, pose: Pose) -> None:
        """Join a body to its parent: welded, by one joint, or by a chain with massless bodies between."""
        if not joints:
            body.above, name = parent, self.names.new(f"{body.name}_weld")
            self._add(element, Fixed(name, parent.at(name, pose), body.name))
        above, place = parent, pose
        for i, (joint, at) in enumerate(joints):
            below = body
            if i < len(joints) - 1:
                below = Made(self.names.new(f"{body.name}_{i + 1}"), body.world, NO_MASS)
                self.bodies.append(below)
            self._joint(joint, at, above, place, below)
            above, place = below, AT_ORIGIN

    def _joint(self, element: Element, at: Pose, above: Made, place: Pose, below: Made) -> None:
        said = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        if said not in _KINDS:
            raise element.fail(f"the type {said!r}", f"a type of joint.{near_names(said, _KINDS)}")
        original = element.attributes.get("name")
        if original is not None and original in self.joints:
            raise element.fail(f"the name {original!r} a second time", "one name per joint")
        name = self.names.new(original or f"{below.name}_joint", "_joint")
        rotor, pose, axis = numbers(element, "armature", (0.0,))[0], below.world, np.zeros(3)
        if said == "free":
            q = _quaternion(place.rotation)
            joint: Joint = Free(name, "ground", below.name, start=(*place.position.tolist(), *q), armature=rotor)
        else:
            anchor = Pose(at.then(Pose(np.array(numbers(element, "pos", (0.0,) * 3)), np.eye(3))).position, np.eye(3))
            first, second = above.at(name, place.then(anchor)), below.at(name, anchor)
            more: dict[str, Any] = {"armature": rotor}
            if said != "ball":
                axis = at.rotation @ numbers(element, "axis", (0.0, 0.0, 1.0))
                if not np.any(axis):
                    raise element.fail("a zero axis", "a direction")
                more["axis"] = tuple(axis.tolist())
                axis = below.world.rotation @ axis / np.linalg.norm(axis)
            pose = below.world.then(anchor)
            if self.limits and said in ("hinge", "slide"):
                more |= self._resistance(element, said)
            joint = _KINDS[said](name, first, second, **more)
        self._add(element, joint)
        self.joints[original or name] = joint
        below.above, below.rates = None if said == "free" else above, directions(said, pose, axis)
        below.rotors = [rotor] * len(below.rates)
        self._joint_forces(element, said, joint, below)
        if not (self.limits and said in ("hinge", "slide")):
            self._left_out(element, name)

    def _joint_forces(self, element: Element, said: str, joint: Joint, body: Made) -> None:
        k, c, rest, ref = (numbers(element, key, (0.0,))[0] for key in ("stiffness", "damping", "springref", "ref"))
        off = self.settings.disabled
        k, c = 0.0 if off & {"passive", "spring"} else k, 0.0 if off & {"passive", "damper"} else c
        time, ratio = numbers(element, "springdamper", (0.0, 0.0))
        if time > 0.0 and ratio > 0.0:
            attributes = {key: value for key, value in element.attributes.items() if key != "springdamper"}
            self.to_size.append((replace(element, attributes=attributes), said, joint, body, time, ratio))
            return
        if not k and not c:
            return
        name = self.names.new(f"{joint.name}_spring" if k else f"{joint.name}_damping")
        if said in ("hinge", "slide"):
            shift = rest - ref
            shift = self.settings.angle(shift) if said == "hinge" else shift
            self.parts.append(JointSpring(name, joint.name, stiffness=k, damping=c, rest=shift if k else 0.0))
        elif said == "ball":
            self.parts.append(Bushing(name, joint.first, joint.second, turning_stiffness=k, turning_damping=c))
        else:
            drawn = self.ground.at(name, body.world)
            self.parts.append(Bushing(name, drawn, joint.second, stiffness=k, damping=c, turning_stiffness=k,
                                      turning_damping=c))

    def size_springs(self) -> None:
        """Add the springs and dampers that follow from what their joints carry."""
        weights = inverse_weights(self.bodies) if self.to_size else {}
        for element, said, joint, body, time, ratio in self.to_size:
            k, c = sized(time, ratio, weights[body.name])
            attributes = {**element.attributes, "stiffness": repr(k), "damping": repr(c)}
            self._joint_forces(replace(element, attributes=attributes), said, joint, body)

    def _is_limited(self, element: Element) -> bool:
        limited = element.attributes.get("limited", "auto")
        return limited == "true" or (limited == "auto" and "range" in element.attributes
                                     and self.settings.flag("autolimits", "true"))

    def _resistance(self, element: Element, said: str) -> dict[str, Any]:
        """Return limits, counted from the drawn pose, and friction of a hinge or slide."""
        found: dict[str, Any] = {}
        friction, ref = (numbers(element, key, (0.0,))[0] for key in ("frictionloss", "ref"))
        if friction and "frictionloss" not in self.settings.disabled:
            found["friction"] = friction
        low, high = numbers(element, "range", (0.0, 0.0))
        if self._is_limited(element) and low < high and "limit" not in self.settings.disabled:
            turn = self.settings.angle if said == "hinge" else float
            found["limits"] = (turn(low - ref), turn(high - ref))
        return found

    def _left_out(self, element: Element, name: str) -> None:
        if numbers(element, "frictionloss", (0.0,))[0]:
            self.notes.append(f"joint {name!r}: its dry friction is left out")
        if self._is_limited(element):
            self.notes.append(f"joint {name!r}: its limits {element.attributes.get('range', '')} are not enforced")

    def _add(self, element: Element, joint: Joint) -> None:
        self.faults.lines[f"joints.{joint.name}"] = line_of(element)
        self.parts.append(joint)

    def read_tendons(self, root: Element) -> None:
        """Keep what tendons are sums of; those that run through space are sums of nothing."""
        for section in root.all("tendon"):
            for element in section.children:
                terms: dict[str, float] = {}
                for joint in element.all("joint") if element.tag == "fixed" else ():
                    name = self._known(joint, "joint", self.joints).name
                    terms[name] = terms.get(name, 0.0) + numbers(joint, "coef", (0.0,))[0]
                self.tendons[element.attributes.get("name", "")] = {name: c for name, c in terms.items() if c}

    def read_equality(self, element: Element) -> None:
        """Read an equality: a joint that closes a loop, or a gear."""
        element = self.settings.complete(element, "main")
        name = self.names.new(element.attributes.get("name") or f"{element.tag}_{line_of(element)}", "_equality")
        off = element.attributes.get("active", "true") != "true" or self.settings.disabled & {"equality", "constraint"}
        if off or element.tag not in _EQUALITIES:
            what = "it is not active" if element.tag in _EQUALITIES else f"<{element.tag}> is not read"
            self.notes.append(f"equality {name!r} is left out: {what}")
        elif element.tag in ("joint", "tendon"):
            self._follow(element, name)
        else:
            kind = Spherical if element.tag == "connect" else Fixed
            self._add(element, kind(name, *self._ends(element, name), cut=True))

    def _ends(self, element: Element, name: str) -> tuple[str, str]:
        """Return the two places that an equality holds together."""
        if "site1" in element.attributes:
            (first, at), (second, other) = (self._known(element, key, self.sites) for key in ("site1", "site2"))
            return first.at(name, at), second.at(name, other)
        first = self._known(element, "body1", self.said)
        second = self._known(element, "body2", self.said) if "body2" in element.attributes else self.ground
        if element.tag == "connect":
            element.need("anchor")
            at = Pose(np.array(numbers(element, "anchor", (0.0,) * 3)), np.eye(3))
            return first.at(name, at), second.at(name, second.world.inverse().then(first.world.then(at)))
        values = numbers(element, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        size = float(np.linalg.norm(values[3:]))
        at = first.world.inverse().then(second.world) if size == 0.0 else Pose(
            np.array(values[:3]), matrix_of_quaternion(np.array(values[3:]) / size))
        return first.at(name, at), second.name

    def _known(self, element: Element, key: str, known: dict[str, Any]) -> Any:
        said = element.need(key)
        if said not in known:
            raise element.fail(f'{key}="{said}"', f"one that the model has.{near_names(said, known)}")
        return known[said]

    def _follow(self, element: Element, name: str) -> None:
        """Make a joint follow another one, or a fixed tendon another one: y = a0 + a1 x, counted from the drawn pose.

        The length of a fixed tendon is a sum of joint coordinates with factors.
        """
        known, kind = (self.joints, "joint") if element.tag == "joint" else (self.tendons, "tendon")
        own, other = ({} if f"{kind}{i}" not in element.attributes and i == 2 else self._known(element, f"{kind}{i}", known)
                      for i in (1, 2))
        own, other = ({each.name: 1.0} if isinstance(each, Joint) else each for each in (own, other))
        said = element.attributes.get("polycoef", "0 1 0 0 0").split()
        filled = Element(element.tag, {"polycoef": " ".join(said + ["0"] * (5 - len(said)))}, element.place)
        a0, a1, *higher = numbers(filled, "polycoef", (0.0,) * 5)
        sizes = {joint.name: len(joint.coordinates) for joint in self.joints.values()}
        for joint in (*own, *other):
            if sizes[joint] != 1:
                raise element.fail(f"the joint {joint!r}", "joints of type hinge or slide")
        if not own or (other and any(higher)):
            what = "its polynomial is not linear" if own else "its tendon is not a sum of joint coordinates"
            self.notes.append(f"equality {name!r} is left out: {what}")
            return
        dependent, factor = next(iter(own.items()))
        to = {joint: -c / factor for joint, c in own.items() if joint != dependent}
        for joint, c in other.items():
            to[joint] = to.get(joint, 0.0) + a1 * c / factor
        to = {joint: c for joint, c in to.items() if c}
        if not to:
            self.parts.append(Motion(name, dependent, position=a0 / factor))
        elif len(to) == 1 and dependent not in to:
            (joint, ratio), = to.items()
            self.parts.append(Gear(name, joint, dependent, ratio, a0 / factor))
        else:
            self.parts.append(CoordinateCoupling(name, dependent, to, a0 / factor))

    def _actuator(self, element: Element) -> None:
        """Make a motor on a joint a `Motor` that is at rest; report all others."""
        name, joint = element.attributes.get("name", element.tag), self.joints.get(element.attributes.get("joint", ""))
        if element.tag == "motor" and joint is not None and len(joint.coordinates) == 1:
            gear = element.attributes.get("gear", "1").split()[0]
            motor = Motor(self.names.new(name, "_motor"), joint.name)
            self.parts.append(motor)
            self.notes.append(f"motor {motor.name!r} is at rest: its control, times {gear}, is the effort to be given")
        else:
            self.notes.append(f"actuator {name!r} ({element.tag}) is left out; a Motor drives a joint")

    def model(self, root: Element) -> Model:
        """Return the model, with notes on what was left out."""
        total = numbers(self.settings.compiler, "settotalmass", (-1.0,))[0]
        sum_ = sum(made.mass.mass for made in self.bodies)
        factor = total / sum_ if total > 0.0 and sum_ > 0.0 else 1.0
        gravity = (0.0, 0.0, -9.81)
        for option in root.all("option"):
            x, y, z = numbers(option, "gravity", gravity)
            gravity = (x, y, z)
            self.notes += [f"option: the forces of a medium ({key}) are left out" for key in ("density", "viscosity")
                           if numbers(option, key, (0.0,))[0]]
        for section in root.all("actuator"):
            for element in section.children:
                self._actuator(self.settings.complete(element, "main"))
        if "gravity" in self.settings.disabled:
            gravity = (0.0, 0.0, 0.0)
        bodies = [made.body(factor) for made in self.bodies]
        model = Model(root.attributes.get("model", "").strip() or "MuJoCo model", gravity=gravity,
                      ground=self.ground.points).add(*bodies, *self.parts)
        self.notes += [f"<{e.tag}> ({len(e.children)}) is left out" for e in root.children
                       if e.tag in _SECTIONS and e.children]
        model.notes = (*self.notes, "contacts between geoms are left out")
        return model


def _quaternion(turn: np.ndarray) -> tuple[float, ...]:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix."""
    t = np.trace(turn)
    square = np.array([t, *(2 * np.diag(turn) - t)]) + 1.0
    i = int(np.argmax(square))
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    q = np.empty(4)
    q[0] = square[0] if i == 0 else skew[i - 1]
    q[1:] = skew if i == 0 else (turn + turn.T)[i - 1]
    if i:
        q[i] = square[i]
    return tuple((q / np.linalg.norm(q)).tolist())
