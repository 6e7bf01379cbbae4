"""Directions that gain or lose their inertia on the way, failures inside `bdf`, and stiff models with light bodies."""

import numpy as np
import pytest
from mechanisms import small_mass_oscillator
from reference import load, worst

import dalembert as dal

X, Z = (1, 0, 0), (0, 0, 1)
ACCURACY = 1e-7


def bead(start, speed, damping=0.5):
    """Return a bead on a massless arm that turns about z against a spring and damper; no inertia while it sits at the axis."""
    m = dal.Model("bead", gravity=(0, 0, 0))
    m.add(dal.Body("arm"), dal.Body("bead", mass=1.0, points={"p": (0, 0, 0)}),
          dal.Revolute("hinge", "ground", "arm", axis=Z, start=0.6),
          dal.Prismatic("slide", "arm", "bead", axis=X, start=start, start_rate=speed),
          dal.JointSpring("s", "hinge", stiffness=2.0, damping=damping))
    return m


@pytest.mark.parametrize("start, speed", [(0.0, 0.5), (-0.25, 0.5)], ids=["begins at the axis", "crosses the axis"])
def test_bdf_goes_on_where_a_direction_gains_inertia(start, speed):
    """Against the native stiff integrator at a hundredth of the tolerance, which knows nothing of ranks."""
    m = bead(start, speed)
    r = dal.run(m, until=1.0, accuracy=ACCURACY, integrator="bdf", record=0.1)
    exact = dal.run(m, until=1.0, accuracy=1e-2 * ACCURACY, integrator="radau", record=0.1)
    allowed = 10 * ACCURACY * np.sqrt(r.stats.steps)
    assert worst(r["hinge.angle"], exact["hinge.angle"]) <= allowed
    assert worst(r["slide.displacement"], exact["slide.displacement"]) <= allowed
    assert np.all(np.isfinite(r["hinge.acceleration"]))


def test_bdf_names_the_joint_whose_law_is_not_a_number():
    m = dal.Model("nan", gravity=(0, 0, 0))
    m.add(*(dal.Body(b, mass=1.0) for b in "ab"), dal.Prismatic("first", "ground", "a", axis=X),
          dal.Prismatic("second", "a", "b", axis=X),
          dal.Motor("push", "second", effort=lambda t: np.nan if t > 0.5 else 1.0))
    r = dal.run(m, until=1.0, integrator="bdf", on_failure="return")
    assert "not a finite number" in r.status and "'second'" in r.status
    assert 0 < r.t[-1] <= 0.5


def test_bdf_tells_the_status_of_a_direction_that_loses_its_equation():
    """A bead that comes to the axis of a hinge with nothing on it: SingularError, with the joint, not 'not finite'."""
    m = dal.Model("lost", gravity=(0, 0, 0))
    m.add(dal.Body("arm"), dal.Body("bead", mass=1.0), dal.Revolute("hinge", "ground", "arm", axis=Z),
          dal.Prismatic("slide", "arm", "bead", axis=X, start=0.5),
          dal.Motion("pull", "slide", position=dal.table([0, 0.5, 1.0], [0.5, 0.0, 0.0], kind="linear")))
    r = dal.run(m, until=1.0, integrator="bdf", on_failure="return")
    assert r.status.startswith("SingularError") and "'hinge'" in r.status


FADING = {"stiffness": lambda t, x, v: -10.0 * (x - 0.1) * (t < 0.5), "damping": lambda t, x, v: (1 - 2 * v) * (t < 0.5)}


@pytest.mark.parametrize("integrator", ["radau", "sdirk4", "generalized-alpha", "bdf"])
@pytest.mark.parametrize("effort", FADING.values(), ids=FADING)
def test_a_massless_direction_whose_only_force_fades_is_named(effort, integrator):
    """What holds a massless body vanishes on the way: SingularError with joint, body and remedy, and the frames before."""
    m = dal.Model("fading", gravity=(0, 0, 0))
    m.add(dal.Body("node"), dal.Body("mass", mass=1.0), dal.Prismatic("x", "ground", "node", axis=X),
          dal.Prismatic("y", "ground", "mass", axis=X), dal.Motor("held", "x", effort=effort),
          dal.JointSpring("s", "y", stiffness=100.0))
    r = dal.run(m, until=1.0, integrator=integrator, on_failure="return")
    assert r.status.startswith("SingularError: joint 'x'") and "'node'" in r.status and "spring or damper" in r.status
    assert 0.2 < r.t[-1] <= 0.5
    assert np.all(np.isfinite(r["x.speed"]))
    with pytest.raises(dal.SingularError, match="'x'") as error:
        dal.run(m, until=1.0, integrator=integrator)
    assert len(error.value.results.t) == len(r.t)


def light_legs(gram=4.0, bend=0.5, length=0.3):
    """Return a heavy hull on two legs of thigh and shank, whose feet cling to a swaying floor."""
    hips, mass = {"front": 0.4, "rear": -0.4}, 1e-3 * gram
    rod = dict(mass=mass, com=(0, 0, -length / 2), inertia=dal.inertia_rod(mass, length=length, axis="z"),
               points={"end": (0, 0, -length)})
    m = dal.Model("light legs")
    m.add(dal.Body("floor", mass=1.0, points={s: (x, 0, -2 * length * np.cos(bend)) for s, x in hips.items()}),
          dal.Prismatic("sway", "ground", "floor", axis=X),
          dal.Motion("shaker", "sway", position=dal.sine(amplitude=0.02, omega=4 * np.pi)),
          dal.Body("hull", mass=20.0, inertia=dal.inertia_box(20.0, size=(1.0, 0.4, 0.2)),
                   points={s: (x, 0, 0) for s, x in hips.items()}),
          dal.Planar("rocking", "ground", "hull", axis=(0, 1, 0)))
    for s in hips:
        m.add(dal.Body(f"{s} thigh", **rod), dal.Body(f"{s} shank", **rod),
              dal.Revolute(f"{s} hip", f"hull.{s}", f"{s} thigh", axis=(0, 1, 0), start=bend),
              dal.Revolute(f"{s} knee", f"{s} thigh.end", f"{s} shank", axis=(0, 1, 0), start=-2 * bend),
              dal.JointSpring(f"{s} hip servo", f"{s} hip", stiffness=400.0, damping=1.0, rest=bend),
              dal.JointSpring(f"{s} knee servo", f"{s} knee", stiffness=400.0, damping=1.0, rest=-2 * bend),
              dal.Bushing(f"{s} foot", f"floor.{s}", f"{s} shank.end", stiffness=1e6, damping=20.0))
    return m


QUARTERS = 10.0 ** -np.arange(3.5, 8.01, 0.25)
"""Accuracies a quarter of a decade apart."""


def steps_of_bdf(accuracies, integrator="bdf", formulation="auto"):
    """Return the steps of runs of a second, from the equilibrium."""
    m = light_legs()
    options = dict(until=1.0, record=[1.0], start=dal.static(m).starts, integrator=integrator, formulation=formulation)
    return np.array([dal.run(m, accuracy=accuracy, **options).stats.steps for accuracy in accuracies])


@pytest.mark.parametrize("integrator", ["bdf", dal.Bdf(max_order=2)], ids=["to order five", "to order two"])
def test_steps_of_bdf_grow_steadily_with_the_accuracy(integrator):
    """Along stiff directions rates jump where length or order change: that may not hold back either.

    Such jumps doubled to quadrupled steps here and there, as rounding had it.  For a quarter of a decade a step of order two
    shrinks by 10^(1/12), or 10^(1/8) where rates lose an order.
    """
    growth = np.diff(np.log2(steps_of_bdf(QUARTERS, integrator)))
    assert np.all(abs(growth) <= 1.0)


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_steps_of_bdf_grow_steadily_in_every_formulation(formulation):
    steps = steps_of_bdf(QUARTERS[::2], formulation=formulation)
    assert np.all(abs(np.diff(np.log2(steps))) <= 1.0)
    assert steps == pytest.approx(steps_of_bdf(QUARTERS[::2]), rel=1.0)


def test_bdf_takes_a_few_steps_for_each_one_of_radau():
    m, accuracies = light_legs(), QUARTERS[::6]
    start = dal.static(m).starts
    radau = [dal.run(m, until=1.0, record=[1.0], start=start, integrator="radau", accuracy=a).stats.steps for a in accuracies]
    assert np.all(steps_of_bdf(accuracies) <= 5 * np.array(radau))


def test_bdf_steps_over_what_is_damped_away():
    """Stiff contacts of light legs, nonlinear: a few steps for each one of radau, which has a higher order.

    With factors of an older state and step the errors of Newton's iteration along the legs' rates, enlarged by differences
    of high order, cut step and order to a hundredth and to one.
    """
    m = light_legs()
    options = dict(until=1.0, accuracy=1e-6, record=0.1, start=dal.static(m).starts)
    bdf, radau = (dal.run(m, integrator=name, **options) for name in ("bdf", "radau"))
    assert bdf.stats.steps <= 5 * radau.stats.steps
    assert bdf.stats.iterations <= 3 * bdf.stats.steps  # two a step: the first correction is larger than what a past may hold
    allowed = 10 * 1e-6 * np.sqrt(bdf.stats.steps)
    assert worst(bdf["hull.position"], radau["hull.position"]) <= allowed


@pytest.mark.parametrize("accuracy", [1e-5, 1e-6, 1e-7])
def test_radau_steps_over_what_is_damped_away(accuracy):
    """[ARN (5)] set A, overdamped: the light mass costs no more than its layer at the start, about the steps without it.

    A method of stage order one has to follow the light mass with steps like accuracy^(1/2).
    """
    p = load("p2_small_mass_oscillator_A")
    end = dict(until=p["data"]["tend"], accuracy=accuracy, record=np.array(p["t"]))
    light, none = (dal.run(small_mass_oscillator(p["data"], m1), integrator="radau", **end) for m1 in (1e-5, 0.0))
    assert light.stats.steps <= 1.5 * none.stats.steps
    exact = np.array(next(c["values"] for c in p["cases"] if c["m1"] == 1e-5))
    assert worst(light["p1.displacement"], exact[:, 0]) <= 10 * accuracy * np.sqrt(light.stats.steps)
