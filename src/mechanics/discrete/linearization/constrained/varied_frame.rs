//! Frames of contacts and how they change with the motions of bodies, by dual numbers with six parts.

use nalgebra::{Const, Matrix3, Matrix3x6, U1, Vector3, Vector6};
use num_dual::{Derivative, DualSVec64};

use crate::contact::{ContactFrame, Contacts};
use crate::discrete::held::HeldContact;
use crate::dynamics::Kinematics;
use crate::model::Model;
use crate::spatial::Pose;

/// A number with its derivatives by the six motions of a body.
type Dual6 = DualSVec64<6>;

/// The frame of a contact, and its change with the motion of the body on each side that has one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VariedFrame {
    pub frame: ContactFrame<f64>,
    pub changes: [Option<FrameChange>; 2],
}

/// Derivatives by the six numbers of a twist of a body about the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameChange {
    pub body: usize,
    /// Of the normal and the tangents; `None` where they are constant, as on planes.
    pub directions: Option<[Matrix3x6<f64>; 3]>,
    /// Of the closest points.
    pub points: [Matrix3x6<f64>; 2],
}

/// Normal (0) or tangent (1, 2) of a frame.
pub(crate) fn direction(frame: &ContactFrame<f64>, k: usize) -> &Vector3<f64> {
    if k == 0 {
        &frame.normal
    } else {
        &frame.tangents[k - 1]
    }
}

/// Bodies at one configuration, each of which may be moved.
#[derive(Debug, Clone)]
pub(crate) struct MovableBodies {
    world: Vec<Pose<f64>>,
    origin: Vector3<f64>,
    /// Placements, of one body with its motion as dual parts.
    moved: Kinematics<Dual6>,
}

impl MovableBodies {
    /// Memory for one model.
    pub fn new(model: &Model) -> Self {
        Self {
            world: vec![Pose::identity(); model.bodies().len()],
            origin: Vector3::zeros(),
            moved: Kinematics::new(model),
        }
    }

    /// Takes placements and the point that twists are about.
    pub fn place(&mut self, world: &[Pose<f64>], origin: Vector3<f64>) {
        self.world.copy_from_slice(world);
        self.origin = origin;
    }

    /// The frame of a held contact with its changes.
    pub fn frame(&mut self, contacts: &Contacts, held: &HeldContact) -> VariedFrame {
        let contact = held.contact;
        let seen = |moved: &Kinematics<Dual6>| contacts.held_frame(moved, contact, held.place());
        let bodies = contacts.bodies(contact);
        if contacts.is_limit(contact) {
            let frame = values(&seen(&self.moved));
            let changes = [None; 2];
            return VariedFrame { frame, changes };
        }
        let mut frame = None;
        let changes = bodies.map(|body| {
            let body = body?;
            for other in bodies.into_iter().flatten().filter(|b| *b != body) {
                self.moved.world[other] = self.world[other].lift();
            }
            self.moved.world[body] = self.with_motion(&self.world[body]);
            let varied = seen(&self.moved);
            frame.get_or_insert_with(|| values(&varied));
            let directions = [&varied.normal, &varied.tangents[0], &varied.tangents[1]];
            let constant = directions
                .iter()
                .all(|d| d.iter().all(|x| x.eps == Derivative::none()));
            Some(FrameChange {
                body,
                directions: (!constant).then(|| directions.map(gradients)),
                points: varied.points.each_ref().map(gradients),
            })
        });
        let frame = frame.unwrap_or_else(|| values(&seen(&self.moved)));
        VariedFrame { frame, changes }
    }

    fn with_motion(&self, pose: &Pose<f64>) -> Pose<Dual6> {
        let moving = |x: Vector3<f64>, point: bool| -> Vector3<Dual6> {
            let arm = if point { x - self.origin } else { x };
            let turned = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| axis.cross(&arm));
            Vector3::from_fn(|i, _| {
                let mut change = Vector6::zeros();
                if point {
                    change[i] = 1.0;
                }
                for (k, turned) in turned.iter().enumerate() {
                    change[3 + k] = turned[i];
                }
                Dual6::new(x[i], Derivative::some(change))
            })
        };
        let column = |k: usize| moving(pose.rotation.column(k).into(), false);
        Pose::new(
            Matrix3::from_columns(&[column(0), column(1), column(2)]),
            moving(pose.translation, true),
        )
    }
}

/// The frame without its derivatives.
fn values(frame: &ContactFrame<Dual6>) -> ContactFrame<f64> {
    let value = |x: &Vector3<Dual6>| x.map(|x| x.re);
    ContactFrame {
        gap: frame.gap.re,
        normal: value(&frame.normal),
        tangents: frame.tangents.each_ref().map(value),
        bodies: frame.bodies,
        points: frame.points.each_ref().map(value),
        surface_velocity: frame.surface_velocity,
        piece_velocity: frame.piece_velocity,
        limit: frame.limit,
    }
}

fn gradients(x: &Vector3<Dual6>) -> Matrix3x6<f64> {
    let row = |k: usize| x[k].eps.unwrap_generic(Const::<6>, U1).transpose();
    Matrix3x6::from_rows(&[row(0), row(1), row(2)])
}
