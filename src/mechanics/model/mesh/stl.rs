//! STL, text and binary.

use super::{MOST_TRIANGLES, TriangleMesh, bounded, number};

/// A header of 80 bytes and the count of triangles.
const START: usize = 84;
/// Normal and corners, twelve numbers of four bytes, and two bytes that mean nothing.
const TRIANGLE: usize = 50;

/// Reads either form. A text starts with `solid`; so do headers of some binary files, whose size tells them.
pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let count = bytes
        .get(80..START)
        .and_then(|count| count.try_into().ok())
        .map_or(0, |count| u32::from_le_bytes(count) as usize);
    let room = bytes.len().saturating_sub(START) / TRIANGLE;
    let starts_as_text = bytes.trim_ascii_start().starts_with(b"solid");
    let corners = if starts_as_text && (count == 0 || count != room) {
        text_corners(bytes)?
    } else if bytes.len() < START {
        return Err("it is neither a text nor a binary STL: it ends in the header".to_string());
    } else if count > room {
        return Err(format!(
            "it ends early: its header counts {count} triangles, there is room for {room}"
        ));
    } else if count > MOST_TRIANGLES {
        return Err(format!("it has more than {MOST_TRIANGLES} triangles"));
    } else {
        binary_corners(&bytes[START..START + count * TRIANGLE])
    };
    Ok(welded(&corners))
}

fn binary_corners(bytes: &[u8]) -> Vec<[f32; 3]> {
    let mut corners = Vec::with_capacity(bytes.len() / TRIANGLE * 3);
    for triangle in bytes.chunks_exact(TRIANGLE) {
        for corner in triangle[12..48].chunks_exact(12) {
            corners.push(std::array::from_fn(|i| {
                let at = 4 * i;
                f32::from_le_bytes([corner[at], corner[at + 1], corner[at + 2], corner[at + 3]])
            }));
        }
    }
    corners
}

fn text_corners(bytes: &[u8]) -> Result<Vec<[f32; 3]>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    let mut loop_start = 0;
    for (index, line) in text.lines().enumerate() {
        let fail = |reason: String| format!("line {}: {reason}", index + 1);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => {
                let mut corner = [0.0; 3];
                for x in &mut corner {
                    let word = words
                        .next()
                        .ok_or_else(|| fail("a vertex has three numbers".to_string()))?;
                    *x = number(word).map_err(fail)? as f32;
                }
                corners.push(corner);
            }
            Some("endloop" | "endfacet") => {
                if !matches!(corners.len() - loop_start, 0 | 3) {
                    return Err(fail("a facet has three vertices".to_string()));
                }
                loop_start = corners.len();
                bounded(&TriangleMesh::default(), corners.len() / 3)?;
            }
            _ => {}
        }
    }
    if corners.is_empty() {
        let reason = "it is neither a text with facets nor a binary STL as long as its header says";
        return Err(reason.to_string());
    }
    match corners.len() == loop_start {
        true => Ok(corners),
        false => Err("it ends within a facet".to_string()),
    }
}

/// Corners with the same numbers become one vertex, in the order in which they come first.
fn welded(corners: &[[f32; 3]]) -> TriangleMesh {
    // Both zeros are one number.
    let key = |i: usize| corners[i].map(|x| (x + 0.0).to_bits());
    let mut order: Vec<usize> = (0..corners.len()).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let mut first: Vec<usize> = (0..corners.len()).collect();
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            first[pair[1]] = first[pair[0]];
        }
    }
    let mut vertices = Vec::new();
    let mut vertex = vec![0_u32; corners.len()];
    for i in 0..corners.len() {
        if first[i] == i {
            vertex[i] = vertices.len() as u32;
            vertices.push(corners[i].map(f64::from));
        } else {
            vertex[i] = vertex[first[i]];
        }
    }
    TriangleMesh {
        vertices,
        triangles: vertex.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    }
}

/// Two triangles of a square as text.
#[cfg(test)]
pub(super) fn sample_text() -> Vec<u8> {
    let mut text = String::from("solid square\n");
    for corners in SAMPLE {
        text += " facet normal 0 0 1\n  outer loop\n";
        for [x, y, z] in corners {
            text += &format!("   vertex {x} {y} {z}\n");
        }
        text += "  endloop\n endfacet\n";
    }
    (text + "endsolid square\n").into_bytes()
}

/// The same in binary.
#[cfg(test)]
pub(super) fn sample_binary() -> Vec<u8> {
    let mut bytes = b"solid, says a binary header too".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2_u32.to_le_bytes());
    for corners in SAMPLE {
        bytes.extend([0.0_f32, 0.0, 1.0].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

#[cfg(test)]
const SAMPLE: [[[f32; 3]; 3]; 2] = [
    [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [1.5, 1.0, -0.0]],
    [[0.0, 0.0, -0.0], [1.5, 1.0, 0.0], [0.0, 1.0, 0.0]],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary_are_the_same_square_with_four_corners() {
        let text = read(&sample_text()).unwrap();
        assert_eq!(text, read(&sample_binary()).unwrap());
        assert_eq!(text.vertices.len(), 4);
        assert_eq!(text.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn what_is_cut_off_is_said() {
        let binary = sample_binary();
        // It starts with "solid", and its size is that of no binary file.
        let error = read(&binary[..binary.len() - 1]).unwrap_err();
        assert!(error.contains("neither a text"), "{error}");
        let mut renamed = binary.clone();
        renamed[..5].copy_from_slice(b"other");
        let error = read(&renamed[..renamed.len() - 1]).unwrap_err();
        assert!(
            error.contains("counts 2 triangles, there is room for 1"),
            "{error}"
        );
        let text = sample_text();
        // Without its last vertex and what follows.
        let half = &text[..text.len() - 52];
        assert!(read(half).unwrap_err().contains("within a facet"));
        assert!(
            read(b"solid\nvertex 1 2\n")
                .unwrap_err()
                .starts_with("line 2")
        );
        assert!(read(b"").unwrap_err().contains("header"));
    }
}
