"""Derivatives of runs through impacts, against closed forms and differences of runs."""

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError, SimulationError

GRAVITY = 9.81


def ball(robots, height=0.2):
    """A ball on a vertical slide, which bounces with restitution 0.7."""
    urdf = """<robot name="ball"><link name="world"/><link name="ball"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="z" type="prismatic"><parent link="world"/><child link="ball"/><axis xyz="0 0 1"/></joint></robot>"""
    contacts = {
        "restitution": 0.7,
        "site": [{"name": "bottom", "link": "ball", "kind": "point"}],
        "terrain": [{"kind": "plane", "name": "ground"}],
    }
    return carom.Simulation(model=carom.Model.from_urdf(urdf), contacts=contacts, time_step=1e-3, q=[height])


def test_a_bounce_in_closed_form(robots):
    height, end = 0.2, 0.3
    simulation = ball(robots, height)
    simulation.start_recording()
    simulation.run(end)
    assert [event.kind for event in simulation.events] == ["impact"]
    change, moment, rate = simulation.recorded_derivative()
    assert change.shape == (2, 2) and moment.shape == (2,) and rate.shape == (2,)
    # z(t) = e w (t - s) - g (t - s)^2 / 2 after the strike at s = w / g with w = sqrt(2 g h), e = 0.7, and from h + dh and
    # v + dv: ds = (dh + s dv) / w, dw = (g dh + v dv + ...) / w with v = 0.
    struck = np.sqrt(2 * GRAVITY * height)
    since = end - struck / GRAVITY
    by_height = {"s": 1 / struck, "w": GRAVITY / struck}
    by_speed = {"s": struck / GRAVITY / struck, "w": 0.0}
    speed = 0.7 * struck - GRAVITY * since
    expected = np.empty((2, 2))
    for k, by in enumerate((by_height, by_speed)):
        expected[0, k] = 0.7 * by["w"] * since - speed * by["s"]
        expected[1, k] = 0.7 * by["w"] + GRAVITY * by["s"]
    # The midpoint rule is exact under gravity; the strike is located to 1e-12 m.
    assert change == pytest.approx(expected, abs=1e-8)
    assert np.all(moment == 0.0) and rate == pytest.approx([speed, -GRAVITY], abs=1e-8)


def fall(robots):
    """TREX falls on one foot and rolls on, without servos."""
    model = carom.Model.from_urdf(robots / "trex" / "trex_optimized.urdf", base="planar")
    contacts = {
        "restitution": 0.8,
        "site": [{"name": "foot", "link": "lower_leg_A", "kind": "point", "position": [0.0986, 0.0, 0.0]}],
        "terrain": [{"kind": "plane", "name": "ground"}],
    }
    start = {"z": 0.18, "pitch": 0.36, "phi_A": 4.79, "gamma_A": 5.67, "phi_B": 2.85, "gamma_B": 5.71, "phi_T": -0.19}
    q = model.neutral()
    for name, value in start.items():
        (place,) = [i for i, own in enumerate(model.configuration_names) if own.endswith(name)]
        q[place] = value
    return carom.Simulation(model=model, contacts=contacts, time_step=1e-3, q=q)


def ended(simulation, start, steps, efforts):
    """(q, v) after so many steps from a start under the efforts (nstep, nv)."""
    n = simulation.model.nv
    simulation.set_state(start[:n], start[n:], time=0.0)
    for k in range(steps):
        simulation.step(efforts[k])
    return np.concatenate([simulation.q, simulation.v])


def test_derivatives_through_an_impact_are_differences_of_runs(robots):
    simulation = fall(robots)
    n, steps = simulation.model.nv, 150
    rng = np.random.default_rng(1)
    efforts = 0.05 * rng.standard_normal((steps, n))
    start = np.concatenate([simulation.q, 0.1 * rng.standard_normal(n)])
    simulation.set_state(start[:n], start[n:], time=0.0)
    simulation.start_recording()
    for k in range(steps):
        simulation.step(efforts[k])
    # A strike, and flight before and after it.
    assert "impact" in [event.kind for event in simulation.events] and simulation.contacts.held == []
    change, moment, _ = simulation.recorded_derivative()
    directions = rng.standard_normal((2 * n, 2))
    along, _, _ = simulation.recorded_derivative(directions)
    objective = rng.standard_normal(2 * n)
    by_start, by_forces = simulation.recorded_gradient(objective)
    assert change.shape == (2 * n, 2 * n) and by_start.shape == (2 * n,) and by_forces.shape == (steps, n)
    assert np.all(moment == 0.0)
    scale = np.abs(change).max()
    # Differences of width e are off by O(e^2) and by what events are located to (1e-12) over e: some 1e-7 of the scale.
    assert along == pytest.approx(change @ directions, abs=1e-6 * scale)
    assert by_start == pytest.approx(change.T @ objective, abs=1e-6 * scale)
    e = 1e-5
    for k in range(2 * n):
        sides = []
        for sign in (1.0, -1.0):
            moved = start.copy()
            moved[k] += sign * e
            sides.append(ended(simulation, moved, steps, efforts))
        assert (sides[0] - sides[1]) / (2 * e) == pytest.approx(change[:, k], abs=1e-5 * scale)
    # Of a force before the strike, and of one after it.
    largest = np.abs(by_forces).max()
    for step, place in ((20, 2), (steps - 10, 4)):
        sides = []
        for sign in (1.0, -1.0):
            moved = efforts.copy()
            # A force acts for a step of 1 ms: a wide difference is a small one of the end.
            moved[step, place] += sign * 1e-2
            sides.append(objective @ ended(simulation, start, steps, moved))
        assert (sides[0] - sides[1]) / 2e-2 == pytest.approx(by_forces[step, place], abs=1e-4 * largest)


def test_what_has_no_derivative_says_so(robots):
    simulation = ball(robots)
    with pytest.raises(SimulationError, match="no recording"):
        simulation.recorded_derivative()
    simulation.start_recording()
    simulation.run(0.01)
    assert simulation.recorded_derivative()[0].shape == (2, 2)
    with pytest.raises(ArgumentError, match=r"\(2, m\)"):
        simulation.recorded_derivative(np.eye(3))
    with pytest.raises(ArgumentError, match="objective"):
        simulation.recorded_gradient([1.0])
    # What was recorded belongs to the run, and another state to another.
    for put in (simulation.reset, lambda: simulation.set_state([0.1])):
        simulation.start_recording()
        put()
        with pytest.raises(SimulationError, match="no recording"):
            simulation.recorded_gradient([1.0, 0.0])
    driven = carom.Simulation(robots / "chain" / "chain4.toml", controller=lambda seen: None)
    driven.start_recording()
    driven.run(0.01)
    with pytest.raises(SimulationError, match="a controller holds its efforts"):
        driven.recorded_derivative()
