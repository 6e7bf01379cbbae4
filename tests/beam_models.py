"""Beams of the reference problems in ../problems that the acceptance tests do not build: strips, bends, spinning beams."""

import numpy as np

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
EDGE = 1e-6
"""Half the time in which a load is switched on or off [s]; the impulse and its middle are kept."""


def strip_section(data):
    """Return the section of a strip, h along y and t along z, whose shear factor is 5/6 as in the references."""
    plate = dal.Rectangle(height=data["h"], width=data["t"])
    return dal.Section(area=plate.area, iy=plate.iy, iz=plate.iz, torsion=plate.torsion, shear=5 / 6)


def strip(data, load, bodies):
    """Return a clamped strip with a dead load (3,) [N] at its tip."""
    m = dal.Model("strip", gravity=(0, 0, 0))
    m.add(dal.Beam("beam", length=data["L"], section=strip_section(data), bodies=bodies,
                   material=dal.Material(young=data["E"], poisson=data["nu"], density=2700.0)),
          dal.Fixed("clamp", "ground", "beam.start"),
          dal.Force("load", "beam.end", direction=tuple(load), magnitude=float(np.linalg.norm(load))))
    return m


BEND_SECTION = dal.Section(area=1.0, iy=1 / 12, iz=1 / 12, torsion=1 / 6, shear=5 / 6)
BEND_MATERIAL = dal.Material(young=1e7, poisson=0.0, density=1.0)
BEND_RADIUS = 100.0


def bend(load, bodies):
    """Return an eighth of a circle in the x-y plane from straight beams welded at angles, dead load [N] along z.

    The clamp is the circle's end that points along x.  Chords of equal angles meet the circle at all welds.
    """
    turn = np.pi / 4 / bodies
    m = dal.Model("45-degree bend", gravity=(0, 0, 0), ground={"clamp": dal.Frame((0, 0, 0), _turned(turn / 2))})
    carrier = "ground.clamp"
    for k in range(bodies):
        m.add(dal.Beam(f"chord{k}", length=2 * BEND_RADIUS * np.sin(turn / 2), section=BEND_SECTION,
                       material=BEND_MATERIAL),
              dal.Fixed(f"weld{k}", carrier, f"chord{k}.start"))
        if k < bodies - 1:
            m.add(dal.Body(f"knee{k}", mass=0.0, inertia=(0.0,) * 3, points={"out": dal.Frame((0, 0, 0), _turned(turn))}),
                  dal.Fixed(f"seat{k}", f"chord{k}.end", f"knee{k}"))
            carrier = f"knee{k}.out"
    m.add(dal.Force("load", f"chord{bodies - 1}.end", direction=Z, magnitude=load))
    return m


def _turned(angle):
    """Return the axes turned about z [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def right_angle(data, bodies):
    """Return Simo's right-angle cantilever; each arm has so many bodies.

    No material has its sections: their inertias, 20, 10 and 10 kg m, are ten thousand times those of the stiffnesses.  What
    the beams lack sits in discs without mass at the ends of the bodies.
    """
    L, area = data["L"], 1.0
    young, shear = data["EA"] / area, data["GA"] / area
    section = dal.Section(area=area, iy=data["EI"] / young, iz=data["EI"] / young, torsion=data["GJ"] / shear)
    arm = dict(length=L, section=section, bodies=bodies,
               material=dal.Material(young=young, poisson=young / (2 * shear) - 1, density=data["rhoA"] / area))
    own = arm["material"].density * np.array([section.iy + section.iz, section.iy, section.iz])
    disc = (np.array(data["J"], float) - own) * L / bodies
    times, top = (0.0, 1.0, 2.0), data["Fmax"]
    m = dal.Model("right-angle cantilever", gravity=(0, 0, 0))
    m.add(dal.Beam("first", **arm), dal.Beam("second", **arm),
          dal.Body("elbow", mass=0.0, inertia=tuple(disc / 2 + disc[[1, 0, 2]] / 2),
                   points={"out": dal.Frame((0, 0, 0), _turned(np.pi / 2))}),
          dal.Body("tip", mass=0.0, inertia=tuple(disc / 2)),
          dal.Fixed("clamp", "ground", "first.start"), dal.Fixed("seat", "first.end", "elbow"),
          dal.Fixed("weld", "elbow.out", "second.start"), dal.Fixed("cap", "second.end", "tip"),
          dal.Force("load", "elbow", direction=Z, magnitude=dal.table(times, (0.0, top, 0.0), kind="linear")))
    for side in ("first", "second"):
        for k in range(1, bodies):
            m.add(dal.Body(f"{side} disc {k}", mass=0.0, inertia=tuple(disc)),
                  dal.Fixed(f"{side} seat {k}", f"{side}.{k}", f"{side} disc {k}"))
    return m


def spinning_beam(data, bodies, modes=0):
    """[ELL Fig. 10] Return a beam on a ball joint: a torque about the vertical, later a blow on the tip.

    The reference neglects the rotary inertia of the sections.  It is 3 I/(A L²) = 1.1e-4 of the beam's inertia, 0.04 rad of
    the turns, and takes 5.1e-4 off the lowest bending frequency, 3.2 rad of its phase in 18 s.
    """
    side = np.sqrt(data["A"])
    square = dal.Rectangle(height=side, width=side)
    assert np.isclose(square.iz, data["I"], rtol=1e-12)
    m = dal.Model("spinning beam", gravity=(0, 0, 0))
    m.add(dal.Beam("beam", length=data["L"], section=square, theory="euler-bernoulli", bodies=bodies, modes=modes,
                   rotary_inertia=False, material=dal.Material(young=data["E"], poisson=0.3, density=data["rho"])),
          dal.Spherical("ball", "ground", "beam.start"),
          dal.Torque("spin", "beam.start", direction=Z, magnitude=switched(-1.0, data["tM"], data["Mz"])),
          dal.Force("blow", "beam.end", direction=Z,
                    magnitude=switched(data["tF"], data["tF"] + data["pulse_duration_ASSUMED"], data["Ft"])))
    return m


def switched(on, off, value):
    """Return a law that has a value between two times and is zero elsewhere."""
    return dal.table((on - EDGE, on + EDGE, off - EDGE, off + EDGE), (0.0, value, value, 0.0), kind="linear")
