"""Check of controllers and events: their numbers, functions and the force elements that controllers act on.

Their channels are looked up once the model is packed, in start/control.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any

from .checked import CheckedController, CheckedEvent
from .control import Controller, Event
from .laws import AsList, CompiledLaw
from .records import LawField
from .values import Faults, flag, number, shown

DIRECTIONS = {"both": 0, "up": 1, "down": -1}


def read_controller(faults: Faults, where: str, controller: Controller, forces: Sequence[Any], taken: dict[str, str]
                    ) -> CheckedController:
    """Check a controller; `taken` holds which controller moves which force element so far."""
    inputs = _channels(faults, where + ".inputs", controller.inputs)
    memory = _numbers(faults, where + ".memory", controller.memory)
    every = controller.every
    if every is not None:
        every = number(faults, where + ".every", every, "s", above=0.0)
    elif memory:
        faults.flag(where + ".memory", "found a memory without `every`: a continuous law is asked several times a step, "
                                       "expected a sampled one; give every=")
    _check_function(faults, where + ".law", controller.law, 3 if memory else 2, "f(t, u, memory)" if memory else "f(t, u)")
    outputs = _outputs(faults, where + ".outputs", controller, forces, taken)
    return CheckedController(controller.name, inputs, outputs, controller.law, every, memory)


def read_event(faults: Faults, where: str, event: Event) -> CheckedEvent:
    """Check an event."""
    given = [event.inputs] if isinstance(event.inputs, str) else event.inputs
    inputs = _channels(faults, where + ".inputs", given)
    if event.function is not None:
        _check_function(faults, where + ".function", event.function, 2, "f(t, u)")
    if not isinstance(event.direction, str) or event.direction not in DIRECTIONS:
        faults.flag(where + ".direction", f"found {shown(event.direction)}, expected 'both', 'up' or 'down'")
    return CheckedEvent(event.name, inputs, event.function, number(faults, where + ".value", event.value, ""),
                        DIRECTIONS.get(event.direction, 0) if isinstance(event.direction, str) else 0,
                        flag(faults, where + ".stop", event.stop))


def _channels(faults: Faults, where: str, channels: Any) -> tuple[str, ...]:
    if isinstance(channels, (list, tuple)) and channels and all(isinstance(c, str) for c in channels):
        return tuple(channels)
    faults.flag(where, f"found {shown(channels)}, expected names of channels, such as ['elbow.angle', 'elbow.speed']")
    return ()


def _numbers(faults: Faults, where: str, values: Any) -> tuple[float, ...]:
    values = values.tolist() if isinstance(values, AsList) else values
    if not isinstance(values, (list, tuple)):
        faults.flag(where, f"found {shown(values)}, expected numbers, such as (0.0, 0.0)")
        return ()
    return tuple(number(faults, f"{where}[{i}]", value, "") for i, value in enumerate(values))


def _check_function(faults: Faults, where: str, function: Any, count: int, form: str) -> None:
    inner = function.function if isinstance(function, CompiledLaw) else function
    if not callable(inner):
        faults.flag(where, f"found {shown(function)}, expected a function {form}")
        return
    try:
        signature(inner).bind(*range(count))
    except TypeError:
        found = f"{getattr(inner, '__name__', 'f')}{signature(inner)}"
        faults.flag(where, f"found a function of other arguments, {found}, expected {form}")
    except ValueError:  # a built-in one, which does not say
        pass


def _outputs(faults: Faults, where: str, controller: Controller, forces: Sequence[Any], taken: dict[str, str]
             ) -> tuple[int, ...]:
    """Rows of the force elements that a controller moves."""
    rows = {force.name: i for i, force in enumerate(forces)}
    found = []
    if isinstance(controller.outputs, str) or not isinstance(controller.outputs, (list, tuple)) or not controller.outputs:
        faults.flag(where, f"found {shown(controller.outputs)}, expected names of force elements, such as ['elbow motor']")
        return ()
    for name in controller.outputs:
        if not isinstance(name, str) or name not in rows:
            faults.flag(where, f"no force element {shown(name)}.{faults.near(name, rows)}")
        elif not any(isinstance(field, LawField) for field in forces[rows[name]].record.fields):
            faults.flag(where, f"{name!r} has no effort of its own to add to; expected a motor, force, torque or spring")
        elif taken.setdefault(name, controller.name) is not controller.name or rows[name] in found:
            faults.flag(where, f"{name!r} is moved by {taken[name]!r} already, expected one controller per force element; let "
                               "one law return the sum")
        else:
            found.append(rows[name])
    return tuple(found)
