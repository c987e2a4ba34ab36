//! The end of a slide that reaches the origin, in closed form.
//!
//! At an attracting direction, with u = t/t₁ ≤ 1 and α = 2 m(0)/q(0) > 0, the slide is a Frobenius series:
//!
//! ```text
//! ρ = ρ₁ u^α P(u)/P(1),   n q₀ Pₙ = Σⱼ [2 mⱼ − (α + n − j) qⱼ] Pₙ₋ⱼ   (j = 1, 2, 3)
//! I_z(0) − I_z(u) = u^α Σ Aₙ uⁿ/(α + n),   A = −2 (1 + t²)² P/q ρ₁/P(1)
//! ```
//!
//! and likewise for I_⊥ and v_z; the work ∫ v_z dI_z is the product of two such series. Nothing is
//! approximated but the number of terms, which is taken until they no longer change the sums.

use super::chart::Chart;
use super::coefficients::Vec2;
use super::panel::Place;

const TERMS: usize = 32;

/// 1/n.
const RECIPROCALS: [f64; TERMS] = {
    let mut r = [0.0; TERMS];
    let mut n = 1;
    while n < TERMS {
        r[n] = 1.0 / n as f64;
        n += 1;
    }
    r
};

/// What remains of a slide until γ = 0.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Tail {
    /// Normal impulse until γ = 0 \[N s\].
    pub normal: f64,
    /// Tangential impulse until γ = 0 \[N s\].
    pub tangential: Vec2,
    /// v_z when γ = 0 \[m/s\].
    pub vz: f64,
    /// ∫ v_z dI_z until γ = 0 \[J\].
    pub work: f64,
}

/// Smallest exponent α for which the sums, whose first term is proportional to 1/α, keep their digits.
const SMALLEST_EXPONENT: f64 = 0.03;

/// True when the series at `start` is worth trying.
pub(in crate::impact::stronge) fn within_reach(chart: &Chart, t: f64) -> bool {
    let q0 = chart.q[0].abs();
    let size = |j: usize| {
        let m = (2.0 * chart.m[j]).abs();
        chart.q[j].abs().max(0.25 * m)
    };
    chart.attracting()
        && 2.0 * chart.m[0] < SMALLEST_EXPONENT * chart.q[0]
        && t < 0.5
        && t * (size(1) + t * (size(2) + t * size(3))) <= 0.25 * q0
}

/// Sums the series from `start` to the origin; `None` when the terms do not die out.
pub(in crate::impact::stronge) fn to_origin(chart: &Chart, start: Place) -> Option<Tail> {
    let t1 = start.t;
    let mut scaled_q = chart.q;
    let mut scaled_m = chart.m;
    let mut power = 1.0;
    for j in 1..4 {
        power *= t1;
        scaled_q[j] *= power;
        scaled_m[j] *= power;
    }
    let alpha = 2.0 * chart.m[0] / chart.q[0];
    let inverse_q0 = 1.0 / chart.q[0];

    // P and T = P/q.
    let mut p = [0.0; TERMS];
    let mut t = [0.0; TERMS];
    p[0] = 1.0;
    t[0] = inverse_q0;
    let mut largest: f64 = 1.0;
    let mut count = TERMS;
    let mut quiet = 0;
    for n in 1..TERMS {
        let nf = n as f64;
        let mut sum = 0.0;
        let mut rest = 0.0;
        for j in 1..=n.min(3) {
            let factor = 2.0 * scaled_m[j] - (alpha + nf - j as f64) * scaled_q[j];
            sum += factor * p[n - j];
            rest += scaled_q[j] * t[n - j];
        }
        p[n] = sum * inverse_q0 * RECIPROCALS[n];
        t[n] = (p[n] - rest) * inverse_q0;
        let size = p[n].abs().max((t[n] * chart.q[0]).abs());
        largest = largest.max(size);
        if size <= 1e-16 {
            quiet += 1;
            if quiet == 3 {
                count = n + 1;
                break;
            }
        } else {
            quiet = 0;
        }
    }
    let at_start: f64 = p[..count].iter().sum();
    // Refused as well when the sum has lost digits to cancellation.
    if count == TERMS || at_start.is_nan() || largest > 30.0 * at_start.abs() {
        return None;
    }

    // The integrands are T times polynomials in t² = t₁² u².
    let x = t1 * t1;
    let scale = -2.0 * start.r / ((1.0 + x) * at_start);
    let shifted = |n: usize, by: usize| if n >= by { t[n - by] } else { 0.0 };
    let mut normal_rate = [0.0; TERMS];
    let mut vz_gain = [0.0; TERMS];
    let (mut normal, mut along, mut across, mut vz_change) = (0.0, 0.0, 0.0, 0.0);
    let terms = (count + 4).min(TERMS);
    for n in 0..terms {
        let (a, b, c) = (shifted(n, 0), shifted(n, 2), shifted(n, 4));
        let (odd, odd_up) = (shifted(n, 1), shifted(n, 3));
        let rate_z = scale * (a + 2.0 * x * b + x * x * c);
        let rate_along = scale * (a - x * x * c);
        let rate_across = scale * 2.0 * t1 * (odd + x * odd_up);
        let rate_v = chart.w * rate_z - chart.mu * (chart.d1 * rate_along + chart.d2 * rate_across);
        let inverse = 1.0 / (alpha + n as f64);
        normal_rate[n] = rate_z;
        vz_gain[n] = rate_v * inverse;
        normal += rate_z * inverse;
        along += rate_along * inverse;
        across += rate_across * inverse;
        vz_change += vz_gain[n];
    }
    let vz = start.vz + vz_change;
    // Row by row, so that the sums are independent of each other.
    let mut product = [0.0; TERMS];
    for k in 0..terms {
        for n in 0..terms - k {
            product[k + n] += vz_gain[k] * normal_rate[n];
        }
    }
    let mut deficit = 0.0;
    for n in 0..terms {
        deficit += product[n] / (2.0 * alpha + n as f64);
    }
    let (a, b) = (-chart.mu * along, -chart.mu * across);
    Some(Tail {
        normal,
        tangential: [
            a * chart.s0[0] + b * chart.n[0],
            a * chart.s0[1] + b * chart.n[1],
        ],
        vz,
        work: vz * normal - deficit,
    })
}
