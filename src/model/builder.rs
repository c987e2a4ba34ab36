//! Construction of a [`Model`] from links and joints: validation, merging of fixed joints, ordering.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::{
    Base, Body, Geometry, JointKind, JointLimits, JointSpring, LinkFrame, LinkShape, Model,
    ModelError, PointSpring,
};
use crate::spatial::{Inertia, Pose, rotation_from_rpy};

/// Relative slack of the triangle inequality between principal moments: description files print
/// three to six digits.
const TRIANGLE_SLACK: f64 = 1e-3;

/// A link of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    name: String,
    mass: f64,
    center: Vector3<f64>,
    central: Matrix3<f64>,
    has_inertia: bool,
    shapes: Vec<(Pose<f64>, Geometry, bool)>,
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
        }
    }

    /// Mass [kg], centre of mass in the link frame [m], rotational inertia about the centre of mass
    /// in the axes of the link frame [kg m²].
    #[must_use]
    pub fn inertial(mut self, mass: f64, center: Vector3<f64>, central: Matrix3<f64>) -> Self {
        self.mass = mass;
        self.center = center;
        self.central = central;
        self.has_inertia = true;
        self
    }

    /// A uniform thin rod of given mass [kg] from `from` to `to` [m].
    #[must_use]
    pub fn rod(self, mass: f64, from: Vector3<f64>, to: Vector3<f64>) -> Self {
        let d = to - from;
        let central = (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * (mass / 12.0);
        self.inertial(mass, (from + to) * 0.5, central)
    }

    /// A uniform solid sphere of given mass [kg] and radius [m].
    #[must_use]
    pub fn solid_sphere(self, mass: f64, radius: f64, center: Vector3<f64>) -> Self {
        self.inertial(
            mass,
            center,
            Matrix3::identity() * (0.4 * mass * radius * radius),
        )
    }

    /// A uniform solid box of given mass [kg] and edge lengths [m].
    #[must_use]
    pub fn solid_box(self, mass: f64, size: [f64; 3], center: Vector3<f64>) -> Self {
        let [x, y, z] = size.map(|s| s * s);
        let moments = Vector3::new(y + z, x + z, x + y) * (mass / 12.0);
        self.inertial(mass, center, Matrix3::from_diagonal(&moments))
    }

    /// A primitive shape placed in the link frame; `collision` spheres become contact sites.
    #[must_use]
    pub fn shape(mut self, pose: Pose<f64>, geometry: Geometry, collision: bool) -> Self {
        self.shapes.push((pose, geometry, collision));
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Fixed,
    Revolute,
    Prismatic,
}

/// A joint of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    name: String,
    motion: Motion,
    parent: String,
    child: String,
    origin: Pose<f64>,
    axis: Vector3<f64>,
    limits: JointLimits,
    damping: f64,
    friction: f64,
}

impl Joint {
    fn new(name: &str, motion: Motion, parent: &str, child: &str) -> Self {
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
        }
    }

    /// The child does not move relative to the parent.
    #[must_use]
    pub fn fixed(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, Motion::Fixed, parent, child)
    }

    /// The child turns about the axis.
    #[must_use]
    pub fn revolute(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, Motion::Revolute, parent, child)
    }

    /// The child slides along the axis.
    #[must_use]
    pub fn prismatic(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, Motion::Prismatic, parent, child)
    }

    /// Placement of the joint in the parent link: translation [m], roll-pitch-yaw [rad].
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

    /// Viscous damping [N m s/rad or N s/m] and dry friction [N m or N].
    #[must_use]
    pub fn dynamics(mut self, damping: f64, friction: f64) -> Self {
        self.damping = damping;
        self.friction = friction;
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
    name: String,
    base: Base,
    gravity: Vector3<f64>,
    links: Vec<Link>,
    joints: Vec<Joint>,
    joint_springs: Vec<(String, f64, f64, f64)>,
    point_springs: Vec<NamedPointSpring>,
    warnings: Vec<String>,
}

impl ModelBuilder {
    /// An empty robot with a fixed base in standard gravity (9.81 m/s² along −z).
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            base: Base::Fixed,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            links: Vec::new(),
            joints: Vec::new(),
            joint_springs: Vec::new(),
            point_springs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// How the root link is held.
    #[must_use]
    pub fn base(mut self, base: Base) -> Self {
        self.base = base;
        self
    }

    /// Acceleration of gravity in the world [m/s²].
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

    /// Adds a joint.
    #[must_use]
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Adds a spring and damper at a joint: rest position [rad or m], stiffness, damping.
    #[must_use]
    pub fn joint_spring(mut self, joint: &str, rest: f64, stiffness: f64, damping: f64) -> Self {
        self.joint_springs
            .push((joint.to_string(), rest, stiffness, damping));
        self
    }

    /// Adds a spring and damper between points of two links (`None`: a point of the world), points
    /// in the link frames [m].
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
    /// The first thing that is wrong, by name: see [`ModelError`].
    pub fn build(self) -> Result<Model, ModelError> {
        check_links(&self.links)?;
        check_joints(&self.joints, &self.links)?;
        let root = find_root(&self.links, &self.joints)?;
        let mut assembly = Assembly::new(&self);
        assembly.place_root(root);
        assembly.place_children(root);
        let mut model = assembly.finish();
        check_massless(&model)?;
        for (joint, rest, stiffness, damping) in &self.joint_springs {
            let body = model.body_of_joint(joint)?;
            let place = |what: &str| format!("spring at joint \"{joint}\": {what}");
            check_number(&place("rest"), *rest, f64::NEG_INFINITY)?;
            check_number(&place("stiffness"), *stiffness, 0.0)?;
            check_number(&place("damping"), *damping, 0.0)?;
            model.joint_springs.push(JointSpring {
                body,
                rest: *rest,
                stiffness: *stiffness,
                damping: *damping,
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
    check_number(&place("rest_length"), spring.rest_length, 0.0)?;
    check_number(&place("stiffness"), spring.stiffness, 0.0)?;
    check_number(&place("damping"), spring.damping, 0.0)?;
    let mut bodies = [None; 2];
    let mut points = [Vector3::zeros(); 2];
    for side in 0..2 {
        for x in spring.points[side].iter() {
            check_number(&place("point"), *x, f64::NEG_INFINITY)?;
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

fn check_number(place: &str, value: f64, lowest: f64) -> Result<(), ModelError> {
    if value.is_finite() && value >= lowest {
        return Ok(());
    }
    Err(ModelError::BadNumber {
        place: place.to_string(),
        value,
        range: if lowest == 0.0 {
            "a finite number, at least 0"
        } else {
            "a finite number"
        },
    })
}

fn check_links(links: &[Link]) -> Result<(), ModelError> {
    if links.is_empty() {
        return Err(ModelError::Empty);
    }
    for (i, link) in links.iter().enumerate() {
        if links[..i].iter().any(|l| l.name == link.name) {
            return Err(ModelError::DuplicateName {
                kind: "link",
                name: link.name.clone(),
            });
        }
        let place = |what: &str| format!("link \"{}\": {what}", link.name);
        check_number(&place("mass"), link.mass, 0.0)?;
        for x in link.center.iter() {
            check_number(&place("centre of mass"), *x, f64::NEG_INFINITY)?;
        }
        for x in link.central.iter() {
            check_number(&place("inertia"), *x, f64::NEG_INFINITY)?;
        }
        check_inertia(link)?;
        for (_, geometry, _) in &link.shapes {
            let sizes: &[f64] = match geometry {
                Geometry::Sphere(r) => &[*r],
                Geometry::Box(size) => size,
                Geometry::Cylinder(r, l) | Geometry::Capsule(r, l) => &[*r, *l],
            };
            for x in sizes {
                check_number(&place("size of a shape"), *x, 0.0)?;
            }
        }
    }
    Ok(())
}

/// Principal moments of a rigid body are non-negative and each is at most the sum of the others.
fn check_inertia(link: &Link) -> Result<(), ModelError> {
    if link.mass == 0.0 && link.central.amax() > 0.0 {
        return Err(ModelError::NonPhysicalInertia {
            link: link.name.clone(),
            reason: "it has rotational inertia but no mass".to_string(),
        });
    }
    let asymmetry = (link.central - link.central.transpose()).amax();
    let moments = link.central.symmetric_eigenvalues();
    let trace = moments.sum();
    let slack = TRIANGLE_SLACK * moments.amax();
    let reason = if asymmetry > 1e-9 * link.central.amax() {
        format!("its inertia matrix is not symmetric (by {asymmetry:e} kg m²)")
    } else if let Some(m) = moments.iter().find(|m| **m < -slack) {
        format!("a principal moment is negative ({m:e} kg m²)")
    } else if let Some(m) = moments.iter().find(|m| 2.0 * **m > trace + slack) {
        format!(
            "principal moment {m:e} kg m² exceeds the sum of the other two ({:e} kg m²)",
            trace - m
        )
    } else {
        return Ok(());
    };
    Err(ModelError::NonPhysicalInertia {
        link: link.name.clone(),
        reason,
    })
}

fn check_joints(joints: &[Joint], links: &[Link]) -> Result<(), ModelError> {
    let names = || links.iter().map(|l| l.name.as_str());
    let mut parent_of: BTreeMap<&str, &str> = BTreeMap::new();
    for (i, joint) in joints.iter().enumerate() {
        if joints[..i].iter().any(|j| j.name == joint.name) {
            return Err(ModelError::DuplicateName {
                kind: "joint",
                name: joint.name.clone(),
            });
        }
        for link in [&joint.parent, &joint.child] {
            if !links.iter().any(|l| l.name == *link) {
                return Err(ModelError::unknown("link", link, names()));
            }
        }
        let place = |what: &str| format!("joint \"{}\": {what}", joint.name);
        for x in joint
            .origin
            .translation
            .iter()
            .chain(joint.origin.rotation.iter())
        {
            check_number(&place("origin"), *x, f64::NEG_INFINITY)?;
        }
        for x in joint.axis.iter() {
            check_number(&place("axis"), *x, f64::NEG_INFINITY)?;
        }
        if joint.motion != Motion::Fixed && joint.axis.norm() < 1e-12 {
            return Err(ModelError::ZeroAxis {
                joint: joint.name.clone(),
            });
        }
        check_number(&place("damping"), joint.damping, 0.0)?;
        check_number(&place("friction"), joint.friction, 0.0)?;
        if let Some((low, high)) = joint.limits.position {
            check_number(&place("lower limit"), low, f64::NEG_INFINITY)?;
            check_number(&place("upper limit"), high, f64::NEG_INFINITY)?;
            if low > high {
                return Err(ModelError::BadNumber {
                    place: place("lower limit"),
                    value: low,
                    range: "at most the upper limit",
                });
            }
        }
        if let Some(first) = parent_of.insert(&joint.child, &joint.name) {
            return Err(ModelError::ClosedLoop {
                link: joint.child.clone(),
                first: first.to_string(),
                second: joint.name.clone(),
            });
        }
    }
    Ok(())
}

fn find_root(links: &[Link], joints: &[Joint]) -> Result<usize, ModelError> {
    let is_child = |link: &Link| joints.iter().any(|j| j.child == link.name);
    let roots: Vec<usize> = (0..links.len()).filter(|&i| !is_child(&links[i])).collect();
    // Every link has at most one parent, so a link that no root reaches hangs on a cycle.
    let mut reached: Vec<&str> = roots.iter().map(|&i| links[i].name.as_str()).collect();
    let mut next = 0;
    while next < reached.len() {
        let parent = reached[next];
        reached.extend(
            joints
                .iter()
                .filter(|j| j.parent == parent)
                .map(|j| j.child.as_str()),
        );
        next += 1;
    }
    if reached.len() < links.len() {
        let joints = joints
            .iter()
            .filter(|j| !reached.contains(&j.child.as_str()))
            .map(|j| j.name.clone())
            .collect();
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
fn check_massless(model: &Model) -> Result<(), ModelError> {
    for (i, body) in model.bodies.iter().enumerate() {
        if model.subtree_mass[i] > 0.0 {
            continue;
        }
        let mut path = vec![format!("link \"{}\" (joint \"{}\")", body.name, body.joint)];
        let mut at = body.parent;
        while let Some(p) = at {
            path.push(format!("link \"{}\"", model.bodies[p].name));
            at = model.bodies[p].parent;
        }
        path.reverse();
        return Err(ModelError::MasslessSubtree { path });
    }
    Ok(())
}

/// A rotation that takes the z axis to `axis` (unit).
fn align_z(axis: &Vector3<f64>) -> Matrix3<f64> {
    // Axes along a coordinate direction get an exact permutation, free of rounding.
    let helper = if axis.x.abs() > 0.9 {
        Vector3::y()
    } else {
        Vector3::x()
    };
    let y = axis.cross(&helper).normalize();
    let x = y.cross(axis);
    Matrix3::from_columns(&[x, y, *axis])
}

/// The model while links are being placed.
struct Assembly<'a> {
    source: &'a ModelBuilder,
    /// Where each link landed: body and placement in its internal frame.
    placed: Vec<Option<(Option<usize>, Pose<f64>)>>,
    bodies: Vec<Body>,
    nq: usize,
    nv: usize,
}

impl<'a> Assembly<'a> {
    fn new(source: &'a ModelBuilder) -> Self {
        Self {
            source,
            placed: vec![None; source.links.len()],
            bodies: Vec::new(),
            nq: 0,
            nv: 0,
        }
    }

    fn add_body(
        &mut self,
        name: &str,
        joint: &str,
        parent: Option<usize>,
        kind: JointKind,
        placement: Pose<f64>,
    ) -> usize {
        self.bodies.push(Body {
            name: name.to_string(),
            joint: joint.to_string(),
            parent,
            kind,
            placement,
            inertia: Inertia::zero(),
            q_index: self.nq,
            v_index: self.nv,
            limits: JointLimits::default(),
            damping: 0.0,
            friction: 0.0,
        });
        self.nq += kind.configuration_width();
        self.nv += kind.velocity_width();
        self.bodies.len() - 1
    }

    /// Fixes a link in a body (or the world) and adds its inertia there.
    fn place_link(&mut self, link: usize, body: Option<usize>, pose: Pose<f64>) {
        self.placed[link] = Some((body, pose));
        let l = &self.source.links[link];
        if let (Some(b), true) = (body, l.mass > 0.0) {
            let inertia = Inertia::from_central(l.mass, l.center, l.central).to_parent(&pose);
            self.bodies[b].inertia = self.bodies[b].inertia.merged(&inertia);
        }
    }

    fn place_root(&mut self, root: usize) {
        let name = &self.source.links[root].name;
        match self.source.base {
            Base::Fixed => self.place_link(root, None, Pose::identity()),
            Base::Floating => {
                let body = self.add_body(name, "base", None, JointKind::Floating, Pose::identity());
                self.place_link(root, Some(body), Pose::identity());
            }
            Base::Planar => {
                let along_x = align_z(&Vector3::x());
                let along_z = along_x.transpose() * align_z(&Vector3::z());
                let about_y = align_z(&Vector3::z()).transpose() * align_z(&Vector3::y());
                let turn = |rotation| Pose::new(rotation, Vector3::zeros());
                let x = self.add_body(
                    "base.x",
                    "base.x",
                    None,
                    JointKind::Prismatic,
                    turn(along_x),
                );
                let z = self.add_body(
                    "base.z",
                    "base.z",
                    Some(x),
                    JointKind::Prismatic,
                    turn(along_z),
                );
                let pitch = self.add_body(
                    name,
                    "base.pitch",
                    Some(z),
                    JointKind::Revolute,
                    turn(about_y),
                );
                let link_pose = turn(align_z(&Vector3::y()).transpose());
                self.place_link(root, Some(pitch), link_pose);
            }
        }
    }

    /// Places all links below `parent`, depth first, in the order of the joints.
    fn place_children(&mut self, parent: usize) {
        let mut stack = vec![parent];
        while let Some(at) = stack.pop() {
            let Some((body, link_pose)) = self.placed[at] else {
                continue;
            };
            let mut children = Vec::new();
            for joint in &self.source.joints {
                if joint.parent != self.source.links[at].name {
                    continue;
                }
                let Some(child) = self.source.links.iter().position(|l| l.name == joint.child)
                else {
                    continue;
                };
                let joint_pose = link_pose.compose(&joint.origin);
                let kind = match joint.motion {
                    Motion::Fixed => {
                        self.place_link(child, body, joint_pose);
                        children.push(child);
                        continue;
                    }
                    Motion::Revolute => JointKind::Revolute,
                    Motion::Prismatic => JointKind::Prismatic,
                };
                let align = align_z(&joint.axis.normalize());
                let placement = joint_pose.compose(&Pose::new(align, Vector3::zeros()));
                let moved = self.add_body(&joint.child, &joint.name, body, kind, placement);
                self.bodies[moved].limits = joint.limits;
                self.bodies[moved].damping = joint.damping;
                self.bodies[moved].friction = joint.friction;
                self.place_link(
                    child,
                    Some(moved),
                    Pose::new(align.transpose(), Vector3::zeros()),
                );
                children.push(child);
            }
            stack.extend(children.into_iter().rev());
        }
    }

    fn finish(self) -> Model {
        let source = self.source;
        let mut links = Vec::new();
        let mut shapes = Vec::new();
        for (link, placed) in source.links.iter().zip(&self.placed) {
            let (body, pose) = placed.unwrap_or((None, Pose::identity()));
            for (shape_pose, geometry, collision) in &link.shapes {
                shapes.push(LinkShape {
                    link: links.len(),
                    pose: *shape_pose,
                    geometry: *geometry,
                    collision: *collision,
                });
            }
            links.push(LinkFrame {
                name: link.name.clone(),
                body,
                pose,
            });
        }
        let mut subtree_mass: Vec<f64> = self.bodies.iter().map(|b| b.inertia.mass).collect();
        for i in (0..self.bodies.len()).rev() {
            if let Some(p) = self.bodies[i].parent {
                subtree_mass[p] += subtree_mass[i];
            }
        }
        let mut warnings = source.warnings.clone();
        for link in source.links.iter().filter(|l| !l.has_inertia) {
            warnings.push(format!(
                "link \"{}\" has no inertia and counts as massless",
                link.name
            ));
        }
        let (coordinate_names, configuration_names) = name_coordinates(&self.bodies, source.base);
        Model {
            name: source.name.clone(),
            base: source.base,
            bodies: self.bodies,
            links,
            shapes,
            gravity: source.gravity,
            coordinate_names,
            configuration_names,
            joint_springs: Vec::new(),
            point_springs: Vec::new(),
            subtree_mass,
            nq: self.nq,
            nv: self.nv,
            warnings,
        }
    }
}

fn name_coordinates(bodies: &[Body], base: Base) -> (Vec<String>, Vec<String>) {
    let mut velocity = Vec::new();
    let mut configuration = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        if body.kind == JointKind::Floating {
            velocity.extend(["vx", "vy", "vz", "wx", "wy", "wz"].map(|c| format!("base.{c}")));
            configuration
                .extend(["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("base.{c}")));
        } else if base == Base::Planar && i < 3 {
            velocity.push(["base.vx", "base.vz", "base.wpitch"][i].to_string());
            configuration.push(body.joint.clone());
        } else {
            velocity.push(body.joint.clone());
            configuration.push(body.joint.clone());
        }
    }
    (velocity, configuration)
}
