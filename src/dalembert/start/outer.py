"""Loads that act on a model beside its own: outputs of controllers, and loads from outside on bodies and rates."""

from __future__ import annotations

import numpy as np

from ..kernels.control.tables import OUTER
from ..kernels.linked_work import make_linked_work
from ..kernels.tables import Work
from ..system.pack import Packed


def with_outer(packed: Packed, work: Work) -> Work:
    """Return scratch that takes loads from outside on all bodies and rates; they are zero."""
    n_body, n_v = len(packed.system.body), len(packed.system.dof)
    control = work.control._replace(outer=np.zeros((n_body, OUTER)), effort=np.zeros(n_v))
    return work._replace(control=control)


def with_contacts(packed: Packed, work: Work) -> Work:
    """Return scratch that takes loads from outside and the forces of contacts and groups."""
    work = with_outer(packed, work)
    channels = len(packed.contacts.row) + len(packed.crowd.group)
    return work._replace(control=work.control._replace(contact=np.zeros((channels, 4))))


def loaded_work(packed: Packed, loads: np.ndarray) -> Work:
    """Return scratch for frames whose loads (nf, n) were recorded, with room for those from outside and of contacts."""
    work = make_linked_work(packed.system)
    if loads.shape[1] <= len(work.control.held):
        return work
    return with_contacts(packed, work) if packed.touching else with_outer(packed, work)


def load_width(work: Work) -> int:
    """Return how many numbers the loads of a frame take."""
    control = work.control
    return len(control.held) + control.outer.size + len(control.effort) + control.contact.size


def no_loads(packed: Packed, n: int) -> np.ndarray:
    """Return the loads of n frames of a model that nothing acts on from outside, and whose controllers give nothing."""
    return np.zeros((n, 1 + int(np.max(packed.system.force["held"], initial=-1))))


def place_loads(packed: Packed, outer: np.ndarray, wrenches: np.ndarray, points: np.ndarray | None) -> None:
    """Write loads on the bodies of the layout into `outer` (n_rows, OUTER), with their places in the kernels' frames.

    `wrenches` (n_bodies, 6) are forces and moments, world axes, `points` (n_bodies, 3) where the forces act, users' frames.
    """
    rows = packed.body_rows
    body = packed.system.body[rows]
    outer[rows, :3], outer[rows, 3:6], outer[rows, 6:] = wrenches[:, 3:], wrenches[:, :3], body["u_b"]
    if points is not None:
        outer[rows, 6:] += np.einsum("iab,ib->ia", body["R_bu"].reshape(-1, 3, 3), np.asarray(points, float))
