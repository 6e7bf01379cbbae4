"""MuJoCo as a peer of foreign_peers.py."""

from __future__ import annotations

import numpy as np
from foreign_peers import (
    AGREED,
    CLOSED,
    RANK,
    Step,
    block,
    rotation,
    turning,
    without,
)

import dalembert as dal

CENTRAL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""Weights of a central difference of eighth order."""
AXES, DROPPED = 2e-6, 2e-12
"""Accuracy of the principal axes of meshes in MuJoCo's compiler [rad], and products of inertia that it drops [kg m²]."""
LOCKED = 1e5
"""Joints with more damping than this stand still at the beginning [N s/m or N m s/rad]."""


class MujocoPeer:
    """MuJoCo on an MJCF file; contacts, limits, actuators, dry friction, tendons, media and lifted weights are off."""

    closed_by_motion = True
    """Whether random states of mechanisms with equalities follow from motions of ours."""

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
