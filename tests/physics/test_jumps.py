"""Laws that jump are named with a remedy; continuous ones, however steep, are not."""

from math import sin, tanh

import numpy as np
import pytest

import dalembert as dal
from dalembert.simulate import jumps


def slider(magnitude, **run):
    """Return a run of a mass on a spring with a force along its rail."""
    m = dal.Model("slider", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0), dal.Prismatic("x", "ground", "b", axis=(1, 0, 0), start_rate=1.0),
          dal.JointSpring("s", "x", stiffness=50.0), dal.Force("friction", "b", direction=(1, 0, 0), magnitude=magnitude))
    return dal.run(m, **run)


def driven(**law):
    """Return a run of a turning body that follows a law."""
    m = dal.Model("driven", gravity=(0, 0, 0))
    m.add(dal.Body("b", mass=1.0, inertia=(1, 1, 1)), dal.Revolute("pin", "ground", "b", axis=(0, 0, 1)),
          dal.Motion("drive", "pin", **law))
    return dal.run(m, until=1.0)


def sign_friction(t, x, v):
    return -2.0 * np.sign(v)


@pytest.mark.parametrize("law", [sign_friction, dal.law(sign_friction)], ids=["plain", "compiled"])
@pytest.mark.parametrize("formulation", ["auto", "global"])
def test_a_friction_law_that_jumps_is_named(law, formulation):
    """It sticks after a while, and every step across v = 0 has an error that no step length makes small."""
    r = slider(law, until=0.7, on_failure="return", formulation=formulation)
    told = [message for message in r.messages if "friction" in message]
    assert len(told) == 1 and "jumps" in told[0] and "tanh" in told[0]


@pytest.mark.parametrize("v0", [1e-1, 1e-3])
def test_a_steep_friction_law_is_not(v0):
    r = slider(lambda t, x, v: -2.0 * tanh(v / v0), until=0.7)
    assert r.status == "ok" and not any("jumps" in message for message in r.messages)


@pytest.mark.parametrize("v0", [1e-1, 1e-3])
def test_a_steep_compiled_law_is_not_even_if_looked_at(v0, monkeypatch):
    """Few steps are rejected, so that nothing looks; here it is made to."""
    monkeypatch.setattr(jumps, "MOST_REJECTED", -1.0)
    monkeypatch.setattr(jumps, "MANY_TRIES", 1)
    looked, found = [], jumps.jumping_compiled_laws
    monkeypatch.setattr(jumps, "jumping_compiled_laws", lambda *a: looked.append(1) or found(*a))
    r = slider(dal.law(lambda t, x, v: -2.0 * tanh(v / v0)), until=0.7)
    assert not any("jumps" in message for message in r.messages)
    assert looked


@pytest.mark.parametrize("kind", ["position", "speed"])
def test_a_drive_that_jumps_is_named_with_time_and_size(kind):
    r = driven(**{kind: lambda t: sin(3 * t) + (0.25 if t > 0.3137 else 0.0)})
    told = [message for message in r.messages if "motions.drive" in message]
    assert len(told) == 1 and "0.25" in told[0] and "0.3137" in told[0] and kind in told[0]


@pytest.mark.parametrize("kind", ["position", "speed"])
@pytest.mark.parametrize("law", [lambda t: sin(3 * t), lambda t: abs(t - 0.4), lambda t: tanh((t - 0.4) / 1e-4)],
                         ids=["smooth", "bent", "steep"])
def test_a_continuous_drive_is_not(kind, law):
    assert not any("jumps" in message for message in driven(**{kind: law}).messages)


@pytest.mark.parametrize("integrator", ["auto", "dopri5"])
def test_a_law_that_a_body_is_kept_at_the_jump_of_is_named(integrator):
    """Rubbing brings a free body to rest, and holds it there by ever changing signs: steps are short, few are rejected."""
    m = dal.Model("sledge", gravity=(0, 0, 0)).add(
        dal.Body("b", mass=1.0), dal.Prismatic("rail", "ground", "b", axis=(1, 0, 0), start_rate=1.0),
        dal.Force("rub", "b", direction=(1, 0, 0), magnitude=lambda t, x, v: -0.5 * np.sign(v)))
    r = dal.run(m, until=5.0, integrator=integrator)
    assert r.stats.rejected < 0.1 * r.stats.steps
    told = [message for message in r.messages if "forces.rub" in message]
    assert len(told) == 1 and "jumps, by 1 near" in told[0] and "tanh" in told[0]


@pytest.mark.parametrize("v0", [1e-3, 1e-6, 1e-9])
def test_a_stiff_law_that_is_continuous_is_not(v0):
    """It holds steps back as a jump does, and its values are far apart at all but the same speeds."""
    m = dal.Model("sledge", gravity=(0, 0, 0)).add(
        dal.Body("b", mass=1.0), dal.Prismatic("rail", "ground", "b", axis=(1, 0, 0), start_rate=1.0),
        dal.Force("rub", "b", direction=(1, 0, 0), magnitude=lambda t, x, v: -0.5 * tanh(v / v0)))
    r = dal.run(m, until=2.5)
    assert not any("jumps" in message for message in r.messages)
    assert any("stiff" in message for message in r.messages)
