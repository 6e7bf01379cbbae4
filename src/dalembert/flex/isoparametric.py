"""Matrices of plane-stress and solid elements, for many elements at once.

One path for every kind.  Voigt order xx, yy, xy in the plane and xx, yy, zz, xy, yz, zx in space, engineering shear.
Incompatible bending modes of q4 and h8 (Taylor, Beresford, Wilson 1976) are the bubbles 1 - ξ² with their derivatives
mapped by the Jacobian of the centre and scaled by its determinant over the local one, so that they do no work on a
constant stress and the patch test is passed by any shape; they are condensed inside the element.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.flexible import Material
from .shapes import Shape

CHUNK = 2048
"""Elements handled at once, to bound the memory."""


def _voigt(pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return P (s, d, d): strain s = sum P[s, a, b] ∂u_a/∂x_b, stress tensor = sum P[s] σ_s."""
    d = max(max(p) for p in pairs) + 1
    table = np.zeros((len(pairs), d, d))
    for s, (a, b) in enumerate(pairs):
        table[s, a, b] = table[s, b, a] = 1.0
    return table


VOIGT = {2: _voigt([(0, 0), (1, 1), (0, 1)]), 3: _voigt([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)])}
"""Dimension -> map from the displacement gradient to Voigt strains."""


def elasticity(material: Material, dim: int) -> np.ndarray:
    """Return Hooke's matrix [Pa]: (3, 3) of plane stress for dim 2, (6, 6) for dim 3."""
    e, v, g = material.young, material.poisson, material.shear_modulus
    if dim == 2:
        return e / (1 - v * v) * np.array([[1, v, 0], [v, 1, 0], [0, 0, (1 - v) / 2]])
    c = np.diag([2 * g, 2 * g, 2 * g, g, g, g])
    c[:3, :3] += e * v / ((1 + v) * (1 - 2 * v))
    return c


def determinants(shape: Shape, x: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return det J (m, q) at reference points of elements with nodes x (m, k, dim) [m^dim]."""
    out: np.ndarray = np.linalg.det(_jacobians(shape, x, points))
    return out


def _jacobians(shape: Shape, x: np.ndarray, points: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.einsum("mka,qkb->mqab", x, shape.gradients(points))
    return out


def spatial_gradients(shape: Shape, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ∂N/∂x (m, q, k, dim) at the points of the stiffness rule, and the volume of each point (m, q)."""
    points, weights = shape.rule
    J = _jacobians(shape, x, points)
    return shape.gradients(points) @ np.linalg.inv(J), np.linalg.det(J) * weights


def _bubble_gradients(shape: Shape, x: np.ndarray) -> np.ndarray:
    """Return the derivatives (m, q, dim, dim) of the incompatible modes by the coordinates."""
    points, _ = shape.rule
    centre = _jacobians(shape, x, np.zeros((1, shape.dim)))
    ratio = np.linalg.det(centre) / determinants(shape, x, points)
    by_reference = -2 * points[:, :, None] * np.eye(shape.dim)
    out: np.ndarray = (by_reference @ np.linalg.inv(centre)) * ratio[:, :, None, None]
    return out


def strain_matrices(shape: Shape, x: np.ndarray, incompatible: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return B (m, q, s, k dim [+ dim²]) and the volume of each point (m, q); inner modes stand last."""
    gradients, volume = spatial_gradients(shape, x)
    if incompatible:
        gradients = np.concatenate([gradients, _bubble_gradients(shape, x)], axis=2)
    B = np.einsum("sab,mqkb->mqska", VOIGT[shape.dim], gradients, optimize=True)
    return B.reshape(*B.shape[:3], -1), volume


def _stiffness_with_modes(B: np.ndarray, volume: np.ndarray, C: np.ndarray) -> np.ndarray:
    m, q, s, n = B.shape
    weighted = (C @ B) * volume[:, :, None, None]
    out: np.ndarray = B.reshape(m, q * s, n).transpose(0, 2, 1) @ weighted.reshape(m, q * s, n)
    return out


def _mode_map(K: np.ndarray, n: int) -> np.ndarray:
    """Return the map (m, inner, n) from nodal displacements to the inner modes that minimise the energy."""
    return -np.linalg.solve(K[:, n:, n:], K[:, n:, :n])


def element_stiffness(shape: Shape, x: np.ndarray, C: np.ndarray, thickness: float = 1.0,
                      incompatible: bool = False) -> np.ndarray:
    """Return the stiffness (m, k dim, k dim) of elements with nodes x (m, k, dim) [N/m]."""
    n = shape.dim * x.shape[1]
    out = np.empty((len(x), n, n))
    for i in range(0, len(x), CHUNK):
        B, volume = strain_matrices(shape, x[i:i + CHUNK], incompatible)
        K = _stiffness_with_modes(B, volume, C)
        out[i:i + CHUNK] = K[:, :n, :n] + K[:, :n, n:] @ _mode_map(K, n) if incompatible else K
    out *= thickness
    return out


def element_mass(shape: Shape, x: np.ndarray, density: float, thickness: float = 1.0) -> np.ndarray:
    """Return the consistent mass (m, k, k), the same in each direction, of elements with nodes x (m, k, dim) [kg]."""
    points, weights = shape.mass_rule
    N = shape.values(points)
    products = np.einsum("qi,qj->qij", N, N).reshape(len(points), -1)
    volume = determinants(shape, x, points) * weights
    out: np.ndarray = (volume @ products).reshape(-1, N.shape[1], N.shape[1]) * (density * thickness)
    return out


def point_stresses(shape: Shape, x: np.ndarray, C: np.ndarray, u: np.ndarray, incompatible: bool = False) -> np.ndarray:
    """Return the stresses (m, q, s, c) at the points of the stiffness rule.

    Parameters
    ----------
    shape, x, C, incompatible
        As in `element_stiffness`.
    u : (m, k dim, c) float
        Displacements of each element [m].
    """
    out = []
    for i in range(0, len(x), CHUNK):
        B, volume = strain_matrices(shape, x[i:i + CHUNK], incompatible)
        values = u[i:i + CHUNK]
        if incompatible:
            inner = _mode_map(_stiffness_with_modes(B, volume, C), values.shape[1]) @ values
            values = np.concatenate([values, inner], axis=1)
        out.append((C @ B) @ values[:, None])
    return np.concatenate(out)


def element_geometric_stiffness(shape: Shape, x: np.ndarray, stress: np.ndarray, thickness: float = 1.0) -> np.ndarray:
    """Return ∫ ∂N_i/∂x σ ∂N_j/∂x dV (m, k, k), the same in each direction [N/m], for the stress (m, q, s) [Pa]."""
    out = np.empty((len(x), x.shape[1], x.shape[1]))
    for i in range(0, len(x), CHUNK):
        gradients, volume = spatial_gradients(shape, x[i:i + CHUNK])
        tensor = np.einsum("sab,mqs->mqab", VOIGT[shape.dim], stress[i:i + CHUNK]) * volume[:, :, None, None]
        out[i:i + CHUNK] = (gradients @ tensor @ gradients.swapaxes(2, 3)).sum(axis=1)
    return out * thickness
