//! Robots from URDF files: urdf-rs reads them, and a tree of their elements says where, so that every complaint names its
//! file, line, and link or joint.
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
//! * planar, spherical and floating joints are chains of joints with one freedom ([`Joint::planar`](super::Joint::planar)
//!   and so on); the base is no joint of the file;
//! * closed loops are refused, with what to do instead;
//! * misspelt elements and numbers that are none are errors, not silence.
//!
//! Links, joints, primitive shapes and their numbers are what urdf-rs says. Meshes and colours are read from the tree, all of
//! them, because urdf-rs says them of some files alone:
//!
//! * a mesh with a wrong `scale` is left out with a warning that names it, one without a file is left out, a colour that
//!   cannot be read counts as none; urdf-rs refuses the robot for each of them, for a material without a name and for a
//!   colour of three numbers, so these elements are cut out of what it reads then;
//! * of a `scale` it passes over words that are no numbers: `1 x 1 1` would be a scale.
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
//! # use carom_mechanics as carom;
//! use carom::model::Base;
//! use carom::model::urdf::{LoadOptions, load};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/anymal_b/anymal.urdf");
//! let model = load(file.as_ref(), &LoadOptions::default())?.base(Base::Floating).build()?;
//! assert_eq!((model.dof(), model.configuration_len()), (18, 19));
//! assert!(model.mass() > 25.0 && model.mass() < 40.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod convert;
mod edits;
mod material;
mod mesh;
mod package_path;
#[doc(hidden)]
pub mod text;
mod xacro;
pub(super) mod xml_tree;

use std::path::{Path, PathBuf};

use urdf_rs::Robot;

use crate::files::read_bounded;
use crate::model::builder::Source;
use convert::{convert_joint, convert_link};
use edits::{read_elements, read_unchanged};
use material::Materials;
use package_path::{PackageFinder, package_name};

use super::{ModelBuilder, ModelError};
use xml_tree::Element;

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
        let mut parts = Vec::new();
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
            source.lines.insert((kind, name.to_string()), element.line);
            let mut part = Part {
                element,
                place: format!("{kind} \"{name}\""),
                warnings: Vec::new(),
            };
            check::check(element, &part.place, &self.file, &mut part.warnings)?;
            parts.push(part);
        }
        let urdf = self.read(text, root, &parts)?;
        let (mut links, mut joints) = (urdf.links.into_iter(), urdf.joints.into_iter());
        let mut warnings = Vec::new();
        let mut missing = Vec::new();
        let materials = Materials::of(root);
        for part in parts {
            let Part {
                element,
                place,
                warnings: own,
            } = part;
            warnings.extend(own);
            if element.name == "joint" {
                if let Some(urdf) = joints.next() {
                    builder = builder.joint(convert_joint(&urdf, element, &mut warnings));
                }
            } else if let Some(urdf) = links.next() {
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

    /// The links and joints as the format's parser reads them, each in its order: most files as they are, what it is too
    /// strict for with changes of its text. The parser's errors have no place: after one of them its element is the first
    /// that is refused alone.
    fn read(&self, text: &str, root: &Element, parts: &[Part<'_>]) -> Result<Robot, ModelError> {
        let elements: Vec<&Element> = parts.iter().map(|part| part.element).collect();
        if let Some(robot) = read_unchanged(text, root, &elements) {
            return Ok(robot);
        }
        read_elements(text, root, &elements).map_err(|reason| {
            for part in parts {
                if let Err(reason) = read_elements(text, root, &[part.element]) {
                    return self.bad_element(part.element, part.place.clone(), reason);
                }
            }
            self.not_urdf(reason)
        })
    }
}

/// A link or joint.
struct Part<'a> {
    element: &'a Element,
    /// What messages call it.
    place: String,
    warnings: Vec<String>,
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
