"""Robots in the Unified Robot Description Format (URDF): links become bodies, joints become joints.

A link's frame is the body's frame.  A joint's ``<origin>`` becomes a turned point of the parent, named after the
joint; the URDF axis is given in that frame, as here.  A joint that mimics another one is geared to it.
"""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..errors import ModelError, near_names
from ..model.check import find_faults
from ..model.constraints import Gear
from ..model.geometry import Drawing
from ..model.model import Model
from ..model.parts import Body, Fixed, Frame, Free, Joint, JointSpring, Motion, Planar, Prismatic, Revolute, Vector
from ..model.yaml_tree import TextFaults
from .part_names import PartNames
from .xml_lines import Element, line_of, numbers, read_xml

_KINDS: dict[str, type[Joint]] = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "fixed": Fixed,
                                  "floating": Free, "planar": Planar}
_ROUNDING = 1e-14
"""An inertia below this fraction of mass times distance of the centre squared is what rounding left of a point mass."""


def read_urdf(path: str | PathLike[str], *, floating_base: bool = False, gravity: Vector = (0.0, 0.0, -9.81),
              limits: bool = False) -> Model:
    """Read a URDF robot.

    Parameters
    ----------
    path : str or path
    floating_base : bool
        True if the root link moves freely; otherwise it is fixed to the ground.
    gravity : (3,) float
        World axes [m/s²].
    limits : bool
        Whether limits and dry friction of the joints act.

    Returns
    -------
    Model
        Its `notes` say what was left out: limits and friction unless asked for.  ``<visual>`` becomes the bodies' `drawing`.
        Links without ``<inertial>`` are massless bodies; a ``<mimic>`` becomes a `Gear` named after its joint with ``_mimic``
        appended.
        Dots in names become underscores; a joint that shares its name with a link gets ``_joint`` appended.

    Raises
    ------
    FormatError
        If the file is no URDF: file, line, found, expected.
    ModelError
        If the robot cannot exist, such as an inertia with a negative principal moment.
    """
    robot = read_xml(path)
    if robot.tag != "robot":
        raise robot.fail(f"the element <{robot.tag}> on top", "<robot>")
    _refuse_macros(robot)
    links = {link.need("name"): link for link in robot.all("link")}
    joints = list(robot.all("joint"))
    root = _root_of(robot, links, joints)
    names = PartNames(links)
    faults = TextFaults(fspath(path))
    points: dict[str, dict[str, Frame]] = {link: {} for link in links}
    parts: list[Joint | JointSpring | Gear | Motion] = []
    notes: list[str] = []
    base = Free if floating_base else Fixed
    parts.append(base(names.new(f"{names.of[root]}_base"), "ground", names.of[root]))
    made: dict[str, Joint] = {}
    for element in joints:
        joint, spring = _joint(element, names, points, limits)
        made[element.need("name")] = joint
        parts += [joint] if spring is None else [joint, spring]
        notes += [] if limits else _left_out(element, joint.name)
        faults.lines[f"joints.{joint.name}"] = line_of(element)
    for element in joints:
        mimic = element.one("mimic")
        if mimic is None:
            continue
        if element.attributes["type"] == "fixed":
            notes.append(f"joint {made[element.need('name')].name!r}: what it mimics is left out, as it is fixed")
        else:
            parts.append(_mimic(element, mimic, made, names))
    bodies = [_body(link, names.of[key], points[key]) for key, link in links.items()]
    faults.lines |= {f"bodies.{names.of[key]}": line_of(link) for key, link in links.items()}
    model = Model(robot.attributes.get("name", "robot").strip() or "robot", gravity=gravity).add(*bodies, *parts)
    model.notes = tuple(notes)
    find_faults(model, faults)
    if faults:
        raise ModelError(faults.in_order(), model.name)
    return model


def _refuse_macros(robot: Element) -> None:
    for child in robot.children:
        if child.tag.startswith("xacro:"):
            raise child.fail("a macro", "plain URDF; expand the file with the program xacro first")


def _root_of(robot: Element, links: dict[str, Element], joints: list[Element]) -> str:
    """Return the one link that is no child, after checking that the joints form a tree over known links."""
    if not links:
        raise robot.fail("no <link>", "at least one")
    if len(links) < sum(1 for _ in robot.all("link")):
        said = [link.need("name") for link in robot.all("link")]
        twice = next(e for i, e in enumerate(robot.all("link")) if e.need("name") in said[:i])
        raise twice.fail(f"the name {twice.need('name')!r} a second time", "one name per link")
    parents: dict[str, str] = {}
    for joint in joints:
        parent, child = _link_of(joint, "parent", links), _link_of(joint, "child", links)
        if child in parents:
            raise joint.fail(f"{child!r} as a child for the second time", "one parent per link, as URDF has no loops")
        parents[child] = parent
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        listed = ", ".join(map(repr, roots)) or "no link"
        raise robot.fail(f"{listed} without a parent", "exactly one root link, joined to all others")
    children: dict[str, list[str]] = {link: [] for link in links}
    for child, parent in parents.items():
        children[parent].append(child)
    reached = [roots[0]]
    for link in reached:
        reached += children[link]
    lost = sorted(links.keys() - set(reached))
    if lost:
        raise links[lost[0]].fail(f"a loop of joints around {lost[0]!r}", "a tree that begins at the root link")
    return roots[0]


def _link_of(joint: Element, side: str, links: Collection[str]) -> str:
    element = joint.one(side)
    if element is None:
        raise joint.fail(f"no <{side}>", f'<{side} link="...">')
    link = element.need("link")
    if link not in links:
        raise element.fail(f"the link {link!r}", f"a link of the robot.{near_names(link, links)}")
    return link


def _matrix_of_rpy(rpy: list[float]) -> np.ndarray:
    """Return the matrix of roll, pitch and yaw about the fixed axes x, y and z, in that order [rad]."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def _body(link: Element, name: str, points: dict[str, Frame]) -> Body:
    inertial, drawing = link.one("inertial"), _drawing(link)
    if inertial is None:
        return Body(name, points=points, drawing=drawing)
    mass = inertial.one("mass")
    if mass is None:
        raise inertial.fail("no <mass>", '<mass value="...">')
    mass.need("value")
    origin, moments = inertial.one("origin"), inertial.one("inertia")
    xx, xy, xz, yy, yz, zz = (numbers(moments, key, (0.0,))[0] for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    turn = _matrix_of_rpy(numbers(origin, "rpy", (0.0,) * 3))
    kg, com = numbers(mass, "value", (0.0,))[0], np.array(numbers(origin, "xyz", (0.0,) * 3))
    inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    if np.max(np.abs(inertia)) < _ROUNDING * kg * (com @ com):
        inertia = np.zeros((3, 3))
    return Body(name, mass=kg, com=tuple(com.tolist()), inertia=(0.5 * (inertia + inertia.T)).tolist(), points=points,
                drawing=drawing)


def _drawing(link: Element) -> tuple[Drawing, ...]:
    """Return what a link looks like: its ``<visual>``, or else its ``<collision>``."""
    found = []
    for element in (list(link.all("visual")) or list(link.all("collision"))):
        geometry, origin = element.one("geometry"), element.one("origin")
        for shape in geometry.children if geometry is not None else ():
            rpy = numbers(origin, "rpy", (0.0,) * 3)
            place: dict[str, Any] = {"position": tuple(numbers(origin, "xyz", (0.0,) * 3)),
                              "rotation": _matrix_of_rpy(rpy).tolist() if any(rpy) else None}
            if shape.tag == "mesh":
                size = tuple(numbers(shape, "scale", (1.0,) * 3))
                found.append(Drawing("mesh", size, file=shape.need("filename"), **place))
            elif shape.tag == "box":
                shape.need("size")
                found.append(Drawing("box", tuple(numbers(shape, "size", (0.0,) * 3)), **place))
            elif shape.tag in ("sphere", "cylinder", "capsule"):
                keys = ("radius",) if shape.tag == "sphere" else ("radius", "length")
                for key in keys:
                    shape.need(key)
                found.append(Drawing(shape.tag, tuple(numbers(shape, key, (0.0,))[0] for key in keys), **place))
    return tuple(each for each in found if each.kind == "mesh" or all(x > 0 for x in each.size))


def _joint(element: Element, names: PartNames, points: dict[str, dict[str, Frame]], limits: bool
           ) -> tuple[Joint, JointSpring | None]:
    """Return a joint and its damper, and add the place of the joint to the parent's points."""
    said = element.need("type")
    kind = _KINDS.get(said)
    if kind is None:
        raise element.fail(f"the type {said!r}", f"a type of joint.{near_names(said, _KINDS)}")
    name = names.new(element.need("name"), "_joint")
    parent, child = (_link_of(element, side, names.of) for side in ("parent", "child"))
    origin = element.one("origin")
    rpy = numbers(origin, "rpy", (0.0,) * 3)
    rotation = _matrix_of_rpy(rpy).tolist() if any(rpy) else None
    points[parent][name] = Frame(tuple(numbers(origin, "xyz", (0.0,) * 3)), rotation)
    more: dict[str, Any] = {}
    if kind in (Revolute, Prismatic, Planar):
        line = element.one("axis")
        axis = numbers(line, "xyz", (1.0, 0.0, 0.0))
        if line is not None and not any(axis):
            raise line.fail("a zero axis", "a direction")
        more["axis"] = tuple(axis)
    if limits and kind in (Revolute, Prismatic):
        more |= _resistance(element)
    joint = kind(name, f"{names.of[parent]}.{name}", names.of[child], **more)
    damping = numbers(element.one("dynamics"), "damping", (0.0,))[0]
    if damping and len(joint.coordinates) == 1:
        return joint, JointSpring(names.new(f"{name}_damping"), name, damping=damping)
    return joint, None


def _mimic(element: Element, mimic: Element, joints: dict[str, Joint], names: PartNames) -> Gear | Motion:
    """Return what makes a joint follow another one: coordinate = multiplier * other coordinate + offset."""
    own = joints[element.need("name")]
    said = mimic.need("joint")
    if said not in joints:
        raise mimic.fail(f"the joint {said!r}", f"a joint of the robot.{near_names(said, joints)}")
    other = joints[said]
    for joint in (own, other):
        if len(joint.coordinates) != 1:
            raise mimic.fail(f"the {type(joint).__name__.lower()} joint {joint.name!r}", "joints that turn about or slide "
                                                                                         "along an axis")
    if other is own:
        raise mimic.fail(f"{said!r} itself", "another joint")
    ratio, offset = (numbers(mimic, key, (default,))[0] for key, default in (("multiplier", 1.0), ("offset", 0.0)))
    name = names.new(f"{own.name}_mimic")
    return Gear(name, other.name, own.name, ratio, offset) if ratio else Motion(name, own.name, position=offset)


def _resistance(element: Element) -> dict[str, Any]:
    """Return limits and friction of a joint; limits that leave nothing between them are none."""
    limit = element.one("limit")
    low, high = (numbers(limit, key, (0.0,))[0] for key in ("lower", "upper"))
    bounded = limit is not None and element.attributes["type"] in ("revolute", "prismatic") and low < high
    friction = numbers(element.one("dynamics"), "friction", (0.0,))[0]
    return ({"limits": (low, high)} if bounded else {}) | ({"friction": friction} if friction else {})


def _left_out(element: Element, name: str) -> list[str]:
    """Report what of a joint does not become part of the model."""
    notes = []
    limit = element.one("limit")
    if limit is not None and element.attributes["type"] in ("revolute", "prismatic"):
        lower, upper = (numbers(limit, key, (0.0,))[0] for key in ("lower", "upper"))
        notes.append(f"joint {name!r}: its limits {lower:g} to {upper:g} are not enforced; limits=True does it")
    if numbers(element.one("dynamics"), "friction", (0.0,))[0]:
        notes.append(f"joint {name!r}: its dry friction is left out; limits=True keeps it")
    return notes
