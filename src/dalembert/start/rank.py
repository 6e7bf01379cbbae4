"""Motions of a mechanism with constraint rows that need no inertia: which there are, decided against sizes of the model.

Motions are x = Z y with J Z = 0.  M is semi-definite, so that those without inertia have M x = 0, and then x·F of the
equations of motion F = M qdd + g + Jᵀ λ holds neither accelerations nor multipliers.  An inertia is normalised by that which
a rate k meets if all its joint carries is one rigid body, as on trees,
    s_k = |s_n|² tr J + |s_f|² tr m 1,                                                           (1)
J about the joint.  With S = diag s a motion is without inertia if xᵀ M x is zero relative to xᵀ S x.  Neither turning nor
choosing other units changes this ratio, and a light body far out on a heavy machine is measured by itself: the columns of Z,
with unit rows at independent rates, are normalised by S one by one.
"""

from __future__ import annotations

import numpy as np

from ..codes import Status
from ..kernels.evaluate import eval_accelerations
from ..kernels.linked_work import make_linked_work
from ..kernels.tables import Work
from ..kernels.tree.kinematics import eval_motion, eval_places
from ..system.edit import changed
from ..system.pack import Packed
from .reduction import independent_rates, null_space

NO_INERTIA = 1e-11
"""Inertia along a motion, relative to (1), that counts as none; rounding of turned models leaves 1e-15."""
NO_SIZE = 1e-12
"""Likewise of (1) along a combination of motions, relative to theirs: only massless bodies move."""
FAR_FROM_SINGULAR = 1e-9
"""Pivots of a matrix, relative to its diagonal, that leave no doubt: penalties make up to 1e-6 of them in sound models."""
OTHERS = 0.5
"""Weight of rates whose own body has inertia in the choice of the rates by which motions are described."""


def may_lack_inertia(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray) -> bool:
    """Tell whether a look at all motions is worth its dense matrices: False if M + Jᵀ α J is far from singular."""
    system, work, v = packed.system, make_linked_work(packed.system), np.zeros(len(qd))
    if eval_accelerations(system, t, q.copy(), qd.copy(), v, v.copy(), work) != Status.OK:
        return True
    diagonal = work.factors.A[system.pattern.diagonal][system.pattern.order]
    return bool(np.any(abs(work.factors.D) <= FAR_FROM_SINGULAR * abs(diagonal)))


def inertia_sizes(packed: Packed, q: np.ndarray, qd: np.ndarray, M: np.ndarray, work: Work) -> np.ndarray:
    """Return (1) for every rate (n_v,), or the diagonal of the mass matrix M where that is larger."""
    system = packed.system
    eval_motion(system, q, qd, work)
    eval_places(system, qd, work)
    body, own, sizes = system.body, work.body, np.zeros(len(qd))
    trace = body["J_b"][:, 0] + body["J_b"][:, 3] + body["J_b"][:, 5]
    for i in range(1, len(body)):
        carried = slice(i, int(body["end"][i]))
        d, m, h = own["r_w"][carried] - own["r_w"][i], body["mass"][carried], own["h_w"][carried, :3]
        turning = np.sum(trace[carried] + 2 * (m * np.sum(d * d, axis=1) + 2 * np.sum(d * h, axis=1)))
        k = slice(int(body["v"][i]), int(body["v"][i] + body["nv"][i]))
        s_n, s_f = work.dof["s_n"][k, :3], work.dof["s_f"][k, :3]
        sizes[k] = np.sum(s_n**2, axis=1) * max(turning, 0.0) + np.sum(s_f**2, axis=1) * 3 * np.sum(m)     # (1)
    return np.maximum(sizes, np.diag(M))


def massless_motions(packed: Packed, M: np.ndarray, J: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rates (m,), ascending, and motions (m, n_v) with M x = J x = 0, one at their own rate and zero at the others."""
    Z = null_space(packed, J)
    if Z.shape[1] == 0:
        return np.zeros(0, np.int64), np.zeros((0, len(M)))
    Z = Z @ np.linalg.inv(Z[independent_rates(packed, Z)])
    length = np.sqrt(np.sum(sizes[:, None] * Z**2, axis=0))
    Z = Z / np.where(length > 0, length, 1.0)
    met, ways = np.linalg.eigh(Z.T @ (sizes[:, None] * Z))
    nothing, rest = ways[:, met <= NO_SIZE], ways[:, met > NO_SIZE] / np.sqrt(met[met > NO_SIZE])
    inertia, combined = np.linalg.eigh(rest.T @ Z.T @ M @ Z @ rest)
    X = np.hstack([Z @ nothing, Z @ rest @ combined[:, inertia <= NO_INERTIA]])
    if X.shape[1] == 0:
        return np.zeros(0, np.int64), np.zeros((0, len(M)))
    X = X / np.max(abs(X / packed.system.dof["q_scale"][:, None]), axis=0)
    body = packed.system.body[packed.system.dof["body"]]
    weight = np.where(body["mass"] > 0, OTHERS, 1.0)
    rates = independent_rates(packed, weight[:, None] * X)
    return rates.astype(np.int64), np.linalg.inv(X[rates]).T @ X.T


def with_gauge(packed: Packed, rates: np.ndarray, sizes: np.ndarray) -> Packed:
    """Return the packed model with a gauge at some rates, of the size of its inertias; see constraint/massless_rows.py."""
    scale = packed.system.dof["q_scale"]
    usual = (sizes / scale**2)[sizes > 0]
    gauge = np.zeros(len(scale))
    gauge[rates] = (np.median(usual) if len(usual) else 1.0) * scale[rates] ** 2
    return changed(packed, dof={"gauge": gauge})
