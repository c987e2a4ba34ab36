//! Motions without inertia: a mass matrix that is positive definite by rounding alone.

use super::Kinematics;
use super::mass_matrix::mass_matrix;
use crate::model::Model;

/// What is left of an entry of the diagonal of M when all coordinates before it are free to move, as a share of that entry,
/// is no inertia below this: a hundred roundings of some tens of coordinates.
const NO_INERTIA: f64 = 1e-13;

/// The first coordinate (entry of v) that can move, together with those before it, without kinetic energy beyond rounding;
/// `None` where there is none. By the Cholesky factors of M. Needs placements. O(n³).
#[must_use]
pub fn inertialess_coordinate(model: &Model, kinematics: &Kinematics<f64>) -> Option<usize> {
    let mut m = mass_matrix(model, kinematics);
    let n = m.nrows();
    let diagonal = m.diagonal();
    for k in 0..n {
        let pivot = m[(k, k)];
        if pivot.is_nan() || pivot <= NO_INERTIA * diagonal[k] {
            return Some(k);
        }
        for j in k + 1..n {
            let share = m[(j, k)] / pivot;
            for i in j..n {
                m[(i, j)] -= share * m[(i, k)];
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::inertialess_coordinate;
    use crate::dynamics::Kinematics;
    use crate::model::{Base, Joint, Link, ModelBuilder};
    use nalgebra::{Matrix3, Vector3};

    /// Two point masses on a line: the bar between them turns about that line for nothing, unless a rotor turns with it.
    #[test]
    fn a_turn_about_the_line_of_all_masses_has_no_inertia() {
        let find = |armature: f64| {
            let point = |name: &str| Link::new(name).inertial(1.0, Vector3::x(), Matrix3::zeros());
            let turn = Joint::revolute("turn", "one", "two").axis([1.0, 0.0, 0.0]);
            let swing = Joint::revolute("swing", "ground", "one").axis([0.0, 1.0, 0.0]);
            let model = ModelBuilder::new("points")
                .base(Base::Fixed)
                .link(Link::new("ground"))
                .link(point("one"))
                .link(point("two"))
                .joint(swing)
                .joint(turn.armature(armature))
                .build()
                .unwrap();
            let mut kinematics = Kinematics::new(&model);
            kinematics.update_placements(&model, &model.neutral_configuration());
            inertialess_coordinate(&model, &kinematics)
        };
        assert_eq!(find(0.0), Some(1));
        assert_eq!(find(1e-9), None);
    }
}
