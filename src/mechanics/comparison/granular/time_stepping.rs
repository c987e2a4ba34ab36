//! Impulse-velocity time stepping of many free particles (\[PER\] §3.1).
//!
//! A step of length δt solves, for the contact impulses λ, together with v' = v + M⁻¹(W λ + δt f),
//!
//! ```text
//! 0 ≤ λ_n ⊥ ξ/δt + δv_n' ≥ 0,      ‖λ_to‖ ≤ μ λ_n,      and the law of each contact for λ_to,
//! ```
//!
//! and then moves the positions with the velocities v'. Contacts that would not close within the step get no
//! impulse. Of a penetration only the share ε is undone in one step.
//!
//! | \[PER\] | here | meaning |
//! |---|---|---|
//! | δt | [`TimeStepSettings::time_step`] | step |
//! | ξ_j | gap | signed distance |
//! | ε | [`TimeStepSettings::error_reduction`] | share of a penetration undone per step, 0 ≤ ε < 1 |
//! | λ̃_j | impulse | in the frame n, t, o of the contact |
//!
//! The non-linear block Gauss-Seidel sweeps visit the contacts in the order of the identifiers of their bodies,
//! starting from the impulses of the step before, until no visit changes the velocity at its contact by more
//! than the tolerance. Everything is sequential: the result does not depend on the number of threads.
//!
//! Distances between convex bodies are convex functions of their relative motion, so a converged step never
//! closes a gap by more than it predicts: penetration measures how far the sweeps are from convergence.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::contacts::{ContactFinder, GranularContact, Motion};
use super::{Boundary, GranularError, GranularLaw, Particle};

/// How to step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeStepSettings {
    /// Step δt (s).
    pub time_step: f64,
    /// Law of every contact.
    pub law: GranularLaw,
    /// Coefficient of friction μ of every contact.
    pub friction: f64,
    /// Acceleration of gravity (m/s²).
    pub gravity: [f64; 3],
    /// Share ε of a penetration that one step undoes, 0 ≤ ε < 1.
    pub error_reduction: f64,
    /// Largest change of a contact velocity in the last sweep (m/s).
    pub tolerance: f64,
    /// Sweeps after which a step is taken as it is.
    pub max_sweeps: usize,
}

impl Default for TimeStepSettings {
    fn default() -> Self {
        Self {
            time_step: 1e-5,
            law: GranularLaw::MaximumDissipation,
            friction: 0.4,
            gravity: [0.0, 0.0, -9.81],
            error_reduction: 0.2,
            tolerance: 1e-4,
            max_sweeps: 50,
        }
    }
}

impl TimeStepSettings {
    /// # Errors
    /// A setting that is out of range, by name.
    pub fn validate(&self) -> Result<(), GranularError> {
        let positive = "a positive number";
        GranularError::check("time_step", self.time_step, self.time_step > 0.0, positive)?;
        GranularError::check("tolerance", self.tolerance, self.tolerance > 0.0, positive)?;
        let friction = self.friction;
        GranularError::check("friction", friction, friction >= 0.0, "at least 0")?;
        let share = self.error_reduction;
        let range = "at least 0 and less than 1";
        GranularError::check("error_reduction", share, (0.0..1.0).contains(&share), range)?;
        for g in self.gravity {
            GranularError::check("gravity", g, true, "a number")?;
        }
        let sweeps = self.max_sweeps as f64;
        GranularError::check("max_sweeps", sweeps, sweeps >= 1.0, "at least 1")
    }
}

/// A sweep over all candidates comes after this many over the active contacts.
const SWEEPS_BETWEEN: usize = 10;

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StepStatistics {
    /// Pairs close enough to be examined.
    pub candidates: usize,
    /// Contacts that carry an impulse.
    pub contacts: usize,
    /// Gauss-Seidel sweeps.
    pub sweeps: usize,
    /// Largest change of a contact velocity in the last sweep (m/s).
    pub residual: f64,
    /// Whether the residual reached the tolerance.
    pub converged: bool,
    /// Deepest penetration at the start of the step (m).
    pub penetration: f64,
}

/// A system of particles between boundaries, and its state.
#[derive(Debug, Clone)]
pub struct ParticleSystem {
    settings: TimeStepSettings,
    particles: Vec<Particle>,
    boundaries: Vec<Boundary>,
    finder: ContactFinder,
    contacts: Vec<GranularContact>,
    /// World impulses of the step before, by contact.
    last: Vec<((u64, u64), Vector3<f64>)>,
    motions: Vec<Motion>,
    /// Contacts that the current sweeps visit.
    active: Vec<u32>,
    next_id: u64,
}

impl ParticleSystem {
    /// An empty system.
    ///
    /// # Errors
    /// A setting that is out of range; a boundary with a normal that is not a unit vector or corners in the
    /// wrong order.
    pub fn new(
        settings: TimeStepSettings,
        boundaries: Vec<Boundary>,
    ) -> Result<Self, GranularError> {
        settings.validate()?;
        for boundary in &boundaries {
            boundary.validate()?;
        }
        Ok(Self {
            settings,
            particles: Vec::new(),
            boundaries,
            finder: ContactFinder::default(),
            contacts: Vec::new(),
            last: Vec::new(),
            motions: Vec::new(),
            active: Vec::new(),
            next_id: 0,
        })
    }

    /// Adds a particle; its identifier is replaced by the next free one, which is returned.
    ///
    /// # Errors
    /// A number that is not finite; a radius, mass or inertia that is not positive.
    pub fn add(&mut self, mut particle: Particle) -> Result<u64, GranularError> {
        for (name, value) in [
            ("radius", particle.radius),
            ("mass", particle.mass),
            ("inertia", particle.inertia),
        ] {
            GranularError::check(name, value, value > 0.0, "a positive number")?;
        }
        for (name, vector) in [
            ("position", particle.position),
            ("velocity", particle.velocity),
            ("spin", particle.spin),
            ("offset", particle.offset),
        ] {
            for x in vector.iter() {
                GranularError::check(name, *x, true, "a number")?;
            }
        }
        particle.id = self.next_id;
        self.next_id += 1;
        self.particles.push(particle);
        Ok(particle.id)
    }

    /// The particles, in the order of their identifiers.
    #[must_use]
    pub fn particles(&self) -> &[Particle] {
        &self.particles
    }

    /// The boundaries, which a caller may move.
    pub fn boundaries_mut(&mut self) -> &mut [Boundary] {
        &mut self.boundaries
    }

    /// Removes the particles for which `gone` holds and returns how many.
    pub fn remove(&mut self, mut gone: impl FnMut(&Particle) -> bool) -> usize {
        let before = self.particles.len();
        self.particles.retain(|p| !gone(p));
        before - self.particles.len()
    }

    /// Kinetic energy (J).
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        self.particles.iter().map(Particle::kinetic_energy).sum()
    }

    /// Potential energy in the field of gravity, zero at the origin (J).
    #[must_use]
    pub fn potential_energy(&self) -> f64 {
        let g = Vector3::from(self.settings.gravity);
        self.particles
            .iter()
            .map(|p| -p.mass * g.dot(&p.position))
            .sum()
    }

    /// Takes one step.
    pub fn step(&mut self) -> StepStatistics {
        let dt = self.settings.time_step;
        let fall = dt * Vector3::from(self.settings.gravity);
        let mut fastest: f64 = self
            .boundaries
            .iter()
            .map(|b| b.velocity().norm())
            .fold(0.0, f64::max);
        self.motions.clear();
        for p in &self.particles {
            let velocity = p.velocity + fall;
            // The surface of a sphere approaches no faster than this.
            fastest = fastest.max(velocity.norm() + p.spin.norm() * p.offset.norm());
            self.motions.push(Motion {
                velocity,
                spin: p.spin,
                inverse_mass: 1.0 / p.mass,
                inverse_inertia: 1.0 / p.inertia,
            });
        }
        self.motions.extend(self.boundaries.iter().map(|b| Motion {
            velocity: b.velocity(),
            spin: Vector3::zeros(),
            inverse_mass: 0.0,
            inverse_inertia: 0.0,
        }));
        self.finder.find(
            &self.particles,
            &self.boundaries,
            self.settings.friction,
            2.0 * dt * fastest,
            &mut self.contacts,
        );
        let penetration = self.contacts.iter().fold(0.0, |d: f64, c| d.max(-c.gap));
        self.warm_start();
        let (sweeps, residual) = self.sweep();

        for (particle, motion) in self.particles.iter_mut().zip(&self.motions) {
            particle.velocity = motion.velocity;
            particle.spin = motion.spin;
            particle.advance(dt);
        }
        for boundary in &mut self.boundaries {
            boundary.advance(dt);
        }
        self.last.clear();
        self.last.extend(
            self.contacts
                .iter()
                .filter(|c| c.impulse[0] > 0.0)
                .map(|c| (c.key, c.frame * c.impulse)),
        );
        StepStatistics {
            candidates: self.contacts.len(),
            contacts: self.last.len(),
            sweeps,
            residual,
            converged: residual <= self.settings.tolerance,
            penetration,
        }
    }

    /// Starts the contacts that carried an impulse in the last step from it. Both lists are in the order of
    /// their keys.
    fn warm_start(&mut self) {
        let mut last = self.last.iter().peekable();
        for contact in &mut self.contacts {
            while last.next_if(|(key, _)| *key < contact.key).is_some() {}
            if let Some((_, world)) = last.next_if(|(key, _)| *key == contact.key) {
                let mut x = contact.frame.tr_mul(world);
                // The normal has turned: back into the cone.
                x[0] = x[0].max(0.0);
                let limit = contact.block.friction * x[0];
                let sliding = x[1].hypot(x[2]);
                if sliding > limit {
                    x[1] *= limit / sliding;
                    x[2] *= limit / sliding;
                }
                contact.impulse = x;
                contact.apply(&x, &mut self.motions);
            }
        }
    }

    /// Sweeps until the residual of a sweep over all contacts reaches the tolerance; returns the number of
    /// sweeps and the last residual. Most candidates never touch: only every tenth sweep visits them all, those
    /// in between the contacts that then carried an impulse or had just lost it.
    fn sweep(&mut self) -> (usize, f64) {
        let TimeStepSettings {
            tolerance,
            max_sweeps,
            ..
        } = self.settings;
        let mut sweeps = 0;
        loop {
            self.active.clear();
            let mut residual: f64 = 0.0;
            for index in 0..self.contacts.len() {
                let change = self.visit(index);
                residual = residual.max(change);
                if change > 0.0 || self.contacts[index].impulse[0] > 0.0 {
                    self.active.push(index as u32);
                }
            }
            sweeps += 1;
            if residual <= tolerance || sweeps >= max_sweeps {
                return (sweeps, residual);
            }
            for _ in 1..SWEEPS_BETWEEN {
                if residual <= tolerance || sweeps >= max_sweeps {
                    break;
                }
                residual = 0.0;
                for k in 0..self.active.len() {
                    let change = self.visit(self.active[k] as usize);
                    residual = residual.max(change);
                }
                sweeps += 1;
            }
        }
    }

    /// Solves one contact; returns how much its velocity changes (m/s).
    #[inline]
    fn visit(&mut self, index: usize) -> f64 {
        let contact = &mut self.contacts[index];
        let share = if contact.gap < 0.0 {
            self.settings.error_reduction
        } else {
            1.0
        };
        let mut velocity = contact.relative_velocity(&self.motions);
        velocity[0] += share * contact.gap / self.settings.time_step;
        let idle = contact.impulse == Vector3::zeros();
        if idle && velocity[0] >= 0.0 {
            return 0.0;
        }
        contact.block.velocity = velocity - contact.block.delassus * contact.impulse;
        let x = self.settings.law.impulse(&contact.block);
        let change = x - contact.impulse;
        if change == Vector3::zeros() {
            return 0.0;
        }
        contact.impulse = x;
        contact.apply(&change, &mut self.motions);
        (contact.block.delassus * change).norm()
    }
}
