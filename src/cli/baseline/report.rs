//! What `carom baseline` tells.

use std::path::Path;

use carom::baseline::{Baseline, Comparison, RobustReport};
use serde::Serialize;

use super::super::terminal::text::{number, table};

/// A recorded baseline for a person.
pub fn recorded(baseline: &Baseline, file: &Path) -> String {
    let events = &baseline.events.list;
    let ambiguous = events.iter().filter(|e| e.ambiguous()).count();
    let undecided = match events.iter().filter(|e| e.undecided()).count() {
        0 => String::new(),
        n => format!(", {n} undecided"),
    };
    let mut text = format!(
        "{}: {} events, {ambiguous} of them ambiguous impacts{undecided}; {} rows of {} columns\n",
        file.display(),
        events.len(),
        baseline.series.time_s.len(),
        baseline.series.columns.len()
    );
    let mut rows = vec![row(["metric", "value", "tolerance"])];
    rows.extend(baseline.metrics.iter().map(|(name, metric)| {
        row([
            name,
            &number(metric.value, 0.0),
            &number(metric.tolerance(), 0.0),
        ])
    }));
    text.push_str(&table(&rows));
    if let Some(part) = &baseline.compared {
        text.push_str(&format!(
            "compared until {} s: {}\n",
            number(part.until_s, 0.0),
            part.reason
        ));
    }
    if let Some(robust) = &baseline.robust {
        text.push('\n');
        text.push_str(&distributions(robust));
    }
    text
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_string).to_vec()
}

fn distributions(robust: &RobustReport) -> String {
    let mut rows = vec![row([
        "metric",
        "min",
        "5 %",
        "median",
        "95 %",
        "max",
        "lowest run",
        "highest run",
    ])];
    for (name, d) in &robust.metrics {
        let mut cells = row([name]);
        cells.extend([d.min, d.q05, d.median, d.q95, d.max].map(|x| number(x, 0.0)));
        cells.extend([d.lowest_run, d.highest_run].map(|run| run.to_string()));
        rows.push(cells);
    }
    format!("{}{}", robust.words(), table(&rows))
}

/// A recorded baseline for a program.
pub fn recorded_json(baseline: &Baseline, file: &Path) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Metric {
        value: f64,
        tolerance: f64,
    }
    #[derive(Serialize)]
    struct Answer<'a> {
        file: String,
        status: carom::record::RunStatus,
        scenario_hash: &'a str,
        events: usize,
        ambiguous: usize,
        undecided: usize,
        metrics: std::collections::BTreeMap<&'a str, Metric>,
        robust: Option<&'a RobustReport>,
    }
    let events = &baseline.events.list;
    let metrics = baseline.metrics.iter().map(|(name, metric)| {
        let of = Metric {
            value: metric.value,
            tolerance: metric.tolerance(),
        };
        (name.as_str(), of)
    });
    let answer = Answer {
        file: file.display().to_string(),
        status: baseline.status,
        scenario_hash: &baseline.scenario_hash,
        events: events.len(),
        ambiguous: events.iter().filter(|e| e.ambiguous()).count(),
        undecided: events.iter().filter(|e| e.undecided()).count(),
        metrics: metrics.collect(),
        robust: baseline.robust.as_ref(),
    };
    Ok(format!("{}\n", serde_json::to_string(&answer)?))
}

/// A comparison for a person.
pub fn verified(comparison: &Comparison, now: &Baseline, updated: bool, many: bool) -> String {
    let mut text = comparison.to_string();
    if let (Some(robust), true) = (&now.robust, many) {
        text.push('\n');
        text.push_str(&distributions(robust));
    }
    if updated {
        text.push_str(&format!(
            "\n{}: updated to what happens now\n",
            comparison.file
        ));
    }
    text
}

/// A comparison for a program.
pub fn verified_json(
    comparison: &Comparison,
    now: &Baseline,
    updated: bool,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Failure {
        check: String,
        message: String,
    }
    #[derive(Serialize)]
    struct Answer<'a> {
        #[serde(flatten)]
        comparison: &'a Comparison,
        failures: Vec<Failure>,
        robust_now: Option<&'a RobustReport>,
        updated: bool,
    }
    let failures = comparison
        .checks()
        .into_iter()
        .filter_map(|(check, message)| message.map(|message| Failure { check, message }));
    let answer = Answer {
        comparison,
        failures: failures.collect(),
        robust_now: now.robust.as_ref(),
        updated,
    };
    Ok(format!("{}\n", serde_json::to_string(&answer)?))
}
