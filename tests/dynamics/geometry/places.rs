//! Which places of arcs and discs are there, how they follow each other, and rates of gaps.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use carom::contact::{Combination, Contacts, Site, SiteShape, Terrain};
use carom::dynamics::Kinematics;
use carom::model::Base;
use carom::model::sample::{Uniform, random_tree};
use carom::spatial::rotation_exp;
use nalgebra::Vector3;

use super::support::{
    RUBBER, arc, at, free_body, ground, one, posed, random_shape, random_state, random_terrain,
    single,
};

fn names(contacts: &Contacts, which: impl Fn(usize) -> bool) -> Vec<&str> {
    (0..contacts.len())
        .filter(|i| which(*i))
        .map(|i| contacts.name(i))
        .collect()
}

fn present<'a>(contacts: &'a Contacts, k: &Kinematics<f64>) -> Vec<&'a str> {
    names(contacts, |i| contacts.is_present(k, i))
}

fn pitched(angle: f64) -> Kinematics<f64> {
    posed(
        rotation_exp(&Vector3::new(0.0, angle, 0.0)),
        [0.1, 0.2, 0.7],
    )
}

#[test]
fn an_arc_has_its_inside_and_both_ends() {
    let leg = single(arc(PI, TAU, 0.02), ground());
    let all = [
        "foot",
        "foot:start",
        "foot:end",
        "foot:1",
        "foot:2",
        "foot:3",
    ];
    assert_eq!(names(&leg, |_| true), all);
    assert_eq!(leg.listed_count(), [3, 3]);
    assert_eq!(leg.siblings(1).collect::<Vec<_>>(), [0, 2, 3, 4, 5]);
    assert!((0..6).all(|i| leg.is_smooth(i) && leg.tangent_count(i) == 2 && !leg.is_limit(i)));
    // A cup stands on its inside, a rainbow on both ends, and one lying on its side on an end.
    assert_eq!(present(&leg, &pitched(0.3)), ["foot"]);
    assert_eq!(
        present(&leg, &pitched(PI - 0.3)),
        ["foot:start", "foot:end"]
    );
    let quarter = single(arc(-FRAC_PI_2, 0.0, 0.0), ground());
    assert_eq!(present(&quarter, &pitched(FRAC_PI_2 - 0.1)), ["foot"]);
    assert_eq!(
        present(&quarter, &pitched(0.2 - PI)),
        ["foot:start", "foot:end"]
    );
    let ends = [0.1, -0.1].map(|x: f64| present(&quarter, &pitched(x)));
    assert_eq!(ends, [vec!["foot"], vec!["foot:start"]]);
    // Flat on its side it has no lowest point: its ends and the points between them stand for it.
    let flat = posed(
        rotation_exp(&Vector3::new(FRAC_PI_2, 0.0, 0.0)),
        [0.0, 0.0, 0.5],
    );
    assert_eq!(present(&leg, &flat), all[1..]);
    let frame = leg.frame(&flat, 4);
    assert!((frame.gap - 0.48).abs() < 1e-15 && (frame.normal - Vector3::z()).norm() < 1e-15);
}

#[test]
fn rolling_onto_an_end_one_of_both_is_there_and_they_agree() {
    // The lowest point is at the angle 3π/2 + pitch of an arc with ends all around the circle.
    let model = free_body();
    for seed in 0..200 {
        let mut random = Uniform::new(seed);
        let start = random.between(-4.0, 4.0);
        let end = start + random.between(0.2, 6.2);
        let leg = single(arc(start, end, 0.01), ground());
        for (i, angle) in [(1, start), (2, end)] {
            let mut before = f64::NAN;
            for offset in [-1e-2, -1e-5, -1e-9, -1e-15, 0.0, 1e-15, 1e-9, 1e-5, 1e-2] {
                // A positive turn about y carries z to x and the lowest angle on.
                let k = pitched(angle - 1.5 * PI + offset);
                let there = [0, i].map(|j| leg.is_present(&k, j));
                assert!(there[0] != there[1], "{seed} {i} {offset}");
                let inwards = if i == 1 { offset } else { -offset };
                if offset.abs() > 1e-12 {
                    assert_eq!(there[0], inwards > 0.0, "{seed} {i} {offset}");
                }
                // Cosine: the arc leaves its end at R(1 − cos δ) ≤ Rδ²/2, the normal row by Rδ.
                let [inside, at_end] = [0, i].map(|j| leg.frame(&k, j));
                let apart = at_end.gap - inside.gap;
                assert!(apart.abs() <= 0.25 * offset * offset + 1e-15);
                let rows = [&inside, &at_end].map(|f| {
                    let mut row = vec![0.0; 6];
                    f.row(&model, &k, &f.normal, &mut row);
                    row
                });
                for (a, b) in rows[0].iter().zip(&rows[1]) {
                    assert!((a - b).abs() <= 0.5 * offset.abs() + 1e-14);
                }
                // R = 0.5; angles to a few roundings of 10.
                let seams = [0, i].map(|j| leg.seam(&k, j));
                assert!(
                    (seams[0] - 0.5 * inwards).abs() < 1e-14,
                    "{seed} {i} {offset}"
                );
                assert!(
                    (seams[1] + 0.5 * inwards).abs() < 1e-14,
                    "{seed} {i} {offset}"
                );
                // Reports follow the arc, mechanics the circle inside and the end outside.
                let lower = if there[0] { inside.gap } else { at_end.gap };
                assert!((leg.gap(&k, 0) - lower).abs() < 1e-15);
                assert_eq!(leg.mechanical_gap(&k, 0), inside.gap);
                if !before.is_nan() {
                    assert!((leg.gap(&k, 0) - before).abs() < 1e-4);
                }
                before = leg.gap(&k, 0);
            }
        }
    }
}

#[test]
fn a_disc_that_falls_flat_lies_on_points_of_its_rim() {
    let axis = Vector3::z();
    let disc = single(SiteShape::DiscEdge { axis, radius: 0.15 }, ground());
    assert_eq!(disc.len(), 9);
    let rim: Vec<String> = (0..8).map(|i| format!("foot:{i}")).collect();
    let tilted = |tilt: f64, towards: f64| {
        let turn = rotation_exp(&(Vector3::new(towards.cos(), towards.sin(), 0.0) * tilt));
        posed(turn, [0.0, 0.0, 0.05])
    };
    assert_eq!(present(&disc, &tilted(0.1, 0.4)), ["foot"]);
    for tilt in [0.0, 1e-9] {
        assert_eq!(present(&disc, &tilted(tilt, 0.4)), rim);
    }
    for tilt in [1e-7, 1e-3, 0.019] {
        for direction in 0..40 {
            let k = tilted(tilt, 0.05 + f64::from(direction) * 0.157);
            let there = present(&disc, &k);
            // The lowest point stands for the rim point beside it.
            assert_eq!((there.len(), there[0]), (8, "foot"), "{there:?}");
            let lowest = disc.frame(&k, 0).gap;
            for i in 1..9 {
                let apart = disc.frame(&k, i).gap - lowest;
                assert!(apart >= -1e-16 && apart <= 0.3 * tilt + 1e-16);
                let beside = 0.15 * tilt.sin() * (1.0 - f64::cos(PI / 8.0));
                assert_eq!(
                    disc.is_present(&k, i),
                    apart > beside,
                    "{tilt} {direction} {i}"
                );
            }
        }
    }
    // Where the lowest point is given up the rim points are as low to 1e-9 m.
    let k = tilted(1.01e-8, 0.4);
    let lowest = (1..9)
        .map(|i| disc.gap(&k, i))
        .fold(f64::INFINITY, f64::min);
    assert!(disc.is_present(&k, 0) && lowest - disc.gap(&k, 0) < 1e-9);
    // On a box it is no different.
    let floor = Terrain::step("floor", [-1.0; 3], [1.0, 1.0, 0.0], RUBBER);
    let on_box = single(SiteShape::DiscEdge { axis, radius: 0.15 }, floor);
    for tilt in [0.0, 1e-9, 1e-7, 1e-3, 0.019, 0.1] {
        let k = tilted(tilt, 0.4);
        assert_eq!(present(&on_box, &k), present(&disc, &k), "{tilt}");
        for i in (0..9).filter(|i| disc.is_present(&k, *i)) {
            let [a, b] = [&on_box, &disc].map(|c| c.frame(&k, i));
            assert!((a.gap - b.gap).abs() < 1e-15 && (a.points[0] - b.points[0]).norm() < 1e-13);
        }
    }
}

#[test]
fn an_arc_on_a_box_hands_over_to_its_ends() {
    let step = Terrain::step("step", [-2.0, -2.0, -1.0], [2.0, 2.0, 0.0], RUBBER);
    let on_box = single(arc(PI, TAU, 0.02), step);
    let on_plane = single(arc(PI, TAU, 0.02), ground());
    for i in 0..400 {
        let k = pitched(-3.1 + 0.0155 * f64::from(i));
        assert_eq!(present(&on_box, &k), present(&on_plane, &k), "{i}");
        for j in (0..3).filter(|j| on_plane.is_present(&k, *j)) {
            let [a, b] = [&on_box, &on_plane].map(|c| (c.frame(&k, j), c.seam(&k, j)));
            assert!((a.0.gap - b.0.gap).abs() < 1e-14);
            // Edges are more than a metre away.
            assert!(
                (a.1.signum() - b.1.signum()).abs() < 1e-15,
                "{i} {j} {} {}",
                a.1,
                b.1
            );
        }
    }
    // Nor does it lie on another part of itself.
    for tilt in [-1e-9, 0.0, 1e-9] {
        let lying = rotation_exp(&Vector3::new(FRAC_PI_2 + tilt, 0.0, 0.0));
        let k = posed(lying, [0.0, 0.0, 0.5]);
        let there = present(&on_box, &k);
        assert_eq!(there.len(), 5, "{tilt} {there:?}");
        assert_eq!(there, present(&on_plane, &k), "{tilt}");
    }
    // Astride a wall an arch stands on neither end: its inside touches both edges.
    let wall = Terrain::step("wall", [-0.1, -1.0, -1.0], [0.1, 1.0, 0.0], RUBBER);
    let arch = single(arc(0.0, PI, 0.0), wall);
    let k = posed(rotation_exp(&Vector3::zeros()), [0.05, 0.0, -0.4]);
    let there = present(&arch, &k);
    assert!(
        there.contains(&"foot:ylh") && there.contains(&"foot:yhh"),
        "{there:?}"
    );
    assert!(arch.gap(&k, 0) < arch.gap(&k, 1));
}

#[test]
fn gap_rates_are_rows_times_velocity_and_differences_of_the_gap() {
    let mut compared = 0;
    for seed in 0..80 {
        for kind in 0..4 {
            for is_box in [false, true] {
                let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
                let model = random_tree(seed, 1 + seed as usize % 6, base).unwrap();
                let mut random = Uniform::new(seed * 8 + kind as u64 * 2 + u64::from(is_box));
                let q = random_state(&model, &mut random);
                let link = format!("link{}", 1 + seed as usize % 6);
                let shape = random_shape(kind, &mut random);
                let site =
                    Site::new(&model, "s", &link, random.vector(0.2), shape, RUBBER).unwrap();
                let x = at(&model, &q).world_point(site.body, &site.center);
                let terrain = random_terrain(is_box, &x, &mut random);
                let contacts = one(&model, site, terrain);
                let v: Vec<f64> = (0..model.dof())
                    .map(|_| random.between(-1.0, 1.0))
                    .collect();
                let mut k = at(&model, &q);
                k.update_twists(&model, &v);
                let moved = |h: f64| {
                    let mut out = vec![0.0; q.len()];
                    model.integrate(&q, &v, h, &mut out);
                    at(&model, &out)
                };
                for i in 0..contacts.len() {
                    let frame = contacts.frame(&k, i);
                    let rate = contacts.gap_rate(&k, i);
                    let mut row = vec![0.0; v.len()];
                    let mut along = |d: &Vector3<f64>| {
                        frame.row(&model, &k, d, &mut row);
                        row.iter().zip(&v).map(|(u, v)| u * v).sum::<f64>()
                    };
                    // Lever arms and speeds of a few metres and m/s: a few tens of roundings.
                    assert!((rate - along(&frame.normal)).abs() < 1e-13);
                    for (slip, t) in frame.slip(&k).iter().zip(&frame.tangents) {
                        assert!((slip - along(t)).abs() < 1e-13);
                    }
                    assert_eq!(frame.rate(&k), rate);
                    // A circle deep inside of a box may have no derivative of its gap.
                    if is_box && kind >= 2 && frame.gap < -1e-2 {
                        continue;
                    }
                    // Central differences: h²/6 times the third derivative, of the order of
                    // (speed 10 m/s)³/(distance to edges 0.1 m)², and 1e-15/h of rounding. Kinks of the
                    // distance to a box are left out by a second step.
                    let difference = |h: f64| {
                        let [a, b] = [h, -h].map(|h| contacts.mechanical_gap(&moved(h), i));
                        (a - b) / (2.0 * h)
                    };
                    let (one, two) = (difference(1e-5), difference(2e-5));
                    if (one - two).abs() < 1e-7 {
                        compared += 1;
                        assert!((rate - one).abs() < 1e-5, "{seed} {kind} {is_box} {i}");
                    }
                }
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn a_pair_and_a_plane_have_no_seams() {
    let ball = single(SiteShape::Sphere { radius: 0.1 }, ground());
    assert!(ball.is_present(&pitched(0.4), 0) && ball.is_smooth(0));
    assert_eq!(ball.seam(&pitched(0.4), 0), f64::INFINITY);
    let model = random_tree(3, 5, Base::Floating).unwrap();
    let site = |name, link| Site::sphere(&model, name, link, [0.0; 3], 0.1, RUBBER).unwrap();
    let pairs = [["a".to_string(), "b".to_string()]];
    let sites = vec![site("a", "link1"), site("b", "link4")];
    let pair = Contacts::new(&model, sites, vec![], &pairs, Combination::Average).unwrap();
    let k = at(&model, &random_state(&model, &mut Uniform::new(5)));
    assert!(pair.is_present(&k, 0) && !pair.is_smooth(0) && pair.siblings(0).next().is_none());
    assert_eq!(pair.seam(&k, 0), f64::INFINITY);
}
