//! Wavefront OBJ: corners and faces.

use super::{TriangleMesh, number, push_fan};

/// Reads `v` and `f`; all other statements are about looks, curves or names.
pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = TriangleMesh::default();
    let mut corners = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fail = |reason: String| format!("line {}: {reason}", index + 1);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut vertex = [0.0; 3];
                for x in &mut vertex {
                    let word = words
                        .next()
                        .ok_or_else(|| fail("a vertex has three numbers".to_string()))?;
                    *x = number(word).map_err(fail)?;
                }
                mesh.vertices.push(vertex);
            }
            Some("f") => {
                corners.clear();
                for word in words.take_while(|word| !word.starts_with('#')) {
                    corners.push(corner(word, mesh.vertices.len()).map_err(fail)?);
                }
                if corners.len() < 3 {
                    return Err(fail("a face has three corners or more".to_string()));
                }
                push_fan(&mut mesh, &corners).map_err(fail)?;
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`: counted from 1, or backwards from the last one, −1.
fn corner(word: &str, vertices: usize) -> Result<u32, String> {
    let text = word.split('/').next().unwrap_or_default();
    let bad = || format!("\"{}\" is not a vertex", super::shown(word));
    let stated: i64 = text.parse().map_err(|_| bad())?;
    let index = match stated {
        1.. => stated - 1,
        0 => return Err(bad()),
        _ => (vertices as i64).saturating_add(stated),
    };
    u32::try_from(index).map_err(|_| bad())
}

#[cfg(test)]
pub(super) const SAMPLE: &str = "# a square\nmtllib none.mtl\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\n\
    vn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -1/2 -2/1 -3/1\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_become_fans_and_count_from_either_end() {
        let mesh = read(SAMPLE.as_bytes()).unwrap();
        assert_eq!(mesh.vertices[1], [1.0, 0.0, 0.0]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [3, 2, 1]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, part) in [
            ("v 0 0\n", "line 1: a vertex has three"),
            ("v 0 0 x\n", "line 1: \"x\" is not a number"),
            ("v 0 0 0\nf 1 1\n", "line 2: a face has three"),
            ("v 0 0 0\nf 0 1 1\n", "line 2: \"0\" is not a vertex"),
            ("v 0 0 0\nf -2 1 1\n", "line 2: \"-2\" is not a vertex"),
            ("f 99999999999 1 1\n", "is not a vertex"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
