"""Environments of Gymnasium over a scenario (`pip install carom[gym]`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._carom import Simulation
from .errors import ArgumentError, SimulationError

Array = NDArray[np.float64]
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Reward = Callable[[Simulation, Array], float]
"""A function of the simulation after a step and of the action."""
End = Callable[[Simulation], bool]
"""Whether an episode has ended by itself."""


def alive(simulation: Simulation, action: Array) -> float:
    """The reward where none is given: 1 a step."""
    return 1.0


def never(simulation: Simulation) -> bool:
    """The end where none is given."""
    return False


class Env(gymnasium.Env[Array, Array]):
    """A scenario as an environment.

    The action has an entry in [-1, 1] a joint, times `effort` [N m or N]: one number, one a joint, or the limits of the
    robot's file, 1 where there is none. It acts beside the scenario's controller and is held over `frame_skip` steps. The
    observation is configuration and velocity, shape (nq + nv,). `reward` and `terminated` are functions of the simulation;
    an episode is truncated after `max_time` [s].

    A step that has no solution ends the episode: `terminated`, and `info["error"]` says why.

    `info` has `time` [s]; `contact_forces` [N], shape (ncontact, 3); `impacts`, how many there were in this step;
    `unique`: False if one of them had several outcomes, True if all had one, None if there was none or a law could not
    tell; `indeterminacy`, the largest xi; `impulses` [N s], the sum of normal impulses of each contact, shape (ncontact,).

    `reset(seed)` seeds the laws that draw at random and the perturbation of the start: `noise` is the standard deviation of
    the velocities with which an episode begins. `options` may hold `q` and `v`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario,
        settings: Mapping[str, object] | None = None,
        *,
        reward: Reward = alive,
        terminated: End = never,
        effort: float | Sequence[float] | Array | None = None,
        frame_skip: int = 1,
        max_time: float = 10.0,
        noise: float = 0.0,
    ) -> None:
        if frame_skip < 1:
            raise ArgumentError("frame_skip must be at least 1")
        self.simulation = Simulation(scenario, settings)
        model = self.simulation.model
        limits = model.effort_limits[model.actuated] if effort is None else np.asarray(effort, float)
        self.effort: Array = np.broadcast_to(np.where(np.isfinite(limits), limits, 1.0), (model.nu,))
        self._reward, self._terminated = reward, terminated
        self._frame_skip, self._max_time, self._noise = frame_skip, max_time, noise
        self._start = (self.simulation.q.copy(), self.simulation.v.copy())
        self._places = {name: i for i, name in enumerate(self.simulation.contacts.names)}
        self._forces = self.simulation.contacts.forces
        size = model.nq + model.nv
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (model.nu,), np.float64)

    def _observed(self) -> Array:
        return np.concatenate((self.simulation.q, self.simulation.v))

    def _info(self) -> dict[str, Any]:
        events = self.simulation.events
        impacts = [event for event in events if event.kind in ("impact", "limit")]
        impulses = np.zeros(len(self._places))
        for event in impacts:
            if event.impulses is not None:
                for name, impulse in zip(event.contacts, event.impulses):
                    impulses[self._places[name]] += impulse[0]
        verdicts = [event.unique for event in impacts]
        unique = None if not verdicts or None in verdicts else True
        events.clear()
        return {
            "time": self.simulation.time,
            "contact_forces": self._forces.copy(),
            "impacts": len(impacts),
            "unique": False if False in verdicts else unique,
            "indeterminacy": max((event.indeterminacy for event in impacts), default=0.0),
            "impulses": impulses,
        }

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = options or {}
        q, v = chosen.get("q", self._start[0]), chosen.get("v", self._start[1])
        self.simulation.reset(int(self.np_random.integers(2**63)))
        if self._noise > 0.0:
            v = np.asarray(v) + self._noise * self.np_random.standard_normal(len(self._start[1]))
        if self._noise > 0.0 or "q" in chosen or "v" in chosen:
            self.simulation.set_state(q, v, 0.0)
        self.simulation.events.clear()
        return self._observed(), self._info()

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        asked = np.asarray(action, dtype=np.float64)
        applied = np.clip(asked, -1.0, 1.0) * self.effort
        error = None
        try:
            for _ in range(self._frame_skip):
                self.simulation.step(applied)
        except SimulationError as stopped:
            error = str(stopped)
        info = self._info()
        if error is not None:
            info["error"] = error
        ended = error is not None or bool(self._terminated(self.simulation))
        truncated = self.simulation.time >= self._max_time - 0.5 * self.simulation.time_step
        reward = 0.0 if error is not None else float(self._reward(self.simulation, asked))
        return self._observed(), reward, ended, truncated, info


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, Any]):
    """`num_envs` environments of one scenario, one after the other in one process.

    An environment that ended is reset by the next step (`AutoresetMode.NEXT_STEP`): its action is not looked at, its reward
    is 0. `info` has arrays under the names of `Env`, with a mask `_name` of the environments that have it.
    """

    def __init__(self, num_envs: int, scenario: Scenario, *args: Any, **options: Any) -> None:
        super().__init__()
        if num_envs < 1:
            raise ArgumentError("num_envs must be at least 1")
        self.envs = [Env(scenario, *args, **options) for _ in range(num_envs)]
        self.num_envs = num_envs
        self.metadata = {**Env.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        first = self.envs[0]
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        if seed is None or isinstance(seed, int):
            seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ArgumentError(f"there must be {self.num_envs} seeds")
        self._ended[:] = False
        observed = []
        infos: dict[str, Any] = {}
        for i, (env, own) in enumerate(zip(self.envs, seeds)):
            observation, info = env.reset(seed=own, options=options)
            observed.append(observation)
            infos = self._add_info(infos, info, i)
        return np.stack(observed), infos

    def step(
        self, actions: Array
    ) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        observed = []
        rewards = np.zeros(self.num_envs)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        infos: dict[str, Any] = {}
        for i, (env, action) in enumerate(zip(self.envs, actions)):
            if self._ended[i]:
                observation, info = env.reset()
            else:
                observation, rewards[i], terminated[i], truncated[i], info = env.step(action)
            observed.append(observation)
            infos = self._add_info(infos, info, i)
        self._ended = terminated | truncated
        return np.stack(observed), rewards, terminated, truncated, infos
