//! Branching runs: every distinct outcome of every impact is followed as a branch of its own.
//!
//! All branches advance in lockstep. An impact with several outcomes forks its branch; branches
//! whose states agree to a tolerance are merged, the younger into the older; the number of branches
//! that run at once is bounded, and what is left out is counted.

use serde::Serialize;

use super::Metric;
use crate::control::Controller;
use crate::hybrid::{Event, Fork, Simulation};
use crate::scenario::{Experiment, ScenarioError};

/// What became of one branch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BranchSummary {
    /// Number of the branch; 0 takes the first outcome of every impact.
    pub id: usize,
    /// Branch that it left.
    pub parent: Option<usize>,
    /// When it left \[s\].
    pub forked_at_s: f64,
    /// Contacts of the impact at which it left.
    pub contacts: Vec<String>,
    /// Sequence that this branch took there.
    pub sequence: Vec<String>,
    /// ξ of that impact.
    pub indeterminacy: f64,
    /// Branch that it was merged into, and when \[s\].
    pub merged_into: Option<usize>,
    /// When it was merged \[s\].
    pub merged_at_s: Option<f64>,
    /// Why it stopped early, if it did.
    pub stopped: Option<String>,
    /// Last time of the branch \[s\].
    pub ended_at_s: f64,
    /// Impacts on its way, those before it left included.
    pub impacts: u64,
}

/// All branches of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BranchTree {
    /// The branches, by number.
    pub branches: Vec<BranchSummary>,
    /// Outcomes that were not followed because the budget of branches was spent.
    pub not_followed: usize,
    /// True when every outcome was followed.
    pub complete: bool,
}

/// Sees the branches of a run.
pub(crate) trait BranchWatcher {
    /// A branch begins: the impact at which it left, `None` for branch 0.
    ///
    /// # Errors
    /// What cannot be written stops the run.
    fn begin(&mut self, branch: usize, fork: Option<&Event>) -> std::io::Result<()>;

    /// Events of one step of a branch.
    ///
    /// # Errors
    /// As [`BranchWatcher::begin`].
    fn events(&mut self, branch: usize, events: &[Event]) -> std::io::Result<()>;

    /// A completed step of a branch.
    fn step(&mut self, branch: usize, simulation: &Simulation);

    /// A row of the output: all running branches, with their numbers, at one time.
    ///
    /// # Errors
    /// As [`BranchWatcher::begin`].
    fn row(&mut self, running: &mut [(usize, &mut Simulation)]) -> std::io::Result<()>;

    /// Whether to stop before the next step.
    fn wants_to_stop(&self) -> bool {
        false
    }
}

/// One branch at work.
struct Branch {
    id: usize,
    simulation: Simulation,
    controller: Box<dyn Controller>,
    efforts: Vec<f64>,
    /// Whether the efforts of the present step are given because it began in the parent.
    inherited: bool,
}

/// Runs all branches of an experiment for a number of whole steps, or to its end when those are all: where that lies
/// between two steps, the last one is shorter.
///
/// # Errors
/// A start that is refused, or what the watcher cannot write. A branch that fails on its way stops
/// and says why; the others go on.
pub(crate) fn run_branches(
    experiment: &Experiment,
    steps: u64,
    watcher: &mut dyn BranchWatcher,
) -> Result<BranchTree, BranchError> {
    let settings = &experiment.scenario.impact;
    let mut runner = Runner {
        experiment,
        tree: BranchTree {
            branches: Vec::new(),
            not_followed: 0,
            complete: true,
        },
        running: Vec::new(),
        budget: settings.branch_budget.max(1),
        tolerance: settings.branch_tolerance,
        metric: Metric::new(&experiment.model),
        cut: None,
    };
    let first = experiment.simulation()?.following_all_outcomes();
    runner.begin(first, None, watcher)?;
    runner.settle(watcher)?;
    runner.row(watcher)?;
    let scenario = &experiment.scenario;
    let end = scenario
        .end_between_steps()
        .filter(|_| steps == scenario.steps());
    for step in 1..=steps {
        runner.step_all(step, watcher)?;
        let last = step == steps && end.is_none();
        if step % scenario.output.every == 0 || last {
            runner.row(watcher)?;
        }
    }
    if end.is_some() {
        runner.cut = end;
        runner.step_all(steps + 1, watcher)?;
        runner.row(watcher)?;
    }
    for branch in &runner.running {
        runner.tree.branches[branch.id].ended_at_s = branch.simulation.time();
        runner.tree.branches[branch.id].impacts = branch.simulation.state().impacts;
    }
    Ok(runner.tree)
}

/// Why a branching run cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BranchError {
    /// The experiment cannot start.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The results cannot be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
    /// The watcher asked to stop.
    #[error("stopped before every branch was followed to its end")]
    Interrupted,
}

struct Runner<'a> {
    experiment: &'a Experiment,
    tree: BranchTree,
    running: Vec<Branch>,
    budget: usize,
    tolerance: f64,
    metric: Metric,
    /// Where the present step ends before its end \[s\].
    cut: Option<f64>,
}

impl Runner<'_> {
    fn begin(
        &mut self,
        simulation: Simulation,
        fork: Option<(usize, Fork)>,
        watcher: &mut dyn BranchWatcher,
    ) -> Result<(), BranchError> {
        let id = self.tree.branches.len();
        let contacts = &self.experiment.contacts;
        let impact = fork.as_ref().and_then(|(_, f)| f.event.impact.as_ref());
        self.tree.branches.push(BranchSummary {
            id,
            parent: fork.as_ref().map(|(parent, _)| *parent),
            forked_at_s: simulation.time(),
            contacts: fork
                .as_ref()
                .map_or_else(Vec::new, |(_, f)| contacts.names_of(&f.event.contacts)),
            sequence: impact.map_or_else(Vec::new, |i| contacts.names_of(&i.sequence)),
            indeterminacy: impact.map_or(0.0, |i| i.uniqueness.indeterminacy()),
            merged_into: None,
            merged_at_s: None,
            stopped: None,
            ended_at_s: simulation.time(),
            impacts: simulation.state().impacts,
        });
        watcher.begin(id, fork.as_ref().map(|(_, f)| &f.event))?;
        let n = self.experiment.model.dof();
        // A branch that begins at the end of a step asks its controller for the next one.
        let begins_inside = !simulation.is_between_steps();
        let given = fork.map(|(_, f)| f.applied);
        let given = given.filter(|a| a.len() == n && begins_inside);
        let controller = self.experiment.controller()?;
        self.running.push(Branch {
            id,
            simulation: simulation.driven_by(controller.as_ref()),
            controller,
            inherited: given.is_some(),
            efforts: given.unwrap_or_else(|| vec![0.0; n]),
        });
        Ok(())
    }

    /// What happens at time zero, in every branch that it opens.
    fn settle(&mut self, watcher: &mut dyn BranchWatcher) -> Result<(), BranchError> {
        let mut at = 0;
        while at < self.running.len() {
            let branch = &mut self.running[at];
            branch
                .simulation
                .settle()
                .map_err(ScenarioError::Simulation)?;
            self.after(at, watcher)?;
            at += 1;
        }
        Ok(())
    }

    /// Takes every branch to the end of a step.
    fn step_all(&mut self, step: u64, watcher: &mut dyn BranchWatcher) -> Result<(), BranchError> {
        if watcher.wants_to_stop() {
            return Err(BranchError::Interrupted);
        }
        let mut at = 0;
        // Forks are appended and finish the step in their turn.
        while at < self.running.len() {
            // One that forked at the end of the step is there.
            if self.running[at].is_at(step, self.cut) || self.step(at, watcher)? {
                at += 1;
            }
        }
        self.merge();
        Ok(())
    }

    /// Finishes the present step of one branch; false when the branch stopped and was removed.
    fn step(&mut self, at: usize, watcher: &mut dyn BranchWatcher) -> Result<bool, BranchError> {
        let branch = &mut self.running[at];
        if let Some(time) = self.cut {
            branch.simulation.cut_next_step(time);
        }
        match branch.step() {
            Ok(()) => {
                watcher.step(branch.id, &branch.simulation);
                self.after(at, watcher)?;
                Ok(true)
            }
            Err(reason) => {
                let events = branch.simulation.take_events();
                watcher.events(branch.id, &events)?;
                let summary = &mut self.tree.branches[branch.id];
                summary.stopped = Some(reason);
                summary.ended_at_s = branch.simulation.time();
                summary.impacts = branch.simulation.state().impacts;
                self.running.remove(at);
                Ok(false)
            }
        }
    }

    /// Hands on events and opens the forks of the last step of one branch.
    fn after(&mut self, at: usize, watcher: &mut dyn BranchWatcher) -> Result<(), BranchError> {
        let branch = &mut self.running[at];
        let parent = branch.id;
        let events = branch.simulation.take_events();
        let forks = branch.simulation.take_forks();
        watcher.events(parent, &events)?;
        // Where a law cannot tell, there may be outcomes that nobody follows.
        let incomplete = |e: &Event| {
            let impact = e.impact.as_ref();
            impact.is_some_and(|i| !i.uniqueness.complete())
        };
        if events.iter().any(incomplete) {
            self.tree.complete = false;
        }
        for fork in forks {
            if self.running.len() >= self.budget {
                self.tree.not_followed += 1;
                self.tree.complete = false;
                continue;
            }
            let simulation = self
                .experiment
                .resumed(fork.state.clone())?
                .following_all_outcomes();
            self.begin(simulation, Some((parent, fork)), watcher)?;
        }
        Ok(())
    }

    /// Merges every branch whose state agrees with that of an older one.
    fn merge(&mut self) {
        let (metric, tolerance) = (&mut self.metric, self.tolerance);
        let mut young = 1;
        while young < self.running.len() {
            let twin = (0..young).find(|&old| {
                let (a, b) = (
                    &self.running[old].simulation,
                    &self.running[young].simulation,
                );
                metric.agree(a, b, tolerance)
            });
            let Some(old) = twin else {
                young += 1;
                continue;
            };
            let into = self.running[old].id;
            let branch = self.running.remove(young);
            let summary = &mut self.tree.branches[branch.id];
            summary.merged_into = Some(into);
            summary.merged_at_s = Some(branch.simulation.time());
            summary.ended_at_s = branch.simulation.time();
            summary.impacts = branch.simulation.state().impacts;
        }
    }

    fn row(&mut self, watcher: &mut dyn BranchWatcher) -> Result<(), BranchError> {
        let mut running: Vec<(usize, &mut Simulation)> = self
            .running
            .iter_mut()
            .map(|b| (b.id, &mut b.simulation))
            .collect();
        watcher.row(&mut running)?;
        Ok(())
    }
}

impl Branch {
    /// Whether it is at the end of a step, or of one that is cut.
    fn is_at(&self, step: u64, cut: Option<f64>) -> bool {
        let state = self.simulation.state();
        state.step >= step || cut.is_some_and(|end| state.time >= end)
    }

    /// Finishes the present step; the reason is text because the branch ends with it.
    fn step(&mut self) -> Result<(), String> {
        let step = if std::mem::take(&mut self.inherited) {
            self.simulation.step(&self.efforts)
        } else {
            self.simulation.step_under(self.controller.as_mut())
        };
        step.map(|_| ()).map_err(|e| e.to_string())
    }
}
