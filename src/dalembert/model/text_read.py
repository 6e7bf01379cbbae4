"""From the data of a model text to a model: the words of the text are the fields of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from math import pi
from typing import Any

from .constraints import CONSTRAINTS, Distance
from .contacts import SHAPES as CONTACT_SHAPES
from .contacts import Contact, ContactGroup
from .control import Controller, Event
from .flexible import SECTIONS, Material
from .flexible_parts import FLEXIBLES, Beam, FlexibleBody
from .geometry import SIZES, Drawing
from .guesses import Guess
from .inertia import SHAPES, Inertia, shape_inertia
from .laws import Ramp, Sine, Table
from .model import Model
from .parts import FORCES, JOINTS, Body, Fixed, Force, Frame, Motion
from .records import Field, LawField, Number
from .text_write import type_name
from .units import QUANTITIES
from .values import Faults, number, shown
from .yaml_tree import TextFaults

_TOP = ("name", "gravity", "ground", "bodies", "flexible", "joints", "constraints", "forces", "motions",
        "contacts", "contact_groups", "controllers", "events", "run")
_DRIVES = (LawField("position"), LawField("speed"))
_TWO_PLACES = "two places: between: [ground, body.point]"
_TWO_JOINTS = "two joints: between: [first, second]"
_NEEDED = {"length": "length", "section": "{circle: {diameter: ...}}",
           "material": "{young: ..., poisson: ..., density: ...}", "to": "{joint: factor} or a joint with function: ..."}
_Kinds = Mapping[str, tuple[set[str], set[str]]]
"""Necessary and optional keys of each kind."""
_UNSAID: Any = None
"""Stands for what a text lacks; its fault has been found, and the check is silent about it."""
_LAWS: _Kinds = {
    "sine": (set(), {"amplitude", "omega", "frequency", "phase", "offset"}),
    "table": ({"t", "y"}, {"kind"}),
    "ramp": ({"begin", "finish"}, {"start", "end"}),
}


def model_of(data: Any, faults: TextFaults, name: str) -> Model:
    """Build the model of a text's data; whatever is faulty is reported and left out or replaced by a substitute."""
    if not isinstance(data, dict):
        faults.flag("text", f"found {shown(data)}, expected a model: 'name:', 'bodies:', 'joints:' ...")
        return Model(name)
    _flag_unknown(faults, "", data, _TOP)
    model = Model(data.get("name", name), run=data.get("run"))
    if "gravity" in data:
        model.gravity = data["gravity"]
    model.ground = _points(faults, "ground", data.get("ground"))
    readers: dict[str, Callable[[TextFaults, str, Any, dict[str, Any]], Any]] = {
        "bodies": _body, "flexible": _flexible, "joints": _joint, "constraints": _constraint, "forces": _force,
        "motions": _motion, "contacts": _contact, "contact_groups": _group,
        "controllers": _controller, "events": _event}
    for section, reader in readers.items():
        for key, entry in _entries(faults, section, data.get(section)):
            model.add(reader(faults, f"{section}.{key}", key, entry))
    return model


def _flag_unknown(faults: TextFaults, where: str, data: dict[str, Any], known: Iterable[str]) -> None:
    known = tuple(known)
    for key in data:
        if key not in known:
            path = f"{where}.{key}" if where else str(key)
            faults.flag(path, f"unknown key {shown(key)}.{faults.near(key, known)}")


def _entries(faults: TextFaults, section: str, data: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Return the named entries of a section that are mappings; an empty one counts as such."""
    if data is None:
        return []
    if not isinstance(data, dict):
        faults.flag(section, f"found {shown(data)}, expected names with their data: 'name: {{...}}'")
        return []
    entries = []
    for key, entry in data.items():
        if entry is not None and not isinstance(entry, dict):
            faults.flag(f"{section}.{key}", f"found {shown(entry)}, expected {{key: value, ...}}")
            entry = None
        entries.append((key, entry or {}))
    return entries


def _points(faults: TextFaults, where: str, data: Any) -> Any:
    """Turn ``{position:, rotation:}`` into frames; the check reads the rest."""
    if not isinstance(data, dict):
        return data
    points = {}
    for key, point in data.items():
        if isinstance(point, dict):
            _flag_unknown(faults, f"{where}.{key}", point, ("position", "rotation"))
            point = Frame(**{k: v for k, v in point.items() if k in ("position", "rotation")})
        points[key] = point
    return points


def _body(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Body:
    values = _known_fields(faults, where, data, Body)
    if "points" in values:
        values["points"] = _points(faults, where + ".points", values["points"])
    if isinstance(values.get("inertia"), dict):
        values["inertia"] = _inertia(faults, where + ".inertia", values["inertia"], values.get("mass", 0.0))
    if isinstance(values.get("drawing"), list):
        values["drawing"] = [_drawing(faults, f"{where}.drawing[{i}]", each) for i, each in enumerate(values["drawing"])]
    return Body(name, **values)


def _drawing(faults: TextFaults, where: str, data: Any) -> Drawing:
    """Read ``{sphere: {size: [0.1]}}`` and the like."""
    kinds: _Kinds = {kind: (set(), {"size", "position", "rotation", "file"}) for kind in SIZES}
    kind, values = _one_of(faults, where, data if isinstance(data, dict) else {}, kinds, "a shape")
    if values is None:
        return Drawing("sphere", (1.0,))
    return Drawing(kind, **values)


def _controller(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Controller:
    faults.flag(where, "a text cannot hold a control law; read the model in Python and add a Controller(name, ...)")
    faults.silent.update(f"{where}.{f.name}" for f in fields(Controller))
    return Controller(name, inputs=("time",), outputs=(), law=_no_law)


def _no_law(t: float, u: object) -> float:
    """Stand in for a law that a text cannot hold."""
    return 0.0


def _event(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Event:
    if "function" in data:
        faults.flag(where + ".function", "a text cannot hold a function; read the model in Python and add an Event(name, ...)")
    return Event(name, **_known_fields(faults, where, {k: v for k, v in data.items() if k != "function"}, Event))


def _flexible(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Any:
    kind = _kind_of(faults, where, data, FLEXIBLES)
    if kind is FlexibleBody:
        faults.flag(where + ".reduced", "a text cannot hold a reduced body; build the model in Python: FlexibleBody(name, "
                                        "flex.craig_bampton(...)), or give a beam")
    if kind is not Beam:
        faults.silent.update(f"{where}.{f.name}" for f in fields(Beam))
        return Beam(name, length=1.0, section=_UNSAID, material=_UNSAID)
    values = _known_fields(faults, where, data, Beam, ("type",))
    for key in ("length", "section", "material"):
        _need(faults, where, values, key)
    if isinstance(values["section"], dict):
        values["section"] = _section(faults, where + ".section", values["section"])
    if isinstance(values["material"], dict):
        values["material"] = _material(faults, where + ".material", values["material"])
    return Beam(name, **values)


def _section(faults: TextFaults, where: str, data: dict[str, Any]) -> Any:
    """Read ``{circle: {diameter: ...}}`` and the like."""
    kinds = {type_name(kind): kind for kind in SECTIONS}
    shape, sizes = _one_of(faults, where, data, {word: _words(kind) for word, kind in kinds.items()}, "a section")
    if sizes is None:
        faults.silent.add(where)
        return None
    for key in sizes:
        faults.lines[f"{where}.{key}"] = faults.line_of(f"{where}.{shape}.{key}")
    return kinds[shape](**sizes)


def _material(faults: TextFaults, where: str, data: dict[str, Any]) -> Material | None:
    needed, optional = _words(Material)
    _flag_unknown(faults, where, data, sorted(needed | optional))
    missing = sorted(needed - data.keys())
    if missing:
        faults.flag(where, f"lacks {' and '.join(missing)}; give {', '.join(key + ': ...' for key in missing)}")
        faults.silent.add(where)
        return None
    return Material(**{key: value for key, value in data.items() if key in needed | optional})


def _words(kind: type[Any]) -> tuple[set[str], set[str]]:
    """Return the necessary and the optional fields of a material or section."""
    return ({f.name for f in fields(kind) if f.default is MISSING}, {f.name for f in fields(kind) if f.default is not MISSING})


def _inertia(faults: TextFaults, where: str, data: dict[str, Any], mass: Any) -> Inertia:
    """Read ``{rod: {length:, axis:}}`` and the like; the mass is the body's."""
    shape, sizes = _one_of(faults, where, data, SHAPES, "a shape")
    if sizes is None:
        return (0.0, 0.0, 0.0)
    kg = number(Faults(), "", mass, "kg", least=0.0)
    return shape_inertia(faults, f"{where}.{shape}", shape, kg, sizes)


def _one_of(faults: TextFaults, where: str, data: dict[str, Any], kinds: _Kinds, what: str
            ) -> tuple[str, dict[str, Any] | None]:
    """Read ``{kind: {key: value}}`` with one known kind and all its necessary keys; None after a fault."""
    listed = ", ".join(kinds)
    if len(data) != 1:
        faults.flag(where, f"found {shown(data)}, expected {what}, one of {listed}, as in "
                           f"{{{next(iter(kinds))}: {{...}}}}")
        return "", None
    (kind, values), = data.items()
    if kind not in kinds:
        faults.flag(where, f"unknown kind {shown(kind)}, expected {what}.{faults.near(kind, kinds)}")
        return "", None
    path = f"{where}.{kind}"
    needed, optional = kinds[kind]
    if not isinstance(values, dict):
        faults.flag(path, f"found {shown(values)}, expected {{{', '.join(sorted(needed | optional))}}} with values")
        return kind, None
    _flag_unknown(faults, path, values, sorted(needed | optional))
    missing = sorted(needed - values.keys())
    if missing:
        faults.flag(path, f"lacks {' and '.join(missing)}; give {', '.join(key + ': ...' for key in missing)}")
        return kind, None
    return kind, {key: value for key, value in values.items() if key in needed | optional}


def _known_fields(faults: TextFaults, where: str, data: dict[str, Any], kind: type, extra: tuple[str, ...] = (),
                  hidden: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the values of a part's fields and report unknown keys; `extra` are other words of the text."""
    known = [f.name for f in fields(kind) if f.name not in ("name", *hidden)]
    _flag_unknown(faults, where, data, (*extra, *known))
    return {key: data[key] for key in known if key in data}


def _kind_of(faults: TextFaults, where: str, data: dict[str, Any], kinds: tuple[type[Any], ...]) -> type[Any] | None:
    """Find the class for ``type:``; after a near miss the class that was meant, otherwise None."""
    names = {type_name(kind): kind for kind in kinds}
    said = data.get("type")
    if said is None:
        faults.flag(where, f"lacks 'type', expected one of {', '.join(names)}")
        return None
    plain = {name.replace("-", ""): kind for name, kind in names.items()}
    same = str(said).lower().replace("-", "").replace("_", "").replace(" ", "")
    if same in plain:
        return plain[same]
    hint = faults.near(said, names)
    faults.flag(where + ".type", f"unknown type {shown(said)}.{hint}")
    return next((kind for name, kind in names.items() if f"mean {name!r}" in hint), None)


def _ends(faults: TextFaults, where: str, data: dict[str, Any], what: str = _TWO_PLACES) -> dict[str, Any]:
    """Read ``between: [first, second]``."""
    ends = data.get("between")
    if not isinstance(ends, list) or len(ends) != 2:
        found = f"found {shown(ends)}" if "between" in data else "lacks 'between'"
        faults.flag(where + ".between", f"{found}, expected {what}")
        faults.silent.update((where + ".first", where + ".second"))
        return {"first": None, "second": None}
    for i, side in enumerate(("first", "second")):
        faults.lines[f"{where}.{side}"] = faults.line_of(f"{where}.between[{i}]")
    return {"first": ends[0], "second": ends[1]}


def _joint(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Any:
    kind = _kind_of(faults, where, data, JOINTS)
    ends = _ends(faults, where, data)
    if kind is None:
        return Fixed(name, **ends)
    values = _known_fields(faults, where, data, kind, ("type", "between"), ("first", "second"))
    if isinstance(values.get("start"), dict):
        values["start"] = _guess(faults, where + ".start", values["start"])
    lead = kind.record.lead
    _need_all(faults, where, values, kind, () if lead is None else (lead.number,))
    return kind(name, **ends, **values)


def _guess(faults: TextFaults, where: str, data: dict[str, Any]) -> Any:
    """Read ``{guess: 0.3}``."""
    if list(data) != ["guess"]:
        faults.flag(where, f"found {shown(data)}, expected a start, or {{guess: ...}} for one that need not be kept")
        return None
    return Guess(data["guess"])


def _constraint(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Any:
    kind = _kind_of(faults, where, data, CONSTRAINTS)
    if kind is None:
        faults.silent.update((where + ".first", where + ".second"))
        return Distance(name, _UNSAID, _UNSAID)
    record = kind.record
    if record.on == "coordinate":
        values = _known_fields(faults, where, data, kind, ("type",))
    else:
        values = _known_fields(faults, where, data, kind, ("type", "between"), ("first", "second"))
        values |= _ends(faults, where, data, _TWO_PLACES if record.on == "places" else _TWO_JOINTS)
    _need_all(faults, where, values, kind, record.fields)
    return kind(name, **_with_laws(faults, where, values, record.fields))


def _force(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Any:
    kind = _kind_of(faults, where, data, FORCES)
    if kind is None:
        faults.silent.add(where + ".at")
        return Force(name, _UNSAID)
    record = kind.record
    if record.on == "places":
        values = _known_fields(faults, where, data, kind, ("type", "between"), ("first", "second"))
        values |= _ends(faults, where, data)
    else:
        values = _known_fields(faults, where, data, kind, ("type",))
    _need_all(faults, where, values, kind, record.fields)
    return kind(name, **_with_laws(faults, where, values, record.fields))


def _motion(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Motion:
    values = _known_fields(faults, where, data, Motion)
    _need(faults, where, values, "joint")
    return Motion(name, **_with_laws(faults, where, values, _DRIVES))


def _contact(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> Contact:
    values = _known_fields(faults, where, data, Contact, ("between",), ("first", "second"))
    ends = _ends(faults, where, data, "two shapes or places: between: [{sphere: {at: ball, radius: 0.1}}, ground.wall]")
    shapes = {side: _shape(faults, f"{where}.{side}", value) for side, value in ends.items()}
    return Contact(name, **shapes, **values)


def _group(faults: TextFaults, where: str, name: Any, data: dict[str, Any]) -> ContactGroup:
    values = _known_fields(faults, where, data, ContactGroup)
    _need(faults, where, values, "shapes")
    for key in ("shapes", "against"):
        if isinstance(values.get(key), list):
            values[key] = [_shape(faults, f"{where}.{key}[{i}]", each) for i, each in enumerate(values[key])]
    return ContactGroup(name, **values)


def _shape(faults: TextFaults, where: str, data: Any) -> Any:
    """Read ``{sphere: {at:, radius:}}`` and the like; a name is a point."""
    if not isinstance(data, dict):
        return data
    kinds = {type_name(kind): kind for kind in CONTACT_SHAPES}
    kind, values = _one_of(faults, where, data, {word: _words(each) for word, each in kinds.items()}, "a shape")
    if values is None:
        faults.silent.add(where)
        return None
    return kinds[kind](**values)


def _need_all(faults: TextFaults, where: str, values: dict[str, Any], kind: type, own: tuple[Field, ...]) -> None:
    """Report which necessary fields of a kind of part are missing; `own` are those that its record describes."""
    numbers = {field.name: _quantity(field) for field in own if isinstance(field, Number)}
    for key in [f.name for f in fields(kind) if f.default is MISSING and f.name not in ("name", "first", "second")]:
        _need(faults, where, values, key, numbers.get(key, ""))


def _quantity(field: Number) -> str:
    """Return what a number measures, in one word."""
    return QUANTITIES.get(field.unit, "a number").split()[-1] if isinstance(field.unit, str) else "number"


def _need(faults: TextFaults, where: str, values: dict[str, Any], key: str, what: str = "") -> None:
    """Report that a necessary key is missing, and fill it so that the rest can be checked."""
    if key not in values:
        faults.flag(where, f"lacks {key!r}; give {key}: {what or _NEEDED.get(key, 'name')}")
        faults.silent.add(f"{where}.{key}")
        values[key] = None


def _with_laws(faults: TextFaults, where: str, values: dict[str, Any], own: tuple[Field, ...]) -> dict[str, Any]:
    laws = {field.name for field in own if isinstance(field, LawField)}
    return {key: _law(faults, f"{where}.{key}", value) if key in laws and isinstance(value, dict) else value
            for key, value in values.items()}


def _law(faults: TextFaults, where: str, data: dict[str, Any]) -> Any:
    """Read ``{sine: {...}}``, ``{table: {...}}`` or ``{ramp: {...}}``; after a fault the number zero."""
    if "function" in data:
        faults.flag(where, f"found the function {shown(data['function'])}, which a text cannot hold; give a number, a "
                           "sine, a table or a ramp, or set the law in Python: replaced(part, field=function)")
        return 0.0
    kind, values = _one_of(faults, where, data, _LAWS, "a law")
    if values is None:
        return 0.0
    for key in values:
        faults.lines[f"{where}.{key}"] = faults.line_of(f"{where}.{kind}.{key}")
    if kind == "table":
        return Table(values["t"], values["y"], values.get("kind", "cubic"))
    if kind == "ramp":
        return Ramp(values["begin"], values["finish"], values.get("start", 0.0), values.get("end", 1.0))
    return _sine(faults, where, values)


def _sine(faults: TextFaults, where: str, values: dict[str, Any]) -> Sine | float:
    if ("omega" in values) == ("frequency" in values):
        faults.flag(where, "expected exactly one of omega [rad/s] and frequency [Hz] in a sine")
        return 0.0
    if "frequency" in values:
        values["omega"] = 2 * pi * number(faults, where + ".frequency", values.pop("frequency"), "Hz")
    return Sine(**{"amplitude": 1.0, **values})
