"""A foreign model on our side and on a peer's: the same random states, accelerations, joint loads, and short motions.

Every peer gives, for a state, the mass matrix M, the smooth force h of M a = h (bias, weight, damping and springs taken
in), the Jacobian J of its constraints and J' v.  Accelerations are those of

    M a + Jᵀ lambda = h,   J a = -J' v                                                                   (1)

solved here, so that a peer's softness of constraints does not matter.  States are drawn in the peer's own coordinates q and
rates v, and turned into ours.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as dal

CENTRAL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""Weights of a central difference of eighth order."""
AGREED = 1e-9
"""Relative deviation that counts as agreement."""
CLOSED = 1e-8
"""Violation of an equality that counts as none [m or rad]."""
MOST_CALLS = 3000
"""Evaluations of a peer's equations after which a motion counts as stiff and is not compared."""
AXES, DROPPED = 2e-6, 2e-12
"""Accuracy of the principal axes of meshes in MuJoCo's compiler [rad], and products of inertia that it drops [kg m²]."""
LOCKED = 1e5
"""Joints with more damping than this stand still at the beginning [N s/m or N m s/rad]."""
SMALL = 1e-4
"""Torques [N m] below this fraction of the forces [N], and the other way round, are small, and so are accelerations below this
fraction of those that the forces would give to the rates one by one."""
RANK = 1e-9
"""Rows of J M⁻¹ Jᵀ below this fraction of the largest are redundant."""


class NotComparableError(Exception):
    """A model without accelerations that could be compared."""


def constrained(M: np.ndarray, h: np.ndarray, J: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return the accelerations of (1)."""
    size = np.sqrt(np.diag(M))
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    M, h, J = M * np.outer(scale, scale), scale * h, J * scale
    left, sizes, right = np.linalg.svd(J)
    rank = int(np.sum(sizes > RANK * np.max(sizes, initial=0.0)))
    a = right[:rank].T @ ((left[:, :rank].T @ -bias) / sizes[:rank])
    free = right[rank:].T
    inner = free.T @ M @ free
    if np.linalg.cond(inner) > 1e14:
        raise NotComparableError("its mass matrix is singular: links without mass")
    return scale * (a + free @ np.linalg.solve(inner, free.T @ (h - M @ a)))


@dataclass(frozen=True)
class Step:
    """A joint of ours, its kind at the peer's, and where its coordinates and rates begin there."""

    joint: str
    kind: str
    q: int
    v: int
    ref: float = 0.0


@dataclass
class Compared:
    """Largest deviations, relative to the largest value of their kind, and what deviates."""

    rates: int
    loops: int = 0
    accelerations: float = 0.0
    loads: float = 0.0
    motion: float | None = None
    notes: list[str] = field(default_factory=list)

    def worst(self) -> float:
        return max(self.accelerations, self.loads, self.motion or 0.0)


def rotation(q) -> np.ndarray:
    """Return the matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turning(q, w) -> np.ndarray:
    """Return the rate of a quaternion (w, x, y, z) for an angular velocity in the turned axes."""
    a, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [a, -z, y], [z, a, -x], [-y, x, a]]) @ w


def without(vector: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return a vector without its part along a unit axis."""
    return vector - (vector @ axis) * axis


class MujocoPeer:
    """MuJoCo on an MJCF file; contacts, limits, actuators, dry friction, tendons, media and lifted weights are off."""

    def __init__(self, path, model):
        import mujoco

        self.mj, self.model = mujoco, model
        self.m = m = mujoco.MjModel.from_xml_path(str(path))
        off = mujoco.mjtDisableBit
        m.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_ACTUATION
        m.opt.density = m.opt.viscosity = 0.0
        for name in ("body_gravcomp", "tendon_stiffness", "tendon_damping", "tendon_armature", "actuator_armature"):
            if hasattr(m, name):
                getattr(m, name)[:] = 0.0
        for i in range(m.neq):
            m.eq_active0[i] &= self._is_read(i)
        self._let_go()
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.d = mujoco.MjData(m)
        ours = [joint.name for joint in model.joints if not isinstance(joint, dal.Fixed) and not joint.cut]
        if len(ours) != m.njnt:
            raise AssertionError(f"{m.njnt} joints expected, {len(ours)} read")
        self.steps = [self._step(k, name) for k, name in enumerate(ours)]
        self._check_masses()
        self.loops = len(self._jacobian(m.qpos0, np.zeros(m.nv)))

    def _is_read(self, i: int) -> bool:
        """Whether an equality is one that our reader takes."""
        m, kinds = self.m, self.mj.mjtEq
        if m.eq_type[i] == kinds.mjEQ_CONNECT or m.eq_type[i] == kinds.mjEQ_WELD:
            return True
        others = [k for k in (m.eq_obj1id[i], m.eq_obj2id[i]) if k >= 0]
        linear = len(others) == 1 or not np.any(m.eq_data[i][2:5])
        if m.eq_type[i] == kinds.mjEQ_TENDON:
            wraps = [m.wrap_type[m.tendon_adr[k]:m.tendon_adr[k] + m.tendon_num[k]] for k in others]
            return linear and bool(np.all(np.concatenate(wraps) == self.mj.mjtWrap.mjWRAP_JOINT))
        return linear and m.eq_type[i] == kinds.mjEQ_JOINT

    def _let_go(self) -> None:
        """Leave out, on both sides, what ties the model to bodies that MuJoCo moves from outside: hands of the control."""
        m = self.m
        moved = {m.body(i).name.replace(".", "_") for i in range(m.nbody) if m.body_mocapid[i] >= 0}
        bodies = m.eq_objtype == self.mj.mjtObj.mjOBJ_BODY
        held = (m.body_mocapid[m.eq_obj1id] >= 0) | (m.body_mocapid[m.eq_obj2id] >= 0) if m.neq else np.zeros(0, bool)
        m.eq_active0[bodies & held] = 0
        self.model = self.model.without(*(joint.name for joint in self.model.joints if joint.cut and moved & {
            joint.first.partition(".")[0], joint.second.partition(".")[0]}))

    def _check_masses(self) -> None:
        """Compare masses, then take their inertias: they are told by principal axes, found to AXES or products of DROPPED."""
        m, ours = self.m, self.model.bodies
        last = np.cumsum(np.maximum(m.body_jntnum[1:], 1)) - 1  # of bodies between the joints of one body
        if len(ours) != last[-1] + 1:
            raise AssertionError(f"{last[-1] + 1} bodies expected, {len(ours)} read")
        for i, body in enumerate((ours[k] for k in last), start=1):
            turn = rotation(m.body_iquat[i])
            inertia = turn @ np.diag(m.body_inertia[i]) @ turn.T
            if abs(body.mass - m.body_mass[i]) > AGREED * m.body_mass[i] or (
                    m.body_mass[i] and np.max(abs(np.subtract(body.com, m.body_ipos[i]))) > AGREED):
                raise AssertionError(f"mass {body.mass}, centre {body.com} of {body.name!r}: theirs {m.body_mass[i]}, "
                                     f"{m.body_ipos[i].tolist()}")
            gap = np.max(abs(np.subtract(body.inertia, inertia)))
            meshes = any(drawn.kind == "mesh" for drawn in body.drawing)
            if gap > (AXES if meshes else AGREED) * np.max(abs(inertia)) + DROPPED:
                raise AssertionError(f"inertia of {body.name!r}: ours {body.inertia}, theirs {inertia.tolist()}")
            if gap > 1e-3 * AGREED * np.max(abs(inertia)):
                self.model = self.model.replaced(body.name, inertia=inertia.tolist())

    def _step(self, k: int, name: str) -> Step:
        m, kind = self.m, ("free", "ball", "slide", "hinge")[self.m.jnt_type[k]]
        q = int(m.jnt_qposadr[k])
        return Step(name, kind, q, int(m.jnt_dofadr[k]), float(m.qpos0[q]) if kind in ("hinge", "slide") else 0.0)

    def random_state(self, rng):
        """Return coordinates and rates that meet the equalities: those that we begin with if there are any."""
        q, v = self.m.qpos0.copy(), 0.5 * rng.normal(size=self.m.nv)
        v[self.m.dof_damping.reshape(self.m.nv, -1)[:, 0] > LOCKED] = 0.0
        if self.loops:
            if self.gap(q) > CLOSED:
                r = dal.assemble(self.model)
                q, _ = self.state_of(*({s.joint: block(r, name, s.joint) for s in self.steps} for name in ("q", "qd")))
            J = self._jacobian(q, v)
            return q, v - np.linalg.pinv(J, rcond=RANK) @ (J @ v)
        for s in self.steps:
            if s.kind in ("hinge", "slide"):
                q[s.q] += rng.uniform(-0.6, 0.6) * (1.0 if s.kind == "hinge" else 0.2)
                continue
            if s.kind == "free":
                q[s.q:s.q + 3] += 0.3 * rng.normal(size=3)
            turn = q[s.q + 3 * (s.kind == "free"):][:4]
            turn += 0.3 * rng.normal(size=4)
            turn /= np.linalg.norm(turn)
        return q, v

    def _jacobian(self, q, v) -> np.ndarray:
        d = self.d
        d.qpos[:], d.qvel[:] = q, v
        self.mj.mj_fwdPosition(self.m, d)
        rows = d.efc_type[:d.nefc] == self.mj.mjtConstraint.mjCNSTR_EQUALITY
        return d.efc_J.reshape(-1, self.m.nv)[:d.nefc][rows].copy() if d.nefc else np.zeros((0, self.m.nv))

    def gap(self, q) -> float:
        """Return the largest violation of an equality."""
        self._jacobian(q, np.zeros(self.m.nv))
        return float(np.max(abs(self.d.efc_pos[:self.d.nefc]), initial=0.0))

    def terms(self, q, v):
        """Return M, h, J, J' v."""
        m, d, mj = self.m, self.d, self.mj
        J = self._jacobian(q, v)
        bias, step, moved = np.zeros(len(J)), 1e-2 / max(1.0, np.max(abs(v), initial=0.0)), np.empty_like(q)
        for k, weight in CENTRAL.items() if len(J) else ():
            for sign in (1, -1):
                moved[:] = q
                mj.mj_integratePos(m, moved, v, sign * k * step)
                bias += sign * weight / step * (self._jacobian(moved, v) @ v)
        d.qpos[:], d.qvel[:] = q, v
        mj.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        if "d: mujoco" in mj.mj_fullM.__doc__.partition("dst")[0]:
            mj.mj_fullM(m, d, M)
        else:
            mj.mj_fullM(m, M, d.qM)
        return M, d.qfrc_passive - d.qfrc_bias, J, bias

    def rate(self, q, v) -> np.ndarray:
        """Return the time derivative of the coordinates."""
        out = np.zeros(self.m.nq)
        for s in self.steps:
            if s.kind in ("hinge", "slide"):
                out[s.q] = v[s.v]
                continue
            shift = 3 * (s.kind == "free")
            out[s.q:s.q + shift] = v[s.v:s.v + shift]
            at = s.q + shift
            out[at:at + 4] = turning(q[at:at + 4], v[s.v + shift:s.v + shift + 3])
        return out

    def coordinates(self, q) -> dict:
        """Return our coordinates by joint."""
        sizes = {"ball": 4, "free": 7}
        return {s.joint: tuple(q[s.q:s.q + sizes[s.kind]].tolist()) if s.kind in sizes else float(q[s.q] - s.ref)
                for s in self.steps}

    def rates(self, q, v, w=None) -> dict:
        """Return our rates by joint, or with rates w our accelerations of those v.

        Ours are in axes that stand still where theirs turn with the body, which is the same for both as w x w = 0.
        """
        found = {}
        for s in self.steps:
            if s.kind in ("hinge", "slide"):
                found[s.joint] = float(v[s.v])
                continue
            shift = 3 * (s.kind == "free")
            turned = rotation(q[s.q + shift:s.q + shift + 4]) @ v[s.v + shift:s.v + shift + 3]
            found[s.joint] = (*v[s.v:s.v + shift].tolist(), *turned.tolist())
        return found

    def state_of(self, coordinates: dict, rates: dict):
        """Return the peer's state for one of ours."""
        q, v = self.m.qpos0.copy(), np.zeros(self.m.nv)
        for s in self.steps:
            own, rate = np.atleast_1d(coordinates[s.joint]), np.atleast_1d(rates[s.joint])
            q[s.q:s.q + len(own)], v[s.v:s.v + len(rate)] = own + s.ref, rate
            if s.kind in ("ball", "free"):
                shift = 3 * (s.kind == "free")
                v[s.v + shift:s.v + shift + 3] = rotation(own[shift:]).T @ rate[shift:]
        return q, v

    def loads(self, q, v, a):
        """Yield (joint, force, torque) of the last joint of each body, without what free motions get: world axes, anchor."""
        m, d = self.m, self.d
        d.qpos[:], d.qvel[:] = q, v
        self.mj.mj_forward(m, d)
        d.qacc[:] = a
        self.mj.mj_rnePostConstraint(m, d)
        for body, k in {int(body): k for k, body in enumerate(m.jnt_bodyid)}.items():
            s, axis = self.steps[k], d.xaxis[k].copy()
            if s.kind == "free":
                continue
            force = d.cfrc_int[body][3:].copy()
            anchor = d.xanchor[k] + (axis * (q[s.q] - s.ref) if s.kind == "slide" else 0.0)  # theirs stays behind
            torque = d.cfrc_int[body][:3] + np.cross(d.subtree_com[m.body_rootid[body]] - anchor, force)
            if s.kind == "slide":
                yield s.joint, without(force, axis), torque
            else:
                yield s.joint, force, without(torque, axis) if s.kind == "hinge" else np.zeros(3)


class PinocchioPeer:
    """Pinocchio on a URDF file, with the damping of the joints, and joints that mimic others as constraints."""

    def __init__(self, path, model, floating: bool = False):
        import pinocchio as pin

        self.pin, self.model, self.floating = pin, model, floating
        base = (pin.JointModelFreeFlyer(),) if floating else ()
        self.m = pin.buildModelFromUrdf(str(path), *base)
        self.d = self.m.createData()
        names = {joint.name: joint for joint in model.joints}
        self.steps = [self._step(k, names) for k in range(1, self.m.njoints)]
        at = {s.joint: s.v for s in self.steps}
        self.damping = np.zeros(self.m.nv)
        for part in model.forces:
            self.damping[at[part.joint]] = part.damping
        self.gears = [part for part in model.constraints if isinstance(part, dal.Gear)]
        self.loops, self.J = len(self.gears), np.zeros((len(self.gears), self.m.nv))
        for row, gear in zip(self.J, self.gears, strict=True):
            row[at[gear.second]], row[at[gear.first]] = 1.0, -gear.ratio

    def _step(self, k: int, names: dict) -> Step:
        joint, said = self.m.joints[k], self.m.names[k]
        if self.floating and k == 1:
            return Step(next(name for name, j in names.items() if isinstance(j, dal.Free)), "free", joint.idx_q, joint.idx_v)
        plain = said.replace(".", "_")
        own = plain if plain in names else plain + "_joint"
        if joint.nv != 1 or own not in names:
            raise AssertionError(f"the peer's joint {said!r} has no counterpart")
        return Step(own, "circle" if joint.nq == 2 else "one", joint.idx_q, joint.idx_v)

    def random_state(self, rng):
        """Return coordinates and rates that meet the gears."""
        angle = {s.joint: rng.uniform(-0.7, 0.7) for s in self.steps}
        for _ in self.gears:  # there may be chains of them
            for gear in self.gears:
                angle[gear.second] = gear.ratio * angle[gear.first] + (gear.offset or 0.0)
        q, v = self.pin.neutral(self.m), rng.normal(size=self.m.nv)
        for s in self.steps:
            if s.kind == "one":
                q[s.q] = angle[s.joint]
            elif s.kind == "circle":
                q[s.q:s.q + 2] = np.cos(angle[s.joint]), np.sin(angle[s.joint])
            else:
                turn = rng.normal(size=4)
                q[s.q:s.q + 3], q[s.q + 3:s.q + 7] = rng.normal(size=3), turn / np.linalg.norm(turn)
        return q, v - np.linalg.pinv(self.J) @ (self.J @ v) if self.loops else v

    def gap(self, q) -> float:
        """Return the largest violation of a constraint."""
        return 0.0

    def terms(self, q, v):
        """Return M, h, J, J' v."""
        M = self.pin.crba(self.m, self.d, q)
        h = -self.damping * v - self.pin.rnea(self.m, self.d, q, v, np.zeros(self.m.nv))
        return np.triu(M) + np.triu(M, 1).T, h, self.J, np.zeros(self.loops)

    def rate(self, q, v) -> np.ndarray:
        """Return the time derivative of the coordinates."""
        out = np.zeros(self.m.nq)
        for s in self.steps:
            if s.kind == "one":
                out[s.q] = v[s.v]
            elif s.kind == "circle":
                out[s.q:s.q + 2] = -q[s.q + 1] * v[s.v], q[s.q] * v[s.v]
            else:
                turn = np.roll(q[s.q + 3:s.q + 7], 1)
                out[s.q:s.q + 3] = rotation(turn) @ v[s.v:s.v + 3]
                out[s.q + 3:s.q + 7] = np.roll(turning(turn, v[s.v + 3:s.v + 6]), -1)
        return out

    def coordinates(self, q) -> dict:
        """Return our coordinates by joint."""
        found = {}
        for s in self.steps:
            if s.kind == "free":
                found[s.joint] = (*q[s.q:s.q + 3].tolist(), *np.roll(q[s.q + 3:s.q + 7], 1).tolist())
            else:
                found[s.joint] = float(q[s.q] if s.kind == "one" else np.arctan2(q[s.q + 1], q[s.q]))
        return found

    def rates(self, q, v, w=None) -> dict:
        """Return our rates by joint, or with rates w our accelerations of those v; theirs of a free base are in its axes."""
        found = {s.joint: float(v[s.v]) for s in self.steps}
        if self.floating:
            s = self.steps[0]
            R = rotation(np.roll(q[s.q + 3:s.q + 7], 1))
            moved = v[s.v:s.v + 3] if w is None else v[s.v:s.v + 3] + np.cross(w[s.v + 3:s.v + 6], w[s.v:s.v + 3])
            found[s.joint] = (*(R @ moved).tolist(), *(R @ v[s.v + 3:s.v + 6]).tolist())
        return found

    def loads(self, q, v, a):
        """Yield (joint, force, torque) of each joint, without what free motions get: world axes, joint's origin."""
        self.pin.rnea(self.m, self.d, q, v, a)
        self.pin.forwardKinematics(self.m, self.d, q)
        f = [(data.linear.copy(), data.angular.copy()) for data in self.d.f]
        self.pin.computeJointJacobians(self.m, self.d, q)
        for k, s in enumerate(self.steps, start=1):
            if s.kind == "free":
                continue
            R = self.d.oMi[k].rotation
            force, torque = R @ f[k][0], R @ f[k][1]
            axis = self.pin.getJointJacobian(self.m, self.d, k, self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:, s.v]
            if np.linalg.norm(axis[3:]) > 0.5:
                yield s.joint, force, without(torque, axis[3:])
            else:
                yield s.joint, without(force, axis[:3]), torque


def compare(peer, *, states: int = 3, seed: int = 0, motion: float = 0.0) -> Compared:
    """Hold our model against a peer's at random states, and over a motion of `motion` seconds.

    States after the first of a mechanism with equalities are those of a motion of ours.
    """
    found, rng = Compared(peer.m.nv, peer.loops), np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(states):
            q, v = peer.random_state(rng)
            if n > 0 and peer.loops and isinstance(peer, MujocoPeer):
                q, v = moved(peer, q, v, 0.02 * n, found)
            _compare_state(peer, q, v, found)
        if motion:
            _compare_motion(peer, rng, motion, found)
    return found


def note(found: Compared, what: str, ours, theirs) -> None:
    """Keep what deviates."""
    found.notes.append(f"{what}: ours {np.round(ours, 9).tolist()}, theirs {np.round(theirs, 9).tolist()}")


def moved(peer, q, v, until: float, found: Compared):
    """Return the state that a motion of ours leads to."""
    r = dal.run(peer.model, until, start=peer.coordinates(q), start_rate=peer.rates(q, v), record=[0.0, until])
    q, v = peer.state_of(*({s.joint: block(r, name, s.joint) for s in peer.steps} for name in ("q", "qd")))
    if peer.gap(q) > CLOSED:
        found.notes.append(f"equalities of the peer are violated by {peer.gap(q):.1e} after a motion of ours")
        found.accelerations = np.inf
    return q, v


def block(r, name: str, joint: str) -> np.ndarray:
    """Return a joint's part of the last frame."""
    entry = next(j for j in r.layout.joints if j.name == joint)
    first, count = (entry.q, entry.nq) if name == "q" else (entry.v, entry.nv)
    return r.array(name)[-1, first:first + count]


def _compare_state(peer, q, v, found: Compared) -> None:
    M, h, J, bias = peer.terms(q, v)
    a = constrained(M, h, J, bias)
    theirs = peer.rates(q, a, v)
    r = dal.assemble(peer.model, start=peer.coordinates(q), start_rate=peer.rates(q, v))
    size = max(np.max(np.abs(x)) for x in theirs.values())
    size = max(size, SMALL * np.max(np.abs(h) / np.maximum(np.diag(M), 1e-300), initial=0.0))  # weight and dampers may cancel
    for name, expected in theirs.items():
        ours = block(r, "qdd", name)
        gap = float(np.max(abs(ours - expected)) / size)
        if not gap <= max(found.accelerations, AGREED):
            note(found, f"acceleration of {name!r}", ours, expected)
        found.accelerations = max(found.accelerations, gap)
    if not peer.loops:
        _compare_loads(peer, q, v, a, r, found)


def _compare_loads(peer, q, v, a, r, found: Compared) -> None:
    loads = list(peer.loads(q, v, a))
    sizes = [max((np.max(abs(load[1 + i])) for load in loads), default=0.0) for i in range(2)]
    for i, kind in enumerate(("force", "torque")):
        size = max(sizes[i], SMALL * sizes[1 - i])
        for load in loads:
            ours, expected = r[f"{load[0]}.{kind}"][0], load[1 + i]
            gap = float(np.max(abs(ours - expected)) / size) if size else 0.0
            if not gap <= max(found.loads, AGREED):
                note(found, f"{kind} of {load[0]!r}", ours, expected)
            found.loads = max(found.loads, gap)


def _compare_motion(peer, rng, until: float, found: Compared) -> None:
    """Compare coordinates after a motion; the peer's equations are integrated by DOP853."""
    q, v = peer.random_state(rng)
    n = len(q)

    calls = iter(range(MOST_CALLS))

    def slope(t, y):
        next(calls)
        return np.concatenate([peer.rate(y[:n], y[n:]), constrained(*peer.terms(y[:n], y[n:]))])

    try:
        y = solve_ivp(slope, (0.0, until), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    except (StopIteration, NotComparableError):  # stiff
        return
    r = dal.run(peer.model, until, start=peer.coordinates(q), start_rate=peer.rates(q, v), integrator="dopri5",
                accuracy=1e-12, record=[0.0, until])
    gap = 0.0
    for name, expected in peer.coordinates(y[:n]).items():
        ours, expected = block(r, "q", name), np.atleast_1d(expected)
        if len(ours) == 1:
            away = abs(ours - expected) % (2 * np.pi)
            difference = float(np.minimum(away, 2 * np.pi - away)[0])
        else:
            turn = slice(len(ours) - 4, None)
            expected[turn] *= np.sign(ours[turn] @ expected[turn]) / np.linalg.norm(expected[turn])
            difference = float(np.max(abs(ours - expected)))
        if difference > max(gap, AGREED):
            note(found, f"{name!r} after {until} s", ours, expected)
        gap = max(gap, difference)
    found.motion = gap
