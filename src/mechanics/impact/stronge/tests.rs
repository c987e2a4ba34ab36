//! The tail against the panels, and the impulse against the hodograph, on problems no integrator of the Cartesian equations
//! could follow.

use nalgebra::{Matrix3, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::trajectory::coefficients::{Coefficients, length};
use super::trajectory::events::Event;
use super::trajectory::process::Process;

struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn between(&mut self, a: f64, b: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        a + (b - a) * unit
    }

    fn power(&mut self, a: f64, b: f64) -> f64 {
        10f64.powf(self.between(a, b))
    }

    /// W with eigenvalues from 1 down to `smallest`; sliding within 10^±`spread` of the approach speed.
    fn contact(&mut self, smallest: f64, spread: f64) -> Coefficients {
        let q = Matrix3::from_fn(|_, _| self.between(-1.0, 1.0)).qr().q();
        let middle = smallest.powf(self.between(0.0, 1.0));
        let w = q * Matrix3::from_diagonal(&Vector3::new(1.0, middle, smallest)) * q.transpose();
        let angle = self.between(-3.2, 3.2);
        let speed = self.power(-spread, spread);
        Coefficients {
            b: [w[(0, 0)], 0.5 * (w[(0, 1)] + w[(1, 0)]), w[(1, 1)]],
            d: [w[(0, 2)], w[(1, 2)]],
            w: w[(2, 2)],
            gamma: [speed * angle.cos(), speed * angle.sin()],
            vz: -1.0,
            mu: self.power(-2.0, 1.5),
            e: self.between(0.0, 1.0),
            tangents: 2,
            line: None,
            tied: false,
        }
    }
}

/// The end of γ by the hodograph, minus γ⁻ + B I_⊥ + d I_z, over the size of the terms.
fn mismatch(c: &Coefficients, p: &Process) -> f64 {
    let bi = c.b_times(p.tangential);
    let (r, s) = p.sliding();
    let gap = [0, 1].map(|i| c.gamma[i] + bi[i] + c.d[i] * p.normal - r * s[i]);
    length(gap) / (c.acceleration_scale() * p.normal + length(c.gamma))
}

#[test]
fn the_impulse_leads_to_the_sliding_velocity_of_the_hodograph() {
    for (seed, smallest, spread) in [(1, 0.3, 1.0), (2, 1e-3, 2.0), (3, 1e-8, 3.0)] {
        let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(seed));
        for _ in 0..1500 {
            let c = draw.contact(smallest, spread);
            let mut p = Process::new(&c);
            p.run().unwrap();
            // Speed by the elementary integral over the angle, impulse by quadrature: only rounding is left, a
            // few thousand roundings at most.
            assert!(mismatch(&c, &p) < 1e-12, "{:e}: {c:?}", mismatch(&c, &p));
        }
    }
}

#[test]
fn tail_and_panels_agree() {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(4));
    let mut tails = 0;
    for _ in 0..1500 {
        let c = draw.contact(0.03, 0.7);
        let mut with_tail = Process::new(&c);
        with_tail.run().unwrap();
        let mut ignore = |_| ();
        let mut without = Process::new(&c).observed(&mut ignore);
        without.run().unwrap();
        tails += usize::from(with_tail.panels < without.panels);
        let scale = with_tail.normal + length(with_tail.tangential);
        let difference = (with_tail.normal - without.normal).abs()
            + (with_tail.tangential[0] - without.tangential[0]).abs()
            + (with_tail.tangential[1] - without.tangential[1]).abs();
        // Both are good for about 1e-12.
        assert!(
            difference < 5e-12 * scale,
            "{:e}: {c:?}",
            difference / scale
        );
        assert_eq!(with_tail.log.label(), without.log.label(), "{c:?}");
    }
    assert!(tails > 300, "{tails}");
}

#[test]
fn stopping_on_the_way_changes_nothing() {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(5));
    for _ in 0..300 {
        let c = draw.contact(0.1, 1.0);
        let mut whole = Process::new(&c);
        whole.run().unwrap();
        let mut stopped = Process::new(&c).stop_at(0.6 * whole.normal);
        stopped.run().unwrap();
        assert_eq!(stopped.normal, 0.6 * whole.normal);
        assert!(mismatch(&c, &stopped) < 1e-12);
        let vz = c.vz
            + c.w * stopped.normal
            + c.d[0] * stopped.tangential[0]
            + c.d[1] * stopped.tangential[1];
        assert!((vz - stopped.vz).abs() < 1e-12 * (1.0 + length(stopped.tangential)));
    }
}

/// Friction exactly at the limit of sticking: stick and resumed slip are one process there.
#[test]
fn the_limit_of_sticking_is_continuous() {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(6));
    let mut still = 0;
    for _ in 0..300 {
        let mut c = draw.contact(0.1, 0.5);
        c.gamma = [0.05 * c.gamma[0], 0.05 * c.gamma[1]];
        c.mu = length(c.sticking());
        let mut results = Vec::new();
        for factor in [1.0 - 1e-13, 1.0, 1.0 + 1e-13] {
            let near = Coefficients {
                mu: c.mu * factor,
                ..c
            };
            let mut p = Process::new(&near);
            p.run().unwrap();
            still += usize::from(p.log.has(Event::Still));
            results.push((p.normal, p.tangential));
        }
        for r in &results {
            let difference = (r.0 - results[1].0).abs()
                + (r.1[0] - results[1].1[0]).abs()
                + (r.1[1] - results[1].1[1]).abs();
            // The friction differs by 1e-13, the impulse by a small multiple.
            assert!(difference < 1e-10 * results[1].0, "{difference:e} {c:?}");
        }
    }
    assert!(still > 100, "{still}");
}
