r"""
Connecting rod of a solid mesh
==============================

The rod of an engine at 5000 rpm, meshed with solid elements and reduced to the motion of its two bores and four modes.
Piston and crank are rigid.  The inertia of the piston pulls and pushes at the rod, that of the rod itself whips it
sideways; both are seen in the stresses of the shank, which are recovered from the run.

Newton's law for the outer half of the rod gives the axial force in the middle section without any elasticity,

.. math:: N = e \cdot (F - m_o\, a_o),

with the force :math:`F` of the piston pin, mass and acceleration of the half, and the direction :math:`e` of the rod.
The axial stress at the centre of the section must be :math:`N/A`.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import meshio
import numpy as np

import dalembert as dal

CRANK, LENGTH, SPEED, X, Z = 0.045, 0.16, 5000 * np.pi / 30, (1, 0, 0), (0, 0, 1)

# %%
# A mesh as a mesher would write it, in millimetres: two rings and a shank of quadrilaterals, drawn out along z.
def ring(centre, inner, outer):
    """Return a grid of points around a bore: three radii, 33 angles."""
    turn, radius = np.linspace(-np.pi, np.pi, 33), np.linspace(inner, outer, 3)[:, None]
    return np.stack([centre + radius * np.cos(turn), radius * np.sin(turn)], axis=-1)


big, small = ring(0.0, 25.0, 36.0), ring(160.0, 11.0, 18.0)
x, y = np.linspace(45.0, 131.0, 13)[:, None], np.linspace(15.0, 11.0, 13)[:, None] * np.linspace(-1, 1, 9)
shank = np.concatenate([big[2:, 12:21], np.stack(np.broadcast_arrays(x, y), axis=-1), small[2:, :-1][:, range(4, -5, -1)]])
corners = [np.stack([g[:-1, :-1], g[1:, :-1], g[1:, 1:], g[:-1, 1:]], axis=2).reshape(-1, 2) for g in (big, small, shank)]
flat, quads = np.unique(np.vstack(corners).round(6) + 0.0, axis=0, return_inverse=True)
quads, n = quads.reshape(-1, 4), len(flat)
points = np.vstack([np.column_stack([flat, np.full(n, z)]) for z in (-10.0, 0.0, 10.0)])
cells = np.vstack([np.hstack([quads + k * n, quads + (k + 1) * n]) for k in range(2)])

with tempfile.TemporaryDirectory() as folder:
    meshio.write_points_cells(Path(folder) / "rod.vtu", points, [("hexahedron", cells)])
    steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-6)
    mesh = dal.flex.read_mesh(Path(folder) / "rod.vtu", material=steel, scale=0.001)
bores = {"big": mesh.nodes_where(lambda x, y, z: np.hypot(x, y) < 0.0251),
         "small": mesh.nodes_where(lambda x, y, z: np.hypot(x - LENGTH, y) < 0.0111)}
marks = {"centre": mesh.nodes_where(lambda x, y, z: (abs(x - 0.088) < 1e-6) & (abs(y) + abs(z) < 1e-6)),
         "edge": mesh.nodes_where(lambda x, y, z: (abs(x - 0.088) < 1e-6) & (y > 0.0129) & (abs(z) < 1e-6))}
rod = dal.flex.craig_bampton(mesh, interfaces=bores, points=marks, modes=4)
m = dal.Model("connecting rod", gravity=(0, 0, 0))
m.add(dal.Body("crank", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), points={"pin": (CRANK, 0, 0)}),
      dal.FlexibleBody("rod", rod), dal.Body("piston", mass=0.4, inertia=(1e-4, 1e-4, 1e-4)),
      dal.Revolute("main", "ground", "crank", axis=Z), dal.Revolute("crank pin", "crank.pin", "rod.big", axis=Z),
      dal.Revolute("piston pin", "rod.small", "piston", axis=Z),
      dal.Prismatic("cylinder", "ground", "piston", axis=X, start=CRANK + LENGTH), dal.Motion("drive", "main", speed=SPEED))
r = dal.run(m, until=4 * np.pi / SPEED, step=4e-6, record=4e-5)

# %%
# Newton's law for the outer half: its mass and centre from the mass matrix, its acceleration between those of the bores.
weight = mesh.mass.sum(axis=0)[mesh.dof_direction == 0] * (np.sign((mesh.nodes[:, 0] - 0.088).round(6)) + 1) / 2
s = weight @ mesh.nodes[:, 0] / weight.sum() / LENGTH
load = weight.sum() * ((1 - s) * r["rod.big.acceleration"] + s * r["rod.small.acceleration"]) + r["piston pin.force"]
newton = -np.sum(load * (r["rod.small.position"] - r["rod.big.position"]), axis=1) / LENGTH / (0.026 * 0.020)
stress = {name: r.stress(m, f"rod.{name}", components=True)[:, 0] for name in marks}
figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for name, sigma in (("edge", stress["edge"]), ("centre", stress["centre"]), ("centre by Newton", newton)):
    ax.plot(np.degrees(r["main.angle"]), sigma / 1e6, "k:" if "Newton" in name else "-", label=name)
ax.set(xlabel="crank angle [°]", ylabel="axial stress in the middle [MPa]")
ax.legend()
space = plt.figure(figsize=(8.0, 4.5), layout="constrained").add_subplot(projection="3d")
r.plot_shape(m, "rod", frame=r.stress(m, "rod").argmax(), exaggeration=100.0, ax=space)
plt.show()

# %%
# The law holds to a hundredth.
assert np.abs(stress["centre"] - newton)[50:].max() < 0.02 * np.abs(newton).max()
