//! Construction of a [`Model`] from links and joints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use nalgebra::{Matrix3, Vector3};

use super::assembly::Assembly;
use super::composite::{Part, chain, check_composites};
use super::mimic::{Imitation, any_mimics, treat};
use super::validation::{
    check_amount, check_coordinate, check_inertias, check_joints, check_links, check_massless,
    check_size, find_root,
};
use super::{
    Base, CompositeKind, Geometry, JointLimits, JointSpring, LinkMesh, LinkShape, Mimic, Model,
    ModelError, PointSpring,
};
use crate::spatial::{Pose, rotation_from_rpy};

/// A link of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub(super) name: String,
    pub(super) mass: f64,
    pub(super) center: Vector3<f64>,
    pub(super) central: Matrix3<f64>,
    pub(super) has_inertia: bool,
    pub(super) shapes: Vec<LinkShape>,
    pub(super) meshes: Vec<LinkMesh>,
    /// Whether it is none of the description but stands between the freedoms of one joint.
    pub(super) between: bool,
}

impl Link {
    /// A massless frame; give it mass with [`Link::inertial`] unless a fixed joint carries it.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            mass: 0.0,
            center: Vector3::zeros(),
            central: Matrix3::zeros(),
            has_inertia: false,
            shapes: Vec::new(),
            meshes: Vec::new(),
            between: false,
        }
    }

    /// What stands between two freedoms of one joint.
    pub(super) fn between(name: &str) -> Self {
        Self {
            between: true,
            ..Self::new(name)
        }
    }

    /// Mass \[kg\], centre of mass in the link frame \[m\], rotational inertia about the centre of mass
    /// in the axes of the link frame \[kg m²\].
    #[must_use]
    pub fn inertial(mut self, mass: f64, center: Vector3<f64>, central: Matrix3<f64>) -> Self {
        self.mass = mass;
        self.center = center;
        self.central = central;
        self.has_inertia = true;
        self
    }

    /// A uniform thin rod of given mass \[kg\] from `from` to `to` \[m\].
    #[must_use]
    pub fn rod(self, mass: f64, from: Vector3<f64>, to: Vector3<f64>) -> Self {
        let d = to - from;
        let central = (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * (mass / 12.0);
        self.inertial(mass, (from + to) * 0.5, central)
    }

    /// A uniform solid sphere of given mass \[kg\] and radius \[m\].
    #[must_use]
    pub fn solid_sphere(self, mass: f64, radius: f64, center: Vector3<f64>) -> Self {
        self.inertial(
            mass,
            center,
            Matrix3::identity() * (0.4 * mass * radius * radius),
        )
    }

    /// A uniform solid box of given mass \[kg\] and edge lengths \[m\].
    #[must_use]
    pub fn solid_box(self, mass: f64, size: [f64; 3], center: Vector3<f64>) -> Self {
        let [x, y, z] = size.map(|s| s * s);
        let moments = Vector3::new(y + z, x + z, x + y) * (mass / 12.0);
        self.inertial(mass, center, Matrix3::from_diagonal(&moments))
    }

    /// A primitive shape placed in the link frame; those for `collision` can become contact sites.
    #[must_use]
    pub fn shape(mut self, pose: Pose<f64>, geometry: Geometry, collision: bool) -> Self {
        self.shapes.push(LinkShape {
            link: 0,
            pose,
            geometry,
            collision,
            color: None,
        });
        self
    }

    /// A mesh placed in the link frame, by its file, with factors on its coordinates.
    #[must_use]
    pub fn mesh(
        mut self,
        pose: Pose<f64>,
        file: PathBuf,
        scale: [f64; 3],
        collision: bool,
    ) -> Self {
        self.meshes.push(LinkMesh {
            link: 0,
            pose,
            file,
            scale,
            collision,
            color: None,
        });
        self
    }

    /// A colour of the shape that was added last.
    pub(super) fn shape_color(mut self, color: Option<[f64; 3]>) -> Self {
        if let Some(shape) = self.shapes.last_mut() {
            shape.color = color;
        }
        self
    }

    /// A colour of the mesh that was added last.
    pub(super) fn mesh_color(mut self, color: Option<[f64; 3]>) -> Self {
        if let Some(mesh) = self.meshes.last_mut() {
            mesh.color = color;
        }
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MotionKind {
    Fixed,
    Revolute,
    Prismatic,
}

/// A joint of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub(super) name: String,
    pub(super) motion: MotionKind,
    pub(super) parent: String,
    pub(super) child: String,
    pub(super) origin: Pose<f64>,
    pub(super) axis: Vector3<f64>,
    pub(super) limits: JointLimits,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) armature: f64,
    pub(super) imitates: Option<Imitation>,
    /// Several freedoms, which are not a chain yet.
    pub(super) composite: Option<CompositeKind>,
    /// Of what it is one freedom.
    pub(super) part: Option<Part>,
}

impl Joint {
    fn new(name: &str, motion: MotionKind, parent: &str, child: &str) -> Self {
        Self {
            name: name.to_string(),
            motion,
            parent: parent.to_string(),
            child: child.to_string(),
            origin: Pose::identity(),
            axis: Vector3::x(),
            limits: JointLimits::default(),
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            imitates: None,
            composite: None,
            part: None,
        }
    }

    /// The child does not move relative to the parent.
    #[must_use]
    pub fn fixed(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Fixed, parent, child)
    }

    /// The child turns about the axis.
    #[must_use]
    pub fn revolute(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Revolute, parent, child)
    }

    /// The child slides along the axis.
    #[must_use]
    pub fn prismatic(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Prismatic, parent, child)
    }

    /// Placement of the joint in the parent link: translation \[m\], roll-pitch-yaw \[rad\].
    #[must_use]
    pub fn origin(mut self, xyz: [f64; 3], rpy: [f64; 3]) -> Self {
        self.origin = Pose::new(rotation_from_rpy(&rpy), Vector3::from(xyz));
        self
    }

    /// Axis in the joint frame; any length but zero.
    #[must_use]
    pub fn axis(mut self, axis: [f64; 3]) -> Self {
        self.axis = Vector3::from(axis);
        self
    }

    /// Limits.
    #[must_use]
    pub fn limits(mut self, limits: JointLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Viscous damping \[N m s/rad or N s/m\] and dry friction \[N m or N\].
    #[must_use]
    pub fn dynamics(self, damping: f64, friction: f64) -> Self {
        self.damping(damping).friction(friction)
    }

    /// Viscous damping \[N m s/rad or N s/m\].
    #[must_use]
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Dry friction \[N m or N\].
    #[must_use]
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// The joint follows another one: q = `ratio` q_leader + `offset` (rad or m). Both are moved by one coordinate, that of
    /// the leader, unless [`ModelBuilder::mimic`] says otherwise.
    #[must_use]
    pub fn mimics(mut self, leader: &str, ratio: f64, offset: f64) -> Self {
        self.imitates = Some(Imitation {
            leader: leader.to_string(),
            ratio,
            offset,
        });
        self
    }

    /// Reflected inertia a ≥ 0 of the rotor that drives the joint through a gear \[kg m² or kg\]: the
    /// rotor's own inertia times the square of the gear ratio. It adds ½ a q̇² to the kinetic energy and
    /// nothing else: the rotor's mass belongs to a link, and the small gyroscopic effect of its axle being
    /// carried along is left out (\[F\] §9.6).
    #[must_use]
    pub fn armature(mut self, inertia: f64) -> Self {
        self.armature = inertia;
        self
    }
}

/// A spring by names, resolved when the model is built.
#[derive(Debug, Clone, PartialEq)]
struct NamedPointSpring {
    links: [Option<String>; 2],
    points: [Vector3<f64>; 2],
    rest_length: f64,
    stiffness: f64,
    damping: f64,
}

/// Collects links, joints and springs, and builds the [`Model`].
///
/// ```
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
    joint_springs: Vec<(String, f64, f64, f64)>,
    point_springs: Vec<NamedPointSpring>,
    pub(super) warnings: Vec<String>,
    pub(super) source: Option<Source>,
}

/// The file a robot was read from, so that errors found later still name the place.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Source {
    pub(super) path: String,
    /// Lines of links and joints by kind (`link`, `joint`) and name.
    pub(super) lines: BTreeMap<(&'static str, String), usize>,
}

impl Source {
    fn locate(&self, error: ModelError) -> ModelError {
        let line = error
            .subject()
            .and_then(|(kind, name)| self.lines.get(&(kind, name.to_string())).copied());
        error.in_file(&self.path, line)
    }
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
        self.joint_springs
            .push((joint.to_string(), rest, stiffness, damping));
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
        check_massless(&model)?;
        model.warnings.extend(check_inertias(&self.links, &model)?);
        model.warnings.extend(model.singular_turns());
        for (joint, rest, stiffness, damping) in &self.joint_springs {
            let body = model.body_of_joint(joint)?;
            let follower = model.bodies[body].follows;
            let place = |what: &str| format!("spring at joint \"{joint}\": {what}");
            check_coordinate(&place("rest"), *rest)?;
            check_amount(&place("stiffness"), *stiffness)?;
            check_amount(&place("damping"), *damping)?;
            // At a joint that mimics another the spring acts on that one's coordinate.
            let (leader, ratio, offset) =
                follower.map_or((body, 1.0, 0.0), |f| (f.leader, f.ratio, f.offset));
            model.joint_springs.push(JointSpring {
                body: leader,
                rest: (rest - offset) / ratio,
                stiffness: stiffness * ratio * ratio,
                damping: damping * ratio * ratio,
            });
        }
        for (i, spring) in self.point_springs.iter().enumerate() {
            model
                .point_springs
                .push(resolve_point_spring(&model, i, spring)?);
        }
        Ok(model)
    }
}

fn resolve_point_spring(
    model: &Model,
    index: usize,
    spring: &NamedPointSpring,
) -> Result<PointSpring, ModelError> {
    let place = |what: &str| format!("point spring {index}: {what}");
    check_size(&place("rest_length"), spring.rest_length)?;
    check_amount(&place("stiffness"), spring.stiffness)?;
    check_amount(&place("damping"), spring.damping)?;
    let mut bodies = [None; 2];
    let mut points = [Vector3::zeros(); 2];
    for side in 0..2 {
        for x in spring.points[side].iter() {
            check_coordinate(&place("point"), *x)?;
        }
        points[side] = match &spring.links[side] {
            None => spring.points[side],
            Some(name) => {
                let link = model.link(name)?;
                bodies[side] = link.body;
                link.pose.point(&spring.points[side])
            }
        };
    }
    Ok(PointSpring {
        bodies,
        points,
        rest_length: spring.rest_length,
        stiffness: spring.stiffness,
        damping: spring.damping,
    })
}
