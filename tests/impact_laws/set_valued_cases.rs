//! Reads the reference cases of the set-valued laws.

use carom::impact::examples::{
    ImpactExample, box_and_wall, compass_gait, disk_stack, ramone, rocking_block,
};
use carom::impact::routh::RouthSettings;
use carom::impact::{Contact, ImpactProblem, PreImpact};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

pub struct Case {
    pub name: String,
    pub problem: ImpactProblem,
    pub step: f64,
    pub max_steps: usize,
    /// Velocity and modes of every solution of the simultaneous LCP.
    pub solutions: Vec<(Vec<f64>, Vec<String>)>,
    /// Order, velocity, visits.
    pub sequential: Vec<(String, Vec<f64>, Vec<usize>)>,
    /// Least and largest velocity per contact.
    pub normal: Vec<(f64, f64)>,
    pub tangential: Vec<(f64, f64)>,
    pub hull_area: f64,
}

impl Case {
    pub fn settings(&self, samples: usize, seed: u64) -> RouthSettings {
        RouthSettings {
            samples,
            seed,
            step: Some(self.step),
            max_steps: self.max_steps,
            ..RouthSettings::default()
        }
    }
}

pub fn examples() -> Vec<ImpactExample> {
    let all = [
        rocking_block(),
        compass_gait(),
        box_and_wall(),
        ramone(),
        disk_stack(1.0),
    ];
    all.into_iter().map(Result::unwrap).collect()
}

pub fn cases() -> Vec<Case> {
    let text = include_str!("../data/set_valued.json");
    let file: Value = serde_json::from_str(text).unwrap();
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

fn case(value: &Value) -> Case {
    let expected = &value["expected"];
    let extents = |low: &str, high: &str| {
        let set = &expected["set"];
        numbers(&set[low])
            .into_iter()
            .zip(numbers(&set[high]))
            .collect()
    };
    let solution = |s: &Value| {
        let modes = s["mode"].as_array().unwrap();
        let word = |m: &Value| m.as_str().unwrap().to_string();
        (numbers(&s["velocity"]), modes.iter().map(word).collect())
    };
    let sequence = |(order, result): (&String, &Value)| {
        let names: Vec<String> = order.chars().map(String::from).collect();
        let steps = result["steps"].as_array().unwrap();
        let index = |s: &Value| s.as_u64().unwrap() as usize;
        (
            names.join(","),
            numbers(&result["velocity"]),
            steps.iter().map(index).collect(),
        )
    };
    Case {
        name: value["name"].as_str().unwrap().to_string(),
        problem: problem(&value["problem"]),
        step: value["step"].as_f64().unwrap(),
        max_steps: value["max_steps"].as_u64().unwrap() as usize,
        solutions: expected["anitescu_potra_solutions"]
            .as_array()
            .unwrap()
            .iter()
            .map(solution)
            .collect(),
        sequential: expected["sequential"]
            .as_object()
            .unwrap()
            .iter()
            .map(sequence)
            .collect(),
        normal: extents("Jn_min", "Jn_max"),
        tangential: extents("Jt_min", "Jt_max"),
        hull_area: expected["hull_area"].as_f64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn problem(value: &Value) -> ImpactProblem {
    let rows: Vec<Vec<f64>> = value["mass_matrix"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    let n = rows.len();
    let contact = |c: &Value| {
        let tangents = c["tangents"].as_array().unwrap();
        Contact::new(
            c["name"].as_str().unwrap(),
            DVector::from_vec(numbers(&c["normal"])),
        )
        .with_friction(
            tangents
                .iter()
                .map(|t| DVector::from_vec(numbers(t)))
                .collect(),
            c["friction"].as_f64().unwrap(),
        )
        .with_restitution(c["restitution"].as_f64().unwrap())
    };
    let contacts: Vec<Contact> = value["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(contact)
        .collect();
    ImpactProblem::new(
        DMatrix::from_fn(n, n, |i, j| rows[i][j]),
        PreImpact::Velocity(DVector::from_vec(numbers(&value["velocity"]))),
        &contacts,
    )
    .unwrap()
}
