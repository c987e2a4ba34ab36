//! The keys of every kind of file, said by the types that read them: JSON schemas for editors, and a page.
//!
//! | kind | file | read by |
//! |---|---|---|
//! | `scenario` | TOML | `carom simulate`, `compare`, `baseline` |
//! | `granular` | TOML, a scenario of particles (`stepper.kind = "time-stepping"`) | `carom simulate`, `compare` |
//! | `design` | TOML | `carom design` |
//! | `orbit-design` | TOML, a design with a table `[orbit]` | `carom design` |
//! | `sweep` | TOML | `carom sweep` |
//! | `gait` | TOML | `controller.gait` of a scenario |
//! | `impact` | JSON | `carom impact`, `compare` |
//! | `state` | JSON | `carom inspect --state` |
//!
//! [`FileKind::schema`] is a JSON schema of draft 7, the newest that editors of TOML know well. It is derived from the
//! types (`schemars`): descriptions are their documentation, defaults those with which files are read. The unit, which
//! stands in square brackets in a description, is also the keyword `x-unit`; what a parameter of a law takes is `x-allowed`. [`FileKind::sections`] is the same as rows,
//! [`page`] the same as text.
//!
//! What is declared: a file that a program of Carom takes is valid under its schema, with one exception: where serde takes a
//! list for a table (its values in order), the schema does not. What is valid may still be refused: names of joints,
//! links and contacts, keys that only some laws use, and numbers that depend on others are only known with the robot. A whole number
//! with a decimal point is one in JSON, and none in TOML. Infinity, which JSON does not have, is `null` where it makes
//! sense.
//!
//! # Example
//!
//! ```
//! use carom::schema::FileKind;
//!
//! let schema = FileKind::Scenario.schema();
//! assert_eq!(schema["properties"]["time_step"]["x-unit"], "s");
//! let sections = FileKind::Scenario.sections();
//! let output = sections.iter().find(|section| section.heading == "[output]").unwrap();
//! let every = output.keys.iter().find(|key| key.name == "every").unwrap();
//! assert_eq!((every.default.as_deref(), every.allowed.as_str()), (Some("10"), "at least 1"));
//! ```

mod cleaning;
mod page;
mod sections;
mod words;

pub use page::page;
pub use sections::{Key, Section};

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::control::Gait;
use crate::laws::ProblemEntry;
use crate::scenario::{Scenario, StateEntry};
use crate::study::design::DesignFile;
use crate::study::granular::GranularScenario;
use crate::study::orbit_design::OrbitDesignFile;
use crate::sweep::SweepFile;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// The experiment of a robot.
    Scenario,
    /// A flow of particles.
    Granular,
    /// A design problem.
    Design,
    /// A design problem on a periodic orbit.
    OrbitDesign,
    /// One subject, run many times.
    Sweep,
    /// A gait.
    Gait,
    /// Problems of one impact.
    Impact,
    /// The state of a robot.
    State,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Scenario,
        Self::Granular,
        Self::Design,
        Self::OrbitDesign,
        Self::Sweep,
        Self::Gait,
        Self::Impact,
        Self::State,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Granular => "granular",
            Self::Design => "design",
            Self::OrbitDesign => "orbit-design",
            Self::Sweep => "sweep",
            Self::Gait => "gait",
            Self::Impact => "impact",
            Self::State => "state",
        }
    }

    /// What files of the kind are, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Scenario => "the experiment of a robot (TOML)",
            Self::Granular => "a flow of particles, `stepper.kind = \"time-stepping\"` (TOML)",
            Self::Design => "a design problem of `carom design` (TOML)",
            Self::OrbitDesign => "a design problem of `carom design` on a periodic orbit (TOML)",
            Self::Sweep => "one subject run many times, for `carom sweep` (TOML)",
            Self::Gait => "a gait that a scenario names as its `controller.gait` (TOML)",
            Self::Impact => "one problem or a list of problems of `carom impact` (JSON)",
            Self::State => "a state of a robot, for `carom inspect --state` (JSON)",
        }
    }

    /// Whether its files are TOML; the others are JSON.
    #[must_use]
    pub fn is_toml(self) -> bool {
        !matches!(self, Self::Impact | Self::State)
    }

    /// The schema of its files.
    #[must_use]
    pub fn schema(self) -> Value {
        let mut schema = match self {
            Self::Scenario => of::<Scenario>(),
            Self::Granular => of::<GranularScenario>(),
            Self::Design => of::<DesignFile>(),
            Self::OrbitDesign => of::<OrbitDesignFile>(),
            Self::Sweep => of::<SweepFile>(),
            Self::Gait => of::<Gait>(),
            Self::Impact => of::<Vec<ProblemEntry>>(),
            Self::State => of::<StateEntry>(),
        };
        if self == Self::Impact {
            let list = json!({"type": schema["type"], "items": schema["items"]});
            let one = schema["items"].clone();
            if let Some(root) = schema.as_object_mut() {
                root.remove("type");
                root.remove("items");
            }
            schema["anyOf"] = json!([one, list]);
        }
        schema["title"] = json!(format!("Carom: {}", self.name()));
        schema
    }

    /// The schema as text.
    #[must_use]
    pub fn schema_text(self) -> String {
        format!("{:#}\n", self.schema())
    }

    /// The keys of its files, table by table.
    #[must_use]
    pub fn sections(self) -> Vec<Section> {
        sections::sections(&self.schema(), self.is_toml())
    }
}

fn of<T: JsonSchema>() -> Value {
    let clean = |schema: &mut Schema| cleaning::clean(schema);
    let settings = SchemaSettings::draft07().with_transform(RecursiveTransform(clean));
    settings.into_generator().into_root_schema_for::<T>().into()
}
