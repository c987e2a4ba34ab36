//! The step of a floating body: its position moves in the world, its rotation by itself.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | x, R | | position of the body frame in the world and its rotation |
//! | ū, w̄ | v̄ = (ū, w̄) | mean velocity of the frame's origin in the axes of the middle R̄, and mean angular velocity |
//! | d = h ū, φ = (h/2) w̄ | `displacement`, `half_turn` | |
//! | E | [`FloatingStep::ahead`] | exp(φ): R̄ = R₀ E, R₁ = R̄ E |
//! | μ = (μ_u, μ_w), J = (J_u, J_w) | `momentum`, `impulse` | ∂L/∂v and h F at the middle, in its axes |
//! | ξ, η | [`Motion`] | change of a configuration as a body twist: ξ = Rᵀ δx, δR = R η^ |
//!
//! The configurations of a step are
//!
//! ```text
//! x̄ = x₀ + R̄ d/2,   R̄ = R₀ E,      x₁ = x₀ + R̄ d,   R₁ = R₀ E²,
//! ```
//!
//! so x̄ is the average of x₀ and x₁, ū = R̄ᵀ(x₁ − x₀)/h is the velocity of the midpoint rule, and a body
//! that does not turn moves as a point does. Because L is written with ū, a rotation η̄ of the middle at a
//! fixed displacement changes it by δū = ū × η̄, so that the moment acting on R is J_w + μ_u × d. With
//! N for that, the variation of L_d = h L gives the momenta of the ends in their own axes,
//!
//! ```text
//! p₀ = (E (μ_u − J_u/2),    φ cot φ μ_w + φ × μ_w − (N + tan(φ/2) N)/2)
//! p₁ = (Eᵀ(μ_u + J_u/2),    φ cot φ μ_w − φ × μ_w + (N − tan(φ/2) N)/2),
//! ```
//!
//! cot and tan of the angle ‖φ‖ acting through φ×: with s = sin θ/θ, b = (1 − cos θ)/θ² and
//! c = (θ − sin θ)/θ³ at θ = ‖φ‖, φ cot φ μ = μ + (b − c)/s φ × (φ × μ) and tan(φ/2) N = (b/s) φ × N.
//! They are what dexp⁻ᵀ and the variation of the geodesic's middle come to on SO(3) (\[MW\]).

use nalgebra::Vector3;

use crate::spatial::{Force, Motion, Scalar, lift, rotation_coefficients};

/// One step of a floating body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatingStep<T: Scalar> {
    displacement: Vector3<T>,
    half_turn: Vector3<T>,
    /// s, b, c.
    coefficients: (T, T, T),
}

impl<T: Scalar> FloatingStep<T> {
    /// The step by h v̄.
    pub fn new(step: &Motion<T>) -> Self {
        let half_turn = step.angular * lift::<T>(0.5);
        Self {
            displacement: step.linear,
            half_turn,
            coefficients: rotation_coefficients(half_turn.norm_squared()),
        }
    }

    /// p₀ of the step with `momentum` μ and `impulse` h F in the middle.
    pub fn start_momentum(&self, momentum: &Force<T>, impulse: &Force<T>) -> Force<T> {
        let half: T = lift(0.5);
        let (moment, curved) = self.moment(momentum, impulse);
        Force::new(
            self.ahead(&(momentum.linear - impulse.linear * half)),
            momentum.angular - moment + self.half_turn.cross(&(curved + momentum.angular)),
        )
    }

    /// p₁, as [`FloatingStep::start_momentum`].
    pub fn end_momentum(&self, momentum: &Force<T>, impulse: &Force<T>) -> Force<T> {
        let half: T = lift(0.5);
        let (moment, curved) = self.moment(momentum, impulse);
        Force::new(
            self.back(&(momentum.linear + impulse.linear * half)),
            momentum.angular + moment + self.half_turn.cross(&(curved - momentum.angular)),
        )
    }

    /// N/2, and what φ× turns into the part that p₀ and p₁ have in common, beyond μ.
    fn moment(&self, momentum: &Force<T>, impulse: &Force<T>) -> (Vector3<T>, Vector3<T>) {
        let (s, b, c) = self.coefficients;
        let moment = (impulse.angular + momentum.linear.cross(&self.displacement)) * lift::<T>(0.5);
        let turned = self.half_turn.cross(&momentum.angular);
        (moment, (turned * (b - c) - moment * b) / s)
    }

    /// A momentum of the start as seen from the end: the same in the world.
    pub fn carry(&self, momentum: &Force<T>) -> Force<T> {
        let linear = self.back(&momentum.linear);
        let angular = self.back(&momentum.angular) - self.displacement.cross(&linear);
        Force::new(self.back(&linear), self.back(&angular))
    }

    /// Change of the middle, a body twist, with a change `start` of the start and one of h v̄.
    pub fn vary_middle(&self, start: &Motion<T>, step: &Motion<T>) -> Motion<T> {
        let half: T = lift(0.5);
        let turn = self.back(&start.angular) + self.vary_half_turn(step);
        Motion::new(
            self.back(&start.linear) + self.vary_displacement(&turn, step) * half,
            turn,
        )
    }

    /// Change of the end, as [`FloatingStep::vary_middle`].
    pub fn vary_end(&self, start: &Motion<T>, step: &Motion<T>) -> Motion<T> {
        let second_half = self.vary_half_turn(step);
        let turn = self.back(&start.angular) + second_half;
        let moved = self.back(&start.linear) + self.vary_displacement(&turn, step);
        Motion::new(self.back(&moved), self.back(&turn) + second_half)
    }

    /// R̄ᵀ δ(R̄ d) for a change `turn` of the middle.
    fn vary_displacement(&self, turn: &Vector3<T>, step: &Motion<T>) -> Vector3<T> {
        turn.cross(&self.displacement) + step.linear
    }

    /// Eᵀ δE, δφ being half of the angular part of `step`.
    fn vary_half_turn(&self, step: &Motion<T>) -> Vector3<T> {
        let (_, b, c) = self.coefficients;
        let x = step.angular * lift::<T>(0.5);
        let turned = self.half_turn.cross(&x);
        x - turned * b + self.half_turn.cross(&turned) * c
    }

    /// E x.
    fn ahead(&self, x: &Vector3<T>) -> Vector3<T> {
        let (s, b, _) = self.coefficients;
        let turned = self.half_turn.cross(x);
        x + turned * s + self.half_turn.cross(&turned) * b
    }

    /// Eᵀ x.
    fn back(&self, x: &Vector3<T>) -> Vector3<T> {
        let (s, b, _) = self.coefficients;
        let turned = self.half_turn.cross(x);
        x - turned * s + self.half_turn.cross(&turned) * b
    }
}
