"""Which formulations fit a model."""

from __future__ import annotations

from ..errors import MultibodyError
from ..model.check import check
from ..model.model import Model
from ..topology.span import Plan, span
from .formulations import BY_NAME, choose_formulation, of_tree
from .initial import prepare_start
from .massless import check_inertia


def formulations(model: Model, why: bool = False) -> list[str] | dict[str, str | None]:
    """Return the names of the formulations that can run a model from its start.

    Parameters
    ----------
    model : Model
    why : bool
        Answer for all formulations, with the reasons.

    Returns
    -------
    list of str, or with `why` a dict
        The dict maps every name to None if it runs, else to the reason why not.
    """
    plan = span(check(model))
    reasons = {name: _reason(model, name, plan) for name in BY_NAME}
    return reasons if why else [name for name, reason in reasons.items() if reason is None]


def _reason(model: Model, name: str, plan: Plan) -> str | None:
    """Why a formulation cannot begin a run, or None."""
    if name == "interface" and not plan.model.flexibles:
        return f"the model has no flexible bodies; it is the same as {of_tree(plan).name!r}"
    try:
        choose_formulation(name, plan)
        begin = prepare_start(model, formulation=name)
        check_inertia(begin)
    except MultibodyError as error:
        return str(error)
    if begin.formulation.name != name:
        return f"{begin.formulation.name} takes its place: {begin.messages[-1]}"
    return None
