//! The factor of M along the branches of the tree, from the last coordinate to the first.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | M = U D Uᵀ | `entries`, `inverse` | U unit upper triangular; row k of `entries` keeps the column k of U D and D_k |
//!
//! Eliminating from the leaves to the root, as articulated bodies do, fills in nothing (\[F\] §6.5), and makes D_k what it
//! is there: the inertia of coordinate k with all later ones following as easily as they can. A lock, an infinite load,
//! has 1/D = 0: nothing is eliminated, and the coordinate does not move. O(n d²) to factor for depth d, O(n d) to solve:
//! less work than articulated bodies where limbs are short. Where joints share coordinates the matrix is full and d is n.

use std::ops::Range;

use super::branch_rows::{BASE, Limb, elimination_work};
use super::unrolled::take;
use super::{BranchRows, CompositeBodies, MassMatrix, unrolled};
use crate::dynamics::{Kinematics, SingularMass, Support};
use crate::model::{Body, JointKind, Model};
use crate::spatial::{Scalar, lift};

/// Entries of the lower triangle of a floating base.
const LOWER: usize = BASE * (BASE + 1) / 2;
/// Products an articulated body costs to factor. Trees that cost fewer for each body are shallow.
const ARTICULATED_BODY: usize = 150;
/// Coordinates that limbs must have on the average: with single joints nothing is gained.
const LIMB: usize = 2;

/// The factor, with memory for one model.
#[derive(Debug, Clone)]
pub(in crate::dynamics) struct BranchFactor<T: Scalar> {
    rows: BranchRows,
    composite: CompositeBodies<T>,
    /// The whole matrix, where joints share coordinates.
    shared: Option<MassMatrix<T>>,
    entries: Vec<T>,
    /// 1/D, n.
    inverse: Vec<T>,
    /// 1/√D, n.
    root: Vec<T>,
    /// What the last solve met along each coordinate, n.
    met: Vec<T>,
    /// Of each body, its first coordinate; none for a joint that mimics another.
    first: Vec<Option<usize>>,
    /// Of each coordinate, its body.
    owners: Vec<usize>,
    /// Of each body that floats, the lower triangle of what is left of its own coordinates when all later ones are
    /// eliminated.
    floating: Vec<[T; LOWER]>,
}

impl<T: Scalar> BranchFactor<T> {
    /// Memory for a model for which this is less work than articulated bodies, or whose joints share coordinates; none
    /// for others.
    pub fn for_shallow(model: &Model) -> Option<Box<Self>> {
        let (limbs, work) = elimination_work(model);
        let shallow = work <= ARTICULATED_BODY * model.bodies().len();
        let long = model.dof() >= LIMB * limbs;
        (shallow && long || model.coupling().is_some()).then(|| Self::new(model))
    }

    /// Memory for any model.
    fn new(model: &Model) -> Box<Self> {
        let rows = BranchRows::of(model);
        let n = model.dof();
        let bodies = model.bodies();
        let mut owners = vec![0; n];
        for (i, body) in bodies.iter().enumerate() {
            if body.follows.is_none() {
                owners[body.v_index..body.v_index + body.kind.velocity_width()].fill(i);
            }
        }
        let first = |body: &Body| body.follows.is_none().then_some(body.v_index);
        Box::new(Self {
            composite: CompositeBodies::new(model),
            shared: model.coupling().map(|_| MassMatrix::new(model)),
            entries: vec![T::zero(); rows.len()],
            inverse: vec![T::zero(); n],
            root: vec![T::zero(); n],
            met: vec![T::zero(); n],
            first: bodies.iter().map(first).collect(),
            owners,
            floating: vec![[T::zero(); LOWER]; bodies.len()],
            rows,
        })
    }

    /// Factors M plus the diagonal `load`, ignored where it is negative and for floating bodies.
    pub fn factor(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
        load: Option<&[T]>,
    ) -> Result<(), SingularMass> {
        if let Some(mass) = &mut self.shared {
            let m = mass.update(model, kinematics);
            for k in 0..self.rows.coordinates() {
                let row = &mut self.entries[self.rows.range(k)];
                row.copy_from_slice(&m.as_slice()[k * m.nrows()..][..row.len()]);
            }
        } else {
            let entries = &mut self.entries;
            self.composite
                .write_rows(model, kinematics, &self.rows, entries);
        }
        for at in (0..self.rows.limbs().len()).rev() {
            self.eliminate(model, at, load)?;
        }
        Ok(())
    }

    /// Eliminates the coordinates of a limb.
    fn eliminate(
        &mut self,
        model: &Model,
        at: usize,
        load: Option<&[T]>,
    ) -> Result<(), SingularMass> {
        let limb = &self.rows.limbs()[at];
        let (depth, stride) = (limb.depth(), limb.stride());
        let (before, entries) = self.entries.split_at_mut(limb.range().start);
        let entries = &mut entries[..limb.count * stride];
        let (owners, first) = (&self.owners, &self.first);
        let (inverses, roots) = (&mut self.inverse, &mut self.root);
        let mut invert = |i: usize, d: T| {
            let k = limb.first + i;
            let body = owners[k];
            let floats = model.bodies()[body].kind == JointKind::Floating;
            let load = load.filter(|_| !floats).map_or(T::zero(), |load| load[k]);
            let inverse = pivot(d, load).map_err(|d| SingularMass {
                body,
                inertia: nalgebra::try_convert(d).unwrap_or(f64::NAN),
            })?;
            inverses[k] = inverse;
            roots[k] = inverse.sqrt();
            Ok(inverse)
        };
        // The floating body whose coordinates end with one of this limb.
        let floating = |i: usize| {
            let k = limb.first + i;
            let body = owners[k];
            let floats = model.bodies()[body].kind == JointKind::Floating;
            (floats && k + 1 >= BASE && first[body] == Some(k + 1 - BASE)).then_some(body)
        };
        if let Some(base) = limb.base {
            let square = before[self.rows.range(base).start..].first_chunk_mut();
            if let (BASE, Some(square)) = (depth, square)
                && unrolled::eliminate_on_base(entries, limb.count, square, &mut invert)?
            {
                return Ok(());
            }
        } else if depth == 0 && limb.count == BASE {
            if let Some(body) = floating(BASE - 1) {
                keep_floating(entries, stride, &mut self.floating[body]);
            }
            return unrolled::eliminate(entries, &mut invert);
        }
        for i in (0..limb.count).rev() {
            if let Some(body) = floating(i) {
                let rows = &entries[..=i * stride + depth + i];
                keep_floating(rows, stride, &mut self.floating[body]);
            }
            let (above, own) = entries.split_at_mut(i * stride);
            let [row @ .., d] = &own[..=depth + i] else {
                continue;
            };
            let inverse = invert(i, *d)?;
            if inverse == T::zero() {
                continue;
            }
            for (j, other) in above.chunks_exact_mut(stride).enumerate() {
                let factor = row[depth + j] * inverse;
                for (x, u) in other[..=depth + j].iter_mut().zip(row) {
                    *x -= *u * factor;
                }
            }
            if let Some(base) = limb.base {
                let square = before[self.rows.range(base).start..].first_chunk_mut();
                if let (Some(square), Some(u)) = (square, row.first_chunk()) {
                    unrolled::subtract_square(u, inverse, square);
                }
            }
            let carrying = &self.rows.below(limb)[limb.based()..];
            for (p, &j) in (limb.based()..).zip(carrying) {
                let factor = row[p] * inverse;
                let start = self.rows.range(j).start;
                for (x, u) in before[start..=start + p].iter_mut().zip(row) {
                    *x -= *u * factor;
                }
            }
        }
        Ok(())
    }

    /// Writes M⁻¹ x to `out` (both n).
    pub fn solve(&mut self, x: &[T], out: &mut [T]) {
        let n = self.rows.coordinates();
        let out = &mut out[..n];
        out.copy_from_slice(&x[..n]);
        for limb in self.rows.limbs().iter().rev() {
            self.solve_up(limb, out);
        }
        for at in 0..self.rows.limbs().len() {
            self.solve_down(at, out);
        }
    }

    /// x ← U⁻¹ x along one limb, from its last coordinate on.
    fn solve_up(&self, limb: &Limb, x: &mut [T]) {
        let (before, own) = x.split_at_mut(limb.first);
        let own = &mut own[..limb.count];
        let inverse = &self.inverse[limb.first..limb.first + limb.count];
        let rows = &self.entries[limb.range()];
        if let Some(base) = limb.base {
            let Some(base) = before[base..].first_chunk_mut::<BASE>() else {
                return;
            };
            if limb.depth() == BASE && unrolled::up_to_base(rows, inverse, own, base) {
                return;
            }
        } else if limb.depth() == 0 && unrolled::up(rows, inverse, own) {
            return;
        }
        let carrying = &self.rows.below(limb)[limb.based()..];
        let base = limb.base.map_or(0..0, |base| base..base + limb.based());
        for (i, row) in rows.chunks_exact(limb.stride()).enumerate().rev() {
            let factor = own[i] * inverse[i];
            let (row, same) = row.split_at(limb.depth());
            let (based, row) = row.split_at(limb.based());
            for (x, u) in own[..i].iter_mut().zip(same) {
                *x -= *u * factor;
            }
            for (x, u) in before[base.clone()].iter_mut().zip(based) {
                *x -= *u * factor;
            }
            for (&j, u) in carrying.iter().zip(row) {
                before[j] -= *u * factor;
            }
        }
    }

    /// x ← U⁻ᵀ D⁻¹ x along one limb, from its first coordinate on.
    fn solve_down(&mut self, at: usize, x: &mut [T]) {
        let limb = &self.rows.limbs()[at];
        let (before, own) = x.split_at_mut(limb.first);
        let own = &mut own[..limb.count];
        let range = limb.first..limb.first + limb.count;
        let (inverse, met) = (&self.inverse[range.clone()], &mut self.met[range]);
        let rows = &self.entries[limb.range()];
        if let Some(base) = limb.base {
            let Some(base) = before[base..].first_chunk::<BASE>() else {
                return;
            };
            if limb.depth() == BASE && unrolled::down_from_base(rows, inverse, base, own, met) {
                return;
            }
        } else if limb.depth() == 0 && unrolled::down(rows, inverse, own, met) {
            return;
        }
        let carrying = &self.rows.below(limb)[limb.based()..];
        let base = limb.base.map_or(0..0, |base| base..base + limb.based());
        for (i, row) in rows.chunks_exact(limb.stride()).enumerate() {
            let (row, same) = row.split_at(limb.depth());
            let (based, row) = row.split_at(limb.based());
            let mut sum = own[i];
            for (x, u) in before[base.clone()].iter().zip(based) {
                sum -= *u * *x;
            }
            for (&j, u) in carrying.iter().zip(row) {
                sum -= *u * before[j];
            }
            for (x, u) in own[..i].iter().zip(same) {
                sum -= *u * *x;
            }
            met[i] = sum;
            own[i] = sum * inverse[i];
        }
    }

    /// Y = D^(−1/2) U⁻¹ X for R columns, rows one after the other for the coordinates of `support`.
    pub fn half_solve<const R: usize>(&self, support: &Support, x: &[[T; R]], out: &mut [[T; R]]) {
        let coordinates = support.coordinates();
        let out = &mut out[..coordinates.len()];
        out.copy_from_slice(&x[..coordinates.len()]);
        let left = if self.half_solve_limb(coordinates, out) {
            BASE
        } else {
            coordinates.len()
        };
        if let Some(range) = self.whole_base(&coordinates[..left]) {
            let rows = &self.entries[self.rows.range(range.start).start..];
            let scales = [&self.inverse[range.clone()], &self.root[range]];
            unrolled::half(rows, scales, &mut out[..left]);
            return;
        }
        for (c, &k) in coordinates[..left].iter().enumerate().rev() {
            let row = &self.entries[self.rows.range(k)];
            let row = &row[..row.len() - 1];
            let (before, own) = out.split_at_mut(c);
            let own = &mut own[0];
            let scaled = own.map(|x| x * self.inverse[k]);
            *own = own.map(|x| x * self.root[k]);
            if row.len() == c {
                for (x, u) in before.iter_mut().zip(row) {
                    take(x, *u, &scaled);
                }
                continue;
            }
            // Of two branches: all columns are among the coordinates, in the same order.
            let mut rows = coordinates.iter().zip(before);
            for (j, u) in self.rows.columns(k).zip(row) {
                if let Some((_, x)) = rows.find(|(at, _)| **at == j) {
                    take(x, *u, &scaled);
                }
            }
        }
    }

    /// These coordinates, if they are those of a floating base that nothing carries.
    fn whole_base(&self, coordinates: &[usize]) -> Option<Range<usize>> {
        let (&first, &last) = coordinates.first().zip(coordinates.last())?;
        let limb = self.rows.limb_of(first)?;
        let range = limb.first..limb.first + limb.count;
        let whole = limb.depth() == 0 && (first, last + 1) == (range.start, range.end);
        (whole && limb.count == BASE).then_some(range)
    }

    /// The same for those of a single limb on a floating base, which remains; false where they are not these.
    fn half_solve_limb<const R: usize>(&self, coordinates: &[usize], x: &mut [[T; R]]) -> bool {
        let last = coordinates.last();
        let limb = last.and_then(|&k| Some((k, self.rows.limb_of(k)?)));
        let Some((k, limb)) = limb.filter(|(_, limb)| limb.base.is_some()) else {
            return false;
        };
        if limb.depth() != BASE || coordinates.len() != self.rows.range(k).len() {
            return false;
        }
        let range = limb.first..=k;
        let scales = [&self.inverse[range.clone()], &self.root[range]];
        unrolled::half_to_base(&self.entries[limb.range()], limb.stride(), scales, x)
    }

    /// 1/D of the first coordinate of a body; zero for a joint that mimics another.
    pub fn inverse_inertia(&self, body: usize) -> T {
        self.first[body].map_or(T::zero(), |k| self.inverse[k])
    }

    /// What the last solve met along the first coordinate of a body.
    pub fn met(&self, body: usize) -> T {
        self.first[body].map_or(T::zero(), |k| self.met[k])
    }

    /// The articulated inertia of a floating body, lower triangle row after row.
    pub fn floating(&self, body: usize) -> &[T; LOWER] {
        &self.floating[body]
    }
}

/// 1/D for an entry of the diagonal and the load on it, zero for a lock; D as an error when it moves without inertia.
fn pivot<T: Scalar>(d: T, load: T) -> Result<T, T> {
    let locked = load == lift(f64::INFINITY);
    // Stages with a negative step are solved with the bare mass matrix.
    let d = if load > T::zero() { d + load } else { d };
    let inverse = if locked { T::zero() } else { T::one() / d };
    // A positive number may be so small that it has no inverse.
    if d <= T::zero() || !(d.is_finite() || locked) || !inverse.is_finite() {
        return Err(d);
    }
    Ok(inverse)
}

/// Keeps what is left of the six coordinates of a floating body, whose rows of `stride` entries end with `rows`.
fn keep_floating<T: Scalar>(rows: &[T], stride: usize, lower: &mut [T; LOWER]) {
    let mut kept = &mut lower[..];
    for r in 0..BASE {
        // The diagonal entry of row r.
        let end = rows.len() - (BASE - 1 - r) * (stride + 1);
        let (own, rest) = kept.split_at_mut(r + 1);
        own.copy_from_slice(&rows[end - r - 1..end]);
        kept = rest;
    }
}

#[cfg(test)]
mod tests;
