"""Models that change while they run: what an edit keeps, what an impact takes, and what a refused edit leaves."""

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal
from dalembert.results.segments import SegmentedResults

PROBLEMS = Path(__file__).resolve().parents[1] / "problems"
EPS = np.finfo(float).eps
Y, Z = (0, 1, 0), (0, 0, 1)
FORMULATIONS = ["recursive", "semi-recursive", "global"]
NEWTON = 1e-6
"""Share of a motion that Newton's iteration in fixed steps may leave over a few hundred of them."""


def rod(name, mass=1.0, length=1.0):
    """A uniform rod along -y of its body, with its origin at one end; it may fly freely, so it has inertia about its axis."""
    across = mass * length**2 / 12
    return dal.Body(name, mass=mass, com=(0, -length / 2, 0), inertia=(across, 1e-3 * mass, across),
                    points={"tip": (0, -length, 0)})


def pendulum(start=1.0, start_rate=0.0):
    return dal.Model("pendulum", gravity=(0, -9.81, 0)).add(
        rod("first"), dal.Revolute("pivot", "ground", "first", axis=Z, start=start, start_rate=start_rate))


def chain(n=3):
    m = dal.Model("chain", gravity=(0, -9.81, 0))
    for k in range(n):
        m.add(rod(f"r{k}"), dal.Revolute(f"j{k}", f"r{k - 1}.tip" if k else "ground", f"r{k}", axis=Z, start=0.5 - 0.3 * k))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("step", [None, 2e-3])
def test_a_live_run_without_edits_is_a_run(formulation, step):
    whole = dal.run(chain(), until=0.3, step=step, formulation=formulation, record=0.1)
    with dal.live(chain(), step=step, formulation=formulation, record=0.1) as sim:
        for _ in range(3):
            sim.advance(0.1)
        assert sim.t == pytest.approx(0.3, abs=4 * EPS)
        assert sim["r2.tip.position"] == pytest.approx(whole["r2.tip.position"][-1], abs=1e-5 if step is None else NEWTON)
        assert sim.results.t == pytest.approx(whole.t, abs=4 * EPS)
        assert not isinstance(sim.results, SegmentedResults)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_edits_that_change_nothing_leave_the_motion_as_it_is(formulation):
    """A force element comes and goes at every advance; it does nothing."""
    with dal.live(chain(), step=1e-3, formulation=formulation) as plain, \
            dal.live(chain(), step=1e-3, formulation=formulation) as edited:
        for k in range(4):
            plain.advance(0.05)
            edited.advance(0.05)
            edited.add(dal.SpringDamper(f"s{k}", "ground", "r2.tip", stiffness=0.0, length=1.0))
            edited.change("r1", mass=1.0)
            edited.remove(f"s{k}")
        assert edited["r2.tip.velocity"] == pytest.approx(plain["r2.tip.velocity"], abs=1e-4)
        assert np.all(np.diff(edited.results.t) > 0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_body_whose_joint_is_removed_flies_on_as_it_was(formulation):
    """Its centre follows a parabola, and it keeps its angular momentum: nothing acts on it but gravity."""
    with dal.live(pendulum(), step=1e-3, formulation=formulation) as sim:
        sim.advance(0.4)
        w, v = sim["first.angular_velocity"], sim["momentum.linear"]
        energy = sim["energy.total"]
        sim.remove("pivot")
        assert sim["energy.total"] == pytest.approx(energy, abs=1e3 * EPS * 10)
        sim.advance(0.3)
        assert sim["first.angular_velocity"] == pytest.approx(w, abs=NEWTON)
        assert sim["momentum.linear"] == pytest.approx(v + np.array([0, -9.81 * 0.3, 0]), abs=NEWTON * 10)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_pin_that_is_added_takes_what_mechanics_says(formulation):
    """A rod that turns about one end is pinned at the other and let go at the first: w+ = -w-/2."""
    with dal.live(pendulum(start=0.0, start_rate=2.0), step=1e-3, formulation=formulation) as sim:
        before = sim["first.angular_velocity"][2]
        sim.remove("pivot")
        x = sim["first.tip.position"]
        sim.ground_point("foot", tuple(x))
        sim.add(dal.Revolute("pin", "ground.foot", "first.tip", axis=Z))
        assert sim["first.angular_velocity"][2] == pytest.approx(-0.5 * before, rel=1e-10)
        kinetic = 0.5 * 1.0 / 3.0 * before**2
        assert sim["energy.kinetic"] == pytest.approx(0.25 * kinetic, rel=1e-9)
        assert any("impact took" in message for message in sim.messages)


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive"])
def test_a_rod_that_is_caught_again_and_again_halves_its_speed_each_time(formulation):
    """Times, places and speeds of the four catches of p1_topology_pendulum_impact."""
    p = json.loads((PROBLEMS / "p1_topology_pendulum_impact.json").read_text())
    d = p["data"]
    across = d["m"] * d["l"] ** 2 / 12
    m = dal.Model("walker", gravity=(0, -d["g"], 0)).add(
        dal.Body("link", mass=d["m"], com=(-d["l"] / 2, 0, 0), inertia=(across, across, across),
                 points={"one": (0, 0, 0), "two": (-d["l"], 0, 0)}),
        dal.Revolute("pin", "ground", "link.one", axis=Z, start_rate=d["omega0"]))
    free = "two"
    with dal.live(m, accuracy=1e-10, formulation=formulation) as sim:
        for event in p["events"]:
            way = np.sign(sim[f"link.{free}.velocity"][1])
            sim.advance(until=5.0, stop=lambda s, way=way, free=free: way * s[f"link.{free}.position"][1] < 0.0)
            x, before = sim[f"link.{free}.position"], sim["link.angular_velocity"][2]
            assert sim.t == pytest.approx(event["t"], abs=1e-7) and x[0] == pytest.approx(event["x_capture"], abs=1e-7)
            sim.remove("pin")
            sim.ground_point("foot", tuple(x))
            sim.add(dal.Revolute("pin", "ground.foot", f"link.{free}", axis=Z))
            found = sim["link.angular_velocity"][2]
            assert found == pytest.approx(-0.5 * before, rel=1e-9)
            assert abs(found) == pytest.approx(abs(event["omega_plus"]), abs=1e-6)
            free = "one" if free == "two" else "two"


def test_edits_of_modular_models_place_new_bodies_and_keep_the_others():
    with dal.live(pendulum(), step=1e-3, formulation="modular") as sim:
        sim.advance(0.2)
        before = sim["first.tip.position"]
        sim.add(rod("second"), dal.Revolute("elbow", "first.tip", "second", axis=Z, start=0.3))
        assert sim["first.tip.position"] == pytest.approx(before, abs=1e-12)
        assert sim["second.position"] == pytest.approx(before, abs=1e-4) and sim["elbow.angle"] == pytest.approx(0.3, abs=1e-9)
        sim.advance(0.2)
        sim.remove("pivot")
        energy = sim["energy.total"]
        sim.advance(0.2)
        assert sim["energy.total"] == pytest.approx(energy, rel=1e-3)


def test_two_free_bodies_that_are_joined_keep_their_momenta():
    """Whatever they do, no momentum is lost, linear or angular; the energy falls."""
    rng = np.random.default_rng(4)
    m = dal.Model("two", gravity=(0, 0, 0))
    for name, mass, place in (("a", 1.0, (0.0, 0.0, 0.0)), ("b", 2.5, (0.7, -0.4, 0.2))):
        m.add(dal.Body(name, mass=mass, com=rng.normal(size=3) * 0.1, inertia=(0.1, 0.2, 0.25), points={"p": (0, 0, 0)}),
              dal.Free(f"{name} free", "ground", name, start=place, start_rate=tuple(rng.normal(size=6))))
    with dal.live(m, formulation="semi-recursive") as sim:
        linear, angular, energy = sim["momentum.linear"], sim["momentum.angular"], sim["energy.kinetic"]
        there = sim["b.position"] - sim["a.position"]
        sim.change("a", points={"p": tuple(there)})
        sim.add(dal.Spherical("ball", "a.p", "b"))
        assert sim["momentum.linear"] == pytest.approx(linear, abs=1e3 * EPS * abs(linear).max())
        assert sim["momentum.angular"] == pytest.approx(angular, abs=1e3 * EPS * abs(angular).max() + 1e-12)
        assert sim["energy.kinetic"] < energy
        sim.advance(0.2)
        assert sim["momentum.linear"] == pytest.approx(linear, abs=1e-5)


def test_a_refused_edit_changes_nothing():
    with dal.live(chain(), step=1e-3) as sim:
        sim.advance(0.1)
        before, parts = sim["r2.tip.velocity"], [part.name for part in sim.model]
        for edit in (lambda: sim.add(dal.Revolute("bad", "nobody", "r1", axis=Z)),
                     lambda: sim.add(rod("r1")),
                     lambda: sim.change("r1", mass=-1.0),
                     lambda: sim.change("r1", colour="red"),
                     lambda: sim.remove("nothing"),
                     lambda: sim.ground_point("p", (0, "x", 0)),
                     lambda: sim.add(dal.Distance("far", "ground", "r2.tip", length=9.0))):
            with pytest.raises(dal.MultibodyError):
                edit()
            assert [part.name for part in sim.model] == parts and sim.t == 0.1
            assert np.array_equal(sim["r2.tip.velocity"], before)
        sim.advance(0.1)
        assert len(sim.results) == 201 and not isinstance(sim.results, SegmentedResults)


def test_a_model_is_built_from_nothing_and_taken_apart():
    with dal.live(dal.Model("empty", gravity=(0, 0, -9.81)), step=1e-3) as sim:
        sim.advance(0.05)
        sim.add(dal.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1)))
        sim.advance(0.1)
        assert sim["ball.velocity"][2] == pytest.approx(-0.981, abs=1e-9)
        sim.remove("ball")
        sim.advance(0.05)
        r = sim.results
    assert sim.t == pytest.approx(0.2) and np.isnan(r["ball.position"][0]).all() and np.isnan(r["ball.position"][-1]).all()
    assert np.sum(np.isfinite(r["ball.position"][:, 2])) == 100


def test_what_cannot_be_without_a_part_goes_with_it():
    m = chain(2)
    m.add(dal.JointSpring("spring", "j1", stiffness=1.0), dal.Motor("motor", "j1"),
          dal.Controller("control", inputs=["r1.tip.position.x"], outputs=["motor"], law=lambda t, u: -u[0]),
          dal.SpringDamper("tether", "ground", "r1.tip", stiffness=1.0, length=1.0))
    with dal.live(m, step=1e-3) as sim:
        sim.remove("r1")
        assert [part.name for part in sim.model] == ["r0", "j0"]
        sim.advance(0.1)


def test_results_have_channels_by_name_across_models():
    with dal.live(pendulum(), step=1e-3) as sim:
        sim.advance(0.1)
        sim.add(rod("second"), dal.Revolute("elbow", "first.tip", "second", axis=Z, start=0.2))
        sim.advance(0.1)
        sim.remove("second")
        sim.advance(0.1)
        r = sim.results
    assert isinstance(r, SegmentedResults) and len(r.segments) == 3
    there = np.isfinite(r["elbow.angle"])
    assert np.array_equal(np.flatnonzero(there), np.arange(100, 200)) and r["elbow.angle"][100] == pytest.approx(0.2)
    assert np.isfinite(r["pivot.angle"]).all() and r.unit("elbow.angle") == "rad" and "elbow.angle" in r
    assert abs(r["energy.balance"]).max() < 1e-3
    assert [e.name for e in r.events if e.kind == "edit"] == ["add second, elbow", "remove second, elbow"]
    assert r.segments[0].t[-1] == r.segments[1].t[0]  # both frames of the edit are kept there
    with pytest.raises(dal.ChannelError, match="elbow"):
        r["elbo.angle"]
    with pytest.raises(dal.MultibodyError, match="segments"):
        r.tables()


def test_a_snapshot_is_gone_back_to():
    with dal.live(chain(), step=1e-3) as sim:
        sim.advance(0.1)
        saved, before = sim.save(), sim["r2.tip.velocity"]
        sim.remove("r2")
        sim.advance(0.2)
        sim.restore()
        assert sim.t == 0.1 and "r2" in sim.model
        assert sim["r2.tip.velocity"] == pytest.approx(before, abs=1e4 * EPS)
        sim.advance(0.1)
        once = sim["r2.tip.velocity"]
        sim.restore(saved)
        sim.advance(0.1)
        assert sim["r2.tip.velocity"] == pytest.approx(once, abs=1e-12)
        assert sim.results.t == pytest.approx(np.arange(201) * 1e-3)


def test_controllers_remember_across_edits():
    """A sampled counter counts on, at the same times."""
    def count(t, u, memory):
        memory[0] += 1.0
        return memory[0]

    m = pendulum()
    m.add(dal.Motor("motor", "pivot"),
          dal.Controller("count", inputs=["pivot.angle"], outputs=["motor"], law=count, every=0.01, memory=[0.0]))
    with dal.live(m, step=1e-3) as sim:
        for _ in range(5):
            sim.advance(0.013)
            sim.add(rod(f"b{sim.t:.3f}".replace(".", "_")))
        assert sim["count.outputs"] == 7.0  # at 0, 0.01, ..., 0.06


def test_contacts_come_and_go():
    """A ball lies on a floor that is taken away and laid again."""
    ball = dal.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m = dal.Model("floor", gravity=(0, 0, -9.81)).add(ball, dal.Prismatic("up", "ground", "ball", axis=Z, start=0.1))
    floor = dal.Contact("floor", dal.Plane("ground"), dal.Sphere("ball", radius=0.1))
    with dal.live(m.add(floor), step=1e-3) as sim:
        sim.advance(0.1)
        assert sim["floor.normal_force"] == pytest.approx(9.81, rel=1e-6)
        sim.change("ball", mass=2.0)
        sim.advance(0.1)
        assert sim["floor.normal_force"] == pytest.approx(19.62, rel=1e-6)
        sim.remove("floor")
        sim.advance(0.1)
        assert sim["ball.position"][2] == pytest.approx(0.1 - 0.5 * 9.81 * 0.01, abs=1e-6)
        with pytest.raises(dal.ModelError, match="overlap"):
            sim.add(floor)


def test_one_advance_takes_either_a_time_or_an_end():
    with dal.live(pendulum()) as sim:
        for wrong in ({}, dict(dt=0.1, until=1.0), dict(dt=-0.1), dict(until=float("nan")), dict(dt="soon")):
            with pytest.raises(dal.ModelError):
                sim.advance(**wrong)
    with pytest.raises(dal.MultibodyError, match="with"):
        sim.advance(0.1)


def test_a_stop_condition_is_located():
    with dal.live(pendulum(start=1.0), step=1e-3) as sim:
        ended = sim.advance(until=2.0, stop=lambda s: s["pivot.angle"] < 0.0)
        assert ended.stopped and ended.t == sim.t and sim["pivot.angle"] == pytest.approx(0.0, abs=1e-9)
        assert np.all(np.diff(sim.results.t) > 0)
        assert not sim.advance(0.1).stopped


def test_results_of_several_models_are_kept_in_a_file(tmp_path):
    with dal.live(pendulum(), step=1e-3) as sim:
        sim.advance(0.1)
        sim.add(rod("second"), dal.Revolute("elbow", "first.tip", "second", axis=Z, start=0.2))
        sim.advance(0.1)
        r = sim.results
    again = dal.load(r.save(tmp_path / "run.h5"))
    assert isinstance(again, SegmentedResults) and again.channels == r.channels and again.events == r.events
    assert np.array_equal(again.t, r.t)
    for name in ("elbow.angle", "first.tip.position", "energy.work"):
        assert np.array_equal(again[name], r[name], equal_nan=True)
    assert (r.save(tmp_path / "run.csv")).read_text().count("\n") == len(r) + 1
    assert len(r.to_xarray(["elbow.angle"]).t) == len(r) and "2 models" in repr(r)
