//! Inverse dynamics and Jacobians allocate nothing in memory of their size.

use carom::dynamics::{InverseDynamics, Kinematics};
use carom::model::sample::hexapod;
use nalgebra::DMatrix;

use crate::counting::allocations;

#[test]
fn inverse_dynamics_and_jacobians() {
    let model = hexapod().unwrap();
    let n = model.dof();
    let (q, v) = (model.neutral_configuration(), vec![0.1; n]);
    let mut kinematics = Kinematics::<f64>::new(&model);
    let mut dynamics = InverseDynamics::new(&model);
    let mut jacobian = DMatrix::zeros(6, n);
    let before = allocations();
    kinematics.update_placements(&model, &q);
    kinematics.update_twists(&model, &v);
    dynamics.update(&model, &kinematics, &v);
    dynamics.update_bias(&model, &kinematics);
    let foot = kinematics.world[n - 6].translation;
    kinematics.frame_jacobian(&model, Some(n - 6), &foot, &mut jacobian);
    assert_eq!(allocations() - before, 0);
}
