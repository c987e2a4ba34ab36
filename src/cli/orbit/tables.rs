//! `orbit.csv`.

use carom::study::orbit::Scan;

use super::report::kind;

/// A row an orbit: parameter, period, state, multipliers, stability, differentiability, place on the branch.
pub fn csv(answer: &Scan) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let most = answer
        .points
        .iter()
        .map(|p| p.orbit.multipliers.len())
        .max();
    if let Some(first) = answer.points.first() {
        let state = &first.orbit.state;
        let mut header = vec!["parameter".to_string(), "period_s".to_string()];
        header.extend(state.q.keys().map(|name| format!("q_{name}")));
        header.extend(state.v.keys().map(|name| format!("v_{name}")));
        for k in 0..most.unwrap_or(0) {
            header.extend([format!("multiplier_{k}_re"), format!("multiplier_{k}_im")]);
        }
        let last = ["stable", "differentiability", "branch", "arc_length"];
        header.extend(last.map(str::to_string));
        writer.write_record(&header)?;
    }
    for point in &answer.points {
        let orbit = &point.orbit;
        let mut row = vec![point.parameter.to_string(), orbit.period_s.to_string()];
        let values = orbit.state.q.values().chain(orbit.state.v.values());
        row.extend(values.map(f64::to_string));
        for k in 0..most.unwrap_or(0) {
            match orbit.multipliers.get(k) {
                Some(parts) => row.extend(parts.map(|x| x.to_string())),
                None => row.extend([String::new(), String::new()]),
            }
        }
        row.push(
            orbit
                .stable
                .map_or(String::new(), |stable| stable.to_string()),
        );
        row.push(kind(orbit).to_string());
        row.extend([point.branch.to_string(), point.arc_length.to_string()]);
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
