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

AGREED = 1e-9
"""Relative deviation that counts as agreement."""
CLOSED = 1e-8
"""Violation of an equality that counts as none [m or rad]."""
MOST_CALLS = 3000
"""Evaluations of a peer's equations after which a motion counts as stiff and is not compared."""
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


def compare(peer, *, states: int = 3, seed: int = 0, motion: float = 0.0) -> Compared:
    """Hold our model against a peer's at random states, and over a motion of `motion` seconds.

    States after the first of a mechanism with equalities are those of a motion of ours.
    """
    found, rng = Compared(peer.m.nv, peer.loops), np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(states):
            q, v = peer.random_state(rng)
            if n > 0 and peer.loops and peer.closed_by_motion:
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
