//! Derivatives of runs through their events, against differences of the runs themselves.

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::control::{
    Controller, DrivenJoint, HoldThenSpin, Schedule, Servo, ServoController, Sine,
};
use carom::hybrid::{EventKind, LinearizeError, Simulation, SimulationSettings};
use carom::impact::{ImpactLaw, Plastic, Propagative};
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{DMatrix, DVector, Vector3};

/// What drives a robot.
#[derive(Clone)]
pub(super) enum Driver {
    Servo(ServoController),
    Spin(HoldThenSpin),
}

impl Driver {
    fn controller(&self) -> Box<dyn Controller> {
        match self.clone() {
            Self::Servo(servo) => Box::new(servo),
            Self::Spin(spin) => Box::new(spin),
        }
    }
}

/// A robot, its ground and what drives it.
pub(super) struct Case {
    pub model: Model,
    pub contacts: Contacts,
    pub settings: SimulationSettings,
    pub elastic: bool,
    pub controller: Option<Driver>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub steps: usize,
}

impl Case {
    pub fn simulation(&self, q: &[f64], v: &[f64]) -> Simulation {
        let law: Box<dyn ImpactLaw> = if self.elastic {
            Box::new(Propagative::default())
        } else {
            Box::new(Plastic::default())
        };
        let mut builder = Simulation::builder(self.model.clone())
            .contacts(self.contacts.clone())
            .settings(self.settings)
            .boxed_law(law)
            .state(q, v);
        if let Some(controller) = &self.controller {
            builder = builder.boxed_controller(controller.controller());
        }
        builder.build().unwrap()
    }

    /// (q, v) at the end from (q, v) at the start moved by `e` along a direction.
    pub fn end(&self, direction: &[f64], e: f64) -> DVector<f64> {
        let n = self.model.dof();
        let mut q = self.q.clone();
        self.model.integrate(&self.q, &direction[..n], e, &mut q);
        let v: Vec<f64> = (0..n).map(|k| self.v[k] + e * direction[n + k]).collect();
        let mut sim = self.simulation(&q, &v);
        for _ in 0..self.steps {
            sim.advance().unwrap();
        }
        let v = sim.velocity().unwrap().to_vec();
        DVector::from([sim.state().q.clone(), v].concat())
    }

    /// Asserts that the derivative along `directions` is that of differences drawn out from `width` to within `most` of it and
    /// some times what the differences say of themselves, and returns the kinds of events on the way. Configurations are
    /// those of joints.
    fn agrees(&self, directions: &[Vec<f64>], width: f64, most: f64) -> Vec<EventKind> {
        let mut sim = self.simulation(&self.q, &self.v);
        sim.start_recording();
        for _ in 0..self.steps {
            sim.advance().unwrap();
        }
        let columns: Vec<DVector<f64>> = directions.iter().cloned().map(DVector::from).collect();
        let found = sim
            .recorded_derivative(&DMatrix::from_columns(&columns))
            .unwrap();
        assert!(found.end_time.amax() < 1e-12, "{}", found.end_time);
        for (k, direction) in directions.iter().enumerate() {
            let slope = |share: f64| {
                let e = width * share;
                (self.end(direction, e) - self.end(direction, -e)) / (2.0 * e)
            };
            let (a, b, c) = (slope(1.0), slope(0.5), slope(0.25));
            let second = [(&b * 4.0 - &a) / 3.0, (&c * 4.0 - &b) / 3.0];
            let third = (&second[1] * 16.0 - &second[0]) / 15.0;
            let noise = (&third - &second[1]).amax();
            let error = (found.transition.column(k) - &third).amax();
            let most = most * third.amax().max(1.0) + 5.0 * noise;
            println!("{k}: {error:e} {noise:e} {}", third.amax());
            assert!(error < most && noise < 1e-6, "{k}: {error:e} {noise:e}");
        }
        sim.take_events().iter().map(|event| event.kind).collect()
    }
}

pub(super) fn settings(order: u32, time_step: f64) -> SimulationSettings {
    SimulationSettings {
        order,
        time_step,
        capture_speed: 0.0,
        ..SimulationSettings::default()
    }
}

pub(super) fn floor(model: &Model, sites: &[(&str, [f64; 3])], material: Material) -> Contacts {
    let sites = sites.iter().map(|(link, at)| {
        Site::point(model, &format!("{link} {at:?}"), link, *at, material).unwrap()
    });
    let ground = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    Contacts::new(
        model,
        sites.collect(),
        vec![ground],
        &[],
        Combination::Minimum,
    )
    .unwrap()
}

/// An arm of two links over the floor, driven along sines by servos: its tip strikes.
fn arm(order: u32, restitution: f64, elastic: bool, steps: usize) -> Case {
    arm_of(&[1.0, 0.5, restitution, 20.0, -0.6], order, elastic, steps)
}

/// By the mass and the length of its lower link, the restitution, the stiffness of its servos and the amplitude of the
/// elbow's.
pub(super) fn arm_of(
    &[mass, length, restitution, stiffness, swing]: &[f64; 5],
    order: u32,
    elastic: bool,
    steps: usize,
) -> Case {
    let rod = |name: &str, mass: f64, length: f64| {
        Link::new(name).rod(mass, Vector3::zeros(), Vector3::new(0.0, 0.0, -length))
    };
    let model = ModelBuilder::new("arm")
        .base(Base::Fixed)
        .link(Link::new("ground"))
        .link(rod("upper", 1.0, 0.5))
        .link(rod("lower", mass, length))
        .joint(
            Joint::revolute("shoulder", "ground", "upper")
                .axis([0.0, 1.0, 0.0])
                .origin([0.0, 0.0, 0.8], [0.0; 3]),
        )
        .joint(
            Joint::revolute("elbow", "upper", "lower")
                .axis([0.0, 1.0, 0.0])
                .origin([0.0, 0.0, -0.5], [0.0; 3]),
        )
        .build()
        .unwrap();
    let material = Material::new(0.0, restitution);
    let contacts = floor(&model, &[("lower", [0.0, 0.0, -length])], material);
    let servo = |name: &str, mean: f64, amplitude: f64| Servo {
        joint: DrivenJoint::new(&model, name, None).unwrap(),
        stiffness,
        damping: 1.0,
        target: Schedule::Sine {
            sine: Sine {
                mean,
                amplitude,
                frequency_Hz: 0.7,
                phase: 0.3,
            },
        },
        feed_forward: Schedule::default(),
    };
    let servos = vec![servo("shoulder", 0.2, 0.4), servo("elbow", 0.5, swing)];
    let controller = Driver::Servo(ServoController { servos });
    Case {
        model,
        contacts,
        settings: settings(order, 2e-3),
        elastic,
        controller: Some(controller),
        q: vec![0.9, 0.3],
        v: vec![-0.5, 0.2],
        steps,
    }
}

/// The four coordinates of the arm's state.
fn all() -> Vec<Vec<f64>> {
    (0..4)
        .map(|k| (0..4).map(|i| f64::from(u8::from(i == k))).collect())
        .collect()
}

/// Every rebound, then the limit of infinitely many of them, which is an impact like the others. Where motions beside each
/// other take that limit one rebound sooner or later they differ by what its 1e-6 s are worth.
#[test]
fn strikes_of_a_driven_arm_are_differentiated_at_every_order() {
    for order in [2, 6] {
        for (steps, impacts, most) in [(60, 0, 1e-7), (110, 2, 1e-7), (220, 24, 5e-6)] {
            let kinds = arm(order, 0.6, true, steps).agrees(&all(), 1e-4, most);
            let struck = kinds.iter().filter(|k| **k == EventKind::Impact).count();
            assert_eq!(struck, impacts);
        }
    }
}

/// The joints begin to turn at the first strike of the tip: when that is changes with the start.
#[test]
fn a_controller_that_begins_at_the_first_impact_is_differentiated() {
    for order in [2, 6] {
        let mut case = arm(order, 0.6, true, 110);
        let Some(Driver::Servo(mut own)) = case.controller.take() else {
            unreachable!("the arm has servos");
        };
        for servo in &mut own.servos {
            servo.target = Schedule::Constant(0.4);
        }
        case.controller = Some(Driver::Spin(HoldThenSpin {
            servos: own.servos,
            rate: 3.0,
            delay: 0.0,
            start: None,
        }));
        let kinds = case.agrees(&all(), 1e-5, 1e-7);
        assert!(kinds.contains(&EventKind::Impact), "{kinds:?}");
    }
}

/// A body on a leg that a servo stretches and shortens: the foot lands, stays and lifts off.
fn hopper(order: u32, steps: usize) -> Case {
    hopper_of(&[0.2, 400.0, 0.5], order, steps)
}

/// By the mass of its foot, the stiffness of its servo and the mean length that it asks for.
pub(super) fn hopper_of(&[foot, stiffness, mean]: &[f64; 3], order: u32, steps: usize) -> Case {
    let along = |name: &str, parent: &str, child: &str, z: f64| {
        Joint::prismatic(name, parent, child).axis([0.0, 0.0, z])
    };
    let mass = |name: &str, mass: f64| Link::new(name).solid_sphere(mass, 0.05, Vector3::zeros());
    let model = ModelBuilder::new("hopper")
        .base(Base::Fixed)
        .link(Link::new("ground"))
        .link(mass("body", 1.0))
        .link(mass("foot", foot))
        .joint(along("z", "ground", "body", 1.0))
        .joint(along("leg", "body", "foot", -1.0))
        .build()
        .unwrap();
    let contacts = floor(&model, &[("foot", [0.0; 3])], Material::new(0.0, 0.0));
    let servo = Servo {
        joint: DrivenJoint::new(&model, "leg", None).unwrap(),
        stiffness,
        damping: 4.0,
        target: Schedule::Sine {
            sine: Sine {
                mean,
                amplitude: 0.04,
                frequency_Hz: 2.5,
                phase: 0.0,
            },
        },
        feed_forward: Schedule::default(),
    };
    Case {
        model,
        contacts,
        settings: settings(order, 2e-3),
        elastic: false,
        controller: Some(Driver::Servo(ServoController {
            servos: vec![servo],
        })),
        q: vec![0.56, 0.5],
        v: vec![-0.3, 0.0],
        steps,
    }
}

#[test]
fn a_foot_that_lands_and_lifts_off_is_differentiated() {
    use EventKind::{Hold, Impact, Release};
    let kinds = hopper(6, 250).agrees(&all(), 3e-3, 1e-7);
    println!("{kinds:?}");
    assert_eq!(kinds, [Impact, Hold, Release]);
}

/// The end of a slide is located to 1e-4 of what it began the step with, which is at most μ g h = 2e-3 m/s: neighbours
/// differ by that remainder over twice the width, 1e-5.
#[test]
fn a_block_that_turns_back_on_the_floor_is_differentiated_through_its_turn() {
    let rail = |name: &str, parent: &str, child: &str, axis| {
        Joint::prismatic(name, parent, child).axis(axis)
    };
    let model = ModelBuilder::new("block")
        .base(Base::Fixed)
        .link(Link::new("ground"))
        .link(Link::new("carriage").solid_box(0.5, [0.1; 3], Vector3::zeros()))
        .link(Link::new("block").solid_box(1.5, [0.1; 3], Vector3::zeros()))
        .joint(rail("x", "ground", "carriage", [1.0, 0.0, 0.0]))
        .joint(rail("z", "carriage", "block", [0.0, 0.0, 1.0]))
        .joint_spring("x", 0.0, 60.0, 0.0)
        .build()
        .unwrap();
    let contacts = floor(&model, &[("block", [0.0; 3])], Material::new(0.2, 0.0));
    let case = Case {
        model,
        contacts,
        settings: settings(2, 1e-3),
        elastic: false,
        controller: None,
        q: vec![0.5, 0.0],
        v: vec![-0.3, 0.0],
        steps: 900,
    };
    case.agrees(
        &[vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0, 0.0]],
        1e-2,
        1e-5,
    );
}

#[test]
fn what_has_no_derivative_says_why() {
    let case = arm(2, 0.6, true, 10);
    let mut sim = case.simulation(&case.q, &case.v);
    let directions = DMatrix::identity(4, 4);
    let without = sim.recorded_derivative(&directions);
    assert_eq!(without, Err(LinearizeError::NoRecording));
    sim.start_recording();
    sim.advance().unwrap();
    let found = sim.recorded_derivative(&DMatrix::identity(3, 3));
    let sizes = LinearizeError::Directions {
        found: 3,
        expected: 4,
    };
    assert_eq!(found, Err(sizes));
    // A step alone is what `linearize` says of it.
    let step = sim.linearize().unwrap();
    let same = sim.recorded_derivative(&directions).unwrap();
    assert!((step.transition - same.transition).amax() < 1e-12);
}

/// One sweep backwards says the same of the start as the sweep forwards, and of forces held over single steps what
/// differences of runs say: 1e-7 of the largest entry and the noise of strikes located to 1e-12 m.
#[test]
fn the_gradient_of_one_number_comes_from_one_sweep() {
    for case in [arm(2, 0.6, true, 110), hopper(6, 250)] {
        let objective = [0.3, -1.2, 0.7, 0.4];
        let mut sim = case.simulation(&case.q, &case.v);
        sim.start_recording();
        for _ in 0..case.steps {
            sim.advance().unwrap();
        }
        let gradient = sim.recorded_gradient(&objective).unwrap();
        let along = sim.recorded_derivative(&DMatrix::identity(4, 4)).unwrap();
        let forwards = along.transition.transpose() * DVector::from_column_slice(&objective);
        let size = forwards.amax();
        assert!((&gradient.start - &forwards).amax() < 1e-8 * size);
        assert_eq!(gradient.forces.shape(), (2, case.steps));
        let value = |step: usize, coordinate: usize, force: f64| {
            let mut sim = case.simulation(&case.q, &case.v);
            for k in 0..case.steps {
                let mut applied = [0.0; 2];
                if k == step {
                    applied[coordinate] = force;
                }
                sim.step(&applied).unwrap();
            }
            let v = sim.velocity().unwrap().to_vec();
            let end = [sim.state().q.clone(), v].concat();
            end.iter().zip(objective).map(|(x, c)| x * c).sum::<f64>()
        };
        for step in [0, 37, case.steps - 8] {
            for coordinate in 0..2 {
                let width = 0.02;
                let slope = (value(step, coordinate, width) - value(step, coordinate, -width))
                    / (2.0 * width);
                let half = (value(step, coordinate, 0.5 * width)
                    - value(step, coordinate, -0.5 * width))
                    / width;
                let drawn = (4.0 * half - slope) / 3.0;
                let error = (gradient.forces[(coordinate, step)] - drawn).abs();
                assert!(
                    error < 1e-7 * size,
                    "{step} {coordinate}: {error:e} {drawn:e} {size}"
                );
            }
        }
    }
}
