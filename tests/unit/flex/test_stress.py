"""Stress recovery against exact states of stress."""

import numpy as np
import pytest
from fe_problems import EPS, STEEL, solve

from dalembert import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.plane_elements import plate
from dalembert.flex.solid_elements import box
from dalembert.flex.stress import nodal_stress, von_mises
from dalembert.model.flexible import Circle, Material, Section

E = STEEL.young


@pytest.mark.parametrize("fe", [box((1.0, 0.2, 0.1), divisions=(4, 2, 1), material=STEEL),
                                box((1.0, 0.2, 0.1), divisions=(4, 2, 1), material=STEEL, kind="t10"),
                                plate((1.0, 0.2), thickness=0.1, divisions=(4, 2), material=STEEL)],
                         ids=["h8", "t10", "q4"])
def test_pure_bending_is_recovered_at_the_nodes(fe):
    """Saint-Venant's exact field: σxx = -E κ y, nothing else; quadratic and softened elements hold it to rounding."""
    kappa, v = 1e-4, STEEL.poisson
    x, y, z = fe.nodes.T
    exact = np.stack([-kappa * x * y, kappa * (x**2 + v * (y**2 - z**2)) / 2, kappa * v * y * z], axis=1)
    u = exact[fe.dof_node, fe.dof_direction]
    stress = nodal_stress(fe, u)
    bound = 1e5 * EPS * E * kappa
    assert np.abs(stress.components[:, 0] + E * kappa * y).max() <= bound
    assert np.abs(stress.equivalent - E * kappa * np.abs(y)).max() <= bound


def test_von_mises_of_simple_states():
    """Tension counts fully, shear √3 times, pressure nothing; plane stress is the solid with σzz = 0."""
    s = 3.0
    solids = np.array([[s, 0, 0, 0, 0, 0], [0, 0, 0, s, 0, 0], [s, s, s, 0, 0, 0], [s, -s, 0, 0, 0, 0]])
    assert von_mises(solids) == pytest.approx([s, 3**0.5 * s, 0, 3**0.5 * s], abs=10 * EPS)
    planes = np.random.default_rng(0).standard_normal((5, 3))
    full = np.zeros((5, 6))
    full[:, [0, 1, 3]] = planes
    assert von_mises(planes) == pytest.approx(von_mises(full), rel=100 * EPS)


def test_many_fields_at_once():
    """Columns are treated as single fields; components are linear."""
    fe = plate((1.0, 0.2), thickness=0.1, divisions=(3, 2), material=STEEL)
    u = np.random.default_rng(0).standard_normal((fe.n_dof, 3))
    both = nodal_stress(fe, u)
    for c in range(3):
        one = nodal_stress(fe, u[:, c])
        assert np.abs(both.components[..., c] - one.components).max() <= 100 * EPS * np.abs(one.components).max()
        assert np.abs(both.equivalent[..., c] - one.equivalent).max() <= 100 * EPS * one.equivalent.max()


def test_a_cantilever_beam():
    """Section forces under end loads: N, V and T constant, moments linear; extreme fibre N/A + M r/I."""
    F, length, section = np.array([5.0, 7.0, -3.0, 2.0, 0.0, 0.0]), 1.2, Circle(0.03)
    fe = beam(length=length, section=section, material=STEEL, elements=4)
    f = np.zeros(fe.n_dof)
    f[-6:] = F
    stress = nodal_stress(fe, solve(fe, fe.dof_node == 0, force=f))
    arm = length - fe.nodes[:, 0]
    exact = np.column_stack([np.tile(F[:4], (5, 1)), -F[2] * arm, F[1] * arm])
    assert np.abs(stress.components - exact).max() <= 1e6 * EPS * np.abs(exact).max()
    fibre = F[0] / section.area + np.hypot(F[1], F[2]) * arm * 0.015 / section.iy
    assert stress.equivalent == pytest.approx(fibre, rel=1e6 * EPS)


def test_a_section_without_extent_has_no_fibre_stress():
    s = Section(area=1e-3, iy=1e-8, iz=1e-8, torsion=1e-8)
    fe = beam(length=1.0, section=s, material=Material(1e9, 0.3, 1.0), elements=1)
    with pytest.raises(ModelError, match=r"extent=\(y, z\)"):
        nodal_stress(fe, np.zeros(12))
