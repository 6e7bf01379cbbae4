"""Units in texts."""

from math import pi

import pytest

import dalembert as dal
from dalembert.model.units import UNITS, parse_quantity


@pytest.mark.parametrize("text, expected", [
    ("90 deg", (90 * dal.deg, "rad")), ("-90deg", (-90 * dal.deg, "rad")), ("1.5 rad", (1.5, "rad")),
    ("0.25 turn", (pi / 2, "rad")),
    ("1e3 mm", (1.0, "m")), (" 2 kg ", (2.0, "kg")), ("60 rpm", (2 * pi, "rad/s")),
    ("210 GPa", (2.1e11, "Pa")), ("7.85 g/cm³", (7850.0, "kg/m³")), (".5 m/s", (0.5, "m/s")),
    ("3", (3.0, "")),
])
def test_quantities(text, expected):
    """Number and unit give SI."""
    value, unit = parse_quantity(text)
    assert unit == expected[1] and value == pytest.approx(expected[0], rel=1e-15)


@pytest.mark.parametrize("text", ["", "deg", "90 degrees", "1 2 m", "0x10 m", "nan rad", "1e deg", "٣ deg", "9" * 200])
def test_what_is_no_quantity(text):
    """Anything else is no quantity."""
    assert parse_quantity(text) is None


def test_every_unit_leads_to_one_that_is_its_own():
    """The SI unit of a unit is in the list with factor one."""
    assert all(UNITS[si] == (1.0, si) for _, si in UNITS.values())
