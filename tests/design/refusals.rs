//! Problems without an answer are told as such, by name.

use carom::design::{DesignError, DesignProblem, Method, Variable};
use carom::study::{DesignFile, DesignStudy};

use crate::support::trex_file;

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
fn errors_are_errors_and_not_panics() {
    let empty = DesignProblem::new(
        Box::new(|_: &[f64]| Err("no such robot".to_string())),
        vec![Variable::new("a", 1.0, 1.0)],
        Vec::new(),
    );
    assert!(matches!(empty.err(), Some(DesignError::Build { .. })));
}
