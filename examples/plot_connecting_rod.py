r"""
Connecting rod of a solid mesh
==============================

The rod of an engine at 5000 rpm, meshed with solid elements and reduced to the motion of its two bores and a few modes.
Piston and crank are rigid.  The inertia of the piston pulls and pushes at the rod, that of the rod itself whips it
sideways; both are seen in the stresses at the middle of the shank, which are recovered from the run.

Newton's law for the outer half of the rod gives the axial force in the middle section without any elasticity,

.. math:: N = e \cdot (F - m_o\, a_o),

with the force :math:`F` of the piston pin, mass and acceleration of the half, and the direction :math:`e` of the rod.
The mean axial stress there must be :math:`N/A`.
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


def ring(centre, inner, outer, turn, rows=3):
    """Return a grid of points around a bore."""
    radius = np.linspace(inner, outer, rows)[:, None]
    return np.stack([centre + radius * np.cos(turn), radius * np.sin(turn)], axis=-1)


turn = np.linspace(-np.pi, np.pi, 33)
arc = turn[abs(turn) < 0.8]
x = np.linspace(45.0, 131.0, 13)[:, None]
shank = np.stack(np.broadcast_arrays(x, np.linspace(15.0, 11.0, 13)[:, None] * np.linspace(-1, 1, arc.size)), axis=-1)
grids = [ring(0.0, 25.0, 36.0, turn), ring(160.0, 11.0, 18.0, turn),
         np.concatenate([ring(0.0, 36.0, 36.0, arc, 1), shank, ring(160.0, 18.0, 18.0, np.pi - arc, 1)])]
corners = np.vstack([np.stack([g[:-1, :-1], g[1:, :-1], g[1:, 1:], g[:-1, 1:]], 2).reshape(-1, 4, 2) for g in grids])
flat, quads = np.unique(corners.reshape(-1, 2).round(6), axis=0, return_inverse=True)
quads, n = quads.reshape(-1, 4), len(flat)
points = np.vstack([np.column_stack([flat, np.full(n, z)]) for z in (-10.0, 0.0, 10.0)])
hexahedra = np.vstack([np.hstack([quads + k * n, quads + (k + 1) * n]) for k in range(2)])

with tempfile.TemporaryDirectory() as folder:
    meshio.write_points_cells(Path(folder) / "rod.vtu", points, [("hexahedron", hexahedra)])
    steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-6)
    mesh = dal.flex.read_mesh(Path(folder) / "rod.vtu", material=steel, scale=0.001)
rod = dal.flex.craig_bampton(mesh, interfaces={
    "big": mesh.nodes_where(lambda x, y, z: np.hypot(x, y) < 0.0251),
    "small": mesh.nodes_where(lambda x, y, z: np.hypot(x - LENGTH, y) < 0.0111)}, modes=4)
