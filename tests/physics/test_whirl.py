"""Turning shafts: frequencies in their own axes and in fixed ones, forward and backward."""

import numpy as np
import pytest

import dalembert as dal

STEEL = dal.Material(young=2.1e11, poisson=0.3, density=7850.0)
GYROSCOPIC = 1e-3
"""Part by which the turning of its sections changes frequencies of a slender shaft: (radius / length)² times speed ratio."""


def shaft(speed, section=None, bodies=1):
    """Return a clamped shaft along x that is driven at a speed [rad/s]."""
    beam = dal.Beam("shaft", length=1.0, section=section or dal.Circle(0.02), material=STEEL, theory="euler-bernoulli",
                    rotary_inertia=False, modes=2, bodies=bodies)
    return dal.Model("shaft", gravity=(0, 0, 0)).add(beam, dal.Revolute("spin", "ground", "shaft", axis=(1, 0, 0)),
                                                     dal.Motion("drive", "spin", speed=speed))


@pytest.fixture(scope="module")
def still():
    return dal.eigenmodes(shaft(0.0)).frequencies[0]


@pytest.mark.parametrize("speed", [40.0, -40.0, 300.0])
@pytest.mark.parametrize("bodies", [1, 2])
def test_a_round_shaft_whirls_both_ways_at_the_frequency_of_the_shaft_at_rest(still, speed, bodies):
    """In fixed axes a round shaft does not know that it turns; in its own it is seen at f0 - n and f0 + n."""
    m = shaft(speed, bodies=bodies)
    modes = dal.eigenmodes(m)
    turns = abs(speed) / (2 * np.pi)
    for seen, fixed in ((abs(still - turns), still), (still + turns, -still)):
        i = int(np.argmin(abs(modes.frequencies - seen)))
        assert modes.frequencies[i] == pytest.approx(seen, rel=GYROSCOPIC)
        w = modes.whirl(m)
        main = int(np.argmax(w.parts[i]))
        assert w.parts[i, main] > 0.999 and w.fixed[i, main] == pytest.approx(fixed, rel=GYROSCOPIC)
        assert f"{abs(w.fixed[i, main]):.5g} Hz {'forward' if fixed > 0 else 'backward'}" in str(w)
    assert np.allclose(w.spin, (speed, 0, 0), rtol=1e-9)


def test_a_flat_shaft_is_seen_at_two_frequencies():
    """Bending in a plane of its own is two circles; fixed axes see their frequencies one speed apart on either side."""
    m = shaft(40.0, dal.Rectangle(width=0.01, height=0.03))
    modes = dal.eigenmodes(m)
    w = modes.whirl(m)
    assert np.all(w.parts[0, :2] > 0.05)
    assert np.allclose(w.fixed[0], 40 / (2 * np.pi) + np.array([1, -1]) * modes.frequencies[0])
    along = modes.names[int(np.argmax(abs(modes.shapes[-1])))]
    assert w.parts[-1, 2] > 0.99, along


def test_the_table_says_in_which_axes_frequencies_are_told():
    turning, at_rest = dal.eigenmodes(shaft(40.0)), dal.eigenmodes(shaft(0.0))
    assert len(turning.messages) == 1 and "turn with it" in str(turning) and "6.3662 Hz" in turning.messages[0]
    assert at_rest.messages == () and "turn" not in str(at_rest)
    with pytest.raises(dal.ModelError, match="None does"):
        at_rest.whirl(shaft(0.0))


@pytest.mark.parametrize("bodies", [1, 2, 3])
def test_a_whirling_shaft_below_its_critical_speed_is_not_called_unstable(bodies):
    """Its eigenvalues are imaginary; rounding of their real parts, alike for all matrices that are not symmetric, is none."""
    assert not np.any(dal.eigenmodes(shaft(40.0, bodies=bodies)).unstable)


def test_a_flat_shaft_between_its_two_critical_speeds_is():
    """Between its bending frequencies about both axes, in fixed axes, a shaft that is not round runs away."""
    section = dal.Rectangle(width=0.01, height=0.03)
    weak, stiff = dal.eigenmodes(shaft(0.0, section)).frequencies[:2]
    modes = dal.eigenmodes(shaft(np.pi * (weak + stiff), section))
    assert modes.unstable.sum() == 1 and "unstable" in str(modes)
