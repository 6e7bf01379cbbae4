"""Limits and dry friction of joints: closed forms, agreement of formulations, invariance, bad input."""

import numpy as np
import pytest

import dalembert as dal

Y, Z = (0, 1, 0), (0, 0, 1)
FORMULATIONS = ("recursive", "semi-recursive", "global")


def kinds(r, name):
    return [e.kind for e in r.events if e.contact == name]


def slider(**joint):
    """A block of 2 kg on a rail."""
    m = dal.Model("slider", gravity=(0, 0, -9.81))
    m.add(dal.Body("block", mass=2.0, inertia=dal.inertia_box(2.0, (0.2, 0.2, 0.1))),
          dal.Prismatic("rail", "ground", "block", axis=(1, 0, 0), **joint))
    return m


def arm(**elbow):
    """A double pendulum with an elbow that stops at half a radian."""
    m = dal.Model("arm", gravity=(0, 0, -9.81))
    rod = dict(mass=1.0, com=(0, 0, -0.5), inertia=dal.inertia_rod(1.0, length=1.0, axis="z"))
    m.add(dal.Body("upper", **rod, points={"tip": (0, 0, -1)}), dal.Body("lower", **rod),
          dal.Revolute("shoulder", "ground", "upper", axis=Y, start=1.0),
          dal.Revolute("elbow", "upper.tip", "lower", axis=Y, **({"limits": (None, 0.5), "restitution": 0.5} | elbow)))
    return m


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_a_slider_is_stopped_by_its_limits(e):
    r = dal.run(slider(start=0.0, start_rate=2.0, limits=(-0.5, 0.5), restitution=e), until=0.6, accuracy=1e-9)
    first, *others = (hit for hit in r.events if hit.kind == "impact")
    assert first.contact == "rail.limits" and first.t == pytest.approx(0.25, abs=1e-9)
    assert first.impulse == pytest.approx((1 + e) * 2.0 * 2.0, rel=1e-9)
    assert r["rail.speed"][-1] == pytest.approx(2.0 if others else -2.0 * e, abs=1e-9)  # at e = 1 from the other limit again
    assert r["rail.limits.gap"].min() > -1e-9


def test_a_limit_carries_the_load_that_leans_on_it():
    m = slider(start=0.3, limits=(-1.0, 0.3)).add(dal.Motor("push", "rail", effort=lambda t: 5.0 - 10.0 * t))
    r = dal.run(m, until=1.0, accuracy=1e-9)
    release, = (e for e in r.events if e.kind == "release")
    assert release.t == pytest.approx(0.5, abs=1e-6)
    early = r.t < 0.5
    assert r["rail.limits.effort"][early] == pytest.approx(-(5.0 - 10.0 * r.t[early]), abs=1e-8)
    assert r["rail.displacement"][-1] == pytest.approx(0.3 - 10.0 / 2.0 * 0.5**3 / 6, rel=1e-6)


def test_formulations_agree_at_limits():
    located = dal.run(arm(), until=2.0, accuracy=1e-10, record=0.1)
    assert located["elbow.angle"].max() < 0.5 + 1e-9 and "impact" in kinds(located, "elbow.limits")
    ends = {f: dal.run(arm(), until=2.0, step=5e-4, formulation=f, record=0.1) for f in FORMULATIONS}
    for r in ends.values():
        assert np.abs(r["elbow.angle"] - located["elbow.angle"]).max() < 2e-3  # of first order in the step
        assert r["elbow.limits.gap"].min() > -1e-9
    assert np.abs(ends["semi-recursive"]["elbow.angle"] - ends["recursive"]["elbow.angle"]).max() < 1e-7  # Newton's


def test_a_limit_does_not_depend_on_how_the_joint_is_written():
    """The first body of a joint is carried by the second, so that the tree turns it round."""
    m = arm()
    elbow = m["elbow"]
    m = m.replaced("elbow", first=elbow.second, second=elbow.first, limits=(-0.5, None))
    r, turned = (dal.run(each, until=1.5, accuracy=1e-10, record=0.1) for each in (arm(), m))
    assert np.abs(turned["elbow.angle"] + r["elbow.angle"]).max() < 1e-8


def test_a_limit_in_a_loop_holds():
    """A four-bar linkage whose rocker has a limit: the joint would close the loop, and keeps its own coordinate."""
    m = dal.Model("four-bar", gravity=(0, -9.81, 0), ground={"B": (1, 0, 0)})
    upright = dict(mass=1.0, com=(0, 0.5, 0), points={"end": (0, 1, 0)}, inertia=dal.inertia_rod(1.0, length=1.0, axis="y"))
    m.add(dal.Body("a", **upright), dal.Body("c", **upright),
          dal.Body("b", mass=1.0, com=(0.5, 0, 0), points={"end": (1, 0, 0)},
                   inertia=dal.inertia_rod(1.0, length=1.0, axis="x")),
          dal.Revolute("A", "ground", "a", axis=Z, start=0.0, start_rate=-1.0), dal.Revolute("AB", "a.end", "b", axis=Z),
          dal.Revolute("BC", "b.end", "c.end", axis=Z), dal.Revolute("C", "ground.B", "c", axis=Z, limits=(-0.4, 0.4)))
    located = dal.run(m, until=0.8, accuracy=1e-9, record=0.1)
    assert located["C.angle"].min() == pytest.approx(-0.4, abs=1e-8)
    assert located["constraints.position"].max() < 1e-9
    for formulation in ("semi-recursive", "global"):
        r = dal.run(m, until=0.8, step=1e-3, formulation=formulation, record=0.1)
        assert r["C.limits.effort"][-1] == pytest.approx(located["C.limits.effort"][-1], rel=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_dry_friction_brings_a_slider_to_rest_and_holds_it(formulation):
    """v²/(2 a) with a = f/m; friction below its bound holds it against a push."""
    m = slider(start=0.0, start_rate=3.0, friction=4.0)
    r = dal.run(m, until=2.0, step=1e-3, formulation=formulation)
    stop = 3.0 / 2.0
    assert r["rail.displacement"][-1] == pytest.approx(3.0**2 / (2 * 2.0), abs=2.0 * 1e-3**2)  # a h² at the end
    assert next(e for e in r.events if e.kind == "stick").t == pytest.approx(stop, abs=2e-3)
    assert np.abs(r["rail.friction.effort"][r.t < stop - 1e-3] + 4.0).max() < 1e-9
    held = dal.run(m.replaced("rail", start_rate=0.0).add(dal.Motor("push", "rail", effort=3.9)), until=1.0, step=1e-3,
                   formulation=formulation)
    assert np.abs(held["rail.displacement"]).max() < 1e-10
    assert held["rail.friction.effort"][-1] == pytest.approx(-3.9, rel=1e-9)


def test_a_pendulum_with_dry_friction_loses_what_its_way_says():
    """Every swing is shorter; energy falls by friction times the angle passed through."""
    m = arm().replaced("shoulder", friction=0.8)
    m = m.replaced("elbow", limits=None, friction=0.3)
    r = dal.run(m, until=3.0, step=5e-4)
    passed = sum(f * np.sum(np.abs(np.diff(r[f"{j}.angle"]))) for j, f in (("shoulder", 0.8), ("elbow", 0.3)))
    assert r["energy.total"][0] - r["energy.total"][-1] == pytest.approx(passed, rel=2e-3)
    for joint, most in (("shoulder", 0.8), ("elbow", 0.3)):
        assert np.abs(r[f"{joint}.friction.effort"]).max() <= most * (1 + 1e-12)


def test_joint_friction_holds_a_thousand_seconds_without_creep():
    m = arm(limits=None, restitution=0.0).replaced("shoulder", start=0.2, friction=6.0).replaced("elbow", friction=4.0)
    r = dal.run(m, until=1000.0, step=0.05, record=100.0)
    for joint in ("shoulder", "elbow"):
        assert np.ptp(r[f"{joint}.angle"]) < 1e-10


def test_a_driven_joint_pays_for_its_friction():
    m = slider(friction=4.0).add(dal.Motion("drive", "rail", speed=0.5))
    r = dal.run(m, until=0.5, step=1e-2)
    assert r["drive.effort"][5:] == pytest.approx(4.0, rel=1e-9)


def test_the_text_holds_limits_and_friction():
    m = arm(friction=0.2).replaced("shoulder", limits=("-90 deg", "90 deg"))
    text = dal.to_text(m)
    assert dal.to_text(dal.from_text(text)) == text
    wide = dal.run(m.replaced("elbow", restitution=0.0), until=0.1, step=1e-3)
    assert wide["shoulder.limits.gap"][0] == pytest.approx(np.pi / 2 - 1.0)


def test_limits_of_several_coordinates_are_named():
    m = dal.Model("bolt", gravity=(0, 0, 0))
    m.add(dal.Body("bolt", mass=1.0, inertia=dal.inertia_box(1.0, (0.1, 0.1, 0.3))),
          dal.Cylindrical("guide", "ground", "bolt", axis=Z, start_rate=(1.0, 0.2),
                          limits={"angle": (-0.5, 0.5), "displacement": (None, 1.0)}, friction={"displacement": 0.05}))
    r = dal.run(m, until=1.0, step=1e-3)
    assert r["guide.angle.limits.gap"].min() == pytest.approx(0.0, abs=1e-9)
    assert r["guide.rates"][-1] == pytest.approx((0.0, 0.2 - 0.05), abs=1e-6)


@pytest.mark.parametrize("joint, fragment", [
    (dict(limits=(1.0, -1.0)), "lower limit below the upper one"),
    (dict(limits=1.0), "expected two numbers"),
    (dict(limits=(0.0, "1 kg")), "kg"),
    (dict(limits={"angle": (0, 1)}), "no coordinate 'angle'"),
    (dict(friction=-1.0), "0 or more"),
    (dict(friction=float("nan")), "finite"),
    (dict(limits=(0, 1), restitution=2.0), "from 0 (no rebound) to 1"),
])
def test_bad_limits_are_told(joint, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.check(slider(**joint))
    assert fragment in str(caught.value)


@pytest.mark.parametrize("model, options, fragment", [
    (slider(start=2.0, limits=(-1.0, 1.0)), {}, "beyond the upper limit 1"),
    (slider(limits=(-1.0, 1.0)).add(dal.Motion("drive", "rail", speed=0.5)), {}, "prescribes the coordinate"),
    (dal.Model("ball").add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Spherical("s", "ground", "b", limits=(0, 1))), {},
     "has no angle or displacement"),
])
def test_runs_beyond_limits_are_refused(model, options, fragment):
    with pytest.raises(dal.ModelError) as caught:
        dal.run(model, until=0.1, **options)
    assert fragment in str(caught.value)


def test_robots_are_read_with_their_limits_where_asked(tmp_path):
    """Limits of MuJoCo count from `ref`, in degrees unless the file says radians."""
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(f"""<robot name="arm"><link name="base"/><link name="upper">{link}</link>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="0.5" effort="1" velocity="1"/><dynamics friction="0.2"/></joint></robot>""")
    mjcf = tmp_path / "arm.xml"
    mjcf.write_text("""<mujoco><worldbody><body name="upper"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <joint name="hinge" type="hinge" axis="0 0 1" range="-90 45" ref="10" frictionloss="0.2"/>
      </body></worldbody></mujoco>""")
    plain = dal.read_urdf(urdf)
    assert plain["hinge"].limits is None and any("limits=True" in note for note in plain.notes)
    first, second = dal.read_urdf(urdf, limits=True), dal.read_mjcf(mjcf, limits=True)
    assert first["hinge"].limits == (-1.0, 0.5) and first["hinge"].friction == second["hinge"].friction == 0.2
    assert second["hinge"].limits == pytest.approx(np.radians((-100.0, 35.0)))
    r = dal.run(first.replaced("hinge", start_rate=2.0), until=1.0, step=1e-3)
    assert r["hinge.angle"].max() == pytest.approx(0.5, abs=1e-9)


def test_other_analyses_say_that_contacts_are_left_out():
    m = arm()
    for found in (dal.assemble(m), dal.eigenmodes(m.replaced("shoulder", start=0.0))):
        assert any("'elbow.limits'" in message for message in found.messages)
