"""
Double pendulum
===============

Two equal rods hang from each other on hinges and are let go from the horizontal.  Two degrees of freedom and no
friction are enough for chaos: two runs that begin a thousandth of a degree apart go different ways within ten
seconds.  What survives chaos is the energy, and this is what the script checks.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

LENGTH, MASS = 1.0, 1.0

# %%
# A body is given in its own frame: origin at the hinge, the rod along -z.  A joint joins two places; at angle zero
# their frames coincide, so that the pendulum hangs straight down when both angles are zero.

rod = dict(mass=MASS, com=(0, 0, -LENGTH / 2), inertia=dal.inertia_rod(MASS, length=LENGTH, axis="z"),
           points={"tip": (0, 0, -LENGTH)})
m = dal.Model("double pendulum", gravity=(0, 0, -9.81))
m.add(dal.Body("upper", **rod),
      dal.Body("lower", **rod),
      dal.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0), start=90 * dal.deg),
      dal.Revolute("elbow", "upper.tip", "lower", axis=(0, 1, 0)))

# %%
# Without a step the run chooses its own, so that the local error stays below ``accuracy``.

accuracy = 1e-9
r = dal.run(m, until=10.0, accuracy=accuracy, record=0.005)
twin = dal.run(m, until=10.0, accuracy=accuracy, record=0.005, start={"elbow": 1e-3 * dal.deg})
print(r)

# %%
# The path of the lower tip in the first five seconds, coloured by time, and how far apart the twins are.

tip, apart = r["lower.tip.position"], np.linalg.norm(r["lower.tip.position"] - twin["lower.tip.position"], axis=1)
figure, (path, distance) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
points = path.scatter(tip[:1001, 0], tip[:1001, 2], c=r.t[:1001], s=6, cmap="viridis")
for frame in np.searchsorted(r.t, (0.0, 0.45, 0.9, 5.0)):
    arm = np.array([(0, 0, 0), r["upper.tip.position"][frame], tip[frame]])
    path.plot(arm[:, 0], arm[:, 2], "o-", color="black", alpha=0.9 if frame == 1000 else 0.35, linewidth=1.5)
path.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="path of the lower tip")
figure.colorbar(points, ax=path, label="time [s]", shrink=0.85)
distance.semilogy(r.t[1:], apart[1:], color="tab:red")
distance.set(xlabel="time [s]", ylabel="distance of the twins [m]", title="begun a thousandth of a degree apart")
distance.grid(alpha=0.3)
plt.show()

# %%
# No friction: the total energy stays what it was.  An error-controlled run makes a local error of ``accuracy`` in
# each step, and the largest energy that moves to and fro is 3 m g L.

energy = r["energy.total"]
drift = np.max(np.abs(energy - energy[0]))
print(f"largest drift of the energy: {drift:.2e} J")
assert drift <= 10 * r.stats.steps * accuracy * 3 * MASS * 9.81 * LENGTH
assert apart[-1] > 1e3 * apart[:20].max()
