//! Circles against boxes by brute force.

use std::f64::consts::{SQRT_2, TAU};

use carom::contact::{SiteShape, Surface, Terrain};
use carom::model::sample::Uniform;
use nalgebra::{Matrix3, Vector3};

use super::support::{RUBBER, posed, random_shape, random_terrain, single};

/// Distance of a point to a box, negative inside, written independently of the library.
fn box_distance(x: &Vector3<f64>, min: &Vector3<f64>, max: &Vector3<f64>) -> f64 {
    let half = (max - min) * 0.5;
    let q = (x - (max + min) * 0.5).abs() - half;
    q.map(|c| c.max(0.0)).norm() + q.max().min(0.0)
}

#[test]
fn circles_against_boxes_agree_with_brute_force() {
    let (mut inside, mut outside) = (0, 0);
    for seed in 0..600 {
        let mut random = Uniform::new(seed);
        let shape = random_shape(2 + seed as usize % 2, &mut random);
        let mut terrain = random_terrain(true, &Vector3::zeros(), &mut random);
        if let (0, SiteShape::Arc { axes, radius, .. }) = (seed % 3, shape) {
            // A small box just within the rim, where two of its corners are nearly as near.
            let (s, c) = random.between(-4.0, 4.0).sin_cos();
            let rim = (axes[0].normalize() * c + axes[1] * s) * radius * 0.9;
            let half = Vector3::from([(); 3].map(|()| random.between(0.001, 0.03)));
            terrain = Terrain::step("step", (rim - half).into(), (rim + half).into(), RUBBER);
        }
        let Surface::Box { min, max } = terrain.surface else {
            unreachable!()
        };
        let (axes, radius, start, end, tube) = match shape {
            SiteShape::Arc {
                axes,
                radius,
                start,
                end,
                thickness,
            } => (axes.map(|a| a.normalize()), radius, start, end, thickness),
            SiteShape::DiscEdge { axis, radius } => {
                let u = axis.cross(&Vector3::new(0.3, 0.5, 0.9)).normalize();
                let w = axis.cross(&u).normalize();
                ([u, w], radius, 0.0, TAU, 0.0)
            }
            _ => unreachable!(),
        };
        const SAMPLES: usize = 20_000;
        let step = (end - start) / SAMPLES as f64;
        let lowest = (0..=SAMPLES)
            .map(|i| {
                let (s, c) = (start + step * i as f64).sin_cos();
                box_distance(&((axes[0] * c + axes[1] * s) * radius), &min, &max)
            })
            .fold(f64::INFINITY, f64::min);
        let contacts = single(shape, terrain);
        let gap = contacts.gap(&posed(Matrix3::identity(), [0.0; 3]), 0) + tube;
        if lowest > radius * step {
            // Distance is 1-Lipschitz: no sample is further than half a step from the minimum.
            outside += 1;
            assert!(gap <= lowest + 1e-14, "{seed}: {gap} {lowest}");
            assert!(
                gap >= lowest - 0.5 * radius * step,
                "{seed}: {gap} {lowest}"
            );
        } else if lowest < -radius * step {
            // Inside, the nearest face measures depth, except past an edge, where the line of the
            // edge does: between the depth below either face and √2 times it near the edge.
            inside += 1;
            assert!(gap < 0.0, "{seed}: {gap} {lowest}");
            assert!(
                gap >= SQRT_2 * lowest - radius * step,
                "{seed}: {gap} {lowest}"
            );
        }
    }
    assert!(inside > 40 && outside > 40, "{inside} {outside}");
}
