//! Ground that is not flat or does not rest: height fields, belts.

use carom::contact::{Combination, Contacts, HeightField, Material, Site, SiteShape, Terrain};
use carom::discrete::linearization::HeldStep;
use carom::discrete::{StepInput, StepSettings, Stepper, held::HeldContact};
use carom::friction::HeldMode;
use carom::hybrid::{Event, EventKind, Simulation, SimulationSettings};
use carom::impact::MaxDissipation;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;

/// A mass of 1 kg that moves along x, y and z without turning.
fn mass_point() -> Model {
    let light = |name: &str| Link::new(name);
    let body = Link::new("body").inertial(1.0, Vector3::zeros(), Matrix3::identity() * 1e-3);
    ModelBuilder::new("mass point")
        .base(Base::Fixed)
        .link(light("ground"))
        .link(light("along"))
        .link(light("across"))
        .link(body)
        .joint(Joint::prismatic("x", "ground", "along").axis([1.0, 0.0, 0.0]))
        .joint(Joint::prismatic("y", "along", "across").axis([0.0, 1.0, 0.0]))
        .joint(Joint::prismatic("z", "across", "body").axis([0.0, 0.0, 1.0]))
        .build()
        .unwrap()
}

/// A block of 2 kg, 0.5 m × 0.6 m × 0.2 m, with a point at each of its lower corners.
fn block() -> (Model, Vec<[f64; 3]>) {
    let model = ModelBuilder::new("block")
        .base(Base::Floating)
        .link(Link::new("block").solid_box(2.0, [0.5, 0.6, 0.2], Vector3::zeros()))
        .build()
        .unwrap();
    let corners = [(-0.25, -0.3), (-0.25, 0.3), (0.25, -0.3), (0.25, 0.3)];
    (model, corners.map(|(x, y)| [x, y, -0.1]).to_vec())
}

fn contacts(
    model: &Model,
    link: &str,
    points: &[[f64; 3]],
    shape: SiteShape,
    terrain: Terrain,
) -> Contacts {
    let material = terrain.material;
    let sites = points.iter().enumerate().map(|(i, point)| {
        Site::new(model, &format!("corner{i}"), link, *point, shape, material).unwrap()
    });
    Contacts::new(
        model,
        sites.collect(),
        vec![terrain],
        &[],
        Combination::Minimum,
    )
    .unwrap()
}

fn simulation(model: Model, contacts: Contacts, h: f64, q: &[f64], v: &[f64]) -> Simulation {
    let mut settings = SimulationSettings {
        time_step: h,
        ..SimulationSettings::default()
    };
    settings.solver.tolerance = 1e-14;
    Simulation::builder(model)
        .contacts(contacts)
        .law(MaxDissipation::default())
        .settings(settings)
        .state(q, v)
        .build()
        .unwrap()
}

fn advance(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        let summary = sim.advance().unwrap();
        assert_eq!((summary.halvings, summary.pieces), (0, 1));
    }
}

/// Nothing happens after the contacts are held at the start.
fn assert_no_event(sim: &mut Simulation) {
    let later: Vec<_> = sim.take_events();
    let later = later
        .iter()
        .filter(|e| e.time > 0.0 || e.kind != EventKind::Hold);
    assert_eq!(later.collect::<Vec<_>>(), Vec::<&Event>::new());
}

/// x in cells of 1 mm and more than 12 m of them.
const BORDERS: usize = 10_000;

#[test]
fn a_block_slides_over_ten_thousand_borders_as_over_a_plane() {
    let material = Material::new(0.2, 0.0);
    let field =
        HeightField::of_function([-1.0, -1.0], [1e-3, 2.0], [14_001, 2], |_, _| 0.0).unwrap();
    let plane = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let ends = [Terrain::heights("floor", field, material), plane].map(|terrain| {
        let (model, corners) = block();
        let contacts = contacts(&model, "block", &corners, SiteShape::Point, terrain);
        let q = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0];
        let mut sim = simulation(model, contacts, 1e-3, &q, &[12.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        advance(&mut sim, 1000);
        assert_no_event(&mut sim);
        assert_eq!(sim.state().held.len(), 4);
        sim.state().q.clone()
    });
    // 12 t − μ g t²/2 m, and each corner passes a border a millimetre.
    let way = 12.0 - 0.5 * 0.2 * GRAVITY;
    assert!((ends[0][0] - way).abs() < 1e-9 && way * 1e3 > BORDERS as f64);
    // The spline of zeros is zero, its normal is z: the same numbers all the way.
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn a_block_slides_over_ten_thousand_borders_of_waves_without_an_event() {
    // Waves of 1 m; the acceleration that follows them is at most v² a k² = 2.5 m/s².
    let (a, k, speed) = (2.5e-3, std::f64::consts::TAU, 5.0);
    let material = Material::new(0.0, 0.0);
    let waves = HeightField::of_function([-1.0, -1.0], [5e-4, 2.0], [16_001, 2], |x, _| {
        a * (k * x).sin()
    })
    .unwrap();
    let (model, corners) = block();
    let contacts = contacts(
        &model,
        "block",
        &corners,
        SiteShape::Point,
        Terrain::heights("waves", waves, material),
    );
    // Corners at 0 and 0.5 m, on the nodes of the wave; the pitch rate keeps them on it.
    let pitch = a * k * speed / (0.25 + 0.1 * a * k);
    let q = [0.25, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0];
    let mut sim = simulation(
        model,
        contacts,
        1e-3,
        &q,
        &[speed, 0.0, 0.0, 0.0, pitch, 0.0],
    );
    let start = sim.energies().unwrap().balance();
    let mut swing = 0.0_f64;
    for _ in 0..1000 {
        advance(&mut sim, 1);
        swing = swing.max((sim.energies().unwrap().balance() - start).abs());
        assert!(sim.gaps().iter().all(|gap| gap.abs() < 1e-9));
    }
    assert_no_event(&mut sim);
    assert_eq!(sim.state().held.len(), 4);
    assert!((sim.state().q[0] - 0.25) / 5e-4 > 0.99 * BORDERS as f64);
    println!("energy within {swing:e} J");
    // Heave and pitch follow waves of ω = k v = 31/s with at most ½ m (v a k)² = 6.2e-3 J and ½ I (v a k/0.25 m)² = 2.4e-3 J,
    // of which the midpoint rule misses a share of (ω h)²/4 = 2.5e-4.
    assert!(swing < 2.2e-6, "{swing:e}");
}

/// A bowl with axes of different curvature, in cells of 0.1 m.
fn bowl() -> HeightField {
    HeightField::of_function([-1.5; 2], [0.1; 2], [31, 31], |x, y| {
        0.4 * x * x + 0.6 * y * y
    })
    .unwrap()
}

/// Runs a sphere of a radius from rest in the bowl without friction.
fn bead(radius: f64, h: f64, steps: usize, mut seen: impl FnMut(&mut Simulation)) -> Simulation {
    let (model, field) = (mass_point(), bowl());
    let (x, y) = (0.4, -0.3);
    let foot = field.at(x, y);
    let normal = Vector3::new(-foot.gradient.x, -foot.gradient.y, 1.0).normalize();
    let start = Vector3::new(x, y, foot.value) + normal * radius;
    let smooth = Material::new(0.0, 0.0);
    let shape = SiteShape::Sphere { radius };
    let contacts = contacts(
        &model,
        "body",
        &[[0.0; 3]],
        shape,
        Terrain::heights("bowl", field, smooth),
    );
    let mut sim = simulation(model, contacts, h, start.as_slice(), &[0.0; 3]);
    for _ in 0..steps {
        advance(&mut sim, 1);
        seen(&mut sim);
    }
    assert_no_event(&mut sim);
    sim
}

#[test]
fn a_sphere_slides_in_a_bowl_to_second_order() {
    for radius in [0.0, 0.2] {
        let end = |steps: usize| {
            bead(radius, 1.0 / steps as f64, steps, |_| {})
                .state()
                .q
                .clone()
        };
        let reference = end(3200);
        let errors = [50, 100, 200].map(|steps| {
            let found = end(steps);
            let squares = found.iter().zip(&reference).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>().sqrt()
        });
        println!("radius {radius}: {errors:?}");
        for pair in errors.windows(2) {
            // The fourth-order term of 20 ms and the reference's own error, 1/256 of the last, move the ratio 4.
            let ratio = pair[0] / pair[1];
            assert!((3.7..4.4).contains(&ratio), "radius {radius}: {errors:?}");
        }
    }
}

#[test]
fn the_energy_of_a_point_in_a_bowl_has_no_trend() {
    let band = |h: f64| {
        let mut energies = Vec::new();
        let steps = (8.0 / h).round() as usize;
        bead(0.0, h, steps, |sim| {
            energies.push(sim.energies().unwrap().balance())
        });
        let first = energies[0];
        let most = |part: &[f64]| part.iter().fold(0.0_f64, |m, e| m.max((e - first).abs()));
        let (early, late) = energies.split_at(energies.len() / 2);
        [most(early), most(late)]
    };
    let [coarse, fine] = [band(8e-3), band(4e-3)];
    println!("{coarse:?} {fine:?}");
    // Of second order, and no larger in the second half than in the first but for how the two swings beat.
    assert!(coarse[1] < 1.5 * coarse[0] && fine[1] < 1.5 * fine[0]);
    assert!((3.0..5.0).contains(&(coarse[0] / fine[0])));
}

/// Derivatives of a step on a held contact against differences of steps.
fn check_derivatives(
    terrain: Terrain,
    shape: SiteShape,
    start: [f64; 3],
    v: [f64; 3],
) -> [HeldMode; 2] {
    let model = mass_point();
    let contacts = contacts(&model, "body", &[[0.0; 3]], shape, terrain);
    let settings = StepSettings {
        tolerance: 1e-15,
        ..StepSettings::default()
    };
    let mut stepper = Stepper::new(&model, settings);
    let mut take = |x: &[f64], derivatives: bool| {
        let (q0, p0, applied) = (&x[..3], &x[3..6], &x[6..9]);
        let h = 0.01 + x[9];
        let mut held = [HeldContact::new(0)];
        let (mut mean, mut q1, mut p1) = (v, [0.0; 3], [0.0; 3]);
        let input = StepInput {
            model: &model,
            contacts: &contacts,
            q0,
            p0,
            applied,
            servos: &[],
            h,
            whole: h,
            closed_gap: 1e-3,
        };
        stepper
            .step(&input, &mut held, &mut [], &mut mean, &mut q1, &mut p1)
            .unwrap();
        let step = HeldStep {
            model: &model,
            contacts: &contacts,
            held: &held,
            joints: &[],
            configuration: q0,
            mean_velocity: &mean,
            end_momentum: &p1,
            applied,
            time_step: h,
            two_sided: false,
        };
        let matrix = derivatives.then(|| step.derivatives().unwrap());
        ([q1, p1].concat(), matrix, held[0].modes)
    };
    let mut x = [start.to_vec(), v.to_vec(), vec![0.3, -0.2, 0.1, 0.0]].concat();
    let (_, matrix, modes) = take(&x, true);
    let matrix = matrix.unwrap();
    for j in 0..10 {
        // Central differences err by step² times third derivatives of a few hundred, and by rounding/step.
        let step = 1e-6;
        let (at, mut ends) = (x[j], Vec::new());
        for side in [step, -step] {
            x[j] = at + side;
            ends.push(take(&x, false).0);
        }
        x[j] = at;
        for i in 0..6 {
            let difference = (ends[0][i] - ends[1][i]) / (2.0 * step);
            let exact = matrix[(i, j)];
            assert!(
                (difference - exact).abs() < 1e-7 * (1.0 + exact.abs()),
                "row {i} column {j}: {exact} {difference}"
            );
        }
    }
    modes
}

#[test]
fn derivatives_of_steps_on_heights_are_those_of_differences() {
    let hills = HeightField::of_function([-3.0; 2], [0.2; 2], [31, 31], |x, y| {
        0.2 * (1.3 * x).sin() * (1.1 * y + 0.3).cos()
    })
    .unwrap();
    let at = |radius: f64| {
        let foot = hills.at(0.33, 0.47);
        let normal = Vector3::new(-foot.gradient.x, -foot.gradient.y, 1.0).normalize();
        (Vector3::new(0.33, 0.47, foot.value) + normal * radius, foot)
    };
    for radius in [0.0, 0.15] {
        let (start, foot) = at(radius);
        // Along the surface.
        let v = [1.0, 0.5, foot.gradient.x + 0.5 * foot.gradient.y];
        let shape = SiteShape::Sphere { radius };
        for (friction, belt) in [(0.0, [0.0; 3]), (0.4, [0.0; 3]), (0.4, [0.4, -0.3, 0.0])] {
            let material = Material::new(friction, 0.0);
            let terrain = Terrain::heights("hills", hills.clone(), material).moving(belt);
            let modes = check_derivatives(terrain, shape, start.into(), v);
            let slides = modes.iter().all(|m| matches!(m, HeldMode::Slide(_)));
            assert_eq!(slides, friction > 0.0, "{modes:?}");
        }
    }
}

#[test]
fn a_block_on_a_belt_reaches_its_speed_when_friction_says() {
    let (friction, speed) = (0.5, 1.0);
    let belt = Terrain::plane(
        "belt",
        [0.0; 3],
        [0.0, 0.0, 1.0],
        Material::new(friction, 0.0),
    )
    .moving([speed, 0.0, 0.0]);
    let (model, corners) = block();
    let contacts = contacts(&model, "block", &corners, SiteShape::Point, belt);
    let q = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0];
    let mut sim = simulation(model, contacts, 1e-3, &q, &[0.0; 6]);
    let start = sim.energies().unwrap().balance();
    let a = friction * GRAVITY;
    advance(&mut sim, 100);
    // A constant force is exact in the midpoint rule.
    assert!((sim.velocity().unwrap()[0] - a * 0.1).abs() < 1e-9);
    assert!((sim.state().q[0] - 0.5 * a * 0.01).abs() < 1e-9);
    for _ in 100..400 {
        sim.advance().unwrap();
    }
    let stop = speed / a;
    assert!((sim.velocity().unwrap()[0] - speed).abs() < 1e-9);
    // The end of the slide is located to 1e-6 of what a step changes.
    let place = 0.5 * speed * stop + speed * (0.4 - stop);
    assert!(
        (sim.state().q[0] - place).abs() < 1e-8,
        "{} {place}",
        sim.state().q[0]
    );
    // The belt does m v², of which friction takes a half.
    let energies = sim.energies().unwrap();
    let (belt, friction) = (energies.work.surfaces, energies.work.dissipative);
    assert!(
        (belt - 2.0).abs() < 1e-6 && (friction + 1.0).abs() < 1e-6,
        "{belt} {friction}"
    );
    // Forces are constant: the ledger closes to the rounding of a few hundred steps and to where the slide ended.
    assert!(
        (energies.balance() - start).abs() < 1e-9,
        "{:e}",
        energies.balance() - start
    );
}

#[test]
fn a_mass_that_falls_on_a_belt_is_pulled_along_by_the_impact() {
    // Friction takes μ times the normal impulse m u, or what the belt's speed takes.
    for (friction, speed) in [(0.3, 2.0), (0.9, 0.7)] {
        let belt = Terrain::plane(
            "belt",
            [0.0; 3],
            [0.0, 0.0, 1.0],
            Material::new(friction, 0.0),
        )
        .moving([0.0, speed, 0.0]);
        let model = mass_point();
        let contacts = contacts(&model, "body", &[[0.0; 3]], SiteShape::Point, belt);
        let fall = 1.5_f64;
        let mut sim = simulation(model, contacts, 1e-3, &[0.0, 0.0, 1e-3], &[0.0, 0.0, -fall]);
        let start = sim.energies().unwrap().balance();
        sim.advance().unwrap();
        let impact = sim
            .take_events()
            .into_iter()
            .find(|e| e.kind == EventKind::Impact)
            .unwrap();
        let record = impact.impact.unwrap();
        let [before, after] = [&record.velocity_before, &record.velocity_after];
        let expected = (friction * -before[2]).min(speed);
        assert!(
            (after[1] - expected).abs() < 1e-9 && after[2].abs() < 1e-9,
            "{after:?} {expected}"
        );
        assert!((record.energy_before - 0.5 * before[2] * before[2]).abs() < 1e-9);
        assert!((record.energy_after - 0.5 * expected * expected).abs() < 1e-9);
        let energies = sim.energies().unwrap();
        let slides = if friction < 0.5 {
            friction * GRAVITY * 1e-3
        } else {
            0.0
        };
        // In the impact, and in what is left of the step (at most 1 ms).
        let least = expected * speed;
        assert!(
            energies.work.surfaces >= least - 1e-9
                && energies.work.surfaces <= least + slides * speed + 1e-9
        );
        assert!((energies.balance() - start).abs() < 1e-9);
    }
}
