"""Impacts, comparisons, orbits and designs."""

import carom
import numpy as np
import pytest
from carom.errors import DesignError, ImpactError, OrbitError

CRADLE = {
    "name": "cradle",
    "mass_matrix": np.eye(3),
    "velocity": np.array([1.0, 0.0, 0.0]),
    "contacts": [{"name": "AB", "normal": [-1, 1, 0]}, {"name": "BC", "normal": [0, -1, 1]}],
}


def test_a_cradle_has_one_outcome():
    found = carom.impact(CRADLE, all=True)
    assert found.law == "propagative" and found.unique is True and found.indeterminacy == 0.0
    assert np.allclose(found.outcomes[0].velocity, [0, 0, 1], atol=1e-14)
    assert found.outcomes[0].sequence == ["AB", "BC"]
    assert [one.normal for one in found.outcomes[0].impulses] == pytest.approx([1.0, 1.0])
    assert found.certificate["unique_for_every_momentum"]


def test_billiards_have_two(examples):
    found = carom.impact(examples / "impacts" / "billiards.json", law="propagative", all=True)
    assert found.unique is False and len(found.outcomes) == 2
    # Mirror images of each other.
    assert found.indeterminacy == pytest.approx(0.75)
    for outcome in found.outcomes:
        assert outcome.energy_after == pytest.approx(outcome.energy_before)


def test_settings_and_errors_of_laws():
    drawn = carom.impact(CRADLE, law="routh", samples=16, seed=3)
    assert drawn.law == "routh"
    with pytest.raises(ImpactError, match="did you mean"):
        carom.impact(CRADLE, law="propogative")
    with pytest.raises(ImpactError, match="smples.*no such parameter"):
        carom.impact(CRADLE, law="routh", smples=3)
    with pytest.raises(ImpactError, match="nothing to enumerate"):
        carom.impact(CRADLE, law="plastic", all=True)
    with pytest.raises(ImpactError, match="finite"):
        carom.impact({**CRADLE, "velocity": [np.nan, 0, 0]})
    with pytest.raises(ImpactError, match="did you mean"):
        carom.impact({**CRADLE, "velocty": [0, 0, 0]})
    several = carom.impact([CRADLE, {**CRADLE, "velocity": [1.0]}])
    assert several[0].unique is True and isinstance(several[1], ImpactError)


def test_laws_side_by_side(examples, robots):
    compared = carom.compare(examples / "impacts" / "corner.json")
    assert "propagative" in compared.not_applied and "friction" in compared.not_applied["propagative"].reason
    assert compared.applied["stronge"].unique is False
    first = carom.compare(robots / "billiards" / "break.toml")
    assert first.applied["propagative"].unique is False and first.applied["plastic"].unique is True


def test_the_long_gait_is_a_stable_orbit(robots):
    found = carom.orbit(robots / "compass" / "gait_long.toml")
    assert found.found and found.stable is True
    # The modulus that the README states.
    assert abs(found.multipliers[0]) == pytest.approx(0.594, abs=5e-4)
    assert found.cost_of_transport == pytest.approx(np.sin(0.03), abs=1e-8)
    with pytest.raises(OrbitError, match="orbit"):
        carom.orbit(robots / "ball" / "bounce.toml")


def test_a_design_is_orthogonal(robots):
    found = carom.design(robots / "trex" / "design.toml")
    assert found.status == "converged"
    cosines = [one["cosine"] for one in found.details["cosines"]["after"] if one["target"] is not None]
    assert cosines and max(map(abs, cosines)) < 1e-8
    assert carom.Model.from_urdf(found.urdf).mass > 0 and "lu" in found.variables


def test_a_design_on_an_orbit(robots, tmp_path):
    found = carom.design(robots / "bar" / "design.toml")
    assert found.status == "converged"
    # sqrt(I / m) = sqrt(0.04 kg m^2 / 1 kg); the slope of the cosine is -1 / 0.2 m, and it is met to 1e-10.
    assert found.variables == pytest.approx({"half_width": 0.2}, abs=1e-10)
    orbit = found.details["orbit"]
    assert [orbit[side]["differentiability"] for side in ("before", "after")] == ["discontinuous", "differentiable"]
    (tmp_path / "robot.urdf").write_text(found.urdf)
    (tmp_path / "scenario.toml").write_text(found.scenario)
    confirmed = carom.orbit(tmp_path / "scenario.toml")
    assert confirmed.found and confirmed.differentiability == "differentiable"
    assert carom.design(robots / "trex" / "design.toml").scenario is None
    # Gravity and strikes push it away from the table: there is no orbit to begin with.
    with pytest.raises(DesignError):
        carom.design(robots / "bar" / "design.toml", {"orbit.set": ["robot.gravity=[0.0, 0.0, 9.81]"]})
    with pytest.raises(DesignError, match="parameter"):
        carom.design(robots / "bar" / "design.toml", {"parameter.0.scale": -1.0})
