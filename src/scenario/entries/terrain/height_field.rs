//! Height fields in a scenario file: rows, a table, a picture or an expression.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MotionEntry, TerrainKind};
use crate::contact::{HeightField, Material, Terrain};
use crate::files::read_bounded_text;
use crate::metric::Formula;
use crate::scenario::{ExperimentCache, ScenarioError};

/// Heights at the nodes of a square grid, by one of `heights`, `file` and `expression`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeightsEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// x and y of the first node \[m\].
    #[serde(default)]
    pub origin: [f64; 2],
    /// Distance between neighbouring nodes \[m\].
    #[schemars(example = 0.05)]
    pub cell: f64,
    /// Rows of heights \[m\]: entry i of row j is at origin + cell (i, j).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = vec![vec![0.0, 0.1], vec![0.0, 0.2]])]
    pub heights: Vec<Vec<f64>>,
    /// A file: `.csv`, rows as in `heights` \[m\]; or `.png`, grey values, the lowest line of the picture being the first
    /// row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"hills.csv")]
    pub file: Option<PathBuf>,
    /// Heights of black and of white \[m\]; for a `.png` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![0.0, 0.4])]
    pub range: Option<[f64; 2]>,
    /// The height in terms of x and y \[m\], such as `0.05 * sin(3 * x) * cos(2 * y)`, taken at the nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"0.02 * sin(4 * x)")]
    pub expression: Option<String>,
    /// Lengths along x and y of the grid of an expression \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = vec![8.0, 3.0])]
    pub size: Option<[f64; 2]>,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
    /// How it moves; at rest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = MotionEntry::EXAMPLE)]
    pub motion: Option<MotionEntry>,
}

impl HeightsEntry {
    /// One source of heights, and no key that it would ignore.
    fn check_keys(&self) -> Result<(), String> {
        let sources = [
            ("heights", !self.heights.is_empty()),
            ("file", self.file.is_some()),
            ("expression", self.expression.is_some()),
        ];
        let given: Vec<&str> = sources.iter().filter(|s| s.1).map(|s| s.0).collect();
        let [source] = given[..] else {
            let given = if given.is_empty() {
                "none of them is given".to_string()
            } else {
                format!("{} are given", given.join(" and "))
            };
            return Err(format!(
                "a height field has one of heights, file and expression; {given}"
            ));
        };
        let picture = self.file.as_ref().and_then(|file| file.extension());
        let is_picture = picture.is_some_and(|kind| kind.eq_ignore_ascii_case("png"));
        if self.range.is_some() && !is_picture {
            return Err("range is for a .png file; remove the key".to_string());
        }
        match (source == "expression", self.size) {
            (true, None) => Err("an expression needs size = [along x, along y]".to_string()),
            (false, Some(_)) => Err(format!(
                "{source} says how large it is; remove the key size"
            )),
            _ => Ok(()),
        }
    }
}

impl TerrainKind for HeightsEntry {
    fn motion(&self) -> Option<MotionEntry> {
        self.motion
    }

    fn file_mut(&mut self) -> Option<&mut PathBuf> {
        self.file.as_mut()
    }

    fn read(
        &mut self,
        scenario: &str,
        place: &str,
        cache: &ExperimentCache,
    ) -> Result<(), ScenarioError> {
        let wrong = |reason: String| ScenarioError::value(scenario, place, reason);
        self.check_keys().map_err(wrong)?;
        let Some(file) = self.file.clone() else {
            return Ok(());
        };
        let unreadable = |reason: String| ScenarioError::Unreadable {
            file: file.display().to_string(),
            reason,
        };
        let kind = file.extension().map(|e| e.to_ascii_lowercase());
        self.heights = match kind.as_ref().and_then(|kind| kind.to_str()) {
            Some("csv") => cache.heights(&file, table).map_err(unreadable)?.to_vec(),
            Some("png") => {
                let grey = cache.heights(&file, picture).map_err(unreadable)?;
                let Some([black, white]) = self.range else {
                    let reason = "a picture needs range = [height of black, height of white]";
                    return Err(wrong(reason.to_string()));
                };
                let height = |grey: f64| black + grey * (white - black);
                let row = |row: &Vec<f64>| row.iter().copied().map(height).collect();
                grey.iter().map(row).collect()
            }
            _ => {
                let reason = format!("file \"{}\" is neither .csv nor .png", file.display());
                return Err(wrong(reason));
            }
        };
        (self.file, self.range) = (None, None);
        Ok(())
    }

    fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        self.check_keys()?;
        let cell = [self.cell; 2];
        let field = match (&self.expression, self.size) {
            (Some(text), Some(size)) => {
                let positive = |x: f64| x.is_finite() && x > 0.0;
                if !(positive(self.cell) && size.into_iter().all(positive)) {
                    return Err("cell and size must be finite and positive".to_string());
                }
                if let Some(k) = (0..2).find(|k| size[*k] < self.cell) {
                    let axis = ["x", "y"][k];
                    return Err(format!(
                        "size is {} along {axis}, less than one cell of {}; give a cell of at most {}, or a larger size",
                        size[k], self.cell, size[k]
                    ));
                }
                // The last node is at the end of the length or just beyond.
                let nodes = size.map(|x| (x / self.cell * (1.0 - 1e-12)).ceil() as usize + 1);
                let formula = Formula::new(text, &["x", "y"]).map_err(|error| error.to_string())?;
                // What is undefined somewhere is refused there as a height that is no number.
                let height = |x: f64, y: f64| formula.value(&[x, y]);
                HeightField::of_function(self.origin, cell, nodes, height)
            }
            _ => HeightField::new(self.origin, cell, &self.heights),
        };
        let field = field.map_err(|error| error.to_string())?;
        Ok(vec![Terrain::heights(&self.name, field, material)])
    }
}

/// Rows of numbers, separated by commas; lines that begin with # are skipped.
fn table(file: &Path) -> Result<Vec<Vec<f64>>, String> {
    let text = read_bounded_text(file).map_err(|error| error.to_string())?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, |at| line_of(&text, at));
        let number = |entry: &str| {
            entry.parse::<f64>().map_err(|_| {
                format!("line {line}: \"{entry}\" is no number; heights are in metres")
            })
        };
        let row = record.iter().map(number).collect::<Result<Vec<f64>, _>>()?;
        if let Some(i) = row.iter().position(|x| !x.is_finite()) {
            return Err(format!(
                "line {line}, column {}: {} is no height; heights are finite numbers in metres",
                i + 1,
                row[i]
            ));
        }
        let columns = rows.first().map_or(row.len(), Vec::len);
        if row.len() != columns {
            return Err(format!(
                "line {line} has {} heights, the first row {columns}; give every row as many",
                row.len()
            ));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err("it holds no heights; give rows of numbers separated by commas".to_string());
    }
    Ok(rows)
}

/// The line of a row whose reading began at a place, before the comments and empty lines above it.
fn line_of(text: &str, at: &csv::Position) -> u64 {
    let from = usize::try_from(at.byte()).ok();
    let rest = from.and_then(|from| text.get(from..)).unwrap_or_default();
    let skipped = rest
        .lines()
        .take_while(|line| line.starts_with('#') || line.is_empty());
    at.line() + skipped.count() as u64
}

/// Grey values between 0 and 1, the lowest line first.
#[cfg(feature = "png")]
fn picture(file: &Path) -> Result<Vec<Vec<f64>>, String> {
    use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

    /// Most bytes of a picture, as of any file.
    const LARGEST: usize = 64 << 20;
    let bytes = crate::files::read_bounded(file).map_err(|error| error.to_string())?;
    let limits = Limits { bytes: LARGEST };
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    // Fewer than eight bits become eight.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().filter(|size| *size <= LARGEST);
    let mut data = vec![0; size.ok_or("it is larger than 64 MiB")?];
    let frame = reader
        .next_frame(&mut data)
        .map_err(|error| error.to_string())?;
    if frame.color_type != ColorType::Grayscale {
        return Err("it is no picture of grey values alone; save it as greyscale of 8 or 16 bits without transparency".to_string());
    }
    let grey = |pixel: &[u8]| match pixel {
        [high, low] => f64::from(u16::from_be_bytes([*high, *low])) / f64::from(u16::MAX),
        [byte, ..] => f64::from(*byte) / f64::from(u8::MAX),
        [] => 0.0,
    };
    let width = if frame.bit_depth == BitDepth::Sixteen {
        2
    } else {
        1
    };
    let lines = data[..frame.buffer_size()].chunks(frame.line_size);
    Ok(lines
        .rev()
        .map(|line| line.chunks(width).map(grey).collect())
        .collect())
}

#[cfg(not(feature = "png"))]
fn picture(_file: &Path) -> Result<Vec<Vec<f64>>, String> {
    Err("this carom was built without pictures; build it with the feature \"png\" or give the heights as .csv".to_string())
}
