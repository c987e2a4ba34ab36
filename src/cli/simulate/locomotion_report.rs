//! The lines about locomotion in the summary of a run.

use carom::record::LocomotionSummary;

use super::report::{row, short};

/// Speed, heading, cost and legs, for a person.
pub fn locomotion_rows(found: &LocomotionSummary) -> Vec<Vec<String>> {
    let degrees = |x: f64| short(x.to_degrees());
    let yaw = found.max_yaw_rad.map_or(String::new(), |yaw| {
        format!("; the body turns by at most {} deg", degrees(yaw))
    });
    let legs: Vec<String> = found
        .legs
        .iter()
        .map(|leg| format!("{} {}", leg.link, short(leg.duty_factor)))
        .collect();
    let per_stride = match found.impacts_per_stride {
        Some(impacts) => format!(
            "{} of each leg, {} impacts a stride",
            short(found.strides),
            short(impacts)
        ),
        None => "none".to_string(),
    };
    let verdicts = found.ambiguous_share.map_or(String::new(), |share| {
        format!(
            "{} impacts, {} % of them ambiguous, {} % undecided, largest indeterminacy xi = {}",
            found.impacts,
            short(100.0 * share),
            short(100.0 * found.undecided_share.unwrap_or(0.0)),
            short(found.max_indeterminacy)
        )
    });
    let resistance = match found.specific_resistance {
        Some(cost) => format!(
            "{} (mean positive power {} W over weight times speed)",
            short(cost),
            short(found.mean_positive_power_W)
        ),
        None => "none: it did not advance".to_string(),
    };
    vec![
        row(
            "forward speed",
            format!(
                "{} m/s: {} m, {} body lengths, in {} s",
                short(found.forward_speed_m_per_s),
                short(found.distance_forward_m),
                short(found.distance_body_lengths),
                short(found.time_s)
            ),
        ),
        row(
            "heading error",
            format!("{} deg{yaw}", degrees(found.heading_error_rad)),
        ),
        row("specific resistance", resistance),
        row("duty factors", legs.join(", ")),
        row("strides", per_stride),
        row("verdicts", verdicts),
    ]
}
