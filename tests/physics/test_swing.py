"""Modes as results: the shape of the linear mode, loops that close to first order, pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import dalembert as dal

ROD = dict(mass=1.0, com=(0, 0, -0.5), inertia=dal.inertia_rod(1.0, length=1.0, axis="z"), points={"tip": (0, 0, -1)})


def double_pendulum():
    m = dal.Model("double pendulum", gravity=(0, 0, -9.81))
    return m.add(dal.Body("upper", **ROD), dal.Body("lower", **ROD),
                 dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0)),
                 dal.Revolute("elbow", "upper.tip", "lower", axis=(0, 1, 0)))


def fourbar():
    m = dal.Model("four-bar", gravity=(0, 0, -9.81), ground={"B": (1.1, 0, 0)})
    return m.add(dal.Body("left", **ROD), dal.Body("right", **ROD),
                 dal.Body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), points={"end": (0.8, 0, 0)}),
                 dal.Revolute("a", "ground", "left", axis=(0, 1, 0), start=0.2),
                 dal.Revolute("b", "ground.B", "right", axis=(0, 1, 0)),
                 dal.Revolute("c", "left.tip", "bar", axis=(0, 1, 0)),
                 dal.Revolute("d", "right.tip", "bar.end", axis=(0, 1, 0)))


def test_a_swing_has_the_shape_and_the_period_of_its_mode():
    modes = dal.eigenmodes(double_pendulum())
    for number in (1, 2):
        r = modes.swing(number, amplitude=0.1, frames=9)
        shape = dict(zip(modes.names, modes.shapes[number - 1].real, strict=True))
        for joint in ("shoulder", "elbow"):
            expected = 0.1 * shape[f"{joint}.angle"] * np.cos(np.linspace(0, 2 * np.pi, 9))
            assert np.allclose(r[f"{joint}.angle"], expected, atol=1e-12)  # eigenvectors to rounding times their condition
        assert r.t[-1] == pytest.approx(1 / modes.frequencies[number - 1])


def test_the_default_amplitude_moves_places_by_a_tenth_of_the_extent():
    r = dal.eigenmodes(double_pendulum()).swing(1, frames=3)
    away = max(np.linalg.norm(r[f"{body}.tip.position"][0] - [0, 0, z]) for body, z in (("upper", -1), ("lower", -2)))
    assert away == pytest.approx(0.2, rel=0.02)  # curvature of the path: amplitude squared


def test_loops_close_to_first_order():
    modes = dal.eigenmodes(fourbar())
    gaps = [modes.swing(1, amplitude=a, frames=2)["constraints.position"].max() for a in (0.02, 0.01)]
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2.0, abs=0.1)


def test_a_mode_is_drawn_above_its_state(tmp_path):
    model = double_pendulum()
    modes = dal.eigenmodes(model)
    figure = modes.plot(model, 2, path=tmp_path / "mode.png")
    assert (tmp_path / "mode.png").exists() and plt.get_fignums() == []
    assert "mode 2" in figure.axes[0].get_title()
    with pytest.raises(dal.ModelError, match="expected 1 to 2"):
        modes.plot(model, 3)
