"""From element matrices to sparse matrices: one pattern of node blocks, then sums per entry of the block."""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_array, csr_array, eye_array, kron


class NodePattern:
    """Where the element matrices of one connectivity add up.

    Parameters
    ----------
    connectivity : (m, k) int
        Nodes of each element.
    n_nodes : int
        Number of nodes of the model.
    """

    def __init__(self, connectivity: np.ndarray, n_nodes: int):
        self.shape = connectivity.shape
        self.n_nodes = n_nodes
        k = connectivity.shape[1]
        rows = np.repeat(connectivity, k, axis=1).astype(np.int64)
        keys, self._target = np.unique((rows * n_nodes + np.tile(connectivity, (1, k))).ravel(), return_inverse=True)
        self._columns = (keys % n_nodes).astype(np.int32)
        self._starts = np.searchsorted(keys, np.arange(n_nodes + 1) * n_nodes).astype(np.int32)

    def assembled(self, matrices: np.ndarray) -> csr_array:
        """Return the sum of element matrices.

        Parameters
        ----------
        matrices : (u, k d, k d) float
            Symmetric, for d unknowns per node, node by node; of every element, or of the first u, repeated by all that
            follow.

        Returns
        -------
        (n d, n d) csr_array
            Symmetric to the last digit.
        """
        m, k = self.shape
        d = matrices.shape[1] // k
        blocks = matrices.reshape(len(matrices), k, d, k, d)
        data = np.empty((len(self._columns), d, d))
        for a in range(d):
            for b in range(d):
                entry = blocks[:, :, a, :, b].reshape(len(matrices), k * k)
                entry = np.tile(entry, (m // len(matrices), 1)) if len(matrices) < m else entry
                data[:, a, b] = np.bincount(self._target, weights=entry.ravel(), minlength=len(data))
        total = csr_array(bsr_array((data, self._columns, self._starts), shape=(self.n_nodes * d, self.n_nodes * d)))
        total.eliminate_zeros()
        return csr_array((total + total.T) * 0.5)

    def assembled_alike(self, matrices: np.ndarray, width: int) -> csr_array:
        """Return the sum of element matrices (u, k, k) that act alike and apart on each of `width` unknowns per node."""
        return csr_array(kron(self.assembled(matrices), eye_array(width), format="csr"))


def element_vectors(connectivity: np.ndarray, width: int, u: np.ndarray) -> np.ndarray:
    """Return the unknowns (m, k width, c) of each element from those of the model (n width, c)."""
    nodal = u.reshape(-1, width, u.shape[1])
    out: np.ndarray = nodal[connectivity].reshape(len(connectivity), -1, u.shape[1])
    return out
