//! Random impact problems for the property tests.

// Every test file takes what it needs.
#![allow(dead_code)]

use std::f64::consts::{PI, TAU};

use carom::impact::{Contact, ImpactProblem, PreImpact};
use nalgebra::{DMatrix, DVector};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (0.5_f64).powi(53)
    }

    /// A whole number in low..=high.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.uniform() * (high - low + 1) as f64) as usize
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    pub fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.normal())
    }

    pub fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.normal())
    }

    /// A symmetric positive definite matrix of moderate condition.
    pub fn mass_matrix(&mut self, n: usize) -> DMatrix<f64> {
        let a = self.matrix(n, n) * 0.4;
        &a * a.transpose() + DMatrix::identity(n, n)
    }

    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.between(0, i));
        }
        order
    }
}

/// The parts of a problem, to be changed before it is posed.
#[derive(Clone)]
pub struct Parts {
    pub mass: DMatrix<f64>,
    pub velocity: DVector<f64>,
    pub normals: Vec<DVector<f64>>,
    pub restitution: Vec<f64>,
}

impl Parts {
    /// m random contacts that some motion separates.
    pub fn random(random: &mut Random, m: usize, n: usize) -> Self {
        let mass = random.mass_matrix(n);
        let away = random.vector(n);
        let normals = (0..m)
            .map(|_| {
                let u = random.vector(n);
                if u.dot(&away) < 0.0 { -u } else { u }
            })
            .collect();
        Self {
            mass,
            velocity: random.vector(n) * 2.0 - &away,
            normals,
            restitution: vec![1.0; m],
        }
    }

    pub fn problem(&self) -> ImpactProblem {
        let contacts: Vec<Contact> = self
            .normals
            .iter()
            .zip(&self.restitution)
            .enumerate()
            .map(|(i, (u, &e))| Contact::new(&format!("c{i}"), u.clone()).with_restitution(e))
            .collect();
        ImpactProblem::new(
            self.mass.clone(),
            PreImpact::Velocity(self.velocity.clone()),
            &contacts,
        )
        .expect("a valid problem")
    }
}

/// Unit normals with the given Gram matrix, seen through a random mass matrix, random lengths and a
/// random order of the contacts.
pub fn from_gram(random: &mut Random, gram: &DMatrix<f64>, extra: usize) -> Parts {
    let m = gram.nrows();
    let n = m + extra;
    let factor = gram.clone().cholesky().expect("positive definite").l();
    let rotation = random.matrix(n, n).qr().q();
    let mass = random.mass_matrix(n);
    let mass_factor = mass.clone().cholesky().expect("positive definite").l();
    let order = random.permutation(m);
    let normals = order
        .iter()
        .map(|&i| {
            let mut flat = DVector::zeros(n);
            flat.rows_mut(0, m).copy_from(&factor.row(i).transpose());
            &mass_factor * (&rotation * flat) * (0.5 + random.uniform())
        })
        .collect();
    Parts {
        mass,
        velocity: random.vector(n),
        normals,
        restitution: vec![1.0; m],
    }
}

/// The Gram matrix of a Coxeter diagram given as (contact, contact, order) edges.
pub fn coxeter_gram(n: usize, edges: &[(usize, usize, u32)]) -> DMatrix<f64> {
    let mut gram = DMatrix::identity(n, n);
    for &(i, j, m) in edges {
        let cosine = -(PI / f64::from(m)).cos();
        gram[(i, j)] = cosine;
        gram[(j, i)] = cosine;
    }
    gram
}

/// Contacts and (contact, contact, order) edges.
pub type Diagram = (usize, Vec<(usize, usize, u32)>);

/// Diagrams of small finite reflection groups with at most four contacts.
pub fn small_diagrams() -> Vec<Diagram> {
    vec![
        (2, vec![]),
        (3, vec![]),
        (4, vec![]),
        (2, vec![(0, 1, 3)]),
        (2, vec![(0, 1, 4)]),
        (2, vec![(0, 1, 7)]),
        (2, vec![(0, 1, 19)]),
        (3, vec![(0, 1, 5)]),
        (4, vec![(0, 1, 6), (2, 3, 3)]),
        (3, vec![(0, 1, 3), (1, 2, 3)]),
        (3, vec![(0, 1, 3), (1, 2, 4)]),
        (3, vec![(0, 1, 5), (1, 2, 3)]),
        (4, vec![(0, 1, 3), (1, 2, 3), (2, 3, 3)]),
        (4, vec![(0, 1, 3), (1, 2, 3), (1, 3, 3)]),
        (4, vec![(0, 1, 3), (1, 2, 3), (2, 3, 4)]),
    ]
}
