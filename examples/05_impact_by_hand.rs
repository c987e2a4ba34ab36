//! Newton's cradle by hand: with equal balls the outcome is certain, with a light one in the middle
//! it depends on which collision acts first.

use carom::impact::{Contact, ImpactError, ImpactLaw, ImpactProblem, PreImpact, Propagative};
use nalgebra::{DMatrix, DVector};

/// Three balls in a row, both outer ones moving inwards at 1 m/s.
fn verdict(masses: [f64; 3]) -> Result<(), ImpactError> {
    let problem = ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_column_slice(&masses)),
        PreImpact::Velocity(DVector::from_column_slice(&[1.0, 0.0, -1.0])),
        &[
            Contact::new("AB", DVector::from_column_slice(&[-1.0, 1.0, 0.0])),
            Contact::new("BC", DVector::from_column_slice(&[0.0, -1.0, 1.0])),
        ],
    )?;
    let answer = Propagative::all_orders().resolve(&problem)?;
    println!(
        "masses {masses:?}: unique = {:?}, indeterminacy {:.4}",
        answer.unique(),
        answer.indeterminacy()
    );
    if let Some(certificate) = &answer.certificate {
        println!("  for every momentum: {}", certificate.reason);
    }
    for outcome in &answer.outcomes {
        let names: Vec<&str> = outcome
            .minimal_sequences
            .first()
            .map(|word| word.iter().map(|&k| &*problem.names()[k]).collect())
            .unwrap_or_default();
        let v: Vec<String> = outcome
            .velocity
            .iter()
            .map(|v| format!("{v:+.4}"))
            .collect();
        println!("  {} -> ({}) m/s", names.join(" "), v.join(", "));
    }
    Ok(())
}

fn main() -> Result<(), ImpactError> {
    verdict([1.0, 1.0, 1.0])?;
    verdict([1.0, 2.0, 1.0])
}
