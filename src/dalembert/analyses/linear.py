"""Linearisation about a state, and its modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..model.model import Model
from ..model.values import shown
from ..results.results import Results
from ..start.arguments import check_time
from ..start.closing import at_time
from ..start.constraints import Constraints
from ..start.control import idle_parts
from ..start.deformed import Starts
from ..start.formulations import Formulation
from ..start.initial import prepare_start
from ..start.massless import complete_frame
from ..start.reduction import Equations, jacobian_rates, reduced, spin_matrix
from ..start.start import Start
from ..system.names import rate_names
from ..system.pack import Packed
from .linearized import Linearized
from .settled import settled
from .swing import draw_mode, swing
from .whirl import Whirl, spins, whirl

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

INFINITE = 1e12
"""Eigenvalues beyond this, normalised by the pace, belong to directions without inertia and are left out."""
ROUNDING = 100 * np.finfo(float).eps
"""Error of a squared eigenvalue relative to the largest one; a mode that grows by less is not called unstable."""
LEAST_GROWTH = 1e-9
"""Negative damping ratio of a mode that swings, beyond its rounding, from which on it is called unstable: gyroscopic matrices
leave the real parts of frequencies to rounding, and a mode that grows by less needs 1e8 swings to be seen."""

PAIRED = 1e-2
"""Distance of an eigenvalue from the opposite of another one, relative to its size, up to which they are a pair."""


@dataclass(frozen=True)
class Eigenmodes:
    """Modes of a linearised model, sorted by frequency.

    Attributes
    ----------
    eigenvalues : (m,) complex
        One of each conjugate pair, real ones each by itself [1/s].
    frequencies : (m,) float
        |Im| / 2 pi [Hz]; 0 for a mode that does not swing.
    damping : (m,) float
        Damping ratio -Re/|eigenvalue|; nan for a zero eigenvalue, negative for a mode that grows (see `unstable`).
    shapes : (m, n) complex
        Largest component one, in the order of `names`.
    names : tuple of str
    linear : Linearized
        What the modes were found of.
    """

    eigenvalues: np.ndarray
    frequencies: np.ndarray
    damping: np.ndarray
    shapes: np.ndarray
    names: tuple[str, ...]
    linear: Linearized = field(repr=False)

    @property
    def unstable(self) -> np.ndarray:
        """(m,) bool, True for modes that grow: the real part of the eigenvalue is positive beyond rounding."""
        size = abs(self.eigenvalues)
        swings = np.where(self.eigenvalues.imag != 0, LEAST_GROWTH, 0.0) * size**2
        out: np.ndarray = self.eigenvalues.real * size > ROUNDING * np.max(size, initial=0.0) ** 2 + swings
        return out

    @property
    def _undecided(self) -> np.ndarray:
        """(m,) bool, True for modes whose growth and decay are made of rounding: zeros that split into a pair, free swings."""
        x = self.eigenvalues
        mirrored = np.any(abs(x[:, None] + x) <= PAIRED * abs(x), axis=0)
        free = np.where(x.imag != 0, abs(x.real) <= LEAST_GROWTH * abs(x), mirrored | (x.real >= 0.0))
        falling = np.any(abs(x[:, None] + x[self.unstable]) <= PAIRED * abs(x[:, None]), axis=1)  # of a fall, its opposite
        found: np.ndarray = free & ~self.unstable & ~falling
        return found

    @property
    def spins(self) -> dict[str, np.ndarray]:
        """Angular velocities (3,) [rad/s], world axes, of flexible bodies that turn: modes are given in their own axes."""
        return spins(self.linear)

    @property
    def messages(self) -> tuple[str, ...]:
        """What is to be known to read the frequencies."""
        speeds = {part: float(np.linalg.norm(w)) for part, w in self.spins.items()}
        idle = idle_parts(self.linear.begin.packed)
        return idle + tuple(f"{part!r} turns at {w:.5g} rad/s ({w / (2 * np.pi):.5g} Hz): frequencies are those seen in axes "
                            "that turn with it; whirl(model) gives those in fixed axes, forward and backward"
                            for part, w in speeds.items())

    def whirl(self, model: Model, part: str | None = None) -> Whirl:
        """Return frequencies of a turning flexible body in its own axes and in fixed ones, forward and backward.

        Parameters
        ----------
        model : Model
            That the modes were found of.
        part : str, optional
            A flexible body; by default the one that turns fastest.

        Returns
        -------
        Whirl
            Print it for a table.
        """
        return whirl(self.linear, self.frequencies, self.shapes, model, part)

    def swing(self, number: int, *, amplitude: float | None = None, frames: int = 25) -> Results:
        """Return one period of a mode as results, for animations: ``modes.swing(1).to_vtk("mode 1", m)``.

        Parameters
        ----------
        number : int
            Of the mode, from 1 by frequency.
        amplitude : float, optional
            Factor of its shape, whose largest component is one; by default places move by a tenth of the model's extent.
        frames : int
            Number of frames, the first and the last at the largest displacement.

        Returns
        -------
        Results
            The linearised state moved along the mode; loops close to first order in the amplitude.  Channels of rates and
            loads have no meaning.
        """
        i = self._index(number)
        return swing(self.linear, self.eigenvalues[i], self.shapes[i], amplitude, frames)

    def plot(self, model: Model, number: int, *, amplitude: float | None = None, ax: Axes3D | None = None,
             path: str | Path | None = None) -> Axes3D | Figure:
        """Draw a mode: flexible bodies coloured by displacement and rigid ones as lines, above the state they swing about.

        Parameters
        ----------
        model : Model
            That the modes were found of.
        number : int
            Of the mode, from 1 by frequency.
        amplitude : float, optional
            As for `swing`.
        ax : matplotlib Axes3D, optional
            Draw into this one.
        path : str or Path, optional
            Where to write the picture.

        Returns
        -------
        matplotlib Figure, or Axes3D if `ax` was given
        """
        i = self._index(number)
        title = f"mode {number}, {self.frequencies[i]:.4g} Hz"
        return draw_mode(self.linear, model, self.shapes[i], title, amplitude, ax, path)

    def _index(self, number: int) -> int:
        count = len(self.frequencies)
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 1 <= number <= count:
            raise ModelError(f"mode: found {shown(number)}, expected 1 to {count}: the modes that were found, by frequency")
        return int(number) - 1

    def __str__(self) -> str:
        lines = [f"{'mode':>4} {'frequency':>12} {'damping':>9} {'time const.':>12}  largest in"]
        undecided = self._undecided
        for i, (value, f, d) in enumerate(zip(self.eigenvalues, self.frequencies, self.damping, strict=True), 1):
            slow = f"{'-':>12}" if undecided[i - 1] or not value.real else f"{-1 / value.real:10.4g} s"
            d = np.nan if undecided[i - 1] and not f else d
            top = [self.names[k] for k in np.argsort(-abs(self.shapes[i - 1]))[:2]]
            ratio = f"{'-':>9}" if np.isnan(d) else f"{round(d, 4) + 0.0:9.4f}"
            ratio = f"{'unstable':>9}" if self.unstable[i - 1] else ratio
            lines.append(f"{i:4d} {f:9.5g} Hz {ratio} {slow}  {', '.join(top)}")
        return "\n".join([*lines, *self.messages])


def linearize_state(begin: Start, t: float | None = None) -> Linearized:
    """Linearise about a packed state, or about what it is at another time t [s]."""
    t = begin.t if t is None else t
    packed, equations = begin.packed, Equations(begin.packed)
    q, qd = at_time(begin, t)
    if begin.massless:
        q, qd, qdd, multipliers = complete_frame(packed, t, q, qd, begin.t)
    else:
        qdd, multipliers = equations.accelerations(t, q, qd)
    constraints = Constraints(packed)
    _refuse_moving_wheels(packed, constraints, qd)
    M, C, K = equations.matrices(t, q, qd, qdd, multipliers)
    W, Wd = spin_matrix(packed, qd), spin_matrix(packed, qdd)
    C, K = C - M @ W, K - C @ W - M @ Wd
    if len(packed.system.row):
        M, C, K, Z, rates = reduced(packed, (M, C, K), jacobian_rates(constraints, t, q, qd, qdd))
    else:
        rates = np.flatnonzero(packed.system.dof["drive"] < 0)
        M, C, K, Z = (*(A[np.ix_(rates, rates)] for A in (M, C, K)), np.eye(len(qd))[:, rates])
    names = rate_names(packed.layout)
    return Linearized(M, C, K, tuple(names[k] for k in rates), t, packed.layout, rates, Z, begin, q)


def _refuse_moving_wheels(packed: Packed, constraints: Constraints, qd: np.ndarray) -> None:
    """Rows that bind rates only leave positions and rates different freedoms, unless the mechanism stands still."""
    if np.any(qd) and not np.all(constraints.holonomic):
        owner = packed.layout.rows[int(np.argmin(constraints.holonomic))][0]
        raise ModelError(f"constraint {owner!r} binds rates only: M x'' + C x' + K x = 0 holds for small changes about a "
                         "state at rest, but the start moves. Leave out start rates and drives, or study the motion with run")


def linearize(model: Model, t: float = 0.0, *, start: Starts = None, start_rate: Mapping[str, Any] | None = None,
              formulation: str | Formulation = "auto") -> Linearized:
    """Linearise a model about its start; flexible bodies of trees are deformed as their motion asks for.

    Parameters
    ----------
    model : Model
    t : float
        Time [s] at which laws are taken.
    start, start_rate : mapping, optional
        Coordinates and rates by joint name; e.g. those of `static`: ``linearize(m, start=static(m))``.
    formulation : str or record
        ``"auto"``, ``"recursive"`` or ``"semi-recursive"``: flexible bodies vibrate in their floating frames.
        ``"interface"``: coordinates are the motions of their interfaces, about a state at rest; matrices are those assembled
        of all superelements.

    Returns
    -------
    Linearized
    """
    t = check_time(t)
    begin = prepare_start(model, start, start_rate, formulation)
    if begin.natural:
        raise ModelError("linearize: formulation 'global' has natural coordinates, more than there are motions; take "
                         "'interface' or 'auto'")
    if not begin.packed.has_superelements:
        begin = settled(begin, t)
    elif np.any(at_time(begin, t)[1]):
        raise ModelError("linearize: in formulation 'interface' flexible bodies are linearised about a state at rest, but the "
                         "start moves. Leave out start rates and drives' speeds, or take formulation 'auto'")
    return linearize_state(begin, t)


def eigenmodes(model: Model, t: float = 0.0, *, start: Starts = None, start_rate: Mapping[str, Any] | None = None,
               formulation: str | Formulation = "auto") -> Eigenmodes:
    """Frequencies [Hz], damping and shapes of small vibrations about the start; arguments as for `linearize`.

    Flexible bodies vibrate in their own axes: if these turn, so does the observer.  `Eigenmodes.messages` says so, and
    `Eigenmodes.whirl` gives the frequencies in fixed axes.
    """
    return modes_of(linearize(model, t, start=start, start_rate=start_rate, formulation=formulation))


def _normalised(linear: Linearized) -> tuple[np.ndarray, float, list[np.ndarray]]:
    """Return sizes of the coordinates (n,), a pace [1/s], and M, C, K normalised by both: units cost no digits."""
    size = linear.begin.packed.system.dof["q_scale"][linear.free]
    M, C, K = (size[:, None] * A * size for A in (linear.mass, linear.damping, linear.stiffness))
    m, c, k = (np.max(abs(A)) for A in (M, C, K))
    mass = m or 1.0
    pace = float(np.sqrt(k / mass) or c / mass or 1.0)
    return size, pace, [M / mass, C / (mass * pace), K / (mass * pace**2)]


def modes_of(linear: Linearized) -> Eigenmodes:
    """Modes of linearised equations of motion; the mass matrix may be singular."""
    from scipy.linalg import eig

    n = len(linear.names)
    if n == 0:
        empty = np.zeros(0)
        return Eigenmodes(empty.astype(complex), empty, empty, np.zeros((0, 0), complex), (), linear)
    zero, one = np.zeros((n, n)), np.eye(n)
    size, pace, (M, C, K) = _normalised(linear)
    values, vectors = eig(np.block([[zero, one], [-K, -C]]), np.block([[one, zero], [zero, M]]))
    keep = np.isfinite(values) & (abs(values) < INFINITE) & (values.imag >= 0)
    values, vectors = values[keep], size[:, None] * vectors[:n, keep]
    order = np.lexsort((values.real, np.round(abs(values.imag), 12), abs(values)))
    values, vectors = pace * values[order], vectors[:, order]
    largest = vectors[np.argmax(abs(vectors), axis=0), np.arange(vectors.shape[1])]
    shapes = (vectors / np.where(largest == 0, 1, largest)).T
    size = abs(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        damping = np.where(size > 0, -values.real / size, np.nan)
    return Eigenmodes(values, abs(values.imag) / (2 * np.pi), damping, shapes, linear.names, linear)
