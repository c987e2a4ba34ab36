//! Controllers that are programs of their own, in any language: one JSON document a line, state in on standard input,
//! efforts out on standard output.
//!
//! The program is started at the first step and ended with the run. It answers every message but the last with one
//! line, and must flush it:
//!
//! | carom writes | the program answers |
//! |---|---|
//! | `{"type": "hello", "number": 1, "protocol": 1, "model": "trex", "joints": [..], "effort_limits": [..], "q": [..], "v": [..], "contacts": [..], "time_step": 0.001}` | `{"type": "ready"}` |
//! | `{"type": "state", "number": 2, "time": 0.1, "q": [..], "v": [..], "gaps": [..], "first_impact": null}`, once a step | `{"type": "efforts", "efforts": [..]}` |
//! | `{"type": "bye"}`, then end of input | nothing; it ends |
//!
//! In `hello`, `joints` are the driven joints in the order of the efforts, `effort_limits` their largest efforts (null:
//! none), `q`, `v` and `contacts` the names of the numbers in `state`. All in SI units; numbers read back to the same
//! bits. Efforts \[N m or N\] stay constant over the step and are cut off at the limits. Instead of an answer the program
//! may write `{"type": "error", "reason": ".."}`. Other keys are left unread. What it writes on standard error is kept for
//! messages.
//!
//! Messages are numbered from 1. An answer may repeat the `number` of its message, and should: one with another number is an
//! error, and so is a line that no message asked for. Without numbers such a line is noticed where it stands before the next
//! message is sent. A program whose efforts depend on the messages alone gives the same run every time; one that keeps a memory
//! of its own starts anew in a resumed run and in every branch of `impact.order = "all"`.
//!
//! # Example
//!
//! A program that always pushes with 1.5 N m, here a line of the shell.
//!
//! ```
//! # use carom_mechanics as carom;
//! # #[cfg(unix)] {
//! use carom::control::DrivenJoint;
//! use carom::control::external::{ExternalController, ExternalSettings};
//! use carom::hybrid::{Simulation, Unwatched};
//! use carom::model::sample::chain;
//! use std::time::Duration;
//!
//! let answers = r#"while read -r message; do case $message in
//!     *hello*) echo '{"type": "ready"}' ;;
//!     *state*) echo '{"type": "efforts", "efforts": [1.5]}' ;;
//! esac; done"#;
//! let model = chain(2)?;
//! let joint = DrivenJoint::new(&model, "joint1", None)?;
//! let program = ExternalController::new(ExternalSettings {
//!     command: ["sh", "-c", answers].map(String::from).to_vec(),
//!     directory: std::env::temp_dir(),
//!     joints: vec![("joint1".to_string(), joint)],
//!     contacts: Vec::new(),
//!     timeout: Duration::from_secs(10),
//! })?;
//! let mut driven = Simulation::builder(model).controller(program).time_step(1e-3).build()?;
//! driven.run_until(0.01, &mut Unwatched)?;
//! let mut free = Simulation::builder(chain(2)?).time_step(1e-3).build()?;
//! free.run_until(0.01, &mut Unwatched)?;
//! assert!(driven.state().p[0] > free.state().p[0]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::external_process::ExternalProcess;
use super::{ControlError, Controller, DrivenJoint, ExternalError, Observation};

/// Version of the messages.
const PROTOCOL: u32 = 1;

/// Which program controls which joints.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which it runs.
    pub directory: PathBuf,
    /// The joints and their names, in the order of the efforts.
    pub joints: Vec<(String, DrivenJoint)>,
    /// Names of the contacts.
    pub contacts: Vec<String>,
    /// Time for an answer.
    pub timeout: Duration,
}

/// A controller that asks another program.
pub struct ExternalController {
    settings: ExternalSettings,
    process: Option<ExternalProcess>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message<'a> {
    Hello {
        number: u64,
        protocol: u32,
        model: &'a str,
        joints: Vec<&'a str>,
        effort_limits: Vec<Option<f64>>,
        q: &'a [String],
        v: &'a [String],
        contacts: &'a [String],
        time_step: f64,
    },
    State {
        number: u64,
        time: f64,
        q: &'a [f64],
        v: &'a [f64],
        gaps: &'a [f64],
        first_impact: Option<f64>,
    },
    Bye,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Answer {
    Ready {
        number: Option<u64>,
    },
    Efforts {
        number: Option<u64>,
        /// A missing number (null) is what some languages make of NaN.
        efforts: Vec<Option<f64>>,
    },
    Error {
        reason: String,
    },
}

impl Answer {
    /// The message that it says it answers.
    fn number(&self) -> Option<u64> {
        match self {
            Self::Ready { number } | Self::Efforts { number, .. } => *number,
            Self::Error { .. } => None,
        }
    }
}

impl ExternalController {
    /// A controller whose program is not started yet.
    ///
    /// # Errors
    /// There is no such program, no joint, a joint twice, or no time for an answer.
    pub fn new(settings: ExternalSettings) -> Result<Self, ControlError> {
        let fail = |reason: &str| {
            Err(ControlError {
                reason: reason.to_string(),
            })
        };
        if settings.command.first().is_none_or(String::is_empty) {
            return fail("command is empty; give the program and its arguments");
        }
        if !is_there(&settings.command[0], &settings.directory) {
            return fail(&format!(
                "there is no program \"{}\": neither in {} nor, for a plain name, on the path",
                settings.command[0],
                settings.directory.display()
            ));
        }
        if settings.joints.is_empty() {
            return fail("joints is empty; name the joints that the program drives");
        }
        if settings.timeout.is_zero() {
            return fail("timeout_s is 0, it must be positive");
        }
        for (i, (name, _)) in settings.joints.iter().enumerate() {
            if settings.joints[..i].iter().any(|(other, _)| other == name) {
                return fail(&format!("joint \"{name}\" is named twice"));
            }
        }
        Ok(Self {
            settings,
            process: None,
        })
    }

    /// Starts the program and greets it.
    fn start(&self, observation: &Observation<'_>) -> Result<ExternalProcess, ExternalError> {
        let settings = &self.settings;
        let mut process = ExternalProcess::start(&settings.command, &settings.directory)?;
        let limit = |joint: &DrivenJoint| Some(joint.effort_limit).filter(|x| x.is_finite());
        let hello = Message::Hello {
            number: process.next(),
            protocol: PROTOCOL,
            model: observation.model.name(),
            joints: settings.joints.iter().map(|(n, _)| n.as_str()).collect(),
            effort_limits: settings.joints.iter().map(|(_, j)| limit(j)).collect(),
            q: observation.model.configuration_names(),
            v: observation.model.coordinate_names(),
            contacts: &settings.contacts,
            time_step: observation.time_step,
        };
        match ask(&mut process, &hello, settings.timeout)? {
            (Answer::Ready { .. }, _) => Ok(process),
            (_, text) => Err(process.malformed(
                "the answer to hello is {\"type\": \"ready\"}".to_string(),
                &text,
            )),
        }
    }

    fn answer(&mut self, observation: &Observation<'_>) -> Result<Vec<f64>, ExternalError> {
        if self.process.is_none() {
            self.process = Some(self.start(observation)?);
        }
        let Some(process) = &mut self.process else {
            return Ok(Vec::new());
        };
        let state = Message::State {
            number: process.next(),
            time: observation.time,
            q: observation.q,
            v: observation.v,
            gaps: observation.gaps,
            first_impact: observation.first_impact,
        };
        let joints = &self.settings.joints;
        let (answer, text) = ask(process, &state, self.settings.timeout)?;
        let Answer::Efforts { efforts, .. } = answer else {
            let right = "the answer to state is {\"type\": \"efforts\", \"efforts\": [..]}";
            return Err(process.malformed(right.to_string(), &text));
        };
        if efforts.len() != joints.len() {
            return Err(ExternalError::Length {
                program: process.name().to_string(),
                line: process.line(),
                expected: joints.len(),
                found: efforts.len(),
            });
        }
        let pairs = efforts.into_iter().zip(joints);
        pairs
            .map(|(effort, (joint, _))| {
                effort
                    .filter(|x| x.is_finite())
                    .ok_or_else(|| ExternalError::NotFinite {
                        program: process.name().to_string(),
                        line: process.line(),
                        joint: joint.clone(),
                    })
            })
            .collect()
    }
}

/// Whether a program exists: a plain name on the path, otherwise a file from a folder. Only the start
/// tells whether it can be run.
fn is_there(program: &str, directory: &Path) -> bool {
    if Path::new(program).components().count() > 1 {
        return directory.join(program).exists();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| {
        let file = folder.join(program);
        file.exists() || (cfg!(windows) && file.with_extension("exe").exists())
    })
}

/// Sends a message and reads the answer, with its text.
fn ask(
    process: &mut ExternalProcess,
    message: &Message<'_>,
    timeout: Duration,
) -> Result<(Answer, String), ExternalError> {
    // Finite numbers and text: JSON takes them.
    let line = serde_json::to_string(message).unwrap_or_default();
    let text = process.ask(line, timeout)?;
    match serde_json::from_str(&text) {
        Ok(Answer::Error { reason }) => Err(ExternalError::Refused {
            program: process.name().to_string(),
            line: process.line(),
            reason,
        }),
        Ok(answer) => {
            if let Some(number) = answer.number().filter(|n| *n != process.line()) {
                let reason = format!(
                    "it answers message {number}, not message {}",
                    process.line()
                );
                return Err(process.malformed(reason, &text));
            }
            Ok((answer, text))
        }
        Err(error) => {
            let not_a_number = ["NaN", "Infinity", "nan", "inf"];
            let reason = if not_a_number.iter().any(|word| text.contains(word)) {
                "NaN and infinity are no numbers of JSON; an effort must be finite".to_string()
            } else {
                format!("it is not an answer: {error}")
            };
            Err(process.malformed(reason, &text))
        }
    }
}

impl Controller for ExternalController {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        let answer = self.answer(observation)?;
        for (effort, (_, joint)) in answer.into_iter().zip(&self.settings.joints) {
            joint.drive(effort, efforts);
        }
        Ok(())
    }

    /// The program is ended; the next step starts it anew.
    fn reset(&mut self) {
        self.end();
    }
}

impl ExternalController {
    fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.end(serde_json::to_string(&Message::Bye).ok());
        }
    }
}

impl Drop for ExternalController {
    fn drop(&mut self) {
        self.end();
    }
}
