//! Stronge's law against a second algorithm, and the properties it declares.

use crate::stronge_ode::Contact;
use carom::impact::{ContactRows, ContactSpace, ImpactLaw, ImpactStatus, Stronge};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The contact as the law reads it: normal first, then the tangents.
pub fn space(c: &Contact) -> ContactSpace {
    const TO: [usize; 3] = [1, 2, 0];
    let mut g = DMatrix::zeros(3, 3);
    let mut v = DVector::zeros(3);
    for i in 0..3 {
        v[TO[i]] = c.velocity[i];
        for j in 0..3 {
            g[(TO[i], TO[j])] = c.w[i][j];
        }
    }
    ContactSpace::new(
        g,
        v,
        vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction: c.mu,
            restitution: c.e,
        }],
    )
}

/// (I_x, I_y, I_z).
pub fn solve(c: &Contact) -> [f64; 3] {
    let mut impulse = DVector::zeros(3);
    let report = Stronge::default()
        .impulse(&space(c), &mut impulse)
        .expect("a valid contact");
    assert_eq!(report.status, ImpactStatus::Resolved);
    [impulse[1], impulse[2], impulse[0]]
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (Vector3::from(a) - Vector3::from(b)).norm()
}

pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    pub fn power(&mut self, a: f64, b: f64) -> f64 {
        10f64.powf(self.between(a, b))
    }

    /// A positive definite matrix with eigenvalues from 1 down to `smallest`.
    pub fn definite(&mut self, smallest: f64) -> Matrix3<f64> {
        let a = Matrix3::from_fn(|_, _| self.between(-1.0, 1.0));
        let q = a.qr().q();
        let middle = smallest.powf(self.unit());
        let w = q * Matrix3::from_diagonal(&Vector3::new(1.0, middle, smallest)) * q.transpose();
        0.5 * (w + w.transpose())
    }
}

pub fn rows(w: &Matrix3<f64>) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| w[(i, j)]))
}

/// The angles of the invariant directions.
fn invariant_angles(c: &Contact) -> Vec<f64> {
    Stronge::default()
        .invariant_directions(&space(c), 0)
        .expect("a valid contact")
        .expect("a valid contact")
        .iter()
        .map(|x| x.angle)
        .collect()
}

#[test]
fn agrees_with_the_integration_of_the_cartesian_equations() {
    let mut draw = Draw::new(1);
    let mut violations = 0;
    for k in 0..300 {
        let w = draw.definite(0.1);
        let angle = draw.between(-3.2, 3.2);
        // Sliding from a millionth to a million times the approach speed.
        let speed = match k % 3 {
            0 => draw.power(-1.0, 1.0),
            1 => draw.power(-6.0, 0.0),
            _ => draw.power(0.0, 6.0),
        };
        let c = Contact {
            w: rows(&w),
            mu: match k % 4 {
                0 => draw.power(-3.0, 0.0),
                1 => draw.power(0.0, 2.0),
                _ => draw.between(0.05, 1.5),
            },
            e: match k % 5 {
                0 => 0.0,
                1 => 1.0,
                2 => draw.power(-8.0, -1.0),
                _ => draw.unit(),
            },
            velocity: [speed * angle.cos(), speed * angle.sin(), -1.0],
        };
        let (expected, _) = c.solve();
        let found = solve(&c);
        let error = distance(found, expected) / Vector3::from(expected).norm();
        violations += usize::from(c.w[2][2] < c.mu * c.w[0][2].hypot(c.w[1][2]));
        // The second algorithm is good for about 1e-12.
        assert!(
            error < 2e-11,
            "case {k}: {error:e}\n{c:?}\n{found:?}\n{expected:?}"
        );
    }
    // Problems that violate condition (18) of [JW] are among them.
    assert!(violations > 30, "{violations}");
}

#[test]
fn agrees_close_to_invariant_directions() {
    let mut draw = Draw::new(2);
    for k in 0..60 {
        let w = draw.definite(0.2);
        let mut c = Contact {
            w: rows(&w),
            mu: draw.power(-1.0, 0.7),
            e: draw.unit(),
            velocity: [0.0, 0.0, -1.0],
        };
        for angle in invariant_angles(&c) {
            for away in [0.0, 1e-15, -1e-12, 1e-9, -1e-6, 1e-3] {
                let speed = draw.power(-2.0, 1.0);
                let phi = angle + away;
                c.velocity = [speed * phi.cos(), speed * phi.sin(), -1.0];
                let (expected, _) = c.solve();
                let found = solve(&c);
                let error = distance(found, expected) / Vector3::from(expected).norm();
                // Next to a repelling direction, an angle of 1e-16 decides when the slide turns away, so both
                // algorithms amplify their rounding: by at most the ratio of the angle at the end to that at the
                // start, which in these problems stays below 1e5.
                assert!(
                    error < 1e-10,
                    "case {k}, {away:e}: {error:e}\n{c:?}\n{found:?}\n{expected:?}"
                );
            }
        }
    }
}

/// Every coincidence at once: equal eigenvalues, d = 0 or along a principal axis, sliding along axes and diagonals, friction at
/// the limit of sticking and where invariant directions merge.
#[test]
fn agrees_on_degenerate_contacts() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let directions = [
        [1.0, 0.0],
        [0.0, -1.0],
        [half, half],
        [-half, half],
        [-0.6, -0.8],
    ];
    let mut k = 0;
    for (b1, b2) in [(1.0f64, 1.0f64), (2.0, 1.0), (1.0, 2.0), (3.0, 1e-2)] {
        for d in [
            [0.0, 0.0],
            [0.3, 0.0],
            [0.0, -0.09],
            [1e-9, 0.0],
            [0.08, 0.08],
            [1e-3, -0.06],
        ] {
            let sticking: f64 = (d[0] / b1).hypot(d[1] / b2);
            // Where two invariant directions merge: d along an axis, |d| = κ.
            let merging = (d[0] + d[1]).abs() / (b1 - b2 + 1e-3).abs();
            for mu in [1e-3, 0.4, 2.0, sticking, merging] {
                let s = directions[k % directions.len()];
                let speed = [0.3, 1.0, 5.0, 40.0][k % 4];
                k += 1;
                let c = Contact {
                    w: [[b1, 0.0, d[0]], [0.0, b2, d[1]], [d[0], d[1], 1.0]],
                    mu,
                    e: [0.0, 0.5, 1.0][k % 3],
                    velocity: [speed * s[0], speed * s[1], -1.0],
                };
                let definite = d[0] * d[0] / b1 + d[1] * d[1] / b2 < 1.0;
                assert!(definite);
                let (expected, _) = if mu == 0.0 {
                    ([0.0, 0.0, 1.0 + c.e], 0.5)
                } else {
                    c.solve()
                };
                let found = solve(&c);
                let error = distance(found, expected) / Vector3::from(expected).norm();
                // At the limit of sticking the second algorithm takes thousands of steps, whose rounding adds up.
                assert!(
                    error < 1e-10,
                    "case {k}: {error:e}\n{c:?}\n{found:?}\n{expected:?}"
                );
            }
        }
    }
    assert_eq!(k, 120);
}
