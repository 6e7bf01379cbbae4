"""Mechanisms with loops whose mechanics is known in closed form; import as ``from physics.loop_models import ...``.

All are planar and built from spatial joints, so that their loops are redundant.
"""

import numpy as np

import dalembert as dal

G = 9.81
Z = (0.0, 0.0, 1.0)
ARM, BASE, ARM_MASS, BAR_MASS = 0.5, 1.0, 2.0, 3.0
INERTIA = 2 * ARM_MASS * ARM**2 / 3 + BAR_MASS * ARM**2
"""Of the parallelogram about its angle [kg m²]: two arms about their ends, the bar moves on a circle without turning."""
MOMENT = (2 * ARM_MASS / 2 + BAR_MASS) * ARM * G
"""Of its weight at a right angle [N m]."""
CRANK, ROD, MASSES = 0.15, 0.35, (0.5, 0.3, 0.2)


def planar(mass, com, izz, **points):
    """Return the keyword arguments of a body that moves in the x-y plane."""
    return dict(mass=mass, com=(*com, 0.0), inertia=(izz, izz, izz), points={k: (*xy, 0.0) for k, xy in points.items()})


def parallelogram(start=0.0, rate=0.0):
    """Return two equal arms that hang from the ground and carry a bar: a pendulum of one freedom, INERTIA and MOMENT."""
    arm = planar(ARM_MASS, (0, -ARM / 2), ARM_MASS * ARM**2 / 12, tip=(0, -ARM))
    return dal.Model("parallelogram", gravity=(0, -G, 0), ground={"B": (BASE, 0, 0)}).add(
        dal.Body("left", **arm), dal.Body("right", **arm),
        dal.Body("bar", **planar(BAR_MASS, (BASE / 2, 0), BAR_MASS * BASE**2 / 12, end=(BASE, 0))),
        dal.Revolute("a", "ground", "left", axis=Z, start=start, start_rate=rate),
        dal.Revolute("b", "ground.B", "right", axis=Z, start=start),
        dal.Revolute("c", "left.tip", "bar", axis=Z, start=-start),
        dal.Revolute("d", "right.tip", "bar.end", axis=Z))


def slider_crank(start=0.4, **main):
    """Return crank, rod and slider along x under gravity along -y."""
    crank, rod, slider = MASSES
    return dal.Model("slider-crank", gravity=(0, -G, 0)).add(
        dal.Body("crank", **planar(crank, (CRANK / 2, 0), crank * CRANK**2 / 12, pin=(CRANK, 0))),
        dal.Body("rod", **planar(rod, (ROD / 2, 0), rod * ROD**2 / 12, pin=(ROD, 0))),
        dal.Body("slider", **planar(slider, (0, 0), 1e-4)),
        dal.Revolute("main", "ground", "crank", axis=Z, start=start, **main),
        dal.Revolute("big end", "crank.pin", "rod", axis=Z),
        dal.Prismatic("guide", "ground", "slider", axis=(1, 0, 0), start=slider_position(start)),
        dal.Revolute("small end", "rod.pin", "slider", axis=Z))


def slider_position(angle):
    """Distance of the slider from the crank's axis [m]."""
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)


def slider_slope(angle):
    """Derivative of `slider_position` by the angle."""
    return -CRANK * np.sin(angle) * (1 + CRANK * np.cos(angle) / np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2))


def slider_crank_inertia(angle):
    """Inertia of the slider-crank about its angle [kg m²], from the kinetic energy of its three bodies."""
    crank, rod, slider = MASSES
    turn = CRANK * np.cos(angle) / np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)  # - d(angle of the rod)/d(angle)
    x_slope = slider_slope(angle)
    centre = np.array([0.5 * (-CRANK * np.sin(angle) + x_slope), 0.5 * CRANK * np.cos(angle)])  # of the rod
    return crank * CRANK**2 / 3 + rod * (centre @ centre) + rod * ROD**2 / 12 * turn**2 + slider * x_slope**2


def slider_crank_weight(angle):
    """Potential energy of its weight [J]: the rod's centre is as high as half the crank pin."""
    return (MASSES[0] + MASSES[1]) * G * 0.5 * CRANK * np.sin(angle)


def eccentric_roller(start=0.0, radius=0.3, offset=0.1, mass=2.0, inertia=0.05, rate=0.0):
    """Return a disc that rolls on the plane y = 0 along x, its centre of mass `offset` from its centre."""
    return dal.Model("roller", gravity=(0, -G, 0), ground={"up": (0, radius, 0)}).add(
        dal.Body("disc", mass=mass, com=(0, -offset, 0), inertia=(inertia,) * 3),
        dal.Planar("plane", "ground.up", "disc", axis=Z, start=(0.0, 0.0, start), start_rate=(-radius * rate, 0.0, rate)),
        dal.Rolling("wheel", "ground", "disc", radius=radius, normal=(0, 1, 0), axis=Z))


def shallow_arch(rise):
    """Return two bars between fixed pins a distance 2 apart, their common pin `rise` [m] above the line: a structure."""
    length, slope = np.hypot(1.0, rise), np.arctan(rise)
    bar = planar(1.0, (length / 2, 0), length**2 / 12, tip=(length, 0))
    return dal.Model("shallow arch", gravity=(0, -G, 0), ground={"pin": (2, 0, 0)}).add(
        dal.Body("one", **bar), dal.Body("two", **bar),
        dal.Revolute("left", "ground", "one", axis=Z, start=slope),
        dal.Revolute("middle", "one.tip", "two", axis=Z, start=-2 * slope),
        dal.Revolute("right", "two.tip", "ground.pin", axis=Z))


def with_cut(model, name, state):
    """The model in a state of its own with this joint, which has no start then, taken out of the tree."""
    for joint in model.joints:
        moved = {} if joint.name == name else {"start": state[f"{joint.name}.coordinates"][0],
                                              "start_rate": state[f"{joint.name}.rates"][0]}
        model = model.replaced(joint.name, **{"start": None, "start_rate": None, "cut": joint.name == name, **moved})
    return model
