"""Random search of a gait: a batch of a hexapod's simulations a round, on all cores."""

from pathlib import Path

import carom
import numpy as np
from numpy.typing import NDArray

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
SCENARIO = ROBOTS / "rhex" / "stand.toml"
Array = NDArray[np.float64]

CANDIDATES, ROUNDS, STEPS = 12, 3, 400
TRIPOD = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Which of the two tripods a leg belongs to."""


def efforts(candidates: Array, time_step: float) -> Array:
    """Torques of six hips over time: shape (candidates, steps, 6). A candidate is amplitude [N m], mean [N m],
    frequency [Hz] and phase [rad] between the tripods."""
    amplitude, mean, frequency, phase = (column[:, None, None] for column in candidates.T)
    time = (np.arange(STEPS) * time_step)[None, :, None]
    shift = 0.5 * phase * TRIPOD[None, None, :]
    torques: Array = mean + amplitude * np.sin(2.0 * np.pi * frequency * time + shift)
    return torques


def main() -> None:
    simulation = carom.Simulation(SCENARIO)
    simulation.run(0.2)
    start = np.concatenate((simulation.q, simulation.v))
    rng = np.random.default_rng(4)
    best, reached = np.array([0.5, 0.0, 2.0, np.pi]), 0.0
    spread = np.array([0.8, 0.8, 1.0, 0.8])
    for round in range(ROUNDS):
        tried = best + spread * rng.standard_normal((CANDIDATES, 4))
        tried[0] = best
        control = efforts(tried, simulation.time_step)
        found = carom.rollout(SCENARIO, np.tile(start, (CANDIDATES, 1)), control)
        # How far the body went along x; a row that stopped early went nowhere.
        way = np.nan_to_num(np.abs(found.q[:, -1, 0] - start[0]), nan=-1.0)
        winner = int(way.argmax())
        ambiguous = sum(verdict is False for verdict in found.events["unique"])
        best, reached = tried[winner], float(way[winner])
        spread *= 0.7
        print(f"round {round}: {reached:.3f} m, {found.events.rows} events, {ambiguous} of ambiguous outcome")

    # The row of a batch is the simulation by itself, to the bit.
    again = carom.rollout(SCENARIO, start[None], efforts(best[None], simulation.time_step), threads=1)
    assert abs(abs(again.q[0, -1, 0] - start[0]) - reached) == 0.0
    assert reached > 0.0


if __name__ == "__main__":
    main()
