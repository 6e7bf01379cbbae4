r"""
Flyball governor
================

James Watt's governor: two arms with balls hang from hinges on a shaft.  The faster the shaft, the farther the balls
swing out, and they lift a collar that once closed a steam valve.  Links from the arms to the collar are very
stiff springs with dampers; the model is a tree, but a stiff one, and a run finds this out and says so.

With rigid links the collar stands at z = h - sin(a), where the angle a of the arms below the horizontal follows from
the balance of weight and centrifugal force, for arms of one metre whose hinges are b away from the shaft:

.. math::

   W^2 \sin a\, \bigl(m_{ball} (b + \cos a) + m_{rod} (\tfrac12 b + \tfrac13 \cos a)\bigr)
   = g \cos a\, \bigl(m_{ball} + \tfrac12 m_{rod} + \tfrac12 m_{collar}\bigr)
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import dalembert as dal

G, B, H = 9.81, 0.05, 1.0
ROD, BALL, COLLAR = 0.3, 5.0, 3.0
SLOW, FAST = 5.0, 8.0
STIFFNESS = 8e5


def angle(speed):
    """Return the arms' angle below the horizontal in steady rotation [rad]."""
    return brentq(lambda a: speed**2 * np.sin(a) * (BALL * (B + np.cos(a)) + ROD * (B / 2 + np.cos(a) / 3))
                  - G * np.cos(a) * (BALL + ROD / 2 + COLLAR / 2), 0.01, 1.56)


# %%
# The shaft's speed is prescribed: 5 rad/s, then smoothly 8 rad/s.  A damper on the collar lets it settle.

m = dal.Model("flyball governor", gravity=(0, 0, -G))
m.add(dal.Body("shaft", mass=ROD, com=(0, 0, 0.5), inertia=dal.inertia_rod(ROD, length=1.0, axis="z"),
               points={"hinge1": (B, 0, H), "hinge2": (-B, 0, H)}),
      dal.Body("collar", mass=COLLAR, inertia=dal.inertia_box(COLLAR, size=(0.1, 0.1, 0.1)),
               points={"ear1": (B, 0, 0), "ear2": (-B, 0, 0)}),
      dal.Revolute("spin", "ground", "shaft", axis=(0, 0, 1)),
      dal.Motion("engine", "spin", speed=dal.ramp(begin=3.0, finish=4.0, start=SLOW, end=FAST)),
      dal.Prismatic("lift", "shaft", "collar", axis=(0, 0, 1), start=H - np.sin(angle(SLOW))),
      dal.JointSpring("dashpot", "lift", damping=60.0))
for k, side in ((1, 1), (2, -1)):
    rod = np.array(dal.inertia_rod(ROD, length=1.0, axis="x"))
    total, com = ROD + BALL, (ROD / 2 + BALL) / (ROD + BALL)
    spread = ROD * (com - 0.5) ** 2 + BALL * (1 - com) ** 2
    m.add(dal.Body(f"arm{k}", mass=total, com=(side * com, 0, 0), inertia=rod + np.array([0, spread, spread]),
                   points={"middle": (side * 0.5, 0, 0), "ball": (side, 0, 0)}),
          dal.Revolute(f"hinge{k}", f"shaft.hinge{k}", f"arm{k}", axis=(0, side, 0), start=angle(SLOW)),
          dal.SpringDamper(f"link{k}", f"collar.ear{k}", f"arm{k}.middle", length=0.5, stiffness=STIFFNESS,
                           damping=4e4))

r = dal.run(m, until=10.0, accuracy=1e-7, record=0.01)
print(r)

# %%
# The collar waits, climbs when the engine speeds up, and settles at the height that the formula gives.

figure, (lift, effort) = plt.subplots(2, 1, figsize=(7.0, 5.0), sharex=True, layout="constrained")
lift.plot(r.t, r["lift.displacement"])
for speed, style in ((SLOW, ":"), (FAST, "--")):
    lift.axhline(H - np.sin(angle(speed)), color="grey", linestyle=style, label=f"balance at {speed:g} rad/s")
lift.set(ylabel="height of the collar [m]")
effort.plot(r.t, r["engine.effort"], color="tab:red")
effort.set(xlabel="time [s]", ylabel="torque of the engine [N m]")
lift.legend()
plt.show()

# %%
# A link carries about the weight of arm, ball and collar, and gives way by that much over its stiffness.

give = 10 * G * (BALL + ROD + COLLAR) / STIFFNESS
height = r["lift.displacement"][[299, -1]]
assert np.all(np.abs(height - [H - np.sin(angle(SLOW)), H - np.sin(angle(FAST))]) < give), height
assert any("stiff" in message for message in r.messages)
