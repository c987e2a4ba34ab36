//! The way into a simulation: what it is made of, one call each, and all checks at the end.

use std::sync::Arc;

use thiserror::Error;

use super::{Simulation, SimulationError, SimulationSettings};
use crate::contact::Contacts;
use crate::control::Controller;
use crate::impact::{ImpactLaw, Propagative};
use crate::model::{Model, ModelError};

/// Why there is no simulation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The initial state or a setting: wrong sizes, numbers that are not finite or out of range, a quaternion not of unit
    /// length, a joint outside of its limits, a contact below the surface.
    #[error(transparent)]
    Start(#[from] SimulationError),
    /// A coordinate of the initial state is not one of the robot.
    #[error("initial state: {0}")]
    Coordinate(ModelError),
    /// The contacts were listed for another robot.
    #[error(
        "contact \"{contact}\" does not fit the robot \"{robot}\" with its {bodies} bodies; make the contacts with this model"
    )]
    ForeignContacts {
        /// The first contact that does not fit.
        contact: String,
        /// Name of the robot.
        robot: String,
        /// Number of its bodies.
        bodies: usize,
    },
    /// A servo of the controller stands at a joint that the robot does not have.
    #[error(
        "a servo of the controller stands at entries {q_index} of q and {v_index} of v, the robot has {configuration} and {velocity}; make the controller with this model"
    )]
    ForeignServo {
        /// Entry of q.
        q_index: usize,
        /// Entry of v.
        v_index: usize,
        /// Entries of q that the robot has.
        configuration: usize,
        /// Entries of v.
        velocity: usize,
    },
    /// A servo of the controller has an effort limit that no effort meets.
    #[error(
        "the controller's servo at \"{coordinate}\" has the effort limit {limit}, it must be at least 0; infinity is none"
    )]
    EffortLimit {
        /// Name of the coordinate.
        coordinate: String,
        /// The limit \[N m or N\].
        limit: f64,
    },
}

/// What a [`Simulation`] is made of; made by [`Simulation::builder`].
///
/// | | if it is not said |
/// |---|---|
/// | contacts | none |
/// | law | [`Propagative`], the first order of reflections |
/// | controller | none |
/// | settings | [`SimulationSettings::default`]: 1 ms |
/// | state | the neutral configuration, at rest |
/// | seed | 0 |
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::contact::{Combination, Contacts, Material, Site, Terrain};
/// use carom::hybrid::{Simulation, Unwatched};
/// use carom::model::{Base, Link, ModelBuilder};
///
/// let ball = Link::new("ball").solid_sphere(1.0, 0.1, [0.0; 3].into());
/// let model = ModelBuilder::new("ball").base(Base::Floating).link(ball).build()?;
/// let rubber = Material::new(0.5, 0.8);
/// let site = Site::sphere(&model, "ball", "ball", [0.0; 3], 0.1, rubber)?;
/// let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
/// let contacts = Contacts::new(&model, vec![site], vec![floor], &[], Combination::Minimum)?;
///
/// let mut simulation = Simulation::builder(model)
///     .contacts(contacts)
///     .time_step(2e-3)
///     .position("base.z", 1.1)
///     .build()?;
/// simulation.run_until(0.5, &mut Unwatched)?;
/// // One metre of fall takes 0.4515 s.
/// let first = simulation.observe()?.first_impact.unwrap();
/// assert!((first - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct SimulationBuilder {
    model: Arc<Model>,
    contacts: Option<Arc<Contacts>>,
    law: Box<dyn ImpactLaw>,
    controller: Option<Box<dyn Controller>>,
    settings: SimulationSettings,
    q: Option<Vec<f64>>,
    v: Option<Vec<f64>>,
    positions: Vec<(String, f64)>,
    rates: Vec<(String, f64)>,
    seed: u64,
    follows_all: bool,
    captures: bool,
}

impl Simulation {
    /// Begins a simulation of a robot: gravity is the model's.
    pub fn builder(model: impl Into<Arc<Model>>) -> SimulationBuilder {
        SimulationBuilder {
            model: model.into(),
            contacts: None,
            law: Box::new(Propagative::default()),
            controller: None,
            settings: SimulationSettings::default(),
            q: None,
            v: None,
            positions: Vec::new(),
            rates: Vec::new(),
            seed: 0,
            follows_all: false,
            captures: false,
        }
    }
}

impl SimulationBuilder {
    /// The contacts that the robot can make, listed for the same model.
    pub fn contacts(mut self, contacts: impl Into<Arc<Contacts>>) -> Self {
        self.contacts = Some(contacts.into());
        self
    }

    /// The law of impacts.
    pub fn law(self, law: impl ImpactLaw + 'static) -> Self {
        self.boxed_law(Box::new(law))
    }

    /// The law of impacts, when it is chosen at run time.
    pub fn boxed_law(mut self, law: Box<dyn ImpactLaw>) -> Self {
        self.law = law;
        self
    }

    /// The controller: any function of an [`Observation`](crate::control::Observation) and the efforts (n), or one of
    /// [`control`](crate::control).
    pub fn controller(self, controller: impl Controller + 'static) -> Self {
        self.boxed_controller(Box::new(controller))
    }

    /// The controller, when it is chosen at run time.
    pub fn boxed_controller(mut self, controller: Box<dyn Controller>) -> Self {
        self.controller = Some(controller);
        self
    }

    /// All settings at once.
    pub fn settings(mut self, settings: SimulationSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The time step h \[s\].
    pub fn time_step(mut self, h: f64) -> Self {
        self.settings.time_step = h;
        self
    }

    /// The initial configuration (as the model orders it) and velocity (n).
    pub fn state(mut self, q: &[f64], v: &[f64]) -> Self {
        self.q = Some(q.to_vec());
        self.v = Some(v.to_vec());
        self
    }

    /// One entry of the initial configuration by its name in [`Model::configuration_names`]: a joint's \[rad or m\],
    /// `base.z` of a floating base. Over [`SimulationBuilder::state`], in whatever order they are called.
    pub fn position(mut self, name: &str, value: f64) -> Self {
        self.positions.push((name.to_string(), value));
        self
    }

    /// One entry of the initial velocity by its name in [`Model::coordinate_names`] \[rad/s or m/s\], likewise.
    pub fn rate(mut self, name: &str, value: f64) -> Self {
        self.rates.push((name.to_string(), value));
        self
    }

    /// Seed of laws that draw at random, one independent draw an impact.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Keeps the other outcomes of every impact ([`Simulation::take_forks`]).
    pub fn following_all_outcomes(mut self) -> Self {
        self.follows_all = true;
        self
    }

    /// Keeps the first impact as a problem that any law can solve ([`Simulation::captured_impact`]).
    pub fn capturing_first_impact(mut self) -> Self {
        self.captures = true;
        self
    }

    /// Checks everything and puts it together. A quaternion that is a unit to 1e-6 is made one exactly.
    ///
    /// # Errors
    /// [`BuildError`] with what is wrong, its numbers, and what would be right.
    pub fn build(self) -> Result<Simulation, BuildError> {
        let model = self.model;
        let contacts = match self.contacts {
            Some(contacts) => contacts,
            None => Arc::new(Contacts::none(&model)),
        };
        if let Some(i) = contacts.first_foreign(&model) {
            return Err(BuildError::ForeignContacts {
                contact: contacts.name(i).to_string(),
                robot: model.name().to_string(),
                bodies: model.bodies().len(),
            });
        }
        let mut q = self.q.unwrap_or_else(|| model.neutral_configuration());
        let mut v = self.v.unwrap_or_else(|| vec![0.0; model.dof()]);
        // Sizes first, so that names find their places.
        model.check_sizes(&q, &v).map_err(SimulationError::State)?;
        place(model.configuration_names(), &self.positions, &mut q)?;
        place(model.coordinate_names(), &self.rates, &mut v)?;
        let q = model
            .normalized_configuration(&q)
            .map_err(SimulationError::State)?;
        if let Some(controller) = &self.controller {
            check_controller(&model, controller.as_ref())?;
        }
        let made = Simulation::new(model, contacts, self.law, self.settings, &q, &v)?;
        let mut simulation = made.with_seed(self.seed);
        if let Some(controller) = self.controller {
            simulation = simulation.with_controller(controller);
        }
        if self.follows_all {
            simulation = simulation.following_all_outcomes();
        }
        if self.captures {
            simulation = simulation.capturing_first_impact();
        }
        Ok(simulation)
    }
}

/// Writes the named entries.
fn place(names: &[String], given: &[(String, f64)], out: &mut [f64]) -> Result<(), BuildError> {
    for (name, value) in given {
        let at = names.iter().position(|known| known == name);
        let at = at.ok_or_else(|| {
            let known = names.iter().map(String::as_str);
            BuildError::Coordinate(ModelError::unknown("coordinate", name, known))
        })?;
        out[at] = *value;
    }
    Ok(())
}

/// Whether the servos of a controller are ones of this robot.
fn check_controller(model: &Model, controller: &dyn Controller) -> Result<(), BuildError> {
    let mut servos = Vec::new();
    if let Some(drive) = controller.drive() {
        drive.servos(0.0, None, &mut servos);
    }
    let (configuration, velocity) = (model.configuration_len(), model.dof());
    for servo in &servos {
        let (q_index, v_index) = (servo.q_index, servo.v_index);
        if q_index >= configuration || v_index >= velocity {
            return Err(BuildError::ForeignServo {
                q_index,
                v_index,
                configuration,
                velocity,
            });
        }
        let limit = servo.effort_limit;
        if limit.is_nan() || limit < 0.0 {
            return Err(BuildError::EffortLimit {
                coordinate: model.coordinate_names()[v_index].clone(),
                limit,
            });
        }
    }
    Ok(())
}
