//! The numbers that a single frictional contact is made of.
//!
//! | symbol in \[JW\] | here | meaning |
//! |---|---|---|
//! | B | [`Coefficients::b`] | tangential block of W, `[B_xx, B_xy, B_yy]` \[1/kg\] |
//! | d | [`Coefficients::d`] | coupling of normal impulse and sliding velocity \[1/kg\] |
//! | ẑᵀWẑ | [`Coefficients::w`] | normal compliance \[1/kg\] |
//! | γ⁻ | [`Coefficients::gamma`] | sliding velocity before the impact \[m/s\] |
//! | v_z⁻ | [`Coefficients::vz`] | normal velocity before the impact \[m/s\] |
//!
//! A planar contact (one tangent) is embedded as an isotropic one that stays on its line: with
//! B = b U₂ and d = (d, 0), every direction that matters is invariant and all of the impact is closed form. So is one whose
//! bodies can move along one line of its tangent plane only, or not at all: B has rank one or zero then.

use crate::impact::{ContactRows, ContactSpace, ImpactError};

use super::super::NAME;

pub(in crate::impact::stronge) type Vec2 = [f64; 2];

/// Pivots of W below this share of its diagonal are rounding: of a mass matrix whose condition is 1e4.
const DEPENDENT: f64 = 1e-12;

/// One contact, projected: W = \[B d; dᵀ w\], its velocity and its material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::impact::stronge) struct Coefficients {
    /// `[B_xx, B_xy, B_yy]`.
    pub b: [f64; 3],
    pub d: Vec2,
    pub w: f64,
    pub gamma: Vec2,
    pub vz: f64,
    pub mu: f64,
    pub e: f64,
    /// Number of tangents along which it can move.
    pub tangents: usize,
    /// Of two tangent rows the direction that counts, when it is the only one.
    pub line: Option<Vec2>,
    /// Whether the normal velocity is one with the sliding velocity: v_z = dᵀB⁻¹γ.
    pub tied: bool,
}

impl Coefficients {
    /// Reads contact `index` of `space`, with its velocity taken from `velocity` (r entries).
    ///
    /// # Errors
    /// Numbers that are not finite, or a normal along which nothing can move.
    pub fn read(space: &ContactSpace, index: usize, velocity: &[f64]) -> Result<Self, ImpactError> {
        let rows: ContactRows = space.contacts[index];
        let g = &space.delassus;
        let n = rows.normal;
        let mut c = Self {
            b: [0.0; 3],
            d: [0.0; 2],
            w: g[(n, n)],
            gamma: [0.0; 2],
            vz: velocity[n],
            mu: rows.friction,
            e: rows.restitution,
            tangents: rows.tangents,
            line: None,
            tied: false,
        };
        match rows.tangents {
            0 => c.mu = 0.0,
            1 => {
                let b = g[(n + 1, n + 1)];
                c.b = [b, 0.0, b];
                c.d = [g[(n + 1, n)], 0.0];
                c.gamma = [velocity[n + 1], 0.0];
            }
            _ => {
                c.b = [g[(n + 1, n + 1)], g[(n + 2, n + 1)], g[(n + 2, n + 2)]];
                c.d = [g[(n + 1, n)], g[(n + 2, n)]];
                c.gamma = [velocity[n + 1], velocity[n + 2]];
            }
        }
        c.check(index)?;
        if c.mu > 0.0 {
            c.leave_out_dependent_tangents();
        }
        c.tied = c.mu > 0.0 && c.sticking_rate() <= DEPENDENT * c.w;
        Ok(c)
    }

    /// Takes the tangents for one or none where B is singular: W ⪰ 0, so d and γ have no part along what is left out.
    fn leave_out_dependent_tangents(&mut self) {
        let largest = self.b[0].max(self.b[2]);
        if largest <= DEPENDENT * self.w {
            (self.mu, self.tangents) = (0.0, 0);
            (self.b, self.d, self.gamma) = ([0.0; 3], [0.0; 2], [0.0; 2]);
        } else if self.tangents == 2 && self.second_pivot() <= DEPENDENT * largest {
            // B = b u uᵀ, whose larger column is a multiple of u.
            let column = if self.b[0] >= self.b[2] {
                [self.b[0], self.b[1]]
            } else {
                [self.b[1], self.b[2]]
            };
            let u = column.map(|x| x / length(column));
            let b = self.b[0] + self.b[2];
            self.b = [b, 0.0, b];
            self.d = [dot(self.d, u), 0.0];
            self.gamma = [dot(self.gamma, u), 0.0];
            self.tangents = 1;
            self.line = Some(u);
        }
    }

    /// A tangential vector of these numbers in the contact's own rows.
    pub fn in_rows(&self, x: Vec2) -> Vec2 {
        self.line.map_or(x, |u| u.map(|u| u * x[0]))
    }

    fn check(&self, index: usize) -> Result<(), ImpactError> {
        let finite = self.b.iter().chain(&self.d).chain(&self.gamma);
        if let Some(&value) = finite
            .chain([&self.w, &self.vz, &self.mu, &self.e])
            .find(|x| !x.is_finite())
        {
            return Err(ImpactError::NotFinite {
                place: format!("contacts[{index}] (projected)"),
                value,
            });
        }
        if self.w > 0.0 {
            return Ok(());
        }
        Err(ImpactError::Unsupported {
            law: NAME,
            reason: format!(
                "nothing can move along the normal of contacts[{index}], whose compliance n M⁻¹ nᵀ is {:e}; take the contact out",
                self.w
            ),
        })
    }

    /// B u.
    pub fn b_times(&self, u: Vec2) -> Vec2 {
        [
            self.b[0] * u[0] + self.b[1] * u[1],
            self.b[1] * u[0] + self.b[2] * u[1],
        ]
    }

    /// The second pivot of B, eliminated from its larger diagonal entry: positive when B is definite.
    fn second_pivot(&self) -> f64 {
        if self.b[0] >= self.b[2] {
            self.b[2] - self.b[1] * (self.b[1] / self.b[0])
        } else {
            self.b[0] - self.b[1] * (self.b[1] / self.b[2])
        }
    }

    /// B⁻¹ d, the tangential impulse per normal impulse that holds the contact (negated), \[JW\] (34).
    pub fn sticking(&self) -> Vec2 {
        // Cholesky's elimination, which leaves a small residual however ill-conditioned B is.
        let pivot = self.second_pivot();
        if self.b[0] >= self.b[2] {
            let y = (self.d[1] - (self.b[1] / self.b[0]) * self.d[0]) / pivot;
            [(self.d[0] - self.b[1] * y) / self.b[0], y]
        } else {
            let x = (self.d[0] - (self.b[1] / self.b[2]) * self.d[1]) / pivot;
            [x, (self.d[1] - self.b[1] * x) / self.b[2]]
        }
    }

    /// v_z' while the contact sticks: w − dᵀB⁻¹d, positive where W is positive definite.
    pub fn sticking_rate(&self) -> f64 {
        self.w - dot(self.d, self.sticking())
    }

    /// v_z' while it slides along the unit vector s: w − μ d·s, \[JW\] (16) and (28).
    pub fn sliding_rate(&self, s: Vec2) -> f64 {
        self.w - self.mu * dot(self.d, s)
    }

    /// γ' = d − μ B s, \[JW\] (31).
    pub fn acceleration(&self, s: Vec2) -> Vec2 {
        let bs = self.b_times(s);
        [self.d[0] - self.mu * bs[0], self.d[1] - self.mu * bs[1]]
    }

    /// An upper bound of ‖γ'‖.
    pub fn acceleration_scale(&self) -> f64 {
        length(self.d) + self.mu * (self.b[0] + self.b[2])
    }

    /// True when condition (18) of \[JW\], w − μ d·s > 0 for every s, holds.
    pub fn impact_solution_condition(&self) -> bool {
        self.w > self.mu * length(self.d)
    }

    /// Change of the kinetic energy by the impulse: v⁻·I + ½ I·W I \[J\].
    pub fn energy_change(&self, normal: f64, tangential: Vec2) -> f64 {
        let bi = self.b_times(tangential);
        normal * (self.vz + 0.5 * self.w * normal)
            + dot(tangential, self.gamma)
            + normal * dot(self.d, tangential)
            + 0.5 * dot(tangential, bi)
    }
}

pub(in crate::impact::stronge) fn dot(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub(in crate::impact::stronge) fn length(a: Vec2) -> f64 {
    a[0].hypot(a[1])
}
