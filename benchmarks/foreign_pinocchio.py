"""Pinocchio as a peer of foreign_peers.py."""

from __future__ import annotations

import numpy as np
from foreign_peers import (
    Step,
    rotation,
    turning,
    without,
)

import dalembert as dal


class PinocchioPeer:
    """Pinocchio on a URDF file, with the damping of the joints, and joints that mimic others as constraints."""

    closed_by_motion = False
    """Its constraints are linear in the coordinates, and random states keep to them."""

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
