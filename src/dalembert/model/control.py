"""Controllers and events: functions of channels that act on force elements, or that are watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .laws import CompiledLaw


@dataclass(frozen=True)
class Controller:
    """A control law: from channels of the mechanism to efforts of motors and magnitudes of forces.

    Attributes
    ----------
    name : str
        Its own name.
    inputs : sequence of str
        Channels, such as ``"elbow.angle"``, ``"hand.tip.position"``, ``"hand.tip.position.z"``; the components of those that
        have several follow each other.  ``"time"`` is the time.
    outputs : sequence of str
        Motors, forces, torques, springs and dampers, joint springs; what the law returns is added to what they do by
        themselves [N or N m].
    law : callable
        ``f(t, u)`` of the time [s] and the inputs (n,); or, with `memory`, ``f(t, u, memory)``, which may change it.  Returns
        the outputs: a number, or one for each.  A function decorated with `dal.law` is compiled.
    every : float, optional
        Time between two samples [s], the first at t = 0; the outputs stay between them.  Without it the law acts
        continuously: then it has no memory and reads coordinates, rates, positions, velocities and orientations only.
    memory : sequence of float
        What `memory` holds at the start.

    Examples
    --------
    >>> def hold(t, u):
    ...     return -200.0 * u[0] - 5.0 * u[1]
    >>> Controller("hold", inputs=["elbow.angle", "elbow.speed"], outputs=["elbow motor"], law=hold, every=2e-3).every
    0.002
    """

    name: str
    inputs: Sequence[str] = field(kw_only=True)
    outputs: Sequence[str] = field(kw_only=True)
    law: Callable[..., Any] | CompiledLaw = field(kw_only=True)
    every: float | None = field(default=None, kw_only=True)
    memory: Sequence[float] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Event:
    """Something to watch for: a channel, or a function of channels, that crosses a value.

    Attributes
    ----------
    name : str
        Its own name; `Results.events` lists its crossings.
    inputs : str or sequence of str
        One channel, or several for a function; coordinates, rates, positions, velocities, orientations and ``"time"``.
    function : callable, optional
        ``f(t, u)`` of the time [s] and the inputs (n,), which returns a number; may be decorated with `dal.law`.
    value : float
        What is crossed, in the unit of the channel.
    direction : {"both", "up", "down"}
        Crossings that count.
    stop : bool
        Whether it ends the run.

    Examples
    --------
    >>> Event("landing", "ball.position.z", value=0.1, direction="down", stop=True).direction
    'down'
    """

    name: str
    inputs: Any = field(default=())
    function: Callable[..., float] | CompiledLaw | None = field(default=None, kw_only=True)
    value: float = field(default=0.0, kw_only=True)
    direction: str = field(default="both", kw_only=True)
    stop: bool = field(default=False, kw_only=True)
