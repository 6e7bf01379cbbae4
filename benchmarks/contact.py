"""Many contacts against MuJoCo and Exudyn: balls that fall into a box, and a chain hauled over an edge.

Every contestant simulates the same model from the same start; CPU time of the time stepping alone, in turns.  Overlaps differ
by method: MuJoCo's contacts and Exudyn's are springs, so that times are compared where theirs are not smaller than ours.

    balls       1000 balls, friction 0.3, one second in which they fall and come to rest.  MuJoCo with its conjugate gradients,
                the fastest of its solvers here, and the step of 2 ms; Exudyn's general contact, explicit Euler, 0.2 ms.
    growth      exponent of the time of a step of resting balls with their number.
    chain       the anchor chain of examples/plot_anchor.py.  MuJoCo's with Newton's method and the same step.
"""

from __future__ import annotations

import sys
from functools import cache
from math import log
from pathlib import Path
from time import process_time
from types import ModuleType

import numpy as np
from interleave import Report, best_runs, parse, peer

import dalembert as dal
from dalembert.simulate.simulation import Simulation
from dalembert.start.arguments import check_run_arguments
from dalembert.start.initial import prepare_start

RADIUS, FRICTION, MASS = 0.05, 0.3, 1000.0 * 4 / 3 * np.pi * 0.05**3
STEP, EXUDYN_STEP, STIFFNESS = 2e-3, 2e-4, 1e5  # [s], [s], [N/m]
OURS = dal.Moreau(sweeps=40, tolerance=0.2, depth=2e-4)
GROWTH = 1.1


def places(count: int) -> tuple[np.ndarray, float]:
    """Centres of the balls [m] and half the width of the box."""
    side, random = max(2, round(count ** (1 / 3))), np.random.default_rng(0)
    k = np.arange(count)
    grid = np.stack([k % side - (side - 1) / 2, k // side % side - (side - 1) / 2, 0.6 + k // side**2], axis=1)
    return 2.3 * RADIUS * grid + random.uniform(-0.1, 0.1, (count, 3)) * RADIUS, 1.2 * side * RADIUS


WALLS = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "back": (0, 1)}


def balls(count: int) -> dal.Model:
    """Return our model."""
    starts, half = places(count)
    m = dal.Model("balls", ground={name: (half * x, half * y, 0.0) for name, (x, y) in WALLS.items()})
    shapes = [dal.Plane("ground"), *(dal.Plane(f"ground.{name}", normal=(-x, -y, 0)) for name, (x, y) in WALLS.items())]
    for k, start in enumerate(starts):
        m.add(dal.Body(f"b{k}", mass=MASS, inertia=dal.inertia_sphere(MASS, RADIUS)),
              dal.Free(f"f{k}", "ground", f"b{k}", start=tuple(start)))
        shapes.append(dal.Sphere(f"b{k}", radius=RADIUS))
    return dal.contact_all(m, shapes, name="heap", friction=FRICTION)


class Ours:
    """Our time stepping of a model, with the largest overlap seen at the end of a run."""

    def __init__(self, model: dal.Model, step: float, until: float, integrator=OURS):
        self.begin, self.until = prepare_start(model), until
        self.options = check_run_arguments(model, until, step, None, integrator, "raise")
        self.deepest = 0.0
        self.make().advance(step)

    def make(self) -> Simulation:
        """Return a simulation at its start."""
        return Simulation(self.begin, self.options, np.zeros(0))

    def seconds(self) -> float:
        """Return the CPU time of a run [s]."""
        simulation = self.make()
        begin = process_time()
        ended = simulation.advance(self.until)
        took = process_time() - begin
        if ended.error:
            raise ended.error
        state = simulation.loop.method.crowd_state
        gaps = state.touch["gap"][:int(state.progress[0]["touches"])]
        self.deepest, self.touches = -min(0.0, float(gaps.min(initial=0.0))), len(gaps)
        return took


class MuJoCo:
    """MuJoCo on a model text."""

    def __init__(self, mujoco, text: str, step: float, until: float, begin=None):
        self.mujoco, self.until, self.begin = mujoco, until, begin
        mujoco.set_mju_user_warning(lambda text: None)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.model.opt.timestep = step
        self.data = mujoco.MjData(self.model)

    def seconds(self) -> float:
        """Return the CPU time of a run [s]."""
        self.mujoco.mj_resetData(self.model, self.data)
        if self.begin:
            self.begin(self.model, self.data)
        begin = process_time()
        self.mujoco.mj_step(self.model, self.data, nstep=round(self.until / self.model.opt.timestep))
        took = process_time() - begin
        self.deepest = -min(0.0, float(self.data.contact.dist.min(initial=0.0)))
        return took


def mujoco_balls(count: int) -> str:
    """Return MuJoCo's model of the balls."""
    starts, half = places(count)
    walls = "".join(f'<geom type="plane" pos="{half * x} {half * y} 0" zaxis="{-x} {-y} 0" size="0 0 1"/>'
                    for x, y in WALLS.values())
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}"/></body>'
                     for x, y, z in starts)
    return (f'<mujoco><option solver="CG"/><size memory="200M"/>'
            f'<default><geom condim="3" friction="{FRICTION} 0 0"/></default>'
            f'<worldbody><geom type="plane" size="0 0 1"/>{walls}{bodies}</worldbody></mujoco>')


class Exudyn:
    """Exudyn's general contact on the balls."""

    def __init__(self, exudyn, count: int, until: float):
        self.exudyn, self.count, self.until = exudyn, count, until

    def make(self):
        """Return a system at its start."""
        from exudyn import itemInterface as item
        starts, half = places(self.count)
        container = self.exudyn.SystemContainer()
        mbs = container.AddSystem()
        contact = mbs.AddGeneralContact()
        contact.verboseMode = 0
        contact.SetFrictionPairings(FRICTION * np.eye(1))
        n, top = max(2, round(half / (1.2 * RADIUS))), float(starts[:, 2].max()) + 2 * RADIUS
        contact.SetSearchTreeCellSize(numberOfCells=[n, n, int(top / half * n / 2) + 1])
        low, high = np.array([-half, -half, 0.0]) - RADIUS, np.array([half, half, top]) + RADIUS
        contact.SetSearchTreeBox(pMin=low, pMax=high)
        surface = dict(contactStiffness=STIFFNESS, contactDamping=np.sqrt(STIFFNESS * MASS), frictionMaterialIndex=0)
        inertia = 0.4 * MASS * RADIUS**2
        for start in starts:
            node = mbs.AddNode(item.NodeRigidBodyRotVecLG(referenceCoordinates=[*start, 0, 0, 0]))
            body = mbs.AddObject(item.ObjectRigidBody(nodeNumber=node, physicsMass=MASS,
                                                      physicsInertia=[inertia, inertia, inertia, 0, 0, 0]))
            mass = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
            mbs.AddLoad(item.LoadMassProportional(markerNumber=mass, loadVector=[0, 0, -9.81]))
            contact.AddSphereWithMarker(mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=node)), radius=RADIUS, **surface)
        ground = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=mbs.AddObject(item.ObjectGround())))
        ring = [(-half, -half), (half, -half), (half, half), (-half, half)]
        points = [[x, y, z] for z in (0.0, top + RADIUS) for x, y in ring]
        sides = [t for i in range(4) for j in [(i + 1) % 4] for t in ([i, 4 + i, j], [j, 4 + i, 4 + j])]
        contact.AddTrianglesRigidBodyBased(rigidBodyMarkerIndex=ground, pointList=points,
                                           triangleList=[[0, 1, 2], [0, 2, 3], *sides], **surface)
        mbs.Assemble()
        return container, mbs

    def seconds(self) -> float:
        """Return the CPU time of a run [s]."""
        container, mbs = self.make()
        settings = self.exudyn.SimulationSettings()
        settings.solutionSettings.writeSolutionToFile = False
        settings.parallel.numberOfThreads = 1
        settings.linearSolver.solverType = self.exudyn.LinearSolverType.EigenSparse
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = round(self.until / EXUDYN_STEP), self.until, 0
        explicit = time.explicit if hasattr(time, "explicit") else time.explicitIntegration
        explicit.computeEndOfStepAccelerations, explicit.computeMassMatrixInversePerBody = False, True
        begin = process_time()
        mbs.SolveDynamic(settings, solverType=self.exudyn.DynamicSolverType.ExplicitEuler)
        took = process_time() - begin
        data, kind = mbs.systemData, self.exudyn.ConfigurationType
        q = data.GetODE2Coordinates() + data.GetODE2Coordinates(configuration=kind.Reference)
        x = q.reshape(-1, 6)[:, :3]
        distance = np.linalg.norm(x[:, None] - x, axis=2) - 2 * RADIUS
        self.deepest = -min(0.0, float(np.min(distance + np.eye(len(x)))), float(np.min(x[:, 2])) - RADIUS)
        return took


def compare(report: Report, case: str, contestants: dict, required: dict[str, float], rounds: int) -> None:
    """Add the rows of a case; ours comes first."""
    best = best_runs({name: each.seconds for name, each in contestants.items()}, rounds=rounds)
    ours = contestants["dalembert"]
    for name, each in contestants.items():
        ratio = best[name] / best["dalembert"]
        wanted = required.get(name)
        report.add(case=case, program=name, seconds=best[name], overlap_mm=1e3 * each.deepest,
                   ratio=None if wanted is None else ratio, required=None if wanted is None else f">= {wanted:g}",
                   ok=None if wanted is None else ratio >= wanted and each.deepest >= ours.deepest)


def measure_growth(report: Report, counts: list[int]) -> None:
    """Add the exponent by which the time of a step grows with the number of resting balls."""
    times = []
    for count in counts:
        ours = Ours(balls(count), STEP, 0.4)
        simulation = ours.make()
        simulation.advance(0.2)
        before, begin = simulation.loop.method.crowd_state.progress[0].copy(), process_time()
        simulation.advance(0.4)
        took = process_time() - begin
        sweeps = int(simulation.loop.method.crowd_state.progress[0]["sweeps"] - before["sweeps"])
        touches = int(simulation.loop.method.crowd_state.progress[0]["touches"])
        times.append(took)
        report.add(case=f"{count} balls", program="dalembert", seconds=took,
                   note=f"{sweeps / round(0.2 / STEP):.0f} sweeps, {touches} touches")
    exponent = log(times[-1] / times[0]) / log(counts[-1] / counts[0])
    report.add(case="growth with the number", program="dalembert", ratio=exponent, required=f"<= {GROWTH}",
               ok=exponent <= GROWTH)


def chain_text(links: int) -> str:
    """Return MuJoCo's model of the anchor chain of examples/plot_anchor.py."""
    a = anchor_example()
    text, close, mass = "", "", a.WEIGHT * a.PITCH
    across = mass * (a.PITCH**2 / 12 + a.WIDTH**2 / 2)
    for k in range(links):
        text += (f'<body pos="{a.PITCH if k else 0} 0 0" euler="0 {a.BENDS.get(k, 0.0)} 0"><joint type="hinge" axis="0 1 0"/>'
                 f'<inertial pos="{a.PITCH / 2} 0 0" mass="{mass}" diaginertia="{mass * a.WIDTH**2} {across} {across}"/>'
                 f'<geom type="capsule" fromto="0 0 0 {a.PITCH} 0 0" size="{a.WIDTH}" contype="1" conaffinity="2"/>')
        close += "</body>"
    text += (f'<body pos="{a.PITCH} 0 0"><joint type="hinge" axis="0 1 0"/>'
             f'<inertial pos="0.3 0 0" mass="{a.ANCHOR}" diaginertia="5 20 20"/></body>')
    hull = (f'<geom type="capsule" fromto="0 -1 0 0 1 0" size="{a.EDGE}" contype="2" conaffinity="1"/>'
            f'<geom type="box" pos="-2 0 {a.EDGE - 0.5}" size="2 1 0.5" contype="2" conaffinity="1"/>'
            f'<geom type="box" pos="-0.5 0 -50" size="{0.5 + a.EDGE} 1 50" contype="2" conaffinity="1"/>')
    return (f'<mujoco><compiler angle="radian"/><option integrator="implicitfast"/><size memory="100M"/>'
            f'<default><geom condim="3" friction="{a.FRICTION} 0 0"/></default><worldbody>{hull}'
            f'<body pos="{-a.DECK * a.PITCH} 0 {a.FLOAT}"><joint name="pull" type="slide" axis="-1 0 0"/>'
            f'<inertial pos="0 0 0" mass="50" diaginertia="1 1 1"/>{text}{close}</body></worldbody>'
            f'<actuator><general joint="pull" gainprm="2e4" biastype="affine" biasprm="3500 0 -2e4"/></actuator></mujoco>')


@cache
def anchor_example():
    """Return the definitions of the example, without its run."""
    path = Path(__file__).resolve().parents[1] / "examples" / "plot_anchor.py"
    module = sys.modules["plot_anchor"] = ModuleType("plot_anchor")
    exec(compile(path.read_text(encoding="utf-8").partition("# %%")[0], str(path), "exec"), module.__dict__)
    return module


def half_speed(model, data) -> None:
    """Let MuJoCo's windlass ask for half its speed, about what ours does on average while it starts."""
    data.ctrl[:] = 0.1


def measure_chain(report: Report, mujoco, links: int, until: float, rounds: int) -> None:
    """Add the rows of the chain."""
    step = 1e-3
    contestants: dict = {"dalembert": Ours(anchor_example().anchor(links), step, until, dal.Moreau())}
    if mujoco:
        contestants["mujoco"] = MuJoCo(mujoco, chain_text(links), step, until, half_speed)
    compare(report, f"anchor chain, {links} links", contestants, {"mujoco": 1.0}, rounds)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("many contacts; CPU time [s]",
                    ["case", "program", "seconds", "overlap_mm", "ratio", "required", "note"])
    count, until, rounds = (27, 0.3, 1) if options.smoke else (1000, 1.0, options.rounds or 2)
    mujoco, exudyn = peer("mujoco", report), peer("exudyn", report)
    contestants: dict = {"dalembert": Ours(balls(count), STEP, until)}
    if mujoco:
        contestants["mujoco"] = MuJoCo(mujoco, mujoco_balls(count), STEP, until)
    if exudyn:
        contestants["exudyn"] = Exudyn(exudyn, count, until)
    compare(report, f"{count} balls", contestants, {"mujoco": 1.0, "exudyn": 5.0}, rounds)
    measure_growth(report, [27, 64] if options.smoke else [1000, 4000])
    for links in (20,) if options.smoke else (50, 500):
        measure_chain(report, mujoco, links, 0.05 if options.smoke else 0.5, rounds)
    report.note("overlap: the largest at the end of the run; a ratio counts only where a peer's is not smaller than ours")
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
