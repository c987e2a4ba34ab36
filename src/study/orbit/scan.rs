//! An orbit followed over a parameter: natural continuation, and where its stability changes.
//!
//! Each orbit is the guess of the next; a step that fails is halved. Between two orbits the largest multiplier may pass the
//! unit circle: at −1 (period doubling), at +1 (a fold, or a branch point) or as a pair (Neimark-Sacker). The parameter at
//! which it does is located by regula falsi on the distance to the circle, each trial an orbit of its own.

use serde::Serialize;

use super::{Differentiability, Orbit, OrbitError, find_orbit};
use crate::scenario::{Experiment, Scenario, ScenarioError};

/// Halvings of a step of the parameter before the branch is said to end.
const HALVINGS: usize = 8;
/// Trials to locate a bifurcation.
const TRIALS: usize = 40;
/// A bifurcation is located to this share of the scan.
const LOCATED: f64 = 1e-7;

/// A parameter and its range.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanRange {
    /// Key of the scenario, as `--set` names it.
    pub key: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of values, at least 2.
    pub count: usize,
}

impl ScanRange {
    /// Reads `key=from:to:n`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "write it as KEY=FROM:TO:N, for example contact.friction=0.4:1.0:13";
        let (key, range) = text.split_once('=').ok_or(form)?;
        let parts: Vec<&str> = range.split(':').collect();
        let [from, to, count] = parts.as_slice() else {
            return Err(form.to_string());
        };
        let number = |text: &str| {
            let value: f64 = text
                .trim()
                .parse()
                .map_err(|_| format!("\"{text}\" is not a number; {form}"))?;
            if value.is_finite() {
                Ok(value)
            } else {
                Err(format!("{text} is not finite; {form}"))
            }
        };
        let count = count
            .trim()
            .parse()
            .ok()
            .filter(|n| (2..=100_000).contains(n));
        Ok(Self {
            key: key.trim().to_string(),
            from: number(from)?,
            to: number(to)?,
            count: count.ok_or_else(|| {
                format!("the number of values must be between 2 and 100000; {form}")
            })?,
        })
    }

    fn value(&self, i: usize) -> f64 {
        let share = i as f64 / (self.count - 1) as f64;
        self.from + (self.to - self.from) * share
    }
}

/// An orbit of the branch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanPoint {
    /// The parameter.
    pub parameter: f64,
    /// The orbit.
    pub orbit: Orbit,
}

/// How a multiplier passes the unit circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BifurcationKind {
    /// At −1.
    PeriodDoubling,
    /// At +1.
    Fold,
    /// As a pair.
    NeimarkSacker,
}

/// Where the stability of the branch changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bifurcation {
    /// The parameter.
    pub parameter: f64,
    /// How.
    pub kind: BifurcationKind,
    /// The multiplier there.
    pub multiplier: [f64; 2],
    /// Period there \[s\].
    pub period_s: f64,
}

/// A branch of orbits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scan {
    /// Key of the parameter.
    pub key: String,
    /// Orbits in the order of the scan.
    pub points: Vec<ScanPoint>,
    /// Where a multiplier passes the unit circle.
    pub bifurcations: Vec<Bifurcation>,
    /// The last parameter that was reached, and why it went no further.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<(f64, String)>,
}

/// Follows the orbit of a scenario over a parameter. `scenario` makes it with overrides (`key=value`); `file` is what
/// messages call it.
///
/// # Errors
/// The first orbit cannot be looked for, or the key does not fit.
pub fn scan(
    file: &str,
    scenario: &dyn Fn(&[String]) -> Result<Scenario, ScenarioError>,
    range: &ScanRange,
    settle: usize,
) -> Result<Scan, OrbitError> {
    let at = |parameter: f64, guess: Option<&Orbit>| -> Result<Orbit, OrbitError> {
        let entry = format!("{}={parameter:?}", range.key);
        let mut experiment = Experiment::new(file, scenario(&[entry])?)?;
        if let Some(guess) = guess {
            for (name, x) in experiment
                .model
                .configuration_names()
                .iter()
                .zip(&mut experiment.q)
            {
                *x = guess.state.q[name];
            }
            for (name, x) in experiment
                .model
                .coordinate_names()
                .iter()
                .zip(&mut experiment.v)
            {
                *x = guess.state.v[name];
            }
        }
        find_orbit(&experiment, if guess.is_none() { settle } else { 0 })
    };
    let mut answer = Scan {
        key: range.key.clone(),
        points: Vec::new(),
        bifurcations: Vec::new(),
        ended: None,
    };
    let first = at(range.from, None)?;
    let end = |answer: &mut Scan, parameter: f64, reason: String| {
        answer.ended = Some((parameter, reason));
    };
    if !first.found {
        let reason = format!(
            "no orbit is found at the start, the residual is {:.1e}",
            first.residual
        );
        end(&mut answer, range.from, reason);
        return Ok(answer);
    }
    let mut here = ScanPoint {
        parameter: range.from,
        orbit: first,
    };
    answer.points.push(here.clone());
    for i in 1..range.count {
        let target = range.value(i);
        let mut step = target - here.parameter;
        let mut halvings = 0;
        while here.parameter != target {
            let parameter = if (target - here.parameter - step).abs() <= 1e-12 * step.abs() {
                target
            } else {
                here.parameter + step
            };
            let orbit = match at(parameter, Some(&here.orbit)) {
                Ok(orbit) if orbit.found => orbit,
                Err(OrbitError::Scenario(error)) => return Err(error.into()),
                failed if halvings == HALVINGS => {
                    let reason = match failed {
                        Ok(orbit) => format!(
                            "the next orbit is not found, the residual is {:.1e}",
                            orbit.residual
                        ),
                        Err(error) => error.to_string(),
                    };
                    end(&mut answer, here.parameter, reason);
                    return Ok(answer);
                }
                _ => {
                    halvings += 1;
                    step *= 0.5;
                    continue;
                }
            };
            let there = ScanPoint { parameter, orbit };
            let width = LOCATED * (range.to - range.from).abs();
            answer
                .bifurcations
                .extend(located(&here, &there, width, &at));
            here = there;
        }
        answer.points.push(here.clone());
    }
    Ok(answer)
}

/// The multiplier that is furthest out: how far beyond the unit circle, and which way.
fn outermost(orbit: &Orbit) -> Option<(f64, BifurcationKind, [f64; 2])> {
    if orbit.differentiability != Some(Differentiability::Differentiable) {
        return None;
    }
    let &[re, im] = orbit.multipliers.first()?;
    let kind = match (im == 0.0, re < 0.0) {
        (true, true) => BifurcationKind::PeriodDoubling,
        (true, false) => BifurcationKind::Fold,
        _ => BifurcationKind::NeimarkSacker,
    };
    Some((re.hypot(im) - 1.0, kind, [re, im]))
}

type OrbitAt<'a> = &'a dyn Fn(f64, Option<&Orbit>) -> Result<Orbit, OrbitError>;

fn located(a: &ScanPoint, b: &ScanPoint, width: f64, at: OrbitAt<'_>) -> Option<Bifurcation> {
    let ((mut fa, ..), (mut fb, ..)) = (outermost(&a.orbit)?, outermost(&b.orbit)?);
    if fa.signum() == fb.signum() {
        return None;
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    for trial in 0..TRIALS {
        if (b.parameter - a.parameter).abs() <= width {
            break;
        }
        let mut share = fa / (fa - fb);
        // Bisected now and then, so that both ends come nearer.
        if trial % 3 == 2 {
            share = 0.5;
        }
        let parameter = a.parameter + share * (b.parameter - a.parameter);
        let orbit = at(parameter, Some(&a.orbit))
            .ok()
            .filter(|orbit| orbit.found)?;
        let (f, ..) = outermost(&orbit)?;
        let middle = ScanPoint { parameter, orbit };
        if f.signum() == fa.signum() {
            (a, fa) = (middle, f);
        } else {
            (b, fb) = (middle, f);
        }
    }
    let nearer = if fa.abs() < fb.abs() { &a } else { &b };
    let (_, kind, multiplier) = outermost(&nearer.orbit)?;
    Some(Bifurcation {
        parameter: nearer.parameter,
        kind,
        multiplier,
        period_s: nearer.orbit.period_s,
    })
}
