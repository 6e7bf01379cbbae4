r"""
Cantilever bent far
===================

A thin tube of one metre is clamped and pulled down at its tip by up to ten kilonewtons.  Every body of the beam is
linear-elastic in its own floating frame; ten of them in a row bend by a right angle [ELL, Fig. 5].  The curve to meet
is the extensible elastica, with the slope :math:`\theta` and the stretch :math:`\lambda` along the arc length s,

.. math::

   EI\,\theta'' = F\lambda\cos\theta, \quad \lambda = 1 - \frac{F\sin\theta}{EA}, \quad x' = \lambda\cos\theta, \quad
   y' = \lambda\sin\theta, \qquad x(0) = y(0) = \theta(0) = 0, \quad \theta'(L) = 0 .
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_bvp

import dalembert as dal

TUBE, METAL = dal.Tube(outer=0.02, wall=0.001), dal.Material(young=70e9, poisson=0.3, density=2700.0)
EI, EA, LENGTH, LOADS = METAL.young * TUBE.iz, METAL.young * TUBE.area, 1.0, (100.0, 500.0, 2000.0, 10000.0)


def bent(load, bodies):
    """Return the places (n + 1, 2) between the bodies of the loaded beam [m]."""
    m = dal.Model("cantilever", gravity=(0, 0, 0))
    m.add(dal.Beam("beam", length=LENGTH, section=TUBE, material=METAL, theory="euler-bernoulli", bodies=bodies),
          dal.Fixed("clamp", "ground", "beam.start"),
          dal.Force("load", "beam.end", direction=(0, -1, 0), magnitude=load))
    s = dal.static(m)
    places = ["start", *map(str, range(1, bodies)), "end"]
    return np.array([s[f"beam.{place}.position"][-1, :2] for place in places])


def elastica(load):
    """Return the exact curve (200, 2) [m]; the load grows in ten steps."""
    s = np.linspace(0, LENGTH, 200)
    curve = np.vstack([s, 0 * s, 0 * s, 0 * s])
    for force in load * np.linspace(0.1, 1, 10):
        def slope(s, u, force=force):
            stretch = 1 - force * np.sin(u[2]) / EA
            return np.vstack([stretch * np.cos(u[2]), stretch * np.sin(u[2]), u[3], force / EI * stretch * np.cos(u[2])])

        curve = solve_bvp(slope, lambda a, b: np.array([a[0], a[1], a[2], b[3]]), s, curve, tol=1e-8, max_nodes=20000).sol(s)
    return curve[:2].T


# %%
# Dots are the ends of ten bodies, lines the elastica.  The tip's error falls with the square of the number of bodies.

exact = {load: elastica(load) for load in LOADS}
found = {load: {n: bent(load, n) for n in (5, 10, 20)} for load in LOADS}
figure, (shape, error) = plt.subplots(1, 2, figsize=(9.5, 4.5), layout="constrained")
off = {load: [np.linalg.norm(each[-1] - exact[load][-1]) for each in found[load].values()] for load in LOADS}
for k, load in enumerate(LOADS):
    shape.plot(*exact[load].T, f"C{k}", label=f"{load:g} N")
    shape.plot(*found[load][10].T, f"C{k}o", markersize=4)
    error.loglog(found[load].keys(), 1e3 * np.array(off[load]), f"C{k}o-")
error.loglog((5, 20), (1, 1 / 16), "k--", label="slope -2")
shape.set(xlabel="x [m]", ylabel="y [m]", title="ten bodies and the elastica", aspect="equal")
error.set(xlabel="number of bodies", ylabel="error of the tip [mm]", title="convergence", xticks=(5, 10, 20))
error.xaxis.set_major_formatter("{x:g}")
error.minorticks_off()
shape.legend(title="load at the tip")
error.legend()
plt.show()

# %%
# Second order, and ten bodies are within four millimetres at the largest load.

for load in LOADS:
    print(f"{load:5g} N: tip of 5, 10 and 20 bodies off by", ", ".join(f"{1e3 * each:.3f} mm" for each in off[load]))
    assert abs(np.log2(off[load][1] / off[load][2]) - 2) < 0.3
assert max(errors[1] for errors in off.values()) < 4e-3 * LENGTH
