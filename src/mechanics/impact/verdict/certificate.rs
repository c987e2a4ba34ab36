//! Statements about an impact that hold for every momentum.
//!
//! Certified are pairwise orthogonal normals (\[SM\] Theorem 2), two contacts at ⟨û, v̂⟩ = −cos(π/m)
//! (Theorem 3 is m = 3; −½ only, not ±½) and, for more contacts, the chambers of finite reflection groups.
//!
//! **Bound on ξ.** Angles are never exact, so a certificate bounds what their error can do.
//! *Two contacts* (exact): with 2γ the angle between the walls and both contacts violated, the two sequences
//! end, unfolded, at most |2π − 4mγ| apart in angle (same length: exactly that; lengths that differ by one:
//! at most that), so ξ ≤ 2 sin(min(m|2γ − π/m|, π/2)). For m = 2 this is 4|cos| to first order.
//! *More contacts*: with Ĝ₀ the exact Gram matrix and Ĝ = Ĝ₀ + E, the normals differ from exact
//! ones by at most η = ‖E‖_F / (√λ + √λ₀) (square roots of the two matrices, λ their least eigenvalues).
//! A reflection moves by at most 2η‖p‖. Folding onto the exact chamber is non-expansive and invariant
//! under exact reflections, and an outcome violates the exact chamber by at most η‖p‖ at each wall, so it lies within
//! η√(n/λ₀)‖p‖ of it. Two outcomes of sequences of at most L reflections then differ by
//! ξ ≤ 4η(L + √(n/λ₀)). In the exact group L is the number of mirrors; grazing reflections, which
//! only inexact angles cause, are allowed for with L = twice that number.

use serde::Serialize;

use super::reflection_group::ReflectionGroup;
use crate::impact::unit_contacts::{UnitContacts, UnitNormals};
use crate::impact::{ContactSpace, ImpactError};

/// Outcomes closer than this share of ‖p⁻‖ are one outcome.
pub(crate) const DISTINCT: f64 = 1e-9;

/// Largest order m that is looked for; beyond it, neighbouring cosines crowd together.
const LARGEST_ORDER: u32 = 1000;

/// The kinetic angle between two contact normals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactAngle {
    /// Indices of the two contacts.
    pub contacts: (usize, usize),
    /// ⟨û_i, û_j⟩.
    pub cosine: f64,
    /// m when the cosine is −cos(π/m) within the tolerance.
    pub order: Option<u32>,
}

/// A certificate of uniqueness: a property of the contact normals alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Whether the outcome is unique whatever the momentum.
    pub unique_for_every_momentum: bool,
    /// Why: `orthogonal`, `dihedral`, `reflection-group`, …
    pub reason: String,
    /// The pairwise angles the statement rests on.
    pub angles: Vec<ContactAngle>,
    /// Largest distance of a cosine from the exact value it was taken for.
    pub deviation: f64,
    /// Bound on ξ that follows from the deviation.
    pub indeterminacy_bound: f64,
}

/// Looks for a certificate of uniqueness. Cosines are recognised to `tolerance`; the certificate
/// grants uniqueness when the bound on ξ that follows from their deviation is at most 1e-9, the distance
/// below which outcomes count as one, and otherwise still states the bound. Restitution must be
/// the same for contacts that take each other's place in a sequence (those joined by odd orders),
/// because R weighs their work.
///
/// # Errors
/// A contact space that is not valid.
pub fn certify(space: &ContactSpace, tolerance: f64) -> Result<Option<Certificate>, ImpactError> {
    let mut unit = UnitContacts::default();
    unit.load(space)?;
    let normals = UnitNormals::of_contacts(&unit);
    Ok(certify_unit(&unit, &normals, tolerance).map(|(certificate, _)| certificate))
}

/// The angles of all pairs of contacts; orders are recognised to `tolerance` in the cosine.
fn angles_of(unit: &UnitContacts, tolerance: f64) -> Vec<ContactAngle> {
    let mut angles = Vec::new();
    for j in 0..unit.len() {
        for i in 0..j {
            let cosine = unit.cosine(i, j);
            angles.push(ContactAngle {
                contacts: (i, j),
                cosine,
                order: recognise(cosine, tolerance),
            });
        }
    }
    angles
}

/// −cos(π/m), m ≥ 2, exact at m = 2 and 3.
fn exact_cosine(m: u32) -> f64 {
    match m {
        2 => 0.0,
        3 => -0.5,
        _ => -(std::f64::consts::PI / f64::from(m)).cos(),
    }
}

fn recognise(cosine: f64, tolerance: f64) -> Option<u32> {
    if cosine > tolerance {
        return None;
    }
    let m = (std::f64::consts::PI / (-cosine).clamp(-1.0, 1.0).acos()).round();
    if !(2.0..=f64::from(LARGEST_ORDER)).contains(&m) {
        return None;
    }
    let m = m as u32;
    ((cosine - exact_cosine(m)).abs() <= tolerance).then_some(m)
}

/// The certificate and the group it rests on. Duplicated contacts are one mirror.
pub(crate) fn certify_unit(
    unit: &UnitContacts,
    normals: &UnitNormals,
    tolerance: f64,
) -> Option<(Certificate, ReflectionGroup)> {
    let mut mirrors: Vec<usize> = Vec::new();
    let mut deviation: f64 = 0.0;
    for i in 0..unit.len() {
        match mirrors.iter().find(|&&j| same_mirror(unit, normals, i, j)) {
            None => mirrors.push(i),
            Some(&j) if unit.restitution[i] == unit.restitution[j] => {}
            Some(_) => return None,
        }
    }
    let n = mirrors.len();
    if n == 0 {
        return None;
    }
    let mut orders = vec![2; n * n];
    let mut square = 0.0;
    for a in 0..n {
        for b in 0..a {
            let cosine = unit.cosine(mirrors[a], mirrors[b]);
            let order = recognise(cosine, tolerance)?;
            let same = unit.restitution[mirrors[a]] == unit.restitution[mirrors[b]];
            if order % 2 == 1 && !same {
                return None;
            }
            let off = (cosine - exact_cosine(order)).abs();
            deviation = deviation.max(off);
            square += 2.0 * off * off;
            orders[a * n + b] = order;
            orders[b * n + a] = order;
        }
    }
    let group = ReflectionGroup::from_orders(n, |a, b| orders[a * n + b])?;
    let indeterminacy_bound = match n {
        1 => 0.0,
        2 => bound_of_two(unit.cosine(mirrors[0], mirrors[1]), orders[1]),
        _ => bound_of_many(&group, n, f64::sqrt(square)),
    };
    let reason = match n {
        1 => "single-contact",
        _ if group.is_orthogonal() => "orthogonal",
        2 => "dihedral",
        _ => "reflection-group",
    };
    let certificate = Certificate {
        unique_for_every_momentum: indeterminacy_bound <= DISTINCT,
        reason: reason.to_string(),
        angles: angles_of(unit, tolerance),
        deviation,
        indeterminacy_bound,
    };
    Some((certificate, group))
}

/// A cosine of 1 leaves room for 4e-8 rad, so the normals and the velocities are compared too.
fn same_mirror(unit: &UnitContacts, normals: &UnitNormals, i: usize, j: usize) -> bool {
    let apart = (normals.vectors.column(i) - normals.vectors.column(j)).norm();
    1.0 - unit.cosine(i, j) <= 4.0 * f64::EPSILON
        && apart <= 1e-12
        && (unit.approach[i] - unit.approach[j]).abs() <= 1e-12 * unit.speed
}

fn bound_of_two(cosine: f64, order: u32) -> f64 {
    let m = f64::from(order);
    // 2γ − π/m, from the cosine's deviation where acos would lose it.
    let exact = std::f64::consts::PI / m;
    let angle = (-cosine).clamp(-1.0, 1.0).acos();
    let off = (cosine - exact_cosine(order)).abs();
    let difference = if off < 1e-6 * exact * exact {
        off / exact.sin() * (1.0 + off / exact.sin().powi(2))
    } else {
        (angle - exact).abs()
    };
    2.0 * (m * difference).min(std::f64::consts::FRAC_PI_2).sin()
}

fn bound_of_many(group: &ReflectionGroup, n: usize, frobenius: f64) -> f64 {
    let exact = group.least_eigenvalue();
    let actual = (exact - frobenius).max(0.0);
    let eta = frobenius / (exact.sqrt() + actual.sqrt());
    let length = 2.0 * f64::from(group.mirrors());
    (4.0 * eta * (length + (n as f64 / exact).sqrt())).min(2.0)
}

#[cfg(test)]
mod tests {
    use super::{bound_of_two, recognise};

    #[test]
    fn orders_are_recognised_to_the_tolerance_and_plus_one_half_is_not_one() {
        assert_eq!(recognise(0.0, 1e-9), Some(2));
        assert_eq!(recognise(-0.5 + 1e-12, 1e-9), Some(3));
        assert_eq!(recognise(-0.5 + 1e-8, 1e-9), None);
        assert_eq!(recognise(0.5, 1e-9), None);
        assert_eq!(recognise(-1.0, 1e-9), None);
        let c = -(std::f64::consts::PI / 17.0).cos();
        assert_eq!(recognise(c, 1e-9), Some(17));
    }

    #[test]
    fn bound_of_two_orthogonal_contacts_is_four_cosines_to_first_order() {
        // Second order: m(asin c)… relative 1e-6 at c = 1e-3.
        for c in [1e-3, 1e-5, 1e-8, -1e-5] {
            let bound = bound_of_two(c, 2);
            assert!((bound - 4.0 * f64::abs(c)).abs() <= 1e-5 * bound);
        }
    }
}
