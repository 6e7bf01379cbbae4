"""[ARN (1)-(6), (18)-(26), Fig. 1-3] Small masses and their limit: accuracy, convergence with the mass, saved steps.

M. Arnold, Algorithmic aspects of singularly perturbed multibody system models, GACM Report (seed ARN).  The article gives
no parameters; those of ../problems/p2_* and p3_* are our own, their solutions closed forms with 50 digits (p2) and the
agreement of two codes to 2e-11 (p3).

Tolerances: `accuracy` is the local error of a step against a scale of one, local errors add up like the root of the
number of steps where they come with changing sign; GROWTH covers what does not (the phase of an undamped oscillation).
A rate is wrong by the error of the position times the frequency that carries it, and a first-order rate by the error
of the force divided by the damping.
"""

import numpy as np
import pytest
from mechanisms import massless_hub_tree, small_mass_oscillator
from reference import column, load, worst

import dalembert as dal

SETS = "ABC"
MASSES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0)
GROWTH = 10.0
ACCURACY = 1e-5
EXPENSIVE = {("bdf", "B"): 1e-6, ("bdf", "C"): 1e-5}
"""Masses up to which a run takes ten thousands of steps in Python."""
LEAST = {"auto": 1e-8, "bdf": 1e-6}
"""Smallest mass tried with each integrator: with bdf smaller ones take millions of steps in Python."""


def integrators():
    """Every set and mass with every integrator, as far as its steps allow; the expensive ones marked."""
    for name in LEAST:
        for letter in SETS:
            for m1 in (m1 for m1 in MASSES if m1 == 0.0 or m1 >= LEAST[name]):
                slow = 0.0 < m1 <= EXPENSIVE.get((name, letter), 0.0)
                yield pytest.param(name, letter, m1, id=f"{name}-{letter}-{m1:g}",
                                   marks=pytest.mark.slow if slow else ())


def reference(letter, m1):
    """Return the data and the solution (p1, p2, v1, v2) of a set."""
    p = load(f"p2_small_mass_oscillator_{letter}")
    assert p["columns"] == ["p1", "p2", "v1", "v2"]
    return p, np.array(next(c["values"] for c in p["cases"] if c["m1"] == m1))


def motion(r):
    """Return absolute positions and velocities (p1, p2, v1, v2) of a run."""
    p1, v1 = r["p1.displacement"], r["p1.speed"]
    return np.stack([p1, p1 + r["q2.displacement"], v1, v1 + r["q2.speed"]], axis=1)


# --- [ARN (5), (6)] -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("integrator, letter, m1", list(integrators()))
def test_every_mass_and_the_limit(integrator, letter, m1):
    p, exact = reference(letter, m1)
    d = p["data"]
    r = dal.run(small_mass_oscillator(d, m1), until=d["tend"], accuracy=ACCURACY, integrator=integrator,
                record=np.array(p["t"]))
    assert worst(r.t, p["t"]) <= 4 * np.finfo(float).eps * d["tend"]
    allowed = GROWTH * ACCURACY * np.sqrt(r.stats.steps)
    stiffness, damping = d["c1"] + d["c2"], d["d1"] + d["d2"]
    fast = np.sqrt(stiffness / m1) if m1 else stiffness / damping  # [rad/s], of p1
    slow = np.sqrt(d["c2"] / d["m2"])  # [rad/s], of p2
    error = np.abs(motion(r) - exact)
    assert error[:, 0].max() <= allowed
    assert error[:, 1].max() <= allowed
    assert error[:, 2].max() <= allowed * fast
    assert error[:, 3].max() <= allowed * slow


@pytest.mark.parametrize("letter", SETS)
def test_the_rate_of_the_massless_body_meets_its_equation_at_the_start(letter):
    """[ARN (6)] p1(0) is kept, v1(0) = F(0)/(d1 + d2) takes the place of the given zero."""
    p, exact = reference(letter, 0.0)
    r = dal.assemble(small_mass_oscillator(p["data"], 0.0))
    assert motion(r)[0] == pytest.approx(exact[0], rel=1e-12, abs=1e-12)
    assert any("'one'" in text and "massless" in text for text in r.messages)


@pytest.mark.parametrize("letter, masses", [("A", (1e-3, 1e-4, 1e-5)), ("B", (1e-3, 1e-4, 1e-5)),
                                            ("C", (1e-2, 1e-3, 1e-4))])
def test_the_slow_motion_converges_with_the_mass(letter, masses):
    """[ARN (3)] Distance to the reduced solution O(m1) on the slow coordinate; the fast one only where damped."""
    p, _ = reference(letter, 0.0)
    options = dict(until=0.5, accuracy=1e-9, record=0.0125)
    limit = motion(dal.run(small_mass_oscillator(p["data"], 0.0), **options))
    runs = [motion(dal.run(small_mass_oscillator(p["data"], m1), **options)) for m1 in masses]
    columns = (0, 1) if letter == "A" else (1,)
    for c in columns:
        distance = [worst(run[1:, c], limit[1:, c]) for run in runs]
        rate = np.polyfit(np.log(masses), np.log(distance), 1)[0]
        assert rate == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("letter, accuracy, fewer", [
    ("B", 1e-6, 14057 / 502), *(pytest.param(*row, 50, marks=pytest.mark.slow) for row in (("B", 1e-7), ("C", 1e-6)))])
def test_the_reduced_problem_takes_few_steps(letter, accuracy, fewer):
    """[ARN Fig. 2] Fifty times fewer steps than with m1 = 1e-5; for set B at 1e-6 as many as plain IDA saves (p2_*_B).

    The oscillation of set B dies out by itself, (d1 + d2)/(2 m1) = 100/s.  Following it for its 0.2 s takes 30 times the
    steps of the reduced problem, at any accuracy and order (docs/benchmarks.md).  What is saved beyond that are steps after
    it has died: formulas of order three to five are unstable for its eigenvalue, -100 + 14142i, unless steps stay short, and
    it is the solver's choice of the order that ends this, after 0, 0.3 and 1.8 s at 1e-5, 1e-6 and 1e-7.
    """
    p, _ = reference(letter, 0.0)
    small, none = (dal.run(small_mass_oscillator(p["data"], m1), until=p["data"]["tend"], accuracy=accuracy,
                           integrator="bdf").stats.steps for m1 in (1e-5, 0.0))
    assert small >= fewer * none


# --- [ARN Fig. 3] --------------------------------------------------------------------------------------------------

def tree_angles(r):
    """Return x1 and the absolute angles phi2 to phi5."""
    phi2 = r["j2.angle"]
    phi4 = phi2 + r["j4.angle"]
    return np.stack([r["j1.displacement"], phi2, phi2 + r["j3.angle"], phi4, phi4 + r["j5.angle"]], axis=1)


@pytest.mark.parametrize("integrator", ["auto", "bdf"])
def test_tree_with_a_massless_hub(integrator):
    """All coordinates to 1e-6; the hub's rate to that times the rate of its equation, stiffness over damping."""
    p = load("p3_tree_massless_hub")
    d = p["data"]
    r = dal.run(massless_hub_tree(d, p["initial"]), until=5.0, accuracy=1e-8, record=0.1, integrator=integrator)
    exact = np.stack([column(p, name) for name in ("x1", "phi2", "phi3", "phi4", "phi5")], axis=1)
    assert worst(tree_angles(r), exact) <= 1e-6
    tip = np.stack([column(p, "x_tip5"), column(p, "y_tip5")], axis=1)
    assert worst(r["b5.tip.position"][:, :2], tip) <= 1e-6
    damping = d["d12"] + d["d23"] + d["d24"]
    rate = (d["k12"] + d["k23"] + d["k24"]) / damping
    assert worst(r["j2.speed"], column(p, "phi2_dot")) <= 1e-6 * rate


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_tree_with_a_massless_hub_in_other_formulations(formulation):
    """As above by generalized-alpha steps, whose errors of second order add up over four swings of the pendulums."""
    p = load("p3_tree_massless_hub")
    r = dal.run(massless_hub_tree(p["data"], p["initial"]), until=5.0, accuracy=1e-7, record=0.1, formulation=formulation)
    assert r.provenance["formulation"] == formulation
    exact = np.stack([column(p, name) for name in ("x1", "phi2", "phi3", "phi4", "phi5")], axis=1)
    assert worst(tree_angles(r), exact) <= 1e-3
    assert worst(tree_angles(r)[:11], exact[:11]) <= 1e-4


@pytest.mark.parametrize("letter", "AB")
@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
def test_the_oscillator_without_mass_in_other_formulations(formulation, letter):
    """By generalized-alpha steps; errors shrink as the accuracy to the power 2/3, which the global error of order two is."""
    p, exact = reference(letter, 0.0)
    d, errors = p["data"], []
    for accuracy in (1e-6, 1e-8):
        r = dal.run(small_mass_oscillator(d, 0.0), until=d["tend"], accuracy=accuracy, formulation=formulation,
                    record=np.array(p["t"]))
        assert r.provenance["formulation"] == formulation
        errors.append(np.abs(motion(r) - exact)[:, :2].max() / np.max(abs(exact[:, :2])))
    assert errors[1] <= min(1e-3, 0.2 * errors[0]), errors


def test_the_tree_converges_with_the_hubs_inertia():
    """Distance to the massless hub O(J2), after the boundary layer of the hub's rate."""
    p = load("p3_tree_massless_hub")
    model = massless_hub_tree(p["data"], p["initial"])
    options = dict(until=1.0, accuracy=1e-9, record=0.1)
    limit = tree_angles(dal.run(model, **options))
    inertias = (1e-3, 1e-4, 1e-5)
    distance = [worst(tree_angles(dal.run(model.replaced("b2", inertia=(J, J, J)), **options)), limit)
                for J in inertias]
    assert np.polyfit(np.log(inertias), np.log(distance), 1)[0] == pytest.approx(1.0, abs=0.05)
