r"""
Slider-crank with a rod of plane elements
=========================================

The rod of a planar mechanism is meshed in its plane, with two unknowns a node (plane stress).  Its ends are interfaces with
three coordinates each that the mesh can deform: two displacements and a rotation in the plane.  Out of the plane the rod
moves as a rigid body, which nobody notices here.

The plate runs in floating frames [HEL] and in absolute interface coordinates [ELL].  A Timoshenko beam of the same section
runs beside it: the rod is slender enough for beam theory, so that a mesh must not know better.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

CRANK, LENGTH, HEIGHT, DEPTH, SPEED, Z = 0.1, 0.4, 0.02, 0.005, 30.0, (0, 0, 1)
NYLON = dal.Material(young=3e9, poisson=0.3, density=1150.0, damping=1e-5)

mesh = dal.flex.plate((LENGTH, HEIGHT), thickness=DEPTH, divisions=(40, 4), material=NYLON)
middle = mesh.nodes_where(lambda x, y, z: np.abs(x - LENGTH / 2) < 1e-9)
plate = dal.flex.craig_bampton(mesh, interfaces={"start": "-x", "end": "+x"}, points={"mid": middle}, modes=3)
ROD = {"plate": dal.FlexibleBody("rod", plate),
       "beam": dal.Beam("rod", length=LENGTH, section=dal.Rectangle(height=HEIGHT, width=DEPTH), material=NYLON, modes=6,
                        points={"mid": LENGTH / 2})}


def mechanism(rod):
    """Return the mechanism with one of the rods."""
    m = dal.Model("slider-crank with a plate", gravity=(0, 0, 0))
    m.add(dal.Body("crank", mass=0.2, com=(CRANK / 2, 0, 0), inertia=(1e-4,) * 3, points={"pin": (CRANK, 0, 0)}), ROD[rod],
          dal.Body("slider", mass=0.05, inertia=(1e-5,) * 3),
          dal.Revolute("main", "ground", "crank", axis=Z), dal.Revolute("big end", "crank.pin", "rod.start", axis=Z),
          dal.Revolute("small end", "rod.end", "slider", axis=Z),
          dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0), start=CRANK + LENGTH),
          dal.Motion("drive", "main", speed=SPEED))
    return m


def bend(rod, formulation):
    """Return the distance [mm] of the middle of the rod from the line between its ends."""
    r = dal.run(mechanism(rod), until=angle[-1] / SPEED, step=1e-4, record=angle / SPEED, formulation=formulation)
    start, mid, end = (r[f"rod.{place}.position"] for place in ("start", "mid", "end"))
    chord = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    return 1e3 * np.sum((mid - (start + end) / 2) * np.cross(Z, chord), axis=1)


# %%
# A turn and a half of the crank.

angle = np.radians(np.arange(0, 541, 4))
runs = {(rod, f): bend(rod, f) for rod in ROD for f in ("semi-recursive", "global")}
figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for (rod, formulation), y in runs.items():
    ax.plot(np.degrees(angle), y, "-" if rod == "plate" else "--", label=f"{rod}, {formulation}")
ax.set(xlabel="crank angle [°]", ylabel="middle of the rod off its chord [mm]")
ax.legend(fontsize="small")
plt.show()

# %%
# Plate and beam agree.  Formulations differ by the stiffening of a rod that is pulled, which floating frames have within a
# body and interface coordinates between bodies: N L²/(π² E I), a hundredth of the bending at this speed.

size = np.abs(runs["plate", "semi-recursive"]).max()
apart = {f: np.abs(runs["plate", f] - runs["beam", f]).max() / size for f in ("semi-recursive", "global")}
between = np.abs(runs["plate", "global"] - runs["plate", "semi-recursive"]).max() / size
print(f"bending up to {size:.2f} mm; plate against beam: {apart}; between formulations {between:.2g}")
assert max(apart.values()) < 0.02 and between < 0.03
