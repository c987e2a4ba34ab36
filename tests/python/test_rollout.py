"""Batches: the bits of one by one, whatever the threads and the order."""

import signal
import threading
import time

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError


def batch(file, count=6, steps=40, seed=0):
    simulation = carom.Simulation(file)
    model = simulation.model
    rng = np.random.default_rng(seed)
    start = np.concatenate((simulation.q, simulation.v))
    state0 = np.tile(start, (count, 1))
    state0[:, model.nq :] += 0.05 * rng.standard_normal((count, model.nv))
    return model, state0, 2.0 * rng.standard_normal((count, steps, model.nu))


@pytest.mark.parametrize("file", ["quadruped/stand.toml", "rhex/stand.toml", "disks/stack.toml"])
def test_rows_are_single_runs_to_the_bit(robots, file):
    file = robots / file
    model, state0, control = batch(file)
    found = carom.rollout(file, state0, control, threads=2, forces=True)
    assert found.state.shape == (6, 40, model.nq + model.nv) and found.stopped == [None] * 6
    for i in range(6):
        simulation = carom.Simulation(file, q=state0[i, : model.nq], v=state0[i, model.nq :])
        for k in range(40):
            simulation.step(control[i, k])
            assert simulation.q.tobytes() == found.q[i, k].tobytes()
            assert simulation.v.tobytes() == found.v[i, k].tobytes()
            assert simulation.contacts.forces.tobytes() == found.forces[i, k].tobytes()
        own = [j for j, row in enumerate(found.events["batch"]) if row == i]
        assert [found.events["time"][j] for j in own] == [event.time for event in simulation.events]
        assert [found.events["unique"][j] for j in own] == [event.unique for event in simulation.events]


def test_threads_and_order_change_nothing(robots):
    file = robots / "quadruped" / "stand.toml"
    _, state0, control = batch(file, count=8)
    one = carom.rollout(file, state0, control, threads=1)
    two = carom.rollout(file, state0, control, threads=2)
    assert one.state.tobytes() == two.state.tobytes()
    order = np.random.default_rng(1).permutation(8)
    other = carom.rollout(file, state0[order], control[order], threads=2)
    assert other.state.tobytes() == one.state[order].tobytes()


def test_rows_that_draw_have_seeds_of_their_own(robots):
    file = robots / "disks" / "stack.toml"
    simulation = carom.Simulation(file)
    state0 = np.tile(np.concatenate((simulation.q, simulation.v)), (6, 1))
    same = carom.rollout(file, state0, steps=500)
    assert len({row.tobytes() for row in same.state}) == 1
    drawn = carom.rollout(file, state0, steps=500, seeds=range(6))
    assert len({row.tobytes() for row in drawn.state}) > 1
    simulation.reset(3)
    simulation.run(500 * simulation.time_step)
    assert simulation.q.tobytes() == drawn.q[3, -1].tobytes()


def test_a_row_that_stops_ends_no_other(robots):
    file = robots / "quadruped" / "collapse.toml"
    model, state0, control = batch(file, count=3, steps=10)
    control[1, 4] = np.nan
    state0[2, 2] = -1.0
    found = carom.rollout(file, state0, control)
    assert found.stopped[0] is None and list(found.steps) == [10, 4, 0]
    assert "not finite" in found.stopped[1] and "below the surface" in found.stopped[2]
    assert np.isfinite(found.state[1, :4]).all() and np.isnan(found.state[1, 4:]).all()
    assert np.isnan(found.state[2]).all()


def test_a_model_rolls_out_with_contacts(robots):
    model = carom.Model.from_urdf(robots / "quadruped" / "a1.urdf", base="floating")
    q = np.clip(model.neutral(), *model.position_limits.T)
    q[2] = 0.6
    state0 = np.concatenate((q, np.zeros(model.nv)))[None]
    ground = {"kind": "plane", "name": "ground"}
    contacts = {"friction": 0.8, "restitution": 0.0, "collisions": ["sphere"], "terrain": [ground]}
    found = carom.rollout(model, state0, steps=5, contacts=contacts, law="max-dissipation", time_step=1e-3)
    assert found.q[0, -1, 2] < 0.6
    free = carom.rollout(model, state0, steps=5, time_step=1e-3)
    assert np.array_equal(free.q, found.q)


def test_an_empty_batch_and_wrong_shapes(robots):
    file = robots / "quadruped" / "stand.toml"
    model, state0, control = batch(file, count=2, steps=3)
    assert carom.rollout(file, state0[:0], control[:0]).state.shape == (0, 3, 37)
    assert carom.rollout(file, state0, control[:, :0]).state.shape == (2, 0, 37)
    for wrong in (control[:1], control[0], control[:, :, :5]):
        with pytest.raises(ArgumentError, match="control: its shape is"):
            carom.rollout(file, state0, wrong)
    with pytest.raises(ArgumentError, match=r"\(nbatch, 37\)"):
        carom.rollout(file, state0[:, :5], control)
    with pytest.raises(ArgumentError, match="steps must be given"):
        carom.rollout(file, state0)
    with pytest.raises(ArgumentError, match="too many|no memory"):
        carom.rollout(file, state0, steps=2**60)


def test_ctrl_c_ends_a_batch(robots):
    file = robots / "chain" / "chain4.toml"
    state0 = np.zeros((4, 8))
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        carom.rollout(file, state0, steps=1_000_000)
    # Signals are looked at every 50 ms, steps take microseconds; the whole batch would take many seconds.
    assert time.monotonic() - begun < 2.0
