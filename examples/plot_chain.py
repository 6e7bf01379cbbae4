r"""
Chain of many links
===================

A chain of N hinged rods is let go from the horizontal.  The equations of motion of a tree are solved in a time
that grows in proportion to N, so a chain of a thousand links is no adventure.

A hanging chain is also a classic of vibration: Daniel Bernoulli found in 1732 that the frequencies of small swings
of a heavy rope are :math:`\tfrac{j}{4\pi} \sqrt{g/L}`, where j runs through the zeros of the Bessel function
:math:`J_0`.  The more links, the closer the chain comes to the rope.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import jn_zeros

import dalembert as dal

LENGTH, MASS, G = 2.0, 1.0, 9.81


def chain(links, start=0.0):
    """Return a chain of total length and mass LENGTH and MASS."""
    length, mass = LENGTH / links, MASS / links
    m = dal.Model(f"chain of {links} links", gravity=(0, 0, -G))
    place = "ground"
    for k in range(links):
        m.add(dal.Body(f"link{k}", mass=mass, com=(0, 0, -length / 2), points={"end": (0, 0, -length)},
                       inertia=dal.inertia_rod(mass, length=length, axis="z")),
              dal.Revolute(f"hinge{k}", place, f"link{k}", axis=(0, -1, 0), start=0.0 if k else start))
        place = f"link{k}.end"
    return m


# %%
# A chain is let go from the horizontal, and the frequencies of hanging chains with more and more links are compared with
# those of the rope.

N = 40
accuracy = 1e-7
r = dal.run(chain(N, start=90 * dal.deg), until=1.5, accuracy=accuracy, record=0.01)
print(r.stats)

rope = jn_zeros(0, 3) * np.sqrt(G / LENGTH) / (4 * np.pi)
counts = np.array([4, 8, 16, 32, 64])
errors = np.array([dal.eigenmodes(chain(n)).frequencies[:3] / rope - 1 for n in counts])

# %%
# Snapshots of the fall, and how the chain becomes a rope.

figure, (fall, swing) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
joints = np.stack([np.zeros((len(r), 3)), *(r[f"link{k}.end.position"] for k in range(N))], axis=1)
for frame in range(0, 121, 12):
    fall.plot(joints[frame, :, 0], joints[frame, :, 2], color=plt.cm.viridis(frame / 121))
fall.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title=f"{N} links, every 0.12 s")
for mode in range(3):
    swing.loglog(counts, np.abs(errors[:, mode]), "o-", label=f"mode {mode + 1}: {rope[mode]:.3f} Hz")
swing.set(xlabel="links", ylabel="relative error of the frequency", title="a chain becomes a rope")
swing.set_xticks(counts, counts)
swing.minorticks_off()
swing.grid(alpha=0.3)
swing.legend()
plt.show()

# %%
# The energy is conserved, and twice the links make a quarter of the error.

energy = r["energy.total"]
order = np.log2(np.abs(errors[-2] / errors[-1]))
print(f"energy drift {np.ptp(energy):.1e} J; orders of convergence {np.round(order, 2)}")
assert np.ptp(energy) <= r.stats.steps * accuracy * MASS * G * LENGTH
assert np.all(np.abs(order - 2) < 0.1)
