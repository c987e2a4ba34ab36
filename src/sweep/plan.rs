//! Which keys have which values in run i.

use std::path::Path;

use super::draws::{Distribution, UnitDraws};
use super::file::{PlanKind, SensitivityKind, SweepFile};
use super::values::{is_number, read_table, text_of};
use crate::scenario::ScenarioError;

/// Runs that one sweep may have.
pub const MOST_RUNS: u64 = 100_000_000;

/// The keys of a sweep and their values in every run. Values are texts, as `--set` takes them.
#[derive(Debug, Clone)]
pub struct Plan {
    keys: Vec<String>,
    /// Of each key, whether all of its values are numbers.
    numbers: Vec<bool>,
    runs: u64,
    choice: Choice,
}

#[derive(Debug, Clone)]
enum Choice {
    Grid(Vec<Vec<String>>),
    /// A row of values a run; a key that a run does not name is empty there.
    List(Vec<Vec<Option<String>>>),
    Drawn {
        draws: UnitDraws,
        distributions: Vec<Distribution>,
        /// Whether every draw becomes the k + 2 runs of a design of Saltelli.
        saltelli: bool,
    },
}

impl Plan {
    /// The plan of a sweep file; `name` is what messages call it, `folder` where its paths begin.
    ///
    /// # Errors
    /// What contradicts itself or is out of range, by its place.
    pub fn new(name: &str, folder: &Path, file: &SweepFile) -> Result<Self, ScenarioError> {
        let wrong = |place: &str, reason: String| ScenarioError::value(name, place, reason);
        let kind = file.plan.kind;
        let saltelli = file.analysis.sensitivity == SensitivityKind::Saltelli;
        let draws = matches!(
            kind,
            PlanKind::Sobol | PlanKind::LatinHypercube | PlanKind::Random
        );
        if file.analysis.sensitivity != SensitivityKind::None && !draws {
            let reason = format!(
                "indices of sensitivity need a plan that draws (sobol, latin-hypercube, random), this one is a {}",
                kind.word()
            );
            return Err(wrong("analysis.sensitivity", reason));
        }
        if file.analysis.sensitivity == SensitivityKind::Ranks && kind == PlanKind::Sobol {
            let reason = "ranks need keys that are drawn independently of each other, which those of a Sobol sequence are \
                          not; choose saltelli, or a plan of kind latin-hypercube or random";
            return Err(wrong("analysis.sensitivity", reason.into()));
        }
        if !draws {
            for (place, given) in [
                ("plan.runs", file.plan.runs.is_some()),
                ("plan.seed", file.plan.seed.is_some()),
            ] {
                if given {
                    let reason = format!("a {} draws nothing; remove the key", kind.word());
                    return Err(wrong(place, reason));
                }
            }
        }
        if kind == PlanKind::List {
            return Self::listed(name, folder, file);
        }
        if !file.list.is_empty() || file.plan.file.is_some() {
            let place = if file.list.is_empty() {
                "plan.file"
            } else {
                "list"
            };
            let reason = "runs that are written out need plan.kind = \"list\"; remove one of them";
            return Err(wrong(place, reason.into()));
        }
        if file.vary.is_empty() {
            let reason = "nothing differs from run to run; name a key in [[vary]]";
            return Err(wrong("vary", reason.into()));
        }
        let mut keys: Vec<String> = Vec::new();
        let (mut distributions, mut grid) = (Vec::new(), Vec::new());
        for (i, entry) in file.vary.iter().enumerate() {
            let at = |reason: String| wrong(&format!("vary[{i}] \"{}\"", entry.key), reason);
            let key = entry.key.trim();
            if key.is_empty() || key.contains(['=', '\n']) {
                return Err(at("a key is what stands before the = of --set".into()));
            }
            if keys.iter().any(|k| k == key) {
                return Err(at("the key stands there twice; keep one of them".into()));
            }
            keys.push(key.to_string());
            let distribution = Distribution::new(entry).map_err(at)?;
            if draws {
                if entry.points.is_some() {
                    return Err(at("points are of a grid alone; remove the key".into()));
                }
            } else {
                let values = distribution.grid(entry.points).map_err(at)?;
                grid.push(values.iter().map(text_of).collect::<Vec<String>>());
            }
            distributions.push(distribution);
        }
        let numbers = distributions.iter().map(Distribution::is_number).collect();
        if !draws {
            let sizes = grid.iter().map(|values| values.len() as u64);
            let runs = sizes.fold(1_u64, u64::saturating_mul);
            return Self {
                keys,
                numbers,
                runs,
                choice: Choice::Grid(grid),
            }
            .checked(name);
        }
        let count = file.plan.runs.ok_or_else(|| {
            let reason = format!(
                "a plan of kind {} needs it, for example runs = 1000",
                kind.word()
            );
            wrong("plan.runs", reason)
        })?;
        let factor = if saltelli { keys.len() as u64 + 2 } else { 1 };
        let dimensions = if saltelli { 2 * keys.len() } else { keys.len() };
        // The first points of a Sobol sequence that is not shifted are the same in both halves of a design.
        let seed = file.plan.seed.or(saltelli.then_some(1));
        let unit = UnitDraws::new(kind, seed, dimensions, count)
            .map_err(|reason| wrong("plan.kind", reason))?;
        Self {
            keys,
            numbers,
            runs: count.saturating_mul(factor),
            choice: Choice::Drawn {
                draws: unit,
                distributions,
                saltelli,
            },
        }
        .checked(name)
    }

    fn listed(name: &str, folder: &Path, file: &SweepFile) -> Result<Self, ScenarioError> {
        let wrong = |place: &str, reason: String| ScenarioError::value(name, place, reason);
        if !file.vary.is_empty() {
            let reason =
                "a list says every value itself; remove [[vary]], or choose a plan that draws";
            return Err(wrong("vary", reason.into()));
        }
        let rows: Vec<Vec<(String, String, bool)>> = match (&file.plan.file, file.list.is_empty()) {
            (Some(path), true) => read_table(&folder.join(path))
                .map_err(|reason| wrong("plan.file", format!("{}: {reason}", path.display())))?,
            (None, false) => (file.list.iter())
                .map(|row| {
                    let cells = row.iter();
                    cells
                        .map(|(key, v)| (key.clone(), text_of(v), is_number(v)))
                        .collect()
                })
                .collect(),
            (Some(_), false) => {
                let reason = "runs stand in list as well; keep one of the two";
                return Err(wrong("plan.file", reason.into()));
            }
            (None, true) => {
                let reason = "there are no runs; write [[list]] tables of keys and values, or plan.file = \"runs.csv\"";
                return Err(wrong("list", reason.into()));
            }
        };
        let (mut keys, mut numbers) = (Vec::<String>::new(), Vec::new());
        for (key, _, number) in rows.iter().flatten() {
            match keys.iter().position(|k| k == key) {
                Some(place) => numbers[place] &= number,
                None => {
                    keys.push(key.clone());
                    numbers.push(*number);
                }
            }
        }
        let value = |row: &[(String, String, bool)], key: &String| {
            let cell = row.iter().find(|(name, _, _)| name == key);
            cell.map(|(_, text, _)| text.clone())
        };
        let table = rows.iter();
        let table: Vec<Vec<Option<String>>> = table
            .map(|row| keys.iter().map(|key| value(row, key)).collect())
            .collect();
        Self {
            runs: table.len() as u64,
            keys,
            numbers,
            choice: Choice::List(table),
        }
        .checked(name)
    }

    fn checked(self, name: &str) -> Result<Self, ScenarioError> {
        if (1..=MOST_RUNS).contains(&self.runs) {
            return Ok(self);
        }
        let reason = format!(
            "{} runs: there must be at least 1 and at most {MOST_RUNS}",
            self.runs
        );
        Err(ScenarioError::value(name, "plan", reason))
    }

    /// Number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The keys that differ from run to run.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Of each key, whether all of its values are numbers.
    #[must_use]
    pub fn numbers(&self) -> &[bool] {
        &self.numbers
    }

    /// Values of the keys in run `index`, as `--set` takes them; a run of a list may leave some as the subject has them.
    #[must_use]
    pub fn values(&self, index: u64) -> Vec<Option<String>> {
        match &self.choice {
            Choice::Grid(grid) => {
                let mut rest = index;
                let mut values: Vec<Option<String>> = Vec::with_capacity(grid.len());
                for along in grid.iter().rev() {
                    let n = along.len() as u64;
                    values.push(Some(along[(rest % n) as usize].clone()));
                    rest /= n;
                }
                values.reverse();
                values
            }
            Choice::List(rows) => rows[index as usize].clone(),
            Choice::Drawn {
                draws,
                distributions,
                saltelli,
            } => {
                let k = distributions.len();
                let point = if *saltelli {
                    let each = k as u64 + 2;
                    let (draw, matrix) = (index / each, (index % each) as usize);
                    let both = draws.point(draw, 2 * k);
                    // A, then B, then A with one column of B after the other.
                    let from_b = |d: usize| matrix == 1 || matrix == d + 2;
                    let place = |d: usize| if from_b(d) { k + d } else { d };
                    (0..k).map(|d| both[place(d)]).collect()
                } else {
                    draws.point(index, k)
                };
                let values = distributions.iter().zip(point);
                values.map(|(of, u)| Some(text_of(&of.at(u)))).collect()
            }
        }
    }

    /// What `--set` needs for run `index`.
    #[must_use]
    pub fn overrides(&self, index: u64) -> Vec<String> {
        let values = self.keys.iter().zip(self.values(index));
        values
            .filter_map(|(key, value)| Some(format!("{key}={}", value?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, String> {
        let file = SweepFile::parse("x.toml", &format!("subject = \"s.toml\"\n{text}"), &[]);
        let file = file.map_err(|e| e.to_string())?;
        Plan::new("x.toml", Path::new(""), &file).map_err(|e| e.to_string())
    }

    #[test]
    fn the_last_key_of_a_grid_changes_fastest() {
        let grid = plan(
            "plan.kind = \"grid\"\n[[vary]]\nkey = \"a\"\nvalues = [\"index\", \"1\", 2]\n\
             [[vary]]\nkey = \"b\"\nuniform = [0.0, 1.0]\npoints = 3",
        )
        .unwrap();
        assert_eq!(grid.runs(), 9);
        assert_eq!(grid.overrides(0), ["a=index", "b=0.0"]);
        assert_eq!(grid.overrides(4), ["a=\"1\"", "b=0.5"]);
        assert_eq!(grid.overrides(8), ["a=2", "b=1.0"]);
        assert_eq!(grid.numbers(), [false, true]);
    }

    #[test]
    fn runs_of_a_list_may_leave_keys_alone() {
        let list = plan("plan.kind = \"list\"\nlist = [{ \"a.b\" = 1.5 }, { c = true }]").unwrap();
        assert_eq!(list.overrides(0), ["a.b=1.5"]);
        assert_eq!(list.overrides(1), ["c=true"]);
    }

    /// Run j (k + 2) + 2 + l differs from run j (k + 2) in key l alone, where it has the value of run j (k + 2) + 1.
    #[test]
    fn a_design_of_saltelli_exchanges_one_key_a_run() {
        for kind in ["sobol", "latin-hypercube", "random"] {
            let plan = plan(&format!(
                "plan = {{ kind = \"{kind}\", runs = 5 }}\nanalysis.sensitivity = \"saltelli\"\n\
                 vary = [{{ key = \"a\", uniform = [0.0, 1.0] }}, {{ key = \"b\", normal = [0.0, 1.0] }}, \
                 {{ key = \"c\", integers = [0, 1000000] }}]"
            ))
            .unwrap();
            assert_eq!(plan.runs(), 25);
            for j in 0..5 {
                let (a, b) = (plan.values(5 * j), plan.values(5 * j + 1));
                assert!((0..3).all(|d| a[d] != b[d]));
                for l in 0..3 {
                    let mut expected = a.clone();
                    expected[l].clone_from(&b[l]);
                    assert_eq!(plan.values(5 * j + 2 + l as u64), expected);
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let vary = "vary = [{ key = \"a\", uniform = [0.0, 1.0] }]";
        for (text, part) in [
            ("plan.kind = \"grid\"", "vary: nothing differs"),
            (
                "plan.kind = \"gird\"",
                "x.toml:2:13: unknown variant `gird`",
            ),
            (
                "plan.kind = \"random\"\nvary = [{ key = \"a\" }]",
                "vary[0] \"a\": give exactly one of",
            ),
            (
                &format!("plan.kind = \"random\"\n{vary}"),
                "plan.runs: a plan of kind random needs it",
            ),
            (
                &format!("plan = {{ kind = \"grid\", runs = 3 }}\n{vary}"),
                "plan.runs: a grid draws nothing",
            ),
            (&format!("plan.kind = \"grid\"\n{vary}"), "needs points"),
            (
                &format!("plan.kind = \"list\"\n{vary}"),
                "vary: a list says every value itself",
            ),
            ("plan.kind = \"list\"", "list: there are no runs"),
            (
                &format!("plan.kind = \"grid\"\nanalysis.sensitivity = \"ranks\"\n{vary}"),
                "analysis.sensitivity: indices of sensitivity need a plan that draws",
            ),
            (
                &format!(
                    "plan = {{ kind = \"sobol\", runs = 9 }}\nanalysis.sensitivity = \"ranks\"\n{vary}"
                ),
                "analysis.sensitivity: ranks need keys that are drawn independently",
            ),
            (
                &format!("plan = {{ kind = \"random\", runs = 1000000000 }}\n{vary}"),
                "at most 100000000",
            ),
            (
                "plan = { kind = \"random\", runs = 9 }\nvary = [{ key = \"a\", log_uniform = [0.0, 1.0] }]",
                "two positive numbers",
            ),
            (
                "plan = { kind = \"random\", runs = 9 }\nvary = [{ key = \"a\", integers = [1, 2] }, { key = \"a\", \
                 integers = [1, 2] }]",
                "vary[1] \"a\": the key stands there twice",
            ),
            (
                "plan = { kind = \"random\", rnus = 9 }",
                "did you mean \"runs\"",
            ),
        ] {
            let error = plan(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
