//! What makes links and joints a tree of rigid bodies: the checks of [`super::ModelBuilder::build`].

use std::collections::{BTreeMap, BTreeSet};

use super::{Joint, Link, MotionKind};
use crate::model::error::nearest_name;
use crate::model::{Base, Geometry, LinkShape, Model, ModelError};

/// Lengths, directions and accelerations beyond this \[m, m/s²\] are no robot's, and squares of products of
/// them with masses must stay numbers.
const LARGEST_LENGTH: f64 = 1e9;

/// The same of masses, inertias, stiffness and damping (SI units).
const LARGEST_MASS: f64 = 1e30;

/// A mass, an inertia, a coefficient: at least 0.
pub(super) fn check_amount(place: &str, value: f64) -> Result<(), ModelError> {
    check_range(
        place,
        value,
        (0.0..=LARGEST_MASS).contains(&value),
        "a finite number, at least 0 and at most 1e30",
    )
}

/// An entry of an inertia matrix.
fn check_inertia(place: &str, value: f64) -> Result<(), ModelError> {
    check_range(
        place,
        value,
        value.abs() <= LARGEST_MASS,
        "a finite number of at most 1e30",
    )
}

/// A coordinate of a point, a component of a direction.
pub(super) fn check_coordinate(place: &str, value: f64) -> Result<(), ModelError> {
    check_range(
        place,
        value,
        value.abs() <= LARGEST_LENGTH,
        "a finite number of at most 1e9",
    )
}

/// A radius, an edge.
pub(super) fn check_size(place: &str, value: f64) -> Result<(), ModelError> {
    check_range(
        place,
        value,
        (0.0..=LARGEST_LENGTH).contains(&value),
        "a finite number, at least 0 and at most 1e9",
    )
}

fn check_range(
    place: &str,
    value: f64,
    inside: bool,
    range: &'static str,
) -> Result<(), ModelError> {
    if inside {
        return Ok(());
    }
    Err(ModelError::BadNumber {
        place: place.to_string(),
        value,
        range,
    })
}

pub(super) fn check_links(links: &[Link]) -> Result<(), ModelError> {
    if links.is_empty() {
        return Err(ModelError::Empty);
    }
    let mut seen = BTreeSet::new();
    for link in links {
        if !seen.insert(link.name.as_str()) {
            return Err(ModelError::DuplicateName {
                kind: "link",
                name: link.name.clone(),
            });
        }
        let place = |what: &str| format!("link \"{}\": {what}", link.name);
        check_amount(&place("mass"), link.mass)?;
        for x in link.center.iter() {
            check_coordinate(&place("centre of mass"), *x)?;
        }
        for x in link.central.iter() {
            check_inertia(&place("inertia"), *x)?;
        }
        for LinkShape { pose, geometry, .. } in &link.shapes {
            for x in pose.translation.iter().chain(pose.rotation.iter()) {
                check_coordinate(&place("origin of a shape"), *x)?;
            }
            let sizes: &[f64] = match geometry {
                Geometry::Sphere(r) => &[*r],
                Geometry::Box(size) => size,
                Geometry::Cylinder(r, l) | Geometry::Capsule(r, l) => &[*r, *l],
            };
            for x in sizes {
                check_size(&place("size of a shape"), *x)?;
            }
        }
    }
    Ok(())
}

/// By how much a principal moment may be below zero, relative to the largest moment of the rigid body that the link is part
/// of. Published robots have such moments: frames of 1 mg with six equal entries, by 1e-4 of the body they are welded to.
const MOMENT_SLACK: f64 = 0.05;

/// Below this fraction of the link's own largest moment a violation is a matter of printed digits.
const PRINTED_DIGITS: f64 = 1e-3;

/// Size \[m\] below which a body is a point: moments under mass times its square are noise.
const POINT_SIZE: f64 = 1e-6;

/// Refuses inertias with which some motion would have negative kinetic energy, and warns of others that no rigid body has:
/// principal moments are non-negative and each is at most the sum of the other two. Only a merged body enters the
/// equations, so links are measured against theirs; what is welded to the world enters none. Returns warnings for what
/// is tolerated.
pub(super) fn check_inertias(links: &[Link], model: &Model) -> Result<Vec<String>, ModelError> {
    let mut warnings = Vec::new();
    let described = links.iter().filter(|link| !link.between);
    for (link, frame) in described.zip(&model.links) {
        let refuse = |reason| ModelError::NonPhysicalInertia {
            link: link.name.clone(),
            reason,
        };
        let warn = |reason: &str, used: &str| {
            format!(
                "link \"{}\": no rigid body has this inertia ({reason}); {used}",
                link.name
            )
        };
        let own = link.central.amax();
        let asymmetry = (link.central - link.central.transpose()).amax();
        let slip = if asymmetry > 1e-9 * own {
            let reason = format!("its inertia matrix is not symmetric (by {asymmetry:e} kg m²)");
            Some((asymmetry, reason, Violation::Asymmetric))
        } else {
            moment_violation(link)
        };
        let Some((excess, reason, violation)) = slip else {
            continue;
        };
        let noise = link.mass * POINT_SIZE * POINT_SIZE;
        let Some(body) = frame.body else {
            // A massless link that cannot move carries no inertia at all.
            if link.mass > 0.0 && excess > PRINTED_DIGITS * own + noise {
                warnings.push(warn(&reason, "it does not matter, the link cannot move"));
            }
            continue;
        };
        if violation == Violation::Asymmetric {
            return Err(refuse(reason));
        }
        let central = model.bodies[body].inertia.central();
        if central.iter().any(|x| !x.is_finite()) {
            return Err(refuse(
                "its numbers are too large to compute with".to_string(),
            ));
        }
        let moments = central.symmetric_eigenvalues();
        let least_allowed = -(MOMENT_SLACK * moments.amax() + noise);
        if violation == Violation::Negative && moments.min() < least_allowed {
            return Err(refuse(format!(
                "{reason}, so that some motion has negative energy; correct its <inertia>"
            )));
        }
        if excess > PRINTED_DIGITS * own + noise {
            let used = if excess > MOMENT_SLACK * moments.amax() + noise {
                "it is used as it stands, since no motion has negative energy with it"
            } else {
                "it is used as it stands, being small beside its body"
            };
            warnings.push(warn(&reason, used));
        }
    }
    Ok(warnings)
}

/// In what way an inertia is that of no rigid body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Violation {
    Asymmetric,
    /// Some rotation would have negative energy.
    Negative,
    /// A moment exceeds the sum of the other two, or there is no mass: some part of the body would have negative mass,
    /// but the energy of the whole is positive.
    Distribution,
}

/// How far principal moments are from those of a rigid body, and in what way.
fn moment_violation(link: &Link) -> Option<(f64, String, Violation)> {
    let moments = link.central.symmetric_eigenvalues();
    let (least, largest) = (moments.min(), moments.max());
    let others = moments.sum() - largest;
    // Eigenvalues of zero come out as rounding of either sign.
    let negative = -least > PRINTED_DIGITS * moments.amax();
    if link.mass == 0.0 {
        return (largest.max(-least) > 0.0).then(|| {
            let reason = "it has rotational inertia but no mass".to_string();
            let violation = if negative {
                Violation::Negative
            } else {
                Violation::Distribution
            };
            (largest.max(-least), reason, violation)
        });
    }
    if negative || (least < 0.0 && -least >= largest - others) {
        let reason = format!("a principal moment is negative, {least:e} kg m²");
        return Some((-least, reason, Violation::Negative));
    }
    (largest > others).then(|| {
        let reason = format!(
            "principal moment {largest:e} kg m² exceeds the sum of the other two, {others:e} kg m²"
        );
        (largest - others, reason, Violation::Distribution)
    })
}

pub(super) fn check_joints(joints: &[Joint], links: &[Link]) -> Result<(), ModelError> {
    let names = || links.iter().map(|l| l.name.as_str());
    let known: BTreeSet<&str> = names().collect();
    let mut seen = BTreeSet::new();
    let mut parent_of: BTreeMap<&str, &str> = BTreeMap::new();
    for joint in joints {
        if !seen.insert(joint.name.as_str()) {
            return Err(ModelError::DuplicateName {
                kind: "joint",
                name: joint.name.clone(),
            });
        }
        for (role, link) in [("parent", &joint.parent), ("child", &joint.child)] {
            if !known.contains(link.as_str()) {
                return Err(ModelError::MissingLink {
                    joint: joint.described_name().to_string(),
                    role,
                    link: link.clone(),
                    nearest: nearest_name(link, names()),
                });
            }
        }
        let place = |what: &str| format!("joint \"{}\": {what}", joint.described_name());
        for x in joint
            .origin
            .translation
            .iter()
            .chain(joint.origin.rotation.iter())
        {
            check_coordinate(&place("origin"), *x)?;
        }
        for x in joint.axis.iter() {
            check_coordinate(&place("axis"), *x)?;
        }
        if joint.motion != MotionKind::Fixed && joint.axis.norm() < 1e-12 {
            return Err(ModelError::ZeroAxis {
                joint: joint.described_name().to_string(),
            });
        }
        check_amount(&place("damping"), joint.damping)?;
        check_amount(&place("friction"), joint.friction)?;
        check_amount(&place("armature"), joint.armature)?;
        for (what, bound) in [
            ("effort limit", joint.limits.effort),
            ("speed limit", joint.limits.velocity),
        ] {
            // An infinite bound is no bound.
            if let Some(value) = bound.filter(|x| x.is_nan() || *x < 0.0) {
                return Err(ModelError::BadNumber {
                    place: place(what),
                    value,
                    range: "at least 0; leave it out where there is no bound",
                });
            }
        }
        if let Some((low, high)) = joint.limits.position {
            // An infinite limit is no limit; NaN fails the comparison.
            if !(low <= high && low < f64::INFINITY && high > f64::NEG_INFINITY) {
                return Err(ModelError::BadNumber {
                    place: place("lower limit"),
                    value: low,
                    range: "at most the upper limit",
                });
            }
        }
        if let Some(first) = parent_of.insert(&joint.child, joint.described_name()) {
            return Err(ModelError::ClosedLoop {
                link: joint.child.clone(),
                first: first.to_string(),
                second: joint.described_name().to_string(),
            });
        }
    }
    Ok(())
}

pub(super) fn find_root(links: &[Link], joints: &[Joint]) -> Result<usize, ModelError> {
    let children: BTreeSet<&str> = joints.iter().map(|j| j.child.as_str()).collect();
    let is_root = |i: &usize| !children.contains(links[*i].name.as_str());
    let roots: Vec<usize> = (0..links.len()).filter(is_root).collect();
    let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for joint in joints {
        below.entry(&joint.parent).or_default().push(&joint.child);
    }
    // Every link has at most one parent, so a link that no root reaches hangs on a cycle.
    let mut waiting: Vec<&str> = roots.iter().map(|&i| links[i].name.as_str()).collect();
    let mut reached = BTreeSet::new();
    while let Some(link) = waiting.pop() {
        reached.insert(link);
        waiting.extend(below.get(link).into_iter().flatten());
    }
    if reached.len() < links.len() {
        let mut joints: Vec<String> = joints
            .iter()
            .filter(|j| !reached.contains(j.child.as_str()))
            .map(|j| j.described_name().to_string())
            .collect();
        joints.dedup();
        return Err(ModelError::Cycle { joints });
    }
    match roots[..] {
        [root] => Ok(root),
        _ => Err(ModelError::Disconnected {
            roots: roots.iter().map(|&i| links[i].name.clone()).collect(),
        }),
    }
}

/// A movable subtree without mass has no equation of motion.
pub(super) fn check_massless(model: &Model) -> Result<(), ModelError> {
    let base_bodies: usize = match model.base {
        Base::Fixed => 0,
        Base::Planar => 3,
        Base::Floating => 1,
    };
    // What shares a coordinate with a mass costs energy to move, and so does a rotor.
    let mut costs = vec![false; model.nv];
    for (body, mass) in model.bodies.iter().zip(&model.subtree_mass) {
        costs[body.v_index] |= *mass > 0.0 || body.armature > 0.0;
    }
    let Some(massless) = model.bodies.iter().position(|body| !costs[body.v_index]) else {
        return Ok(());
    };
    // The root link is the last of the bodies that carry a planar base.
    let massless = massless.max(base_bodies.saturating_sub(1));
    let mut path = Vec::new();
    let mut at = Some(massless);
    while let Some(i) = at {
        let joint = match model.composite_of(i) {
            _ if i < base_bodies => "base",
            Some(composite) => composite.name.as_str(),
            None => model.bodies[i].joint.as_str(),
        };
        let link = model.moved_link(i);
        path.push(format!("link \"{link}\" (joint \"{joint}\")"));
        at = model.holder(i).filter(|p| *p + 1 >= base_bodies);
    }
    path.reverse();
    Err(ModelError::MasslessSubtree { path })
}
