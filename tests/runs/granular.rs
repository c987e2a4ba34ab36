//! Granular time stepping: conservation, bounds and determinism.

use carom::comparison::granular::{
    Boundary, ChannelReport, ChannelSettings, GranularError, GranularLaw, Particle, ParticleSystem,
    TimeStepSettings, run,
};
use nalgebra::Vector3;

fn stepping() -> TimeStepSettings {
    TimeStepSettings {
        time_step: 1e-4,
        gravity: [0.0; 3],
        tolerance: 1e-10,
        max_sweeps: 2000,
        ..TimeStepSettings::default()
    }
}

fn momenta(system: &ParticleSystem) -> (Vector3<f64>, Vector3<f64>) {
    let mut linear = Vector3::zeros();
    let mut angular = Vector3::zeros();
    for p in system.particles() {
        linear += p.mass * p.velocity;
        angular += p.position.cross(&(p.mass * p.velocity)) + p.inertia * p.spin;
    }
    (linear, angular)
}

/// A cloud of spheres, plain and eccentric, that falls together in free space.
fn cloud(settings: TimeStepSettings, count: usize) -> ParticleSystem {
    let mut system = ParticleSystem::new(settings, vec![]).unwrap();
    for i in 0..count {
        let x = i as f64;
        let place = Vector3::new(
            (1.3 * x).sin() * 2.0,
            (2.1 * x).cos() * 2.0,
            0.8 * (x - 0.5 * count as f64),
        );
        let particle = Particle::sphere(0, 0.03 * place, 0.01 + 0.002 * (x * 0.7).sin(), 1000.0)
            .moving(-0.8 * place, Vector3::new(3.0, -2.0, x))
            .with_offset(Vector3::new(0.0, 0.002 * f64::from(i % 3 == 0), 0.0));
        system.add(particle).unwrap();
    }
    system
}

#[test]
fn free_collisions_conserve_momentum_and_lose_energy() {
    for law in [GranularLaw::Coulomb, GranularLaw::MaximumDissipation] {
        let mut system = cloud(TimeStepSettings { law, ..stepping() }, 24);
        let (linear, angular) = momenta(&system);
        let mut energy = system.kinetic_energy();
        let initial = energy;
        let mut touched = 0;
        for _ in 0..1500 {
            let report = system.step();
            touched += report.contacts;
            assert!(report.converged, "{report:?}");
            let now = system.kinetic_energy();
            // The residual, as a velocity, times the momentum of the cloud.
            assert!(now <= energy * (1.0 + 1e-8), "{law:?} {now} after {energy}");
            energy = now;
        }
        assert!(
            touched > 300 && energy < 0.8 * initial,
            "{touched} {energy} {initial}"
        );
        let (l, a) = momenta(&system);
        // Rounding of some 10⁵ impulses of the size of the momenta.
        assert!((l - linear).norm() < 1e-13, "{:e}", (l - linear).norm());
        // The arms are those of the start of the step, and both meet in one point: exact to rounding too.
        assert!((a - angular).norm() < 1e-13, "{:e}", (a - angular).norm());
    }
}

/// Two equal spheres head-on: they stop dead, the common velocity of a perfectly inelastic collision.
#[test]
fn a_head_on_collision_is_inelastic() {
    let mut system = ParticleSystem::new(stepping(), vec![]).unwrap();
    for (x, v) in [(-0.02, 1.0), (0.02, -0.4)] {
        let p = Particle::sphere(0, Vector3::new(x, 0.0, 0.0), 0.01, 500.0);
        system
            .add(p.moving(Vector3::new(v, 0.0, 0.0), Vector3::zeros()))
            .unwrap();
    }
    for _ in 0..400 {
        system.step();
    }
    let p = system.particles();
    for one in p {
        assert!((one.velocity - Vector3::new(0.3, 0.0, 0.0)).norm() < 1e-12);
    }
    // The gap was closed exactly.
    let gap = (p[1].position - p[0].position).norm() - 0.02;
    assert!(gap.abs() < 1e-12, "{gap:e}");
}

/// A sphere put on a plane with a horizontal velocity slides, then rolls at 5/7 of it.
#[test]
fn a_sliding_sphere_ends_up_rolling() {
    let settings = TimeStepSettings {
        gravity: [0.0, 0.0, -9.81],
        ..stepping()
    };
    let floor = Boundary::wall(Vector3::zeros(), Vector3::z());
    for law in [GranularLaw::Coulomb, GranularLaw::MaximumDissipation] {
        let settings = TimeStepSettings { law, ..settings };
        let mut system = ParticleSystem::new(settings, vec![floor]).unwrap();
        let p = Particle::sphere(0, Vector3::new(0.0, 0.0, 0.01), 0.01, 500.0);
        system
            .add(p.moving(Vector3::new(0.7, 0.0, 0.0), Vector3::zeros()))
            .unwrap();
        for step in 0..2000 {
            system.step();
            if step == 99 {
                // 10 ms of sliding: v = v₀ − μ g t.
                let expected = 0.7 - 0.4 * 9.81 * 0.01;
                assert!((system.particles()[0].velocity.x - expected).abs() < 1e-9);
            }
        }
        let p = &system.particles()[0];
        assert!(
            (p.velocity - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-9,
            "{}",
            p.velocity
        );
        assert!((p.spin.y - 50.0).abs() < 1e-6, "{}", p.spin);
        assert!((p.position.z - 0.01).abs() < 1e-12);
    }
}

fn small(law: GranularLaw, eccentricity: f64) -> ChannelSettings {
    ChannelSettings {
        size: [0.06, 0.026, 0.012],
        obstacle: Some([[0.02, 0.03], [0.008, 0.018]]),
        duration: 0.03,
        settling_time: 0.01,
        sample_interval: 5e-3,
        profile_cells: [6, 3],
        eccentricity,
        stepping: TimeStepSettings {
            law,
            ..ChannelSettings::default().stepping
        },
        ..ChannelSettings::default()
    }
}

/// All of a report that is not a time of the clock, as bits.
fn fingerprint(report: &ChannelReport) -> Vec<u64> {
    let mut bits = vec![
        report.inflow as u64,
        report.outflow as u64,
        report.particles_mean.to_bits(),
        report.contacts_mean.to_bits(),
        report.max_penetration_m.to_bits(),
    ];
    for s in &report.samples {
        bits.extend([s.kinetic_energy.to_bits(), s.penetration_m.to_bits()]);
    }
    bits.extend(report.profile.spin.iter().flatten().map(|x| x.to_bits()));
    bits
}

#[test]
fn the_channel_flows_and_keeps_its_particles() {
    for (law, eccentricity) in [
        (GranularLaw::MaximumDissipation, 0.0),
        (GranularLaw::MaximumDissipation, 0.3),
        (GranularLaw::Coulomb, 0.3),
    ] {
        let settings = small(law, eccentricity);
        let mut told = 0;
        let report = run(&settings, |_| told += 1).unwrap();
        assert_eq!(told, report.samples.len());
        assert_eq!(report.escaped, 0);
        let last = report.samples.last().unwrap();
        assert_eq!(report.inflow, report.outflow + last.particles);
        assert!(report.outflow > 20 && last.particles > 80, "{report:?}");
        assert!(report.contacts_per_particle > 0.05 && report.contacts_per_particle < 6.0);
        // The paper's largest is 8 to 10 % of the diameter.
        assert!(
            report.max_penetration_share < 0.02,
            "{}",
            report.max_penetration_share
        );
        assert!(report.peak_speed_m_s < 3.0);
        // The settings can be written and read back.
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(
            serde_json::from_str::<ChannelSettings>(&text).unwrap(),
            settings
        );
    }
}

#[test]
fn the_channel_is_deterministic_whatever_the_threads() {
    let settings = ChannelSettings {
        duration: 0.008,
        ..small(GranularLaw::Coulomb, 0.2)
    };
    let alone = fingerprint(&run(&settings, |_| {}).unwrap());
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let again = pool.install(|| fingerprint(&run(&settings, |_| {}).unwrap()));
        assert_eq!(alone, again);
    }
    let other = ChannelSettings {
        seed: 2,
        ..settings
    };
    assert_ne!(alone, fingerprint(&run(&other, |_| {}).unwrap()));
}

/// Closed and without inflow, particles settle: the energy never rises.
#[test]
fn energy_falls_in_a_closed_channel() {
    for law in [GranularLaw::Coulomb, GranularLaw::MaximumDissipation] {
        let mut walls = vec![];
        let corner = Vector3::new(0.02, 0.02, 0.1);
        for axis in 0..3 {
            let n = Vector3::ith(axis, 1.0);
            walls.push(Boundary::wall(Vector3::zeros(), n));
            walls.push(Boundary::wall(corner, -n));
        }
        let settings = TimeStepSettings {
            law,
            gravity: [0.0, 0.0, -9.81],
            error_reduction: 0.0,
            tolerance: 1e-6,
            time_step: 2e-4,
            max_sweeps: 500,
            ..stepping()
        };
        let mut system = ParticleSystem::new(settings, walls).unwrap();
        for i in 0..48 {
            let cell = Vector3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16));
            let p = Particle::sphere(0, (cell + Vector3::repeat(0.5)) * 0.005, 0.0022, 2650.0);
            let sway = Vector3::new((7.0 * cell.z).sin(), (5.0 * cell.x + cell.z).cos(), 0.0);
            let offset = Vector3::new(0.0, 0.0, 4e-4 * f64::from(i % 2));
            system
                .add(p.moving(0.3 * sway, Vector3::zeros()).with_offset(offset))
                .unwrap();
        }
        let energy = |s: &ParticleSystem| s.kinetic_energy() + s.potential_energy();
        let (mut now, initial) = (energy(&system), energy(&system));
        let mut deepest: f64 = 0.0;
        let mut contacts = 0;
        for step in 0..600 {
            let report = system.step();
            deepest = deepest.max(report.penetration);
            contacts = report.contacts;
            let next = energy(&system);
            assert!(
                next <= now + 1e-9 * initial,
                "{law:?} {step}: {next:e} after {now:e}, {report:?}"
            );
            now = next;
        }
        // At rest, every particle on something.
        assert!(
            system.kinetic_energy() < 1e-3 * initial,
            "{}",
            system.kinetic_energy() / initial
        );
        assert!(contacts >= 48, "{contacts}");
        assert!(deepest < 1e-3 * 0.0044, "{deepest:e}");
        assert_eq!(
            system.remove(|p| p.center().x < 0.0 || p.center().z < 0.0),
            0
        );
    }
}

#[test]
fn refuses_settings_out_of_range() {
    let refuse = |settings: &ChannelSettings, setting: &str| {
        let error = run(settings, |_| {}).unwrap_err();
        let named = matches!(&error, GranularError::OutOfRange { name, .. } if *name == setting);
        assert!(named, "{error:?} should name {setting}");
    };
    let good = ChannelSettings::default();
    refuse(
        &ChannelSettings {
            diameter: f64::NAN,
            ..good.clone()
        },
        "diameter",
    );
    refuse(
        &ChannelSettings {
            spacing: 1e-3,
            ..good.clone()
        },
        "spacing",
    );
    refuse(
        &ChannelSettings {
            eccentricity: 1.0,
            ..good.clone()
        },
        "eccentricity",
    );
    let mut bad = good.clone();
    bad.stepping.time_step = 0.0;
    refuse(&bad, "time_step");
    let mut bad = good;
    bad.stepping.error_reduction = 1.0;
    refuse(&bad, "error_reduction");
}
