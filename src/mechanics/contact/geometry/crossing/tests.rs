use std::f64::consts::{FRAC_PI_4, SQRT_2};

use nalgebra::{Const, Vector3, Vector6};
use num_dual::{Derivative, DualSVec64};

use super::{Block, Crossing};
use crate::model::sample::Uniform;
use crate::spatial::{Pose, rotation_exp};

fn block(random: &mut Uniform) -> Block<f64> {
    Block {
        pose: Pose::new(
            rotation_exp(&random.vector(2.0).into()),
            random.vector(1.0).into(),
        ),
        half: Vector3::from(random.vector(0.5)).abs().add_scalar(0.05),
        radius: 0.0,
    }
}

/// A capsule or a cylinder for every other shape.
fn shape(random: &mut Uniform) -> Block<f64> {
    let block = block(random);
    if random.below(2) == 0 {
        return block;
    }
    Block {
        half: Vector3::new(0.0, 0.0, block.half.z),
        radius: 0.3 * block.half.x,
        ..block
    }
}

fn crossings(blocks: &[Block<f64>; 2]) -> Vec<Crossing> {
    Crossing::all(blocks.map(|block| block.radius > 0.0)).collect()
}

/// Turned about the origin by the last three numbers after it went by the first three.
fn moved(block: &Block<f64>, motion: &Vector6<f64>) -> Block<f64> {
    let turn = rotation_exp(&Vector3::new(motion[3], motion[4], motion[5]));
    let way = Vector3::new(motion[0], motion[1], motion[2]);
    let pose = Pose::new(turn, way).compose(&block.pose);
    Block { pose, ..*block }
}

fn at(place: [f64; 3], turn: f64, half: f64) -> Block<f64> {
    let pose = Pose::new(rotation_exp(&Vector3::new(0.0, 0.0, turn)), place.into());
    Block {
        pose,
        half: Vector3::repeat(half),
        radius: 0.0,
    }
}

fn present(blocks: &[Block<f64>; 2]) -> Vec<Vector3<f64>> {
    let meetings = crossings(blocks)
        .into_iter()
        .map(|crossing| crossing.meet(blocks));
    meetings
        .filter(super::Meeting::is_present)
        .map(|meeting| meeting.touch.points[1])
        .collect()
}

#[test]
fn the_gap_changes_with_motions_as_its_row_says() {
    let mut random = Uniform::new(31);
    let mut looked_at = 0;
    while looked_at < 300 {
        let blocks = [shape(&mut random), shape(&mut random)];
        for crossing in crossings(&blocks) {
            let meeting = crossing.meet(&blocks);
            if !meeting.is_between() {
                continue;
            }
            looked_at += 1;
            let touch = meeting.touch;
            let [x, y] = touch.points;
            assert!((x - y - touch.normal * touch.gap).norm() < 1e-12);
            for side in 0..2 {
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let arm = touch.points[side].cross(&touch.normal);
                let mut row = Vector6::zeros();
                row.fixed_rows_mut::<3>(0).copy_from(&(touch.normal * sign));
                row.fixed_rows_mut::<3>(3).copy_from(&(arm * sign));
                // By dual numbers, exact: roundings of lengths of order one over sines above 1e-3.
                let dual = |x: f64, change: Vector6<f64>| {
                    DualSVec64::<6>::new(x, Derivative::some(change))
                };
                let mut both = blocks.map(|b| Block {
                    pose: b.pose.lift(),
                    half: b.half,
                    radius: b.radius,
                });
                let pose = &blocks[side].pose;
                for k in 0..3 {
                    for (i, x) in pose.rotation.column(k).iter().enumerate() {
                        let mut change = Vector6::zeros();
                        for turn in 0..3 {
                            let axis = Vector3::ith(turn, 1.0);
                            change[3 + turn] = axis.cross(&pose.rotation.column(k))[i];
                        }
                        both[side].pose.rotation[(i, k)] = dual(*x, change);
                    }
                    let mut change = Vector6::ith(k, 1.0);
                    for turn in 0..3 {
                        let axis: Vector3<f64> = Vector3::ith(turn, 1.0);
                        change[3 + turn] = axis.cross(&pose.translation)[k];
                    }
                    both[side].pose.translation[k] = dual(pose.translation[k], change);
                }
                let gap = crossing.meet(&both).touch.gap;
                let by_dual = gap.eps.unwrap_generic(Const::<6>, nalgebra::U1);
                let rounding = 1e-14 / (meeting.sine * meeting.sine);
                assert!((by_dual - row).amax() < 1e-12 + rounding, "{by_dual} {row}");
                // By differences: their error is h²/6 times a third derivative, which goes with the third power of the
                // sine; only crossings that are far from parallel.
                if meeting.sine < 0.3 {
                    continue;
                }
                for k in 0..6 {
                    let h = 1e-5;
                    let there = [h, -h].map(|h| {
                        let mut both = blocks;
                        both[side] = moved(&blocks[side], &Vector6::ith(k, h));
                        crossing.meet(&both).touch.gap
                    });
                    let difference = (there[0] - there[1]) / (2.0 * h);
                    assert!((difference - row[k]).abs() < 1e-7, "{difference} {row}");
                }
            }
        }
    }
}

#[test]
fn neither_the_order_of_the_shapes_nor_the_world_counts() {
    let mut random = Uniform::new(32);
    for _ in 0..200 {
        let blocks = [shape(&mut random), shape(&mut random)];
        let all = block(&mut random).pose;
        let turned = blocks.map(|b| Block {
            pose: all.compose(&b.pose),
            ..b
        });
        for crossing in crossings(&blocks) {
            let [own, swapped, seen] = [
                crossing.meet(&blocks),
                Crossing {
                    axes: [crossing.axes[1], crossing.axes[0]],
                    like: [crossing.like[1], crossing.like[0]],
                }
                .meet(&[blocks[1], blocks[0]]),
                crossing.meet(&turned),
            ];
            let rounding = 1e-13 / (own.sine * own.sine);
            assert_eq!(own.is_present(), swapped.is_present());
            assert!((own.touch.gap - swapped.touch.gap).abs() < rounding);
            assert!((own.touch.normal + swapped.touch.normal).norm() < rounding);
            assert!((own.touch.points[0] - swapped.touch.points[1]).norm() < rounding);
            if own.is_between() {
                assert!((own.touch.gap - seen.touch.gap).abs() < rounding);
                let normal = all.rotation * own.touch.normal;
                assert!((normal - seen.touch.normal).norm() < rounding);
            }
        }
    }
}

#[test]
fn boxes_that_stand_on_each_other_cross_at_the_corners_of_what_they_share() {
    let below = at([0.0; 3], 0.0, 0.1);
    assert!(present(&[at([0.0, 0.0, 0.2], 0.0, 0.1), below]).is_empty());
    assert!(present(&[at([0.03, 0.0, 0.2], 0.0, 0.1), below]).is_empty());
    let mut two = present(&[at([0.03, 0.02, 0.2], 0.0, 0.1), below]);
    two.sort_by(|a, b| a.x.total_cmp(&b.x));
    let expected = [Vector3::new(-0.07, 0.1, 0.1), Vector3::new(0.1, -0.08, 0.1)];
    assert_eq!(two.len(), 2);
    assert!((two[0] - expected[0]).norm() < 1e-14 && (two[1] - expected[1]).norm() < 1e-14);
    // A regular octagon, its corners at 0.1/cos 22.5°; across each other, the corners of a square.
    let eight = present(&[at([0.0, 0.0, 0.2], FRAC_PI_4, 0.1), below]);
    assert_eq!(eight.len(), 8);
    let radius = 0.1 * (4.0 - 2.0 * SQRT_2).sqrt();
    for x in eight {
        assert!((x.xy().norm() - radius).abs() < 1e-14, "{x}");
    }
    let plank = |long: usize, height: f64| {
        let mut half = Vector3::new(0.1, 0.1, 0.1);
        half[long] = 0.4;
        let pose = Pose::new(
            nalgebra::Matrix3::identity(),
            Vector3::new(0.0, 0.0, height),
        );
        Block {
            pose,
            half,
            radius: 0.0,
        }
    };
    let four = present(&[plank(0, 0.2), plank(1, 0.0)]);
    assert_eq!(four.len(), 4);
    // Under each other they are as far as over each other, beside each other they do not cross.
    assert_eq!(present(&[plank(0, -0.2), plank(1, 0.0)]).len(), 4);
    assert!(present(&[at([0.2, 0.0, 0.05], 0.0, 0.1), below]).is_empty());
}
