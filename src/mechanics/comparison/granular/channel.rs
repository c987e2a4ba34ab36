//! Granular flow through a channel with an obstacle (\[PER\] §4.3), to compare laws of friction at large scale.
//!
//! The channel lies along x between walls in y and z. A plane pushes the particles in at x = 0; whenever it has
//! moved by two diameters it is set back and a new layer of particles is put in front of it. (The paper says two
//! radii; its inflow of 1.4·10⁶ particles a second, 65 · 20 in a layer, is that of two diameters.) Particles that reach
//! the open end are taken out. A box from floor to ceiling stands in the way; gravity acts along −z.
//!
//! The paper's run has 2.47·10⁵ particles of 0.47 mm and 10⁶ steps on 640 processes. The default here is the
//! same channel with particles of 2 mm, spacing and time step in proportion, which is a few thousand particles.
//!
//! The key figures are those of Table 2. Contacts per particle count each contact for both of its particles, as
//! there (2 · 320276 / 246992 = 2.593). The paper gives its largest penetration, 39.06 µm, as 8.31 % of the
//! radius; it is that of the diameter.

use std::time::Instant;

use nalgebra::Vector3;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::channel_report::{ChannelReport, ChannelSample, FlowProfile, Tally};
use super::{Boundary, GranularError, Particle, ParticleSystem, TimeStepSettings};

/// Particles that a channel may hold: with their contacts some hundred megabytes.
const MOST_PARTICLES: f64 = 1e6;
/// Cells of a profile.
const MOST_CELLS: usize = 1 << 24;

/// The channel, its particles and how to simulate them. Lengths in metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelSettings {
    /// Extent of the channel along x, y and z.
    pub size: [f64; 3],
    /// The obstacle's range in x and y, from floor to ceiling: `[[x0, x1], [y0, y1]]`; none if absent.
    pub obstacle: Option<[[f64; 2]; 2]>,
    /// Diameter of the particles.
    pub diameter: f64,
    /// Distance of the centre of mass from the centre, as a share of the radius, less than 1; its direction is
    /// random. With 0 the two laws of friction coincide.
    pub eccentricity: f64,
    /// Density of the particles (kg/m³).
    pub density: f64,
    /// Spacing of the grid on which particles are placed.
    pub spacing: f64,
    /// Speed of the pushing plane and of new particles along x (m/s); 0 for no inflow.
    pub inflow_speed: f64,
    /// Largest random velocity of a new particle along y and along z (m/s).
    pub perturbation: f64,
    /// Whether the channel is filled at the start.
    pub filled: bool,
    /// Whether the far end is open; otherwise a wall closes it.
    pub open_end: bool,
    /// Simulated time (s).
    pub duration: f64,
    /// Time before figures are averaged (s).
    pub settling_time: f64,
    /// Time between samples (s).
    pub sample_interval: f64,
    /// Cells of the velocity profile along x and y.
    pub profile_cells: [usize; 2],
    /// Seed of the random velocities and directions.
    pub seed: u64,
    /// How to step.
    pub stepping: TimeStepSettings,
}

impl Default for ChannelSettings {
    fn default() -> Self {
        Self {
            size: [0.15, 0.065, 0.02],
            obstacle: Some([[0.03, 0.05], [0.03, 0.05]]),
            diameter: 2e-3,
            eccentricity: 0.0,
            density: 2650.0,
            spacing: 4.25e-3,
            inflow_speed: 1.0,
            perturbation: 0.5,
            filled: true,
            open_end: true,
            duration: 0.4,
            settling_time: 0.2,
            sample_interval: 2e-3,
            profile_cells: [30, 13],
            seed: 1,
            stepping: TimeStepSettings {
                time_step: 4e-5,
                ..TimeStepSettings::default()
            },
        }
    }
}

impl ChannelSettings {
    /// # Errors
    /// The first setting that is out of range, by name.
    pub fn validate(&self) -> Result<(), GranularError> {
        let positive = "a positive number";
        let not_negative = "at least 0";
        for (name, value) in [
            ("size", self.size[0]),
            ("size", self.size[1]),
            ("size", self.size[2]),
            ("diameter", self.diameter),
            ("density", self.density),
            ("duration", self.duration),
            ("sample_interval", self.sample_interval),
        ] {
            GranularError::check(name, value, value > 0.0, positive)?;
        }
        for (name, value) in [
            ("inflow_speed", self.inflow_speed),
            ("perturbation", self.perturbation),
            ("settling_time", self.settling_time),
        ] {
            GranularError::check(name, value, value >= 0.0, not_negative)?;
        }
        let e = self.eccentricity;
        let range = "at least 0 and less than 1";
        GranularError::check("eccentricity", e, (0.0..1.0).contains(&e), range)?;
        let range = "at least the diameter";
        let apart = self.spacing >= self.diameter;
        GranularError::check("spacing", self.spacing, apart, range)?;
        let narrowest = self.size[1].min(self.size[2]);
        let range = "at least the diameter across the flow";
        GranularError::check("size", narrowest, narrowest >= self.diameter, range)?;
        for [low, high] in self.obstacle.iter().flatten() {
            let range = "two numbers in ascending order";
            GranularError::check("obstacle", high - low, high > low, range)?;
        }
        for cells in self.profile_cells {
            GranularError::check("profile_cells", cells as f64, cells > 0, positive)?;
        }
        let [nx, ny] = self.profile_cells;
        let few = nx.checked_mul(ny).is_some_and(|cells| cells <= MOST_CELLS);
        let range = "at most 16777216 cells together";
        GranularError::check("profile_cells", nx as f64 * ny as f64, few, range)?;
        let mut layers = ((self.size[0] - self.diameter) / self.spacing + 1.0).max(1.0);
        if !self.open_end {
            layers += self.duration * self.inflow_speed / (2.0 * self.diameter);
        }
        let particles = self.layer_size() * layers;
        let range = "so small that the channel holds at most 1000000 particles of this spacing";
        GranularError::check("size", self.size[0], particles <= MOST_PARTICLES, range)?;
        let steps = self.duration / self.sample_interval;
        let range = "so long that there are at most 10000000 samples";
        GranularError::check("sample_interval", self.sample_interval, steps <= 1e7, range)?;
        self.stepping.validate()
    }

    /// Particles in a layer across the channel, about.
    fn layer_size(&self) -> f64 {
        let along = |extent: f64| (extent - self.diameter) / self.spacing + 1.0;
        along(self.size[1]) * along(self.size[2])
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let [length, width, height] = self.size;
        let origin = Vector3::zeros();
        let far = Vector3::new(length, width, height);
        let mut all = vec![
            Boundary::Plane {
                point: origin,
                normal: Vector3::x(),
                velocity: Vector3::new(self.inflow_speed, 0.0, 0.0),
            },
            Boundary::wall(origin, Vector3::y()),
            Boundary::wall(far, -Vector3::y()),
            Boundary::wall(origin, Vector3::z()),
            Boundary::wall(far, -Vector3::z()),
        ];
        if !self.open_end {
            all.push(Boundary::wall(far, -Vector3::x()));
        }
        if let Some([[x0, x1], [y0, y1]]) = self.obstacle {
            // Beyond floor and ceiling, so that no particle meets its edges there.
            all.push(Boundary::Box {
                low: Vector3::new(x0, y0, -height),
                high: Vector3::new(x1, y1, 2.0 * height),
            });
        }
        all
    }
}

/// Places particles with random lateral velocities.
struct Source<'a> {
    settings: &'a ChannelSettings,
    random: Xoshiro256PlusPlus,
}

impl Source<'_> {
    /// Uniform in (−1, 1).
    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A layer across the channel with centres at x.
    fn layer(&mut self, x: f64, system: &mut ParticleSystem) -> Result<usize, GranularError> {
        let s = self.settings;
        let radius = 0.5 * s.diameter;
        // The grid is centred between the walls.
        let grid = |extent: f64| {
            let count = ((extent - s.diameter) / s.spacing + 1e-9).floor() as usize + 1;
            let first = 0.5 * (extent - (count - 1) as f64 * s.spacing);
            (count, first)
        };
        let ((ny, y0), (nz, z0)) = (grid(s.size[1]), grid(s.size[2]));
        let mut placed = 0;
        for iz in 0..nz {
            for iy in 0..ny {
                let center =
                    Vector3::new(x, y0 + iy as f64 * s.spacing, z0 + iz as f64 * s.spacing);
                let velocity = Vector3::new(
                    s.inflow_speed,
                    s.perturbation * self.uniform(),
                    s.perturbation * self.uniform(),
                );
                let mut particle = Particle::sphere(0, center, radius, s.density)
                    .moving(velocity, Vector3::zeros());
                if s.eccentricity > 0.0 {
                    let mut direction = Vector3::zeros();
                    while !(0.1..1.0).contains(&direction.norm()) {
                        direction = Vector3::new(self.uniform(), self.uniform(), self.uniform());
                    }
                    let offset = s.eccentricity * radius * direction.normalize();
                    particle.position -= offset;
                    particle = particle.with_offset(offset);
                }
                let blocked = s.obstacle.is_some_and(|[[x0, x1], [y0, y1]]| {
                    let gap = radius;
                    (x0 - gap..x1 + gap).contains(&center.x)
                        && (y0 - gap..y1 + gap).contains(&center.y)
                });
                if !blocked {
                    system.add(particle)?;
                    placed += 1;
                }
            }
        }
        Ok(placed)
    }
}

/// Simulates the flow. `progress` is told every sample.
///
/// # Errors
/// A setting that is out of range.
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::comparison::granular::{ChannelSettings, run};
///
/// let settings = ChannelSettings {
///     size: [0.03, 0.012, 0.008],
///     obstacle: None,
///     duration: 2e-3,
///     settling_time: 0.0,
///     ..ChannelSettings::default()
/// };
/// let report = run(&settings, |_| {})?;
/// assert_eq!(report.escaped, 0);
/// # Ok::<(), carom::comparison::granular::GranularError>(())
/// ```
pub fn run(
    settings: &ChannelSettings,
    mut progress: impl FnMut(&ChannelSample),
) -> Result<ChannelReport, GranularError> {
    settings.validate()?;
    let started = Instant::now();
    let mut system = ParticleSystem::new(settings.stepping, settings.boundaries())?;
    let mut source = Source {
        settings,
        random: Xoshiro256PlusPlus::seed_from_u64(settings.seed),
    };
    let radius = 0.5 * settings.diameter;
    let mut tally = Tally::default();
    if settings.filled {
        let layers = ((settings.size[0] - settings.diameter) / settings.spacing).floor() as usize;
        for i in 0..=layers {
            tally.inflow += source.layer(radius + i as f64 * settings.spacing, &mut system)?;
        }
    }
    let dt = settings.stepping.time_step;
    let steps = (settings.duration / dt).round().max(1.0) as usize;
    let every = (settings.sample_interval / dt).round().max(1.0) as usize;
    let mut pushed = 0.0;
    for step in 1..=steps {
        let statistics = system.step();
        pushed += dt * settings.inflow_speed;
        // Half a step of tolerance: rounding must not delay a layer.
        let stroke = 2.0 * settings.diameter;
        if settings.inflow_speed > 0.0 && pushed >= stroke - 0.5 * dt * settings.inflow_speed {
            pushed -= stroke;
            if let Some(Boundary::Plane { point, .. }) = system.boundaries_mut().first_mut() {
                point.x = pushed;
            }
            tally.inflow += source.layer(pushed + radius, &mut system)?;
        }
        if settings.open_end {
            tally.outflow += system.remove(|p| p.center().x > settings.size[0]);
        }
        tally.escaped += system.remove(|p| outside(settings, p));
        tally.record(system.particles().len(), &statistics);
        if step % every == 0 || step == steps {
            let sample = ChannelSample::new(step as f64 * dt, &system, &statistics);
            progress(&sample);
            tally.samples.push(sample);
        }
    }
    let profile = FlowProfile::new(settings.size, settings.profile_cells, system.particles());
    Ok(tally.report(settings, profile, started.elapsed().as_secs_f64()))
}

/// Whether the centre of a particle has left the channel otherwise than by its open end: through a wall, or
/// into the obstacle.
fn outside(settings: &ChannelSettings, particle: &Particle) -> bool {
    let c = particle.center();
    let inside_walls = (0..3).all(|i| c[i] > 0.0 && (c[i] < settings.size[i] || i == 0));
    let blocked = settings
        .obstacle
        .is_some_and(|[[x0, x1], [y0, y1]]| (x0..x1).contains(&c.x) && (y0..y1).contains(&c.y));
    let beyond = !settings.open_end && c.x >= settings.size[0];
    // A position that is not a number is outside as well.
    !inside_walls || blocked || beyond
}
