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
from ..compile.calls import NUMBER, by_address_in
from ..compile.record import record
from ..contact.tables import Contacts, ContactState
from ..crowd.tables import Crowd, CrowdState
from ..modular.tables import Modular
from .past import Past
from .radau_stages import Stages
from .stage import Tangent


@by_address_in("method", "functions")
def call_begin(sys, opt, method, flow, t1: NUMBER, work) -> int:
    """First accelerations and first step of a state that was given."""


@by_address_in("method", "functions")
def call_attempt(sys, opt, method, flow, t1: NUMBER, work) -> int:
    """One step to t1."""


@by_address_in("method", "functions")
def call_shorten(sys, opt, method, flow, t1: NUMBER, work) -> int:
    """A shorter step after one to t1 that failed."""


@by_address_in("method", "functions")
def call_keep(sys, opt, method, flow, t1: NUMBER, work) -> int:
    """Memory and length of the next step after one to t1 that was accepted."""


CALLS = (call_begin, call_attempt, call_shorten, call_keep)

FUNCTIONS = record(*((call.slot, "i8") for call in CALLS))
"""Addresses of the functions of a method."""


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

    functions: np.ndarray  # (1,) FUNCTIONS
    tableau: Tableau
    coefficients: np.ndarray  # (1,) or (0,) COEFFICIENTS of simultaneous stages
    tangent: Tangent
    stages: Stages
    past: Past
    contacts: Contacts
    contact: ContactState
    crowd: Crowd
    crowd_state: CrowdState
    modular: Modular
