//! Impacts of a run: which contacts take part, what the law makes of them, which outcomes it left.

use super::Simulation;
use super::derivative::{Passage, StrikePassage};
use super::latches::{caught, turn_latches};
use crate::contact::Latch;
use crate::friction::HeldMode;
use crate::hybrid::collision::{Closed, Collision, Islands, collide, collide_at_limit, pose};
use crate::hybrid::{Event, SimulationError, State};
use crate::impact::propagative::EnumerationBudget;
use crate::impact::{Exploration, ImpactError, ImpactProblem};

/// An impact of a run as a problem for any law.
#[derive(Debug, Clone)]
pub struct CapturedImpact {
    /// When it happens \[s\].
    pub time: f64,
    /// With tangents and friction.
    pub with_friction: ImpactProblem,
    /// Normals alone, for laws without friction.
    pub without_friction: ImpactProblem,
    /// Coordinates of the problems, as indices into v: all but those that latches hold and those of bodies beside the impact.
    pub coordinates: Vec<usize>,
    /// Limits whose joints latches catch in it: the problems begin with these at rest.
    pub caught: Vec<String>,
    /// What that takes, before the impact of the problems \[J\].
    pub caught_energy: f64,
}

/// Another outcome of an impact: where a run would be that had taken it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// The state right after the impact.
    pub state: State,
    /// The impact as this branch saw it.
    pub event: Event,
    /// Forces applied over the step that the impact cut, n; empty when it happened between steps.
    pub applied: Vec<f64>,
}

impl Simulation {
    /// Resolves the impact of the first contact of `all_striking`, which approach, with all closed contacts of its island:
    /// what strikes beside it is another impact.
    pub(super) fn impact(&mut self, all_striking: &[usize]) -> Result<(), SimulationError> {
        let s = self.settings;
        let time = self.state.time;
        let closed = self.closed_beside(all_striking.get(..1).unwrap_or_default());
        let striking: Vec<usize> = (all_striking.iter().copied())
            .filter(|i| closed.contains(i))
            .collect();
        let striking = &striking[..];
        let (locked, contacts) = (self.locked_in(striking), self.contacts.clone());
        let caught: Vec<&Latch> = caught(&contacts, striking).collect();
        let taking_part = Closed {
            contacts: &closed,
            locked: &locked,
            caught: &caught,
        };
        if self.captured.is_none() && self.capturing {
            self.captured = Some(self.capture(taking_part, &self.state.p)?);
        }
        for &i in striking {
            let speed = -self.node.rate(&self.contacts, i);
            self.state.strikes_of(i).record(time, speed);
        }
        let accumulating = s.zeno_time > 0.0
            && striking.iter().all(|&i| {
                let remaining = {
                    let restitution = self.contacts.restitution(i);
                    let flight = [s.zeno_time, s.closed_gap];
                    let located = self.located();
                    self.state
                        .strikes_of(i)
                        .remaining(restitution, located, flight)
                };
                remaining.is_some_and(|left| left < s.zeno_time)
            });
        let speed = self.fastest_approach(striking);
        let seed = self.draw_seed();
        let exploration = self.exploration();
        let resolve = if accumulating {
            collide_at_limit
        } else {
            collide
        };
        let collision = resolve(
            self.law.as_mut(),
            &self.model,
            &self.contacts,
            &self.node,
            &self.state.p,
            taking_part,
            &exploration,
        )
        .map(|collision| Collision { seed, ..collision })
        .map_err(|source| self.unresolved(&closed, source))?;
        let first = self.state.first_impact.is_none();
        self.state.first_impact.get_or_insert(time);
        if let Some(forks) = &mut self.forks {
            let applied: &[f64] = if self.in_step { &self.applied } else { &[] };
            let before = (&self.state, self.node.velocity.as_slice());
            let contacts = &self.contacts;
            let mut found = collision.forks(before, applied, |i| contacts.is_limit(i));
            for fork in &mut found {
                turn_latches((&self.model, contacts), striking, &mut fork.state);
            }
            forks.extend(found);
        }
        self.record(|sim| {
            let held = sim.state.held.iter().map(|h| {
                let rough = sim.contacts.friction(h.contact) > 0.0;
                (h.contact, rough && h.modes[1] == HeldMode::Stick)
            });
            Passage::Strike(Box::new(StrikePassage {
                time,
                first,
                q: sim.state.q.clone(),
                p: sim.state.p.clone(),
                closed: closed.clone(),
                locked: locked.clone(),
                striking: all_striking.to_vec(),
                held: held.collect(),
                at_limit: accumulating,
            }))
        });
        self.apply(&collision);
        self.log_latches(striking);
        turn_latches((&self.model, &contacts), striking, &mut self.state);
        self.reclassify(&closed, speed, if accumulating { speed } else { 0.0 });
        Ok(())
    }

    /// Largest speed at which some contacts approach \[m/s\].
    pub(super) fn fastest_approach(&self, contacts: &[usize]) -> f64 {
        let rates = contacts.iter().map(|&i| -self.node.rate(&self.contacts, i));
        rates.fold(0.0, f64::max)
    }

    /// What is asked of the law beside its outcome.
    pub(super) fn exploration(&self) -> Exploration {
        let budget = self.settings.verdict_budget;
        Exploration {
            budget: EnumerationBudget {
                states: budget,
                words: budget,
                wall_time: None,
            },
            alternatives: self.forks.is_some(),
        }
    }

    /// The contacts that take part in an impact at this moment.
    pub(super) fn closed_contacts(&self) -> Vec<usize> {
        (self.in_reach().into_iter())
            .filter(|&i| self.is_held(i) || self.touches(i) && !self.passes_edge(&self.node, i))
            .collect()
    }

    /// Those of them that have to do with some of them, or are these.
    pub(super) fn closed_beside(&self, some: &[usize]) -> Vec<usize> {
        Islands::new(&self.model, &self.contacts, &self.closed_contacts()).with(some)
    }

    /// The error of an impact of closed contacts.
    pub(super) fn unresolved(&self, closed: &[usize], source: ImpactError) -> SimulationError {
        SimulationError::Impact {
            time: self.state.time,
            contacts: self.contacts.names_of(closed),
            source,
        }
    }

    /// The impact of closed contacts with the momentum p as a problem, with and without friction.
    pub(super) fn capture(
        &self,
        closed: Closed<'_>,
        p: &[f64],
    ) -> Result<CapturedImpact, SimulationError> {
        let posed = |friction: bool| {
            pose(
                &self.model,
                &self.contacts,
                &self.node,
                p,
                closed,
                friction,
                true,
            )
            .map_err(|source| self.unresolved(closed.contacts, source))
        };
        let rough = posed(true)?;
        Ok(CapturedImpact {
            time: self.state.time,
            coordinates: rough.coordinates(),
            caught: (closed.caught.iter())
                .map(|latch| self.contacts.name(latch.stop).to_string())
                .collect(),
            caught_energy: rough.caught_energy(),
            with_friction: rough.problem,
            without_friction: posed(false)?.problem,
        })
    }

    /// Gives a law that draws at random an independent seed for this impact, and returns it.
    pub(super) fn draw_seed(&mut self) -> Option<u64> {
        if !self.law.draws_at_random() {
            return None;
        }
        // SplitMix64 of seed and impact number.
        let mut z = self.seed?.wrapping_add(
            self.state
                .impacts
                .wrapping_add(1)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15),
        );
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let draw = z ^ (z >> 31);
        self.law.reseed(draw);
        Some(draw)
    }

    /// Makes the law's outcome the present momentum and records the event.
    pub(super) fn apply(&mut self, collision: &Collision) {
        let outcome = &collision.outcome;
        let before = (&self.state, self.node.velocity.as_slice());
        let event = collision.event(outcome, before, |i| self.contacts.is_limit(i));
        let energy = outcome.energy.after - outcome.energy.before;
        let surfaces = collision.surface_work(outcome);
        self.state
            .take_impact(outcome.momentum.as_slice(), energy, surfaces);
        self.relax_after_jump(outcome.velocity.as_slice());
        self.node
            .velocity
            .copy_from_slice(outcome.velocity.as_slice());
        self.node
            .kinematics
            .update_twists(&self.model, &self.node.velocity);
        self.node_has_velocity = true;
        self.events.push(event);
    }
}
