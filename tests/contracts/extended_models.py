"""Models with the joint, the force and the constraint of docs/extending.md; run by test_extending.py on an extended copy.

Use: ``python extended_models.py short | all | tangents [differences]``; prints "good".
"""

import sys

import numpy as np

import dalembert as dal

ACCURACY = 1e-8
EPS = np.finfo(float).eps
MASS, INERTIA, RADIUS, PUSH = 2.0, 0.3, 0.4, 3.0
HARD, SOFT = 700.0, 50.0


def wheel(axis=(0, 0, 1), com=(0, 0, 0), gravity=(PUSH, -9.0, 0.0), **more):
    """Return a wheel on a rack along x, pushed along it."""
    m = dal.Model("wheel", gravity=gravity, ground={"A": (0.2, 0.1, 0.0)})
    return m.add(dal.Body("disc", mass=MASS, com=com, inertia=(INERTIA, INERTIA, INERTIA)),
                 dal.Pinion("roll", "ground.A", "disc", axis=axis, radius=RADIUS, **more))


def run(model, until, **more):
    """Run with a small error."""
    return dal.run(model, until=until, **{"accuracy": ACCURACY, **more})


def near(found, expected, error, what):
    """Assert that numbers agree."""
    worst = np.max(np.abs(np.asarray(found) - expected))
    assert worst <= error, f"{what}: off by {worst:.3g}, allowed {error:.3g}"


# --- the joint -----------------------------------------------------------------------------------------------------

def check_rolling(until, **method):
    """(J + m r²) q'' = m g_x r, and the rack holds back what is left of the push; the centre moves by r q."""
    r = run(wheel(), until, **method)
    al = MASS * PUSH * RADIUS / (INERTIA + MASS * RADIUS**2)
    error = 100 * method.get("accuracy", ACCURACY) * (1 + al * until**2)
    near(r["roll.angle"], al * r.t**2 / 2, error, f"angle {method}")
    near(r["roll.displacement"], RADIUS * r["roll.angle"], 10 * EPS * (1 + al * until**2), "displacement")
    near(r["disc.position"][:, 0], 0.2 + r["roll.displacement"], error, "position")
    near(r["roll.force"][:, :2], (MASS * (RADIUS * al - PUSH), 9.0 * MASS), 1e3 * error, f"force {method}")
    near(r["roll.acceleration"], al, 1e3 * error, "acceleration")
    assert (r.unit("roll.angle"), r.unit("roll.displacement"), r.unit("roll.speed")) == ("rad", "m", "rad/s")


def check_energy(until):
    """An eccentric wheel on a tilted axis keeps its energy, and rolls as one whose axes are turned by hand."""
    r = run(wheel(axis=(0, 1, 0), com=(0.1, 0.0, -0.2), gravity=(1.0, 0.5, -9.0), start=0.3, start_rate=2.0), until)
    near(r["energy.total"], r["energy.total"][0], 100 * ACCURACY * np.ptp(r["energy.kinetic"]), "energy of the wheel")
    assert np.ptp(r["energy.kinetic"]) > 0.1


def check_closing(until, **method):
    """The pinion closes a loop with a planar joint, and the wheel moves as on the pinion alone."""
    model = wheel(cut=True).add(dal.Planar("table", "ground.A", "disc"))
    r = run(model, until, **method)
    al = MASS * PUSH * RADIUS / (INERTIA + MASS * RADIUS**2)
    near(r["table.angle"], al * r.t**2 / 2, 100 * ACCURACY * (1 + al), "angle in a loop")
    near(r["roll.angle"], r["table.angle"], 100 * ACCURACY * (1 + al), "angle of the loop's joint")


def check_on_the_coordinate():
    """Springs and motors act on the coordinate: omega² = k / (J + m r²) where they balance the push."""
    k = 80.0
    model = wheel().add(dal.JointSpring("spring", "roll", stiffness=k),
                        dal.Motor("motor", "roll", effort=-MASS * PUSH * RADIUS))
    (found,) = dal.eigenmodes(model).frequencies
    near(2 * np.pi * found, np.sqrt(k / (INERTIA + MASS * RADIUS**2)), 1e-9 * k, "frequency")
    r = dal.assemble(model)
    assert r["spring.effort"].shape == (1,) and r.unit("spring.effort") == "N m"


def check_words():
    """The text goes round, and faults are reported by name with the remedy."""
    model = wheel(start=0.3, armature=0.1)
    again = dal.from_text(dal.to_text(model))
    assert dal.to_text(again) == dal.to_text(model) and again["roll"] == model["roll"] and "type: pinion" in dal.to_text(model)
    rejected(wheel().replaced("roll", radius=-1.0), "joints.roll.radius", "-1.0", "a length [m] greater than 0", "Revolute")
    rejected(wheel().replaced("roll", axis=(0, 0, 0)), "joints.roll.axis", "not zero")
    text = dal.to_text(model)
    unread(text.replace("radius: 0.4, ", "").replace(", radius: 0.4", ""), "lacks 'radius'; give radius: length")
    unread(text.replace("type: pinion", "type: pinon"), "pinon", "mean 'pinion'")
    turned = dal.Model("m").add(dal.Body("disc", mass=1.0), dal.Pinion("roll", "disc", "ground", radius=1.0))
    try:
        dal.run(turned, until=0.1)
    except dal.TopologyError as error:
        assert "'roll' can carry its second body only" in str(error) and "Exchange" in str(error)
    else:
        raise AssertionError("a pinion was carried from its second body")


def rejected(model, *words):
    """Assert that the check names these words."""
    try:
        dal.check(model)
    except dal.ModelError as error:
        missing = [word for word in words if word not in str(error)]
        assert not missing, f"{missing} not in {error}"
    else:
        raise AssertionError(f"no fault with {words}")


def unread(text, *words):
    """Assert that reading a text reports these words."""
    try:
        dal.check(dal.from_text(text))
    except dal.ModelError as error:
        assert all(word in str(error) for word in words), str(error)
    else:
        raise AssertionError(f"read without a fault: {text}")


# --- the force -----------------------------------------------------------------------------------------------------

def slider(start, **more):
    """Return a mass on a rail along x, held by the spring that hardens; its free length is one metre."""
    m = dal.Model("slider", gravity=(0, 0, 0), ground={"A": (-1.0, 0.0, 0.0)})
    return m.add(dal.Body("car", mass=MASS), dal.Prismatic("rail", "ground", "car", axis=(1, 0, 0), start=start),
                 dal.CubicSpring("spring", "ground.A", "car", stiffness=SOFT, hardening=HARD, length=1.0, **more))


def stored(x):
    """Energy of the spring [J]."""
    return SOFT * x**2 / 2 + HARD * x**4 / 4


def check_spring(until, **method):
    """Tension and speed follow from the stretch: m v² / 2 = V(start) - V(x)."""
    start = 0.3
    r = run(slider(start), until, **method)
    x, v, scale = r["rail.displacement"], r["rail.speed"], stored(start)
    error = 1e3 * method.get("accuracy", ACCURACY)
    assert min(x) < -0.5 * start, "the car has not come round"
    near(r["spring.force"], SOFT * x + HARD * x**3, 100 * EPS * HARD, "tension")
    near(r["spring.length"], 1.0 + x, 10 * EPS, "length")
    near(r["spring.rate"], v, 10 * EPS * np.max(np.abs(v)), "rate")
    near(r["energy.elastic"], stored(x), 100 * EPS * HARD, "stored energy")
    near(MASS * v**2 / 2 + stored(x), scale, error * scale, f"energy of the slider {method}")
    near(r["energy.balance"], 0.0, error * scale, "balance")


def check_spring_words():
    """The text goes round, and a negative stiffness is refused."""
    model = slider(0.1)
    again = dal.from_text(dal.to_text(model))
    assert again["spring"] == model["spring"] and "type: cubic-spring" in dal.to_text(model)
    rejected(slider(0.1).replaced("spring", hardening=-1.0), "forces.spring.hardening", "-1.0", "0 or more")
    unread(dal.to_text(model).replace("stiffness: 50.0, ", ""), "lacks 'stiffness'")


def check_tangents(exact):
    """Slope of the tension, and a spring without hardening beside a SpringDamper.

    The global formulation weighs its projections with the tangent; both ways to it agree on rigid bodies, and elsewhere change
    a step by a small part of its error, which is that between two step sizes.
    """
    error = 1e-12 if exact else 1e-8
    x = 0.2
    (found,) = dal.linearize(slider(x)).stiffness.ravel()
    slope = SOFT + 3 * HARD * x**2
    near(found, slope, error * slope, "slope")
    ours, theirs = (dal.linearize(swing(kind)).stiffness for kind in (dal.CubicSpring, dal.SpringDamper))
    near(ours, theirs, 100 * error * np.max(np.abs(theirs)), "matrices")
    ours, theirs, finer = (stepped(kind, step) for kind, step in ((dal.CubicSpring, 0.01), (dal.SpringDamper, 0.01),
                                                                   (dal.SpringDamper, 0.005)))
    near(ours, theirs, 0.05 * np.max(np.abs(theirs - finer)), "steps of the global formulation")


def swing(kind):
    """Return two swinging bodies that a spring connects."""
    m = dal.Model("swing", ground={"A": (0.9, 0.2, 0.0)})
    for name in "ab":
        m.add(dal.Body(name, mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.3), points={"tip": (0.1, 0, -1)}))
    return m.add(dal.Spherical("one", "ground", "a", start=(0.3, 0.2, -0.1), start_rate=(1.0, 0.5, 0.2)),
                 dal.Universal("two", "ground.A", "b", start=(0.4, -0.2), start_rate=(0.3, 0.1)),
                 kind("spring", "a.tip", "b.tip", stiffness=SOFT, length=0.5))


def stepped(kind, step):
    """Return where the swing's first tip is after ten hundredths of a second."""
    r = dal.run(swing(kind), until=0.1, step=step, formulation="global", integrator="generalized-alpha")
    return r["a.tip.position"][-1]


# --- the constraint ------------------------------------------------------------------------------------------------

def check_square(until, **method):
    """The direction of the second place stays square to that of the first, and the energy stays."""
    m = dal.Model("tumbler").add(dal.Body("b", mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.25)),
                                 dal.Spherical("ball", "ground", "b", start_rate=(0.0, 0.0, 2.0)),
                                 dal.Square("level", "ground", "b", normal=(0, 0, 1), axis=(1, 0, 0)))
    r = run(m, until, **method)
    near(r["b.rotation"][:, 2, 0], 0.0, 1e-6, "tilt")
    near(r["energy.total"], r["energy.total"][0], 1e4 * ACCURACY * np.ptp(r["energy.kinetic"]), "energy of the tumbler")
    assert np.max(np.abs(r["level.torque"])) > 0.1 and np.ptp(r["b.rotation"][:, 2, 2]) > 1e-3
    near(r["level.force"], 0.0, 1e-9, "force of a turning constraint")
    assert dal.from_text(dal.to_text(m))["level"] == m["level"]
    rejected(m.replaced("level", axis=(0, 0, 0)), "constraints.level.axis", "not zero")


def main(what, exact):
    """Run the checks."""
    if what in ("tangents", "all"):
        check_tangents(exact)
    if what == "tangents":
        return
    until = 1.0 if what == "all" else 0.2
    formulations = ["recursive", "semi-recursive"]
    if what == "all":
        formulations = [f for f in dal.formulations(wheel()) if f != "modular"]  # whose joints give way
    assert set(formulations) >= {"recursive", "semi-recursive"}
    for formulation in formulations:
        check_rolling(until, formulation=formulation)
        check_spring(max(until, 0.6), formulation=formulation)
    check_rolling(0.1, formulation="global", step=0.01, accuracy=1e-4)
    check_energy(until)
    check_closing(until)
    check_on_the_coordinate()
    check_words()
    check_spring_words()
    check_square(until)
    if what == "all":
        check_square(until, formulation="global")
        check_closing(until, formulation="global")


if __name__ == "__main__":
    main(sys.argv[1], "differences" not in sys.argv)
    print("good")
