//! Numbers of \[PER\], \[USD\] and \[HP\].

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::PublishedNumber;
use crate::impact::dissipation::{ContactBlock, coulomb_solutions};
use crate::impact::examples::rocking_block as rocking_block_example;
use crate::impact::plus::PlusSettings;
use crate::impact::sequential::ImpactSequence;
use crate::impact::{
    Contact, ContactRows, ContactSpace, ImpactError, ImpactLaw, ImpactProblem, MaxDissipation,
    Outcome, Plus, PreImpact, Resolution, Sequential,
};
use crate::record::Trace;
use crate::scenario::{Experiment, Scenario};

/// One spatial contact: rows normal, two tangents.
fn single(
    delassus: Matrix3<f64>,
    velocity: [f64; 3],
    friction: f64,
    restitution: f64,
) -> ContactSpace {
    ContactSpace::new(
        DMatrix::from_column_slice(3, 3, delassus.as_slice()),
        DVector::from_column_slice(&velocity),
        vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction,
            restitution,
        }],
    )
}

pub fn max_dissipation(numbers: &mut Vec<PublishedNumber>) {
    // [PER] §4.1: point masses of 0.03, 65 and 50 kg on the axes; the paper's contact frame is not
    // orthonormal (t = n × e_x is not normalised).
    let n = Vector3::new(0.25, 0.36, -0.9).normalize();
    let t = n.cross(&Vector3::x());
    let rows = [
        ("first Coulomb solution", -0.252),
        ("second Coulomb solution", -0.393),
        ("third Coulomb solution", -0.631),
        ("maximum dissipation", -0.634),
    ];
    let o = n.cross(&t);
    let frame = Matrix3::from_columns(&[n, t, o]);
    let arm = Vector3::new(10.0, 0.0, 0.0).cross_matrix();
    let turning = Matrix3::from_diagonal(&Vector3::new(230.0, 106.0, 136.0).map(f64::recip));
    let world = Matrix3::identity() / 230.06 - arm * turning * arm;
    let block = frame.transpose() * world * frame;
    let velocity = -(frame.transpose() * Vector3::new(0.06, 0.7, 0.23));
    let space = single(block, velocity.into(), 3.7, 0.0);
    let zero = DVector::zeros(3);
    let contact = ContactBlock::from_space(&space, 0, &zero);
    let mut solutions: Vec<f64> = coulomb_solutions(&contact)
        .iter()
        .map(|s| s.objective)
        .collect();
    solutions.sort_by(|a, b| b.total_cmp(a));
    numbers.push(PublishedNumber::printed(
        "max-dissipation",
        "[PER] Table 1",
        "number of Coulomb solutions",
        3.0,
        solutions.len() as f64,
        0.0,
    ));
    let mut impulse = DVector::zeros(3);
    let dissipative = MaxDissipation::default()
        .impulse(&space, &mut impulse)
        .map(|_| space.energy_change(&impulse));
    for (i, (what, printed)) in rows.into_iter().enumerate() {
        let ours = if i < 3 {
            let missing = || "there is no such solution".to_string();
            solutions.get(i).copied().ok_or_else(missing)
        } else {
            dissipative.as_ref().copied().map_err(ToString::to_string)
        };
        let ours = match ours {
            Ok(ours) => ours,
            Err(reason) => {
                let quantity = format!("objective of the {what} (J)");
                let source = "[PER] Table 1";
                numbers.push(PublishedNumber::failed(
                    "max-dissipation",
                    source,
                    quantity,
                    reason,
                ));
                continue;
            }
        };
        numbers.push(PublishedNumber {
            note: "in the paper's contact frame, which is not orthonormal",
            ..PublishedNumber::printed(
                "max-dissipation",
                "[PER] Table 1",
                format!("objective of the {what} (J)"),
                printed,
                ours,
                5e-4,
            )
        });
    }
}

pub fn plus(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    let delassus = Matrix3::new(
        0.576_077_165,
        -0.052_761_358,
        0.447_676_440,
        -0.052_761_358,
        3.901_011_314,
        0.560_301_519,
        0.447_676_440,
        0.560_301_519,
        3.359_727_547,
    );
    let space = single(delassus, [-5.74, -5.0, 0.0], 0.325, 0.373);
    for (turn, printed) in [(0.01, 116.0), (0.15, 11.0), (0.25, 8.0)] {
        let mut law = Plus::new(PlusSettings {
            theta_max: turn,
            ..PlusSettings::default()
        })?;
        let mut impulse = DVector::zeros(3);
        let report = law.impulse(&space, &mut impulse)?;
        numbers.push(PublishedNumber::printed(
            "plus",
            "[USD] Fig. 10",
            format!("intervals of the brick's impact, largest turn {turn} rad"),
            printed,
            report.steps as f64,
            0.0,
        ));
    }
    Ok(())
}

pub fn rocking_block(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    let example = rocking_block_example()?;
    let problem = &example.problem;
    let approach = problem.contact_space().velocity[0].abs();
    let sequence = ImpactSequence::Given(vec!["A".to_string(), "B".to_string()]);
    let resolution = Sequential::in_sequence(sequence).resolve(problem)?;
    let outcome = only_outcome(&resolution)?;
    let lifted = problem.rows() * &outcome.velocity;
    let rate = lifted[0].max(lifted[problem.contact_space().contacts[1].normal]);
    numbers.push(PublishedNumber::printed(
        "rocking-block",
        "[HP] §2.2.2",
        "separation speed after sequential impacts over the approach speed",
        0.21,
        rate / approach,
        1e-3,
    ));
    // Turning about A with rate −1, corner B strikes and sticks.
    let row = |x: [f64; 3]| DVector::from_column_slice(&x);
    let strike = ImpactProblem::new(
        DMatrix::from_diagonal(&row([1.0, 1.0, 5.0 / 12.0])),
        PreImpact::Velocity(row([1.0, -0.5, -1.0])),
        &[Contact::new("B", row([0.0, 1.0, 0.5])).with_friction(vec![row([1.0, 0.0, 1.0])], 1.0)],
    )?;
    let after = Sequential::default().resolve(&strike)?;
    numbers.push(PublishedNumber::printed(
        "rocking-block",
        "[HP] §4.3",
        "rate after an impact over the rate before",
        0.7,
        only_outcome(&after)?.velocity[2].abs(),
        1e-12,
    ));
    wobble(numbers);
    Ok(())
}

/// The block that rocks from corner to corner until it rests: a run of the scenario that ships.
fn wobble(numbers: &mut Vec<PublishedNumber>) {
    let source = "[HP] Figs. 7, 8";
    let text = include_str!("../../robots/block/rock.toml");
    let robot = include_str!("../../robots/block/block.urdf");
    let run = Scenario::parse("rock.toml", text, &[])
        .and_then(|scenario| Experiment::with_robot("rock.toml", scenario, robot))
        .and_then(|experiment| Trace::run(&experiment, None));
    let apex = "largest angle of the first half cycle (rad)";
    let rest = "time at which the impacts accumulate (s)";
    let trace = match run {
        Ok(trace) => trace,
        Err(error) => {
            for quantity in [apex, rest] {
                let failed = PublishedNumber::failed("rocking-block", source, quantity, &error);
                numbers.push(failed);
            }
            return;
        }
    };
    let angles = trace.column("q_base.pitch").unwrap_or_default().iter();
    let impacts = trace.events.iter().filter(|event| event.kind.is_impact());
    for (quantity, printed, ours) in [
        (
            apex,
            0.22,
            angles.fold(f64::NAN, |most, x| most.max(x.abs())),
        ),
        (
            rest,
            2.67,
            impacts.map(|event| event.time_s).fold(f64::NAN, f64::max),
        ),
    ] {
        // Half of the last printed digit.
        numbers.push(PublishedNumber::printed(
            "rocking-block",
            source,
            quantity,
            printed,
            ours,
            5e-3,
        ));
    }
}

fn only_outcome(resolution: &Resolution) -> Result<&Outcome, ImpactError> {
    resolution
        .outcomes
        .first()
        .ok_or_else(|| ImpactError::Unsupported {
            law: resolution.law,
            reason: "it has no outcome".to_string(),
        })
}
