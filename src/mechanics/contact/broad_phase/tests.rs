use crate::contact::{
    CarriedSurface, Combination, Contacts, HeightField, LastPlaced, Material, Site, SiteShape,
    Terrain,
};
use crate::dynamics::Kinematics;
use crate::model::sample::Uniform;
use crate::model::{Base, Geometry, Joint, JointLimits, Link, Model, ModelBuilder};
use crate::spatial::{Pose, rotation_exp};
use nalgebra::Vector3;
use std::ops::Range;

const RUBBER: Material = Material {
    friction: 0.5,
    restitution: 0.0,
};

/// A chain of four links from a floating base, its joints limited, one of them prismatic.
fn random_chain(random: &mut Uniform) -> Model {
    let link = |i: usize| {
        let name = format!("link{i}");
        Link::new(&name).solid_sphere(1.0, 0.1, Vector3::zeros())
    };
    let mut builder = ModelBuilder::new("chain")
        .base(Base::Floating)
        .link(link(0));
    for i in 1..4 {
        let (parent, child) = (format!("link{}", i - 1), format!("link{i}"));
        let name = format!("joint{i}");
        let joint = match i {
            2 => Joint::prismatic(&name, &parent, &child),
            _ => Joint::revolute(&name, &parent, &child),
        };
        let limits = JointLimits {
            position: Some((-2.0, 2.0)),
            ..JointLimits::default()
        };
        let (place, turn) = (random.vector(0.5), random.vector(1.5));
        let joint = joint.origin(place, turn).axis(random.vector(1.0));
        builder = builder.link(link(i)).joint(joint.limits(limits));
    }
    builder.build().unwrap()
}

/// Eight sites on it in the world below, and four surfaces that its links carry, with their edges and sides.
fn random_contacts(random: &mut Uniform, model: &Model) -> Contacts {
    let sites: Vec<Site> = (0..8).map(|i| random_site(random, model, i)).collect();
    let surfaces: Vec<CarriedSurface> = (0..4).map(|i| random_surface(random, model, i)).collect();
    let mean = Combination::Average;
    Contacts::new(model, sites, world(), &[], mean)
        .and_then(|contacts| contacts.with_carried(surfaces.clone(), |_, _| true, mean))
        .and_then(|contacts| contacts.with_terrain_edges(&surfaces, mean))
        .and_then(|contacts| contacts.with_joint_limits(model, |_| 0.0))
        .unwrap()
}

fn random_site(random: &mut Uniform, model: &Model, i: usize) -> Site {
    let first = random.vector(1.0);
    let axes = [first, [first[1], -first[0], 0.0]].map(Vector3::from);
    let radius = random.between(0.05, 0.5);
    let shape = match random.below(4) {
        0 => SiteShape::Point,
        1 => SiteShape::Sphere { radius },
        2 => SiteShape::Arc {
            axes,
            radius,
            start: random.between(-3.0, 0.0),
            end: random.between(0.5, 3.0),
            thickness: random.between(0.0, 0.1),
        },
        _ => SiteShape::DiscEdge {
            axis: axes[0],
            radius,
        },
    };
    let link = format!("link{}", random.below(4));
    let center = random.vector(0.5);
    Site::new(model, &format!("s{i}"), &link, center, shape, RUBBER).unwrap()
}

fn random_surface(random: &mut Uniform, model: &Model, i: usize) -> CarriedSurface {
    let mut size = || random.between(0.05, 0.4);
    let geometry = match i {
        0 => Geometry::Sphere(size()),
        1 => Geometry::Box([size(), size(), size()]),
        2 => Geometry::Capsule(size(), size()),
        _ => Geometry::Cylinder(size(), size()),
    };
    let link = format!("link{}", random.below(4));
    let turn = rotation_exp(&Vector3::from(random.vector(2.0)));
    let pose = Pose::new(turn, random.vector(0.5).into());
    CarriedSurface::new(model, &format!("c{i}"), &link, &pose, geometry, RUBBER).unwrap()
}

/// A floor, a slope, steps that join each other and the floor, and a box in the air.
fn world() -> Vec<Terrain> {
    let step = |name, min, max| Terrain::step(name, min, max, RUBBER);
    vec![
        Terrain::plane("floor", [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], RUBBER),
        Terrain::plane("slope", [0.0, 3.0, -1.0], [0.1, -1.0, 0.7], RUBBER),
        step("low", [0.0, -1.0, -1.2], [0.5, 1.0, -0.8]),
        step("high", [0.5, -1.0, -1.2], [1.5, 1.0, -0.5]),
        step("air", [-2.0, -0.5, 0.5], [-1.5, 0.5, 0.502]),
        Terrain::heights("hills", hills(), RUBBER),
    ]
}

/// Hills whose slopes reach 0.57, with valleys that hold every ball and circle of the sites.
fn hills() -> HeightField {
    let height = |x: f64, y: f64| 0.4 * (1.2 * x).sin() * (0.8 * y).cos() - 1.0;
    HeightField::of_function([-4.0; 2], [0.25; 2], [33, 33], height).unwrap()
}

fn random_state(random: &mut Uniform, model: &Model) -> (Vec<f64>, Vec<f64>) {
    let mut entries =
        |n: usize, most: f64| -> Vec<f64> { (0..n).map(|_| random.between(-most, most)).collect() };
    let mut q = entries(model.configuration_len(), 1.5);
    let length = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    q[3..7].iter_mut().for_each(|x| *x /= length);
    (q, entries(model.dof(), 3.0))
}

/// Looks at six states of random chains, with the bounds of their groups and pairs.
fn in_random_states(
    seeds: Range<u64>,
    mut look: impl FnMut(u64, &Contacts, &Kinematics<f64>, &[f64], &[f64]),
) {
    for seed in seeds {
        let mut random = Uniform::new(seed);
        let model = random_chain(&mut random);
        let contacts = random_contacts(&mut random, &model);
        assert_eq!(contacts.ungrouped().len(), 6);
        let mut bounds = vec![0.0; contacts.group_count()];
        let mut apart = vec![0.0; contacts.pairs().len()];
        for _ in 0..6 {
            let (q, v) = random_state(&mut random, &model);
            let mut kinematics = Kinematics::new(&model);
            kinematics.update_placements(&model, &q);
            kinematics.update_twists(&model, &v);
            contacts.bound_gaps(&kinematics, 0.0, &mut bounds, &mut apart);
            look(seed, &contacts, &kinematics, &bounds, &apart);
        }
    }
}

#[test]
fn places_are_as_far_as_their_own_bounds_say() {
    let (mut better, mut there, mut chords) = (0, 0, 0);
    in_random_states(100..112, |seed, contacts, kinematics, bounds, _| {
        for (group, of_group) in bounds.iter().enumerate() {
            let mut last = LastPlaced::default();
            let has_own_bounds = contacts.has_own_bounds(group);
            for &i in contacts.members(group) {
                let bound = contacts.bound_place(kinematics, i, &mut last);
                assert_eq!(has_own_bounds, bound != f64::NEG_INFINITY);
                if bound <= 0.0 {
                    continue;
                }
                better += usize::from(bound > of_group.max(0.0));
                // The end of a chord that is not there is reported with the distance of the whole circle.
                if !contacts.is_crossing(i) {
                    let gap = contacts.gap(kinematics, i);
                    assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                }
                if contacts.is_present(kinematics, i) {
                    there += 1;
                    chords += usize::from(contacts.is_crossing(i));
                    let gap = contacts.mechanical_gap(kinematics, i);
                    assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                }
            }
        }
    });
    assert!(
        better > 10_000 && there > 1_000 && chords > 50,
        "{better} {there} {chords}"
    );
}

#[test]
fn bounds_are_below_all_gaps_and_speeds_above_their_rates() {
    let (mut above, mut there, mut carried, mut far, mut over_hills) = (0, 0, 0, 0, 0);
    in_random_states(0..24, |seed, contacts, kinematics, bounds, apart| {
        for (cluster, groups) in contacts.clusters() {
            let speed = cluster.speed(kinematics);
            over_hills += usize::from(bounds[groups.end - 1] > 0.0);
            for group in groups.filter(|&group| bounds[group] > 0.0) {
                for &i in contacts.members(group) {
                    assert_eq!(contacts.group(i), Some(group));
                    assert_eq!(contacts.bodies(i)[0], Some(cluster.body));
                    above += 1;
                    let (gap, bound) = (contacts.gap(kinematics, i), bounds[group]);
                    assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                    if !contacts.is_present(kinematics, i) {
                        continue;
                    }
                    there += 1;
                    let gap = contacts.mechanical_gap(kinematics, i);
                    assert!(gap >= bound, "{seed} {} {gap} {bound}", contacts.name(i));
                    let rate = contacts.gap_rate(kinematics, i);
                    assert!(rate.abs() <= speed, "{seed} {rate} {speed}");
                }
            }
        }
        for (pair, apart) in contacts.pairs().iter().zip(apart) {
            let fastest = pair.closing_speed(kinematics);
            far += usize::from(*apart > 0.0);
            let mut each = bounds.to_vec();
            contacts.bound_each(kinematics, pair, &mut each);
            for own in contacts.groups_of(pair) {
                let (group, speed) = (own.index, contacts.closing_speed(kinematics, own));
                assert!(speed <= fastest, "{seed} {speed} {fastest}");
                assert!(bounds[group] == if *apart > 0.0 { *apart } else { each[group] });
                for &i in contacts.members(group) {
                    assert_eq!(contacts.group(i), Some(group));
                    if contacts.is_crossing(i) && !contacts.is_present(kinematics, i) {
                        continue;
                    }
                    let frame = contacts.frame(kinematics, i);
                    assert!(frame.rate(kinematics).abs() <= speed || frame.gap < 0.0);
                    if bounds[group] > 0.0 {
                        carried += 1;
                        let gap = contacts.gap(kinematics, i);
                        assert!(gap >= bounds[group], "{seed} {gap} {}", bounds[group]);
                    }
                }
            }
        }
        for &i in contacts.ungrouped() {
            let rate = contacts.gap_rate(kinematics, i).abs();
            let speed = contacts.ungrouped_speed(kinematics, i);
            assert!(
                rate <= speed && speed <= rate + 1e-9,
                "{seed} {rate} {speed}"
            );
        }
    });
    assert!(above > 10_000 && there > 5_000, "{above} {there}");
    assert!(
        carried > 1000 && over_hills > 300 && far > 100,
        "{carried} {over_hills} {far}"
    );
}

#[test]
fn every_contact_is_in_one_group_or_in_none() {
    let mut random = Uniform::new(1);
    let model = random_chain(&mut random);
    let contacts = random_contacts(&mut random, &model);
    let grouped = (0..contacts.group_count()).flat_map(|group| contacts.members(group));
    let mut all: Vec<usize> = grouped.chain(contacts.ungrouped()).copied().collect();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..contacts.len()));
    for i in 0..contacts.len() {
        assert_eq!(contacts.group(i).is_none(), contacts.is_limit(i));
    }
}

#[test]
fn the_bound_of_one_ball_is_its_gap_and_no_bound_comes_of_no_number() {
    let model = random_chain(&mut Uniform::new(2));
    let ball = Site::sphere(&model, "ball", "link1", [0.1, 0.2, 0.3], 0.2, RUBBER).unwrap();
    let contacts = Contacts::new(&model, vec![ball], world(), &[], Combination::Average).unwrap();
    let mut bounds = vec![0.0; contacts.group_count()];
    let mut apart = [];
    let mut kinematics = Kinematics::new(&model);
    let mut q = model.neutral_configuration();
    q[2] = 0.3;
    kinematics.update_placements(&model, &q);
    contacts.bound_gaps(&kinematics, 0.0, &mut bounds, &mut apart);
    for (i, bound) in bounds.iter().enumerate() {
        // The margin of boxes is 1e-8, that of a radius of 0.2 by its share of 1e-9 less. On slopes of at most L = 0.57, the
        // steepest of the hills, heights of at most 1.6 m may be shares of 1 - 1/(1 + L^2) = 0.25 too low.
        let gap = contacts.gap(&kinematics, i);
        let off = if contacts.name(i).ends_with("hills") {
            0.4
        } else {
            3e-8
        };
        assert!(gap > 0.0 && (gap - bound) < off, "{i} {gap} {bound}");
    }
    // Of each coordinate: the largest of some numbers may be one where the others are none.
    for k in 0..3 {
        let mut lost = kinematics.clone();
        lost.world[1].translation[k] = f64::NAN;
        contacts.bound_gaps(&lost, 0.0, &mut bounds, &mut apart);
        assert!(!bounds.iter().any(|bound| *bound > 0.0), "{k} {bounds:?}");
        for i in 0..contacts.len() {
            let bound = contacts.bound_place(&lost, i, &mut LastPlaced::default());
            assert!(
                bound.is_nan() || bound == f64::NEG_INFINITY,
                "{k} {i} {bound}"
            );
        }
    }
}
