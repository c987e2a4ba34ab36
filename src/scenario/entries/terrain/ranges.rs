//! Ranges of the keys of several kinds.

/// Most pieces of one pattern.
const MOST_PIECES: usize = 10_000;

pub(super) fn check_angle(angle: f64) -> Result<(), String> {
    let steepest = std::f64::consts::FRAC_PI_2;
    if angle.abs() < steepest {
        return Ok(());
    }
    Err(format!(
        "angle is {angle}, it must be between -pi/2 and pi/2 (radians)"
    ))
}

pub(super) fn check_positive(lengths: &[(&str, f64)]) -> Result<(), String> {
    match lengths.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
        None => Ok(()),
        Some((key, x)) => Err(format!("{key} is {x}, it must be finite and positive")),
    }
}

pub(super) fn check_count(count: usize) -> Result<(), String> {
    if (1..=MOST_PIECES).contains(&count) {
        return Ok(());
    }
    Err(format!(
        "count gives {count} pieces, it must give between 1 and {MOST_PIECES}"
    ))
}
