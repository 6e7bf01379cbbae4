"""URDF robots become models."""

import numpy as np
import pytest

import dalembert as dal

EPS = np.finfo(float).eps
ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper.arm">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
      <mass value="2.0"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
    </inertial>
  </link>
  <link name="slide"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="puck"/>
  <link name="ghost"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper.arm"/>
    <origin xyz="1 2 3" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
    <dynamics damping="0.7" friction="0.1"/>
  </joint>
  <joint name="slide" type="prismatic"><parent link="upper.arm"/><child link="slide"/></joint>
  <joint name="table" type="planar"><parent link="slide"/><child link="puck"/><axis xyz="0 0 1"/></joint>
  <joint name="fly" type="floating"><parent link="base"/><child link="ghost"/></joint>
</robot>
"""


def saved(tmp_path, text):
    """Return the path of a file with this text."""
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return path


def test_links_and_joints(tmp_path):
    """Names, kinds, axes, frames, masses and turned inertia."""
    model = dal.read_urdf(saved(tmp_path, ARM))
    assert model.name == "arm" and [b.name for b in model.bodies] == ["base", "upper_arm", "slide", "puck", "ghost"]
    kinds = {joint.name: type(joint) for joint in model.joints}
    assert kinds == {"base_base": dal.Fixed, "shoulder": dal.Revolute, "slide_joint": dal.Prismatic,
                     "table": dal.Planar, "fly": dal.Free}
    assert model["shoulder"].first == "base.shoulder" and model["shoulder"].second == "upper_arm"
    assert model["slide_joint"].axis == (1.0, 0.0, 0.0)
    checked = dal.check(model)
    upper = checked.bodies[2]
    assert upper.mass == 2.0 and upper.com.tolist() == [0, 0, 0.5]
    assert np.abs(upper.inertia - np.diag([2, 1, 2.5])).max() <= 10 * EPS
    place = checked.joints[1].first
    assert place.position.tolist() == [1, 2, 3]
    assert np.abs(place.rotation - [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]).max() <= 10 * EPS


def test_damping_and_what_is_left_out(tmp_path):
    """Damping becomes a joint spring; limits and friction are noted."""
    model = dal.read_urdf(saved(tmp_path, ARM))
    assert model["shoulder_damping"] == dal.JointSpring("shoulder_damping", "shoulder", damping=0.7)
    assert any("limits -1 to 1" in note for note in model.notes) and any("friction" in note for note in model.notes)
    assert model.replaced("shoulder", start=0.5).notes == model.notes


def test_floating_base(tmp_path):
    """The root link may move freely."""
    assert isinstance(dal.read_urdf(saved(tmp_path, ARM), floating_base=True)["base_base"], dal.Free)


def test_turned_inertia_against_the_definition(tmp_path):
    """Roll, pitch and yaw act about the fixed axes x, y and z in that order."""
    r, p, y = 0.3, -0.7, 1.1
    text = ARM.replace("0 0 1.5707963267948966", f"{r} {p} {y}")

    def about(axis, angle):
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        m = np.eye(3)
        m[i, i] = m[j, j] = np.cos(angle)
        m[j, i], m[i, j] = np.sin(angle), -np.sin(angle)
        return m

    turn = about(2, y) @ about(1, p) @ about(0, r)
    found = dal.check(dal.read_urdf(saved(tmp_path, text))).bodies[2].inertia
    assert np.abs(found - turn @ np.diag([1, 2, 2.5]) @ turn.T).max() <= 20 * EPS


FOLLOWER = """<robot name="hand"><link name="palm"/><link name="a"/><link name="b"/><link name="c"/>
  <joint name="thumb" type="revolute"><parent link="palm"/><child link="a"/><mimic joint="fing.er" multiplier="-2"/></joint>
  <joint name="fing.er" type="continuous"><parent link="palm"/><child link="b"/></joint>
  <joint name="slide" type="prismatic"><parent link="palm"/><child link="c"/><mimic joint="thumb" MORE/></joint>
</robot>"""


def test_a_mimicking_joint_is_geared(tmp_path):
    """coordinate = multiplier * other coordinate + offset; the other joint may come later in the file."""
    model = dal.read_urdf(saved(tmp_path, FOLLOWER.replace("MORE", 'multiplier="0.5" offset="0.1"')))
    assert model["thumb_mimic"] == dal.Gear("thumb_mimic", "fing_er", "thumb", ratio=-2.0, offset=0.0)
    assert model["slide_mimic"] == dal.Gear("slide_mimic", "thumb", "slide", ratio=0.5, offset=0.1)
    assert not any("mimic" in note for note in model.notes)


def test_a_fixed_joint_mimics_nothing(tmp_path):
    """Talos has such fingers: they stay where they are, and the notes say so."""
    model = dal.read_urdf(saved(tmp_path, FOLLOWER.replace("prismatic", "fixed").replace("MORE", "")))
    assert "slide_mimic" not in [part.name for part in model.constraints]
    assert "joint 'slide': what it mimics is left out, as it is fixed" in model.notes


def test_rounding_of_a_point_mass_is_no_inertia(tmp_path):
    """iCub has products of inertia of 1e-35 kg m² beside zero moments."""
    inertial = ('<inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
                '<inertia ixx="0" iyy="0" izz="0" ixy="0" iyz="0" ixz="2.4e-35"/></inertial>')
    model = dal.read_urdf(saved(tmp_path, f'<robot name="r"><link name="a">{inertial}</link></robot>'))
    assert not np.any(model["a"].inertia)


def test_a_mimicking_joint_without_a_ratio_is_held(tmp_path):
    """A multiplier of zero leaves the offset."""
    model = dal.read_urdf(saved(tmp_path, FOLLOWER.replace("MORE", 'multiplier="0" offset="0.1"')))
    assert model["slide_mimic"] == dal.Motion("slide_mimic", "slide", position=0.1)


@pytest.mark.parametrize("old, new, fragment", [
    ('joint="thumb"', 'joint="thum"', "Did you mean 'thumb'?"),
    ('joint="thumb"', 'joint="slide"', "'slide' itself"),
    ('joint="thumb"', "", "no attribute 'joint'"),
    ("MORE", 'offset="far"', 'found offset="far"'),
    ("prismatic", "planar", "the planar joint 'slide'"),
    ("continuous", "fixed", "the fixed joint 'fing_er'"),
])
def test_wrong_mimics_are_told(tmp_path, old, new, fragment):
    """File, line, found, expected."""
    with pytest.raises(dal.FormatError) as error:
        dal.read_urdf(saved(tmp_path, FOLLOWER.replace(old, new).replace("MORE", "")))
    assert "robot.urdf:" in str(error.value) and fragment in str(error.value)


JOINT = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
TWO = '<link name="a"/>\n<link name="b"/>\n'


@pytest.mark.parametrize("text, line, fragment", [
    ("<robot>", 1, "not XML"),
    ("", 1, "no element found"),
    ("<robot>\n<link>\n</robot>", 3, "mismatched tag"),
    ("<sdf/>", 1, "expected <robot>"),
    ("<robot/>", 1, "no <link>"),
    ("<robot>\n<link/></robot>", 2, "no attribute 'name'"),
    (f"<robot>\n{TWO}</robot>", 1, "'a', 'b' without a parent"),
    (f'<robot>\n{TWO}<link name="a"/></robot>', 4, "a second time"),
    (f"<robot>\n{TWO}{JOINT}\n{JOINT}</robot>", 5, "'b' as a child for the second time"),
    (f"<robot>\n{TWO}{JOINT.replace('fixed', 'fixd')}</robot>", 4, "Did you mean 'fixed'?"),
    (f"<robot>\n{TWO}{JOINT.replace('b', 'c')}</robot>", 2, None),
    (f"<robot>\n{TWO}{JOINT.replace('<child link=', '<chld link=')}</robot>", 4, "no <child>"),
    ('<robot>\n<link name="a"><inertial>\n<mass value="heavy"/></inertial></link></robot>', 3, 'found value="heavy"'),
    ('<robot>\n<link name="a"><inertial>\n<mass value="nan"/></inertial></link></robot>', 3, "finite number"),
    ('<robot>\n<link name="a"><inertial/></link></robot>', 2, "no <mass>"),
    ('<robot>\n<xacro:include filename="x"/></robot>', 2, "xacro first"),
    ('<!DOCTYPE x [\n<!ENTITY a "b">]>\n<robot/>', 2, "declaration of an entity"),
    ("<a>" * 300 + "</a>" * 300, 1, "nested"),
    ('<?xml version="1.0" encoding="klingon"?><robot/>', 1, "not XML"),
])
def test_wrong_files_are_told(tmp_path, text, line, fragment):
    """File, line, found, expected."""
    with pytest.raises(dal.FormatError) as error:
        dal.read_urdf(saved(tmp_path, text))
    assert "robot.urdf:" in str(error.value)
    if fragment is not None:
        assert fragment in str(error.value) and f"robot.urdf:{line} " in str(error.value)


def test_a_ring_of_links_is_told(tmp_path):
    """Links that are each other's parents hang on nothing."""
    ring = JOINT + JOINT.replace('"a"', '"c"').replace('"b"', '"a"').replace('"c"', '"b"')
    with pytest.raises(dal.FormatError, match="loop of joints"):
        dal.read_urdf(saved(tmp_path, f'<robot>{TWO}<link name="root"/>{ring}</robot>'))


def test_missing_file(tmp_path):
    """The path is reported."""
    with pytest.raises(dal.FormatError, match="none.urdf"):
        dal.read_urdf(tmp_path / "none.urdf")


def test_a_negative_inertia_has_its_line(tmp_path):
    """What the check finds is reported with the line of the link."""
    text = ARM.replace('ixx="1" ixy', 'ixx="-9" ixy')
    with pytest.raises(dal.ModelError, match=r"robot\.urdf:4 .*upper_arm.*none below zero"):
        dal.read_urdf(saved(tmp_path, text))


def test_an_impossible_inertia_is_noted(tmp_path):
    """Positive moments pass, though no body has them; the check reports them."""
    model = dal.read_urdf(saved(tmp_path, ARM.replace('ixx="1" ixy', 'ixx="9" ixy')))
    assert ["upper_arm" in note and "sum of the other two" in note for note in dal.check(model).notes] == [True]


def test_what_links_look_like(tmp_path):
    """Visuals, or else collision shapes."""
    text = """<robot name="r"><link name="a">
      <visual><origin xyz="1 0 0" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>
      <visual><geometry><mesh filename="package://r/a.stl" scale="0.001 0.001 0.001"/></geometry></visual>
      <collision><geometry><sphere radius="9"/></geometry></collision></link>
      <link name="b"><collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"""
    model = dal.read_urdf(saved(tmp_path, text))
    box, mesh = model["a"].drawing
    assert box.size == (1.0, 2.0, 3.0) and box.position == (1.0, 0.0, 0.0)
    assert np.abs(np.array(box.rotation) - [[np.cos(1), -np.sin(1), 0], [np.sin(1), np.cos(1), 0], [0, 0, 1]]).max() <= EPS
    assert (mesh.kind, mesh.size, mesh.file) == ("mesh", (0.001,) * 3, "package://r/a.stl")
    assert model["b"].drawing[0].size == (0.1, 0.4)
    assert dal.to_text(dal.from_text(dal.to_text(model))) == dal.to_text(model)
