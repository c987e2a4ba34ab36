//! Finite reflection groups, recognised from the angles of their mirrors.
//!
//! Unit normals with ⟨û_i, û_j⟩ = −cos(π/m_ij) for all pairs, and a positive definite Gram matrix,
//! bound a chamber of a finite reflection group: the group of [`CoxeterFamily`] products below, by
//! Coxeter's classification. A chamber is a fundamental domain, so all admissible reflection orders fold
//! a momentum onto the same one, and every admissible sequence has the length of the shortest group
//! element that does it: at most the number of mirrors.

use std::fmt;

/// An irreducible finite reflection group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoxeterFamily {
    /// A_n: n + 1 equal balls in a row. A_1 is a single contact.
    A(u32),
    /// B_n = C_n, n ≥ 3.
    B(u32),
    /// D_n, n ≥ 4.
    D(u32),
    /// E_6, E_7, E_8.
    E(u32),
    /// F_4.
    F4,
    /// H_3, H_4.
    H(u32),
    /// I_2(m), m ≥ 3: two contacts with ⟨û, v̂⟩ = −cos(π/m).
    Dihedral(u32),
}

impl CoxeterFamily {
    /// Number of mirrors, which is the length of the longest sequence.
    #[must_use]
    pub fn mirrors(self) -> u32 {
        match self {
            Self::A(n) => n * (n + 1) / 2,
            Self::B(n) => n * n,
            Self::D(n) => n * (n - 1),
            Self::E(6) => 36,
            Self::E(7) => 63,
            Self::E(_) => 120,
            Self::F4 => 24,
            Self::H(3) => 15,
            Self::H(_) => 60,
            Self::Dihedral(m) => m,
        }
    }

    /// Number of contacts.
    #[must_use]
    pub fn rank(self) -> u32 {
        match self {
            Self::A(n) | Self::B(n) | Self::D(n) | Self::E(n) | Self::H(n) => n,
            Self::F4 => 4,
            Self::Dihedral(_) => 2,
        }
    }

    /// Coxeter number h = 2 mirrors / rank. The least eigenvalue of the Gram matrix is 1 − cos(π/h).
    #[must_use]
    pub fn coxeter_number(self) -> u32 {
        2 * self.mirrors() / self.rank()
    }

    /// Least eigenvalue of the Gram matrix of the unit normals.
    #[must_use]
    pub fn least_eigenvalue(self) -> f64 {
        let half = std::f64::consts::FRAC_PI_2 / f64::from(self.coxeter_number());
        2.0 * half.sin().powi(2)
    }
}

impl fmt::Display for CoxeterFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::A(n) => write!(f, "A{n}"),
            Self::B(n) => write!(f, "B{n}"),
            Self::D(n) => write!(f, "D{n}"),
            Self::E(n) => write!(f, "E{n}"),
            Self::F4 => write!(f, "F4"),
            Self::H(n) => write!(f, "H{n}"),
            Self::Dihedral(m) => write!(f, "I2({m})"),
        }
    }
}

/// A product of irreducible groups that act on orthogonal spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectionGroup {
    /// The factors, in order of their first contact.
    pub factors: Vec<CoxeterFamily>,
}

impl ReflectionGroup {
    /// The group with the orders `order(i, j)` = m_ij ≥ 2 of n contacts; `None` when it is infinite.
    #[must_use]
    pub fn from_orders(n: usize, order: impl Fn(usize, usize) -> u32) -> Option<Self> {
        let neighbours: Vec<Vec<usize>> = (0..n)
            .map(|i| (0..n).filter(|&j| j != i && order(i, j) > 2).collect())
            .collect();
        let mut seen = vec![false; n];
        let mut factors = Vec::new();
        for start in 0..n {
            if seen[start] {
                continue;
            }
            let mut component = vec![start];
            seen[start] = true;
            let mut next = 0;
            while next < component.len() {
                for &j in &neighbours[component[next]] {
                    if !seen[j] {
                        seen[j] = true;
                        component.push(j);
                    }
                }
                next += 1;
            }
            factors.push(classify(&component, &neighbours, &order)?);
        }
        Some(Self { factors })
    }

    /// Number of mirrors: the longest sequence.
    #[must_use]
    pub fn mirrors(&self) -> u32 {
        self.factors.iter().map(|f| f.mirrors()).sum()
    }

    /// Least eigenvalue of the Gram matrix of the unit normals.
    #[must_use]
    pub fn least_eigenvalue(&self) -> f64 {
        self.factors
            .iter()
            .map(|f| f.least_eigenvalue())
            .fold(1.0, f64::min)
    }

    /// True when all normals are orthogonal.
    #[must_use]
    pub fn is_orthogonal(&self) -> bool {
        self.factors.iter().all(|f| *f == CoxeterFamily::A(1))
    }
}

impl fmt::Display for ReflectionGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, factor) in self.factors.iter().enumerate() {
            if i > 0 {
                write!(f, " x ")?;
            }
            write!(f, "{factor}")?;
        }
        Ok(())
    }
}

/// One connected Coxeter diagram.
fn classify(
    component: &[usize],
    neighbours: &[Vec<usize>],
    order: &impl Fn(usize, usize) -> u32,
) -> Option<CoxeterFamily> {
    let n = component.len() as u32;
    match *component {
        [_] => return Some(CoxeterFamily::A(1)),
        [i, j] => {
            return Some(match order(i, j) {
                3 => CoxeterFamily::A(2),
                m => CoxeterFamily::Dihedral(m),
            });
        }
        _ => {}
    }
    let edges: usize = component
        .iter()
        .map(|&i| neighbours[i].len())
        .sum::<usize>()
        / 2;
    if edges + 1 != component.len() {
        return None;
    }
    let branches: Vec<usize> = component
        .iter()
        .copied()
        .filter(|&i| neighbours[i].len() > 2)
        .collect();
    match *branches.as_slice() {
        [] => {
            let end = component
                .iter()
                .copied()
                .find(|&i| neighbours[i].len() == 1)?;
            classify_path(&path_labels(end, None, neighbours, order))
        }
        [branch] if neighbours[branch].len() == 3 => {
            let mut arms = Vec::new();
            for &arm in &neighbours[branch] {
                let labels = path_labels(arm, Some(branch), neighbours, order);
                if order(branch, arm) != 3 || labels.iter().any(|&m| m != 3) {
                    return None;
                }
                arms.push(labels.len() + 1);
            }
            arms.sort_unstable();
            match *arms.as_slice() {
                [1, 1, _] => Some(CoxeterFamily::D(n)),
                [1, 2, 2..=4] => Some(CoxeterFamily::E(n)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Labels along the path that starts at `from` and does not go back to `avoid`.
fn path_labels(
    from: usize,
    avoid: Option<usize>,
    neighbours: &[Vec<usize>],
    order: &impl Fn(usize, usize) -> u32,
) -> Vec<u32> {
    let mut labels = Vec::new();
    let (mut at, mut previous) = (from, avoid);
    while let Some(&next) = neighbours[at].iter().find(|&&j| Some(j) != previous) {
        labels.push(order(at, next));
        previous = Some(at);
        at = next;
    }
    labels
}

fn classify_path(labels: &[u32]) -> Option<CoxeterFamily> {
    let n = labels.len() as u32 + 1;
    let special: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] != 3).collect();
    match *special.as_slice() {
        [] => Some(CoxeterFamily::A(n)),
        [at] => {
            let at_end = at == 0 || at + 1 == labels.len();
            match (labels[at], at_end, n) {
                (4, true, _) => Some(CoxeterFamily::B(n)),
                (4, false, 4) => Some(CoxeterFamily::F4),
                (5, true, 3 | 4) => Some(CoxeterFamily::H(n)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::{CoxeterFamily, ReflectionGroup};

    fn group(n: usize, edges: &[(usize, usize, u32)]) -> Option<ReflectionGroup> {
        ReflectionGroup::from_orders(n, |i, j| {
            edges
                .iter()
                .find(|&&(a, b, _)| (a, b) == (i, j) || (b, a) == (i, j))
                .map_or(2, |e| e.2)
        })
    }

    fn gram(n: usize, edges: &[(usize, usize, u32)]) -> DMatrix<f64> {
        let mut g = DMatrix::identity(n, n);
        for &(i, j, m) in edges {
            let cosine = -(std::f64::consts::PI / f64::from(m)).cos();
            g[(i, j)] = cosine;
            g[(j, i)] = cosine;
        }
        g
    }

    fn chain(n: usize) -> Vec<(usize, usize, u32)> {
        (1..n).map(|i| (i - 1, i, 3)).collect()
    }

    /// The diagrams of all families: finite exactly when the Gram matrix is positive definite, and
    /// its least eigenvalue is the one of the Coxeter number.
    #[test]
    fn diagrams_and_their_spectra() {
        let tree = |n: usize, fork: usize| {
            let mut edges = chain(n - 1);
            edges.push((fork, n - 1, 3));
            edges
        };
        let label = |n: usize, at: usize, m: u32| {
            let mut edges = chain(n);
            edges[at].2 = m;
            edges
        };
        let cases = vec![
            (12, chain(12), "A12"),
            (2, label(2, 0, 7), "I2(7)"),
            (5, label(5, 0, 4), "B5"),
            (3, label(3, 1, 4), "B3"),
            (6, tree(6, 1), "D6"),
            (4, tree(4, 1), "D4"),
            (6, tree(6, 2), "E6"),
            (7, tree(7, 2), "E7"),
            (8, tree(8, 2), "E8"),
            (4, label(4, 1, 4), "F4"),
            (3, label(3, 0, 5), "H3"),
            (4, label(4, 2, 5), "H4"),
            (5, vec![(0, 3, 3), (3, 1, 4), (2, 4, 5)], "B3 x I2(5)"),
        ];
        for (n, edges, name) in cases {
            let found = group(n, &edges).expect(name);
            assert_eq!(found.to_string(), name);
            let least = gram(n, &edges).symmetric_eigenvalues().min();
            // Eigenvalues of a matrix of norm ≤ 2, to rounding.
            assert!((least - found.least_eigenvalue()).abs() < 1e-14, "{name}");
        }
        let infinite = vec![
            (9, tree(9, 2)),
            (3, vec![(0, 1, 3), (1, 2, 3), (0, 2, 3)]),
            (5, label(5, 1, 4)),
            (5, label(5, 0, 5)),
            (3, label(3, 0, 6)),
            (3, vec![(0, 1, 4), (1, 2, 4)]),
            (5, vec![(0, 1, 3), (0, 2, 3), (0, 3, 3), (0, 4, 3)]),
            (
                7,
                tree(7, 3)
                    .into_iter()
                    .map(|(a, b, m)| (a, b, if b == 6 { 4 } else { m }))
                    .collect(),
            ),
        ];
        for (n, edges) in infinite {
            assert_eq!(group(n, &edges), None, "{edges:?}");
            assert!(gram(n, &edges).symmetric_eigenvalues().min() < 1e-14);
        }
    }

    #[test]
    fn mirrors_follow_from_the_coxeter_number() {
        assert_eq!(CoxeterFamily::A(12).mirrors(), 78);
        assert_eq!(CoxeterFamily::H(4).coxeter_number(), 30);
        assert_eq!(CoxeterFamily::E(8).coxeter_number(), 30);
        assert_eq!(CoxeterFamily::Dihedral(5).coxeter_number(), 5);
    }
}
