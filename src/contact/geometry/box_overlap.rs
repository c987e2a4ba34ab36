//! How far two boxes are inside of each other, whatever of them is nearest to what.

use nalgebra::Vector3;

use super::Block;

/// Axes that are parallel to this sine have no direction across both.
const PARALLEL: f64 = 1e-9;

/// The shortest way on which two boxes come apart \[m\]; not positive where they do not overlap. Of convex bodies that are
/// apart some plane lies between them, of boxes one along a face of either or along an edge of both.
pub(crate) fn box_overlap(boxes: &[Block<f64>; 2]) -> f64 {
    let [a, b] = boxes;
    let apart = b.pose.translation - a.pose.translation;
    let axes = boxes.each_ref().map(|block| &block.pose.rotation);
    let reach =
        |of: &Block<f64>, n: &Vector3<f64>| (of.pose.rotation.tr_mul(n)).abs().dot(&of.half);
    let along = |n: Vector3<f64>| reach(a, &n) + reach(b, &n) - n.dot(&apart).abs();
    let faces = axes
        .iter()
        .flat_map(|axes| (0..3).map(|k| axes.column(k).into_owned()));
    let edges = (0..9).filter_map(|k| {
        let across = axes[0].column(k / 3).cross(&axes[1].column(k % 3));
        across.try_normalize(PARALLEL)
    });
    faces.chain(edges).map(along).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::Rotation3;

    use super::*;
    use crate::spatial::Pose;

    fn block(place: [f64; 3], angles: [f64; 3], half: [f64; 3]) -> Block<f64> {
        let [roll, pitch, yaw] = angles;
        let rotation = Rotation3::from_euler_angles(roll, pitch, yaw).into_inner();
        Block {
            pose: Pose::new(rotation, place.into()),
            half: half.into(),
            radius: 0.0,
        }
    }

    #[test]
    fn closed_forms() {
        let cube = block([0.0; 3], [0.0; 3], [0.5; 3]);
        let beside = |x: f64| box_overlap(&[cube, block([x, 0.0, 0.0], [0.0; 3], [0.5; 3])]);
        assert_relative_eq!(beside(0.75), 0.25, epsilon = 1e-15);
        assert_relative_eq!(beside(1.5), -0.5, epsilon = 1e-15);
        // A plank through the cube: no corner of either is inside of the other.
        let plank = block([0.0, 0.0, 0.2], [0.0; 3], [3.0, 0.1, 0.1]);
        assert_relative_eq!(box_overlap(&[cube, plank]), 0.4, epsilon = 1e-15);
        // Two cubes turned by 45 degrees, about x and about z, meet edge to edge: √½ + √½ along y.
        let turn = std::f64::consts::FRAC_PI_4;
        let over = |y: f64| {
            let about = |place, angles| block(place, angles, [0.5; 3]);
            box_overlap(&[
                about([0.0; 3], [turn, 0.0, 0.0]),
                about([0.0, y, 0.0], [0.0, 0.0, turn]),
            ])
        };
        assert_relative_eq!(over(1.4), 2.0_f64.sqrt() - 1.4, epsilon = 1e-14);
        assert_relative_eq!(over(1.5), 2.0_f64.sqrt() - 1.5, epsilon = 1e-14);
    }
}
