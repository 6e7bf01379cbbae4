r"""
Anchor chain over a hull's edge
===============================

A windlass hauls a chain over the rounded edge of a hull; an anchor hangs at its end.  Every link may touch deck, edge and
side, and rubs there.  Pairs are found anew in every step, and the chain stays a tree: no loops are closed by its contacts.

For a rope that slides over an edge, the forces at both sides obey Euler and Eytelwein, :math:`S_1 = S_2 e^{\mu\varphi}`; what
the links on deck rub with comes on top.  Data of a small ship: chain of 22 mm, anchor of 150 kg, windlass with 12 m/min.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

import dalembert as dal

PITCH, WIDTH, WEIGHT, ANCHOR, FRICTION, G = 0.1, 0.04, 10.5, 150.0, 0.3, 9.81  # [m], radius [m], [kg/m], [kg], -, [m/s²]
DECK, ROUND, TURN = 20, 8, np.pi / 16  # links on deck and round the edge, angle between these
FLOAT = PITCH / 2 / np.sin(TURN / 2)  # distance of the joints round the edge from its middle [m]
EDGE = FLOAT * np.cos(TURN / 2) - WIDTH  # radius of the edge [m]
BENDS = {DECK: TURN / 2, DECK + ROUND: TURN / 2, **dict.fromkeys(range(DECK + 1, DECK + ROUND), TURN)}


@dal.law
def windlass(t, x, v):
    """Pull of the windlass [N]: it holds about what it is loaded with, and corrects its speed."""
    return 2e4 * (0.2 * min(1.0, 2.0 * t) - v) + 3.5e3


def anchor(links):
    """Return the ship with a chain of a number of links."""
    m = dal.Model("anchor chain", gravity=(0, 0, -G), ground={"winch": (-DECK * PITCH, 0, FLOAT), "side": (-0.5, 0, -50),
                                                              "deck": (-DECK * PITCH, 0, EDGE - 0.5)})
    m.add(dal.Body("winch", mass=50.0, inertia=(1.0, 1.0, 1.0)),
          dal.Prismatic("pull", "ground.winch", "winch", axis=(-1, 0, 0)), dal.Motor("windlass", "pull", effort=windlass))
    mass, place = WEIGHT * PITCH, "winch"
    across = mass * (PITCH**2 / 12 + WIDTH**2 / 2)
    for k in range(links):
        m.add(dal.Body(f"link{k}", mass=mass, com=(PITCH / 2, 0, 0), inertia=(mass * WIDTH**2, across, across),
                       points={"middle": (PITCH / 2, 0, 0), "end": (PITCH, 0, 0)}),
              dal.Revolute(f"joint{k}", place, f"link{k}", axis=(0, 1, 0), start=BENDS.get(k, 0.0)))
        place = f"link{k}.end"
    m.add(dal.Body("anchor", mass=ANCHOR, com=(0.3, 0, 0), inertia=(5.0, 20.0, 20.0)),
          dal.Revolute("shackle", place, "anchor", axis=(0, 1, 0)))
    chain = [dal.Capsule(f"link{k}.middle", radius=WIDTH, length=PITCH, axis=(1, 0, 0)) for k in range(links)]
    hull = [dal.Capsule("ground", radius=EDGE, length=2.0, axis=(0, 1, 0)), dal.Box("ground.deck", size=(4.0, 2.0, 1.0)),
            dal.Box("ground.side", size=(1.0 + 2 * EDGE, 2.0, 100.0))]
    return dal.contact_all(m, chain, against=hull, name="hull", friction=FRICTION)


# %%
# Two seconds of hauling, the force of the windlass, and the chain on its way.

LINKS = 60
r = dal.run(anchor(LINKS), until=2.0, step=1e-3, record=0.02)
hanging = ANCHOR + WEIGHT * (LINKS - DECK - ROUND) * PITCH - WEIGHT * r["pull.displacement"]
expected = G * (hanging * np.exp(FRICTION * np.pi / 2) + FRICTION * WEIGHT * DECK * PITCH)
figure, (picture, plot) = plt.subplots(1, 2, figsize=(10.0, 4.5), layout="constrained")
plot.plot(r.t, r["windlass.effort"] / 1e3, label="windlass")
plot.plot(r.t, expected / 1e3, "k--", label="Euler and Eytelwein, and deck")
plot.set(xlabel="t [s]", ylabel="force [kN]", ylim=(0, 5), title="hauling")
plot.legend()
ends = np.stack([r["winch.position"], *(r[f"link{k}.end.position"] for k in range(LINKS))], axis=1)
angle = np.linspace(0, np.pi / 2, 50)
picture.fill_between(np.append(-4, EDGE * np.sin(angle)), np.append(EDGE, EDGE * np.cos(angle)), -4.0, color="0.85")
line, = picture.plot([], [], "o-", ms=2, lw=1)
picture.set(aspect="equal", xlim=(-2.6, 1.2), ylim=(-4.0, 1.0), xlabel="x [m]", ylabel="z [m]")
film = FuncAnimation(figure, lambda k: line.set_data(ends[k, :, 0], ends[k, :, 2]), frames=range(0, len(r), 4), interval=80)
figure.canvas.draw()
line.set_data(ends[-1, :, 0], ends[-1, :, 2])

# %%
# The links press on the hull as a rope does.  The windlass pulls more, 13 % here and half of that with links of half the
# length: rigid links are a polygon that rolls and drops.

steady, load = r.t > 1.0, G * hanging
assert abs(np.mean((r["hull.normal_force"] - (expected - load) / FRICTION)[steady])) < 0.05 * np.mean(r["hull.normal_force"])
assert 1.0 < np.mean((r["windlass.effort"] / expected)[steady]) < 1.2
assert r["hull.gap"].min() > -1e-4
