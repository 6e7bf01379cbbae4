"""Meshes and loads for tests of finite elements."""

import numpy as np
from scipy.sparse.linalg import spsolve

from dalembert.flex.continuum import continuum_model
from dalembert.flex.fe_model import ElementBlock
from dalembert.flex.grids import grid_mesh
from dalembert.flex.shapes import EDGES, H27_FACES, shape_of
from dalembert.model.flexible import Material

EPS = float(np.finfo(float).eps)
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
GROUPS = {"t6": EDGES["t6"], "q8": EDGES["q8"], "q9": (*EDGES["q8"], range(4)), "t10": EDGES["t10"],
          "h20": EDGES["h20"], "h27": (*EDGES["h20"], *H27_FACES, range(8))}
CORNERS = {"t6": "t3", "q8": "q4", "q9": "q4", "t10": "t4", "h20": "h8", "h27": "h8"}
PLANES = ("t3", "t6", "q4", "q8", "q9")
SOLIDS = ("t4", "t10", "h8", "h20", "h27", "w6")
LINEAR = np.array([[1.0, 0.4, -0.3], [0.2, -0.7, 0.5], [0.6, 0.1, 0.9]]) * 1e-3
"""A displacement gradient without symmetry."""


def corner_mesh(kind, lengths, divisions):
    """Nodes and connectivity of the linear kinds on a grid; wedges are halves of hexahedra."""
    if kind != "w6":
        return grid_mesh(kind, lengths, divisions)[:2]
    nodes, cells = grid_mesh("h8", lengths, divisions)[:2]
    return nodes, np.vstack([cells[:, [0, 1, 2, 4, 5, 6]], cells[:, [0, 2, 3, 4, 6, 7]]])


def elevated(nodes, cells, groups):
    """Add a node in the middle of each group of corners, shared by the elements around it."""
    keys, nodes, new = {}, list(nodes), []
    for cell in cells:
        row = list(cell)
        for group in groups:
            key = tuple(sorted(cell[list(group)]))
            if key not in keys:
                keys[key] = len(nodes)
                nodes.append(np.mean([nodes[i] for i in key], axis=0))
            row.append(keys[key])
        new.append(row)
    return np.array(nodes), np.array(new)


def mesh_model(kind, *, divisions=None, distorted=0.0, incompatible=False, turn=None, lengths=(1.0, 0.8, 0.7)):
    """A box or plate of any kind; `distorted` moves the inner corners by that part of a cell, `turn` maps all nodes."""
    dim = shape_of(kind).dim
    divisions = divisions or (2,) * dim
    nodes, cells = corner_mesh(CORNERS.get(kind, kind), lengths[:dim], divisions)
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    inner = ((nodes[:, :dim] > low[:dim] + 1e-9) & (nodes[:, :dim] < high[:dim] - 1e-9)).all(axis=1)
    cell = np.array(lengths[:dim]) / divisions
    move = np.random.default_rng(3).uniform(-1, 1, (inner.sum(), dim)) * cell * distorted
    nodes[np.flatnonzero(inner)[:, None], np.arange(dim)] += move
    if kind in GROUPS:
        nodes, cells = elevated(nodes, cells, GROUPS[kind])
    if turn is not None:
        nodes[:, :dim] = nodes[:, :dim] @ turn[:dim, :dim].T
    block = ElementBlock(kind, cells, STEEL, thickness=0.3 if dim == 2 else 0.0, incompatible=incompatible)
    return continuum_model(nodes, (block,), {})


def boundary(fe):
    """Mask of the unknowns at the surface of an axis-parallel box or plate."""
    sides = ("-x", "+x", "-y", "+y") if fe.is_planar else ("-x", "+x", "-y", "+y", "-z", "+z")
    return np.isin(fe.dof_node, np.concatenate([fe.face(s) for s in sides]))


def field(fe, function):
    """Unknowns of a displacement field function(nodes) -> (n, 3)."""
    return function(fe.nodes)[fe.dof_node, fe.dof_direction]


def solve(fe, held, values=0.0, force=None):
    """Static displacement with the unknowns of the mask `held` at `values`."""
    u = np.zeros(fe.n_dof)
    u[held] = np.broadcast_to(values, fe.n_dof)[held] if np.ndim(values) else values
    f = (np.zeros(fe.n_dof) if force is None else force) - fe.stiffness @ u
    free = ~held
    u[free] = spsolve(fe.stiffness[free][:, free].tocsc(), f[free])
    return u


def end_force(fe, direction, total=1.0, face="+x"):
    """A force spread over the nodes of a face, by the tributary shares of a uniform grid."""
    nodes = fe.face(face)
    share = np.ones(len(nodes))
    for axis in range(3):
        x = fe.nodes[nodes, axis]
        if np.ptp(x) > 0:
            share *= np.where((x == x.min()) | (x == x.max()), 0.5, 1.0)
    f = np.zeros(fe.n_dof)
    f[fe.dof_table[nodes, direction]] = total * share / share.sum()
    return f


def order(errors):
    """Observed order of errors at steps that are halved each time."""
    return np.log2(errors[-2] / errors[-1])


def hooke(gradient, dim):
    """Stress tensor of isotropic elasticity in Lamé's form; plane stress by the condition σzz = 0."""
    e = (gradient + gradient.swapaxes(-1, -2)) / 2
    v, mu = STEEL.poisson, STEEL.shear_modulus
    lam = STEEL.young * v / (1 - v * v) if dim == 2 else STEEL.young * v / ((1 + v) * (1 - 2 * v))
    return lam * np.trace(e, axis1=-2, axis2=-1)[..., None, None] * np.eye(dim) + 2 * mu * e
