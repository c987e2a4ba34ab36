//! Hodograph and impulse curve as sampled series (\[JW\] Figs. 4 to 8, 10).

use std::io::Write;

use super::super::{Stronge, unsupported};
use super::coefficients::Coefficients;
use super::invariant::{InvariantDirection, PrincipalFrame};
use super::process::Process;
use crate::impact::{ImpactError, ImpactProblem};

/// One sample of an impact in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrongeSample {
    /// I_z \[N s\].
    pub normal_impulse: f64,
    /// I_⊥ \[N s\]; the second entry is 0 for a planar contact.
    pub tangential_impulse: [f64; 2],
    /// γ, the hodograph \[m/s\].
    pub sliding_velocity: [f64; 2],
    /// v_z \[m/s\].
    pub normal_velocity: f64,
    /// E, stored at the contact \[J\]; just after compression it is e² E_c.
    pub stored_energy: f64,
    /// Kinetic energy of the system above its value before the impact \[J\].
    pub kinetic_energy_change: f64,
    /// The event that happens here: `c`, `r`, `s`, `l`.
    pub event: Option<char>,
}

/// The course of an impact: hodograph and impulse curve.
#[derive(Debug, Clone, PartialEq)]
pub struct StrongeCurve {
    /// Samples in the order of growing normal impulse, every event among them.
    pub samples: Vec<StrongeSample>,
    /// Invariant directions, empty for a planar or frictionless contact or when every direction is one.
    pub invariant_directions: Vec<InvariantDirection>,
    /// I_⊥ per I_z along the line of sticking, −B⁻¹d (\[JW\] (25)), where there is friction.
    pub sticking_slope: Option<[f64; 2]>,
}

impl Stronge {
    /// The course of the impact of a problem with one contact, at `samples` (≥ 2) equidistant normal impulses and at
    /// every event, each computed exactly.
    ///
    /// # Errors
    /// Not exactly one contact, fewer than two samples, or what the law itself refuses.
    pub fn curve(
        &mut self,
        problem: &ImpactProblem,
        samples: usize,
    ) -> Result<StrongeCurve, ImpactError> {
        let space = problem.contact_space();
        if space.len() != 1 {
            return Err(unsupported(format!(
                "a curve is drawn for one contact, the problem has {}",
                space.len()
            )));
        }
        if samples < 2 {
            return Err(ImpactError::OutOfRange {
                place: "number of samples of the curve".into(),
                value: samples as f64,
                range: "at least 2",
            });
        }
        let c = Coefficients::read(space, 0, space.velocity.as_slice())?;
        let mut whole = Process::new(&c);
        whole.run()?;
        let mut places: Vec<(f64, Option<char>)> = (0..samples)
            .map(|i| (whole.normal * (i as f64 / (samples - 1) as f64), None))
            .collect();
        places.extend(whole.log.iter().map(|(e, at)| (at, Some(e.letter()))));
        // Stable, so that events at one normal impulse stay in order behind the sample there.
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let samples = places
            .into_iter()
            .map(|(normal, event)| sample(&c, normal, event))
            .collect::<Result<_, _>>()?;
        let frictional = c.tangents > 0 && c.mu > 0.0;
        Ok(StrongeCurve {
            samples,
            invariant_directions: if c.tangents == 2 && frictional {
                PrincipalFrame::new(&c).all(&c).unwrap_or_default()
            } else {
                Vec::new()
            },
            sticking_slope: frictional.then(|| c.in_rows(c.sticking().map(|x| -x))),
        })
    }
}

fn sample(
    c: &Coefficients,
    normal: f64,
    event: Option<char>,
) -> Result<StrongeSample, ImpactError> {
    let mut process = Process::new(c).stop_at(normal);
    if normal > 0.0 {
        process.run()?;
    }
    let gamma = if c.mu > 0.0 {
        let (r, s) = process.sliding();
        [r * s[0], r * s[1]]
    } else {
        [0, 1].map(|i| c.gamma[i] + c.d[i] * process.normal)
    };
    Ok(StrongeSample {
        normal_impulse: process.normal,
        tangential_impulse: c.in_rows(process.tangential),
        sliding_velocity: c.in_rows(gamma),
        normal_velocity: process.vz,
        stored_energy: process.stored,
        kinetic_energy_change: c.energy_change(process.normal, process.tangential),
        event,
    })
}

impl StrongeCurve {
    /// Writes the samples as CSV, one row each, columns named with their units.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record([
            "normal_impulse_Ns",
            "tangential_impulse_x_Ns",
            "tangential_impulse_y_Ns",
            "sliding_velocity_x_m_s",
            "sliding_velocity_y_m_s",
            "normal_velocity_m_s",
            "stored_energy_J",
            "kinetic_energy_change_J",
            "event",
        ])?;
        for x in &self.samples {
            let numbers = [
                x.normal_impulse,
                x.tangential_impulse[0],
                x.tangential_impulse[1],
                x.sliding_velocity[0],
                x.sliding_velocity[1],
                x.normal_velocity,
                x.stored_energy,
                x.kinetic_energy_change,
            ];
            let mut row: Vec<String> = numbers.iter().map(|v| format!("{v:?}")).collect();
            row.push(x.event.map(String::from).unwrap_or_default());
            csv.write_record(row)?;
        }
        csv.flush()?;
        Ok(())
    }
}
