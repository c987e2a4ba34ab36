//! Which runs a robust baseline is made of: every variant of order and seed under every draw of the perturbations.
//!
//! Run i is variant i mod m of draw ⌊i/m⌋ for m variants. Draw 0 is unperturbed and variant 0 the scenario's own, so
//! that run 0 is the scenario itself. Every run is the scenario with some keys set: it can be run again with `--set`.

use std::f64::consts::TAU;

use toml::{Table, Value};

use crate::impact::settings::KeyRole;
use crate::impact::{RandomWords, SampleRandom};
use crate::laws::LawRegistry;
use crate::scenario::{
    Experiment, ExperimentCache, PerturbEntry, RobustEntry, Scenario, ScenarioError,
    apply_overrides, from_overridden, number_at,
};
use crate::stop::StopFlag;

/// Runs that one baseline may have: what their metrics need stays within memory.
const MOST_RUNS: u64 = 10_000_000;
/// Prefix of keys that have the value 1 when a scenario states none.
const MASS_SCALE: &str = "robot.mass_scale.";

pub(crate) struct RobustPlan {
    file: String,
    base: Table,
    variants: Vec<Vec<String>>,
    perturbed: Vec<Perturbed>,
    draws: u64,
    seed: u64,
    laws: LawRegistry,
    cache: ExperimentCache,
    stop: StopFlag,
}

struct Perturbed {
    key: String,
    nominal: f64,
    width: f64,
    normal: bool,
}

impl RobustPlan {
    /// The plan of a scenario's table `[baseline.robust]`.
    ///
    /// # Errors
    /// An order that does not exist, a key that has no number, a width out of range.
    pub fn new(experiment: &Experiment, entry: &RobustEntry) -> Result<Self, ScenarioError> {
        let wrong = |place: String, reason: String| {
            ScenarioError::value(&experiment.file, format!("baseline.robust.{place}"), reason)
        };
        // The joints and the initial state with all their zeros, so that every entry can be perturbed.
        let mut scenario = experiment.scenario.clone();
        let resolved = experiment.resolved();
        scenario.initial = resolved.initial;
        for (robot, resolved) in scenario.robot.iter_mut().zip(resolved.robot.iter()) {
            robot.joint.clone_from(&resolved.joint);
            robot.initial.clone_from(&resolved.initial);
        }
        scenario.baseline.robust = None;
        let base = match Value::try_from(&scenario) {
            Ok(Value::Table(table)) => table,
            Ok(_) => Table::new(),
            Err(error) => return Err(wrong("perturb".to_string(), error.to_string())),
        };
        let mut perturbed = Vec::new();
        for (i, one) in entry.perturb.iter().enumerate() {
            let found = Perturbed::new(one, &base);
            perturbed.push(found.map_err(|reason| wrong(format!("perturb[{i}]"), reason))?);
        }
        if entry.draws > 0 && perturbed.is_empty() {
            let reason = "there is nothing to draw; name a key in [[baseline.robust.perturb]]";
            return Err(wrong("draws".to_string(), reason.to_string()));
        }
        if entry.draws == 0 && !perturbed.is_empty() {
            let reason = "it is 0, so that nothing is perturbed; set it or remove perturb";
            return Err(wrong("draws".to_string(), reason.to_string()));
        }
        let each = (entry.orders.len() as u64 + 1).saturating_add(entry.seeds);
        let runs = entry.draws.saturating_add(1).saturating_mul(each);
        if runs > MOST_RUNS {
            let reason = format!("{runs} runs are too many, at most {MOST_RUNS} are made");
            return Err(wrong("draws".to_string(), reason));
        }
        let variants = variants(experiment, entry).map_err(|(key, reason)| wrong(key, reason))?;
        let plan = Self {
            file: experiment.file.clone(),
            base,
            variants,
            perturbed,
            draws: entry.draws,
            seed: entry.seed,
            laws: experiment.laws.clone(),
            cache: ExperimentCache::default(),
            stop: experiment.stop.clone(),
        };
        // What is wrong with a name is wrong in every run: it is told before the first.
        let nominal: Vec<String> = plan.perturbed.iter().map(|p| p.set(p.nominal)).collect();
        // One seed is as good as another.
        for variant in plan.variants.iter().take(entry.orders.len() + 2) {
            plan.build(&[variant.as_slice(), &nominal].concat())?;
        }
        Ok(plan)
    }

    /// How many runs there are.
    pub fn len(&self) -> u64 {
        (self.draws + 1) * self.variants.len() as u64
    }

    /// How many variants every draw has.
    pub fn variants(&self) -> u64 {
        self.variants.len() as u64
    }

    /// What `--set` needs for run i.
    pub fn overrides(&self, i: u64) -> Vec<String> {
        let m = self.variants();
        let mut overrides = self.variants[(i % m) as usize].clone();
        let draw = i / m;
        if draw > 0 {
            let mut random = SampleRandom::new(self.seed, draw);
            overrides.extend(self.perturbed.iter().map(|p| p.set(p.draw(&mut random))));
        }
        overrides
    }

    /// The scenario of a run.
    ///
    /// # Errors
    /// A perturbed value that the scenario refuses.
    pub fn build(&self, overrides: &[String]) -> Result<Experiment, ScenarioError> {
        let mut table = self.base.clone();
        apply_overrides(&mut table, overrides)?;
        let scenario: Scenario = from_overridden(&self.file, &table, overrides)?;
        scenario.check(&self.file)?;
        let mut experiment = Experiment::cached(&self.file, scenario, &self.laws, &self.cache)?;
        experiment.stop = self.stop.clone();
        Ok(experiment)
    }
}

impl Perturbed {
    fn new(entry: &PerturbEntry, base: &Table) -> Result<Self, String> {
        let (width, normal) = match (entry.uniform, entry.normal) {
            (Some(width), None) => (width, false),
            (None, Some(width)) => (width, true),
            _ => {
                return Err(
                    "give either uniform (half the width) or normal (the deviation)".into(),
                );
            }
        };
        if !(width.is_finite() && width >= 0.0) {
            return Err(format!("the width is {width}, it must be at least 0"));
        }
        let stated = number_at(base, &entry.key);
        let assumed = entry.key.starts_with(MASS_SCALE).then_some(1.0);
        let nominal = stated.or(assumed).ok_or_else(|| {
            format!(
                "the scenario has no number at \"{}\"; write it into the scenario to perturb it",
                entry.key
            )
        })?;
        if entry.relative && nominal == 0.0 {
            return Err(format!(
                "a share of \"{}\", which is 0, is nothing; remove relative",
                entry.key
            ));
        }
        Ok(Self {
            key: entry.key.clone(),
            nominal,
            width: if entry.relative {
                width * nominal.abs()
            } else {
                width
            },
            normal,
        })
    }

    fn set(&self, value: f64) -> String {
        format!("{}={value:?}", self.key)
    }

    fn draw(&self, random: &mut SampleRandom) -> f64 {
        // Two words for either distribution, so that changing one leaves the draws of the others.
        let (a, b) = (random.uniform(), random.uniform());
        let standard = if self.normal {
            // Box and Muller.
            (-2.0 * (1.0 - a).ln()).sqrt() * (TAU * b).cos()
        } else {
            2.0 * a - 1.0
        };
        self.nominal + self.width * standard
    }
}

/// Overrides of each variant; the first has none. An error is a key and what is wrong.
fn variants(
    experiment: &Experiment,
    entry: &RobustEntry,
) -> Result<Vec<Vec<String>>, (String, String)> {
    let scenario = &experiment.scenario;
    let law = (experiment.laws.get(&scenario.impact.law))
        .map_err(|error| ("orders".to_string(), error.to_string()))?;
    let ordered = law.key_of(KeyRole::Order).is_some();
    let mut variants = vec![Vec::new()];
    for order in &entry.orders {
        if order == "all" {
            let reason = "a robust run follows one order; name most-violated, least-violated, index or random";
            return Err(("orders".to_string(), reason.to_string()));
        }
        if !ordered {
            let reason = format!("law \"{}\" does not treat contacts in an order", law.name);
            return Err(("orders".to_string(), reason));
        }
        if *order != scenario.impact.order {
            variants.push(vec![format!("impact.order={order}")]);
        }
    }
    let draws = experiment.law().is_ok_and(|law| law.draws_at_random());
    if entry.seeds > 0 && !ordered && !draws {
        let reason = format!(
            "law \"{}\" draws nothing at random; remove the key",
            law.name
        );
        return Err(("seeds".to_string(), reason));
    }
    for k in 1..=entry.seeds {
        let seed = format!("impact.seed={}", scenario.impact.seed.wrapping_add(k));
        variants.push(if ordered {
            vec!["impact.order=random".to_string(), seed]
        } else {
            vec![seed]
        });
    }
    Ok(variants)
}
