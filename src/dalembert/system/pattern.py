"""Symbolic analysis of sparse symmetric matrices: an order of the unknowns that keeps the factor sparse, and its nodes.

Groups of unknowns (those of a body) are ordered by minimum degree, then so that a node follows its last child in the
elimination tree, and nodes are joined with the one they end in where that adds few zeros.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from ..kernels.algebra.sparse import Pattern

ZEROS = 0.2
"""Share of a panel that may be zeros for the sake of fewer nodes."""
SMALL_PANEL = 64
"""Numbers of a panel up to which any number of zeros is welcome."""


@dataclass
class Node:
    """Unknowns that are eliminated together: places first to end - 1 of the order, and the later ones that they meet."""

    first: int
    end: int
    rows: np.ndarray  # sorted places in the order
    filled: int  # numbers of the factor that need not be zero

    @property
    def size(self) -> int:
        """Numbers of the factor."""
        w = self.end - self.first
        return w * (w + 1) // 2 + w * len(self.rows)


def build_pattern(n: int, i: np.ndarray, j: np.ndarray, group: np.ndarray) -> tuple[Pattern, np.ndarray]:
    """Analyse the symmetric matrix (n, n) that has entries at the pairs (i, j) and on the diagonal.

    Parameters
    ----------
    n : int
        Number of unknowns.
    i, j : (p,) int
        Pairs of unknowns, in any order and with repetitions; a negative one belongs nowhere.
    group : (n,) int
        Unknowns of the same group are eliminated together, e.g. those of a body.

    Returns
    -------
    Pattern
    place : (p,) int
        Where each pair lies in `Factors.A`; the last place for pairs that belong nowhere.
    """
    i, j, group = (np.asarray(a, np.int64) for a in (i, j, group))
    real = (i >= 0) & (j >= 0)
    order = _minimum_degree(n, i[real], j[real], group)
    nodes = _eliminate(n, _columns(n, order, i[real], j[real]), _runs(group[order]))
    order = order[_children_first(nodes)]
    columns = _columns(n, order, i[real], j[real])
    nodes = _join(_eliminate(n, columns, _runs(group[order])))
    pattern, keys, places = _lay_panels(n, order, nodes)
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    low, high = np.minimum(position[i[real]], position[j[real]]), np.maximum(position[i[real]], position[j[real]])
    place = np.full(len(i), 4 * pattern.panel[-1], np.int64)
    place[real] = places[np.searchsorted(keys, low * n + high)]
    return pattern, place


def _columns(n: int, order: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First entry of each column of the ordered lower triangle without its diagonal (n + 1,), and the rows."""
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    low, high = np.minimum(position[i], position[j]), np.maximum(position[i], position[j])
    keys = np.unique((low * n + high)[low < high])
    return np.searchsorted(keys, np.arange(n + 1) * n), keys % n if n else keys


def _runs(group: np.ndarray) -> np.ndarray:
    """Where runs of equal groups begin, and the end."""
    return np.concatenate([np.flatnonzero(np.diff(group, prepend=-1)), [len(group)]]).astype(np.int64)


def _eliminate(n: int, columns: tuple[np.ndarray, np.ndarray], bounds: np.ndarray) -> list[Node]:
    """Rows of each node: those of its own columns, and those that its children in the elimination tree hand on."""
    column_first, row = columns
    owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    handed: list[list[np.ndarray]] = [[] for _ in bounds[1:]]
    nodes = []
    for s, (first, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        rows = np.unique(np.concatenate([row[column_first[first]:column_first[end]], *handed[s]]))
        rows = rows[rows >= end]
        if len(rows):
            handed[owner[rows[0]]].append(rows)
        handed[s] = []
        nodes.append(Node(first, end, rows, 0))
        nodes[-1].filled = nodes[-1].size
    return nodes


def _children_first(nodes: list[Node]) -> np.ndarray:
    """Order of the unknowns in which every node comes right after its last child and their whole subtrees before."""
    owner = np.repeat(np.arange(len(nodes)), [node.end - node.first for node in nodes])
    children: list[list[int]] = [[] for _ in nodes]
    todo: list[int] = []
    for s, node in enumerate(nodes):
        (children[owner[node.rows[0]]] if len(node.rows) else todo).append(s)
    found: list[np.ndarray] = [np.zeros(0, np.int64)]
    while todo:
        s = todo.pop()
        found.append(np.arange(nodes[s].first, nodes[s].end)[::-1])
        todo += children[s]
    return np.concatenate(found)[::-1]


def _join(nodes: list[Node]) -> list[Node]:
    """Join nodes with the next one where that is the first they meet and few zeros arise."""
    joined: list[Node] = []
    for own in nodes:
        node = own
        while joined and len(joined[-1].rows) and joined[-1].rows[0] < node.end:
            last = joined[-1]
            both = Node(last.first, node.end, node.rows, last.filled + node.filled)
            if both.size > SMALL_PANEL and both.size - both.filled > ZEROS * both.size:
                break
            joined.pop()
            node = both
        joined.append(node)
    return joined


def _lay_panels(n: int, order: np.ndarray, nodes: list[Node]) -> tuple[Pattern, np.ndarray, np.ndarray]:
    """Lay out the panels; returns the pattern, and the pairs (low n + high) of the order, sorted, with their places."""
    first = np.array([node.first for node in nodes] + [n], np.int64)
    width, rows = np.diff(first), [node.rows for node in nodes]
    count = np.array([len(r) for r in rows], np.int64)
    stride = (width + count + 3) // 4
    panel = np.concatenate([[0], np.cumsum(width * stride)])
    keys, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for s, node in enumerate(nodes):
        column = np.arange(width[s])
        all_rows = np.concatenate([node.first + column, node.rows])
        keys.append(((node.first + column)[:, None] * n + all_rows).ravel())
        places.append((4 * (panel[s] + column * stride[s])[:, None] + np.arange(len(all_rows))).ravel())
    key, place = np.concatenate(keys), np.concatenate(places)
    by_key = np.argsort(key, kind="stable")
    key, place = key[by_key], place[by_key]
    wanted = [np.zeros(0, np.int64)]
    for r in rows:
        low, high = np.triu_indices(len(r))
        wanted.append(r[low] * n + r[high])
    target = place[np.searchsorted(key, np.concatenate(wanted))] if len(key) else place
    diagonal = np.empty(n, np.int64)
    diagonal[order] = place[np.searchsorted(key, np.arange(n) * (n + 1))] if n else place
    row_first = np.concatenate([[0], np.cumsum(count)])
    below = np.concatenate([np.zeros(0, np.int64), *rows])
    return Pattern(order, diagonal, first, panel, stride, row_first, below, target), key, place


def entries_of(pattern: Pattern) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the two unknowns and the place in `Factors.A` of every entry, each pair once."""
    found = [np.zeros((3, 0), np.int64)]
    for s, first in enumerate(pattern.first[:-1]):
        own = np.arange(first, pattern.first[s + 1])
        rows = np.concatenate([own, pattern.row[pattern.row_first[s]:pattern.row_first[s + 1]]])
        column, below = np.nonzero(np.arange(len(rows)) >= np.arange(len(own))[:, None])
        place = 4 * (pattern.panel[s] + column * pattern.stride[s]) + below
        found.append(np.stack([pattern.order[rows[below]], pattern.order[own[column]], place]))
    i, j, place = np.concatenate(found, axis=1)
    return i, j, place


def _minimum_degree(n: int, i: np.ndarray, j: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Order of the unknowns: groups with few unknowns around them first, on the graph of groups."""
    names, group = np.unique(group, return_inverse=True)
    size = np.bincount(group, minlength=len(names))
    low, high = np.minimum(group[i], group[j]), np.maximum(group[i], group[j])
    edges = np.unique((low * len(names) + high)[low < high])
    if 2 * len(edges) == len(names) * (len(names) - 1):  # all meet each other, as the rates of a chain do
        return np.argsort(np.argsort(-size, kind="stable").argsort()[group], kind="stable").astype(np.int64)
    around: list[set[int]] = [set() for _ in names]
    for a, b in zip((edges // max(len(names), 1)).tolist(), (edges % max(len(names), 1)).tolist(), strict=True):
        around[a].add(b)
        around[b].add(a)
    weight = size.tolist()
    degree = [sum(weight[b] for b in near) for near in around]
    heap = [(d, g) for g, d in enumerate(degree)]
    heapq.heapify(heap)
    done, groups, left = [False] * len(names), [], sum(weight)
    while heap:
        d, g = heapq.heappop(heap)
        if done[g] or d != degree[g]:
            continue
        if d == left - weight[g]:  # all that are left meet each other
            groups += sorted((g for g in range(len(names)) if not done[g]), key=lambda g: -weight[g])
            break
        done[g] = True
        groups.append(g)
        left -= weight[g]
        near = around[g]
        for b in near:
            around[b] |= near
            around[b] -= {b, g}
            degree[b] = sum(weight[c] for c in around[b])
            heapq.heappush(heap, (degree[b], b))
        around[g] = set()
    rank = np.empty(len(names), np.int64)
    rank[groups] = np.arange(len(names))
    return np.argsort(rank[group], kind="stable").astype(np.int64)
