"""Laws of flexible bodies in floating frames: frequencies, stiffening, conservation, limits, frames."""

from dataclasses import replace

import numpy as np
import pytest
from floating_cases import FRAMES, double_arm
from scipy.linalg import eigh

import dalembert as dal
from dalembert.analyses.linear import linearize_state, modes_of
from dalembert.start.initial import prepare_start
from dalembert.start.reduction import Equations

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
SLENDER = dal.Rectangle(height=0.004, width=0.005)
AREA, IY = 0.004 * 0.005, 0.004 * 0.005**3 / 12  # bending in z
LENGTH = 1.0
ROTARY = np.pi**2 * IY / AREA / LENGTH**2
"""Order of what rotary inertia takes off a frequency."""


# --- small vibrations ----------------------------------------------------------------------------------------------

def clamped(*parts, **fields):
    """Return a slender beam along x, clamped to a hub that turns about z."""
    m = dal.Model("blade", gravity=(0, 0, 0))
    m.add(dal.Body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0), points={"root": (fields.pop("radius", 0.0), 0, 0)}),
          dal.Beam("blade", length=LENGTH, section=SLENDER, material=STEEL, theory="euler-bernoulli", **fields),
          dal.Revolute("spin", "ground", "hub", axis=(0, 0, 1)), dal.Fixed("clamp", "hub.root", "blade.start"), *parts)
    return m


def settled_modes(model):
    """Return the frequencies [rad/s] about the deformed state of relative rest, found by Newton's method."""
    begin = prepare_start(model)
    equations, q = Equations(begin.packed), begin.q.copy()
    free, none = equations.free, np.zeros(0)
    still = np.zeros(equations.n)
    for _ in range(20):
        residual = equations.residual(0.0, q, begin.qd, still, none)
        _, _, K = equations.matrices(0.0, q, begin.qd, still, none)
        step = np.zeros(equations.n)
        step[free] = -np.linalg.solve(K[np.ix_(free, free)], residual[free])
        q[begin.packed.system.pair["q"]] += step[begin.packed.system.pair["v"]]
        if np.max(abs(step)) < 1e-14:
            break
    return 2 * np.pi * modes_of(linearize_state(replace(begin, q=q))).frequencies


def ritz(tension, degree=10):
    """Return the first frequency [rad/s] of a cantilever in bending under a tension [N] (x), by polynomials x², x³, ..."""
    x, w = np.polynomial.legendre.leggauss(24)
    x, w = (x + 1) * LENGTH / 2, w * LENGTH / 2
    powers = np.arange(2, 2 + degree)
    shape, slope = x[:, None]**powers, powers * x[:, None]**(powers - 1)
    curve = powers * (powers - 1) * x[:, None]**(powers - 2)
    stiffness = STEEL.young * IY * curve.T * w @ curve + slope.T * (w * tension(x)) @ slope
    return float(np.sqrt(eigh(stiffness, STEEL.density * AREA * shape.T * w @ shape, eigvals_only=True)[0]))


def hold():
    """Return a drive that keeps the hub at rest."""
    return dal.Motion("hold", "spin", position=0.0)


@pytest.mark.parametrize("rotary", [True, False])
def test_first_bending_frequency_of_a_clamped_beam(rotary):
    """[beta L = 1.8751 of Euler and Bernoulli] Three fixed-interface modes leave an error of 1e-4."""
    found = settled_modes(clamped(hold(), modes=6, rotary_inertia=rotary))
    expected = [1.8751040687**2 * np.sqrt(STEEL.young * i / (STEEL.density * AREA)) for i in (0.005 * 0.004**3 / 12, IY)]
    assert found[:2] == pytest.approx(expected, rel=1e-4 + ROTARY)


def test_rotary_inertia_lowers_the_frequency_of_a_thick_beam():
    """Between hinges the sines stay modes [Rayleigh]: ω² = EI k⁴/(ρA (1 + k² I/A)), k = π/L, and without it EI k⁴/ρA.

    Four segments of cubics: the error in ω is (k L/4)⁴/1440 = 2.6e-4, in the ratio much less.
    """
    thick = dal.Rectangle(height=0.1, width=0.1)
    found = []
    for rotary in (True, False):
        m = dal.Model("hinged", gravity=(0, 0, 0))
        m.add(dal.Beam("beam", length=LENGTH, section=thick, material=STEEL, theory="euler-bernoulli", bodies=4,
                       rotary_inertia=rotary),
              dal.Revolute("left", "ground", "beam.start", axis=(0, 1, 0)),
              dal.PointOnLine("right", "ground", "beam.end", axis=(1, 0, 0)))
        found.append(2 * np.pi * dal.eigenmodes(m).frequencies[0])
    k, spread = np.pi / LENGTH, thick.iy / thick.area
    exact = k**2 * np.sqrt(STEEL.young * spread / STEEL.density)
    assert found[1] == pytest.approx(exact, rel=1.1 * (k * LENGTH / 4)**4 / 1440)
    assert found[0] / found[1] == pytest.approx(1 / np.sqrt(1 + k**2 * spread), rel=(k**2 * spread)**2)


@pytest.mark.parametrize("pull", [-5.0, 20.0, 60.0])
def test_a_pulled_beam_is_stiffer(pull):
    """A dead force along the axis: [EI w'''' - N w'' = rho A w² w] by a fine Ritz solution; the sign decides."""
    m = clamped(hold(), dal.Force("pull", "blade.end", direction=(1, 0, 0), magnitude=pull), modes=6)
    assert settled_modes(m)[1] == pytest.approx(ritz(lambda x: pull + 0 * x), rel=1e-3)


@pytest.mark.parametrize("fields", [{"modes": 6}, {"bodies": 4}], ids=str)
@pytest.mark.parametrize("radius", [0.0, 0.5])
@pytest.mark.parametrize("speed", [20.0, 60.0])
def test_a_spinning_beam_stiffens_out_of_its_plane(fields, radius, speed):
    """Southwell: the tension rho A W² ∫(r + x) dx holds the blade back; by a fine Ritz solution.

    All frequencies are looked through for the flapping one: others have no reason to be there.
    """
    m = clamped(dal.Motion("drive", "spin", speed=speed), radius=radius, **fields)
    line = STEEL.density * AREA * speed**2
    expected = ritz(lambda x: line * (radius * (LENGTH - x) + (LENGTH**2 - x**2) / 2))
    found = settled_modes(m)
    assert np.min(abs(found / expected - 1)) < 5e-3


def test_modes_of_a_spinning_blade_are_those_of_the_stretched_one():
    """What `eigenmodes` gives is about relative rest, for one segment and for several."""
    for bodies in (1, 3):
        m = clamped(dal.Motion("drive", "spin", speed=20.0), radius=0.1, bodies=bodies)
        assert dal.eigenmodes(m).frequencies * 2 * np.pi == pytest.approx(settled_modes(m), rel=1e-9)


# --- motion --------------------------------------------------------------------------------------------------------

def flying(frame=None):
    """Return a soft beam that flies and spins freely, with a rigid bob on a ball joint at its end."""
    m = double_arm(frame).replaced(gravity=(0, 0, 0)).without("hinge", "spring")
    return m.add(dal.Free("fly", "ground", "rod.start", start_rate=(0.3, 0.2, -0.1, 1.0, -2.0, 3.0)))


ACCURACY = 1e-9


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive"])
def test_a_flying_body_keeps_both_momenta(formulation):
    """Nothing acts from outside; the material's damping may take energy, never momentum."""
    r = dal.run(flying(), until=0.3, accuracy=ACCURACY, record=0.02, formulation=formulation, integrator="dopri5")
    drift = r.stats.steps * ACCURACY
    for channel in ("momentum.linear", "momentum.angular"):
        size = np.max(abs(r[channel]))
        assert np.max(abs(r[channel] - r[channel][0])) <= 10 * drift * (size + 1.0), channel
    assert np.all(np.diff(r["energy.total"]) <= 10 * drift * r["energy.total"][0])


@pytest.mark.parametrize("name", list(FRAMES))
def test_an_undamped_pendulum_keeps_its_energy(name):
    material = dal.Material(young=2.1e8, poisson=0.3, density=7850.0)
    m = dal.Model("pendulum")
    m.add(dal.Beam("rod", length=1.0, section=dal.Rectangle(height=0.04, width=0.02), material=material, frame=FRAMES[name]),
          dal.Revolute("hinge", "ground", "rod.start", axis=(0, 1, 0)))
    r = dal.run(m, until=0.5, accuracy=ACCURACY, record=0.02, integrator="dopri5")
    size = np.max(r["energy.kinetic"]) + np.max(r["energy.elastic"])
    assert np.max(r["energy.elastic"]) > 1e-3 * size
    assert np.max(abs(r["energy.total"] - r["energy.total"][0])) <= 10 * r.stats.steps * ACCURACY * size


def tip_of_pendulum(young, frame=None, viscosity=1e6):
    """Return the tip of a falling pendulum after 0.3 s; the viscosity [Pa s] damps its vibration."""
    m = dal.Model("pendulum")
    m.add(dal.Beam("rod", length=1.0, section=dal.Rectangle(height=0.04, width=0.02), frame=frame,
                   material=dal.Material(young=young, poisson=0.3, density=7850.0, damping=viscosity / young)),
          dal.Revolute("hinge", "ground", "rod.start", axis=(0, 1, 0)))
    return dal.run(m, until=0.3, accuracy=1e-8)["rod.end.position"][-1]


def test_a_stiff_body_tends_to_the_rigid_one():
    """The difference falls with the compliance: four times stiffer, four times nearer, once vibrations have died."""
    m = dal.Model("rigid pendulum")
    mass = 7850.0 * 0.04 * 0.02
    inertia = mass * np.array([(0.04**2 + 0.02**2), 1 + 0.02**2, 1 + 0.04**2]) / 12
    m.add(dal.Body("rod", mass=mass, com=(0.5, 0, 0), inertia=tuple(inertia), points={"end": (1.0, 0, 0)}),
          dal.Revolute("hinge", "ground", "rod", axis=(0, 1, 0)))
    rigid = dal.run(m, until=0.3, accuracy=1e-8)["rod.end.position"][-1]
    far, near = (np.linalg.norm(tip_of_pendulum(young, viscosity=1e8) - rigid) for young in (1e10, 4e10))
    assert far / near == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("name", ["chord", "mean axes"])
def test_frames_differ_by_the_square_of_the_deflection(name):
    """Linear elasticity in one frame and in another are the same to first order: half the deflection, a quarter apart."""
    apart = [np.linalg.norm(tip_of_pendulum(young) - tip_of_pendulum(young, FRAMES[name])) for young in (1e9, 2e9)]
    assert apart[0] / apart[1] > 2**1.7


def test_both_tree_formulations_make_the_same_steps():
    """The same equations, solved by elimination and by a sparse matrix: they part by rounding times steps."""
    m = double_arm(bodies=2)
    ends = [dal.run(m, until=0.02, step=1e-4, integrator="rk4", formulation=f)["bob.position"][-1]
            for f in ("recursive", "semi-recursive", dal.SemiRecursive(reference="origin"))]
    assert np.ptp(ends, axis=0) == pytest.approx(0.0, abs=1e-10)


def test_implicit_steps_converge_with_their_order():
    """Trapezoidal steps of a damped arm: the tangent of the iteration and the residual belong together."""
    m = double_arm(bodies=1)
    exact = dal.run(m, until=0.05, accuracy=1e-11, integrator="dopri5")["bob.position"][-1]
    errors = [np.linalg.norm(dal.run(m, until=0.05, step=h, integrator="trapezoidal")["bob.position"][-1] - exact)
              for h in (4e-4, 2e-4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("damping", [0.0, 1e-5, 1e-2])
def test_a_beam_pendulum_runs_with_all_defaults(damping):
    """First steps that would bend segments beyond all bounds are shortened; stretching is found stiff and stepped over."""
    m = dal.Model("beam pendulum", gravity=(0, 0, -9.81))
    material = dal.Material(young=2e11, poisson=0.3, density=7800, damping=damping)
    m.add(dal.Beam("rod", length=1.0, section=dal.Circle(0.01), material=material, bodies=2),
          dal.Revolute("hinge", "ground", "rod.start", axis=(0, 1, 0), start=0.3))
    r = dal.run(m, until=0.2)
    assert r.status == "ok" and any("stiff" in message for message in r.messages)
    assert np.ptp(r["energy.total"]) <= 0.01 * np.ptp(r["energy.kinetic"])
