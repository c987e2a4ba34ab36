//! Discs and arcs whose lowest point runs round their rim: how long pieces may be for that, and what is struck instead of
//! followed.

use crate::discrete::held::HeldContact;
use crate::hybrid::SimulationError;
use crate::hybrid::simulation::Simulation;
use crate::hybrid::simulation::crossings::Crossing;

use super::GROWTH;

/// Share of a step that a piece is not cut below for what runs round a rim.
const SHORTEST: f64 = 1.0 / 64.0;
/// Times the length of a piece that the next one is tried at, at least: what turns by as much in a piece of any length must not keep
/// them short.
const LEAST_GROWTH: f64 = 1.1;
/// Share of the turn that a piece may have which the next one is to have.
const MARGIN: f64 = 0.8;
/// Turn of the lowest point of a disc in a step \[rad\], and steps of its weight, that are those of one that comes to rest: steady
/// wobbling at that rate is 0.08 mm high at a step of a millisecond, and as the square of the step at others.
const SETTLING_TURN: f64 = 1.0;
const SETTLING_STEPS: f64 = 4.0;
/// Turn of the lowest point of a disc within a piece \[rad\]: the midpoint rule misses a twelfth of its square. What is
/// faster in the shortest piece is swept.
const WHIRL: f64 = 0.125;

impl Simulation {
    /// The shortest piece in which something that runs round its rim is followed \[s\].
    pub(super) fn shortest(&self, held: &HeldContact) -> f64 {
        // Nothing sweeps an arc that does not lie nearly flat.
        let share = if held.side.is_some() {
            SHORTEST
        } else {
            SHORTEST * SHORTEST
        };
        share * self.settings.time_step
    }

    /// The part of a piece of `tau` in which what whirls runs no further than a piece can follow: half of it at most.
    pub(super) fn shorter(&self, tau: f64, held: &HeldContact) -> f64 {
        let angle = self.angle_run(held);
        let share = angle.map_or(0.5, |angle| (MARGIN * WHIRL / angle).min(0.5));
        (tau * share).max(self.shortest(held))
    }

    /// The length that the piece after one of `tau` is tried at: in which what whirls runs as far as a piece can follow if it goes
    /// on as it did.
    pub(super) fn next_length(&self, tau: f64) -> f64 {
        let longest = GROWTH * self.piece_length.max(tau);
        let follows = |held: &HeldContact| {
            let angle = self.angle_run(held)?;
            Some((tau * MARGIN * WHIRL / angle).max(LEAST_GROWTH * tau))
        };
        let held = self.arrival.held.iter();
        held.filter_map(follows).fold(longest, f64::min)
    }

    /// Whether a disc wobbles to rest: nothing but its weight brings its rim down in some steps, and it runs round in no more of
    /// them. What is left of its motion is less than a step shows.
    pub(super) fn settles(
        &mut self,
        held: &HeldContact,
        tau: f64,
    ) -> Result<bool, SimulationError> {
        let step = self.settings.time_step;
        let runs = |angle: f64| angle * step > SETTLING_TURN * tau;
        let slow = SETTLING_STEPS * self.model.gravity().norm() * step;
        if held.side.is_none() || !self.angle_run(held).is_some_and(runs) {
            return Ok(false);
        }
        self.velocity()?;
        let tilt = (self.contacts).tilt(&self.node.kinematics, held.contact, held.face);
        Ok(tilt.is_some_and(|tilt| self.rim_speed(held.contact, tilt.height) < slow))
    }

    /// How far the lowest point of a disc or an arc has run round its rim in the trial \[rad\].
    fn angle_run(&self, held: &HeldContact) -> Option<f64> {
        let moments = [&self.node, &self.trial].map(|node| &node.kinematics);
        let run = (self.contacts).run_along_rim(moments[1], held.contact, held.side);
        run.or_else(|| {
            let turn = self.contacts.turn(moments, held.contact, held.face)?;
            (!turn.tilt.is_flat).then_some(turn.angle)
        })
    }

    /// The first held disc or arc whose lowest point has run round its rim further than one step can follow, or has sunk in
    /// beside the point that was held. That of a disc that falls straight on, up to the seam where it lies flat, has not.
    pub(super) fn whirling(&self, located: Option<Crossing>) -> Option<HeldContact> {
        let whirls = |held: &HeldContact| {
            let (i, face) = (held.contact, held.face);
            let moments = [&self.node, &self.trial].map(|node| &node.kinematics);
            if held.side.is_some_and(|side| side.is_fixed) {
                return self.trial.gap(&self.contacts, i) < -self.settings.closed_gap;
            }
            let run = (self.contacts).run_along_rim(moments[1], i, held.side);
            if let Some(run) = run {
                return run > WHIRL;
            }
            let turn = self.contacts.turn(moments, i, face);
            let lies = || self.contacts.side(moments[1], i, face).is_none();
            let falls = || located.is_some_and(|c| c.is_seam_of(i)) && lies();
            turn.is_some_and(|turn| {
                turn.angle > WHIRL
                    && match held.side {
                        Some(_) => !falls(),
                        None => !turn.tilt.is_flat,
                    }
            })
        };
        self.arrival.held.iter().copied().find(whirls)
    }
}
