//! Problems of one impact.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::answers::{Answer, input};
use super::{Runs, SweepInput, named};
use crate::impact::ImpactStatus;
use crate::laws::{ImpactFile, LawRegistry, answer};
use crate::metric::Names;
use crate::scenario::{ScenarioError, apply_overrides};
use crate::stop::StopFlag;
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};

/// A problem file as a table in which keys are set; those that begin with `law.` are of the law.
pub(super) struct Impacts {
    name: String,
    base: Table,
    start: Vec<String>,
    input: SweepInput,
}

impl Impacts {
    pub fn new(path: &Path, set: &[String], start: &[String]) -> Result<Self, SweepError> {
        let name = path.display().to_string();
        let text = crate::files::read_bounded_text(path)
            .map_err(|error| SweepError::folder(path, format!("cannot be read: {error}")))?;
        let file = ImpactFile::parse(&name, &text)?;
        if file.is_array {
            let reason =
                "it holds several problems; a sweep is of one, write it into a file of its own";
            return Err(ScenarioError::value(&name, "problem[1]", reason).into());
        }
        let document: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| SweepError::folder(path, error.to_string()))?;
        let mut base = Table::try_from(&document)
            .map_err(|error| SweepError::folder(path, error.to_string()))?;
        apply_overrides(&mut base, set)?;
        let impacts = Self {
            input: input("impact", path, text.as_bytes()),
            name,
            base,
            start: start.to_vec(),
        };
        impacts
            .solve(start)
            .map_err(|reason| ScenarioError::value(&impacts.name, "problem", reason))?;
        Ok(impacts)
    }

    fn solve(&self, overrides: &[String]) -> Result<(Answer, Option<String>), String> {
        let mut table = self.base.clone();
        apply_overrides(&mut table, overrides).map_err(|e| e.to_string())?;
        let law =
            match table.remove("law") {
                Some(Value::Table(law)) => law,
                _ => return Err(
                    "no law is chosen; write set = [\"law.name=propagative\"] into the sweep file"
                        .into(),
                ),
            };
        let laws = LawRegistry::standard();
        let chosen = law.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut draft = laws.get(chosen).map_err(|e| e.to_string())?.draft();
        for (key, value) in law.iter().filter(|(key, _)| *key != "name") {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            draft.set(key, &text).map_err(|e| e.to_string())?;
        }
        let mut law = draft.build().map_err(|e| e.to_string())?;
        let text = serde_json::to_string(&table).map_err(|e| e.to_string())?;
        let file = ImpactFile::parse(&self.name, &text).map_err(|e| e.to_string())?;
        let named = file.problems.into_iter().next();
        let named = named.ok_or("the file holds no problem")?;
        let problem = named.problem.map_err(|e| e.to_string())?;
        let said = answer(law.as_mut(), &named.name, &problem).map_err(|e| e.to_string())?;
        let open = |status| status == ImpactStatus::NotTerminated;
        let unfinished = open(said.status) || said.outcomes.iter().any(|o| open(o.status));
        let reason = unfinished.then(|| "the law did not come to an end".to_string());
        let count = said.outcomes.len() as f64;
        let numbers = Answer::new("answer", &said).with("answer.outcome_count", count);
        Ok((numbers, reason))
    }
}

impl Runs for Impacts {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        named(&[
            ("outcomes", "answer.outcome_count"),
            ("unique", "answer.unique"),
            ("indeterminacy", "answer.indeterminacy"),
            ("energy_after_J", "answer.outcomes.0.kinetic_energy.after"),
        ])
    }

    fn inputs(&self) -> Vec<SweepInput> {
        vec![self.input.clone()]
    }

    fn fingerprint(&self) -> String {
        self.base.to_string()
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        let solved = self.solve(overrides).map(|_| ());
        Ok(solved.map_err(|reason| ScenarioError::value(&self.name, "problem", reason))?)
    }

    fn names(&self, _: bool) -> Result<Box<dyn Names>, SweepError> {
        let solved = self.solve(&self.start);
        let (answer, _) = solved.map_err(|e| ScenarioError::value(&self.name, "problem", e))?;
        Ok(Box::new(answer))
    }

    fn run(
        &self,
        overrides: &[String],
        _: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        match self.solve(overrides) {
            Err(reason) => Outcome::failed(SweepStatus::Refused, &reason),
            Ok((_, Some(reason))) => Outcome::failed(SweepStatus::NotTerminated, &reason),
            Ok((answer, None)) => Outcome::completed(evaluate(&answer)),
        }
    }
}
