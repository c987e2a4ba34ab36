"""Simulations: arrays that stay live, states that go on to the same bits, controllers, errors."""

import copy
import gc
import pickle
import signal
import threading
import time
import weakref

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError, BusyError, ScenarioError, SimulationError


@pytest.fixture
def standing(robots):
    return carom.Simulation(robots / "quadruped" / "stand.toml")


def test_arrays_stay_live_and_are_made_once(standing):
    q, v, forces, gaps = standing.q, standing.v, standing.contacts.forces, standing.contacts.gaps
    before = q.copy()
    standing.run(0.3)
    assert standing.q is q and standing.contacts.forces is forces
    assert not np.array_equal(q, before)
    assert np.array_equal(q, standing.state.q)
    assert np.allclose(standing.model.mass_matrix(q) @ v, standing.state.p, atol=1e-9)
    # After the fall of 15 cm the feet carry.
    assert forces[:, 0].max() > 1.0 and gaps.min() < 1e-6
    assert forces.shape == (len(standing.contacts), 3)
    assert set(standing.contacts.held) <= set(standing.contacts.names)


def test_arrays_are_read_only(standing):
    for array in (standing.q, standing.v, standing.contacts.gaps, standing.contacts.forces):
        with pytest.raises(ValueError):
            array[...] = 0.0
        with pytest.raises(ValueError):
            array.setflags(write=True)


def test_arrays_outlive_their_simulation(robots):
    kept = []
    for _ in range(50):
        simulation = carom.Simulation(robots / "ball" / "bounce.toml")
        simulation.run(0.1)
        kept.append((simulation.q, simulation.q.copy(), simulation.contacts.forces))
        del simulation
    gc.collect()
    junk = [np.random.default_rng(i).random(1000) for i in range(200)]
    assert all(np.array_equal(array, copied) for array, copied, _ in kept)
    assert all(np.isfinite(forces).all() for _, _, forces in kept) and len(junk) == 200


def test_a_run_is_its_steps(robots):
    one, other = (carom.Simulation(robots / "quadruped" / "stand.toml") for _ in range(2))
    one.run(0.25)
    for _ in range(250):
        other.step()
    assert one.time == other.time == 0.25
    assert one.state == other.state
    assert [e.to_dict()["time"] for e in one.events] == [e.to_dict()["time"] for e in other.events]


def test_pickled_states_go_on_to_the_same_bits(robots):
    simulation = carom.Simulation(robots / "quadruped" / "stand.toml")
    simulation.run(0.2)
    saved = pickle.loads(pickle.dumps(simulation.state))
    assert saved == simulation.state and copy.deepcopy(saved) == saved
    simulation.run(0.4)
    other = carom.Simulation(robots / "quadruped" / "stand.toml")
    other.state = saved
    assert other.time == 0.2
    twin = other.copy()
    other.run(0.4)
    twin.run(0.4)
    assert other.state == simulation.state == twin.state
    assert other.q.tobytes() == simulation.q.tobytes()


def test_reset_gives_the_bits_of_a_fresh_one(robots):
    simulation = carom.Simulation(robots / "disks" / "stack.toml")
    simulation.run(0.5)
    first, events = simulation.state, len(simulation.events)
    simulation.reset()
    assert simulation.time == 0.0 and simulation.events == []
    simulation.run(0.5)
    assert simulation.state == first and len(simulation.events) == events
    # The law of this scenario draws: another seed ends elsewhere.
    ends = set()
    for seed in range(6):
        simulation.reset(seed)
        simulation.run(0.5)
        ends.add(simulation.q.tobytes())
    assert len(ends) > 1


def test_a_function_is_the_controller_of_the_library(robots):
    gains = {"stiffness": 40.0, "damping": 2.0, "sampling_period": 1e-3}
    joints = [{"name": f"joint{i}", "target": 0.2, **{k: gains[k] for k in ("stiffness", "damping")}} for i in range(1, 5)]
    scenario = robots / "chain" / "chain4.toml"
    controller = {"kind": "servo", "joint": joints, "sampling_period": 1e-3}
    by_library = carom.Simulation(scenario, {"time_step": 1e-3, "controller": controller})

    def law(seen):
        return 40.0 * (0.2 - seen.q) - 2.0 * seen.v

    by_function = carom.Simulation(scenario, {"time_step": 1e-3}, law)
    by_library.run(0.1)
    by_function.run(0.1)
    # The same law in another order of operations: rounding, which a hundred steps let grow.
    assert np.allclose(by_function.q, by_library.q, rtol=0, atol=1e-9)
    assert not np.allclose(by_function.q, carom.Simulation(scenario).q, atol=1e-3)


def test_efforts_are_forces_or_those_of_joints(robots):
    file = robots / "quadruped" / "collapse.toml"
    one, other = carom.Simulation(file), carom.Simulation(file)
    efforts = np.linspace(-3.0, 3.0, one.model.nu)
    forces = np.zeros(one.model.nv)
    forces[one.model.actuated] = efforts
    for _ in range(20):
        one.step(efforts)
        other.step(forces)
    assert one.state == other.state
    alone = carom.Simulation(file)
    alone.run(0.02)
    assert alone.state != one.state


def test_observations_stay_live(robots):
    seen = []

    def law(observation):
        seen.append((observation.q, observation.time, observation.q[2]))

    simulation = carom.Simulation(robots / "quadruped" / "collapse.toml", controller=law)
    simulation.run(0.01)
    assert len({id(array) for array, _, _ in seen}) == 1
    assert [time for _, time, _ in seen] == pytest.approx([i * simulation.time_step for i in range(len(seen))])
    assert len({value for _, _, value in seen}) > 1


def test_what_a_controller_raises_comes_out(robots):
    class Odd(Exception):
        pass

    def law(seen):
        if seen.time > 0.005:
            raise Odd("no")
        return np.zeros(3) if seen.time > 0.004 else None

    simulation = carom.Simulation(robots / "quadruped" / "collapse.toml", controller=law)
    with pytest.raises(ArgumentError, match=r"the controller's answer"):
        simulation.run(1.0)
    reached = simulation.time
    assert 0.0 < reached < 0.006

    def other(seen):
        raise Odd("no")

    with pytest.raises(Odd):
        carom.Simulation(robots / "quadruped" / "collapse.toml", controller=other).step()


def test_a_controller_cannot_step_its_simulation(robots):
    said = []

    def law(seen):
        assert simulation.time <= seen.time and len(simulation.q) == 19
        try:
            simulation.step()
        except BusyError as error:
            said.append(str(error))

    simulation = carom.Simulation(robots / "quadruped" / "collapse.toml", controller=law)
    simulation.step()
    assert len(said) == 1 and "in the middle of a call" in said[0]


def test_a_controller_that_holds_its_simulation_is_no_leak(robots):
    class Law:
        def __call__(self, seen):
            return None

    law = Law()
    law.simulation = carom.Simulation(robots / "chain" / "chain4.toml", controller=law)
    law.simulation.step()
    gone = weakref.ref(law)
    del law
    gc.collect()
    assert gone() is None


def test_other_threads_run_meanwhile(standing):
    counted = 0
    running = threading.Thread(target=standing.run, args=(1.5,))
    running.start()
    while running.is_alive():
        counted += 1
        time.sleep(0)
        standing.q.sum()
    running.join()
    # With the interpreter held the loop would run once.
    assert counted > 20 and standing.time == 1.5


def test_ctrl_c_ends_a_run_between_two_steps(standing):
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        standing.run(float("inf"))
    state = standing.state
    assert state.time > 0.0 and np.array_equal(standing.q, state.q)
    standing.step()
    assert standing.time > state.time


def test_progress_is_told(standing):
    told = []
    standing.run(2.0, progress=told.append)
    assert told == sorted(told) and all(0.0 < time <= 2.0 for time in told)

    def refuse(time):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        standing.run(float("inf"), progress=refuse)


def test_linearized_steps_predict(robots):
    simulation = carom.Simulation(robots / "chain" / "chain4.toml")
    simulation.run(0.1)
    before = simulation.model.mass_matrix(simulation.q)
    simulation.step()
    after = simulation.model.mass_matrix(simulation.q)
    step = simulation.linearize()
    n = simulation.model.nv
    assert step["A"].shape == (2 * n, 2 * n) and step["B"].shape == (2 * n, simulation.model.nu)
    # A step of a conservative system keeps the volume of (q, p); those of v = M^-1 p have the ratio of the determinants.
    ratio = np.linalg.det(before) / np.linalg.det(after)
    assert np.linalg.det(step["A"]) == pytest.approx(ratio, rel=1e-8)


def test_simulations_from_a_dictionary_a_text_and_parts(robots):
    file = robots / "ball" / "bounce.toml"
    text = file.read_text().replace('"ball.urdf"', f'"{robots / "ball" / "ball.urdf"}"')
    by_file, by_text = carom.Simulation(file), carom.Simulation(text)
    by_file.run(0.6)
    by_text.run(0.6)
    assert by_file.state == by_text.state and len(by_file.events) > 0
    rod = '<robot name="ball"><link name="ball"><inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'
    model = carom.Model.from_urdf(rod, base="floating")
    ground = {"kind": "plane", "name": "ground"}
    falling = carom.Simulation(
        model=model,
        contacts={"friction": 0.0, "restitution": 0.5, "terrain": [ground]},
        law="stronge",
        time_step=1e-3,
        q=[0, 0, 1.1, 0, 0, 0, 1],
    )
    falling.run(0.5)
    strike = next(event for event in falling.events if event.kind == "impact")
    # One metre of fall.
    assert strike.time == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    assert strike.velocity_after[2] == pytest.approx(-0.5 * strike.velocity_before[2], rel=1e-9)
    assert strike.law == "stronge" and strike.unique in (True, None)


def test_events_tell_the_verdict(robots):
    simulation = carom.Simulation(robots / "billiards" / "break.toml")
    simulation.run(0.5)
    impact = next(event for event in simulation.events if event.kind == "impact")
    assert impact.unique is False and impact.outcomes == 2 and impact.indeterminacy > 0.1
    assert impact.energy[1] <= impact.energy[0] * (1 + 1e-12)
    assert "ambiguous" in repr(impact)


def test_errors_have_the_texts_of_the_program(robots):
    with pytest.raises(ScenarioError, match="did you mean|expected one of"):
        carom.Simulation(robots / "ball" / "bounce.toml", {"contact.frictoin": 0.5})
    with pytest.raises(ScenarioError, match="cannot be read"):
        carom.Simulation("nothing.toml")
    with pytest.raises(carom.CaromError, match="below the surface"):
        carom.Simulation(robots / "ball" / "bounce.toml", q=[0, 0, -1, 0, 0, 0, 1])
    with pytest.raises(SimulationError):
        carom.Simulation(robots / "ball" / "bounce.toml").set_state([0, 0, -1, 0, 0, 0, 1])
    with pytest.raises(ArgumentError):
        carom.Simulation()
    with pytest.raises(TypeError):
        carom.Simulation(3)
    simulation = carom.Simulation(robots / "ball" / "bounce.toml")
    with pytest.raises(ArgumentError, match=r"u: its shape is \(2,\), it must be \(6,\)"):
        simulation.step([0.0, 1.0])
    with pytest.raises(SimulationError, match="not finite"):
        simulation.step(np.full(6, np.nan))


def test_a_robot_alone_is_a_simulation(robots):
    simulation = carom.Simulation(robots / "quadruped" / "a1.urdf")
    simulation.run(0.05)
    assert simulation.model.base == "floating" and simulation.time == pytest.approx(0.05)
