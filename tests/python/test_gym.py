"""Environments."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from carom.gym import Env, VectorEnv  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402


def test_the_checker_has_nothing_to_say(robots, recwarn):
    env = Env(robots / "quadruped" / "stand.toml", frame_skip=5, max_time=0.5, noise=0.01)
    check_env(env, skip_render_check=True)
    # It warns that the bounds of observations are infinite, which those of a robot are.
    others = [str(w.message) for w in recwarn if "infinity" not in str(w.message)]
    assert others == []


def test_an_episode_tells_of_impacts(robots):
    env = Env(robots / "quadruped" / "stand.toml", frame_skip=10, max_time=0.4)
    observed, info = env.reset(seed=1)
    assert observed.shape == env.observation_space.shape and info["time"] == 0.0
    impacts, impulse = 0, 0.0
    for step in range(1, 100):
        observed, reward, terminated, truncated, info = env.step(np.zeros(12))
        impacts += info["impacts"]
        impulse += info["impulses"].sum()
        assert info["contact_forces"].shape == (len(info["impulses"]), 3)
        assert (info["unique"] is None) or info["impacts"] > 0
        if truncated:
            break
    assert step == 40 and not terminated and impacts > 0 and impulse > 0.0


def test_seeds_and_starts(robots):
    env = Env(robots / "rhex" / "stand.toml", noise=0.1)
    one, _ = env.reset(seed=5)
    other, _ = env.reset(seed=6)
    again, _ = env.reset(seed=5)
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    q = env.simulation.model.neutral()
    q[2] = 1.0
    chosen, _ = env.reset(seed=5, options={"q": q})
    assert chosen[2] == 1.0


def test_a_step_without_a_solution_ends_the_episode(robots):
    env = Env(robots / "chain" / "chain4.toml", effort=1e300)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(np.ones(4))
    assert terminated and "s:" in info["error"] and reward == 0.0


def test_vectors_reset_at_the_next_step(robots):
    envs = VectorEnv(3, robots / "quadruped" / "stand.toml", max_time=0.003, noise=0.01)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    first, info = envs.reset(seed=3)
    assert first.shape == (3, 37) and info["contact_forces"].shape[0] == 3
    single = Env(robots / "quadruped" / "stand.toml", max_time=0.003, noise=0.01)
    assert np.array_equal(single.reset(seed=4)[0], first[1])
    for _ in range(3):
        observed, rewards, terminated, truncated, info = envs.step(np.zeros((3, 12)))
    assert truncated.all() and not terminated.any() and (rewards == 1.0).all()
    observed, rewards, terminated, truncated, info = envs.step(np.zeros((3, 12)))
    assert (rewards == 0.0).all() and not truncated.any() and (info["time"] == 0.0).all()
