"""Tables of flexible bodies in floating frames."""

import numpy as np
import pytest
from floating_cases import EPS, SOFT, case_of, double_arm, solid

import dalembert as dal
from dalembert.start.initial import prepare_start
from dalembert.system.pack_elastic import DEFLECTION, elastic_sizes, mean_curves


def test_equal_segments_share_their_constants():
    """Of four segments the second differs by the point that lies on it."""
    rows = case_of(double_arm(bodies=4), "recursive").sys.floating.element
    assert len(set(rows["X1"])) == len(set(rows["Ke"])) == 2
    assert len(set(rows["v"])) == 4


def test_the_mean_motion_has_the_moments_of_the_displacements():
    """(1) of system/pack_elastic.py."""
    body = solid().floating("hub")
    b, c, stiffening = mean_curves(body), body.constants, body.stiffening
    by_u, by_t = np.moveaxis(b[:3], 0, -1), np.moveaxis(b[3:], 0, -1)
    momentum = c.mass * by_u + np.cross(by_t, c.first_moment)
    spin = np.cross(c.first_moment, by_u) + by_t @ c.inertia
    for found, expected in ((momentum, stiffening.translation), (spin, stiffening.rotation)):
        assert np.moveaxis(found, -1, 0) == pytest.approx(expected, abs=1e5 * EPS * np.max(abs(expected)))


def test_elastic_coordinates_follow_those_of_the_joint():
    """Free joint: seven coordinates, six rates, then the elastic ones, each the integral of its rate."""
    m = dal.Model("flight").add(dal.FlexibleBody("arm", solid()), dal.Free("f", "ground", "arm.hub"))
    packed = prepare_start(m, formulation="recursive").packed
    e, entry = packed.system.floating.element[0], packed.layout.flexibles[0]
    assert (e.q, e.v, e.n) == (7, 6, entry.n) == (entry.q, entry.v, len(entry.coordinates))
    assert packed.layout.n_q == 7 + e.n
    pairs = dict(zip(packed.system.pair["v"].tolist(), packed.system.pair["q"].tolist(), strict=True))
    assert all(pairs[6 + k] == 7 + k for k in range(e.n))


def test_sizes_are_deflections():
    """A coordinate of its size deflects the body by a hundredth of its radius of inertia, root mean square."""
    body = solid().floating("hub")
    size, rate = elastic_sizes(body)
    model = body.reduced.model
    field = body.displacement(np.eye(body.n)[0] * size[0])
    rms = np.sqrt(field @ (model.mass @ field) / body.mass)
    central = body.constants.shifted(body.constants.centre).inertia
    assert rms == pytest.approx(DEFLECTION * np.sqrt(np.trace(central) / 2 / body.mass), rel=1e-9)
    assert rate / size == pytest.approx(np.maximum(2 * np.pi * body.frequencies, 1.0), rel=1e-9)


def test_without_stiffening_the_inertia_stays_in_the_frame():
    m = dal.Model("arm").add(dal.Beam("arm", length=1.0, section=dal.Circle(0.02), material=SOFT, stiffening=False),
                             dal.Fixed("clamp", "ground", "arm.start"))
    floating = prepare_start(m, formulation="recursive").packed.system.floating
    assert floating.element[0].root == floating.element[0].body
    assert not floating.face["heavy"].any()
