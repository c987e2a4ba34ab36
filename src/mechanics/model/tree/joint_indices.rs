//! Where a joint's coordinates stand in q and v.

use super::{JointKind, Model};
use crate::model::ModelError;

/// Where the coordinates of a joint are: a number each for revolute and prismatic joints; 7 of q
/// and 6 of v for a floating base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointIndices {
    /// Index into [`Model::bodies`] of the body that it moves.
    pub body: usize,
    /// What the joint does.
    pub kind: JointKind,
    /// First entry in q.
    pub q_index: usize,
    /// First entry in v, in momenta and in generalized forces.
    pub v_index: usize,
}

impl Model {
    /// Where the coordinates of a joint are. A floating base is the joint `base`, a planar one has
    /// `base.x`, `base.z` and `base.pitch`.
    ///
    /// ```
    /// # use carom_mechanics as carom;
    /// let model = carom::model::sample::hexapod()?;
    /// let hip = model.joint("hip_left1")?;
    /// let mut q = model.neutral_configuration();
    /// q[hip.q_index] = 0.3;
    /// assert_eq!(model.configuration_names()[hip.q_index], "hip_left1");
    /// assert_eq!(model.coordinate_names()[hip.v_index], "hip_left1");
    /// # Ok::<(), carom::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with the nearest name; [`ModelError::Follower`] for a joint that mimics another;
    /// [`ModelError::Composite`] for one of several freedoms.
    pub fn joint(&self, name: &str) -> Result<JointIndices, ModelError> {
        let index = self.body_of_joint(name)?;
        let body = &self.bodies[index];
        if let Some(follower) = body.follows {
            return Err(ModelError::Follower {
                joint: name.to_string(),
                leader: self.bodies[follower.leader].joint.clone(),
            });
        }
        Ok(JointIndices {
            body: index,
            kind: body.kind,
            q_index: body.q_index,
            v_index: body.v_index,
        })
    }

    /// The model whose joint may be held where it is, as a latch at one of its limits does.
    ///
    /// # Errors
    /// As [`Model::joint`].
    pub fn with_latch(mut self, joint: &str) -> Result<Self, ModelError> {
        let body = self.joint(joint)?.body;
        self.bodies[body].latches = true;
        Ok(self)
    }

    /// Entries of v that belong to joints, ascending: all but those of the base.
    #[must_use]
    pub fn joint_coordinates(&self) -> Vec<usize> {
        let bodies = self.bodies.iter().enumerate();
        let joints = bodies.filter(|(i, body)| !self.is_base(*i) && body.follows.is_none());
        joints.map(|(_, body)| body.v_index).collect()
    }
}
