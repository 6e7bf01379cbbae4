"""Tables of signals, controllers and switches, to be read beside kernels/tables.py."""

from typing import NamedTuple

import numpy as np

from ..compile.bundle import bundle
from ..compile.record import record

SIGNAL = record(
    ("code", "i8"),  # SignalCode
    ("index", "i8"),  # coordinate, rate or component
    ("body", "i8"),  # row of the body of a place
    ("u_b", "f8", 3),  # the place, the body's joint frame [m]
    ("R_b", "f8", 9),  # the place's axes -> joint frame
    ("factor", "f8"),  # sign of a coordinate of a joint that is written the other way round
)

CONTROLLER = record(
    ("signal", "i8"),  # first of its inputs
    ("signals", "i8"),
    ("held", "i8"),  # first of its outputs
    ("helds", "i8"),
    ("memory", "i8"),  # first of its memory
    ("memories", "i8"),
    ("address", "i8"),  # of void f(double t, double *inputs, double *memory, double *outputs)
    ("every", "f8"),  # time between two samples [s]; 0: continuous
    ("given", "i8"),  # 1 if some of its inputs are found outside of the kernels
)

SWITCH = record(
    ("signal", "i8"),  # first of its inputs
    ("signals", "i8"),
    ("value", "f8"),  # that the function, or its only input, crosses
    ("direction", "i8"),  # 1: upwards only, -1: downwards only, 0: both
    ("stop", "i8"),  # 1 if it ends the advance
    ("address", "i8"),  # of the function as above, with one output; 0: the input itself
)

CROSSING = record(
    ("switch", "i8"),
    ("t", "f8"),  # [s]
    ("direction", "i8"),  # 1: upwards, -1: downwards
)


@bundle
class Control(NamedTuple):
    """Signals, controllers and switches of a model: frozen tables."""

    signal: np.ndarray  # SIGNAL
    controller: np.ndarray  # CONTROLLER
    switch: np.ndarray  # SWITCH


@bundle
class ControlWork(NamedTuple):
    """Scratch and memory of controllers and switches."""

    inputs: np.ndarray  # (n_signal,)
    held: np.ndarray  # (n_held,) outputs, added to what force elements do by themselves
    memory: np.ndarray  # (n_memory,)
    due: np.ndarray  # (n_controller,) i8, 1 while a sample is to be taken by the next evaluation
    samples: np.ndarray  # (n_controller,) i8, samples taken
    running: np.ndarray  # (2,) i8: 1 while controllers act, 0 for outputs that stay as they are; 1 once inputs are given
    level: np.ndarray  # (3, n_switch) values of the switches at the beginning, within and at the end of a step
    crossing: np.ndarray  # (CROSSINGS + 2 LOOKS n_switch,) CROSSING
    outer: np.ndarray  # (n_body, 9) or (0, 9), from outside: moment, force, world axes [N m, N]; its place, joint frame [m]
    effort: np.ndarray  # (n_v,) or (0,): efforts from outside [N m, N]
    contact: np.ndarray  # (m, 4) normal force and friction, world axes, of the rows of contacts as they are now [N]


OUTER = 9
"""Numbers of a load from outside: moment, force, and the place of the force in the body, which carries it along."""
LOOKS = 4
"""Equal parts of a step at whose ends switches are looked at: as many crossings of each may be found."""
CROSSINGS = 30
"""Rows of `ControlWork.crossing` beside those of two steps."""


def no_control() -> Control:
    """Return empty tables."""
    return Control(np.zeros(0, SIGNAL), np.zeros(0, CONTROLLER), np.zeros(0, SWITCH))


def make_control_work(control: Control, n_held: int) -> ControlWork:
    """Allocate scratch; all outputs and memories are zero."""
    n_controller, n_memory = len(control.controller), int(np.sum(control.controller["memories"]))
    return ControlWork(np.zeros(len(control.signal)), np.zeros(n_held), np.zeros(n_memory), np.zeros(n_controller, np.int64),
                       np.zeros(n_controller, np.int64), np.zeros(2, np.int64), np.zeros((3, len(control.switch))),
                       np.zeros(CROSSINGS + 2 * LOOKS * len(control.switch), CROSSING), np.zeros((0, OUTER)), np.zeros(0),
                       np.zeros((0, 4)))
