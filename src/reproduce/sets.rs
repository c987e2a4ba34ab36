//! The examples of \[HP\] §5.4: what simultaneous resolution predicts, and how many LCPs a sample of the set takes.

use super::PublishedNumber;
use crate::impact::examples::{
    ImpactExample, box_and_wall, compass_gait, disk_stack, ramone, rocking_block,
};
use crate::impact::lcp::{AnitescuPotraSettings, LcpSelection};
use crate::impact::routh::{RouthSettings, sample_set};
use crate::impact::{AnitescuPotra, ImpactError, ImpactLaw, Routh};

const ITEM: &str = "sets";
/// Samples of each set.
const SAMPLES: usize = 1 << 14;

pub fn examples(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    simultaneous(numbers)?;
    table_3(numbers)
}

/// The outcomes of Anitescu and Potra that the text counts.
fn simultaneous(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    for (source, example, what, outcomes) in [
        (
            "[HP] §5.4.2",
            compass_gait()?,
            "the trailing foot can slide, stick, or lift",
            3,
        ),
        ("[HP] §5.4.3", box_and_wall()?, "the box comes to rest", 1),
        (
            "[HP] §5.4.4",
            ramone()?,
            "the trailing foot can stick, slide, or lift",
            3,
        ),
        (
            "[HP] §5.4.5",
            disk_stack(1.0)?,
            "the entire system comes to rest",
            1,
        ),
    ] {
        let ImpactExample { name, problem, .. } = &example;
        let mut law = AnitescuPotra::new(AnitescuPotraSettings {
            all: true,
            ..AnitescuPotraSettings::default()
        })?;
        let found = law.resolve(problem)?.outcomes;
        numbers.push(PublishedNumber::printed(
            ITEM,
            source,
            format!("{name}: outcomes of simultaneous resolution, {what}"),
            f64::from(outcomes),
            found.len() as f64,
            0.0,
        ));
        if outcomes == 1 {
            let left = found.iter().map(|o| o.energy.after).fold(0.0, f64::max);
            numbers.push(PublishedNumber::printed(
                ITEM,
                source,
                format!("{name}: energy left over energy before, {what}"),
                0.0,
                left / problem.kinetic_energy(),
                // An LCP of order one, solved to a residual of 1e-10.
                1e-9,
            ));
        }
    }
    Ok(())
}

/// LCPs of a sample. Where the LCPs of an example have several solutions, as those of the compass gait, the count depends
/// on which is taken. The paper's solver iterates to 1e-6 and a sample ends at 1e-8, which takes further LCPs; a solver
/// that is exact takes the numbers on the right, which are those of an independent program.
fn table_3(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    use LcpSelection::{Enumeration, FixedCovering};

    const EXACT: &str =
        "an exact solver, 2^20 samples of an independent program; the paper's iterates to 1e-6";
    const EVERY: &str =
        "a uniform choice among all solutions, 2^17 samples of an independent program";
    const DISKS: &str = "an exact solver, disks of 1 kg as printed; the published program has 5 kg and tangents that are not orthogonal";
    for (example, printed, exact, selection, note) in [
        (rocking_block()?, 2.67, 2.4707, FixedCovering, EXACT),
        (compass_gait()?, 2.27, 2.251, Enumeration, EVERY),
        (box_and_wall()?, 1.97, 1.5347, FixedCovering, EXACT),
        (ramone()?, 3.20, 3.0025, FixedCovering, EXACT),
        (disk_stack(1.0)?, 9.04, 2.3625, FixedCovering, DISKS),
    ] {
        let settings = RouthSettings {
            samples: SAMPLES,
            step: Some(example.step),
            max_steps: example.max_steps,
            seed: 1,
            selection,
            extent_samples: 0,
            ..Routh::default().settings().clone()
        };
        let set = sample_set(&example.problem, &settings)?;
        let mean = set.lcps_per_sample();
        let square = |i: usize| (set.lcps(i) as f64 - mean).powi(2);
        let variance = (0..set.len()).map(square).sum::<f64>() / set.len() as f64;
        // Four standard errors of the mean, and half of the last digit.
        let tolerance = 4.0 * (variance / set.len() as f64).sqrt() + 5e-4;
        numbers.push(
            PublishedNumber::printed(
                ITEM,
                "[HP] Table 3",
                format!("{}: LCPs per sample", example.name),
                printed,
                mean,
                0.0,
            )
            .corrected(exact, tolerance, note),
        );
    }
    Ok(())
}
