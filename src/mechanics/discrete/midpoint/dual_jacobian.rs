//! Derivatives of the midpoint by dual numbers, to check the analytic ones against.

use nalgebra::DMatrix;
use num_dual::Dual64;

use super::Midpoint;
use crate::model::sample::Uniform;
use crate::model::{JointKind, Model};

pub(crate) fn dual(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|x| Dual64::from(*x)).collect()
}

/// The derivative that a configuration carries, n: of a floating body its body twist.
pub(crate) fn tangent(model: &Model, q: &[Dual64]) -> Vec<f64> {
    let mut change = vec![0.0; model.dof()];
    for (i, body) in model.bodies().iter().enumerate() {
        let at = body.v_index;
        if body.kind != JointKind::Floating {
            change[at] = q[body.q_index].eps;
            continue;
        }
        let pose = model.floating_pose(i, q);
        let back = pose.rotation.map(|x| x.re).transpose();
        let moved = back * pose.translation.map(|x| x.eps);
        let spin = back * pose.rotation.map(|x| x.eps);
        change[at..at + 3].copy_from_slice(moved.as_slice());
        change[at + 3..at + 6].copy_from_slice(&[spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]]);
    }
    change
}

/// A state far from rest, and applied forces.
pub(crate) fn random_state(model: &Model, random: &mut Uniform) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let n = model.dof();
    let mut draw =
        |scale: f64| -> Vec<f64> { (0..n).map(|_| random.between(-scale, scale)).collect() };
    let (turn, v, applied) = (draw(1.0), draw(3.0), draw(5.0));
    let neutral = model.neutral_configuration();
    let mut q = neutral.clone();
    model.integrate(&neutral, &turn, 1.0, &mut q);
    (q, v, applied)
}

/// ∂p₀/∂v̄ with q₀ fixed, n × n.
pub(crate) fn start_momentum_jacobian(
    model: &Model,
    q0: &[f64],
    v: &[f64],
    applied: &[f64],
    h: f64,
) -> DMatrix<f64> {
    let n = model.dof();
    let mut midpoint = Midpoint::<Dual64>::new(model);
    let (q0, mut v, applied, h) = (dual(q0), dual(v), dual(applied), Dual64::from(h));
    let mut column = dual(&vec![0.0; n]);
    DMatrix::from_columns(
        &(0..n)
            .map(|j| {
                v[j].eps = 1.0;
                midpoint.evaluate(model, &q0, &v, &applied, h);
                midpoint.start_momentum(model, &v, h, &mut column);
                v[j].eps = 0.0;
                nalgebra::DVector::from_iterator(n, column.iter().map(|x| x.eps))
            })
            .collect::<Vec<_>>(),
    )
}
