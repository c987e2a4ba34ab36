//! Capsules and cylinders that touch by their sides: over edges of terrain and across each other; and what stairs do to balls.

use carom::dynamics::Kinematics;
use carom::hybrid::EventKind;
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

use crate::cans::can;
use crate::loose::{GROUND, RISE, energy, experiment, run, stone, turn};

/// A rod of one kilogram, 1 m long between its ends and 0.1 m thick.
fn rod(kind: &str, name: &str, position: [f64; 3], rpy: [f64; 3]) -> String {
    format!(
        "[[object]]\nname = \"{name}\"\nkind = \"{kind}\"\nmass = 1.0\nradius = 0.05\nlength = 1.0\nposition = {position:?}\n\
         rpy = {rpy:?}\n"
    )
}

const ALONG_X: [f64; 3] = [0.0, std::f64::consts::FRAC_PI_2, 0.0];
const ALONG_Y: [f64; 3] = [std::f64::consts::FRAC_PI_2, 0.0, 0.0];

/// After 600 steps a coordinate is this height \[m\], and nothing was deeper on the way than what closes a contact.
fn comes_to_rest(tables: &str, at: usize, height: f64, case: &str) {
    let mut simulation = experiment(0.5, tables).simulation().unwrap();
    let [_, depth] = run(&mut simulation, 600);
    let q = &simulation.state().q;
    assert!((q[at] - height).abs() < 1e-9, "{case}: {q:?}");
    assert!(depth > -1e-9, "{case}: {depth:e}");
}

#[test]
fn a_rod_rests_across_a_ridge() {
    for kind in ["capsule", "cylinder"] {
        for height in [0.25, 0.35] {
            // Its middle over the ridge: on both edges, 0.2 + 0.05 high.
            let rod = rod(kind, "rod", [0.01, 0.0, height], ALONG_X);
            let ridge = stone("ridge", [-0.05, -1.0, 0.0], [0.05, 1.0, 0.2]);
            let tables = format!("{rod}{ridge}{GROUND}");
            comes_to_rest(&tables, 2, 0.25, &format!("{kind} {height}"));
        }
    }
}

#[test]
fn two_rods_lie_across_each_other() {
    for kinds in [
        ["capsule", "capsule"],
        ["capsule", "cylinder"],
        ["cylinder", "cylinder"],
    ] {
        let rods = [
            rod(kinds[0], "a", [0.0, 0.3, 0.05], ALONG_X),
            rod(kinds[0], "b", [0.0, -0.3, 0.05], ALONG_X),
            rod(kinds[1], "c", [0.02, 0.05, 0.25], ALONG_Y),
        ];
        let tables = format!("{}{GROUND}", rods.concat());
        comes_to_rest(&tables, 16, 0.15, &format!("{kinds:?}"));
    }
}

/// Two rods of 0.05 m between walls, 0.12 m apart, bear a third that falls between them: 0.05 + √(0.1² − 0.06²) high.
#[test]
fn a_rod_lies_between_rods_along_it() {
    for kinds in [["capsule", "cylinder"], ["cylinder", "cylinder"]] {
        let rods = [
            rod(kinds[0], "a", [0.0, 0.06, 0.05], ALONG_X),
            rod(kinds[0], "b", [0.0, -0.06, 0.05], ALONG_X),
            rod(kinds[1], "c", [0.0, 0.0, 0.15], ALONG_X),
        ];
        let walls = [
            stone("left", [-1.0, 0.11, 0.0], [1.0, 0.3, 0.2]),
            stone("right", [-1.0, -0.3, 0.0], [1.0, -0.11, 0.2]),
        ];
        let tables = format!("{}{}{GROUND}", rods.concat(), walls.concat());
        comes_to_rest(&tables, 16, 0.13, &format!("{kinds:?}"));
    }
}

/// Three steps along x, each on from the last one, which covers its face in part.
fn stairs() -> String {
    let step = |k: i32| {
        let (x, top) = (0.3 * f64::from(k), 0.12 * f64::from(k + 1));
        stone(&format!("step{k}"), [x - 0.3, -0.6, 0.0], [x, 0.6, top])
    };
    (0..3).map(step).collect()
}

/// A ball that falls beside stairs sees the gap of the last face jump where the cover begins.
#[test]
fn a_ball_that_falls_beside_stairs_meets_nothing_but_the_ground() {
    let ball = "[[object]]\nname = \"ball\"\nkind = \"sphere\"\nmass = 1.0\nradius = 0.07\nposition = [-0.47, 0.63, 0.4]\n";
    let tables = format!("{ball}{}{GROUND}", stairs());
    let mut simulation = experiment(0.5, &tables).simulation().unwrap();
    let [_, depth] = run(&mut simulation, 400);
    let q = &simulation.state().q;
    assert!(
        (q[2] - 0.07).abs() < 1e-9 && depth > -1e-9,
        "{q:?} {depth:e}"
    );
    assert!(
        (q[0] + 0.47).abs().max((q[1] - 0.63).abs()) < 1e-12,
        "{q:?}"
    );
}

/// The flat end of a cylinder is a centimetre from a stone whose edge its axis would meet: the end of a capsule would be four
/// centimetres deep in it.
#[test]
fn the_flat_end_of_a_cylinder_beside_an_edge_is_in_nothing() {
    let rod = rod("cylinder", "rod", [-0.51, 0.0, 0.2], ALONG_X);
    let stone = stone("stone", [0.0, -1.0, 0.0], [1.0, 1.0, 0.2]);
    let simulation = experiment(0.5, &format!("{rod}{stone}"))
        .simulation()
        .unwrap();
    let (contacts, kinematics) = (simulation.contacts(), simulation.kinematics());
    let gaps = (0..contacts.len()).map(|i| contacts.gap(kinematics, i));
    let nearest = gaps.fold(f64::INFINITY, f64::min);
    assert!(nearest >= 0.0, "{nearest}");
}

/// A rod slides lengthways off a table, tips over its edge and leaves it by the rim of its rear end: nothing strikes, and
/// without friction nothing takes energy.
#[test]
fn a_rod_that_slides_off_a_table_leaves_its_edge_without_a_strike() {
    for (speed, yaw) in [(1.5, 0.0), (1.0, 0.1)] {
        let table = stone("table", [-2.0, -2.0, -1.0], [0.0, 2.0, 0.0]);
        let rod = format!(
            "[[object]]\nname = \"rod\"\nkind = \"cylinder\"\nradius = 0.02\nlength = 1.0\nmass = 1.0\n\
             position = [-0.3, 0.1, 0.02]\nrpy = [0.0, {}, {yaw:?}]\nvelocity = [{speed:?}, 0.0, 0.0]\n",
            std::f64::consts::FRAC_PI_2
        );
        let mut simulation = experiment(0.0, &[table, rod].concat())
            .simulation()
            .unwrap();
        let start = energy(&mut simulation);
        for _ in 0..700 {
            simulation.advance().unwrap();
            let events = simulation.take_events();
            assert!(events.iter().all(|e| e.kind != EventKind::Impact), "{yaw}");
        }
        let end = energy(&mut simulation);
        assert!(simulation.state().held.is_empty());
        assert!((end - start).abs() < 700.0 * RISE, "{yaw}: {start} {end}");
    }
}

/// The end of a capsule slides over an edge until that touches its side: the end lies over the edge at an angle of `de` before its side
/// begins, so it would be v² h²/2 R in the edge after the step in which the two pass into each other, up to 0.5 µm.
#[test]
fn a_rod_passes_from_its_end_to_its_side_over_an_edge() {
    let (radius, length, height) = (0.05, 0.3, 1.0);
    for k in 0..10 {
        let kf = f64::from(k);
        let (sin, cos) = (10.0 + 3.0 * kf).to_radians().sin_cos();
        let (sin_de, cos_de) = (0.03 + 0.007 * kf).sin_cos();
        // Out of the capsule at its end, and across: the end is there that far along both from the edge.
        let (axis, up) = ([cos, sin], [-sin, cos]);
        let from_edge = [0, 1].map(|i| radius * (cos_de * up[i] - sin_de * axis[i]));
        let middle = [0, 1].map(|i| from_edge[i] - 0.5 * length * axis[i]);
        let speed = 0.15 + 0.02 * kf;
        let along = [0, 1].map(|i| speed * (cos_de * axis[i] + sin_de * up[i]));
        let rod = format!(
            "[[object]]\nname = \"rod\"\nkind = \"capsule\"\nmass = 0.5\nradius = {radius:?}\nlength = {length:?}\n\
             position = [{:?}, 0.0, {:?}]\nrpy = [0.0, {:?}, 0.0]\nvelocity = [{:?}, {:?}, {:?}]\n",
            middle[0],
            height + middle[1] + 1e-10,
            cos.atan2(sin),
            along[0],
            0.02 * f64::from(k % 3),
            along[1],
        );
        let table = stone("table", [0.0, -1.0, 0.0], [1.0, 1.0, height]);
        let mut simulation = experiment(0.1, &[GROUND, &table, &rod].concat())
            .simulation()
            .unwrap();
        let [_, depth] = run(&mut simulation, 100);
        assert!(depth > -1e-9, "{k}: {depth:e}");
        let held = |name: &str| {
            let contacts = simulation.contacts();
            let mut held = simulation.state().held.iter();
            held.any(|h| contacts.name(h.contact).starts_with(name))
        };
        assert!(held("rod:side@table") && !held("rod_capsule"), "{k}");
    }
}

/// A disc comes down on a capsule that lies on the ground, level or with one side first: it lies on it by both places of its rim that
/// are over the axis, none of which is one of the eight that it has over planes, as high as both and level.
#[test]
fn a_disc_lies_across_a_capsule() {
    for tilt in [0.0, 0.01, 0.03] {
        let log = rod("capsule", "log", [0.0, 0.0, 0.05], ALONG_X);
        let disc = can("disc", [0.1, 0.01], [0.0, 0.0, 0.1151], [0.0, tilt, 0.39]);
        let tables = [GROUND, &log, &disc].concat();
        let mut simulation = experiment(0.5, &tables).simulation().unwrap();
        let mut deepest = f64::INFINITY;
        let mut sides = [f64::INFINITY; 2];
        for _ in 0..150 {
            sides = [f64::INFINITY; 2];
            simulation.advance().unwrap();
            let q = &simulation.state().q;
            let axis = turn(&q[..7]) * Vector3::z();
            let (own, between) = (turn(&q[7..14]), [7, 8, 9].map(|k| q[k] - q[k - 7]));
            for k in 0..720 {
                let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 720.0).sin_cos();
                let x = own * Vector3::new(0.1 * cos, 0.1 * sin, -0.01) + Vector3::from(between);
                let side = &mut sides[usize::from(x.dot(&axis) > 0.0)];
                *side = f64::min(*side, axis.cross(&x).norm() - 0.05);
            }
            deepest = deepest.min(sides[0]).min(sides[1]);
        }
        assert!(deepest > -1e-9, "{tilt}: {deepest:e}");
        // A quarter of a degree beside the lowest place the rim is (0.1 · 0.0044)² / (2 · 0.05) higher.
        assert!(sides.iter().all(|gap| *gap < 2e-6), "{tilt}: {sides:?}");
    }
}

/// Two bodies that touch are turned as one about a level axis, so that their normals come through all that is over and under them, and
/// not in a plane of two coordinates, in which one tangent may always be the third. By a thousandth of a radian tangents turn by
/// less than three: those of the normal alone by 1 + tan(β/2) times as much, β ≤ 121° its angle from where they begin, those of
/// edges with these.
#[test]
fn tangents_go_on_smoothly_through_all_normals() {
    let (cos, sin) = (0.6_f64, 0.8_f64);
    let yaw = sin.atan2(cos);
    let boxed = format!(
        "[[object]]\nname = \"box\"\nkind = \"box\"\nmass = 1.0\nsize = [0.4, 0.4, 0.4]\nposition = [0.0, 0.0, 5.0]\n\
         rpy = [0.0, 0.0, {yaw:?}]\n"
    );
    let ball = |name: &str, z: f64| {
        format!(
            "[[object]]\nname = \"{name}\"\nkind = \"sphere\"\nmass = 1.0\nradius = 0.05\nposition = [0.0, 0.0, {z:?}]\n"
        )
    };
    // Across an edge of the box along the axis of turning, at 45 degrees.
    let at = 0.2 + 0.0501 * std::f64::consts::FRAC_1_SQRT_2;
    let tilt = [std::f64::consts::FRAC_PI_4, 0.0, yaw];
    let lower = rod("capsule", "one", [0.0, 0.0, 5.0], ALONG_X);
    let scenes = [
        [
            boxed,
            rod("capsule", "rod", [-sin * at, cos * at, 5.0 + at], tilt),
        ],
        [
            lower.clone(),
            rod("cylinder", "rod", [0.1, 0.0, 5.1001], ALONG_Y),
        ],
        [ball("one", 5.0), ball("other", 5.1001)],
        [lower, ball("ball", 5.1001)],
    ];
    let axis = Unit::new_unchecked(Vector3::new(cos, sin, 0.0));
    for (k, bodies) in scenes.iter().enumerate() {
        let scene = experiment(0.5, &[GROUND, &bodies[0], &bodies[1]].concat());
        let (model, contacts) = (&scene.model, &scene.contacts);
        let centre = Vector3::new(0.0, 0.0, 5.0);
        let turned = |angle: f64| {
            let turn = UnitQuaternion::from_axis_angle(&axis, angle);
            let mut q = scene.q.clone();
            for own in q.chunks_mut(7) {
                let place = centre + turn * (Vector3::new(own[0], own[1], own[2]) - centre);
                let own_turn = Quaternion::new(own[6], own[3], own[4], own[5]);
                let after = turn.quaternion() * own_turn;
                own.copy_from_slice(&[
                    place.x, place.y, place.z, after.i, after.j, after.k, after.w,
                ]);
            }
            let mut kinematics = Kinematics::<f64>::new(model);
            kinematics.update_placements(model, &q);
            kinematics
        };
        let near = |kinematics: &Kinematics<f64>, i: usize| {
            contacts.carried_of(i).is_some()
                && contacts.is_present(kinematics, i)
                && contacts.gap(kinematics, i) < 2e-4
        };
        let (mut last, mut present) = (turned(0.0), 0);
        for step in 1..=6300 {
            let now = turned(1e-3 * f64::from(step));
            for i in (0..contacts.len()).filter(|&i| near(&now, i) && near(&last, i)) {
                let frames = [&last, &now].map(|kinematics| contacts.frame(kinematics, i));
                let change = (frames[1].tangents[0] - frames[0].tangents[0]).norm();
                assert!(change < 3e-3, "{k} {} {step}: {change}", contacts.name(i));
                present += 1;
            }
            last = now;
        }
        assert!(present >= 6300, "{k}: {present}");
    }
}
