//! Two contacts in closed form.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | γ | [`TwoContacts::half_angle`] | half the opening of the feasible wedge, ⟨û, v̂⟩ = −cos 2γ |
//! | r, s | | (û + v̂)/2 sin γ and (û − v̂)/2 cos γ, orthonormal |
//! | ρ, θ | [`TwoContacts::radius`], [`TwoContacts::angle`] | the part of p in their plane: ρ(cos θ r + sin θ s) |
//!
//! ⟨p, û⟩ = ρ sin(γ + θ) and ⟨p, v̂⟩ = ρ sin(γ − θ), so p is feasible when |θ| ≤ γ. Reflections map
//! θ to −2γ − θ (at û) and to 2γ − θ (at v̂). Starting with û at θ₀ ∈ (−π − γ, −γ), the reflections
//! alternate and unfold to θ_k = (−1)^k (θ₀ + 2γk): each takes 2γ off |θ₀| and the first
//! k = ⌈(|θ₀| − γ)/2γ⌉ that brings it to γ or less ends the sequence \[SM, Lemma 4\].
//!
//! The most violated contact goes first exactly when |θ₀| ≤ π, hence the bound ⌈(π − γ)/2γ⌉ for that order
//! and for every minimal sequence. When both contacts are violated, starting with the less violated
//! one unfolds from |θ₀| < π + γ: that admissible sequence may take one reflection more, up to ⌈π/2γ⌉, and is
//! then not minimal. \[SM\] Theorem 1 states ⌈π/γ⌉.

use crate::impact::ContactSpace;

/// The plane of two contact normals and the momentum in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoContacts {
    /// γ in (0, π/2]: half the opening of the feasible wedge \[rad\].
    pub half_angle: f64,
    /// ρ: kinetic length of the momentum's part in the plane.
    pub radius: f64,
    /// θ in (−π, π]: angle of that part from the middle of the wedge, negative towards the first contact.
    pub angle: f64,
    /// Unit approach velocities ⟨p, û⟩ and ⟨p, v̂⟩.
    pub approach: [f64; 2],
}

/// The one sequence that starts with a given contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlternatingSequence {
    /// Contact that is reflected first, 0 or 1.
    pub first: usize,
    /// Number of reflections.
    pub reflections: u64,
    /// Unit impulse of each contact: ‖u_i‖ Λ_i.
    pub unit_impulse: [f64; 2],
    /// Work of compression of each contact, Σ ½⟨p_k, û_i⟩² over its reflections \[J\].
    pub compression_work: [f64; 2],
    /// θ after the last reflection \[rad\].
    pub final_angle: f64,
}

impl TwoContacts {
    /// From the Delassus matrix of a space with exactly two contacts. The determinant is taken
    /// with fused multiplications (Kahan), so γ is as exact as the matrix.
    #[must_use]
    pub fn of_space(space: &ContactSpace) -> Option<Self> {
        let [u, v] = space.contacts.as_slice() else {
            return None;
        };
        let g = |i: usize, j: usize| space.delassus[(i, j)];
        let (uu, vv, uv) = (
            g(u.normal, u.normal),
            g(v.normal, v.normal),
            g(u.normal, v.normal),
        );
        let square = uv * uv;
        let determinant = uu.mul_add(vv, -square) - uv.mul_add(uv, -square);
        let half_angle = 0.5 * determinant.max(0.0).sqrt().atan2(-uv);
        let approach = [
            space.velocity[u.normal] / uu.sqrt(),
            space.velocity[v.normal] / vv.sqrt(),
        ];
        Some(Self::new(half_angle, approach))
    }

    /// From the half angle γ and the unit approach velocities.
    #[must_use]
    pub fn new(half_angle: f64, approach: [f64; 2]) -> Self {
        let along = (approach[0] + approach[1]) / (2.0 * half_angle.sin());
        let across = (approach[0] - approach[1]) / (2.0 * half_angle.cos());
        Self::from_components(half_angle, [along, across], approach)
    }

    /// From the half angle γ, ⟨p, r⟩ and ⟨p, s⟩, and the unit approach velocities. Where the momentum itself is
    /// known, ⟨p, r⟩ taken from it does not suffer from the cancellation of the two velocities.
    #[must_use]
    pub fn from_components(half_angle: f64, [along, across]: [f64; 2], approach: [f64; 2]) -> Self {
        Self {
            half_angle,
            radius: along.hypot(across),
            angle: across.atan2(along),
            approach,
        }
    }

    /// ⌈(π − γ)/2γ⌉: no minimal sequence, and no most-violated order, takes more reflections.
    #[must_use]
    pub fn reflection_bound(&self) -> f64 {
        let gamma = self.half_angle;
        ((std::f64::consts::PI - gamma) / (2.0 * gamma)).ceil()
    }

    /// The sequence that starts with contact `first` (0 or 1); `None` when that contact is not violated by
    /// more than `floor`.
    #[must_use]
    pub fn sequence(&self, first: usize, floor: f64) -> Option<AlternatingSequence> {
        if self.approach[first] >= -floor {
            return None;
        }
        let gamma = self.half_angle;
        let theta = if first == 0 { self.angle } else { -self.angle };
        let start = if theta < 0.0 {
            -theta
        } else {
            std::f64::consts::TAU - theta
        };
        let slack = (floor / self.radius).min(1.0).asin();
        let count = ((start - gamma - slack) / (2.0 * gamma)).ceil().max(1.0);
        let (own, other) = ((0.5 * count).ceil(), (0.5 * count).floor());
        let rho = self.radius;
        let mut sequence = AlternatingSequence {
            first,
            reflections: count as u64,
            unit_impulse: [
                2.0 * rho * sum_of_sines(start - gamma, gamma, own),
                2.0 * rho * sum_of_sines(start - 3.0 * gamma, gamma, other),
            ],
            compression_work: [
                half_sum_of_squares(start - gamma, gamma, own) * rho * rho,
                half_sum_of_squares(start - 3.0 * gamma, gamma, other) * rho * rho,
            ],
            final_angle: 0.0,
        };
        let unfolded = 2.0 * gamma * count - start;
        let folded = if (count * 0.5).fract() == 0.0 {
            unfolded
        } else {
            -unfolded
        };
        sequence.final_angle = if first == 0 { folded } else { -folded };
        if first == 1 {
            sequence.unit_impulse.swap(0, 1);
            sequence.compression_work.swap(0, 1);
        }
        Some(sequence)
    }
}

/// Σ sin(β − 4γ i) for i = 0 … n − 1.
fn sum_of_sines(beta: f64, gamma: f64, n: f64) -> f64 {
    if n <= 1.0 {
        return if n == 0.0 { 0.0 } else { beta.sin() };
    }
    (2.0 * gamma * n).sin() / (2.0 * gamma).sin() * (beta - 2.0 * gamma * (n - 1.0)).sin()
}

/// Σ ½ sin²(β − 4γ i) for i = 0 … n − 1.
fn half_sum_of_squares(beta: f64, gamma: f64, n: f64) -> f64 {
    if n <= 1.0 {
        return if n == 0.0 {
            0.0
        } else {
            0.5 * beta.sin().powi(2)
        };
    }
    // Only n ≥ 2 comes here, and with it γ < π/4, so the denominator is positive.
    let cosines = (4.0 * gamma * n).sin() / (4.0 * gamma).sin()
        * (2.0 * beta - 4.0 * gamma * (n - 1.0)).cos();
    0.25 * (n - cosines)
}

#[cfg(test)]
mod tests {
    use super::TwoContacts;

    /// Plain reflections, the slow way.
    fn reflect(gamma: f64, mut z: [f64; 2], first: usize) -> (u64, [f64; 2], [f64; 2], [f64; 2]) {
        let c = -(2.0 * gamma).cos();
        let (mut count, mut at) = (0, first);
        let (mut impulse, mut work) = ([0.0; 2], [0.0; 2]);
        while z[at] < -1e-12 {
            let s = z[at];
            impulse[at] -= 2.0 * s;
            work[at] += 0.5 * s * s;
            z[1 - at] -= 2.0 * s * c;
            z[at] = -s;
            at = 1 - at;
            count += 1;
        }
        (count, z, impulse, work)
    }

    #[test]
    fn closed_form_equals_plain_reflections() {
        for i in 1..400 {
            let gamma = 1.5 * (0.02 * i as f64).sin().abs().powi(3) + 2e-3;
            let angle = 3.1 * (1.7 * i as f64).sin();
            let z = [(gamma + angle).sin(), (gamma - angle).sin()];
            let plane = TwoContacts::new(gamma, z);
            for first in 0..2 {
                let Some(closed) = plane.sequence(first, 1e-12) else {
                    assert!(z[first] >= -1e-12);
                    continue;
                };
                let (count, end, impulse, work) = reflect(gamma, z, first);
                assert_eq!(closed.reflections, count, "gamma {gamma}, angle {angle}");
                assert!(count as f64 <= (std::f64::consts::FRAC_PI_2 / gamma).ceil());
                // The plain way knows cos 2γ to ε/2, so γ to ε/8γ ≈ kε/8 and the unfolded angle
                // after k steps to k²ε/4; the impulses are sums of k such numbers.
                let k = count as f64;
                let bound = f64::EPSILON * (k * k + 20.0);
                let theta = closed.final_angle;
                assert!(((gamma + theta).sin() - end[0]).abs() <= bound);
                assert!(((gamma - theta).sin() - end[1]).abs() <= bound);
                for i in 0..2 {
                    assert!((closed.unit_impulse[i] - impulse[i]).abs() <= k * bound);
                    assert!((closed.compression_work[i] - work[i]).abs() <= k * bound);
                }
            }
        }
    }

    #[test]
    fn a_billion_reflections_in_no_time() {
        let gamma: f64 = 1e-9;
        let angle = -2.0_f64;
        let plane = TwoContacts::new(gamma, [(gamma + angle).sin(), (gamma - angle).sin()]);
        let closed = plane.sequence(0, 0.0).expect("violated");
        // ⟨p, û⟩ and ⟨p, v̂⟩ nearly cancel: their sum 2 sin γ cos θ is known to ε/γ of itself, so θ to
        // about ε/γ and the count to ε/2γ² = 111.
        assert!((closed.reflections as f64 - 1e9).abs() <= 111.0);
        assert!(closed.reflections as f64 <= plane.reflection_bound());
        assert!(closed.final_angle.abs() <= gamma * (1.0 + 1e-6));
    }
}
