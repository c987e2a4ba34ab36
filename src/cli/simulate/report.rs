//! The one-screen summary of a run.

use std::path::Path;

use carom::record::{RunStatus, Summary};
use carom::scenario::Experiment;

use super::super::terminal::text::{number, table};
use super::locomotion_report::locomotion_rows;

/// What happened, for a person.
pub fn report(summary: &Summary, experiment: &Experiment, folder: &Path) -> String {
    let energy = summary.energy;
    let scale = energy.initial_J.abs().max(energy.final_J.abs());
    let mut rows = vec![
        row(
            "status",
            match summary.status {
                RunStatus::Completed => "completed".to_string(),
                _ => "stopped early".to_string(),
            },
        ),
        row(
            "time",
            format!(
                "{} s of {} s in {} steps; {} s of wall time, {} times real time",
                number(summary.time_s, 1.0),
                number(summary.duration_s, 1.0),
                summary.steps,
                short(summary.wall_time_s),
                short(summary.real_time_factor),
            ),
        ),
        row(
            "energy",
            format!(
                "{} J at the start, {} J at the end; the balance stays within {} J",
                number(energy.initial_J, scale),
                number(energy.final_J, scale),
                short(energy.max_residual_J),
            ),
        ),
        row("impacts", impacts(summary)),
        row("held contacts", held(summary)),
        row("penetration", penetration(summary)),
    ];
    if let Some(distance) = summary.distance_m {
        rows.push(row("distance", format!("{} m", number(distance, 1.0))));
    }
    rows.push(row("root finding", newton(summary)));
    if let Some(found) = &summary.locomotion {
        rows.extend(locomotion_rows(found));
    }
    rows.extend(summary.remarks.iter().map(|r| row("note", r.clone())));
    rows.push(row("files", folder.display().to_string()));
    let title = if summary.description.is_empty() {
        format!("{}\n", experiment.model.name())
    } else {
        format!("{}\n", summary.description)
    };
    rows.retain(|row| !row[1].is_empty());
    format!("{title}{}", table(&rows))
}

pub fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_string(), value]
}

/// Three significant digits are enough for a magnitude.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    if (1e-2..1e4).contains(&value.abs()) {
        let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 4) as usize;
        return format!("{value:.decimals$}");
    }
    format!("{value:.2e}")
}

fn impacts(summary: &Summary) -> String {
    let impacts = summary.impacts;
    if impacts.count == 0 {
        return "none".to_string();
    }
    let mut text = format!(
        "{} by law {}, {} reflections; ",
        impacts.count, summary.law, impacts.reflections
    );
    text.push_str(&match (impacts.ambiguous, impacts.undecided) {
        (0, 0) => "none ambiguous".to_string(),
        (0, n) => format!("none known to be ambiguous, {n} undecided"),
        (n, undecided) => {
            let xi = short(impacts.max_indeterminacy);
            let undecided = match undecided {
                0 => String::new(),
                u => format!(", {u} undecided"),
            };
            format!("{n} ambiguous, largest indeterminacy xi = {xi}{undecided}")
        }
    });
    let marked = [
        (
            impacts.capped,
            "not counted to the end (impact.verdict_budget)",
        ),
        (impacts.by_other_law, "by another law (events.csv says why)"),
        (impacts.zeno, "limits of accumulating impacts"),
        (
            impacts.not_terminated,
            "where the law did not come to an end",
        ),
        (impacts.captured, "contacts captured"),
    ];
    for (count, what) in marked.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("; {count} {what}"));
    }
    text
}

fn held(summary: &Summary) -> String {
    let held = summary.held;
    let branches = match held.branches {
        0 => String::new(),
        n => format!("; {n} steps had several continuations"),
    };
    format!("{} holds, {} releases{branches}", held.holds, held.releases)
}

fn penetration(summary: &Summary) -> String {
    let most = format!("at most {} m", short(summary.max_penetration_m));
    match &summary.deepest_contact {
        None => most,
        Some(contact) => format!("{most}, of {contact}"),
    }
}

fn newton(summary: &Summary) -> String {
    let newton = summary.newton;
    let mut text = format!(
        "{} Newton iterations a step, at most {}",
        short(newton.iterations_mean),
        newton.iterations_max
    );
    if newton.halvings > 0 {
        text.push_str(&format!("; {} steps were halved", newton.halvings));
    }
    text
}
