"""What MJCF elements say: settings of the compiler, default classes, included files, poses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..model.rotation import rotation_between
from .xml_lines import Element, numbers, read_xml

_ABOUT = {"x": 0, "y": 1, "z": 2}
_DEEPEST_INCLUDE = 20


class Pose(NamedTuple):
    """Position [m] (3,) and rotation (3, 3) in the frame above."""

    position: np.ndarray
    rotation: np.ndarray

    def then(self, inner: Pose) -> Pose:
        """Return the pose of something that lies at `inner` in this frame."""
        return Pose(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)

    def inverse(self) -> Pose:
        """Return the pose of the frame above in this one."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T)


AT_ORIGIN = Pose(np.zeros(3), np.eye(3))


@dataclass
class Settings:
    """The attributes of all ``<compiler>`` elements, the default classes, and the flags that switch something off."""

    compiler: Element
    folder: Path
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})
    disabled: set[str] = field(default_factory=set)

    def word(self, attribute: str, default: str) -> str:
        """Return an attribute of the compiler."""
        return self.compiler.attributes.get(attribute, default)

    def flag(self, attribute: str, default: str) -> bool:
        """Return an attribute that is true or false."""
        said = self.word(attribute, default)
        if said not in ("true", "false"):
            raise self.compiler.fail(f'{attribute}="{said}"', "true or false")
        return said == "true"

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return value if self.word("angle", "degree") == "radian" else float(np.radians(value))

    def complete(self, element: Element, childclass: str) -> Element:
        """Return an element with the attributes that its default class gives."""
        name = element.attributes.get("class", childclass)
        if name not in self.classes:
            raise element.fail(f"the class {name!r}", f"one of {', '.join(self.classes)}")
        return replace(element, attributes={**self.classes[name].get(element.tag, {}), **element.attributes})


def read_settings(root: Element, folder: Path) -> Settings:
    """Collect the compiler's attributes and the default classes of a model."""
    attributes: dict[str, str] = {}
    place = root.place
    for element in root.all("compiler"):
        attributes |= element.attributes
        place = element.place
    if attributes.get("coordinate", "local") != "local":
        raise root.fail('coordinate="global"', "local coordinates; save the model again by a present MuJoCo")
    settings = Settings(Element("compiler", attributes, place), folder)
    for option in root.all("option"):
        for flag in option.all("flag"):
            settings.disabled |= {key for key, value in flag.attributes.items() if value == "disable"}
    for element in root.all("default"):
        _read_class(settings, element, element.attributes.get("class", "main"), {}, top=True)
    return settings


def _read_class(settings: Settings, element: Element, name: str, above: Mapping[str, dict[str, str]], top: bool) -> None:
    own = {tag: dict(values) for tag, values in above.items()}
    if top:
        own |= settings.classes.get("main", {})
    for child in element.children:
        if child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
    settings.classes[name] = own
    if top:
        settings.classes["main"] = own
    for child in element.all("default"):
        _read_class(settings, child, child.need("class"), own, top=False)


def read_included(path: Path) -> Element:
    """Return the root of a file with its ``<include>`` elements replaced by what they name."""
    root = read_xml(path)
    if root.tag != "mujoco":
        raise root.fail(f"the element <{root.tag}> on top", "<mujoco>")
    _include(root, path.parent, path.parent, 0)
    return root


def _include(element: Element, folder: Path, main: Path, depth: int) -> None:
    children = []
    for child in element.children:
        if child.tag != "include":
            _include(child, folder, main, depth)
            children.append(child)
            continue
        if depth >= _DEEPEST_INCLUDE:
            raise child.fail(f"more than {_DEEPEST_INCLUDE} files that include each other", "fewer")
        said = child.need("file")
        file = next((place / said for place in (folder, main) if (place / said).is_file()), folder / said)
        inner = read_xml(file)
        _include(inner, file.parent, main, depth + 1)
        children += inner.children
    element.children = children


def _axis_turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the matrix of a turn about a unit axis [rad]."""
    x, y, z = axis
    tilde = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: np.ndarray = np.eye(3) + np.sin(angle) * tilde + (1.0 - np.cos(angle)) * tilde @ tilde
    return rotation


def _unit(element: Element, attribute: str, values: ArrayLike) -> np.ndarray:
    direction = np.asarray(values, float)
    size = float(np.linalg.norm(direction))
    if not size > 1e-12:
        raise element.fail(f'{attribute}="{element.attributes[attribute]}"', "a direction, not zero")
    return np.asarray(direction / size)


def matrix_of_quaternion(q: Iterable[float]) -> np.ndarray:
    """Return the rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def rotation_of(element: Element, settings: Settings) -> np.ndarray:
    """Return the rotation that quat, axisangle, euler, xyaxes or zaxis give."""
    said = [key for key in ("quat", "axisangle", "euler", "xyaxes", "zaxis") if key in element.attributes]
    own = [key for key in said if key != "quat"] or said
    if len(own) > 1:
        raise element.fail(" and ".join(own), "one orientation")
    if not own:
        return np.eye(3)
    if own[0] == "quat":
        return matrix_of_quaternion(_unit(element, "quat", numbers(element, "quat", (0.0,) * 4)))
    if own[0] == "axisangle":
        *axis, angle = numbers(element, "axisangle", (0.0,) * 4)
        return _axis_turn(_unit(element, "axisangle", axis), settings.angle(angle))
    if own[0] == "zaxis":
        return rotation_between((0.0, 0.0, 1.0), _unit(element, "zaxis", numbers(element, "zaxis", (0.0,) * 3)))
    if own[0] == "xyaxes":
        values = numbers(element, "xyaxes", (0.0,) * 6)
        x = _unit(element, "xyaxes", values[:3])
        y = np.asarray(values[3:])
        y = _unit(element, "xyaxes", y - (x @ y) * x)
        return np.column_stack((x, y, np.cross(x, y)))
    return _euler(element, settings)


def _euler(element: Element, settings: Settings) -> np.ndarray:
    order = settings.word("eulerseq", "xyz")
    if len(order) != 3 or any(c not in "xyzXYZ" for c in order):
        raise settings.compiler.fail(f'eulerseq="{order}"', "three of x, y, z (axes that turn) or X, Y, Z (fixed ones)")
    turn = np.eye(3)
    for c, angle in zip(order, numbers(element, "euler", (0.0,) * 3), strict=True):
        step = _axis_turn(np.eye(3)[_ABOUT[c.lower()]], settings.angle(angle))
        turn = turn @ step if c.islower() else step @ turn
    return turn


def pose_of(element: Element, settings: Settings) -> Pose:
    """Return the pose that pos and an orientation give."""
    return Pose(np.array(numbers(element, "pos", (0.0,) * 3)), rotation_of(element, settings))
