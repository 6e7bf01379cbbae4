"""Flexible mechanisms for tests of absolute interface coordinates."""

import numpy as np

import dalembert as dal

STEEL = dal.Material(young=2e11, poisson=0.3, density=7.87e3)
SOFT = dal.Material(young=2.1e9, poisson=0.3, density=7850.0, damping=1e-3)
ELASTIC = dal.Material(young=2.1e9, poisson=0.3, density=7850.0)


def crank():
    """Plane slider-crank with a rod of two bodies [ELL figure 6]."""
    thickness, m = 0.006, dal.Model("crank", gravity=(0, 0, 0))
    half = 7.87e3 * np.pi * thickness**2 / 4 * 0.3 / 2
    m.add(dal.Body("crank", mass=0.1, com=(0.075, 0, 0), inertia=dal.inertia_rod(0.1, length=0.15, axis="x"),
                   points={"pin": (0.15, 0, 0)}),
          dal.Beam("rod", length=0.3, section=dal.Circle(thickness), material=STEEL, bodies=2),
          dal.Body("slider", mass=half, inertia=(1e-5, 1e-5, 1e-5)),
          dal.Revolute("main", "ground", "crank", axis=(0, 0, 1)),
          dal.Revolute("big end", "crank.pin", "rod.start", axis=(0, 0, 1)),
          dal.Revolute("small end", "rod.end", "slider", axis=(0, 0, 1)),
          dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0)), dal.Motion("drive", "main", speed=150.0))
    return m


def spinning():
    """Beam on a ball joint under a torque [ELL figure 10]."""
    m = dal.Model("spinning", gravity=(0, 0, 0))
    m.add(dal.Beam("beam", length=0.14142, section=dal.Rectangle(height=0.003, width=0.003), material=STEEL, bodies=2),
          dal.Spherical("ball", "ground", "beam.start"),
          dal.Torque("drive", "beam.start", direction=(0, 0, 1), magnitude=0.2))
    return m


def cantilever(bodies=10):
    m = dal.Model("cantilever", gravity=(0, 0, -9.81))
    m.add(dal.Beam("beam", length=1.0, section=dal.Circle(0.02), material=SOFT, bodies=bodies),
          dal.Fixed("clamp", "ground", "beam.start"))
    return m


def arm():
    """Beams with modes and a place between nodes, three kinds of joints, a rigid body at the end."""
    m = dal.Model("arm", gravity=(0, 0, -9.81))
    m.add(dal.Beam("a", length=0.5, section=dal.Rectangle(height=0.02, width=0.01), material=SOFT, bodies=2, modes=2,
                   points={"place": 0.1}),
          dal.Beam("b", length=0.4, section=dal.Circle(0.01), material=SOFT, modes=1),
          dal.Body("end", mass=0.3, inertia=(1e-4, 2e-4, 3e-4), com=(0.02, 0, 0)),
          dal.Revolute("hinge", "ground", "a.start", axis=(0, 1, 0), start=0.3),
          dal.Spherical("ball", "a.end", "b.start", start_rate=(1.0, 2.0, 3.0)),
          dal.Universal("cross", "b.end", "end", axis1=(0, 1, 0), axis2=(0, 0, 1)))
    return m


def four_bar():
    """A loop of rigid bodies alone that stands on a beam."""
    m = dal.Model("four-bar on a beam", gravity=(0, 0, -9.81))
    bar = {"mass": 0.2, "inertia": dal.inertia_rod(0.2, length=0.3, axis="x"), "com": (0.15, 0, 0),
           "points": {"tip": (0.3, 0, 0)}}
    m.add(dal.Beam("base", length=0.5, section=dal.Circle(0.01), material=SOFT, bodies=2),
          dal.Body("plate", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), points={"D": (0.3, 0, 0)}),
          *(dal.Body(name, **bar) for name in "pqr"),
          dal.Fixed("clamp", "ground", "base.start"), dal.Fixed("weld", "base.end", "plate"),
          dal.Revolute("A", "plate", "p", axis=(0, 1, 0), start=-1.2), dal.Revolute("B", "p.tip", "q", axis=(0, 1, 0)),
          dal.Revolute("C", "q.tip", "r", axis=(0, 1, 0)), dal.Revolute("D", "r.tip", "plate.D", axis=(0, 1, 0)))
    return m


def flying(bodies=3):
    """A beam that flies and tumbles."""
    m = dal.Model("flying", gravity=(0, 0, 0))
    m.add(dal.Beam("beam", length=0.5, section=dal.Circle(0.01), material=ELASTIC, bodies=bodies),
          dal.Free("way", "ground", "beam.start", start_rate=(1, 2, 3, 4, 5, 6)))
    return m
