"""Derivatives of runs through impacts, against closed forms and differences of runs."""

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError, CaromError, ScenarioError, SimulationError

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


def test_a_bounce_by_its_restitution_in_closed_form(robots):
    height, end, restitution, mass = 0.2, 0.3, 0.7, 2.0
    scenario = {
        "time_step": 1e-3,
        "duration": end,
        "robot": {"file": robots / "ball" / "rail.urdf", "base": "fixed", "mass_scale": {"ball": mass}},
        "initial": {"joints": {"z": height}},
        "contact": {"restitution": restitution, "site": [{"name": "ball", "link": "ball", "kind": "point"}]},
        "terrain": [{"kind": "plane", "name": "table"}],
    }
    simulation = carom.Simulation(scenario)
    simulation.start_recording()
    simulation.run(end)
    assert [event.kind for event in simulation.events] == ["impact"]
    keys = ["contact.restitution", "robot.mass_scale.ball"]
    by = simulation.recorded_derivative_by(keys)
    # z(t) = e w (t - s) - g (t - s)^2 / 2 after the strike at s = w / g with w = sqrt(2 g h): whatever it weighs.
    struck = np.sqrt(2 * GRAVITY * height)
    expected = np.array([[struck * (end - struck / GRAVITY), 0.0], [struck, 0.0]])
    # The strike is located to 1e-12 m, and the restitution enters linearly.
    assert by.shape == (2, 2) and by == pytest.approx(expected, abs=1e-8)
    start, forces, parameters = simulation.recorded_gradient_by([0.3, -0.5], keys)
    alone = simulation.recorded_gradient([0.3, -0.5])
    assert np.array_equal(start, alone[0]) and np.array_equal(forces, alone[1])
    assert parameters == pytest.approx(np.array([0.3, -0.5]) @ expected, abs=1e-8)


@pytest.mark.parametrize(
    ("file", "settings", "numbers", "end", "strikes"),
    [
        (
            "bar/two_feet.toml",
            {"initial.joints.pitch": 0.03, "initial.velocities.pitch": 0.4},
            {
                "contact.restitution": 0.8,
                "contact.site.A.position.0": -0.2,
                "spring.0.stiffness": 1.5,
                "controller.joint.z.feed_forward.sine.amplitude": 5.921762640653615,
            },
            0.25,
            2,
        ),
        # A step of a walker, whose legs change their parts at the strike.
        (
            "compass/gait_long.toml",
            {"robot.mass_scale.hip": 1.0, "stepper.order": 2, "time_step": 2e-3},
            {"robot.mass_scale.hip": 1.0, "robot.gravity.0": 0.29425585698648243},
            0.9,
            1,
        ),
    ],
)
def test_derivatives_by_parameters_are_differences_of_runs(robots, file, settings, numbers, end, strikes):
    def ran(more):
        simulation = carom.Simulation(robots / file, {**settings, **more})
        simulation.start_recording()
        simulation.run(end)
        return simulation

    simulation = ran({})
    assert [event.kind for event in simulation.events].count("impact") >= strikes
    keys = list(numbers)
    by = simulation.recorded_derivative_by(keys)
    n = simulation.model.nv
    assert by.shape == (2 * n, len(keys))
    # The same chain of products, from the other end: they differ by rounding.
    objective = np.linspace(-1.0, 1.0, 2 * n)
    gradient = simulation.recorded_gradient_by(objective, keys)[2]
    assert gradient == pytest.approx(objective @ by, abs=1e-8 * np.abs(by).max())
    for column, (key, value) in zip(by.T, numbers.items()):

        def slope(width, key=key, value=value):
            sides = [ran({key: value + sign * width}) for sign in (1.0, -1.0)]
            high, low = (np.concatenate([side.q, side.v]) for side in sides)
            return (high - low) / (2 * width)

        # Two widths leave an error of the fourth order, and what events are located to (1e-12) over the width.
        width = 1e-3 * abs(value)
        drawn = (4 * slope(width / 2) - slope(width)) / 3
        largest = np.abs(drawn).max()
        assert largest > 0.0
        assert column == pytest.approx(drawn, abs=1e-6 * largest), key
        # Another width, the same derivative: to its sixth power, and rounding over it.
        (other,) = simulation.recorded_derivative_by({key: 0.5 * width}).T
        assert other == pytest.approx(column, abs=1e-8 * largest), key


def test_parameters_that_are_none_are_refused(robots):
    bar = carom.Simulation(robots / "bar" / "two_feet.toml")
    with pytest.raises(SimulationError, match="no recording"):
        bar.recorded_derivative_by(["contact.restitution"])
    bar.start_recording()
    bar.run(0.01)
    assert bar.recorded_derivative_by([]).shape == (4, 0)
    with pytest.raises(ScenarioError, match="says no number there"):
        bar.recorded_derivative_by(["contact.restitutio"])
    # Beyond what a key may be: a restitution of 0.8 plus or minus 0.4.
    with pytest.raises(ScenarioError, match="restitution"):
        bar.recorded_derivative_by({"contact.restitution": 0.4})
    with pytest.raises(ArgumentError, match="is 0, which says no width"):
        bar.recorded_derivative_by(["initial.joints.pitch"])
    # Where a run begins is no part of it.
    assert np.all(bar.recorded_derivative_by({"initial.joints.pitch": 1e-3}) == 0.0)
    for width in (0.0, -1.0, float("nan")):
        with pytest.raises(ArgumentError, match="width"):
            bar.recorded_gradient_by(np.zeros(4), {"contact.restitution": width})
    with pytest.raises(TypeError, match="list of keys"):
        bar.recorded_derivative_by("contact.restitution")
    plain = ball(robots)
    plain.start_recording()
    with pytest.raises(ArgumentError, match="made from a model"):
        plain.recorded_derivative_by(["contact.restitution"])
    assert issubclass(ScenarioError, CaromError) and issubclass(ArgumentError, CaromError)
