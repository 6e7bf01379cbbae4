"""MuJoCo's equality constraints on the slider-cranks: loops closed by `connect`, which is a stiff spring and damper.

Its stiffness follows from the time constant of `solref`, which may not be shorter than two steps: the loop closes the better
the shorter the step.  Euler and implicitfast are of first order on top of that, Runge-Kutta leaves the gap alone to
count.  The slider carries the rod in the spatial mechanism, which leaves one `connect` only.
"""

from __future__ import annotations

from math import inf
from time import process_time

import numpy as np
from interleave import Report, best_runs
from loop_problems import Problem, planar_slider_crank, spatial_places, spatial_slider_crank

INTEGRATORS = ("EULER", "RK4", "IMPLICITFAST")
STEPS = (5, 10, 20, 50, 200, 1000)
"""Steps within a compared spacing."""


class MuJoCoLoop:
    """MuJoCo on a slider-crank."""

    def __init__(self, problem: Problem, integrator: str, per_spacing: int):
        import mujoco

        self.mujoco, self.problem, self.per_spacing = mujoco, problem, per_spacing
        mujoco.set_mju_user_warning(lambda text: None)  # lest it writes a log; a run that breaks off shows in its error
        step = problem.spacing / per_spacing
        spec = mujoco.MjSpec()
        spec.option.timestep = step
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        spec.option.iterations, spec.option.tolerance = 50, 1e-12
        build = planar if problem.name.startswith("planar") else spatial
        self.q, self.qd, self.read, bodies = build(mujoco, spec, problem.data)
        spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=bodies[0],
                          name2=bodies[1], solref=[2 * step, 1.0], solimp=[0.9999, 0.9999, 0.001, 0.5, 2.0])
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def reset(self) -> None:
        """Go back to the start."""
        self.mujoco.mj_resetData(self.model, self.data)
        for name, value in self.q.items():
            self.data.joint(name).qpos[:] = value
        for name, value in self.qd.items():
            self.data.joint(name).qvel[:] = value
        self.mujoco.mj_kinematics(self.model, self.data)

    def seconds(self) -> float:
        """Return the CPU time of a run without records [s]."""
        self.reset()
        begin = process_time()
        self.mujoco.mj_step(self.model, self.data, nstep=self.per_spacing * (len(self.problem.times) - 1))
        return process_time() - begin

    def error(self) -> float:
        """Return the error of a run."""
        self.reset()
        rows = [self.read(self.data)]
        for _ in self.problem.times[1:]:
            self.mujoco.mj_step(self.model, self.data, nstep=self.per_spacing)
            self.mujoco.mj_kinematics(self.model, self.data)
            rows.append(self.read(self.data))
        return self.problem.error(np.array(rows))


def planar(mujoco, spec, d):
    """Add the planar slider-crank; return start values, the reader of columns and the sites to connect."""
    r, length, (m1, m2, m3), w = d["crank"], d["rod"], d["mass"], d["speed"]
    spec.option.gravity = (0, -d["gravity"], 0)
    hinge, slide = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE

    def bar(parent, name, mass, size, place, inertia):
        return parent.add_body(name=name, pos=place, mass=mass, ipos=(size / 2, 0, 0), inertia=(inertia,) * 3,
                               explicitinertial=True)

    crank = bar(spec.worldbody, "crank", m1, r, (0, 0, 0), m1 * r**2 / 12)
    crank.add_joint(name="main", type=hinge, axis=(0, 0, 1))
    rod = bar(crank, "rod", m2, length, (r, 0, 0), m2 * length**2 / 12)
    rod.add_joint(name="big end", type=hinge, axis=(0, 0, 1))
    rod.add_site(name="small end", pos=(length, 0, 0))
    slider = bar(spec.worldbody, "slider", m3, 0.0, (r + length, 0, 0), 1e-4)
    slider.add_joint(name="guide", type=slide, axis=(1, 0, 0))
    slider.add_site(name="pin", pos=(0, 0, 0))
    qd = {"main": w, "big end": -w * r / length - w, "guide": 0.0}
    return {}, qd, lambda data: [*data.body("rod").xpos[:2], data.body("slider").xpos[0]], ("small end", "pin")


def spatial(mujoco, spec, d):
    """Add the spatial slider-crank: slider, cross and rod in a row, connected to the crank's pin."""
    ya, za, l_ab, w = d["yA"], d["zA"], d["lAB"], d["omega0"]
    b, c, e, across = spatial_places(d)
    axial, transverse, _ = d["I_rod"]
    spec.option.gravity = (0, 0, -d["g"])
    hinge, slide = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
    crank = spec.worldbody.add_body(name="crank", pos=(0, ya, za), mass=d["masses"][0], ipos=(0, 0, l_ab / 2),
                                    inertia=(d["I_crank_xx_COM"],) * 3, explicitinertial=True)
    crank.add_joint(name="crank axis", type=hinge, axis=(1, 0, 0))
    crank.add_site(name="pin", pos=(0, 0, l_ab))
    slider = spec.worldbody.add_body(name="slider", pos=c, mass=d["masses"][2], inertia=(1e-4,) * 3, explicitinertial=True)
    slider.add_joint(name="guide", type=slide, axis=(1, 0, 0))
    inertia = transverse * np.eye(3) + (axial - transverse) * np.outer(e, e)
    rod = slider.add_body(name="rod", mass=d["masses"][1], ipos=(b - c) / 2, explicitinertial=True,
                          fullinertia=inertia.ravel()[[0, 4, 8, 1, 2, 5]])
    rod.add_joint(name="cross1", type=hinge, axis=(1, 0, 0))
    rod.add_joint(name="cross2", type=hinge, axis=across)
    rod.add_site(name="ball", pos=b - c)
    # rates from v_slider ex + (w1 ex + w2 across) x (b - c) = v_b
    A = np.column_stack([(1.0, 0.0, 0.0), np.cross((1, 0, 0), b - c), np.cross(across, b - c)])
    v, w1, w2 = np.linalg.solve(A, (0.0, -w * l_ab, 0.0))
    qd = {"crank axis": w, "guide": v, "cross1": w1, "cross2": w2}
    return {}, qd, lambda data: [data.body("slider").xpos[0], *data.site("pin").xpos[1:]], ("ball", "pin")


def measure(report: Report, *, smoke: bool, rounds: int) -> None:
    """Add error and time of each integrator at a few steps."""
    for problem in (planar_slider_crank(), spatial_slider_crank()):
        for integrator in INTEGRATORS[:1] if smoke else INTEGRATORS:
            for k in (20,) if smoke else STEPS:
                loop = MuJoCoLoop(problem, integrator, k)
                error = loop.error()
                seconds = best_runs({"": loop.seconds}, rounds=rounds)[""] if error < inf else inf
                report.add(mechanism=problem.name, level="", peer="mujoco", settings=integrator, error=error,
                           seconds=seconds, **{"step [s]": problem.spacing / k})
