//! Designs whose impacts are unique: nearest roots, compromises, and problems without an answer.
#![cfg(feature = "xacro")]
#![allow(clippy::unwrap_used)]

use std::path::Path;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::design::{
    Approach, CosineTarget, DesignError, DesignProblem, DesignSettings, DesignSolution,
    DesignStatus, Method, Robot, Stance, Variable, best_start, coordinate_names,
    order_indeterminacy, solve_start,
};
use carom::model::sample::{Uniform, random_tree};
use carom::model::{Base, Joint, Link, ModelBuilder};
use carom::study::{DesignFile, DesignStudy};
use nalgebra::Vector3;

fn trex_file() -> DesignFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/trex/design.toml");
    DesignFile::read(&path).unwrap()
}

/// TREX from the row "Optimized" of Table I.
fn optimized_row() -> DesignFile {
    let mut design = trex_file();
    for (parameter, start) in design
        .parameter
        .iter_mut()
        .zip([0.0669, 0.0422, 0.0781, 0.0986])
    {
        parameter.start = Some(start);
    }
    let stance = &mut design.stance[0];
    stance
        .base
        .insert("z".to_string(), toml::Value::Float(0.1369));
    stance
        .base
        .insert("pitch".to_string(), toml::Value::Float(-5.92));
    let joints = [
        ("phi_A", 4.79),
        ("gamma_A", 5.67),
        ("phi_B", 2.85),
        ("gamma_B", 5.71),
        ("phi_T", -0.19),
    ];
    stance.joints = joints.map(|(name, x)| (name.to_string(), x)).into();
    design
}

fn value(study: &DesignStudy, solution: &DesignSolution, name: &str) -> f64 {
    let variables = study.problem.variables();
    let at = variables.iter().position(|v| v.name == name).unwrap();
    solution.variables[at]
}

/// Values printed to 4 decimals in rad and cm, theta counter-clockwise.
fn assert_near(study: &DesignStudy, solution: &DesignSolution, expected: [f64; 11]) {
    let names = [
        "base.z",
        "base.pitch",
        "phi_A",
        "gamma_A",
        "phi_B",
        "gamma_B",
        "phi_T",
        "r1",
        "r2",
        "lu",
        "ll",
    ];
    for (name, expected) in names.into_iter().zip(expected) {
        let found = value(study, solution, name);
        // In weights: 1 rad counts as 10 cm.
        let weighted = match name {
            "base.pitch" => -found - expected,
            "base.z" | "r1" | "r2" | "lu" | "ll" => (100.0 * found - expected) / 10.0,
            _ => found - expected,
        };
        assert!(weighted.abs() < 1e-4, "{name}: {found} {expected}");
    }
}

fn assert_root(problem: &DesignProblem, x: &[f64]) {
    use carom::design::Quantity;
    let values = problem.values(x).unwrap();
    for (quantity, value) in problem.quantities().iter().zip(values.iter()) {
        match quantity {
            Quantity::Gap { closed: true, .. } => {
                assert!(value.abs() <= 1e-12, "{quantity:?} {value:e}")
            }
            Quantity::Gap { least, .. } => {
                assert!(*value >= least - 1e-12, "{quantity:?} {value:e}")
            }
            Quantity::Cosine { target, .. } => {
                assert!((value - target).abs() <= 1e-12, "{quantity:?} {value:e}");
            }
        }
    }
}

fn xi(problem: &DesignProblem, x: &[f64]) -> f64 {
    let robot = problem.robot(x).unwrap();
    let q = problem.configuration(&robot.model, x, 0);
    order_indeterminacy(&problem.impact(&robot, &q, 0).unwrap()).unwrap()
}

#[test]
fn trex_finds_the_nearest_orthogonal_design_from_both_rows() {
    let rows = [
        (
            trex_file(),
            [
                12.5943, 5.8288, 5.1035, 5.2639, 1.9905, 5.2401, 0.0455, 6.3903, 4.1810, 7.9810,
                9.8701,
            ],
        ),
        (
            optimized_row(),
            [
                12.8293, 5.8570, 4.8252, 5.5523, 2.8508, 5.7100, -0.2376, 7.7841, 4.0556, 7.9925,
                10.4012,
            ],
        ),
    ];
    for (file, expected) in rows {
        let study = DesignStudy::new("design.toml", file).unwrap();
        let solution = study.problem.solve(&DesignSettings::default()).unwrap();
        println!(
            "{} steps, distance {}",
            solution.iterations, solution.distance
        );
        assert_eq!(solution.status, DesignStatus::Converged);
        assert!(solution.iterations <= 10, "{}", solution.iterations);
        assert_root(&study.problem, &solution.variables);
        assert_near(&study, &solution, expected);
        let report = study.report(&solution, Vec::new()).unwrap();
        // Round-off of the reflections, against an order of 1e-4 before.
        assert!(report.xi.after.unwrap() <= 1e-13, "{:?}", report.xi);
        assert!(report.xi.before.unwrap() > 1e-4, "{:?}", report.xi);
    }
}

/// The start row and its indeterminacy, against independent values for the row with its gaps closed by the
/// base alone.
#[test]
fn trex_indeterminacy_before_is_that_of_the_two_reflection_identity() {
    let mut file = trex_file();
    // Only z and pitch are free, so that the gaps close by them.
    file.parameter.clear();
    file.stance[0].free.retain(|f| f.name.starts_with("base"));
    let study = DesignStudy::new("design.toml", file).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    // Two freedoms for two gaps: the cosine is what it is.
    assert_eq!(solution.status, DesignStatus::Compromise);
    assert!((value(&study, &solution, "base.z") - 0.122872).abs() < 1e-6);
    assert!((value(&study, &solution, "base.pitch") + 5.78399).abs() < 1e-5);
    let report = study.report(&solution, Vec::new()).unwrap();
    assert!((report.cosines.after[0].cosine / -4.2077e-4 - 1.0).abs() < 1e-4);
    assert!((report.xi.after.unwrap() / 2.3306e-4 - 1.0).abs() < 1e-4);
    assert_eq!((report.rank, report.wanted), (0, 1));
    assert!(
        report
            .reason
            .unwrap()
            .contains("the cosine of contacts \"foot_A\" and \"tail\"")
    );
}

#[test]
fn trex_straight_stance_is_a_hundred_thousand_times_more_ambiguous() {
    let study = DesignStudy::new("design.toml", trex_file()).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    let at_root = xi(&study.problem, &solution.variables).max(1e-17);
    // The same robot on straight legs: theta and phi_T of the root, z from the tail, phi_A from the foot.
    let mut file = trex_file();
    for parameter in &mut file.parameter {
        parameter.start = Some(value(&study, &solution, &parameter.name));
        parameter.lower = parameter.start;
        parameter.upper = parameter.start;
    }
    let stance = &mut file.stance[0];
    let pitch = value(&study, &solution, "base.pitch");
    stance
        .base
        .insert("pitch".to_string(), toml::Value::Float(pitch));
    stance.joints.insert("gamma_A".to_string(), 0.0);
    stance.joints.insert("gamma_B".to_string(), 0.0);
    stance
        .joints
        .insert("phi_T".to_string(), value(&study, &solution, "phi_T"));
    stance.joints.insert("phi_B".to_string(), 2.0);
    stance
        .free
        .retain(|f| f.name == "base.z" || f.name == "phi_A");
    let straight = DesignStudy::new("straight", file).unwrap();
    let settings = DesignSettings {
        method: Method::Compromise,
        stay: 0.0,
        ..Default::default()
    };
    let closed = straight.problem.solve(&settings).unwrap();
    // Leg B opposite to leg A; it is in the air and changes no gap.
    let mut stances = straight.problem.stances().to_vec();
    let robot = straight.problem.robot(&closed.variables).unwrap();
    let names = coordinate_names(&robot.model);
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    stances[0].coordinates = straight.problem.coordinates(&closed.variables, 0);
    stances[0].coordinates[at("phi_B")] =
        stances[0].coordinates[at("phi_A")] - std::f64::consts::PI;
    let q = carom::design::configuration(&robot.model, &stances[0].coordinates);
    let impact = straight.problem.impact(&robot, &q, 0).unwrap();
    let g = &impact.contact_space().delassus;
    let cosine = g[(0, 1)] / (g[(0, 0)] * g[(1, 1)]).sqrt();
    let straight_xi = order_indeterminacy(&impact).unwrap();
    println!("cosine {cosine:e}, xi {straight_xi:e}, at the root {at_root:e}");
    assert!((cosine / -1.149e-3 - 1.0).abs() < 1e-3, "{cosine:e}");
    assert!(
        (straight_xi / 7.4243e-4 - 1.0).abs() < 1e-3,
        "{straight_xi:e}"
    );
    assert!(straight_xi / at_root > 1e5);
}

#[test]
fn the_optimum_does_not_depend_on_the_order_of_variables_and_repeats_bit_by_bit() {
    let solve = |reversed: bool| {
        let mut file = trex_file();
        if reversed {
            file.parameter.reverse();
            file.stance[0].free.reverse();
            file.stance[0].touch.reverse();
        }
        let study = DesignStudy::new("design.toml", file).unwrap();
        let solution = study.problem.solve(&DesignSettings::default()).unwrap();
        (study, solution)
    };
    let ((a, first), (_, again), (b, permuted)) = (solve(false), solve(false), solve(true));
    assert_eq!(first, again);
    for variable in a.problem.variables() {
        let difference = value(&a, &first, &variable.name) - value(&b, &permuted, &variable.name);
        // Differences of the built robot have errors of 1e-10, which move the optimum by as much.
        assert!(
            difference.abs() < 1e-8 * variable.scale,
            "{} {difference:e}",
            variable.name
        );
    }
}

/// Three discs of the given masses on a table: A touches B and C.
fn billiards(masses: [f64; 3], angles: [f64; 2], m: u32) -> DesignProblem {
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

/// Four points of the last link of a random tree above the ground.
fn random_problem(seed: u64, base: Base) -> DesignProblem {
    let mut random = Uniform::new(seed);
    let model = random_tree(seed, 5, base).unwrap();
    let link = model.links().last().unwrap().name.clone();
    let material = Material::new(0.0, 1.0);
    let names = ["a", "b", "c"];
    let sites =
        names.map(|n| Site::sphere(&model, n, &link, random.vector(0.5), 0.05, material).unwrap());
    let ground = Terrain::plane("ground", [0.0, 0.0, -3.0], [0.1, 0.2, 1.0], material);
    let contacts = Contacts::new(
        &model,
        sites.to_vec(),
        vec![ground],
        &[],
        Combination::Minimum,
    )
    .unwrap();
    let coordinates: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-1.0, 1.0))
        .collect();
    let free = coordinate_names(&model);
    let limits: Vec<Option<(f64, f64)>> =
        model.bodies().iter().map(|b| b.limits.position).collect();
    assert!(limits.iter().all(Option::is_none));
    let mut stance = Stance::orthogonal("random", coordinates, &names);
    for (i, name) in free.iter().enumerate() {
        stance = stance.with_free(i, Variable::new(name, 0.0, 1.0));
    }
    let robot = Robot { model, contacts };
    let family = Box::new(move |_: &[f64]| Ok(robot.clone()));
    DesignProblem::new(family, Vec::new(), vec![stance]).unwrap()
}

#[test]
fn derivatives_of_random_robots_agree_with_central_differences() {
    for seed in 0..6 {
        for base in [Base::Fixed, Base::Floating] {
            let problem = random_problem(seed, base);
            let x = problem.start();
            let exact = problem.linearize(&x).unwrap();
            for k in 0..x.len() {
                let h = 1e-3;
                let at = |steps: f64| {
                    let mut y = x.clone();
                    y[k] += steps * h;
                    problem.values(&y).unwrap()
                };
                // Fourth order: truncation h⁴ f⁗'/30 of about 1e-13 times the derivatives, rounding 1e-16/h.
                let differences =
                    (at(1.0) - at(-1.0)) * (8.0 / (12.0 * h)) - (at(2.0) - at(-2.0)) / (12.0 * h);
                let error = (exact.jacobian.column(k) - differences).amax();
                assert!(error < 1e-7, "{seed} {base:?} {k}: {error:e}");
            }
        }
    }
}

fn shipped(path: &str) -> (DesignStudy, DesignSolution) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let study = DesignStudy::read(&path).unwrap();
    let settings = study.design.solver.settings();
    let solution = study.problem.solve(&settings).unwrap();
    (study, solution)
}

#[test]
fn hexapod_legs_become_orthogonal_in_three_dimensions() {
    for (file, pairs) in [
        ("robots/rhex/design_pair.toml", 1),
        ("robots/rhex/design_tripod.toml", 3),
    ] {
        let (study, solution) = shipped(file);
        assert_eq!(solution.status, DesignStatus::Converged, "{file}");
        assert_root(&study.problem, &solution.variables);
        assert_eq!((solution.rank, solution.wanted), (pairs, pairs), "{file}");
        let report = study.report(&solution, Vec::new()).unwrap();
        println!("{file}: {:?} {:?}", report.xi, solution.iterations);
        // Every permutation of the legs; before, the orders were half of the momentum apart.
        assert!(report.xi.after.unwrap() < 1e-12);
        assert!(report.xi.before.unwrap() > 0.1);
    }
}

#[test]
fn quadruped_with_free_thighs_and_shanks_lands_without_ambiguity() {
    let (study, solution) = shipped("robots/anymal_b/design.toml");
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
    let report = study.report(&solution, Vec::new()).unwrap();
    assert!(report.xi.after.unwrap() < 1e-13);
    // The parameters act: the plain text has the tuned thigh.
    let text = study.robot.text(&solution.variables[..4]).unwrap();
    let thigh = solution.variables[0];
    assert!(text.contains(&format!("0 0.109 {}", -thigh)), "{thigh}");
}

#[test]
fn a_drop_of_the_design_lands_with_both_orders_together() {
    let (study, solution) = shipped("robots/trex/design.toml");
    let run = |x: &[f64]| study.drop_in_both_orders(x).unwrap().unwrap();
    let (xi_before, before) = run(&study.problem.start());
    let (xi_after, after) = run(&solution.variables);
    let landing = |curve: &carom::study::DistanceCurve| {
        let second = curve.second_impact_s.unwrap_or(f64::INFINITY);
        let samples = curve.samples.iter().take_while(|s| s.time_s < second);
        samples.map(|s| s.distance).fold(0.0, f64::max)
    };
    println!("xi {xi_before:e} {xi_after:e}");
    println!("landing {:e} {:e}", landing(&before), landing(&after));
    println!("parting {:?}\n{:?}", before.parting, after.parting);
    assert!(before.stopped.is_none() && after.stopped.is_none());
    // Before, the orders part at the landing; after, the landing keeps them together to round-off.
    let parted = before.parting.as_ref().unwrap();
    let fall = (2.0_f64 * 0.17 / 9.81).sqrt();
    assert!((parted.time_s - fall).abs() < 1e-6, "{}", parted.time_s);
    assert_eq!(parted.contacts, ["foot_A", "tail"]);
    assert!(landing(&before) > 1e-5);
    assert!(landing(&after) < 1e-11, "{:e}", landing(&after));
}

#[test]
fn derivatives_agree_with_central_differences() {
    let mut checked = 0;
    for (s, file) in [trex_file(), optimized_row()].into_iter().enumerate() {
        let study = DesignStudy::new("design.toml", file).unwrap();
        let problem = &study.problem;
        for start in 0..2 {
            let mut x = problem.start_point(7 + s as u64, start);
            // Well inside the bounds.
            for (x, v) in x.iter_mut().zip(problem.variables()) {
                *x = v.start + 0.3 * (*x - v.start);
            }
            let exact = problem.linearize(&x).unwrap();
            for (k, variable) in problem.variables().iter().enumerate() {
                let h = 1e-4 * variable.scale;
                let at = |steps: f64| {
                    let mut y = x.clone();
                    y[k] += steps * h;
                    problem.values(&y).unwrap()
                };
                // Fourth order: the truncation is 1e-16 f⁗', the rounding 1e-16/1e-4.
                let differences =
                    (at(1.0) - at(-1.0)) * (8.0 / (12.0 * h)) - (at(2.0) - at(-2.0)) / (12.0 * h);
                let error = (exact.jacobian.column(k) - differences).amax() * variable.scale;
                assert!(error < 1e-7, "{}: {error:e}", variable.name);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 44);
}

#[test]
fn several_starts_are_reproducible_and_the_best_is_the_nearest() {
    let study = DesignStudy::new("design.toml", trex_file()).unwrap();
    let settings = DesignSettings::default();
    let run = || -> Vec<_> {
        (0..2)
            .map(|k| solve_start(&study.problem, &settings, 5, k).0)
            .collect()
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    let best = best_start(&first).unwrap();
    for record in &first {
        println!("{:?} {}", record.status, record.distance);
        assert!(record.status != Some(DesignStatus::Converged) || record.distance >= best.distance);
    }
    assert!(best.distance <= 0.103, "{}", best.distance);
}

#[test]
fn problems_without_an_answer_are_told_by_name() {
    let refused = |change: &dyn Fn(&mut DesignFile), parts: &[&str]| {
        let mut file = trex_file();
        change(&mut file);
        let settings = file.solver.settings();
        let result = DesignStudy::new("design.toml", file)
            .and_then(|study| study.problem.solve(&settings).map_err(|e| study.failed(e)));
        let message = result.unwrap_err().to_string();
        for part in parts {
            assert!(
                message.contains(part),
                "{message:?} should contain {part:?}"
            );
        }
    };
    refused(
        &|f| f.parameter[1].upper = Some(0.02),
        &["\"r2\"", "contradict", "0.03 to 0.02"],
    );
    refused(
        &|f| f.parameter[0].start = Some(0.2),
        &["\"r1\"", "0.2 lies outside", "0.05 to 0.09"],
    );
    refused(
        &|f| f.parameter[0].name = "r11".to_string(),
        &["parameter[0] \"r11\"", "xacro argument", "\"r1\""],
    );
    refused(
        &|f| f.stance[0].touch[1] = "tial".to_string(),
        &["landing", "\"tial\"", "tail"],
    );
    refused(
        &|f| f.stance[0].free[2].name = "phi_a".to_string(),
        &["free[2]", "did you mean \"phi_A\""],
    );
    refused(
        &|f| {
            f.parameter.clear();
            f.stance[0].free.retain(|v| v.name == "phi_B");
        },
        &[
            "no free variable changes the gap of contact \"foot_A\"",
            "phi_B",
        ],
    );
    // Nothing but the place of the robot: the gaps move together, the cosine not at all.
    refused(
        &|f| {
            f.parameter.clear();
            f.stance[0].free.retain(|v| v.name == "base.z");
        },
        &["no free variable changes the cosine of contacts \"foot_A\" and \"tail\""],
    );
    // The tail is far above the ground within these bounds.
    refused(
        &|f| {
            f.stance[0].free[0].lower = Some(0.3);
            f.stance[0]
                .base
                .insert("z".to_string(), toml::Value::Float(0.3));
            f.parameter.clear();
        },
        &["the gap of contact \"", "cannot be brought to 0", "base.z"],
    );
    refused(
        &|f| {
            f.solver.method = Method::Nearest;
            f.parameter.clear();
            f.stance[0].free.retain(|v| v.name.starts_with("base"));
        },
        &["the cosine of contacts \"foot_A\" and \"tail\" cannot be brought to 0"],
    );
}

#[test]
fn a_compromise_of_two_stances_shares_one_robot() {
    let mut file = trex_file();
    let mut second = optimized_row().stance.remove(0);
    second.name = "stride".to_string();
    file.stance.push(second);
    let study = DesignStudy::new("design.toml", file).unwrap();
    let root = study.problem.solve(&DesignSettings::default()).unwrap();
    // Fourteen coordinates and four parameters for four gaps and two cosines: a root exists.
    assert_eq!(root.status, DesignStatus::Converged);
    assert_root(&study.problem, &root.variables);
    // With only two coordinates of each stance free, four gaps leave the four parameters for two cosines.
    let mut tight = study.design.clone();
    for stance in &mut tight.stance {
        stance.free.retain(|f| f.name.starts_with("base"));
    }
    // … and with one parameter there is only a compromise.
    tight.parameter.truncate(1);
    let study = DesignStudy::new("design.toml", tight).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    assert_eq!(solution.status, DesignStatus::Compromise);
    let report = study.report(&solution, Vec::new()).unwrap();
    for gap in report.gaps_m.after.values() {
        assert!(gap.abs() <= 1e-12, "{gap:e}");
    }
    let square =
        |side: &[carom::study::CosineEntry]| side.iter().map(|c| c.cosine * c.cosine).sum::<f64>();
    let best = square(&report.cosines.after);
    // No neighbour in r1 with its gaps closed is better.
    for r1 in [-1e-3, 1e-3] {
        let mut fixed = study.design.clone();
        let at = solution.variables[0] + r1;
        fixed.parameter[0].start = Some(at);
        fixed.parameter[0].lower = Some(at);
        fixed.parameter[0].upper = Some(at);
        let study = DesignStudy::new("design.toml", fixed).unwrap();
        let near = study.problem.solve(&DesignSettings::default()).unwrap();
        let report = study.report(&near, Vec::new()).unwrap();
        assert!(square(&report.cosines.after) >= best, "{r1}");
    }
}

#[test]
fn a_contact_that_would_be_pushed_through_the_ground_stays_open() {
    let mut file = trex_file();
    file.stance[0].clearance = 0.002;
    // Leg B hangs just above the ground beside leg A.
    file.stance[0].joints.insert("phi_B".to_string(), 5.13);
    file.stance[0].joints.insert("gamma_B".to_string(), 5.26);
    let study = DesignStudy::new("design.toml", file).unwrap();
    let solution = study.problem.solve(&DesignSettings::default()).unwrap();
    assert_eq!(solution.status, DesignStatus::Converged);
    assert_root(&study.problem, &solution.variables);
}

#[test]
fn errors_are_errors_and_not_panics() {
    let empty = DesignProblem::new(
        Box::new(|_: &[f64]| Err("no such robot".to_string())),
        vec![Variable::new("a", 1.0, 1.0)],
        Vec::new(),
    );
    assert!(matches!(empty.err(), Some(DesignError::Build { .. })));
}
