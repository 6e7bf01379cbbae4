"""Single values of a model: numbers, vectors, rotations.  Each reader reports its fault and goes on with a substitute."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from math import cos, hypot, isfinite, sin
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import Fault, near_names
from .units import described, parse_quantity, units_of

Vector = Sequence[float]
"""Three numbers."""
LARGEST = 1e30
"""Numbers beyond this are taken for a slip of units."""
SHORTEST = 1e-100
"""Directions shorter than this count as zero."""


def frozen(values: ArrayLike) -> np.ndarray:
    """Return a float array that refuses to be written."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


ZERO3, EYE3, UNIT_X, UNIT_Z = frozen((0, 0, 0)), frozen(np.eye(3)), frozen((1, 0, 0)), frozen((0, 0, 1))


class Faults(list[Fault]):
    """Everything that is wrong so far, in the order found; `notes` list what is odd but can be computed with."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    def flag(self, where: str, what: str) -> None:
        """Add a fault at the path `where`."""
        self.append(Fault(where, what))

    def note(self, where: str, what: str) -> None:
        """Add a note on the path `where`."""
        self.notes.append(f"{where}: {what}")

    def near(self, name: Any, known: Iterable[object]) -> str:
        """Return the near miss and the known names; after the first faults of a large model only the remedy counts."""
        return near_names(str(name), known) if len(self) < 50 else ""


def shown(value: Any) -> str:
    """Return a short text of any value, for an error text."""
    try:
        text = reprlib.repr(value) if not isinstance(value, str) else repr(value)
    except ValueError:  # integers beyond the interpreter's limit of digits
        text = "an integer with thousands of digits" if isinstance(value, int) else f"a {type(value).__name__}"
    text = text.replace("\n", " ")
    return text if len(text) <= 80 else text[:77] + "..."


def number(faults: Faults, where: str, value: Any, unit: str = "", *, least: float | None = None,
           above: float | None = None, remedy: str = "") -> float:
    """Read a finite number in the SI unit `unit`, not below `least`, greater than `above`; 0.0 if it is faulty."""
    kind = type(value)
    if kind is float or kind is int:
        x = value
    else:
        x = _unusual_number(faults, where, value, unit)
        if x is None:
            return 0.0
    if not -LARGEST <= x <= LARGEST:
        _flag_not_finite(faults, where, value, x, unit)
        return 0.0
    if (least is not None and x < least) or (above is not None and x <= above):
        bound = f"of {least:g} or more" if least is not None else f"greater than {above:g}"
        faults.flag(where, f"found {shown(value)}, expected {described(unit)} {bound}{'; ' * bool(remedy)}{remedy}")
        return max(0.0, least or 0.0)
    return float(x)


def _unusual_number(faults: Faults, where: str, value: Any, unit: str) -> float | None:
    """Read a number that is neither float nor int: NumPy's, a fraction, a text with a unit; None if faulty."""
    if isinstance(value, str):
        return _number_from_text(faults, where, value, unit)
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value.item()
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        try:
            return float(value)
        except OverflowError:
            return float("inf")
    note = " (a truth value is no number)" if isinstance(value, (bool, np.bool_)) else ""
    faults.flag(where, f"found {shown(value)}{note}, expected {described(unit)}")
    return None


def _number_from_text(faults: Faults, where: str, text: str, unit: str) -> float | None:
    parsed = parse_quantity(text)
    units = units_of(unit)
    hint = f"; give a number in {unit} or a text with one of {units}" if units else "; give a plain number in SI units"
    if parsed is None:
        faults.flag(where, f"found the text {shown(text)}, expected {described(unit)}{hint}")
        return None
    x, found = parsed
    if not found:
        faults.flag(where, f"found the text {shown(text)}, expected {described(unit)}; remove the quotation marks")
        return None
    if found != unit:
        faults.flag(where, f"found {shown(text)}, which is {described(found)}, expected {described(unit)}{hint}")
        return None
    return x


def _flag_not_finite(faults: Faults, where: str, value: Any, x: float, unit: str) -> None:
    if isinstance(x, int) or isfinite(x):
        faults.flag(where, f"found {shown(value)}, beyond {LARGEST:g}, expected {described(unit)}; wrong unit?")
    else:
        faults.flag(where, f"found {shown(value)}, expected {described(unit)} that is finite")


def row(faults: Faults, where: str, value: Any, lengths: tuple[int, ...], units: Sequence[str], what: str
        ) -> tuple[float, ...] | None:
    """Read a list of numbers whose length is one of `lengths`, each with its unit; None if it is faulty."""
    found = value if type(value) is tuple or type(value) is list else _as_list(value)
    if found is None or len(found) not in lengths:
        count = "" if found is None else f" ({len(found)} value{'s' * (len(found) != 1)})"
        faults.flag(where, f"found {shown(value)}{count}, expected {what}")
        return None
    for x in found:
        if type(x) is not float or not -LARGEST <= x <= LARGEST:
            break
    else:
        return tuple(found)
    before = len(faults)
    numbers = [float(x) if type(x) is int and -LARGEST <= x <= LARGEST
               else number(faults, f"{where}[{i}]", x, units[i % len(units)]) for i, x in enumerate(found)]
    return tuple(numbers) if len(faults) == before else None


def _as_list(value: Any) -> list[Any] | None:
    """Return any ordinary sequence as a list; None for texts, mappings, sets and single values."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else None
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return list(value)
    return None


def vector(faults: Faults, where: str, value: Any, unit: str = "") -> tuple[float, float, float]:
    """Read three numbers; zeros if they are faulty."""
    x, y, z = row(faults, where, value, (3,), (unit,), f"three numbers{f' [{unit}]' if unit else ''}") or (0.0, 0.0, 0.0)
    return x, y, z


def direction(faults: Faults, where: str, value: Any) -> np.ndarray:
    """Read three numbers that are not all zero and return the unit vector; z if they are faulty."""
    before = len(faults)
    x, y, z = vector(faults, where, value)
    length = hypot(x, y, z)
    if length <= SHORTEST:
        if len(faults) == before:
            faults.flag(where, f"found {shown(value)}, expected a direction that is not zero, such as (0, 0, 1)")
        return UNIT_Z
    return frozen((x / length, y / length, z / length))


def matrix(faults: Faults, where: str, value: Any, unit: str = "") -> np.ndarray | None:
    """Read a 3x3 matrix; None if it is faulty."""
    rows = _as_list(value)
    if rows is None or len(rows) != 3:
        faults.flag(where, f"found {shown(value)}, expected a 3x3 matrix")
        return None
    before = len(faults)
    numbers = [row(faults, f"{where}[{i}]", r, (3,), (unit,), "a row of three numbers") for i, r in enumerate(rows)]
    return np.array(numbers) if len(faults) == before else None


def quaternion(faults: Faults, where: str, values: tuple[float, ...]) -> tuple[float, ...]:
    """Normalise four numbers (w, x, y, z)."""
    length = hypot(*values)
    if length <= SHORTEST:
        faults.flag(where, "found a quaternion of zeros, expected (w, x, y, z) with a length; (1, 0, 0, 0) is no turn")
        return (1.0, 0.0, 0.0, 0.0)
    return tuple([x / length for x in values])


def quaternion_of_vector(turn: tuple[float, ...]) -> tuple[float, ...]:
    """Return the quaternion (w, x, y, z) of a rotation vector [rad]."""
    angle = hypot(*turn)
    if angle <= SHORTEST:
        return (1.0, 0.0, 0.0, 0.0)
    s = sin(angle / 2) / angle
    return (cos(angle / 2), s * turn[0], s * turn[1], s * turn[2])


def matrix_of_quaternion(q: tuple[float, ...]) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return frozen(((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                   (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                   (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))))


def rotation(faults: Faults, where: str, value: Any) -> np.ndarray:
    """Read a rotation: None, a matrix, a quaternion or ``{"axis":, "angle":}``; the identity if it is faulty."""
    if value is None:
        return EYE3
    if isinstance(value, Mapping):
        return _rotation_about_axis(faults, where, value)
    rows = _as_list(value)
    if rows is not None and len(rows) == 4:
        numbers = row(faults, where, rows, (4,), ("",), "a quaternion (w, x, y, z)")
        return EYE3 if numbers is None else matrix_of_quaternion(quaternion(faults, where, numbers))
    if rows is None or len(rows) != 3 or any(_as_list(r) is None for r in rows):
        faults.flag(where, f"found {shown(value)}, expected a 3x3 rotation matrix, a quaternion (w, x, y, z) "
                           "or {axis: [x, y, z], angle: a}")
        return EYE3
    found = matrix(faults, where, rows)
    return EYE3 if found is None else _orthonormal(faults, where, found)


def _rotation_about_axis(faults: Faults, where: str, value: Mapping[str, Any]) -> np.ndarray:
    unknown = [key for key in value if key not in ("axis", "angle")]
    for key in unknown:
        faults.flag(where, f"unknown key {shown(key)}.{faults.near(key, ('axis', 'angle'))}")
    if unknown:
        return EYE3
    if "axis" not in value or "angle" not in value:
        faults.flag(where, f"found {shown(dict(value))}, expected both axis and angle: {{axis: [x, y, z], angle: a}}")
        return EYE3
    axis = direction(faults, f"{where}.axis", value["axis"])
    angle = number(faults, f"{where}.angle", value["angle"], "rad")
    return matrix_of_quaternion(quaternion_of_vector(tuple(float(angle * a) for a in axis)))


def _orthonormal(faults: Faults, where: str, found: np.ndarray) -> np.ndarray:
    """Accept a matrix that is a rotation up to six digits and remove what rounding left."""
    error = float(np.abs(found.T @ found - np.eye(3)).max())
    if not error <= 1e-5:
        faults.flag(where, f"the matrix is not orthonormal (largest deviation of its products {error:.2g}), expected "
                           "perpendicular unit axes; give more digits, a quaternion or {axis: [x, y, z], angle: a}")
        return EYE3
    if np.linalg.det(found) < 0:
        faults.flag(where, "the matrix is left-handed (determinant -1), expected a rotation; turn one of its columns "
                           "round")
        return EYE3
    for _ in range(2):  # Newton steps to the nearest rotation
        found = found @ (1.5 * np.eye(3) - 0.5 * found.T @ found)
    return frozen(found)


def flag(faults: Faults, where: str, value: Any) -> bool:
    """Read true or false."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    faults.flag(where, f"found {shown(value)}, expected true or false")
    return False
