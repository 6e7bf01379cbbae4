r"""
A rod that walks
================

A pendulum that changes its pivot while it swings [SEG, section 6.2, Fig. 5]: each time its free end comes to the x axis, it is
pinned to the ground and the other one is let go.  An end that arrives with a speed is stopped by its new pin, which leaves a
quarter of the kinetic energy; here it comes to rest just there, so that the rod walks on and on, a length per swing,

.. math:: T = 2 \sqrt{\frac{2 l}{3 g}}\, K\!\left(\tfrac12\right) .
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import dalembert as dal

MASS, LENGTH, G = 1.0, 1.0, 9.81

across = MASS * LENGTH**2 / 12
m = dal.Model("walker", gravity=(0, -G, 0))
m.add(dal.Body("link", mass=MASS, com=(-LENGTH / 2, 0, 0), inertia=(1e-3, across, across),
               points={"one": (0, 0, 0), "two": (-LENGTH, 0, 0)}),
      dal.Revolute("pin", "ground", "link.one", axis=(0, 0, 1), start=0.0))

changes, free = [0.0], "two"
with dal.live(m, step=1e-3, formulation="global") as sim:
    for _ in range(5):
        sim.advance(0.5)
        end = f"link.{free}"
        sim.advance(until=10.0, stop=lambda s, end=end: s[f"{end}.velocity"][1] < 1e-3 and s[f"{end}.position"][1] > -0.01)
        changes.append(sim.t)
        x = sim[f"{end}.position"]
        sim.remove("pin")
        sim.ground_point("foot", (x[0], 0.0, 0.0))
        sim.add(dal.Revolute("pin", "ground.foot", end, axis=(0, 0, 1)))
        free = "one" if free == "two" else "two"
    r = sim.results
print(r)

# %%
# The paths of the two ends: they take turns on the x axis.

figure, ax = plt.subplots(figsize=(9.0, 3.0), layout="constrained")
for end in ("one", "two"):
    ax.plot(*r[f"link.{end}.position"][:, :2].T, label=end)
ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
ax.legend()
plt.show()

# %%
# Each swing takes the time that elliptic integrals give, and the rod has gone its length in each.

swing = 2 * np.sqrt(2 * LENGTH / (3 * G)) * ellipk(0.5)
print("swings [s]:", np.diff(changes).round(4), "closed form:", round(swing, 4))
assert np.abs(np.diff(changes) - swing).max() < 3e-3
assert abs(sim["ground.foot.position"][0] - 5 * LENGTH) < 1e-2
assert np.all(np.diff(r.t) > 0)
