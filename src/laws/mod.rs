//! Impact laws by name, for files and the command line, and answers to problems in the names of the problem.
//!
//! A [`LawRegistry`] holds laws under the names that scenarios, problem files and options use: `propagative`,
//! `plastic`, `stronge`, `max-dissipation`, `plus`, `routh`, `anitescu-potra`, `sequential`, and those that a program
//! adds. An entry knows the keys of the law's settings (room `impact::settings`) and builds the law from texts
//! ([`LawDraft`]). An unknown name is answered with the nearest one, a name given twice is an error.
//!
//! A problem file is JSON: `name`, `mass_matrix`, `velocity` or `momentum`, `contacts` with `name`, `normal`,
//! `tangents`, `friction`, `restitution`; SI units; one object or an array, of which each problem may fail on its own.
//! [`answer`] solves one by a law, refuses friction that the law would ignore, and writes outcomes, verdict, ξ,
//! certificate and the law's own report by name.
//!
//! # Example
//!
//! ```
//! use carom::laws::{ImpactFile, LawRegistry, answer};
//!
//! let text = r#"{"name": "cradle", "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [1, 0, 0],
//!     "contacts": [{"name": "AB", "normal": [-1, 1, 0]}, {"name": "BC", "normal": [0, -1, 1]}]}"#;
//! let file = ImpactFile::parse("cradle.json", text)?;
//! let problem = file.problems[0].problem.as_ref().map_err(|e| e.to_string())?;
//! let laws = LawRegistry::standard();
//! let mut draft = laws.get("propagative")?.draft();
//! draft.set("order", "least-violated")?;
//! let said = answer(draft.build()?.as_mut(), &file.problems[0].name, problem)?;
//! assert_eq!(said.unique, Some(true));
//! assert!((said.outcomes[0].velocity[2] - 1.0).abs() < 1e-14);
//! let sequence = said.outcomes[0].sequence.as_ref().ok_or("no sequence")?;
//! assert_eq!(sequence, &["AB", "BC"]);
//! assert!(laws.get("propogative").unwrap_err().to_string().contains("did you mean"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod draft;
mod impact_file;
mod registry;
mod setting;

pub use answer::{
    AngleAnswer, CertificateAnswer, EnumeratedSequences, FailedAnswer, ImpactAnswer, NamedImpulse,
    OutcomeAnswer,
};
pub use draft::LawDraft;
pub(crate) use impact_file::ProblemEntry;
pub use impact_file::{ImpactFile, ImpactFileError, NamedProblem, ProblemError};
pub use registry::{
    DuplicateLawError, LawEntry, LawRegistry, UnknownLawError, answer, unused_restitution,
};
pub use setting::LawSetting;
