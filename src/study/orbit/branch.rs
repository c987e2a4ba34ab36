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

use nalgebra::{DMatrix, DVector};

use super::OrbitError;
use super::curve::{Condition, Curve, Family, Met, Place, Slope, Stuck};
use super::multipliers::{eigenvalues, nearest};

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
/// Trials to locate one thing.
const TRIALS: usize = 60;
/// Things are located to this share of the range.
const LOCATED: f64 = 1e-7;
/// What is left of a test function where it is zero, beside its larger end.
const ZERO: f64 = 1e-2;
/// How near to the circle a complex pair is at a Neimark-Sacker bifurcation.
const ON_CIRCLE: f64 = 1e-3;

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

    /// What lies between two points: folds, bifurcations, changes and rows.
    fn between(&mut self, here: &Node<F::Seen>, there: &Node<F::Seen>) {
        let plain = |a: &Place, b: &Place| (&b.z - &a.z).norm().hypot(b.share - a.share);
        let length = plain(&here.place, &there.place);
        let start = self.along;
        let along = |sheet: usize, part: f64| Along {
            sheet,
            arc: start.arc + part * length,
        };
        let turns = here.direction.share * there.direction.share < 0.0;
        let fold = turns.then(|| {
            let height = |node: &Node<F::Seen>| Some(node.direction.share);
            self.locate(here, there, &height)
        });
        let turn = fold.as_ref().map(|fold| fold.part);
        let turned = |part: f64| start.sheet + usize::from(turn.is_some_and(|at| part > at));
        let mut found = Vec::new();
        for (k, what) in [
            Special::PeriodDoubling,
            Special::NeimarkSacker,
            Special::BranchPoint,
        ]
        .into_iter()
        .enumerate()
        {
            let height = |node: &Node<F::Seen>| node.tests.map(|tests| tests[k]);
            let (Some(a), Some(b)) = (height(here), height(there)) else {
                continue;
            };
            if (a < 0.0) == (b < 0.0) {
                continue;
            }
            let root = self.locate(here, there, &height);
            // A jump over zero is none of these; a change of the mark tells of it.
            if root.height.abs() > ZERO * a.abs().max(b.abs()) {
                continue;
            }
            let multiplier = match what {
                Special::PeriodDoubling => nearest(&root.node.multipliers, [-1.0, 0.0]),
                Special::NeimarkSacker => on_circle(&root.node.multipliers),
                _ => nearest(&root.node.multipliers, [1.0, 0.0]),
            };
            if what == Special::NeimarkSacker && multiplier.is_none() {
                continue;
            }
            found.push((what, root, multiplier));
        }
        let changed = (here.mark != there.mark).then(|| self.change(here, there));
        for (node, part) in self.rows(here, there, fold.as_ref()) {
            let at = along(turned(part), part);
            // The mark of one value alone.
            if node.mark != here.mark && node.mark != there.mark {
                self.track.changes.push(Change {
                    share: node.place.share,
                    within: 0.0,
                    along: at,
                    marks: [here.mark.clone(), node.mark.clone()],
                });
            }
            self.track.rows.push((node, at));
        }
        if let Some((share, within, part)) = changed {
            self.track.changes.push(Change {
                share,
                within,
                along: along(turned(part), part),
                marks: [here.mark.clone(), there.mark.clone()],
            });
        }
        if let Some(root) = fold {
            let multiplier = nearest(&root.node.multipliers, [1.0, 0.0]);
            found.push((Special::Fold, root, multiplier));
        }
        found.sort_by(|a, b| a.1.part.total_cmp(&b.1.part));
        for (what, root, multiplier) in found {
            self.track.located.push(Located {
                what,
                node: root.node,
                multiplier,
                along: along(turned(root.part), root.part),
                within: root.within,
            });
        }
        self.along = along(turned(1.0), 1.0);
    }

    /// Points at the values that lie between two points, with the part of the way to each.
    fn rows(
        &self,
        here: &Node<F::Seen>,
        there: &Node<F::Seen>,
        fold: Option<&Root<F::Seen>>,
    ) -> Vec<(Node<F::Seen>, f64)> {
        let mut pieces = Vec::new();
        match fold {
            Some(fold) => {
                pieces.push((here, &fold.node, [0.0, fold.part]));
                pieces.push((&fold.node, there, [fold.part, 1.0]));
            }
            None => pieces.push((here, there, [0.0, 1.0])),
        }
        let mut rows = Vec::new();
        for (a, b, [from, to]) in pieces {
            let (low, high) = (a.place.share, b.place.share);
            let inside =
                |share: &f64| (low < *share && *share <= high) || (low > *share && *share >= high);
            let mut shares: Vec<f64> = self.shares().filter(inside).collect();
            if high < low {
                shares.reverse();
            }
            for share in shares {
                if share == high && fold.is_none() {
                    rows.push((b.clone(), to));
                    continue;
                }
                if let Some((node, part)) = self.row(a, b, share) {
                    rows.push((node, from + part * (to - from)));
                }
            }
        }
        rows
    }

    /// The point between two points at a share.
    fn row(
        &self,
        a: &Node<F::Seen>,
        b: &Node<F::Seen>,
        share: f64,
    ) -> Option<(Node<F::Seen>, f64)> {
        // Where Hermite's cubic has the share, by bisection: it is monotone between two points on one side of a fold.
        let up = b.place.share > a.place.share;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if (self.guess(a, b, middle).share < share) == up {
                low = middle;
            } else {
                high = middle;
            }
        }
        let part = 0.5 * (low + high);
        let guess = self.guess(a, b, part);
        let condition = Condition::at_share(share, guess.z.len());
        let nearer = if part < 0.5 { a } else { b };
        let mut met = self.curve.meet(&guess, &condition, &nearer.slope).ok()?;
        met.place.share = share;
        let looked = self.curve.family.look(&met.place).ok()?;
        let node = self.node(met.place, looked, &nearer.direction).ok()??;
        Some((node, part))
    }

    /// Where a height that changes its sign between two points is zero.
    fn locate(
        &self,
        a: &Node<F::Seen>,
        b: &Node<F::Seen>,
        height: &dyn Fn(&Node<F::Seen>) -> Option<f64>,
    ) -> Root<F::Seen> {
        let end = |node: &Node<F::Seen>, part: f64| {
            let height = height(node).unwrap_or(0.0);
            (node.clone(), part, height)
        };
        let (mut low, mut high) = (end(a, 0.0), end(b, 1.0));
        // Illinois: the weight of an end that stays is halved.
        let mut weights = [1.0, 1.0];
        for _ in 0..TRIALS {
            let near = (high.0.place.share - low.0.place.share).abs() <= LOCATED;
            if near && (high.1 - low.1) < 1e-6 || low.2 == 0.0 || high.2 == 0.0 {
                break;
            }
            let (fa, fb) = (low.2 * weights[0], high.2 * weights[1]);
            let part = low.1 + (high.1 - low.1) * (fa / (fa - fb)).clamp(0.001, 0.999);
            let Some(node) = self.at(a, b, part) else {
                break;
            };
            let Some(value) = height(&node) else { break };
            if (value < 0.0) == (low.2 < 0.0) {
                low = (node, part, value);
                weights = [1.0, 0.5 * weights[1]];
            } else {
                high = (node, part, value);
                weights = [0.5 * weights[0], 1.0];
            }
        }
        let within = (high.0.place.share - low.0.place.share).abs();
        let (node, part, height) = if low.2.abs() < high.2.abs() {
            low
        } else {
            high
        };
        Root {
            node,
            part,
            height,
            within,
        }
    }

    /// Share and part of the way at which the mark is another, and the share that this is within.
    fn change(&self, a: &Node<F::Seen>, b: &Node<F::Seen>) -> (f64, f64, f64) {
        let (mut low, mut high) = ((a.place.share, 0.0), (b.place.share, 1.0));
        for _ in 0..TRIALS {
            if (high.0 - low.0).abs() <= LOCATED && high.1 - low.1 < 1e-6 {
                break;
            }
            let part = 0.5 * (low.1 + high.1);
            let Some(node) = self.at(a, b, part) else {
                break;
            };
            if node.mark == a.mark {
                low = (node.place.share, part);
            } else {
                high = (node.place.share, part);
            }
        }
        (high.0, (high.0 - low.0).abs(), high.1)
    }
}

struct Root<S> {
    node: Node<S>,
    part: f64,
    height: f64,
    within: f64,
}

fn between(a: &Place, b: &Place, part: f64) -> Place {
    Place {
        z: &a.z + (&b.z - &a.z) * part,
        share: a.share + (b.share - a.share) * part,
    }
}

/// ∏ (1 + μ_i): real, since complex ones come in pairs.
fn doubling(multipliers: &[[f64; 2]]) -> f64 {
    let mut product = [1.0, 0.0];
    for [re, im] in multipliers {
        product = times(product, [1.0 + re, *im]);
    }
    product[0]
}

/// ∏_{i<j} (1 − μ_i μ_j).
fn pairs(multipliers: &[[f64; 2]]) -> f64 {
    let mut product = [1.0, 0.0];
    for (i, a) in multipliers.iter().enumerate() {
        for b in &multipliers[i + 1..] {
            let both = times(*a, *b);
            product = times(product, [1.0 - both[0], -both[1]]);
        }
    }
    product[0]
}

fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// The complex multiplier on the unit circle, above the real axis.
fn on_circle(multipliers: &[[f64; 2]]) -> Option<[f64; 2]> {
    let off = |m: &[f64; 2]| (m[0].hypot(m[1]) - 1.0).abs();
    let complex = multipliers.iter().filter(|m| m[1] > 0.0);
    let nearest = complex.min_by(|a, b| off(a).total_cmp(&off(b)))?;
    (off(nearest) < ON_CIRCLE).then_some(*nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of (z, s), with its derivative.
    struct Maps<I, D>(I, D);

    impl<I, D> Family for Maps<I, D>
    where
        I: Fn(&DVector<f64>, f64) -> DVector<f64>,
        D: Fn(&DVector<f64>, f64) -> DMatrix<f64>,
    {
        fn image(&self, z: &DVector<f64>, share: f64) -> Result<DVector<f64>, OrbitError> {
            Ok(self.0(z, share))
        }

        fn slope(&self, z: &DVector<f64>, share: f64) -> Result<DMatrix<f64>, OrbitError> {
            Ok(self.1(z, share))
        }
    }

    impl<I, D> Explored for Maps<I, D>
    where
        I: Fn(&DVector<f64>, f64) -> DVector<f64>,
        D: Fn(&DVector<f64>, f64) -> DMatrix<f64>,
    {
        type Seen = ();

        fn look(&self, at: &Place) -> Result<Looked<()>, OrbitError> {
            Ok(Looked {
                seen: (),
                derivative: Some(self.1(&at.z, at.share)),
                mark: if at.z[0] > 0.5 { "high" } else { "low" }.to_string(),
            })
        }
    }

    fn one(x: f64) -> DVector<f64> {
        DVector::from_element(1, x)
    }

    fn at_zero(z: DVector<f64>) -> Start {
        Start {
            z,
            share: 0.0,
            heading: 1.0,
            along: Along { sheet: 0, arc: 0.0 },
        }
    }

    /// x + a − x² with a = 0.9 − 2s: fixed points ±√a, which end in a fold at s = 0.45; the mark changes at x = 1/2, where
    /// s = 0.325.
    #[test]
    fn a_fold_is_passed_and_both_sides_have_rows() {
        let maps = Maps(
            |z: &DVector<f64>, s: f64| one(z[0] + 0.9 - 2.0 * s - z[0] * z[0]),
            |z: &DVector<f64>, _: f64| DMatrix::from_element(1, 1, 1.0 - 2.0 * z[0]),
        );
        let track = follow(&maps, at_zero(one(0.9_f64.sqrt())), 11).unwrap();
        assert_eq!(track.ended, None);
        let [fold] = &track.located[..] else {
            panic!("{}", track.located.len());
        };
        assert_eq!((fold.what, fold.along.sheet), (Special::Fold, 0));
        // The parameter is flat there: it is known far better than the part of the way.
        assert!((fold.node.place.share - 0.45).abs() < 1e-9);
        let shares: Vec<f64> = track.rows.iter().map(|(n, _)| n.place.share).collect();
        let wanted = [0.0, 0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1, 0.0];
        assert_eq!(shares.len(), 10, "{shares:?}");
        for ((node, along), wanted) in track.rows.iter().zip(wanted) {
            assert!((node.place.share - wanted).abs() < 1e-15);
            let sign = if along.sheet == 0 { 1.0 } else { -1.0 };
            let exact = sign * (0.9 - 2.0 * wanted).sqrt();
            assert!(
                (node.place.z[0] - exact).abs() < 1e-9,
                "{} {exact}",
                node.place.z[0]
            );
        }
        let arcs: Vec<f64> = track.rows.iter().map(|(_, along)| along.arc).collect();
        assert!(arcs.is_sorted_by(|a, b| a < b));
        let [change] = &track.changes[..] else {
            panic!("{}", track.changes.len());
        };
        assert!((change.share - 0.325).abs() < 2e-7 && change.within <= LOCATED);
        assert_eq!(change.marks, ["high".to_string(), "low".to_string()]);
    }

    /// r x (1 − x): at r = 1 the branches 0 and 1 − 1/r cross, at r = 3 the period doubles.
    #[test]
    fn the_logistic_map_doubles_at_three_and_branches_at_one() {
        let r = |s: f64| 0.5 + 3.0 * s;
        let maps = Maps(
            move |z: &DVector<f64>, s: f64| one(r(s) * z[0] * (1.0 - z[0])),
            move |z: &DVector<f64>, s: f64| DMatrix::from_element(1, 1, r(s) * (1.0 - 2.0 * z[0])),
        );
        let nought = follow(&maps, at_zero(one(0.0)), 7).unwrap();
        let found: Vec<(Special, f64)> = (nought.located.iter())
            .map(|l| (l.what, r(l.node.place.share)))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, Special::BranchPoint);
        assert!((found[0].1 - 1.0).abs() < 1e-6);
        let r = |s: f64| 3.5 - 1.5 * s;
        let maps = Maps(
            move |z: &DVector<f64>, s: f64| one(r(s) * z[0] * (1.0 - z[0])),
            move |z: &DVector<f64>, s: f64| DMatrix::from_element(1, 1, r(s) * (1.0 - 2.0 * z[0])),
        );
        let other = follow(&maps, at_zero(one(1.0 - 1.0 / 3.5)), 7).unwrap();
        let [doubling] = &other.located[..] else {
            panic!("{}", other.located.len());
        };
        assert_eq!(doubling.what, Special::PeriodDoubling);
        assert!((r(doubling.node.place.share) - 3.0).abs() < 1e-6);
    }

    /// The delayed logistic map x' = r x (1 − y), y' = x: the pair is on the circle at r = 2, at 60 degrees.
    #[test]
    fn a_pair_passes_the_circle_where_the_delayed_logistic_map_has_it() {
        let r = |s: f64| 1.6 + s;
        let maps = Maps(
            move |z: &DVector<f64>, s: f64| {
                DVector::from_vec(vec![r(s) * z[0] * (1.0 - z[1]), z[0]])
            },
            move |z: &DVector<f64>, s: f64| {
                DMatrix::from_row_slice(2, 2, &[r(s) * (1.0 - z[1]), -r(s) * z[0], 1.0, 0.0])
            },
        );
        let start = 1.0 - 1.0 / 1.6;
        let track = follow(&maps, at_zero(DVector::from_element(2, start)), 6).unwrap();
        let [found] = &track.located[..] else {
            panic!("{}", track.located.len());
        };
        assert_eq!(found.what, Special::NeimarkSacker);
        assert!((r(found.node.place.share) - 2.0).abs() < 1e-6);
        let [re, im] = found.multiplier.unwrap();
        assert!((re - 0.5).abs() < 1e-6 && (im - 0.75_f64.sqrt()).abs() < 1e-6);
    }

    /// Two real multipliers whose product passes 1 are no bifurcation: diag(2, 1/4 + s/2) at s = 1/2.
    #[test]
    fn a_neutral_saddle_is_told_apart() {
        let maps = Maps(
            |z: &DVector<f64>, s: f64| DVector::from_vec(vec![2.0 * z[0], (0.25 + 0.5 * s) * z[1]]),
            |_: &DVector<f64>, s: f64| {
                DMatrix::from_diagonal(&DVector::from_vec(vec![2.0, 0.25 + 0.5 * s]))
            },
        );
        let track = follow(&maps, at_zero(DVector::zeros(2)), 5).unwrap();
        assert_eq!((track.located.len(), track.rows.len()), (0, 5));
    }
}
