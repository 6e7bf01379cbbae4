"""All superelements of a model: their loads, mass matrices, tangents and energies in natural coordinates, added up.

Seeds: [ELL (6.5)], see superelement.py, superelement_loads.py and superelement_tangent.py.
"""

from ...codes import Status
from ..compile.jit import kernel
from .superelement import eval_frame_rates, find_frame
from .superelement_loads import (
    add_natural_loads_of,
    elastic_energy,
    eval_inertia_loads,
    eval_internal_loads,
    kinetic_energy,
    weight_energy,
)
from .superelement_tangent import add_superelement_matrix, eval_tangents


@kernel
def eval_superelement(sup, i, q, qd, qdd, g_w, warm, work) -> int:
    """Frame, rates and loads work.f, work.inertia of superelement i for natural q, qd, qdd (n_q,) and gravity g_w [m/s²]."""
    status = find_frame(sup, i, q, warm, work)
    if status == Status.OK.value:
        eval_frame_rates(sup, i, q, qd, work)
        eval_internal_loads(sup, i, g_w, work)
        eval_inertia_loads(sup, i, q, qdd, work)
    return status


@kernel
def add_superelement_loads(sup, q, qd, qdd, g_w, warm, out, fail, work) -> int:
    """Add M qdd + Q_v and what elasticity, damping and weight ask for to `out` (n_q,); `fail` names who has no frame."""
    for i in range(sup.element.shape[0]):
        status = eval_superelement(sup, i, q, qd, qdd, g_w, warm, work)
        if status != Status.OK.value:
            fail[0].superelement = i
            return status
        add_natural_loads_of(sup, i, q, work.f, out, work)
        add_natural_loads_of(sup, i, q, work.inertia, out, work)
    return Status.OK.value


@kernel
def add_superelement_masses(sup, q, warm, values, fail, work) -> int:
    """Add the natural mass matrices to the values of the pattern."""
    for i in range(sup.element.shape[0]):
        status = find_frame(sup, i, q, warm, work)
        if status != Status.OK.value:
            fail[0].superelement = i
            return status
        add_superelement_matrix(sup, i, q, q, q, 0.0, 0.0, 1.0, values, work)
    return Status.OK.value


@kernel
def add_superelement_tangents(sup, q, qd, qdd, g_w, cq, cv, cm, warm, values, fail, work) -> int:
    """Add the symmetric part of cq K + cv C + cm M to the values of the pattern: slopes of the loads, inertia included."""
    for i in range(sup.element.shape[0]):
        status = eval_superelement(sup, i, q, qd, qdd, g_w, warm, work)
        if status != Status.OK.value:
            fail[0].superelement = i
            return status
        eval_tangents(sup, i, work)
        add_superelement_matrix(sup, i, q, qd, qdd, cq, cv, cm, values, work)
    return Status.OK.value


@kernel
def superelement_energies(sup, q, qd, g_w, warm, fail, work):
    """Status, kinetic and elastic energy and potential of the weight [J] of all superelements."""
    kinetic, elastic, weight = 0.0, 0.0, 0.0
    for i in range(sup.element.shape[0]):
        status = find_frame(sup, i, q, warm, work)
        if status != Status.OK.value:
            fail[0].superelement = i
            return status, kinetic, elastic, weight
        eval_frame_rates(sup, i, q, qd, work)
        kinetic += kinetic_energy(sup, i, work)
        elastic += elastic_energy(sup, i, work)
        weight += weight_energy(sup, i, g_w, work)
    return Status.OK.value, kinetic, elastic, weight
