"""Flexible bodies a model is built from; nothing is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from .flexible import CrossSection, Material

MEAN_AXIS = "mean-axis"
OWN_FRAME = "frame"
"""Name of the place where a body's chosen frame is: ``"arm.frame"``."""


@runtime_checkable
class Reduced(Protocol):
    """What a flexible body of any shape is made of: places, and constants in a floating frame."""

    @property
    def places(self) -> Mapping[str, Any]:
        """Interfaces and named points."""

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Names of the places where joints can act."""

    def floating(self, frame: Any = None, *, stiffening: bool | None = None) -> Any:
        """Return the body in a floating frame."""


@runtime_checkable
class Interfaced(Reduced, Protocol):
    """A body reduced to interfaces and modes: its frame can be chosen, and motions of all nodes are known."""

    @property
    def model(self) -> Any:
        """The finite-element model."""

    @property
    def n_modes(self) -> int:
        """Fixed-interface modes kept."""

    @property
    def basis(self) -> Any:
        """(N, n) float: displacements of the whole model by each coordinate."""

    def frame_place(self, frame: Any) -> Any:
        """Return the place of a frame."""


@dataclass(frozen=True)
class Beam:
    """A straight, elastic beam along its x axis, made of equal segments that share their end frames.

    Its places are ``"start"`` (also meant by the beam's name alone), ``"end"``, the named points, and the ends of inner
    segments, ``"1"``, ``"2"``, ...  All of them have the beam's axes while it is undeformed.

    Attributes
    ----------
    name : str
        Unique in the model; no dots.
    length : float
        [m].
    section : Circle, Tube, Rectangle or Section
        Cross-section, constant along the beam.
    material : Material
        Its damping makes the damping matrices proportional to the stiffness.
    theory : {"timoshenko", "euler-bernoulli"}
        With or without shear deformation.
    rotary_inertia : bool
        Whether sections resist tilting (Rayleigh, Timoshenko), or not, as in the Euler-Bernoulli beam of the
        textbooks.  Inertia of torsion stays.
    bodies : int
        Number of segments; the deformation of each is small in its own floating frame, so that many of them bend far.
    modes : int
        Vibration modes of each segment besides the motion of its ends.
    points : mapping of str to float
        More places by their arc length [m].
    frame : str or pair of str, optional
        Floating frame of reference of the segments, in all formulations: ``"start"`` or ``"end"`` (tangent there),
        ``("start", "end")`` (chord) or ``"mean-axis"``; by default tangent where the tree enters it, and at mid-length
        in interface coordinates.
    stiffening : bool, optional
        Whether stresses stiffen the segments in the tree formulations (default: yes).
    """

    name: str
    length: float = field(kw_only=True)
    section: CrossSection = field(kw_only=True)
    material: Material = field(kw_only=True)
    theory: str = field(default="timoshenko", kw_only=True)
    rotary_inertia: bool = field(default=True, kw_only=True)
    bodies: int = field(default=1, kw_only=True)
    modes: int = field(default=0, kw_only=True)
    points: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    frame: Any = field(default=None, kw_only=True)
    stiffening: bool | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class FlexibleBody:
    """An elastic body of any shape, reduced to its interfaces and modes.

    Its places are the interfaces and named points of the reduced body; for joints and forces its name alone means the first
    interface.  In results it means the frame if that is chosen, which is then the place ``"arm.frame"``, too.

    Attributes
    ----------
    name : str
        Unique in the model; no dots.
    reduced : ReducedBody or FloatingBody
        What `flex.craig_bampton` or `flex.read_sid` returned.
    frame : str or pair of str, optional
        Floating frame of reference, in all formulations: an interface, a named point, or a set of nodes of the model (tangent
        there, in the mean), two interfaces (chord) or ``"mean-axis"``; by default tangent where the tree enters the body, and
        the mean motion of the whole body in interface coordinates.
    stiffening : bool, optional
        Whether stresses stiffen the body in the tree formulations (default: yes, if the model has elements).
    """

    name: str
    reduced: Reduced
    frame: Any = None
    stiffening: bool | None = None


FLEXIBLES = (Beam, FlexibleBody)
