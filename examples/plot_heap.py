"""
Heap of balls
=============

Balls fall into a box and come to rest on each other.  Any two of them may touch: `contact_all` lets all shapes meet, and the
pairs that are near are found anew in every step.  The number of balls is small here so that the page is made in seconds;
`benchmarks/contact.py` has a thousand of them.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

RADIUS, DENSITY, FRICTION = 0.05, 1000.0, 0.3  # [m], [kg/m³]


def heap(count, side, seed=0):
    """Return balls above the floor of a box whose walls are so many balls apart."""
    half, random = 1.2 * side * RADIUS, np.random.default_rng(seed)
    walls = {"left": ((-half, 0, 0), (1, 0, 0)), "right": ((half, 0, 0), (-1, 0, 0)),
             "front": ((0, -half, 0), (0, 1, 0)), "back": ((0, half, 0), (0, -1, 0))}
    m = dal.Model(f"heap of {count} balls", ground={name: place for name, (place, _) in walls.items()})
    mass = DENSITY * 4 / 3 * np.pi * RADIUS**3
    shapes = [dal.Plane("ground"), *(dal.Plane(f"ground.{name}", normal=normal) for name, (_, normal) in walls.items())]
    for k in range(count):
        cell = np.array([k % side - (side - 1) / 2, k // side % side - (side - 1) / 2, 0.6 + k // side**2])
        start = 2.3 * RADIUS * cell + random.uniform(-0.1, 0.1, 3) * RADIUS
        m.add(dal.Body(f"ball{k}", mass=mass, inertia=dal.inertia_sphere(mass, RADIUS)),
              dal.Free(f"free{k}", "ground", f"ball{k}", start=tuple(start)))
        shapes.append(dal.Sphere(f"ball{k}", radius=RADIUS))
    return dal.contact_all(m, shapes, name="heap", friction=FRICTION)


# %%
# A hundred balls, a second and a half.

COUNT, SIDE = 100, 4
r = dal.run(heap(COUNT, SIDE), until=1.5, step=2e-3, record=0.01)
print(r.stats)
print(f"{r['heap.touches'][-1]:.0f} points of contact, largest overlap {-r['heap.gap'].min():.1e} m of a radius of {RADIUS} m")

# %%
# The balls from the side, energy, and the points of contact.

figure, (start, end, plot) = plt.subplots(1, 3, figsize=(11.0, 4.0), layout="constrained")
for axes, frame, title in ((start, 0, "start"), (end, -1, "end")):
    for k in range(COUNT):
        x, y, z = r[f"ball{k}.position"][frame]
        axes.add_patch(plt.Circle((x, z), RADIUS, ec="k", lw=0.4, fc=plt.cm.viridis(y / (2.4 * SIDE * RADIUS) + 0.5)))
    axes.set(aspect="equal", xlim=(-0.3, 0.3), ylim=(0, 0.85), title=title, xlabel="x [m]", ylabel="z [m]")
plot.plot(r.t, r["energy.total"], label="energy [J]")
plot.plot(r.t, r["heap.touches"] / 10, label="points of contact / 10")
plot.set(xlabel="t [s]")
plot.legend()

# %%
# Impacts without rebound and friction only take energy, and nothing is pushed into anything.

assert np.diff(r["energy.total"]).max() < 1e-3 * r["energy.total"][0]
assert r["heap.gap"].min() > -1e-3 * RADIUS
