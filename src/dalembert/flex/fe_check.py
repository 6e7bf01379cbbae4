"""Checks of finite-element models: SI units, symmetric and semi-definite matrices, free of supports, one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, sparray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, SuperLU, eigsh, splu

from ..errors import Fault, ModelError
from ..model.values import Faults, shown
from .continuum import check_volumes
from .fe_model import FEModel

ACCURACY = 1e-6
"""Relative accuracy asked of foreign matrices: what files with seven digits keep."""
HEAVIEST = 23e3
"""No solid is denser than osmium, 22 590 kg/m³."""
LIGHTEST = 1e-6
"""Mass over the box around a body [kg/m³]: steel in t and mm has 1e-8, a spidery truss a thousand times this."""
LARGEST_PIECE, MASSIVE = 1e6, 1000.0
"""The largest pieces ever cast or forged weigh some 600 t [kg].  What is heavier is built of parts with air between: a bridge
or a ship has less than so much mass in the box around it [kg/m³]."""
THOROUGH_UP_TO = 20_000
"""Unknowns up to which the eigenvalues are looked at unasked."""
_NAMES = ("x", "y", "z", "rotation x", "rotation y", "rotation z")
EPS = float(np.finfo(float).eps)


def check_fe(fe: FEModel, *, mass: float | None = None, thorough: bool | None = None, where: str = "fe") -> None:
    """Refuse a finite-element model that cannot be reduced, with all that is wrong.

    Parameters
    ----------
    fe : FEModel
        To be checked.
    mass : float, optional
        What the body weighs [kg]; reveals wrong units, and confirms a mass that looks like them.
    thorough : bool, optional
        Whether to factorise the matrices (definite? more zero eigenvalues than rigid motions?); by default up to
        20 000 unknowns.
    where : str
        Stands in the error text.

    Raises
    ------
    ModelError
        With every fault found.
    """
    if not isinstance(fe, FEModel):
        raise ModelError([Fault(where, f"found {shown(fe)}, expected a finite-element model: what flex.box, plate, beam, "
                                       "read_mesh or matrices return")])
    faults = Faults()
    _check_shapes(faults, where, fe)
    if not faults:
        for name in ("stiffness", "mass"):
            check_symmetric(faults, f"{where}.{name}", getattr(fe, name))
    if not faults:
        _check_parts(faults, where, fe)
        _check_rigid(faults, where, fe)
        _check_mass(faults, where, fe, mass)
    if not faults and (fe.n_dof <= THOROUGH_UP_TO if thorough is None else thorough):
        _check_eigenvalues(faults, where, fe)
    if faults:
        raise ModelError(faults)
    if any(b.kind != "beam2" for b in fe.elements):
        check_volumes(fe.nodes, fe.elements, where)


def _check_shapes(faults: Faults, where: str, fe: FEModel) -> None:
    nodes = np.asarray(fe.nodes)
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not len(nodes) or not np.isfinite(nodes).all():
        faults.flag(where + ".nodes", f"found shape {nodes.shape}, expected (n, 3) finite positions [m]")
        return
    count = len(fe.dof_node)
    if len(fe.dof_direction) != count or not count:
        faults.flag(where + ".dof_direction", f"found {len(fe.dof_direction)}, expected as many as dof_node: {count}")
        return
    if fe.dof_node.min() < 0 or fe.dof_node.max() >= len(nodes):
        faults.flag(where + ".dof_node", f"found {fe.dof_node.min()} to {fe.dof_node.max()}, expected node numbers 0 to "
                    f"{len(nodes) - 1}")
    if not np.isin(fe.dof_direction, range(6)).all():
        faults.flag(where + ".dof_direction", "expected 0 to 5: displacements along x, y, z, rotations about x, y, z")
    if len(np.unique(np.column_stack([fe.dof_node, fe.dof_direction]), axis=0)) < count:
        faults.flag(where + ".dof_node", "two unknowns have the same node and direction, expected each once")
    for name in ("stiffness", "mass"):
        matrix = getattr(fe, name)
        if matrix.shape != (count, count):
            faults.flag(f"{where}.{name}", f"found shape {matrix.shape}, expected ({count}, {count})")
        elif not np.isfinite(matrix.data).all():
            faults.flag(f"{where}.{name}", "found entries that are not finite")


def stored_half(matrix: sparray) -> bool:
    """Return whether of every pair of entries (i, j), (j, i) off the diagonal only one is stored."""
    found = csr_array(matrix, copy=True)
    found.data = (found.data != 0).astype(float)
    both = found.multiply(found.T).sum()  # entries on the diagonal, and those that have a partner
    return bool(both < found.sum() and both == found.diagonal().sum())


def check_symmetric(faults: Faults, where: str, matrix: sparray) -> None:
    """Report if a matrix is not symmetric, or only half of one."""
    largest = abs(matrix).max() if matrix.nnz else 0.0
    if largest == 0:
        faults.flag(where, "the matrix is zero")
        return
    difference = abs(matrix - matrix.T).tocoo()
    worst = int(difference.data.argmax()) if difference.nnz else 0
    if difference.nnz and stored_half(matrix):
        faults.flag(where, "only one triangle is stored, expected both; mirror it: A + A.T - diag(A)")
        return
    if difference.nnz and difference.data[worst] > ACCURACY * largest:
        i, j = difference.row[worst], difference.col[worst]
        faults.flag(where, f"not symmetric: entries ({i}, {j}) and ({j}, {i}) differ by {difference.data[worst]:.3g}, "
                    f"largest entry {largest:.3g}; expected a symmetric matrix without gyroscopic or friction terms")


def _check_parts(faults: Faults, where: str, fe: FEModel) -> None:
    """Report loose nodes and separate parts."""
    bare = np.setdiff1d(np.arange(len(fe.nodes)), fe.dof_node)
    size = np.zeros(len(fe.nodes))
    np.add.at(size, fe.dof_node, abs(fe.stiffness).sum(axis=1))
    loose = np.setdiff1d(np.flatnonzero(size <= EPS * size.max()), bare)
    if loose.size:
        faults.flag(where + ".nodes", f"{_listed(loose, 'node')} no stiffness: loose, in no element; remove "
                    f"{'it' if loose.size == 1 else 'them'}")
    if bare.size:
        faults.flag(where + ".nodes", f"{_listed(bare, 'node')} no unknowns: clamped and eliminated, or loose; give "
                    "the free model with all nodes, or remove loose ones")
    belongs = csr_array((np.ones(fe.n_dof), (np.arange(fe.n_dof), fe.dof_node)), shape=(fe.n_dof, len(fe.nodes)))
    count, part = connected_components(belongs.T @ abs(fe.stiffness) @ belongs, directed=False)
    if not (loose.size or bare.size) and count > 1:
        sizes = ", ".join(map(str, np.bincount(part)[:8])) + (", …" if count > 8 else "")
        faults.flag(where, f"the mesh falls into {count} separate parts ({sizes} nodes), expected one connected body; "
                    "merge coincident nodes or give each part its own body")


def _listed(items: np.ndarray, what: str) -> str:
    shown = ", ".join(map(str, items[:8])) + (", …" if items.size > 8 else "")
    return f"{what} {shown} has" if items.size == 1 else f"{items.size} {what}s ({shown}) have"


def _check_rigid(faults: Faults, where: str, fe: FEModel) -> None:
    """Report if rigid motions cause forces, and what that points to."""
    modes = fe.rigid_modes(fe.nodes.mean(axis=0))
    force = np.abs(fe.stiffness @ modes)
    bound = ACCURACY * (abs(fe.stiffness) @ np.abs(modes)).max(axis=0)
    held = [c for c in range(6) if force[:, c].max(initial=0.0) > bound[c]]
    if not held:
        return
    motions = ", ".join(("translation " + _NAMES[c]) if c < 3 else _NAMES[c] for c in held)
    head = f"{len(held)} of {3 if fe.is_planar else 6} rigid motions cause forces ({motions}), expected none; "
    if any(c < 3 for c in held):
        c = next(c for c in held if c < 3)
        at = np.flatnonzero(force[:, c] > 1e-3 * force[:, c].max())
        places = ", ".join(f"node {fe.dof_node[i]} {_NAMES[fe.dof_direction[i]]}" for i in at[:6])
        faults.flag(where + ".stiffness", head + f"the model looks supported at {places}"
                    f"{', …' if at.size > 6 else ''} ({at.size} unknowns); give the free model without supports and "
                    "springs to ground, with no eliminated unknowns")
    elif (fe.dof_direction < 3).all():
        faults.flag(where + ".stiffness", head + "translations are free but rotations are not: rotations of beam or "
                    "shell nodes are missing from the matrices, or nodes and unknowns are in another order")
    else:
        faults.flag(where + ".stiffness", head + "translations are free but rotations are not: nodes are in another "
                    "unit of length than the matrices, in another order, or some rotations are missing")


def _check_mass(faults: Faults, where: str, fe: FEModel, expected: float | None) -> None:
    moved = np.diag(fe.rigid_mass)[:2 if fe.is_planar else 3]
    if not moved.min() > 0:
        faults.flag(where + ".mass", f"the body weighs {_three(moved)} kg along its directions, expected positive")
        return
    if np.ptp(moved) > ACCURACY * moved.max():
        faults.flag(where + ".mass", f"translations move different masses, {_three(moved)} kg, expected one mass; "
                    "some unknowns are eliminated or assigned to a wrong direction")
        return
    found = moved[0]
    if expected is not None and not 0.9 <= found / expected <= 1.1:
        faults.flag(where + ".mass", f"found {found:g} kg, expected {expected:g} kg: a factor {found / expected:.3g}; "
                    "convert to kg, m, s (from N, mm, t: mass and stiffness times 1000, lengths by 1000)")
    volume = float(np.prod(np.ptp(fe.nodes, axis=0)))
    solid = (fe.dof_direction < 3).all()  # beams and shells are thicker than the extent of their nodes
    if solid and volume > 0 and not LIGHTEST <= found / volume <= HEAVIEST:
        faults.flag(where + ".mass", f"{found:g} kg in a box of {volume:.3g} m³ are {found / volume:.3g} kg/m³, "
                    f"{'more' if found / volume > HEAVIEST else 'less'} than any material; convert nodes, material and "
                    "matrices to m, kg, s")
    elif solid and volume > 0 and expected is None and found > LARGEST_PIECE and found / volume > MASSIVE:
        size = " x ".join(f"{x:.4g}" for x in np.ptp(fe.nodes, axis=0))
        faults.flag(where + ".mass", f"{found:.4g} kg in a box of {size} m: no piece of that size is that massive; are the "
                    "nodes in millimetres? Scale them by 0.001, or confirm the mass with total_mass=")


def _three(values: np.ndarray) -> str:
    return ", ".join(f"{v:.6g}" for v in values)


def _check_eigenvalues(faults: Faults, where: str, fe: FEModel) -> None:
    """Report negative eigenvalues, and zero ones beyond the rigid motions."""
    k, m = fe.stiffness.diagonal(), fe.mass.diagonal()
    ratio = float((k[m > 0] / m[m > 0]).max())  # the size of the largest eigenvalue
    shift = 1e-10 * ratio
    factors = {}
    for name, matrix in (("stiffness", fe.stiffness + fe.mass * shift), ("mass", fe.mass + fe.stiffness * (1e-10 / ratio))):
        factors[name] = factor = _factor(csc_array(matrix))
        negative = 0 if factor is None else int((factor.U.diagonal() < 0).sum())  # Sylvester's inertia
        if negative:
            faults.flag(f"{where}.{name}", f"not positive semi-definite: {negative} negative eigenvalue"
                        f"{'s' * (negative > 1)}, expected none; a sign, a missing half or multiplier rows?")
    rigid = 3 if fe.is_planar else 6
    if faults or fe.n_dof <= rigid + 1:
        return
    if factors["stiffness"] is None or _lowest(fe, factors["stiffness"], shift, rigid + 1)[-1] <= 100 * EPS * ratio:
        faults.flag(where + ".stiffness", f"more than {rigid} zero eigenvalues, expected {rigid} rigid motions; parts are "
                    "joined by hinges only, or unknowns have no stiffness")


def _factor(matrix: csc_array) -> SuperLU | None:
    """Return the factors of a symmetric matrix with its pivots on the diagonal; None if it is exactly singular."""
    try:
        return splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return None


def _lowest(fe: FEModel, factor: SuperLU, shift: float, count: int) -> np.ndarray:
    """Return the lowest eigenvalues [1/s²], ascending."""
    inverse = LinearOperator(fe.stiffness.shape, matvec=factor.solve, dtype=float)
    start = np.random.default_rng(0).standard_normal(fe.n_dof)
    return np.sort(eigsh(fe.stiffness, k=count, M=fe.mass, sigma=-shift, OPinv=inverse, v0=start,
                         return_eigenvectors=False))


def check_interfaces(fe: FEModel, interfaces: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the node numbers of each interface; refuse empty, unknown and overlapping sets.

    Parameters
    ----------
    fe : FEModel
        The model.
    interfaces : mapping of str to str, int or (k,) int
        Name of the interface -> what `FEModel.node_set` reads.
    """
    faults = Faults()
    found: dict[str, np.ndarray] = {}
    for name, nodes in interfaces.items():
        try:
            found[name] = fe.node_set(nodes, f"interfaces.{name}")
        except ModelError as error:
            faults.flag(f"interfaces.{name}", error.faults[0].what.removeprefix(f"interfaces.{name}: "))
    names = list(found)
    for i, first in enumerate(names):
        for second in names[i + 1:]:
            common = np.intersect1d(found[first], found[second])
            if common.size:
                shared = f"{_listed(common, 'node').rsplit(' ', 1)[0]}"
                faults.flag(f"interfaces.{second}", f"shares {shared} with {first!r}, expected disjoint sets; leave "
                            "the common nodes out of one of them")
    if not interfaces:
        faults.flag("interfaces", "found none, expected one or more, such as {'hub': 'start'}")
    if faults:
        raise ModelError(faults)
    return found
