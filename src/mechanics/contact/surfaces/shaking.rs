//! Pieces of terrain that move as a whole: a table that shakes.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::contact::ContactError;
use crate::contact::contacts::Contacts;
use crate::contact::error::check_finite;
use crate::dynamics::Clock;

/// A piece of terrain that goes to and fro about the place at which it was declared: d(t) = a sin(2πft + ψ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shaking {
    /// a \[m\].
    pub amplitude: Vector3<f64>,
    /// f \[Hz\].
    pub frequency: f64,
    /// ψ \[rad\].
    pub phase: f64,
}

impl Shaking {
    fn rate(&self) -> f64 {
        TAU * self.frequency
    }

    /// Where the piece stands, beside the place at which it was declared \[m\].
    #[must_use]
    pub fn displacement(&self, time: f64) -> Vector3<f64> {
        self.amplitude * (self.rate() * time + self.phase).sin()
    }

    /// How fast it moves at a moment, or in the mean over a span: what it goes in the span, by its length \[m/s\].
    #[must_use]
    pub fn velocity(&self, clock: &Clock) -> Vector3<f64> {
        let rate = self.rate();
        let half = 0.5 * rate * clock.span;
        // sin x − sin y = 2 sin((x − y)/2) cos((x + y)/2), without the rounding of the difference.
        let share = if half == 0.0 { 1.0 } else { half.sin() / half };
        self.amplitude * (rate * share * (rate * clock.time + self.phase).cos())
    }

    /// A speed that it never exceeds \[m/s\].
    #[must_use]
    pub fn top_speed(&self) -> f64 {
        (self.rate() * self.amplitude.norm()).abs()
    }

    pub(super) fn check(&self, place: &str) -> Result<(), ContactError> {
        check_finite(&format!("{place}: amplitude"), self.amplitude.as_slice())?;
        check_finite(&format!("{place}: frequency"), &[self.frequency])?;
        check_finite(&format!("{place}: phase"), &[self.phase])
    }
}

impl Contacts {
    /// Whether a piece of terrain moves as a whole, so that gaps depend on time.
    #[must_use]
    pub fn is_shaken(&self) -> bool {
        self.terrains().iter().any(|t| t.shaking.is_some())
    }

    /// How the piece of terrain of a contact moves as a whole.
    pub(in crate::contact) fn shaking_of(&self, i: usize) -> Option<&Shaking> {
        self.shaking(self.terrain_of(i)?)
    }

    pub(in crate::contact) fn shaking(&self, terrain: usize) -> Option<&Shaking> {
        self.terrains().get(terrain)?.shaking.as_ref()
    }

    /// A speed that a piece of terrain never exceeds \[m/s\].
    pub(crate) fn top_speed(&self, terrain: usize) -> f64 {
        self.shaking(terrain).map_or(0.0, Shaking::top_speed)
    }
}
