//! Which entries of the mass matrix are not zero: those of two coordinates of which one moves what the other moves.

use std::ops::Range;

use crate::model::{JointKind, Model};

/// Coordinates of a floating base.
pub(super) const BASE: usize = 6;

/// The lower triangle of M, row after row, each with the columns of the coordinates between the root and its own, which
/// is the last one (\[F\] §6.4). The row of a coordinate that is in another one's row has the first columns of that row,
/// so that rows are eliminated without looking for entries.
#[derive(Debug, Clone)]
pub(in crate::dynamics) struct BranchRows {
    limbs: Vec<Limb>,
    /// Where the row of each coordinate begins, and how many entries it has.
    rows: Vec<(usize, usize)>,
    /// Coordinates below each limb.
    below: Vec<usize>,
    entries: usize,
}

/// Coordinates that follow each other, each carried by the one before. Their rows stand below each other, with room for
/// all columns of the last one.
#[derive(Debug, Clone)]
pub(super) struct Limb {
    /// Its first coordinate.
    pub first: usize,
    /// Number of its coordinates.
    pub count: usize,
    /// The first coordinate of the floating base that carries it.
    pub base: Option<usize>,
    start: usize,
    below: Range<usize>,
}

impl Limb {
    /// Number of coordinates that carry it, those of a floating base first.
    pub fn depth(&self) -> usize {
        self.below.len()
    }

    /// Number of those of a floating base.
    pub fn based(&self) -> usize {
        if self.base.is_some() { BASE } else { 0 }
    }

    /// Length of a row.
    pub fn stride(&self) -> usize {
        self.depth() + self.count
    }

    /// Its entries.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.count * self.stride()
    }
}

impl BranchRows {
    /// Those of a model; where joints share coordinates all entries count.
    pub fn of(model: &Model) -> Self {
        let mut rows = Self {
            limbs: Vec::new(),
            rows: Vec::new(),
            below: Vec::new(),
            entries: 0,
        };
        if model.coupling().is_some() {
            rows.push(None, 0, model.dof(), None);
            return rows;
        }
        let bodies = model.bodies();
        for limb in limbs(model) {
            let first = &bodies[limb.start];
            let carried = first.parent.map(|p| &bodies[p]);
            let before = carried.map(|p| p.v_index + p.kind.velocity_width() - 1);
            let base = first_floating(model, limb.start);
            let widths = bodies[limb].iter().map(|b| b.kind.velocity_width());
            rows.push(before, first.v_index, widths.sum(), base);
        }
        rows
    }

    /// Adds a limb of `count` coordinates from `first` on that the coordinate `before` carries.
    fn push(&mut self, before: Option<usize>, first: usize, count: usize, base: Option<usize>) {
        let start = self.below.len();
        if let Some(before) = before {
            let carrying = self.columns(before).collect::<Vec<_>>();
            self.below.extend(carrying);
        }
        let limb = Limb {
            first,
            count,
            base,
            start: self.entries,
            below: start..self.below.len(),
        };
        let (depth, stride) = (limb.depth(), limb.stride());
        let row = |i: usize| (self.entries + i * stride, depth + i + 1);
        self.rows.extend((0..count).map(row));
        self.entries = limb.range().end;
        self.limbs.push(limb);
    }

    /// Room for all entries.
    pub fn len(&self) -> usize {
        self.entries
    }

    /// Limbs, those that carry others before these.
    pub(super) fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    /// The coordinates that carry a limb, ascending.
    pub(super) fn below(&self, limb: &Limb) -> &[usize] {
        &self.below[limb.below.clone()]
    }

    /// Number of coordinates n.
    pub fn coordinates(&self) -> usize {
        self.rows.len()
    }

    /// The entries of row k.
    pub fn range(&self, k: usize) -> Range<usize> {
        let (start, length) = self.rows[k];
        start..start + length
    }

    /// The limb of coordinate k.
    pub(super) fn limb_of(&self, k: usize) -> Option<&Limb> {
        let at = self.limbs.partition_point(|limb| limb.first <= k);
        at.checked_sub(1).map(|at| &self.limbs[at])
    }

    /// Their columns, ascending.
    pub fn columns(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let limb = self.limb_of(k);
        let below = limb.map_or(&[][..], |limb| self.below(limb));
        let own = limb.map_or(k, |limb| limb.first);
        below.iter().copied().chain(own..=k)
    }
}

/// Bodies of which each carries the next: a floating one by itself, others as long as they go on.
fn limbs(model: &Model) -> impl Iterator<Item = Range<usize>> + '_ {
    let bodies = model.bodies();
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = bodies.get(at)?;
        let start = at;
        at += 1;
        if first.kind != JointKind::Floating {
            while at < bodies.len() && bodies[at].parent == Some(at - 1) {
                at += 1;
            }
        }
        Some(start..at)
    })
}

/// Number of limbs, and of products that eliminating all rows takes, where no joints share coordinates.
pub(super) fn elimination_work(model: &Model) -> (usize, usize) {
    let bodies = model.bodies();
    // Coordinates up to those of each body.
    let mut depths = Vec::with_capacity(bodies.len());
    let mut work = 0;
    for body in bodies {
        let before = body.parent.map_or(0, |p| depths[p]);
        let depth = before + body.kind.velocity_width();
        work += (before + 1..=depth)
            .map(|length| length * (length + 1) / 2)
            .sum::<usize>();
        depths.push(depth);
    }
    (limbs(model).count(), work)
}

/// The first coordinate of the floating base that carries a body.
fn first_floating(model: &Model, body: usize) -> Option<usize> {
    let bodies = model.bodies();
    let mut root = bodies[body].parent?;
    while let Some(p) = bodies[root].parent {
        root = p;
    }
    (bodies[root].kind == JointKind::Floating).then_some(bodies[root].v_index)
}
