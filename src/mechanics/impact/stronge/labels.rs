//! The paper's event label: events s and l taken for reached within a tolerance.
//!
//! \[JW\] stops integrating as soon as ‖γ‖ or the angle between γ and γ' is small, and names the events after that. In
//! exact arithmetic event l cannot happen on the way and event s happens later or not at all; so this label says what
//! the paper's algorithm would report, not what the impulse is computed from.

use super::settings::StrongeSettings;
use super::trajectory::coefficients::Coefficients;
use super::trajectory::events::Event;
use super::trajectory::process::{Process, Sighting};
use crate::impact::ImpactError;

/// The paper's label of an impact.
///
/// # Errors
/// As the process itself.
pub(super) fn with_tolerance(
    c: &Coefficients,
    settings: &StrongeSettings,
    exact: &Process,
) -> Result<String, ImpactError> {
    if c.mu == 0.0 || c.tangents < 2 || c.vz >= 0.0 {
        return Ok(exact.log.label());
    }
    let Some((normal, event)) = first_within(c, settings)? else {
        return Ok(exact.log.label());
    };
    let mut process = Process::new(c).stop_at(normal);
    if normal > 0.0 {
        process.run()?;
        if process.over() || process.log.has(Event::Still) {
            return Ok(exact.log.label());
        }
    }
    if event == Event::Still {
        process.run_from_origin()?;
    } else if !process.log.has(Event::Line) {
        process.run_along_line()?;
    } else {
        return Ok(exact.log.label());
    }
    Ok(process.log.label())
}

/// Where ‖γ‖ or the angle to γ' first falls below its tolerance.
fn first_within(
    c: &Coefficients,
    settings: &StrongeSettings,
) -> Result<Option<(f64, Event)>, ImpactError> {
    let speed = super::trajectory::coefficients::length(c.gamma);
    if speed <= settings.tolerance_s {
        return Ok(Some((0.0, Event::Still)));
    }
    let s = [c.gamma[0] / speed, c.gamma[1] / speed];
    let turn = c.acceleration(s);
    let across = (s[0] * turn[1] - s[1] * turn[0]).abs();
    let sine = across / turn[0].hypot(turn[1]);
    // On a hodograph that does not move the sine is NaN, and the line is exact.
    if sine.is_nan() || sine < settings.tolerance_l {
        return Ok(Some((0.0, Event::Line)));
    }
    let mut last = Sighting {
        normal: 0.0,
        speed,
        sine,
    };
    let mut found = None;
    let mut watch = |now: Sighting| {
        if found.is_none() {
            let share = |a: f64, b: f64, level: f64| ((a - level) / (a - b)).clamp(0.0, 1.0);
            let at = |x: f64| last.normal + x * (now.normal - last.normal);
            let still = (now.speed <= settings.tolerance_s)
                .then(|| at(share(last.speed, now.speed, settings.tolerance_s)));
            let line = (now.sine < settings.tolerance_l)
                .then(|| at(share(last.sine, now.sine, settings.tolerance_l)));
            found = match (still, line) {
                (Some(s), Some(l)) if l < s => Some((l, Event::Line)),
                (Some(s), _) => Some((s, Event::Still)),
                (None, Some(l)) => Some((l, Event::Line)),
                (None, None) => None,
            };
            last = now;
        }
    };
    Process::new(c).observed(&mut watch).run()?;
    Ok(found)
}
