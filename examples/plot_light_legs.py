"""
Robot on light legs
===================

A heavy hull stands on three legs with thighs and shanks of a few grams.  The feet cling to a swaying floor with stiff
contact forces, so the legs swing thousands of times a second while the hull rocks at two.  That dies out within a
millisecond, but holds the steps of explicit integrators forever, and those of the trapezoidal rule for a long time.  Arnold
reports that neglecting the inertia of a walking robot's legs saves a factor of four [ARN, section 2].

Each leg is two massless bodies in a row: where the article asks for isolated ones, a small block of coupled first-order
equations is solved.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

HULL, LENGTH, BEND = 20.0, 0.3, 0.5
HIPS = {"front": 0.4, "middle": 0.0, "rear": -0.4}
PARTS = [f"{side} {part}" for side in HIPS for part in ("thigh", "shank")]


def robot(gram):
    """Return the robot with thighs and shanks of so many grams."""
    m = dal.Model("robot on light legs")
    m.add(dal.Body("floor", mass=1.0, points={s: (x, 0, -2 * LENGTH * np.cos(BEND)) for s, x in HIPS.items()}),
          dal.Prismatic("sway", "ground", "floor", axis=(1, 0, 0)),
          dal.Motion("shaker", "sway", position=dal.sine(amplitude=0.02, omega=4 * np.pi)),
          dal.Body("hull", mass=HULL, inertia=dal.inertia_box(HULL, size=(1.0, 0.4, 0.2)),
                   points={side: (x, 0, 0) for side, x in HIPS.items()}),
          dal.Planar("rocking", "ground", "hull", axis=(0, 1, 0)))
    mass = 1e-3 * gram
    rod = dict(mass=mass, com=(0, 0, -LENGTH / 2), inertia=dal.inertia_rod(mass, length=LENGTH, axis="z"),
               points={"end": (0, 0, -LENGTH)})
    for s in HIPS:
        m.add(dal.Body(f"{s} thigh", **rod), dal.Body(f"{s} shank", **rod),
              dal.Revolute(f"{s} hip", f"hull.{s}", f"{s} thigh", axis=(0, 1, 0), start=BEND),
              dal.Revolute(f"{s} knee", f"{s} thigh.end", f"{s} shank", axis=(0, 1, 0), start=-2 * BEND),
              dal.JointSpring(f"{s} hip servo", f"{s} hip", stiffness=400.0, damping=1.0, rest=BEND),
              dal.JointSpring(f"{s} knee servo", f"{s} knee", stiffness=400.0, damping=1.0, rest=-2 * BEND),
              dal.Bushing(f"{s} foot", f"floor.{s}", f"{s} shank.end", stiffness=1e6, damping=20.0))
    return m


# %%
# The report finds the legs, and says what they cost.

m = robot(4.0)
stand = dal.static(m).starts
report = dal.perturbation_report(m, start=stand)
print(report)
report.plot()

# %%
# With legs of four and of two grams, and without any mass.

times = np.r_[0:0.002:1e-5, 0.01:2:0.01]
four, two, none = (dal.run(each, until=2.0, start=stand, record=times)
                   for each in (m, robot(2.0), dal.neglected(m, PARTS)))
figure, (buzz, rock) = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
for r, label, style in ((four, "legs of 4 g", "-"), (none, "legs without mass", "--")):
    buzz.plot(1e3 * r.t[:200], r["front knee.speed"][:200], style, label=label)
    rock.plot(r.t, 1e3 * r["hull.position"][:, 0], style, label=label)
buzz.set(xlabel="time [ms]", ylabel="speed of the front knee [rad/s]", title="the legs buzz")
rock.set(xlabel="time [s]", ylabel="sway of the hull [mm]", title="the hull does not care")
buzz.legend(), rock.legend()
plt.show()

# %%
# What the hull does differently is in proportion to the mass that was neglected; what is saved depends on the integrator.

off = [np.max(np.abs(r["hull.position"] - none["hull.position"])) for r in (four, two)]
print(f"hull off by {1e3 * off[0]:.2f} mm and {1e3 * off[1]:.2f} mm")
assert abs(np.log2(off[0] / off[1]) - 1) < 0.2 and off[0] < 1e-3
for integrator, factor in {"trapezoidal": 3, "radau": 1.5}.items():
    steps = [dal.run(each, until=2.0, start=stand, record=[2.0], integrator=integrator).stats.steps
             for each in (m, dal.neglected(m, PARTS))]
    print(f"{integrator}: {steps[0]} steps with legs of 4 g, {steps[1]} without their mass")
    assert steps[0] > factor * steps[1]
