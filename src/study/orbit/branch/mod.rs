//! A branch of fixed points followed by pseudo-arclength, through folds, to where it leaves the range.
//!
//! A step goes along the direction of the curve, and Newton's method meets it again in the plane across. It is halved where
//! that fails, where the point is far from what was predicted, or where the direction turned too much. Between two points
//! of the branch these change sign:
//!
//! | what | at |
//! |---|---|
//! | share of the direction in the parameter | a fold |
//! | ∏ (1 + μ_i) | a period doubling |
//! | ∏_{i<j} (1 − μ_i μ_j), where a pair is complex | a Neimark-Sacker bifurcation |
//! | determinant of [DP − 1, P_s; t] | a branch point |
//!
//! Each is located by regula falsi (Illinois) on points of the branch itself.

mod curve;
mod family;
mod special;
#[cfg(test)]
mod tests;

use nalgebra::{DMatrix, DVector};

use super::OrbitError;
use super::multipliers::{doubling, eigenvalues, pairs};
pub(super) use curve::Stuck;
use curve::{Condition, Curve, Family, Met, Place, Slope};
pub(super) use family::{ExperimentWith, OrbitFamily, experiment_at};

/// A step may be so many times smaller than the distance of two values.
const FINEST: f64 = 1.0 / 16384.0;
/// Or larger, where the parameter hardly changes along it.
const COARSEST: f64 = 4.0;
/// Cosine of the largest turn in one step.
const TURN: f64 = 0.85;
/// A point further from its prediction, in lengths of the step, is of another branch perhaps.
const ASTRAY: f64 = 0.3;
/// Points of a branch: so many a value, and so many besides.
const MOST: [usize; 2] = [40, 400];

/// A family of which more is known at a point than its image.
pub(super) trait Explored: Family {
    type Seen: Clone;
    /// What stands at a fixed point.
    fn look(&self, at: &Place) -> Result<Looked<Self::Seen>, OrbitError>;
}

/// What stands at a fixed point.
pub(super) struct Looked<S> {
    pub seen: S,
    /// DP, where there is one.
    pub derivative: Option<DMatrix<f64>>,
    /// In words, what must not change along a smooth branch.
    pub mark: String,
}

/// A point of a branch with its direction.
#[derive(Clone)]
pub(super) struct Node<S> {
    pub place: Place,
    pub seen: S,
    pub mark: String,
    slope: Slope,
    direction: Place,
    /// Period doubling, Neimark-Sacker, branch point; none without a derivative.
    tests: Option<[f64; 3]>,
    multipliers: Vec<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Fold,
    PeriodDoubling,
    NeimarkSacker,
    BranchPoint,
}

/// Where something stands along a branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Along {
    /// How often the parameter has turned.
    pub sheet: usize,
    /// Length from the start of (z, s).
    pub arc: f64,
}

/// Something that was located.
pub(super) struct Located<S> {
    pub what: Special,
    pub node: Node<S>,
    pub multiplier: Option<[f64; 2]>,
    pub along: Along,
    /// Share of the range that it is within.
    pub within: f64,
}

/// The mark changes.
pub(super) struct Change {
    pub share: f64,
    pub within: f64,
    pub along: Along,
    pub marks: [String; 2],
}

/// A branch.
pub(super) struct Track<S> {
    /// At the values that were asked for, in the order of the branch.
    pub rows: Vec<(Node<S>, Along)>,
    /// All points.
    pub nodes: Vec<(Node<S>, Along)>,
    pub located: Vec<Located<S>>,
    pub changes: Vec<Change>,
    /// Where it went no further, and why; none where it left the range.
    pub ended: Option<(f64, Stuck)>,
    /// Which way the share goes at its last point: 1 or −1.
    pub heading: f64,
}

/// Where a branch begins.
pub(super) struct Start {
    pub z: DVector<f64>,
    pub share: f64,
    /// Which way the share goes: 1 or −1.
    pub heading: f64,
    pub along: Along,
}

struct Walk<'a, F: Explored> {
    curve: Curve<'a, F>,
    count: usize,
    track: Track<F::Seen>,
    along: Along,
}

/// Follows the branch through a fixed point to where it leaves the range, and keeps `count` values of the share from 0 to 1.
pub(super) fn follow<F: Explored>(
    family: &F,
    from: Start,
    count: usize,
) -> Result<Track<F::Seen>, OrbitError> {
    let start = Place {
        z: from.z,
        share: from.share,
    };
    let looked = family.look(&start)?;
    let onwards = Place {
        z: DVector::zeros(start.z.len()),
        share: from.heading,
    };
    let mut curve = Curve {
        family,
        weight: 1.0,
    };
    let slope = curve.slope(&start, looked.derivative.as_ref())?;
    // Coordinates count as much as the parameter at the start.
    if let Some(direction) = curve.direction(&slope, &onwards) {
        let steepness = direction.z.norm() / direction.share.abs().max(1e-12);
        curve.weight = steepness.clamp(1e-3, 1e3);
    }
    let mut walk = Walk {
        curve,
        count,
        track: Track {
            rows: Vec::new(),
            nodes: Vec::new(),
            located: Vec::new(),
            changes: Vec::new(),
            ended: None,
            heading: from.heading,
        },
        along: from.along,
    };
    let Some(first) = walk.node(start, looked, &onwards)? else {
        let reason = "several branches meet at the start".to_string();
        walk.track.ended = Some((from.share, reason.into()));
        return Ok(walk.track);
    };
    if walk.shares().any(|share| share == first.place.share) {
        walk.track.rows.push((first.clone(), walk.along));
    }
    walk.track.nodes.push((first.clone(), walk.along));
    walk.walk(first);
    Ok(walk.track)
}

impl<F: Explored> Walk<'_, F> {
    fn spacing(&self) -> f64 {
        1.0 / (self.count - 1) as f64
    }

    /// The shares that are asked for.
    fn shares(&self) -> impl DoubleEndedIterator<Item = f64> + use<F> {
        let last = self.count - 1;
        (0..=last).map(move |i| i as f64 / last as f64)
    }

    fn walk(&mut self, mut here: Node<F::Seen>) {
        let finest = self.spacing() * FINEST;
        let mut step = self.spacing() / here.direction.share.abs().max(0.25);
        let most = MOST[0] * self.count + MOST[1];
        loop {
            let mut longest = COARSEST * self.spacing();
            if here.direction.share != 0.0 {
                longest = longest.min(self.spacing() / here.direction.share.abs());
            }
            step = step.min(longest);
            let reason = match self.step(&here, step) {
                Ok((there, iterations)) => {
                    let done = there.place.share <= 0.0 || there.place.share >= 1.0;
                    self.between(&here, &there);
                    self.track.nodes.push((there.clone(), self.along));
                    if done {
                        return;
                    }
                    here = there;
                    match iterations {
                        0..=4 => step *= 1.6,
                        8.. => step *= 0.7,
                        _ => {}
                    }
                    if self.track.nodes.len() < most {
                        continue;
                    }
                    format!("the branch has not left the range after {most} points").into()
                }
                Err(_) if step > finest => {
                    step *= 0.5;
                    continue;
                }
                Err(reason) => reason,
            };
            self.track.heading = here.direction.share.signum();
            self.track.ended = Some((here.place.share, reason));
            return;
        }
    }

    /// The next point, or why there is none.
    fn step(&self, here: &Node<F::Seen>, step: f64) -> Result<(Node<F::Seen>, usize), Stuck> {
        let n = here.place.z.len();
        let curve = &self.curve;
        let mut goal = here.place.moved(&here.direction, step);
        let mut by = step;
        let mut condition = Condition::across(curve, &here.direction, &goal);
        let leave = |share: f64| {
            (share >= 1.0)
                .then_some(1.0)
                .or((share <= 0.0).then_some(0.0))
        };
        let mut end = leave(goal.share);
        if let Some(end) = end {
            by = (end - here.place.share) / here.direction.share;
            goal = here.place.moved(&here.direction, by);
            goal.share = end;
            condition = Condition::at_share(end, n);
        }
        let mut met = curve.meet(&goal, &condition, &here.slope)?;
        if end.is_none()
            && let Some(beyond) = leave(met.place.share)
        {
            end = Some(beyond);
            let part = (beyond - here.place.share) / (met.place.share - here.place.share);
            let guess = between(&here.place, &met.place, part);
            let at_end = Condition::at_share(beyond, n);
            met = curve.meet(&guess, &at_end, &here.slope)?;
        }
        let Met {
            mut place,
            iterations,
        } = met;
        place.share = end.unwrap_or(place.share);
        let away = Place {
            z: &place.z - &goal.z,
            share: place.share - goal.share,
        };
        if curve.length(&away) > ASTRAY * by.abs() {
            let reason = "the orbits beside the last one are of another branch";
            return Err(reason.to_string().into());
        }
        let looked = self.curve.family.look(&place)?;
        let there = self.node(place, looked, &here.direction)?;
        let there = there.ok_or_else(|| "several branches meet".to_string())?;
        if curve.product(&here.direction, &there.direction) < TURN {
            return Err("the branch turns too sharply".to_string().into());
        }
        Ok((there, iterations))
    }

    fn node(
        &self,
        place: Place,
        looked: Looked<F::Seen>,
        before: &Place,
    ) -> Result<Option<Node<F::Seen>>, OrbitError> {
        let slope = self.curve.slope(&place, looked.derivative.as_ref())?;
        let Some(direction) = self.curve.direction(&slope, before) else {
            return Ok(None);
        };
        let multipliers = looked.derivative.as_ref().map(eigenvalues);
        let tests = multipliers.as_ref().map(|all| {
            let border = self.curve.border_determinant(&slope, &direction);
            [doubling(all), pairs(all), border]
        });
        Ok(Some(Node {
            place,
            seen: looked.seen,
            mark: looked.mark,
            slope,
            direction,
            tests,
            multipliers: multipliers.unwrap_or_default(),
        }))
    }

    /// The point of the branch at a part of the way between two of its points.
    fn at(&self, a: &Node<F::Seen>, b: &Node<F::Seen>, part: f64) -> Option<Node<F::Seen>> {
        let chord = Place {
            z: &b.place.z - &a.place.z,
            share: b.place.share - a.place.share,
        };
        let condition = Condition::across(&self.curve, &chord, &between(&a.place, &b.place, part));
        let guess = self.guess(a, b, part);
        let nearer = if part < 0.5 { a } else { b };
        let met = self.curve.meet(&guess, &condition, &nearer.slope).ok()?;
        let looked = self.curve.family.look(&met.place).ok()?;
        self.node(met.place, looked, &nearer.direction).ok()?
    }

    /// Hermite's cubic between two points with their directions.
    fn guess(&self, a: &Node<F::Seen>, b: &Node<F::Seen>, t: f64) -> Place {
        let chord = Place {
            z: &b.place.z - &a.place.z,
            share: b.place.share - a.place.share,
        };
        let length = self.curve.length(&chord);
        let weights = [
            (1.0 + 2.0 * t) * (1.0 - t) * (1.0 - t),
            t * t * (3.0 - 2.0 * t),
            t * (1.0 - t) * (1.0 - t) * length,
            t * t * (t - 1.0) * length,
        ];
        let parts = [&a.place, &b.place, &a.direction, &b.direction];
        let zero = Place {
            z: DVector::zeros(chord.z.len()),
            share: 0.0,
        };
        parts
            .into_iter()
            .zip(weights)
            .fold(zero, |sum, (part, w)| sum.moved(part, w))
    }
}

fn between(a: &Place, b: &Place, part: f64) -> Place {
    Place {
        z: &a.z + (&b.z - &a.z) * part,
        share: a.share + (b.share - a.share) * part,
    }
}
