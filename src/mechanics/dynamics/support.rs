//! The joints between bodies and the world, and the coordinates of velocity these have.

use crate::model::Model;

/// The joints that support one or two bodies (\[F\] §4.1.4): the only ones that move them. What
/// depends on the velocities of these bodies alone has as many columns as there are
/// [`coordinates`](Self::coordinates), which are all where joints of the robot share coordinates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Support {
    joints: Vec<SupportJoint>,
    coordinates: Vec<usize>,
}

/// One joint of a [`Support`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportJoint {
    /// Index of the body that it moves.
    pub body: usize,
    /// Its first column.
    pub column: usize,
    /// Whether it supports the first and the second body.
    pub sides: [bool; 2],
}

impl SupportJoint {
    /// Whether it moves the body number `side` against the other one: what carries both moves neither against the other.
    #[must_use]
    pub fn moves_against_other(&self, side: usize) -> bool {
        self.sides[side] && !self.sides[1 - side]
    }
}

impl Support {
    /// The joints below two bodies; `None` is the world.
    #[must_use]
    pub fn new(model: &Model, bodies: [Option<usize>; 2]) -> Self {
        let mut support = Self::default();
        support.update(model, bodies);
        support
    }

    /// As [`Support::new`], in the memory at hand.
    pub fn update(&mut self, model: &Model, bodies: [Option<usize>; 2]) {
        self.joints.clear();
        let mut next = bodies;
        // Parents have lower indices, so the larger of the two never supports the other.
        while let Some(body) = next[0].max(next[1]) {
            let sides = next.map(|side| side == Some(body));
            self.joints.push(SupportJoint {
                body,
                column: 0,
                sides,
            });
            for (side, supported) in next.iter_mut().zip(sides) {
                if supported {
                    *side = model.bodies()[body].parent;
                }
            }
        }
        self.joints.reverse();
        self.number(model);
    }

    /// Adds the joints below another body. They support neither of the two: their columns are there for what
    /// couples with these.
    pub(crate) fn include(&mut self, model: &Model, body: usize) {
        let mut next = Some(body);
        while let Some(body) = next {
            match self.joints.binary_search_by_key(&body, |joint| joint.body) {
                // What supports that one is there as well.
                Ok(_) => break,
                Err(at) => self.joints.insert(
                    at,
                    SupportJoint {
                        body,
                        column: 0,
                        sides: [false; 2],
                    },
                ),
            }
            next = model.bodies()[body].parent;
        }
        self.number(model);
    }

    fn number(&mut self, model: &Model) {
        self.coordinates.clear();
        if model.coupling().is_some() {
            // Shared coordinates couple branches: a solution along the support has entries everywhere.
            self.coordinates.extend(0..model.dof());
            for joint in &mut self.joints {
                joint.column = model.bodies()[joint.body].v_index;
            }
            return;
        }
        for joint in &mut self.joints {
            let body = &model.bodies()[joint.body];
            joint.column = self.coordinates.len();
            let first = body.v_index;
            self.coordinates
                .extend(first..first + body.kind.velocity_width());
        }
    }

    /// The joints, parents first.
    #[must_use]
    pub fn joints(&self) -> &[SupportJoint] {
        &self.joints
    }

    /// Index into the velocity of each column, ascending.
    #[must_use]
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }
}
