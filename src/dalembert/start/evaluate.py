"""Tables of frames: bodies, loads and energies from coordinates, rates and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..codes import Status
from ..kernels.evaluate import eval_accelerations
from ..kernels.linked_work import make_linked_work
from ..kernels.measure import measure_frames
from ..kernels.measure_interface import measure_interface_frames
from ..kernels.tables import Work
from ..results.events import EventRecord
from ..results.provenance import provenance
from ..results.results import Results
from ..results.stats import Stats
from ..results.tables import frame_shapes
from ..system.pack import Packed
from ..system.reverse import swap, swap_efforts
from .contacts import contact_table, group_table
from .multipliers import complete_multipliers
from .natural import measure_natural, solve_frames
from .outer import loaded_work, no_loads
from .sharing import share_reactions
from .status import error_of

Kind = TypeVar("Kind", bound=Results)


def evaluate_frames(packed: Packed, t: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                    multiplier: np.ndarray | None = None, loads: np.ndarray | None = None) -> dict[str, np.ndarray]:
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
    out["group"] = group_table(packed, q, qd, loads)
    multiplier = complete_multipliers(packed, t, q, qd, multiplier, loads)
    if packed.has_superelements and packed.tree:
        out["body"] = measure_natural(packed, t, q, qd, qdd, multiplier, loads, out)
        _finish(packed, t, q, out)
        return out
    body = np.zeros((n, packed.system.body.shape[0], 19))
    work = loaded_work(packed, loads)
    point = np.zeros((n, len(packed.recovered), 19))
    tables = out["reaction"], out["effort"], out["element"], out["system"]
    if packed.has_superelements:
        status = measure_interface_frames(packed.system, t, q, qd, qdd, multiplier, loads, body, point, *tables, work)
    else:
        status = measure_frames(packed.system, t, q, qd, qdd, multiplier, loads, body, *tables, work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, float(t[0]) if n else 0.0, 0.0)
    _finish(packed, t, q, out)
    out["body"] = body if body.shape[1] == len(packed.body_rows) else body[:, packed.body_rows]
    out["body"][:, packed.recovered] = point
    return out


def _finish(packed: Packed, t: np.ndarray, q: np.ndarray, out: dict[str, np.ndarray]) -> None:
    """Share what redundant constraints carry, and give efforts on the user's rates, in place."""
    share_reactions(packed, t, q, out["reaction"], out["effort"])
    swap_efforts(packed.layout, q, out["effort"])


def solve_state(packed: Packed, t: float, q: np.ndarray, qd: np.ndarray, work: Work | None = None) -> np.ndarray:
    """Return the accelerations (n_v,) of a state in tree coordinates; drives are set in place."""
    if packed.has_superelements and packed.tree:
        out: np.ndarray = solve_frames(packed, np.array([t]), q[None], qd[None], no_loads(packed, 1))[0]
        return out
    qdd, work = np.zeros(packed.layout.n_v), work or make_linked_work(packed.system)
    status = eval_accelerations(packed.system, t, q, qd, qdd, np.zeros_like(qdd), work)
    if status != Status.OK:
        raise error_of(status, packed, work.fail, t, 0.0)
    return qdd


def make_results(packed: Packed, formulation: str, frames: Mapping[str, ArrayLike], *, messages: Sequence[str] = (),
                 stats: Stats | None = None, status: str = "ok", events: Sequence[EventRecord] = (),
                 kind: Callable[..., Kind] = Results,  # type: ignore[assignment]  # mypy knows no defaults of type variables
                 **method: Any) -> Kind:
    """Results of frames in tree coordinates (a dict of t, q, qd, qdd, and multiplier where a run has found them)."""
    arrays = {name: np.array(a, float) for name, a in frames.items()}
    multiplier, loads = arrays.pop("multiplier", None), arrays.pop("loads", None)
    swap(packed.layout, arrays["q"], arrays["qd"], arrays["qdd"])
    return kind(arrays, packed.layout,
                evaluate=lambda t, q, qd, qdd: evaluate_frames(packed, t, q, qd, qdd, multiplier, loads),
                stats=stats or Stats(), messages=messages, status=status, events=events, model=packed.plan.model.source,
                provenance=provenance(model=packed.plan.model.text, formulation=formulation, **method))
