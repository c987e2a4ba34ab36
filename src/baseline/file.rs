//! Reading and writing of baseline files: TOML with one event, one metric and one column a line, in a stable order,
//! with numbers that read back to the same bits.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::{Baseline, BaselineError, FORMAT};
use crate::files::{refuse_pipe, toml_key, toml_string, write_whole};
use crate::hybrid::EventKind;
use crate::record::NamedEvent;
use crate::scenario::{ScenarioError, apply_overrides, from_overridden};

const HEADING: &str = "\
# What a scenario did, to be compared with what it does: carom baseline verify THIS_FILE
# runs the scenario that recorded_from names; with --frozen the copy at the end of this file.
# A difference up to a tolerance counts as none; tolerances may be edited. That of a metric is `relative` times its
# value, and at least `floor` in its own unit; that of a column is in its unit. They were chosen to tell whether the
# controller changed: a millionth (baseline.tolerance) of the value, of the largest magnitude of a column, of the largest
# impulse, nothing for counts; and at least ten times what the run does under a change within the residual of a step.
# --exact compares bits. Metrics may be added or removed: a new one takes its value from
# carom baseline verify THIS_FILE --update.
";

impl Baseline {
    /// Reads a baseline and the scenario that it was recorded from, as its file says now, with what was set when it was
    /// recorded and overrides `key=value`. Paths are relative to the baseline's file. Of a baseline of a scenario that
    /// was built in code it is [`Baseline::read_frozen`].
    ///
    /// # Errors
    /// A file that cannot be read or is not a baseline, with line and column; a scenario that is not there any more; an
    /// override that does not fit.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, BaselineError> {
        let mut baseline = Self::read_frozen(path, &[])?;
        let Some(from) = &baseline.recorded_from else {
            return Self::read_frozen(path, overrides);
        };
        baseline.live = Some(from.read(path, overrides)?);
        baseline.overrides = overrides.to_vec();
        Ok(baseline)
    }

    /// Reads a baseline and applies overrides `key=value` to the copy of the scenario in it.
    ///
    /// # Errors
    /// As [`Baseline::read`].
    pub fn read_frozen(path: &Path, overrides: &[String]) -> Result<Self, BaselineError> {
        let file = path.display().to_string();
        let text = refuse_pipe(path).and_then(|()| std::fs::read_to_string(path));
        let text = text.map_err(|error| BaselineError::Unreadable {
            file: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        let mut baseline = Self::parse(&file, &text, overrides)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        baseline.scenario.find_paths_from(folder);
        if let Some(from) = &mut baseline.recorded_from {
            from.find_paths_from(folder);
        }
        baseline.file = path.to_path_buf();
        Ok(baseline)
    }

    fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, BaselineError> {
        let mut table: toml::Table =
            toml::from_str(text).map_err(|error| ScenarioError::from_toml(file, text, &error))?;
        let wrong = |place: String, reason: String| BaselineError::Value {
            file: file.into(),
            place,
            reason,
        };
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format == i64::from(FORMAT) => {}
            Some(format) => {
                let reason = format!("it is {format}, this program reads {FORMAT}; record again");
                return Err(wrong("format".to_string(), reason));
            }
            None => {
                let reason =
                    "there is none: this is not a file of `carom baseline record`".to_string();
                return Err(wrong("format".to_string(), reason));
            }
        }
        // Parsed once as it stands, so that messages point into the file.
        let mut baseline: Self =
            toml::from_str(text).map_err(|error| ScenarioError::from_toml(file, text, &error))?;
        if !overrides.is_empty() {
            let scenario = table.remove("scenario");
            let mut scenario = match scenario {
                Some(toml::Value::Table(scenario)) => scenario,
                _ => toml::Table::new(),
            };
            apply_overrides(&mut scenario, overrides)?;
            baseline.scenario = from_overridden(file, &scenario, overrides)?;
            baseline.overrides = overrides.to_vec();
        }
        baseline.scenario.check(file)?;
        baseline.check(&wrong)?;
        Ok(baseline)
    }

    /// Refuses what an edited file may hold and a recorded one does not.
    fn check(&self, wrong: &dyn Fn(String, String) -> BaselineError) -> Result<(), BaselineError> {
        let metrics = self.metrics.iter();
        let tolerances = metrics
            .flat_map(|(name, metric)| {
                let of = |key: &str, value| (format!("metrics.{name}.{key}"), value);
                [of("relative", metric.relative), of("floor", metric.floor)]
            })
            .chain(self.series.columns.iter().map(|(name, column)| {
                (format!("series.columns.{name}.tolerance"), column.tolerance)
            }))
            .chain([
                (
                    "events.time_tolerance_s".to_string(),
                    self.events.time_tolerance_s,
                ),
                (
                    "events.indeterminacy_tolerance".to_string(),
                    self.events.indeterminacy_tolerance,
                ),
                (
                    "events.impulse_tolerance_Ns".to_string(),
                    self.events.impulse_tolerance_Ns,
                ),
            ]);
        for (place, tolerance) in tolerances {
            if tolerance.is_nan() || tolerance < 0.0 {
                let reason = format!("it is {tolerance}, it must be at least 0");
                return Err(wrong(place, reason));
            }
        }
        let rows = self.series.time_s.len();
        for (name, column) in &self.series.columns {
            if column.values.len() != rows {
                let reason = format!("it has {} values, time_s has {rows}", column.values.len());
                return Err(wrong(format!("series.columns.{name}.values"), reason));
            }
        }
        if self.series.every == 0 {
            let reason = "it is 0, it must be at least 1".to_string();
            return Err(wrong("series.every".to_string(), reason));
        }
        Ok(())
    }

    /// Writes the file whole; the paths of its scenario become relative to it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = self.text(folder)?;
        Ok(write_whole(path, |w| w.write_all(text.as_bytes()))?)
    }

    /// The file's text, for a file in `folder`.
    ///
    /// # Errors
    /// A value of the scenario that TOML cannot write.
    pub fn text(&self, folder: &Path) -> Result<String, BaselineError> {
        let mut scenario = self.scenario.clone();
        scenario.write_paths_from(folder);
        let mut text = format!(
            "{HEADING}format = {}\nversion = {}\nscenario_hash = {}\nstatus = \"{}\"\n",
            self.format,
            toml_string(&self.version),
            toml_string(&self.scenario_hash),
            self.status.word(),
        );
        if let Some(reason) = &self.reason {
            line(&mut text, format_args!("reason = {}", toml_string(reason)));
        }
        if let Some(from) = &self.recorded_from {
            let mut from = from.clone();
            from.write_paths_from(folder);
            text.push_str(&section("recorded_from", &from)?);
        }
        if let Some(part) = &self.compared {
            text.push_str(&section("compared", part)?);
        }
        text.push_str("\n[metrics]\n");
        for (name, metric) in &self.metrics {
            line(
                &mut text,
                format_args!(
                    "{} = {{ value = {}, relative = {}, floor = {}, expression = {} }}",
                    toml_key(name),
                    number(metric.value),
                    number(metric.relative),
                    number(metric.floor),
                    toml_string(&metric.expression)
                ),
            );
        }
        line(
            &mut text,
            format_args!(
                "\n[events]\ntime_tolerance_s = {}\nindeterminacy_tolerance = {}\nimpulse_tolerance_Ns = {}\nlist = [",
                number(self.events.time_tolerance_s),
                number(self.events.indeterminacy_tolerance),
                number(self.events.impulse_tolerance_Ns)
            ),
        );
        for event in &self.events.list {
            line(&mut text, format_args!("  {},", event_text(event)));
        }
        line(
            &mut text,
            format_args!(
                "]\n\n[series]\nevery = {}\ntime_s = {}\n\n[series.columns]",
                self.series.every,
                numbers(&self.series.time_s)
            ),
        );
        for (name, column) in &self.series.columns {
            line(
                &mut text,
                format_args!(
                    "{} = {{ tolerance = {}, values = {} }}",
                    toml_key(name),
                    number(column.tolerance),
                    numbers(&column.values)
                ),
            );
        }
        if let Some(robust) = &self.robust {
            text.push_str(&section("robust", robust)?);
        }
        let mut document = toml::Table::new();
        document.insert("scenario".to_string(), toml::Value::try_from(&scenario)?);
        text.push('\n');
        text.push_str(&toml::to_string(&document)?);
        Ok(text)
    }
}

fn section(name: &str, content: &impl Serialize) -> Result<String, BaselineError> {
    let mut document = toml::Table::new();
    document.insert(name.to_string(), toml::Value::try_from(content)?);
    Ok(format!("\n{}", toml::to_string(&document)?))
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{content}");
}

/// Shortest text that reads back to the same bits.
fn number(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    format!("{x:?}")
}

fn numbers(x: &[f64]) -> String {
    let texts: Vec<String> = x.iter().map(|x| number(*x)).collect();
    format!("[{}]", texts.join(", "))
}

fn names(list: &[String]) -> String {
    let quoted: Vec<String> = list.iter().map(|name| toml_string(name)).collect();
    format!("[{}]", quoted.join(", "))
}

fn event_text(event: &NamedEvent) -> String {
    let kind = event.kind.word();
    let mut text = format!(
        "{{ time_s = {}, kind = \"{kind}\", contacts = {}",
        number(event.time_s),
        names(&event.contacts)
    );
    if let Some(unique) = event.unique {
        let _ = write!(text, ", unique = \"{}\"", unique.word());
    }
    if let Some(mode) = event.mode {
        let _ = write!(text, ", mode = \"{}\"", mode.word());
    }
    if let Some(note) = event.note {
        let _ = write!(text, ", note = \"{}\"", note.word());
    }
    if event.kind == EventKind::Branch {
        let _ = write!(text, ", outcomes = {}", event.outcomes);
    }
    if event.kind.is_impact() {
        let _ = write!(
            text,
            ", law = {}, sequence = {}, outcomes = {}, capped = {}, indeterminacy = {}, impulses_Ns = {}",
            toml_string(&event.law),
            names(&event.sequence),
            event.outcomes,
            event.capped,
            number(event.indeterminacy),
            numbers(&event.impulses_Ns)
        );
    }
    text + " }"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_numbers_read_back() {
        let plain = ["q_base.x", "plain", "tail·1", "", "e\u{301}", "a\u{200d}b"];
        let signs = [
            "a \"b\"",
            "x'y",
            "a\\b",
            "a\0b",
            "a\nb",
            "\u{85}",
            "\u{1b}[1m",
        ];
        for name in plain.into_iter().chain(signs) {
            let text = format!("{} = {{ name = {} }}", toml_key(name), toml_string(name));
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table.keys().collect::<Vec<_>>(), [name]);
            assert_eq!(table[name]["name"].as_str(), Some(name));
        }
        for x in [0.1 + 0.2, -0.0, 1e-300, f64::MAX, f64::INFINITY, f64::NAN] {
            let table: toml::Table = toml::from_str(&format!("x = {}", number(x))).unwrap();
            let read = table["x"].as_float().unwrap();
            assert!(read.to_bits() == x.to_bits() || x.is_nan() && read.is_nan());
        }
    }
}
