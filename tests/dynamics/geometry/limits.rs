//! Limits of joints as contacts.

use carom::contact::{Combination, ContactError, Contacts, Site};
use carom::dynamics::{Kinematics, Support};
use carom::model::sample::Uniform;
use carom::model::{Base, Joint, JointLimits, Link, Model, ModelBuilder};
use nalgebra::Vector3;
use num_dual::Dual64;

use super::support::{RUBBER, ground, random_state};

/// A base with a turning arm (both limits), a slide on it (one limit) and a free wheel on that.
fn arm(base: Base) -> Model {
    let link = |name: &str| Link::new(name).solid_sphere(1.0, 0.1, Vector3::zeros());
    let between = |low: f64, high: f64| JointLimits {
        position: Some((low, high)),
        ..JointLimits::default()
    };
    ModelBuilder::new("arm")
        .base(base)
        .link(link("root"))
        .link(link("arm"))
        .link(link("slide"))
        .link(link("wheel"))
        .joint(
            Joint::revolute("elbow", "root", "arm")
                .axis([0.0, 1.0, 2.0])
                .limits(between(-0.3, 0.5)),
        )
        .joint(
            Joint::prismatic("rail", "arm", "slide")
                .axis([1.0, 1.0, 0.0])
                .limits(between(f64::NEG_INFINITY, 0.2)),
        )
        .joint(Joint::revolute("axle", "slide", "wheel").axis([0.0, 1.0, 0.0]))
        .build()
        .unwrap()
}

fn without_limits(model: &Model) -> Contacts {
    let tip = Site::point(model, "tip", "wheel", [0.0; 3], RUBBER).unwrap();
    Contacts::new(model, vec![tip], vec![ground()], &[], Combination::Average).unwrap()
}

#[test]
fn every_finite_limit_is_a_contact_along_its_coordinate() {
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        let model = arm(base);
        let bounce = |joint: &str| if joint == "elbow" { 0.4 } else { 0.0 };
        let contacts = without_limits(&model)
            .with_joint_limits(&model, bounce)
            .unwrap();
        let names: Vec<_> = (0..contacts.len()).map(|i| contacts.name(i)).collect();
        assert_eq!(names, ["tip", "elbow:lower", "elbow:upper", "rail:upper"]);
        let [elbow, rail] = ["elbow", "rail"].map(|j| model.body_of_joint(j).unwrap());
        let n = model.dof();
        for seed in 0..20 {
            let mut random = Uniform::new(seed);
            let q = random_state(&model, &mut random);
            let v: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
            let mut k = Kinematics::<f64>::new(&model);
            k.update_placements(&model, &q);
            k.update_twists(&model, &v);
            for (i, body, bound, sign) in [
                (1, elbow, -0.3, 1.0),
                (2, elbow, 0.5, -1.0),
                (3, rail, 0.2, -1.0),
            ] {
                let joint = &model.bodies()[body];
                let gap = sign * (q[joint.q_index] - bound);
                let frame = contacts.frame(&k, i);
                assert_eq!(
                    [contacts.gap(&k, i), contacts.mechanical_gap(&k, i)],
                    [gap; 2]
                );
                assert_eq!(frame.gap, gap);
                let mut row = vec![f64::NAN; n];
                frame.row(&model, &k, &frame.normal, &mut row);
                let mut expected = vec![0.0; n];
                expected[joint.v_index] = sign;
                assert_eq!(row, expected);
                // The twist of a child less that of its parent: a few roundings of both.
                let rate = sign * v[joint.v_index];
                assert!((contacts.gap_rate(&k, i) - rate).abs() < 1e-14);
                assert!((frame.rate(&k) - rate).abs() < 1e-14);
                let support = Support::new(&model, contacts.bodies(i));
                let mut columns = vec![f64::NAN; support.coordinates().len()];
                frame.support_rows(&model, &k, &support, 0, &mut columns);
                for (column, coordinate) in columns.iter().zip(support.coordinates()) {
                    assert_eq!(*column, expected[*coordinate]);
                }
                assert!(support.coordinates().contains(&joint.v_index));
            }
            // Dual numbers: the gap's derivative along v.
            let dual = |x: &[f64]| x.iter().map(|x| Dual64::from(*x)).collect::<Vec<_>>();
            let mut moved = dual(&q);
            model.integrate(&dual(&q), &dual(&v), Dual64::new(0.0, 1.0), &mut moved);
            let mut dual_kinematics = Kinematics::<Dual64>::new(&model);
            dual_kinematics.update_placements(&model, &moved);
            let joint = model.bodies()[rail].v_index;
            assert_eq!(contacts.gap(&dual_kinematics, 3).eps, -v[joint]);
        }
        let k = Kinematics::<f64>::new(&model);
        for i in 1..4 {
            assert!(contacts.is_limit(i) && contacts.is_present(&k, i) && contacts.is_smooth(i));
            assert_eq!((contacts.tangent_count(i), contacts.friction(i)), (0, 0.0));
            assert_eq!(contacts.restitution(i), if i < 3 { 0.4 } else { 0.0 });
            assert!(contacts.sites_of(i).is_empty() && contacts.siblings(i).next().is_none());
            assert_eq!(contacts.seam(&k, i), f64::INFINITY);
            let body = if i < 3 { elbow } else { rail };
            assert_eq!(
                contacts.bodies(i),
                [Some(body), model.bodies()[body].parent]
            );
        }
        assert!(!contacts.is_limit(0));
    }
}

#[test]
fn bad_limits_are_refused() {
    let model = arm(Base::Fixed);
    let refused = without_limits(&model).with_joint_limits(&model, |_| 1.5);
    assert!(matches!(
        refused.unwrap_err(),
        ContactError::BadNumber { place, .. } if place == "joint \"elbow\": restitution"
    ));
    let shadow = Site::point(&model, "elbow:lower", "wheel", [0.0; 3], RUBBER).unwrap();
    let rule = Combination::Average;
    let contacts = Contacts::new(&model, vec![shadow], vec![ground()], &[], rule).unwrap();
    let refused = contacts.with_joint_limits(&model, |_| 0.0).unwrap_err();
    assert!(matches!(refused, ContactError::DuplicateName { name, .. } if name == "elbow:lower"));
}
