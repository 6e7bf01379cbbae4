"""The model: a name, gravity, the ground's points and the parts, in the order they were added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from ..errors import Fault, ModelError, near_names
from .constraints import CONSTRAINTS
from .contacts import Contact, ContactGroup
from .control import Controller, Event
from .flexible_parts import FLEXIBLES
from .parts import FORCES, JOINTS, Body, Motion, Vector
from .values import shown

_SECTIONS = {"bodies": (Body,), "flexible": FLEXIBLES, "joints": JOINTS, "constraints": CONSTRAINTS, "forces": FORCES,
             "motions": (Motion,), "contacts": (Contact,), "contact_groups": (ContactGroup,),
             "controllers": (Controller,), "events": (Event,)}
PART_TYPES = tuple(kind for kinds in _SECTIONS.values() for kind in kinds)
_OWN_FIELDS = ("name", "gravity", "ground", "run")


class Model:
    """What is simulated: bodies, joints, constraints, forces and motions under gravity.

    Parameters
    ----------
    name : str
        Shown in results and errors.
    gravity : (3,) float
        World axes [m/s²].
    ground : mapping of str to (3,) float or Frame, optional
        Named places on the ground [m], used as ``"ground.A"``.
    run : mapping, optional
        Defaults of `run` (``until``, ``step``, ``accuracy``, ...), as in the ``run`` block of a model text.

    Attributes
    ----------
    notes : tuple of str
        What a reader of another format left out, such as joint limits.

    Examples
    --------
    >>> from dalembert.model.parts import Body, Revolute
    >>> m = Model("pendulum").add(Body("rod", mass=1.0, com=(0, 0, -0.5)), Revolute("pivot", "ground", "rod"))
    >>> m
    <Model 'pendulum': 1 body, 1 joint, gravity (0.0, 0.0, -9.81)>
    >>> m.replaced("rod", mass=2.0)["rod"].mass
    2.0
    """

    def __init__(self, name: str, gravity: Vector = (0.0, 0.0, -9.81), ground: Mapping[str, Any] | None = None,
                 run: Mapping[str, Any] | None = None):
        self.name = name
        self.gravity = gravity
        self.ground = {} if ground is None else ground
        self.run = {} if run is None else run
        self.notes: tuple[str, ...] = ()
        self._parts: list[Any] = []

    def add(self, *parts: Any) -> Model:
        """Add bodies, joints, constraints, forces and motions in any order and return the model itself.

        Raises
        ------
        ModelError
            If something is not a part; then nothing is added.
        """
        faults = [Fault(f"add, argument {i}", _why_no_part(part)) for i, part in enumerate(parts, 1)
                  if not isinstance(part, PART_TYPES)]
        if faults:
            raise ModelError(faults, str(self.name))
        self._parts.extend(parts)
        return self

    def replaced(self, part: str | None = None, /, **changes: Any) -> Model:
        """Return a copy in which the named part, or without a name the model itself, has other field values.

        Examples
        --------
        ``m.replaced("elbow", start=0.2)``, ``m.replaced(gravity=(0, 0, 0))``
        """
        if part is None:
            return self._with_own(changes)
        old = self[part]
        known = [f.name for f in fields(old)]
        faults = [Fault(part, f"{type(old).__name__} has no field {key!r}.{near_names(key, known)}")
                  for key in changes if key not in known]
        if faults:
            raise ModelError(faults, str(self.name))
        copy = self._with_own({})
        copy._parts = [replace(old, **changes) if each is old else each for each in self._parts]
        return copy

    def without(self, *names: str) -> Model:
        """Return a copy that lacks the named parts."""
        gone = [self[name] for name in names]
        copy = self._with_own({})
        copy._parts = [part for part in self._parts if not any(part is g for g in gone)]
        return copy

    def _with_own(self, changes: Mapping[str, Any]) -> Model:
        faults = [Fault("model", f"a model has no field {key!r}; name the part whose field it is, as in "
                                 f"replaced('part', {key}=...).{near_names(key, _OWN_FIELDS)}")
                  for key in changes if key not in _OWN_FIELDS]
        if faults:
            raise ModelError(faults, str(self.name))
        copy = Model(**{key: changes.get(key, getattr(self, key)) for key in _OWN_FIELDS})
        copy.notes = self.notes
        copy._parts = list(self._parts)
        return copy

    def _of(self, section: str) -> tuple[Any, ...]:
        return tuple([part for part in self._parts if isinstance(part, _SECTIONS[section])])

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The rigid bodies, without the ground."""
        return self._of("bodies")

    @property
    def flexible(self) -> tuple[Any, ...]:
        """The beams and other flexible bodies."""
        return self._of("flexible")

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joints."""
        return self._of("joints")

    @property
    def constraints(self) -> tuple[Any, ...]:
        """The constraints beyond joints and motions."""
        return self._of("constraints")

    @property
    def forces(self) -> tuple[Any, ...]:
        """The force elements."""
        return self._of("forces")

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The prescribed motions."""
        return self._of("motions")

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The pairs of shapes that may touch."""
        return self._of("contacts")

    @property
    def contact_groups(self) -> tuple[ContactGroup, ...]:
        """The sets of shapes that may touch each other."""
        return self._of("contact_groups")

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """The controllers."""
        return self._of("controllers")

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that are watched."""
        return self._of("events")

    def sections(self) -> dict[str, tuple[Any, ...]]:
        """Return the parts by the headings of the model text."""
        return {name: self._of(name) for name in _SECTIONS}

    def __getitem__(self, name: str) -> Any:
        """Return the part called `name`."""
        for part in self._parts:
            if part.name == name:
                return part
        known = [part.name for part in self._parts]
        raise ModelError([Fault("model", f"no part {shown(name)}.{near_names(name, known)}")], str(self.name))

    def __contains__(self, name: object) -> bool:
        return any(part.name == name for part in self._parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def _repr_html_(self) -> str:
        """Return what notebooks show: the parts in tables."""
        from .html import model_html

        return model_html(self)

    def __repr__(self) -> str:
        words = {"bodies": "body", "flexible": "flexible body", "joints": "joint", "constraints": "constraint",
                 "forces": "force", "motions": "motion", "contacts": "contact", "contact_groups": "contact group",
                 "controllers": "controller", "events": "event"}
        many = {"flexible": "flexible bodies", "contact_groups": "contact groups"}
        counts = [f"{len(parts)} {words[name] if len(parts) == 1 else many.get(name, name)}"
                  for name, parts in self.sections().items() if parts]
        return f"<Model {self.name!r}: {', '.join(counts) or 'no parts'}, gravity {self.gravity!r}>"


def _why_no_part(thing: Any) -> str:
    """Say what was given instead of a part, and the remedy."""
    if isinstance(thing, type) and issubclass(thing, PART_TYPES):
        return f"found the class {thing.__name__}, expected a part; call it, as in {thing.__name__}('name', ...)"
    if isinstance(thing, (list, tuple, set)) or isinstance(thing, Iterator):
        return f"found {shown(thing)}, expected a part; put a star before it, as in add(*parts)"
    return (f"found {shown(thing)} ({type(thing).__name__}), expected a body, joint, constraint, force, motion, contact, "
            f"controller or event."
            f"{near_names(type(thing).__name__, [kind.__name__ for kind in PART_TYPES])}")
