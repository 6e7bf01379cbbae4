"""Starts that are kept, starts that are guessed, and starts that look like degrees."""

import numpy as np
import pytest

import dalembert as dal

CRANK, ROD, BASE = 0.3, 0.5, 0.6


def fourbar(**starts):
    """A planar linkage that can be assembled in two ways."""
    def bar(name, length):
        return dal.Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), points={"end": (length, 0, 0)})

    y = (0, 1, 0)
    return dal.Model("four-bar", ground={"far": (BASE, 0, 0)}).add(
        bar("crank", CRANK), bar("rod", ROD), bar("rocker", ROD),
        dal.Revolute("a", "ground", "crank", axis=y, start=starts.get("a")),
        dal.Revolute("b", "crank.end", "rod", axis=y, start=starts.get("b")),
        dal.Revolute("d", "ground.far", "rocker", axis=y, start=starts.get("d")),
        dal.Revolute("c", "rod.end", "rocker.end", axis=y, cut=True))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_guess_chooses_the_side_and_is_not_kept(side):
    r = dal.assemble(fourbar(a=0.5, b=dal.guess(side * 1.5), d=dal.guess(side * 2.0)))
    assert r["a.angle"][0] == pytest.approx(0.5, abs=1e-9)
    assert np.sign(r["b.angle"][0]) == side and r["b.angle"][0] != side * 1.5
    assert not [m for m in r.messages if "moved" in m], "nothing was given but 'a'"


def test_a_start_that_cannot_be_kept_is_told():
    r = dal.assemble(fourbar(a=0.5, b=1.5, d=2.0))
    assert [m for m in r.messages if "moved" in m]


def test_a_guess_in_a_tree_is_the_start():
    m = dal.Model("p").add(dal.Body("rod", mass=1.0, com=(0, 0, -1)), dal.Revolute("j", "ground", "rod", axis=(0, 1, 0)))
    assert dal.assemble(m, start={"j": dal.guess("20 deg")})["j.angle"][0] == pytest.approx(20 * dal.deg)


def test_a_guess_is_read_and_written():
    m = fourbar(a=0.5, b=dal.guess(1.5))
    text = dal.to_text(m)
    assert "start: {guess: 1.5}" in text and dal.to_text(dal.from_text(text)) == text
    with pytest.raises(dal.ModelError, match=r"text:\d+.*joints\.b\.start.*guess"):
        dal.from_text(text.replace("{guess: 1.5}", "{guessed: 1.5}"))
    with pytest.raises(dal.ModelError, match="an angle"):
        dal.from_text(text.replace("{guess: 1.5}", "{guess: 2 kg}"))


@pytest.mark.parametrize("start, noted", [(90, True), (-180.0, True), (90 * dal.deg, False), ("90 deg", False), (3, False),
                                          (8 * np.pi, False), (dal.guess(45), True)])
def test_angles_that_look_like_degrees_are_noted(start, noted):
    m = dal.Model("p").add(dal.Body("rod", mass=1.0, com=(0, 0, -1)),
                           dal.Revolute("j", "ground", "rod", axis=(0, 1, 0), start=start))
    r = dal.run(m, until=0.01)
    assert any("dal.deg" in message and "radians" in message for message in r.messages) == noted


def test_lengths_are_not_taken_for_degrees():
    m = dal.Model("p").add(dal.Body("car", mass=1.0), dal.Prismatic("j", "ground", "car", start=90))
    assert not dal.check(m).notes


def test_two_drives_of_one_freedom_are_named():
    m = fourbar().add(dal.Motion("engine", "a", position=dal.sine(amplitude=0.2, omega=1.0, offset=0.5)),
                      dal.Motion("brake", "d", position=0.1))
    with pytest.raises(dal.AssemblyError, match="over-driven.*1 degree of freedom.*'engine', 'brake'"):
        dal.run(m, until=0.1)


def test_a_drive_out_of_reach_is_still_a_gap():
    far = fourbar().replaced("d", first="ground")
    far.ground = {"far": (BASE, 0, 0), "out": (5.0, 0, 0)}
    far = far.replaced("d", first="ground.out").add(dal.Motion("engine", "a", position=0.5))
    with pytest.raises(dal.AssemblyError, match="cannot be assembled"):
        dal.run(far, until=0.1)
