//! Bodies that touch bodies: momenta that stay, outcomes of textbooks, a ball that leaves a ball, a load on a cart.

use carom::contact::{
    CarriedSurface, CollisionKind, Combination, Contacts, Material, Site, Terrain, collision_sites,
    collision_surfaces,
};
use carom::discrete::StepSettings;
use carom::dynamics::spatial_momentum;
use carom::hybrid::{Simulation, SimulationSettings, Unwatched};
use carom::impact::{MaxDissipation, Propagative};
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder};
use carom::spatial::Pose;
use nalgebra::Vector3;

/// Steps solved to the last digits.
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

fn solid(name: &str, mass: f64, geometry: Geometry) -> Model {
    let link = Link::new(name)
        .solid(mass, &geometry)
        .shape(Pose::identity(), geometry, true);
    Model::loose(name, link).unwrap()
}

fn beside(models: Vec<Model>, gravity: f64) -> Model {
    let mut models = models.into_iter();
    let first = models.next().unwrap();
    let all = models.fold(first, |all, next| all.beside(next).unwrap());
    all.with_gravity(Vector3::new(0.0, 0.0, -gravity))
}

/// Every collision shape touches every other body's, and the terrain.
fn touching(model: &Model, terrain: Vec<Terrain>, material: Material) -> Contacts {
    let sites = collision_sites(model, &CollisionKind::ALL, material);
    let surfaces = collision_surfaces(model, &CollisionKind::ALL, material);
    Contacts::new(model, sites, terrain, &[], Combination::Minimum)
        .unwrap()
        .with_carried(surfaces, |_, _| true, Combination::Minimum)
        .unwrap()
}

/// Entries of the momentum and its moment about the origin.
fn momentum(simulation: &mut Simulation) -> Vec<f64> {
    simulation.velocity().unwrap();
    let total = spatial_momentum(simulation.model(), simulation.kinematics());
    total
        .linear
        .iter()
        .chain(total.angular.iter())
        .copied()
        .collect()
}

fn largest_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn names_and_places_of_what_stands_beside_are_its_own() {
    let model = beside(
        vec![
            carom::model::sample::chain(2).unwrap(),
            solid("ball", 1.0, Geometry::Sphere(0.1)),
            solid("crate", 2.0, Geometry::Box([0.2; 3])),
        ],
        9.81,
    );
    assert_eq!((model.dof(), model.configuration_len()), (14, 16));
    assert_eq!(model.coordinate_names()[2], "ball.vx");
    assert_eq!(model.configuration_names()[15], "crate.qw");
    assert_eq!(model.base(), Base::Fixed);
    assert_eq!(model.link("crate").unwrap().body, Some(3));
    assert!((model.mass() - 5.0).abs() < 1e-15);
    let twice = model.beside(solid("ball", 1.0, Geometry::Sphere(0.1)));
    assert!(twice.unwrap_err().to_string().contains("named \"ball\""));
}

#[test]
fn equal_balls_head_on_swap_their_velocities() {
    let ball = |name| solid(name, 1.0, Geometry::Sphere(0.1));
    let model = beside(vec![ball("a"), ball("b"), ball("c")], 0.0);
    let contacts = touching(&model, vec![], Material::new(0.0, 1.0));
    let names: Vec<&str> = (0..contacts.len()).map(|i| contacts.name(i)).collect();
    assert_eq!(names, ["a@b_sphere", "a@c_sphere", "b@c_sphere"]);
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(Propagative::default())
        .settings(settings(1e-3))
        .position("b.x", 0.5)
        .position("c.x", 0.7)
        .rate("a.vx", 1.0)
        .build()
        .unwrap();
    simulation.run_until(0.5, &mut Unwatched).unwrap();
    let v = simulation.velocity().unwrap().to_vec();
    let along = [0, 6, 12].map(|i| v[i]);
    // Roundings of velocities of order one.
    assert!(
        largest_change(&along, &[0.0, 0.0, 1.0]) < 1e-12,
        "{along:?}"
    );
    assert_eq!(simulation.state().impacts, 1);
}

#[test]
fn a_ball_that_strikes_a_box_off_its_centre_keeps_all_momenta() {
    for (geometry, restitution) in [
        (Geometry::Box([0.6, 0.5, 0.4]), 0.0),
        (Geometry::Capsule(0.2, 0.6), 0.0),
        (Geometry::Cylinder(0.25, 0.5), 0.0),
    ] {
        let model = beside(
            vec![
                solid("ball", 1.0, Geometry::Sphere(0.1)),
                solid("target", 2.0, geometry),
            ],
            0.0,
        );
        let contacts = touching(&model, vec![], Material::new(0.4, restitution));
        let mut simulation = Simulation::builder(model)
            .contacts(contacts)
            .law(MaxDissipation::default())
            .settings(settings(1e-3))
            .position("target.x", 0.7)
            .position("target.z", -0.12)
            .position("target.y", 0.05)
            .rate("ball.vx", 2.0)
            .rate("ball.wy", 9.0)
            .rate("target.wz", 0.5)
            .build()
            .unwrap();
        let before = momentum(&mut simulation);
        let mut struck = 0.0;
        for _ in 0..500 {
            simulation.advance().unwrap();
            let now = momentum(&mut simulation);
            let change = largest_change(&now, &before);
            // 500 steps of roundings of momenta of order one, each solved to 1e-14 of them, and the moment of
            // friction across a gap of 1e-12 m.
            assert!(change < 5e-12, "{geometry:?} {change}");
            struck = simulation.velocity().unwrap()[6];
        }
        assert!(
            simulation.state().impacts > 0 && struck.abs() > 0.1,
            "{geometry:?}"
        );
    }
}

#[test]
fn a_ball_pressed_against_the_end_of_a_turning_arm_keeps_all_momenta_while_it_is_held() {
    let plate = Geometry::Box([0.2, 2.0, 2.0]);
    let beam = Geometry::Box([1.8, 0.1, 0.1]);
    let arm = Link::new("arm").solid(4.0, &beam).shape(
        Pose::new(nalgebra::Matrix3::identity(), [1.0, 0.0, 0.0].into()),
        plate,
        true,
    );
    let model = beside(
        vec![
            Model::loose("arm", arm).unwrap(),
            solid("ball", 1.0, Geometry::Sphere(0.1)),
        ],
        0.0,
    );
    let contacts = touching(&model, vec![], Material::new(0.6, 0.0));
    let turn = 2.0;
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(settings(1e-3))
        .position("ball.x", 0.8)
        .position("ball.y", 0.3)
        .rate("arm.wz", turn)
        .rate("ball.vx", -0.3 * turn)
        .rate("ball.vy", 0.8 * turn)
        .rate("ball.wz", turn)
        .build()
        .unwrap();
    let before = momentum(&mut simulation);
    let mut held = 0;
    for _ in 0..300 {
        simulation.advance().unwrap();
        held += simulation.state().held.len();
        let change = largest_change(&momentum(&mut simulation), &before);
        // As above.
        assert!(change < 5e-12, "{change}");
    }
    assert!(held > 250, "{held}");
}

/// The angle from the top at which a ball leaves a fixed one on which it started at rest, and the energy lost by then.
fn leaving_angle(h: f64, start: f64) -> (f64, f64) {
    let base = ModelBuilder::new("base")
        .link(Link::new("below").shape(Pose::identity(), Geometry::Sphere(0.6), true))
        .build()
        .unwrap();
    let model = beside(vec![base, solid("ball", 1.0, Geometry::Sphere(0.4))], 9.81);
    let contacts = touching(&model, vec![], Material::new(0.0, 0.0));
    assert_eq!(contacts.name(0), "ball@below_sphere");
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .settings(settings(h))
        .position("ball.x", start.sin())
        .position("ball.z", start.cos())
        .build()
        .unwrap();
    let energy = simulation.energies().unwrap().balance();
    for _ in 0..20_000 {
        simulation.advance().unwrap();
        let now = simulation.time();
        if simulation.state().held.is_empty() && now > 0.1 {
            let left = simulation.energies().unwrap().balance();
            let q = &simulation.state().q;
            return (q[0].atan2(q[2]), (left - energy).abs());
        }
    }
    panic!("the ball does not leave");
}

#[test]
fn a_ball_leaves_a_ball_at_two_thirds_of_its_height() {
    let start = 0.2_f64;
    let exact = (start.cos() * 2.0 / 3.0).acos();
    for h in [4e-3, 1e-3] {
        let (angle, lost) = leaving_angle(h, start);
        // It leaves at the latest one step later, in which it turns by (v/r) h; v² = 2 g (cos 0.2 − cos θ), r = 1 m.
        let turn = (2.0 * 9.81 * (start.cos() - exact.cos())).sqrt();
        assert!(
            (angle - exact).abs() < 1.1 * turn * h,
            "{h} {angle} {exact}"
        );
        // Of order h², with the rate of change of the potential energy over a step as scale.
        assert!(lost < 20.0 * h * h, "{h} {lost}");
    }
}

/// A cart of 3 kg on rails under a constant force with a box of 1 kg on it: velocity of the cart and of the box, and
/// how far the box is from where it stood on the cart.
fn load_on_cart(force: f64, friction: f64) -> [f64; 3] {
    let deck = Geometry::Box([4.0, 1.0, 0.2]);
    let cart = ModelBuilder::new("cart")
        .link(Link::new("rail"))
        .link(
            Link::new("cart")
                .solid(3.0, &deck)
                .shape(Pose::identity(), deck, true),
        )
        .joint(Joint::prismatic("drive", "rail", "cart").axis([1.0, 0.0, 0.0]))
        .build()
        .unwrap();
    let model = beside(
        vec![cart, solid("load", 1.0, Geometry::Box([0.4, 0.3, 0.2]))],
        9.81,
    );
    let contacts = touching(&model, vec![], Material::new(friction, 0.0));
    let push = move |_: &carom::control::Observation<'_>, efforts: &mut [f64]| efforts[0] = force;
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .controller(push)
        .settings(settings(1e-3))
        .position("load.z", 0.2)
        .build()
        .unwrap();
    simulation.run_until(0.5, &mut Unwatched).unwrap();
    let v = simulation.velocity().unwrap().to_vec();
    let q = &simulation.state().q;
    [v[0], v[1], q[1] - q[0]]
}

#[test]
fn a_load_on_a_cart_goes_with_it_until_friction_gives_way() {
    // 8 N on 4 kg: 2 m/s², less than μ g = 4.9 m/s².
    let [cart, load, apart] = load_on_cart(8.0, 0.5);
    // A constant force is met exactly by the midpoint rule; 500 steps of 1e-10 of the momentum.
    assert!(
        (cart - 1.0).abs() < 1e-9 && (load - 1.0).abs() < 1e-9,
        "{cart} {load}"
    );
    assert!(apart.abs() < 1e-9, "{apart}");
    // With μ = 0.1 the load gets 0.981 m/s² and the cart (8 − 0.981)/3.
    let [cart, load, apart] = load_on_cart(8.0, 0.1);
    let (slow, fast) = (0.981, (8.0 - 0.981) / 3.0);
    assert!((load - 0.5 * slow).abs() < 1e-6 && (cart - 0.5 * fast).abs() < 1e-6);
    assert!((apart - 0.125 * (slow - fast)).abs() < 1e-5, "{apart}");
}

#[test]
fn a_box_on_a_free_box_on_the_floor_comes_to_rest_where_it_fell() {
    let model = beside(
        vec![
            solid("below", 4.0, Geometry::Box([0.6, 0.6, 0.2])),
            solid("above", 1.0, Geometry::Box([0.3, 0.3, 0.1])),
        ],
        9.81,
    );
    let rubber = Material::new(0.6, 0.0);
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = touching(&model, vec![floor], rubber);
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .time_step(2e-3)
        .position("below.z", 0.1)
        .position("above.z", 0.35)
        .position("above.x", 0.05)
        .build()
        .unwrap();
    simulation.run_until(1.0, &mut Unwatched).unwrap();
    let q = simulation.state().q.clone();
    // Gaps are held to 1e-9 m; a level fall has no way sideways.
    assert!(
        (q[2] - 0.1).abs() < 1e-8 && (q[9] - 0.25).abs() < 1e-8,
        "{q:?}"
    );
    assert!((q[7] - 0.05).abs() < 1e-8, "{q:?}");
    let v = simulation.velocity().unwrap();
    assert!(v.iter().all(|x| x.abs() < 1e-8), "{v:?}");
    // Four corners of the upper box carry it; those of the lower one are beside it.
    let contacts = simulation.contacts();
    let names = simulation
        .state()
        .held
        .iter()
        .map(|h| contacts.name(h.contact));
    assert_eq!(names.filter(|name| name.ends_with("@below_box")).count(), 4);
}

#[test]
fn what_is_far_is_not_looked_at_and_what_passes_within_a_step_is_found() {
    // A fast small ball towards the middle of another: a step of 0.2 m leads from 0.07 m before it to 0.07 m behind.
    let model = beside(
        vec![
            solid("fast", 0.01, Geometry::Sphere(0.01)),
            solid("heavy", 1e3, Geometry::Sphere(0.02)),
        ],
        0.0,
    );
    let material = Material::new(0.0, 1.0);
    let site = Site::sphere(&model, "fast", "fast", [0.0; 3], 0.01, material).unwrap();
    let pose = Pose::identity();
    let surface = CarriedSurface::new(
        &model,
        "heavy",
        "heavy",
        &pose,
        Geometry::Sphere(0.02),
        material,
    );
    let contacts = Contacts::new(&model, vec![site], vec![], &[], Combination::Minimum)
        .unwrap()
        .with_carried(vec![surface.unwrap()], |_, _| true, Combination::Minimum)
        .unwrap();
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .settings(settings(1e-3))
        .position("fast.x", -0.5)
        .rate("fast.vx", 200.0)
        .build()
        .unwrap();
    simulation.run_until(0.01, &mut Unwatched).unwrap();
    assert_eq!(simulation.state().impacts, 1);
    assert!(simulation.velocity().unwrap()[0] < -199.0);
}
