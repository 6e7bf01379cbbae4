r"""
Modes of a flat bar
===================

A steel bar of solid elements is reduced to the frames at its two ends and six vibration modes.  With both ends held it has
the modes of a clamped-clamped beam; in a floating frame at one end, the modes of a cantilever.  `plot_mode` draws them with
their displacements exaggerated and coloured, above the undeformed bar.

For a slender bar the frequencies are those of Euler and Bernoulli,

.. math:: f = \frac{\lambda^2}{2\pi l^2}\sqrt{\frac{E I}{\rho A}}, \qquad
          \lambda = 4.730, 7.853, \dots \text{ (clamped)}, \quad 1.875, 4.694, \dots \text{ (cantilever)}.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

LENGTH, WIDTH, HEIGHT = 0.6, 0.06, 0.012
STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)

fe = dal.flex.box((LENGTH, WIDTH, HEIGHT), divisions=(30, 3, 1), material=STEEL)
bar = dal.flex.craig_bampton(fe, interfaces={"left": "-x", "right": "+x"}, modes=6)
cantilever = bar.floating("left")
print(bar.report(full=False))

# %%
# Two modes with both ends held, and two of the cantilever: bending, then the first torsion.


def bending(root):
    """Return the frequency [Hz] of bending the flat way for a root of the beam's equation."""
    return root**2 / (2 * np.pi * LENGTH**2) * np.sqrt(STEEL.young * HEIGHT**2 / 12 / STEEL.density)


torsion_stiffness = dal.Rectangle(height=WIDTH, width=HEIGHT).torsion * STEEL.shear_modulus
polar = STEEL.density * (WIDTH * HEIGHT**3 + HEIGHT * WIDTH**3) / 12
torsion = np.sqrt(torsion_stiffness / polar) / (4 * LENGTH)
twist = 1 + int(np.argmax(abs(cantilever.places["right"].rotation[0, :6])))

figure = plt.figure(figsize=(10.0, 6.5), layout="constrained")
pictures = [(bar, 1), (bar, 2), (cantilever, 2), (cantilever, twist)]
for k, (body, number) in enumerate(pictures, start=1):
    body.plot_mode(number, ax=figure.add_subplot(2, 2, k, projection="3d"))
plt.show()

# %%
# The frequencies are those of the beam, but for the width of the bar: its ends are held across it, and a plate is
# stiffer than a beam by at most 1/(1 - nu²) in EI.  Held sections do not warp, which stiffens torsion by about a width
# over the length.

plate = 1 / np.sqrt(1 - STEEL.poisson**2)
for found, root in ((bar.frequencies[0], 4.730), (cantilever.frequencies[0], 1.875)):
    assert 0.99 * bending(root) < found < 1.01 * plate * bending(root)
assert torsion < cantilever.frequencies[twist - 1] < (1 + WIDTH / LENGTH) * torsion
