"""Random search of a gait: a hexapod whose legs are held by servos learns to crawl. A batch of simulations a round, on
all cores."""

from pathlib import Path

import carom
import numpy as np
from numpy.typing import NDArray

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
SCENARIO = ROBOTS / "rhex" / "stand.toml"
Array = NDArray[np.float64]

SETTINGS = {"impact.law": "max-dissipation"}
CANDIDATES, ROUNDS, STEPS = 16, 4, 500
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
    simulation = carom.Simulation(SCENARIO, SETTINGS)
    simulation.run(0.2)
    start = np.concatenate((simulation.q, simulation.v))
    rng = np.random.default_rng(4)
    best, reached = np.array([2.0, 0.0, 4.0, np.pi]), 0.0
    spread = np.array([1.0, 0.6, 1.0, 1.0])
    for round in range(ROUNDS):
        tried = best + spread * rng.standard_normal((CANDIDATES, 4))
        tried[0] = best
        control = efforts(tried, simulation.time_step)
        found = carom.rollout(SCENARIO, np.tile(start, (CANDIDATES, 1)), control, settings=SETTINGS)
        # How far the body went along x; a row that stopped early went nowhere.
        way = np.nan_to_num(found.q[:, -1, 0] - start[0], nan=-1.0)
        winner = int(way.argmax())
        ambiguous = sum(verdict is False for verdict in found.events["unique"])
        best, reached = tried[winner], float(way[winner])
        spread *= 0.7
        print(f"round {round}: {reached:.3f} m, {found.events.rows} events, {ambiguous} of ambiguous outcome")

    # Rows start with no contact held; the simulation goes on from where its feet stand.
    for row in efforts(best[None], simulation.time_step)[0]:
        simulation.step(row)
    print(f"by itself: {simulation.q[0] - start[0]:.3f} m, {best.round(2)}")
    assert reached > 0.05


if __name__ == "__main__":
    main()
