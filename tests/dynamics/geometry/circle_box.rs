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

/// A disc that has turned about the edge's direction alone: where its nearest point runs along the edge, nothing but the way
/// to the edge says where the normal points.
#[test]
fn a_rim_along_an_edge_is_as_far_as_its_nearest_point() {
    let mut random = Uniform::new(5);
    for case in 0..200 {
        let tilt = random.between(-1.5, 1.5);
        let axis = Vector3::new(tilt.sin(), 0.0, tilt.cos());
        let radius = random.between(0.05, 0.3);
        let center = Vector3::new(
            -radius - random.between(0.0, 0.2),
            random.between(-0.5, 0.5),
            random.between(-0.3, 0.3),
        );
        let (min, max) = (Vector3::new(0.0, -2.0, -1.0), Vector3::new(0.5, 2.0, 0.0));
        let terrain = Terrain::step("step", (min - center).into(), (max - center).into(), RUBBER);
        let across = Vector3::y().cross(&axis);
        // Seen along the edge the rim is a line, and the distance of its points convex.
        let distance = |u: f64| box_distance(&(center + across * u), &min, &max);
        let (mut low, mut high) = (-radius, radius);
        while high - low > 1e-9 * radius {
            let third = (high - low) / 3.0;
            if distance(low + third) < distance(high - third) {
                high -= third;
            } else {
                low += third;
            }
        }
        let expected = [low, high, -radius, radius]
            .map(distance)
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        let contacts = single(SiteShape::DiscEdge { axis, radius }, terrain);
        let gap = contacts.gap(&posed(Matrix3::identity(), [0.0; 3]), 0);
        assert!((gap - expected).abs() < 1e-12, "{case}: {gap} {expected}");
    }
}
