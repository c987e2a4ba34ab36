//! Terrain that joins: covered sides are not there, exposed ones are.

use carom::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
use carom::dynamics::Kinematics;
use carom::model::sample::Uniform;
use carom::spatial::rotation_exp;
use nalgebra::{Matrix3, Vector3};

use super::support::{RUBBER, free_body, ground, posed};

fn over(shape: SiteShape, terrains: Vec<Terrain>) -> Contacts {
    let model = free_body();
    let site = Site::new(&model, "foot", "body", [0.0; 3], shape, RUBBER).unwrap();
    Contacts::new(&model, vec![site], terrains, &[], Combination::Average).unwrap()
}

fn step(name: &str, min: [f64; 3], max: [f64; 3]) -> Terrain {
    Terrain::step(name, min, max, RUBBER)
}

fn place(x: [f64; 3]) -> Kinematics<f64> {
    posed(Matrix3::identity(), x)
}

fn present(contacts: &Contacts, k: &Kinematics<f64>) -> Vec<usize> {
    (0..contacts.len())
        .filter(|i| contacts.is_present(k, *i))
        .collect()
}

/// Floor of cells of 0.3 m with the top at zero, of different depths, in a given order.
fn tiles(order: impl Fn(usize) -> usize) -> Vec<Terrain> {
    (0..9)
        .map(|i| {
            let cell = order(i);
            let [a, b] = [cell % 3, cell / 3].map(|c| 0.3 * c as f64);
            let depth = 0.1 + 0.2 * (cell % 4) as f64;
            // The far side as the next cell's near side, or a rounding beside it.
            let far = [a, b].map(|x| x + 0.3);
            step(&format!("t{cell}"), [a, b, -depth], [far[0], far[1], 0.0])
        })
        .collect()
}

/// Floor of 0.9 m by 0.9 m whose seams meet in T.
fn bricks(_: usize) -> Vec<Terrain> {
    let brick = |name: &str, x: [f64; 2], y: [f64; 2], depth: f64| {
        step(name, [x[0], y[0], -depth], [x[1], y[1], 0.0])
    };
    vec![
        brick("a", [0.0, 0.5], [0.0, 0.3], 0.2),
        brick("b", [0.5, 0.9], [0.0, 0.3], 0.1),
        brick("c", [0.0, 0.2], [0.3, 0.9], 0.3),
        brick("d", [0.2, 0.9], [0.3, 0.6], 0.1),
        brick("e", [0.2, 0.9], [0.6, 0.9], 0.4),
    ]
}

#[test]
fn a_point_on_a_floor_of_tiles_sees_one_smooth_height() {
    let floors = [tiles(|i| i), tiles(|i| (5 * i + 2) % 9), bricks(0)];
    for terrains in floors {
        let floor = over(SiteShape::Point, terrains);
        for seed in 0..300 {
            let mut random = Uniform::new(seed);
            // Along seams, across them and through corners.
            let cut = |random: &mut Uniform| match (4.0 * random.unit()) as usize {
                0 => 0.3,
                1 => 0.6,
                _ => random.between(0.05, 0.85),
            };
            let from = [cut(&mut random), cut(&mut random)];
            let to = [cut(&mut random), cut(&mut random)];
            for i in 0..=60 {
                let part = f64::from(i) / 60.0;
                let [x, y] = [0, 1].map(|k| from[k] * (1.0 - part) + to[k] * part);
                for (nudge, z) in [(0.0, 0.0), (1e-10, -1e-9), (-1e-10, 1e-9), (1e-13, -1e-12)] {
                    let k = place([x + nudge, y - nudge, z]);
                    let there = present(&floor, &k);
                    assert_eq!(there.len(), 1, "{seed} {i} {x} {y} {z}: {there:?}");
                    let frame = floor.frame(&k, there[0]);
                    assert_eq!((frame.gap, frame.normal), (z, Vector3::z()));
                    assert_eq!(floor.gap(&k, there[0]), z);
                    assert_eq!(floor.mechanical_gap(&k, there[0]), z);
                }
            }
        }
    }
}

#[test]
fn a_held_tile_goes_on_over_its_neighbours_which_are_its_siblings() {
    let floor = over(SiteShape::Point, tiles(|i| i));
    let middle = 4;
    assert_eq!(floor.name(middle), "foot@t4");
    let siblings = |i| floor.siblings(i).collect::<Vec<_>>();
    assert_eq!(siblings(middle), [0, 1, 2, 3, 5, 6, 7, 8]);
    assert_eq!(siblings(0), [1, 3, 4]);
    for x in [[0.62, 0.45], [0.61, 0.61], [0.45, 0.29]] {
        for z in [-1e-9, 0.0, 1e-3] {
            let k = place([x[0], x[1], z]);
            assert!(!floor.is_present(&k, middle));
            assert_eq!(floor.frame(&k, middle).gap, z);
            assert_eq!(floor.seam(&k, middle), f64::INFINITY);
            // Reports keep the distance to the tile itself.
            assert!(floor.gap(&k, middle) >= 0.01);
        }
    }
    // The rim of the floor has edges: at the corner of tile 8, 0.9 m from the origin.
    let seams = [[0.85, 0.7], [0.85, 0.88], [0.91, 0.7]];
    let seams = seams.map(|[x, y]| floor.seam(&place([x, y, 0.0]), 8));
    for (seam, expected) in seams.iter().zip([0.05, 0.02, -0.01]) {
        assert!((seam - expected).abs() < 1e-15, "{seam} {expected}");
    }
}

#[test]
fn balls_and_wheels_cross_seams_like_points() {
    let tilted = rotation_exp(&Vector3::new(0.3, 0.7, 0.2));
    let axis = Vector3::y();
    for (shape, height) in [
        (SiteShape::Sphere { radius: 0.05 }, 0.05),
        // The lowest point of the tilted rim hangs R √(1 − (axis · z)²) below its centre.
        (
            SiteShape::DiscEdge { axis, radius: 0.05 },
            0.05 * f64::sqrt(1.0 - (tilted * axis).z.powi(2)),
        ),
    ] {
        for terrains in [tiles(|i| i), bricks(0)] {
            let floor = over(shape, terrains);
            let mut count = [0; 2];
            for seed in 0..400 {
                let mut random = Uniform::new(seed);
                let [x, y] = [0; 2].map(|_| random.between(0.2, 0.7));
                let gap = [0.0, -1e-9, 1e-9, 1e-3][seed as usize % 4];
                let k = posed(tilted, [x, y, height + gap]);
                let there = present(&floor, &k);
                assert_eq!(there.len(), 1, "{seed} {there:?}");
                let frame = floor.frame(&k, there[0]);
                assert!(
                    (frame.gap - gap).abs() < 1e-16,
                    "{seed} {}",
                    frame.gap - gap
                );
                assert_eq!(frame.normal, Vector3::z());
                count[usize::from(gap < 0.0)] += 1;
            }
            assert!(count[0] > 200 && count[1] > 50);
        }
    }
}

#[test]
fn what_is_not_covered_of_a_side_is_there() {
    // A floor with a step 0.2 m high at x = 0, as two boxes side by side, one on the other, one inside
    // of the other, on a plane, and half sunk into one.
    let floor = || step("floor", [-1.0, -1.0, -0.5], [0.0, 1.0, 0.0]);
    let high = |bottom: f64| step("high", [0.0, -1.0, bottom], [1.0, 1.0, 0.2]);
    let wide = step("floor", [-1.0, -1.0, -0.5], [1.0, 1.0, 0.0]);
    for terrains in [
        vec![floor(), high(-0.5)],
        vec![floor(), high(-0.2)],
        vec![high(-0.9), floor()],
        vec![wide.clone(), high(0.0)],
        vec![high(-0.3), wide],
        vec![ground(), high(0.0)],
        vec![high(-0.4), ground()],
    ] {
        let is_high = |c: &Contacts, i: usize| c.name(i) == "foot@high";
        let stairs = over(SiteShape::Point, terrains);
        let other = usize::from(is_high(&stairs, 0));
        let high = 1 - other;
        let probe = |x: [f64; 3]| {
            let k = place(x);
            let there = present(&stairs, &k);
            let frames: Vec<_> = there.iter().map(|i| stairs.frame(&k, *i)).collect();
            (there, frames)
        };
        // Before the riser, above the floor and a hair below it: both are there.
        for (x, z) in [
            (-0.01, 0.0),
            (0.0, 0.0),
            (1e-9, -1e-9),
            (-1e-9, -1e-9),
            (-0.1, 0.1),
        ] {
            let (mut there, frames) = probe([x, 0.3, z]);
            there.sort_unstable();
            assert_eq!(there, [0, 1], "{x} {z}");
            let f = &frames[high];
            assert!((f.gap + x).abs() < 1e-15 && (f.normal + Vector3::x()).norm() < 1e-15);
            let f = &frames[other];
            assert!(
                (f.gap - z).abs() < 1e-15 && f.normal == Vector3::z(),
                "{:?}",
                f.normal
            );
        }
        // On the step: its top, and nothing of the floor, whatever is below.
        for z in [0.2, 0.2 - 1e-9, 0.3] {
            let (there, frames) = probe([0.01, 0.3, z]);
            assert!(there.contains(&high));
            let f = &frames[there.iter().position(|i| *i == high).unwrap()];
            assert!((f.gap - (z - 0.2)).abs() < 1e-16 && f.normal == Vector3::z());
            let low = there.iter().position(|i| *i == other);
            assert!(low.is_none_or(|i| frames[i].gap > 0.19));
        }
        // Under the floor's surface the step has no side.
        let (there, _) = probe([-1e-3, 0.3, -1e-3]);
        assert!(!there.contains(&high), "{there:?}");
    }
}

#[test]
fn pieces_that_share_surface_have_it_once() {
    let boxes = |order: [usize; 2]| {
        let all = [
            step("a", [0.0, 0.0, -0.5], [2.0, 1.0, 0.0]),
            step("b", [1.0, 0.0, -0.3], [3.0, 1.0, 0.0]),
        ];
        over(SiteShape::Point, order.map(|i| all[i].clone()).to_vec())
    };
    // A box sunk flush into a plane leaves the plane.
    let sunk = || {
        over(
            SiteShape::Point,
            vec![step("sunk", [0.0, 0.0, -1.0], [3.0, 1.0, 0.0]), ground()],
        )
    };
    for floor in [boxes([0, 1]), boxes([1, 0]), sunk()] {
        for i in 1..300 {
            for z in [0.0, -1e-9, 1e-9, 0.1] {
                let k = place([0.01 * f64::from(i) - 1e-10, 0.5, z]);
                let there = present(&floor, &k);
                assert_eq!(there.len(), 1, "{i} {there:?}");
                let frame = floor.frame(&k, there[0]);
                assert_eq!((frame.gap, frame.normal), (z, Vector3::z()));
            }
        }
    }
}

#[test]
fn stairs_half_sunk_in_a_slope_keep_what_is_above_it() {
    // The slope passes through the origin and rises along x by 3 in 4.
    let slope = Terrain::plane("slope", [0.0; 3], [-3.0, 0.0, 4.0], RUBBER);
    let block = step("block", [-0.2, -1.0, -1.0], [0.2, 1.0, 0.25]);
    let terrain = over(SiteShape::Point, vec![slope, block]);
    let there = |x: f64, z: f64| present(&terrain, &place([x, 0.0, z]));
    // Top of the block up to x = 1/3 is above the slope; its lower side is from −0.15 up.
    assert_eq!(there(0.0, 0.25), [0, 1]);
    assert_eq!(there(-0.2 - 1e-9, 0.0), [0, 1]);
    assert_eq!(there(-0.21, -0.16), [0]);
}

#[test]
fn the_seam_of_a_table_is_its_edge() {
    let table = || vec![step("table", [-1.0, -1.0, -1.0], [0.0, 1.0, 0.0])];
    let ball = over(SiteShape::Sphere { radius: 0.1 }, table());
    let point = over(SiteShape::Point, table());
    let axis = Vector3::y();
    let wheel = over(SiteShape::DiscEdge { axis, radius: 0.1 }, table());
    for i in -9..=9 {
        let x = 0.01 * f64::from(i);
        // Over the edge the centre goes round it.
        let z = if x > 0.0 {
            f64::sqrt(0.01 - x * x)
        } else {
            0.1
        };
        let k = place([x, 0.0, z]);
        for round in [&ball, &wheel] {
            assert!(round.frame(&k, 0).gap.abs() < 1e-15);
            let seam = round.seam(&k, 0);
            // Past the nearest face: at first the top, then the side.
            let expected = if x > 0.0 { -x.min(z) } else { -x };
            let exact = (seam - expected).abs() < 1e-14;
            // Beside the second-order difference of a ball's circle.
            assert!(
                exact || (x > 0.0 && seam < 0.0 && (seam - expected).abs() < 0.6 * x),
                "{x} {seam}"
            );
        }
        let seam = point.seam(&place([x, 0.0, 0.0]), 0);
        assert!((seam + x).abs() < 1e-15, "{x} {seam}");
    }
    // Where tiles of two materials meet there is a seam on both sides, where they are alike none.
    let ice = Material::new(0.1, 0.0);
    let pond = Terrain::step("pond", [0.0, -1.0, -1.0], [1.0, 1.0, 0.0], ice);
    let mixed = over(SiteShape::Point, [table(), vec![pond]].concat());
    let seams = [-0.1, 0.1].map(|x| [0, 1].map(|i| mixed.seam(&place([x, 0.0, 0.0]), i)));
    let expected = [[0.1, -0.1], [-0.1, 0.1]];
    for (seam, expected) in seams.iter().flatten().zip(expected.iter().flatten()) {
        assert!((seam - expected).abs() < 1e-15, "{seams:?}");
    }
}

#[test]
fn what_is_held_over_a_face_goes_on_past_its_edge() {
    let axis = Vector3::y();
    let steps = || step("table", [-1.0, -1.0, -1.0], [0.0, 1.0, 0.0]);
    let low = || step("low", [0.0, -1.0, -1.0], [1.0, 1.0, -0.2]);
    let half = || step("half", [0.0, 0.0, -0.5], [1.0, 1.0, 0.0]);
    for (shape, height) in [
        (SiteShape::Point, 0.0),
        (SiteShape::Sphere { radius: 0.1 }, 0.1),
        (SiteShape::DiscEdge { axis, radius: 0.1 }, 0.1),
    ] {
        for (terrains, covered) in [
            (vec![steps()], false),
            (vec![steps(), low()], false),
            (vec![steps(), half()], true),
        ] {
            let contacts = over(shape, terrains);
            let face = contacts.face(&place([-0.5, 0.5, height]), 0).unwrap();
            for i in -20..=20 {
                let (x, z) = (0.01 * f64::from(i), 1e-3 * f64::from(i % 3));
                let k = place([x, 0.5, height + z]);
                let frame = contacts.frame_over(&k, 0, face);
                assert!((frame.gap - z).abs() < 1e-16 && frame.normal == Vector3::z());
                let seam = contacts.seam_over(&k, 0, face);
                // The far sides are half a metre and more away; what has no size is over a face up to 1e-8 m past its edge.
                let beside = if height == 0.0 { 1e-8 } else { 0.0 };
                let expected = beside + if covered { 0.5 } else { -x };
                assert!((seam - expected).abs() < 1e-15, "{x} {seam}");
                if x < 0.0 && z >= 0.0 {
                    let plain = contacts.frame(&k, 0);
                    assert_eq!((plain.gap, plain.normal), (frame.gap, frame.normal));
                    assert_eq!(contacts.face(&k, 0), Some(face));
                }
            }
        }
    }
    let ball = over(SiteShape::Sphere { radius: 0.1 }, vec![steps()]);
    assert_eq!(ball.face(&place([0.05, 0.0, 0.05]), 0), None);
    let level = over(SiteShape::Point, vec![ground()]);
    assert_eq!(level.face(&place([0.0; 3]), 0), None);
}
