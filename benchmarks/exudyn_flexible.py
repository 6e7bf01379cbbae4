"""Flexible mechanisms as Exudyn models: cables in absolute nodal coordinates and reduced bodies in floating frames.

The models are as lean as they can be.  The crank is a flywheel, which keeps its speed within 1e-9 without a constraint; the
slider's mass sits at the end of the rod, held in one direction.  Floating frames know space alone: they are kept in
the plane by their coordinates, and only shapes within it are given to them.  A solid bar with the rod's area and its second
moment stands for the rod, without lateral contraction, which a beam has not either.  Exudyn knows no geometric stiffening
of floating frames, so that one of them is 25 % off; the rod is then a chain of them.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from exudyn_planar import Plane
from flexible_problems import ARM_LENGTH, GRAVITY, TURN, TURN_TIME, sag, tip_deflection
from scipy.sparse import csr_matrix

from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Material

FLYWHEEL = 1e6
"""Inertia of the crank [kg m²]."""
CELLS = 24
"""Of a bar along its length: its static deflection is that of a beam within 1e-4."""


class Held(Plane):
    """A system some of whose coordinates are held or prescribed."""

    def __init__(self):
        super().__init__()
        self.still = self.system.AddMarker(self.items.MarkerNodeCoordinate(
            nodeNumber=self.system.AddNode(self.items.NodePointGround()), coordinate=0))

    def hold(self, node, *coordinates, **how):
        """Keep coordinates of a node at zero, or as given otherwise."""
        for k in coordinates:
            own = self.system.AddMarker(self.items.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
            self.system.AddObject(self.items.ObjectConnectorCoordinate(markerNumbers=[self.still, own], **how))


class SliderCrank(Held):
    """Crank and guide; the rod is added between them."""

    def __init__(self, data: dict):
        super().__init__()
        r, length, self.speed = data["R"], data["L"], data["omega"]
        self.radius, self.turning = r, -r * self.speed / length
        node = self.system.AddNode(self.items.NodeRigidBody2D(initialVelocities=[0, 0, self.speed]))
        crank = self.system.AddObject(self.items.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=FLYWHEEL, nodeNumber=node))
        self.hold(node, 0, 1)
        self.crank_pin = self.point(crank, (r, 0))

    def velocity(self, x: float) -> list[float]:
        """Return the velocity of the undeformed rod at a distance from the crank's pin at the start."""
        return [0.0, self.radius * self.speed + self.turning * x]

    def watch_node(self, node):
        """Record the position of a node."""
        self.sensors.append(self.system.AddSensor(self.items.SensorNode(
            nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=self.exu.OutputVariableType.Position)))

    def compared(self):
        """Return the assembled system; the sensors are start, end and middle of the rod."""
        return self.finish(lambda stored: sag(*(s[:, 1:3] for s in stored)))


def cable_slider_crank(p, elements: int):
    """Rod of ANCFCable2D elements, whose axial strains are integrated by the cheaper rule."""
    d, plane = p.data, SliderCrank(p.data)
    items, s, length = plane.items, plane.system, p.data["L"]
    nodes = [s.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[d["R"] + x, 0, 1, 0],
                                               initialVelocities=[*plane.velocity(x), 0, plane.turning]))
             for x in np.linspace(0, length, elements + 1)]
    cables = [s.AddObject(items.ObjectANCFCable2D(
        nodeNumbers=list(pair), physicsLength=length / elements, physicsMassPerLength=d["rhoA"],
        physicsBendingStiffness=d["EI"], physicsAxialStiffness=d["EA"], useReducedOrderIntegration=1))
        for pair in zip(nodes, nodes[1:], strict=False)]
    plane.pin(plane.crank_pin, s.AddMarker(items.MarkerNodePosition(nodeNumber=nodes[0])))
    plane.hold(nodes[-1], 1)
    s.AddObject(items.ObjectGenericODE2(nodeNumbers=[nodes[-1]], massMatrix=np.diag([d["slider_mass"]] * 2 + [0.0] * 2)))
    plane.watch_node(nodes[0])
    plane.watch_node(nodes[-1])
    plane.watch(cables[elements // 2], (length / elements / 2 if elements % 2 else 0.0, 0.0))
    return plane.compared()


def _interface(fe):
    """Return Exudyn's interface with the nodes and matrices of a model."""
    from exudyn.FEM import FEMinterface

    found = FEMinterface()
    found.nodes = {"Position": fe.nodes}
    found.massMatrix, found.stiffnessMatrix = csr_matrix(fe.mass), csr_matrix(fe.stiffness)
    return found


def _reduced(interface):
    """Return Exudyn's constants of a reduced body."""
    from exudyn import NodeType
    from exudyn.FEM import ObjectFFRFreducedOrderInterface

    return ObjectFFRFreducedOrderInterface(interface, rigidBodyNodeType=NodeType.RotationRxyz)


def _add(plane, reduced, **how):
    """Add a reduced body and return the node of its frame and the body."""
    made = reduced.AddObjectFFRFreducedOrder(plane.system, **how)
    return made["nRigidBody"], made["oFFRFreducedOrder"]


class Section(NamedTuple):
    """Area [m²] and second moment [m⁴] of the rod, Young's modulus [Pa] and density [kg/m³]."""

    area: float
    second: float
    young: float
    density: float


@cache
def reduced_bar(section: Section, length: float, modes: int, tip_mass: float) -> tuple[Bar, Any]:
    """Return a bar and its constants, which models share."""
    bar = Bar(section, length, modes, tip_mass)
    return bar, _reduced(bar.interface())


class Bar:
    """A solid bar that can be bent in the plane, reduced by Exudyn's FEMinterface.

    Parameters
    ----------
    section : Section
        Of the rod.
    length : float
        [m].
    modes : int
        Fixed-interface modes in the plane besides the static ones.
    tip_mass : float
        At the middle of the end face [kg].
    """

    def __init__(self, section: Section, length: float, modes: int, tip_mass: float):
        height = sqrt(12 * section.second / section.area)
        self.fe = box((length, height, section.area / height), divisions=(CELLS, 2, 2),
                      material=Material(young=section.young, poisson=0.0, density=section.density))
        self.length, self.tip_mass, self.modes = length, tip_mass, modes
        self.faces = [self.fe.face(side).tolist() for side in ("-x", "+x")]
        self.corners = [[k for k in face if abs(self.fe.nodes[k, 1:]).min() > height / 4] for face in self.faces]

    def node(self, x: float) -> int:
        """Return the node on the axis at a distance from the start."""
        return int(np.argmin(np.linalg.norm(self.fe.nodes - (x, 0, 0), axis=1)))

    def interface(self):
        """Return Exudyn's interface with the modes in the plane, about the chord between the ends."""
        found = _interface(self.fe)
        found.ComputeHurtyCraigBamptonModes(self.faces, 2 * self.modes, excludeRigidBodyMotion=True, timerTreshold=10**9)
        if self.tip_mass:
            found.AddNodeMass(self.node(self.length), self.tip_mass)
        found.modeBasis["matrix"] = self._about_chord(self._planar(found.modeBasis["matrix"]))
        return found

    def _planar(self, shapes: np.ndarray) -> np.ndarray:
        """Return the shapes that are symmetric about the plane."""
        x = self.fe.nodes
        mirror = [int(np.argmin(np.linalg.norm(x - place * (1, 1, -1), axis=1))) for place in x]
        moved = shapes.reshape(len(x), 3, -1)
        even = (moved + moved[mirror] * np.array([1, 1, -1])[:, None]) / 2
        kept = np.linalg.norm(even, axis=(0, 1)) > 0.5 * np.linalg.norm(moved, axis=(0, 1))
        return even[:, :, kept].reshape(shapes.shape[0], -1)

    def _about_chord(self, shapes: np.ndarray) -> np.ndarray:
        """Return the shapes seen from the chord: those of a frame tangent at the start, turned back."""
        x, moved = self.fe.nodes, shapes.reshape(len(self.fe.nodes), 3, -1).copy()
        angle = moved[self.node(self.length), 1] / self.length
        moved[:, 0] += x[:, 1:2] * angle
        moved[:, 1] -= x[:, 0:1] * angle
        return moved.reshape(shapes.shape)


def floating_slider_crank(p, bodies: int, modes: int):
    """Rod of reduced bodies (ObjectFFRFreducedOrder), each in the frame of its chord."""
    d, plane = p.data, SliderCrank(p.data)
    items, s, length = plane.items, plane.system, p.data["L"] / bodies
    section = Section(d["A"], d["I"], d["E"], d["rho"])
    last, objects = None, []
    for i in range(bodies):
        bar, reduced = reduced_bar(section, length, modes, d["slider_mass"] if i == bodies - 1 else 0.0)
        node, own = _add(plane, reduced, positionRef=[d["R"] + i * length, 0, 0],
                         initialVelocity=[*plane.velocity(i * length), 0], initialAngularVelocity=[0, 0, plane.turning])
        plane.hold(node, 2, 3, 4)
        objects.append((own, bar))
        if last is None:
            start = node
            plane.pin(plane.crank_pin, s.AddMarker(items.MarkerNodePosition(nodeNumber=node)))
        else:
            s.AddObject(items.ObjectJointGeneric(markerNumbers=[last, _face(plane, own, bar.corners[0])],
                                                 constrainedAxes=[1, 1, 0, 0, 0, 1]))
        last = _face(plane, own, bar.corners[1])
    tip = s.AddMarker(items.MarkerSuperElementPosition(bodyNumber=own, meshNodeNumbers=[bar.node(length)],
                                                       weightingFactors=[1.0]))
    s.AddObject(items.ObjectJointSpherical(markerNumbers=[plane.fixed((0, 0)), tip], constrainedAxes=[0, 1, 0]))
    plane.watch_node(start)
    _watch_mesh(plane, own, bar.node(length))
    own, bar = objects[(bodies - 1) // 2]
    _watch_mesh(plane, own, bar.node(length / 2 if bodies % 2 else length))
    return plane.compared()


def _face(plane, body, nodes):
    """Return a marker that follows position and rotation of a face."""
    return plane.system.AddMarker(plane.items.MarkerSuperElementRigid(
        bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=[1 / len(nodes)] * len(nodes)))


def _watch_mesh(plane, body, node):
    """Record the position of a node of a reduced body."""
    plane.sensors.append(plane.system.AddSensor(plane.items.SensorSuperElement(
        bodyNumber=body, meshNodeNumber=node, storeInternal=True, writeToFile=False,
        outputVariableType=plane.exu.OutputVariableType.Position)))


@cache
def reduced_arm(body):
    """Return Exudyn's constants of the arm with the shapes that dalembert uses."""
    interface = _interface(body.reduced.model)
    interface.modeBasis = {"matrix": body.reduced.basis @ body.coordinates, "type": "normal modes"}
    return _reduced(interface)


def floating_arm(p):
    """Reduced arm, the angle of whose frame is prescribed."""
    from exudyn.advancedUtilities import CreateSymbolicUserFunction

    body = p.data["body"]
    fe = body.reduced.model
    plane = Held()
    node, own = _add(plane, reduced_arm(body), gravity=[0, 0, -GRAVITY])
    plane.hold(node, *range(5))
    plane.law = CreateSymbolicUserFunction(plane.system, _angle, "offsetUserFunction",
                                           itemTypeName="ObjectConnectorCoordinate")  # evaluated without Python
    plane.hold(node, 5, offsetUserFunction=plane.law)
    _watch_mesh(plane, own, int(np.argmin(np.linalg.norm(fe.nodes - (ARM_LENGTH, 0, 0), axis=1))))
    container, *others = plane.finish(lambda stored: tip_deflection(stored[0][:, 0], stored[0][:, 1:4]))
    return (container, plane.law), *others


def _angle(mbs, t, item, offset):
    """The hinge angle as an expression of Exudyn's."""
    x = t / TURN_TIME
    return TURN * (x * x * x) * (10 + x * (6 * x - 15))
