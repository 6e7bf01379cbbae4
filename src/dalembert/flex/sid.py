"""Standard Input Data: the constants of a floating body by their standard names (Wallrapp 1994).

    mdCM = s(q),  J = J(q),  Ct, Cr as in `invariants`,  Me, Ke, De modal matrices
    Gr[:, 3l..3l+2] = J1_l - Cr_l~ ,  Ge[:, 3k..3k+2] = (G_a - G_a')[:, k],  Oe by w products xx yy zz xy yz xz

First-order terms: mdCM by Ct, J by J1, Cr by G, Oe by -J2; geometric stiffening adds to Ct, Cr, Oe and to phi, psi of the
nodes.  J2 is no part of the standard: it is found again from Oe if the file has no geometric stiffening, and left out
of the inertia otherwise (its part in the elastic equation stays, in Oe).

Seeds: [HEL §2] Standard Input Data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError
from ..formats.sid import SidFile, Taylor, read_sid_file, write_sid_file
from .body_point import BodyPoint
from .floating import FloatingBody
from .invariants import EPSILON, PRODUCTS, Inertia
from .stiffening import Stiffening

if TYPE_CHECKING:
    from .reduced_body import ReducedBody

_FREQUENCY = re.compile(r"([-+0-9.eEdD]+)\s*Hz", re.IGNORECASE)


def write_sid(body: ReducedBody | FloatingBody, path: str | PathLike[str], *, frame: Any = None,
              stiffening: bool | None = None, dialect: str = "row-mode-column") -> None:
    """Write a flexible body as Standard Input Data.

    Parameters
    ----------
    body : ReducedBody or FloatingBody
        What is written.
    path : str or path
        The file, by custom ``*.SID_FEM``; overwritten if it exists.
    frame : str or pair of str, optional
        Floating frame of a reduced body: an interface, two for the chord, or ``"mean-axis"``; the first interface if
        not given.
    stiffening : bool, optional
        Whether to write geometric stiffening; by default where the model allows.
    dialect : {"row-mode-column", "row-column-mode"}
        Order of the indices of first-order terms.

    Notes
    -----
    Interfaces and points become nodes of the same names; positions count from the origin of the frame.
    """
    write_sid_file(sid_of(body.floating(frame, stiffening=stiffening)), path, dialect)


def read_sid(path: str | PathLike[str], dialect: str = "auto") -> FloatingBody:
    """Read a flexible body from Standard Input Data.

    Parameters
    ----------
    path : str or path
        The file.
    dialect : {"auto", "row-mode-column", "row-column-mode"}
        Order of the indices of first-order terms; ``"auto"`` decides by the sizes.

    Returns
    -------
    FloatingBody
        With the file's nodes as places.
    """
    return body_of(read_sid_file(path, dialect), fspath(path))


def sid_of(body: FloatingBody) -> SidFile:
    """Return the Standard Input Data of a floating body."""
    c, n, geo = body.constants, body.n, body.stiffening
    zero = np.zeros((3, n, n))
    translation, rotation = (zero, zero) if geo is None else (geo.translation, geo.rotation)
    blocks = {
        "mdCM": Taylor(c.first_moment[:, None], c.translation.T[:, :, None]),
        "J": Taylor(c.inertia, c.inertia_slope.transpose(1, 0, 2)),
        "Ct": Taylor(c.translation, None if geo is None else translation.transpose(1, 2, 0)),
        "Cr": Taylor(c.rotation, (c.gyroscopic + rotation).transpose(1, 2, 0)),
        "Me": Taylor(c.modal_mass),
        "Gr": Taylor(body.rate_coupling.transpose(1, 0, 2).reshape(3, 3 * n)),
        "Ge": Taylor((c.gyroscopic - c.gyroscopic.transpose(0, 2, 1)).transpose(1, 2, 0).reshape(n, 3 * n)),
        "Oe": Taylor(body.centrifugal_load, body.centrifugal_stiffness.transpose(1, 2, 0)),
        "ksigma": Taylor(body.initial_load[:, None]),
        "Ke": Taylor(body.stiffness),
        "De": Taylor(body.damping),
    }
    modes = tuple(f"{name} : {f:.17g} Hz" for name, f in zip(body.names, body.frequencies, strict=True))
    nodes = {name: _node_blocks(place, None if geo is None else (geo.force[name], geo.torque[name]))
             for name, place in body.places.items()}
    return SidFile(f"dalembert, frame {body.frame}, Geo_Stiff= {'no' if geo is None else 'yes'}", c.mass, modes, nodes,
                   blocks)


def _node_blocks(place: BodyPoint, geo: tuple[np.ndarray, np.ndarray] | None) -> dict[str, Taylor]:
    """Return the blocks of a node; forces do work on phi q, and their stiffening is on the other side."""
    turned = np.einsum("ijk,jq,kc->iqc", EPSILON, place.rotation, place.orientation)  # psi_q x axes
    first = (None, None) if geo is None else tuple(-k.transpose(0, 2, 1) for k in geo)
    return {"origin": Taylor(place.position[:, None], place.displacement[:, :, None]),
            "phi": Taylor(place.displacement, first[0]), "psi": Taylor(place.rotation, first[1]),
            "AP": Taylor(place.orientation, turned)}


def body_of(sid: SidFile, file: str = "sid") -> FloatingBody:
    """Return the floating body that Standard Input Data describe."""
    n = len(sid.modes)
    _check_sizes(sid, file)
    b = sid.blocks
    geo = _stiffening(sid, n)
    rotation_rate = _first(b["Cr"], n).transpose(2, 0, 1)
    gyroscopic = rotation_rate if rotation_rate.any() else b["Ge"].m0.reshape(n, n, 3).transpose(2, 0, 1) / 2
    if geo is not None:  # the symmetric part belongs to the stiffening
        gyroscopic = (gyroscopic - gyroscopic.transpose(0, 2, 1)) / 2
    curvature = np.zeros((n, n, 3, 3))
    oe1 = _first(b["Oe"], n).transpose(2, 0, 1)
    if geo is None:
        for matrix, (i, j) in zip(oe1, PRODUCTS, strict=True):
            curvature[:, :, i, j] = curvature[:, :, j, i] = -matrix if i == j else -matrix / 2
    inertia = _symmetric(b["J"].m0)
    constants = Inertia(sid.mass, b["mdCM"].m0[:, 0], inertia, b["Ct"].m0, b["Cr"].m0,
                        gyroscopic, _symmetric(_first(b["J"], n).transpose(1, 0, 2)), curvature, _symmetric(b["Me"].m0))
    damping = b["De"].m0 if "De" in b else np.zeros((n, n))
    load = b["ksigma"].m0[:, 0] if "ksigma" in b else np.zeros(n)
    return FloatingBody("of the file", np.zeros(3), *_stated_modes(sid, b), constants, _symmetric(b["Ke"].m0), damping,
                        {name: _place(node) for name, node in sid.nodes.items()}, load, geo)


def _check_sizes(sid: SidFile, file: str) -> None:
    """Refuse blocks whose size does not fit the number of modes."""
    n = len(sid.modes)
    sizes = {"mdCM": (3, 1), "J": (3, 3), "Ct": (n, 3), "Cr": (n, 3), "Me": (n, n), "Gr": (3, 3 * n), "Ge": (n, 3 * n),
             "Oe": (n, 6), "ksigma": (n, 1), "Ke": (n, n), "De": (n, n)}
    node_sizes = {"origin": (3, 1), "phi": (3, n), "psi": (3, n), "AP": (3, 3)}
    found = [(f"{k}", b, sizes[k]) for k, b in sid.blocks.items()]
    found += [(f"node {name}, {k}", b, node_sizes[k]) for name, node in sid.nodes.items() for k, b in node.items()
              if k in node_sizes]
    for name, block, expected in found:
        if block.m0.shape != expected:
            raise FormatError(f"{file}: {name}: found {block.m0.shape[0]} by {block.m0.shape[1]}, expected "
                              f"{expected[0]} by {expected[1]} for {n} modes")


def _stiffening(sid: SidFile, n: int) -> Stiffening | None:
    """Return the geometric stiffening in first-order terms, None if there is none.

    Cr has an antisymmetric part of its own (G); Oe holds its whole first-order term here.
    """
    translation = _first(sid.blocks["Ct"], n).transpose(2, 0, 1)
    rotation = _first(sid.blocks["Cr"], n).transpose(2, 0, 1)
    rotation = (rotation + rotation.transpose(0, 2, 1)) / 2
    force = {name: -_first(node["phi"], n).transpose(0, 2, 1) for name, node in sid.nodes.items()}
    torque = {name: -_first(node["psi"], n).transpose(0, 2, 1) for name, node in sid.nodes.items()}
    spin = _first(sid.blocks["Oe"], n).transpose(2, 0, 1)
    stated = re.search(r"Geo_?Stiff\w*\s*=\s*(\w+)", sid.comment, re.IGNORECASE)
    if stated is None or stated[1].lower() not in ("yes", "no"):
        some = any(a.any() for a in (translation, *force.values(), *torque.values()))
    else:
        some = stated[1].lower() == "yes"
    return Stiffening(translation, rotation, spin, force, torque) if some else None


def _stated_modes(sid: SidFile, blocks: Mapping[str, Taylor]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return names and frequencies [Hz] of the elastic coordinates; from the matrices where the text has none."""
    stated = [_FREQUENCY.search(text) for text in sid.modes]
    ratio = np.diag(blocks["Ke"].m0) / np.diag(blocks["Me"].m0)
    found = [float(m[1].upper().replace("D", "E")) if m else np.sqrt(max(r, 0.0)) / (2 * np.pi)
             for m, r in zip(stated, ratio, strict=True)]
    return tuple(text.rpartition(":")[0].strip() or text.strip() for text in sid.modes), np.array(found)


def _place(node: dict[str, Taylor]) -> BodyPoint:
    axes = node["AP"].m0 if "AP" in node else np.eye(3)
    return BodyPoint(node["origin"].m0[:, 0], axes, node["phi"].m0, node["psi"].m0)


def _first(block: Taylor, n: int) -> np.ndarray:
    """Return the first-order term (rows, n, columns), zero where there is none."""
    return np.zeros((block.m0.shape[0], n, block.m0.shape[1])) if block.m1 is None else block.m1


def _symmetric(a: np.ndarray) -> np.ndarray:
    out: np.ndarray = (a + a.swapaxes(-1, -2)) / 2
    return out
