"""Poses in the scene are the channels, and every body is drawn by the best that is known of it."""

import numpy as np
import pytest

import dalembert as dal
from dalembert.model.geometry import Drawing
from dalembert.results.scene import model_of, scene_of

STL = "solid t\n{}endsolid t\n"
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"


def bodies(scene, name):
    """Return the vertices of all solids of a name."""
    return np.vstack([solid.surface.vertices for solid in scene.solids if solid.name == name])


def pendulum(**more):
    m = dal.Model("pendulum", ground={"wall": (0, 1, 0)})
    return m.add(dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1)}, **more),
                 dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=1.0))


def test_poses_are_the_channels_at_the_frames_asked_for():
    r = dal.run(pendulum(), until=0.5, record=0.05)
    frames = [0, 4, 10]
    s = scene_of(r, frames=frames)
    row = s.bodies.index("rod")
    assert np.array_equal(s.t, r.t[frames])
    assert np.array_equal(s.position[:, row], r["rod.position"][frames])
    turns = np.stack([s.rotations(k)[row] for k in range(3)])
    assert np.allclose(turns, r["rod.rotation"][frames], atol=1e-12)
    assert np.allclose(s.position[:, row] + turns @ (0, 0, -1), r["rod.tip.position"][frames], atol=1e-12)


def test_the_box_around_the_scene_holds_all_places():
    r = dal.run(pendulum(), until=0.5)
    s = scene_of(r)
    assert (s.low <= r["rod.tip.position"] + 1e-12).all() and (s.high >= r["rod.tip.position"] - 1e-12).all()


def test_a_rod_goes_from_place_to_place():
    rod = bodies(scene_of(dal.assemble(pendulum())), "rod")
    assert np.allclose((rod[:, 2].min(), rod[:, 2].max()), (-1, 0), atol=0.05)
    assert np.abs(rod[:, :2]).max() < 0.05


def test_a_drawing_wins_over_a_stick_figure():
    m = pendulum(drawing=(Drawing("box", (0.2, 0.3, 0.4), position=(0, 0, -2)),))
    rod = bodies(scene_of(dal.assemble(m)), "rod")
    assert np.allclose((rod.min(axis=0), rod.max(axis=0)), [(-0.1, -0.15, -2.2), (0.1, 0.15, -1.8)])


def test_a_mesh_is_drawn_and_a_missing_one_is_told_and_replaced(tmp_path):
    pytest.importorskip("trimesh")
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    text = "".join(FACET.format(*(" ".join(map(str, corners[k])) for k in face))
                   for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)))
    (tmp_path / "t.stl").write_text(STL.format(text))
    m = pendulum(drawing=(Drawing("mesh", (2.0, 2.0, 2.0), file=str(tmp_path / "t.stl")),))
    assert np.allclose(bodies(scene_of(dal.assemble(m)), "rod").max(axis=0), 2.0)
    lost = pendulum(drawing=(Drawing("mesh", (1.0,) * 3, file="nowhere.stl"),))
    s = scene_of(dal.assemble(lost))
    assert len(bodies(s, "rod")) and "nowhere.stl" in s.notes[0]
    with pytest.warns(UserWarning, match=r"nowhere\.stl"):
        dal.assemble(lost).picture(size=(64, 48), path=tmp_path / "a.png")


def test_contact_shapes_and_wheels_are_drawn():
    m = dal.Model("ball").add(dal.Body("ball", mass=1.0, inertia=(0.1,) * 3),
                              dal.Free("way", "ground", "ball", start=(0, 0, 1)),
                              dal.Contact("floor", dal.Sphere("ball", radius=0.3), dal.Plane("ground", normal=(0, 0, 1))))
    s = scene_of(dal.run(m, until=0.1))
    assert np.allclose(np.linalg.norm(bodies(s, "ball"), axis=1), 0.3)
    assert np.allclose(s.lines[-1].points[:, 2], 0.0)  # the grid is the floor


def test_a_loaded_run_is_drawn_from_its_text_and_functions_do_no_harm(tmp_path):
    m = pendulum().add(dal.Force("push", "rod.tip", direction=(1, 0, 0), magnitude=lambda t: 1.0 + t))
    r = dal.run(m, until=0.2)
    kept = dal.load(r.save(tmp_path / "a.h5"))
    assert r.model is not None and kept.model is None and model_of(kept) is not None
    one, other = scene_of(r), scene_of(kept)
    assert [solid.name for solid in one.solids] == [solid.name for solid in other.solids]
    assert all(np.array_equal(a.surface.vertices, b.surface.vertices) for a, b in zip(one.solids, other.solids, strict=True))


def test_the_model_of_results_is_the_one_that_was_run():
    m = pendulum()
    r = dal.run(m, until=0.1)
    m.add(dal.Body("late", mass=1.0))
    assert "late" not in r.model and "rod" in r.model


def test_without_a_text_places_and_joints_are_left():
    r = dal.run(pendulum(), until=0.1)
    r.model, r.provenance["model"] = None, "no: model"
    s = scene_of(r)
    assert {"rod", "pivot"} <= {solid.name for solid in s.solids}


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_beam_is_a_tube_around_its_nodes(formulation):
    steel = dal.Material(young=2e11, poisson=0.3, density=7800.0)
    m = dal.Model("cantilever").add(dal.Beam("rod", length=1.0, section=dal.Circle(0.1), material=steel, bodies=2),
                                    dal.Fixed("wall", "ground", "rod.start"))
    r = dal.run(m, until=0.01, step=1e-3, formulation=formulation)
    (skin,) = scene_of(r).skins
    nodes = r.shape(m, "rod", frame=-1).nodes
    rings = skin.vertices[-1, len(nodes):]
    assert np.allclose(np.linalg.norm(rings[:, None] - nodes, axis=2).min(axis=1), 0.05, atol=1e-9)
    assert np.allclose(skin.vertices[-1, :len(nodes)], nodes)


def test_a_hundred_bodies_are_vectorised_over_frames():
    r = dal.run(pendulum(), until=0.5, record=0.001)
    s = scene_of(r)
    assert s.position.shape == (501, 2, 3) and s.orientation.shape == (501, 2, 4)
    assert len(s.at(np.arange(0, 501, 100))) == 6


def test_the_picture_of_a_run_has_the_mechanism_above_the_curves(tmp_path):
    from dalembert.results.figure import picture_of
    from dalembert.results.panels import empty_figure, paint

    r = dal.run(pendulum(), until=0.1)
    picture = picture_of(r, ["pivot.angle", "energy.total"], scene_of(r, frames=[0, 5]))
    figure = empty_figure(picture)
    paint(figure, picture)
    assert len(figure.axes) == 3 and len(figure.axes[0].images) == 1
    assert figure.axes[1].get_xlim() == figure.axes[2].get_xlim()
