"""
Bouncing ball
=============

A ball falls from a metre and rebounds with four fifths of its speed each time. Infinitely many impacts follow each
other in a finite time, four seconds here; then it lies on the floor. Error-controlled steps locate the
impacts one by one until a rebound rises by less than the accuracy asked for, and go on with the ball at rest.

Checks: the times of the impacts are the closed form's, the energy after each of them is that of the restitution, and
in the end the floor carries the weight.
"""

import matplotlib.pyplot as plt
import numpy as np

import dalembert as dal

HEIGHT, E, G = 1.0, 0.8, 9.81  # [m], restitution, [m/s²]

m = dal.Model("bouncing ball", gravity=(0, 0, -G))
m.add(dal.Body("ball", mass=1.0, inertia=dal.inertia_sphere(1.0, 0.1)),
      dal.Free("free", "ground", "ball", start=(0, 0, HEIGHT + 0.1), start_rate=(0.3, 0, 0)),
      dal.Contact("floor", dal.Sphere("ball", radius=0.1), dal.Plane("ground", normal=(0, 0, 1)), restitution=E))
r = dal.run(m, until=5.0, accuracy=1e-8)
impacts = [event for event in r.events if event.kind == "impact"]
print(f"{len(impacts)} impacts, the last at {impacts[-1].t:.6f} s")

# %%
# Its path, and what is left of the energy.

figure, (path, energy) = plt.subplots(2, 1, figsize=(7.0, 5.5), layout="constrained")
path.plot(r["ball.position"][:, 0], r["ball.position"][:, 2] - 0.1)
path.set(xlabel="way [m]", ylabel="height [m]")
energy.plot(r.t, r["energy.total"] - r["energy.total"][-1])
energy.plot([event.t for event in impacts], [0.0] * len(impacts), "|", markersize=12)
energy.set(xlabel="time [s]", ylabel="energy above that of rest [J]")
plt.show()

# %%
# The first impact after a fall of t1, each further one after a flight of 2 e^k t1; all of them end at t1 (1 + e)/(1 -
# e).

t1 = np.sqrt(2 * HEIGHT / G)
expected = t1 * (1 + 2 * np.cumsum(E ** np.arange(1, 20)))
assert np.allclose([event.t for event in impacts[1:20]], expected, atol=1e-6)
assert impacts[-1].t < t1 * (1 + E) / (1 - E) + 1e-6
for k, (first, second) in enumerate(zip(impacts[:10], impacts[1:11], strict=True), start=1):
    between = np.searchsorted(r.t, 0.5 * (first.t + second.t))
    height = r["ball.position"][between, 2] - 0.1 + r["ball.velocity"][between, 2] ** 2 / (2 * G)
    assert np.isclose(height, HEIGHT * E ** (2 * k), rtol=1e-6)
assert np.isclose(r["floor.normal_force"][-1], G) and abs(r["ball.position"][-1, 2] - 0.1) < 1e-8
