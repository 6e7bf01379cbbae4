"""References of flexible mechanisms, met in absolute interface coordinates without constraints [ELL section 7]."""

import numpy as np
import pytest
from flexible_mechanisms import offset_from_chord, slider_crank_2d, slider_crank_3d, spin_up
from reference import column, load, worst

import dalembert as dal


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


@pytest.mark.parametrize("bodies, bound", [(2, 0.09), (8, 0.01)])
def test_the_rod_of_a_slider_crank_bends_like_the_reference(bodies, bound):
    """[ELL Fig. 7] Two superelements are 7 % off the converged solution, eight 0.2 %."""
    p = load("p6_slidercrank_flex_2d")
    r = dal.run(slider_crank_2d(p["data"], bodies), until=p["t"][-1], step=2e-5, record=np.array(p["t"]),
                formulation="interface")
    assert (r.stats.unknowns, r.stats.multipliers) == (3 + 6 * (bodies - 1), 0)
    offset, chord = offset_from_chord(r)
    expected = column(p, "v_mid")
    assert rms(np.sum(offset * np.cross((0, 0, 1), chord), axis=1) - expected) < bound * rms(expected)


def test_the_rod_of_a_spatial_slider_crank_bends_like_the_reference():
    """[ELL Fig. 9]"""
    p = load("p6_slidercrank_flex_3d")
    r = dal.run(slider_crank_3d(p["data"], 8), until=p["t"][-1], step=2e-5, record=np.array(p["t"]), formulation="interface")
    assert r.stats.multipliers == 0
    offset, chord = offset_from_chord(r)
    w = np.cross(chord, (1, 0, 0))
    w /= np.linalg.norm(w, axis=1)[:, None]
    for direction, name in ((w, "v_mid_w"), (np.cross(chord, w), "v_mid_b")):
        expected = column(p, name)
        assert rms(np.sum(offset * direction, axis=1) - expected) < 0.02 * rms(expected)


def test_a_beam_is_spun_up():
    p = load("p7_spinup")
    r = dal.run(spin_up(p["data"], bodies=10), until=20.0, step=5e-3, record=0.5, formulation="interface")
    psi, tip = r["hinge.angle"], r["beam.end.position"]
    u1 = np.cos(psi) * tip[:, 0] + np.sin(psi) * tip[:, 1] - p["data"]["L"]
    u2 = -np.sin(psi) * tip[:, 0] + np.cos(psi) * tip[:, 1]
    assert worst(u2, column(p, "u2")) < 0.01 * np.max(np.abs(column(p, "u2")))
    assert u1[-1] == pytest.approx(p["steady_tip_extension_exact"], rel=0.05)
