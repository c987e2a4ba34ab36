//! Terrain with few keys: slopes, ramps, stairs and stepping stones, made of planes, boxes and height fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Heading, MotionEntry};
use crate::contact::{HeightField, Material, Terrain};
use crate::model::sample::Uniform;

/// Most pieces of one pattern.
const MOST_PIECES: usize = 10_000;
/// Cells along the rounding of a ramp.
const ROUNDING_CELLS: f64 = 8.0;

/// A plane that rises in a direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlopeEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// A point of it \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Angle to the horizontal \[rad\], between −π/2 and π/2.
    #[schemars(example = 0.1)]
    pub angle: f64,
    /// Angle from x towards y of the direction in which it rises \[rad\].
    #[serde(default)]
    pub direction: f64,
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

/// Ground that is level, rises at an angle over a length, and is level again; both bends are rounded. It takes the
/// place of a floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RampEntry {
    /// Name, unique.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Where it begins to rise \[m\]; z is the level before it.
    #[serde(default)]
    pub start: [f64; 3],
    /// Angle to the horizontal \[rad\], between −π/2 and π/2; negative goes down.
    #[schemars(example = 0.1)]
    pub angle: f64,
    /// Length on the map over which it rises \[m\].
    #[schemars(example = 2.0)]
    pub length: f64,
    /// Direction in which it rises.
    #[serde(default)]
    pub direction: Heading,
    /// Length on the map over which each bend is rounded \[m\], at most `length`.
    #[serde(default = "rounding")]
    pub rounding: f64,
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

/// A flight of steps that rise in a direction; the last one is a landing if it is given a length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StairsEntry {
    /// Name; the steps are `<name>.1`, `<name>.2`, …
    #[schemars(example = &"hills")]
    pub name: String,
    /// Foot of the first riser, in the middle of its width \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Number of steps.
    #[schemars(example = 5)]
    pub count: usize,
    /// Height of a step \[m\].
    #[schemars(example = 0.1)]
    pub rise: f64,
    /// Depth of a step \[m\].
    #[schemars(example = 0.3)]
    pub run: f64,
    /// Width of the flight \[m\].
    #[schemars(example = 1.0)]
    pub width: f64,
    /// Length of the last step \[m\]; `run` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1.5)]
    pub landing: Option<f64>,
    /// Direction in which it rises.
    #[serde(default)]
    pub direction: Heading,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
}

/// Boxes of one size in rows and columns, their tops at random heights around a level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteppingStonesEntry {
    /// Name; the stones are `<name>.1`, `<name>.2`, …, along x first.
    #[schemars(example = &"hills")]
    pub name: String,
    /// Middle of the top of the first stone, without its variation \[m\].
    #[serde(default)]
    pub start: [f64; 3],
    /// Number of stones along x and y.
    #[schemars(example = vec![6, 3])]
    pub count: [usize; 2],
    /// Edge lengths of a stone \[m\].
    #[schemars(example = vec![0.25, 0.25, 0.3])]
    pub size: [f64; 3],
    /// Distances between neighbouring stones along x and y \[m\], at least 0.
    #[serde(default)]
    pub gap: [f64; 2],
    /// How far a top may be above or below the level \[m\], drawn evenly.
    #[serde(default)]
    pub variation: f64,
    /// Seed of the draw.
    #[serde(default)]
    pub seed: u64,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.8)]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.0)]
    pub restitution: Option<f64>,
}

fn rounding() -> f64 {
    0.1
}

fn check_angle(angle: f64) -> Result<(), String> {
    let steepest = std::f64::consts::FRAC_PI_2;
    if angle.abs() < steepest {
        return Ok(());
    }
    Err(format!(
        "angle is {angle}, it must be between -pi/2 and pi/2 (radians)"
    ))
}

fn check_positive(lengths: &[(&str, f64)]) -> Result<(), String> {
    match lengths.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
        None => Ok(()),
        Some((key, x)) => Err(format!("{key} is {x}, it must be finite and positive")),
    }
}

fn check_count(count: usize) -> Result<(), String> {
    if (1..=MOST_PIECES).contains(&count) {
        return Ok(());
    }
    Err(format!(
        "count gives {count} pieces, it must give between 1 and {MOST_PIECES}"
    ))
}

impl SlopeEntry {
    pub(super) fn build(&self, material: Material) -> Result<Terrain, String> {
        check_angle(self.angle)?;
        let (sine, cosine) = self.angle.sin_cos();
        let (across, along) = self.direction.sin_cos();
        let normal = [-sine * along, -sine * across, cosine];
        Ok(Terrain::plane(&self.name, self.start, normal, material))
    }
}

impl RampEntry {
    pub(super) fn build(&self, material: Material) -> Result<Terrain, String> {
        check_angle(self.angle)?;
        check_positive(&[("length", self.length), ("rounding", self.rounding)])?;
        if self.rounding > self.length {
            return Err(format!(
                "rounding is {}, it must be at most the length {}",
                self.rounding, self.length
            ));
        }
        let (axis, sign) = self.direction.axis();
        let [steps, reach] = [self.rounding / ROUNDING_CELLS, 0.5 * self.rounding];
        let nodes = ((self.length + 4.0 * reach) / steps).ceil() as usize + 1;
        let cell = (self.length + 4.0 * reach) / (nodes - 1) as f64;
        // From one rounding before the ramp to one beyond, whichever way it goes.
        let first = match sign > 0.0 {
            true => self.start[axis] - 2.0 * reach,
            false => self.start[axis] - self.length - 2.0 * reach,
        };
        let height = |x: f64| {
            let along = sign * (x - self.start[axis]);
            let risen = rounded_ramp(along, self.rounding)
                - rounded_ramp(along - self.length, self.rounding);
            self.start[2] + self.angle.tan() * risen
        };
        let mut origin = [self.start[0] - 1.0, self.start[1] - 1.0];
        let mut cells = [2.0; 2];
        let mut counts = [2; 2];
        (origin[axis], cells[axis], counts[axis]) = (first, cell, nodes);
        let place = |x: f64, y: f64| if axis == 0 { x } else { y };
        let field = HeightField::of_function(origin, cells, counts, |x, y| height(place(x, y)));
        let field = field.map_err(|error| error.to_string())?;
        Ok(Terrain::heights(&self.name, field, material))
    }
}

/// max(s, 0), with the bend at 0 made a parabola over a length.
fn rounded_ramp(s: f64, rounding: f64) -> f64 {
    let into = s + 0.5 * rounding;
    if into <= 0.0 {
        0.0
    } else if into >= rounding {
        s
    } else {
        0.5 * into * into / rounding
    }
}

impl StairsEntry {
    pub(super) fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        check_count(self.count)?;
        check_positive(&[
            ("rise", self.rise),
            ("run", self.run),
            ("width", self.width),
            ("landing", self.landing.unwrap_or(self.run)),
        ])?;
        let (axis, sign) = self.direction.axis();
        let step = |k: usize| {
            let begin = k as f64 * self.run;
            let last = k + 1 == self.count;
            let depth = self.landing.filter(|_| last).unwrap_or(self.run);
            let mut ends = [self.start; 2];
            for (end, along) in ends.iter_mut().zip([begin, begin + depth]) {
                end[axis] += sign * along;
            }
            let mut min = self.start;
            let mut max = self.start;
            min[axis] = ends[0][axis].min(ends[1][axis]);
            max[axis] = ends[0][axis].max(ends[1][axis]);
            min[1 - axis] -= 0.5 * self.width;
            max[1 - axis] += 0.5 * self.width;
            max[2] += (k + 1) as f64 * self.rise;
            Terrain::step(&format!("{}.{}", self.name, k + 1), min, max, material)
        };
        Ok((0..self.count).map(step).collect())
    }
}

impl SteppingStonesEntry {
    pub(super) fn build(&self, material: Material) -> Result<Vec<Terrain>, String> {
        let [columns, rows] = self.count;
        let count = columns.saturating_mul(rows);
        check_count(count)?;
        let [x, y, z] = self.size;
        check_positive(&[("size[0]", x), ("size[1]", y), ("size[2]", z)])?;
        let at_least_zero = |x: f64| x.is_finite() && x >= 0.0;
        if !(self.gap.into_iter().all(at_least_zero) && at_least_zero(self.variation)) {
            return Err("gap and variation must be finite and at least 0".to_string());
        }
        let mut random = Uniform::new(self.seed);
        let mut stone = |k: usize| {
            let [i, j] = [k % columns, k / columns].map(|i| i as f64);
            let middle = [
                self.start[0] + i * (x + self.gap[0]),
                self.start[1] + j * (y + self.gap[1]),
            ];
            let top = self.start[2] + random.between(-self.variation, self.variation);
            Terrain::step(
                &format!("{}.{}", self.name, k + 1),
                [middle[0] - 0.5 * x, middle[1] - 0.5 * y, top - z],
                [middle[0] + 0.5 * x, middle[1] + 0.5 * y, top],
                material,
            )
        };
        Ok((0..count).map(&mut stone).collect())
    }
}
