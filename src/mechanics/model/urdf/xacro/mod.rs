//! Expansion of xacro macros into plain URDF.

#[cfg(feature = "xacro")]
mod limits;
#[cfg(feature = "xacro")]
mod text;
#[cfg(feature = "xacro")]
mod weights;

#[cfg(feature = "xacro")]
use std::{any::Any, error::Error};

#[cfg(feature = "xacro")]
use super::package_path::PackageFinder;
use super::xml_tree::Element;
use crate::model::ModelError;
#[cfg(feature = "xacro")]
use limits::{DEEPEST, Walk};

/// Whether a description needs expansion before it is plain URDF.
pub(crate) fn is_xacro(root: &Element) -> bool {
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
            None => Err(PackageFinder::missing(name).into()),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `$(env NAME)`, refused unless the caller allows it: a robot would depend on who loads it, and could show what the
/// environment holds.
#[cfg(feature = "xacro")]
struct Env {
    allowed: bool,
}

#[cfg(feature = "xacro")]
impl xacro_rs::extensions::ExtensionHandler for Env {
    fn resolve(&self, command: &str, arguments: &str) -> Result<Option<String>, Box<dyn Error>> {
        if command != "env" {
            return Ok(None);
        }
        let name = arguments.trim();
        if !self.allowed {
            return Err(format!(
                "variables of the environment are read only when asked for: --allow-env, or allow_env = true in [robot] \
                 (here: {name})"
            )
            .into());
        }
        match std::env::var(name) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(format!("variable {name}: {error}").into()),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Stack of the thread that expands \[bytes\]: the expander recurses over the signs of an expression, of which there are
/// at most [`LONGEST_EXPRESSION`](text::LONGEST_EXPRESSION).
#[cfg(feature = "xacro")]
const STACK: usize = 256 << 20;

/// The plain URDF of a xacro file, whose root is known. What it would expand to is counted first ([`Walk`]).
#[cfg(feature = "xacro")]
pub(crate) fn expand(
    path: &std::path::Path,
    root: &Element,
    options: &super::LoadOptions,
    packages: &PackageFinder,
) -> Result<String, ModelError> {
    Walk::check(path, root, &options.xacro_arguments, packages)?;
    let wrong = |reason: String| {
        ModelError::BadElement {
            place: "xacro".to_string(),
            reason,
        }
        .in_file(&path.display().to_string(), None)
    };
    let arguments = options.xacro_arguments.iter().cloned().collect();
    let expansion = || {
        let processor = xacro_rs::XacroProcessor::builder()
            .with_args(arguments)
            .with_compat_all()
            .with_max_depth(DEEPEST)
            .clear_extensions()
            .with_extension(Box::new(xacro_rs::extensions::CwdExtension))
            .with_extension(Box::new(Find(packages.clone())))
            .with_extension(Box::new(Env {
                allowed: options.environment,
            }))
            .build();
        let plain = processor.run(path);
        plain.map_err(|error| error.to_string().trim_end().to_string())
    };
    let ended = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, expansion) {
            Ok(running) => running.join().unwrap_or_else(|_| {
                Err("the expansion failed; simplify its expressions".to_string())
            }),
            Err(error) => Err(format!("no thread for the expansion: {error}")),
        }
    });
    ended.map_err(wrong)
}

/// Refuses a xacro file: the library was built without the feature.
#[cfg(not(feature = "xacro"))]
pub(crate) fn refuse(path: &std::path::Path) -> ModelError {
    let file = path.display().to_string();
    let plain = file.trim_end_matches(".xacro").trim_end_matches(".urdf");
    ModelError::Unsupported {
        place: file.clone(),
        what: "xacro (this program was built without it)".to_string(),
        remedy: format!("expand it by `xacro {file} > {plain}.urdf` and load {plain}.urdf"),
    }
}
