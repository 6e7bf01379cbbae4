"""After `warm` nothing is left to compile."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import dalembert
from dalembert.simulate.warm import entries

ANALYSES = '''
import numpy as np
from numba.core import event

import dalembert as dal
from dalembert.cli.sources import find_model, read_model
from dalembert.errors import MultibodyError
from dalembert.simulate.integrators import BY_NAME


class Listener(event.Listener):
    def on_start(self, e):
        print("compiled", now, e.data["dispatcher"].py_func.__qualname__)

    def on_end(self, e):
        pass


def bundled(name):
    return read_model(find_model(name))


steel = dal.Material(young=2e11, poisson=0.3, density=7800.0)
beam = dal.Model("beam").add(dal.Beam("rod", length=1.0, section=dal.Circle(0.02), material=steel, modes=1),
                             dal.Revolute("pivot", "ground", "rod.start", axis=(0, 1, 0)),
                             dal.JointSpring("spring", "pivot", stiffness=100.0))
node = dal.Model("massless").add(
    dal.Body("a"), dal.Body("b", mass=1.0, inertia=(1, 1, 1)),
    dal.Prismatic("s", "ground", "a", axis=(1, 0, 0)), dal.Prismatic("d", "a", "b", axis=(1, 0, 0)),
    dal.JointSpring("k", "s", stiffness=100.0, damping=1.0), dal.JointSpring("l", "d", stiffness=100.0, damping=2.0))
models = [bundled("double-pendulum"), bundled("slider-crank"), bundled("spinning-top"), bundled("rolling-disc"),
          bundled("driven-screw"), beam, node]
done = refused = 0


def attempt(name, analysis):
    """Do an analysis; one that does not fit the model says so, and how often that is is checked at the end."""
    global now, done, refused
    now = name
    try:
        analysis()
        done += 1
    except MultibodyError:
        refused += 1


with event.install_listener("numba:compile", Listener()):
    for m in models:
        for f in dal.formulations(m):
            for i, kind in BY_NAME.items():
                for step in (None, 1e-3):
                    attempt((m.name, f, i, step), lambda: dal.run(
                        m, until=2e-3, step=step, formulation=f, integrator=i, start=None).tables())
        for analysis in (dal.static, dal.eigenmodes, dal.linearize, dal.assemble, dal.perturbation_report):
            attempt((m.name, analysis.__name__), lambda: analysis(m))
    arm = bundled("double-pendulum")
    motion = {"shoulder": dal.sine(amplitude=1.0, omega=2.0), "elbow": dal.sine(amplitude=1.0, omega=3.0)}
    attempt("inverse dynamics", lambda: dal.inverse_dynamics(arm, motion, times=np.linspace(0, 0.1, 5)).tables())
    linkage = bundled("slider-crank")
    crank = linkage.sections()["joints"][0].name
    linkage.add(dal.Motion("turn", crank, position=dal.ramp(begin=0, finish=1)))
    attempt("kinematics", lambda: dal.kinematics(linkage, [0.0, 0.1]).tables())
print("done", done, "refused", refused)
'''


def imported_kernels():
    """Kernels that modules other than kernels import anywhere in their text, in functions too, by name: what Python calls."""
    package, found = Path(dalembert.__file__).parent, set()
    for path in package.rglob("*.py"):
        where = (path.parent if path.name == "__init__.py" else path.with_suffix("")).relative_to(package.parent).parts
        if "kernels" in where:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or "kernels" not in (node.module or "").split("."):
                continue
            base = ".".join(path.relative_to(package.parent).parts[:-node.level]) + "." if node.level else ""
            module = importlib.import_module(base + node.module)
            things = [getattr(module, alias.name) for alias in node.names if hasattr(module, alias.name)]
            found |= {thing.py_func.__qualname__ for thing in things if isinstance(thing, numba.core.dispatcher.Dispatcher)}
    return found


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_warm_knows_every_kernel_that_python_calls():
    known, imported = {entry.py_func.__qualname__ for entry, _ in entries()}, imported_kernels()
    assert {"integrate", "attempt_explicit", "eval_accelerations", "measure_frames"} <= imported
    assert imported <= known


@pytest.mark.slow
def test_nothing_is_compiled_after_warm(tmp_path):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", "DALEMBERT_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "dalembert", "warm", "-q"], check=True, env=environment)
    run = subprocess.run([sys.executable, "-c", ANALYSES], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    assert "compiled" not in run.stdout, run.stdout
    done = int(run.stdout.split()[-3])
    assert done > 150, run.stdout
