//! Numbers of \[JW\]: the impacts of an icosahedron and a tetrahedron, and of a pin and a ball.
//!
//! The rotations of the bodies, and so the sliding velocity, are not printed. One rotation of the second body reproduces
//! both the printed W and the printed change of its angular velocity, and gives the normal velocity before the impact;
//! the sliding velocity is that for which the printed impulse (15) ends on the line of sticking, so that its tangential
//! part is no test. The velocities of the pin and the ball follow from their printed impulse alone.

use nalgebra::{DMatrix, DVector, Matrix3};

use super::PublishedNumber;
use crate::impact::stronge::StrongeSolverRow;
use crate::impact::{Contact, ImpactError, ImpactLaw, ImpactProblem, PreImpact, Stronge};

const ITEM: &str = "stronge";

/// Velocity before the first impact, normal first \[m/s\].
const BEFORE: [f64; 3] = [-0.077_174_7, -0.261_976, 0.386_329];

/// One contact with the printed W, in the order normal, x, y.
fn contact(
    w: Matrix3<f64>,
    velocity: [f64; 3],
    friction: f64,
    restitution: f64,
) -> Result<ImpactProblem, ImpactError> {
    let mass = w.try_inverse().ok_or_else(|| ImpactError::Unsupported {
        law: "stronge",
        reason: "W is singular".to_string(),
    })?;
    // Symmetric to the bit.
    let mass = 0.5 * (mass + mass.transpose());
    let row = |i: usize| DVector::from_fn(3, |j, _| f64::from(u8::from(i == j)));
    ImpactProblem::new(
        DMatrix::from_column_slice(3, 3, mass.as_slice()),
        PreImpact::Velocity(DVector::from_column_slice(&velocity)),
        &[Contact::new("contact", row(0))
            .with_friction(vec![row(1), row(2)], friction)
            .with_restitution(restitution)],
    )
}

/// The icosahedron and the tetrahedron with this friction, where the first one approaches with another velocity: the
/// change along z, x, y.
fn solids(friction: f64, change: [f64; 3]) -> Result<ImpactProblem, ImpactError> {
    // [JW] eq. 13.
    let w = Matrix3::new(
        2.59042, 2.442_355, 1.957_465, 2.442_355, 11.5984, -0.910_367, 1.957_465, -0.910_367,
        9.90134,
    );
    let velocity = std::array::from_fn(|i| BEFORE[i] + change[i]);
    contact(w, velocity, friction, 0.95)
}

/// The pin and the ball.
fn pin_and_ball() -> Result<ImpactProblem, ImpactError> {
    let w = Matrix3::new(
        1.105,
        -0.360_808,
        -0.003_132_96,
        -0.360_808,
        1.55465,
        0.002_386_755,
        -0.003_132_96,
        0.002_386_755,
        5.15191,
    );
    contact(w, PIN_BEFORE, 0.7, 0.7)
}

/// Velocity of the pin against the ball, computed back from the printed impulse \[m/s\].
const PIN_BEFORE: [f64; 3] = [-1.506_903, -0.206_913, 0.117_655];

pub fn stronge(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    let impulse = |problem: &ImpactProblem| -> Result<DVector<f64>, ImpactError> {
        let mut impulse = DVector::zeros(3);
        Stronge::default().impulse(problem.contact_space(), &mut impulse)?;
        Ok(impulse)
    };
    let smooth = impulse(&solids(0.0, [0.0; 3])?)?;
    numbers.push(PublishedNumber::printed(
        ITEM,
        "[JW] §2.4",
        "impulse along z without friction (N s)",
        0.058,
        smooth[0],
        5e-4,
    ));
    let rough = impulse(&solids(0.8, [0.0; 3])?)?;
    numbers.push(
        PublishedNumber::printed(ITEM, "[JW] eq. 15", "impulse along z (N s)", 0.1007, rough[0], 0.0)
            .corrected(
                0.101_211_723_8,
                1e-7,
                "independent integration at 1e-13; the paper ends the slide at a loose tolerance, 0.5 % early",
            ),
    );
    for (what, printed, ours) in [
        ("x", -0.003_266_57, rough[1]),
        ("y", -0.059_226_3, rough[2]),
    ] {
        let quantity = format!("impulse along {what} (N s)");
        numbers.push(
            PublishedNumber::printed(ITEM, "[JW] eq. 15", quantity, printed, ours, 0.0)
                .computed_back(
                    "the sliding velocity before the impact is not printed and follows from this",
                ),
        );
    }
    captions(numbers)?;
    table_1(numbers)
}

/// Events in the captions of the figures. They depend on two tolerances that are not printed; one pair of them gives all.
fn captions(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    for (source, friction, change, events) in [
        ("[JW] Fig. 4(a)", 0.8, [0.0, 0.0, 0.0], "csr"),
        ("[JW] Fig. 4(b)", 0.4, [-0.75, 0.0, 0.0], "lscr"),
        ("[JW] Fig. 4(c)", 0.25, [-0.75, 0.0, 0.0], "clr"),
        ("[JW] Fig. 4(d)", 3.0, [-0.45, 0.0, 0.0], "scr"),
        ("[JW] Fig. 7", 0.25, [-1.45, -0.6, -0.85], "scr"),
        ("[JW] Fig. 10(a)", 0.35, [-0.75, 0.0, 0.0], "lcsr"),
        ("[JW] Fig. 10(b)", 0.25, [-1.95, 0.0, 0.0], "lcr"),
        ("[JW] Fig. 10(c)", 0.55, [-0.05, 0.0, 0.0], "clsr"),
    ] {
        let resolution = Stronge::default().resolve(&solids(friction, change)?)?;
        let label = resolution.outcomes.first().and_then(|outcome| {
            let fields = outcome.details.fields();
            fields
                .get("events_with_tolerance")?
                .as_str()
                .map(str::to_string)
        });
        let quantity = format!("events {events} in this order (1: they are ours)");
        numbers.push(match label {
            Some(label) => PublishedNumber::printed(
                ITEM,
                source,
                quantity,
                1.0,
                f64::from(u8::from(label == events)),
                0.0,
            ),
            None => PublishedNumber::failed(ITEM, source, quantity, "no label"),
        });
    }
    Ok(())
}

/// Table 1: Euler's method to the end (NI), with closed forms after events (FS), with a step that follows the curvature
/// (VS).
fn table_1(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    const SOURCE: &str = "[JW] Table 1";
    const EVENTS: &str =
        "fewer than NI; where the closed forms begin depends on tolerances that are not printed";
    const CURVATURE: &str =
        "fewer than FS; as printed, the curvature (37) is wrong and (36) is not capped";
    const ERROR: &str =
        "less than two steps; against the exact impulse, not one that ends the slide early";
    /// h₁ and h₂ of VS.
    const LARGEST_STEP: f64 = 0.01;
    for (bodies, problem, steps, printed) in [
        (
            "solids",
            solids(0.8, [0.0; 3])?,
            [0.00095, 0.001],
            [
                (107.0, 0.000_877),
                (69.0, 0.001_086_69),
                (29.0, 0.001_112_29),
            ],
        ),
        (
            "pin and ball",
            pin_and_ball()?,
            [0.001, 0.002],
            [(2586.0, 0.00143), (83.0, 6.0469e-5), (29.0, 5.70441e-5)],
        ),
    ] {
        let rows = Stronge::default().compare_solvers(&problem, steps[0], steps[1])?;
        let [_, euler @ ..] = rows.as_slice() else {
            let failed = PublishedNumber::failed(ITEM, SOURCE, bodies, "there are no rows");
            numbers.push(failed);
            continue;
        };
        for (row, (iterations, error)) in euler.iter().zip(printed) {
            let StrongeSolverRow { solver, .. } = row;
            let name = solver.to_uppercase();
            let count = PublishedNumber::printed(
                ITEM,
                SOURCE,
                format!("{bodies}: iterations of {name}"),
                iterations,
                row.iterations as f64,
                0.0,
            );
            let before = euler
                .iter()
                .take_while(|other| other.solver != *solver)
                .last();
            let fewer = before.map_or(f64::INFINITY, |other| other.iterations as f64);
            numbers.push(match (*solver, bodies) {
                ("ni", "solids") => count,
                ("ni", _) => count.computed_back(
                    "the printed impulse over the step; the velocity follows from it",
                ),
                ("fs", _) => count.qualitative(0.0, fewer, EVENTS),
                _ => count.qualitative(0.0, fewer, CURVATURE),
            });
            numbers.push(
                PublishedNumber::printed(
                    ITEM,
                    SOURCE,
                    format!("{bodies}: error of {name} (N s)"),
                    error,
                    row.error,
                    0.0,
                )
                .qualitative(0.0, 2.0 * row.step.unwrap_or(LARGEST_STEP), ERROR),
            );
        }
    }
    Ok(())
}
