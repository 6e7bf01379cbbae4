"""Units: numbers are SI and radians; a text such as ``"90 deg"`` may say another unit."""

from __future__ import annotations

import re
from math import pi

deg = pi / 180
"""One degree [rad]: ``start=90 * dal.deg``."""

UNITS = {
    "rad": (1.0, "rad"), "deg": (deg, "rad"), "°": (deg, "rad"), "turn": (2 * pi, "rad"), "rev": (2 * pi, "rad"),
    "rad/s": (1.0, "rad/s"), "deg/s": (deg, "rad/s"), "°/s": (deg, "rad/s"), "rpm": (2 * pi / 60, "rad/s"),
    "m": (1.0, "m"), "mm": (1e-3, "m"), "cm": (1e-2, "m"), "km": (1e3, "m"), "in": (0.0254, "m"), "ft": (0.3048, "m"),
    "m/s": (1.0, "m/s"), "mm/s": (1e-3, "m/s"), "km/h": (1 / 3.6, "m/s"),
    "kg": (1.0, "kg"), "g": (1e-3, "kg"), "t": (1e3, "kg"),
    "s": (1.0, "s"), "ms": (1e-3, "s"), "us": (1e-6, "s"), "min": (60.0, "s"),
    "N": (1.0, "N"), "kN": (1e3, "N"), "N m": (1.0, "N m"), "Nm": (1.0, "N m"),
    "Pa": (1.0, "Pa"), "kPa": (1e3, "Pa"), "MPa": (1e6, "Pa"), "GPa": (1e9, "Pa"),
    "kg/m³": (1.0, "kg/m³"), "kg/m3": (1.0, "kg/m³"), "g/cm³": (1e3, "kg/m³"), "g/cm3": (1e3, "kg/m³"),
    "Hz": (1.0, "Hz"),
}
"""Unit -> (factor to SI, SI unit)."""

QUANTITIES = {
    "rad": "an angle", "m": "a length", "kg": "a mass", "s": "a time", "rad/s": "an angular speed", "m/s": "a speed",
    "N": "a force", "N m": "a torque", "Hz": "a frequency", "Pa": "a stress", "kg/m³": "a density",
}
"""SI unit -> what it measures, for error texts."""

_TEXT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S.*?)?\s*", re.ASCII)


def parse_quantity(text: str) -> tuple[float, str] | None:
    """Split a text such as ``"90 deg"`` into its SI value and SI unit; None if it is no number with a known unit.

    Examples
    --------
    >>> parse_quantity("30 mm")
    (0.03, 'm')
    >>> parse_quantity("2.5")
    (2.5, '')
    >>> parse_quantity("3 apples") is None
    True
    """
    match = _TEXT.fullmatch(text) if len(text) <= 100 else None
    if match is None:
        return None
    number, unit = match.groups()
    if unit is None:
        return float(number), ""
    if unit not in UNITS:
        return None
    factor, si = UNITS[unit]
    return float(number) * factor, si


def units_of(si: str) -> str:
    """List the units that may stand where `si` is meant, for error texts."""
    return ", ".join(unit for unit, (_, own) in UNITS.items() if own == si)


def described(si: str) -> str:
    """Say what a unit measures, e.g. ``"a mass [kg]"``."""
    if not si:
        return "a number"
    return f"{QUANTITIES.get(si, 'a number')} [{si}]"
