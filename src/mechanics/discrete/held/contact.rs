//! What the conditions of a step hold: contacts that are closed, joints with dry friction.

use super::Jumps;
use crate::contact::{BoxFace, HeldPlace, Side};
use crate::friction::{FrictionRows, HeldMode};

/// More than any load \[N or N m\], and finite.
const LATCH: f64 = 1e100;
/// Change of a slip beside itself, from the middle of a step to its end, up to which the one at the end foretells the next.
const STEADY: f64 = 3.0;

/// A contact that is held closed, and what it did in the last step.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeldContact {
    /// Index into the [`Contacts`](crate::contact::Contacts).
    pub contact: usize,
    /// The face of a box over which it is held.
    pub face: Option<BoxFace>,
    /// The side of a full circle that it is held by during a piece of a step.
    #[serde(skip)]
    pub side: Option<Side>,
    /// Modes at the start and at the end of the last step: the branch that the next one stays on.
    pub modes: [HeldMode; 2],
    /// Impulse at the start of the last step: normal, then tangents \[N s\].
    pub start_impulse: [f64; 3],
    /// Impulse at the end of the last step \[N s\].
    pub end_impulse: [f64; 3],
    /// What impulses at the starts of its last steps had beyond those at the ends before.
    #[serde(default)]
    pub jumps: Jumps,
    /// Whether the conditions of the last step refuse impulses of least norm: the next one goes on from the
    /// impulses that were found.
    #[serde(default)]
    pub refuses_least_norm: bool,
    /// Length of the last step \[s\], 0 before the first.
    pub duration: f64,
    /// Gap at the end of the last step \[m\].
    pub gap: f64,
    /// Normal velocity at the end of the last step \[m/s\].
    pub normal_velocity: f64,
    /// Rate of the normal force between the middles of the last two steps \[N/s\]; 0 where they do not belong to one
    /// motion.
    #[serde(default)]
    pub force_rate: f64,
    /// What that rate has changed by in one step \[N/s\].
    #[serde(default)]
    pub force_bend: f64,
    /// Steps through which it has slid without a break.
    #[serde(default)]
    pub slides: u32,
    /// Sliding velocity at the middle of the last step, in its tangents \[m/s\], where there is one and that at the end
    /// is another; else zero.
    #[serde(default)]
    pub middle_slip: [f64; 2],
    /// Normal velocity with which the contact comes into its first step \[m/s\]; 0 from then on.
    pub approach: f64,
    /// Sliding velocity at the end of the last step, in its tangents \[m/s\]; `None` when it is not
    /// that of the present moment: the contact has just closed, or an impact changed it.
    pub slip: Option<[f64; 2]>,
}

impl HeldContact {
    /// A contact that has just closed.
    #[must_use]
    pub fn new(contact: usize) -> Self {
        Self {
            contact,
            face: None,
            side: None,
            modes: [HeldMode::Stick; 2],
            start_impulse: [0.0; 3],
            end_impulse: [0.0; 3],
            jumps: Jumps::default(),
            refuses_least_norm: false,
            duration: 0.0,
            gap: 0.0,
            normal_velocity: 0.0,
            force_rate: 0.0,
            force_bend: 0.0,
            slides: 0,
            middle_slip: [0.0; 2],
            approach: 0.0,
            slip: None,
        }
    }

    /// What of it goes on within a step.
    #[must_use]
    pub fn place(&self) -> HeldPlace {
        HeldPlace {
            face: self.face,
            side: self.side,
        }
    }

    /// Sum of the impulses of the last step: normal, then tangents \[N s\].
    #[must_use]
    pub fn impulse(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| self.start_impulse[k] + self.end_impulse[k])
    }

    /// Mean normal force of the last step \[N\]: to second order that at its middle. `None` before the first.
    #[must_use]
    pub fn normal_force(&self) -> Option<f64> {
        (self.duration > 0.0).then(|| self.impulse()[0] / self.duration)
    }

    /// Guess of the impulse at the start of a step of length `h`. What redundant contacts press against each other is as it was:
    /// nothing would bring back what goes on along there.
    pub(crate) fn expected(&self, h: f64) -> [f64; 3] {
        if self.refuses_least_norm {
            return self.end_impulse.map(|x| expected(x, 0.0, h, self.duration));
        }
        let jump = self.jumps.expected();
        [0, 1, 2].map(|k| expected(self.end_impulse[k], jump[k], h, self.duration))
    }

    /// Takes in the slip at the end of a step. That of a contact which is nearly at rest has little to do with the slip
    /// that friction acted against, and the next step goes on from that one.
    pub(crate) fn end_with_slip(&mut self, slip: [f64; 2]) {
        let [x, y] = self.middle_slip;
        let off = square([slip[0] - x, slip[1] - y, 0.0]);
        if off <= STEADY * STEADY * square([x, y, 0.0]) {
            self.middle_slip = [0.0; 2];
        }
        self.slip = Some(slip);
    }

    /// Speed and direction of the slip that the last step's friction acted against, where it slid throughout and that
    /// is more to go by than the slip at its end.
    pub(crate) fn slide_between(&self) -> Option<(f64, [f64; 2])> {
        let [x, y] = self.middle_slip;
        let speed = (x * x + y * y).sqrt();
        let slid = self.slides > 0 && speed > 0.0;
        slid.then(|| (speed, [x / speed, y / speed]))
    }

    /// Takes in the mode and the impulse at the start (0) or end (1) of a step of length `h`.
    pub(crate) fn record(
        &mut self,
        end: usize,
        mode: HeldMode,
        rows: &FrictionRows,
        impulse: &[f64],
        h: f64,
    ) {
        let mut own = [0.0; 3];
        own[..rows.height()].copy_from_slice(&impulse[rows.row..rows.row + rows.height()]);
        if end == 0 {
            if h == self.duration && self.modes[1].goes_on_in(mode) {
                self.jumps
                    .record([0, 1, 2].map(|k| own[k] - self.end_impulse[k]));
            } else {
                self.jumps = Jumps::default();
            }
            self.start_impulse = own;
        } else {
            self.end_impulse = own;
        }
        self.slides = slides(self.slides, self.modes, end, mode);
        self.modes[end] = mode;
    }
}

/// Σ x², of three.
fn square(x: [f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Steps of an unbroken slide with the mode at the start (0) or end (1) of one more.
fn slides(before: u32, modes: [HeldMode; 2], end: usize, mode: HeldMode) -> u32 {
    if matches!(mode, HeldMode::Slide(_)) && modes[1 - end].goes_on_in(mode) {
        before.saturating_add(end as u32)
    } else {
        0
    }
}

/// An impulse at the start of a step of length `h` after one of length `duration`, from that at its end and
/// the last jump.
fn expected(end: f64, jump: f64, h: f64, duration: f64) -> f64 {
    if h == duration {
        end + jump
    } else if duration != 0.0 {
        h / duration * end
    } else {
        0.0
    }
}

/// A joint with dry friction or a latch, and what it did in the last step.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeldJoint {
    /// Modes at the start and at the end of the last step.
    pub modes: [HeldMode; 2],
    /// Impulses of the friction at the start and at the end of the last step \[N s or N m s\].
    pub impulses: [f64; 2],
    /// What the first of them had beyond the second of the step before.
    #[serde(default)]
    pub jump: f64,
    /// As of [`HeldContact::refuses_least_norm`].
    #[serde(default)]
    pub refuses_least_norm: bool,
    /// Steps for which it is not locked again: it rests, but only because others share its load.
    #[serde(default)]
    pub unlocked_steps: u8,
    /// As of [`HeldContact::slides`].
    #[serde(default)]
    pub slides: u32,
    /// Length of the last step \[s\], 0 before the first.
    pub duration: f64,
    /// Velocity at the end of the last step; `None` when it is not that of the present moment.
    pub rate: Option<f64>,
    /// Whether a latch holds it, by a force of any size.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub latched: bool,
}

impl Default for HeldJoint {
    fn default() -> Self {
        Self {
            modes: [HeldMode::Stick; 2],
            impulses: [0.0; 2],
            jump: 0.0,
            refuses_least_norm: false,
            unlocked_steps: 0,
            slides: 0,
            duration: 0.0,
            rate: None,
            latched: false,
        }
    }
}

impl HeldJoint {
    /// One for each joint of a model that has dry friction or a latch, in the order of the joints.
    #[must_use]
    pub fn of(model: &crate::model::Model) -> Vec<Self> {
        vec![Self::default(); rubbing_joints(model).count()]
    }

    /// A joint that a latch has just caught.
    #[must_use]
    pub fn latched() -> Self {
        Self {
            rate: Some(0.0),
            latched: true,
            ..Self::default()
        }
    }

    /// Friction \[N or N m\] of it as it is, where its own is this: no load is larger than what a latch bears.
    pub(crate) fn friction(&self, own: f64) -> f64 {
        if self.latched { LATCH } else { own }
    }

    /// Guess of the impulse at the start of a step of length `h`.
    pub(crate) fn expected(&self, h: f64) -> f64 {
        expected(self.impulses[1], self.jump, h, self.duration)
    }

    /// Takes in the mode and the impulse at the start (0) or end (1) of a step of length `h`.
    pub(crate) fn record(&mut self, end: usize, mode: HeldMode, impulse: f64, h: f64) {
        if end == 0 {
            let goes_on = h == self.duration && [mode, self.modes[1]] == [HeldMode::Stick; 2];
            self.jump = if goes_on {
                impulse - self.impulses[1]
            } else {
                0.0
            };
        }
        self.slides = slides(self.slides, self.modes, end, mode);
        self.modes[end] = mode;
        self.impulses[end] = impulse;
    }
}

/// Index into the velocity and friction \[N or N m\] of each joint with dry friction or a latch, with its body.
pub(crate) fn rubbing_joints(
    model: &crate::model::Model,
) -> impl Iterator<Item = (usize, usize, f64)> {
    let bodies = model.bodies().iter().enumerate();
    bodies
        .filter(|(_, body)| body.friction > 0.0 || body.latches)
        .map(|(i, body)| (i, body.v_index, body.friction))
}

#[cfg(test)]
mod tests {
    use super::HeldContact;
    use crate::friction::{FrictionRows, HeldMode};

    /// A slip that the end of a step changes by less than three times itself goes on from there; one that is lost in
    /// what the end does goes on from the middle.
    #[test]
    fn a_slide_nearly_at_rest_goes_on_from_the_middle() {
        let slid = |middle_slip: [f64; 2], end: [f64; 2], slides: u32| {
            let mut held = HeldContact {
                middle_slip,
                slides,
                ..HeldContact::new(0)
            };
            held.end_with_slip(end);
            assert_eq!(held.slip, Some(end));
            held.slide_between()
        };
        // Sides 3, 4 and 5, and powers of two: exact.
        let creep = [-0.75 / 1024.0, 1.0 / 1024.0];
        let found = Some((1.25 / 1024.0, [-0.6, 0.8]));
        assert_eq!(slid(creep, [1.0, 0.5], 1), found);
        assert_eq!(slid(creep, [1.0, 0.5], 0), None);
        assert_eq!(slid(creep, [-2.0 / 1024.0, 2.0 / 1024.0], 1), None);
        assert_eq!(slid([0.0; 2], [0.0; 2], 1), None);
    }

    /// Starts whose excess over the ends before grows by the same number are foretold, as long as the contact sticks, or slides
    /// the same way.
    #[test]
    fn a_start_is_foretold_from_those_before_in_the_same_mode() {
        let rows = FrictionRows::contact(0, 2, 0.5);
        let mut held = HeldContact::new(0);
        held.duration = 0.5;
        let mut step = |start: [f64; 3], mode: HeldMode| {
            let expected = held.expected(0.5);
            held.record(0, mode, &rows, &start, 0.5);
            held.record(1, mode, &rows, &[1.0, 0.0, 0.0], 0.5);
            expected
        };
        let slide = |y: f64| HeldMode::Slide([(1.0 - y * y).sqrt(), y]);
        // Whole numbers: the differences are exact.
        for modes in [[HeldMode::Stick; 2], [slide(0.0), slide(0.5)]] {
            step([1.0, 0.0, 0.0], HeldMode::Open);
            for jump in [2.0, 3.0, 4.0, 5.0] {
                step([1.0 + jump, 0.0, -jump], modes[0]);
            }
            assert_eq!(step([7.0, 0.0, -6.0], modes[1]), [7.0, 0.0, -6.0]);
        }
        step([8.0, 0.0, -7.0], HeldMode::Slide([-1.0, 0.0]));
        assert_eq!(step([3.0, 0.0, 0.0], HeldMode::Stick), [1.0, 0.0, 0.0]);
    }
}
