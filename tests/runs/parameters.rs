//! Derivatives of runs by parameters of their robots, contacts, laws and servos, against differences of the runs.

use carom::contact::Material;
use carom::hybrid::{EventKind, LinearizeError, Parameter, Simulation, Unwatched};
use carom::model::{Base, Joint, Link, ModelBuilder};
use carom::scenario::{Experiment, Scenario};
use nalgebra::{DMatrix, DVector, Vector3};

use super::derivatives::{Case, arm_of, floor, hopper_of, settings};

/// Cases by their parameters, with these values.
struct Family<const K: usize> {
    values: [f64; K],
    case: fn(&[f64; K]) -> Case,
}

impl<const K: usize> Family<K> {
    fn moved(&self, k: usize, change: f64) -> Case {
        let mut values = self.values;
        values[k] += change;
        (self.case)(&values)
    }

    fn parameters(&self) -> Vec<Parameter> {
        (0..K)
            .map(|k| {
                Parameter::new(1e-3 * self.values[k], |change| {
                    let case = self.moved(k, change);
                    Ok::<_, String>(case.simulation(&case.q, &case.v))
                })
                .unwrap()
            })
            .collect()
    }

    /// Asserts that the derivatives are those of differences drawn out from `width` times the values, to within `most` of
    /// the largest and some times what the differences say of themselves, and that one sweep backwards says the same;
    /// returns the kinds of events.
    fn agrees(&self, width: f64, most: f64) -> Vec<EventKind> {
        let base = (self.case)(&self.values);
        let n = base.model.dof();
        let mut sim = base.simulation(&base.q, &base.v);
        sim.start_recording();
        for _ in 0..base.steps {
            sim.advance().unwrap();
        }
        let mut parameters = self.parameters();
        let none = DMatrix::zeros(2 * n, 0);
        let found = sim.recorded_derivative_by(&none, &mut parameters).unwrap();
        assert_eq!(found.transition.shape(), (2 * n, K));
        for k in 0..K {
            let slope = |share: f64| {
                let e = width * share * self.values[k];
                let end = |e| self.moved(k, e).end(&vec![0.0; 2 * n], 0.0);
                (end(e) - end(-e)) / (2.0 * e)
            };
            let (a, b, c) = (slope(1.0), slope(0.5), slope(0.25));
            let second = [(&b * 4.0 - &a) / 3.0, (&c * 4.0 - &b) / 3.0];
            let third = (&second[1] * 16.0 - &second[0]) / 15.0;
            let noise = (&third - &second[1]).amax();
            let error = (found.transition.column(k) - &third).amax();
            let size = third.amax().max(1.0);
            println!("{k}: {error:e} {noise:e} {}", third.amax());
            assert!(
                error < most * size + 5.0 * noise && noise < 1e-6 * size,
                "{k}: {error:e} {noise:e} of {size}"
            );
        }
        let objective: Vec<f64> = (0..2 * n).map(|i| 0.3 + (1.7 * i as f64).sin()).collect();
        let gradient = sim
            .recorded_gradient_by(&objective, &mut parameters)
            .unwrap();
        let forwards = found.transition.transpose() * DVector::from(objective);
        let error = (&gradient.parameters - &forwards).amax();
        assert!(error < 1e-8 * forwards.amax().max(1.0), "{error:e}");
        sim.take_events().iter().map(|event| event.kind).collect()
    }
}

/// Mass and length of the lower link, restitution, stiffness and amplitude of its servo: through two strikes.
#[test]
fn a_driven_arm_that_strikes_is_differentiated_by_its_parameters() {
    for order in [2, 6] {
        let family = Family {
            values: [1.0, 0.5, 0.6, 20.0, -0.6],
            case: match order {
                2 => |values| arm_of(values, 2, true, 110),
                _ => |values| arm_of(values, 6, true, 110),
            },
        };
        let kinds = family.agrees(1e-4, 1e-7);
        let struck = kinds.iter().filter(|k| **k == EventKind::Impact).count();
        assert_eq!(struck, 2);
    }
}

/// Mass of the foot, stiffness and mean of the servo: the foot lands, stays and lifts off.
#[test]
fn a_foot_that_lands_and_lifts_off_is_differentiated_by_its_parameters() {
    use EventKind::{Hold, Impact, Release};
    let family = Family {
        values: [0.2, 400.0, 0.5],
        case: |values| hopper_of(values, 6, 250),
    };
    assert_eq!(family.agrees(3e-3, 1e-7), [Impact, Hold, Release]);
}

/// A block on a spring, dragged over the floor through turns of its slide: by the friction of the floor, the spring, the
/// block's mass and the dry friction in the rail of a second one. The end of a slide is located to 1e-4 of what it began
/// the step with.
#[test]
fn sliding_friction_of_contacts_and_joints_is_a_parameter() {
    let family = Family {
        values: [0.2, 60.0, 1.5, 0.3],
        case: |&[friction, stiffness, mass, rubbing]| {
            let rail = |name: &str, parent: &str, child: &str, axis| {
                Joint::prismatic(name, parent, child).axis(axis)
            };
            let cube =
                |name: &str, mass: f64| Link::new(name).solid_box(mass, [0.1; 3], Vector3::zeros());
            let model = ModelBuilder::new("block")
                .base(Base::Fixed)
                .link(Link::new("ground"))
                .link(cube("carriage", 0.5))
                .link(cube("block", mass))
                .link(cube("rider", 0.4))
                .joint(rail("x", "ground", "carriage", [1.0, 0.0, 0.0]))
                .joint(rail("z", "carriage", "block", [0.0, 0.0, 1.0]))
                .joint(rail("top", "block", "rider", [1.0, 0.0, 0.0]).friction(rubbing))
                .joint_spring("x", 0.0, stiffness, 0.0)
                .build()
                .unwrap();
            let contacts = floor(&model, &[("block", [0.0; 3])], Material::new(friction, 0.0));
            Case {
                model,
                contacts,
                settings: settings(2, 1e-3),
                elastic: false,
                controller: None,
                q: vec![0.5, 0.0, 0.0],
                v: vec![-0.3, 0.0, 2.0],
                steps: 400,
            }
        },
    };
    family.agrees(1e-3, 1e-5);
}

/// The quadruped with 12 joints falls onto its feet, one after the other, and they slip and stick: by the gains of a servo,
/// the friction of the ground and the mass of the trunk. The ends of slides are located to 1e-4 of what they began the
/// step with (some 1e-3 m/s): neighbours differ by that over twice the width.
#[test]
fn a_quadruped_that_lands_is_differentiated_by_keys_of_its_scenario() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/stand.toml");
    let tilted = [
        "initial.base.quaternion=[0.024977400664227257, 0.03997683817055535, -0.000999629219029035, 0.9988878728903302]",
        "contact.capture_speed=0.0",
    ];
    let tilted = tilted.map(String::from);
    let run = |overrides: &[String]| {
        let scenario = Scenario::read(&path, overrides).unwrap();
        let experiment = Experiment::new("stand", scenario).unwrap();
        let controller = experiment.controller().unwrap();
        let mut sim = experiment.simulation().unwrap().with_controller(controller);
        sim.start_recording();
        sim.run_until(0.18, &mut Unwatched).unwrap();
        sim
    };
    let keys = [
        ("contact.friction", 0.2),
        ("controller.joint.FR_calf_joint.stiffness", 100.0),
        ("robot.mass_scale.trunk", 1.0),
    ];
    let mut overrides = tilted.to_vec();
    overrides.extend(keys.map(|(key, value)| format!("{key}={value}")));
    let mut parameters = keys.map(|(key, value)| {
        Scenario::parameter(&path, &overrides, key, value, 1e-3 * value).unwrap()
    });
    let mut sim = run(&overrides);
    let n = sim.model().dof();
    let none = DMatrix::zeros(2 * n, 0);
    let found = sim.recorded_derivative_by(&none, &mut parameters).unwrap();
    for (k, (key, value)) in keys.into_iter().enumerate() {
        let end = |change: f64| {
            let mut overrides = overrides.clone();
            overrides.push(format!("{key}={:e}", value + change));
            let mut sim = run(&overrides);
            let v = sim.velocity().unwrap().to_vec();
            DVector::from([sim.state().q[7..].to_vec(), v].concat())
        };
        let e = 1e-4 * value;
        let slope = (end(e) - end(-e)) / (2.0 * e);
        let half = (end(0.5 * e) - end(-0.5 * e)) / e;
        let drawn = (half * 4.0 - slope) / 3.0;
        let own = found.transition.column(k).rows(6, 2 * n - 6).into_owned();
        let error = (&own - &drawn).amax();
        println!("{key}: {error:e} of {}", drawn.amax());
        assert!(error < 1e-6 * drawn.amax().max(1.0));
    }
}

#[test]
fn parameters_of_other_robots_are_refused() {
    let case = arm_of(&[1.0, 0.5, 0.6, 20.0, -0.6], 2, true, 5);
    let mut sim: Simulation = case.simulation(&case.q, &case.v);
    sim.start_recording();
    sim.advance().unwrap();
    let undriven = Parameter::new(1.0, |_| {
        let mut case = arm_of(&[1.0, 0.5, 0.6, 20.0, -0.6], 2, true, 5);
        case.controller = None;
        Ok::<_, String>(case.simulation(&case.q, &case.v))
    });
    let as_it_is = Parameter::new(1.0, |_| Ok::<_, String>(case.simulation(&case.q, &case.v)));
    let mut parameters = [as_it_is.unwrap(), undriven.unwrap()];
    let found = sim.recorded_gradient_by(&[0.0; 4], &mut parameters);
    assert_eq!(found, Err(LinearizeError::OtherShape { index: 1 }));
    // Of the same shape, but around another mass.
    let beside = Parameter::new(1e-3, |change| {
        let case = arm_of(&[1.5, 0.5, 0.6, 20.0 + change, -0.6], 2, true, 5);
        Ok::<_, String>(case.simulation(&case.q, &case.v))
    });
    let found = sim.recorded_gradient_by(&[0.0; 4], &mut [beside.unwrap()]);
    let told = matches!(found, Err(LinearizeError::NotDifferentiable { .. }));
    assert!(told, "{found:?}");
}
