"""The mechanisms of the benchmarks, and the same mechanism as a model of dalembert and of its peers.

A mechanism is a tree of bodies on revolute joints about the local z axis: joint i sits on body `parent[i]` (-1 is the
ground) at position `r[i]` with axes `R[i]`, and the body's frame turns with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import dalembert as dal

GRAVITY = 9.81


@dataclass
class Mechanism:
    """A tree of n bodies on revolute joints, with a state and efforts."""

    parent: np.ndarray  # (n,)
    r: np.ndarray  # (n, 3) [m]
    R: np.ndarray  # (n, 3, 3)
    mass: np.ndarray  # (n,) [kg]
    com: np.ndarray  # (n, 3) [m]
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass [kg m²]
    gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY)
    q: np.ndarray = field(default_factory=lambda: np.zeros(0))
    qd: np.ndarray = field(default_factory=lambda: np.zeros(0))
    tau: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.parent)


def random_rotation(rng) -> np.ndarray:
    """Return a rotation matrix, uniformly distributed."""
    w, x, y, z = (e := rng.normal(size=4)) / np.linalg.norm(e)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def random_mechanism(parent, seed: int = 0) -> Mechanism:
    """Return a tree with random frames, inertias, state and efforts."""
    rng, n = np.random.default_rng(seed), len(parent)
    spread = rng.normal(size=(n, 3, 3)) * 0.1
    second = spread @ np.swapaxes(spread, 1, 2) + 0.01 * np.eye(3)  # second moments of mass: a physical inertia
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return Mechanism(np.asarray(parent), rng.normal(size=(n, 3)) * 0.3,
                     np.array([random_rotation(rng) for _ in range(n)]), rng.uniform(0.5, 2.0, n),
                     rng.normal(size=(n, 3)) * 0.1, inertia, q=rng.uniform(-1, 1, n), qd=rng.uniform(-1, 1, n),
                     tau=rng.uniform(-1, 1, n))


def chain(n: int) -> Mechanism:
    """Return a random chain."""
    return random_mechanism(np.arange(n) - 1)


def binary_tree(n: int) -> Mechanism:
    """Return a random tree in which every body carries two."""
    return random_mechanism((np.arange(n) - 1) // 2)


def pendulum(n: int) -> Mechanism:
    """Return n rods of 1 m and 1 kg in a row, held out along x at rest; gravity along -y."""
    r = np.tile([1.0, 0.0, 0.0], (n, 1))
    r[0] = 0.0
    return Mechanism(np.arange(n) - 1, r, np.tile(np.eye(3), (n, 1, 1)), np.ones(n), np.tile([0.5, 0.0, 0.0], (n, 1)),
                     np.tile(np.diag([0.01, 1 / 12, 1 / 12]), (n, 1, 1)), (0.0, -GRAVITY, 0.0), np.zeros(n),
                     np.zeros(n), np.zeros(n))


def dalembert_model(m: Mechanism, *, efforts: bool = False) -> dal.Model:
    """Return the mechanism as a user's model; `efforts` adds a motor with its effort to every joint."""
    points: list[dict] = [{} for _ in range(m.n + 1)]
    for i, p in enumerate(m.parent):
        points[p + 1][f"seat{i}"] = dal.Frame(tuple(m.r[i]), m.R[i])
    model = dal.Model("benchmark", gravity=m.gravity, ground=points[0])
    names = ["ground", *(f"body{i}" for i in range(m.n))]
    for i, p in enumerate(m.parent):
        model.add(dal.Body(names[i + 1], mass=float(m.mass[i]), com=tuple(m.com[i]), inertia=m.inertia[i],
                           points=points[i + 1]),
                  dal.Revolute(f"joint{i}", f"{names[p + 1]}.seat{i}", names[i + 1], axis=(0, 0, 1),
                               start=float(m.q[i]), start_rate=float(m.qd[i])))
        if efforts:
            model.add(dal.Motor(f"motor{i}", f"joint{i}", effort=float(m.tau[i])))
    return model


def all_joints_model() -> dal.Model:
    """Return a tree with every kind of joint, force and law that has a code of its own."""
    z, rod = (0, 0, 1), dict(mass=1.0, com=(0.1, 0.0, -0.3), inertia=(0.05, 0.06, 0.02), points={"tip": (0, 0, -0.6)})
    names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
    m = dal.Model("all joints", ground={"hook": (1.0, 0.0, 0.0)})
    m.add(*(dal.Body(name, **rod) for name in names))
    m.add(dal.Revolute("revolute", "ground", "a", axis=(0, 1, 0), start=0.4),
          dal.Prismatic("prismatic", "a.tip", "b", axis=z),
          dal.Cylindrical("cylindrical", "b.tip", "c", axis=z),
          dal.Universal("universal", "a.tip", "d"),
          dal.Spherical("spherical", "d.tip", "e", start_rate=(0.1, 0.2, 1.0)),
          dal.Planar("planar", "ground.hook", "f", axis=(0, 1, 0)),
          dal.Screw("screw", "f.tip", "g", axis=z, pitch=0.02),
          dal.Free("free", "ground", "h", start=(2.0, 0.0, 0.0), start_rate=(0, 0, 1, 0.1, 2, 0)),
          dal.Fixed("fixed", "e.tip", "i"))
    m.add(dal.JointSpring("coil", "prismatic", stiffness=300.0, damping=2.0),
          dal.JointSpring("slide", "cylindrical", stiffness=300.0, damping=1.0, coordinate="displacement"),
          dal.SpringDamper("string", "ground.hook", "f", stiffness=80.0, damping=1.0),
          dal.Bushing("rubber", "ground.hook", "h", stiffness=10.0, turning_stiffness=1.0),
          dal.Force("push", "e.tip", direction=(1, 0, 0), magnitude=dal.sine(amplitude=0.5, omega=3.0)),
          dal.Torque("twist", "h", direction=z, magnitude=0.05, follow=True),
          dal.Motor("motor", "revolute", effort=dal.table([0.0, 0.5, 10.0], [0.0, 1.0, 0.0])),
          dal.Motion("drive", "screw", position=dal.sine(amplitude=0.3, omega=2.0)))
    return m


def rates_of_joints(layout) -> np.ndarray:
    """Return the rate number of joint 0, 1, ... of a mechanism in a packed model."""
    at = {entry.name: entry.v for entry in layout.joints}
    return np.array([at[f"joint{i}"] for i in range(len(at))])


def pinocchio_model(m: Mechanism):
    """Return (model, data) of Pinocchio; its joints stand in the order of the mechanism."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(m.gravity)
    ids = [0]
    for i, p in enumerate(m.parent):
        ids.append(model.addJoint(ids[p + 1], pin.JointModelRZ(), pin.SE3(m.R[i], m.r[i]), f"joint{i}"))
        model.appendBodyToJoint(ids[-1], pin.Inertia(m.mass[i], m.com[i], m.inertia[i]), pin.SE3.Identity())
    return model, model.createData()


def mujoco_model(m: Mechanism, *, integrator: str = "EULER", step: float = 1e-3):
    """Return (model, data, at) of MuJoCo without contacts and constraints; `at` is the place of each joint in qpos."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = m.gravity
    spec.option.timestep = step
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    bodies = [spec.worldbody]
    order = [0, 4, 8, 1, 2, 5]  # xx yy zz xy xz yz
    for i, p in enumerate(m.parent):
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, m.R[i].ravel())
        body = bodies[p + 1].add_body(name=f"body{i}", pos=m.r[i], quat=quaternion, mass=m.mass[i], ipos=m.com[i],
                                      fullinertia=m.inertia[i].ravel()[order], explicitinertial=True)
        body.add_joint(name=f"joint{i}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        bodies.append(body)
    model = spec.compile()
    data = mujoco.MjData(model)
    at = np.array([model.joint(f"joint{i}").qposadr[0] for i in range(m.n)])
    data.qpos[at], data.qvel[at] = m.q, m.qd
    return model, data, at


def exudyn_tree(m: Mechanism):
    """Return (container, system) of Exudyn with one ObjectKinematicTree: minimal coordinates, O(N²) mass matrix."""
    import exudyn as exu
    from exudyn import itemInterface as items

    container = exu.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(items.NodeGenericODE2(
        referenceCoordinates=[0.0] * m.n, initialCoordinates=list(m.q), initialCoordinates_t=list(m.qd),
        numberOfODE2Coordinates=m.n))
    turns, inertias = exu.Matrix3DList(), exu.Matrix3DList()
    offsets, centres = exu.Vector3DList(), exu.Vector3DList()
    for i in range(m.n):
        turns.Append(m.R[i])
        offsets.Append(m.r[i])
        inertias.Append(m.inertia[i])
        centres.Append(m.com[i])
    system.AddObject(items.ObjectKinematicTree(
        nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * m.n, linkParents=[int(p) for p in m.parent],
        jointTransformations=turns, jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centres,
        linkMasses=list(m.mass), baseOffset=[0, 0, 0], gravity=list(m.gravity)))
    system.Assemble()
    return container, system


def exudyn_bodies(n: int):
    """Return (container, system) of Exudyn for `pendulum(n)` made of 2-D rigid bodies and revolute joints."""
    import exudyn as exu
    from exudyn import itemInterface as items

    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(items.ObjectGround())
    end = system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for i in range(n):
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[i + 0.5, 0, 0]))
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        first = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[-0.5, 0, 0]))
        last = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[0.5, 0, 0]))
        whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[end, first]))
        system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0, -GRAVITY, 0]))
        end = last
    system.Assemble()
    return container, system
