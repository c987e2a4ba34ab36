"""Periodic orbits from many starts, over a key, and where motions go."""

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError, OrbitError

# Half the precision of the file: enough to tell orbits apart, and a third of its time.
QUICK = {"stepper.order": 2, "time_step": 2e-3}


@pytest.fixture
def gait(robots):
    return robots / "compass" / "gait_long.toml"


def test_starts_lead_to_the_orbit_and_are_all_accounted_for(gait):
    alone = carom.orbit(gait, QUICK)
    found = carom.find_orbits(gait, 6, QUICK, seed=1)
    first = found.orbits[0]
    assert first.first_start == 0 and first.orbit.period == alone.period
    assert np.array_equal(first.orbit.multipliers, alone.multipliers)
    led = sum(one.starts for one in found.orbits)
    assert led + found.not_converged + found.not_returned == found.starts == 6
    with pytest.raises(OrbitError, match="between 1 and"):
        carom.find_orbits(gait, 0)


def test_a_branch_has_arrays_and_its_period_doubling(gait):
    branch = carom.scan_orbit(gait, "robot.gravity.0", (0.42, 0.77), 6, QUICK)
    assert branch.ended is None and branch.key == "robot.gravity.0"
    assert branch.parameter == pytest.approx(np.linspace(0.42, 0.77, 6), abs=1e-12)
    count = len(branch.orbits)
    assert branch.period.shape == branch.sheet.shape == branch.arc_length.shape == (count,)
    assert branch.multipliers.dtype == np.complex128
    assert branch.multipliers.shape == (count, len(branch.orbits[0].multipliers))
    assert np.all(branch.sheet == 0) and np.all(np.diff(branch.arc_length) > 0.0)
    assert branch.q("leading").shape == branch.v("leading").shape == (count,)
    assert branch.q("leading")[1] == branch.orbits[1].q["leading"]
    # A multiplier passes -1 where the long gait doubles its period: inside of the unit circle before, outside after.
    doubling = [one for one in branch.bifurcations if one.kind == "period-doubling"]
    assert len(doubling) == 1 and doubling[0].multiplier == pytest.approx(-1.0, abs=1e-6)
    stable = [orbit.stable for orbit in branch.orbits]
    assert stable == [parameter < doubling[0].parameter for parameter in branch.parameter]
    with pytest.raises(ArgumentError, match="there is no coordinate"):
        branch.q("leding")


def test_motions_from_the_orbit_go_to_it(gait):
    orbit = carom.orbit(gait, QUICK)
    middle = {name: orbit.details["section_point"][name] for name in ("q_leading", "v_trailing")}
    axes = {name: (value - 1e-3, value + 1e-3, 3) for name, value in middle.items()}
    axes["v_trailing"] = (middle["v_trailing"] - 1e-3, middle["v_trailing"] + 3.0, 2)
    basin = carom.orbit_basin(gait, axes, QUICK, periods=60)
    assert basin.axes == ("q_leading", "v_trailing")
    assert basin.ends.shape == basin.periods.shape == (2, 3)
    assert basin.values[0] == pytest.approx(middle["q_leading"] + np.array([-1e-3, 0.0, 1e-3]))
    # The orbit is stable, and 3 m/s faster the leg swings the other way.
    assert np.all(basin.ends[0] == 0) and len(basin.orbits) == 1
    assert np.all(basin.ends[1] == -1)
    with pytest.raises(ArgumentError, match="a map has two"):
        carom.orbit_basin(gait, {"q_leading": (0.1, 0.2, 3)})
    with pytest.raises(ArgumentError, match="must be finite"):
        carom.orbit_basin(gait, {"q_leading": (0.1, 0.1, 3), "v_trailing": (0.0, 1.0, 3)})
    with pytest.raises(OrbitError, match="the section has no coordinate"):
        carom.orbit_basin(gait, {"q_leding": (0.1, 0.2, 3), "v_trailing": (0.0, 1.0, 3)}, QUICK)
