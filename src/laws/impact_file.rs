//! Problem files of `carom impact`: JSON in, [`ImpactProblem`]s out, errors that name the place.

use std::path::Path;

use nalgebra::{DMatrix, DVector};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use crate::files::{JsonPath, Number, Object, did_you_mean, json_place, refuse_pipe};
use crate::impact::{Contact, ImpactError, ImpactProblem, PreImpact};

const PROBLEM_KEYS: [&str; 5] = ["name", "mass_matrix", "velocity", "momentum", "contacts"];
const CONTACT_KEYS: [&str; 5] = ["name", "normal", "tangents", "friction", "restitution"];

/// What is wrong with a problem file, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ImpactFileError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// Path as given, or `standard input`.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The text is not JSON.
    #[error("{file}:{line}:{column}: not JSON: {reason}")]
    NotJson {
        /// Path as given, or `standard input`.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// The text is JSON, but neither a problem nor an array of problems.
    #[error(
        "{file}: holds {found}; a problem is an object with \"mass_matrix\", \"velocity\" or \"momentum\", and \"contacts\", or an array of such objects"
    )]
    NotAProblem {
        /// Path as given, or `standard input`.
        file: String,
        /// What was found instead.
        found: &'static str,
    },
}

/// Why one problem of a file cannot be posed. In an array the others are unaffected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A key or value that the format does not have.
    #[error("line {line}, column {column}{}: {reason}", in_path(.path))]
    Format {
        /// Line in the file, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// Path in the problem, for example `contacts[1].normal[0]`; empty at its root.
        path: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// Neither or both of `velocity` and `momentum` are given.
    #[error("{}; exactly one of \"velocity\" and \"momentum\" says the state before the impact",
        if *.both { "both \"velocity\" and \"momentum\" are given" } else { "neither \"velocity\" nor \"momentum\" is given" })]
    VelocityOrMomentum {
        /// Both, rather than neither.
        both: bool,
    },
    /// The numbers do not make an impact problem.
    #[error(transparent)]
    Impact(#[from] ImpactError),
}

fn in_path(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(" ({path})")
    }
}

/// One problem of a file, or why it cannot be posed.
#[derive(Debug, Clone)]
pub struct NamedProblem {
    /// Its `name`; `problem`, or `problem[i]` in an array, where the file gives none.
    pub name: String,
    /// The validated problem.
    pub problem: Result<ImpactProblem, ProblemError>,
}

/// The problems of a file.
#[derive(Debug, Clone)]
pub struct ImpactFile {
    /// The file's path as given, or `standard input`.
    pub file: String,
    /// Whether the file holds an array, so that answers are an array too.
    pub is_array: bool,
    /// The problems in file order.
    pub problems: Vec<NamedProblem>,
}

impl ImpactFile {
    /// Reads a file, or standard input when the path is `-`.
    ///
    /// # Errors
    /// The file cannot be read, is not JSON, or holds neither an object nor an array. A problem
    /// that cannot be posed is no error of the file: it stands in [`ImpactFile::problems`].
    pub fn read(path: &Path) -> Result<Self, ImpactFileError> {
        let from_stdin = path.as_os_str() == "-";
        let file = if from_stdin {
            "standard input".to_string()
        } else {
            path.display().to_string()
        };
        let text = if from_stdin {
            std::io::read_to_string(std::io::stdin())
        } else {
            refuse_pipe(path).and_then(|()| std::fs::read_to_string(path))
        };
        match text {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(ImpactFileError::Unreadable {
                file,
                reason: error.to_string(),
            }),
        }
    }

    /// Parses the text of a file; `file` is what error messages call it.
    ///
    /// # Errors
    /// As [`ImpactFile::read`], except reading.
    pub fn parse(file: &str, text: &str) -> Result<Self, ImpactFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let elements = json_place::array_elements(text);
        let is_array = elements.is_some();
        let ranges = elements.unwrap_or_else(|| std::iter::once(0..text.len()).collect());
        let mut problems = Vec::with_capacity(ranges.len());
        for (i, range) in ranges.into_iter().enumerate() {
            let fallback = if is_array {
                format!("problem[{i}]")
            } else {
                "problem".to_string()
            };
            let part = Part {
                file,
                text,
                start: range.start,
                part: &text[range],
                alone: !is_array,
            };
            problems.push(part.problem(fallback)?);
        }
        Ok(Self {
            file: file.to_string(),
            is_array,
            problems,
        })
    }
}

/// The text of one problem inside the text of a file.
struct Part<'a> {
    file: &'a str,
    text: &'a str,
    start: usize,
    part: &'a str,
    alone: bool,
}

impl Part<'_> {
    fn problem(&self, fallback: String) -> Result<NamedProblem, ImpactFileError> {
        let entry = match serde_json::from_str::<Object<ProblemEntry>>(self.part) {
            Ok(Object(entry)) => entry,
            Err(error) => {
                let name =
                    json_place::string_at_key(self.part, "name").map_or(fallback, str::to_string);
                return Ok(NamedProblem {
                    name,
                    problem: Err(self.explain(&error)?),
                });
            }
        };
        let name = entry.name.clone().unwrap_or(fallback);
        Ok(NamedProblem {
            name,
            problem: entry.into_problem(),
        })
    }

    /// The error of one problem, or of the file when the text is not JSON at all.
    fn explain(&self, error: &serde_json::Error) -> Result<ProblemError, ImpactFileError> {
        let offset = json_place::offset_of(self.part, error.line(), error.column());
        let (line, column) = line_and_column(self.text, self.start + offset);
        let path = json_place::path_at(self.part, offset);

        let reason = if error.is_data() {
            if path == JsonPath::default() && self.alone && !self.part.trim_start().starts_with('{')
            {
                return Err(self.not_a_problem());
            }
            unknown_key(&path).unwrap_or_else(|| json_place::without_place(error))
        } else {
            let token = json_place::token_at(self.part, offset);
            if !token.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
                return Err(self.not_json(error));
            }
            format!("{token} is not a finite number")
        };
        Ok(ProblemError::Format {
            line,
            column,
            path: path.to_string(),
            reason,
        })
    }

    /// The text is no object and no array of balanced brackets: is it JSON at all?
    fn not_a_problem(&self) -> ImpactFileError {
        match serde_json::from_str::<IgnoredAny>(self.part) {
            Ok(_) => ImpactFileError::NotAProblem {
                file: self.file.to_string(),
                found: kind_of_value(self.part),
            },
            Err(error) => self.not_json(&error),
        }
    }

    fn not_json(&self, error: &serde_json::Error) -> ImpactFileError {
        let offset = json_place::offset_of(self.part, error.line(), error.column());
        let (line, column) = line_and_column(self.text, self.start + offset);
        ImpactFileError::NotJson {
            file: self.file.to_string(),
            line,
            column,
            reason: json_place::without_place(error),
        }
    }
}

/// The message for a key that the format does not have, if the path ends in one.
fn unknown_key(path: &JsonPath) -> Option<String> {
    let (owner, known) = match path.keys().as_slice() {
        [_] => ("a problem", &PROBLEM_KEYS),
        ["contacts", _] => ("a contact", &CONTACT_KEYS),
        _ => return None,
    };
    let key = path.last_key()?;
    if known.contains(&key) {
        return None;
    }
    Some(format!(
        "unknown key \"{key}\"{}; {owner} has the keys {}",
        did_you_mean(key, known.iter().copied()),
        known.join(", ")
    ))
}

fn kind_of_value(text: &str) -> &'static str {
    match text.trim_start().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        _ => "a number",
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    (line, (before.len() - start).max(1))
}

/// One problem as it stands in the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["velocity"]}, {"required": ["momentum"]}]))]
pub(crate) struct ProblemEntry {
    /// What answers call it.
    #[schemars(example = &"rocking block")]
    name: Option<String>,
    /// Symmetric positive definite matrix, by rows \[kg, kg m or kg m²\].
    #[schemars(with = "Vec<Vec<f64>>", length(min = 1), extend("examples" = [[[1.0, 0.0], [0.0, 1.0]]]))]
    mass_matrix: Vec<Vec<Number>>,
    /// Velocity before the impact \[m/s or rad/s\]; either this or `momentum`.
    #[schemars(with = "Option<Vec<f64>>", extend("examples" = [[1.0, 0.0]]))]
    velocity: Option<Vec<Number>>,
    /// Momentum before the impact \[N s or N m s\]; either this or `velocity`.
    #[schemars(with = "Option<Vec<f64>>", extend("examples" = [[1.0, 0.0]]))]
    momentum: Option<Vec<Number>>,
    /// What touches.
    #[schemars(with = "Vec<ContactEntry>")]
    contacts: Vec<Object<ContactEntry>>,
}

/// One contact as it stands in the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImpactContact")]
pub(crate) struct ContactEntry {
    /// Name, unique; c0, c1, … in their order when absent.
    #[schemars(example = &"left")]
    name: Option<String>,
    /// Gradient of the gap: one number per velocity.
    #[schemars(with = "Vec<f64>", extend("examples" = [[-1.0, 1.0]]))]
    normal: Vec<Number>,
    /// Gradients along the surface, one or two, for friction.
    #[serde(default)]
    #[schemars(with = "Vec<Vec<f64>>", extend("examples" = [[[1.0, 0.0]]]))]
    tangents: Vec<Vec<Number>>,
    /// Coefficient of friction.
    #[serde(default)]
    #[schemars(with = "f64", extend("default" = 0.0), range(min = 0))]
    friction: Number,
    /// Coefficient of restitution.
    #[serde(default = "elastic")]
    #[schemars(with = "f64", extend("default" = 1.0), range(min = 0, max = 1))]
    restitution: Number,
}

fn elastic() -> Number {
    Number(1.0)
}

impl ProblemEntry {
    fn into_problem(self) -> Result<ImpactProblem, ProblemError> {
        let before = match (self.velocity, self.momentum) {
            (Some(velocity), None) => PreImpact::Velocity(vector(&velocity)),
            (None, Some(momentum)) => PreImpact::Momentum(vector(&momentum)),
            (velocity, _) => {
                return Err(ProblemError::VelocityOrMomentum {
                    both: velocity.is_some(),
                });
            }
        };
        let mass_matrix = square_matrix(&self.mass_matrix)?;
        let contacts: Vec<Contact> = self
            .contacts
            .into_iter()
            .enumerate()
            .map(|(i, contact)| contact.0.into_contact(i))
            .collect();
        Ok(ImpactProblem::new(mass_matrix, before, &contacts)?)
    }
}

impl ContactEntry {
    /// A contact without a name is called by its index: `c0`, `c1`, …
    fn into_contact(self, index: usize) -> Contact {
        let name = self.name.unwrap_or_else(|| format!("c{index}"));
        Contact::new(&name, vector(&self.normal))
            .with_friction(
                self.tangents.iter().map(|t| vector(t)).collect(),
                self.friction.0,
            )
            .with_restitution(self.restitution.0)
    }
}

fn vector(numbers: &[Number]) -> DVector<f64> {
    DVector::from_iterator(numbers.len(), numbers.iter().map(|x| x.0))
}

fn square_matrix(rows: &[Vec<Number>]) -> Result<DMatrix<f64>, ImpactError> {
    let n = rows.len();
    if n == 0 {
        return Err(ImpactError::OutOfRange {
            place: "number of rows of mass_matrix".to_string(),
            value: 0.0,
            range: "at least 1",
        });
    }
    for (i, row) in rows.iter().enumerate() {
        if row.len() != n {
            return Err(ImpactError::Dimension {
                place: format!("mass_matrix[{i}]"),
                expected: n,
                found: row.len(),
            });
        }
    }
    Ok(DMatrix::from_fn(n, n, |i, j| rows[i][j].0))
}
