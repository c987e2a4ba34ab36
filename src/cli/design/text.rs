//! What `carom design` prints.

use carom::design::DesignStatus;
use carom::study::design::{DesignReport, DesignStudy, DropEvidence};

use super::super::terminal::text::{number, table};

/// The table before and after.
pub fn text(study: &DesignStudy, report: &DesignReport) -> String {
    let mut rows = vec![["", "before", "after"].map(str::to_string).to_vec()];
    let mut row =
        |name: String, before: String, after: String| rows.push(vec![name, before, after]);
    for (before, after) in report.cosines.before.iter().zip(&report.cosines.after) {
        let [a, b] = &before.contacts;
        let stance = if study.problem.stances().len() > 1 {
            format!("{}: ", before.stance)
        } else {
            String::new()
        };
        row(
            format!("cosine {stance}{a}, {b}"),
            exact(before.cosine),
            exact(after.cosine),
        );
    }
    for (name, before) in &report.gaps_m.before {
        let after = report.gaps_m.after.get(name).copied().unwrap_or(f64::NAN);
        row(format!("gap {name} [m]"), exact(*before), exact(after));
    }
    let optional = |x: Option<f64>| x.map_or("-".to_string(), exact);
    let open = &report.smallest_open_gap_m;
    row(
        "smallest open gap [m]".to_string(),
        optional(open.before),
        optional(open.after),
    );
    row(
        "indeterminacy xi".to_string(),
        optional(report.xi.before),
        optional(report.xi.after),
    );
    for motion in &report.minimised {
        row(
            format!("xi {}, motion {}", motion.stance, motion.motion),
            exact(motion.xi.before),
            exact(motion.xi.after),
        );
    }
    let margin = &report.margin;
    row(
        "margin to another sequence".to_string(),
        optional(margin.before),
        optional(margin.after),
    );
    row(
        "mass [kg]".to_string(),
        exact(report.mass_kg.before),
        exact(report.mass_kg.after),
    );
    if let Some(drop) = &report.drop {
        row(
            "xi, landing closed".to_string(),
            optional(drop.before.xi_closed),
            optional(drop.after.xi_closed),
        );
        row(
            "orders apart by, landing".to_string(),
            optional(drop.before.distance_after_landing),
            optional(drop.after.distance_after_landing),
        );
        row(
            "orders apart by, whole run".to_string(),
            optional(drop.before.largest_distance),
            optional(drop.after.largest_distance),
        );
        let event = |time: f64, contacts: &[String], xi: f64| {
            let cause = if xi > 0.0 {
                format!("xi {}", number(xi, 1.0))
            } else {
                "round-off has grown".to_string()
            };
            format!("{} ({}; {cause})", number(time, 1.0), contacts.join(", "))
        };
        let parting = |e: &DropEvidence| {
            e.parting.as_ref().map_or("never".to_string(), |p| {
                event(p.time_s, &p.contacts, p.indeterminacy)
            })
        };
        row(
            "orders part at [s]".to_string(),
            parting(&drop.before),
            parting(&drop.after),
        );
        let ambiguous = |e: &DropEvidence| {
            e.ambiguous.first().map_or("none".to_string(), |i| {
                event(i.time_s, &i.contacts, i.indeterminacy)
            })
        };
        row(
            "first ambiguous impact [s]".to_string(),
            ambiguous(&drop.before),
            ambiguous(&drop.after),
        );
    }
    for (name, value) in &report.parameters {
        let unit = study
            .robot
            .units()
            .find(|(n, _)| n == name)
            .map_or("", |(_, unit)| unit);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" [{unit}]")
        };
        row(
            format!("{name}{unit}"),
            exact(value.before),
            exact(value.after),
        );
    }
    for (name, value) in &report.kept {
        row(
            format!("kept: {name}"),
            exact(value.before),
            exact(value.after),
        );
    }
    for (name, value) in &report.coordinates {
        row(name.clone(), exact(value.before), exact(value.after));
    }
    let status = match report.status {
        DesignStatus::Converged => "converged",
        DesignStatus::Compromise => "compromise",
    };
    let mut text = format!(
        "{}\n{status} after {} steps and {} to the nearest, {} from the start\n\n{}",
        report.description,
        report.iterations,
        report.refinements,
        number(report.distance, 1.0),
        table(&rows)
    );
    if !report.at_bounds.is_empty() {
        text.push_str(&format!("\nat a bound: {}\n", report.at_bounds.join(", ")));
    }
    if let Some(reason) = &report.reason {
        text.push_str(&format!(
            "\nnot all targets can be reached: {reason}\nrank {} of {} wanted cosines\n",
            report.rank, report.wanted
        ));
    }
    text
}

fn exact(value: f64) -> String {
    number(value, 0.0)
}
