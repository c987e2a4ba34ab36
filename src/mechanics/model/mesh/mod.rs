//! Triangle meshes from files: STL (text and binary), OBJ and COLLADA.
//!
//! | format | what is read |
//! |---|---|
//! | STL | all solids; equal corners become one vertex |
//! | OBJ | `v` and `f`; polygons are cut into fans |
//! | COLLADA | the scene's geometries with the placements of their nodes, `<unit>`, diffuse colours |
//!
//! `<up_axis>` of COLLADA is not applied. Robot descriptions are drawn for viewers of ROS, which take the coordinates as
//! they stand, and many files state an axis that the robot is not built with
//! (<https://github.com/ros-visualization/rviz/issues/1045>).
//!
//! # Limits
//!
//! A file has at most 64 MiB and a mesh 4 million triangles. Curves, skins, normals and textures are left out. The scale of a
//! robot description is applied by who asks. Coordinates are in m, or in the unit that a COLLADA file states, changed into m.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::model::mesh::read_mesh;
//!
//! let file = std::env::temp_dir().join(format!("carom-mesh-page-{}.obj", std::process::id()));
//! std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")?;
//! let mesh = read_mesh(&file)?;
//! // A face of four corners is cut in two.
//! assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2));
//! std::fs::remove_file(&file)?;
//! let error = read_mesh("shank.blend".as_ref()).unwrap_err();
//! assert!(error.to_string().contains("COLLADA"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collada;
mod obj;
mod stl;

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use thiserror::Error;

use crate::files::read_bounded;

/// More triangles than any robot's mesh has; bounds what a file of many instances may ask for.
const MOST_TRIANGLES: usize = 4_000_000;

/// Triangles with common corners.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    /// Corners, in the file's coordinates; COLLADA's in m by its `<unit>`. All are finite.
    pub vertices: Vec<[f64; 3]>,
    /// Indices of corners, all less than the count of vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh with the colours that its file gives.
#[derive(Debug, Clone, PartialEq, Default)]
#[doc(hidden)]
pub struct ColoredMesh {
    /// The triangles.
    pub mesh: TriangleMesh,
    /// Red, green and blue from 0 to 1 of ranges of triangles; the others have none.
    pub colors: Vec<(Range<usize>, [f64; 3])>,
}

/// Why a mesh cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("mesh {path}: {reason}")]
#[non_exhaustive]
pub struct MeshError {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads the triangles of an STL, OBJ or COLLADA file.
///
/// # Errors
/// The file cannot be read, has an ending that is none of `.stl`, `.obj` and `.dae`, is damaged, or is larger than the
/// limits above.
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, MeshError> {
    read_colored_mesh(path).map(|colored| colored.mesh)
}

/// As [`read_mesh`], with the colours of a COLLADA file.
///
/// # Errors
/// As [`read_mesh`].
#[doc(hidden)]
pub fn read_colored_mesh(path: &Path) -> Result<ColoredMesh, MeshError> {
    let fail = |reason: String| MeshError {
        path: path.display().to_string(),
        reason,
    };
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let read: fn(&[u8]) -> Result<ColoredMesh, String> = match ending.to_lowercase().as_str() {
        "stl" => |bytes| stl::read(bytes).map(plain),
        "obj" => |bytes| obj::read(bytes).map(plain),
        "dae" => collada::read,
        _ => {
            let reason = "its format is not known; export it as STL, OBJ or COLLADA (.dae)";
            return Err(fail(reason.to_string()));
        }
    };
    let bytes = read_bounded(path).map_err(|error| fail(error.to_string()))?;
    let colored = read(&bytes).map_err(fail)?;
    checked(&colored.mesh).map_err(fail)?;
    Ok(ColoredMesh {
        mesh: without_loose_corners(&colored.mesh),
        ..colored
    })
}

fn plain(mesh: TriangleMesh) -> ColoredMesh {
    ColoredMesh {
        mesh,
        colors: Vec::new(),
    }
}

/// What every reader owes: triangles, whose corners exist and are finite.
fn checked(mesh: &TriangleMesh) -> Result<(), String> {
    if mesh.triangles.is_empty() {
        return Err("it has no triangles".to_string());
    }
    let count = mesh.vertices.len();
    if let Some(index) = (mesh.triangles.iter().flatten()).find(|&&i| i as usize >= count) {
        return Err(format!(
            "a triangle has corner {index}, the mesh has {count} corners (counted from 0)"
        ));
    }
    match mesh.vertices.iter().flatten().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err("a coordinate is not finite".to_string()),
    }
}

/// Only the corners that triangles have: a file may hold many more.
fn without_loose_corners(mesh: &TriangleMesh) -> TriangleMesh {
    let mut place = vec![u32::MAX; mesh.vertices.len()];
    let mut vertices = Vec::new();
    let triangles = (mesh.triangles.iter())
        .map(|triangle| {
            triangle.map(|i| {
                let place = &mut place[i as usize];
                if *place == u32::MAX {
                    *place = vertices.len() as u32;
                    vertices.push(mesh.vertices[i as usize]);
                }
                *place
            })
        })
        .collect();
    TriangleMesh {
        vertices,
        triangles,
    }
}

/// Room for `more` triangles.
fn bounded(mesh: &TriangleMesh, more: usize) -> Result<(), String> {
    match mesh.triangles.len().saturating_add(more) <= MOST_TRIANGLES {
        true => Ok(()),
        false => Err(format!("it has more than {MOST_TRIANGLES} triangles")),
    }
}

/// A polygon as triangles around its first corner.
fn push_fan(mesh: &mut TriangleMesh, corners: &[u32]) -> Result<(), String> {
    bounded(mesh, corners.len())?;
    if let Some((&first, rest)) = corners.split_first() {
        let pairs = rest.windows(2);
        (mesh.triangles).extend(pairs.map(|pair| [first, pair[0], pair[1]]));
    }
    Ok(())
}

/// A number of a text.
fn number(word: &str) -> Result<f64, String> {
    word.parse()
        .map_err(|_| format!("\"{}\" is not a number", shown(word)))
}

/// The beginning of a word, for messages.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
        let own = (std::process::id(), std::thread::current().id());
        let folder = std::env::temp_dir().join(format!("carom-mesh-{own:?}"));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let mesh = read_mesh(&path);
        std::fs::remove_dir_all(&folder).unwrap();
        mesh
    }

    #[test]
    fn the_ending_says_the_format_in_any_case() {
        let triangle = b"v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n";
        let mesh = read("a.OBJ", triangle).unwrap();
        // The corner that no triangle has is left out.
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.vertices[0], [0.0; 3]);
        let error = read("a.ply", triangle).unwrap_err();
        assert!(error.to_string().contains("STL, OBJ or COLLADA"), "{error}");
        assert!(read_mesh(Path::new("/nowhere/a.stl")).is_err());
    }

    #[test]
    fn every_mesh_has_triangles_with_finite_corners() {
        for (text, part) in [
            ("v 0 0 0\n", "no triangles"),
            ("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "corner 2"),
            ("v 0 0 inf\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "not finite"),
        ] {
            let error = read("checked.obj", text.as_bytes()).unwrap_err();
            assert!(error.reason.contains(part), "{error}");
        }
    }

    /// Bytes of every format, cut and changed at pseudo-random places, are read or refused.
    #[test]
    fn broken_files_are_errors() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        type Read = fn(&[u8]) -> Result<ColoredMesh, String>;
        let whole: [(Vec<u8>, Read); 4] = [
            (stl::sample_text(), |b| stl::read(b).map(plain)),
            (stl::sample_binary(), |b| stl::read(b).map(plain)),
            (obj::SAMPLE.into(), |b| obj::read(b).map(plain)),
            (collada::SAMPLE.into(), collada::read),
        ];
        for (bytes, read) in whole {
            assert!(checked(&read(&bytes).unwrap().mesh).is_ok());
            for _ in 0..3000 {
                let mut broken = bytes.clone();
                for _ in 0..=draw(3) {
                    let (from, to) = (draw(broken.len()), draw(bytes.len()));
                    match draw(3) {
                        0 => broken[from] = bytes[to],
                        1 => broken.truncate(from.max(1)),
                        _ => broken[from] = b"0919-e/\n <\xff"[draw(11)],
                    }
                }
                if let Ok(colored) = read(&broken) {
                    let count = colored.mesh.triangles.len();
                    assert!(colored.colors.iter().all(|(range, _)| range.end <= count));
                    let _ = checked(&colored.mesh);
                }
            }
        }
    }
}
