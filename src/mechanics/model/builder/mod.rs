//! Construction of a [`Model`] from links and joints.

mod adjust;
mod assembly;
mod composite;
mod joint;
mod link;
mod mimic;
mod solid;
mod source;
mod springs;
mod validation;

pub(super) use composite::no_coordinate;
pub use composite::{CompositeJoint, CompositeKind};
pub use joint::Joint;
pub(super) use joint::MotionKind;
pub use link::Link;
pub use mimic::Mimic;
pub(super) use source::Source;

use nalgebra::Vector3;

use super::{Base, Model, ModelError};
use assembly::Assembly;
use composite::{chain, check_composites};
use mimic::{any_mimics, treat};
#[doc(hidden)]
pub use springs::{NamedJointSpring, NamedPointSpring};
use validation::{
    check_coordinate, check_inertias, check_joints, check_links, check_massless, find_root,
};

/// Collects links, joints and springs, and builds the [`Model`].
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::model::{Base, Joint, Link, ModelBuilder};
/// use nalgebra::Vector3;
///
/// let model = ModelBuilder::new("pendulum")
///     .base(Base::Fixed)
///     .link(Link::new("world"))
///     .link(Link::new("rod").rod(1.0, Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0)))
///     .joint(Joint::revolute("pivot", "world", "rod").axis([0.0, 1.0, 0.0]))
///     .build()?;
/// assert_eq!(model.dof(), 1);
/// # Ok::<(), carom::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelBuilder {
    pub(super) name: String,
    pub(super) base: Base,
    mimic: Mimic,
    pub(super) gravity: Vector3<f64>,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    joint_springs: Vec<NamedJointSpring>,
    point_springs: Vec<NamedPointSpring>,
    pub(super) warnings: Vec<String>,
    pub(super) source: Option<Source>,
}

impl ModelBuilder {
    /// An empty robot with a fixed base in standard gravity (9.81 m/s² along −z).
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            base: Base::Fixed,
            mimic: Mimic::default(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            links: Vec::new(),
            joints: Vec::new(),
            joint_springs: Vec::new(),
            point_springs: Vec::new(),
            warnings: Vec::new(),
            source: None,
        }
    }

    /// How the root link is held.
    #[must_use]
    pub fn base(mut self, base: Base) -> Self {
        self.base = base;
        self
    }

    /// What becomes of joints that mimic others; coupled unless said.
    #[must_use]
    pub fn mimic(mut self, mimic: Mimic) -> Self {
        self.mimic = mimic;
        self
    }

    /// Acceleration of gravity in the world \[m/s²\].
    #[must_use]
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.gravity = Vector3::from(gravity);
        self
    }

    /// Adds a link.
    #[must_use]
    pub fn link(mut self, link: Link) -> Self {
        self.links.push(link);
        self
    }

    /// Adds a joint; one of several freedoms as a joint for each.
    #[must_use]
    pub fn joint(mut self, joint: Joint) -> Self {
        match joint.composite {
            None => self.joints.push(joint),
            Some(kind) => {
                let chain = chain(&joint, kind);
                self.joints.extend(chain.joints);
                self.links.extend(chain.links);
                self.warnings.extend(chain.remark);
            }
        }
        self
    }

    /// Adds a spring and damper at a joint: rest position \[rad or m\], stiffness, damping.
    #[must_use]
    pub fn joint_spring(mut self, joint: &str, rest: f64, stiffness: f64, damping: f64) -> Self {
        self.joint_springs.push(NamedJointSpring {
            joint: joint.to_string(),
            rest,
            stiffness,
            damping,
        });
        self
    }

    /// Adds a spring and damper between points of two links (`None`: a point of the world), points
    /// in the link frames \[m\].
    #[must_use]
    pub fn point_spring(
        mut self,
        links: [Option<&str>; 2],
        points: [[f64; 3]; 2],
        rest_length: f64,
        stiffness: f64,
        damping: f64,
    ) -> Self {
        self.point_springs.push(NamedPointSpring {
            links: links.map(|l| l.map(str::to_string)),
            points: points.map(Vector3::from),
            rest_length,
            stiffness,
            damping,
        });
        self
    }

    /// Adds a remark that the model will carry.
    #[must_use]
    pub fn warning(mut self, text: String) -> Self {
        self.warnings.push(text);
        self
    }

    /// Validates the description and builds the model.
    ///
    /// # Errors
    /// The first thing that is wrong, by name: see [`ModelError`]. For a robot read from a file it
    /// is a [`ModelError::InFile`].
    pub fn build(self) -> Result<Model, ModelError> {
        self.assemble().map_err(|error| match &self.source {
            Some(source) => source.locate(error),
            None => error,
        })
    }

    fn assemble(&self) -> Result<Model, ModelError> {
        check_composites(&self.joints, &self.links)?;
        check_links(&self.links)?;
        check_joints(&self.joints, &self.links)?;
        if !any_mimics(&self.joints) {
            return self.assemble_tree();
        }
        let (joints, remarks) = treat(&self.joints, self.mimic)?;
        let mut treated = Self {
            joints,
            ..self.clone()
        };
        treated.warnings.extend(remarks);
        treated.assemble_tree()
    }

    fn assemble_tree(&self) -> Result<Model, ModelError> {
        for (axis, g) in ["x", "y", "z"].into_iter().zip(self.gravity.iter()) {
            check_coordinate(&format!("gravity {axis}"), *g)?;
        }
        let root = find_root(&self.links, &self.joints)?;
        let mut assembly = Assembly::new(self);
        assembly.place_root(root);
        assembly.place_children(root);
        let mut model = assembly.finish();
        model.check_coordinate_names()?;
        check_massless(&model)?;
        model.warnings.extend(check_inertias(&self.links, &model)?);
        model.warnings.extend(model.singular_turns());
        for spring in &self.joint_springs {
            model.add_joint_spring(spring)?;
        }
        for spring in &self.point_springs {
            model.add_point_spring(spring)?;
        }
        Ok(model)
    }
}
