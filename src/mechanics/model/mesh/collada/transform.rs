//! Transformations of nodes.

use nalgebra::{Matrix4, Rotation3, Unit, Vector3};

use super::words::numbers;
use crate::model::urdf::xml_tree::Element;

/// What a child of a node does to its place, if it is a transformation.
pub(super) fn transform(element: &Element) -> Result<Option<Matrix4<f64>>, String> {
    let mut words = element.text.split_ascii_whitespace();
    let fail = |reason: String| format!("line {}: <{}>: {reason}", element.line, element.name);
    let matrix = match element.name.as_str() {
        "matrix" => Matrix4::from_row_slice(&numbers::<16>(&mut words).map_err(fail)?),
        "translate" => {
            Matrix4::new_translation(&Vector3::from(numbers::<3>(&mut words).map_err(fail)?))
        }
        "scale" => {
            Matrix4::new_nonuniform_scaling(&Vector3::from(numbers::<3>(&mut words).map_err(fail)?))
        }
        "rotate" => {
            let [x, y, z, degrees] = numbers::<4>(&mut words).map_err(fail)?;
            match Unit::try_new(Vector3::new(x, y, z), 0.0) {
                Some(axis) => {
                    Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous()
                }
                None => Matrix4::identity(),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(matrix))
}
