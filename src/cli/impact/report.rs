//! The answer of `carom impact` for a person: outcomes, verdict, certificate.

use std::fmt::Write;

use carom::impact::propagative::PropagativeReport;
use carom::impact::verdict::ReflectionGroup;
use carom::impact::{ImpactStatus, LawDetails};
use carom::laws::{CertificateAnswer, ImpactAnswer, OutcomeAnswer};
use serde_json::Value;

use super::super::terminal::text::{largest, number, vector};

/// Outcomes and sequences beyond these are counted, not listed: the report fits a screen.
const SHOWN_OUTCOMES: usize = 4;
const SHOWN_SEQUENCES: usize = 4;
const SHOWN_CONTACTS: usize = 12;

/// Details that the verdict and the certificate already say, or that only a program wants.
const LEFT_TO_JSON: [&str; 9] = [
    "capped",
    "differing_sequences",
    "group",
    "longest",
    "minimal_indeterminacy",
    "separation_margin",
    "statement",
    "states",
    "words",
];

/// The report of one problem. Velocities that are round-off beside `speed`, the largest entry of the
/// velocity before the impact, are shown as 0.
pub fn report(answer: &ImpactAnswer, speed: f64) -> String {
    let mut text = String::new();
    let count = answer.outcomes.len();
    let outcomes = if count == 1 { "outcome" } else { "outcomes" };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}, {count} {outcomes}", answer.name, answer.law);
    for (i, outcome) in answer.outcomes.iter().take(SHOWN_OUTCOMES).enumerate() {
        if count > 1 {
            let _ = writeln!(text, "  outcome {}", i + 1);
        }
        write_outcome(&mut text, outcome, speed);
    }
    if count > SHOWN_OUTCOMES {
        let more = count - SHOWN_OUTCOMES;
        let _ = writeln!(text, "  … and {more} more (all of them with --json)");
    }
    if answer
        .outcomes
        .first()
        .is_none_or(|only| only.details != answer.details)
    {
        write_details(&mut text, &answer.details);
    }
    line(&mut text, "verdict", &verdict(answer));
    if let Some(certificate) = &answer.certificate {
        let report = answer.details.get::<PropagativeReport>();
        let group = report.and_then(|report| report.group.as_ref());
        let sentence = certificate_sentence(certificate, group);
        line(&mut text, "certificate", &sentence);
    }
    match answer.status {
        ImpactStatus::NotTerminated => line(
            &mut text,
            "stopped",
            "the law's budget of steps ran out before its end condition was reached",
        ),
        ImpactStatus::Capped if answer.unique == Some(true) => line(
            &mut text,
            "capped",
            "the enumeration's budget ran out before it could list every sequence",
        ),
        ImpactStatus::Capped => line(
            &mut text,
            "capped",
            "the enumeration's budget ran out: there may be outcomes that are not listed",
        ),
        _ => {}
    }
    text
}

fn line(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "  {label:<18} {value}");
}

fn write_outcome(text: &mut String, outcome: &OutcomeAnswer, speed: f64) {
    line(text, "velocity", &vector(&outcome.velocity, speed));
    let impulses: Vec<String> = outcome
        .impulses
        .iter()
        .map(|contact| {
            let impulse = &contact.impulse;
            let scale = largest(impulse.tangential.iter().copied().chain([impulse.normal]));
            let normal = number(impulse.normal, scale);
            let normal = format!("{} {normal}", contact.contact);
            match impulse.tangential.as_slice() {
                [] => normal,
                [one] => format!("{normal} (tangential {})", number(*one, scale)),
                several => format!("{normal} (tangential {})", vector(several, scale)),
            }
        })
        .collect();
    line(text, "impulses [N s]", &impulses.join(", "));
    if let Some(sequence) = &outcome.sequence {
        let minimal = match outcome.minimal {
            Some(true) => " (minimal)",
            Some(false) => " (not minimal)",
            None => "",
        };
        line(
            text,
            "sequence",
            &format!("{}{minimal}", in_words(sequence)),
        );
    }
    if let Some(enumerated) = &outcome.enumerated {
        let mut others = enumerated.sequences.len();
        if others == 0 {
            line(text, "sequences", "not listed");
        } else if let Some(minimal) = &enumerated.minimal_sequences {
            line(text, "minimal sequences", &listed(minimal));
            others = others.saturating_sub(minimal.len());
            if others > 0 {
                line(text, "other sequences", &others.to_string());
            }
        } else if others > 1 {
            line(text, "sequences", &listed(&enumerated.sequences));
        }
    }
    let energy = outcome.kinetic_energy;
    let scale = energy.before.max(energy.after);
    let (before, after) = (number(energy.before, scale), number(energy.after, scale));
    line(
        text,
        "energy [J]",
        &format!("{before} before, {after} after"),
    );
    write_details(text, &outcome.details);
}

/// What only the law reports; what is too long for a line is left to `--json`.
fn write_details(text: &mut String, details: &LawDetails) {
    const LONGEST: usize = 100;
    let shown = |key: &str| !LEFT_TO_JSON.contains(&key);
    for (key, value) in details.fields().iter().filter(|(key, _)| shown(key)) {
        let label = key.replace('_', " ");
        let shown = plain(value);
        if shown.chars().count() <= LONGEST {
            line(text, &label, &shown);
        } else if let Value::Object(fields) = value {
            line(text, &label, "");
            for (name, field) in fields {
                let shown = plain(field);
                if shown.chars().count() <= LONGEST {
                    line(text, &format!("  {}", name.replace('_', " ")), &shown);
                }
            }
        }
    }
}

/// Details below 1e-13 of this are round-off.
const SMALL: f64 = 0.1;

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_string(),
        Value::Bool(true) => "yes".to_string(),
        Value::Bool(false) => "no".to_string(),
        Value::Number(n) if n.is_f64() => number(n.as_f64().unwrap_or(f64::NAN), SMALL),
        Value::Number(n) => n.to_string(),
        Value::String(s) => s.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            format!("({})", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, field)| format!("{} {}", name.replace('_', " "), plain(field)))
                .collect();
            fields.join(", ")
        }
    }
}

fn verdict(answer: &ImpactAnswer) -> String {
    match answer.unique {
        Some(true) => "unique for this momentum".to_string(),
        Some(false) => {
            let mut text = "ambiguous".to_string();
            if answer.indeterminacy > 0.0 {
                let xi = number(answer.indeterminacy, 1.0);
                let _ = write!(text, ": outcomes differ by {xi} of the momentum");
            }
            if let Some([first, second]) = witnesses(answer) {
                let _ = write!(text, ", for example after {first} and after {second}");
            }
            text
        }
        None => format!(
            "this law cannot tell whether the outcome is unique ({})",
            answer.uniqueness
        ),
    }
}

/// Two sequences that end differently.
fn witnesses(answer: &ImpactAnswer) -> Option<[String; 2]> {
    let mut sequences = answer.outcomes.iter().filter_map(|o| o.sequence.as_ref());
    if let (Some(first), Some(second)) = (sequences.next(), sequences.next()) {
        return Some([in_words(first), in_words(second)]);
    }
    let report = answer.details.get::<PropagativeReport>()?;
    let [first, second] = report.orders.differing_sequences.as_ref()?;
    Some([in_words(first.as_ref()?), in_words(second.as_ref()?)])
}

/// The certificate as a sentence.
fn certificate_sentence(
    certificate: &CertificateAnswer,
    group: Option<&ReflectionGroup>,
) -> String {
    let scope = if certificate.unique_for_every_momentum {
        "unique for every momentum"
    } else {
        "not certified for every momentum"
    };
    let reason = match certificate.reason.as_str() {
        "orthogonal" => "the contact normals are kinetically orthogonal",
        "dihedral" => "the two contacts meet at an angle of the form π/m",
        "reflection-group" => "the contact angles are those of a finite reflection group",
        "single-contact" => "there is a single contact",
        "convex-projection" => "the outcome is the projection on a convex cone",
        other => other,
    };
    let reason = match (certificate.reason.as_str(), group) {
        ("dihedral" | "reflection-group", Some(group)) => format!("{reason}, {group}"),
        _ => reason.to_string(),
    };
    const ROUND_OFF: f64 = 1e-14;
    let exactness = if certificate.unique_for_every_momentum && certificate.deviation > ROUND_OFF {
        format!(
            " (cosines exact to {}; indeterminacy at most {})",
            number(certificate.deviation, 0.0),
            number(certificate.indeterminacy_bound, 0.0)
        )
    } else {
        String::new()
    };
    format!("{scope}: {reason}{exactness}")
}

fn in_words(sequence: &[String]) -> String {
    match sequence.len() {
        0 => "no reflection".to_string(),
        n if n > SHOWN_CONTACTS => {
            let shown = sequence[..SHOWN_CONTACTS].join(" ");
            format!("{shown} … ({n} in all)")
        }
        _ => sequence.join(" "),
    }
}

fn listed(sequences: &[Vec<String>]) -> String {
    if sequences.is_empty() {
        return "none".to_string();
    }
    let shown: Vec<String> = sequences
        .iter()
        .take(SHOWN_SEQUENCES)
        .map(|s| in_words(s))
        .collect();
    let more = sequences.len() - shown.len();
    if more > 0 {
        format!("{}; and {more} more", shown.join("; "))
    } else {
        shown.join("; ")
    }
}
