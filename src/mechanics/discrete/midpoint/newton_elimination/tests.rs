//! The elimination against derivatives by dual numbers.

use super::*;
use crate::discrete::midpoint::dual_jacobian::{random_state, start_momentum_jacobian};
use crate::dynamics::passive_load;
use crate::model::sample::{Uniform, geared_tree, mimicking_tree, random_tree};
use crate::model::{Base, Joint, Link, ModelBuilder};

type Tree = fn(u64, usize, Base) -> Result<Model, crate::model::ModelError>;

/// The elimination solves with the matrix that dual numbers differentiate, for trees on every base.
#[test]
fn the_elimination_inverts_the_dual_number_jacobian() {
    let mut random = Uniform::new(5);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        let sizes = [1, 2, 5, 12].into_iter();
        let trees = [random_tree as Tree, geared_tree, mimicking_tree];
        for (bodies, tree) in sizes.flat_map(|n| trees.map(|tree| (n, tree))) {
            let model = tree(bodies as u64, bodies, base).expect("a valid model");
            let (q0, v, applied) = random_state(&model, &mut random);
            check_inverse(&model, &q0, &v, &applied, &mut random);
        }
    }
}

/// A correction that is known, multiplied by the Jacobian of dual numbers, comes back.
fn check_inverse(model: &Model, q0: &[f64], v: &[f64], applied: &[f64], random: &mut Uniform) {
    let h = 0.05;
    let mut midpoint = Midpoint::new(model);
    midpoint.evaluate(model, q0, v, applied, h);
    let jacobian = start_momentum_jacobian(model, q0, v, applied, h);
    let n = model.dof();
    let expected: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
    let residual = &jacobian * nalgebra::DVector::from_column_slice(&expected);
    let mut found = vec![0.0; n];
    let mut load = vec![0.0; n];
    passive_load(model, h, &mut load);
    let mut elimination = NewtonElimination::new(model);
    assert!(elimination.factor(model, &midpoint, v, h, &load));
    let right = residual.as_slice();
    assert!(elimination.solve(model, &midpoint, v, h, right, &mut found));
    // Rounding times the condition of the Newton matrix. With springs the solution is what is left of that for the
    // tree alone, which is larger by the condition at most.
    let singular = jacobian.singular_values();
    let condition = singular[0] / singular[n - 1];
    let bound = if model.point_springs().is_empty() {
        1e-14 * condition * (n as f64)
    } else {
        f64::EPSILON * condition * condition * (n as f64)
    };
    for (x, e) in found.iter().zip(&expected) {
        assert!(
            (x - e).abs() <= bound,
            "{}: {x} {e} ({bound:e})",
            model.name()
        );
    }
}

/// Three bodies with springs and dampers between points of two branches and from the world: taut, compressed, and
/// of rest length zero.
fn sprung(base: Base, stiffness: f64) -> Model {
    let body =
        |name: &str, m: f64| Link::new(name).solid_box(m, [0.2, 0.3, 0.4], Vector3::x() * 0.1);
    ModelBuilder::new("sprung")
        .base(base)
        .link(body("a", 2.0))
        .link(body("b", 1.0))
        .link(body("c", 0.5))
        .link(body("d", 0.7))
        .joint(Joint::revolute("ab", "a", "b").origin([0.3, 0.0, 0.1], [0.2, 0.1, 0.0]))
        .joint(Joint::prismatic("bc", "b", "c").origin([0.0, 0.2, 0.1], [0.7, 0.1, 0.4]))
        .joint(Joint::revolute("ad", "a", "d").origin([-0.3, 0.1, 0.0], [0.3, -0.5, 0.2]))
        .point_spring(
            [Some("c"), Some("d")],
            [[0.1, 0.2, 0.3], [0.4, 0.0, 0.1]],
            0.2,
            stiffness,
            4.0,
        )
        .point_spring(
            [None, Some("c")],
            [[1.0, 0.0, 2.0], [0.0, 0.2, 0.1]],
            9.0,
            50.0,
            1.0,
        )
        .point_spring(
            [Some("b"), Some("a")],
            [[0.5, 0.5, 0.5], [0.0, 0.2, 0.1]],
            0.0,
            stiffness,
            0.0,
        )
        .build()
        .expect("a valid model")
}

/// The same with springs between points, which no elimination along the tree contains.
#[test]
fn springs_between_points_are_part_of_the_inverted_jacobian() {
    let mut random = Uniform::new(6);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        for stiffness in [0.0, 300.0, 1e7] {
            let model = sprung(base, stiffness);
            let (q0, v, applied) = random_state(&model, &mut random);
            check_inverse(&model, &q0, &v, &applied, &mut random);
        }
    }
}
