//! Terrain that moves by itself, against closed forms: a ball on a vibrating table, a block that a table shakes up, down and
//! sideways.

use std::f64::consts::TAU;

use carom::contact::{Combination, Contacts, Material, Shaking, Site, Terrain};
use carom::discrete::StepSettings;
use carom::hybrid::{EventKind, Simulation, SimulationSettings, Unwatched};
use carom::impact::{MaxDissipation, Propagative};
use carom::model::{Base, Geometry, Link, Model, ModelBuilder};
use carom::scenario::{Experiment, Scenario};

use crate::loose::deepest;

const G: f64 = 9.81;

/// A body of 1 kg that moves freely.
fn body(geometry: &Geometry) -> Model {
    ModelBuilder::new("body")
        .base(Base::Floating)
        .link(Link::new("body").solid(1.0, geometry))
        .build()
        .unwrap()
}

fn table(amplitude: [f64; 3], frequency: f64, phase: f64, material: Material) -> Terrain {
    Terrain::plane("table", [0.0; 3], [0.0, 0.0, 1.0], material).shaken(Shaking {
        amplitude: amplitude.into(),
        frequency,
        phase,
    })
}

fn settings(time_step: f64) -> SimulationSettings {
    SimulationSettings {
        time_step,
        solver: StepSettings {
            tolerance: 1e-14,
            ..StepSettings::default()
        },
        ..SimulationSettings::default()
    }
}

fn ball(table: Terrain, restitution: f64, z: f64, time_step: f64) -> Simulation {
    let model = body(&Geometry::Sphere(0.1));
    let site = Site::sphere(
        &model,
        "ball",
        "body",
        [0.0; 3],
        0.1,
        Material::new(0.0, restitution),
    )
    .unwrap();
    let contacts =
        Contacts::new(&model, vec![site], vec![table], &[], Combination::Minimum).unwrap();
    Simulation::builder(model)
        .contacts(contacts)
        .law(Propagative::default())
        .settings(settings(time_step))
        .position("base.z", z)
        .build()
        .unwrap()
}

/// A block of 0.4 m by 0.4 m by 0.2 m with its corners on the table.
fn block(table: Terrain, friction: f64, z: f64, time_step: f64) -> Simulation {
    let size = [0.4, 0.4, 0.2];
    let model = body(&Geometry::Box(size));
    let sites = Site::box_corners(
        &model,
        "block",
        "body",
        &carom::spatial::Pose::identity(),
        size,
        Material::new(friction, 0.0),
    );
    let contacts = Contacts::new(
        &model,
        sites.unwrap(),
        vec![table],
        &[],
        Combination::Minimum,
    )
    .unwrap();
    Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(settings(time_step))
        .position("base.z", z)
        .build()
        .unwrap()
}

/// Times and speeds after the first strikes of a ball that falls from height z above a table with displacement
/// a sin(ωt + ψ): parabolas between roots, found to the last digits by bisection.
fn bounces(
    a: f64,
    omega: f64,
    phase: f64,
    restitution: f64,
    z: f64,
    count: usize,
) -> Vec<[f64; 3]> {
    let surface = |t: f64| a * (omega * t + phase).sin();
    let speed = |t: f64| a * omega * (omega * t + phase).cos();
    let (mut t0, mut z0, mut v0) = (0.0, z, 0.0);
    let mut found = Vec::new();
    for _ in 0..count {
        let gap = |t: f64| z0 + v0 * (t - t0) - 0.5 * G * (t - t0) * (t - t0) - surface(t);
        // The gap is positive just after a strike.
        let mut before = t0 + 1e-7;
        while gap(before + 1e-4) > 0.0 {
            before += 1e-4;
        }
        let mut after = before + 1e-4;
        while after - before > 4.0 * f64::EPSILON * after {
            let middle = 0.5 * (before + after);
            if gap(middle) > 0.0 {
                before = middle;
            } else {
                after = middle;
            }
            if middle == before && middle == after {
                break;
            }
        }
        let v = v0 - G * (before - t0);
        let w = speed(before);
        (z0, v0, t0) = (surface(before), w - restitution * (v - w), before);
        found.push([t0, v, v0]);
    }
    found
}

#[test]
fn a_ball_bounces_on_a_vibrating_table_as_the_parabolas_say() {
    let (a, f, phase, e) = (0.01, 7.0, 0.4, 0.8);
    let table = table([0.0, 0.0, a], f, phase, Material::new(0.0, e));
    let mut simulation = ball(table, e, 0.1 + 0.3, 1e-3);
    let total = |simulation: &mut Simulation| {
        let energies = simulation.energies().unwrap();
        energies.kinetic + energies.potential
    };
    let start = total(&mut simulation);
    while simulation.time() < 1.9995 {
        simulation.advance().unwrap();
    }
    let end = total(&mut simulation);
    let work = simulation.state().work;
    let events = simulation.take_events();
    let strikes: Vec<_> = events
        .iter()
        .filter(|e| e.kind == EventKind::Impact)
        .take(5)
        .collect();
    assert_eq!(strikes.len(), 5);
    let expected = bounces(a, TAU * f, phase, e, 0.3, 5);
    let beside = bounces(a, TAU * f, phase, e, 0.3 + 1e-8, 5);
    // Flight is exact, and strikes are located to gaps of 1e-12 m: each of those so far does what a start so much higher
    // does, which the closed form shows for 1e-8 m.
    let mut sensitivity = [1.0_f64; 3];
    for (k, strike) in strikes.iter().enumerate() {
        let impact = strike.impact.as_ref().unwrap();
        let found = [
            strike.time,
            impact.velocity_before[2],
            impact.velocity_after[2],
        ];
        for i in 0..3 {
            sensitivity[i] = sensitivity[i].max((beside[k][i] - expected[k][i]).abs() / 1e-8);
            let bound = 1e-12 * (k + 1) as f64 * sensitivity[i] + 1e-13;
            let off = (found[i] - expected[k][i]).abs();
            assert!(off < 4.0 * bound, "strike {k}: {off:e} of {bound:e}");
        }
    }
    // What the table did, less what restitution took, is the change of energy.
    assert!(work.surfaces != 0.0 && work.impacts < 0.0);
    let balance = end - start - work.surfaces - work.impacts - work.captured;
    assert!(balance.abs() < 1e-11, "{balance:e}");
}

/// Largest error of the normal force on a block that rests on a table going up and down, over a run; that force is
/// m (g + d̈). The table starts at the top, where it rests.
fn error_of_force(time_step: f64) -> f64 {
    let (a, f) = (0.002, 5.0);
    let omega = TAU * f;
    assert!(a * omega * omega < 0.5 * G);
    let table = table([0.0, 0.0, a], f, TAU / 4.0, Material::new(0.5, 0.0));
    let mut simulation = block(table, 0.5, 0.1 + a, time_step);
    let mut worst = 0.0_f64;
    let steps = (0.4 / time_step).round() as usize;
    for k in 0..steps {
        simulation.advance().unwrap();
        let middle = (k as f64 + 0.5) * time_step;
        let observed = simulation.observe().unwrap();
        let force: f64 = observed.forces.iter().map(|f| f[0]).sum();
        let expected = G - a * omega * omega * (omega * middle).cos();
        worst = worst.max((force - expected).abs());
        let t = (k + 1) as f64 * time_step;
        let height = simulation.state().q[2] - 0.1 - a * (omega * t).cos();
        assert!(height.abs() < 1e-11, "{height:e}");
    }
    assert!(
        simulation
            .take_events()
            .iter()
            .all(|e| e.kind != EventKind::Release)
    );
    worst
}

#[test]
fn a_resting_block_feels_its_weight_and_the_table_to_second_order() {
    let errors = [2e-3, 1e-3, 5e-4].map(error_of_force);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    }
    // The mean force over a step is m (g + (ḋ₁ − ḋ₀)/h): off by d⁗ h²/24 at most, and by a thousandth of that.
    let bound = 1.001 * 0.002 * (TAU * 5.0).powi(4) * 1e-6 / 24.0;
    assert!(errors[1] < bound, "{errors:?} {bound}");
}

#[test]
fn a_block_leaves_a_table_that_falls_faster_than_it_can() {
    let (a, f) = (0.01, 8.0);
    let omega = TAU * f;
    // From the lowest place; d̈ = −aω² sin(ωt − π/2) reaches −g where sin = g/(aω²).
    let leaves = ((G / (a * omega * omega)).asin() + TAU / 4.0) / omega;
    let time = |time_step: f64| {
        let table = table([0.0, 0.0, a], f, -TAU / 4.0, Material::new(0.5, 0.0));
        let mut simulation = block(table, 0.5, 0.1 - a, time_step);
        while simulation.time() < 1.3 * leaves {
            simulation.advance().unwrap();
        }
        let events = simulation.take_events();
        let released = events.iter().find(|e| e.kind == EventKind::Release);
        let height = simulation.state().q[2] - 0.1;
        // It flies above the table by less than the parabola from there, to which its error of time adds.
        let t = simulation.time();
        let flight = t - leaves;
        let (z, v) = (
            a * (omega * leaves - TAU / 4.0).sin(),
            a * omega * (omega * leaves - TAU / 4.0).cos(),
        );
        let parabola = z + v * flight - 0.5 * G * flight * flight;
        (released.unwrap().time, (height - parabola).abs())
    };
    for time_step in [1e-3, 5e-4] {
        let (released, off) = time(time_step);
        // Let go at the end of a step that the force turned in, or of the next.
        assert!(
            (released - leaves).abs() < 2.0 * time_step,
            "{released} {leaves}"
        );
        // The difference of accelerations grows as aω³ (t − leaves) from zero: over 2h it moves by less than this, and the
        // height at the time of the run by its rate times the flight.
        let jerk = a * omega.powi(3);
        let late = 2.0 * time_step;
        let bound = jerk * late.powi(2) * (0.5 * 0.3 * leaves + late);
        assert!(off < bound, "{off:e} {bound:e}");
    }
}

#[test]
fn a_sticking_block_goes_with_a_table_that_moves_sideways() {
    let (a, f, mu) = (0.004, 5.0, 0.6);
    let omega = TAU * f;
    assert!(a * omega * omega < mu * G);
    let table = table([a, 0.5 * a, 0.0], f, TAU / 4.0, Material::new(mu, 0.0));
    let mut simulation = block(table, mu, 0.1, 1e-3);
    for k in 1..=1000 {
        simulation.advance().unwrap();
        let t = k as f64 * 1e-3;
        // It goes what the table goes, from where that stood: no drift, however many steps.
        let moved = a * ((omega * t).cos() - 1.0);
        let q = &simulation.state().q;
        assert!((q[0] - moved).abs() < 1e-10, "{t}: {} {moved}", q[0]);
        assert!((q[1] - 0.5 * moved).abs() < 1e-10);
    }
    let work = simulation.state().work;
    let kinetic = simulation.energies().unwrap().kinetic;
    // All energy is the table's work, which telescopes: m (v̄ − w₀)(w₀ + v̄)/2 + m (w₁ − v̄)(v̄ + w₁)/2 in a step. What is
    // left are 1000 steps solved to 1e-14 of momenta of order 0.1.
    let balance = kinetic - work.surfaces - work.dissipative - work.captured;
    assert!(balance.abs() < 1e-12, "{balance:e}");
    assert!(work.dissipative.abs() < 1e-12, "{:e}", work.dissipative);
}

#[test]
fn a_block_slides_on_a_table_that_is_pulled_away_beneath_it() {
    // Far beyond what friction can hold the block only feels μ m g against the slip: its speed stays below μ g/(2 f).
    let (a, f, mu) = (0.1, 5.0, 0.1);
    let table = table([a, 0.0, 0.0], f, 0.0, Material::new(mu, 0.0));
    let mut simulation = block(table, mu, 0.1, 1e-3);
    let mut fastest = 0.0_f64;
    for _ in 0..1000 {
        simulation.advance().unwrap();
        fastest = fastest.max(simulation.velocity().unwrap()[0].abs());
    }
    assert!(
        fastest > 0.0 && fastest < mu * G / (2.0 * f) * 1.01,
        "{fastest}"
    );
    let work = simulation.state().work;
    assert!(work.surfaces > 0.0 && work.dissipative < 0.0);
}

#[test]
fn a_run_on_a_shaking_table_is_taken_up_to_the_same_bits_and_not_differentiated() {
    let make = || {
        let table = table([0.002, 0.0, 0.004], 9.0, 0.3, Material::new(0.3, 0.5));
        block(table, 0.3, 0.15, 1e-3)
    };
    let mut whole = make();
    whole.run_until(0.6, &mut Unwatched).unwrap();
    let mut first = make();
    first.run_until(0.35, &mut Unwatched).unwrap();
    let saved = first.state().clone();
    let mut second = make();
    second.restore(saved).unwrap();
    second.run_until(0.6, &mut Unwatched).unwrap();
    assert_eq!(whole.state().q, second.state().q);
    assert_eq!(whole.state().p, second.state().p);
    let error = whole.linearize().unwrap_err().to_string();
    assert!(error.contains("moves by itself"), "{error}");
}

/// A quadruped with dry friction in its joints lands on a table that shakes up and down: feet that are held stay on it also in
/// steps in which a joint starts or stops.
#[test]
fn feet_stay_on_a_shaken_table_while_dry_joints_start_and_stop() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/quadruped/a1.urdf");
    let mut legs = String::new();
    for leg in ["FR", "FL", "RR", "RL"] {
        legs += &format!("{leg}_thigh_joint = 0.8\n{leg}_calf_joint = -1.6\n");
    }
    let text = format!(
        "time_step = 2e-3\nduration = 0.4\n[robot]\nfile = {robot:?}\nbase = \"floating\"\n[robot.joint.\"*\"]\nfriction = 0.2\n\
         [initial.base]\nposition = [0.0, 0.0, 0.35]\nquaternion = [0.05, 0.03, 0.02, 0.998]\n[initial.joints]\n{legs}\
         [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.8\nrestitution = 0.0\ncollisions = [\"sphere\"]\n\
         [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n\
         motion = {{ shake = {{ amplitude = [0.0, 0.0, 0.01], frequency_Hz = 8.0 }} }}\n\
         [controller]\nkind = \"servo\"\n[controller.default]\nstiffness = 100.0\ndamping = 2.0\n"
    );
    let scenario = Scenario::parse("shaken.toml", &text, &[]).unwrap();
    let experiment = Experiment::new("shaken.toml", scenario).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    for step in 0..200 {
        simulation.advance().unwrap();
        let depth = deepest(&simulation);
        assert!(depth > -1e-9, "{step}: {depth}");
    }
    assert!(simulation.state().held.len() >= 3);
}

/// Two legs on a table that shakes, with hips that dry friction holds for some time and lets go: what the table does counts in the
/// steps in which one breaks loose too. In each of those 4e-3 J were missing of some 5e-3 J; what the midpoint rule misses is of
/// order (ωh)²/12 = 7e-4 of what goes to and fro, 0.05 J, five times that at most.
#[test]
fn the_work_of_a_table_counts_where_a_joint_breaks_loose() {
    let leg = |name: &str, x: f64| {
        format!(
            "<link name=\"{name}\"><inertial><origin xyz=\"0 0 -0.12\"/><mass value=\"0.15\"/>\
             <inertia ixx=\"5e-4\" iyy=\"5e-4\" izz=\"5e-5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
             <joint name=\"hip_{name}\" type=\"continuous\"><parent link=\"body\"/><child link=\"{name}\"/>\
             <origin xyz=\"{x} 0 0\"/><axis xyz=\"0 1 0\"/></joint>"
        )
    };
    let robot = format!(
        "<robot name=\"two_legs\"><link name=\"body\"><inertial><mass value=\"2\"/>\
         <inertia ixx=\"0.00273\" iyy=\"0.0160667\" izz=\"0.0166667\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>{}{}</robot>",
        leg("front", 0.15),
        leg("hind", -0.15)
    );
    let text = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"two_legs.urdf\"\nbase = \"planar\"\n\
                joint = { \"*\" = { friction = 0.5 } }\n[initial.base]\nz = 0.238_215_978_681_897_98\n[initial.joints]\nhip_front = 0.2\nhip_hind = 0.2\n\
                [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.3\nrestitution = 0.0\nsite = [\n\
                { name = \"front\", link = \"front\", kind = \"point\", position = [0, 0, -0.24] },\n\
                { name = \"hind\", link = \"hind\", kind = \"point\", position = [0, 0, -0.24] },\n]\n\
                [[terrain]]\nkind = \"plane\"\nname = \"table\"\n\
                motion = { shake = { amplitude = [0.0, 0.0, 0.002], frequency_Hz = 15.0 } }\n\
                [controller]\nkind = \"servo\"\n\
                joint = [{ joints = \"hip_*\", stiffness = 40.0, damping = 0.8, target = 0.2 }]\n";
    let scenario = Scenario::parse("shaken.toml", text, &[]).unwrap();
    let experiment = Experiment::with_robot("shaken.toml", scenario, &robot).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    let mut before = simulation.energies().unwrap().balance();
    let (mut rested, mut loose) = (false, 0);
    while simulation.time() < 0.45 {
        simulation.advance().unwrap();
        let now = simulation.energies().unwrap().balance();
        let rests = simulation.velocity().unwrap()[4].abs() < 1e-9;
        if rested && !rests {
            loose += 1;
            let (time, missed) = (simulation.time(), now - before);
            assert!(missed.abs() < 2e-4, "{time}: {missed:e}");
        }
        (before, rested) = (now, rests);
    }
    assert!(loose > 2, "{loose}");
}
