"""Massless directions beside and within closed loops, and in `semi-recursive` and `global`: the same laws as on trees.

The slider-crank with a node without mass between its slider and a wall is compared with equations written by hand: one of
second order for the crank, one of first order for the node, integrated by SciPy.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eig

import dalembert as dal
import dalembert.simulate.recorder as recorder_module
from dalembert.start.initial import prepare_start

ARM, ROD = 0.2, 0.5
CRANK, COUPLER, SLIDER = (1.0, 0.1, 0.01), (0.5, 0.25, 0.02), 0.8
"""Mass, distance of the centre of mass and inertia about it [kg, m, kg m²]; mass of the slider."""
NEAR, FAR = (80.0, 4.0, 1.0), (60.0, 3.0, 1.3)
"""Springs between slider and node and between node and wall: stiffness, damping, free length [N/m, N s/m, m]."""
WALL, GRAVITY = 2.0, 9.81
START, SPEED = -1.0, 3.0
CHANNELS = ("main.angle", "main.speed", "rail.displacement", "beside.displacement", "beside.speed")


def slider_crank(node=0.0, near=NEAR, far=FAR, coupler=COUPLER, turn=None) -> dal.Model:
    """A slider-crank with a node on its slider's rail; `turn` (3, 3) turns the whole mechanism in space."""
    R = np.eye(3) if turn is None else turn

    def at(*x):
        return tuple(float(c) for c in R @ x)

    across, along, round_ = at(0, 1, 0), at(1, 0, 0), np.ones(3)
    m = dal.Model("slider-crank", gravity=at(0, 0, -GRAVITY), ground={"wall": at(WALL, 0, 0)})
    m.add(dal.Body("crank", mass=CRANK[0], com=at(CRANK[1], 0, 0), inertia=tuple(CRANK[2] * round_),
                   points={"pin": at(ARM, 0, 0)}),
          dal.Body("rod", mass=coupler[0], com=at(coupler[1], 0, 0), inertia=tuple(coupler[2] * round_),
                   points={"end": at(ROD, 0, 0)}),
          dal.Body("slider", mass=SLIDER, inertia=tuple(0.01 * round_), points={"back": at(-1, 0, 0)}),
          dal.Revolute("main", "ground", "crank", axis=across, start=START, start_rate=SPEED),
          dal.Revolute("knee", "crank.pin", "rod", axis=across),
          dal.Prismatic("rail", "ground", "slider", axis=along, start=float(places(START)[0])),
          dal.Revolute("wrist", "rod.end", "slider", axis=across),
          dal.Body("node", mass=node), dal.Prismatic("beside", "slider", "node", axis=along))
    for name, first, spring in (("near", "slider.back", near), ("far", "ground.wall", far)):
        if spring:
            m.add(dal.SpringDamper(name, first, "node", stiffness=spring[0], damping=spring[1], length=spring[2]))
    return m


def places(angle):
    """Slider, crank pin, and derivatives by the angle: s, s', height z of the pin, its derivative, tilt of the rod and its."""
    z, dz = -ARM * np.sin(angle), -ARM * np.cos(angle)
    tilt = np.arcsin(z / ROD)
    dtilt = dz / (ROD * np.cos(tilt))
    return ARM * np.cos(angle) + ROD * np.cos(tilt), -ARM * np.sin(angle) - ROD * np.sin(tilt) * dtilt, z, dz, tilt, dtilt


def inertia(angle):
    """Of the whole mechanism, felt at the crank."""
    _, ds, _, dz, tilt, dtilt = places(angle)
    share = COUPLER[1] / ROD
    dx_rod = -ARM * np.sin(angle) - share * ROD * np.sin(tilt) * dtilt
    dz_rod = (1 - share) * dz
    return (CRANK[0] * CRANK[1] ** 2 + CRANK[2] + COUPLER[0] * (dx_rod**2 + dz_rod**2) + COUPLER[2] * dtilt**2
            + SLIDER * ds**2)


def by_hand(t, y):
    """Rates of (angle, speed, place of the node)."""
    angle, speed, place = y
    s, ds, _, dz, _, _ = places(angle)
    pull_near = NEAR[0] * (place - s + 1.0 - NEAR[2])
    push_far = FAR[0] * (WALL - place - FAR[2])
    node_speed = (push_far - pull_near + NEAR[1] * ds * speed) / (NEAR[1] + FAR[1])
    on_slider = pull_near + NEAR[1] * (node_speed - ds * speed)
    step = 1e-6
    slope = (inertia(angle + step) - inertia(angle - step)) / (2 * step)
    weight = GRAVITY * (CRANK[0] * CRANK[1] / ARM + COUPLER[0] * (1 - COUPLER[1] / ROD)) * dz
    return [speed, (on_slider * ds - weight - 0.5 * slope * speed**2) / inertia(angle), node_speed]


def reference(times):
    """(angle, speed, slider, node beside the slider, its speed) at times, from the state that the node's equation asks for."""
    s = places(START)[0]
    found = solve_ivp(by_hand, (0, times[-1]), [START, SPEED, s], method="RK45", rtol=1e-10, atol=1e-11, t_eval=times)
    angle, speed, place = found.y
    rates = np.array([by_hand(0.0, y) for y in found.y.T])
    s, ds = places(angle)[:2]
    return np.stack([angle, speed, s, place - s, rates[:, 2] - ds * speed])


RUNS = [pytest.param(dict(formulation="semi-recursive", accuracy=1e-7), 3e-5, id="semi-recursive"),
        pytest.param(dict(formulation="global", accuracy=1e-7), 3e-5, id="global"),
        pytest.param(dict(formulation="semi-recursive", accuracy=1e-7, integrator="bdf"), 3e-5, id="bdf"),
        pytest.param(dict(formulation="semi-recursive", step=1e-3), 3e-4, id="semi-recursive, fixed step"),
        pytest.param(dict(formulation="global", step=1e-3), 5e-4, id="global, fixed step")]
"""With what is left of the relative error: two hundred times the accuracy, or the step squared times that of 10 rad/s."""


@pytest.mark.parametrize("options, allowed", RUNS)
def test_a_node_beside_a_slider_crank_moves_as_equations_by_hand_say(options, allowed):
    times = np.linspace(0, 0.8, 81)
    r = dal.run(slider_crank(), until=0.8, record=times, **options)
    assert any("'node' is massless along the axis of joint 'beside': first-order" in message for message in r.messages)
    for channel, exact in zip(CHANNELS, reference(times), strict=True):
        assert np.max(abs(r[channel] - exact)) <= allowed * np.max(abs(exact)), channel


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_frames_meet_all_equations_and_are_completed_by_kernels(formulation, monkeypatch):
    def never(*_):
        raise AssertionError("a frame was left to Python")

    monkeypatch.setattr(recorder_module, "complete_frame", never)
    r = dal.run(slider_crank(), until=0.3, accuracy=1e-7, formulation=formulation)
    fine = r.t > 0.01
    slope = np.gradient(r["beside.speed"], r.t)
    assert np.max(abs(slope - r["beside.acceleration"])[fine][:-1]) <= 1e-3 * np.max(abs(slope))
    assert np.all(np.isfinite(r["wrist.force"])) and np.all(np.isfinite(r["rail.force"]))


def test_small_masses_converge_to_none():
    times = np.linspace(0.1, 0.5, 41)
    none = dal.run(slider_crank(), until=0.5, accuracy=1e-8, record=times)
    gaps = [np.max(abs(dal.run(slider_crank(node=mass), until=0.5, accuracy=1e-8, record=times, integrator="generalized-alpha")
                       ["main.angle"] - none["main.angle"])) for mass in (4e-3, 1e-3)]
    assert gaps[1] == pytest.approx(gaps[0] / 4, rel=0.1)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("seed", [0, 1])
def test_turned_mechanisms_move_alike(formulation, seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    options = dict(until=0.3, accuracy=1e-7, formulation=formulation)
    straight, turned = dal.run(slider_crank(), **options), dal.run(slider_crank(turn=turn), **options)
    for channel in CHANNELS:
        assert np.max(abs(straight[channel] - turned[channel])) <= 1e-5 * np.max(abs(straight[channel])), channel


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_springs_alone_hold_the_node_in_balance(formulation):
    """k1 (u + 1 - l1) = k2 (wall - s - u - l2) at all times, and its derivative for the speeds."""
    near, far = (NEAR[0], 0.0, NEAR[2]), (FAR[0], 0.0, FAR[2])
    r = dal.run(slider_crank(near=near, far=far), until=0.4, accuracy=1e-7, formulation=formulation)
    s, total = r["rail.displacement"], near[0] + far[0]
    u = (far[0] * (WALL - s - far[2]) - near[0] * (1.0 - near[2])) / total
    assert np.max(abs(r["beside.displacement"] - u)) <= 1e-6
    speed = -far[0] / total * r["rail.speed"]
    assert np.max(abs(r["beside.speed"] - speed)) <= 1e-5 * np.max(abs(speed))
    assert any("algebraic" in message for message in r.messages)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_node_that_nothing_holds_is_named(formulation):
    with pytest.raises(dal.SingularError) as error:
        dal.run(slider_crank(near=None, far=None), until=0.1, formulation=formulation)
    for part in ("joint 'beside'", "'slider'", "'node'", "mass along", "put a spring or damper"):
        assert part in str(error.value)
    assert dal.formulations(slider_crank(near=None, far=None)) == []


def test_formulations_and_integrators_of_a_loop_with_a_massless_node():
    assert dal.formulations(slider_crank()) == ["semi-recursive", "global"]
    for integrator in ("dopri5", "rk4"):
        with pytest.raises(dal.SingularError, match="explicit"):
            dal.run(slider_crank(), until=0.1, integrator=integrator, step=None if integrator == "dopri5" else 1e-3)


@pytest.mark.parametrize("projection", ["step", "tangent", "mass", None])
def test_every_projection_carries_a_massless_node(projection):
    wanted = dal.run(slider_crank(), until=0.2, accuracy=1e-8)
    for formulation in (dal.SemiRecursive(projection=projection), dal.Global(projection=projection)):
        if formulation == dal.Global(projection="mass"):
            with pytest.raises(dal.ModelError, match="inertia in every direction"):
                dal.run(slider_crank(), until=0.2, step=1e-3, formulation=formulation)
            continue
        r = dal.run(slider_crank(), until=0.2, step=1e-3, formulation=formulation)
        assert r["main.angle"][-1] == pytest.approx(wanted["main.angle"][-1], abs=1.5e-4)  # of a step of 1 ms


def test_light_and_massless_nodes_are_told_apart_in_any_position():
    for seed in range(6):
        turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        for node, massless in ((0.0, 1), (1e-9, 0)):
            assert prepare_start(slider_crank(node=node, turn=turn)).massless == massless


def test_modes_of_a_loop_with_a_massless_node():
    """About the equilibrium: one that swings and one that decays; a light node has both and a fast one."""
    found = []
    for node in (0.0, 1e-7):
        m = slider_crank(node=node).replaced("main", start_rate=0.0)
        small = dal.linearize(m, start=dal.static(m))
        zero, one = np.zeros_like(small.mass), np.eye(len(small.mass))
        values = eig(np.block([[zero, one], [-small.stiffness, -small.damping]]), np.block([[one, zero], [zero, small.mass]]),
                     right=False)
        found.append(sorted(values[np.isfinite(values)], key=lambda x: (round(abs(x), 2), x.imag))[:3])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_a_massless_coupler_within_a_loop_needs_nothing(formulation):
    """Crank and slider carry its inertia: no direction is massless, explicit steps serve, and energy stays without dampers."""
    m = slider_crank(node=0.1, near=(80.0, 0.0, 1.0), far=(60.0, 0.0, 1.3), coupler=(0.0, 0.0, 0.0))
    r = dal.run(m, until=1.0, accuracy=1e-8, formulation=formulation)
    assert not any("massless" in message for message in r.messages)
    energy = r["energy.total"]
    assert np.max(abs(energy - energy[0])) <= 1e-5 * np.max(abs(energy))


def pendulums() -> dal.Model:
    """Two pendulums side by side."""
    y, inertia = (0, 1, 0), 3 * (0.05,)
    return dal.Model("pendulums", ground={"B": (1.0, 0, 0)}).add(
        dal.Body("left", mass=1.0, com=(0, 0, -0.2), inertia=inertia, points={"end": (0, 0, -0.4)}),
        dal.Body("right", mass=2.0, com=(0, 0, -0.3), inertia=inertia, points={"end": (0, 0, -0.5)}),
        dal.Revolute("a", "ground", "left", axis=y, start=0.3), dal.Revolute("d", "ground.B", "right", axis=y, start=-0.2))


def telescope(piece=0.0) -> dal.Model:
    """A four-bar whose coupler is two pieces without mass on each other's rail, held by a spring and a damper."""
    m, y = pendulums(), (0, 1, 0)
    apart = float(np.hypot(1.0 + 0.5 * np.sin(0.2) + 0.4 * np.sin(0.3), 0.4 * np.cos(0.3) - 0.5 * np.cos(0.2)))
    m.add(dal.Body("inner", mass=piece), dal.Body("outer", mass=piece),
          dal.Revolute("b", "left.end", "inner", axis=y),
          dal.Prismatic("slide", "inner", "outer", axis=(1, 0, 0), start=apart),
          dal.Revolute("c", "outer", "right.end", axis=y),
          dal.JointSpring("spring", "slide", stiffness=50.0, damping=2.0, rest=0.9))
    return m


def test_massless_pieces_on_a_spring_within_a_loop():
    """Two degrees of freedom, both with inertia: the pieces only hand the spring's force on, as a spring of its own would."""
    alone = pendulums().add(dal.SpringDamper("spring", "left.end", "right.end", stiffness=50.0, damping=2.0, length=0.9))
    wanted = dal.run(alone, until=0.5, accuracy=1e-8)
    for formulation in ("semi-recursive", "global"):
        r = dal.run(telescope(), until=0.5, accuracy=1e-8, formulation=formulation)
        for channel in ("a.angle", "d.angle", "a.speed", "d.speed"):
            assert np.max(abs(r[channel] - wanted[channel])) <= 1e-5 * np.max(abs(wanted[channel]))
