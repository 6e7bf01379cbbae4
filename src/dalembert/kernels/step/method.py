"""What all methods of time integration have in common: four functions of one signature, called by their addresses.

A method keeps to this contract, so that the time loop (loop.py) is written once and only the method in use is loaded:
    begin      first accelerations and first step of a state that was given;
    attempt    one step from (t, q, qd, qdd) to t1 into q_new, qd_new, qdd_new and its local error, `progress.error`;
    shorten    choose a shorter step after a failure (`progress.failure`) or an error that is not tolerated;
    keep       what is remembered of a step that was accepted, and the length of the next one.
Each returns a status; anything but OK ends the call of the loop, with two exceptions: what `may_shorten` lists, after an
attempt of variable length.
"""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from .radau_stages import Stages
from .stage import Tangent

BEGIN, ATTEMPT, SHORTEN, KEEP = 0, 1, 2, 3
"""Places in `Method.functions`."""


@bundle
class Tableau(NamedTuple):
    """Coefficients of a Runge-Kutta method with s stages."""

    a: np.ndarray  # (s, s) lower triangular
    b: np.ndarray  # (s,)
    c: np.ndarray  # (s,)
    e: np.ndarray  # (s + 1,) error weights of the stages and of the new state's rates


@bundle
class Method(NamedTuple):
    """A method: its functions, its coefficients and its memory; what it does not need is empty."""

    functions: np.ndarray  # (4,) i8, addresses in the order of the places above
    tableau: Tableau
    coefficients: np.ndarray  # (1,) or (0,) COEFFICIENTS of simultaneous stages
    tangent: Tangent
    stages: Stages
