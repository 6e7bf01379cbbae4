r"""
Spinning beam on a ball joint
=============================

A torque spins a beam about the vertical for 10.2 s; at 15 s a short blow on the tip, upward, makes it wobble [ELL, Fig. 10 and
11].  The article's units cannot be meant as they stand: a density of :math:`7.8\cdot 10^{-3}` and a modulus of
:math:`2.1\cdot 10^6` are steel in kg/cm³ and kp/cm².  Read literally, in kg/mm³ and N/mm², they give the speed of the figure,

.. math:: \omega = \frac{M t}{\rho A L^3/3} = 30.8\ \mathrm{rad/s},

and so they are taken here.  The blow is assumed to last 10 ms.  A rigid rod would turn on in a tilted plane.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

L, TORQUE, BLOW, SPUN, STRUCK, LASTS = 0.14142, 0.2, 100.0, 10.2, 15.0, 0.01
SQUARE = dal.Rectangle(height=3e-3, width=3e-3)
STEEL = dal.Material(young=2.1e12, poisson=0.3, density=7.8e6)
INERTIA = STEEL.density * (SQUARE.area * L**3 / 3 + SQUARE.iz * L)
