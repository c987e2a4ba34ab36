//! Cylinders that fall on the flat of an end: the strike at that moment, the energy on the way there.

use carom::contact::{
    CollisionKind, Combination, Contacts, HeightField, Material, Site, SiteShape, Terrain,
    collision_sites,
};
use carom::hybrid::{EventKind, Simulation, SimulationSettings};
use carom::impact::MaxDissipation;
use carom::model::{Geometry, Link, Model};
use carom::scenario::{Experiment, Scenario};
use carom::spatial::Pose;
use nalgebra::{UnitQuaternion, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::loose::{energy, turn};

const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// A cylinder of 1 kg over terrain in steps of a millisecond, turned by roll and pitch, with its lowest point `height` above z = 0.
fn cylinder(
    length: f64,
    [roll, pitch]: [f64; 2],
    height: f64,
    friction: f64,
    terrain: Terrain,
) -> Simulation {
    let settings = SimulationSettings::default();
    cylinder_in_steps(settings, length, [roll, pitch], height, friction, terrain)
}

fn cylinder_in_steps(
    settings: SimulationSettings,
    length: f64,
    [roll, pitch]: [f64; 2],
    height: f64,
    friction: f64,
    terrain: Terrain,
) -> Simulation {
    let model = model(length);
    let sites = collision_sites(&model, &CollisionKind::ALL, Material::new(friction, 0.0));
    with_sites(
        model,
        sites,
        settings,
        length,
        [roll, pitch],
        height,
        terrain,
    )
}

fn model(length: f64) -> Model {
    let geometry = Geometry::Cylinder(RADIUS, length);
    let link = Link::new("cylinder")
        .solid(1.0, &geometry)
        .shape(Pose::identity(), geometry, true);
    Model::loose("cylinder", link)
        .unwrap()
        .with_gravity(Vector3::new(0.0, 0.0, -GRAVITY))
}

fn with_sites(
    model: Model,
    sites: Vec<Site>,
    settings: SimulationSettings,
    length: f64,
    [roll, pitch]: [f64; 2],
    height: f64,
    terrain: Terrain,
) -> Simulation {
    let contacts = Contacts::new(&model, sites, vec![terrain], &[], Combination::Minimum).unwrap();
    let turn = UnitQuaternion::from_euler_angles(roll, pitch, 0.0);
    let axis = turn * Vector3::z();
    let lowest = RADIUS * axis.x.hypot(axis.y) + 0.5 * length * axis.z.abs();
    let mut builder = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(settings)
        .position("cylinder.z", lowest + height);
    for (name, x) in ["qx", "qy", "qz", "qw"].iter().zip(turn.coords.iter()) {
        builder = builder.position(&format!("cylinder.{name}"), *x);
    }
    builder.build().unwrap()
}

fn floor() -> Terrain {
    Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], Material::new(10.0, 0.0))
}

/// The same floor as heights.
fn even_heights() -> Terrain {
    let field = HeightField::of_function([-3.0; 2], [0.1; 2], [61; 2], |_, _| 0.0).unwrap();
    Terrain::heights("floor", field, Material::new(10.0, 0.0))
}

/// Without friction and in a plane a cylinder that stands on its edge turns about the point of contact, u = R ω there,
/// until its other side strikes with 2 R ω. Where I < m R² both sides press in that strike and all motion ends; else the
/// first side lifts off and ω goes on by (I − m R²)/(I + m R²) of what it was (an impulse at the other side that stops it
/// there: m Δv = P, I Δω = −P R).
#[test]
fn what_a_flat_fall_leaves_is_that_of_one_strike_of_both_sides() {
    for length in [0.2, 0.6] {
        let inertia = (3.0 * RADIUS * RADIUS + length * length) / 12.0;
        let square = RADIUS * RADIUS;
        let left = ((inertia - square) / (inertia + square)).max(0.0).powi(2);
        let mut simulation = cylinder(length, [0.2, 0.0], 0.0, 0.0, floor());
        let struck = loop {
            simulation.advance().unwrap();
            let events = simulation.take_events();
            if let Some(event) = events.into_iter().find(|e| e.kind == EventKind::Impact) {
                break event.impact.unwrap();
            }
        };
        let share = struck.energy_after / struck.energy_before;
        // The strike is located to a tilt of 1e-11 and the law solved to 1e-10.
        assert!((share - left).abs() < 1e-8, "{length}: {share} {left}");
    }
}

/// A cylinder that is let fall comes to lie on its end, m g L/2, and has never more energy than before: steps of order
/// two miss at most some h² ω² of it (h ω = 1e-2 while it falls).
#[test]
fn cylinders_that_fall_on_their_ends_lie_there_in_the_end() {
    for turns in [
        [0.5, 0.0],
        [0.5, 0.3],
        [0.03, 0.001],
        [0.05, 1e-6],
        [0.1, 0.003],
    ] {
        for (friction, floor) in [(0.0, floor()), (1.0, floor()), (1.0, even_heights())] {
            let mut simulation = cylinder(0.2, turns, 0.2, friction, floor);
            let mut before = energy(&mut simulation);
            for _ in 0..1000 {
                simulation.advance().unwrap();
                let now = energy(&mut simulation);
                assert!(
                    now < before + 1e-4,
                    "{turns:?} {friction}: {before} becomes {now}"
                );
                before = now;
            }
            let lying = GRAVITY * 0.1;
            assert!(
                (before - lying).abs() < 1e-3,
                "{turns:?} {friction}: {before}"
            );
        }
    }
}

/// A cylinder that lies flat and begins to tip about a point of its rim between the eight that bear it is on that point from the
/// first moment on, although nothing says which one it is while it lies flat.
#[test]
fn a_flat_cylinder_tips_about_any_point_of_its_rim() {
    let (length, rate) = (0.2, 1.0);
    let material = Material::new(0.0, 0.0);
    let top = Terrain::step("top", [-1.0; 3], [1.0, 1.0, 0.0], material);
    for angle in [0.2_f64, std::f64::consts::FRAC_PI_8, 0.6, 2.0] {
        let heights = even_heights();
        for (friction, terrain) in [
            (0.0, &floor()),
            (1.0, &floor()),
            (0.0, &top),
            (1.0, &heights),
        ] {
            let mut simulation = cylinder(length, [0.0; 2], 0.0, friction, terrain.clone());
            let q = simulation.state().q.clone();
            let (s, c) = angle.sin_cos();
            let v = [0.5 * length * c, 0.5 * length * s, RADIUS, -s, c, 0.0];
            simulation.set_state(&q, &v.map(|x| rate * x)).unwrap();
            for _ in 0..50 {
                simulation.advance().unwrap();
                let deepest = simulation.gaps().iter().copied().fold(0.0, f64::min);
                assert!(deepest >= -1e-9, "{angle} {friction}: {deepest}");
            }
        }
    }
}

/// Without friction nothing takes energy between strikes, however fast the lowest point of a thin disc runs round its rim
/// on the way past being flat: it turns by an eighth of a radian a piece at most, of which the midpoint rule misses a
/// twelfth of the square, 1.3e-3 of the energy that the floor turns round.
#[test]
fn a_disc_whose_lowest_point_runs_round_keeps_its_energy() {
    let throws = [(-5.0, 1.0), (-5.0, 0.5), (-4.0, 0.2), (-6.0, -0.4)];
    runs_round(&throws, || cylinder(0.02, [0.3, 0.0], 0.1, 0.0, floor()));
}

/// The same of an arc of nearly three quarters of the rim, whose ends are contacts of their own.
#[test]
fn an_arc_whose_lowest_point_runs_round_keeps_its_energy() {
    let throws = [(-5.0, 1.0), (-4.0, 0.2), (-6.0, -0.4)];
    runs_round(&throws, || {
        let model = model(0.02);
        let arc = SiteShape::Arc {
            radius: RADIUS,
            axes: [Vector3::x(), Vector3::y()],
            start: -2.2,
            end: 2.2,
            thickness: 0.0,
        };
        let material = Material::new(0.0, 0.0);
        let site = Site::new(&model, "arc", "cylinder", [0.0, 0.0, -0.01], arc, material).unwrap();
        let settings = SimulationSettings::default();
        with_sites(model, vec![site], settings, 0.02, [0.3, 0.0], 0.1, floor())
    });
}

/// Throws what is made with these roll and pitch rates, and looks at its energy while its lowest point runs round.
fn runs_round(throws: &[(f64, f64)], make: impl Fn() -> Simulation) {
    let mut fastest: f64 = 0.0;
    for &(roll_rate, pitch_rate) in throws {
        let mut simulation = make();
        let q = simulation.state().q.clone();
        simulation
            .set_state(&q, &[0.0, 0.0, 0.0, roll_rate, pitch_rate, 0.0])
            .unwrap();
        let mut known = energy(&mut simulation);
        let scale = known;
        let mut direction: Option<Vector3<f64>> = None;
        for _ in 0..500 {
            simulation.advance().unwrap();
            let now = energy(&mut simulation);
            let events = simulation.take_events();
            if events.iter().any(|e| e.kind == EventKind::Impact) {
                known = now;
            }
            let error = (now - known).abs() / scale;
            assert!(error < 1.5e-3, "{roll_rate} {pitch_rate}: {error}");
            let q = &simulation.state().q;
            let turn = turn(q);
            let tilt = (turn * Vector3::z()).cross(&Vector3::z());
            if let Some(before) = direction.replace(tilt) {
                fastest = fastest.max(before.angle(&tilt));
            }
        }
    }
    // What this is about: half a radian in a step and more.
    assert!(fastest > 0.5, "{fastest}");
}

/// A cylinder that slides without friction beyond the edge of a box tips over it, held by both ends of its chord with the edge, and
/// falls off; each strike takes energy, nothing gives any.
#[test]
fn no_cylinder_gains_energy_at_an_edge() {
    let mut simulation = over_an_edge(0.1, 0.3, 0.0, 1e-3);
    let q = simulation.state().q.clone();
    simulation
        .set_state(&q, &[0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
        .unwrap();
    let start = energy(&mut simulation);
    for _ in 0..700 {
        simulation.advance().unwrap();
        // Steps of order two miss some h² ω² of the energy, h ω below 1e-2.
        assert!(energy(&mut simulation) < start + 1e-4);
    }
    let z = simulation.state().q[2];
    assert!(z < -0.3, "{z}");
}

/// A cylinder upright on the top of a box, z = 0, which ends at x = `edge`; its axis is at x = 0.
fn over_an_edge(edge: f64, half_width: f64, friction: f64, time_step: f64) -> Simulation {
    let min = [edge - 2.0 * half_width, -1.0, -1.0];
    let material = Material::new(friction, 0.0);
    let top = Terrain::step("top", min, [edge, 1.0, 0.0], material);
    let settings = SimulationSettings {
        time_step,
        ..SimulationSettings::default()
    };
    cylinder_in_steps(settings, 0.2, [0.0; 2], 0.0, friction, top)
}

/// On a beam that is narrower than a cylinder no point of the rim is over the top: the ends of its chords with both edges carry
/// all of the weight, and nothing moves.
#[test]
fn a_cylinder_rests_on_the_ends_of_its_chords_with_a_narrow_beam() {
    let mut simulation = over_an_edge(0.02, 0.02, 0.5, 1e-3);
    let start = simulation.state().q.clone();
    for _ in 0..500 {
        simulation.advance().unwrap();
    }
    let state = simulation.state();
    for (now, then) in state.q.iter().zip(&start) {
        // What counts as closed.
        assert!((now - then).abs() < 1e-9, "{now} {then}");
    }
    let observed = simulation.observe().unwrap();
    let total: f64 = observed.forces.iter().map(|force| force[0]).sum();
    assert!((total - GRAVITY).abs() < 1e-6, "{total}");
    let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
    let there = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
    let ends = there.filter(|&i| {
        ["_0:yhh", "_0:ylh"]
            .iter()
            .any(|end| contacts.name(i).contains(end))
    });
    assert_eq!(ends.count(), 4);
}

/// A cylinder whose middle is δ beyond the edge of a box turns about it like a pendulum, both ends of the chord sticking:
/// I ω²/2 = m g (height lost), I = m (3 R² + L²)/12 + m (L²/4 + δ²). Steps of order two: half the step, a quarter of the error.
#[test]
fn a_cylinder_tips_over_an_edge_as_a_pendulum_about_it() {
    let (beyond, half) = (0.03, 0.1);
    let inertia =
        (3.0 * RADIUS * RADIUS + 4.0 * half * half) / 12.0 + half * half + beyond * beyond;
    let missed = |steps: usize| {
        let mut simulation = over_an_edge(-beyond, 0.5, 20.0, 0.2 / steps as f64);
        for _ in 0..steps {
            simulation.advance().unwrap();
        }
        let state = simulation.state();
        let angle = 2.0 * state.q[4].atan2(state.q[6]);
        let lost = half - (half * angle.cos() - beyond * angle.sin());
        let speed = simulation.velocity().unwrap()[4];
        assert!(angle > 0.2 && angle < 0.9, "{angle}");
        (0.5 * inertia * speed * speed - GRAVITY * lost).abs()
    };
    let [coarse, fine] = [200, 400].map(missed);
    assert!(coarse < 1e-5, "{coarse}");
    assert!((2.5..6.0).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// Cylinders at any tilt that fall on the edge of a box come to no stop, are nowhere in it, and gain no energy: a nearest point
/// that jumped from one end of the chord to the other did, or had no step.
#[test]
fn cylinders_at_any_tilt_fall_on_an_edge() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut uniform =
        |most: f64| most * ((random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0);
    for drop in 0..24 {
        let edge = uniform(0.08);
        let friction = 0.6 + uniform(0.6);
        let material = Material::new(friction, 0.0);
        let table = Terrain::step(
            "table",
            [edge - 2.0, -2.0, -1.0],
            [edge, 2.0, 0.0],
            material,
        );
        let length = 0.2 + uniform(0.15);
        let turns = [uniform(1.5), uniform(1.5)];
        let mut simulation = cylinder(length, turns, 0.05, friction, table);
        let mut before = energy(&mut simulation);
        for _ in 0..600 {
            simulation.advance().unwrap();
            let now = energy(&mut simulation);
            // Steps of order two miss some h² ω² of it, h ω up to 3e-2 where a disc whirls.
            assert!(now < before + 1e-3, "{drop}: {before} {now}");
            before = now;
            let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
            let there = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
            for i in there {
                // A disc that is held by points of its rim is lower between two by up to R (1 − cos π/8) ROUND.
                let gap = contacts.gap(kinematics, i);
                assert!(gap > -1e-7, "{drop} {} {gap}", contacts.name(i));
            }
        }
    }
}

/// A disc slides along an edge of a table and past the corner, where its rim leaves one edge and comes onto another, or the
/// corner passes from the side to the end of the disc. At the corner itself neither has a normal: runs stopped in ever shorter
/// pieces. No point of either rim is ever in the table.
#[test]
fn discs_slide_past_a_corner() {
    const DISC: f64 = 0.2;
    const THICKNESS: f64 = 0.04;
    for (turns, aside, speed) in [
        ([-0.994442, -0.631655, 1.807647], 0.045541, 0.36589),
        ([0.923316, 1.199527, -2.138178], 0.034324, 0.91684),
        ([1.115557, -1.197244, -0.957801], 0.092263, 0.780306),
        ([0.3, -0.5, 0.8], 0.05, 0.5),
        ([-0.7, 0.4, 2.0], 0.0, 0.8),
    ] {
        let [roll, pitch, yaw] = turns;
        let link = |name: &str, shape: &str| {
            format!(
                r#"<link name="{name}"><inertial><mass value="1"/>
                <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"#
            )
        };
        let slide = |name: &str, parent: &str, child: &str, at: f64, axis: &str| {
            format!(
                r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>
                <origin xyz="0 {at} 0"/><axis xyz="{axis}"/><limit lower="-9" upper="9" effort="0" velocity="0"/></joint>"#
            )
        };
        let disc = format!(
            r#"<collision><origin rpy="{roll} {pitch} {yaw}"/>
            <geometry><cylinder radius="{DISC}" length="{THICKNESS}"/></geometry></collision>"#
        );
        let urdf = format!(
            r#"<robot name="slider"><link name="world"/>{}{}{}{}</robot>"#,
            link("sled", ""),
            link("disc", &disc),
            slide("x", "world", "sled", aside, "1 0 0"),
            slide("z", "sled", "disc", 0.0, "0 0 1"),
        );
        let text = format!(
            "time_step = 1e-3\nduration = 0.7\n[robot]\nfile = \"slider.urdf\"\nbase = \"fixed\"\n\
             [initial]\njoints = {{ x = -0.15, z = 0.3 }}\nvelocities = {{ x = {speed} }}\n\
             [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.0\nrestitution = 0.0\n\
             [[terrain]]\nkind = \"box\"\nname = \"table\"\nmin = [-1.0, -1.0, -1.0]\nmax = [0.0, 0.0, 0.0]\n"
        );
        let scenario = Scenario::parse("slider.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("slider.toml", scenario, &urdf).unwrap();
        let mut simulation = experiment.simulation().unwrap();
        let turn = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let rims = (0..4000).map(|k| {
            let (s, c) = (f64::from(k / 2) * std::f64::consts::TAU / 2000.0).sin_cos();
            let end = if k % 2 == 0 { 0.5 } else { -0.5 };
            turn * Vector3::new(DISC * c, DISC * s, end * THICKNESS)
        });
        let rims: Vec<_> = rims.collect();
        let mut slid = false;
        for _ in 0..700 {
            simulation.advance().unwrap();
            let state = simulation.state();
            let center = Vector3::new(state.q[0], aside, state.q[1]);
            let deepest = (rims.iter().map(|x| (x + center).max())).fold(f64::INFINITY, f64::min);
            assert!(deepest > -1e-9, "{turns:?} {}: {deepest}", state.time);
            slid |= !state.held.is_empty();
        }
        assert!(slid, "{turns:?}");
    }
}

/// A sphere whose centre is over a thin box, and whose lowest point is below it, is in the box.
#[test]
fn a_start_deeper_than_a_box_is_thick_is_refused() {
    let geometry = Geometry::Sphere(0.1);
    let link = Link::new("ball")
        .solid(1.0, &geometry)
        .shape(Pose::identity(), geometry, true);
    let model = Model::loose("ball", link).unwrap();
    let sites = collision_sites(&model, &CollisionKind::ALL, Material::new(0.5, 0.0));
    let board = Terrain::step(
        "board",
        [-0.5, -0.5, -0.05],
        [0.5, 0.5, 0.0],
        Material::new(0.5, 0.0),
    );
    let contacts = Contacts::new(&model, sites, vec![board], &[], Combination::Minimum).unwrap();
    let built = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .position("ball.z", 0.04)
        .build();
    let error = built.err().unwrap().to_string();
    assert!(error.contains("below the surface"), "{error}");
}
