"""Closed loops as Exudyn models in relative coordinates: one kinematic tree, whose loops are closed by joints between links.

Far fewer unknowns than with bodies by themselves; builders as in `exudyn_planar.py`.
"""

from __future__ import annotations

import numpy as np
from loop_problems import spatial_places

TURN, SLIDE = "Revolute", "Prismatic"


class Tree:
    """A kinematic tree under construction; frames of links are those of their joints, parallel to the world's at zero."""

    def __init__(self, gravity):
        import exudyn as exu
        from exudyn import itemInterface as items

        self.exu, self.items, self.gravity = exu, items, gravity
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(items.ObjectGround())
        self.links: list = []
        self.sensors: list = []
        self.tree = None

    def link(self, parent, joint, offset, mass=0.0, com=(0.0, 0.0, 0.0), inertia=None, start=0.0, rate=0.0, turn=None):
        """Add a link and return its number; `offset` and `turn` place its joint in the parent's frame."""
        inertia = np.zeros((3, 3)) if inertia is None else np.diag(inertia) if np.ndim(inertia) == 1 else inertia
        self.links.append((parent, joint, offset, np.eye(3) if turn is None else turn, mass, com, inertia, start, rate))
        return len(self.links) - 1

    def close(self):
        """Make the tree of all links."""
        exu, items = self.exu, self.items
        parents, joints, offsets, turns, masses, coms, inertias, starts, rates = zip(*self.links, strict=True)
        node = self.system.AddNode(items.NodeGenericODE2(
            referenceCoordinates=[0.0] * len(parents), initialCoordinates=list(starts), initialCoordinates_t=list(rates),
            numberOfODE2Coordinates=len(parents)))
        lists = exu.Matrix3DList(), exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList()
        for made, values in zip(lists, (turns, inertias, offsets, coms), strict=True):
            for value in values:
                made.Append(np.array(value, float))
        self.node = node
        self.tree = self.system.AddObject(items.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[getattr(exu.JointType, joint) for joint in joints], linkParents=list(parents),
            jointTransformations=lists[0], jointOffsets=lists[2], linkInertiasCOM=lists[1], linkCOMs=lists[3],
            linkMasses=list(masses), baseOffset=[0, 0, 0], gravity=[*self.gravity]))

    def marker(self, link, place):
        """Return a marker at a place of a link, of the ground for -1."""
        items = self.items
        if link < 0:
            return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=self.ground, localPosition=list(place)))
        return self.system.AddMarker(items.MarkerKinematicTreeRigid(objectNumber=self.tree, linkNumber=link,
                                                                    localPosition=list(place)))

    def ball(self, first, second, axes=(1, 1, 1)):
        """Join places (link, place) of two links by a ball joint that holds some directions."""
        self.system.AddObject(self.items.ObjectJointSpherical(
            markerNumbers=[self.marker(*first), self.marker(*second)], constrainedAxes=list(axes)))

    def watch(self, link, place):
        """Record the position of a place of a link."""
        self.sensors.append(self.system.AddSensor(self.items.SensorKinematicTree(
            objectNumber=self.tree, linkNumber=link, localPosition=list(place), storeInternal=True, writeToFile=False,
            outputVariableType=self.exu.OutputVariableType.Position)))

    def watch_coordinates(self):
        """Record all coordinates."""
        self.sensors.append(self.system.AddSensor(self.items.SensorNode(
            nodeNumber=self.node, storeInternal=True, writeToFile=False,
            outputVariableType=self.exu.OutputVariableType.Coordinates)))

    def finish(self, read):
        """Return the assembled system."""
        self.system.Assemble()
        return self.container, self.system, self.sensors, read


def fourbars(p):
    """N four-bars: 2 N + 1 angles, 2 N constraints."""
    d = p.data
    n, m, length, v = d["n"], d["link_mass"], d["link_length"], d["v_B0x"]
    tree = Tree((0.0, -d["g"], 0.0))
    inertia, half = (0.0, 0.0, m * length**2 / 12), (length / 2, 0, 0)
    ups = [tree.link(-1, "RevoluteZ", (i * length, 0, 0), m, half, inertia, np.pi / 2, -v / length) for i in range(n + 1)]
    bars = [tree.link(ups[i], "RevoluteZ", (length, 0, 0), m, half, inertia, -np.pi / 2, v / length) for i in range(n)]
    tree.close()
    for i in range(n):
        tree.ball((bars[i], (length, 0, 0)), (ups[i + 1], (length, 0, 0)), (1, 1, 0))
    tree.watch(ups[0], (length, 0, 0))
    return tree.finish(lambda stored: stored[0][:, 1:3])


def squeezer(p):
    """Andrews' squeezer: seven angles, six constraints."""
    d, (beta, theta, gamma, phi, delta, omega, epsilon) = p.data, p.data["q0"]
    tree = Tree((0.0, 0.0, 0.0))
    a, b = (d["xa"], d["ya"], 0.0), (d["xb"], d["yb"], 0.0)

    def link(parent, offset, k, com, start):
        return tree.link(parent, "RevoluteZ", offset, d["m"][k], (*com, 0.0), (0.0, 0.0, d["I"][k]), start)

    k1 = link(-1, (0, 0, 0), 0, (d["ra"], 0), beta)
    k2 = link(k1, (d["rr"], 0, 0), 1, (-d["da"], 0), theta)
    k3 = link(-1, b, 2, (d["sb"], -d["sa"]), gamma)
    k5 = link(-1, a, 4, (d["ta"], d["tb"]), delta)
    k4 = link(k5, (d["zt"], 0, 0), 3, (0, -(d["e"] - d["ea"])), phi)
    k7 = link(-1, a, 6, (-d["ub"], -d["ua"]), epsilon)
    k6 = link(k7, (0, -d["u"], 0), 5, (d["zf"] - d["fa"], 0), omega)
    tree.close()
    e = (k2, (-d["d"], 0, 0))
    for other in ((k3, (0, -d["ss"], 0)), (k4, (0, -d["e"], 0)), (k6, (d["zf"], 0, 0))):
        tree.ball(e, other, (1, 1, 0))
    items, system = tree.items, tree.system
    system.AddObject(items.ObjectConnectorSpringDamper(
        markerNumbers=[tree.marker(-1, (d["xc"], d["yc"], 0)), tree.marker(k3, (d["sd"], -d["sc"], 0))],
        stiffness=d["c0"], referenceLength=d["l0"]))
    system.AddLoad(items.LoadTorqueVector(markerNumber=tree.marker(k1, (0, 0, 0)), loadVector=[0, 0, d["mom"]]))
    tree.watch_coordinates()

    def read(stored):
        q = stored[0][:, 1:]
        return np.column_stack([q[:, k1], q[:, k1] + q[:, k2], q[:, k3], q[:, k5] + q[:, k4], q[:, k5], q[:, k7] + q[:, k6],
                                q[:, k7]])

    return tree.finish(read)


def planar_slider_crank(p):
    """Planar slider-crank: three coordinates, two constraints."""
    d = p.data
    r, length, (m1, m2, m3), w = d["crank"], d["rod"], d["mass"], d["speed"]
    tree = Tree((0.0, -d["gravity"], 0.0))
    crank = tree.link(-1, "RevoluteZ", (0, 0, 0), m1, (r / 2, 0, 0), (0, 0, m1 * r**2 / 12), 0.0, w)
    rod = tree.link(crank, "RevoluteZ", (r, 0, 0), m2, (length / 2, 0, 0), (0, 0, m2 * length**2 / 12), 0.0,
                    -w * r / length - w)
    slider = tree.link(-1, "PrismaticX", (r + length, 0, 0), m3)
    tree.close()
    tree.ball((rod, (length, 0, 0)), (slider, (0, 0, 0)), (1, 1, 0))
    tree.watch(crank, (r, 0, 0))
    tree.watch(slider, (0, 0, 0))
    return tree.finish(lambda stored: np.column_stack([stored[0][:, 1:3], stored[1][:, 1]]))


def bricard(p, nodes=""):
    """Bricard's linkage: five angles, four constraints, one direction of the last joint being left out."""
    d = p.data
    points, mass, b, length = np.array(d["points"]), d["m"], d["b"], d["L"]
    tree = Tree((0, -d["g"], 0))
    last, place = -1, points[0]
    for i in range(5):
        r = points[i + 1] - points[i]
        inertia = np.full(3, mass * (length**2 + b**2) / 12)
        inertia[np.argmax(np.abs(r))] = mass * b * b / 6
        last = tree.link(last, "Revolute" + d["joint_axes"][i].upper(), place, mass, r / 2, inertia)
        place = r
    tree.close()
    tree.system.AddObject(tree.items.ObjectJointGeneric(
        markerNumbers=[tree.marker(4, place), tree.marker(-1, points[5])], constrainedAxes=[1, 1, 1, 0, 0, 1]))
    tree.watch(2, points[3] - points[2])
    return tree.finish(lambda stored: stored[0][:, 1:4])


def spatial_slider_crank(p, nodes=""):
    """Spatial slider-crank: crank, and slider, cross and rod in a row; four coordinates, three constraints."""
    d = p.data
    ya, za, l_ab, w = d["yA"], d["zA"], d["lAB"], d["omega0"]
    b, c, e, across = spatial_places(d)
    axial, transverse, _ = d["I_rod"]
    R = np.column_stack([(1, 0, 0), across, np.cross((1, 0, 0), across)])  # frame of the rod: its y is the cross's second axis
    inertia = R.T @ (transverse * np.eye(3) + (axial - transverse) * np.outer(e, e)) @ R
    v, w1, w2 = np.linalg.solve(np.column_stack([(1.0, 0.0, 0.0), np.cross((1, 0, 0), b - c), np.cross(across, b - c)]),
                                (0.0, -w * l_ab, 0.0))
    tree = Tree((0, 0, -d["g"]))
    crank = tree.link(-1, "RevoluteX", (0, ya, za), d["masses"][0], (0, 0, l_ab / 2), (d["I_crank_xx_COM"],) * 3, 0.0, w)
    slider = tree.link(-1, "PrismaticX", c, d["masses"][2], inertia=(1e-4,) * 3, rate=v)
    cross = tree.link(slider, "RevoluteX", (0, 0, 0), rate=w1)
    rod = tree.link(cross, "RevoluteY", (0, 0, 0), d["masses"][1], R.T @ (b - c) / 2, inertia, 0.0, w2, turn=R)
    tree.close()
    tree.ball((crank, (0, 0, l_ab)), (rod, R.T @ (b - c)))
    tree.watch(slider, (0, 0, 0))
    tree.watch(crank, (0, 0, l_ab))
    return tree.finish(lambda stored: np.column_stack([stored[0][:, 1], stored[1][:, 2:4]]))
