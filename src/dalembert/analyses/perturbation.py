"""Small masses and inertias, stiff springs and bushings: leave them out, and what that changes.

A light body on stiff springs swings fast, and an error-controlled integrator follows it.  Singular perturbation theory
[ARN (1)-(6)] takes the limit instead: `neglected` makes the reduced model, `perturbation_report` says whether it pays.  Small
masses are the parameter of (1), stiff potentials that of (4), which become joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from ..errors import ConvergenceError, Fault, ModelError, MultibodyError, SingularError, near_names
from ..model.check import check
from ..model.model import Model
from ..results.panels import write_figure
from ..start.deformed import Equilibrium, Starts
from .linear import eigenmodes, linearize, modes_of
from .linearized import Linearized
from .mode_changes import gain, lost, moves, rings
from .static import static
from .stiff_elements import elastic_elements, made_rigid
from .trial import step_rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAME = 0.02
"""Relative change up to which a mode counts as unchanged."""
ZERO = (0.0, 0.0, 0.0)


def neglected(model: Model, parts: str | Iterable[str], *, inertia: bool = True, mass: bool = True) -> Model:
    """Return a copy of the model in which the named bodies have no mass and no inertia, and named springs do not give.

    Points and joints stay, so that what is attached to the bodies is carried on as before.  Springs and bushings become
    joints and constraints of the same name that hold them where they are unloaded: a spring between points a `Distance`, a
    joint spring a `Motion` at its rest, a bushing the joint that holds its stiff directions.

    Parameters
    ----------
    model : Model
    parts : str or sequence of str
        Names of bodies, springs and bushings.
    inertia, mass : bool
        False keeps the inertia about the centre of mass, or the mass.

    Returns
    -------
    Model
        The reduced model; `run` takes an implicit integrator for it.

    Raises
    ------
    ModelError
        If there is no such part, or no joint for what a bushing holds.

    Examples
    --------
    >>> from dalembert.model.parts import Body, Prismatic
    >>> m = Model("cart").add(Body("wheel", mass=1e-3), Prismatic("way", "ground", "wheel"))
    >>> neglected(m, ["wheel"])["wheel"].mass
    0.0
    """
    names = [parts] if isinstance(parts, str) else list(parts)
    elastic = elastic_elements(model)
    known = [*(body.name for body in model.bodies), *elastic]
    faults = [Fault("neglect", f"no body, spring or bushing {name!r}.{near_names(str(name), known)}")
              for name in names if name not in known]
    if faults:
        raise ModelError(faults, str(model.name))
    changes = {**({"mass": 0.0} if mass else {}), **({"inertia": ZERO} if inertia else {})}
    for name in names:
        model = made_rigid(model, name) if name in elastic else model.replaced(name, **changes)
    return model.replaced()


def neglect(model: Model, bodies: str | Iterable[str], inertia: bool = True, mass: bool = True) -> Model:
    """Return a copy of a model without some small masses or the compliance of some springs; the former name of `neglected`.

    .. deprecated:: 0.1
    """
    warn("dal.neglect(model, parts) is called dal.neglected(model, parts) now", DeprecationWarning, stacklevel=2)
    return neglected(model, bodies, inertia=inertia, mass=mass)


@dataclass(frozen=True)
class Neglect:
    """What happens if some small bodies, or the compliance of some stiff springs, are neglected.

    Attributes
    ----------
    bodies : tuple of str
        Names of the bodies, springs and bushings.
    what : str
        ``"mass and inertia"``, ``"mass"``, ``"inertia"`` or ``"compliance"``; several are joined by commas.
    mass, inertia : float
        Of the body [kg], largest moment about its centre of mass [kg m²]; sums for several bodies.
    mass_ratio, inertia_ratio : float
        The same relative to the largest mass of the model, and to the largest moment of a body about its origin or of
        all that a joint carries about its axis.
    possible : bool
        True if the reduced model has an equation for every direction.
    reason : str
        Why not, otherwise empty.
    eigenvalues : (m,) complex
        Of the reduced model, one of each conjugate pair [1/s]; empty if not possible.
    fast : (k,) complex
        Eigenvalues of the model that vanish or fall by neglecting, the fastest first [1/s].
    gain : float
        Ratio of the steps that an error-controlled run takes without and with neglecting, if the report was given a time to
        try it; else the ratio of the highest lasting frequencies, an upper estimate of it.  nan if not possible or if
        nothing moves.
    """

    bodies: tuple[str, ...]
    what: str
    mass: float
    inertia: float
    mass_ratio: float
    inertia_ratio: float
    possible: bool
    reason: str = ""
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0, complex))
    fast: np.ndarray = field(default_factory=lambda: np.zeros(0, complex))
    gain: float = float("nan")


@dataclass(frozen=True)
class PerturbationReport:
    """Small masses and inertias and stiff springs of a model, and the fast motions that they cause.

    Attributes
    ----------
    model : str
        Name of the model.
    limit : float
        Ratio below which a mass or an inertia is small.
    eigenvalues : (m,) complex
        Of the model about its start, one of each conjugate pair [1/s].
    small : tuple of Neglect
        One for each body with small mass or inertia, neglected alone.
    together : Neglect or None
        All those that are possible alone, neglected together; None if there are none.
    stiff : tuple of Neglect
        One for each spring or bushing whose compliance is small, neglected alone.
    """

    model: str
    limit: float
    eigenvalues: np.ndarray
    small: tuple[Neglect, ...]
    together: Neglect | None
    stiff: tuple[Neglect, ...] = ()

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, springs and bushings that can be neglected together."""
        return self.together.bodies if self.together is not None and self.together.possible else ()

    @property
    def gain(self) -> float:
        """Estimated gain of neglecting all that can be; 1 if there is nothing."""
        return 1.0 if self.together is None else self.together.gain

    def __str__(self) -> str:
        head = f"{self.model!r}: masses and inertias below {self.limit:g} of the largest, and stiff springs"
        if not self.small and not self.stiff:
            return f"{head}: none"
        rows: list[tuple[str, ...]] = [("part", "mass [kg]", "ratio", "inertia [kg m²]", "ratio", "neglect", "causes", "gain")]
        rows += [_row(each, ", ".join(each.bodies)) for each in (*self.small, *self.stiff)]
        if self.together is not None and len(self.together.bodies) > 1:
            rows.append(_row(self.together, f"all {len(self.together.bodies)} together"))
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        notes = [f"{', '.join(each.bodies)}: not possible: {each.reason}"
                 for each in (*self.small, *([self.together] if self.together else [])) if not each.possible]
        return "\n".join([head, *lines, *notes])

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the modes with and without the small bodies over a logarithmic axis.

        Parameters
        ----------
        path : path, optional
            Picture to write; without it the figure is left to pyplot, which shows it.

        Returns
        -------
        matplotlib.figure.Figure
        """
        rows = [("as it is", self.eigenvalues)]
        if self.together is not None:
            rows.append((f"without {', '.join(self.bodies)}" if len(self.bodies) < 4 else
                         f"without {len(self.bodies)} bodies", self.together.eigenvalues))
        return _draw(self.model, rows, () if self.together is None else self.together.fast, path)


def perturbation_report(model: Model, *, mass_ratio: float = 1e-3, stiffness_ratio: float = 1e-3, start: Starts = None,
                        until: float | None = None, accuracy: float | None = None) -> PerturbationReport:
    """Find the small masses and inertias and stiff springs of a model, the fast motions they cause and what neglecting gains.

    The modes of the model about its start are compared with those of the reduced one: a mode that vanishes, or whose
    eigenvalue falls by more than half, is caused by the body.  Frequencies that are damped away within a swing do not
    hold the step of an implicit integrator and do not count in the gain.  How many steps a motion really takes depends on its
    amplitudes, which frequencies do not show; with `until` both models are run for some time and their steps are counted.

    Parameters
    ----------
    model : Model
    mass_ratio : float
        A mass is small below this fraction of the largest in the model, an inertia below this fraction of the largest
        moment that a body has about its origin, or that a joint carries about its axis.
    stiffness_ratio : float
        A spring or bushing is stiff if a joint in its place leaves all slower modes as they are, and the square of the slowest
        frequency is below this fraction of the squares of those that vanish: the error that is made, relative.
    start : mapping, optional
        Coordinates by joint name, instead of the model's; e.g. ``static(model).starts``.
    until, accuracy : float, optional
        Time that runs are to last [s], to be tried for up to about 20 000 steps, and their accuracy, as for `run`.

    Returns
    -------
    PerturbationReport
        ``print(report)`` shows a table, ``report.plot()`` a picture.
    """
    for name, ratio in (("mass_ratio", mass_ratio), ("stiffness_ratio", stiffness_ratio)):
        if not (isinstance(ratio, (int, float)) and 0 < ratio < 1):
            raise ModelError(f"perturbation_report: found {name} = {ratio!r}, expected a number between 0 and 1")
    linear = linearize(model, start=start)
    full = modes_of(linear).eigenvalues
    small = [_tried(model, [body], full, start) for body in _small_bodies(model, mass_ratio, _carried(linear))]
    stiff = _stiff_elements(model, [each for each in small if each.possible], stiffness_ratio, start)
    if until is not None and (small or stiff):
        before = step_rate(model, until, accuracy, start)
        small, stiff = ([_timed(model, [each], before, until, accuracy, start) for each in found] for found in (small, stiff))
    able = [each for each in (*small, *stiff) if each.possible]
    together = able[0] if len(able) == 1 else _tried(model, able, full, start) if able else None
    if until is not None and len(able) > 1:
        together = _timed(model, able, before, until, accuracy, start, together)
    return PerturbationReport(str(model.name), float(mass_ratio), full, tuple(small), together, tuple(stiff))


def _stiff_elements(model: Model, light: Sequence[Neglect], limit: float, start: Starts) -> list[Neglect]:
    """List the springs and bushings that can be replaced by joints without a change of slower modes.

    Beside light bodies every spring is stiff: those that can be neglected are left out before.
    """
    names = elastic_elements(model)
    if not names:
        return []
    model, found = _reduced(model, light), []
    full = _modes_at_rest(model, start)
    for name in names:
        try:
            left = _modes_at_rest(neglected(model, name), start)
        except MultibodyError:  # no joint for it, or nothing that fits together any more
            continue
        fast = lost(full, left)
        if _is_stiff(full, left, fast, limit):
            found.append(Neglect((name,), "compliance", 0.0, 0.0, 0.0, 0.0, True, "", left, fast, gain(full, left)))
    return found


def _modes_at_rest(model: Model, start: Starts) -> np.ndarray:
    """Eigenvalues about an equilibrium, or about the start if there is none to be found.

    A start that accelerates has other modes: the accelerations of a spring that swings are not those of a joint.
    """
    start = _kept(model, start)
    try:
        return eigenmodes(model, start=static(model, start=start)).eigenvalues
    except MultibodyError:
        return eigenmodes(model, start=start).eigenvalues


def _is_stiff(full: np.ndarray, left: np.ndarray, fast: np.ndarray, limit: float) -> bool:
    """True if modes are lost that ring far faster than the slowest one left, and slower ones left were there before."""
    left, fast = left[moves(left)], fast[rings(fast)]
    if not len(fast) or not len(left):
        return False
    error = min(abs(left)) ** 2 / min(abs(fast)) ** 2
    gaps = np.min(abs(full[None, :] - left[:, None]), axis=1) / abs(left)
    slow = abs(left) < min(abs(fast))
    return bool(error <= limit and np.any(slow) and np.all(gaps[slow] <= SAME))


def _reduced(model: Model, chosen: Sequence[Neglect]) -> Model:
    """Return the model without what was chosen."""
    for each in chosen:
        model = neglected(model, each.bodies, inertia="inertia" in each.what, mass="mass" in each.what)
    return model


def _timed(model: Model, chosen: Sequence[Neglect], before: float, until: float, accuracy: float | None,
           start: Starts,           found: Neglect | None = None) -> Neglect:
    """Return what neglecting does, with the gain that counting the steps of a trial run shows."""
    found = found or chosen[0]
    if not found.possible:
        return found
    reduced = _reduced(model, chosen)
    return replace(found, gain=before / step_rate(reduced, until, accuracy, _kept(reduced, start)))


def _kept(reduced: Model, start: Starts) -> dict[str, Any] | None:
    """Starts of the parts that a reduced model still has."""
    given = start.starts if isinstance(start, Equilibrium) else start
    return None if given is None else {name: value for name, value in given.items() if name in reduced}


def _carried(linear: Linearized) -> float:
    """Largest inertia of all that a joint carries about one of its axes [kg m²]."""
    turns = [name.rsplit(".", 1)[1].startswith(("angle", "turn")) for name in linear.names]
    return float(np.max(np.diag(linear.mass)[turns], initial=0.0))


def _small_bodies(model: Model, limit: float, carried: float) -> list[Neglect]:
    """List the bodies that are small, with what is small about them."""
    bodies = check(model).bodies[1:]
    moments = [float(np.max(np.linalg.eigvalsh(body.inertia))) for body in bodies]
    largest_mass = max((body.mass for body in bodies), default=0.0)
    largest_moment = max([carried, *(moment + body.mass * float(body.com @ body.com)
                                     for body, moment in zip(bodies, moments, strict=True))])
    found = []
    for body, moment in zip(bodies, moments, strict=True):
        shares = [value / scale if scale > 0 else 0.0
                  for value, scale in ((body.mass, largest_mass), (moment, largest_moment))]
        words = [word for word, share in zip(("mass", "inertia"), shares, strict=True) if 0 < share <= limit]
        if words:
            found.append(Neglect((body.name,), " and ".join(words), body.mass, moment, shares[0], shares[1], possible=True))
    return found


def _tried(model: Model, chosen: Sequence[Neglect], full: np.ndarray, start: Starts) -> Neglect:
    """Return what neglecting the chosen bodies together does."""
    reduced = _reduced(model, chosen)
    kinds = sorted({each.what for each in chosen})
    sums = np.sum([(each.mass, each.inertia, each.mass_ratio, each.inertia_ratio) for each in chosen], axis=0)
    mass, inertia, mass_ratio, inertia_ratio = map(float, sums)
    asked = Neglect(tuple(name for each in chosen for name in each.bodies), ", ".join(kinds), mass, inertia, mass_ratio,
                    inertia_ratio, possible=True)
    try:
        left = eigenmodes(reduced, start=_kept(reduced, start)).eigenvalues
    except (SingularError, ConvergenceError) as error:
        return replace(asked, possible=False, reason=str(error))
    return replace(asked, eigenvalues=left, fast=lost(full, left), gain=gain(full, left))


def _row(each: Neglect, name: str) -> tuple[str, ...]:
    if not each.possible:
        causes, gain = "not possible", "-"
    else:
        causes = ", ".join(map(_shown, each.fast[:3])) + (", ..." if len(each.fast) > 3 else "") or "nothing fast"
        gain = f"{each.gain:.3g}" if np.isfinite(each.gain) else "-"
    return (name, f"{each.mass:.3g}", f"{each.mass_ratio:.1e}", f"{each.inertia:.3g}", f"{each.inertia_ratio:.1e}",
            each.what, causes, gain)


def _shown(value: complex) -> str:
    """Return a mode as its frequency, or its rate of decay."""
    return f"{abs(value.imag) / (2 * np.pi):.4g} Hz" if value.imag else f"{abs(value.real):.3g} 1/s"


def _draw(title: str, rows: Sequence[tuple[str, np.ndarray]], lost: Sequence[complex] | np.ndarray,
          path: str | Path | None) -> Figure:
    """Draw one row of modes for each model; swinging ones filled, decaying ones hollow, lost ones red."""
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    size: dict[str, Any] = {"figsize": (7.0, 1.4 + 0.7 * len(rows)), "layout": "constrained"}
    figure = plt.figure(**size) if path is None else Figure(**size)
    ax = figure.subplots()
    for level, (_, values) in enumerate(rows):
        values = values[moves(values)]
        for swings, face in ((True, None), (False, "none")):
            for gone, color in ((False, "tab:blue"), (True, "tab:red")):
                chosen = values[((values.imag != 0) == swings) & ((level == 0) & np.isin(values, lost) == gone)]
                ax.scatter(abs(chosen) / (2 * np.pi), np.full(len(chosen), -level), s=60, edgecolors=color,
                           facecolors=face or color, zorder=3)
    for color, face, label in (("tab:blue", "tab:blue", "swings"), ("tab:blue", "none", "decays"),
                               ("tab:red", "tab:red", "caused by small bodies")):
        ax.scatter([], [], s=60, edgecolors=color, facecolors=face, label=label)
    ax.set(xscale="log", xlabel="|eigenvalue| / 2π [Hz]", title=title, ylim=(0.5 - len(rows), 0.5))
    ax.set_yticks([-level for level in range(len(rows))], [name for name, _ in rows])
    ax.grid(True, axis="x", alpha=0.3)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), ncols=3, frameon=False, fontsize="small")
    if path is not None:
        write_figure(figure, path)
    return figure
