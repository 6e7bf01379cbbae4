"""Rows of tables: structured types whose fields read as attributes, with and without the compiler."""

import numpy as np


def record(*fields) -> np.dtype:
    """Return the type of a row with the given fields (name, type, shape)."""
    return np.dtype((np.record, list(fields)))
