//! How far two convex shapes are inside of each other, whatever of them is nearest to what.
//!
//! | symbol | meaning |
//! |---|---|
//! | n | unit direction |
//! | A − B | Minkowski difference: the places of a shape's points relative to the other's |
//! | p(n), h(n) = n · p(n) | farthest point of A − B along n, and how far that is \[m\] |
//!
//! The shapes come apart along n after h(n), and the overlap is the least h over all directions. The sphere of directions
//! is divided into triangles n₁, n₂, n₃, of which each has a lower bound: all pᵢ are of A − B, so that
//! h(n) ≥ maxᵢ n · pᵢ, and the least of that over Σ λⱼ nⱼ, λ ≥ 0, Σ λⱼ = 1, is the value v of the matrix game pᵢ · nⱼ. None of
//! these is longer than a unit vector, which makes v a bound of h on the sphere where v ≥ 0. Triangles that could still have less
//! than the least h found are halved. A face of A − B, an edge and a round part are seen by this bound to second order in the
//! size of a triangle, so that few triangles are left at every size as long as the least found is as near to the least of all. Of
//! corners it is not, where h has a valley with steep sides between them: there two or all of nⱼ · p do alike, and that is where h
//! is looked at as well.

use nalgebra::{Matrix3, Vector3};

use super::Block;
use crate::spatial::Pose;

/// Shapes are told to overlap by no more than this share too much.
const SHARE: f64 = 1e-3;
/// Halvings of triangles: two make one half as large, from a quarter turn to roundings.
const HALVINGS: usize = 100;
/// Triangles after which what was found is told.
const MOST: usize = 100_000;

/// A shape, by what is farthest along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solid {
    pub block: Block<f64>,
    /// Whether what has a side ends in half spheres and not in discs.
    pub is_capsule: bool,
}

impl Solid {
    /// Its farthest point along a direction.
    fn farthest(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let Block { pose, half, radius } = &self.block;
        let seen = pose.rotation.tr_mul(n);
        let core = seen.zip_map(half, |n, half| half.copysign(n));
        let along = if self.is_capsule { seen.z } else { 0.0 };
        let out = Vector3::new(seen.x, seen.y, along);
        let round = out.try_normalize(0.0).unwrap_or_else(Vector3::zeros) * *radius;
        pose.point(&(core + round))
    }
}

/// A direction, and the farthest point of A − B along it.
#[derive(Debug, Clone, Copy)]
struct Corner {
    n: Vector3<f64>,
    p: Vector3<f64>,
}

impl Corner {
    fn new([a, b]: &[Solid; 2], n: Vector3<f64>) -> Self {
        let p = a.farthest(&n) - b.farthest(&-n);
        Self { n, p }
    }

    fn h(&self) -> f64 {
        self.n.dot(&self.p)
    }
}

/// Looks for overlaps; what it needs for that is kept for the next.
#[derive(Debug, Default)]
pub(crate) struct OverlapSearch {
    /// Normals of contacts, by their indices, at the moment at which one looks; empty where that has changed.
    pub normals: Vec<(usize, Vector3<f64>)>,
    triangles: Vec<[Corner; 3]>,
    halves: Vec<[Corner; 3]>,
}

impl OverlapSearch {
    /// One that needs no more room for the normals of so many contacts.
    pub fn with_room(contacts: usize) -> Self {
        Self {
            normals: Vec::with_capacity(contacts),
            ..Self::default()
        }
    }

    /// The shortest way on which two shapes come apart \[m\], up to a thousandth; no more than `enough` where it is no more than
    /// that, and what it is then is not looked for. `first` are unit directions to look along before all others.
    pub fn overlap(
        &mut self,
        solids: &[Solid; 2],
        enough: f64,
        first: impl Iterator<Item = Vector3<f64>>,
    ) -> f64 {
        let mut least = overlap_at_most(solids, enough, first);
        if least <= enough {
            return least;
        }
        let Self {
            triangles, halves, ..
        } = self;
        let at = |n| Corner::new(solids, n);
        let a = &solids[0].block.pose;
        let axes = [1.0, -1.0].map(|sign| [0, 1, 2].map(|k| at(a.rotation.column(k) * sign)));
        triangles.clear();
        triangles.extend((0..8).map(|octant| [0, 1, 2].map(|k| axes[octant >> k & 1][k])));
        for _ in 0..HALVINGS {
            halves.clear();
            for corners in &*triangles {
                let (parts, middle) = halved(solids, corners);
                let tied = ties(corners).map(|n| at(n).h());
                least = tied.fold(least.min(middle.h()), f64::min);
                halves.extend(parts);
            }
            if least <= enough {
                break;
            }
            halves.retain(|corners| bound(corners) < least * (1.0 - SHARE));
            std::mem::swap(triangles, halves);
            if triangles.is_empty() || triangles.len() > MOST {
                break;
            }
        }
        least
    }
}

/// What the overlap is no more than \[m\]: the least along likely directions, which of two boxes is all of it; not looked for further
/// where it is no more than `enough`.
pub(crate) fn overlap_at_most(
    solids: &[Solid; 2],
    enough: f64,
    first: impl Iterator<Item = Vector3<f64>>,
) -> f64 {
    let [a, b] = solids.each_ref().map(|solid| &solid.block.pose);
    let mut least = f64::INFINITY;
    for n in first.chain(likely(a, b)).flat_map(|n| [n, -n]) {
        least = least.min(Corner::new(solids, n).h());
        if least <= enough {
            break;
        }
    }
    least
}

/// Directions of which one is mostly the shortest way out: between the middles, along all axes and across two of them, and from
/// one axis to the other.
fn likely(a: &Pose<f64>, b: &Pose<f64>) -> impl Iterator<Item = Vector3<f64>> {
    let apart = b.translation - a.translation;
    let axes = [a, b].map(|pose| pose.rotation);
    let own = (0..6).map(move |k| axes[k / 3].column(k % 3).into_owned());
    let across = (0..9).map(move |k| axes[0].column(k / 3).cross(&axes[1].column(k % 3)));
    let from_axis = axes.map(|axes| {
        let axis = axes.column(2);
        apart - axis * axis.dot(&apart)
    });
    let all = std::iter::once(apart)
        .chain(own)
        .chain(across)
        .chain(from_axis);
    all.filter_map(|n| n.try_normalize(f64::MIN_POSITIVE))
}

/// Directions in and beside a triangle along which two of its farthest points are as far, or all three.
fn ties([one, two, three]: &[Corner; 3]) -> impl Iterator<Item = Vector3<f64>> {
    let between = [(one, two), (two, three), (three, one)].map(|(from, to)| {
        let apart = from.p - to.p;
        let ahead = [apart.dot(&from.n), -apart.dot(&to.n)];
        from.n * ahead[1] + to.n * ahead[0]
    });
    let across = (one.p - two.p).cross(&(one.p - three.p));
    let all = between.into_iter().chain([across * across.dot(&one.n)]);
    all.filter_map(|n| n.try_normalize(f64::MIN_POSITIVE))
}

/// Halves across the longest side, and its middle.
fn halved(solids: &[Solid; 2], corners: &[Corner; 3]) -> ([[Corner; 3]; 2], Corner) {
    let side = |k: usize| (corners[(k + 1) % 3].n - corners[(k + 2) % 3].n).norm_squared();
    let k = (0..3)
        .max_by(|&i, &j| side(i).total_cmp(&side(j)))
        .unwrap_or_default();
    let [tip, from, to] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
    let middle = Corner::new(solids, (from.n + to.n).normalize());
    ([[tip, from, middle], [tip, middle, to]], middle)
}

/// What h is at least in a triangle, where that is not negative: the value of the game in which the rows, the points, are
/// mixed for the most and the columns, the directions, for the least. Every mixture of rows is a bound; the best is of one row,
/// of two that do alike against two columns, or of three that do alike against all.
fn bound(corners: &[Corner; 3]) -> f64 {
    let game = Matrix3::from_fn(|i, j| corners[i].p.dot(&corners[j].n));
    let worth = |mix: Vector3<f64>| game.tr_mul(&mix).min();
    let mut best = (0..3).map(|i| game.row(i).min()).fold(f64::MIN, f64::max);
    for (i, k) in [(0, 1), (0, 2), (1, 2)] {
        let lead = game.row(i) - game.row(k);
        for (j, l) in [(0, 1), (0, 2), (1, 2)] {
            let of_first = (game[(k, l)] - game[(k, j)]) / (lead[j] - lead[l]);
            if (0.0..=1.0).contains(&of_first) {
                let mut mix = Vector3::zeros();
                mix[i] = of_first;
                mix[k] = 1.0 - of_first;
                best = best.max(worth(mix));
            }
        }
    }
    let alike = game.column(0) - game.column(1);
    let mix = alike.cross(&(game.column(1) - game.column(2)));
    let mix = mix / mix.sum();
    if mix.iter().all(|x| *x >= 0.0) {
        best = best.max(worth(mix));
    }
    best
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::{Matrix3, Rotation3};

    use super::*;
    use crate::model::sample::Uniform;

    fn overlap(solids: &[Solid; 2], enough: f64) -> f64 {
        OverlapSearch::default().overlap(solids, enough, std::iter::empty())
    }

    fn turned(place: [f64; 3], rotation: Matrix3<f64>, half: [f64; 3], radius: f64) -> Solid {
        let pose = Pose::new(rotation, place.into());
        let half = half.into();
        Solid {
            block: Block { pose, half, radius },
            is_capsule: false,
        }
    }

    fn solid(place: [f64; 3], angles: [f64; 3], half: [f64; 3], radius: f64) -> Solid {
        let [roll, pitch, yaw] = angles;
        let rotation = Rotation3::from_euler_angles(roll, pitch, yaw).into_inner();
        turned(place, rotation, half, radius)
    }

    fn block(place: [f64; 3], angles: [f64; 3], half: [f64; 3]) -> Solid {
        solid(place, angles, half, 0.0)
    }

    fn capsule(place: [f64; 3], angles: [f64; 3], half: f64, radius: f64) -> Solid {
        Solid {
            is_capsule: true,
            ..solid(place, angles, [0.0, 0.0, half], radius)
        }
    }

    fn random(uniform: &mut Uniform) -> Solid {
        let rotation = crate::spatial::rotation_exp(&uniform.vector(2.0).into());
        let mut size = || uniform.between(0.05, 0.5);
        let (half, radius, place) = ([size(), size(), size()], size(), uniform.vector(0.5));
        let kind = uniform.below(3);
        let (half, radius) = match kind {
            0 => (half, 0.0),
            _ => ([0.0, 0.0, half[2]], radius),
        };
        Solid {
            is_capsule: kind == 2,
            ..turned(place, rotation, half, radius)
        }
    }

    #[test]
    fn boxes() {
        let cube = block([0.0; 3], [0.0; 3], [0.5; 3]);
        let beside = |x: f64| overlap(&[cube, block([x, 0.0, 0.0], [0.0; 3], [0.5; 3])], 0.0);
        assert_relative_eq!(beside(0.75), 0.25, epsilon = 1e-15);
        assert_relative_eq!(beside(1.5), -0.5, epsilon = 1e-15);
        // A plank through the cube: no corner of either is inside of the other.
        let plank = block([0.0, 0.0, 0.2], [0.0; 3], [3.0, 0.1, 0.1]);
        assert_relative_eq!(overlap(&[cube, plank], 0.0), 0.4, epsilon = 1e-15);
        // Two cubes turned by 45 degrees, about x and about z, meet edge to edge: √½ + √½ along y.
        let turn = std::f64::consts::FRAC_PI_4;
        let over = |y: f64| {
            let about = |place, angles| block(place, angles, [0.5; 3]);
            let turned = [
                about([0.0; 3], [turn, 0.0, 0.0]),
                about([0.0, y, 0.0], [0.0, 0.0, turn]),
            ];
            overlap(&turned, 0.0)
        };
        assert_relative_eq!(over(1.4), 2.0_f64.sqrt() - 1.4, epsilon = 1e-14);
        assert_relative_eq!(over(1.5), 2.0_f64.sqrt() - 1.5, epsilon = 1e-14);
    }

    /// Shapes of which no end or edge is in the other: a thin cylinder through the ends of a thick one, two that cross, and
    /// capsules whose middles are their nearest places.
    #[test]
    fn round_shapes() {
        let thick = solid([0.0; 3], [0.0; 3], [0.0, 0.0, 0.05], 0.1);
        let thin = |half: f64| solid([0.01, 0.0, 0.0], [0.0; 3], [0.0, 0.0, half], 0.03);
        // Sideways or along the axis, whatever is shorter.
        assert_relative_eq!(overlap(&[thick, thin(0.2)], 0.0), 0.12, epsilon = 1e-15);
        assert_relative_eq!(overlap(&[thick, thin(0.06)], 0.0), 0.11, epsilon = 1e-15);
        let lying = [1.2, 0.3, 0.2];
        let upright = solid([0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], 0.1);
        let axis = Rotation3::from_euler_angles(lying[0], lying[1], lying[2]) * Vector3::z();
        let across = Vector3::z().cross(&axis).normalize();
        let crossing = |at: f64| solid((across * at).into(), lying, [0.0, 0.0, 1.0], 0.2);
        assert_relative_eq!(
            overlap(&[upright, crossing(0.25)], 0.0),
            0.05,
            epsilon = 1e-15
        );
        assert_relative_eq!(
            overlap(&[upright, crossing(0.35)], 0.0),
            -0.05,
            epsilon = 1e-15
        );
        let standing = capsule([0.0; 3], [0.0; 3], 1.0, 0.1);
        let beside = |at: f64| capsule((across * at).into(), lying, 1.0, 0.2);
        assert_relative_eq!(
            overlap(&[standing, beside(0.25)], 0.0),
            0.05,
            epsilon = 1e-15
        );
        // An end beside the other's middle: a sphere and a segment.
        let end = capsule([0.15, 0.0, 1.2], [0.0, 0.0, 0.0], 1.0, 0.1);
        assert_relative_eq!(overlap(&[standing, end], 0.0), 0.05, epsilon = 1e-15);
    }

    /// A rod with its end on the edge of a table, turned by a ten-millionth: between the directions along the edge and against it h has a
    /// valley, in which it is flat; it is within what roundings of places leave, and is not told to be 10 nm.
    #[test]
    fn the_end_of_a_rod_on_an_edge_is_on_it() {
        let table = block([0.5, 0.0, 0.5], [0.0; 3], [0.5, 1.0, 0.5]);
        for k in 0..20 {
            let (lean, turn) = (0.9 + 0.03 * f64::from(k), 1e-7 * f64::from(k));
            let out = f64::from(k).mul_add(0.002, 0.01);
            // From the edge to the middle of the end, inside of the half turn around it.
            let rotation = Rotation3::from_euler_angles(0.0, lean, turn);
            let axis = rotation * Vector3::z();
            let across = rotation * -Vector3::x();
            let to_end = (across * f64::cos(out) - axis * f64::sin(out)) * 0.05;
            let edge = Vector3::new(0.0, 4e-5, 1.0);
            let middle = edge + to_end - axis * 0.15;
            let rod = Solid {
                is_capsule: true,
                ..turned(middle.into(), rotation.into_inner(), [0.0, 0.0, 0.15], 0.05)
            };
            let found = overlap(&[rod, table], 1e-9);
            // The end is at its radius from the edge but for what it is turned, to second order.
            assert!(found <= 1e-9, "{k}: {found:e}");
        }
    }

    /// A disc whose rim goes into the flat end of another, at an angle that is no axis of either: the deepest place of the rim is
    /// radius · sin deep from the middle of the disc, and 1e-3 m of that are in the end.
    #[test]
    fn a_rim_in_an_end() {
        let (tilt, radius) = (0.4_f64, 0.1);
        let lowest = radius * tilt.sin() + 0.02 * tilt.cos();
        let ground = solid([0.0; 3], [0.0; 3], [0.0, 0.0, 0.5], 1.0);
        let disc = |deep: f64| {
            solid(
                [0.3, 0.2, 0.5 + lowest - deep],
                [tilt, 0.0, 0.0],
                [0.0, 0.0, 0.02],
                radius,
            )
        };
        assert_relative_eq!(overlap(&[ground, disc(1e-3)], 0.0), 1e-3, epsilon = 1e-15);
        // 1e-10 m deep is no more than a nanometre, 1e-8 m is.
        assert!(overlap(&[ground, disc(1e-10)], 1e-9) <= 1e-9);
        assert!(overlap(&[ground, disc(1e-8)], 1e-9) > 9e-9);
    }

    /// Against the least h of 2000 random directions, each of the best 20 made better by 1000 random steps that shrink. That is
    /// never below the overlap, and the search may tell a thousandth too much. Neither turns with the world nor changes with
    /// the order.
    #[test]
    fn random_shapes_against_random_directions() {
        let mut uniform = Uniform::new(7);
        let mut apart = 0;
        for case in 0..24 {
            let solids = [random(&mut uniform), random(&mut uniform)];
            let found = overlap(&solids, 0.0);
            let height = |n: Vector3<f64>| Corner::new(&solids, n).h();
            let mut tried: Vec<(f64, Vector3<f64>)> = (0..2000)
                .map(|_| Vector3::from(uniform.vector(1.0)).normalize())
                .map(|n| (height(n), n))
                .collect();
            tried.sort_by(|a, b| a.0.total_cmp(&b.0));
            tried.truncate(20);
            for (least, n) in &mut tried {
                for step in 0..1000 {
                    let size = 0.1 * 0.98_f64.powi(step);
                    let next = (*n + Vector3::from(uniform.vector(size))).normalize();
                    if height(next) < *least {
                        (*least, *n) = (height(next), next);
                    }
                }
            }
            let least = tried
                .iter()
                .fold(f64::INFINITY, |least, of| least.min(of.0));
            if found <= 0.0 {
                apart += 1;
                continue;
            }
            assert!(
                found <= least * (1.0 + SHARE) + 1e-12,
                "{case}: {found} {least}"
            );
            assert!(least <= found * (1.0 + SHARE), "{case}: {found} {least}");
            let world = crate::spatial::rotation_exp(&uniform.vector(2.0).into());
            let moved = solids.map(|solid| Solid {
                block: Block {
                    pose: Pose::new(world, Vector3::zeros()).compose(&solid.block.pose),
                    ..solid.block
                },
                ..solid
            });
            let [a, b] = moved;
            for again in [overlap(&moved, 0.0), overlap(&[b, a], 0.0)] {
                assert_relative_eq!(again, found, max_relative = SHARE);
            }
        }
        assert!((5..30).contains(&apart), "{apart}");
    }
}
