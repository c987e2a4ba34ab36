//! Problems and checks that several tests share.

use std::path::Path;
use std::sync::OnceLock;

use carom::design::{DesignProblem, DesignSolution, Quantity, order_indeterminacy};
use carom::study::design::{DesignFile, DesignStudy};

pub fn trex_file() -> DesignFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/trex/design.toml");
    DesignFile::read(&path, &[]).unwrap()
}

/// TREX from the row "Optimized" of Table I.
pub fn optimized_row() -> DesignFile {
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

pub fn value(study: &DesignStudy, solution: &DesignSolution, name: &str) -> f64 {
    let variables = study.problem.variables();
    let at = variables.iter().position(|v| v.name == name).unwrap();
    solution.variables[at]
}

pub fn assert_root(problem: &DesignProblem, x: &[f64]) {
    let values = problem.values(x).unwrap();
    for (quantity, value) in problem.quantities().iter().zip(values.iter()) {
        if let Quantity::Gap {
            closed: false,
            least,
            ..
        } = quantity
        {
            assert!(*value >= least - 1e-12, "{quantity:?} {value:e}");
        } else if let Some(target) = quantity.target() {
            assert!((value - target).abs() <= 1e-12, "{quantity:?} {value:e}");
        }
    }
}

pub fn xi(problem: &DesignProblem, x: &[f64]) -> f64 {
    let robot = problem.robot(x).unwrap();
    let q = problem.configuration(&robot.model, x, 0);
    order_indeterminacy(&problem.impact(&robot, &q, 0).unwrap()).unwrap()
}

/// The shipped design of TREX, solved once for all tests.
pub fn trex() -> &'static (DesignStudy, DesignSolution) {
    static SOLVED: OnceLock<(DesignStudy, DesignSolution)> = OnceLock::new();
    SOLVED.get_or_init(|| shipped("robots/trex/design.toml"))
}

pub fn shipped_file(path: &str) -> DesignFile {
    DesignFile::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path), &[]).unwrap()
}

pub fn shipped(path: &str) -> (DesignStudy, DesignSolution) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let study = DesignStudy::read(&path, &[]).unwrap();
    let settings = study.design.solver.settings();
    let solution = study.problem.solve(&settings).unwrap();
    (study, solution)
}
