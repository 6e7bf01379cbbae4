"""A two-arm manipulator with rheonomic joints [HEL section 3]: floating frames against absolute interface coordinates.

The tool's distance from the path of the rigid manipulator is compared, so that "1 %" is one of the deformation.  Arms are
one reduced body each; what is left between the formulations is the geometric stiffness that a linear floating body lacks.
"""

import numpy as np
import pytest

import dalembert as dal

X, Z = (1, 0, 0), (0, 0, 1)
UNTIL, STEP = 1.5, 5e-4
TIMES = np.linspace(0.0, UNTIL, 301)
ALLOY = dal.Material(young=2.4e10, poisson=0.3, density=1890.0, damping=2e-4)
BAR = dal.Rectangle(height=0.06, width=0.01)


def manipulator(arm):
    """Return a carriage with two arms `arm(name)` of one metre, swung through half a turn in 1.2 s."""
    m = dal.Model("two-arm manipulator", gravity=(0, 0, 0))
    drives = {"s": (-0.4, 0.4), "alpha": (2.9, 1.2), "beta": (-2.2, 0.6)}
    return m.add(
        dal.Body("carriage", mass=5.0, inertia=(0.1, 0.1, 0.1)), arm("arm 1"), arm("arm 2"),
        dal.Body("engine", mass=1.5, inertia=(2e-3, 2e-3, 2e-3)), dal.Body("tool", mass=1.0, inertia=(1e-3, 1e-3, 1e-3)),
        dal.Prismatic("s", "ground", "carriage", axis=X), dal.Revolute("alpha", "carriage", "arm 1.start", axis=Z),
        dal.Fixed("flange", "arm 1.end", "engine"), dal.Revolute("beta", "engine", "arm 2.start", axis=Z),
        dal.Fixed("hand", "arm 2.end", "tool"),
        *(dal.Motion(f"drive {name}", name, position=dal.ramp(begin=0.0, finish=1.2, start=a, end=b))
          for name, (a, b) in drives.items()))


def beam(**fields):
    return lambda name: dal.Beam(name, length=1.0, section=BAR, material=ALLOY, **fields)


def rigid(name):
    """Return the undeformed arm; its mass does not matter, as all joints are driven."""
    return dal.Body(name, mass=1.0, points={"start": (0, 0, 0), "end": (1, 0, 0)})


def tool(arm, formulation, **options):
    return dal.run(manipulator(arm), until=UNTIL, step=STEP, record=TIMES, formulation=formulation, **options)["tool.position"]


def size(x):
    return float(np.sqrt(np.mean(np.sum(x * x, axis=1))))


@pytest.fixture(scope="module")
def path():
    return tool(rigid, "recursive")


@pytest.fixture(scope="module")
def interface_coordinates():
    return tool(beam(), "global")


@pytest.mark.parametrize("formulation", ["recursive", "semi-recursive"])
@pytest.mark.parametrize("stiffening, bound", [(False, 1e-2), (True, 3e-3)])
def test_floating_frames_agree_with_interface_coordinates(formulation, stiffening, bound, path, interface_coordinates):
    found = tool(beam(stiffening=stiffening), formulation)
    assert size(found - interface_coordinates) < bound * size(interface_coordinates - path)
