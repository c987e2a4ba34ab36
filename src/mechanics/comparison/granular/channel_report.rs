//! What a run of the channel reports.

use serde::Serialize;

use super::{ChannelSettings, GranularLaw, Particle, ParticleSystem, StepStatistics};

/// State of the flow at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChannelSample {
    /// Simulated time (s).
    pub time_s: f64,
    /// Particles in the channel.
    pub particles: usize,
    /// Contacts that carried an impulse in the last step.
    pub contacts: usize,
    /// Deepest penetration at the start of the last step (m).
    pub penetration_m: f64,
    /// Kinetic energy of all particles (J).
    #[serde(rename = "kinetic_energy_J")]
    pub kinetic_energy: f64,
    /// Sweeps of the last step.
    pub sweeps: usize,
}

impl ChannelSample {
    pub(crate) fn new(time: f64, system: &ParticleSystem, step: &StepStatistics) -> Self {
        Self {
            time_s: time,
            particles: system.particles().len(),
            contacts: step.contacts,
            penetration_m: step.penetration,
            kinetic_energy: system.kinetic_energy(),
            sweeps: step.sweeps,
        }
    }

    /// Contacts of a particle, each contact counted for both of its particles.
    #[must_use]
    pub fn contacts_per_particle(&self) -> f64 {
        2.0 * self.contacts as f64 / self.particles.max(1) as f64
    }
}

/// Means over the cells of a grid in x and y, whatever z; `values[y][x]`, 0 where there is no particle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowProfile {
    /// Mean speed (m/s).
    pub speed: Vec<Vec<f64>>,
    /// Mean angular speed (rad/s).
    pub spin: Vec<Vec<f64>>,
    /// Particles in the cell.
    pub particles: Vec<Vec<usize>>,
}

impl FlowProfile {
    pub(crate) fn new(size: [f64; 3], cells: [usize; 2], particles: &[Particle]) -> Self {
        let [nx, ny] = cells;
        let mut profile = Self {
            speed: vec![vec![0.0; nx]; ny],
            spin: vec![vec![0.0; nx]; ny],
            particles: vec![vec![0; nx]; ny],
        };
        for p in particles {
            let c = p.center();
            let cell =
                |x: f64, extent: f64, n: usize| ((x / extent * n as f64) as usize).min(n - 1);
            let (i, j) = (cell(c.x, size[0], nx), cell(c.y, size[1], ny));
            profile.speed[j][i] += p.velocity.norm();
            profile.spin[j][i] += p.spin.norm();
            profile.particles[j][i] += 1;
        }
        for j in 0..ny {
            for i in 0..nx {
                let count = profile.particles[j][i].max(1) as f64;
                profile.speed[j][i] /= count;
                profile.spin[j][i] /= count;
            }
        }
        profile
    }
}

/// Key figures of a run, as in Table 2 of \[PER\]. Means are over the steps after the settling time. What is serialised
/// are the figures alone; law, steps and times are for whoever says what was run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChannelReport {
    /// The law.
    #[serde(skip)]
    pub law: GranularLaw,
    /// Steps taken.
    #[serde(skip)]
    pub steps: usize,
    /// Mean number of particles in the channel.
    pub particles_mean: f64,
    /// Mean number of contacts that carry an impulse.
    pub contacts_mean: f64,
    /// Mean number of contacts of a particle, 2 · contacts / particles.
    pub contacts_per_particle: f64,
    /// Volume of the particles over that of the channel without the obstacle.
    pub solid_volume_fraction: f64,
    /// Deepest penetration after the settling time (m).
    pub max_penetration_m: f64,
    /// The same as a share of the diameter.
    pub max_penetration_share: f64,
    /// Largest mean speed of a cell of the profile at the end (m/s).
    pub peak_speed_m_s: f64,
    /// Mean number of sweeps per step, over the whole run.
    pub sweeps_mean: f64,
    /// Steps that did not reach the tolerance.
    pub unconverged_steps: usize,
    /// Particles put in, those at the start included.
    pub inflow: usize,
    /// Particles that left by the open end.
    pub outflow: usize,
    /// Particles that left otherwise: through a wall or into the obstacle. They are taken out.
    pub escaped: usize,
    /// Time series.
    #[serde(skip)]
    pub samples: Vec<ChannelSample>,
    /// Velocities at the end.
    #[serde(skip)]
    pub profile: FlowProfile,
    /// Wall-clock time (s).
    #[serde(skip)]
    pub wall_time_s: f64,
}

/// Sums over a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) inflow: usize,
    pub(crate) outflow: usize,
    pub(crate) escaped: usize,
    pub(crate) samples: Vec<ChannelSample>,
    steps: Vec<(usize, usize, f64)>,
    sweeps: usize,
    unconverged: usize,
}

impl Tally {
    pub(crate) fn record(&mut self, particles: usize, step: &StepStatistics) {
        self.steps
            .push((particles, step.contacts, step.penetration));
        self.sweeps += step.sweeps;
        self.unconverged += usize::from(!step.converged);
    }

    pub(crate) fn report(
        self,
        settings: &ChannelSettings,
        profile: FlowProfile,
        wall_time: f64,
    ) -> ChannelReport {
        let settled = (settings.settling_time / settings.stepping.time_step).round() as usize;
        // A run shorter than the settling time reports its last step.
        let from = settled.min(self.steps.len().saturating_sub(1));
        let averaged = &self.steps[from..];
        let count = averaged.len().max(1) as f64;
        let particles = averaged.iter().map(|s| s.0 as f64).sum::<f64>() / count;
        let contacts = averaged.iter().map(|s| s.1 as f64).sum::<f64>() / count;
        let penetration = averaged.iter().map(|s| s.2).fold(0.0, f64::max);
        let [length, width, height] = settings.size;
        let taken = settings
            .obstacle
            .map_or(0.0, |[[x0, x1], [y0, y1]]| (x1 - x0) * (y1 - y0) * height);
        let sphere = std::f64::consts::PI / 6.0 * settings.diameter.powi(3);
        let peak = profile.speed.iter().flatten().copied().fold(0.0, f64::max);
        ChannelReport {
            law: settings.stepping.law,
            steps: self.steps.len(),
            particles_mean: particles,
            contacts_mean: contacts,
            contacts_per_particle: if particles > 0.0 {
                2.0 * contacts / particles
            } else {
                0.0
            },
            solid_volume_fraction: particles * sphere / (length * width * height - taken),
            max_penetration_m: penetration,
            max_penetration_share: penetration / settings.diameter,
            peak_speed_m_s: peak,
            sweeps_mean: self.sweeps as f64 / self.steps.len().max(1) as f64,
            unconverged_steps: self.unconverged,
            inflow: self.inflow,
            outflow: self.outflow,
            escaped: self.escaped,
            samples: self.samples,
            profile,
            wall_time_s: wall_time,
        }
    }
}
