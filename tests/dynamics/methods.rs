//! Every method on every motion: what composition of midpoint steps, of each order, keeps on each kind of robot.
//!
//! | kept | by | because |
//! |---|---|---|
//! | the order that its name says | all orders | symmetric composition of a symmetric step |
//! | the way back | all orders | each stage is its own inverse with −h |
//! | spatial momentum without gravity | all orders | each stage has the symmetry of the Lagrangian |
//!
//! That energy has no trend needs long runs (`long_runs`): chaotic motions meet ever larger swings.

use carom::discrete::stages;
use carom::dynamics::{Kinematics, spatial_momentum};
use carom::model::sample::random_tree;
use carom::model::{Base, Model};
use nalgebra::Vector3;

use crate::integrator::{Flow, distance, specimens, start, velocity};

const ORDERS: [u32; 4] = [2, 4, 6, 8];

/// Advances (q, p) by `steps` composed steps of `h`.
fn run(
    model: &Model,
    order: u32,
    state: &(Vec<f64>, Vec<f64>),
    h: f64,
    steps: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut p) = state.clone();
    let mut flow = Flow::new(model);
    let fractions = stages(order);
    for _ in 0..steps {
        for fraction in &fractions {
            flow.run(&mut q, &mut p, fraction * h, 1);
        }
    }
    (q, p)
}

fn gap(a: &(Vec<f64>, Vec<f64>), b: &(Vec<f64>, Vec<f64>)) -> f64 {
    distance(&a.0, &b.0).hypot(distance(&a.1, &b.1))
}

fn for_each(mut check: impl FnMut(u32, &str, &Model)) {
    for (name, model) in specimens() {
        for order in ORDERS {
            check(order, &format!("order {order}, {name}"), &model);
        }
    }
}

#[test]
fn methods_have_the_order_that_they_are_named_after() {
    for_each(|order, place, model| {
        let begin = start(model, 21, 1.0);
        let time = 0.4;
        let end = |steps: usize| run(model, order, &begin, time / steps as f64, steps);
        // Errors that are small enough for their first term and stand clear of rounding, some 1e-13.
        let small = match order {
            2 => 1e-4,
            4 => 1e-6,
            _ => 3e-8,
        };
        let mut steps = 4;
        while gap(&end(steps), &end(2 * steps)) > small {
            steps *= 2;
        }
        // With an error c hᵖ, |x(h) − x(h/2)| falls by 2ᵖ.
        let states = [end(steps), end(2 * steps), end(4 * steps)];
        let slope = (gap(&states[0], &states[1]) / gap(&states[1], &states[2])).log2();
        assert!(
            (slope - f64::from(order)).abs() < 0.5,
            "{place}: slope {slope}"
        );
    });
}

#[test]
fn methods_find_their_way_back() {
    for_each(|order, place, model| {
        let begin = start(model, 22, 1.0);
        let there = run(model, order, &begin, 1e-2, 100);
        let back = run(model, order, &there, -1e-2, 100);
        let error = gap(&back, &begin);
        // 200 steps of up to 15 stages, each solved to 1e-14 of the momentum, which chaos may amplify.
        assert!(error < 1e-9, "{place}: {error:e}");
    });
}

#[test]
fn methods_keep_the_momentum_of_free_flight() {
    let model = random_tree(31, 4, Base::Floating)
        .unwrap()
        .with_gravity(Vector3::zeros());
    let spatial = |(q, p): &(Vec<f64>, Vec<f64>)| {
        let mut k = Kinematics::new(&model);
        k.update_placements(&model, q);
        k.update_twists(&model, &velocity(&model, q, p));
        spatial_momentum(&model, &k)
    };
    for order in ORDERS {
        let begin = start(&model, 24, 1.0);
        let before = spatial(&begin);
        let after = spatial(&run(&model, order, &begin, 1e-2, 500));
        let change =
            (after.linear - before.linear).norm() + (after.angular - before.angular).norm();
        let scale = before.linear.norm() + before.angular.norm();
        // 500 steps of up to 15 stages of a few roundings each.
        assert!(
            change < 1e-12 * scale,
            "order {order}: {:e}",
            change / scale
        );
    }
}
