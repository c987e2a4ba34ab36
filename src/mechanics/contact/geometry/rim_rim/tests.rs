use nalgebra::Vector3;

use super::{Circle, Cylinder, CylinderRim};
use crate::contact::geometry::moved_circles::assert_row_is_exact;
use crate::model::sample::Uniform;
use crate::spatial::{Pose, rotation_exp};

const CYLINDER: Cylinder = Cylinder {
    radius: 0.4,
    half: 0.25,
};

/// A solid cylinder; its upper end is a circle.
struct Other {
    pose: Pose<f64>,
    cylinder: Cylinder,
}

impl Other {
    fn drawn(random: &mut Uniform, away: f64) -> Self {
        Self {
            pose: Pose::new(
                rotation_exp(&random.vector(2.0).into()),
                Vector3::from(random.vector(away)),
            ),
            cylinder: Cylinder {
                radius: random.between(0.1, 0.6),
                half: random.between(0.05, 0.3),
            },
        }
    }

    fn circle(&self, end: f64) -> Circle<f64> {
        Circle {
            center: (self.pose).point(&Vector3::new(0.0, 0.0, end * self.cylinder.half)),
            axes: [0, 1].map(|k| self.pose.rotation.column(k).into_owned()),
            radius: self.cylinder.radius,
            tube: 0.0,
            range: None,
        }
    }
}

/// The point of a cylinder nearest to one.
fn nearest(cylinder: &Cylinder, x: &Vector3<f64>) -> Vector3<f64> {
    let from_axis = x.x.hypot(x.y);
    let share = if from_axis > cylinder.radius {
        cylinder.radius / from_axis
    } else {
        1.0
    };
    Vector3::new(
        x.x * share,
        x.y * share,
        x.z.clamp(-cylinder.half, cylinder.half),
    )
}

/// Projections in turns come to the nearest points of two convex bodies that are apart: rims touch there where both points are on
/// rims, and nowhere else.
#[test]
fn rims_meet_at_the_nearest_points_of_two_cylinders_if_these_are_on_both() {
    let mut random = Uniform::new(51);
    let (mut met, mut others) = (0, 0);
    while met < 100 || others < 100 {
        let other = Other::drawn(&mut random, 1.2);
        let mut x = other.pose.translation;
        let mut y = x;
        for _ in 0..20_000 {
            let before = x;
            y = nearest(&CYLINDER, &x);
            let seen = other.pose.inverse().point(&y);
            x = other.pose.point(&nearest(&other.cylinder, &seen));
            if x == before {
                break;
            }
        }
        let distance = (x - y).norm();
        let seen = other.pose.inverse().point(&x);
        // How far from its side and its end a place is, and on which side of that.
        let off = |cylinder: &Cylinder, x: &Vector3<f64>| {
            [cylinder.radius - x.x.hypot(x.y), cylinder.half - x.z.abs()]
        };
        let off = [off(&CYLINDER, &y), off(&other.cylinder, &seen)].concat();
        // Too near to a rim for projections to tell, or to each other.
        if distance < 1e-3 || off.iter().any(|off| (1e-9..1e-3).contains(&off.abs())) {
            continue;
        }
        let is_met = off.iter().all(|off| off.abs() < 1e-9);
        let mut found = Vec::new();
        for end in [-1.0, 1.0] {
            for rim in CylinderRim::all() {
                let meeting = rim.meet(&other.circle(end), end, &CYLINDER);
                if meeting.is_present() {
                    found.push(meeting.touch);
                }
                // No places of the circles are nearer than the bodies are.
                assert!(rim.distance(&other.circle(end), &CYLINDER) > distance - 1e-9);
            }
        }
        assert_eq!(found.len(), usize::from(is_met), "{off:?} {distance}");
        if let [touch] = found.as_slice() {
            met += 1;
            // The distance is least there, so it differs by squares of what projections are off.
            assert!(
                (touch.gap - distance).abs() < 1e-9,
                "{} {distance}",
                touch.gap
            );
        } else {
            others += 1;
        }
    }
}

/// A disc that lies with a part of it on the end of a cylinder, just above it: both corners of what they have in common, down to what
/// is side by side.
#[test]
fn flat_discs_meet_at_both_corners_of_what_they_have_in_common() {
    let height = 1e-4;
    for own in [0.1, 0.3999, 0.4, 0.7] {
        for common in [0.1, 1e-3, 1e-5, 1e-6] {
            let apart = own + CYLINDER.radius - common;
            let circle = Circle {
                center: Vector3::new(0.6 * apart, 0.8 * apart, CYLINDER.half + height),
                axes: [Vector3::new(0.8, 0.6, 0.0), Vector3::new(0.6, -0.8, 0.0)],
                radius: own,
                tube: 0.0,
                range: None,
            };
            // The axis of the circle is downwards, out of its end.
            let meetings = CylinderRim::all()
                .skip(2)
                .map(|rim| rim.meet(&circle, 1.0, &CYLINDER));
            let along = (apart * apart + CYLINDER.radius.powi(2) - own * own) / (2.0 * apart);
            let across = (CYLINDER.radius.powi(2) - along * along).sqrt();
            let mut sides = Vec::new();
            for meeting in meetings {
                assert!(meeting.is_present(), "{own} {common}");
                let touch = meeting.touch;
                assert!((touch.gap - height).abs() < 1e-15);
                assert!((touch.normal - Vector3::z()).norm() < 1e-12);
                let [x, _] = touch.points;
                let place = [0.6 * x.x + 0.8 * x.y - along, 0.8 * x.x - 0.6 * x.y];
                // Roundings over the angle at which they cross.
                let rounding = 1e-15 / across;
                assert!(place[0].abs() < rounding, "{own} {common} {place:?}");
                assert!(
                    (place[1].abs() - across).abs() < rounding,
                    "{place:?} {across}"
                );
                sides.push(place[1] > 0.0);
            }
            assert!(sides[0] != sides[1]);
        }
    }
}

#[test]
fn the_gap_changes_with_motions_as_its_row_says() {
    let mut random = Uniform::new(52);
    let mut looked_at = 0;
    while looked_at < 120 {
        let other = Other::drawn(&mut random, 0.6);
        let circle = other.circle(1.0);
        for rim in CylinderRim::all() {
            let meeting = rim.meet(&circle, 1.0, &CYLINDER);
            // Where the least distances run into each other, or another takes its place, there is no derivative.
            let deep = meeting.touch.gap.abs() > 0.05;
            if deep || !meeting.is_apart || meeting.inside < 0.02 {
                continue;
            }
            looked_at += 1;
            assert_row_is_exact(
                &circle,
                &meeting.touch,
                |circle| rim.meet(circle, 1.0, &CYLINDER).touch,
                |circle| rim.meet(circle, 1.0, &CYLINDER).touch,
            );
        }
    }
}
