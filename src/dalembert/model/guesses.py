"""A start that may move: where the search for an assembled position begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Guess:
    """A start that is not to be kept; made by `guess`."""

    value: Any


def guess(value: Any) -> Guess:
    """Return a start that says where to look for the assembled position, and is not kept for its own sake.

    A plain start is kept where the constraints allow, and a message says if it had to move.  A guess only decides which of
    several positions is found: elbow up or down.  Where nothing has to be closed, in a tree, it is the start.

    Parameters
    ----------
    value : float or sequence
        What a joint's `start` takes [rad, m], also texts such as ``"20 deg"``.

    Returns
    -------
    Guess
        For ``start=`` of a joint, or for ``start={"elbow": guess(0.3)}`` of a run; ``{guess: 0.3}`` in a model text.

    Examples
    --------
    >>> guess(0.3)
    Guess(value=0.3)
    """
    return Guess(value)
