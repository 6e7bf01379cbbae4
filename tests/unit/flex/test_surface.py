"""Visible cells of meshes: closed surfaces around solids, every element of plates and beams; pictures of modes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from fe_problems import EPS, PLANES, SOLIDS, STEEL, mesh_model

import dalembert as dal
from dalembert.flex.surface import surface_cells


def triangles(cells):
    """Split quadrilaterals (m, 4) into triangles."""
    return np.vstack([c if c.shape[1] == 3 else np.vstack([c[:, [0, 1, 2]], c[:, [0, 2, 3]]]) for c in cells])


@pytest.mark.parametrize("kind", SOLIDS)
def test_the_surface_of_a_solid_is_closed_and_turns_outwards(kind):
    fe = mesh_model(kind, distorted=0.1)
    a, b, c = (fe.nodes[column] for column in triangles(surface_cells(fe)).T)
    size, area = np.prod(np.ptp(fe.nodes, axis=0)), np.cross(b - a, c - a) / 2
    assert np.abs(area.sum(axis=0)).max() < 100 * EPS
    assert np.einsum("fi,fi->", a, area) / 3 == pytest.approx(size, rel=100 * EPS)  # Gauss' theorem


@pytest.mark.parametrize("kind", PLANES)
def test_the_cells_of_a_plate_cover_it(kind):
    fe = mesh_model(kind)
    a, b, c = (fe.nodes[column] for column in triangles(surface_cells(fe)).T)
    assert np.cross(b - a, c - a)[:, 2].sum() / 2 == pytest.approx(np.prod(np.ptp(fe.nodes, axis=0)[:2]), rel=100 * EPS)


def test_beams_are_lines_and_foreign_matrices_have_no_cells(tmp_path):
    fe = dal.flex.beam(length=1.0, section=dal.Circle(0.02), material=STEEL, elements=3)
    (lines,) = surface_cells(fe)
    assert lines.tolist() == [[0, 1], [1, 2], [2, 3]]
    foreign = dal.flex.matrices(fe.stiffness, fe.mass, nodes=fe.nodes)
    assert surface_cells(foreign) == ()


def test_modes_are_drawn_with_their_largest_displacement_at_an_eighth_of_the_size(tmp_path):
    fe = dal.flex.beam(length=1.0, section=dal.Circle(0.02), material=STEEL, elements=8)
    reduced = dal.flex.craig_bampton(fe, interfaces={"a": "start", "b": "end"}, modes=2)
    open_before = plt.get_fignums()
    figure = reduced.plot_mode(1, path=tmp_path / "mode.png")
    assert (tmp_path / "mode.png").exists() and plt.get_fignums() == open_before
    pale, drawn = figure.axes[0].collections
    away = np.linalg.norm(np.array(drawn._segments3d) - np.array(pale._segments3d), axis=-1)
    assert away.max() == pytest.approx(0.125, rel=1e-6) and "Hz" in figure.axes[0].get_title()
    floating = reduced.floating("a")
    assert floating.plot_mode(1, exaggeration=0.0, ax=figure.axes[0]) is figure.axes[0]
    for body, number, words in ((reduced, 3, "expected 1 to 2"), (floating, 0, "expected 1 to 8")):
        with pytest.raises(dal.ModelError, match=words):
            body.plot_mode(number)
    dal.flex.write_sid(floating, tmp_path / "body.sid")
    with pytest.raises(dal.ModelError, match="constants alone"):
        dal.flex.read_sid(tmp_path / "body.sid").plot_mode(1)
