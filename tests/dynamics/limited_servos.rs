//! Stiff servos whose efforts are limited: they are within their limits in a narrow band of velocities alone.

use carom::contact::Contacts;
use carom::discrete::{StepInput, StepSettings, Stepper};
use carom::dynamics::JointServo;
use carom::model::{Base, Joint, Link, ModelBuilder};
use nalgebra::Vector3;

const STIFFNESS: f64 = 1e5;
const DAMPING: f64 = 5e3;
const LIMIT: f64 = 20.0;

/// Three light links in a row. The band is 8e-3 rad/s wide, the limit changes a joint's velocity by 20 rad/s in a step of a
/// millisecond: Newton's method goes from one limit to the other and back. Once a servo is within its limits the joint, whose
/// inertia is next to nothing, follows d ė = −k e: its error falls by e² in a tenth of a second, of which the midpoint rule
/// misses (k h/d)²/12, and what rings as much again.
#[test]
fn stiff_limited_servos_settle_in_few_iterations() {
    let link = |name: &str| Link::new(name).solid_box(0.1, [0.1; 3], Vector3::x() * 0.05);
    let joint = |name: &str, parent: &str, child: &str, at: f64| {
        Joint::revolute(name, parent, child)
            .axis([0.0, 0.0, 1.0])
            .origin([at, 0.0, 0.0], [0.0; 3])
    };
    let model = ModelBuilder::new("arm")
        .base(Base::Fixed)
        .gravity([0.0; 3])
        .link(Link::new("wall"))
        .link(link("first"))
        .link(link("second"))
        .link(link("third"))
        .joint(joint("one", "wall", "first", 0.0))
        .joint(joint("two", "first", "second", 0.1))
        .joint(joint("three", "second", "third", 0.1))
        .build()
        .unwrap();
    let targets = [0.3, -0.2, -0.2];
    let servos = [0, 1, 2].map(|i| JointServo {
        q_index: i,
        v_index: i,
        stiffness: STIFFNESS,
        damping: DAMPING,
        target: targets[i],
        target_rate: 0.0,
        feed_forward: 0.0,
        effort_limit: LIMIT,
        motor: None,
    });
    let contacts = Contacts::none(&model);
    let h = 1e-3;
    let mut stepper = Stepper::new(&model, StepSettings::default());
    let (mut q, mut p, mut v) = (vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]);
    let (mut q1, mut p1) = (q.clone(), p.clone());
    let mut errors = Vec::new();
    for step in 0..500 {
        let input = StepInput {
            model: &model,
            contacts: &contacts,
            q0: &q,
            p0: &p,
            applied: &[0.0; 3],
            servos: &servos,
            h,
            whole: h,
            closed_gap: 1e-9,
        };
        let report = (stepper.step(&input, &mut [], &mut [], &mut v, &mut q1, &mut p1)).unwrap();
        // Three servos, each of which may pass its band once: a bridge and a step each, beside the usual three.
        assert!(report.iterations <= 9, "{step}: {}", report.iterations);
        assert!(stepper.efforts().iter().all(|f| f.abs() <= LIMIT), "{step}");
        (q, q1) = (q1, q);
        (p, p1) = (p1, p);
        // What decays within the step rings in it, by turns.
        if [399, 400, 499, 500].contains(&(step + 1)) {
            errors.push([0, 1, 2].map(|i| targets[i] - q[i]));
        }
    }
    let missed = 2.0 * (STIFFNESS / DAMPING * h).powi(2) / 6.0;
    for i in 0..3 {
        let mean = |k: usize| 0.5 * (errors[k][i] + errors[k + 1][i]);
        let fall = (mean(0) / mean(2)).ln();
        assert!((fall - 2.0).abs() < missed, "{i}: {fall}");
    }
}
