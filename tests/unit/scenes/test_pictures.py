"""What is drawn stands where it should, nearer things hide farther ones, and files are what they are called."""

from dataclasses import replace
from shutil import which

import numpy as np
import pytest
from PIL import Image

import dalembert as dal
from dalembert.results.scene import scene_of
from dalembert.scenes.camera import camera_for
from dalembert.scenes.film import film_frames
from dalembert.scenes.picture import Painter, at_length
from dalembert.scenes.raster import draw
from dalembert.scenes.scene import Line, Scene, Solid
from dalembert.scenes.surfaces import box, sphere

RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.1, 0.9)


def scene(*solids, places):
    """Return solids at places (n, 3), seen along -z, in a box of one metre around the origin."""
    nb = len(solids)
    parts = tuple(Solid(f"b{k}", k, surface, colour) for k, (surface, colour) in enumerate(solids))
    return Scene("test", np.zeros(1), tuple(f"b{k}" for k in range(nb)), np.array([places], float),
                 np.tile((1.0, 0, 0, 0), (1, nb, 1)), parts, (), (), (), np.array([0.0, 1, 0]), np.array([0.0, 0, -1]),
                 np.full((1, 3), -0.5), np.full((1, 3), 0.5))


def covered(pixels, channel):
    """Return where a colour dominates."""
    return pixels[..., channel].astype(int) - pixels.astype(int).sum(axis=2) / 3 > 40


def test_a_ball_is_a_round_spot_where_the_camera_says():
    s = scene((sphere(0.1), RED), places=[(0.2, 0.1, 0.0)])
    spot = np.argwhere(covered(Painter(s, 200, 200).pixels([0]), 0))
    column, row, near = camera_for(s).seen(np.array([0.2, 0.1, 0.0]), 0, 200, 200)
    assert np.allclose(spot.mean(axis=0) + 0.5, (row, column), atol=1.0) and near == pytest.approx(1.0)
    radius = 0.1 * 100 / camera_for(s).reach[0]
    assert len(spot) == pytest.approx(np.pi * radius**2, rel=0.1)


def test_lines_are_drawn_behind_everything():
    s = scene((box((0.3,) * 3), RED), places=[(0, 0, 0)])
    line = Line(np.array([(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)]), BLUE, pairs=True)
    pixels = Painter(replace(s, lines=(line,)), 120, 90).pixels([0])
    blue = covered(pixels, 2)
    assert blue[44:46].any(axis=0).sum() > 40 and not blue[44:46, 55:65].any() and not blue[:40].any()


@pytest.mark.parametrize("front", [0, 1])
def test_the_nearer_thing_hides_the_farther_one(front):
    places = [(0, 0, 0.3 if front == 0 else -0.3), (0, 0, -0.3 if front == 0 else 0.3)]
    pixels = Painter(scene((box((0.3,) * 3), RED), (box((0.3,) * 3), BLUE), places=places), 120, 90).pixels([0])
    assert covered(pixels, 0 if front == 0 else 2)[45, 60]
    assert not covered(pixels, 2 if front == 0 else 0)[45, 60]


def test_triangles_that_share_an_edge_leave_no_gap_and_fill_their_area():
    rng = np.random.default_rng(1)
    middle = np.array([31.7, 24.3, 1.0])
    angle = np.sort(rng.uniform(0, 2 * np.pi, 12))
    rim = np.column_stack([31 + 40 * np.cos(angle), 24 + 40 * np.sin(angle), np.ones(12)])
    corners = np.stack([np.broadcast_to(middle, rim.shape), rim, np.roll(rim, -1, axis=0)], axis=1)
    image = np.zeros((48, 64, 3))
    inside = np.abs(np.argwhere(np.ones((48, 64)))[:, ::-1] + 0.5 - middle[:2]).max(axis=1) < 12
    draw(image, corners, np.zeros_like(corners), np.ones((12, 3)), np.zeros(12, bool))
    assert image.reshape(-1, 3)[inside].min() == 1.0


@pytest.fixture(scope="module")
def swinging():
    m = dal.Model("swing", ground={"wall": (1, 0, 0)})
    m.add(dal.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), points={"tip": (0, 0, -1)}),
          dal.Revolute("pivot", "ground", "rod", axis=(0, 1, 0), start=1.0),
          dal.SpringDamper("spring", "rod.tip", "ground.wall", stiffness=5.0, length=0.5),
          dal.Force("push", "rod.tip", direction=(1, 0, 0), magnitude=2.0))
    return dal.run(m, until=1.0, record=0.02)


def test_a_gif_has_a_picture_for_every_time_and_the_size_asked_for(swinging, tmp_path):
    path = swinging.animate(tmp_path / "a.gif", fps=10, speed=1.0, size=(120, 90))
    with Image.open(path) as film:
        assert film.n_frames == 11 and film.size == (120, 90) and film.info["duration"] == 100
        assert film.info["loop"] == 0


@pytest.mark.skipif(which("ffmpeg") is None, reason="needs ffmpeg")
def test_an_mp4_is_one(swinging, tmp_path):
    path = swinging.animate(tmp_path / "a.mp4", fps=5, speed=1.0, size=(121, 90))
    assert path.read_bytes()[4:8] == b"ftyp"


def test_without_ffmpeg_the_error_says_what_else_there_is(swinging, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(dal.FormatError, match=r"ffmpeg.*not installed.*\.gif"):
        swinging.animate(tmp_path / "a.mp4")


@pytest.mark.parametrize("name, said", [("a.avi", r"'\.avi'.*\.gif"), ("a", "ending ''"), ("no/a.gif", "no folder"),
                                        (".", "ending")])
def test_a_path_that_is_no_film_is_refused(swinging, tmp_path, name, said):
    with pytest.raises(dal.FormatError, match=said):
        swinging.animate(tmp_path / name)


@pytest.mark.parametrize("key, value", [("fps", 0), ("fps", "fast"), ("speed", -1.0), ("size", 100), ("size", (8, 8)),
                                        ("speed", float("nan"))])
def test_numbers_that_make_no_film_are_refused(swinging, tmp_path, key, value):
    with pytest.raises(dal.ModelError, match=key):
        swinging.animate(tmp_path / "a.gif", **{key: value})


def test_a_film_takes_the_nearest_frames_at_equal_times():
    t = np.array([0.0, 0.1, 0.11, 0.5, 0.9, 1.0])
    assert film_frames(t, fps=10, speed=1.0).tolist() == [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5]
    assert len(film_frames(t, fps=25, speed=None)) == 76  # slowed down to three seconds
    assert len(film_frames(np.linspace(0, 100, 999), fps=10, speed=None)) == 121


def test_a_motion_that_leads_far_is_followed():
    m = dal.Model("stone").add(dal.Body("stone", mass=1.0, inertia=(0.1, 0.2, 0.3)),
                               dal.Free("flight", "ground", "stone", start_rate=(30.0, 0, 0)))
    s = scene_of(dal.run(m, until=1.0))
    camera = camera_for(s)
    own = camera.seen(s.position[:, 1], np.arange(len(s)), 100, 100)
    assert np.allclose(own[:, :2], 50.0, atol=1.0)
    assert np.ptp(camera.target, axis=0).max() == pytest.approx(30.0, rel=1e-3)
    assert np.ptp(camera_for(s, follow=False).target, axis=0).max() == 0.0


def test_a_picture_goes_into_given_axes_and_to_a_file(swinging, tmp_path):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert swinging.picture(ax=ax, frame=3, size=(80, 60)) is ax and len(ax.images) == 1
    swinging.picture(path=tmp_path / "a.png", size=(80, 60), trace=["rod.tip"], reactions=True)
    assert (tmp_path / "a.png").stat().st_size > 1000
    with pytest.raises(dal.ModelError, match="frame"):
        swinging.picture(frame=1000)


def test_springs_reach_from_place_to_place_and_arrows_along_their_force(swinging):
    s = scene_of(swinging, reactions=True)
    links = {link.name: link for link in s.links}
    spring = at_length(links["spring"], 7)
    assert np.allclose(spring.vertices[:5].mean(axis=0), swinging["rod.tip.position"][7])
    assert np.allclose(spring.vertices[-5:].mean(axis=0), (1, 0, 0))
    push = links["push"]
    assert np.allclose(np.cross(push.end - push.start, (1, 0, 0)), 0.0) and (push.end - push.start)[:, 0].min() > 0.0
    pivot, force = links["pivot"], swinging["pivot.force"]
    drawn = np.linalg.norm(pivot.end - pivot.start, axis=1)
    some = drawn > 0.0
    assert some.any()
    assert np.allclose(drawn[some] / drawn.max(), (np.linalg.norm(force, axis=1) / np.linalg.norm(force, axis=1).max())[some])


def test_a_link_without_length_is_not_drawn(swinging):
    s = scene_of(swinging)
    link = replace(s.links[0], end=s.links[0].start)
    assert at_length(link, 0) is None
