"""What a run cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stats:
    """Counts and times of a run.

    Attributes
    ----------
    steps, rejected : int
        Steps that were taken, and steps that were tried and repeated smaller.
    iterations, factorizations, evaluations : int
        Newton iterations, factorized tangents, evaluations of the equations of motion.
    seconds : float
        Wall-clock time of the time loop [s].
    smallest_step, largest_step : float
        Of the steps taken [s].
    unknowns, multipliers : int
        Coordinates, driven ones left out, and constraints' multipliers that the equations of motion are written in.
    """

    steps: int = 0
    rejected: int = 0
    iterations: int = 0
    factorizations: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    smallest_step: float = 0.0
    largest_step: float = 0.0
    unknowns: int = 0
    multipliers: int = 0

    def __str__(self) -> str:
        parts = [f"{self.steps} steps"]
        if self.rejected:
            parts.append(f"{self.rejected} rejected")
        if self.steps:
            parts.append(f"step {_span(self.smallest_step, self.largest_step)} s")
        if self.iterations:
            parts.append(f"{self.iterations} iterations")
        if self.factorizations:
            parts.append(f"{self.factorizations} factorizations")
        if self.evaluations:
            parts.append(f"{self.evaluations} evaluations")
        return ", ".join(parts) + f" in {self.seconds:.3g} s"


def _span(low: float, high: float) -> str:
    """Return one number, or two where they differ visibly."""
    return f"{high:.3g}" if high - low <= 1e-9 * high else f"{low:.3g} to {high:.3g}"
