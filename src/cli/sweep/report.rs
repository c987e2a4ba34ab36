//! What all runs of a sweep came to, for a person.

use std::path::Path;

use carom::sweep::{
    KeyIndex, Manifest, MetricStatistics, RunValue, SubjectKind, SweepSummary, TABLE,
};

use super::super::terminal::text::{number, table};

/// Metrics that are printed; the summary has all.
const MOST_METRICS: usize = 30;
/// Metrics whose worst run is printed.
const MOST_WORST: usize = 5;

/// A table of the metrics, the worst run of each, and what failed. `beside` is where the sweep file lies, if that is known:
/// the commands that repeat runs then work where this one was called.
pub fn report(
    summary: &SweepSummary,
    manifest: &Manifest,
    folder: &Path,
    beside: Option<&Path>,
) -> String {
    let subject = beside.map_or_else(
        || manifest.subject.clone(),
        |beside| beside.join(&manifest.subject).display().to_string(),
    );
    let again = |set: &[String]| repeat(manifest, &subject, set);
    let mut text = String::new();
    if !summary.description.is_empty() {
        text += &format!("{}\n", summary.description);
    }
    let statuses: Vec<String> = (summary.statuses.iter())
        .map(|(word, n)| format!("{n} {word}"))
        .collect();
    text += &format!("{} runs: {}\n\n", summary.runs, statuses.join(", "));
    let shares = [0.05, 0.5, 0.95];
    let mut rows = vec![
        [
            "metric",
            "mean",
            "deviation",
            "least",
            "5 %",
            "median",
            "95 %",
            "largest",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    for metric in summary.metrics.iter().take(MOST_METRICS) {
        let shown = |x: Option<f64>| x.map_or_else(|| "-".to_string(), |x| number(x, 0.0));
        let quantile = |share: f64| {
            let found = metric.quantiles.iter().find(|q| q.share == share);
            shown(found.map(|q| q.value))
        };
        let value = |run: &Option<RunValue>| shown(run.as_ref().map(|run| run.value));
        let mut row = vec![
            metric.name.clone(),
            shown(metric.mean),
            shown(metric.deviation),
        ];
        row.push(value(&metric.least));
        row.extend(shares.map(quantile));
        row.push(value(&metric.largest));
        rows.push(row);
    }
    text += &table(&rows);
    if !summary.sensitivity.is_empty() {
        text += "\nkey with the largest share of the variance:\n";
    }
    for (metric, indices) in summary.sensitivity.iter().take(MOST_METRICS) {
        let largest = (indices.iter()).max_by(|a, b| a.first_order.total_cmp(&b.first_order));
        if let Some(KeyIndex {
            key,
            first_order,
            first_order_error,
            ..
        }) = largest
        {
            text += &format!(
                "  {metric}: {key}, {first_order:.3} (deviation {first_order_error:.3})\n"
            );
        }
    }
    let paths = beside.map_or(" (from the folder of the sweep file)", |_| "");
    text += &format!("\nworst runs{paths}:\n");
    let differs = |metric: &&MetricStatistics| metric.deviation.is_some_and(|d| d > 0.0);
    let told = summary.metrics.iter().filter(differs).take(MOST_WORST);
    for (metric, worst) in told.filter_map(|metric| Some((metric, metric.worst.first()?))) {
        let shown = number(worst.value, 0.0);
        let again = again(&worst.set);
        text += &format!("  {} = {shown}, run {}: {again}\n", metric.name, worst.run);
    }
    for failed in summary.failed.iter().take(3) {
        let again = again(&failed.set);
        text += &format!(
            "{} run {}: {} ({again})\n",
            failed.status, failed.run, failed.message
        );
    }
    text + &format!(
        "all of it: {} and beside it\n",
        folder.join(TABLE).display()
    )
}

/// The command that repeats a run, with paths as the sweep file has them.
pub fn again(manifest: &Manifest, set: &[String]) -> String {
    repeat(manifest, &manifest.subject, set)
}

fn repeat(manifest: &Manifest, subject: &str, set: &[String]) -> String {
    let command = match manifest.kind {
        SubjectKind::Scenario | SubjectKind::Baseline => "simulate",
        SubjectKind::Impact => "impact",
        SubjectKind::Design => "design",
        SubjectKind::Orbit => "orbit",
    };
    let set = manifest.set.iter().chain(set);
    let set = set.map(|entry| format!(" --set {}", quoted(entry)));
    let set = set.collect::<String>();
    format!("carom {command} {}{set}", quoted(subject))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.=/,:+".contains(c);
    if word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
