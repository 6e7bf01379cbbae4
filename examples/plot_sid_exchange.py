"""
Exchange of a flexible body
===========================

Programs hand flexible bodies to each other as *Standard Input Data*: mass, moments, modal matrices and their first-order
terms in a floating frame, the shape functions of some nodes, and the geometric stiffening, all in one text [HEL §2].

A solid arm is reduced, written to a file and read again.  The reader knows nothing of the mesh, yet the arm must move
as before: hinged at its hub, it swings down from the horizontal with a load at its tip.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

steel = dal.Material(young=2.1e11, poisson=0.3, density=7850.0, damping=1e-5)
mesh = dal.flex.box((1.0, 0.01, 0.04), divisions=(40, 1, 4), material=steel)
reduced = dal.flex.craig_bampton(mesh, interfaces={"hub": "-x", "tip": "+x"}, modes=3)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "arm.SID_FEM"
    dal.flex.write_sid(reduced, path)
    text = path.read_text()
    again = dal.flex.read_sid(path)
print(*text.splitlines()[:12], f"... {len(text.splitlines())} lines", sep="\n")

# %%
# The same swing with the body that was reduced and the one that was read.


def swing(body):
    """Return the run of the arm with a load of half a kilogram."""
    m = dal.Model("swing", gravity=(0, 0, -9.81))
    m.add(dal.FlexibleBody("arm", body), dal.Body("load", mass=0.5, inertia=(1e-4, 1e-4, 1e-4)),
          dal.Revolute("hinge", "ground", "arm.hub", axis=(0, 1, 0)), dal.Fixed("bolt", "arm.tip", "load"))
    return dal.run(m, until=0.8, accuracy=1e-8, record=0.002)


runs = {"reduced": swing(reduced), "read": swing(again)}
print(dal.compare(runs, ["arm.tip.position", "arm.tip.deflection", "arm.modal", "hinge.force"]))

# %%
# How the tip moves against the tangent at the hub.  The arm begins straight and falls; it whips while it swings.

figure, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for (name, r), style in zip(runs.items(), ("-", "k:"), strict=True):
    ax.plot(r.t, 1e3 * r["arm.tip.deflection"][:, 2], style, label=name)
ax.set(xlabel="time [s]", ylabel="deflection of the tip [mm]")
ax.legend()
plt.show()

# %%
# The file keeps sixteen digits.  It lacks the second-order terms of the inertia, of which the motion sees the square of
# the deformation over the length.

bend = np.abs(runs["reduced"]["arm.tip.deflection"]).max()
assert dal.compare(runs, "arm.tip.position").worst.absolute < bend**2 / 1.0
