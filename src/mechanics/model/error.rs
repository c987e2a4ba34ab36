use thiserror::Error;

use crate::files::brief;

/// Why a robot description is not a model.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// Something is wrong at a place in a file.
    #[error("{path}{}: {error}", .line.map_or(String::new(), |line| format!(":{line}")))]
    InFile {
        /// The file.
        path: String,
        /// The line, from 1, if the error belongs to one link or joint.
        line: Option<usize>,
        /// What is wrong.
        error: Box<ModelError>,
    },
    /// A file is not a robot description.
    #[error("{path} is not a URDF robot: {reason}")]
    NotUrdf {
        /// The file.
        path: String,
        /// What the parser said.
        reason: String,
    },
    /// Something is refused because it is not supported.
    #[error("{place}: {what} is not supported; {remedy}")]
    Unsupported {
        /// Where.
        place: String,
        /// What.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// An element of a description cannot be read.
    #[error("{place}: {reason}")]
    BadElement {
        /// Link or joint, and the element in it.
        place: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A joint connects a link that does not exist.
    #[error("joint \"{joint}\": its {role} link \"{link}\" does not exist{}", suggestion(.nearest))]
    MissingLink {
        /// Name of the joint.
        joint: String,
        /// `parent` or `child`.
        role: &'static str,
        /// Name of the missing link.
        link: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// A name is not known.
    #[error("there is no {kind} \"{name}\"{}", suggestion(.nearest))]
    UnknownName {
        /// `link`, `joint`, …
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// Two things have one name.
    #[error("two {kind}s are named \"{name}\"; names must be unique")]
    DuplicateName {
        /// `link`, `joint` or `coordinate`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A number is NaN, infinite or out of range.
    #[error("{place} is {}, it must be {range}", brief(*.value))]
    BadNumber {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
        /// What would be right.
        range: &'static str,
    },
    /// A configuration or velocity has another number of entries than the robot.
    #[error("the {what} has {found} entries, the robot has {expected}")]
    WrongLength {
        /// `configuration` or `velocity`.
        what: &'static str,
        /// Entries given.
        found: usize,
        /// Entries of the robot.
        expected: usize,
    },
    /// A quaternion of a configuration is not a rotation.
    #[error(
        "the quaternion {entries} has length {length}, a rotation's has length 1; divide it by its length"
    )]
    NotUnitQuaternion {
        /// Names of its first and last entry.
        entries: String,
        /// Its length.
        length: f64,
    },
    /// Something is said of a joint that does not move.
    #[error("joint \"{joint}\" is fixed, there is nothing to set; name a joint that moves")]
    FixedJoint {
        /// Name of the joint.
        joint: String,
    },
    /// A joint axis has no direction.
    #[error("joint \"{joint}\": the axis has zero length; give it a direction such as (0, 1, 0)")]
    ZeroAxis {
        /// Name of the joint.
        joint: String,
    },
    /// An inertia no rigid body can have.
    #[error("link \"{link}\": no rigid body has this inertia: {reason}")]
    NonPhysicalInertia {
        /// Name of the link.
        link: String,
        /// Which condition fails, with the numbers.
        reason: String,
    },
    /// A movable part of the robot has no mass.
    #[error("{} moves but has no mass; give its links an <inertial> or its joint an armature, or fix its joint", .path.join(" -> "))]
    MasslessSubtree {
        /// Names from the root to the massless link.
        path: Vec<String>,
    },
    /// A link has two parents: the tree would have a loop.
    #[error(
        "link \"{link}\" is the child of joints \"{first}\" and \"{second}\": closed loops are not supported; cut one of the joints and connect its two points by a stiff spring"
    )]
    ClosedLoop {
        /// The link.
        link: String,
        /// One joint.
        first: String,
        /// The other joint.
        second: String,
    },
    /// A joint mimics one that does not exist.
    #[error(
        "joint \"{joint}\" mimics \"{leader}\", which does not exist{}; correct the name, or let mimic joints move on their own (mimic = free)",
        suggestion(.nearest)
    )]
    UnknownLeader {
        /// Name of the joint.
        joint: String,
        /// What it mimics.
        leader: String,
        /// The nearest name that exists.
        nearest: Option<String>,
    },
    /// Joints mimic each other in a circle.
    #[error(
        "joint \"{joint}\" follows itself: {}; remove one <mimic>, or let mimic joints move on their own (mimic = free)",
        .path.join(" -> ")
    )]
    MimicLoop {
        /// Name of the joint.
        joint: String,
        /// What it mimics, one after the other, up to the first that comes twice.
        path: Vec<String>,
    },
    /// A joint that follows another is named where a coordinate is wanted.
    #[error(
        "joint \"{joint}\" has no coordinate of its own, it mimics \"{leader}\"; name \"{leader}\" instead"
    )]
    Follower {
        /// Name of the joint.
        joint: String,
        /// What it mimics.
        leader: String,
    },
    /// A joint of several freedoms is named where a coordinate is wanted.
    #[error(
        "joint \"{joint}\" is {kind} and has several coordinates; name one of them: {}",
        .coordinates.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
    )]
    Composite {
        /// Name of the joint.
        joint: String,
        /// `planar`, `spherical` or `floating`.
        kind: &'static str,
        /// Names of its coordinates.
        coordinates: Vec<String>,
    },
    /// Joints form a cycle.
    #[error("the joints {} form a cycle; a robot is a tree with one root link", .joints.join(", "))]
    Cycle {
        /// Names of the joints.
        joints: Vec<String>,
    },
    /// The links fall apart into several trees.
    #[error("the links {} have no parent: a robot has exactly one root link; join them by fixed joints", .roots.join(", "))]
    Disconnected {
        /// Names of the roots.
        roots: Vec<String>,
    },
    /// There is nothing in the robot.
    #[error("the robot has no links")]
    Empty,
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or(String::new(), |n| format!("; did you mean \"{n}\"?"))
}

/// The known name nearest to a misspelt one, if any is near.
pub(super) fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let (distance, nearest) = known
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        .min()?;
    let allowed = name.len().max(nearest.len()).div_ceil(3);
    (distance <= allowed).then(|| nearest.to_string())
}

impl ModelError {
    /// The error without the place in a file.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::InFile { error, .. } => error.cause(),
            other => other,
        }
    }

    /// Whether the message says in which file it is.
    #[must_use]
    pub fn names_a_file(&self) -> bool {
        matches!(
            self,
            Self::InFile { .. } | Self::Unreadable { .. } | Self::NotUrdf { .. }
        )
    }

    /// The same error at a place in a file.
    pub(super) fn in_file(self, path: &str, line: Option<usize>) -> Self {
        Self::InFile {
            path: path.to_string(),
            line,
            error: Box::new(self),
        }
    }

    /// Kind (`link` or `joint`) and name of what the error is about.
    pub(super) fn subject(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::DuplicateName {
                kind: "coordinate",
                name,
            } => Some(("joint", name)),
            Self::DuplicateName { kind, name } => Some((kind, name)),
            Self::ZeroAxis { joint } | Self::MissingLink { joint, .. } => Some(("joint", joint)),
            Self::ClosedLoop { second, .. } => Some(("joint", second)),
            Self::UnknownLeader { joint, .. } | Self::MimicLoop { joint, .. } => {
                Some(("joint", joint))
            }
            Self::NonPhysicalInertia { link, .. } => Some(("link", link)),
            Self::BadNumber { place, .. }
            | Self::Unsupported { place, .. }
            | Self::BadElement { place, .. } => ["link", "joint"].into_iter().find_map(|kind| {
                let rest = place.strip_prefix(kind)?.strip_prefix(" \"")?;
                Some((kind, rest.rsplit_once('"')?.0))
            }),
            _ => None,
        }
    }

    /// An unknown name with the nearest of the known ones.
    pub(crate) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        Self::UnknownName {
            kind,
            name: name.to_string(),
            nearest: nearest_name(name, known),
        }
    }
}
