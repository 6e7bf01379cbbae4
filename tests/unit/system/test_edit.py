"""Parameters by name: tables of a changed value are those of the changed model, their derivatives those of differences."""

from dataclasses import replace

import numpy as np
import pytest
from random_models import random_tree

import dalembert as dal
from dalembert.codes import FormCode
from dalembert.model import laws
from dalembert.model.check import check
from dalembert.start.initial import prepare_start
from dalembert.system.edit import NUMBERS, SIZES, changed, derivative, in_lines, parameters, places, with_parameter
from dalembert.system.pack import pack
from dalembert.system.pack_natural import pack_global
from dalembert.system.parameters import parameters_of
from dalembert.topology.span import span

EPS = np.finfo(float).eps
ENTRIES = {"x": 0, "y": 1, "z": 2, "xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def constraints_model():
    """Return a model with every constraint, every kind of law, and a joint that is cut."""
    rod = dict(mass=1.3, com=(0.1, 0.2, -0.1), inertia=((0.1, 0.01, 0.02), (0.01, 0.2, 0.0), (0.02, 0.0, 0.15)),
               points={"p": dal.Frame((0.3, 0.1, 0.2), {"axis": (1.0, 2.0, 0.5), "angle": 0.7}), "s": (0.1, -0.2, 0.3)})
    names = "abcdefgh"
    m = dal.Model("all constraints", gravity=(0.1, -9.0, 1.0), ground={"o": (0.2, 0.3, 0.1)})
    m.add(*(dal.Body(name, **rod) for name in names))
    m.add(dal.Revolute("ja", "ground.o", "a", axis=(0.0, 0.6, 0.8), start=0.3, start_rate=1.0),
          dal.Revolute("jb", "b.p", "a.s", axis=(0.48, 0.6, 0.64), start=0.2),
          dal.Cylindrical("jc", "b.s", "c.p", axis=(0.6, 0.0, 0.8), start=(0.1, 0.2), armature=(0.2, 0.1)),
          dal.Free("jd", "ground", "d", start=(1, 2, 3), armature=(0.1, 0.2, 0.3, 0.4, 0.4, 0.4)),
          dal.Spherical("je", "d.p", "e", armature=0.3), dal.Planar("jf", "ground", "f.s", axis=(0.8, 0.6, 0.0)),
          dal.Screw("jg", "g.p", "f", axis=(0.0, 0.8, 0.6), pitch=0.3),
          dal.Universal("jh", "g.s", "h.p", axis1=(0.6, 0.8, 0.0), axis2=(0.0, 0.6, 0.8)))
    bump = laws.Table((0.0, 1.0, 2.0, 3.0), (0.0, 0.4, 0.2, 0.1))
    m.add(dal.Distance("rope", "a.p", "d.s", length=2.5),
          dal.Distance("winch", "a", "e", length=laws.Ramp(0.0, 1.0, 2.0, 3.0)),
          dal.PointOnLine("line", "b", "f.p", axis=(0.6, 0.0, 0.8)),
          dal.PointOnPlane("plane", "ground", "h", normal=(0.0, 0.6, 0.8), offset=0.4),
          dal.PointOnPlane("lift", "ground", "g", normal=(0.36, 0.48, 0.8), offset=laws.Sine(0.1, 2.0, 0.3, 0.2)),
          dal.Gear("gear", "ja", "jb", ratio=-2.0, offset=0.3), dal.Gear("loose", "ja", "jg", ratio=1.5),
          dal.CoordinateCoupling("sum", "jh", {"ja": 0.5, "jc.angle": -0.7}, offset=0.1, coordinate="angle1"),
          dal.CoordinateCoupling("cam", "jh", "ja", coordinate="angle2", function=bump),
          dal.Rolling("wheel", "ground", "c", radius=0.4, normal=(0.0, 0.6, 0.8), axis=(0.8, 0.6, 0.0)),
          dal.Rolling("ball", "ground", "e", radius=0.2), dal.Revolute("cut", "c.s", "h.s", axis=(0.6, 0.8, 0.0), cut=True))
    m.add(dal.JointSpring("coil", "ja", stiffness=3.0, damping=0.2, rest=0.1, effort=0.5),
          dal.JointSpring("slide", "jc", coordinate="displacement", stiffness=3.0, effort=laws.Sine(1.0, 2.0, 0.5, 0.1)),
          dal.Motor("motor", "jb", effort=laws.Ramp(0.1, 0.7, -1.0, 2.0)),
          dal.SpringDamper("spring", "a.p", "d", stiffness=5.0, damping=0.4, length=0.7, force=2.0),
          dal.Bushing("rubber", "ground", "e.p", stiffness=(1, 2, 3), damping=0.5, turning_stiffness=2.0,
                      turning_damping=(1, 2, 3)),
          dal.Force("push", "h.p", direction=(0.48, 0.6, 0.64), magnitude=bump, follow=True),
          dal.Torque("twist", "g", direction=(0.0, 0.6, 0.8), magnitude=1.5),
          dal.Motion("drive", "jf", coordinate="x", position=laws.Table((0.0, 1.0, 2.0), (0.0, 0.5, 0.2), "linear")),
          dal.Motion("pace", "jf", coordinate="angle", speed=laws.Sine(0.5, 3.0)))
    return m


def tree_model(seed):
    """Return a random tree whose directions are said as the check leaves them, so that a component can be changed."""
    model, _, _ = random_tree(np.random.default_rng(seed), 10, motions=True)
    checked = check(model)
    for joint in checked.joints:
        if hasattr(model[joint.name], "axis"):
            model = model.replaced(joint.name, axis=tuple(joint.axis))
        elif hasattr(model[joint.name], "axis1"):
            model = model.replaced(joint.name, axis1=tuple(joint.axis), axis2=tuple(joint.axis2))
    for force in checked.forces:
        if hasattr(model[force.name], "direction"):
            model = model.replaced(force.name, direction=tuple(force.direction))
    return model


MODELS = {"constraints": constraints_model, "tree 1": lambda: tree_model(1), "tree 2": lambda: tree_model(2)}


def chosen(known, kind):
    """Return the parameters to be looked at: all of the first two bodies, parts and laws; in random trees every sixth one."""
    bodies = {f"{name}." for name in "cdefgh"} if kind == "constraints" else set()
    return dict([(name, p) for name, p in known.items() if not name.startswith(tuple(bodies) or "no part")]
                [::1 if kind == "constraints" else 6])


def put(vector, component, value):
    """Return a tuple with another component."""
    array = np.array(vector, float)
    array[ENTRIES[component]] = value
    return tuple(array.tolist())


def said(model, name, value):
    """Return the model in which a user has said another value of a parameter."""
    owner, *path = name.split(".")
    if owner == "gravity":
        return model.replaced(gravity=put(model.gravity, path[0], value))
    if path[0] == "points":
        points = dict(model.ground if owner == "ground" else model[owner].points)
        old = points[path[1]]
        new = put(old.position if isinstance(old, dal.Frame) else old, path[2], value)
        points[path[1]] = replace(old, position=new) if isinstance(old, dal.Frame) else new
        return model.replaced(ground=points) if owner == "ground" else model.replaced(owner, points=points)
    part, field = model[owner], path[0]
    old = getattr(part, field)
    if field == "inertia":
        new = np.array(check(model).bodies[[b.name for b in model.bodies].index(owner) + 1].inertia)
        i, j = ENTRIES[path[1]]
        new[i, j] = new[j, i] = value
    elif field in ("com", "axis", "axis1", "axis2", "normal", "direction"):
        new = put(old, path[1], value)
    elif field in ("start", "start_rate"):
        joint = next(j for j in check(model).joints if j.name == owner)
        full = getattr(joint, field)
        if full is None:
            full = np.zeros(6 if joint.code.name == "FREE" else len(joint.coordinates) - (joint.code.name == "SPHERICAL"))
        turns = ("turn_x", "turn_y", "turn_z")
        free = joint.code.name in ("FREE", "SPHERICAL") and field == "start_rate"
        words = (("x", "y", "z", *turns) if joint.code.name == "FREE" else turns) if free else joint.coordinates
        new = np.array(full, float)
        new[words.index(path[1]) if len(path) > 1 else 0] = value
        new = tuple(new.tolist()) if len(new) > 1 else float(new[0])
    elif field == "armature":
        joint = next(j for j in check(model).joints if j.name == owner)
        count = {"FREE": 6, "SPHERICAL": 3}.get(joint.code.name, len(joint.coordinates))
        new = np.array(np.broadcast_to(joint.armature, count), float)
        at = slice(None) if len(path) == 1 else slice(3, 6) if path[1] == "turn" else joint.coordinates.index(path[1])
        new[at] = value
        new = tuple(new.tolist())
    elif field == "to":
        key = list(old)[int(path[1]) - 1]
        new = {**old, key: value}
    elif isinstance(part, dal.Bushing):
        new = put(np.broadcast_to(old, 3), path[1], value)
    elif len(path) == 1:
        new = value
    elif path[1] == "y":
        new = replace(old, y=tuple(value if k == int(path[2]) else y for k, y in enumerate(old.y)))
    else:
        new = replace(old, **{path[1]: value})
    return model.replaced(owner, **{field: new})


def same_bits(one, other):
    """Compare tables bit by bit; addresses of laws differ from one packing to the next."""
    for name in one._fields:
        a, b = getattr(one, name), getattr(other, name)
        if isinstance(a, tuple):
            same_bits(a, b)
        elif a.dtype.names:
            for field in a.dtype.names:
                assert (name, field) == ("law", "address") or a[field].tobytes() == b[field].tobytes(), (name, field)
        else:
            assert a.tobytes() == b.tobytes(), name


def other_value(model, name, old):
    """Return another admissible value."""
    if name.endswith((".begin",)):
        return old - 0.125
    return 0.75 * old + (0.3 if "inertia" not in name else 0.001)


@pytest.mark.parametrize("kind", MODELS)
def test_a_changed_parameter_gives_the_tables_of_the_changed_model(kind):
    model = MODELS[kind]()
    packed = pack(span(check(model)), FormCode.SEMI_RECURSIVE if kind == "constraints" else FormCode.TREE)
    known = parameters_of(packed.plan.model)
    assert len(known) > 150 and set(known) == set(parameters(model)) == set(parameters(packed))
    for name, parameter in chosen(known, kind).items():
        value = other_value(model, name, parameter.value)
        if (".armature" in name or ".start" in name) and name.partition(".")[0] == "cut":
            with pytest.raises(dal.ModelError, match="closes a loop"):
                with_parameter(packed, name, value)
            continue
        expected = pack(replace(packed.plan, model=span(check(said(model, name, value))).model),
                        FormCode(int(packed.system.constants[0].form)))
        found = with_parameter(packed, name, value)
        same_bits(found.system, expected.system)
        assert found.layout == expected.layout and found.breaks == expected.breaks, name
        assert f"# changed after packing: {name} = " in found.plan.model.text
        assert not any(table.flags.writeable for table in found.system if isinstance(table, np.ndarray)), name
        assert all(in_lines(table) for table in (found.system.body, found.system.force))
        assert parameters_of(found.plan.model)[name].value == pytest.approx(value, rel=1e-12) or parameter.degree == 0


def numbers(system):
    """Return all numbers of a user's tables that are no sizes, one after the other."""
    return np.concatenate([np.ravel(getattr(system, t)[f]) for t in NUMBERS for f in getattr(system, t).dtype.names
                           if getattr(system, t)[f].dtype == float and (t, f) not in SIZES])


@pytest.mark.parametrize("kind", MODELS)
def test_derivatives_are_those_of_the_changed_models(kind):
    """Against differences of packed models, extrapolated twice, from steps that are not those of the derivative."""
    model = MODELS[kind]()
    packed = pack(span(check(model)), FormCode.SEMI_RECURSIVE if kind == "constraints" else FormCode.TREE)
    jumps = 0
    for name, parameter in chosen(parameters_of(packed.plan.model), kind).items():
        if ".start" in name or (name.startswith("cut.armature")):
            continue
        try:
            found = derivative(packed, name)
        except dal.ModelError as error:
            assert "where the axes built on it jump" in str(error)
            jumps += 1
            continue
        mine = numbers(packed.system._replace(**{t: found.get(t, np.zeros_like(getattr(packed.system, t))) for t in NUMBERS}))

        def at(s, parameter=parameter):
            plan = replace(packed.plan, model=parameter.write(packed.plan.model, parameter.value + s))
            return numbers(pack(plan, FormCode(int(packed.system.constants[0].form))).system)

        h = 3e-3
        slopes = [(at(k * h) - at(-k * h)) / (2 * k * h) for k in (1, 2, 4)]
        once = [(4 * slopes[k] - slopes[k + 1]) / 3 for k in (0, 1)]
        expected = (16 * once[0] - once[1]) / 15
        scale = max(1.0, np.abs(numbers(packed.system)).max())
        rounded = 20 * EPS * scale / h + (1e-9 if parameter.degree == 0 else 0.0)  # sixth order in h along directions
        assert np.abs(mine - expected).max() <= rounded, name
        assert np.any(mine) or "points" in name or parameter.degree == 0, name  # z of a direction along z does nothing
    assert jumps <= 2


def test_the_map_of_a_parameter_is_exact_where_the_tables_copy_it():
    model = constraints_model()
    packed = pack(span(check(model)), FormCode.SEMI_RECURSIVE)

    def only(name):
        (place,) = places(packed, name)
        return place.table, place.field, place.component, place.factor

    assert only("spring.stiffness") == ("force", "k", 0, 1.0)
    assert only("rubber.turning_damping.z") == ("force", "ct", 2, 1.0)
    assert only("coil.rest") == ("force", "rest", None, 1.0)
    assert only("gear.ratio") == ("term", "c", None, -1.0)
    assert only("rope.length") == ("row", "c", None, 1.0)
    assert only("pace.speed.omega") == ("law", "p", 1, 1.0)
    assert only("gravity.y") == ("constants", "g_w", 1, 1.0)
    assert only("ja.start") == ("q", "", None, 1.0)
    assert [p.factor for p in places(packed, "je.armature")] == [1.0, 1.0, 1.0]
    assert {p.field for p in places(packed, "a.mass")} == {"mass", "h_b", "J_b"}


def test_masses_enter_by_the_theorem_of_parallel_axes():
    """J of a point mass is its derivative by the mass, times the mass."""
    model = dal.Model("m").add(dal.Body("bob", mass=2.0, com=(0.3, -0.4, 1.2)), dal.Spherical("ball", "ground", "bob"))
    packed = pack(span(check(model)))
    slope = derivative(packed, "bob.mass")["body"][1]
    assert slope["mass"] == 1.0 and np.array_equal(slope["h_b"], (0.3, -0.4, 1.2))
    assert np.allclose(2.0 * slope["J_b"], packed.system.body[1]["J_b"], rtol=4 * EPS)
    (x,) = [derivative(packed, "bob.com.x")["body"][1]]
    assert np.allclose(x["J_b"], 2.0 * np.array([0, 0.4, -1.2, 2 * 0.3, 0, 2 * 0.3]), rtol=4 * EPS)


def test_several_numbers_are_written_at_once():
    packed = pack(span(check(constraints_model())), FormCode.SEMI_RECURSIVE)
    for part, field in (("a", "com"), ("ja", "axis")):
        model = constraints_model().replaced(part, **{field: (1.0, 2.0, 3.0)})
        found = with_parameter(packed, f"{part}.{field}", (1.0, 2.0, 3.0))
        same_bits(found.system, pack(span(check(model)), FormCode.SEMI_RECURSIVE).system)


@pytest.mark.parametrize("name, value, message", [
    ("spring.stifness", 1.0, "no parameter 'spring.stifness'.*Did you mean 'spring.stiffness'"),
    ("spring", 1.0, "no parameter 'spring'. It has the parameters spring.stiffness, spring.damping, spring.length"),
    ("spring.stiffness", -1.0, "spring.stiffness: found -1.0, expected a"),
    ("spring.stiffness", float("nan"), "spring.stiffness: found nan"),
    ("a.com", (1.0, 2.0), "a.com: found 2 values, expected 3"),
    ("gear.ratio", 0.0, "found the factor zero"),
    ("a.inertia.xy", 5.0, "found the principal moment -"),
    ("ja.axis", (0.0, 0.0, 0.0), "direction of length zero"),
    ("motor.effort.finish", 0.05, "found a ramp that ends at 0.05"),
    ("rope.length", 0.0, "rope.length: found 0.0, expected .* greater than 0"),
    ("a.mass", -1.0, "a.mass: found -1.0"),
])
def test_faults_are_named(name, value, message):
    packed = pack(span(check(constraints_model())), FormCode.SEMI_RECURSIVE)
    with pytest.raises(dal.ModelError, match=message):
        with_parameter(packed, name, value)


def test_values_may_have_units():
    packed = pack(span(check(constraints_model())), FormCode.SEMI_RECURSIVE)
    assert with_parameter(packed, "spring.length", "70 cm").system.force["rest"][3] == pytest.approx(0.7)
    assert with_parameter(packed, "coil.rest", "5 deg").system.force["rest"][0] == pytest.approx(5 * dal.deg)


def four_bar():
    """Return a loop with a distance that the start gives."""
    rod = dict(mass=1.0, inertia=(0.1, 0.1, 0.1), points={"tip": (1.0, 0.0, 0.0)})
    return dal.Model("four-bar", ground={"B": (1.5, 0.0, 0.0)}).add(
        dal.Body("a", **rod), dal.Body("b", **rod), dal.Revolute("ja", "ground", "a", start=1.2),
        dal.Revolute("jb", "ground.B", "b", start=1.7), dal.Distance("rod", "a.tip", "b.tip"),
        dal.SpringDamper("spring", "a.tip", "b", stiffness=3.0))


@pytest.mark.parametrize("formulation", ["semi-recursive", "global"])
@pytest.mark.parametrize("name, value", [("spring.stiffness", 9.0), ("a.mass", 3.0), ("a.points.tip.x", 1.25)])
def test_what_a_start_has_found_stays(formulation, name, value):
    begin = prepare_start(four_bar(), formulation=formulation)
    packed = (begin.natural or begin).packed
    row = packed.system.row
    assert np.any(row["penalty"]) and np.any(row["c"])
    found = with_parameter(packed, name, value)
    assert np.array_equal(found.system.row["penalty"], row["penalty"])
    assert found.system.row["c"][0] == row["c"][0] != 0.0
    fresh = pack(span(check(said(four_bar(), name, value))), FormCode.SEMI_RECURSIVE)
    fresh = changed(fresh, row={"c": begin.packed.system.row["c"], "penalty": begin.packed.system.row["penalty"]})
    if formulation == "global":
        fresh = pack_global(fresh)
        fresh = changed(fresh, row={"penalty": row["penalty"]})
    same_bits(found.system, fresh.system)


def test_changed_replaces_tables_and_columns_and_freezes_them():
    packed = pack(span(check(constraints_model())))
    stiff = changed(packed, force={"k": 2.0 * packed.system.force["k"], "rest": 0.0}, drive=packed.system.drive[:0])
    assert np.array_equal(stiff.system.force["k"], 2.0 * packed.system.force["k"]) and not np.any(stiff.system.force["rest"])
    assert len(stiff.system.drive) == 0 and not stiff.system.force.flags.writeable and np.any(packed.system.force["rest"])
    assert in_lines(stiff.system.force) and stiff.system.body is packed.system.body
    assert changed(packed.system, dof=packed.system.dof.copy()).dof.flags.writeable is False
