use nalgebra::Vector3;

use super::{Chord, Circle, Least, RimEdge};
use crate::contact::geometry::moved_circles::assert_row_is_exact;
use crate::model::sample::Uniform;
use crate::spatial::rotation_exp;

const MIN: Vector3<f64> = Vector3::new(-0.4, -0.5, -0.3);
const MAX: Vector3<f64> = Vector3::new(0.3, 0.6, 0.2);

fn circle(random: &mut Uniform) -> Circle<f64> {
    let turn = rotation_exp(&random.vector(2.0).into());
    Circle {
        center: random.vector(0.7).into(),
        axes: [0, 1].map(|k| turn.column(k).into_owned()),
        radius: random.between(0.1, 0.6),
        tube: 0.0,
        range: None,
    }
}

fn distance(circle: &Circle<f64>, edge: &RimEdge, angle: f64) -> f64 {
    let mut apart = circle.point_at(angle)
        - Vector3::from_fn(|k, _| if edge.sides[k] > 0.0 { MAX[k] } else { MIN[k] });
    apart[edge.axis] = 0.0;
    apart.norm()
}

/// Against 720 points of the circle: its least distances to a line are those, two or one.
#[test]
fn both_ends_are_the_least_distances_of_the_circle_to_the_line() {
    const POINTS: usize = 720;
    let mut random = Uniform::new(41);
    let (mut twice, mut once) = (0, 0);
    for _ in 0..100 {
        let circle = circle(&mut random);
        for edge in RimEdge::chords().step_by(2) {
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / POINTS as f64;
            let all: Vec<f64> = (0..POINTS)
                .map(|k| distance(&circle, &edge, angle(k)))
                .collect();
            let least = (0..POINTS).filter(|&k| {
                let [before, after] = [POINTS - 1, 1].map(|step| all[(k + step) % POINTS]);
                all[k] < before && all[k] <= after
            });
            let found: Vec<f64> = least.map(|k| all[k]).collect();
            let place = Vector3::from_fn(|k, _| if edge.sides[k] > 0.0 { MAX[k] } else { MIN[k] });
            let chord = Chord::new(&circle, edge.axis, &place);
            let [a, b, c] = chord.coefficients;
            let share = ((a * a).cbrt() + (b * b).cbrt()) / (c * c).cbrt();
            // Where they run into each other the points are too far apart to tell.
            if (share - 1.0).abs() < 1e-2 {
                continue;
            }
            assert_eq!(found.len(), if chord.is_apart() { 2 } else { 1 }, "{share}");
            if !chord.is_apart() {
                once += 1;
                continue;
            }
            twice += 1;
            let ends = [Least::Lower, Least::Upper].map(|least| {
                let meeting = RimEdge { least, ..edge }.meet(&circle, 0.0, (&MIN, &MAX));
                let angle = meeting.touch.angle.unwrap();
                let own = distance(&circle, &edge, angle);
                assert!(
                    (own - meeting.touch.gap.abs()).abs() < 1e-12,
                    "{own} {} {:?} {:?} {share}",
                    meeting.touch.gap,
                    chord.coefficients,
                    chord.least(least)
                );
                // Between two points the distance changes by no more than the circle is long there.
                let far = circle.radius * std::f64::consts::TAU / POINTS as f64;
                assert!(found.iter().any(|x| *x + 1e-12 >= own && x - own < far));
                meeting.touch.points[0][edge.axis]
            });
            assert!(ends[0] < ends[1]);
        }
    }
    assert!(twice > 100 && once > 100, "{twice} {once}");
}

#[test]
fn the_gap_changes_with_motions_as_its_row_says() {
    let mut random = Uniform::new(42);
    let mut looked_at = 0;
    while looked_at < 300 {
        let circle = circle(&mut random);
        for edge in RimEdge::chords() {
            let meeting = edge.meet(&circle, 0.0, (&MIN, &MAX));
            let [a, b, c] = {
                let place =
                    Vector3::from_fn(|k, _| if edge.sides[k] > 0.0 { MAX[k] } else { MIN[k] });
                Chord::new(&circle, edge.axis, &place).coefficients
            };
            let share = ((a * a).cbrt() + (b * b).cbrt()) / (c * c).cbrt();
            if !meeting.is_apart || share > 0.95 {
                continue;
            }
            looked_at += 1;
            assert_row_is_exact(
                &circle,
                &meeting.touch,
                |circle| edge.meet(circle, 0.0, (&MIN, &MAX)).touch,
                |circle| edge.meet(circle, 0.0, (&MIN, &MAX)).touch,
            );
        }
    }
}

/// A disc that tips over the edge on which it lies: both ends are at the edge when it is level, and go on through there.
#[test]
fn a_disc_that_tips_over_an_edge_goes_on_at_both_ends() {
    let ends = |tilt: f64| {
        let turn = rotation_exp(&Vector3::new(-0.3, 0.0, 0.0))
            * rotation_exp(&Vector3::new(0.0, tilt, 0.0));
        let circle = Circle {
            center: Vector3::new(-0.05, MAX.y, MAX.z),
            axes: [0, 1].map(|k| turn.column(k).into_owned()),
            radius: 0.2,
            tube: 0.0,
            range: None,
        };
        // The edge along x at high y and high z.
        [6, 7].map(|k| {
            RimEdge::chords()
                .nth(k)
                .unwrap()
                .meet(&circle, 0.0, (&MIN, &MAX))
        })
    };
    for tilt in [-1e-2, -1e-6, -1e-12, 0.0, 1e-12, 1e-6, 1e-2] {
        let [low, high] = ends(tilt);
        // Turned about the middle of the chord, of half its length.
        assert!((low.touch.gap - 0.2 * f64::sin(tilt)).abs() < 1e-4 * tilt.abs() + 1e-15);
        assert!((high.touch.gap + 0.2 * f64::sin(tilt)).abs() < 1e-4 * tilt.abs() + 1e-15);
        assert!((low.touch.normal - high.touch.normal).norm() < 2.0 * tilt.abs() + 1e-14);
        assert!(low.is_between() == (tilt < 1e-3) && high.is_between() == (tilt > -1e-3));
    }
}

/// A level disc that reaches over an edge by a sliver, and one that has just left it: what was held at the ends of the chord goes on
/// as high as it is, along the axis of the disc, not along the way across to the edge.
#[test]
fn a_chord_that_has_ended_goes_on_off_the_plane_of_the_disc() {
    const HEIGHT: f64 = 3e-8;
    let edge = |beyond: f64, upper: bool| {
        let circle = Circle {
            center: Vector3::new(-0.05, MAX.y + 0.2 + beyond, MAX.z + HEIGHT),
            axes: [Vector3::x(), Vector3::y()],
            radius: 0.2,
            tube: 0.0,
            range: None,
        };
        let edge = RimEdge::chords().nth(6 + usize::from(upper)).unwrap();
        edge.meet(&circle, 0.0, (&MIN, &MAX))
    };
    for beyond in [-1e-4, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-4] {
        for upper in [false, true] {
            let meeting = edge(beyond, upper);
            assert_eq!(meeting.is_between(), beyond < -1e-8, "{beyond}");
            assert!((meeting.touch.normal - Vector3::z()).norm() < 1e-12);
            assert!((meeting.touch.gap - HEIGHT).abs() < 1e-15, "{beyond}");
        }
    }
}

/// The lower end of an upright can, in a box by a sliver and a hair below its lower edge: a disc that has no solid above it has come up
/// against that edge from below, as has one with its solid below; the end of the can has not.
#[test]
fn a_chord_is_there_where_the_solid_is_on_its_side_of_the_edge() {
    let circle = Circle {
        center: Vector3::new(-0.05, MAX.y + 0.2 - 1e-6, MIN.z - 1e-7),
        axes: [Vector3::x(), Vector3::y()],
        radius: 0.2,
        tube: 0.0,
        range: None,
    };
    // The edge along x at high y and low z, towards either of its ends.
    for k in [4, 5] {
        let edge = RimEdge::chords().nth(k).unwrap();
        let there = |end: f64| {
            let meeting = edge.meet(&circle, end, (&MIN, &MAX));
            assert!((meeting.touch.normal + Vector3::z()).norm() < 1e-12);
            meeting.is_present()
        };
        assert_eq!([0.0, 1.0, -1.0].map(there), [true, true, false]);
    }
}

/// Arcs that bend around edges across them at any tilt, also none: their least distance to the edge is that of 3600 points, its change
/// with motions is as its row says, and the nearest point of the circle is the same place where it is nearer than all others, and then
/// says so.
#[test]
fn an_arc_that_bends_around_an_edge_has_its_least_distance_there() {
    const POINTS: usize = 3600;
    let mut random = Uniform::new(43);
    let mut looked_at = 0;
    while looked_at < 200 {
        let tilt = [0.0, 1e-10, 1e-5, 0.3][looked_at % 4];
        let edge = RimEdge::around().nth(looked_at % 12).unwrap();
        let along = Vector3::ith(edge.axis, 1.0);
        let mut vector = |size: f64| Vector3::from(random.vector(size));
        let normal = (along + vector(1.0) * tilt).normalize();
        let first = normal.cross(&vector(1.0)).normalize();
        let start = random.between(-3.0, 1.0);
        let corner = Vector3::from_fn(|k, _| if edge.sides[k] > 0.0 { MAX[k] } else { MIN[k] });
        let circle = Circle {
            center: corner + Vector3::from(random.vector(0.3)),
            axes: [first, normal.cross(&first)],
            radius: random.between(0.1, 0.6),
            tube: 0.0,
            range: Some([start, start + random.between(0.5, 5.0)]),
        };
        let meeting = edge.meet(&circle, 0.0, (&MIN, &MAX));
        if !meeting.is_present() || meeting.inside < 1e-2 {
            continue;
        }
        looked_at += 1;
        let nearest = (0..POINTS)
            .map(|k| std::f64::consts::TAU * k as f64 / POINTS as f64)
            .map(|angle| distance(&circle, &edge, angle))
            .fold(f64::INFINITY, f64::min);
        let far = circle.radius * std::f64::consts::TAU / POINTS as f64;
        let own = meeting.touch.gap.abs();
        assert!(own <= nearest + 1e-12 && nearest - own < far);
        // Outwards of the circle.
        let out = meeting.touch.points[0] - circle.center;
        assert!(meeting.touch.normal.dot(&out) > 0.0);
        assert_row_is_exact(
            &circle,
            &meeting.touch,
            |circle| edge.meet(circle, 0.0, (&MIN, &MAX)).touch,
            |circle| edge.meet(circle, 0.0, (&MIN, &MAX)).touch,
        );
    }
}
