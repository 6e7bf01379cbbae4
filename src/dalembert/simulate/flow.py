"""The state of a run as the time loop takes it, and the sizes of coordinates and rates that an accuracy refers to."""

from __future__ import annotations

import numpy as np

from ..codes import DriveCode, FormCode, RowCode
from ..kernels.flex.superelement_tables import Superelements
from ..kernels.step.flow import PROGRESS, Flow
from ..kernels.tables import System
from ..start.arguments import RunOptions
from ..start.initial import Start
from ..start.massless import make_settling
from ..start.natural import NaturalStart, natural_slack
from ..system.columns import frame_columns, mode_columns
from ..system.extent import length_scale

NEVER = 1e300
"""A time that does not come [s]."""
ANY_SIZE = 1e300
"""Scale of driven coordinates and rates: they are exact and take no part in the error control."""


def make_flow(system: System, begin: Start, state: Start | NaturalStart, options: RunOptions) -> Flow:
    """Return the first state of a run."""
    n_q, n_v = len(state.q), len(state.qd)
    progress = np.zeros(1, PROGRESS)
    progress[0].t = progress[0].t_begin = progress[0].t_last = begin.t
    progress[0].t_end = options.until
    progress[0].h_smallest = np.inf
    progress[0].error_last = 1e-4
    progress[0].stop_at = NEVER

    def q() -> np.ndarray:
        return np.zeros(n_q)

    def v() -> np.ndarray:
        return np.zeros(n_v)

    q_scale, qd_scale = _scales(system, n_q, begin)
    slack, motions = begin.slack, begin.motions
    if begin.natural:
        slack, motions = natural_slack(begin.packed, begin.q, begin.motions, n_v), np.zeros((begin.massless, n_v))
    return Flow(progress, state.q.copy(), state.qd.copy(), v(), q(), v(), v(), q(), v(), v(), q(), v(),
                np.zeros((8, n_q)), np.zeros((8, n_v)), np.zeros((4, n_v)), v(), q_scale, qd_scale, v(), slack.copy(),
                _turning_rates(system, n_v), begin.massless_rates.copy(), motions.copy(), make_settling(begin.massless, n_v))


def _scales(system: System, n_q: int, begin: Start) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of coordinates and rates that an accuracy refers to."""
    if system.constants[0].form == FormCode.GLOBAL:
        lengths = system.row["size"][system.row["code"] == RowCode.POSITION]
        length = float(lengths[0]) if len(lengths) else length_scale(begin.packed.plan.model)
        scale = np.ones(n_q)
        scale[frame_columns(system)[:, :3]] = length
        scale[mode_columns(system)] = length * _modal_sizes(system.sup)
        return scale, scale.copy()
    q_scale = np.ones(n_q)
    q_scale[system.pair["q"]] = system.dof["q_scale"][system.pair["v"]]
    qd_scale = system.dof["qd_scale"].copy()
    qd_scale[system.drive["v"]] = ANY_SIZE
    q_scale[system.drive["q"][system.drive["code"] == DriveCode.POSITION]] = ANY_SIZE
    return q_scale, qd_scale


def _modal_sizes(sup: Superelements) -> np.ndarray:
    """Modal coordinates of superelements, with unit modal mass, that move their mass by one in the mean [sqrt(kg)]."""
    return np.repeat(np.sqrt(sup.constant[sup.element["rigid"]]), sup.element["n_mode"])


def _turning_rates(system: System, n_v: int) -> np.ndarray:
    turning = np.zeros(n_v, np.int64)
    for c in range(3):
        turning[system.quaternion["v"] + c] = 1
    return turning
