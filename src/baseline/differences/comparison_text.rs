//! A comparison in words, for a person and for a continuous integration server.

use std::fmt;

use quick_xml::escape::escape;

use super::compare::{
    ColumnComparison, Comparison, EventComparison, EventDifference, MetricComparison, Sides,
};
use super::ranking::RankedDifference;
use crate::baseline::BandComparison;
use crate::baseline::inputs::InputChange;
use crate::hybrid::EventKind;
use crate::record::NamedEvent;

/// Lines of one part that are printed before the rest is only counted.
const MOST_LINES: usize = 12;

/// Nine significant digits: enough to see a difference, without the noise.
pub(crate) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.8e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

impl NamedEvent {
    /// The event in words, without its time.
    #[must_use]
    pub fn words(&self) -> String {
        let contacts = self.contacts.join(", ");
        match self.kind {
            EventKind::Hold => match self.mode {
                Some(mode) => format!("hold of {contacts} ({})", mode.word()),
                None => format!("hold of {contacts}"),
            },
            EventKind::Release => format!("release of {contacts}"),
            EventKind::Branch => {
                format!("branch of {contacts} ({} continuations)", self.outcomes)
            }
            _ => {
                let sequence = if self.sequence.is_empty() {
                    String::new()
                } else {
                    format!(" in the sequence {}", self.sequence.join(" "))
                };
                let outcomes = match (self.outcomes, self.capped) {
                    _ if self.undecided() => {
                        "one outcome known, not decided whether it is the only one".to_string()
                    }
                    (1, false) => "one outcome".to_string(),
                    (n, false) => format!("{n} outcomes"),
                    (n, true) => format!("{n} outcomes or more"),
                };
                let note = self
                    .note
                    .map_or(String::new(), |note| format!(", {}", note.word()));
                let kind = self.kind.word();
                format!(
                    "{kind} of {contacts}{sequence} ({}, {outcomes}{note})",
                    self.law
                )
            }
        }
    }
}

impl EventDifference {
    fn words(&self) -> String {
        let side = |event: &Option<NamedEvent>| {
            event.as_ref().map_or("nothing more".to_string(), |e| {
                format!("{} at {} s", e.words(), short(e.time_s))
            })
        };
        format!("was {}\nis {}", side(&self.recorded), side(&self.now))
    }

    /// Whether an order had to be chosen here or before, in a sentence.
    fn cause(&self) -> String {
        let of =
            |event: &NamedEvent| format!("{}, xi = {}", event.words(), short(event.indeterminacy));
        let ambiguous = [&self.recorded, &self.now]
            .into_iter()
            .flatten()
            .find(|e| e.ambiguous());
        let undecided = [&self.recorded, &self.now]
            .into_iter()
            .flatten()
            .any(NamedEvent::undecided);
        match (ambiguous, &self.ambiguous_before) {
            (Some(event), _) => format!(
                "this impact is ambiguous, its outcome depends on the order in which the contacts act: {}",
                of(event)
            ),
            _ if undecided => "the law cannot tell whether this impact is ambiguous".to_string(),
            (None, Some((number, event))) => format!(
                "this event is not an ambiguous impact; the last ambiguous one before it is event {number} at {} s: {}",
                short(event.time_s),
                of(event)
            ),
            (None, None) => {
                "neither this event nor any before it is an ambiguous impact".to_string()
            }
        }
    }
}

impl EventComparison {
    fn order_failure(&self) -> Option<String> {
        let d = self.order.as_ref()?;
        let mut text = format!(
            "the first differing event is number {} at {} s\n{}\n{}",
            d.event,
            short(d.time_s),
            d.words(),
            d.cause()
        );
        if let Some(impact) = &self.impact {
            text.push_str(&format!(
                "\nthe first differing impact is impact {} at {} s\n{}",
                impact.event,
                short(impact.time_s),
                impact.words()
            ));
        }
        Some(text)
    }

    fn time_failure(&self) -> Option<String> {
        let d = self.time.as_ref()?;
        Some(format!(
            "the first event at another time is number {}\n{}",
            d.event,
            d.words()
        ))
    }

    fn indeterminacy_failure(&self) -> Option<String> {
        let d = self.indeterminacy.as_ref()?;
        let xi = |e: &Option<NamedEvent>| e.as_ref().map_or(f64::NAN, |e| e.indeterminacy);
        Some(format!(
            "impact number {} at {} s had xi = {}, has {}",
            d.event,
            short(d.time_s),
            short(xi(&d.recorded)),
            short(xi(&d.now))
        ))
    }

    fn impulses_failure(&self) -> Option<String> {
        let d = self.impulses.as_ref()?;
        let impulses = |e: &Option<NamedEvent>| {
            let list = e.as_ref().map_or(&[][..], |e| &e.impulses_Ns);
            let texts: Vec<String> = list.iter().map(|x| short(*x)).collect();
            texts.join(", ")
        };
        let contacts = d.recorded.as_ref().map(|e| e.contacts.join(", "));
        Some(format!(
            "impact number {} at {} s of {} had the normal impulses {} N s, has {} N s",
            d.event,
            short(d.time_s),
            contacts.unwrap_or_default(),
            impulses(&d.recorded),
            impulses(&d.now)
        ))
    }
}

impl MetricComparison {
    fn failure(&self) -> Option<String> {
        (!self.same).then(|| {
            format!(
                "was {}, is {} (tolerance {}; {})",
                short(self.recorded),
                short(self.now),
                short(self.tolerance),
                self.expression
            )
        })
    }
}

impl ColumnComparison {
    fn failure(&self) -> Option<String> {
        match (&self.reason, self.first) {
            (Some(reason), _) => Some(reason.clone()),
            (None, Some((time, old, new))) => Some(format!(
                "at {} s first: was {}, is {}; at most {} apart (tolerance {})",
                short(time),
                short(old),
                short(new),
                short(self.largest.unwrap_or(f64::NAN)),
                short(self.tolerance)
            )),
            (None, None) => None,
        }
    }
}

impl Comparison {
    /// Every check with its name (`part.name`) and what is wrong, in the order in which they are made.
    #[must_use]
    pub fn checks(&self) -> Vec<(String, Option<String>)> {
        let ended = |s: &Sides<String>| format!("the run was {}, is {}", s.recorded, s.now);
        let mut checks = vec![
            ("run.status".to_string(), self.status.as_ref().map(ended)),
            ("events.order".to_string(), self.events.order_failure()),
            ("events.time".to_string(), self.events.time_failure()),
            (
                "events.indeterminacy".to_string(),
                self.events.indeterminacy_failure(),
            ),
            (
                "events.impulses".to_string(),
                self.events.impulses_failure(),
            ),
        ];
        let metrics = self.metrics.iter();
        checks.extend(metrics.map(|m| (format!("metrics.{}", m.name), m.failure())));
        let columns = self.series.iter();
        checks.extend(columns.map(|c| (format!("series.{}", c.name), c.failure())));
        let bands = self.robust.iter();
        checks.extend(bands.map(|b| (format!("robust.{}", b.name), BandComparison::failure(b))));
        checks
    }

    /// The comparison as a JUnit report: one test case a check.
    #[must_use]
    pub fn junit(&self) -> String {
        let checks = self.checks();
        let failures = checks.iter().filter(|(_, f)| f.is_some()).count();
        let suite = escape(self.file.as_str());
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{n}\" failures=\"{failures}\">\n  \
             <testsuite name=\"{suite}\" tests=\"{n}\" failures=\"{failures}\">\n",
            n = checks.len()
        );
        for (name, failure) in &checks {
            let (part, of) = name.split_once('.').unwrap_or(("baseline", name));
            let start = format!(
                "    <testcase classname=\"baseline.{}\" name=\"{}\"",
                escape(part),
                escape(of)
            );
            text.push_str(&match failure {
                None => format!("{start}/>\n"),
                Some(message) => format!(
                    "{start}>\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                    escape(message.lines().next().unwrap_or_default()),
                    escape(message.as_str())
                ),
            });
        }
        text.push_str("  </testsuite>\n</testsuites>\n");
        text
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = self.checks();
        if self.same {
            writeln!(
                f,
                "{}: no difference{} ({} events, {} metrics, {} columns)",
                self.file,
                if self.inputs.is_empty() {
                    ""
                } else {
                    " in what happens, although inputs have changed"
                },
                self.events.count.recorded,
                self.metrics.len(),
                self.series.len()
            )?;
        } else {
            writeln!(f, "{}: the run differs from the baseline", self.file)?;
        }
        if self.frozen {
            let hash = &self.scenario_hash;
            match (hash.recorded == hash.now, self.overrides.is_empty()) {
                (true, _) => {}
                (false, true) => writeln!(f, "  the robot has changed since it was recorded")?,
                (false, false) => writeln!(f, "  with {}", self.overrides.join(", "))?,
            }
        }
        list(f, "inputs", self.inputs.iter().map(InputChange::words))?;
        if let Some(part) = &self.compared {
            let until = short(part.until_s);
            let beyond = match self.robust.is_empty() {
                true => "nothing beyond it",
                false => "beyond it the distribution of the robust runs",
            };
            writeln!(f, "  compared until {until} s, {beyond}: {}", part.reason)?;
        }
        list(
            f,
            "what differs, the largest against its tolerance first",
            self.ranked.iter().map(RankedDifference::words),
        )?;
        let mut part = String::new();
        let mut lines = 0;
        let mut left_out = 0;
        for (name, failure) in &checks {
            let Some(failure) = failure else { continue };
            // Told above, in the order of their size.
            if self.ranked.iter().any(|d| d.check == *name) {
                continue;
            }
            let (of, rest) = name.split_once('.').unwrap_or((name, ""));
            if of != part {
                more(f, &mut left_out)?;
                part = of.to_string();
                lines = 0;
                writeln!(f, "  {part}")?;
            }
            lines += 1;
            if lines > MOST_LINES {
                left_out += 1;
            } else {
                writeln!(f, "    {rest}: {}", failure.replace('\n', "\n      "))?;
            }
        }
        more(f, &mut left_out)
    }
}

/// Lines under a heading; nothing where there are none.
fn list(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    lines: impl Iterator<Item = String>,
) -> fmt::Result {
    let mut left_out = 0;
    for (i, line) in lines.enumerate() {
        if i == 0 {
            writeln!(f, "  {heading}")?;
        }
        if i < MOST_LINES {
            writeln!(f, "    {line}")?;
        } else {
            left_out += 1;
        }
    }
    more(f, &mut left_out)
}

fn more(f: &mut fmt::Formatter<'_>, left_out: &mut usize) -> fmt::Result {
    match std::mem::take(left_out) {
        0 => Ok(()),
        n => writeln!(f, "    … and {n} more"),
    }
}
