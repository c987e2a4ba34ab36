//! A slow gait for a robot with legs of which nothing but its description is known.
//!
//! Legs side by side, and those one behind the other, are half a stride apart: a trot of four, a tripod of six. With θ =
//! 2π (t/T + ¼) plus 2π times the leg's share of the stride, the foot goes beside its place by
//!
//! ```text
//! (x, z) = (X sin θ, Z cos θ),     X = 0.12 L,  Z = 0.06 L,  L from hip to foot,  T = 3 √(L/g)
//! ```
//!
//! forwards while it is up, and all feet are at one height at the start. The first two joints about the lateral axis do that: with J what the foot moves for each
//! radian of theirs, their waves are J⁻¹ of it, two sines of the same frequency, made smaller until they are at most
//! 0.4 rad and keep a tenth of the way to their limits. A leg of one joint only swings. Legs of one joint each without
//! limits turn by a Buehler clock instead (`control`), a stride in 4.5 √(L/g).

use std::f64::consts::TAU;

use nalgebra::Matrix2;

use super::legs::Leg;
use crate::dynamics::Kinematics;
use crate::model::Model;

/// X and Z as shares of L.
const STRIDE: f64 = 0.12;
const LIFT: f64 = 0.06;
/// T in √(L/g), of sines and of clocks.
const SINE_PERIOD: f64 = 3.0;
const CLOCK_PERIOD: f64 = 4.5;
/// Share of the stride at the start: feet are at their foremost and hindmost places, none is up.
const START: f64 = 0.25;
/// Largest amplitude \[rad\].
const LARGEST: f64 = 0.4;
/// Share of the way to the nearer limit that an amplitude may take.
const ROOM: f64 = 0.9;
/// A knee is bent so far from its limits, and from stretched, if it can \[rad\].
const BENT: f64 = 0.3;
/// Least determinant of J beside the product of both levers.
const STRETCHED: f64 = 0.05;

/// The clock: share of the stride with the leg on the ground, angle of it, its middle \[rad\].
pub(super) const DUTY_FACTOR: f64 = 0.55;
pub(super) const SWEEP: f64 = 0.9;
pub(super) const OFFSET: f64 = -0.25;

/// What the legs do.
pub(super) enum Gait {
    /// Sines of joints with limits, or of several in a leg.
    Waves {
        /// \[s\]
        period: f64,
        waves: Vec<Wave>,
    },
    /// Legs that turn round.
    Clock {
        /// \[s\]
        period: f64,
        turns: Vec<Turn>,
    },
}

/// One joint's sine about where it stands.
pub(super) struct Wave {
    pub leg: usize,
    /// Body of the joint.
    pub joint: usize,
    /// \[rad\]
    pub mean: f64,
    /// \[rad\]
    pub amplitude: f64,
    /// \[rad\]
    pub phase: f64,
}

/// One leg that turns round.
pub(super) struct Turn {
    pub leg: usize,
    pub joint: usize,
    pub direction: f64,
    /// Position at which the leg is straight down \[rad\].
    pub zero: f64,
}

/// How far each leg is ahead, as a share of the stride.
pub(super) fn phases(legs: &[Leg]) -> Vec<f64> {
    // The legs come from front to rear, the left one of each row first.
    let mut seen = [0_usize; 2];
    let of = |leg: &Leg| {
        let side = usize::from(leg.hip.y < 0.0);
        let row = seen[side];
        seen[side] += 1;
        0.5 * ((row + side) % 2) as f64
    };
    legs.iter().map(of).collect()
}

/// Bends knees that are stretched or at their limits, and brings the feet back below where they were.
pub(super) fn bend(model: &Model, legs: &[Leg], q: &mut [f64]) {
    let mut kinematics = Kinematics::new(model);
    for leg in legs {
        let &[hip, knee, ..] = leg.joints.as_slice() else {
            continue;
        };
        kinematics.update_placements(model, q);
        let before = leg.foot_at(&kinematics).x;
        let at = model.bodies()[knee].q_index;
        let (low, high) = bounds(model, knee);
        let bent = (q[at].max(low + BENT).min(high - BENT)).clamp(low, high);
        q[at] = (1e4 * bent).round() / 1e4;
        kinematics.update_placements(model, q);
        if determinant(leg, &kinematics, [hip, knee]).abs() < STRETCHED {
            let inwards = if high - q[at] >= q[at] - low {
                1.0
            } else {
                -1.0
            };
            q[at] = (q[at] + 2.0 * BENT * inwards).clamp(low, high);
        }
        let (at, (low, high)) = (model.bodies()[hip].q_index, bounds(model, hip));
        for _ in 0..8 {
            kinematics.update_placements(model, q);
            let lever = leg.lever(&kinematics, hip).x;
            if lever != 0.0 {
                let back = (leg.foot_at(&kinematics).x - before) / lever;
                q[at] = (q[at] - back.clamp(-BENT, BENT)).clamp(low, high);
            }
        }
        q[at] = (1e4 * q[at]).round() / 1e4;
    }
}

/// det J beside the product of both levers: the sine of the angle between them.
fn determinant(leg: &Leg, kinematics: &Kinematics<f64>, joints: [usize; 2]) -> f64 {
    let [a, b] = joints.map(|joint| leg.lever(kinematics, joint));
    (a.x * b.z - a.z * b.x) / (a.norm() * b.norm()).max(f64::MIN_POSITIVE)
}

fn bounds(model: &Model, joint: usize) -> (f64, f64) {
    let limits = model.bodies()[joint].limits.position;
    limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
}

/// The gait of legs where they stand at `q`.
pub(super) fn gait(model: &Model, legs: &[Leg], q: &[f64]) -> Gait {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let length = |leg: &Leg| (leg.foot_at(&kinematics) - leg.hip_at(&kinematics)).norm();
    let longest = legs.iter().map(length).fold(0.0, f64::max);
    let gravity = model.gravity().norm().max(1.0);
    let rounded =
        |share: f64| ((100.0 * share * (longest / gravity).sqrt()).round() / 100.0).max(0.1);
    let turning = |leg: &Leg| leg.joints.len() == 1 && !limited(model, leg.joints[0]);
    if legs.iter().all(turning) {
        let turns = legs
            .iter()
            .enumerate()
            .map(|(i, leg)| turn(model, leg, i, &kinematics, q));
        return Gait::Clock {
            period: rounded(CLOCK_PERIOD),
            turns: turns.collect(),
        };
    }
    let phases = phases(legs);
    let mut waves = Vec::new();
    for (i, leg) in legs.iter().enumerate() {
        let (x, z) = (STRIDE * length(leg), LIFT * length(leg));
        let mut own = match leg.joints.as_slice() {
            &[hip, knee, ..] if determinant(leg, &kinematics, [hip, knee]).abs() >= STRETCHED => {
                let [a, b] = [hip, knee].map(|joint| leg.lever(&kinematics, joint));
                let inverse = Matrix2::new(a.x, b.x, a.z, b.z)
                    .try_inverse()
                    .unwrap_or_default();
                let wave = |k: usize, joint: usize| {
                    let (sine, cosine) = (inverse[(k, 0)] * x, inverse[(k, 1)] * z);
                    (joint, sine.hypot(cosine), cosine.atan2(sine))
                };
                vec![wave(0, hip), wave(1, knee)]
            }
            &[hip, ..] => {
                let lever = leg.lever(&kinematics, hip).x;
                let turned = if lever < 0.0 {
                    std::f64::consts::PI
                } else {
                    0.0
                };
                vec![(hip, x / lever.abs().max(0.1 * x), turned)]
            }
            [] => continue,
        };
        let share = own.iter().map(|(joint, amplitude, _)| {
            let (low, high) = bounds(model, *joint);
            let at = q[model.bodies()[*joint].q_index];
            let room = (ROOM * (at - low).min(high - at)).clamp(0.0, LARGEST);
            room / amplitude.max(f64::MIN_POSITIVE)
        });
        let share = share.fold(1.0, f64::min);
        for (joint, amplitude, shift) in own.drain(..) {
            let turns = (shift / TAU + START + phases[i]).rem_euclid(1.0);
            waves.push(Wave {
                leg: i,
                joint,
                mean: q[model.bodies()[joint].q_index],
                // Towards zero, so that limits are kept.
                amplitude: (1e4 * share * amplitude).floor() / 1e4,
                phase: (1e4 * TAU * turns).round() / 1e4,
            });
        }
    }
    Gait::Waves {
        period: rounded(SINE_PERIOD),
        waves,
    }
}

fn limited(model: &Model, joint: usize) -> bool {
    let (low, high) = bounds(model, joint);
    high - low < TAU
}

fn turn(model: &Model, leg: &Leg, i: usize, kinematics: &Kinematics<f64>, q: &[f64]) -> Turn {
    let joint = leg.joints[0];
    let direction = kinematics.world[joint].rotation[(1, 2)].signum();
    let d = leg.foot_at(kinematics) - leg.hip_at(kinematics);
    // Positive to the rear.
    let angle = (-d.x).atan2(-d.z);
    let zero = q[model.bodies()[joint].q_index] - direction * angle;
    Turn {
        leg: i,
        joint,
        direction,
        zero: (1e4 * zero).round() / 1e4,
    }
}

impl Gait {
    /// Where its joints are at the start: they begin on their sines, or stand.
    pub fn place(&self, model: &Model, q: &mut [f64]) {
        match self {
            Self::Waves { waves, .. } => {
                for wave in waves {
                    let at = wave.mean + wave.amplitude * wave.phase.sin();
                    q[model.bodies()[wave.joint].q_index] = (1e4 * at).round() / 1e4;
                }
            }
            Self::Clock { turns, .. } => {
                for turn in turns {
                    q[model.bodies()[turn.joint].q_index] = turn.zero + turn.direction * OFFSET;
                }
            }
        }
    }
}
