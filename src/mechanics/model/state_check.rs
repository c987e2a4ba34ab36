//! Whether numbers are a state of a robot.

use super::{JointKind, Model, ModelError};

/// How far the length of a quaternion may be from 1: what five or six printed digits leave.
const UNIT: f64 = 1e-6;

/// What no position and no velocity of a robot exceeds \[m, rad, m/s, rad/s\]: a run beyond it is unstable.
pub(crate) const LARGEST_COORDINATE: f64 = 1e9;

impl Model {
    /// Whether `q` is a configuration: as many numbers of at most 1e9 as the robot has, unit quaternions
    /// (to 1e-6) for floating bodies. Says nothing about joint limits.
    ///
    /// # Errors
    /// [`ModelError::WrongLength`], [`ModelError::BadNumber`] with the entry's name,
    /// [`ModelError::NotUnitQuaternion`].
    pub fn check_configuration(&self, q: &[f64]) -> Result<(), ModelError> {
        check_numbers("configuration", q, &self.configuration_names)?;
        let floating = self.bodies.iter().filter(|b| b.kind == JointKind::Floating);
        for body in floating {
            let at = body.q_index + 3;
            let length = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > UNIT {
                let names = &self.configuration_names[at..at + 4];
                return Err(ModelError::NotUnitQuaternion {
                    entries: format!("{} … {}", names[0], names[3]),
                    length,
                });
            }
        }
        Ok(())
    }

    /// Whether `q` and `v` have as many entries as the robot has.
    ///
    /// # Errors
    /// [`ModelError::WrongLength`].
    pub fn check_sizes(&self, q: &[f64], v: &[f64]) -> Result<(), ModelError> {
        check_length("configuration", q, &self.configuration_names)?;
        check_length("velocity", v, &self.coordinate_names)
    }

    /// The configuration `q` with its quaternions made units exactly, after [`Model::check_configuration`]. Those that are
    /// units but for rounding keep their bits.
    ///
    /// # Errors
    /// As [`Model::check_configuration`].
    pub fn normalized_configuration(&self, q: &[f64]) -> Result<Vec<f64>, ModelError> {
        self.check_configuration(q)?;
        let mut out = q.to_vec();
        let floating = self.bodies.iter().filter(|b| b.kind == JointKind::Floating);
        for body in floating {
            let at = body.q_index + 3;
            let quaternion = &mut out[at..at + 4];
            let square: f64 = quaternion.iter().map(|x| x * x).sum();
            if (square - 1.0).abs() > 4.0 * f64::EPSILON {
                let length = square.sqrt();
                quaternion.iter_mut().for_each(|x| *x /= length);
            }
        }
        Ok(out)
    }

    /// Whether `v` is a velocity: n numbers of at most 1e9.
    ///
    /// # Errors
    /// [`ModelError::WrongLength`], [`ModelError::BadNumber`] with the entry's name.
    pub fn check_velocity(&self, v: &[f64]) -> Result<(), ModelError> {
        check_numbers("velocity", v, &self.coordinate_names)
    }
}

/// Whether `x` has an entry for each name.
fn check_length(what: &'static str, x: &[f64], names: &[String]) -> Result<(), ModelError> {
    if x.len() == names.len() {
        return Ok(());
    }
    Err(ModelError::WrongLength {
        what,
        found: x.len(),
        expected: names.len(),
    })
}

fn check_numbers(what: &'static str, x: &[f64], names: &[String]) -> Result<(), ModelError> {
    check_length(what, x, names)?;
    let beyond = |x: f64| x.is_nan() || x.abs() > LARGEST_COORDINATE;
    match x.iter().zip(names).find(|(x, _)| beyond(**x)) {
        Some((value, name)) => Err(ModelError::BadNumber {
            place: format!("{what}: {name}"),
            value: *value,
            range: "a finite number of at most 1e9",
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::{chain, hexapod};

    #[test]
    fn states_of_another_size_and_numbers_that_are_none_are_refused_by_name() {
        let model = chain(2).expect("a valid model");
        assert_eq!(model.check_configuration(&[0.1, 9.0]), Ok(()));
        assert_eq!(model.check_velocity(&[0.1, -9.0]), Ok(()));
        let message = |error: Result<(), ModelError>| error.expect_err("refused").to_string();
        assert_eq!(
            message(model.check_velocity(&[0.0; 3])),
            "the velocity has 3 entries, the robot has 2"
        );
        assert_eq!(
            message(model.check_configuration(&[0.0, f64::NAN])),
            "configuration: joint2 is NaN, it must be a finite number of at most 1e9"
        );
    }

    #[test]
    fn positions_and_velocities_that_no_robot_has_are_refused() {
        let model = chain(2).expect("a valid model");
        assert_eq!(model.check_velocity(&[1e9, -1e9]), Ok(()));
        for wild in [1.001e9, -1e200, f64::INFINITY, f64::NAN] {
            assert!(model.check_velocity(&[0.0, wild]).is_err(), "{wild}");
            assert!(model.check_configuration(&[wild, 0.0]).is_err(), "{wild}");
        }
    }

    #[test]
    fn a_quaternion_must_have_length_one() {
        let model = hexapod().expect("a valid model");
        let at = model.joint("base").expect("a floating base").q_index + 3;
        let with = |quaternion: [f64; 4]| {
            let mut q = model.neutral_configuration();
            q[at..at + 4].copy_from_slice(&quaternion);
            model.check_configuration(&q)
        };
        assert_eq!(with([0.6, 0.0, 0.8, 0.0]), Ok(()));
        // Five digits of 1/√3, as a file would print them.
        assert_eq!(with([0.57735, 0.57735, 0.0, 0.57735]), Ok(()));
        let mut q = model.neutral_configuration();
        let printed = [0.57735, 0.57735, 0.0, 0.57735];
        q[at..at + 4].copy_from_slice(&printed);
        let unit = model.normalized_configuration(&q).expect("near enough");
        let square: f64 = unit[at..at + 4].iter().map(|x| x * x).sum();
        // One division and three sums.
        assert!((square - 1.0).abs() < 8.0 * f64::EPSILON, "{square}");
        assert_eq!(model.normalized_configuration(&unit), Ok(unit));
        let over = 1.0 + 1.1 * UNIT;
        for wrong in [[0.0; 4], [0.0, 0.0, 0.0, 2.0], [0.0, over, 0.0, 0.0]] {
            let error = with(wrong).expect_err("refused");
            assert!(matches!(error, ModelError::NotUnitQuaternion { .. }));
            let message = error.to_string();
            for part in ["base.qx … base.qw", "length 1", "divide"] {
                assert!(message.contains(part), "{message}");
            }
        }
        // No coordinate is that large, whatever it is.
        let message = with([1e200, 0.0, 0.0, 0.0])
            .expect_err("refused")
            .to_string();
        assert!(
            message.contains("1e200") && message.contains("base.qx"),
            "{message}"
        );
    }
}
