//! Normal rows against the derivatives of the gap by dual numbers.

use carom::contact::{Combination, Contacts, Site};
use carom::model::Base;
use carom::model::sample::{Uniform, random_tree};

use super::support::{
    RUBBER, assert_consistent, assert_normal_row_is_gap_derivative, at, one, random_shape,
    random_state, random_terrain,
};

#[test]
fn normal_rows_are_the_derivatives_of_the_gap_for_every_shape_on_every_surface() {
    // No circle of these seeds is threaded so far through a box that opposite faces are equally near,
    // where the gap has no derivative.
    // How often a contact with the box was at a face, an edge, a corner, and inside.
    let mut seen = [[0; 4]; 4];
    for seed in 0..120 {
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
                let k = at(&model, &q);
                let what = format!("seed {seed} {shape:?} box {is_box}");
                for i in 0..contacts.len() {
                    let frame = contacts.frame(&k, i);
                    assert_consistent(&frame);
                    assert_eq!(frame.gap, contacts.mechanical_gap(&k, i));
                    if contacts.is_present(&k, i) {
                        // Or that of an end of its arc which is lower.
                        let gap = contacts.gap(&k, i);
                        let is_of_end = || {
                            let is_end = |end: &usize| {
                                let name = contacts.name(*end);
                                name.contains(":start") || name.contains(":end")
                            };
                            let mut ends = (0..contacts.len()).filter(is_end);
                            i == 0
                                && gap < frame.gap
                                && ends.any(|end| gap == contacts.gap(&k, end))
                        };
                        assert!(frame.gap == gap || is_of_end(), "{what} contact {i}");
                    }
                    // Reports of the nearest point are of the lowest place. What is inside is so by each of its ways out.
                    let [nearest, own] = [0, i].map(|i| contacts.gap(&k, i));
                    let inside = nearest < 0.0 && own < 0.0;
                    assert!(inside || nearest <= own + 1e-15, "{what} {i}");
                    assert_normal_row_is_gap_derivative(&model, &contacts, i, &q, &what);
                }
                let frame = contacts.frame(&k, 0);
                if is_box {
                    let across = frame.normal.iter().filter(|c| c.abs() > 1e-12).count();
                    seen[kind][across - 1] += 1;
                    seen[kind][3] += usize::from(frame.gap < 0.0);
                }
            }
        }
    }
    for counts in seen {
        assert!(counts.iter().all(|n| *n > 2), "{seen:?}");
    }
}

#[test]
fn rows_of_pairs_are_the_derivatives_of_their_gap() {
    for seed in 0..60 {
        let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
        let model = random_tree(seed, 5, base).unwrap();
        let mut random = Uniform::new(seed + 500);
        let q = random_state(&model, &mut random);
        let sites = vec![
            Site::sphere(&model, "a", "link2", random.vector(0.3), 0.1, RUBBER).unwrap(),
            Site::point(&model, "b", "link5", random.vector(0.3), RUBBER).unwrap(),
        ];
        let pairs = [["a".to_string(), "b".to_string()]];
        let contacts = Contacts::new(&model, sites, vec![], &pairs, Combination::Product).unwrap();
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts.name(0), "a-b");
        assert_consistent(&contacts.frame(&at(&model, &q), 0));
        assert_normal_row_is_gap_derivative(&model, &contacts, 0, &q, &format!("seed {seed}"));
    }
}
