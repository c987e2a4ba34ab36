//! Robots from URDF files, element by element, so that every complaint names its file, line, and link or joint.
//!
//! What is read: links with inertia, collision and visual shapes; joints with origin, axis, limits, damping and
//! friction; reflected inertias of rotors are set from code (`adjust_joint`). `package://` is resolved without ROS;
//! xacro is expanded first (feature `xacro`), with its arguments. The base (fixed, planar, floating) is not part of a
//! URDF: set it on the builder.
//!
//! Beyond what the format's parser knows:
//!
//! * a link without `<inertial>` is massless; it is merged where it is fixed, and refused where it moves; one with a mass
//!   and without `<inertia>` is a point mass;
//! * a mesh whose file is not found is a warning: the robot moves without it, and its link has no contact sites from it;
//! * limits of which all bounds are zero state nothing: that is what exporters write for "unknown";
//! * a mimic joint follows another one, with one coordinate for both ([`ModelBuilder::mimic`]);
//! * planar and floating joints and closed loops are refused, with what to do instead;
//! * misspelt elements and numbers that are none are errors, not silence.
//!
//! Units are those of URDF: m, kg, rad, N.
//!
//! # Limits
//!
//! Names must be unique. Numbers may be changed in the text of a plain URDF (design
//! parameters) without parsing it anew by hand.
//!
//! # Example
//!
//! ```
//! use carom::model::Base;
//! use carom::model::urdf::{LoadOptions, load};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/anymal_b/anymal.urdf");
//! let model = load(file.as_ref(), &LoadOptions::default())?.base(Base::Floating).build()?;
//! assert_eq!((model.dof(), model.configuration_len()), (18, 19));
//! assert!(model.mass() > 25.0 && model.mass() < 40.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod edits;
mod material;
mod mesh;
mod package_path;
pub mod text;
mod xacro;
#[cfg(feature = "xacro")]
mod xacro_limits;
#[cfg(feature = "xacro")]
mod xacro_text;
pub(super) mod xml_tree;

use std::path::{Path, PathBuf};

use nalgebra::{Matrix3, Vector3};
use urdf_rs::{JointType, Robot};

use crate::files::read_bounded;
use crate::model::builder::Source;
use edits::{edits, with_prefixes};
use material::Materials;
use package_path::{PackageFinder, package_name};

use super::{Geometry, Joint, JointLimits, Link, ModelBuilder, ModelError};
use xml_tree::Element;

use crate::spatial::{Pose, rotation_from_rpy};

/// What a robot's file does not say itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadOptions {
    /// Folders of packages by name, for `package://name/…` and `$(find name)`. Packages that are not
    /// here are looked for in `ROS_PACKAGE_PATH` and `AMENT_PREFIX_PATH` and in the folders above the file.
    pub packages: Vec<(String, PathBuf)>,
    /// Values of the arguments of a xacro file.
    pub xacro_arguments: Vec<(String, String)>,
    /// Whether `$(env NAME)` in a xacro file is answered with the variable of the environment; otherwise it is refused.
    pub environment: bool,
}

/// Reads a robot from a URDF file, or from a xacro file (feature `xacro`). A file has at most 64 MiB. A xacro file may expand
/// to 50 000 elements and 16 MiB of text, include 256 files, look up 500 000 properties, nest elements, macros and properties
/// 50 deep, and have expressions of 4096 signs with 64 brackets inside each other; counted before it is expanded, with
/// every condition taken.
///
/// # Errors
/// The file cannot be read, is not URDF, or holds something that is not supported: a
/// [`ModelError`] that names the file and, where there is one, the line. What only the whole tree
/// shows (loops, masses) is found by [`ModelBuilder::build`].
pub fn load(path: &Path, options: &LoadOptions) -> Result<ModelBuilder, ModelError> {
    load_with_text(path, options).map(|(builder, _)| builder)
}

/// As [`load`], and the text of the plain URDF that was read: that of the file, or its expansion.
///
/// # Errors
/// As [`load`].
pub fn load_with_text(
    path: &Path,
    options: &LoadOptions,
) -> Result<(ModelBuilder, String), ModelError> {
    let address = path.display().to_string();
    let packages = PackageFinder::new(&options.packages, path);
    let found = package_name(&address).and_then(|_| packages.file(&address, Path::new("")));
    let path = found.as_deref().unwrap_or(path);
    let file = path.display().to_string();
    let bytes = read_bounded(path).map_err(|error| ModelError::Unreadable {
        path: file.clone(),
        reason: error.to_string(),
    })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let reader = Reader {
        file,
        folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
        packages,
    };
    let root = reader.root(&text)?;
    let named_xacro = path.extension().is_some_and(|e| e == "xacro");
    if !(named_xacro || xacro::is_xacro(&root)) {
        return Ok((reader.robot(&text, &root)?, text));
    }
    #[cfg(not(feature = "xacro"))]
    return Err(xacro::refuse(path));
    #[cfg(feature = "xacro")]
    {
        let plain = xacro::expand(path, &root, options, &reader.packages)?;
        let expanded = Reader {
            file: format!("{} (expanded)", reader.file),
            ..reader
        };
        let root = expanded.root(&plain)?;
        Ok((expanded.robot(&plain, &root)?, plain))
    }
}

/// Reads a robot from the text of a plain URDF; `file` is what error messages call it.
///
/// # Errors
/// As [`load`], except reading; xacro is not expanded.
pub fn parse(text: &str, file: &str) -> Result<ModelBuilder, ModelError> {
    let reader = Reader {
        file: file.to_string(),
        folder: PathBuf::new(),
        packages: PackageFinder::new(&[], Path::new(file)),
    };
    let root = reader.root(text)?;
    if xacro::is_xacro(&root) {
        return Err(ModelError::Unsupported {
            place: file.to_string(),
            what: "xacro in a text".to_string(),
            remedy: "expand it first, or load it from its file".to_string(),
        });
    }
    reader.robot(text, &root)
}

/// Where the text came from.
struct Reader {
    file: String,
    folder: PathBuf,
    packages: PackageFinder,
}

impl Reader {
    fn not_urdf(&self, reason: String) -> ModelError {
        ModelError::NotUrdf {
            path: self.file.clone(),
            reason,
        }
    }

    fn root(&self, text: &str) -> Result<Element, ModelError> {
        let root = xml_tree::parse(text.trim_start_matches('\u{feff}'))
            .map_err(|error| self.not_urdf(format!("line {}: {}", error.line, error.reason)))?;
        let hint = match root.name.as_str() {
            "robot" => return Ok(root),
            "sdf" => " (SDFormat); export the robot as URDF",
            "mujoco" => " (MJCF); export the robot as URDF",
            _ => "",
        };
        Err(self.not_urdf(format!(
            "its root element is <{}>{hint}, a URDF's is <robot>",
            root.name
        )))
    }

    fn robot(&self, text: &str, root: &Element) -> Result<ModelBuilder, ModelError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut builder = ModelBuilder::new(root.attribute("name").unwrap_or("robot"));
        let mut source = Source {
            path: self.file.clone(),
            ..Source::default()
        };
        let mut warnings = Vec::new();
        let mut missing = Vec::new();
        let materials = Materials::of(root);
        for element in &root.children {
            let kind = match element.name.as_str() {
                "link" => "link",
                "joint" => "joint",
                _ => continue,
            };
            let name = element.attribute("name").unwrap_or_default();
            if name.is_empty() {
                let what = format!("a {kind} without a name");
                return Err(self.bad_element(element, what, "give it a unique name".to_string()));
            }
            let place = format!("{kind} \"{name}\"");
            check::check(element, &place, &self.file, &mut warnings)?;
            source.lines.insert((kind, name.to_string()), element.line);
            let mut part = self.parse_alone(text, root, element, &place)?;
            if let Some(urdf) = part.links.pop() {
                warnings.extend(extentless(element, &place));
                warnings.extend(shapeless(element, &place));
                let mut link = convert_link(&urdf, element, &materials);
                for mesh in mesh::meshes(element, &materials) {
                    let mesh = match mesh {
                        Ok(mesh) => mesh,
                        Err(reason) => {
                            warnings.push(format!("{place}: {reason}; the mesh is left out"));
                            continue;
                        }
                    };
                    match self.packages.file(&mesh.address, &self.folder) {
                        Some(file) => {
                            link = link
                                .mesh(mesh.pose, file, mesh.scale, mesh.collision)
                                .mesh_color(mesh.color);
                        }
                        None => missing.push(mesh),
                    }
                }
                builder = builder.link(link);
            } else if let Some(urdf) = part.joints.pop() {
                let joint = convert_joint(&urdf, element, &mut warnings)
                    .map_err(|error| error.in_file(&self.file, Some(element.line)))?;
                builder = builder.joint(joint);
            }
        }
        warnings.extend(mesh::warning(&missing));
        for warning in warnings {
            builder = builder.warning(warning);
        }
        builder.source = Some(source);
        Ok(builder)
    }

    fn bad_element(&self, element: &Element, place: String, reason: String) -> ModelError {
        ModelError::BadElement { place, reason }.in_file(&self.file, Some(element.line))
    }

    /// Parses one link or joint as if it were the whole robot: the parser's errors have no place.
    fn parse_alone(
        &self,
        text: &str,
        root: &Element,
        element: &Element,
        place: &str,
    ) -> Result<Robot, ModelError> {
        let mut alone = with_prefixes(&text[root.start_tag.clone()], root, element);
        let mut at = element.range.start;
        for (position, skip_to, instead) in edits(text, element) {
            alone.push_str(&text[at..position]);
            alone.push_str(&instead);
            at = skip_to;
        }
        alone.push_str(&text[at..element.range.end]);
        alone.push_str("</robot>");
        urdf_rs::read_from_string(&alone).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.strip_prefix("custom: ").unwrap_or(&reason);
            self.bad_element(element, place.to_string(), reason.to_string())
        })
    }
}

/// The primitive shape of a visual or collision element; `None` for a mesh or an extension of some
/// simulator.
fn primitive(element: &Element) -> Option<&Element> {
    let primitives = ["box", "cylinder", "sphere", "capsule"];
    let mut shapes = element.child("geometry")?.children.iter();
    shapes.find(|shape| primitives.contains(&shape.name.as_str()))
}

/// Warnings for collision elements that hold no known shape at all.
fn shapeless<'a>(element: &'a Element, place: &'a str) -> impl Iterator<Item = String> + 'a {
    element
        .children
        .iter()
        .filter(|child| child.name == "collision" && primitive(child).is_none())
        .filter(|child| {
            child
                .child("geometry")
                .is_none_or(|g| g.child("mesh").is_none())
        })
        .map(move |_| format!("{place}: a collision element without a known shape is ignored"))
}

/// A warning for a mass without rotational inertia.
fn extentless(element: &Element, place: &str) -> Option<String> {
    let inertial = element.child("inertial")?;
    (inertial.child("mass").is_some() && inertial.child("inertia").is_none()).then(|| {
        format!("{place}: its <inertial> has a mass and no <inertia>; it counts as a point mass")
    })
}

fn pose(origin: &urdf_rs::Pose) -> Pose<f64> {
    Pose::new(rotation_from_rpy(&origin.rpy), Vector3::from(origin.xyz.0))
}

fn convert_link(urdf: &urdf_rs::Link, element: &Element, materials: &Materials) -> Link {
    let mut link = Link::new(&urdf.name);
    if element.child("inertial").is_some() {
        let i = &urdf.inertial.inertia;
        let central = Matrix3::new(
            i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz,
        );
        let placed = pose(&urdf.inertial.origin);
        let turned = placed.rotation * central * placed.rotation.transpose();
        // Exactly symmetric: the two products round differently.
        let turned = (turned + turned.transpose()) * 0.5;
        link = link.inertial(urdf.inertial.mass.value, placed.translation, turned);
    }
    // Those that are no primitives were cut out of what the parser saw.
    let mut colors = (element.children.iter())
        .filter(|child| child.name == "visual" && primitive(child).is_some())
        .map(|visual| materials.color(visual));
    let visuals = urdf.visual.iter().map(|v| (&v.origin, &v.geometry, false));
    let collisions = urdf
        .collision
        .iter()
        .map(|c| (&c.origin, &c.geometry, true));
    for (origin, geometry, collision) in visuals.chain(collisions) {
        let geometry = match geometry {
            urdf_rs::Geometry::Box { size } => Geometry::Box(size.0),
            urdf_rs::Geometry::Cylinder { radius, length } => Geometry::Cylinder(*radius, *length),
            urdf_rs::Geometry::Capsule { radius, length } => Geometry::Capsule(*radius, *length),
            urdf_rs::Geometry::Sphere { radius } => Geometry::Sphere(*radius),
            urdf_rs::Geometry::Mesh { .. } => continue,
        };
        let color = if collision {
            None
        } else {
            colors.next().flatten()
        };
        link = link
            .shape(pose(origin), geometry, collision)
            .shape_color(color);
    }
    link
}

fn convert_joint(
    urdf: &urdf_rs::Joint,
    element: &Element,
    warnings: &mut Vec<String>,
) -> Result<Joint, ModelError> {
    let (name, parent, child) = (&urdf.name, &urdf.parent.link, &urdf.child.link);
    let place = format!("joint \"{name}\"");
    let unsupported = |what: String, remedy: String| ModelError::Unsupported {
        place: place.clone(),
        what,
        remedy,
    };
    let base = |kind: &str, option: &str| {
        unsupported(
            format!("a {kind} joint"),
            format!(
                "remove the joint and link \"{parent}\" above it and choose --base {option} instead, which lets the root link move"
            ),
        )
    };
    let joint = match urdf.joint_type {
        JointType::Fixed => Joint::fixed(name, parent, child),
        JointType::Revolute | JointType::Continuous => Joint::revolute(name, parent, child),
        JointType::Prismatic => Joint::prismatic(name, parent, child),
        JointType::Floating => return Err(base("floating", "floating")),
        JointType::Planar => return Err(base("planar", "planar")),
        JointType::Spherical => {
            return Err(unsupported(
                "a spherical joint".to_string(),
                "replace it by three revolute joints about x, y and z with massless links between"
                    .to_string(),
            ));
        }
    };
    let mut joint = joint.origin(urdf.origin.xyz.0, urdf.origin.rpy.0);
    if urdf.joint_type == JointType::Fixed {
        // Some exporters write a zero axis here; it means nothing.
        return Ok(joint);
    }
    joint = joint.axis(urdf.axis.xyz.0);
    if let Some(mimic) = &urdf.mimic {
        let (ratio, offset) = (mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0));
        joint = joint.mimics(&mimic.joint, ratio, offset);
    }
    if let Some(dynamics) = &urdf.dynamics {
        joint = joint.dynamics(dynamics.damping, dynamics.friction);
    }
    let stated = |value: f64| (value.is_finite() && value != 0.0).then_some(value);
    let limit = &urdf.limit;
    let mut limits = JointLimits {
        position: None,
        effort: stated(limit.effort),
        velocity: stated(limit.velocity),
    };
    if urdf.joint_type != JointType::Continuous {
        if limit.lower == 0.0 && limit.upper == 0.0 {
            let why = if element.child("limit").is_none() {
                "it has no <limit>"
            } else {
                "its <limit> gives no range"
            };
            warnings.push(format!("{place} moves without bounds: {why}"));
        } else if limit.lower.is_finite() || limit.upper.is_finite() {
            limits.position = Some((limit.lower, limit.upper));
        }
    }
    Ok(joint.limits(limits))
}
