"""Shape functions and quadrature of the isoparametric elements, made from their nodes and monomials.

Reference elements: triangle and tetrahedron with unit edges from the origin, square and cube from -1 to 1, wedge =
triangle times -1..1.  Nodes are in the order of VTK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import numpy as np
from scipy.special import roots_jacobi

Rule = tuple[np.ndarray, np.ndarray]
"""Points (q, dim) and weights (q,)."""


@dataclass(frozen=True, eq=False)
class Shape:
    """One kind of element on its reference domain.

    Attributes
    ----------
    kind : str
        Its name, e.g. ``"h8"``.
    nodes : (k, dim) float
        Reference coordinates of its nodes.
    exponents : (k, dim) int
        Monomials that the shape functions are made of.
    rule, mass_rule : Rule
        Quadrature of the stiffness, and of the mass.
    linear : (j, dim) int
        Monomials that stresses at the points of `rule` are fitted by.
    """

    kind: str
    nodes: np.ndarray
    exponents: np.ndarray
    rule: Rule
    mass_rule: Rule
    linear: np.ndarray

    @property
    def dim(self) -> int:
        """2 for plane elements, 3 for solids."""
        out: int = self.nodes.shape[1]
        return out

    @cached_property
    def _coefficients(self) -> np.ndarray:
        return np.linalg.inv(_monomials(self.exponents, self.nodes))

    def values(self, points: np.ndarray) -> np.ndarray:
        """Return the shape functions (q, k) at reference `points` (q, dim)."""
        out: np.ndarray = _monomials(self.exponents, points) @ self._coefficients
        return out

    def gradients(self, points: np.ndarray) -> np.ndarray:
        """Return the derivatives (q, k, dim) by the reference coordinates."""
        parts = []
        for b in range(self.dim):
            lowered = self.exponents.copy()
            lowered[:, b] = np.maximum(lowered[:, b] - 1, 0)
            parts.append((_monomials(lowered, points) * self.exponents[:, b]) @ self._coefficients)
        return np.stack(parts, axis=-1)

    @cached_property
    def extrapolation(self) -> np.ndarray:
        """(k, q) float: least-squares fit of values at the points of `rule`, evaluated at the nodes."""
        return _monomials(self.linear, self.nodes) @ np.linalg.pinv(_monomials(self.linear, self.rule[0]))


def _monomials(exponents: np.ndarray, points: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.prod(points[:, None, :] ** exponents, axis=-1)
    return out


def gauss_rule(dim: int, n: int) -> Rule:
    """Return the tensor product of n Gauss points a direction on (-1, 1)^dim, exact to degree 2 n - 1 in each."""
    x, w = np.polynomial.legendre.leggauss(n)
    points = np.array(list(product(x, repeat=dim)))
    return points, np.prod(list(product(w, repeat=dim)), axis=1)


def simplex_rule(dim: int, n: int) -> Rule:
    """Return a collapsed product rule on the unit triangle or tetrahedron, exact to total degree 2 n - 1."""
    points, weights = np.zeros((1, 0)), np.ones(1)
    for level in range(dim):  # a cone over the simplex of one dimension less shrinks with (1 - x)^level
        x, w = roots_jacobi(n, level, 0)
        x, w = (1 + x) / 2, w / 2 ** (level + 1)
        points = np.vstack([np.column_stack([(1 - h) * points, np.full(len(points), h)]) for h in x])
        weights = np.concatenate([g * weights for g in w])
    return points, weights


def _symmetric_rule(dim: int) -> Rule:
    """Return the rule of dim + 1 equal weights, exact to total degree 2."""
    far, near = {2: (2 / 3, 1 / 6), 3: ((5 + 3 * 5**0.5) / 20, (5 - 5**0.5) / 20)}[dim]
    barycentric = np.full((dim + 1, dim + 1), near) + (far - near) * np.eye(dim + 1)
    return barycentric[:, 1:], np.full(dim + 1, 1 / (2 if dim == 2 else 6) / (dim + 1))


def _exponents(dim: int, top: int, keep: Callable[[Sequence[int]], bool]) -> np.ndarray:
    return np.array([e for e in product(range(top + 1), repeat=dim) if keep(e)])


def _with_middles(corners: np.ndarray, groups: Iterable[Sequence[int]]) -> np.ndarray:
    return np.vstack([corners, [corners[list(g)].mean(axis=0) for g in groups]])


_TRIANGLE = np.array([(0, 0), (1, 0), (0, 1)], dtype=float)
_SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float)
_TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
_CUBE = np.vstack([np.column_stack([_SQUARE, np.full(4, z)]) for z in (-1.0, 1.0)])
_WEDGE = np.vstack([np.column_stack([_TRIANGLE, np.full(3, z)]) for z in (-1.0, 1.0)])
EDGES = {
    "t6": ((0, 1), (1, 2), (2, 0)),
    "q8": ((0, 1), (1, 2), (2, 3), (3, 0)),
    "t10": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "h20": ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
}
"""Corners that the middle nodes of the quadratic kinds lie between."""
H27_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
"""Corners of the faces of h27 that have a node in their middle."""


def _any(e: Sequence[int]) -> bool:
    return True


def _multilinear(e: Sequence[int]) -> bool:
    return max(e) <= 1


def _serendipity(e: Sequence[int]) -> bool:
    return sum(i == 2 for i in e) <= 1


def _simplex(kind: str) -> Shape:
    corners = _TETRAHEDRON if kind in ("t4", "t10") else _TRIANGLE
    d = corners.shape[1]
    linear = _exponents(d, 1, lambda e: sum(e) <= 1)
    if kind in ("t3", "t4"):
        return Shape(kind, corners, linear, simplex_rule(d, 1), _symmetric_rule(d), np.zeros((1, d), dtype=int))
    return Shape(kind, _with_middles(corners, EDGES[kind]), _exponents(d, 2, lambda e: sum(e) <= 2),
                 _symmetric_rule(d), simplex_rule(d, 3), linear)


def _wedge(kind: str) -> Shape:
    linear = _exponents(3, 1, lambda e: e[0] + e[1] <= 1)
    rule, heights = _symmetric_rule(2), gauss_rule(1, 2)
    points = np.vstack([np.column_stack([rule[0], np.full(3, z)]) for z in heights[0][:, 0]])
    weights = np.concatenate([w * rule[1] for w in heights[1]])
    return Shape(kind, _WEDGE, linear, (points, weights), (points, weights), linear)


def _cube(kind: str) -> Shape:
    corners = _SQUARE if kind[0] == "q" else _CUBE
    d = corners.shape[1]
    n, keep, groups = {
        "q4": (2, _multilinear, ()), "h8": (2, _multilinear, ()),
        "q8": (3, _serendipity, EDGES["q8"]), "h20": (3, _serendipity, EDGES["h20"]),
        "q9": (3, _any, (*EDGES["q8"], range(4))), "h27": (3, _any, (*EDGES["h20"], *H27_FACES, range(8))),
    }[kind]
    nodes = _with_middles(corners, groups) if groups else corners
    return Shape(kind, nodes, _exponents(d, n - 1, keep), gauss_rule(d, n), gauss_rule(d, n),
                 _exponents(d, 1, _multilinear))


_MAKERS = {"t3": _simplex, "t6": _simplex, "t4": _simplex, "t10": _simplex, "w6": _wedge,
           "q4": _cube, "q8": _cube, "q9": _cube, "h8": _cube, "h20": _cube, "h27": _cube}
KINDS = tuple(_MAKERS)
"""Every isoparametric kind."""


@cache
def shape_of(kind: str) -> Shape:
    """Return the shape functions and quadrature of a kind of element."""
    return _MAKERS[kind](kind)
