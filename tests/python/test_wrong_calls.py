"""Wrong types, shapes and numbers: always an exception of Python, never a panic."""

import os

import carom
import numpy as np
import pytest

COUNT = int(os.environ.get("CAROM_WRONG_CALLS", "100000"))
SEED = int(os.environ.get("CAROM_WRONG_SEED", "7"))


def junk(rng):
    """Something that no call wants, or that it might."""
    values = [
        None, True, -1, 0, 2**70, 1.5, float("nan"), float("inf"), -1e308, "", "x", "a=b\nc", b"x", [], [[]], [1.0], {},
        {"a": {}}, {1: 2}, object(), (), np.zeros(0), np.zeros((2, 2)), np.zeros((3, 1, 2)), np.array("x"),
        np.array([None]), np.zeros(19, dtype=complex), np.zeros(3, dtype="datetime64[s]"), np.full(19, np.nan),
        np.full(18, 1e308), np.zeros(18), np.zeros(12, dtype=np.int8), np.zeros(36)[::2], np.zeros(18)[::-1],
        np.float32(1), lambda *a: a, range(18), "\ud800", np.zeros(18, dtype=bool), [1, [2, 3]], np.full(19, 1e-320),
    ]
    return values[rng.integers(len(values))]


@pytest.fixture(scope="module")
def callees(robots, tmp_path_factory):
    simulation = carom.Simulation(robots / "quadruped" / "collapse.toml")
    chain = carom.Simulation(robots / "chain" / "chain4.toml")
    model = simulation.model
    state = simulation.state
    q = model.neutral()
    good = {"q": q, "v": np.zeros(18), "link": "trunk"}

    def often(function, count):
        return lambda rng: function(*[junk(rng) for _ in range(rng.integers(count + 1))])

    def near(function, *names):
        """The right arguments but one."""

        def call(rng):
            arguments = [good[name] for name in names]
            arguments[rng.integers(len(arguments))] = junk(rng)
            return function(*arguments)

        return call

    def keyword(function, names, always=()):
        def call(rng):
            name = names[rng.integers(len(names))]
            return function(*always, **{name: junk(rng)})

        return call

    def attribute(owner, name):
        def call(rng):
            setattr(owner, name, junk(rng))

        return call

    ball = str(robots / "ball" / "bounce.toml")
    light = [
        often(simulation.step, 2), often(simulation.set_state, 4), often(simulation.reset, 2),
        near(model.mass_matrix, "q"), near(model.inverse_dynamics, "q", "v", "v"),
        near(model.forward_dynamics, "q", "v", "v"), near(model.frame_jacobian, "q", "link", "v"),
        near(model.frame_pose, "q", "link"), near(model.kinetic_energy, "q", "v"), near(model.center_of_mass, "q"),
        near(model.integrate, "q", "v", "v"), near(model.bias_forces, "q", "v"), near(model.potential_energy, "q"),
        often(carom.State.from_bytes, 1), attribute(simulation, "state"), attribute(simulation, "q"),
        near(simulation.set_state, "q", "v"), often(chain.step, 1), often(carom.impact, 2), often(carom.compare, 1),
        lambda rng: state == junk(rng), lambda rng: simulation.linearize(),
        lambda rng: carom.impact({"mass_matrix": junk(rng), "velocity": junk(rng), "contacts": junk(rng)}),
        lambda rng: carom.impact({"mass_matrix": np.eye(2), "velocity": [1, 1], "contacts": [{"normal": junk(rng)}]}),
        lambda rng: simulation.run(-1.0, junk(rng)),
        lambda rng: carom.State.from_bytes(state.to_bytes().replace(b"0.0", rng.bytes(2), 1)),
    ]
    parts = ["contacts", "law", "time_step", "q", "v", "seed", "settings", "controller"]
    batches = ["steps", "control", "threads", "seeds", "law", "contacts", "time_step", "settings"]
    heavy = [
        often(carom.Simulation, 3), keyword(carom.Simulation, parts, (ball,)),
        lambda rng: carom.Simulation(model=model, **{parts[rng.integers(6)]: junk(rng)}),
        lambda rng: carom.Simulation(ball, {str(junk(rng)): junk(rng)}),
        often(carom.rollout, 3),
        lambda rng: carom.rollout(model, np.zeros((1, 37)), **{batches[rng.integers(1, 8)]: junk(rng)}),
        often(carom.Model.from_urdf, 1), often(carom.Run, 1), often(carom.orbit, 2), often(carom.design, 2),
        often(lambda *a: carom.Baseline(*a).verify(), 1),
    ]
    return light, heavy


def test_a_hundred_thousand_wrong_calls(callees, tmp_path, monkeypatch):
    # What a call should write by chance lies here.
    monkeypatch.chdir(tmp_path)
    light, heavy = callees
    rng = np.random.default_rng(SEED)
    refused = 0
    with np.errstate(all="ignore"):
        for i in range(COUNT):
            calls = heavy if i % 100 == 0 else light
            try:
                calls[rng.integers(len(calls))](rng)
            # A panic is no Exception but a BaseException, and comes out.
            except Exception:
                refused += 1
    assert refused > COUNT // 2
