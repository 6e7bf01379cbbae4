"""From what the user said to a faultless model: every name resolved, every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ModelError
from .check_constraints import read_constraint
from .check_contacts import read_contact, read_group
from .check_control import read_controller, read_event
from .check_flexible_parts import read_flexible
from .check_forces import read_force, read_motion
from .check_joints import read_joint
from .checked import CheckedBody, CheckedJoint, CheckedModel, Place
from .geometry import check_drawings
from .model import Model
from .names import Names, name_is_good
from .parts import MOST_SUBSTEPS, OWN_STEPS, Body, Frame
from .text_write import to_text
from .values import EYE3, ZERO3, Faults, frozen, matrix, number, rotation, row, shown, vector

_TRIANGLE = 1e-3
"""Principal moments may break the triangle inequality by what rounding to three digits does."""
_ZERO_MOMENT = 1e-9
"""Principal moments below this part of the largest are zero but for rounding."""
_RUN_NUMBERS = {"until": "s", "step": "s", "accuracy": "", "record": "s"}
_RUN_WORDS = ("formulation", "integrator")
RUN_KEYS = (*_RUN_NUMBERS, *_RUN_WORDS)


def check(model: Model) -> CheckedModel:
    """Check a model and resolve its names.

    Parameters
    ----------
    model : Model

    Returns
    -------
    CheckedModel
        Row 0 of its bodies is the ground; its `notes` list what is odd but can be computed with.

    Raises
    ------
    ModelError
        With every fault of the model; `ModelError.faults` lists them.
    """
    faults = Faults()
    checked = find_faults(model, faults)
    if faults:
        raise ModelError(faults, str(model.name))
    return CheckedModel(**checked, text=to_text(model), source=model.replaced())


def find_faults(model: Model, faults: Faults) -> dict[str, Any]:
    """Add all faults of a model to `faults` and return the fields of the checked model."""
    if not isinstance(model, Model):
        raise ModelError(f"found {shown(model)}, expected a Model; build one with Model('name').add(...)")
    name_is_good(faults, "name", model.name)
    gravity = frozen(vector(faults, "gravity", model.gravity, "m/s²"))
    sections = model.sections()
    names = Names(faults, sections)
    bodies = [CheckedBody("ground", 0.0, ZERO3, frozen(np.zeros((3, 3))), _points(faults, "ground", 0, "ground",
                                                                                model.ground))]
    bodies += [_read_body(faults, f"bodies.{body.name}", i, body) for i, body in enumerate(sections["bodies"], 1)]
    flexibles = []
    for part in sections["flexible"]:
        rows = read_flexible(faults, f"flexible.{part.name}", part, len(bodies))
        bodies += rows.faces
        flexibles += rows.flexibles
        names.take_places(part.name, rows.places)
    names.take_points(bodies)
    joints = tuple([read_joint(faults, f"joints.{j.name}", j, names) for j in sections["joints"]])
    constraints = tuple([read_constraint(faults, f"constraints.{c.name}", c, names) for c in sections["constraints"]])
    forces = tuple([read_force(faults, f"forces.{f.name}", f, names) for f in sections["forces"]])
    driven: dict[tuple[int, int], str] = {}
    motions = tuple([read_motion(faults, f"motions.{m.name}", m, names, driven) for m in sections["motions"]])
    _refuse_driven_limits(faults, joints, driven)
    contacts = tuple([read_contact(faults, f"contacts.{c.name}", c, names) for c in sections["contacts"]])
    groups = tuple([read_group(faults, f"contact_groups.{g.name}", g, names) for g in sections["contact_groups"]])
    moved: dict[str, str] = {}
    controllers = tuple([read_controller(faults, f"controllers.{c.name}", c, sections["forces"], moved)
                         for c in sections["controllers"]])
    events = tuple([read_event(faults, f"events.{e.name}", e) for e in sections["events"]])
    return {"name": model.name, "gravity": gravity, "bodies": tuple(bodies), "joints": joints,
            "constraints": constraints, "forces": forces, "motions": motions, "run": _read_run(faults, model.run),
            "notes": tuple(faults.notes), "flexibles": tuple(flexibles), "controllers": controllers,
            "events": events, "contacts": contacts, "groups": groups}


def _refuse_driven_limits(faults: Faults, joints: tuple[CheckedJoint, ...], driven: dict[tuple[int, int], str]) -> None:
    for index, joint in enumerate(joints):
        for k, _, _ in joint.limits:
            if (index, k) in driven:
                faults.flag(f"joints.{joint.name}.limits", f"the motion {driven[index, k]!r} prescribes the coordinate, "
                            "which a limit cannot stop; leave the limits out, or drive it by a Motor")


def _read_body(faults: Faults, where: str, index: int, body: Body) -> CheckedBody:
    mass = number(faults, where + ".mass", body.mass, "kg", least=0.0, remedy="zero is legal")
    com = vector(faults, where + ".com", body.com, "m")
    if body.drawing:
        check_drawings(faults, where + ".drawing", body.drawing)
    return CheckedBody(
        name=body.name,
        mass=mass,
        com=ZERO3 if com == (0.0, 0.0, 0.0) else frozen(com),
        inertia=_read_inertia(faults, where + ".inertia", body.inertia),
        integrator=_read_own_steps(faults, where, body),
        substeps=body.substeps,
        points=_points(faults, where + ".points", index, body.name, body.points),
    )


def _read_own_steps(faults: Faults, where: str, body: Body) -> str | None:
    """Check a body's own integrator and substeps."""
    if body.integrator is not None and body.integrator not in OWN_STEPS:
        faults.flag(where + ".integrator", f"found {shown(body.integrator)}.{faults.near(str(body.integrator), OWN_STEPS)}")
    n = body.substeps
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MOST_SUBSTEPS:
        faults.flag(where + ".substeps", f"found {shown(n)}, expected a whole number from 1 to {MOST_SUBSTEPS}")
    return body.integrator


def _points(faults: Faults, where: str, body: int, owner: str, points: Any) -> dict[str, Place]:
    """Read the named places of a body or of the ground."""
    if points is None:
        return {}
    if not isinstance(points, Mapping):
        faults.flag(where, f"found {shown(points)}, expected names with places: {{'tip': (x, y, z)}}")
        return {}
    places = {}
    for name, point in points.items():
        path = f"{where}.{name}"
        if name_is_good(faults, path, name):
            places[name] = _read_point(faults, path, body, f"{owner}.{name}", point)
    return places


def _read_point(faults: Faults, where: str, body: int, text: str, point: Any) -> Place:
    if isinstance(point, Frame):
        position = vector(faults, where + ".position", point.position, "m")
        return Place(body, frozen(position), rotation(faults, where + ".rotation", point.rotation), text)
    return Place(body, frozen(vector(faults, where, point, "m")), EYE3, text)


def _read_inertia(faults: Faults, where: str, inertia: Any) -> np.ndarray:
    """Read an inertia [kg m²]: three principal moments or a symmetric matrix, none of its moments below zero."""
    values = inertia.tolist() if isinstance(inertia, np.ndarray) else inertia
    if not isinstance(values, (list, tuple)) or len(values) != 3:
        faults.flag(where, f"found {shown(inertia)}, expected three principal moments or a 3x3 matrix [kg m²]; "
                           "inertia_box, inertia_rod, inertia_cylinder and inertia_sphere compute it")
        return np.zeros((3, 3))
    if isinstance(values[0], (list, tuple, np.ndarray)):
        return _read_inertia_matrix(faults, where, values)
    moments = row(faults, where, values, (3,), ("kg m²",), "three moments")
    if moments is None:
        return np.zeros((3, 3))
    _check_moments(faults, where, sorted(moments))
    a, b, c = moments
    return frozen(((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)))


def _read_inertia_matrix(faults: Faults, where: str, values: Any) -> np.ndarray:
    found = matrix(faults, where, values, "kg m²")
    if found is None:
        return np.zeros((3, 3))
    scale = float(np.abs(found).max())
    error = float(np.abs(found - found.T).max())
    if error > 1e-6 * scale:
        i, j = np.unravel_index(np.argmax(np.abs(found - found.T)), (3, 3))
        faults.flag(where, f"the matrix is not symmetric: [{i}][{j}] is {found[i, j]:g} and [{j}][{i}] is "
                           f"{found[j, i]:g}, expected equal numbers; mind the sign of products of inertia")
        return found
    found = 0.5 * (found + found.T)
    _check_moments(faults, where, np.linalg.eigvalsh(found).tolist())
    return frozen(found)


def _check_moments(faults: Faults, where: str, moments: list[float]) -> None:
    """Check principal moments in ascending order; impossible ones can be computed with unless they are negative."""
    small, middle, large = moments
    if small >= 0.0 and large <= small + middle:
        return
    listed = f"({small:.6g}, {middle:.6g}, {large:.6g})"
    zero = _ZERO_MOMENT * max(abs(small), abs(large))
    if small < -zero:
        faults.flag(where, f"found the principal moments {listed}, expected none below zero; check the signs, and that "
                           "the inertia is about the centre of mass")
    elif large > (small + middle) * (1 + _TRIANGLE):
        faults.note(where, f"found the principal moments {listed}, expected none above the sum of the other two; no body has "
                           "such an inertia, computed with as given: check the numbers and that it is about the centre of "
                           "mass")


def _read_run(faults: Faults, run: Any) -> dict[str, Any]:
    """Read the defaults of a run."""
    if not isinstance(run, Mapping):
        faults.flag("run", f"found {shown(run)}, expected options such as {{until: 5.0}}")
        return {}
    read: dict[str, Any] = {}
    for key, value in run.items():
        where = f"run.{key}"
        if key == "record" and isinstance(value, (list, tuple, np.ndarray)):
            read[key] = row(faults, where, value, (len(value),), ("s",), "times")
        elif key in _RUN_NUMBERS:
            read[key] = number(faults, where, value, _RUN_NUMBERS[key], above=0.0)
        elif key in _RUN_WORDS:
            read[key] = value
            if not isinstance(value, str):
                faults.flag(where, f"found {shown(value)}, expected the name of a {key}, such as 'auto'")
        else:
            faults.flag(where, f"unknown option {shown(key)}.{faults.near(key, RUN_KEYS)}")
    return read
