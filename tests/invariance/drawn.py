"""Cases drawn at random: a mechanism, another way to write it down, a formulation and an integrator.

A case is the same for the same seed.  Spans are short and accuracies tight, so that also chaotic motions are determinate, and
linkages next to a singular position, or whirled by their given rates, are drawn again: there the motion itself, not how it is
written, decides between branches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from invariance import agreement
from invariance import transformations as tr
from invariance.exchanged import Exchanged, exchangeable
from invariance.library import bennett, placeless
from invariance.scaled import InUnits, Mirrored
from physics.closed_mechanisms import closed_mechanism
from random_models import random_rotation, random_tree, random_unit

import dalembert as dal
from dalembert.model.check import check
from dalembert.start.constraints import Constraints
from dalembert.start.initial import prepare_start
from dalembert.start.mobility import find_mobility
from dalembert.system.extent import length_scale

ACCURACY = 1e-9
UNTIL = 0.1
STEPS = 40
WELL_CONDITIONED = 1e-2
"""Least singular value of the independent rows of a mechanism that is not next to a singular position, over the largest."""


# --- mechanisms -----------------------------------------------------------------------------------------------------

def bar(rng, name, ends):
    """Return a body with the world's axes at the start, its origin in the first of its places in the plane."""
    mass, size = rng.uniform(0.3, 3.0), np.max(np.abs(np.array(list(ends.values())))) + 0.1
    moments = mass * size**2 * rng.uniform(0.02, 0.1, 3)
    return dal.Body(name, mass=mass, com=np.append(rng.uniform(-0.3, 0.3, 2) * size, 0.0), inertia=moments.sum() - moments,
                    points={n: (*p, 0.0) for n, p in ends.items()})


def linkage(rng):
    """Return a planar linkage of spatial joints: a loop of four to six links, perhaps with a slide, perhaps a second loop."""
    n = int(rng.integers(3, 6))
    pins = np.cumsum(rng.uniform(0.3, 1.0, n + 1)[:, None] * _directions(rng, n + 1), axis=0)
    pins -= pins[0]
    slide = rng.random() < 0.4
    model = dal.Model("linkage", gravity=rng.uniform(-10, 10, 3), ground={"A": (*pins[0], 0), "B": (*pins[-1], 0)})
    last = "ground.A"
    for i in range(n):
        model.add(bar(rng, f"b{i}", {"a": (0, 0), "b": pins[i + 1] - pins[i], "c": rng.uniform(-0.5, 0.5, 2)}))
        begin = {"start": 0.0, "start_rate": rng.normal()} if i < n - 2 else {}
        model.add(dal.Revolute(f"j{i}", last, f"b{i}.a", **begin))
        last = f"b{i}.b"
    if slide:
        angle = rng.uniform(0, np.pi)
        model.add(dal.Prismatic(f"j{n}", "ground.B", last, axis=(np.cos(angle), np.sin(angle), 0)))
    else:
        model.add(dal.Revolute(f"j{n}", "ground.B", last))
    if rng.random() < 0.3:  # two more bars from a point of the first to the ground
        start = pins[0] + np.asarray(model["b0"].points["c"][:2])
        knee, foot = start + rng.uniform(-0.8, 0.8, 2), start + rng.uniform(-1.0, 1.0, 2)
        model = model.replaced(ground={**model.ground, "C": (*foot, 0)})
        model.add(bar(rng, "d0", {"a": (0, 0), "b": knee - start}), bar(rng, "d1", {"a": (0, 0), "b": foot - knee}),
                  dal.Revolute("k0", "b0.c", "d0.a"), dal.Revolute("k1", "d0.b", "d1.a"),
                  dal.Revolute("k2", "ground.C", "d1.b"))
    return model


def _directions(rng, n):
    """Directions (n, 2) of successive bars that turn by a fair angle each."""
    angle = np.cumsum(rng.uniform(0.5, 1.8, n) * rng.choice([1, 1, 1, -1], n))
    return np.column_stack([np.cos(angle), np.sin(angle)])


def redundant(rng):
    """Return a mechanism that is held more than once: a door on hinges, a table on arms or on rails, or Bennett's linkage."""
    kind = rng.integers(4)
    if kind == 0:
        ends = {f"h{i}": (0, 0, z) for i, z in enumerate(np.sort(rng.uniform(0, 2, rng.integers(2, 4))))}
        return dal.Model("door", gravity=rng.uniform(-10, 10, 3), ground=ends).add(
            dal.Body("door", mass=20.0, com=(0.4, 0.05, 1.0), inertia=(7.0, 9.0, 2.0), points=ends),
            *(dal.Revolute(f"hinge {n}", f"ground.{n}", f"door.{n}",
                           **({"start": 0.3, "start_rate": 1.0} if n == "h0" else {}))
              for n in ends))
    if kind == 1:
        arms, arm = int(rng.integers(2, 4)), rng.uniform(0.3, 0.8)
        feet = {f"f{i}": (x, y, 0) for i, (x, y) in enumerate(rng.uniform(-1, 1, (arms, 2)))}
        model = dal.Model("table", gravity=rng.uniform(-10, 10, 3), ground=feet).add(
            dal.Body("table", mass=3.0, com=(0.1, 0.2, 0.1), inertia=(0.3, 0.4, 0.5), points=feet))
        for i, n in enumerate(feet):
            rate = {"start_rate": 1.0} if i == 0 else {}
            model.add(dal.Body(f"arm {n}", mass=1.0, com=(0, -arm / 2, 0), inertia=(0.1, 0.02, 0.1),
                               points={"tip": (0, -arm, 0)}),
                      dal.Revolute(f"foot {n}", f"ground.{n}", f"arm {n}", start=0.4, **rate),
                      dal.Revolute(f"top {n}", f"arm {n}.tip", f"table.{n}", **({"start": -0.4} if i == 0 else {})))
        return model
    if kind == 2:
        rails = {f"r{i}": (0, *p) for i, p in enumerate(rng.uniform(-1, 1, (rng.integers(2, 4), 2)))}
        return dal.Model("carriage", gravity=rng.uniform(-10, 10, 3), ground=rails).add(
            dal.Body("carriage", mass=4.0, com=(0.2, 0.1, 0.3), inertia=(1.0, 1.2, 1.4), points=rails),
            dal.Prismatic("rail r0", "ground.r0", "carriage.r0", axis=(1, 0, 0), start=0.2, start_rate=0.5),
            *(dal.Prismatic(f"rail {n}", f"ground.{n}", f"carriage.{n}", axis=(1, 0, 0)) for n in list(rails)[1:]))
    return bennett(*sorted(rng.uniform(0.3, 0.6, 2)), twist=rng.uniform(0.3, 0.6))


def with_elements(rng, model):
    """Return the model with springs, a damper and perhaps a drive, on what carries its loops."""
    state = dal.assemble(model)
    bodies, tree = [b.name for b in model.bodies], [j.name for j in state.layout.joints]
    one = bodies[rng.integers(len(bodies))]
    model = model.replaced(ground={**model.ground, "S": rng.uniform(-1, 1, 3)})
    model = model.replaced(one, points={**model[one].points, "S": rng.uniform(-0.3, 0.3, 3)})
    model.add(dal.SpringDamper("spring", "ground.S", f"{one}.S", stiffness=rng.uniform(5, 200), damping=rng.uniform(0, 3),
                               length=0.2))
    scalar = [j for j in model.joints if j.name in tree and isinstance(j, (dal.Revolute, dal.Prismatic))]
    joint = scalar[rng.integers(len(scalar))]
    if rng.random() < 0.3 and isinstance(joint.start, float):
        x, v, omega = joint.start, joint.start_rate or 0.0, rng.uniform(1, 4)
        law = dal.sine(amplitude=v / omega, omega=omega, offset=x)
        return model.add(dal.Motion("drive", joint.name, position=law))
    return model.add(dal.JointSpring("joint spring", joint.name, stiffness=rng.uniform(1, 20), damping=rng.uniform(0, 1),
                                     rest=rng.uniform(-1, 1)))


def mechanism(rng):
    """Return a random mechanism whose position is not next to a singular one."""
    while True:
        kind = rng.choice(["tree", "closed", "linkage", "redundant"], p=[0.2, 0.3, 0.3, 0.2])
        if kind == "tree":
            return placeless(random_tree(rng, int(rng.integers(1, 6)), motions=rng.random() < 0.3)[0])
        if kind == "closed":
            model = placeless(closed_mechanism(rng, int(rng.integers(3, 6)), int(rng.integers(1, 4))))
        else:
            model = linkage(rng) if kind == "linkage" else redundant(rng)
            if rng.random() < 0.6:
                model = with_elements(rng, model)
        if regular(model) and calm(model) and follows_its_drives(model):
            return model


def regular(model):
    """Tell whether the independent rows of a model at its start are so by far."""
    begin = prepare_start(model)
    c = Constraints(begin.packed)
    J = c.evaluate(0.0, begin.q, begin.qd).jacobian * begin.packed.system.dof["q_scale"] / c.size[:, None]
    found = np.linalg.svd(J[:, begin.packed.system.dof["drive"] < 0], compute_uv=False)
    return not len(found) or not np.any((found > 1e-9 * found[0]) & (found < WELL_CONDITIONED * found[0]))


def calm(model):
    """Tell whether no joint makes more than a turn, or its like in lengths, by its rate at the start.

    Given rates may ask for a thousand times as much of the others; after forty turns of a chaotic linkage no accuracy will do.
    """
    begin = prepare_start(model)
    return np.max(np.abs(begin.qd) / begin.packed.system.dof["q_scale"], initial=0.0) * UNTIL <= 2 * np.pi


def follows_its_drives(model):
    """Tell whether a model can be assembled where its drives are at the end: else it locks on the way, in any writing."""
    try:
        dal.assemble(model, t=UNTIL)
    except dal.AssemblyError:
        return False
    return True


# --- changes --------------------------------------------------------------------------------------------------------

def cuttable(model):
    """Names of joints without which everything still hangs together, and on whose coordinates nothing acts."""
    acted = {p.joint for p in (*model.forces, *model.motions) if hasattr(p, "joint")}
    joints = check(model).joints
    found = []
    for joint in joints:
        if joint.name in acted or isinstance(model[joint.name], (dal.Screw, dal.Free)):
            continue
        reached, edges = {0}, [{j.first.body, j.second.body} for j in joints if j is not joint]
        while grown := [e for e in edges if len(e & reached) == 1]:
            reached |= set.union(*grown)
        if len(reached) == len(model.bodies) + 1:
            found.append(joint.name)
    return found


def change(rng, model):
    """Return one to three random changes of how the model is written."""
    length, cuts = length_scale(check(model)), cuttable(model)
    draws = {
        "turned": lambda: tr.Turned(random_rotation(rng)),
        "moved": lambda: tr.Moved(length * 10 ** rng.uniform(0, 3) * random_unit(rng), length),
        "reframed": lambda: tr.Reframed(tr.random_frames(model, rng, 10 ** rng.uniform(-1, 1) * length)),
        "ordered": lambda: tr.Ordered(int(rng.integers(2**31))),
        "renamed": tr.Renamed,
        "mirrored": Mirrored,
        "exchanged": lambda: Exchanged(frozenset(n for n in exchangeable(model) if rng.random() < 0.6)),
        "units": lambda: InUnits(*(10 ** rng.uniform(-3, high) for high in (3, 4, 3))),
        **({"cut": lambda: tr.Cut(cuts[rng.integers(len(cuts))])} if cuts else {})}
    # lengths and names of the model itself are asked for: units and names come last
    names = sorted(rng.choice(list(draws), rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]), replace=False), key=list(draws).index)
    names = [n for n in names if n not in ("units", "renamed")] + [n for n in names if n in ("units", "renamed")]
    return tr.Together([draws[n]() for n in names])


# --- a case ---------------------------------------------------------------------------------------------------------

@dataclass
class Case:
    """A model, another way to write it, and how it is run."""

    seed: int
    model: object
    change: object
    formulation: str
    integrator: str

    def __str__(self):
        changes = " + ".join(type(c).__name__ for c in self.change.changes)
        return f"seed {self.seed}: {self.model.name}, {changes}, {self.formulation}, {self.integrator}"


def case(seed):
    """Return the case of a seed."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng)
    turned = random_rotation(rng)
    model = tr.Turned(turned).write(model) if rng.random() < 0.5 else model
    changed = change(rng, model)
    formulations = [f for f in dal.formulations(model) if f in agreement.INTEGRATORS]  # all but penalties
    formulation = formulations[rng.integers(len(formulations))]
    return Case(seed, model, changed, formulation, str(rng.choice(agreement.INTEGRATORS[formulation])))


def mobility(model):
    """Freedom, number of rows that are redundant."""
    begin = prepare_start(model)
    found = find_mobility(begin.packed, 0.0, begin.q, begin.qd)
    return found.freedom, found.rows - found.rank


def judge(case):
    """Return what is wrong with a case: an empty text, or how far what is apart; errors are raised."""
    told = agreement.judge(case.model, case.change, UNTIL, case.formulation, case.integrator, ACCURACY, STEPS)
    if told:
        return told
    model = tr.with_state(case.model, dal.assemble(case.model)) if case.change.given else case.model
    here, there = mobility(model), mobility(case.change.write(model))
    return "" if here == there else f"degrees of freedom and redundant rows {here} and {there}"
