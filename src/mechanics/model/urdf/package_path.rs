//! Where `package://name/…` leads, without ROS.

use std::path::{Path, PathBuf};

const SCHEME: &str = "package://";

/// Finds packages: first the ones named by the user, then those of the environment
/// (`ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH`), then the folders above the robot's file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackageFinder {
    named: Vec<(String, PathBuf)>,
    /// Folders that hold packages, or are one.
    roots: Vec<PathBuf>,
}

impl PackageFinder {
    /// For the robot in `file`.
    pub(crate) fn new(named: &[(String, PathBuf)], file: &Path) -> Self {
        let mut roots = Vec::new();
        if let Some(list) = std::env::var_os("ROS_PACKAGE_PATH") {
            roots.extend(std::env::split_paths(&list));
        }
        if let Some(list) = std::env::var_os("AMENT_PREFIX_PATH") {
            roots.extend(std::env::split_paths(&list).map(|prefix| prefix.join("share")));
        }
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        roots.extend(absolute.ancestors().skip(1).map(Path::to_path_buf));
        Self {
            named: named.to_vec(),
            roots,
        }
    }

    /// The folder of a package.
    #[cfg(feature = "xacro")]
    pub(crate) fn package(&self, name: &str) -> Option<PathBuf> {
        self.candidates(name).find(|folder| folder.is_dir())
    }

    /// What is said of a package that is not there.
    #[cfg(feature = "xacro")]
    pub(crate) fn missing(name: &str) -> String {
        format!("package \"{name}\" is not found; say where it is by --package {name}=DIR")
    }

    /// The file behind an address: `package://name/rest`, `file://…`, or a path relative to `folder`.
    /// `None` if there is no such file.
    pub(crate) fn file(&self, address: &str, folder: &Path) -> Option<PathBuf> {
        if let Some(rest) = address.strip_prefix(SCHEME) {
            let (name, inside) = rest.split_once('/')?;
            return self
                .candidates(name)
                .map(|package| package.join(inside))
                .find(|path| path.is_file());
        }
        let path = folder.join(address.strip_prefix("file://").unwrap_or(address));
        path.is_file().then_some(path)
    }

    fn candidates<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        let named = self.named.iter().filter(move |(n, _)| n == name);
        named.map(|(_, folder)| folder.clone()).chain(
            self.roots
                .iter()
                .filter(move |_| !name.is_empty())
                .flat_map(move |root| {
                    let itself = root.file_name().is_some_and(|last| last == name);
                    itself
                        .then(|| root.clone())
                        .into_iter()
                        .chain([root.join(name)])
                }),
        )
    }
}

/// Name of the package in an address, if it has one.
pub(crate) fn package_name(address: &str) -> Option<&str> {
    let rest = address.strip_prefix(SCHEME)?;
    Some(rest.split_once('/').map_or(rest, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn packages_are_found_by_name_and_by_walking_up() {
        let folder = std::env::temp_dir().join(format!("carom-packages-{}", std::process::id()));
        let mesh = folder.join("my_robot/meshes/foot.stl");
        fs::create_dir_all(mesh.parent().unwrap()).unwrap();
        fs::create_dir_all(folder.join("my_robot/urdf")).unwrap();
        fs::write(&mesh, "solid").unwrap();
        let robot = folder.join("my_robot/urdf/robot.urdf");
        let address = "package://my_robot/meshes/foot.stl";

        let walking = PackageFinder::new(&[], &robot);
        assert_eq!(walking.file(address, &folder), Some(mesh.clone()));
        assert_eq!(
            walking.file("package://other/meshes/foot.stl", &folder),
            None
        );
        let beside = robot.parent().unwrap();
        assert!(walking.file("../meshes/foot.stl", beside).is_some());

        let named = [("other".to_string(), folder.join("my_robot"))];
        let elsewhere = PackageFinder::new(&named, Path::new("robot.urdf"));
        assert_eq!(
            elsewhere.file("package://other/meshes/foot.stl", &folder),
            Some(mesh)
        );
        for broken in [
            "package://",
            "package:///",
            "package://other",
            "package://other/",
            "",
        ] {
            assert_eq!(elsewhere.file(broken, &folder), None, "{broken}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
