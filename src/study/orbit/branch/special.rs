//! What lies between two points of a branch: folds, bifurcations, changes of kind, and the values that were asked for.

use super::super::multipliers::nearest;
use super::*;

/// Trials to locate one thing.
const TRIALS: usize = 60;
/// Things are located to this share of the range.
pub(super) const LOCATED: f64 = 1e-7;
/// What is left of a test function where it is zero, beside its larger end.
const ZERO: f64 = 1e-2;
/// How near to the circle a complex pair is at a Neimark-Sacker bifurcation.
const ON_CIRCLE: f64 = 1e-3;

struct Root<S> {
    node: Node<S>,
    part: f64,
    height: f64,
    within: f64,
}

impl<F: Explored> Walk<'_, F> {
    /// What lies between two points: folds, bifurcations, changes and rows.
    pub(super) fn between(&mut self, here: &Node<F::Seen>, there: &Node<F::Seen>) {
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

/// The complex multiplier on the unit circle, above the real axis.
fn on_circle(multipliers: &[[f64; 2]]) -> Option<[f64; 2]> {
    let off = |m: &[f64; 2]| (m[0].hypot(m[1]) - 1.0).abs();
    let complex = multipliers.iter().filter(|m| m[1] > 0.0);
    let nearest = complex.min_by(|a, b| off(a).total_cmp(&off(b)))?;
    (off(nearest) < ON_CIRCLE).then_some(*nearest)
}
