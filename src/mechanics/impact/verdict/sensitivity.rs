//! How an outcome moves with the impact, and how close the impact is to another sequence.
//!
//! Along a fixed sequence the outcome is a smooth function of the pre-impact momentum and of the contact
//! normals; its derivative is taken exactly, with dual numbers through the same reflections, the same
//! active set of the plastic projection and the same blend of restitution.
//!
//! The sequence itself changes where ⟨p_k, û_i⟩ = 0 (a contact becomes violated or stops being) or where
//! two contacts tie. Both are hyperplanes of p⁻. Reflections are isometries of the kinetic metric, so the
//! distance of p⁻ to the first is |⟨p_k, û_i⟩| and to the second |⟨p_k, û_i − û_j⟩| / ‖û_i − û_j‖, read
//! off along the sequence. The momenta that follow one sequence form a convex cone, so the nearest
//! of its hyperplanes is the smallest perturbation that leaves it.

use nalgebra::{DMatrix, DVector};
use num_dual::{Dual64, DualNum};

use crate::impact::order::ReflectionOrder;
use crate::impact::plastic::ConeProjection;
use crate::impact::propagative::Propagation;
use crate::impact::unit_contacts::UnitContacts;
use crate::impact::{ImpactError, ImpactProblem};

/// Derivative of an outcome's momentum along a fixed sequence, n = degrees of freedom.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// p⁺, n, recomputed along the sequence.
    pub outcome: DVector<f64>,
    /// ∂p⁺/∂p⁻, n × n: column j is the change by the j-th momentum. With restitution 1 an isometry of the
    /// kinetic metric.
    pub momentum: DMatrix<f64>,
    /// ∂p⁺/∂u_i for each contact i, n × n: column j is the change by the j-th entry of the gap gradient u_i.
    /// Zero in the direction of u_i itself for elastic contacts, because Γ(u) does not depend on ‖u‖.
    pub normals: Vec<DMatrix<f64>>,
}

/// The nearest hyperplane of momenta at which a sequence changes.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchingDistance {
    /// Kinetic length of the smallest change of p⁻ that reaches it; infinite when nothing can change.
    pub distance: f64,
    /// Number of reflections done where it is met.
    pub step: usize,
    /// The contact whose violation changes there, or the two that tie.
    pub contacts: Vec<usize>,
}

/// Derivatives of the outcome of `problem` along `sequence` (contact indices).
///
/// # Errors
/// An index that is not a contact, or a plastic projection that did not converge.
pub fn sensitivity(
    problem: &ImpactProblem,
    sequence: &[usize],
) -> Result<Sensitivity, ImpactError> {
    check_sequence(problem, sequence)?;
    let space = problem.contact_space();
    let n = problem.dof();
    let mut unit = UnitContacts::default();
    unit.load(space)?;
    let mut projection = ConeProjection::default();
    if !unit.all_restitution(1.0) {
        unit.set_tolerance(0.0)?;
        projection.project(&unit)?;
    }
    let mut inverse = DMatrix::zeros(n, n);
    for j in 0..n {
        let column = problem.solve_mass(&DVector::from_fn(n, |i, _| f64::from(u8::from(i == j))));
        inverse.set_column(j, &column);
    }
    let path = FixedPath {
        inverse: &inverse,
        sequence,
        restitution: &unit.restitution,
        support: projection.support(),
    };
    let momentum: Vec<f64> = problem.momentum().iter().copied().collect();
    let normals: Vec<Vec<f64>> = space
        .contacts
        .iter()
        .map(|c| problem.rows().row(c.normal).iter().copied().collect())
        .collect();
    let outcome = DVector::from_vec(path.outcome(&momentum, &normals));

    let mut p: Vec<Dual64> = momentum.iter().map(|&x| Dual64::from_re(x)).collect();
    let mut u: Vec<Vec<Dual64>> = normals
        .iter()
        .map(|row| row.iter().map(|&x| Dual64::from_re(x)).collect())
        .collect();
    let mut by_momentum = DMatrix::zeros(n, n);
    for j in 0..n {
        p[j].eps = 1.0;
        set_derivative(&mut by_momentum, j, &path.outcome(&p, &u));
        p[j].eps = 0.0;
    }
    let mut by_normals = vec![DMatrix::zeros(n, n); u.len()];
    for i in 0..u.len() {
        for j in 0..n {
            u[i][j].eps = 1.0;
            set_derivative(&mut by_normals[i], j, &path.outcome(&p, &u));
            u[i][j].eps = 0.0;
        }
    }
    Ok(Sensitivity {
        outcome,
        momentum: by_momentum,
        normals: by_normals,
    })
}

fn set_derivative(matrix: &mut DMatrix<f64>, column: usize, outcome: &[Dual64]) {
    for (i, value) in outcome.iter().enumerate() {
        matrix[(i, column)] = value.eps;
    }
}

/// Distance of p⁻ to the nearest momentum that does not follow `sequence`. With an `order`, the
/// sequence is that order's choice; without, every change in the set of violated contacts counts.
///
/// # Errors
/// An index that is not a contact.
pub fn switching_distance(
    problem: &ImpactProblem,
    sequence: &[usize],
    order: Option<ReflectionOrder>,
) -> Result<SwitchingDistance, ImpactError> {
    check_sequence(problem, sequence)?;
    let mut unit = UnitContacts::default();
    unit.load(problem.contact_space())?;
    Ok(switching_of_word(&unit, sequence, order))
}

fn check_sequence(problem: &ImpactProblem, sequence: &[usize]) -> Result<(), ImpactError> {
    let m = problem.contact_space().len();
    match sequence.iter().find(|&&k| k >= m) {
        None => Ok(()),
        Some(&k) => Err(ImpactError::OutOfRange {
            place: "sequence".to_string(),
            value: k as f64,
            range: "an index of a contact",
        }),
    }
}

pub(crate) fn switching_of_word(
    unit: &UnitContacts,
    word: &[usize],
    order: Option<ReflectionOrder>,
) -> SwitchingDistance {
    use ReflectionOrder::{Index, LeastViolated, MostViolated};
    let mut nearest = SwitchingDistance {
        distance: f64::INFINITY,
        step: 0,
        contacts: Vec::new(),
    };
    let mut run = Propagation::default();
    run.reset(unit);
    for step in 0..=word.len() {
        let chosen = word.get(step).copied();
        for i in 0..unit.len() {
            let z = run.approach[i];
            let tie = |k: usize| {
                let square = 2.0 - 2.0 * unit.cosine(i, k);
                (square > 0.0).then(|| (z - run.approach[k]).abs() / square.sqrt())
            };
            let (distance, pair) = match (chosen, order) {
                (Some(k), Some(MostViolated)) if i != k => (tie(k), Some(k)),
                (Some(k), Some(LeastViolated)) if i != k && z < 0.0 => (tie(k), Some(k)),
                (Some(k), Some(Index)) if i > k => (None, None),
                _ => (Some(z.abs()), None),
            };
            if let Some(distance) = distance
                && distance < nearest.distance
            {
                nearest = SwitchingDistance {
                    distance,
                    step,
                    contacts: std::iter::once(i).chain(pair).collect(),
                };
            }
        }
        if let Some(k) = chosen {
            run.reflect(unit, k);
        }
    }
    nearest
}

/// What stays fixed while momentum and normals vary.
struct FixedPath<'a> {
    inverse: &'a DMatrix<f64>,
    sequence: &'a [usize],
    restitution: &'a [f64],
    /// Contacts that carry the plastic impulse.
    support: &'a [usize],
}

impl FixedPath<'_> {
    /// p⁺ as a function of p⁻ and the normals.
    fn outcome<T: DualNum<f64> + Copy>(&self, before: &[T], normals: &[Vec<T>]) -> Vec<T> {
        let mut elastic = before.to_vec();
        let mut work = vec![T::from(0.0); normals.len()];
        for &k in self.sequence {
            let u = &normals[k];
            let square = self.product(u, u);
            let along = self.product(u, &elastic);
            work[k] += along * along / square * 0.5;
            let factor = along / square * 2.0;
            for (p, u) in elastic.iter_mut().zip(u) {
                *p -= factor * *u;
            }
        }
        if self.restitution.iter().all(|&e| e == 1.0) || self.sequence.is_empty() {
            return if self.sequence.is_empty() && self.restitution.iter().all(|&e| e == 0.0) {
                self.plastic(before, normals)
            } else {
                elastic
            };
        }
        let plastic = self.plastic(before, normals);
        let share = self.share(before, &elastic, &plastic, &work);
        plastic
            .iter()
            .zip(&elastic)
            .map(|(&p, &e)| p + share * (e - p))
            .collect()
    }

    /// α, from R²E_p = bα + dα² (see the `restitution` module).
    fn share<T: DualNum<f64> + Copy>(
        &self,
        before: &[T],
        elastic: &[T],
        plastic: &[T],
        work: &[T],
    ) -> T {
        let mut weighted = T::from(0.0);
        let mut total = T::from(0.0);
        for (&w, &e) in work.iter().zip(self.restitution) {
            weighted += w * (e * e);
            total += w;
        }
        if weighted.re() <= 0.0 {
            return T::from(0.0);
        }
        let gap: Vec<T> = elastic.iter().zip(plastic).map(|(&e, &p)| e - p).collect();
        let energy = (self.product(before, before) - self.product(plastic, plastic)) * 0.5;
        let b = self.product(plastic, &gap);
        let d = self.product(&gap, &gap) * 0.5;
        let kept = weighted / total * energy;
        kept * 2.0 / (b + (b * b + d * kept * 4.0).sqrt())
    }

    /// The projection on the tangent space of the contacts that carry it.
    fn plastic<T: DualNum<f64> + Copy>(&self, before: &[T], normals: &[Vec<T>]) -> Vec<T> {
        let k = self.support.len();
        let mut factor = vec![T::from(0.0); k * k];
        let mut impulse: Vec<T> = Vec::with_capacity(k);
        for a in 0..k {
            let u = &normals[self.support[a]];
            let mut right = -self.product(u, before);
            for b in 0..=a {
                let mut sum = self.product(u, &normals[self.support[b]]);
                for c in 0..b {
                    sum -= factor[a * k + c] * factor[b * k + c];
                }
                if a == b {
                    factor[a * k + a] = sum.sqrt();
                } else {
                    factor[a * k + b] = sum / factor[b * k + b];
                    right -= factor[a * k + b] * impulse[b];
                }
            }
            impulse.push(right / factor[a * k + a]);
        }
        for a in (0..k).rev() {
            for b in a + 1..k {
                let taken = factor[b * k + a] * impulse[b];
                impulse[a] -= taken;
            }
            impulse[a] /= factor[a * k + a];
        }
        let mut after = before.to_vec();
        for (&i, &s) in self.support.iter().zip(&impulse) {
            for (p, &u) in after.iter_mut().zip(&normals[i]) {
                *p += s * u;
            }
        }
        after
    }

    /// ⟨a, b⟩.
    fn product<T: DualNum<f64> + Copy>(&self, a: &[T], b: &[T]) -> T {
        let mut sum = T::from(0.0);
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                sum += x * y * self.inverse[(i, j)];
            }
        }
        sum
    }
}
