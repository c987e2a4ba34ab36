//! Problems without an answer are told as such, by name.

use std::path::Path;

use carom::design::{DesignError, DesignProblem, Method, Variable};
use carom::study::design::{DesignFile, DesignStudy};

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
        &["contacts \"foot_A\" and \"tail\" cannot touch", "base.z"],
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
fn wishes_that_make_no_sense_are_refused_with_the_place_and_a_remedy() {
    let text = |extra: &str, change: fn(String) -> String| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/trex/design.toml");
        let robot = path.with_file_name("trex.xacro").display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("\"trex.xacro\"", &format!("{robot:?}"));
        let message = DesignFile::parse("d.toml", &change(format!("{text}\n{extra}")), &[])
            .map_err(Into::into)
            .and_then(|file| DesignStudy::new("d.toml", file))
            .err();
        message.map(|e| e.to_string()).unwrap_or_default()
    };
    let same: fn(String) -> String = |t| t;
    type Case = (&'static str, fn(String) -> String, &'static [&'static str]);
    let cases: [Case; 13] = [
        (
            "[[keep]]\nquantity = \"lenght\"",
            same,
            &["d.toml:", "lenght", "did you mean \"length\""],
        ),
        (
            "[[keep]]\nquantity = \"length\"\nparameters = [\"lv\"]",
            same,
            &["keep[0]", "did you mean \"lu\""],
        ),
        (
            "[[keep]]\nquantity = \"mass\"\nparameters = [\"lu\"]",
            same,
            &["keep[0]", "remove parameters"],
        ),
        (
            "[[keep]]\nquantity = \"length\"",
            same,
            &["keep[0]", "name them in parameters"],
        ),
        (
            "[[keep]]\nquantity = \"mass\"\nweight = -1.0",
            same,
            &["mass", "weight is -1, it must be positive"],
        ),
        (
            "[[keep]]\nquantity = \"mass\"\nwight = 1.0",
            same,
            &["wight", "did you mean \"weight\""],
        ),
        (
            "[solver]\nparticles = 10",
            same,
            &["solver.particles", "particle-swarm", "remove the key"],
        ),
        (
            "[solver]\nglobal = \"particle-swarm\"\nstarts = 3",
            same,
            &["solver.starts", "multi-start"],
        ),
        (
            "[solver]\nglobal = \"particle-sworm\"",
            same,
            &["particle-sworm", "did you mean \"particle-swarm\""],
        ),
        (
            "",
            |t| t.replace("drop_height = 0.17", "minimise = [{ weight = 1.0 }]"),
            &["minimise[0]", "at rest"],
        ),
        (
            "",
            |t| {
                t.replace(
                    "drop_height = 0.17",
                    "clearances = { tail = 0.1 }\ndrop_height = 0.17",
                )
            },
            &["\"tail\" touches and cannot have a clearance"],
        ),
        (
            "",
            |t| t.replace("drop_height = 0.17", ""),
            &["drop", "no stance has a drop_height"],
        ),
        (
            "",
            |t| t.replace("[\"phi_A\", \"phi_B\"]", "[\"phi_C\"]"),
            &["phi_C"],
        ),
    ];
    for (extra, change, parts) in cases {
        let message = text(extra, change);
        for part in parts {
            assert!(
                message.contains(part),
                "{message:?} should contain {part:?}"
            );
        }
    }
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
