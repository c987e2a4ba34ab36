//! Problems for the tests: from the reference file, and random.

use carom::impact::{Contact, ImpactProblem, PreImpact};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

pub fn numbers(v: &Value) -> Vec<f64> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

pub fn problem(v: &Value) -> ImpactProblem {
    let rows: Vec<Vec<f64>> = v["mass_matrix"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    let n = rows.len();
    let contacts: Vec<Contact> = v["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| {
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
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_fn(n, n, |i, j| rows[i][j]),
        PreImpact::Velocity(DVector::from_vec(numbers(&v["velocity"]))),
        &contacts,
    )
    .unwrap()
}

pub fn reference() -> Vec<Value> {
    let text = include_str!("../../data/max_dissipation.json");
    let all: Value = serde_json::from_str(text).unwrap();
    all["cases"].as_array().unwrap().clone()
}

/// A deterministic stream of uniform numbers in (0, 1).
pub struct Stream(pub u64);

impl Stream {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}
