"""Symbolic analysis of sparse symmetric matrices: an order of the unknowns that keeps the factor sparse, and its pattern."""

from __future__ import annotations

import heapq

import numpy as np

from ..kernels.sparse import Pattern, fill_pattern, find_parents


def build_pattern(n: int, i: np.ndarray, j: np.ndarray, group: np.ndarray) -> tuple[Pattern, np.ndarray]:
    """Analyse the symmetric matrix (n, n) that has entries at the pairs (i, j) and on the diagonal.

    Parameters
    ----------
    n : int
        Number of unknowns.
    i, j : (p,) int
        Pairs of unknowns, in any order and with repetitions; a negative one belongs nowhere.
    group : (n,) int
        Unknowns of the same group stay together in the order, e.g. those of a body.

    Returns
    -------
    Pattern
    place : (p,) int
        Where each pair lies in `Factors.A`; the last place for pairs that belong nowhere.
    """
    i, j = np.asarray(i, np.int64), np.asarray(j, np.int64)
    real = (i >= 0) & (j >= 0)
    order = _minimum_degree(n, i[real], j[real], np.asarray(group, np.int64))
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    low, high = position[i[real]], position[j[real]]
    low, high = np.minimum(low, high), np.maximum(low, high)
    keys = np.unique(np.concatenate([high * n + low, np.arange(n) * (n + 1)]))
    A_row = keys % n
    A_first = np.searchsorted(keys, np.arange(n + 1) * n)
    place = np.full(len(i), len(keys), np.int64)
    place[real] = np.searchsorted(keys, high * n + low)
    diagonal = A_first[position + 1] - 1
    return Pattern(order, diagonal, A_first, A_row, *_factor_pattern(n, A_first, A_row)), place


def _factor_pattern(n: int, A_first: np.ndarray, A_row: np.ndarray) -> tuple[np.ndarray, ...]:
    parent, count, mark = (np.zeros(n, np.int64) for _ in range(3))
    find_parents(A_first, A_row, parent, count, mark)
    L_first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    L_row, meet, meet_first = np.zeros(L_first[-1], np.int64), np.zeros(L_first[-1], np.int64), np.zeros(n + 1, np.int64)
    fill_pattern(A_first, A_row, parent, L_first, L_row, meet_first, meet, mark, np.zeros(n, np.int64),
                 np.zeros(n, np.int64))
    return L_first, L_row, meet_first, meet


def _minimum_degree(n: int, i: np.ndarray, j: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Order of the unknowns: groups with few unknowns around them first, on the graph of groups."""
    names, group = np.unique(group, return_inverse=True)
    size = np.bincount(group, minlength=len(names))
    edges = np.unique(group[i] * len(names) + group[j])
    around: list[set[int]] = [set() for _ in names]
    for a, b in zip((edges // max(len(names), 1)).tolist(), (edges % max(len(names), 1)).tolist(), strict=True):
        if a != b:
            around[a].add(b)
            around[b].add(a)
    weight = size.tolist()
    degree = [sum(weight[b] for b in near) for near in around]
    heap = [(d, g) for g, d in enumerate(degree)]
    heapq.heapify(heap)
    done, groups = [False] * len(names), []
    while heap:
        d, g = heapq.heappop(heap)
        if done[g] or d != degree[g]:
            continue
        done[g] = True
        groups.append(g)
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
