//! How fast dampers are beside stages that run backwards.
//!
//! In a direction x with C x = λ M x, C the dampers of joints and servos, a stage of length −γh multiplies what moves by
//!
//! ```text
//! (1 + a)/(1 − a),     a = γ h λ/2
//! ```
//!
//! by anything near a = 1, and by three at most up to a = 1/2, of which the stages forwards take more than that. λ comes from
//! a few steps of the power method, which is below it by a few hundredths where rates are as good as equal.

use super::Departure;
use crate::dynamics::{ArticulatedFactor, JointServo, Kinematics, SingularMass, joint_dampers};
use crate::model::Model;

/// a up to which stages run backwards.
const LARGEST: f64 = 0.5;
const ROUNDS: usize = 12;

/// Memory of the question.
#[derive(Debug, Clone)]
pub(super) struct DampingRate {
    kinematics: Kinematics<f64>,
    factor: ArticulatedFactor<f64>,
    /// Dampers of joints, and with those of servos, n.
    own: Vec<f64>,
    dampers: Vec<f64>,
    direction: Vec<f64>,
    damped: Vec<f64>,
    next: Vec<f64>,
}

impl DampingRate {
    pub fn new(model: &Model) -> Self {
        let n = model.dof();
        let mut own = vec![0.0; n];
        joint_dampers(model, &mut own);
        Self {
            kinematics: Kinematics::new(model),
            factor: ArticulatedFactor::new(model),
            dampers: own.clone(),
            own,
            direction: vec![0.0; n],
            damped: vec![0.0; n],
            next: vec![0.0; n],
        }
    }

    /// Whether a stage of `backwards` \[s\] is too long for dampers and servos.
    pub fn is_too_fast(
        &mut self,
        from: &Departure<'_>,
        servos: &[JointServo],
        backwards: f64,
    ) -> Result<bool, SingularMass> {
        self.dampers.copy_from_slice(&self.own);
        for servo in servos {
            self.dampers[servo.v_index] += servo.damping.max(0.0);
        }
        if self.dampers.iter().all(|c| *c == 0.0) {
            return Ok(false);
        }
        self.kinematics.update_placements(from.model, from.q);
        self.factor.factor(from.model, &self.kinematics)?;
        Ok(0.5 * backwards * self.fastest(from.model) > LARGEST)
    }

    /// λ \[1/s\].
    fn fastest(&mut self, model: &Model) -> f64 {
        // No direction that is turned by the order of joints.
        for (i, x) in self.direction.iter_mut().enumerate() {
            *x = (1.0 + 2.4 * i as f64).cos();
        }
        let mut fastest = 0.0_f64;
        for _ in 0..ROUNDS {
            for ((out, c), x) in self
                .damped
                .iter_mut()
                .zip(&self.dampers)
                .zip(&self.direction)
            {
                *out = c * x;
            }
            self.factor
                .solve(model, &self.kinematics, &self.damped, &mut self.next);
            let along = |x: &[f64]| x.iter().zip(&self.damped).map(|(a, b)| a * b).sum::<f64>();
            let (before, after) = (along(&self.direction), along(&self.next));
            let size = self.next.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if before <= 0.0 || size == 0.0 {
                break;
            }
            fastest = fastest.max(after / before);
            for (x, next) in self.direction.iter_mut().zip(&self.next) {
                *x = next / size;
            }
        }
        fastest
    }
}

#[cfg(test)]
mod tests {
    use super::DampingRate;
    use crate::discrete::stages;
    use crate::dynamics::Kinematics;
    use crate::model::sample::chain;

    /// What all stages of a step multiply a damped rate by, by c h/2D.
    fn left(order: u32, x: f64) -> f64 {
        let factors = stages(order)
            .into_iter()
            .map(|y| (1.0 - y * x) / (1.0 + y * x));
        factors.product()
    }

    #[test]
    fn what_is_slow_enough_is_damped_by_every_order() {
        for order in [4, 6, 8] {
            let backwards = -stages(order).into_iter().fold(0.0, f64::min);
            for k in 1..=1000 {
                let x = super::LARGEST / backwards * f64::from(k) / 1000.0;
                assert!((0.0..1.0).contains(&left(order, x)), "{order} {x}");
            }
            assert!(left(order, 0.999 / backwards).abs() > 1.0, "{order}");
        }
    }

    #[test]
    fn the_fastest_rate_is_that_of_the_damped_mass_matrix() {
        let model = chain(4).unwrap();
        let mut rate = DampingRate::new(&model);
        let q = [0.3, -0.5, 0.8, 0.2];
        rate.dampers = vec![0.5, 0.0, 2.0, 1.0];
        rate.kinematics.update_placements(&model, &q);
        rate.factor.factor(&model, &rate.kinematics).unwrap();
        let mut kinematics = Kinematics::new(&model);
        kinematics.update_placements(&model, &q);
        let mass = crate::dynamics::mass_matrix(&model, &kinematics);
        let roots = nalgebra::DVector::from_fn(4, |i, _| rate.dampers[i].sqrt());
        let damped = nalgebra::DMatrix::from_diagonal(&roots);
        let inverse = mass.try_inverse().unwrap();
        let exact = (&damped * inverse * &damped).symmetric_eigenvalues().max();
        let found = rate.fastest(&model);
        assert!(
            found <= exact * (1.0 + 1e-12) && found > 0.95 * exact,
            "{found} {exact}"
        );
    }
}
