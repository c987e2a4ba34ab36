//! Numbers in messages.

/// A number as a message shows it: in powers of ten where it is very large or very small.
pub fn brief(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-5..1e10).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}
