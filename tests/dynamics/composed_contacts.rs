//! Orders 4, 6 and 8 while contacts are held: against robots that are hinged where these stand, and back in time.

use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::friction::HeldMode;
use carom::hybrid::{EventKind, Simulation, SimulationSettings};
use carom::impact::Propagative;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;

type Robot = (Arc<Model>, Arc<Contacts>);

fn robot(model: Model, sites: Vec<Site>, terrain: Vec<Terrain>, pairs: &[[String; 2]]) -> Robot {
    let contacts = Contacts::new(&model, sites, terrain, pairs, Combination::Minimum).unwrap();
    (Arc::new(model), Arc::new(contacts))
}

/// A run of `duration` \[s\] in so many steps, solved to rounding.
fn run(robot: &Robot, order: u32, duration: f64, steps: usize, q: &[f64], v: &[f64]) -> Simulation {
    let mut sim = start(robot, order, duration / steps as f64, q, v);
    advance(&mut sim, steps);
    sim
}

fn start(robot: &Robot, order: u32, time_step: f64, q: &[f64], v: &[f64]) -> Simulation {
    let mut settings = SimulationSettings {
        time_step,
        order,
        ..Default::default()
    };
    settings.solver.tolerance = 1e-15;
    let law = Box::new(Propagative::default());
    Simulation::new(robot.0.clone(), robot.1.clone(), law, settings, q, v).unwrap()
}

/// Steps; returns the sum of the impulses of the first contact while it is held.
fn advance(sim: &mut Simulation, steps: usize) -> [f64; 3] {
    let applied = vec![0.0; sim.model().dof()];
    let mut sum = [0.0; 3];
    for _ in 0..steps {
        sim.step(&applied).unwrap();
        if let Some(impulse) = sim.held_impulses().first() {
            for (sum, x) in sum.iter_mut().zip(impulse) {
                *sum += x;
            }
        }
    }
    sum
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Slopes of log error over log step between neighbouring numbers of steps, each half of the next.
fn slopes(name: &str, steps: &[usize], error: impl Fn(usize) -> f64) -> Vec<f64> {
    let errors: Vec<f64> = steps.iter().map(|&n| error(n)).collect();
    let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("{name}: {steps:?} {errors:?} {slopes:.2?}");
    slopes
}

/// Lengths of shank and thigh \[m\], and what is in the knee: spring \[N m/rad\], damper, dry friction.
const SHANK: f64 = 0.4;
const THIGH: f64 = 0.5;
#[derive(Clone, Copy)]
struct Knee {
    stiffness: f64,
    damping: f64,
    friction: f64,
}
const SPRUNG: Knee = Knee {
    stiffness: 25.0,
    damping: 0.0,
    friction: 0.0,
};
const REST: f64 = -0.4;

fn box_link(name: &str, mass: f64, length: f64, center: f64) -> Link {
    Link::new(name).solid_box(mass, [0.05, 0.05, length], Vector3::z() * center)
}

/// The leg from its foot upwards, hinged to the world there.
fn hinged_leg(knee: Option<Knee>) -> Model {
    let axis = [0.0, 1.0, 0.0];
    let builder = ModelBuilder::new("hinged")
        .link(Link::new("ground"))
        .link(box_link("shank", 1.0, SHANK, 0.5 * SHANK))
        .link(box_link("thigh", 2.0, THIGH, 0.5 * THIGH))
        .joint(Joint::revolute("foot", "ground", "shank").axis(axis));
    let builder = match knee {
        Some(knee) => builder
            .joint(
                Joint::revolute("knee", "shank", "thigh")
                    .origin([0.0, 0.0, SHANK], [0.0; 3])
                    .axis(axis),
            )
            .joint_spring("knee", REST, knee.stiffness, knee.damping),
        None => builder
            .joint(Joint::fixed("knee", "shank", "thigh").origin([0.0, 0.0, SHANK], [0.0; 3])),
    };
    builder.build().unwrap()
}

/// The same leg from its hip downwards, standing on its foot.
fn standing_leg(friction: f64, knee: Knee, wall: Option<f64>) -> Robot {
    let model = ModelBuilder::new("standing")
        .base(Base::Planar)
        .link(box_link("thigh", 2.0, THIGH, -0.5 * THIGH))
        .link(box_link("shank", 1.0, SHANK, -0.5 * SHANK))
        .joint(
            Joint::revolute("knee", "thigh", "shank")
                .origin([0.0, 0.0, -THIGH], [0.0; 3])
                .axis([0.0, 1.0, 0.0])
                .friction(knee.friction),
        )
        .joint_spring("knee", -REST, knee.stiffness, knee.damping)
        .build()
        .unwrap();
    let material = Material::new(friction, 0.0);
    let foot = Site::point(&model, "foot", "shank", [0.0, 0.0, -SHANK], material).unwrap();
    let mut sites = vec![foot];
    let mut terrain = vec![Terrain::plane(
        "ground",
        [0.0; 3],
        [0.0, 0.0, 1.0],
        material,
    )];
    if let Some(x) = wall {
        sites.push(Site::point(&model, "hip", "thigh", [0.0; 3], material).unwrap());
        terrain.push(wall_at(x));
    }
    robot(model, sites, terrain, &[])
}

fn wall_at(x: f64) -> Terrain {
    let bouncy = Material::new(0.0, 1.0);
    Terrain::plane("wall", [x, 0.0, 0.0], [-1.0, 0.0, 0.0], bouncy)
}

/// Configuration and velocity of the standing leg for those of the hinged one: angles of the foot and the knee.
fn standing(q: [f64; 2], v: [f64; 2]) -> ([f64; 4], [f64; 4]) {
    let (a, b) = (q[0], q[0] + q[1]);
    let (da, db) = (v[0], v[0] + v[1]);
    (
        [
            SHANK * a.sin() + THIGH * b.sin(),
            SHANK * a.cos() + THIGH * b.cos(),
            b,
            -q[1],
        ],
        [
            SHANK * a.cos() * da + THIGH * b.cos() * db,
            -SHANK * a.sin() * da - THIGH * b.sin() * db,
            db,
            -v[1],
        ],
    )
}

/// Where the sway starts: angles of foot and knee, and their rates.
const SWAY: ([f64; 2], [f64; 2]) = ([0.25, -0.5], [-0.6, 0.4]);

#[test]
fn a_leg_on_a_sticking_foot_moves_as_if_hinged_there() {
    let knee = Knee {
        damping: 0.2,
        ..SPRUNG
    };
    let duration = 0.4;
    let hinged = robot(hinged_leg(Some(knee)), vec![], vec![], &[]);
    let fine = run(&hinged, 8, duration, 160, &SWAY.0, &SWAY.1);
    let exact = standing([fine.state().q[0], fine.state().q[1]], [0.0; 2]).0;
    let leg = standing_leg(1.5, knee, None);
    let (q, v) = standing(SWAY.0, SWAY.1);
    for (order, steps, least) in [
        (2, [20, 40, 80], 1.9),
        (4, [20, 40, 80], 3.8),
        (6, [20, 40, 80], 5.7),
        (8, [10, 20, 40], 7.5),
    ] {
        let end = |steps| run(&leg, order, duration, steps, &q, &v);
        let found = slopes(&format!("leg {order}"), &steps, |n| {
            distance(&end(n).state().q, &exact)
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
}

#[test]
fn the_account_of_energy_closes_at_the_order_of_a_stance() {
    let knee = Knee {
        damping: 0.2,
        ..SPRUNG
    };
    let leg = standing_leg(1.5, knee, None);
    let (q, v) = standing(SWAY.0, SWAY.1);
    for (order, steps, least) in [
        (2, [20, 40, 80], 1.9),
        (4, [20, 40, 80], 3.8),
        (6, [10, 20, 40], 5.7),
    ] {
        let found = slopes(&format!("energy {order}"), &steps, |n| {
            let mut sim = start(&leg, order, 0.4 / n as f64, &q, &v);
            let before = sim.energies().unwrap().balance();
            (0..n).fold(0.0_f64, |worst, _| {
                advance(&mut sim, 1);
                worst.max((sim.energies().unwrap().balance() - before).abs())
            })
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
}

#[test]
fn impulses_of_a_composed_step_are_those_of_its_contact() {
    let leg = standing_leg(1.5, SPRUNG, None);
    let (q, v) = standing(SWAY.0, SWAY.1);
    for order in [2, 4, 6, 8] {
        let mut sim = start(&leg, order, 0.01, &q, &v);
        let before = sim.state().p.clone();
        let [normal, tangent, _] = advance(&mut sim, 30);
        let after = &sim.state().p;
        // Momentum of the whole leg: its first two coordinates are the place of its base.
        let weight = 3.0 * GRAVITY * 0.3;
        let balance = [after[0] - before[0], after[1] - before[1] + weight];
        // Rounding of sums of 30 steps of up to 15 stages.
        assert!(
            (balance[1] - normal).abs() < 1e-12,
            "{order}: {balance:?} {normal}"
        );
        assert!(
            (balance[0].abs() - tangent.abs()).abs() < 1e-12,
            "{order}: {balance:?} {tangent}"
        );
        let held = sim.state().held[0];
        assert_eq!(held.modes, [HeldMode::Stick; 2]);
        assert_eq!(held.duration, 0.01);
        // Half of the force of the moment acts at the end, but for what it changes over a step.
        let half = held.end_impulse[0] / held.impulse()[0];
        assert!((half - 0.5).abs() < 0.1, "{order}: {half}");
    }
}

#[test]
fn a_composed_stance_runs_back_to_where_it_began() {
    let leg = standing_leg(1.5, SPRUNG, None);
    let (q, v) = standing(SWAY.0, SWAY.1);
    for order in [4, 6, 8] {
        let mut sim = start(&leg, order, 0.02, &q, &v);
        let began = sim.state().clone();
        advance(&mut sim, 15);
        let mut state = sim.state().clone();
        let way = distance(&state.q, &q);
        state.p.iter_mut().for_each(|p| *p = -*p);
        let law = Box::new(Propagative::default());
        let settings = *sim.settings();
        let mut back =
            Simulation::from_state(leg.0.clone(), leg.1.clone(), law, settings, state).unwrap();
        advance(&mut back, 15);
        let missed = distance(&back.state().q, &q);
        let momentum: Vec<f64> = back.state().p.iter().map(|p| -p).collect();
        let missed_momentum = distance(&momentum, &began.p);
        println!("back {order}: {missed:.1e} {missed_momentum:.1e} of {way:.2}");
        // The fall that the way back undoes is unstable: exp(6.5 · 0.3 s) of the rounding of 30 steps.
        assert!(way > 0.05 && missed < 1e-12 && missed_momentum < 1e-11);
    }
}

#[test]
fn a_strike_during_a_composed_stance_is_located_at_its_order() {
    let wall = 0.12;
    let duration = 0.4;
    let strike = |mut sim: Simulation| {
        let events = sim.take_events();
        events
            .iter()
            .find(|e| e.kind == EventKind::Impact)
            .unwrap()
            .time
    };
    let model = hinged_leg(Some(SPRUNG));
    let hip = Site::point(
        &model,
        "hip",
        "thigh",
        [0.0, 0.0, THIGH],
        Material::new(0.0, 1.0),
    )
    .unwrap();
    let hinged = robot(model, vec![hip], vec![wall_at(wall)], &[]);
    let fast = ([0.1, -0.3], [0.5, 0.3]);
    let exact = strike(run(&hinged, 8, duration, 160, &fast.0, &fast.1));
    let leg = standing_leg(1.5, SPRUNG, Some(wall));
    let (q, v) = standing(fast.0, fast.1);
    for (order, steps, least) in [(4, [20, 40, 80], 3.0), (6, [10, 20, 40], 4.5)] {
        let found = slopes(&format!("strike {order} at {exact:.4}"), &steps, |n| {
            (strike(run(&leg, order, duration, n, &q, &v)) - exact).abs()
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
}

#[test]
fn a_stuck_knee_is_no_joint_at_any_order() {
    let stuck = Knee {
        stiffness: 0.0,
        damping: 0.0,
        friction: 60.0,
    };
    let duration = 0.4;
    let (q, v) = ([0.2, 0.0], [-0.3, 0.0]);
    let hinged = robot(hinged_leg(None), vec![], vec![], &[]);
    let fine = run(&hinged, 8, duration, 160, &q[..1], &v[..1]);
    let exact = standing([fine.state().q[0], 0.0], [0.0; 2]).0;
    let leg = standing_leg(1.5, stuck, None);
    let (q, v) = standing(q, v);
    for (order, steps, least) in [(4, [10, 20, 40], 3.8), (6, [6, 12, 24], 5.7)] {
        let found = slopes(&format!("knee {order}"), &steps, |n| {
            distance(&run(&leg, order, duration, n, &q, &v).state().q, &exact)
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
}

#[test]
fn a_rubbing_knee_that_bends_one_way_feels_a_constant_torque() {
    let torque = 0.3;
    let smooth = Knee {
        stiffness: 5.0,
        ..SPRUNG
    };
    let rubbing = Knee {
        friction: torque,
        ..smooth
    };
    // Too short to turn back.
    let (duration, q, v) = (0.08, [-0.1, 0.1], [0.3, -1.5]);
    let hinged = robot(hinged_leg(Some(smooth)), vec![], vec![], &[]);
    let mut fine = start(&hinged, 8, duration / 60.0, &q, &v);
    for _ in 0..60 {
        // Against the hinged knee's rate, which stays negative.
        fine.step(&[0.0, torque]).unwrap();
        let rate = fine.velocity().unwrap()[1];
        assert!(rate < -0.1, "{rate}");
    }
    let exact = standing([fine.state().q[0], fine.state().q[1]], [0.0; 2]).0;
    let leg = standing_leg(1.5, rubbing, None);
    let (q, v) = standing(q, v);
    for (order, steps, least) in [(4, [6, 12, 24], 3.8), (6, [4, 8, 16], 5.7)] {
        let found = slopes(&format!("rubbing {order}"), &steps, |n| {
            distance(&run(&leg, order, duration, n, &q, &v).state().q, &exact)
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
    let mut sim = start(&leg, 4, duration / 24.0, &q, &v);
    let before = sim.energies().unwrap().balance();
    advance(&mut sim, 24);
    let energies = sim.energies().unwrap();
    let missed = distance(&sim.state().q, &exact);
    // The work of a constant torque is as exact as the angle, within a torque and forces of order one.
    let bent = sim.state().q[3] - q[3];
    assert!((energies.work.dissipative + torque * bent).abs() < missed);
    assert!((energies.balance() - before).abs() < missed);
}

#[test]
fn a_bead_on_a_sphere_without_friction_moves_on_its_circle() {
    let (radius, bead) = (0.4, 0.1);
    let length = radius + bead;
    let point = Link::new("bead").inertial(1.0, Vector3::zeros(), Matrix3::identity() * 1e-3);
    let model = ModelBuilder::new("bead")
        .link(Link::new("ground"))
        .link(Link::new("slide"))
        .link(point)
        .joint(Joint::prismatic("x", "ground", "slide").axis([1.0, 0.0, 0.0]))
        .joint(Joint::prismatic("z", "slide", "bead").axis([0.0, 0.0, 1.0]))
        .build()
        .unwrap();
    let smooth = Material::new(0.0, 0.0);
    let sites = vec![
        Site::sphere(&model, "hill", "ground", [0.0; 3], radius, smooth).unwrap(),
        Site::sphere(&model, "bead", "bead", [0.0; 3], bead, smooth).unwrap(),
    ];
    let pair = [["hill".to_string(), "bead".to_string()]];
    let robot = robot(model, sites, vec![], &pair);
    let (mut angle, mut rate) = (0.2_f64, 0.4);
    let at = |angle: f64| [length * angle.sin(), length * angle.cos()];
    let q = at(angle);
    let v = [rate * length * angle.cos(), -rate * length * angle.sin()];
    let duration = 0.3;
    // Runge-Kutta of order 4 on the pendulum: 4000 steps leave rounding.
    let h = duration / 4000.0;
    let acceleration = |angle: f64| GRAVITY / length * angle.sin();
    for _ in 0..4000 {
        let k1 = (rate, acceleration(angle));
        let k2 = (rate + 0.5 * h * k1.1, acceleration(angle + 0.5 * h * k1.0));
        let k3 = (rate + 0.5 * h * k2.1, acceleration(angle + 0.5 * h * k2.0));
        let k4 = (rate + h * k3.1, acceleration(angle + h * k3.0));
        angle += h / 6.0 * (k1.0 + 2.0 * (k2.0 + k3.0) + k4.0);
        rate += h / 6.0 * (k1.1 + 2.0 * (k2.1 + k3.1) + k4.1);
    }
    for (order, steps, least) in [(4, [10, 20, 40], 3.8), (6, [6, 12, 24], 5.7)] {
        let found = slopes(&format!("bead {order}"), &steps, |n| {
            distance(
                &run(&robot, order, duration, n, &q, &v).state().q,
                &at(angle),
            )
        });
        assert!(found.iter().all(|s| *s > least), "{order}: {found:?}");
    }
}

#[test]
fn a_foot_that_starts_to_slide_leaves_the_composition() {
    let leg = standing_leg(0.1, SPRUNG, None);
    let (q, v) = standing(SWAY.0, SWAY.1);
    let duration = 0.4;
    let end = |order, steps| run(&leg, order, duration, steps, &q, &v);
    let mut sim = start(&leg, 4, duration / 80.0, &q, &v);
    let modes = (0..80).map(|_| {
        advance(&mut sim, 1);
        sim.state().held[0].modes[1]
    });
    let sliding = modes.filter(|m| matches!(m, HeldMode::Slide(_))).count();
    assert!(sliding > 10 && sliding < 70, "{sliding}");
    let fine = end(2, 2560);
    let error = |order, steps| distance(&end(order, steps).state().q, &fine.state().q);
    for steps in [40, 80, 160] {
        let (two, four) = (error(2, steps), error(4, steps));
        println!("slide {steps}: {two:.2e} {four:.2e}");
        assert!(four <= 1.5 * two);
    }
}
