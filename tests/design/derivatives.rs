//! Derivatives against central differences.

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::design::{Approach, DesignProblem, Robot, Stance, Variable, coordinate_names};
use carom::model::Base;
use carom::model::sample::{Uniform, random_tree};
use carom::study::design::DesignStudy;
use nalgebra::DVector;

use crate::support::{optimized_row, trex_file};

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
    let velocity = (0..model.dof())
        .map(|_| random.between(-1.0, 1.0))
        .collect();
    stance.minimised = vec![(Approach::Velocity(velocity), 1.0)];
    if base == Base::Floating {
        stance.minimised.push((Approach::Fall(0.3), 1.0));
    }
    let robot = Robot { model, contacts };
    let family = Box::new(move |_: &[f64]| Ok(robot.clone()));
    DesignProblem::new(family, Vec::new(), vec![stance]).unwrap()
}

/// Fourth order in the step h of variable k: the truncation is h⁴ f⁗'/30, the rounding 1e-16/h.
fn central_differences(problem: &DesignProblem, x: &[f64], k: usize, h: f64) -> DVector<f64> {
    let at = |steps: f64| {
        let mut y = x.to_vec();
        y[k] += steps * h;
        problem.values(&y).unwrap()
    };
    (at(1.0) - at(-1.0)) * (8.0 / (12.0 * h)) - (at(2.0) - at(-2.0)) / (12.0 * h)
}

#[test]
fn derivatives_of_random_robots_agree_with_central_differences() {
    for seed in 0..6 {
        for base in [Base::Fixed, Base::Floating] {
            let problem = random_problem(seed, base);
            let x = problem.start();
            let exact = problem.linearize(&x).unwrap();
            for k in 0..x.len() {
                // Truncation 1e-13 times the derivatives, rounding 1e-13.
                let differences = central_differences(&problem, &x, k, 1e-3);
                let error = (exact.jacobian.column(k) - differences).amax();
                assert!(error < 1e-7, "{seed} {base:?} {k}: {error:e}");
            }
        }
    }
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
                // Truncation 1e-16 f⁗', rounding 1e-16/1e-4.
                let differences = central_differences(problem, &x, k, 1e-4 * variable.scale);
                let error = (exact.jacobian.column(k) - differences).amax() * variable.scale;
                assert!(error < 1e-7, "{}: {error:e}", variable.name);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 44);
}
