"""MuJoCo robots become models."""

import numpy as np
import pytest

import dalembert as dal

EPS = np.finfo(float).eps
ARM = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="zyx"/>
  <option gravity="0 0 -9"/>
  <default><geom density="500"/>
    <default class="thick"><geom size="0.2"/><joint damping="0.3"/>
      <default class="thicker"><geom size="0.4"/></default></default></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 1" euler="0.3 -0.7 1.1" childclass="thick">
      <joint name="yaw" axis="0 0 1" range="-1 1"/>
      <joint name="lift" type="slide" axis="1 0 0" stiffness="7" springref="0.1" armature="0.2"/>
      <geom name="bulk" type="sphere"/>
      <frame pos="0 0 0.5" quat="1 1 0 0">
        <body name="lower" pos="0.1 0 0">
          <joint name="ball" type="ball" pos="0 0 0.2"/>
          <geom type="sphere" class="thicker" mass="3"/>
        </body>
      </frame>
    </body>
    <body name="loose" pos="1 2 3"><freejoint name="fly"/>
      <inertial pos="0 0 1" mass="2" fullinertia="3 4 5 0.1 0.2 0.3"/></body>
  </worldbody>
  <equality><connect name="tie" body1="lower" body2="loose" anchor="0.1 0.2 0.3"/>
    <joint name="cog" joint1="lift" joint2="yaw" polycoef="0.1 2 0 0 0"/></equality>
  <actuator><motor name="drive" joint="yaw"/></actuator>
</mujoco>
"""


def saved(tmp_path, text):
    """Return the path of a file with this text."""
    path = tmp_path / "robot.xml"
    path.write_text(text)
    return path


def test_bodies_joints_and_forces(tmp_path):
    """Kinds, chains, defaults, springs, equalities, and what is left out."""
    model = dal.read_mjcf(saved(tmp_path, ARM))
    assert model.gravity == (0.0, 0.0, -9.0)
    assert [b.name for b in model.bodies] == ["upper_1", "upper", "lower", "loose"]
    kinds = {joint.name: type(joint) for joint in model.joints}
    assert kinds == {"yaw": dal.Revolute, "lift": dal.Prismatic, "ball": dal.Spherical, "fly": dal.Free,
                     "tie": dal.Spherical}
    assert model["tie"].cut and model["cog"] == dal.Gear("cog", "yaw", "lift", 2.0, 0.1)
    assert model["lift"].armature == 0.2 and model["drive"] == dal.Motor("drive", "yaw")
    assert model["lift_spring"] == dal.JointSpring("lift_spring", "lift", stiffness=7.0, damping=0.3, rest=0.1)
    volume = 4 / 3 * np.pi * 0.2**3
    assert model["upper"].mass == pytest.approx(500 * volume, rel=10 * EPS) and model["lower"].mass == 3.0
    assert np.trace(model["lower"].inertia) == pytest.approx(3 * 0.4 * 3 * 0.4**2, rel=10 * EPS)
    assert np.abs(np.array(model["loose"].inertia) - [[3, .1, .2], [.1, 4, .3], [.2, .3, 5]]).max() <= 10 * EPS
    for fragment in ("'yaw': its limits -1 1", "motor 'drive' is at rest", "contacts"):
        assert any(fragment in note for note in model.notes), fragment


SHAPES = ['type="box" size="0.1 0.2 0.3"', 'type="capsule" size="0.1 0.4"', 'type="cylinder" size="0.1 0.4"',
          'type="ellipsoid" size="0.1 0.2 0.3"', 'type="capsule" size="0.1" fromto="0 0 0 0.3 0.4 0.5"',
          'type="box" size="0.1 0.2" fromto="0 0 0 0.3 0.4 0.5"', 'type="cylinder" size="0.1" fromto="1 0 0 0.3 0.4 0"']
TURNS = ['quat="1 2 3 4"', 'axisangle="1 2 3 40"', 'euler="10 20 30"', 'xyaxes="1 2 3 0 1 0"', 'zaxis="1 2 3"']


@pytest.mark.parametrize("inner", [*SHAPES, *(f'{SHAPES[0]} {turn}' for turn in TURNS)])
@pytest.mark.parametrize("order", ["xyz", "ZYX", "zxz"])
def test_masses_are_those_of_mujoco(tmp_path, inner, order):
    """Mass, centre of mass and inertia of a body of two geoms."""
    mujoco = pytest.importorskip("mujoco")
    path = saved(tmp_path, f'<mujoco><compiler eulerseq="{order}"/><worldbody><body name="b"><joint/>'
                           f'<geom {inner}/><geom size="0.1" pos="0 1 0"/></body></worldbody></mujoco>')
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), dal.read_mjcf(path)["b"]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, theirs.body_iquat[1])
    turn = turn.reshape(3, 3)
    inertia = turn @ np.diag(theirs.body_inertia[1]) @ turn.T
    assert ours.mass == pytest.approx(theirs.body_mass[1], rel=100 * EPS)
    assert np.abs(theirs.body_ipos[1] - ours.com).max() <= 100 * EPS
    assert np.abs(inertia - ours.inertia).max() <= 1e-12 * inertia.max()  # they diagonalise by iteration to 1e-12


@pytest.mark.parametrize("text, line, fragment", [
    ("<mujoco>\n<worldbody>", 2, "not XML"),
    ("<robot/>", 1, "expected <mujoco>"),
    ('<mujoco><worldbody>\n<body><joint type="hing"/></body></worldbody></mujoco>', 2, "Did you mean 'hinge'?"),
    ('<mujoco><worldbody>\n<body><joint axis="0 0"/></body></worldbody></mujoco>', 2, '3 finite numbers'),
    ('<mujoco><worldbody>\n<body><geom size="far"/></body></worldbody></mujoco>', 2, 'size="far"'),
    ('<mujoco><worldbody>\n<body pos="0 0 nan"/></worldbody></mujoco>', 2, "finite"),
    ('<mujoco><worldbody>\n<body><geom class="no"/></body></worldbody></mujoco>', 2, "the class 'no'"),
    ('<mujoco><worldbody>\n<replicate count="3"/></worldbody></mujoco>', 2, "mj_saveLastXML"),
    ('<mujoco>\n<equality><connect body1="a" anchor="0 0 0"/></equality></mujoco>', 2, 'body1="a"'),
])
def test_wrong_files_are_told(tmp_path, text, line, fragment):
    """File, line, found, expected."""
    with pytest.raises(dal.FormatError) as error:
        dal.read_mjcf(saved(tmp_path, text))
    assert fragment in str(error.value) and f"robot.xml:{line} " in str(error.value)


def test_included_files(tmp_path):
    """What another file holds takes the place of its include."""
    (tmp_path / "part.xml").write_text('<mujoco><body name="b"><joint/><geom size="1"/></body></mujoco>')
    model = dal.read_mjcf(saved(tmp_path, '<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>'))
    assert [b.name for b in model.bodies] == ["b"]


CHAIN = """<mujoco><option><flag contact="disable" constraint="disable"/></option><worldbody>
  <body pos="0 0 1" euler="10 20 30"><joint name="a" axis="1 2 0" pos="0.1 0 0.2" damping="0.4"/>
    <joint name="b" type="slide" axis="0 1 1" stiffness="30" springref="0.2" ref="0.05"/>
    <joint name="c" axis="0 0 1" ref="20" stiffness="5" springref="50"/>
    <geom type="capsule" size="0.1" fromto="0 0 0 0.3 0.1 0.5"/>
    <frame pos="0.3 0.1 0.5" euler="40 0 10">
      <body quat="1 0.2 0.3 0"><joint name="d" axis="1 0 0" pos="0 0.1 0"/><geom type="box" size="0.1 0.2 0.3" pos="0 0 0.3"/>
        <body pos="0 0 0.6" zaxis="1 1 1"><geom type="ellipsoid" size="0.1 0.2 0.05"/></body></body></frame></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_mujoco(tmp_path, seed):
    """Several joints in one body, frames, anchors, springs with a reference, a welded body."""
    mujoco = pytest.importorskip("mujoco")
    path, rng = saved(tmp_path, CHAIN), np.random.default_rng(seed)
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), dal.read_mjcf(path)
    data = mujoco.MjData(theirs)
    q, qd = rng.normal(size=4), rng.normal(size=4)
    data.qpos, data.qvel = theirs.qpos0 + q, qd
    mujoco.mj_forward(theirs, data)
    found = dal.assemble(ours, start=dict(zip("abcd", q.tolist(), strict=True)),
                         start_rate=dict(zip("abcd", qd.tolist(), strict=True)))
    qdd = np.array([found[f"{name}.acceleration"][0] for name in "abcd"])
    assert np.abs(qdd - data.qacc).max() <= 1e-10 * np.abs(data.qacc).max()  # rounding times the mass matrix's condition


def inertia_of(mujoco, model, i):
    """Return the inertia of a body of MuJoCo in the body's axes."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[i])
    turn = turn.reshape(3, 3)
    return turn @ np.diag(model.body_inertia[i]) @ turn.T


BOWL = [(0, 0, 0), (1, 0, 0), (1, 1.5, 0), (0, 1, 0), (0.5, 0.5, 0.2), (0, 0, 1), (1, 0, 1.2), (1, 1, 1), (0, 1, 0.9)]
"""A box with a dented bottom; one side is missing."""
SIDES = [(0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0), (5, 6, 7), (5, 7, 8), (0, 1, 6), (0, 6, 5), (1, 2, 7), (1, 7, 6),
         (2, 3, 8), (2, 8, 7)]


@pytest.mark.parametrize("mode", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("more", ["", 'scale="0.5 -1 2"', 'refpos="0.1 0.2 0.3" refquat="1 2 3 4"'])
def test_meshes_weigh_what_they_weigh_in_mujoco(tmp_path, mode, more):
    """Open, dented, mirrored, moved and turned surfaces."""
    mujoco = pytest.importorskip("mujoco")
    vertex, face = (" ".join(map(str, np.ravel(a))) for a in (BOWL, SIDES))
    path = saved(tmp_path, f'<mujoco><asset><mesh name="m" inertia="{mode}" {more} vertex="{vertex}" face="{face}"/></asset>'
                           '<worldbody><body name="b"><joint/><geom type="mesh" mesh="m" pos="0 0 1" density="7"/></body>'
                           '</worldbody></mujoco>')
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), dal.read_mjcf(path)["b"]
    single = 1e-6  # vertices have single precision, principal axes are found to a millionth
    assert ours.mass == pytest.approx(theirs.body_mass[1], rel=single)
    assert np.abs(np.array(ours.com) - theirs.body_ipos[1]).max() <= single
    wanted = inertia_of(mujoco, theirs, 1)
    assert np.abs(np.array(ours.inertia) - wanted).max() <= 4 * single * np.abs(wanted).max()


def test_meshes_of_mujocos_own_files(tmp_path):
    """MSH: four counts, vertices, normals, texture coordinates, triangles."""
    points, faces = np.array(BOWL, "<f4"), np.array(SIDES, "<i4")
    head = np.array([len(points), 0, 0, len(faces)], "<i4")
    (tmp_path / "bowl.msh").write_bytes(head.tobytes() + points.tobytes() + faces.tobytes())
    body = '<worldbody><body name="b"><joint/><geom type="mesh" mesh="bowl"/></body></worldbody>'
    text = f'<mujoco><asset><mesh file="bowl.msh"/></asset>{body}</mujoco>'
    vertex, face = (" ".join(map(str, np.ravel(a))) for a in (BOWL, SIDES))
    same = f'<mujoco><asset><mesh name="bowl" vertex="{vertex}" face="{face}"/></asset>{body}</mujoco>'
    read = dal.read_mjcf(saved(tmp_path, text))["b"]
    assert read.mass == dal.read_mjcf(saved(tmp_path, same))["b"].mass
    assert read.drawing[0].kind == "mesh" and read.drawing[0].file.endswith("bowl.msh")
    (tmp_path / "bowl.msh").write_bytes(head.tobytes())
    with pytest.raises(dal.FormatError, match="MSH"):
        dal.read_mjcf(saved(tmp_path, text))


SPRINGS = """<mujoco><option><flag contact="disable" FLAG/></option><default><joint armature="0.02"/></default><worldbody>
  <body pos="0 0 1" euler="10 20 30"><joint name="a" axis="1 2 0" pos="0.1 0 0.2" springdamper="0.3 0.7"/>
    <joint name="b" type="slide" axis="0 1 1" springdamper="0.5 1" springref="0.2"/>
    <geom type="capsule" size="0.1" fromto="0 0 0 0.3 0.1 0.5"/>
    <body pos="0.3 0.1 0.5"><joint name="c" type="ball" springdamper="0.2 0.5"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0 0 0.3"/></body></body>
  <body pos="1 0 0" euler="40 0 10"><joint name="d" type="free" damping="0.3" stiffness="2"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("flag", ["", 'gravity="disable"', 'spring="disable"', 'damper="disable"'])
def test_sized_springs_free_joints_rotors_and_flags_are_those_of_mujoco(tmp_path, flag):
    """Stiffness and damping follow from what a joint carries; free joints have springs, too; flags switch off."""
    pytest.importorskip("mujoco")
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    from foreign_mujoco import MujocoPeer
    from foreign_peers import AGREED, compare

    path = saved(tmp_path, SPRINGS.replace("FLAG", flag))
    found = compare(MujocoPeer(path, dal.read_mjcf(path)), motion=0.05)
    assert found.worst() <= AGREED, found.notes


def test_what_bodies_look_like(tmp_path):
    """Whole lengths, poses in the body, frames; kept by the model text."""
    model = dal.read_mjcf(saved(tmp_path, """<mujoco><worldbody><body name="b"><joint/>
      <geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/><frame pos="0 0 2"><geom type="capsule" size="0.1 0.4"/></frame>
      <geom type="cylinder" size="0.1" fromto="0 0 0 0 0 3"/><geom type="sphere" size="0.5" mass="0"/></body></worldbody>
      </mujoco>"""))
    box, capsule, cylinder, sphere = model["b"].drawing
    assert (box.kind, box.size, box.position) == ("box", (0.2, 0.4, 0.6), (1.0, 0.0, 0.0))
    assert (capsule.kind, capsule.size, capsule.position) == ("capsule", (0.1, 0.8), (0.0, 0.0, 2.0))
    assert cylinder.size == (0.1, 3.0) and cylinder.position == (0.0, 0.0, 1.5) and sphere.size == (0.5,)
    assert dal.to_text(dal.from_text(dal.to_text(model))) == dal.to_text(model)
    assert dal.from_text(dal.to_text(model))["b"].drawing[0].size == [0.2, 0.4, 0.6]


def test_bodies_that_mujoco_moves_are_told(tmp_path):
    """A mocap body stands still here."""
    model = dal.read_mjcf(saved(tmp_path, '<mujoco><worldbody><body name="b" mocap="true"><geom size="1"/></body></worldbody>'
                                          '</mujoco>'))
    assert any("'b': it is moved from outside" in note for note in model.notes)


LOOPS = """<mujoco><option><flag contact="disable"/></option><default><joint damping="0.05" armature="0.01"/></default>
<worldbody>
  <body name="crank" pos="0 0 1" euler="10 20 30"><joint name="a" axis="0 1 0"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0 0.3"/>
    <body name="rod" pos="0.2 0 0.3"><joint name="b" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.7 0 0.1"/>
      <body name="rocker" pos="0.7 0 0.1"><joint name="c" axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.1 0 -0.4"/></body></body></body>
  <body name="p"><joint name="d" axis="1 2 0"/><geom type="box" size="0.1 0.2 0.1" pos="0.3 0 0"/>
    <body pos="0.5 0 0"><joint name="e" type="slide" axis="1 0 0" ref="0.1"/><joint name="f" axis="0 0 1"/>
      <geom type="box" size="0.2 0.1 0.1" pos="0.2 0 0"/>
      <body pos="0.2 0 0.2"><joint name="g" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body></body></body>
</worldbody>
<tendon><fixed name="one"><joint joint="d" coef="2"/><joint joint="f" coef="-1"/><joint joint="g" coef="0.5"/></fixed>
  <fixed name="two"><joint joint="e" coef="3"/></fixed></tendon>
<equality>WHAT</equality></mujoco>"""


@pytest.mark.parametrize("what", [
    '<connect body1="rocker" anchor="0.1 0 -0.4"/>',
    '<joint joint1="f" joint2="g" polycoef="0 -0.7 0 0 0"/>',
    '<tendon tendon1="one"/>',
    '<tendon tendon1="one" tendon2="two" polycoef="0 1.5 0 0 0"/>',
    '<connect body1="rocker" anchor="0.1 0 -0.4"/><joint joint1="e" joint2="d" polycoef="0 0.2 0 0 0"/>',
    '<weld body1="p"/>',
])
def test_loops_are_those_of_mujoco(tmp_path, what):
    """Accelerations of closed loops with hard constraints, as drawn and after a motion of ours."""
    pytest.importorskip("mujoco")
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    from foreign_mujoco import MujocoPeer
    from foreign_peers import AGREED, compare

    path = saved(tmp_path, LOOPS.replace("WHAT", what))
    peer = MujocoPeer(path, dal.read_mjcf(path))
    found = compare(peer)
    assert peer.loops and found.worst() <= AGREED, found.notes
