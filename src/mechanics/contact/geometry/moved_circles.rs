//! Circles that move a little, for tests of rows.

use nalgebra::{Const, U1, Vector3, Vector6};
use num_dual::{Derivative, DualSVec64};

use super::gap::{Circle, Touch};
use crate::spatial::{Pose, rotation_exp};

/// With the derivatives by a motion: along the axes and about them through the origin.
pub(super) type Dual = DualSVec64<6>;

/// Turned about the origin by the last three numbers after it went by the first three.
fn moved(circle: &Circle<f64>, motion: &Vector6<f64>) -> Circle<f64> {
    let turn = rotation_exp(&Vector3::new(motion[3], motion[4], motion[5]));
    let way = Vector3::new(motion[0], motion[1], motion[2]);
    Circle {
        center: Pose::new(turn, way).point(&circle.center),
        axes: circle.axes.map(|axis| turn * axis),
        ..*circle
    }
}

fn lifted(circle: &Circle<f64>) -> Circle<Dual> {
    let dual = |x: f64, change: Vector6<f64>| Dual::new(x, Derivative::some(change));
    let turned = |x: &Vector3<f64>, goes: bool| {
        Vector3::from_fn(|i, _| {
            let mut change = Vector6::zeros();
            for k in 0..3 {
                change[3 + k] = Vector3::ith(k, 1.0).cross(x)[i];
                change[k] = f64::from(goes && k == i);
            }
            dual(x[i], change)
        })
    };
    Circle {
        center: turned(&circle.center, true),
        axes: circle.axes.map(|axis| turned(&axis, false)),
        radius: dual(circle.radius, Vector6::zeros()),
        tube: dual(circle.tube, Vector6::zeros()),
        range: circle.range,
    }
}

/// The points of a touch are its gap apart along n, and the gap changes with motions of the circle as the row says, by dual numbers and
/// by differences.
pub(super) fn assert_row_is_exact(
    circle: &Circle<f64>,
    touch: &Touch<f64>,
    by_dual: impl Fn(&Circle<Dual>) -> Touch<Dual>,
    by_number: impl Fn(&Circle<f64>) -> Touch<f64>,
) {
    let [x, y] = touch.points;
    assert!((x - y - touch.normal * touch.gap).norm() < 1e-12);
    let mut row = Vector6::zeros();
    row.fixed_rows_mut::<3>(0).copy_from(&touch.normal);
    row.fixed_rows_mut::<3>(3)
        .copy_from(&x.cross(&touch.normal));
    let by_dual = by_dual(&lifted(circle))
        .gap
        .eps
        .unwrap_generic(Const::<6>, U1);
    // Roundings over the curvature of the distance, which is far from zero where this is asked.
    assert!((by_dual - row).amax() < 1e-10, "{by_dual} {row}");
    for k in 0..6 {
        let h = 1e-6;
        let there = [h, -h].map(|h| by_number(&moved(circle, &Vector6::ith(k, h))).gap);
        let difference = (there[0] - there[1]) / (2.0 * h);
        assert!((difference - row[k]).abs() < 1e-5, "{difference} {row}");
    }
}
