"""Contestants that take time steps: dalembert's kernels through its own loop, Exudyn's solvers, MuJoCo's `mj_step`."""

from __future__ import annotations

from time import process_time

import mechanisms
import numpy as np

from dalembert.codes import Status
from dalembert.simulate.choose import choose_integrator
from dalembert.simulate.loop import Loop
from dalembert.start.arguments import RunOptions
from dalembert.start.initial import prepare_start

STEP = 1e-3


class Ours:
    """Steps of dalembert from the start of a mechanism, without recorded frames."""

    def __init__(self, mechanism, integrator, steps: int, step: float = STEP):
        begin = prepare_start(mechanisms.dalembert_model(mechanism))
        method, _ = choose_integrator(integrator, step)
        options = RunOptions(steps * step, step, 1e-6, integrator, "recursive", None)
        self.steps, self.at = steps, mechanisms.rates_of_joints(begin.packed.layout)
        self.loop = Loop(begin, method, options, np.zeros(0))
        self.flow = self.loop.flow
        self.moving = [a for a in self.flow if isinstance(a, np.ndarray)]
        self.start = [a.copy() for a in self.moving]

    def reset(self) -> None:
        """Go back to the start."""
        for array, value in zip(self.moving, self.start, strict=True):
            array[...] = value

    def __call__(self) -> float:
        """Take all steps from the start and return the CPU time of one [s]."""
        self.reset()
        begin = process_time()
        status = self.loop.advance(self.steps)
        took = process_time() - begin
        if status not in (Status.OK, Status.CHUNK_DONE) or self.loop.steps != self.steps:
            raise ArithmeticError(f"{Status(status)!r} after {self.loop.steps} of {self.steps} steps")
        return took / self.steps

    def angles(self) -> np.ndarray:
        """Return the joint angles at the end, in the order of the mechanism."""
        self()
        return self.flow.q[self.at].copy()


class Exudyn:
    """Steps of one of Exudyn's solvers; its set-up is left out, since only `SolveSteps` is timed."""

    def __init__(self, built, method: str, linear_solver: str, steps: int, step: float = STEP, *,
                 end_accelerations: bool = True):
        import exudyn as exu

        self.exu, (self.container, self.system) = exu, built
        self.method, self.steps = method, steps
        s = exu.SimulationSettings()
        s.linearSolverType = getattr(exu.LinearSolverType, linear_solver)
        s.parallel.numberOfThreads = 1
        s.solutionSettings.writeSolutionToFile = False
        s.solutionSettings.sensorsWritePeriod = 1e10
        s.displayComputationTime = s.displayStatistics = False
        t = s.timeIntegration
        t.numberOfSteps, t.endTime, t.verboseMode = steps, steps * step, 0
        t.automaticStepSize = t.adaptiveStep = False
        t.newton.useModifiedNewton = t.reuseConstantMassMatrix = True
        t.generalizedAlpha.spectralRadius = 0.8
        explicit = t.explicit if hasattr(t, "explicit") else t.explicitIntegration  # its older name
        explicit.computeEndOfStepAccelerations = end_accelerations
        chosen = getattr(exu.DynamicSolverType, method)
        if hasattr(t, "solverType"):
            t.solverType = chosen
        elif method == "RK44":
            explicit.dynamicSolverType = chosen  # where older versions keep it
        self.settings = s

    def __call__(self) -> float:
        """Take all steps from the start and return the CPU time of one [s]."""
        implicit = self.method == "GeneralizedAlpha"
        solver = self.exu.MainSolverImplicitSecondOrder() if implicit else self.exu.MainSolverExplicit()
        solver.InitializeSolver(self.system, self.settings)
        begin = process_time()
        ok = solver.SolveSteps(self.system, self.settings)
        took = process_time() - begin
        solver.FinalizeSolver(self.system, self.settings)
        if ok is False:
            raise ArithmeticError(f"Exudyn's {self.method} failed")
        return took / self.steps

    def coordinates(self) -> np.ndarray:
        """Return the coordinates at the end."""
        self()
        return np.array(self.system.systemData.GetODE2Coordinates())


class MuJoCo:
    """Steps of MuJoCo in one call of `mj_step`."""

    def __init__(self, mechanism, integrator: str, steps: int, step: float = STEP):
        import mujoco

        self.mujoco, self.steps, self.mechanism = mujoco, steps, mechanism
        self.model, self.data, self.at = mechanisms.mujoco_model(mechanism, integrator=integrator, step=step)

    def __call__(self) -> float:
        """Take all steps from the start and return the CPU time of one [s]."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.at], self.data.qvel[self.at] = self.mechanism.q, self.mechanism.qd
        begin = process_time()
        self.mujoco.mj_step(self.model, self.data, nstep=self.steps)
        return (process_time() - begin) / self.steps

    def angles(self) -> np.ndarray:
        """Return the joint angles at the end, in the order of the mechanism."""
        self()
        return self.data.qpos[self.at].copy()
