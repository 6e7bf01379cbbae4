"""Mechanisms whose motion must not depend on how they are written down: name -> Mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flexible_mechanisms import slider_crank_2d, slider_crank_3d
from invariance.agreement import INTEGRATORS
from invariance.transformations import depends_on_place
from mechanisms import andrews, bricard, flyball, massless_hub_tree, n_fourbar, spatial_slider_crank
from physics.loop_models import eccentric_roller, parallelogram, slider_crank
from random_models import random_tree
from reference import load

import dalembert as dal

STIFF = ("radau", "bdf", "generalized-alpha")
"""Integrators for massless and for flexible bodies."""
MODELS = Path(dal.__file__).parent / "cli" / "models"


@dataclass(frozen=True)
class Mechanism:
    """A model, how long it is observed [s], joints that may close its loops instead, integrators if not all will do, and those
    of them that take long.
    """

    make: Callable
    until: float
    cuts: tuple[str, ...] = ()
    integrators: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()

    def __call__(self):
        return self.make()

    def ways(self, costly=False):
        """Return pairs of formulations and integrators that run the model, those that take long if asked for."""
        return [(f, i) for f in dal.formulations(self.make()) if f in INTEGRATORS for i in (*INTEGRATORS[f], *self.more(f))
                if (not self.integrators or i in self.integrators) and (costly or i not in self.costly)]

    def more(self, formulation):
        """Integrators of flexible and massless models besides the usual ones."""
        return tuple(i for i in self.integrators if i == "generalized-alpha" and i not in INTEGRATORS[formulation])


def fourbar():
    """Return a four-bar of slender rods with revolute joints all around."""
    def rod(length, mass):
        across = mass * length**2 / 12
        return dict(mass=mass, com=(length / 2, 0, 0), inertia=(0.01 * across, across, across), points={"tip": (length, 0, 0)})

    axis = (0, 0, 1)
    return dal.Model("four-bar", gravity=(0, -9.81, 0), ground={"B": (1.0, 0, 0)}).add(
        dal.Body("crank", **rod(0.4, 1.0)), dal.Body("coupler", **rod(0.9, 2.0)), dal.Body("rocker", **rod(0.7, 1.5)),
        dal.Revolute("a", "ground", "crank", axis=axis, start=1.0),
        dal.Revolute("b", "crank.tip", "coupler", axis=axis, start=-0.8),
        dal.Revolute("c", "ground.B", "rocker", axis=axis, start=1.6),
        dal.Revolute("d", "coupler.tip", "rocker.tip", axis=axis))


def squeezer():
    """Return the seven-body mechanism of Andrews at its start."""
    p = load("p5_A03_andrews")
    return andrews(p["data"], p["q0"])


def bennett(short=0.3, long=0.5, twist=0.6):
    """Return Bennett's overconstrained 4R linkage: equal opposite links, lengths as the sines of their twists.

    Link i leads from axis i along the common normal to axis i + 1.  Opposite links have equal length and twist; with
    a / sin(twist a) = b / sin(twist b) the loop moves.  It begins at the half angle t of joint 1, that of joint 2 follows from
    tan(q1/2) tan(q2/2) = sin((b + a)/2) / sin((b - a)/2), a and b the twists.
    """
    a, b = twist, np.arcsin(long / short * np.sin(twist))
    length, angle = (short, long, short, long), (a, b, a, b)
    half = 0.55
    second = np.arctan(np.sin((b + a) / 2) / np.sin((b - a) / 2) / np.tan(half))
    starts = 2 * half, 2 * second, -2 * half, -2 * second
    axis = (0, 0, 1)
    # link 4 is the ground; each link's frame stands at its first axis, x along the link
    ends = [dal.Frame((d, 0, 0), {"axis": (1, 0, 0), "angle": w}) for d, w in zip(length, angle, strict=True)]
    m = dal.Model("Bennett", gravity=(1.0, -9.0, 2.0), ground={"end": ends[3]})
    names = ["ground.end", "l1", "l2", "l3"]
    for i, name in enumerate(names[1:]):
        mass = 2.0 * length[i]
        across = length[i] ** 2 / 12
        m.add(dal.Body(name, mass=mass, com=(length[i] / 2, 0, 0), inertia=mass * np.array([0.0003, across, across + 2e-4]),
                       points={"end": ends[i]}))
        m.add(dal.Revolute(f"j{i + 1}", names[i] if i == 0 else f"{names[i]}.end", name, axis=axis,
                           **({"start": starts[0], "start_rate": 2.0} if i == 0 else {"start": dal.guess(starts[i])})))
    return m.add(dal.Revolute("j4", "l3.end", "ground", axis=axis))


def gears():
    """Return two wheels that mesh, the second with a rack on its coordinate, and a cam on it."""
    def wheel(radius, mass):
        return dict(mass=mass, com=(0.02, 0, 0), inertia=mass * radius**2 * np.array([0.3, 0.3, 0.5]))

    ground = {"B": (0.5, 0, 0), "C": (0.5, -0.3, 0), "D": (0.8, 0.1, 0.1)}
    return dal.Model("gears", gravity=(2.0, -9.0, 1.0), ground=ground).add(
        dal.Body("one", **wheel(0.2, 2.0)), dal.Body("two", **wheel(0.3, 3.0)),
        dal.Body("rack", mass=1.0, inertia=(0.01,) * 3), dal.Body("lever", mass=0.5, com=(0.1, 0, 0), inertia=(0.01,) * 3),
        dal.Revolute("a", "ground", "one", start=0.2, start_rate=3.0), dal.Revolute("b", "ground.B", "two"),
        dal.Prismatic("slide", "ground.C", "rack", axis=(1, 0, 0)), dal.Revolute("tilt", "ground.D", "lever", axis=(0, 1, 0)),
        dal.Gear("mesh", "a", "b", ratio=-2.0 / 3.0), dal.Gear("rack and pinion", "b", "slide", ratio=0.3, offset=0.05),
        dal.CoordinateCoupling("cam", "tilt", "slide", function=lambda x: 0.3 * np.sin(4.0 * x)),
        dal.JointSpring("s", "slide", stiffness=40.0, damping=1.0, rest=0.1))


def door():
    """Return a door on three hinges in a line, of which two hold nothing that the first does not."""
    ends = {f"h{i}": (0, 0, z) for i, z in enumerate((0.1, 1.1, 1.9))}
    return dal.Model("door", gravity=(1.0, 2.0, -9.0), ground=ends).add(
        dal.Body("door", mass=20.0, com=(0.4, 0.05, 1.0), inertia=(7.0, 9.0, 2.0), points=ends),
        *(dal.Revolute(f"hinge {n}", f"ground.{n}", f"door.{n}", **({"start": 0.3, "start_rate": 1.0} if n == "h0" else {}))
          for n in ends))


def carriage():
    """Return a carriage on three parallel rails."""
    rails = {f"r{i}": (0, y, z) for i, (y, z) in enumerate(((-0.7, 0.1), (0.5, 0.3), (0.2, -0.8)))}
    return dal.Model("carriage", gravity=(2.0, 3.0, -9.0), ground=rails).add(
        dal.Body("carriage", mass=4.0, com=(0.2, 0.1, 0.3), inertia=(1.0, 1.2, 1.4), points=rails),
        *(dal.Prismatic(f"rail {n}", f"ground.{n}", f"carriage.{n}", axis=(1, 0, 0),
                        **({"start": 0.2, "start_rate": 0.5} if n == "r0" else {})) for n in rails))


def beam_crank(make, problem):
    """A flexible slider-crank whose floating frames stand at the same ends in any tree."""
    return make(load(problem)["data"], 2).replaced("rod", frame="start")


def random(seed, n=5, motions=False):
    """Return a random tree whose following forces do not ask where they are."""
    return placeless(random_tree(np.random.default_rng(seed), n, motions=motions)[0])


def placeless(model):
    """Return the model with constant forces for following ones with laws of their place."""
    for part in model.forces:
        if isinstance(part, dal.Force) and part.follow and depends_on_place(part.magnitude):
            model = model.replaced(part.name, magnitude=3.0)
    return model


def hub():
    """Return [ARN Fig. 3], a tree with a massless hub."""
    p = load("p3_tree_massless_hub")
    return massless_hub_tree(p["data"], p["initial"])


def stored(name):
    """Return a model of the command line's examples."""
    return dal.read(MODELS / f"{name}.yaml")


LIBRARY = {
    "tree": Mechanism(lambda: random(6), 0.2),
    "driven tree": Mechanism(lambda: random(9, 6, True), 0.2),
    "governor": Mechanism(lambda: flyball(load("p5_A05_flyball_soft")["data"]), 0.05),
    "massless hub": Mechanism(hub, 0.2, integrators=STIFF),
    "four-bar": Mechanism(fourbar, 0.4, ("b", "c")),
    "parallelogram": Mechanism(lambda: parallelogram(start=0.5), 0.4, ("c",)),
    "parallelogram at its dead point": Mechanism(lambda: parallelogram(start=-1.2, rate=-6.0), 0.2),
    "slider-crank": Mechanism(slider_crank, 0.3, ("big end", "guide")),
    "two four-bars": Mechanism(lambda: n_fourbar(load("p5_A02_n_fourbar")["data"], 2), 0.4, ("left2",)),
    "squeezer": Mechanism(squeezer, 4e-3, ("theta", "phi")),
    "Bricard": Mechanism(lambda: bricard(load("p5_A04_bricard")["data"]), 0.4, ("j3",)),
    "Bennett": Mechanism(bennett, 0.3, ("j2", "j3")),
    "spatial slider-crank": Mechanism(lambda: spatial_slider_crank(load("p5_spatial_slider_crank")["data"]), 0.3, ("ball",)),
    "Stewart platform": Mechanism(lambda: stored("stewart"), 0.2, ("ball3",)),
    "door": Mechanism(door, 0.2, ("hinge h0",)),
    "carriage": Mechanism(carriage, 0.2, ("rail r0",)),
    "differential": Mechanism(lambda: stored("differential"), 0.3),
    "gears": Mechanism(gears, 0.3),
    "rolling disc": Mechanism(lambda: stored("rolling-disc"), 0.2),
    "rolling wheel": Mechanism(lambda: eccentric_roller(start=0.5, rate=1.0), 0.3),
    "vehicle": Mechanism(lambda: stored("vehicle"), 0.1, ("upper ball FL",), costly=("bdf",)),
    "flexible slider-crank": Mechanism(lambda: beam_crank(slider_crank_2d, "p6_slidercrank_flex_2d"), 2e-3,
                                       integrators=STIFF, costly=("bdf",)),
    "flexible spatial slider-crank": Mechanism(lambda: beam_crank(slider_crank_3d, "p6_slidercrank_flex_3d"), 2e-3,
                                               integrators=STIFF, costly=("bdf",)),
}
