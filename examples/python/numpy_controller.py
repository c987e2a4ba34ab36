"""A controller in NumPy: computed torques make a chain of four links follow sines."""

from pathlib import Path

import carom
import numpy as np
from numpy.typing import NDArray

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
Array = NDArray[np.float64]


class ComputedTorque:
    """M(q) (a* - k (q - q*) - d (v - v*)) + bias, with q* = A sin(w t)."""

    def __init__(self, model: carom.Model) -> None:
        self.model = model
        self.amplitude = np.array([0.3, -0.2, 0.2, 0.1])
        self.rate = 2.0 * np.pi
        self.error = 0.0

    def __call__(self, seen: carom.Observation) -> Array:
        # Efforts are held over the step: they are those for its middle.
        phase = self.rate * (seen.time + 0.5 * seen.time_step)
        target = self.amplitude * np.sin(phase)
        off = seen.q - self.amplitude * np.sin(self.rate * seen.time)
        self.error = float(np.abs(off).max())
        wanted = -self.rate**2 * target - 900.0 * off
        wanted -= 60.0 * (seen.v - self.amplitude * self.rate * np.cos(self.rate * seen.time))
        return self.model.inverse_dynamics(seen.q, seen.v, wanted)


def main() -> None:
    scenario = ROBOTS / "chain" / "chain4.toml"
    model = carom.Simulation(scenario).model
    controller = ComputedTorque(model)
    zeros = np.zeros(model.nv)
    settings = {"time_step": 1e-3}
    simulation = carom.Simulation(scenario, settings, controller, q=np.zeros(model.nq), v=zeros)
    simulation.run(1.0)
    first = controller.error
    simulation.run(3.0)
    print(f"off by {first:.2e} rad after 1 s, {controller.error:.2e} rad after 3 s")
    # Torques that lag by half a step of 1 ms leave an error of that order.
    assert controller.error < 5e-3


if __name__ == "__main__":
    main()
