"""Tables of frames: bodies, loads and energies from coordinates, rates and accelerations."""

from __future__ import annotations

import numpy as np

from ..codes import Status
from ..kernels.evaluate import eval_accelerations
from ..kernels.linked_work import make_linked_work
from ..kernels.measure import measure_frames
from ..kernels.tables import Work
from ..results.provenance import provenance
from ..results.results import Results
from ..results.stats import Stats
from ..results.tables import frame_shapes
from ..system.pack import Packed
from ..system.reverse import swap, swap_efforts
from .contacts import contact_table
from .natural import measure_natural, solve_frames
from .outer import loaded_work, no_loads
from .sharing import share_reactions
from .status import error_of


def evaluate_frames(packed: Packed, t, q, qd, qdd, multiplier=None, loads=None) -> dict[str, np.ndarray]:
    """Return the tables of frames given in the user's coordinates: body, reaction, effort, element, system, held.

    `multiplier` (nf, m) holds what the constraints carry; where it is nan or left out, it is found from the states.
    `loads` (nf, n) are outputs of controllers and loads from outside, start/outer.py; none if they are left out.
    """
    t, q, qd, qdd = (np.array(a, float, order="C") for a in (t, q, qd, qdd))
    swap(packed.layout, q, qd, qdd)
    n, shapes = len(t), frame_shapes(packed.layout)
    out = {name: np.zeros((n, *shapes[name])) for name in ("reaction", "effort", "element", "system")}
    loads = no_loads(packed, n) if loads is None else loads
    out["held"] = loads[:, :shapes["held"][0]]
    out["contact"] = contact_table(packed, q, qd, loads)
    if packed.has_superelements:
        out["body"] = measure_natural(packed, t, q, qd, qdd, loads, out)
        _finish(packed, t, q, out)
        return out
    body = np.zeros((n, packed.system.body.shape[0], 19))
    work = loaded_work(packed, loads)
    if multiplier is None:
        multiplier = np.full((n, len(packed.system.row)), np.nan)
    status = measure_frames(packed.system, t, q, qd, qdd, multiplier, loads, body, out["reaction"], out["effort"],
                            out["element"], out["system"], work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(t[0]) if n else 0.0, 0.0)
    _finish(packed, t, q, out)
    out["body"] = body if body.shape[1] == len(packed.body_rows) else body[:, packed.body_rows]
    return out


def _finish(packed: Packed, t: np.ndarray, q: np.ndarray, out: dict[str, np.ndarray]) -> None:
    """Share what redundant constraints carry, and tell efforts on the user's rates, in place."""
    share_reactions(packed, t, q, out["reaction"], out["effort"])
    swap_efforts(packed.layout, q, out["effort"])


def solve_state(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, work: Work | None = None) -> np.ndarray:
    """Return the accelerations (n_v,) of a state in tree coordinates; drives are set in place."""
    if packed.has_superelements:
        return solve_frames(packed, np.array([t]), q[None], qd[None], no_loads(packed, 1))[0]
    qdd, work = np.zeros(packed.layout.n_v), work or make_linked_work(packed.system)
    status = eval_accelerations(packed.system, t, q, qd, qdd, np.zeros_like(qdd), work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, t, 0.0)
    return qdd


def refresh_accelerations(packed: Packed, frames: dict[str, np.ndarray]) -> None:
    """Replace the accelerations of frames of a model with superelements by those that the equations give, in place.

    The loads of superelements are told by accelerations that are found with the frames, and those of bodies have to fit.
    """
    frames["qdd"][:] = solve_frames(packed, frames["t"], frames["q"], frames["qd"], frames["loads"])


def make_results(packed: Packed, formulation: str, frames, *, messages=(), stats=None, status="ok", kind=Results,
                 events=(), **method) -> Results:
    """Results of frames in tree coordinates (a dict of t, q, qd, qdd, and multiplier where a run has found them)."""
    frames = {name: np.array(a, float) for name, a in frames.items()}
    multiplier, loads = frames.pop("multiplier", None), frames.pop("loads", None)
    swap(packed.layout, frames["q"], frames["qd"], frames["qdd"])
    return kind(frames, packed.layout, evaluate=lambda *f: evaluate_frames(packed, *f, multiplier, loads),
                stats=stats or Stats(), messages=messages, status=status, events=events,
                provenance=provenance(model=packed.plan.model.text, formulation=formulation, **method))
