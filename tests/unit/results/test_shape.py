"""Shapes and stresses of flexible parts from poses made by hand: closed forms, rigid motions, chains, references."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from posed_results import posed
from scipy.spatial.transform import Rotation

import dalembert as dal
from dalembert.flex.beam_superelement import reduced_beam
from dalembert.flex.interface_frame import interface_frame
from dalembert.flex.superelement import frame_point

EPS = float(np.finfo(float).eps)
L, H, E = 0.8, 0.02, 2.1e11
STEEL = dal.Material(young=E, poisson=0.3, density=7850.0)
SECTION = dal.Rectangle(height=H, width=0.01)
TURN = Rotation.from_rotvec([0.7, -1.9, 0.4]).as_matrix()
PLACE = np.array([3.0, -2.0, 5.0])


def beam_model(bodies=1, section=SECTION, **more):
    m = dal.Model("beam", gravity=(0, 0, 0))
    return m.add(dal.Beam("rod", length=L, section=section, material=STEEL, theory="euler-bernoulli", bodies=bodies, **more),
                 dal.Fixed("clamp", "ground", "rod.start"))


def about_z(angle):
    return Rotation.from_rotvec(np.multiply.outer(np.asarray(angle), [0.0, 0.0, 1.0])).as_matrix()


def carried(poses):
    """Return poses moved rigidly by TURN and PLACE."""
    return {name: (PLACE + np.asarray(r) @ TURN.T, TURN @ R) for name, (r, R) in poses.items()}


def tip_load(slope, x=L):
    """Deflection, slope and bending stress at x of a cantilever whose tip turns by `slope`."""
    k = 2 * slope / L**2  # F/EI
    return k * x**2 * (3 * L - x) / 6, k * (L * x - x**2 / 2), E * k * (L - x) * H / 2


def bent(slope, points=()):
    """Poses of a cantilever under a tip load, foreshortened to second order."""
    v, angle, _ = tip_load(slope)
    short = (2 * slope / L**2) ** 2 * L**5 / 15
    poses = {"rod.start": (np.zeros((1, 3)), np.eye(3)[None]), "rod.end": ([[L - short, v, 0]], about_z([angle]))}
    return carried(poses | {f"rod.{name}": (np.zeros((1, 3)), np.eye(3)[None]) for name in points})


def test_a_bent_cantilever_between_its_ends():
    slope = 1e-4
    model = beam_model()
    shape = posed(model, bent(slope)).shape(model, "rod")
    local, x = (shape.nodes - PLACE) @ TURN, ((shape.undeformed - PLACE) @ TURN)[:, 0]
    v, angle, stress = tip_load(slope, x)
    assert np.allclose(x, np.linspace(0, L, len(x)), atol=10 * EPS * L)
    assert np.abs(local[:, 1] - v).max() < slope**2 * L  # geometry of second order
    assert np.abs(shape.stress - stress).max() < E * slope**2  # strains of second order
    assert np.abs(TURN.T @ shape.axes - about_z(angle)).max() < slope**2
    assert np.allclose(shape.displacement @ TURN, local - x[:, None] * [1, 0, 0], atol=10 * EPS * np.abs(PLACE).max())
    far = posed(model, bent(slope)).shape(model, "rod", exaggeration=50.0)
    assert np.allclose(far.nodes - far.undeformed, 50 * shape.displacement, atol=1e3 * EPS * np.abs(PLACE).max())


def floated(slope, place="mid", at=0.3 * L, short=0.0):
    """Results of the same cantilever as the tree formulations record it, the tip drawn back by `short`."""
    model = beam_model(points={place: at})
    reduced = reduced_beam(length=L, section=SECTION, material=STEEL, theory="euler-bernoulli", points={place: at})
    floating = reduced.floating("start")
    v, angle, _ = tip_load(slope)
    wanted = np.zeros(12)
    wanted[7], wanted[11] = v, angle
    modal = np.linalg.lstsq(floating.coordinates, wanted, rcond=None)[0]
    mid, mid_angle, _ = tip_load(slope, at)
    poses = {"rod.start": (np.zeros((1, 3)), np.eye(3)[None]), "rod.end": ([[L - short, v, 0]], about_z([angle])),
             f"rod.{place}": ([[at, mid, 0]], about_z([mid_angle]))}
    frame = (PLACE[None], TURN[None])
    return model, posed(model, carried(poses), {"rod": modal[None]}, {"rod": frame}, {"rod": "rod.start"})


def test_a_bent_cantilever_in_its_floating_frame_is_exact():
    model, results = floated(0.05)
    shape = results.shape(model, "rod")
    local, x = (shape.nodes - PLACE) @ TURN, ((shape.undeformed - PLACE) @ TURN)[:, 0]
    v, _, stress = tip_load(0.05, x)
    rounding = 100 * EPS * np.abs(PLACE).max()
    assert np.abs(local[:, 1] - v).max() < rounding and np.abs(local[:, 0] - x).max() < rounding
    assert np.abs(shape.stress - stress).max() < 1e4 * EPS * stress.max()  # stiffness of 8 elements amplifies rounding


def test_foreshortening_moves_the_shape_but_is_no_stress():
    short = 0.004
    model, results = floated(0.05, short=short)
    shape, plain = results.shape(model, "rod"), floated(0.05)[1].shape(model, "rod")
    rounding = 100 * EPS * np.abs(PLACE).max()
    assert np.abs(shape.nodes[-1] - results["rod.end.position"][0]).max() < rounding
    moved, x = (shape.nodes - plain.nodes) @ TURN, np.linspace(0, L, len(shape.nodes))
    assert np.allclose(moved, np.outer(-short * x / L, [1, 0, 0]), atol=rounding)
    assert np.array_equal(shape.stress, plain.stress)


def test_stress_over_time_at_places_and_of_the_whole_part():
    model, results = floated(0.05)
    _, _, root = tip_load(0.05, 0.0)
    _, _, mid = tip_load(0.05, 0.3 * L)
    rounding = 1e4 * EPS * root
    assert results.stress(model, "rod") == pytest.approx([root], abs=rounding)
    assert results.stress(model, "rod.mid") == pytest.approx([mid], abs=rounding)
    forces = results.stress(model, "rod.mid", components=True)
    moment = mid * SECTION.iz / (H / 2)
    assert forces.shape == (1, 6) and forces[0, 5] == pytest.approx(moment, rel=1e4 * EPS)
    assert forces[0, 1] == pytest.approx(2 * 0.05 / L**2 * E * SECTION.iz, rel=1e4 * EPS)  # Vy of the tip load


def arc(bodies, curvature):
    """Poses of the nodes of a beam bent to an arc, the exact solution under a tip moment."""
    s = np.linspace(0, L, bodies + 1)
    names = ["start", *map(str, range(1, bodies)), "end"]
    at = np.stack([np.sin(curvature * s), 1 - np.cos(curvature * s), 0 * s], axis=1) / curvature
    axes = about_z(curvature * s)
    return carried({f"rod.{name}": (at[k:k + 1], axes[k:k + 1]) for k, name in enumerate(names)})


def test_a_chain_bent_to_an_arc_is_continuous_and_converges():
    curvature, errors = 1.5 / L, []
    for bodies in (4, 8, 16):
        model = beam_model(bodies)
        results = posed(model, arc(bodies, curvature))
        shape = results.shape(model, "rod")
        per = len(shape.nodes) // bodies
        ends, starts = shape.nodes[per - 1:-1:per], shape.nodes[per::per]
        faces = np.array([results[f"rod.{k}.position"][0] for k in range(1, bodies)])
        rounding = 100 * EPS * np.abs(PLACE).max()
        assert np.abs(ends - starts).max() < rounding and np.abs(ends - faces).max() < rounding
        assert np.abs(shape.axes[per - 1:-1:per] - shape.axes[per::per]).max() < rounding
        local = (shape.nodes - PLACE) @ TURN
        off = np.abs(np.hypot(local[:, 0], local[:, 1] - 1 / curvature) - 1 / curvature).max()
        errors.append((off, np.abs(shape.stress - E * curvature * H / 2).max()))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders[:, 0] > 3.8) and np.all(orders[:, 1] > 1.9)  # cubic shapes; chords shorter than arcs


def bodies_of_all_kinds():
    box = dal.flex.box((0.5, 0.08, 0.05), divisions=(6, 2, 1), material=STEEL)
    plate = dal.flex.plate((0.5, 0.08), thickness=0.01, divisions=(6, 2), material=STEEL)
    fe = dal.flex.beam(length=L, section=SECTION, material=STEEL, elements=6)
    return {"box": dal.flex.craig_bampton(box, interfaces={"hub": "-x", "tip": "+x"}, modes=3, points={"side": "+y"}),
            "plate": dal.flex.craig_bampton(plate, interfaces={"hub": "-x", "tip": "+x"}, modes=2),
            "beam": dal.flex.craig_bampton(fe, interfaces={"hub": "start", "mid": 3, "tip": "end"}, modes=2)}


BODIES = bodies_of_all_kinds()


def body_model(kind):
    m = dal.Model("body", gravity=(0, 0, 0))
    return m.add(dal.FlexibleBody("arm", BODIES[kind]), dal.Fixed("clamp", "ground", "arm.hub"))


def body_poses(reduced, q, position=PLACE, turn=TURN):
    """Poses of the interfaces of a body with coordinates q in a frame, and of its points undeformed."""
    poses = {}
    for k, (name, place) in enumerate(reduced.places.items()):
        u, theta = (q[6 * k:6 * k + 3], q[6 * k + 3:6 * k + 6]) if k < len(reduced.interfaces) else (0.0, np.zeros(3))
        poses[f"arm.{name}"] = ((position + turn @ (place.position + u))[None],
                                (turn @ Rotation.from_rotvec(theta).as_matrix() @ place.orientation)[None])
    return poses


@pytest.mark.parametrize("kind", BODIES)
def test_rigid_motions_neither_displace_nor_stress(kind):
    reduced, model = BODIES[kind], body_model(kind)
    results = posed(model, body_poses(reduced, np.zeros(reduced.n)), {"arm": np.zeros((1, reduced.n_modes))})
    shape = results.shape(model, "arm")
    assert np.allclose(shape.nodes, PLACE + reduced.model.nodes @ TURN.T, atol=100 * EPS * np.abs(PLACE).max())
    rounding = 100 * EPS * np.abs(PLACE).max()
    assert np.abs(shape.displacement).max() < rounding
    assert shape.stress.max() < E * rounding / 0.01  # strains over the thinnest elements


@pytest.mark.parametrize("kind", BODIES)
def test_coordinates_come_back_from_the_poses_of_the_interfaces(kind):
    reduced = BODIES[kind]
    rng = np.random.default_rng(5)
    q = np.where(reduced.active, rng.uniform(-0.1, 0.1, reduced.n), 0.0) * np.where(np.arange(reduced.n) % 6 < 3, 0.1, 1.0)
    poses = list(body_poses(reduced, q).values())[:len(reduced.interfaces)]
    positions, axes = np.stack([r for r, _ in poses], axis=1), np.stack([a for _, a in poses], axis=1)
    found = interface_frame(reduced, positions, axes, q[None, 6 * len(poses):])
    if reduced.active.all():
        _, motion = frame_point(reduced)
        assert np.abs(motion @ found.coordinates[0]).max() < 1e3 * EPS * np.abs(PLACE).max()
    u = found.coordinates[0, :6 * len(poses)].reshape(-1, 6)
    again = found.position + (reduced.positions - found.origin + u[:, :3]) @ found.rotation[0].T
    assert np.allclose(again, positions[0], atol=100 * EPS * np.abs(PLACE).max())
    turned = found.rotation @ Rotation.from_rotvec(u[:, 3:]).as_matrix() @ reduced.rotations
    assert np.allclose(turned, axes[0], atol=100 * EPS)
    free = found.coordinates[0]  # coordinates that meet the frame's conditions are found again, wherever the body stands
    poses = list(body_poses(reduced, free, PLACE + 1.0, TURN @ TURN).values())[:len(reduced.interfaces)]
    second = interface_frame(reduced, np.stack([r for r, _ in poses], axis=1), np.stack([a for _, a in poses], axis=1),
                             q[None, 6 * len(poses):])
    assert np.allclose(second.coordinates[0], free, atol=1e3 * EPS * np.abs(PLACE + 1).max())


def test_a_body_bent_too_far_is_told():
    model = beam_model()
    poses = {"rod.start": (np.zeros((1, 3)), np.eye(3)[None]), "rod.end": ([[0.3, 0.3, 0]], about_z([2.5]))}
    with pytest.raises(dal.ConvergenceError, match="more bodies"):
        posed(model, poses).shape(model, "rod")


def test_references():
    model = beam_model(4, points={"mid": L / 2})
    results = posed(model, arc(4, 1.0 / L))
    for place, node in (("end", -1), ("start", 0)):
        shape = results.shape(model, "rod", reference=place)
        assert np.abs(shape.displacement[node]).max() < 100 * EPS * np.abs(PLACE).max()
    base = results.shape(model, "rod")
    deflection = results["rod.end.deflection"][0]
    assert np.allclose(base.displacement[-1], TURN @ deflection, atol=100 * EPS * np.abs(PLACE).max())
    chord = results.shape(model, "rod", reference=("start", "end"))
    along = (chord.undeformed[-1] - chord.undeformed[0]) / L
    assert np.abs(chord.displacement[0]).max() < 100 * EPS * np.abs(PLACE).max()
    assert np.allclose(np.cross(chord.displacement[-1], along), 0.0, atol=100 * EPS * np.abs(PLACE).max())
    sideways = np.linalg.norm(np.cross(chord.displacement, along), axis=1)
    assert sideways.max() == pytest.approx(L * (1 - np.cos(0.5)), rel=1e-3)  # sagitta of the arc, cubic shapes


def test_faults_are_told():
    model = beam_model(2)
    results = posed(model, arc(2, 0.1))
    for call, words in ((lambda: results.shape(model, "rot"), "Did you mean 'rod'"),
                        (lambda: results.shape(model, "rod", 7), "the run has 1 frames"),
                        (lambda: results.shape(model, "rod", reference="mid"), "no place 'mid'"),
                        (lambda: results.shape(model, "rod", reference=("end", "end")), "two for the chord"),
                        (lambda: results.shape(beam_model(3), "rod"), "expected the model of the run"),
                        (lambda: results.shape(beam_model(2, modes=1), "rod"), "0 elastic coordinates, the model 1"),
                        (lambda: results.stress(model, "rod.middle"), "no place 'middle'"),
                        (lambda: results.stress(model, "rod", components=True), "at a place"),
                        (lambda: results.plot_shape(model, colour="heat"), "'stress', 'displacement' or None")):
        with pytest.raises(dal.ModelError, match=words):
            call()


def test_sections_without_fibres_have_shapes_but_no_stress():
    plain = dal.Section(area=1e-4, iy=1e-9, iz=1e-9, torsion=1e-9)
    model = beam_model(2, section=plain)
    results = posed(model, arc(2, 0.1))
    assert results.shape(model, "rod").stress is None
    results.plot_shape(model, colour="displacement")
    for call in (lambda: results.stress(model, "rod"), lambda: results.plot_shape(model)):
        with pytest.raises(dal.ModelError, match=r"extent=\(y, z\)"):
            call()
    assert results.stress(beam_model(2), "rod").shape == (1,)


def test_bodies_by_standard_input_data_show_their_places(tmp_path):
    dal.flex.write_sid(BODIES["box"].floating("hub"), tmp_path / "arm.sid")
    source = dal.flex.read_sid(tmp_path / "arm.sid")
    model = dal.Model("sid").add(dal.FlexibleBody("arm", source), dal.Fixed("clamp", "ground", "arm.hub"))
    poses = {f"arm.{name}": ((PLACE + TURN @ place.position)[None], (TURN @ place.orientation)[None])
             for name, place in source.places.items()}
    results = posed(model, poses)
    shape = results.shape(model, "arm")
    assert shape.nodes.shape == (len(source.places), 3) and shape.cells == () and shape.stress is None
    assert np.abs(shape.displacement).max() < 100 * EPS * np.abs(PLACE).max()
    results.plot_shape(model, colour=None)
    with pytest.raises(dal.ModelError, match="craig_bampton"):
        results.stress(model, "arm.hub")


def test_bodies_of_foreign_matrices_are_dots_coloured_by_displacement():
    fe = BODIES["beam"].model
    foreign = dal.flex.matrices(fe.stiffness, fe.mass, nodes=fe.nodes)
    reduced = dal.flex.craig_bampton(foreign, interfaces={"hub": 0, "tip": 6}, modes=0)
    model = dal.Model("foreign").add(dal.FlexibleBody("arm", reduced), dal.Fixed("clamp", "ground", "arm.hub"))
    q = np.zeros(12)
    q[7], q[11] = 0.01, 0.02
    results = posed(model, body_poses(reduced, q))
    axes = results.plot_shape(model, "arm", colour="displacement").axes[0]
    dots = [c for c in axes.collections if c.get_array() is not None]
    assert len(dots) == 1 and np.max(dots[0].get_array()) == pytest.approx(10.0, rel=0.01)  # mm at the tip
    with pytest.raises(dal.ModelError, match="colour='displacement'"):
        results.plot_shape(model)


def test_a_picture_tells_stress_in_colours_and_leaves_no_window_behind(tmp_path):
    model = beam_model(4)
    results = posed(model, arc(4, 0.2 / L))
    figure = results.plot_shape(model, frame=[0, -1], exaggeration=2.0, path=tmp_path / "shape.png")
    assert (tmp_path / "shape.png").stat().st_size > 10_000 and plt.get_fignums() == []
    axes, bar = figure.axes
    assert bar.get_ylabel() == "stress [MPa]" and "× 2" in axes.get_title()
    coloured = [c for c in axes.collections if c.get_array() is not None]
    shape = results.shape(model, "rod")
    assert len(coloured) == 2 and np.max(coloured[0].get_array()) == pytest.approx(shape.stress.max() / 1e6, rel=0.1)
    edges = np.array([np.ptp(getattr(axes, f"get_{a}lim")()) for a in "xyz"])
    ratio = np.array(axes._box_aspect) / edges
    assert np.allclose(ratio, ratio[0])  # equal scales
    given = figure.add_subplot(projection="3d")
    assert results.plot_shape(model, "rod", ax=given, colour=None) is given


@pytest.mark.parametrize("kind", ["box", "plate"])
def test_pictures_of_surfaces(kind):
    model, reduced = body_model(kind), BODIES[kind]
    q = np.zeros(reduced.n)
    q[reduced.slot("tip")] = [0.0, 0.01, 0, 0, 0, 0.03]
    results = posed(model, body_poses(reduced, q), {"arm": np.zeros((1, reduced.n_modes))})
    figure = results.plot_shape(model, "arm", colour="displacement")
    assert figure.axes[1].get_ylabel() == "displacement [mm]"
    shape = results.shape(model, "arm")
    assert {c.shape[1] for c in shape.cells} == {4} and shape.stress.shape == (len(shape.nodes),)
