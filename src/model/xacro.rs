//! Expansion of xacro macros into plain URDF.

#[cfg(feature = "xacro")]
use std::{any::Any, error::Error};

use super::ModelError;
#[cfg(feature = "xacro")]
use super::package_path::PackageFinder;
use super::xml_tree::Element;

/// Whether a description needs expansion before it is plain URDF.
pub(super) fn is_xacro(root: &Element) -> bool {
    root.any(&|element| {
        element.name.starts_with("xacro:")
            || element
                .attributes
                .iter()
                .any(|(_, value)| value.contains("${") || value.contains("$("))
    })
}

/// `$(find package)`, answered by the same rules as `package://`.
#[cfg(feature = "xacro")]
struct Find(PackageFinder);

#[cfg(feature = "xacro")]
impl xacro_rs::extensions::ExtensionHandler for Find {
    fn resolve(&self, command: &str, arguments: &str) -> Result<Option<String>, Box<dyn Error>> {
        if command != "find" {
            return Ok(None);
        }
        let name = arguments.trim();
        match self.0.package(name) {
            Some(folder) => Ok(Some(folder.display().to_string())),
            None => Err(format!(
                "package \"{name}\" is not found; say where it is by --package {name}=DIR"
            )
            .into()),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The plain URDF of a xacro file.
#[cfg(feature = "xacro")]
pub(super) fn expand(
    path: &std::path::Path,
    arguments: &[(String, String)],
    packages: PackageFinder,
) -> Result<String, ModelError> {
    let processor = xacro_rs::XacroProcessor::builder()
        .with_args(arguments.iter().cloned().collect())
        .with_compat_all()
        .with_extension(Box::new(Find(packages)))
        .build();
    processor.run(path).map_err(|error| {
        ModelError::BadElement {
            place: "xacro".to_string(),
            reason: error.to_string().trim_end().to_string(),
        }
        .in_file(&path.display().to_string(), None)
    })
}

/// Refuses a xacro file: the library was built without the feature.
#[cfg(not(feature = "xacro"))]
pub(super) fn refuse(path: &std::path::Path) -> ModelError {
    let file = path.display().to_string();
    let plain = file.trim_end_matches(".xacro").trim_end_matches(".urdf");
    ModelError::Unsupported {
        place: file.clone(),
        what: "xacro (this program was built without it)".to_string(),
        remedy: format!("expand it by `xacro {file} > {plain}.urdf` and load {plain}.urdf"),
    }
}
