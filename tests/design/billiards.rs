//! Billiards ([SM] §VII.A): right angles, whatever the masses and the start.

use carom::contact::{Combination, Contacts, Material, Site};
use carom::design::{
    Approach, CosineTarget, DesignProblem, DesignSettings, DesignStatus, Robot, Stance, Variable,
    coordinate_names,
};
use carom::model::{Base, Joint, Link, ModelBuilder};
use nalgebra::Vector3;

use crate::support::{assert_root, xi};

/// Three discs of the given masses on a table: A touches B and C.
pub fn billiards(masses: [f64; 3], angles: [f64; 2], m: u32) -> DesignProblem {
    let radius = 0.03;
    let mut builder = ModelBuilder::new("billiards")
        .base(Base::Fixed)
        .gravity([0.0; 3])
        .link(Link::new("table"));
    for (name, mass) in ["A", "B", "C"].into_iter().zip(masses) {
        let (slide, ball) = (format!("slide_{name}"), format!("ball_{name}"));
        let joint = |kind: &str| format!("{kind}_{name}");
        builder = builder
            .link(Link::new(&slide))
            .link(Link::new(&ball).solid_sphere(mass, radius, Vector3::zeros()))
            .joint(Joint::prismatic(&joint("x"), "table", &slide).axis([1.0, 0.0, 0.0]))
            .joint(Joint::prismatic(&joint("y"), &slide, &ball).axis([0.0, 1.0, 0.0]));
    }
    let model = builder.build().unwrap();
    let material = Material::new(0.0, 1.0);
    let sites = ["A", "B", "C"].map(|n| {
        Site::sphere(&model, n, &format!("ball_{n}"), [0.0; 3], radius, material).unwrap()
    });
    let pairs = [["A", "B"], ["A", "C"], ["B", "C"]].map(|p| p.map(str::to_string));
    let contacts = Contacts::new(
        &model,
        sites.to_vec(),
        Vec::new(),
        &pairs,
        Combination::Minimum,
    )
    .unwrap();
    let robot = Robot { model, contacts };
    let names = coordinate_names(&robot.model);
    let mut coordinates = vec![0.0; 6];
    for (ball, angle) in [2, 4].into_iter().zip(angles) {
        coordinates[ball] = 2.0 * radius * angle.cos();
        coordinates[ball + 1] = 2.0 * radius * angle.sin();
    }
    let mut stance = Stance::orthogonal("break", coordinates, &["A-B", "A-C"]);
    stance.targets = vec![CosineTarget::of_order(["A-B", "A-C"], m)];
    stance.approach = Some(Approach::Velocity(vec![1.0, 0.1, 0.0, 0.0, 0.0, 0.0]));
    for i in 2..6 {
        stance = stance.with_free(i, Variable::new(&names[i], 0.0, 0.1));
    }
    DesignProblem::new(
        Box::new(move |_: &[f64]| Ok(robot.clone())),
        Vec::new(),
        vec![stance],
    )
    .unwrap()
}

fn angle_between(x: &[f64]) -> f64 {
    let (b, c) = (Vector3::new(x[0], x[1], 0.0), Vector3::new(x[2], x[3], 0.0));
    b.angle(&c)
}

#[test]
fn billiards_are_unique_at_a_right_angle_whatever_the_masses_and_the_start() {
    for masses in [[0.2, 0.2, 0.2], [1.0, 0.1, 7.0], [0.05, 3.0, 0.4]] {
        // Up to the opposite side, where the derivative of the cosine vanishes exactly.
        for angle in [1.1, 1.5, 2.0, 2.6, 3.0, std::f64::consts::PI] {
            let problem = billiards(masses, [0.3, 0.3 + angle], 2);
            let solution = problem.solve(&DesignSettings::default()).unwrap();
            assert_eq!(
                solution.status,
                DesignStatus::Converged,
                "{masses:?} {angle}"
            );
            assert_root(&problem, &solution.variables);
            let theta = angle_between(&solution.variables);
            assert!(
                (theta - std::f64::consts::FRAC_PI_2).abs() < 1e-11,
                "{theta}"
            );
            assert!(xi(&problem, &solution.variables) < 1e-13);
        }
    }
}

#[test]
fn unequal_billiards_meet_at_the_angle_of_a_third_order_certificate() {
    for masses in [[0.2, 0.5, 0.3], [1.0, 2.0, 4.0], [0.1, 0.1, 0.1]] {
        let problem = billiards(masses, [0.3, 2.6], 3);
        let [a, b, c] = masses;
        // cos θ √(m_b m_c / ((m_a + m_b)(m_a + m_c))) = −1/2.
        let cosine = -0.5 * ((a + b) * (a + c) / (b * c)).sqrt();
        let solution = problem.solve(&DesignSettings::default());
        let solution = solution.unwrap();
        let theta = angle_between(&solution.variables);
        assert!((theta.cos() - cosine).abs() < 1e-11, "{theta} {cosine}");
        // Equal masses only meet at π, where the derivative vanishes: half the digits of the angle.
        if cosine > -0.99 {
            assert_root(&problem, &solution.variables);
            assert!(xi(&problem, &solution.variables) < 1e-12);
        }
    }
}
