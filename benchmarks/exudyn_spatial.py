"""Spatial closed loops as Exudyn models of 3-D rigid bodies and joints; builders as in `exudyn_planar.py`.

User functions of springs, tyres and the rack are Exudyn's symbolic ones, which run without Python.
"""

from __future__ import annotations

import numpy as np
from loop_problems import spatial_places

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


class Space:
    """A system of 3-D rigid bodies that start with world axes; joints are given in world axes."""

    def __init__(self, gravity, nodes: str = "RotationEulerParameters"):
        import exudyn as exu
        from exudyn import itemInterface as items
        from exudyn.rigidBodyUtilities import RigidBodyInertia

        self.exu, self.items, self.inertia, self.gravity = exu, items, RigidBodyInertia, list(gravity)
        self.nodes = getattr(exu.NodeType, nodes)
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.CreateGround()
        self.sensors: list = []
        self.functions: list = []  # symbolic functions must stay alive

    def body(self, mass, inertia, com, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
        """Add a body and return it; its reference point is the centre of mass `com`, in world axes."""
        return self.system.CreateRigidBody(
            inertia=self.inertia(mass, np.array(inertia, float)), referencePosition=list(com), gravity=self.gravity,
            initialVelocity=list(velocity), initialAngularVelocity=list(spin), nodeType=self.nodes)

    def revolute(self, first, second, place, axis):
        """Add a revolute joint."""
        self.system.CreateRevoluteJoint(itemNumbers=[first, second], position=list(place), axis=list(axis))

    def ball(self, first, second, place):
        """Add a ball joint."""
        self.system.CreateSphericalJoint(itemNumbers=[first, second], position=list(place))

    def generic(self, first, second, place, constrained, axes=None, **more):
        """Add a joint that holds some of the axes, the columns of `axes`."""
        self.system.CreateGenericJoint(itemNumbers=[first, second], position=list(place), constrainedAxes=constrained,
                                       rotationMatrixAxes=np.eye(3) if axes is None else axes, **more)

    def marker(self, body, place, rigid=False):
        """Return a marker at a place of a body, from its centre of mass."""
        kind = self.items.MarkerBodyRigid if rigid else self.items.MarkerBodyPosition
        return self.system.AddMarker(kind(bodyNumber=body, localPosition=list(place)))

    def symbolic(self, function, name, item):
        """Return a user function that runs without Python."""
        from exudyn.advancedUtilities import CreateSymbolicUserFunction

        self.functions.append(CreateSymbolicUserFunction(self.system, function, name, itemTypeName=item))
        return self.functions[-1]

    def watch(self, body, place=(0.0, 0.0, 0.0), output="Position"):
        """Record a quantity of a body at a place, from its centre of mass."""
        self.sensors.append(self.system.AddSensor(self.items.SensorBody(
            bodyNumber=body, localPosition=list(place), storeInternal=True, writeToFile=False,
            outputVariableType=getattr(self.exu.OutputVariableType, output))))

    def finish(self, read):
        """Return the assembled system."""
        self.system.Assemble()
        return self, self.system, self.sensors, read


def bricard(p, nodes="RotationEulerParameters", *, whole=False):
    """Bricard's linkage; the last joint leaves one direction out, so that nothing is redundant, unless `whole`."""
    d = p.data
    points, mass, b, length = np.array(d["points"]), d["m"], d["b"], d["L"]
    space = Space((0, -d["g"], 0), nodes)
    bodies = [space.ground]
    for i in range(5):
        r = points[i + 1] - points[i]
        along = np.argmax(np.abs(r))
        inertia = np.full(3, mass * (length**2 + b**2) / 12)
        inertia[along] = mass * b * b / 6
        bodies.append(space.body(mass, np.diag(inertia), (points[i] + points[i + 1]) / 2))
    for i in range(5):
        space.revolute(bodies[i], bodies[i + 1], points[i], AXES[d["joint_axes"][i]])
    if whole:
        space.revolute(bodies[5], space.ground, points[5], AXES[d["joint_axes"][5]])
    else:
        space.generic(bodies[5], space.ground, points[5], [1, 1, 1, 0, 0, 1])
    space.watch(bodies[3], (points[3] - points[2]) / 2)
    return space.finish(lambda stored: stored[0][:, 1:4])


def spatial_slider_crank(p, nodes="RotationEulerParameters"):
    """Spatial slider-crank: revolute, ball, universal and prismatic joint."""
    d = p.data
    ya, za, l_ab, w = d["yA"], d["zA"], d["lAB"], d["omega0"]
    b, c, e, across = spatial_places(d)
    axial, transverse, _ = d["I_rod"]
    v_b = np.array([0.0, -w * l_ab, 0.0])
    # rod: its spin w_r and the slider's speed from v_b + w_r x (c - b) = (v, 0, 0) and the cross: (w_r x across).ex = 0
    system = np.zeros((4, 4))
    system[:3, :3] = [np.cross(unit, c - b) for unit in np.eye(3)]
    system[:3, :3] = system[:3, :3].T
    system[0, 3] = -1.0
    system[3, :3] = [np.cross(unit, across)[0] for unit in np.eye(3)]
    *spin, speed = np.linalg.solve(system, [*-v_b, 0.0])
    space = Space((0, 0, -d["g"]), nodes)
    crank = space.body(d["masses"][0], np.eye(3) * d["I_crank_xx_COM"], (0, ya, za + l_ab / 2), v_b / 2, (w, 0, 0))
    rod = space.body(d["masses"][1], transverse * np.eye(3) + (axial - transverse) * np.outer(e, e), (b + c) / 2,
                     (v_b + (speed, 0, 0)) / 2, spin)
    slider = space.body(d["masses"][2], np.eye(3) * 1e-4, c, (speed, 0, 0))
    space.revolute(space.ground, crank, (0, ya, za), (1, 0, 0))
    space.ball(crank, rod, b)
    space.generic(space.ground, slider, c, [0, 1, 1, 1, 1, 1])
    # one axis of rotation held: the first frame's y stays normal to the second one's z
    space.generic(slider, rod, c, [1, 1, 1, 1, 0, 0], np.column_stack([np.cross((1, 0, 0), across), (1, 0, 0), across]))
    space.watch(slider)
    space.watch(crank, (0, 0, l_ab / 2))
    return space.finish(lambda stored: np.column_stack([stored[0][:, 1], stored[1][:, 2:4]]))


def vehicle(p, nodes="RotationEulerParameters"):
    """Full vehicle: 13 bodies and a rack."""
    d, s = p.data, p.data["scenario"]
    exu_start = np.array([0.0, 0.0, s["z0"]])
    space = Space((0, 0, -s["g"]), nodes)
    forward = (s["v0"], 0, 0)
    centre = exu_start + d["chassis"]["C"]
    chassis = space.body(d["chassis"]["m"], np.diag(d["chassis"]["I"]), centre, forward)
    rack_mass = 1e-3
    rack = space.body(rack_mass, np.eye(3) * rack_mass, centre, forward)
    space.generic(chassis, rack, centre, [1, 0, 1, 1, 1, 1])
    space.generic(chassis, rack, centre, [0, 1, 0, 0, 0, 0], offsetUserFunction=space.symbolic(
        rack_position(s), "offsetUserFunction", "ObjectJointGeneric"), offsetUserFunction_t=space.symbolic(
        rack_speed(s), "offsetUserFunction_t", "ObjectJointGeneric"))
    bodies = {"chassis": (chassis, centre), "rack": (rack, centre)}
    for axle, a in (("front", d["front"]), ("rear", d["rear"])):
        for side in (1, -1):
            corner(space, bodies, a, s, side, exu_start, front=axle == "front")
    space.watch(chassis, -np.array(d["chassis"]["C"]))
    space.watch(chassis, output="RotationMatrix")

    def read(stored):
        R = stored[1][:, 1:].reshape(-1, 3, 3)
        angles = np.column_stack([np.arctan2(R[:, 1, 0], R[:, 0, 0]), -np.arcsin(R[:, 2, 0]),
                                  np.arctan2(R[:, 2, 1], R[:, 2, 2])])
        return np.column_stack([stored[0][:, 1:4], angles])

    return space.finish(read)


def corner(space, bodies, a, s, side, start, *, front):
    """Add a double wishbone with its tie rod, spring, damper and tyre."""
    forward = (s["v0"], 0, 0)

    def at(key):
        x, y, z = a[key]
        return start + (a["loc"] + x, side * y, z)

    chassis, centre = bodies["chassis"]
    lower = space.body(a["lcM"], np.diag(a["lcI"]), at("lcC"), forward)
    upper = space.body(a["ucM"], np.diag(a["ucI"]), at("ucC"), forward)
    mass, com, inertia = lumped([(a["upM"], at("upC"), a["upI"]), (a["spM"], at("spC"), a["spI"]),
                                 (s["mw"], at("spC"), (s["Iw"],) * 3)])
    knuckle = space.body(mass, inertia, com, forward)
    space.revolute(chassis, lower, (at("lcF") + at("lcB")) / 2, unit(at("lcF") - at("lcB")))
    space.revolute(chassis, upper, (at("ucF") + at("ucB")) / 2, unit(at("ucF") - at("ucB")))
    space.ball(lower, knuckle, at("lcU"))
    space.ball(upper, knuckle, at("ucU"))
    items, system = space.items, space.system
    inner, inner_com = bodies["rack"] if front else bodies["chassis"]
    system.AddObject(items.ObjectConnectorDistance(
        markerNumbers=[space.marker(inner, at("trC") - inner_com), space.marker(knuckle, at("trU") - com)],
        distance=float(np.linalg.norm(at("trU") - at("trC")))))
    spring = space.symbolic(spring_force(a), "springForceUserFunction", "ObjectConnectorSpringDamper")
    system.AddObject(items.ObjectConnectorSpringDamper(
        markerNumbers=[space.marker(chassis, at("sC") - centre), space.marker(lower, at("sA") - at("lcC"))],
        referenceLength=a["L0"], stiffness=a["k1"], springForceUserFunction=spring))
    system.AddObject(items.ObjectConnectorSpringDamper(
        markerNumbers=[space.marker(chassis, at("dC") - centre), space.marker(lower, at("dA") - at("lcC"))],
        referenceLength=float(np.linalg.norm(at("dC") - at("dA"))), damping=a["c"]))
    tyre = space.symbolic(tyre_force(s, bump=side > 0), "springForceUserFunction", "ObjectConnectorCartesianSpringDamper")
    system.AddObject(items.ObjectConnectorCartesianSpringDamper(
        markerNumbers=[space.marker(space.ground, (0, 0, 0)), space.marker(knuckle, at("spC") - com)],
        springForceUserFunction=tyre))
    lateral = np.zeros((6, 6))
    lateral[1, 1] = s["clat"]
    system.AddObject(items.ObjectConnectorRigidBodySpringDamper(
        markerNumbers=[space.marker(knuckle, at("spC") - com, rigid=True), space.marker(space.ground, (0, 0, 0), rigid=True)],
        damping=lateral))


def lumped(parts):
    """Return mass, centre of mass and inertia about it of several parts (mass, centre, diagonal)."""
    mass = sum(m for m, _, _ in parts)
    com = sum(m * np.array(c) for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, diagonal in parts:
        r = np.array(c) - com
        inertia += np.diag(diagonal) + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, com, inertia


def unit(v):
    """Return a vector of length one."""
    return v / np.linalg.norm(v)


def rack_position(s):
    """Return the law of the rack as a function for symbolic recording."""
    from exudyn import symbolic as sym

    def offset(mbs, t, itemNumber, offsetUserFunctionParameters):
        u = sym.min(sym.max((t - s["rack_t0"]) / s["rack_T"], sym.Real(0.0)), sym.Real(1.0))
        w = sym.sin(np.pi * u)
        return [0.0, s["rack_amp"] * w * w * w * w, 0.0, 0.0, 0.0, 0.0]

    return offset


def rack_speed(s):
    """Return the speed of the rack."""
    from exudyn import symbolic as sym

    def offset_t(mbs, t, itemNumber, offsetUserFunctionParameters):
        u = sym.min(sym.max((t - s["rack_t0"]) / s["rack_T"], sym.Real(0.0)), sym.Real(1.0))
        w = sym.sin(np.pi * u)
        return [0.0, 4 * np.pi * s["rack_amp"] / s["rack_T"] * w * w * w * sym.cos(np.pi * u), 0.0, 0.0, 0.0, 0.0]

    return offset_t


def spring_force(a):
    """Return the tension -k1 x - k3 x³, x = L0 - L."""
    def force(mbs, t, itemNumber, deltaL, deltaL_t, stiffness, damping, force):
        return a["k1"] * deltaL + a["k3"] * deltaL * deltaL * deltaL

    return force


def tyre_force(s, *, bump):
    """Return the force of a tyre on the ground (minus the one on the wheel) with the wheel's position and velocity."""
    from exudyn import symbolic as sym

    def force(mbs, t, itemNumber, displacement, velocity, stiffness, damping, offset):
        height, slope = 0.0, 0.0
        if bump:
            u = sym.min(sym.max((displacement[0] - s["x0"]) / s["wb"], sym.Real(0.0)), sym.Real(1.0))
            w = sym.sin(np.pi * u)
            height = s["h0"] * w * w * w * w
            slope = 4 * np.pi * s["h0"] / s["wb"] * w * w * w * sym.cos(np.pi * u)
        return [0.0, 0.0, s["kt"] * (displacement[2] - s["R0"] - height) + s["ct"] * (velocity[2] - slope * velocity[0])]

    return force
