//! One stretch of a slide: Gauss-Legendre collocation in y = ln t.

use super::chart::{Chart, evaluate};
use super::coefficients::Vec2;
use super::quadrature::{NODES, RULE, Values};

/// Where a slide stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Place {
    /// tan(ψ/2) in the chart.
    pub t: f64,
    /// Sliding speed ‖γ‖ \[m/s\].
    pub r: f64,
    /// Normal velocity \[m/s\].
    pub vz: f64,
}

/// The integrals over one stretch.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Panel {
    /// Where the stretch ends.
    pub end: Place,
    /// Normal impulse of the stretch \[N s\].
    pub normal: f64,
    /// Tangential impulse of the stretch \[N s\].
    pub tangential: Vec2,
    /// ∫ v_z dI_z \[J\].
    pub work: f64,
    /// Sliding speeds at the nodes.
    pub speeds: Values,
    /// t at the nodes.
    pub places: Values,
    /// dI_z/dx at the nodes, x ∈ \[0, 1\] along the stretch.
    pub rates: Values,
    /// v_z at the nodes.
    pub normal_velocity: Values,
    /// dv_z/dx at the nodes.
    pub normal_velocity_rates: Values,
}

/// A stretch is accepted when the two highest of its twelve Legendre coefficients are below this share: the error of
/// the integrals is about its square.
const RESOLVED: f64 = 2e-8;

/// Largest change of ln r in one stretch, so that r² is still integrated to round-off.
pub(in crate::impact::stronge) const LONGEST_DECAY: f64 = 4.5;

/// Integrates from `start` over Δy = `length` (negative towards s₀). `None` when the stretch is too long
/// for the nodes to resolve.
#[inline]
pub(in crate::impact::stronge) fn integrate(
    chart: &Chart,
    start: Place,
    length: f64,
) -> Option<Panel> {
    let rule = &*RULE;
    let mut t = [0.0; NODES];
    // The nodes are symmetric about the middle: half of the exponentials give the other half.
    let middle = start.t * (0.5 * length).exp();
    for i in 0..NODES / 2 {
        let factor = (length * (0.5 - rule.nodes[i])).exp();
        t[i] = middle / factor;
        t[NODES - 1 - i] = middle * factor;
    }
    let mut inverse_q = [0.0; NODES];
    let mut slope = [0.0; NODES];
    for i in 0..NODES {
        inverse_q[i] = 1.0 / evaluate(&chart.q, t[i]);
        slope[i] = 2.0 * length * evaluate(&chart.m, t[i]) * inverse_q[i];
    }
    let largest = inverse_q.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let decay = rule.integral(&slope);
    // The comparisons are written so that NaN is refused.
    if !(rule.unresolved(&inverse_q) <= RESOLVED * largest && decay.abs() <= 1.5 * LONGEST_DECAY) {
        return None;
    }
    let log_rho = rule.running(&slope);
    let scale = start.r / (1.0 + start.t * start.t);
    let mut panel = Panel {
        end: start,
        normal: 0.0,
        tangential: [0.0; 2],
        work: 0.0,
        speeds: [0.0; NODES],
        places: t,
        rates: [0.0; NODES],
        normal_velocity: [0.0; NODES],
        normal_velocity_rates: [0.0; NODES],
    };
    let mut along = [0.0; NODES];
    let mut across = [0.0; NODES];
    for i in 0..NODES {
        let t2 = t[i] * t[i];
        let rho = scale * log_rho[i].exp();
        let per_square = 2.0 * length * inverse_q[i] * rho * (1.0 + t2);
        panel.speeds[i] = rho * (1.0 + t2);
        panel.rates[i] = per_square * (1.0 + t2);
        along[i] = per_square * (1.0 - t2);
        across[i] = per_square * 2.0 * t[i];
        panel.normal_velocity_rates[i] =
            chart.w * panel.rates[i] - chart.mu * (chart.d1 * along[i] + chart.d2 * across[i]);
    }
    panel.normal_velocity = rule.running(&panel.normal_velocity_rates);
    let mut work = [0.0; NODES];
    for i in 0..NODES {
        panel.normal_velocity[i] += start.vz;
        work[i] = panel.normal_velocity[i] * panel.rates[i];
    }
    panel.normal = rule.integral(&panel.rates);
    panel.work = rule.integral(&work);
    let (a, b) = (
        -chart.mu * rule.integral(&along),
        -chart.mu * rule.integral(&across),
    );
    panel.tangential = [
        a * chart.s0[0] + b * chart.n[0],
        a * chart.s0[1] + b * chart.n[1],
    ];
    let t_end = start.t * length.exp();
    panel.end = Place {
        t: t_end,
        r: scale * (1.0 + t_end * t_end) * decay.exp(),
        vz: start.vz + rule.integral(&panel.normal_velocity_rates),
    };
    Some(panel)
}

impl Panel {
    /// The x in (0, 1) where a function of the stretch first reaches `target` from below, by a cubic between the
    /// nodes; `values` and `rates` at the nodes. A first guess only: the caller integrates up to there.
    pub fn first_crossing(
        &self,
        start: f64,
        end: f64,
        values: &Values,
        rates: &Values,
        target: f64,
    ) -> f64 {
        let nodes = &RULE.nodes;
        let mut left = (0.0, start, None);
        for i in 0..=NODES {
            let right = if i < NODES {
                (nodes[i], values[i], Some(rates[i]))
            } else {
                (1.0, end, None)
            };
            if right.1 >= target {
                return crossing_of_cubic(left, right, target);
            }
            left = right;
        }
        1.0
    }
}

type Knot = (f64, f64, Option<f64>);

/// Where the cubic through two knots (position, value, slope if known) reaches `target`.
fn crossing_of_cubic(left: Knot, right: Knot, target: f64) -> f64 {
    let width = right.0 - left.0;
    let secant = (right.1 - left.1) / width;
    let (a, b) = match (left.2, right.2) {
        (Some(a), Some(b)) => (a, b),
        (Some(a), None) => (a, 2.0 * secant - a),
        (None, Some(b)) => (2.0 * secant - b, b),
        (None, None) => (secant, secant),
    };
    let cubic = |u: f64| {
        let (u2, u3) = (u * u, u * u * u);
        (2.0 * u3 - 3.0 * u2 + 1.0) * left.1
            + (3.0 * u2 - 2.0 * u3) * right.1
            + width * ((u3 - 2.0 * u2 + u) * a + (u3 - u2) * b)
            - target
    };
    // Regula falsi with the Illinois rule.
    let (mut low, mut high) = (0.0, 1.0);
    let (mut f_low, mut f_high) = (left.1 - target, right.1 - target);
    let mut guess = 0.5;
    let mut last_below = None;
    for _ in 0..12 {
        guess = (low * f_high - high * f_low) / (f_high - f_low);
        if !(guess > low && guess < high) {
            guess = 0.5 * (low + high);
        }
        let value = cubic(guess);
        let below = value < 0.0;
        if below {
            (low, f_low) = (guess, value);
            if last_below == Some(true) {
                f_high *= 0.5;
            }
        } else {
            (high, f_high) = (guess, value);
            if last_below == Some(false) {
                f_low *= 0.5;
            }
        }
        last_below = Some(below);
        if value.abs() <= 1e-7 * (right.1 - left.1).abs() {
            break;
        }
    }
    left.0 + width * guess
}
