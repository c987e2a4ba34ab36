//! What reads files, each with what an answer must be: an error that says where, or numbers that are.

use std::fs;
use std::path::{Path, PathBuf};

use carom::baseline::Baseline;
use carom::files::{OutputFolder, RUN_OUTPUT};
use carom::hybrid::{State, Unwatched};
use carom::impact::ImpactProblem;
use carom::laws::{ImpactFile, LawRegistry, answer};
use carom::metric::{Expression, Names, Quantity};
use carom::model::{Base, ModelError, urdf};
use carom::record::{Recorder, Run, RunEnd, SavedRun};
use carom::scenario::{ControllerEntry, Experiment, Inspection, RobotState, Scenario, read_gait};
use carom::study::design::DesignFile;
use carom::study::granular::GranularScenario;
use std::ops::ControlFlow;

use crate::folder::Folder;

/// Steps of a run that tell whether it goes on with numbers.
const STEPS: u64 = 3;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Scenario,
    Urdf,
    Xacro,
    Impact,
    Gait,
    State,
    Saved,
    Baseline,
    Metric,
    Design,
}

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::Scenario,
        Self::Urdf,
        Self::Xacro,
        Self::Impact,
        Self::Gait,
        Self::State,
        Self::Saved,
        Self::Baseline,
        Self::Metric,
        Self::Design,
    ];

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A place to write in that holds the shipped robots, and runs to go on from.
pub struct Bench {
    folder: Folder,
    /// Texts by kind.
    pub seeds: Vec<(Kind, Vec<String>)>,
    saved: Experiment,
}

impl Bench {
    pub fn new() -> Self {
        let folder = Folder::new("fuzz");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // All in one folder: every changed scenario finds every robot.
        let all = folder.path("robots/all");
        for robot in fs::read_dir(root.join("robots")).unwrap() {
            let robot = robot.unwrap();
            if robot.file_type().unwrap().is_dir() {
                copy(&robot.path(), &all);
            }
        }
        let shipped = files(&all);
        let texts = |extension: &str, part: fn(&str) -> bool| -> Vec<String> {
            let wanted = shipped
                .iter()
                .filter(|f| f.extension().is_some_and(|e| e == extension));
            let texts = wanted.map(|f| fs::read_to_string(f).unwrap());
            texts.filter(|text| part(text)).collect()
        };
        let small = |text: &str| text.len() < 20_000;
        let scenario = folder.path("robots/all/saved.toml");
        // The block stands on two corners: contacts are held.
        let text = fs::read_to_string(folder.path("robots/all/rock.toml")).unwrap();
        fs::write(&scenario, text).unwrap();
        let saved = experiment(&scenario, 40);
        let run = folder.path("run");
        record(&saved, &run, 20);
        let baseline =
            Baseline::record(&scenario, short(&scenario, 5), &Default::default()).unwrap();
        let impacts = files(&root.join("examples/impacts"));
        let seeds = vec![
            (
                Kind::Scenario,
                texts("toml", |t| {
                    t.contains("time_step") && !t.contains("[[stance")
                }),
            ),
            (Kind::Urdf, texts("urdf", small)),
            (
                Kind::Xacro,
                [texts("xacro", small), vec![XACRO.to_string()]].concat(),
            ),
            (
                Kind::Impact,
                impacts
                    .iter()
                    .map(|f| fs::read_to_string(f).unwrap())
                    .collect(),
            ),
            (Kind::Gait, texts("toml", |t| t.contains("[[leg"))),
            (Kind::State, vec![STATE.to_string(), PLANAR.to_string()]),
            (
                Kind::Saved,
                vec![fs::read_to_string(run.join("state.json")).unwrap()],
            ),
            (
                Kind::Baseline,
                vec![baseline.text(scenario.parent().unwrap()).unwrap()],
            ),
            (Kind::Metric, METRICS.map(str::to_string).to_vec()),
            (Kind::Design, texts("toml", |t| t.contains("[[stance"))),
        ];
        Self {
            folder,
            seeds,
            saved,
        }
    }

    /// Reads a text of a kind as the program would: `Ok` with what is wrong, or `Err` with why the answer is wrong.
    pub fn read(&self, kind: Kind, text: &str) -> Result<Option<String>, String> {
        let told = match kind {
            Kind::Scenario => self.scenario(text),
            Kind::Urdf => robot(urdf::parse(text, "fuzz.urdf").map(|robot| vec![robot])),
            Kind::Xacro => {
                let file = self.folder.write("robots/all/fuzz.xacro", text);
                let options = urdf::LoadOptions::default();
                robot(urdf::load(&file, &options).map(|robot| vec![robot]))
            }
            Kind::Impact => impacts(text),
            Kind::Gait => {
                let file = self.folder.write("fuzz_gait.toml", text);
                Ok(read_gait(&file).err().map(|e| e.to_string()))
            }
            Kind::State => Ok(state(text).err()),
            Kind::Saved => self.saved(text),
            Kind::Baseline => self.baseline(text),
            Kind::Metric => metric(text),
            Kind::Design => Ok(DesignFile::parse("fuzz.toml", text, &[])
                .err()
                .map(|e| e.to_string())),
        }?;
        let nameless = matches!(kind, Kind::Metric | Kind::Impact);
        if let Some(message) = &told
            && !nameless
            && !message.contains("fuzz")
            && !message.contains("state.json")
            && !message.contains("robots/")
        {
            return Err(format!("the message names no file: {message}"));
        }
        Ok(told)
    }

    fn scenario(&self, text: &str) -> Result<Option<String>, String> {
        let file = self.folder.write("robots/all/fuzz.toml", text);
        let name = file.display().to_string();
        match GranularScenario::read(&file, &[]) {
            Ok(None) => {}
            Ok(Some(_)) => return Ok(None),
            Err(error) => return Ok(Some(error.to_string())),
        }
        let scenario = match Scenario::read(&file, &[]) {
            Ok(scenario) => scenario,
            Err(error) => return Ok(Some(error.to_string())),
        };
        // Programs that a changed text names are not started.
        if matches!(scenario.controller, ControllerEntry::External(_)) {
            return Ok(None);
        }
        match Experiment::new(&name, scenario) {
            Ok(experiment) => go(&experiment, Run::new(&experiment)),
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    fn saved(&self, text: &str) -> Result<Option<String>, String> {
        let folder = self.folder.path("run");
        fs::write(folder.join("state.json"), text).unwrap();
        match SavedRun::read(&folder, &self.saved) {
            Ok(saved) => {
                let run = Run::resumed(&self.saved, saved.state.clone());
                go(&self.saved, run)
            }
            Err(error) => Ok(Some(error.to_string())),
        }
    }

    fn baseline(&self, text: &str) -> Result<Option<String>, String> {
        let file = self.folder.write("robots/all/fuzz.toml", text);
        let read = match Baseline::read(&file, &[]) {
            Ok(read) => read,
            Err(error) => return Ok(Some(error.to_string())),
        };
        let again = self.folder.path("robots/all/fuzz_again.toml");
        read.write(&again)
            .map_err(|e| format!("it cannot be written: {e}"))?;
        Baseline::read(&again, &[]).map_err(|e| format!("what was written cannot be read: {e}"))?;
        Ok(None)
    }
}

fn short(file: &Path, steps: u64) -> Scenario {
    let mut scenario = Scenario::read(file, &[]).unwrap();
    scenario.duration = steps as f64 * scenario.time_step;
    scenario
}

fn experiment(file: &Path, steps: u64) -> Experiment {
    Experiment::new(&file.display().to_string(), short(file, steps)).unwrap()
}

fn record(experiment: &Experiment, folder: &Path, steps: u64) {
    let mut run = Run::new(experiment).unwrap();
    let progress = |_| ControlFlow::Continue(());
    let held = OutputFolder::hold(folder, &RUN_OUTPUT).unwrap();
    let mut recorder = Recorder::create(experiment, held, progress).unwrap();
    assert_eq!(run.advance(steps, &mut recorder).unwrap(), RunEnd::Reached);
    let mut state = serde_json::to_value(run.state()).unwrap();
    state["strikes"] = serde_json::json!([
        { "contact": 0, "known": 1, "times": [0.01, 0.0, 0.0], "speeds": [1.0, 0.0, 0.0] },
    ]);
    let state: State = serde_json::from_value(state).unwrap();
    assert!(!state.held.is_empty());
    let ended = recorder.finish(run.simulation(), &state, None).unwrap();
    ended.publish().unwrap();
}

/// A run takes some steps, and then stands at numbers; or it says at which coordinate or contact it stopped.
fn go(
    experiment: &Experiment,
    run: Result<Run, carom::scenario::ScenarioError>,
) -> Result<Option<String>, String> {
    let mut run = match run {
        Ok(run) => run,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let last = (run.state().step + STEPS).min(experiment.scenario.steps());
    let Ok(end) = run.advance(last, &mut Unwatched);
    if let RunEnd::Failed(error) = end {
        let message = error.to_string();
        if message.contains("not finite") && !message.contains('"') && !message.contains("the work")
        {
            return Err(format!("no coordinate is named: {message}"));
        }
        return Ok(None);
    }
    let state = run.state();
    let mut numbers = state.q.iter().chain(&state.p);
    if !numbers.all(|x| x.is_finite()) {
        return Err(format!(
            "a completed run stands at {:?} {:?}",
            state.q, state.p
        ));
    }
    let energies = run.simulation().energies().map_err(|e| e.to_string())?;
    if !energies.balance().is_finite() {
        return Err(format!("a completed run has the energies {energies:?}"));
    }
    Ok(None)
}

fn robot(
    robots: Result<Vec<carom::model::ModelBuilder>, ModelError>,
) -> Result<Option<String>, String> {
    let robots = match robots {
        Ok(robots) => robots,
        Err(error) => return Ok(Some(error.to_string())),
    };
    for robot in robots {
        for base in [Base::Fixed, Base::Planar, Base::Floating] {
            let model = match robot.clone().base(base).build() {
                Ok(model) => model,
                Err(error) => return Ok(Some(error.to_string())),
            };
            let q = model.neutral_configuration();
            let v = vec![1.0; model.dof()];
            let inspection = Inspection::new(&model);
            if !inspection.mass.is_finite() {
                return Err(format!("a robot of {} kg", inspection.mass));
            }
            // Refused, or every number is one: the type's own check is what is tried here.
            if let Ok(inspection) = Inspection::in_state(&model, &q, &v) {
                let state = serde_json::to_value(&inspection.state).unwrap();
                if state.to_string().contains("null") && inspection.mass > 0.0 {
                    return Err(format!("a number is none: {state}"));
                }
            }
        }
    }
    Ok(None)
}

fn impacts(text: &str) -> Result<Option<String>, String> {
    let file = match ImpactFile::parse("fuzz.json", text) {
        Ok(file) => file,
        Err(error) => return Ok(Some(error.to_string())),
    };
    for named in &file.problems {
        match &named.problem {
            Ok(problem) => solve(problem)?,
            Err(error) => return Ok(Some(error.to_string())),
        }
    }
    Ok(None)
}

fn solve(problem: &ImpactProblem) -> Result<(), String> {
    for entry in LawRegistry::standard().entries() {
        let mut law = entry.build().map_err(|e| e.to_string())?;
        let Ok(answer) = answer(&mut *law, "fuzz", problem) else {
            continue;
        };
        for outcome in &answer.outcomes {
            let mut numbers = outcome.velocity.iter().chain(&outcome.momentum);
            if !numbers.all(|x| x.is_finite()) {
                return Err(format!("{}: an outcome that is not finite", entry.name));
            }
        }
    }
    Ok(())
}

fn state(text: &str) -> Result<(), String> {
    let state = RobotState::parse("fuzz.json", text).map_err(|e| e.to_string())?;
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/rhex/rhex.urdf");
    let base = state.base().unwrap_or(Base::Fixed);
    let robot = urdf::load(&robot, &urdf::LoadOptions::default()).unwrap();
    let model = robot.base(base).build().unwrap();
    let (q, v) = state.of(&model).map_err(|e| e.to_string())?;
    match Inspection::in_state(&model, &q, &v) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("fuzz.json: {error}")),
    }
}

struct Table;

impl Names for Table {
    fn value(&self, name: &str) -> Option<Quantity> {
        match name {
            "q_base.x" => Some(Quantity::Series(vec![1.0, -4.0, 3.0])),
            "summary.time_s" => Some(Quantity::Number(2.0)),
            "gap_a \"b\"_m" => Some(Quantity::Number(-1.0)),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        ["q_base.x", "summary.time_s"].map(str::to_string).to_vec()
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0, 3.0]
    }
}

fn metric(text: &str) -> Result<Option<String>, String> {
    let value = Expression::parse(text).and_then(|e| e.evaluate(&Table));
    Ok(value.err().map(|e| e.to_string()))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All files below a folder, in a fixed order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

const STATE: &str = r#"{"base": {"position": [0, 0, 0.5], "quaternion": [0, 0, 0, 1], "twist": [0, 0, 0, 0, 0, 0]},
 "joints": {"hip_left_front": 0.1}, "velocities": {"hip_right_front": 0.5}}"#;
const PLANAR: &str = r#"{"base": {"x": 0, "z": 1, "pitch": 0.1, "vx": 0, "vz": -1, "wpitch": 0}}"#;
const METRICS: [&str; 5] = [
    "max(abs(q_base.x))",
    "(last(q_base.x) - first(q_base.x)) / summary.time_s",
    "-2^2 + 2^-1 * (1e+1 - 2)",
    "max(max(q_base.x, \"gap_a \"\"b\"\"_m\"))",
    "max(max(q_base.x, 2 * q_base.x, 1)) ^ 0.5 + integral(q_base.x) + mean(sqrt(q_base.x))",
];
const XACRO: &str = r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="n" default="3"/>
  <xacro:property name="a" value="$(arg n)"/>
  <xacro:property name="b" value="${a * 2 + sin(pi)}"/>
  <xacro:macro name="part" params="name mass:=${b} *origin">
    <link name="${name}"><inertial><xacro:insert_block name="origin"/><mass value="${mass}"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  </xacro:macro>
  <xacro:macro name="loop" params="i">
    <xacro:if value="${i > 0}">
      <xacro:part name="l${i}"><origin xyz="0 0 ${i}"/></xacro:part>
      <joint name="j${i}" type="fixed"><parent link="base"/><child link="l${i}"/></joint>
      <xacro:loop i="${i - 1}"/>
    </xacro:if>
  </xacro:macro>
  <link name="base"/>
  <xacro:loop i="${a}"/>
</robot>"#;
