//! The kinetic cosine that a design file wants of two contacts.

use crate::design::CosineTarget;

/// −cos(π/order), or the cosine itself; 0 where neither is said.
///
/// # Errors
/// Both are said, or one is out of its range: the reason, without the place.
pub(super) fn wanted_cosine(order: Option<u32>, cosine: Option<f64>) -> Result<f64, String> {
    match (order, cosine) {
        (Some(_), Some(_)) => Err("order and cosine exclude each other; remove one".to_string()),
        (Some(m), None) if m < 2 => Err(format!("order is {m}, it must be at least 2")),
        (_, Some(c)) if c.is_nan() || c.abs() >= 1.0 => {
            Err(format!("cosine is {c}, it must be between -1 and 1"))
        }
        (_, Some(cosine)) => Ok(cosine),
        (order, None) => Ok(CosineTarget::of_order(["", ""], order.unwrap_or(2)).cosine),
    }
}

#[cfg(test)]
mod tests {
    use super::wanted_cosine;

    #[test]
    fn a_cosine_is_that_of_an_order_or_a_number_inside_of_one() {
        assert_eq!(wanted_cosine(None, None), Ok(0.0));
        assert_eq!(wanted_cosine(Some(3), None), Ok(-0.5));
        assert_eq!(wanted_cosine(None, Some(-0.25)), Ok(-0.25));
        for (order, cosine) in [(Some(2), Some(0.0)), (Some(1), None)] {
            assert!(wanted_cosine(order, cosine).is_err());
        }
        for cosine in [1.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
            let reason = wanted_cosine(None, Some(cosine)).unwrap_err();
            assert!(reason.contains("between -1 and 1"), "{reason}");
        }
    }
}
