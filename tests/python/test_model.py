"""The dynamics of a robot: identities that hold whatever the numbers."""

import carom
import numpy as np
import pytest
from carom.errors import ArgumentError, ModelError

ROBOTS = [
    ("quadruped/a1.urdf", "floating"),
    ("anymal_b/anymal.urdf", "floating"),
    ("chain/chain4.urdf", "fixed"),
    ("trex/trex.xacro", "planar"),
]


@pytest.fixture(params=ROBOTS, ids=lambda robot: robot[0])
def model(request, robots):
    file, base = request.param
    return carom.Model.from_urdf(robots / file, base=base)


def random_state(model, seed=0):
    rng = np.random.default_rng(seed)
    q = model.integrate(model.neutral(), 0.5 * rng.standard_normal(model.nv), 1.0)
    return q, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def test_mass_matrix_and_inverse_dynamics_agree(model):
    q, v, a = random_state(model)
    forces = model.inverse_dynamics(q, v, a)
    # Both are sums of some thousand products; 1e-9 of the largest leaves rounding four digits.
    bound = 1e-9 * np.abs(forces).max()
    assert np.allclose(model.mass_matrix(q) @ a + model.bias_forces(q, v), forces, rtol=0, atol=bound)
    # The condition of M multiplies rounding here.
    condition = np.linalg.cond(model.mass_matrix(q))
    bound = 1e-12 * condition * np.abs(a).max() + 1e-9
    assert np.allclose(model.forward_dynamics(q, v, forces), a, rtol=0, atol=bound)


def test_the_mass_matrix_is_that_of_the_kinetic_energy(model):
    q, v, _ = random_state(model, 1)
    m = model.mass_matrix(q)
    assert np.array_equal(m, m.T)
    assert model.kinetic_energy(q, v) == pytest.approx(0.5 * v @ m @ v, rel=1e-10)


def test_jacobians_are_derivatives(model):
    q, v, _ = random_state(model, 2)
    h = 1e-6
    link = model.link_names[-1]
    ahead, behind = model.integrate(q, v, h), model.integrate(q, v, -h)
    moved = (model.frame_pose(ahead, link)[0] - model.frame_pose(behind, link)[0]) / (2 * h)
    # A central difference: h^2 of the third derivative, and rounding over h.
    assert np.allclose(model.frame_jacobian(q, link)[:3] @ v, moved, atol=1e-6)
    rotation = model.frame_pose(q, link)[1]
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    turned = model.frame_pose(ahead, link)[1] @ model.frame_pose(behind, link)[1].T
    spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
    assert np.allclose(model.frame_jacobian(q, link)[3:] @ v, spin / (4 * h), atol=1e-6)


def test_gravity_is_the_gradient_of_the_potential_energy(model):
    q, v, _ = random_state(model, 3)
    h = 1e-5
    ahead, behind = model.integrate(q, v, h), model.integrate(q, v, -h)
    power = (model.potential_energy(ahead) - model.potential_energy(behind)) / (2 * h)
    weight = model.bias_forces(q, np.zeros(model.nv))
    assert power == pytest.approx(weight @ v, rel=1e-6, abs=1e-6)
    # The centre of mass carries it all.
    height = (model.center_of_mass(ahead) - model.center_of_mass(behind)) / (2 * h)
    assert power == pytest.approx(-model.mass * model.gravity @ height, rel=1e-6, abs=1e-6)


def test_names_and_sizes_fit(model):
    assert len(model.configuration_names) == model.nq == len(model.neutral())
    assert len(model.coordinate_names) == model.nv
    assert [model.coordinate_names[i] for i in model.actuated] == model.joint_names
    assert model.position_limits.shape == (model.nq, 2)
    assert model.effort_limits.shape == (model.nv,)


def test_a_robot_comes_from_text_and_from_xacro(robots):
    file = robots / "quadruped" / "a1.urdf"
    by_text = carom.Model.from_urdf(file.read_text(), base="floating")
    assert by_text.mass == carom.Model.from_urdf(str(file), base="floating").mass
    longer = carom.Model.from_xacro(robots / "trex" / "trex.xacro", {"lu": 0.2}, base="planar")
    shorter = carom.Model.from_xacro(robots / "trex" / "trex.xacro", {"lu": 0.1}, base="planar")
    assert longer.mass_matrix(longer.neutral())[3, 3] != shorter.mass_matrix(shorter.neutral())[3, 3]


def test_what_is_wrong_is_said_as_by_the_program(robots):
    with pytest.raises(ModelError, match="cannot read"):
        carom.Model.from_urdf(robots / "nothing.urdf")
    model = carom.Model.from_urdf(robots / "quadruped" / "a1.urdf", base="floating")
    with pytest.raises(ModelError, match="did you mean"):
        model.frame_jacobian(model.neutral(), "trunkk")
    with pytest.raises(ArgumentError, match=r"\(3,\), it must be \(19,\)"):
        model.mass_matrix([0, 0, 0])
    with pytest.raises(ModelError):
        model.mass_matrix(np.zeros(19))
    with pytest.raises(TypeError):
        model.mass_matrix(np.zeros(19, dtype=complex))
    with pytest.raises(ArgumentError, match="base"):
        carom.Model.from_urdf(robots / "quadruped" / "a1.urdf", base="flying")
