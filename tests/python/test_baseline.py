"""Baselines, and the fixture of pytest."""

import carom
import pytest
from carom.errors import BaselineDiffers, BaselineError


@pytest.fixture(scope="module")
def recorded(robots, tmp_path_factory):
    file = tmp_path_factory.mktemp("baselines") / "cradle.baseline.toml"
    return carom.Baseline.record(robots / "cradle" / "three.toml", file)


def test_a_baseline_holds_until_something_changes(recorded):
    assert recorded.verify({"impact.order": "index"})
    verdict = recorded.verify({"contact.restitution": 0.9})
    assert not verdict and not verdict.same and "metrics" in verdict.details
    with pytest.raises(BaselineDiffers) as differs:
        recorded.check({"contact.restitution": 0.9})
    assert isinstance(differs.value, AssertionError) and verdict.text in str(differs.value)
    with pytest.raises(BaselineError):
        carom.Baseline("nothing.toml").verify()


def test_a_baseline_of_a_controller(robots, tmp_path):
    def law(gain):
        return lambda seen: -gain * seen.v

    file = tmp_path / "chain.baseline.toml"
    scenario = tmp_path / "chain.toml"
    text = (robots / "chain" / "chain4.toml").read_text()
    text = text.replace('"chain4.urdf"', f'"{robots / "chain" / "chain4.urdf"}"')
    scenario.write_text(text)
    settings = {"duration": 0.2}
    baseline = carom.Baseline.record(scenario, file, settings, controller=law(0.1))
    assert baseline.verify(controller=law(0.1)).same
    assert not baseline.verify(controller=law(0.2)).same

    def broken(seen):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        baseline.verify(controller=broken)


def test_the_fixture_fails_as_an_assertion_does(pytester, recorded):
    pytester.makepyfile(
        f"""
        def test_same(carom_baseline):
            assert carom_baseline({recorded.path!r})

        def test_lossy(carom_baseline):
            carom_baseline({recorded.path!r}, {{"contact.restitution": 0.9}})
        """
    )
    # In a process of its own: the module is loaded once in each.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*CAROM_UPDATE_BASELINES=1*"])
    assert "_baseline.py" not in result.stdout.str()
