"""Compile all kernels now, so that no later run has to."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.algebra.sparse import factor_sparse
from ..kernels.compile.jit import prepare
from ..kernels.constraint.rows import eval_jacobian
from ..kernels.contact.measure import measure_gaps
from ..kernels.contact.tables import no_contacts
from ..kernels.crowd.measure import measure_lowest
from ..kernels.crowd.tables import make_crowd_state, no_crowd
from ..kernels.evaluate import eval_accelerations, eval_loaded_residual, eval_residual
from ..kernels.force.laws import eval_law
from ..kernels.linearize import eval_matrices
from ..kernels.linked_work import (
    add_step_tangent,
    eval_constraints,
    eval_gaps,
    eval_mass,
    eval_needed,
    eval_row_frames,
    link_entries,
)
from ..kernels.measure import measure_frames, restore_loads
from ..kernels.measure_interface import measure_interface_frames
from ..kernels.measure_superelements import measure_natural_frames, solve_natural_frames
from ..kernels.missing_multipliers import find_multipliers, find_natural_multipliers
from ..kernels.natural.coordinates import natural_state_of_joint
from ..kernels.natural.joints import joint_frames_of_natural
from ..kernels.step.dense_output import state_between
from ..kernels.tables import make_work
from ..kernels.tree.balance import check_tree_balance
from ..kernels.tree.inverse import eval_body_accelerations, eval_mass_matrix
from ..kernels.tree.kinematics import eval_motion, eval_places
from ..kernels.tree.rank import eval_massless_motion, eval_products, list_massless
from ..kernels.tree.state import eval_coordinate_rates, eval_drives, move, normalise, rates_of_coordinates
from ..kernels.tree.tangent import eval_variation
from ..model.model import Model
from ..start.arguments import RunOptions
from ..start.at_state import entries_at_state, make_reader
from ..start.initial import prepare_start
from ..start.massless import completion_entry
from .integrators import DORMAND_PRINCE, Bdf, Driven, GeneralizedAlpha, Radau
from .loop import Loop
from .methods import COMPONENTS, EVENT_DRIVEN, FIXED, IMPULSES, SPRUNG, method_arguments


def entries() -> list[tuple[Any, tuple[Any, ...]]]:
    """Every kernel that Python calls, with arguments of the types it will get.

    A test compares this list with the kernels that modules import; another one runs all analyses after `warm`.
    """
    begin = prepare_start(Model("no bodies"))
    system, work = begin.packed.system, make_work(begin.packed.system)
    q, qd, block, cube = begin.q, begin.qd, np.zeros((1, 0)), np.zeros((1, 1, 1))
    options = RunOptions(1.0, None, 1e-6, "auto", "auto", None)
    methods = (DORMAND_PRINCE, GeneralizedAlpha(), Radau(), Bdf(), Driven())
    loops = [Loop(begin, method, options, np.zeros(1)) for method in methods]
    return [
        *(entry for loop in loops for entry in loop.entries()),
        *((kernel, method_arguments(system, loops[0].opt, loops[0].method, loops[0].flow, loops[0].work))
          for kernels in (COMPONENTS, EVENT_DRIVEN, FIXED, SPRUNG, IMPULSES) for kernel in kernels),
        (measure_lowest, (system, no_crowd(), make_crowd_state(no_crowd(), 0, 0), block, block, block, work)),
        (measure_gaps, (system, no_contacts(), block, block, block, work)),
        (measure_frames, (system, np.zeros(1), block, block, block, block, block, cube, cube, block, cube, block,
                          work)),
        (measure_natural_frames, (system, system, np.zeros(1), block, block, block, block, block, cube, cube, cube, block,
                                  cube, block, work, work)),
        (measure_interface_frames, (system, np.zeros(1), block, block, block, block, block, cube, cube, cube, block, cube,
                                    block, work)),
        (find_multipliers, (system, np.zeros(1), block, block, block, block, work)),
        (find_natural_multipliers, (system, system, np.zeros(1), block, block, block, block, work, work)),
        (solve_natural_frames, (system, system, np.zeros(1), block, block, block, block, work, work)),
        (restore_loads, (np.zeros(1), work)),
        (state_between, (system, loops[0].flow, 0.0, qd, work)),
        completion_entry(begin.packed),
        (eval_accelerations, (system, 0.0, q, qd, qd, qd, work)),
        (eval_residual, (system, 0.0, q, qd, qd, qd, qd, work)),
        (check_tree_balance, (system, 0.0, q, qd, qd, work)),
        (eval_loaded_residual, (system, 0.0, q, qd, qd, qd, qd, work)),
        (eval_jacobian, (system, q, work)),
        (eval_variation, (system, 0.0, q, qd, qd, qd, qd, qd, qd, work)),
        (eval_matrices, (system, 0.0, q, qd, qd, qd, block, block, block, work)),
        (eval_motion, (system, q, qd, work)),
        (eval_places, (system, qd, work)),
        (eval_body_accelerations, (system, qd, work)),
        (natural_state_of_joint, (system, q, q, q, work)),
        (joint_frames_of_natural, (system, block, block, block, block, block, block, block, work)),
        (factor_sparse, (system.pattern, work.factors)),
        (eval_mass_matrix, (system, block, work)),
        (eval_law, (system, 0, 0.0, 0.0, 0.0, 0)),
        (eval_drives, (system, 0.0, q, qd, qd)),
        (move, (system, q, qd, q)),
        (normalise, (system, q)),
        (eval_coordinate_rates, (system, q, qd, q)),
        (rates_of_coordinates, (system, q, q, qd)),
        (list_massless, (system, work, np.zeros(1, np.int64))),
        (eval_massless_motion, (system, 0, qd, work)),
        (eval_products, (system, 0.0, q, qd, qd, qd, qd, qd, work)),
        (link_entries, (system, work)),
        (eval_gaps, (system, 0.0, q, qd, work)),
        (eval_constraints, (system, 0.0, q, qd, work)),
        (eval_row_frames, (system, np.zeros(1), block, qd, cube, block, cube, cube, cube, cube, work)),
        (eval_needed, (system, 0.0, q, qd, qd, qd, 0, qd, work)),
        (eval_mass, (system, q, work)),
        (add_step_tangent, (system, 0.0, q, qd, qd, qd, 1.0, 1.0, work)),
        *entries_at_state(system, make_reader(begin.packed), work).values(),
    ]


def warm() -> int:
    """Compile (or load) all kernels and return their number."""
    found = entries()
    prepare(found)
    return len(found)
