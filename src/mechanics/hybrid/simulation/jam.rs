//! Impacts without collision: a held contact that slides and that no finite force can keep closed.
//!
//! Where friction couples strongly to the normal direction (Painlevé's rod), the acceleration of a sliding
//! contact that is pressed together may have no solution with finite forces. The impulse that a step then needs
//! does not vanish with the length of the step (\[PER\] §4.2): the sliding stops at once. Such an impulse is an
//! impact, and it is resolved and logged as one.
//!
//! The criterion is the limit itself. When a held contact that slides at the start of a piece sticks in it, the
//! piece is tried again over 2⁻²⁰ of its length: finite forces leave next to nothing of the impulse, a jam
//! leaves it as it was.

use nalgebra::{DMatrix, DVector};

use super::Simulation;
use super::derivative::Passage;
use crate::discrete::held::HeldContact;
use crate::friction::HeldMode;
use crate::hybrid::SimulationError;
use crate::hybrid::collision::{Closed, Collision, Posed, collide, pose};
use crate::impact::{ImpactError, ImpactLaw, MaxDissipation};

/// Share of a piece over which the limit of vanishing length is tried.
const VANISHING: f64 = 1.0 / (1 << 20) as f64;
/// Approach of the jammed contacts as a share of their sliding: the sign of the pressing force, far above the
/// rounding of a velocity and far below every tolerance.
const APPROACH: f64 = 1e-12;
/// A force this many times as large as in the step before is still a force.
const USUAL: f64 = 4.0;
/// A law whose impulse leaves more than this share of the sliding has not resolved the jam.
const UNRESOLVED: f64 = 0.5;

impl Simulation {
    /// Resolves a jam at the present moment, if the piece of length `tau` in `arrival` shows one; true when it
    /// did and the piece must be tried again.
    pub(super) fn resolve_jam(
        &mut self,
        tau: f64,
        impacts: &mut usize,
    ) -> Result<bool, SimulationError> {
        let jammed = self.suddenly_sticking(tau)?;
        if jammed.is_empty() || tau <= 0.0 || !self.impulse_persists(tau)? {
            return Ok(false);
        }
        if !self.impact_without_collision(&jammed)? {
            return Ok(false);
        }
        self.count_impact(impacts, &jammed)?;
        self.record_jam();
        Ok(true)
    }

    /// Stops the held contacts that slide by an impact without collision, where no step of any length has a
    /// solution; true when it did.
    pub(super) fn resolve_sliding(&mut self, impacts: &mut usize) -> Result<bool, SimulationError> {
        self.velocity()?;
        let held = self.state.held.iter().map(|h| h.contact);
        let sliding: Vec<usize> = held
            .filter(|&i| {
                let slip = self.node.slip(&self.contacts, i);
                self.contacts.friction(i) > 0.0 && slip[0].hypot(slip[1]) > self.settings.rest_speed
            })
            .collect();
        if sliding.is_empty() || !self.impact_without_collision(&sliding)? {
            return Ok(false);
        }
        self.count_impact(impacts, &sliding)?;
        self.record_jam();
        Ok(true)
    }

    fn record_jam(&mut self) {
        self.record(|sim| Passage::Obstacle {
            time: sim.state.time,
            reason: "friction jams",
        });
    }

    fn count_impact(&self, impacts: &mut usize, contacts: &[usize]) -> Result<(), SimulationError> {
        *impacts += 1;
        if *impacts > self.settings.max_impacts_per_step {
            return Err(SimulationError::TooManyImpacts {
                time: self.state.time,
                count: *impacts,
                contacts: self.contacts.names_of(contacts),
            });
        }
        Ok(())
    }

    /// Held contacts that slide now and stick in the piece just tried.
    fn suddenly_sticking(&mut self, tau: f64) -> Result<Vec<usize>, SimulationError> {
        let mut found = Vec::new();
        for k in 0..self.state.held.len() {
            let held = self.state.held[k];
            let arrived = self.arrival.held.iter();
            let sticks = arrived
                .filter(|a| a.contact == held.contact && a.modes[0] == HeldMode::Stick)
                .any(|a| !is_usual(&held, a.start_impulse[0], tau));
            if !sticks || self.contacts.friction(held.contact) == 0.0 {
                continue;
            }
            let slip = match held.slip {
                Some(slip) => slip,
                None => {
                    self.velocity()?;
                    self.node.slip(&self.contacts, held.contact)
                }
            };
            if slip[0].hypot(slip[1]) > self.settings.rest_speed {
                found.push(held.contact);
            }
        }
        Ok(found)
    }

    /// Whether the impulses of the held contacts in the piece just tried remain when its length tends to zero.
    fn impulse_persists(&mut self, tau: f64) -> Result<bool, SimulationError> {
        self.velocity()?;
        let n = self.model.dof().max(1);
        // The step equations will stand elsewhere.
        self.flow.branch_end(&self.arrival);
        std::mem::swap(&mut self.arrival, &mut self.probe);
        self.arrival
            .mean_velocity
            .resize(self.probe.mean_velocity.len(), 0.0);
        for block in self.arrival.mean_velocity.chunks_mut(n) {
            block.copy_from_slice(&self.node.velocity);
        }
        let tried = self.try_advance(tau * VANISHING);
        std::mem::swap(&mut self.arrival, &mut self.probe);
        Ok(tried.is_ok() && start_size(&self.probe.held) > 0.5 * start_size(&self.arrival.held))
    }

    /// The impact of all closed contacts of the islands in which `jammed` ones slide, by the law of the run or, where that law
    /// has no friction or gives no impulse, by maximum dissipation. False when neither stops the sliding:
    /// then it was no jam (redundant contacts can press against each other without moving anything).
    fn impact_without_collision(&mut self, jammed: &[usize]) -> Result<bool, SimulationError> {
        let closed = self.closed_beside(jammed);
        let locked = self.locked_in(&[]);
        let taking_part = Closed {
            contacts: &closed,
            locked: &locked,
            caught: &[],
        };
        let posed = pose(
            &self.model,
            &self.contacts,
            &self.node,
            &self.state.p,
            taking_part,
            true,
            true,
        )
        .map_err(|e| self.unresolved(&closed, e))?;
        let pressed = posed.at_rest(pressed_together(&posed, jammed));
        let seed = self.draw_seed();
        let exploration = self.exploration();
        let run = |sim: &Self, law: &mut dyn ImpactLaw| -> Result<Collision, ImpactError> {
            collide(
                law,
                &sim.model,
                &sim.contacts,
                &sim.node,
                &pressed,
                taking_part,
                &exploration,
            )
        };
        let mut law = std::mem::replace(&mut self.law, Box::new(MaxDissipation::default()));
        let own = law
            .properties()
            .friction
            .then(|| run(self, law.as_mut()))
            .filter(|answer| answer.as_ref().is_ok_and(|c| stops(&posed, jammed, c)));
        self.law = law;
        let collision = match own {
            Some(collision) => collision.map(|c| Collision { seed, ..c }),
            None => run(self, &mut MaxDissipation::default()).map(|c| {
                c.by_other_law(format!(
                    "law \"{}\" does not stop this jam of a sliding contact",
                    self.law.name()
                ))
            }),
        };
        let collision = collision.map_err(|e| self.unresolved(&closed, e))?;
        if !stops(&posed, jammed, &collision) {
            return Ok(false);
        }
        if self.capturing && self.captured.is_none() {
            self.captured = Some(self.capture(taking_part, &pressed)?);
        }
        self.state.first_impact.get_or_insert(self.state.time);
        let speed = self.fastest_approach(jammed);
        self.apply(&collision);
        self.reclassify(&closed, speed, 0.0);
        Ok(true)
    }
}

/// Whether a normal impulse over `tau` is no more than a few times what the contact carried before: a jam needs one
/// that does not shrink with the step.
fn is_usual(before: &HeldContact, impulse: f64, tau: f64) -> bool {
    before.duration > 0.0 && impulse <= USUAL * before.end_impulse[0] * tau / before.duration
}

/// Sum of the impulses of held contacts at the start of a step \[N s\].
fn start_size(held: &[HeldContact]) -> f64 {
    let impulses = held.iter().flat_map(|h| h.start_impulse);
    impulses.map(f64::abs).sum()
}

/// The momentum at which every contact that rests approaches by [`APPROACH`] of the largest sliding velocity, nearest to
/// that of the problem in the kinetic metric; those that jam do so however slowly their last strike has left them.
fn pressed_together(posed: &Posed, jammed: &[usize]) -> DVector<f64> {
    let problem = &posed.problem;
    let space = problem.contact_space();
    let sliding = space
        .contacts
        .iter()
        .flat_map(|c| c.tangent_rows())
        .fold(0.0_f64, |m, row| m.max(space.velocity[row].abs()));
    let normals: Vec<usize> = space.contacts.iter().map(|c| c.normal).collect();
    let k = normals.len();
    let gram = DMatrix::from_fn(k, k, |i, j| space.delassus[(normals[i], normals[j])]);
    let wanted = DVector::from_fn(k, |i, _| {
        let v = space.velocity[normals[i]];
        let moves = v.abs() > APPROACH.sqrt() * sliding;
        if moves && !jammed.contains(&posed.used[i]) {
            0.0
        } else {
            -APPROACH * sliding - v
        }
    });
    // Redundant contacts (four feet on a plane) make the matrix singular.
    let impulse = gram
        .svd(true, true)
        .solve(&wanted, 1e-12)
        .unwrap_or_else(|_| DVector::zeros(k));
    let mut rows = DVector::zeros(space.rows());
    for (i, &row) in normals.iter().enumerate() {
        rows[row] = impulse[i];
    }
    problem.momentum_after(&rows)
}

/// Whether the outcome takes most of the sliding of the `jammed` contacts away.
fn stops(posed: &Posed, jammed: &[usize], answer: &Collision) -> bool {
    let space = posed.problem.contact_space();
    let after = posed.problem.rows() * posed.relative(&answer.outcome.velocity);
    let sliding = |velocity: &DVector<f64>| {
        space
            .contacts
            .iter()
            .zip(&posed.used)
            .filter(|(_, contact)| jammed.contains(contact))
            .flat_map(|(c, _)| c.tangent_rows())
            .fold(0.0_f64, |m, row| m.max(velocity[row].abs()))
    };
    // Contacts that nothing presses together take no part, and slide before and after.
    let before = sliding(&space.velocity);
    before > 0.0 && sliding(&after) <= UNRESOLVED * before
}
