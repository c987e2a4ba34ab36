"""Ctrl-C ends long work itself: the exception comes at once, and nothing goes on behind it."""

import signal
import threading
import time

import carom
import pytest

# Signals are looked at every 50 ms and work at every step, which takes microseconds; the rest is a busy machine. Every
# work below takes minutes if nobody ends it.
AT_ONCE = 2.0
BEFORE = 0.4


def interrupted(work):
    """Sends SIGINT in the middle of work, and checks when the exception comes and that the process is idle then."""
    threading.Timer(BEFORE, lambda: signal.raise_signal(signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert BEFORE * 0.9 < time.monotonic() - begun < BEFORE + AT_ONCE
    used = time.process_time()
    time.sleep(0.4)
    # One thread that worked on would have used up to the 0.4 s that were slept; threads that wait use nothing.
    assert time.process_time() - used < 0.04


@pytest.fixture
def gait(robots):
    return robots / "compass" / "gait_long.toml"


def test_an_orbit(gait):
    interrupted(lambda: carom.orbit(gait, settle=1_000_000))


def test_orbits_from_many_starts(gait):
    interrupted(lambda: carom.find_orbits(gait, 100_000))


def test_a_scan(gait):
    interrupted(lambda: carom.scan_orbit(gait, "robot.gravity.0", (0.3, 0.77), 100_000))


def test_a_basin(gait):
    axes = {"q_leading": (0.19, 0.27, 300), "v_trailing": (-0.8, -0.3, 300)}
    interrupted(lambda: carom.orbit_basin(gait, axes))


def test_a_design(robots):
    file = robots / "trex" / "design.toml"
    interrupted(lambda: carom.design(file, {"solver.starts": 100_000}))


@pytest.mark.parametrize("more", [{}, {"baseline.robust.draws": 100_000, "duration": 0.5}])
def test_a_baseline_is_not_written(robots, tmp_path, more):
    scenario, out = robots / "trex" / "drop.toml", tmp_path / "drop.baseline.toml"
    settings = {"duration": 1e5, **more}
    if more:
        settings["baseline.robust.perturb"] = [{"key": "initial.base.z", "uniform": 1e-3}]
    interrupted(lambda: carom.Baseline.record(scenario, out, settings))
    assert list(tmp_path.iterdir()) == []


def test_a_baseline_is_not_updated(robots, tmp_path):
    out = tmp_path / "chain.baseline.toml"
    baseline = carom.Baseline.record(robots / "chain" / "chain4.toml", out, {"duration": 0.1})
    before = out.read_bytes()
    interrupted(lambda: baseline.verify({"duration": 1e5}, update=True))
    assert out.read_bytes() == before and list(tmp_path.iterdir()) == [out]


def test_a_controller_of_python(robots, tmp_path):
    out = tmp_path / "chain.baseline.toml"
    scenario = robots / "chain" / "chain4.toml"
    interrupted(lambda: carom.Baseline.record(scenario, out, {"duration": 1e4}, controller=lambda seen: -0.1 * seen.v))
    assert not out.exists()
