//! Runs with events: bouncing, cradles, Zeno, dips inside a step, start in contact.

use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
use carom::hybrid::{
    BatchError, EventKind, Simulated, Simulation, SimulationError, SimulationSettings, run_batch,
};
use carom::impact::{Propagative, ReflectionOrder};
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::Vector3;

/// A sphere of 1 kg and 0.1 m that floats.
fn sphere(name: &str) -> Model {
    let link = Link::new(name).solid_sphere(1.0, 0.1, Vector3::zeros());
    let builder = ModelBuilder::new(name).base(Base::Floating);
    builder.link(link).build().unwrap()
}

fn ball(restitution: f64, height: f64, settings: SimulationSettings) -> Simulation {
    let model = sphere("ball");
    let material = Material::new(0.3, restitution);
    let site = Site::sphere(&model, "ball", "ball", [0.0; 3], 0.1, material).unwrap();
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts =
        Contacts::new(&model, vec![site], vec![ground], &[], Combination::Minimum).unwrap();
    let mut q = model.neutral_configuration();
    q[2] = 0.1 + height;
    let v = vec![0.0; 6];
    Simulation::new(
        Arc::new(model),
        Arc::new(contacts),
        Box::new(Propagative::default()),
        settings,
        &q,
        &v,
    )
    .unwrap()
}

#[test]
fn a_ball_bounces_with_geometric_flight_times_and_comes_to_rest() {
    for h in [1e-3, 7.3e-4, 1.0 / 240.0] {
        let mut sim = ball(
            0.7,
            1.0,
            SimulationSettings {
                time_step: h,
                ..Default::default()
            },
        );
        let mut lowest = f64::INFINITY;
        for _ in 0..(5.0 / h) as usize {
            sim.step(&[0.0; 6]).unwrap();
            lowest = lowest.min(sim.gaps()[0]);
        }
        let events = sim.take_events();
        let times: Vec<f64> = events
            .iter()
            .filter(|e| e.kind == EventKind::Impact)
            .map(|e| e.time)
            .collect();
        let first = (2.0 / 9.81_f64).sqrt();
        assert!((times[0] - first).abs() < 1e-10, "{} {first}", times[0]);
        for i in 0..6 {
            let ratio = (times[i + 2] - times[i + 1]) / (times[i + 1] - times[i]);
            let expected = if i == 0 {
                2.0 * 0.7 * first / (times[1] - times[0]) * 0.7
            } else {
                0.7
            };
            assert!((ratio - expected).abs() < 1e-6, "{h} {i}: {ratio}");
        }
        // The flight that would be shorter than a step ends in rest: t* is a geometric series.
        let hold = events.iter().find(|e| e.kind == EventKind::Hold).unwrap();
        let accumulation = first * (1.0 + 2.0 * 0.7 / 0.3);
        assert!(
            (hold.time - accumulation).abs() < 4.0 * h,
            "{} {accumulation}",
            hold.time
        );
        assert!(lowest > -1e-9, "{lowest:e}");
        assert!((sim.gaps()[0]).abs() < 1e-9);
        assert_eq!(events.last().unwrap().kind, EventKind::Hold);
        let energies = sim.energies().unwrap();
        assert!(
            (energies.balance() - 9.81 * 1.1).abs() < 1e-9,
            "{energies:?}"
        );
    }
}

/// Balls of the given masses on a rail along x, 0.1 m in radius, the last ones touching.
fn cradle(masses: &[f64], speeds: &[f64], h: f64, order_param: &str) -> Simulation {
    let mut builder = ModelBuilder::new("cradle").link(Link::new("rail"));
    for (i, m) in masses.iter().enumerate() {
        let (ball, joint) = (format!("ball{i}"), format!("x{i}"));
        builder = builder
            .link(Link::new(&ball).solid_sphere(*m, 0.1, Vector3::zeros()))
            .joint(Joint::prismatic(&joint, "rail", &ball));
    }
    let model = builder.build().unwrap();
    let material = Material::new(0.0, 1.0);
    let sites = (0..masses.len())
        .map(|i| {
            Site::sphere(
                &model,
                &format!("b{i}"),
                &format!("ball{i}"),
                [0.0; 3],
                0.1,
                material,
            )
            .unwrap()
        })
        .collect();
    let pairs: Vec<[String; 2]> = (1..masses.len())
        .map(|i| [format!("b{}", i - 1), format!("b{i}")])
        .collect();
    let contacts = Contacts::new(&model, sites, vec![], &pairs, Combination::Minimum).unwrap();
    let q: Vec<f64> = (0..masses.len())
        .map(|i| if i == 0 { -0.5 } else { 0.2 * i as f64 })
        .collect();
    let law = Propagative::with_order(ReflectionOrder::from_name(order_param).unwrap());
    let settings = SimulationSettings {
        time_step: h,
        ..Default::default()
    };
    Simulation::new(
        Arc::new(model),
        Arc::new(contacts),
        Box::new(law),
        settings,
        &q,
        speeds,
    )
    .unwrap()
}

#[test]
fn cradles_pass_the_momentum_on_wherever_in_the_step_the_touch_falls() {
    for h in [1.0 / 60.0, 1.0 / 240.0, 1e-3, 7.3e-4] {
        for (masses, v0) in [(vec![1.0; 3], 1.0), (vec![1.0; 5], 2.0)] {
            let n = masses.len();
            let mut v = vec![0.0; n];
            v[0] = v0;
            let mut sim = cradle(&masses, &v, h, "most-violated");
            let before = sim.energies().unwrap().kinetic;
            while sim.time() < 1.0 {
                sim.step(&vec![0.0; n]).unwrap();
            }
            let after = sim.energies().unwrap().kinetic;
            assert!((after - before).abs() < 1e-11, "{h}: {:e}", after - before);
            let last = sim.velocity().unwrap().to_vec();
            for (i, x) in last.iter().enumerate() {
                let expected = if i == n - 1 { v0 } else { 0.0 };
                assert!((x - expected).abs() < 1e-10, "{h}: {last:?}");
            }
            let impacts: Vec<_> = sim
                .take_events()
                .into_iter()
                .filter_map(|e| e.impact)
                .collect();
            assert_eq!(impacts.len(), 1);
            assert_eq!(impacts[0].uniqueness.outcomes(), 1);
            assert_eq!(impacts[0].sequence.len(), n - 1);
        }
    }
}

#[test]
fn a_dip_that_begins_and_ends_inside_one_step_is_found() {
    // Gravity points up: a ball thrown down from 1 mm would dip below the floor and be back above it
    // at the end of the step.
    let model = sphere("ball").with_gravity(Vector3::new(0.0, 0.0, 50.0));
    let material = Material::new(0.0, 1.0);
    let site = Site::sphere(&model, "ball", "ball", [0.0; 3], 0.1, material).unwrap();
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts =
        Contacts::new(&model, vec![site], vec![ground], &[], Combination::Minimum).unwrap();
    let mut q = model.neutral_configuration();
    q[2] = 0.1 + 1e-3;
    let settings = SimulationSettings {
        time_step: 0.02,
        ..Default::default()
    };
    let mut v = vec![0.0; 6];
    // φ(t) = 1e-3 − 0.5 t + 25 t²: below zero between 2.3 ms and 17.7 ms, up again at 20 ms.
    v[2] = -0.5;
    let mut sim = Simulation::new(
        Arc::new(model),
        Arc::new(contacts),
        Box::new(Propagative::default()),
        settings,
        &q,
        &v,
    )
    .unwrap();
    sim.step(&[0.0; 6]).unwrap();
    let events = sim.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    let t = (0.5 - (0.25_f64 - 0.1).sqrt()) / 50.0;
    // Crossings are located to 1e-12 m, here at 0.387 m/s.
    assert!(
        (events[0].time - t).abs() < 1e-12 / 0.387,
        "{} {t}",
        events[0].time
    );
}

#[test]
fn runs_are_reproducible_and_continue_from_a_saved_state_to_the_same_bits() {
    let run = |steps: usize, resume: bool| {
        let mut sim = ball(0.7, 0.3, SimulationSettings::default());
        for i in 0..steps {
            if resume && i == steps / 2 {
                let text = serde_json::to_string(sim.state()).unwrap();
                let state = serde_json::from_str(&text).unwrap();
                let fresh = ball(0.7, 0.3, SimulationSettings::default());
                let (model, contacts) = (fresh.model().clone(), fresh.contacts().clone());
                sim = Simulation::from_state(
                    Arc::new(model),
                    Arc::new(contacts),
                    Box::new(Propagative::default()),
                    SimulationSettings::default(),
                    state,
                )
                .unwrap();
            }
            sim.step(&[0.0, 0.1, 0.0, 0.0, 0.02, 0.0]).unwrap();
        }
        sim.state().clone()
    };
    assert_eq!(run(1000, false), run(1000, false));
    assert_eq!(run(1000, false), run(1000, true));
}

#[test]
fn bad_starts_are_named() {
    let build = |z: f64| {
        let sim = ball(1.0, 0.5, SimulationSettings::default());
        let mut q = sim.state().q.clone();
        q[2] = z;
        let (model, contacts): (Model, Contacts) = (sim.model().clone(), sim.contacts().clone());
        Simulation::new(
            Arc::new(model),
            Arc::new(contacts),
            Box::new(Propagative::default()),
            SimulationSettings::default(),
            &q,
            &[0.0; 6],
        )
        .map(|_| ())
    };
    match build(0.08) {
        Err(SimulationError::Penetration { contact, depth }) => {
            assert_eq!(contact, "ball");
            assert!((depth - 0.02).abs() < 1e-15);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(build(f64::NAN), Err(SimulationError::State(_))));
    let mut sim = ball(1.0, 0.5, SimulationSettings::default());
    assert!(matches!(
        sim.step(&[0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0]),
        Err(SimulationError::Effort { .. })
    ));
}

/// Along an edge of the box it lies in, across the diagonal: only the ends of its chord with that edge are there, and they are
/// as deep as the edge is from its plane.
#[test]
fn a_disc_that_starts_deep_in_a_box_is_refused() {
    let model = sphere("disc");
    let material = Material::new(0.3, 0.0);
    let shape = SiteShape::DiscEdge {
        axis: Vector3::new(1.0, 0.0, 1.0),
        radius: 0.05,
    };
    let site = Site::new(&model, "disc", "disc", [0.0; 3], shape, material).unwrap();
    let block = Terrain::step("block", [-0.5; 3], [0.5; 3], material);
    let mean = Combination::Average;
    let contacts = Contacts::new(&model, vec![site], vec![block], &[], mean).unwrap();
    let mut q = model.neutral_configuration();
    q[..3].copy_from_slice(&[0.4, 0.0, 0.41]);
    let started = Simulation::new(
        Arc::new(model),
        Arc::new(contacts),
        Box::new(Propagative::default()),
        SimulationSettings::default(),
        &q,
        &[0.0; 6],
    );
    match started.map(|_| ()) {
        Err(SimulationError::Penetration { depth, .. }) => {
            assert!((depth - 0.19 / 2.0_f64.sqrt()).abs() < 1e-12, "{depth}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn compositions_reach_their_order() {
    for (order, steps) in [(4, 40), (6, 24), (8, 16)] {
        let model = Arc::new(carom::model::sample::chain(2).unwrap());
        let contacts =
            Arc::new(Contacts::new(&model, vec![], vec![], &[], Combination::Minimum).unwrap());
        let end = |steps: usize| {
            let mut settings = SimulationSettings {
                time_step: 1.0 / steps as f64,
                order,
                ..Default::default()
            };
            settings.solver.tolerance = 1e-15;
            let mut sim = Simulation::new(
                model.clone(),
                contacts.clone(),
                Box::new(Propagative::default()),
                settings,
                &[0.3, 0.4],
                &[1.0, -0.5],
            )
            .unwrap();
            for _ in 0..steps {
                sim.step(&[0.0; 2]).unwrap();
            }
            sim.state().q.clone()
        };
        let distance = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let fine = end(4 * steps);
        let slope = (distance(&end(steps), &fine) / distance(&end(2 * steps), &fine)).log2();
        // The finest run stands in for the exact one, hence the slack above the order.
        assert!(
            slope > f64::from(order) - 0.4 && slope < f64::from(order) + 0.8,
            "{order}: {slope}"
        );
    }
}

#[test]
fn a_batch_is_the_same_for_any_number_of_threads() {
    let batch = |jobs| {
        run_batch(13, Some(jobs), |i| {
            let height = 0.3 + 0.01 * i as f64;
            let mut sim = ball(0.7, height, SimulationSettings::default());
            // Runs of different lengths, so that threads finish out of order.
            for _ in 0..700 - 50 * i {
                sim.step(&[0.0; 6]).unwrap();
            }
            let impacts = sim.take_events().len();
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let state = sim.state();
            let result = (i, impacts, bits(&state.q), bits(&state.p));
            Ok::<_, BatchError>((result, Simulated::from(state)))
        })
        .unwrap()
    };
    let one = batch(1);
    // Σ (700 − 50 i) for i < 13.
    assert_eq!(one.simulated.steps, 5200);
    assert!((one.simulated.time - 5.2).abs() < 1e-12);
    assert!(one.steps_per_second() > 0.0 && one.real_time_factor() > 0.0);
    for jobs in [2, 4] {
        let many = batch(jobs);
        assert_eq!(one.results, many.results);
        assert_eq!(one.simulated, many.simulated);
        assert_eq!(many.threads, jobs);
    }
}
