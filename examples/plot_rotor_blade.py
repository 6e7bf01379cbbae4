r"""
Campbell diagram of a rotor blade
=================================

A blade of a wind turbine turns at the speed :math:`\Omega`.  Centrifugal forces pull at it, and a pulled beam is stiffer:
its frequencies rise with the speed.  Drawn against the speed, together with the harmonics 1P, 3P, 6P of the rotor, they
make Campbell's diagram; where lines cross, the wind shakes the blade in resonance.

The blade is uniform here, so that Ritz' method has a short answer to compare with.  With :math:`w = \sum_k c_k x^k`, the
pull :math:`N = \tfrac12 \varrho A \Omega^2 (L^2 - x^2)` and the inertia of turning sections,

.. math::

   \int_0^L E I w''^2 + N w'^2 - \Omega^2 f \; dx = \omega^2 \int_0^L \varrho A\, w^2 + \varrho I\, w'^2 \, dx ,
   \qquad f = \varrho A\, w^2 \text{ edgewise}, \quad f = \varrho I\, w'^2 \text{ flapwise}.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import eigh

import dalembert as dal

LENGTH, RHO_A, FLAP, EDGE = 50.0, 250.0, 1.2e9, 3.0e9  # [m], [kg/m], bending stiffnesses [N m²]
E, AREA = 3.5e10, 0.15
section = dal.Section(area=AREA, iy=FLAP / E, iz=EDGE / E, torsion=0.02)
material = dal.Material(young=E, poisson=0.3, density=RHO_A / AREA)

# %%
# One segment with a dozen vibration modes.  The hub is driven; modes are those of the turning blade, in its own axes.


def blade(speed):
    """Return a model of a blade that turns at a speed [rad/s]."""
    m = dal.Model("rotor blade", gravity=(0, 0, 0))
    return m.add(dal.Beam("blade", length=LENGTH, section=section, material=material, theory="euler-bernoulli", modes=12),
                 dal.Revolute("rotor", "ground", "blade", axis=(0, 0, 1)), dal.Motion("drive", "rotor", speed=speed))


speeds = np.linspace(0.0, 3.0, 13)  # [rad/s]
found = np.array([dal.eigenmodes(blade(speed)).frequencies[:4] for speed in speeds])

# %%
# Ritz' method with eight powers from :math:`x^2` on; integrals of powers are fractions.


def ritz(stiffness, speed, edgewise):
    """Return the first two frequencies [Hz] of a bending stiffness [N m²] at a speed [rad/s]."""
    k = np.arange(2, 10)
    p, q = k[:, None], k[None, :]
    bending = p * (p - 1) * q * (q - 1) / (p + q - 3) * stiffness / LENGTH**3
    pull = p * q * (1 / (p + q - 1) - 1 / (p + q + 1)) / 2 * RHO_A * speed**2 * LENGTH
    mass = RHO_A * LENGTH / (p + q + 1)
    turning = p * q / (p + q - 1) * RHO_A / AREA * stiffness / E / LENGTH
    softening = speed**2 * (mass if edgewise else turning)
    return np.sqrt(eigh(bending + pull - softening, mass + turning, eigvals_only=True)[:2]) / (2 * np.pi)


exact = {name: np.array([ritz(b, speed, name == "edge") for speed in speeds]) for name, b in (("flap", FLAP), ("edge", EDGE))}

# %%
# Lines are dalembert's, dots are Ritz', rays the harmonics of the rotor.

figure, ax = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
rpm = speeds * 30 / np.pi
ax.plot(rpm, found, "C0")
for name, mark in (("flap", "o"), ("edge", "s")):
    ax.plot(rpm, exact[name], f"k{mark}", markersize=4, label=[f"{name}, Ritz", None])
for n in (1, 3, 6):
    ax.plot(rpm, n * rpm / 60, ":", color="grey")
    ax.annotate(f"{n}P", (rpm[-1], n * rpm[-1] / 60), color="grey")
ax.set(xlabel="speed of the rotor [rpm]", ylabel="frequency [Hz]", ylim=(0, 1.1 * found.max()))
ax.legend(loc=(0.02, 0.7))
plt.show()

# %%
# Ritz' blade cannot stretch, the other one does by some 1e-4; and its pull goes in steps over 24 elements.
both = np.sort(np.hstack([exact["flap"], exact["edge"]]))
assert np.abs(found / both - 1).max() < 1e-3
