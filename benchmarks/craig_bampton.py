"""Craig-Bampton reduction of solids against Exudyn's FEMinterface, on the same matrices.

About 20 000 unknowns, two rigid end faces: 12 static and 20 fixed-interface modes, once for a slender arm and once for
a block, whose factors fill most.  dalembert also checks the model and computes the reduced matrices and all inertia
constants within its time; Exudyn computes the modes alone (eigsh and a second factor of the same matrix).  First of
all, frequencies must agree and each basis must contain the other.  A block of 100 000 unknowns is then reduced in a
process of its own, whose peak memory is reported.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
from time import process_time

# isort: off
from interleave import Report, best_runs, parse, peer  # first: allows BLAS one thread before NumPy loads it
import numpy as np
# isort: on

from dalembert.flex.reduction import craig_bampton
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Material

LEAST_RATIO = 1.5
LONGEST, LARGEST_MEMORY = 20.0, 1.5
"""CPU time [s] and peak memory [GB] for 100 000 unknowns."""
MODES = 20
STEEL = Material(young=2.1e11, poisson=0.3, density=7850.0)
ENDS = {"hub": "-x", "tip": "+x"}
AGREEMENT = 1e-6
"""Of frequencies and of each basis in the other's span: both iterate to less."""


def block(divisions: int):
    """Return a block of steel with equal divisions and, to keep frequencies apart, different edges."""
    return box((0.2, 0.23, 0.26), divisions=(divisions,) * 3, material=STEEL)


def exudyn_interface(exudyn_fem, fe):
    """Return Exudyn's interface with the same nodes and matrices."""
    from scipy.sparse import csr_matrix

    found = exudyn_fem.FEMinterface()
    found.nodes = {"Position": fe.nodes}
    found.massMatrix, found.stiffnessMatrix = csr_matrix(fe.mass), csr_matrix(fe.stiffness)
    return found


def exudyn_modes(interface, fe) -> None:
    """Compute static and fixed-interface modes by Exudyn."""
    interface.ComputeHurtyCraigBamptonModes([fe.face("-x").tolist(), fe.face("+x").tolist()], MODES,
                                            excludeRigidBodyMotion=False, timerTreshold=10**9)


def check(fe, interface) -> float:
    """Assert that both bases span the same space and have the same frequencies; return the largest difference."""
    ours = craig_bampton(fe, interfaces=ENDS, modes=MODES)
    exudyn_modes(interface, fe)
    theirs = interface.modeBasis["matrix"]
    squares = np.sort(interface.eigenValues)
    worst = float(np.abs((2 * np.pi * ours.frequencies) ** 2 / squares - 1).max())
    spaces = [np.linalg.qr(basis)[0] for basis in (ours.basis, theirs)]
    for a, b in (spaces, spaces[::-1]):
        worst = max(worst, float(np.abs(b - a @ (a.T @ b)).max()))
    assert worst < AGREEMENT, f"modes differ by {worst:.2g}"
    return worst


def timed(work) -> float:
    """Return the CPU time [s] of a call."""
    begin = process_time()
    work()
    return process_time() - begin


def compare(report: Report, name: str, fe, exudyn_fem, rounds: int) -> None:
    """Time both on one model."""
    turns = {"ours": lambda: timed(lambda: craig_bampton(fe, interfaces=ENDS, modes=MODES))}
    difference = None
    if exudyn_fem is not None:
        interface = exudyn_interface(exudyn_fem, fe)
        difference = check(fe, interface)
        turns["exudyn"] = lambda: timed(lambda: exudyn_modes(interface, fe))
    best = best_runs(turns, rounds=rounds)
    ratio = best["exudyn"] / best["ours"] if "exudyn" in best else None
    report.add(case=name, unknowns=fe.n_dof, ours=best["ours"], exudyn=best.get("exudyn"), ratio=ratio,
               required=f">= {LEAST_RATIO}", difference=difference, ok=None if ratio is None else ratio >= LEAST_RATIO)


def reduce_large(divisions: int, answer) -> None:
    """Reduce a large block and send its size, CPU time [s] and peak memory [GB]."""
    fe = block(divisions)
    seconds = timed(lambda: craig_bampton(fe, interfaces=ENDS, modes=MODES))
    answer.put((fe.n_dof, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))


def large(report: Report, divisions: int) -> None:
    """Reduce a large block in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    worker = context.Process(target=reduce_large, args=(divisions, answer))
    worker.start()
    unknowns, seconds, memory = answer.get()
    worker.join()
    report.add(case="large block, peak GB", unknowns=unknowns, ours=seconds, ratio=memory,
               required=f"<= {LONGEST:g} s, {LARGEST_MEMORY}", ok=memory <= LARGEST_MEMORY and seconds <= LONGEST)


def main(arguments=None) -> int:
    """Run the benchmark."""
    options = parse(__doc__, arguments)
    report = Report("Craig-Bampton reduction, 12 static and 20 fixed-interface modes; CPU time in s",
                    ["case", "unknowns", "ours", "exudyn", "ratio", "required", "difference"])
    exudyn_fem = peer("exudyn.FEM", report) if peer("exudyn", report) else None
    rounds = options.rounds or (1 if options.smoke else 5)
    slender, edge, larger = ((20, 3, 3), 5, 8) if options.smoke else ((70, 8, 9), 18, 31)
    compare(report, "slender arm", box((1.0, 0.1, 0.12), divisions=slender, material=STEEL), exudyn_fem, rounds)
    compare(report, "block", block(edge), exudyn_fem, rounds)
    large(report, larger)
    return report.finish(options)


if __name__ == "__main__":
    sys.exit(main())
