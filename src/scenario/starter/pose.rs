//! In which pose and at which height a robot starts.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};

use super::joints;
use crate::contact::{Contacts, planar_normal};
use crate::dynamics::{Kinematics, center_of_mass};
use crate::model::{Base, Model};

/// Share of its range that a joint keeps from its limits, but for zero.
const FROM_LIMITS: f64 = 0.02;
/// Sites this much above the lowest touch the ground as well \[m\]: a servo gives by more.
const LEVEL: f64 = 2e-3;
/// Sites this much above the lowest are part of a foot while the pose is sought, as a share of the robot's extent.
const NEAR: f64 = 0.01;
/// Weight of a joint's way (rad or m) beside that of the centre of mass as a share of the robot's extent.
const RELUCTANCE: f64 = 0.02;
/// Share of the robot's extent by which the centre of mass should be inside of what touches.
const SECURE: f64 = 0.1;
/// Iterations of the search.
const ITERATIONS: usize = 40;
/// Directions in which the support is looked at.
const DIRECTIONS: usize = 180;

/// A configuration to start from.
pub(super) struct Pose {
    pub q: Vec<f64>,
    /// Distance of the projected centre of mass from the edge of the support \[m\], negative outside.
    pub margin: Option<f64>,
    /// Contacts that touch the ground, or nearly.
    pub support: Vec<usize>,
    /// Height of the ground \[m\]: zero but for a fixed robot that reaches below.
    pub ground: f64,
}

struct Search<'a> {
    model: &'a Model,
    contacts: &'a Contacts,
    kinematics: Kinematics<f64>,
    /// Entries of q that joints move, with their bounds.
    joints: Vec<(usize, [f64; 2])>,
    extent: f64,
}

impl Pose {
    /// Zero, moved inside the limits; of a free robot that would fall so, leaned until it stands if that can be had.
    pub fn find(model: &Model, contacts: &Contacts) -> Self {
        let mut search = Search::new(model, contacts);
        let mut q = model.neutral_configuration();
        for &(at, [low, high]) in &search.joints {
            q[at] = rounded(0.0_f64.clamp(low, high));
        }
        let free = model.base() != Base::Fixed;
        let touching = search.heights(&q);
        if free && !touching.is_empty() && search.margin(&q) < SECURE * search.extent {
            let leaned = search.leaned(&q);
            if search.margin(&leaned) > search.margin(&q) {
                q = leaned;
            }
        }
        search.settled(q)
    }

    /// These joint positions, at the height at which the lowest site touches the ground.
    pub fn at(model: &Model, contacts: &Contacts, q: Vec<f64>) -> Self {
        Search::new(model, contacts).settled(q)
    }
}

impl Search<'_> {
    fn settled(&mut self, mut q: Vec<f64>) -> Pose {
        let (model, search) = (self.model, self);
        let free = model.base() != Base::Fixed;
        let heights = search.heights(&q);
        let lowest = lowest(heights.iter().map(|(_, gap)| *gap));
        let (mut ground, mut margin) = (0.0, None);
        let mut support = Vec::new();
        if lowest.is_finite() {
            match model.base() {
                Base::Fixed => ground = (1e3 * lowest.min(0.0)).floor() / 1e3,
                Base::Planar => q[1] -= lowest,
                Base::Floating => q[2] -= lowest,
            }
            if free {
                margin = Some(search.margin(&q));
                let low = heights.iter().filter(|(_, gap)| gap - lowest <= LEVEL);
                support = low.map(|(i, _)| *i).collect();
            }
        }
        Pose {
            q,
            margin,
            support,
            ground,
        }
    }
}

fn lowest(heights: impl Iterator<Item = f64>) -> f64 {
    heights.fold(f64::INFINITY, f64::min)
}

/// To a ten-thousandth, as a user would write it.
fn rounded(x: f64) -> f64 {
    (1e4 * x).round() / 1e4
}

impl<'a> Search<'a> {
    fn new(model: &'a Model, contacts: &'a Contacts) -> Self {
        let bounds = joints(model).map(|body| {
            let (low, high) = body.limits.position.unwrap_or((-1e3, 1e3));
            let inside = FROM_LIMITS * (high - low).min(10.0);
            let (least, most) = (low + inside, high - inside);
            // A knee that is straight at its limit may stay straight: bent a little it would tilt the foot.
            let bounds = if low <= 0.0 && high >= 0.0 {
                [least.min(0.0), most.max(0.0)]
            } else {
                [least, most]
            };
            (body.q_index, bounds)
        });
        let mut search = Self {
            model,
            contacts,
            kinematics: Kinematics::new(model),
            joints: bounds.collect(),
            extent: 0.0,
        };
        let points = search.points(&model.neutral_configuration());
        let low = points
            .iter()
            .fold(Vector3::repeat(f64::INFINITY), |m, (x, _)| m.inf(x));
        let high = points
            .iter()
            .fold(Vector3::repeat(f64::NEG_INFINITY), |m, (x, _)| m.sup(x));
        search.extent = (high - low).amax().max(1e-3);
        search
    }

    /// Heights over the ground of the nearest point of every site.
    fn heights(&mut self, q: &[f64]) -> Vec<(usize, f64)> {
        self.kinematics.update_placements(self.model, q);
        let nearest = (0..self.contacts.len()).filter(|&i| self.contacts.is_nearest_place(i));
        nearest
            .map(|i| (i, self.contacts.gap(&self.kinematics, i)))
            .collect()
    }

    /// Lowest points of all sites with their heights.
    fn points(&mut self, q: &[f64]) -> Vec<(Vector3<f64>, f64)> {
        let heights = self.heights(q);
        let point = |(i, gap)| (self.contacts.frame(&self.kinematics, i).points[0], gap);
        heights.into_iter().map(point).collect()
    }

    /// How far the projected centre of mass is inside of the hull of what touches \[m\]: the least distance that its
    /// supporting lines leave, negative outside.
    fn margin(&mut self, q: &[f64]) -> f64 {
        let points = self.points(q);
        let center = center_of_mass(self.model, &self.kinematics).xy();
        let lowest = lowest(points.iter().map(|(_, gap)| *gap));
        let planar = planar_normal(self.model).is_some();
        let touching: Vec<Vector2<f64>> = points
            .iter()
            .filter(|(_, gap)| gap - lowest <= LEVEL)
            .map(|(x, _)| x.xy() - center)
            .collect();
        let directions = (0..DIRECTIONS).map(|k| {
            let turn = std::f64::consts::TAU / DIRECTIONS as f64 * k as f64;
            Vector2::new(turn.cos(), turn.sin())
        });
        directions
            .filter(|d| !planar || d.y.abs() < 1e-9)
            .map(|d| {
                touching
                    .iter()
                    .map(|x| x.dot(&d))
                    .fold(f64::NEG_INFINITY, f64::max)
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// Contacts near the ground, those of one body together.
    fn feet(&mut self, q: &[f64]) -> Vec<Vec<usize>> {
        let heights = self.heights(q);
        let near = lowest(heights.iter().map(|(_, gap)| *gap)) + NEAR * self.extent;
        let mut feet: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
        for (i, _) in heights.into_iter().filter(|(_, gap)| *gap <= near) {
            let body = self.contacts.bodies(i)[0];
            match feet.iter_mut().find(|(b, _)| *b == body) {
                Some((_, contacts)) => contacts.push(i),
                None => feet.push((body, vec![i])),
            }
        }
        feet.into_iter().map(|(_, contacts)| contacts).collect()
    }

    /// As shares of the extent: from the centre of the feet to the centre of mass over the ground, and how much each foot is
    /// above their mean.
    fn imbalance(&mut self, q: &[f64], feet: &[Vec<usize>]) -> DVector<f64> {
        self.kinematics.update_placements(self.model, q);
        let place = |contacts: &Vec<usize>| {
            let points = contacts
                .iter()
                .map(|&i| self.contacts.frame(&self.kinematics, i).points[0]);
            points.sum::<Vector3<f64>>() / contacts.len() as f64
        };
        let places: Vec<Vector3<f64>> = feet.iter().map(place).collect();
        let middle = places.iter().sum::<Vector3<f64>>() / places.len() as f64;
        let lean = center_of_mass(self.model, &self.kinematics).xy() - middle.xy();
        let heights = places.iter().map(|x| x.z - middle.z);
        let all = [lean.x, lean.y].into_iter().chain(heights);
        DVector::from_iterator(2 + feet.len(), all.map(|x| x / self.extent))
    }

    /// The pose nearest to `start` whose centre of mass is over the centre of its feet, which stay level: Gauss-Newton on
    /// the imbalance and the way of the joints, inside their limits.
    fn leaned(&mut self, start: &[f64]) -> Vec<f64> {
        const NUDGE: f64 = 1e-6;
        let feet = self.feet(start);
        let mut q = start.to_vec();
        for _ in 0..ITERATIONS {
            let imbalance = self.imbalance(&q, &feet);
            let n = self.joints.len();
            let mut jacobian = DMatrix::zeros(imbalance.len(), n);
            for k in 0..n {
                let at = self.joints[k].0;
                let mut moved = q.clone();
                moved[at] += NUDGE;
                let slope = (self.imbalance(&moved, &feet) - &imbalance) / NUDGE;
                jacobian.set_column(k, &slope);
            }
            let way = self.joints.iter().map(|(at, _)| q[*at] - start[*at]);
            let way = DVector::from_iterator(n, way);
            let square = RELUCTANCE * RELUCTANCE;
            let normal = jacobian.transpose() * &jacobian + DMatrix::identity(n, n) * square;
            let slope = jacobian.transpose() * imbalance + way * square;
            let Some(step) = normal.cholesky().map(|factor| factor.solve(&slope)) else {
                break;
            };
            // A tenth of a radian at a time: what touches changes on the way.
            let shorter = (0.1 / step.amax().max(1e-300)).min(1.0);
            for (k, (at, [low, high])) in self.joints.iter().enumerate() {
                q[*at] = (q[*at] - shorter * step[k]).clamp(*low, *high);
            }
        }
        for (at, [low, high]) in &self.joints {
            q[*at] = rounded(q[*at]).clamp(*low, *high);
        }
        q
    }
}
