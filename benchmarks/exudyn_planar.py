"""Planar closed loops as Exudyn models: 2-D bodies, which are quicker than 3-D ones and leave no redundant constraint.

A builder takes a problem and returns (container, system, sensors, read): `read(stored)` turns the sensors' records into
the columns that the problem compares.
"""

from __future__ import annotations

import numpy as np


class Plane:
    """A system of 2-D rigid bodies whose reference point is the centre of mass."""

    def __init__(self, gravity=(0.0, 0.0)):
        import exudyn as exu
        from exudyn import itemInterface as items

        self.exu, self.items, self.gravity = exu, items, gravity
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(items.ObjectGround())
        self.sensors: list = []

    def fixed(self, place):
        """Return a marker on the ground."""
        return self.system.AddMarker(self.items.MarkerBodyPosition(bodyNumber=self.ground, localPosition=[*place, 0]))

    def body(self, mass, inertia, com, angle=0.0, velocity=(0.0, 0.0), spin=0.0):
        """Add a body and return it; `com` in world axes."""
        items, s = self.items, self.system
        node = s.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*com, angle], initialVelocities=[*velocity, spin]))
        body = s.AddObject(items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        if any(self.gravity):
            s.AddLoad(items.LoadMassProportional(markerNumber=s.AddMarker(items.MarkerBodyMass(bodyNumber=body)),
                                                 loadVector=[*self.gravity, 0]))
        return body

    def point(self, body, place):
        """Return a marker at a place of a body, from its centre of mass in its own axes."""
        return self.system.AddMarker(self.items.MarkerBodyPosition(bodyNumber=body, localPosition=[*place, 0]))

    def pin(self, first, second):
        """Join two markers by a revolute joint."""
        self.system.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=[first, second]))

    def watch(self, body, place=(0.0, 0.0), output="Position"):
        """Record a quantity of a body."""
        self.sensors.append(self.system.AddSensor(self.items.SensorBody(
            bodyNumber=body, localPosition=[*place, 0], storeInternal=True, writeToFile=False,
            outputVariableType=getattr(self.exu.OutputVariableType, output))))

    def finish(self, read):
        """Return the assembled system."""
        self.system.Assemble()
        return self.container, self.system, self.sensors, read


def turned(angle, place):
    """Turn a place of the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])


def fourbars(p):
    """N four-bars of 2-D bodies: 6 N + 3 coordinates, 6 N + 2 constraints."""
    d = p.data
    n, m, length, v = d["n"], d["link_mass"], d["link_length"], d["v_B0x"]
    plane = Plane((0.0, -d["g"]))
    half, inertia = length / 2, m * length**2 / 12
    ups = [plane.body(m, inertia, (i * length, half), np.pi / 2, (v / 2, 0), -v / length) for i in range(n + 1)]
    for i, up in enumerate(ups):
        plane.pin(plane.fixed((i * length, 0)), plane.point(up, (-half, 0)))
    for i in range(n):
        bar = plane.body(m, inertia, ((i + 0.5) * length, length), 0.0, (v, 0))
        plane.pin(plane.point(ups[i], (half, 0)), plane.point(bar, (-half, 0)))
        plane.pin(plane.point(ups[i + 1], (half, 0)), plane.point(bar, (half, 0)))
    plane.watch(ups[0], (half, 0))
    return plane.finish(lambda stored: stored[0][:, 1:3])


def squeezer(p):
    """Andrews' squeezer of 2-D bodies."""
    d, (beta, theta, gamma, phi, delta, omega, epsilon) = p.data, p.data["q0"]
    plane = Plane()
    places = {"A": (d["xa"], d["ya"]), "B": (d["xb"], d["yb"]), "C": (d["xc"], d["yc"]), "O": (0.0, 0.0)}
    ground = {name: plane.fixed(place) for name, place in places.items()}
    # body: angle, its first joint (world), centre of mass and further points (own axes, from the first joint)
    f = turned(beta, (d["rr"], 0))
    g = np.array(places["A"]) + turned(delta, (d["zt"], 0))
    h = np.array(places["A"]) + turned(epsilon, (0, -d["u"]))
    shapes = [
        (beta, (0, 0), (d["ra"], 0), {"F": (d["rr"], 0)}),
        (beta + theta, f, (-d["da"], 0), {"E": (-d["d"], 0)}),
        (gamma, places["B"], (d["sb"], -d["sa"]), {"E": (0, -d["ss"]), "D": (d["sd"], -d["sc"])}),
        (delta + phi, g, (0, -(d["e"] - d["ea"])), {"E": (0, -d["e"])}),
        (delta, places["A"], (d["ta"], d["tb"]), {"G": (d["zt"], 0)}),
        (epsilon + omega, h, (d["zf"] - d["fa"], 0), {"E": (d["zf"], 0)}),
        (epsilon, places["A"], (-d["ub"], -d["ua"]), {"H": (0, -d["u"])}),
    ]
    bodies, markers = [], []
    for (angle, origin, com, points), mass, inertia in zip(shapes, d["m"], d["I"], strict=True):
        body = plane.body(mass, inertia, np.array(origin) + turned(angle, com), angle)
        markers.append({name: plane.point(body, np.array(place) - com)
                        for name, place in {"O": (0.0, 0.0), **points}.items()})
        bodies.append(body)
        plane.watch(body, output="Rotation")
    k1, k2, k3, k4, k5, k6, k7 = markers
    for pair in ((ground["O"], k1["O"]), (k1["F"], k2["O"]), (ground["B"], k3["O"]), (ground["A"], k5["O"]),
                 (k5["G"], k4["O"]), (ground["A"], k7["O"]), (k7["H"], k6["O"]), (k2["E"], k3["E"]),
                 (k2["E"], k4["E"]), (k2["E"], k6["E"])):
        plane.pin(*pair)
    items = plane.items
    plane.system.AddObject(items.ObjectConnectorSpringDamper(markerNumbers=[ground["C"], k3["D"]], stiffness=d["c0"],
                                                             referenceLength=d["l0"]))
    plane.system.AddLoad(items.LoadTorqueVector(
        markerNumber=plane.system.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[0])), loadVector=[0, 0, d["mom"]]))
    start = [angle for angle, *_ in shapes]  # the sensor measures the turn from there
    return plane.finish(lambda stored: np.column_stack([s[:, -1] for s in stored]) + start)


def planar_slider_crank(p):
    """Crank and rod as 2-D bodies, slider as a mass point on a line."""
    d = p.data
    r, length, (m1, m2, m3), w = d["crank"], d["rod"], d["mass"], d["speed"]
    plane = Plane((0.0, -d["gravity"]))
    items, s = plane.items, plane.system
    crank = plane.body(m1, m1 * r**2 / 12, (r / 2, 0), 0.0, (0, w * r / 2), w)
    rod = plane.body(m2, m2 * length**2 / 12, (r + length / 2, 0), 0.0, (0, w * r / 2), -w * r / length)
    node = s.AddNode(items.NodePoint2D(referenceCoordinates=[r + length, 0]))
    slider = s.AddObject(items.ObjectMassPoint2D(physicsMass=m3, nodeNumber=node))
    still = s.AddMarker(items.MarkerNodeCoordinate(nodeNumber=s.AddNode(items.NodePointGround()), coordinate=0))
    s.AddObject(items.ObjectConnectorCoordinate(
        markerNumbers=[still, s.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))]))
    plane.pin(plane.fixed((0, 0)), plane.point(crank, (-r / 2, 0)))
    plane.pin(plane.point(crank, (r / 2, 0)), plane.point(rod, (-length / 2, 0)))
    plane.pin(plane.point(rod, (length / 2, 0)), plane.point(slider, (0, 0)))
    plane.watch(crank, (r / 2, 0))
    plane.watch(slider)
    return plane.finish(lambda stored: np.column_stack([stored[0][:, 1:3], stored[1][:, 1]]))
