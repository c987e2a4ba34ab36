//! Orbits with a wanted speed, step or period: as many keys of the scenario are free as numbers are wanted.
//!
//! Each orbit is found as without, from the one before; values of the keys by Newton's method on what the orbits say,
//! its matrix by differences once and by Broyden's updates from then on. A step after which there is no orbit is halved.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::motion::on_orbit;
use super::{Orbit, OrbitError, found_as_given};
use crate::scenario::{Experiment, OrbitEntry, Scenario, ScenarioError, number_at};

/// Largest distance from what is wanted, beside its size; of zero itself.
const REACHED: f64 = 1e-9;
/// Change of a key for differences, beside its value.
const CHANGE: f64 = 1e-4;
const ITERATIONS: usize = 30;
const HALVINGS: usize = 8;

/// What can be wanted of an orbit, and how it is read.
type Quantity = (&'static str, fn(&Orbit) -> Option<f64>);
const QUANTITIES: [Quantity; 6] = [
    ("speed_m_s", |orbit| Some(orbit.way() / orbit.period_s)),
    ("period_s", |orbit| Some(orbit.period_s)),
    ("cost_of_transport", |orbit| orbit.cost_of_transport),
    ("energy_lost_J", |orbit| Some(orbit.energy_lost_J)),
    ("energy_supplied_J", |orbit| Some(orbit.energy_supplied_J)),
    ("largest_multiplier", Orbit::largest_multiplier),
];
/// Followed by the name of a coordinate that drifts: how far it advances in a period.
const ADVANCE: &str = "advance_";

fn quantity(orbit: &Orbit, name: &str) -> Option<f64> {
    match name.strip_prefix(ADVANCE) {
        Some(coordinate) => orbit.advance.get(coordinate).copied(),
        None => {
            let known = QUANTITIES.iter().find(|(own, _)| *own == name)?;
            known.1(orbit)
        }
    }
}

/// The experiment with the values that an orbit's free keys have on it.
///
/// # Errors
/// A value that the scenario refuses.
pub fn experiment_of(experiment: &Experiment, orbit: &Orbit) -> Result<Experiment, OrbitError> {
    with_values(experiment, &orbit.free)
}

fn with_values(
    experiment: &Experiment,
    values: &BTreeMap<String, f64>,
) -> Result<Experiment, OrbitError> {
    if values.is_empty() {
        return Ok(experiment.clone());
    }
    let overrides: Vec<String> = values.iter().map(|(k, x)| format!("{k}={x:?}")).collect();
    let scenario = Scenario::parse(&experiment.file, &text(experiment)?, &overrides)?;
    Ok(Experiment::new(&experiment.file, scenario)?)
}

fn text(experiment: &Experiment) -> Result<String, OrbitError> {
    let text = experiment.scenario.to_toml();
    let refused =
        |e: toml::ser::Error| ScenarioError::value(&experiment.file, "orbit.free", e.to_string());
    Ok(text.map_err(refused)?)
}

/// The orbits of an experiment over its free keys.
struct Free<'a> {
    experiment: &'a Experiment,
    keys: &'a [String],
    wanted: &'a BTreeMap<String, f64>,
    settle: usize,
}

impl Free<'_> {
    fn named(&self, values: &DVector<f64>) -> BTreeMap<String, f64> {
        let keys = self.keys.iter().cloned();
        keys.zip(values.iter().copied()).collect()
    }

    /// The orbit at values of the keys, sought from `near`; `None` where there is none near it.
    fn orbit(
        &self,
        values: &DVector<f64>,
        near: Option<&Orbit>,
    ) -> Result<Option<Orbit>, OrbitError> {
        let values = self.named(values);
        let own = match with_values(self.experiment, &values) {
            // Beyond what a key may be.
            Err(OrbitError::Scenario(_)) if near.is_some() => return Ok(None),
            own => own?,
        };
        let sought = match near {
            Some(orbit) => {
                let mut there = on_orbit(&own, orbit);
                // As long as the scenario waits for a return, not a period of the orbit before.
                there.scenario.duration = own.scenario.duration;
                found_as_given(&there, 0)
            }
            None => found_as_given(&own, self.settle),
        };
        match sought {
            Ok(orbit) if orbit.found || near.is_none() => Ok(Some(Orbit {
                free: values,
                ..orbit
            })),
            Err(error) if near.is_none() => Err(error),
            Ok(_) | Err(OrbitError::NoReturn { .. } | OrbitError::OffSection { .. }) => Ok(None),
            Err(OrbitError::Simulation(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is missing from what is wanted, beside its size.
    fn missing(&self, orbit: &Orbit) -> Result<DVector<f64>, OrbitError> {
        let missing = self.wanted.iter().map(|(name, wanted)| {
            let value = quantity(orbit, name).ok_or_else(|| self.unknown(orbit, name))?;
            let size = if *wanted == 0.0 { 1.0 } else { wanted.abs() };
            Ok((value - wanted) / size)
        });
        let missing: Vec<f64> = missing.collect::<Result<_, OrbitError>>()?;
        Ok(DVector::from(missing))
    }

    fn unknown(&self, orbit: &Orbit, name: &str) -> OrbitError {
        let advances = orbit.advance.keys().map(|name| format!("{ADVANCE}{name}"));
        let known = QUANTITIES.iter().map(|(own, _)| (*own).to_string());
        let known: Vec<String> = known.chain(advances).collect();
        let reason = if QUANTITIES.iter().any(|(own, _)| *own == name) {
            "this orbit has none; it needs a way along orbit.symmetry.drift or a derivative"
                .to_string()
        } else {
            format!("an orbit has {}", known.join(", "))
        };
        let place = format!("orbit.wanted.{name}");
        ScenarioError::value(&self.experiment.file, &place, reason).into()
    }
}

/// The orbit that has what the scenario wants of it.
pub(super) fn find(
    experiment: &Experiment,
    entry: &OrbitEntry,
    settle: usize,
) -> Result<Orbit, OrbitError> {
    let free = Free {
        experiment,
        keys: &entry.free,
        wanted: &entry.wanted,
        settle,
    };
    let mut values = present(experiment, &entry.free)?;
    let Some(mut orbit) = free.orbit(&values, None)? else {
        return Err(OrbitError::OtherSection);
    };
    if !orbit.found {
        return Ok(orbit);
    }
    let mut missing = free.missing(&orbit)?;
    let mut slope: Option<DMatrix<f64>> = None;
    for _ in 0..ITERATIONS {
        if missing.amax() <= REACHED {
            break;
        }
        let fresh = slope.is_none();
        let matrix = match slope.take() {
            Some(matrix) => matrix,
            None => match differences(&free, &values, &orbit, &missing)? {
                Some(matrix) => matrix,
                None => break,
            },
        };
        let Some(step) = matrix.clone().lu().solve(&-&missing) else {
            break;
        };
        let taken = (0..HALVINGS).find_map(|k| {
            let step = &step * 0.5_f64.powi(k as i32);
            let there = &values + &step;
            let found = free.orbit(&there, Some(&orbit)).transpose()?;
            match found {
                // An orbit that does not have what is wanted at all is as good as none.
                Ok(orbit) => match free.missing(&orbit) {
                    Ok(left) if left.norm() < missing.norm() => Some(Ok((step, left, orbit))),
                    _ => None,
                },
                Err(error) => Some(Err(error)),
            }
        });
        match taken {
            Some(taken) => {
                let (step, left, found) = taken?;
                let change = &left - &missing - &matrix * &step;
                slope = Some(matrix + change * step.transpose() / step.norm_squared());
                values += step;
                (missing, orbit) = (left, found);
            }
            None if fresh => break,
            None => {}
        }
    }
    if missing.amax() <= REACHED {
        return Ok(orbit);
    }
    let (name, wanted) = (entry.wanted.iter())
        .nth(missing.icamax())
        .map_or((String::new(), 0.0), |(name, wanted)| {
            (name.clone(), *wanted)
        });
    let reached = quantity(&orbit, &name).unwrap_or(f64::NAN);
    let values = orbit.free.iter().map(|(key, x)| format!("{key}={x:?}"));
    Err(OrbitError::NotAsWanted {
        name,
        wanted,
        reached,
        values: values.collect::<Vec<_>>().join(", "),
    })
}

/// Present values of the free keys.
fn present(experiment: &Experiment, keys: &[String]) -> Result<DVector<f64>, OrbitError> {
    let text = text(experiment)?;
    let refused = |reason: String| ScenarioError::value(&experiment.file, "orbit.free", reason);
    let table: toml::Table = toml::from_str(&text).map_err(|e| refused(e.to_string()))?;
    let values = keys.iter().map(|key| {
        number_at(&table, key).ok_or_else(|| {
            let reason =
                format!("the scenario has no number \"{key}\"; give it the value to start from");
            refused(reason).into()
        })
    });
    let values: Vec<f64> = values.collect::<Result<_, OrbitError>>()?;
    Ok(DVector::from(values))
}

/// What is missing by the free keys; `None` where there is no orbit beside this one.
fn differences(
    free: &Free<'_>,
    values: &DVector<f64>,
    orbit: &Orbit,
    missing: &DVector<f64>,
) -> Result<Option<DMatrix<f64>>, OrbitError> {
    let mut slope = DMatrix::zeros(missing.len(), values.len());
    for k in 0..values.len() {
        let size = if values[k] == 0.0 {
            1.0
        } else {
            values[k].abs()
        };
        let mut column = None;
        // To the other side where a key may not be larger.
        for change in [CHANGE * size, -CHANGE * size] {
            let mut there = values.clone();
            there[k] += change;
            if let Some(beside) = free.orbit(&there, Some(orbit))? {
                column = Some((free.missing(&beside)? - missing) / change);
                break;
            }
        }
        match column {
            Some(column) => slope.set_column(k, &column),
            None => return Ok(None),
        }
    }
    Ok(Some(slope))
}
