"""
Falling dominoes
================

Ten dominoes stand in a row, the first is pushed. Each of them turns about its lower edge, where a hinge stands for a
floor on which it does not slip, meets the next one with its upper edge and leans on it while it pushes on. The hinge
stops it where it lies on its face. Contacts of a point and a box, limits of joints, impacts that run through the row.

Checks: the wave reaches the last one, its speed settles, and the energy never grows.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

COUNT, SPACING = 10, 0.025
THICK, WIDE, TALL, MASS = 0.008, 0.024, 0.048, 0.009  # [m], [kg]

m = dal.Model("dominoes", gravity=(0, 0, -9.81),
              ground={f"p{k}": (k * SPACING, 0, 0) for k in range(COUNT)})
for k in range(COUNT):
    m.add(dal.Body(f"d{k}", mass=MASS, com=(-THICK / 2, 0, TALL / 2), inertia=dal.inertia_box(MASS, (THICK, WIDE, TALL)),
                   points={"edge": (0, 0, TALL), "middle": (-THICK / 2, 0, TALL / 2)}),
          dal.Revolute(f"h{k}", f"ground.p{k}", f"d{k}", axis=(0, 1, 0), limits=(0, np.pi / 2),
                       start=0.0, start_rate=6.0 if k == 0 else 0.0))
    if k:
        m.add(dal.Contact(f"c{k}", f"d{k - 1}.edge", dal.Box(f"d{k}.middle", size=(THICK, WIDE, TALL))))
r = dal.run(m, until=0.7, step=2e-4, record=1e-3)
hits = {event.contact: event.t for event in reversed(r.events) if event.kind == "impact" and event.contact.startswith("c")}
times = np.array([hits[f"c{k}"] for k in range(1, COUNT)])
print("first impacts [ms]:", *(f"{1e3 * t:.1f}" for t in times))

# %%
# The row at some times, and the angles.

figure, (row, angles) = plt.subplots(2, 1, figsize=(8.0, 6.0), layout="constrained")
outline = np.array([(0, 0), (0, TALL), (-THICK, TALL), (-THICK, 0), (0, 0)])
for t, shade in ((0.0, "0.8"), (0.2, "0.6"), (0.35, "0.3"), (0.7, "C0")):
    i = min(np.searchsorted(r.t, t), len(r.t) - 1)
    for k in range(COUNT):
        c, s = np.cos(r[f"h{k}.angle"][i]), np.sin(r[f"h{k}.angle"][i])
        x, z = outline @ np.array([[c, -s], [s, c]])[:, 0] + k * SPACING, outline @ np.array([[c, -s], [s, c]])[:, 1]
        row.plot(1e3 * x, 1e3 * z, color=shade, linewidth=1)
row.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
for k in range(COUNT):
    angles.plot(r.t, np.degrees(r[f"h{k}.angle"]))
angles.set(xlabel="time [s]", ylabel="angle [°]")
plt.show()

# %%
# The intervals between impacts become equal, and every impact takes energy.

intervals = np.diff(times)
print("speed of the wave [m/s]:", SPACING / intervals[-1])
assert np.all(intervals > 0) and np.ptp(intervals[-3:]) < 0.15 * intervals[-1]
assert np.diff(r["energy.total"]).max() < 2e-3 * np.ptp(r["energy.total"])
assert r["h9.angle"].max() <= np.pi / 2 + 1e-6 and min(r[f"h{k}.angle"].min() for k in range(COUNT)) > -1e-6
