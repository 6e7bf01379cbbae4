r"""
Dzhanibekov's body
==================

A wing nut that spins in a space station turns over again and again: rotation about the axis of the middle moment of
inertia is unstable, although nothing acts on the body.  Energy and angular momentum are conserved, and for
:math:`I_1 < I_2 < I_3` and :math:`L^2 > 2 E I_2` the angular velocity about the middle axis is a Jacobi elliptic function,

.. math::

   w_2 &= a\, \mathrm{sn}(t/T, k), & a^2 &= \frac{2 E I_3 - L^2}{I_2 (I_3 - I_2)}, \\
   T^2 &= \frac{I_1 I_2 I_3}{(I_3 - I_2)(L^2 - 2 E I_1)}, &
   k^2 &= \frac{(I_2 - I_1)(2 E I_3 - L^2)}{(I_3 - I_2)(L^2 - 2 E I_1)} .

The body turns over every :math:`2 K(k) T`, with the complete elliptic integral K.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipj, ellipk

import dalembert as dal

INERTIA = np.array([0.010, 0.020, 0.025])
SPIN = np.array([0.0, 10.0, 0.05])

# %%
# A free joint lets the body fly; its orientation is a quaternion, so that no position is singular.

m = dal.Model("Dzhanibekov body", gravity=(0, 0, 0))
m.add(dal.Body("nut", mass=0.1, inertia=INERTIA),
      dal.Free("flight", "ground", "nut", start_rate=(0, 0, 0, *SPIN)))
accuracy = 1e-11
r = dal.run(m, until=20.0, accuracy=accuracy, record=0.01)

# %%
# The closed form; it passes through zero in the middle between two flips, a quarter of its period after the maximum.

energy, L2 = 0.5 * INERTIA @ SPIN**2, np.sum((INERTIA * SPIN) ** 2)
i1, i2, i3 = INERTIA
below, above = L2 - 2 * energy * i1, 2 * energy * i3 - L2
T = np.sqrt(i1 * i2 * i3 / ((i3 - i2) * below))
parameter = (i2 - i1) * above / ((i3 - i2) * below)
flip = 2 * ellipk(parameter) * T
sn = ellipj((r.t + flip / 2) / T, parameter)[0]
exact = np.sqrt(above / (i2 * (i3 - i2))) * sn
print(f"the body turns over every {flip:.4f} s")

# %%
# Angular velocity in the body's own axes: world components turned back by the body's rotation.

own = np.einsum("fba,fb->fa", r["nut.rotation"], r["nut.angular_velocity"])
figure, ax = plt.subplots(figsize=(8.0, 3.6), layout="constrained")
for axis, label in enumerate(("smallest", "middle", "largest")):
    ax.plot(r.t, own[:, axis], label=f"about the {label} inertia")
ax.plot(r.t[::25], exact[::25], "k.", markersize=4, label="closed form")
ax.set(xlabel="time [s]", ylabel="angular velocity, body axes [rad/s]")
figure.legend(loc="outside upper center", fontsize="small", ncols=4)
ax.grid(alpha=0.3)
plt.show()

# %%
# Angular momentum and energy stay, and the flips come when the elliptic function says.  The period depends on how far
# the motion is from the unstable rotation, and small errors of energy and momentum count against this distance.

momentum = r["momentum.angular"]
assert np.abs(momentum - momentum[0]).max() < 1e3 * accuracy * np.linalg.norm(momentum[0])
assert np.ptp(r["energy.total"]) < 1e3 * accuracy * energy
error, distance = np.abs(own[:, 1] - exact).max(), (SPIN[2] / SPIN[1]) ** 2
print(f"largest error {error:.1e} rad/s")
assert error < 1e3 * accuracy / distance * SPIN[1]
