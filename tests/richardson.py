"""Extrapolation of second-order results to the limit, with the doubt that is left."""

import numpy as np


def extrapolated(coarse, middle, fine):
    """Return the limit of results of meshes n, 2 n, 4 n with an error of order n⁻², and how far it may be off.

    The doubt is what the last refinement changed in the extrapolation, an error of a higher order.
    """
    first, last = ((4 * np.asarray(b) - np.asarray(a)) / 3 for a, b in ((coarse, middle), (middle, fine)))
    return last, float(np.max(np.abs(last - first)))
