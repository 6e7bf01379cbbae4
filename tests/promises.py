"""What the package promises, in numbers of the tests' own: a tolerance of the code under test would follow its faults."""

ASSEMBLED = 1e-11
"""Loops of an assembled start are open by at most this part of a size, and rates by this part of a rate."""
PROJECTED = 1e-13
"""Likewise after the projection of an explicit step."""
PROJECTED_RATES = 1e-10
"""Relative gap of rates after it."""
CLOSED_GUESS = 0.01
"""Part of the gap that one implicit step opens, (w h)²/4, that its closing leaves."""
FIXED_ACCURACY = 5e-9
"""Error of the solution of the implicit equations of a fixed step, see `run`; they are solved to a fiftieth of it."""
SOLVED_SHARE = 0.02
DEFAULT_ACCURACY = 1e-6
"""Tolerated local error of a free step, see `run`."""
LAW_STEP = 1e-6
"""Relative step over which laws of state are differentiated: their slopes are good to rounding over it."""
JACOBIAN_STEP = 2e-3
"""Relative step over which Jacobians are differentiated twice, by a formula of fourth order."""
SAME_SHAPE = 1e-8
"""Part by which the displacements of a body that is said to be symmetric may break the symmetry."""
