"""Integrators as records of coefficients, and their names.

Explicit and diagonally implicit ones carry a Runge-Kutta tableau, the generalized-alpha family four numbers, Radau IIA
what its nodes imply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError


@dataclass(frozen=True)
class Explicit:
    """An explicit one-step method.

    Attributes
    ----------
    name : str
    order : int
        Of the solution that is carried on.
    a, b, c, e : nested tuples of float
        Tableau, and the weights of the error estimate over the stages and the new state's rates.
    adaptive : bool
        True if it can control its step.
    """

    name: str
    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    e: tuple[float, ...] = ()
    symplectic: bool = False

    @property
    def adaptive(self) -> bool:
        """True if the method has an error estimate."""
        return bool(self.e)


@dataclass(frozen=True)
class Implicit:
    """What the implicit second-order methods share: coefficients am, af, beta, gamma."""

    name: ClassVar[str] = ""
    order: ClassVar[int] = 2
    adaptive: ClassVar[bool] = True

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma)."""
        return 0.0, 0.0, 0.25, 0.5

    def check(self) -> None:
        """Raise ModelError for parameters that make the method unstable or undefined."""

    def _keep(self, name: str, value: float, low: float, high: float) -> None:
        if not low <= value <= high:
            raise ModelError(f"integrator {self.name!r}: found {name} = {value!r}, expected {low:g} to {high:g}; the method "
                             "is unstable or undefined otherwise")


@dataclass(frozen=True)
class Trapezoidal(Implicit):
    """Trapezoidal rule: second order, no numerical damping."""

    name = "trapezoidal"


@dataclass(frozen=True)
class LinearAcceleration(Implicit):
    """Newmark with beta = 1/6: accelerations vary linearly in a step; conditionally stable."""

    name = "linear-acceleration"

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma)."""
        return 0.0, 0.0, 1.0 / 6.0, 0.5


@dataclass(frozen=True)
class HighOrder(Implicit):
    """Accelerations vary as a parabola through the last two steps and the new one [GLO (32)-(39)]; conditionally stable."""

    name = "high-order"
    order: ClassVar[int] = 3
    adaptive: ClassVar[bool] = False

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma) of the new acceleration's weights in steps of equal length."""
        return 0.0, 0.0, 1.0 / 8.0, 5.0 / 12.0


@dataclass(frozen=True)
class Newmark(Implicit):
    """Newmark's method; `gamma` above one half damps and costs an order.

    With `beta` = 1/12 (Fox and Goodwin) vibrations keep their phases to fourth order in steps below 2.4 over the highest
    angular frequency.
    """

    beta: float = 0.25
    gamma: float = 0.5
    name = "newmark"

    def check(self) -> None:
        """Raise ModelError unless gamma >= 1/2 and beta > 0."""
        self._keep("gamma", self.gamma, 0.5, 1.0)
        self._keep("beta", self.beta, 1e-6, 1.0)

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma)."""
        return 0.0, 0.0, self.beta, self.gamma


@dataclass(frozen=True)
class HHT(Implicit):
    """Hilber, Hughes and Taylor; `alpha` from 0 (no damping) to 1/3."""

    alpha: float = 0.1
    name = "hht"

    def check(self) -> None:
        """Raise ModelError unless 0 <= alpha <= 1/3."""
        self._keep("alpha", self.alpha, 0.0, 1.0 / 3.0)

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma)."""
        return 0.0, self.alpha, 0.25 * (1 + self.alpha) ** 2, 0.5 + self.alpha


@dataclass(frozen=True)
class GeneralizedAlpha(Implicit):
    """Chung and Hulbert; `rho_inf` is the spectral radius at infinite frequency, 1 (no damping) to 0 (annihilation)."""

    rho_inf: float = 0.8
    name = "generalized-alpha"

    def check(self) -> None:
        """Raise ModelError unless 0 <= rho_inf <= 1."""
        self._keep("rho_inf", self.rho_inf, 0.0, 1.0)

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return (am, af, beta, gamma)."""
        rho = self.rho_inf
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        return am, af, 0.25 * (gamma + 0.5) ** 2, gamma


@dataclass(frozen=True)
class DiagonallyImplicit:
    """A stiffly accurate, diagonally implicit Runge-Kutta method: tableau and weights of the error estimate."""

    name: str
    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    e: tuple[float, ...]
    adaptive: ClassVar[bool] = True


@dataclass(frozen=True)
class Radau:
    """Radau IIA with three stages, order 5, fully implicit and stiffly accurate; for stiff and for massless models."""

    name: ClassVar[str] = "radau"
    order: ClassVar[int] = 5
    adaptive: ClassVar[bool] = True

    def coefficients(self) -> dict[str, Any]:
        """Return a (3, 3), c, e (3,), and of a the real eigenvalue mu with left and right vector s, r; nu, w, u of a pair."""
        root = np.sqrt(6.0)
        c = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
        powers = np.vander(c, 4, increasing=True)  # collocation: sum_j a_ij c_j^(k-1) = c_i^k / k
        a = np.linalg.solve(powers[:, :3].T, (powers[:, 1:] / np.arange(1, 4)).T).T
        values, right = np.linalg.eig(a)
        right = right / right[2]
        left = np.linalg.inv(right)
        i, j = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
        mu = values[i].real
        e = -mu * np.linalg.solve(powers[:, 1:].T, np.array([1.0, 0.0, 0.0]))
        return dict(a=a, c=c, e=e, mu=mu, s=left[i].real, r=right[:, i].real, nu=values[j], w=left[j], u=right[:, j])


@dataclass(frozen=True)
class Bdf:
    """Backward differentiation formulas of variable order and step, order 1 to `max_order`."""

    max_order: int = 5
    name: ClassVar[str] = "bdf"
    order: ClassVar[int] = 1
    adaptive: ClassVar[bool] = True


@dataclass(frozen=True)
class Componentwise:
    """Steps of bodies as components, each predicted by q + h q' + lead h² q'' and corrected by Newmark's numbers.

    `name` is that of the scheme which bodies take that say nothing.
    """

    name: str = "newmark"
    lead: float = 0.5
    beta: float = 0.25
    gamma: float = 0.5
    order: ClassVar[int] = 2
    adaptive: ClassVar[bool] = True


@dataclass(frozen=True)
class Moreau:
    """Impulses that keep shapes apart in fixed steps: for many contacts, contact groups and friction of rigid bodies.

    Semi-implicit Euler where nothing touches.

    Attributes
    ----------
    sweeps : int
        Most sweeps over the contacts of a step.
    tolerance : float
        Change of a velocity in a sweep at which the sweeps end, relative to what gravity changes it by in a step.
    depth : float or None
        Overlap that is left to shapes at the end of a step [m]; by default 1e-4 of the smallest shape of contact groups.
    """

    sweeps: int = 200
    tolerance: float = 0.01
    depth: float | None = None
    name: ClassVar[str] = "moreau"
    order: ClassVar[int] = 1
    adaptive: ClassVar[bool] = False

    def check(self) -> None:
        """Raise ModelError for parameters that make no sense."""
        whole = isinstance(self.sweeps, int) and not isinstance(self.sweeps, bool)
        if not whole or self.sweeps < 1:
            raise ModelError(f"integrator 'moreau': found sweeps = {self.sweeps!r}, expected a whole number from 1 on")
        for name, unit in (("tolerance", ""), ("depth", " [m]")):
            x = getattr(self, name)
            if x is None and name == "depth":
                continue
            if not isinstance(x, (int, float)) or isinstance(x, bool) or not 0.0 < x < np.inf:
                raise ModelError(f"integrator 'moreau': found {name} = {x!r}, expected a positive number{unit}")


@dataclass(frozen=True)
class Driven:
    """No integration: drives prescribe all that a mechanism can do, and each step is a guess brought onto the constraints."""

    name: ClassVar[str] = "driven"
    order: ClassVar[int] = 2
    adaptive: ClassVar[bool] = True


COMPONENTWISE: dict[str, Componentwise] = {
    "newmark": Componentwise(),
    "trapezoidal": Componentwise("trapezoidal"),
    "linear-acceleration": Componentwise("linear-acceleration", beta=1.0 / 6.0),
    "semi-implicit-euler": Componentwise("semi-implicit-euler", lead=1.0, beta=0.0, gamma=0.0),
}
"""Schemes of bodies in the modular formulation."""


Integrator = Explicit | Componentwise | Implicit | DiagonallyImplicit | Radau | Bdf | Driven | Moreau
"""Methods of time integration."""

RK4 = Explicit("rk4", 4, ((), (1 / 2,), (0, 1 / 2), (0, 0, 1)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0, 1 / 2, 1 / 2, 1))

DORMAND_PRINCE = Explicit(
    "dopri5", 5,
    ((), (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
     (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
     (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656)),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    (0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1),
    (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
)

TSITOURAS = Explicit(
    "tsit5", 5,
    ((), (0.161,), (-0.008480655492356989, 0.335480655492357),
     (2.8971530571054935, -6.359448489975075, 4.3622954328695815),
     (5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525),
     (5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383)),
    (0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774),
    (0, 0.161, 0.327, 0.9, 0.9800255409045097, 1),
    (-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629, 0.5823571654525552,
     -0.45808210592918697, 1 / 66),
)

SEMI_IMPLICIT_EULER = Explicit("semi-implicit-euler", 1, ((),), (1.0,), (0.0,), symplectic=True)

EXPLICIT_EULER = Explicit("explicit-euler", 1, ((),), (1.0,), (0.0,))

SDIRK4 = DiagonallyImplicit(
    "sdirk4", 4,
    ((1 / 4,), (1 / 2, 1 / 4), (17 / 50, -1 / 25, 1 / 4), (371 / 1360, -137 / 2720, 15 / 544, 1 / 4),
     (25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4)),
    (25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4),
    (1 / 4, 3 / 4, 11 / 20, 1 / 2, 1),
    (-3 / 16, -27 / 32, 25 / 32, 0, 1 / 4),
)

MOREAU = Moreau()

BY_NAME: dict[str, Integrator] = {
    "rk4": RK4,
    "dopri5": DORMAND_PRINCE,
    "tsit5": TSITOURAS,
    "explicit-euler": EXPLICIT_EULER,
    "semi-implicit-euler": SEMI_IMPLICIT_EULER,
    "sdirk4": SDIRK4,
    "radau": Radau(),
    "trapezoidal": Trapezoidal(),
    "newmark": Newmark(),
    "linear-acceleration": LinearAcceleration(),
    "high-order": HighOrder(),
    "hht": HHT(),
    "generalized-alpha": GeneralizedAlpha(),
    "bdf": Bdf(),
    "moreau": MOREAU,
}


ROUNDING = 1e-12
"""Slack of a bound that coefficients may touch."""


def tableau_arrays(integrator: Explicit | DiagonallyImplicit) -> tuple[np.ndarray, ...]:
    """Arrays a (s, s), b, c (s,), e (s + 1,) of a tableau."""
    s = len(integrator.b)
    a = np.zeros((s, s))
    for i, row in enumerate(integrator.a):
        a[i, : len(row)] = row
    e = np.zeros(s + 1)
    e[: len(integrator.e)] = integrator.e
    return a, np.array(integrator.b, float), np.array(integrator.c, float), e
