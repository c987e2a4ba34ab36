"""A quadruped falls 15 cm and stands: arrays that stay live, events, results as a table."""

from pathlib import Path

import carom

ROBOTS = Path(__file__).resolve().parents[2] / "robots"


def main() -> None:
    simulation = carom.Simulation(ROBOTS / "quadruped" / "stand.toml", {"contact.friction": 0.7})
    height, forces = simulation.q[2:3], simulation.contacts.forces
    print(f"{simulation.model.name}: {simulation.model.nv} velocities, feet {simulation.contacts.names[:4]}")
    for until in (0.1, 0.2, 0.5, 1.0):
        simulation.run(until)
        # The arrays were made once and show every step.
        print(f"{simulation.time:.1f} s: height {height[0]:.3f} m, feet carry {forces[:, 0].sum():.1f} N")
    weight = simulation.model.mass * 9.81
    assert abs(forces[:, 0].sum() - weight) < 0.1 * weight
    impacts = [event for event in simulation.events if event.kind == "impact"]
    print(f"{len(impacts)} impacts, the first one {impacts[0]}")

    # A state is copied, pickled and taken up again, to the same bits.
    saved = simulation.state
    simulation.run(1.2)
    end = simulation.q.copy()
    simulation.state = saved
    simulation.run(1.2)
    assert (simulation.q == end).all()

    # A whole run with its tables, as `carom simulate` writes it.
    run = carom.simulate(ROBOTS / "quadruped" / "stand.toml", {"duration": 0.5, "output.every": 10})
    print(run, "ended with", run.summary["status"])


if __name__ == "__main__":
    main()
