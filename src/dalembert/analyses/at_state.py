"""Mass matrix, bias and Jacobians of a state by the names of joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model.model import Model
from .dynamics import Dynamics


def _opened(model: Model | Dynamics) -> Dynamics:
    return model if isinstance(model, Dynamics) else Dynamics(model)


def mass_matrix(model: Model | Dynamics, coordinates: Mapping[str, Any] | None = None, t: float = 0.0) -> np.ndarray:
    """Return the mass matrix (n_v, n_v) of a model at given coordinates, rows in the order of `Dynamics.rates`.

    Parameters
    ----------
    model : Model or Dynamics
    coordinates : mapping, optional
        By joint name, as `start` of the joints; the model's own where left out.
    t : float
        Time [s] at which drives are taken.

    Notes
    -----
    Composite rigid bodies (CRBA).  For many states make a `Dynamics`, whose methods take arrays and microseconds.
    """
    dynamics = _opened(model)
    return dynamics.mass_matrix(dynamics.state(coordinates, None, t)[0])


def bias(model: Model | Dynamics, coordinates: Mapping[str, Any] | None = None, rates: Mapping[str, Any] | None = None,
         t: float = 0.0) -> np.ndarray:
    """Return the efforts (n_v,) [N m or N] that zero accelerations need at a state: weight, Coriolis loads, no accelerations.

    Parameters
    ----------
    model : Model or Dynamics
    coordinates, rates : mapping, optional
        By joint name, as `start` and `start_rate` of the joints; the model's own where left out.
    t : float
        Time [s] at which drives and laws are taken.

    Notes
    -----
    The recursive Newton-Euler algorithm (RNEA), see `Dynamics.bias`.
    """
    dynamics = _opened(model)
    return dynamics.bias(*dynamics.state(coordinates, rates, t), t)


def jacobian(model: Model | Dynamics, place: str, coordinates: Mapping[str, Any] | None = None, t: float = 0.0) -> np.ndarray:
    """Return the Jacobian (6, n_v) of a place at given coordinates, columns in the order of `Dynamics.rates`.

    Parameters
    ----------
    model : Model or Dynamics
    place : str
        ``"body"`` or ``"body.point"``.
    coordinates : mapping, optional
        By joint name, as `start` of the joints; the model's own where left out.
    t : float
        Time [s] at which drives are taken.

    Returns
    -------
    (6, n_v) float
        Velocity of the place and angular velocity of its body, world axes, by the rates.
    """
    dynamics = _opened(model)
    return dynamics.jacobian(dynamics.state(coordinates, None, t)[0], place)
