"""A clamped rod of any curvature under a dead tip load, by shooting: Cosserat's ordinary differential equations.

The rod is sheared, stretched, bent and twisted without approximation of the geometry (Simo 1985, Reissner 1981):
    r' = R (e1 + Gamma),  R' = R K~,  n' = 0,  m' = -r' x n,
    Gamma = C_F^-1 R^T n,  K = K0 + C_M^-1 R^T m.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Rod:
    """Length [m], stiffnesses (EA, GA_y, GA_z) [N] and (GJ, EI_y, EI_z) [N m²], curvature at rest (3,) [rad/m]."""

    length: float
    forces: tuple
    moments: tuple
    curvature: tuple = (0.0, 0.0, 0.0)


def rod_of(section, material, length, curvature=(0.0, 0.0, 0.0)):
    """Return the rod that a beam of this section and material is."""
    ky, kz = section.shear_factors(material.poisson)
    E, G = material.young, material.shear_modulus
    return Rod(length, (E * section.area, ky * G * section.area, kz * G * section.area),
               (G * section.torsion, E * section.iy, E * section.iz), curvature)


def _shot(rod, load, moment, tolerance):
    """Integrate from the clamp with a moment (3,) [N m] there; return (r, quaternion, m) at the tip."""
    C_F, C_M = np.array(rod.forces), np.array(rod.moments)

    def slope(s, y):
        R = Rotation.from_quat(y[3:7]).as_matrix()
        dr = R @ ([1.0, 0.0, 0.0] + R.T @ load / C_F)
        x, y_, z = 0.5 * (np.array(rod.curvature) + R.T @ y[7:] / C_M)
        a, b, c, w = y[3:7]
        turn = [w * x + b * z - c * y_, w * y_ + c * x - a * z, w * z + a * y_ - b * x, -a * x - b * y_ - c * z]
        return np.concatenate([dr, turn, -np.cross(dr, load)])

    begin = np.concatenate([np.zeros(3), [0, 0, 0, 1.0], moment])
    return solve_ivp(slope, (0.0, rod.length), begin, method="DOP853", rtol=tolerance, atol=tolerance).y[:, -1]


def tip(rod, load, steps=1, tolerance=1e-12):
    """Return position (3,) [m] and axes (3, 3) of the tip under a dead load (3,) [N], applied in some steps."""
    moment = np.zeros(3)
    scale = np.linalg.norm(load) * rod.length
    for part in np.linspace(0, 1, steps + 1)[1:]:
        force = part * np.asarray(load, float)
        found = root(lambda m, force=force: _shot(rod, force, scale * m, tolerance)[7:] / scale, moment / scale, tol=1e-13)
        moment = scale * found.x
        end = _shot(rod, force, moment, tolerance)
    assert np.abs(end[7:]).max() < 1e-9 * scale, "the shot missed"
    return end[:3], Rotation.from_quat(end[3:7]).as_matrix()
