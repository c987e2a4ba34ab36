//! Sliding, seen from an invariant direction.
//!
//! With s₀ an invariant direction, n the perpendicular towards the side the slide is on, and t = tan(ψ/2) for the
//! angle ψ > 0 between s₀ and s, the regular equations of the slide (r = ‖γ‖, dτ = dI_z/r) are rational in t:
//!
//! ```text
//! dt/dτ = t q(t) / (2 (1 + t²)),   r = (1 + t²) ρ,   d ln ρ/dt = 2 m(t) / (t q(t)),
//! dI_z = r dτ,   I_⊥' = −μ s,   v_z' = w − μ d·s
//! ```
//!
//! with cubics q and m. The zeros of q are the other invariant directions; nothing else is singular. So with
//! α = 2 m(0)/q(0), ρ = t^α × a power series, and in y = ln t all integrands are smooth on the whole of a sector.
//!
//! | symbol | here |
//! |---|---|
//! | s₀, n | [`Chart::s0`], [`Chart::n`] |
//! | q, m | [`Chart::q`], [`Chart::m`] |
//! | d₁, d₂ | [`Chart::d1`], [`Chart::d2`] = d·s₀, d·n |

use super::coefficients::{Coefficients, Vec2, dot};

/// Cubic coefficients, constant term first.
pub(in crate::impact::stronge) type Cubic = [f64; 4];

/// A slide seen from an invariant direction.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Chart {
    pub s0: Vec2,
    pub n: Vec2,
    pub q: Cubic,
    pub m: Cubic,
    pub d1: f64,
    pub d2: f64,
    /// Trace of B.
    pub trace: f64,
    pub mu: f64,
    pub w: f64,
}

/// Rates at one place of a slide.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Rates {
    /// d ln r/dτ = s·(d − μBs).
    pub f: f64,
    /// dψ/dτ.
    pub h: f64,
    /// dv_z/dI_z.
    pub beta: f64,
    /// d·n(ψ), with n(ψ) the direction in which ψ grows.
    pub dn: f64,
    /// dh/dψ.
    pub dh: f64,
}

impl Chart {
    /// The chart at the invariant direction `s0` for the direction `s`, and the t of `s` in it.
    pub fn new(c: &Coefficients, s0: Vec2, s: Vec2) -> (Self, f64) {
        let cross = s0[0] * s[1] - s0[1] * s[0];
        let side = if cross < 0.0 { -1.0 } else { 1.0 };
        let n = [-side * s0[1], side * s0[0]];
        let t = cross.abs() / (1.0 + dot(s0, s));
        let bs = c.b_times(s0);
        let (b11, b12) = (dot(s0, bs), dot(n, bs));
        let b22 = dot(n, c.b_times(n));
        let d1 = dot(c.d, s0);
        let mu = c.mu;
        let delta = b22 - b11;
        let chart = Self {
            s0,
            n,
            q: [
                -2.0 * (d1 + mu * delta),
                6.0 * mu * b12,
                2.0 * (mu * delta - d1),
                -2.0 * mu * b12,
            ],
            m: [
                d1 - mu * b11,
                -2.0 * mu * b12,
                d1 + mu * (b11 - 2.0 * b22),
                2.0 * mu * b12,
            ],
            d1,
            d2: dot(c.d, n),
            trace: b11 + b22,
            mu,
            w: c.w,
        };
        (chart, t)
    }

    /// True when slides approach this direction.
    pub fn attracting(&self) -> bool {
        self.q[0] < 0.0
    }

    /// The unit vector s at t.
    pub fn direction(&self, t: f64) -> Vec2 {
        let (cosine, sine) = cosine_sine(t);
        [
            cosine * self.s0[0] + sine * self.n[0],
            cosine * self.s0[1] + sine * self.n[1],
        ]
    }

    /// The unit vector perpendicular to s at t, in which ψ grows.
    pub fn normal_direction(&self, t: f64) -> Vec2 {
        let (cosine, sine) = cosine_sine(t);
        [
            cosine * self.n[0] - sine * self.s0[0],
            cosine * self.n[1] - sine * self.s0[1],
        ]
    }

    pub fn rates(&self, t: f64) -> Rates {
        let (cosine, sine) = cosine_sine(t);
        let t2 = t * t;
        let k = 1.0 / (1.0 + t2);
        let q = evaluate(&self.q, t);
        let ds = cosine * self.d1 + sine * self.d2;
        let f = k * (evaluate(&self.m, t) + k * t2 * q);
        Rates {
            f,
            h: k * k * t * q,
            beta: self.w - self.mu * ds,
            dn: cosine * self.d2 - sine * self.d1,
            dh: ds - 2.0 * f - self.mu * self.trace,
        }
    }

    /// d ln r/dy at t, y = ln t.
    pub fn speed_slope(&self, t: f64) -> f64 {
        let t2 = t * t;
        2.0 * (evaluate(&self.m, t) / evaluate(&self.q, t) + t2 / (1.0 + t2))
    }

    /// A lower bound of the distance, in t, from t to the nearest zero of q in the complex plane, at most
    /// `cap`.
    pub fn clearance(&self, t: f64, cap: f64) -> f64 {
        let q = evaluate(&self.q, t).abs();
        let first = (self.q[1] + t * (2.0 * self.q[2] + 3.0 * t * self.q[3])).abs();
        let second = (self.q[2] + 3.0 * t * self.q[3]).abs();
        let third = self.q[3].abs();
        let mut x = cap;
        for _ in 0..60 {
            if x * (first + x * (second + x * third)) <= q {
                break;
            }
            x *= 0.6;
        }
        x
    }

    /// The values t > 0 where v_z' changes its sign (where condition (18) of \[JW\] fails), if any.
    pub fn turning_points(&self) -> [Option<f64>; 2] {
        let reach = self.mu * self.d1.hypot(self.d2);
        if self.w >= reach {
            return [None, None];
        }
        let middle = self.d2.atan2(self.d1);
        let spread = (self.w / reach).acos();
        [middle - spread, middle + spread].map(|psi| {
            let t = (0.5 * psi).tan();
            (t > 0.0 && t.is_finite()).then_some(t)
        })
    }
}

/// (cos ψ, sin ψ) for t = tan(ψ/2).
fn cosine_sine(t: f64) -> (f64, f64) {
    let k = 1.0 / (1.0 + t * t);
    ((1.0 - t * t) * k, 2.0 * t * k)
}

pub(in crate::impact::stronge) fn evaluate(p: &Cubic, t: f64) -> f64 {
    p[0] + t * (p[1] + t * (p[2] + t * p[3]))
}
