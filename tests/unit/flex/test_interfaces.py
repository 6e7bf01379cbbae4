"""Rigid and averaging interfaces: rigid motions are exact, loads are equivalent."""

import numpy as np
import pytest
from fe_problems import EPS, STEEL

from dalembert import ModelError
from dalembert.flex.beam_elements import beam
from dalembert.flex.interfaces import average_interface, rigid_interface
from dalembert.flex.plane_elements import plate
from dalembert.flex.solid_elements import box
from dalembert.model.flexible import Circle

SOLID = box((1.0, 0.2, 0.1), divisions=(4, 2, 2), material=STEEL)
PLANE = plate((1.0, 0.2), thickness=0.1, divisions=(4, 2), material=STEEL)
BEAM = beam(length=1.0, section=Circle(0.02), material=STEEL, elements=3)


@pytest.mark.parametrize("fe", [SOLID, PLANE], ids=["solid", "plane"])
@pytest.mark.parametrize("point", [None, (1.3, 0.2, 0.0)])
def test_rigid_motions_are_reproduced_exactly(fe, point):
    """Average after rigid is the identity; the frame's motion is that of the body."""
    rigid = rigid_interface(fe, "+x", point=point)
    mean = average_interface(fe, "+x", point=point)
    identity = np.zeros((6, 6))
    identity[rigid.directions, rigid.directions] = 1.0
    assert np.abs((mean.matrix @ rigid.matrix).toarray() - identity).max() <= 1000 * EPS
    assert rigid.point == pytest.approx((1.0, 0.0, 0.0) if point is None else point)
    modes = fe.rigid_modes(rigid.point)
    assert np.abs(mean.matrix @ modes - identity).max() <= 1000 * EPS
    at = np.isin(fe.dof_node, fe.face("+x"))
    assert np.array_equal(rigid.matrix.toarray()[at], modes[at]) and not rigid.matrix.toarray()[~at].any()


def test_averaging_distributes_an_equivalent_load():
    """Forces Aᵀ F on the nodes have the resultant F about the frame, for any weights."""
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 9)
    mean = average_interface(SOLID, "+x", point=(1.1, 0.3, -0.2), weights=weights)
    load = np.arange(1.0, 7.0)
    nodal = mean.matrix.T @ load
    assert SOLID.rigid_modes(mean.point).T @ nodal == pytest.approx(load, rel=1e4 * EPS)


def test_averaging_ignores_what_is_not_rigid():
    """Stretching of a symmetric face moves its frame not at all."""
    mean = average_interface(SOLID, "+x")
    y, z = SOLID.nodes[:, 1:].T
    stretch = np.zeros((len(SOLID.nodes), 3))
    stretch[:, 1], stretch[:, 2] = 0.3 * y, -0.2 * z
    assert np.abs(mean.matrix @ stretch[SOLID.dof_node, SOLID.dof_direction]).max() <= 100 * EPS


def test_a_beam_node_is_its_own_frame():
    for interface in (rigid_interface(BEAM, "end"), average_interface(BEAM, "end")):
        matrix = interface.matrix.toarray()
        matrix = matrix if interface.coupling == "rigid" else matrix.T
        assert np.abs(matrix[-6:] - np.eye(6)).max() <= 10 * EPS and not matrix[:-6].any()
        assert interface.point == pytest.approx((1.0, 0.0, 0.0))


@pytest.mark.parametrize("make", [rigid_interface, average_interface])
def test_sets_that_determine_no_frame(make):
    corner, edge = SOLID.face("+x")[:1], SOLID.face("+x")[:3]
    with pytest.raises(ModelError, match=r"1 node without own rotations lies in a point and determines 3 of 6.*an area"):
        make(SOLID, corner)
    with pytest.raises(ModelError, match=r"3 nodes .* on a line and determine 5 of 6"):
        make(SOLID, edge)
    with pytest.raises(ModelError, match="determines 2 of 3"):
        make(PLANE, 0)
    assert make(PLANE, [0, 1]).directions == (0, 1, 5)
    with pytest.raises(ModelError, match="no node set 'hub'"):
        make(BEAM, "hub")
    with pytest.raises(ModelError, match="point"):
        make(SOLID, "+x", point=(1.0, 2.0))


@pytest.mark.parametrize("weights", [[1.0, 2.0], np.zeros(9), np.full(9, np.nan)])
def test_bad_weights(weights):
    with pytest.raises(ModelError, match="9 positive numbers"):
        average_interface(SOLID, "+x", weights=weights)
