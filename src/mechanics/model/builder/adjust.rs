//! Changes to links and joints that a builder already has.

use super::composite::no_coordinate;
use super::validation::check_amount;
use super::{Joint, ModelBuilder, MotionKind};
use crate::model::{JointLimits, ModelError};

impl ModelBuilder {
    /// Multiplies mass and rotational inertia of a link: the same body of another density.
    ///
    /// # Errors
    /// There is no such link, or the factor is negative or not finite.
    pub fn scale_mass(mut self, link: &str, factor: f64) -> Result<Self, ModelError> {
        check_amount(&format!("mass scale of \"{link}\""), factor)?;
        let Some(scaled) = self.links.iter_mut().find(|l| l.name == link && !l.between) else {
            let known = self
                .links
                .iter()
                .filter(|l| !l.between)
                .map(|l| l.name.as_str());
            return Err(ModelError::unknown("link", link, known));
        };
        scaled.mass *= factor;
        scaled.central *= factor;
        Ok(self)
    }

    /// Changes a joint that is already there, by the methods of [`Joint`].
    ///
    /// ```
    /// # use carom_mechanics as carom;
    /// use carom::model::{Joint, Link, ModelBuilder};
    ///
    /// let model = ModelBuilder::new("arm")
    ///     .link(Link::new("world"))
    ///     .link(Link::new("arm").solid_sphere(1.0, 0.1, [0.3, 0.0, 0.0].into()))
    ///     .joint(Joint::revolute("elbow", "world", "arm").axis([0.0, 1.0, 0.0]))
    ///     .adjust_joint("elbow", |elbow| elbow.armature(0.02))?
    ///     .build()?;
    /// assert_eq!(model.bodies()[0].armature, 0.02);
    /// # Ok::<(), carom::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such joint, it is fixed, or it has several freedoms: adjust those.
    pub fn adjust_joint(
        mut self,
        joint: &str,
        adjust: impl FnOnce(Joint) -> Joint,
    ) -> Result<Self, ModelError> {
        let parts = || {
            let parts = self.joints.iter();
            let parts = parts.filter_map(|j| Some((j.part.as_ref()?, j.name.as_str())));
            parts.filter(|(part, _)| part.whole == joint)
        };
        if let Some((part, _)) = parts().next() {
            let names = parts().map(|(_, name)| name);
            return Err(no_coordinate(joint, part.kind, names));
        }
        let Some(found) = self.joints.iter_mut().find(|j| j.name == joint) else {
            let moving = self.joints.iter().filter(|j| j.motion != MotionKind::Fixed);
            let known = moving.map(|j| j.name.as_str());
            return Err(ModelError::unknown("joint", joint, known));
        };
        if found.motion == MotionKind::Fixed {
            return Err(ModelError::FixedJoint {
                joint: joint.to_string(),
            });
        }
        *found = adjust(found.clone());
        Ok(self)
    }

    /// Names and limits of the joints that move.
    #[doc(hidden)]
    pub fn moving_joints(&self) -> Vec<(&str, &JointLimits)> {
        let moving = self.joints.iter().filter(|j| j.motion != MotionKind::Fixed);
        moving.map(|j| (j.name.as_str(), &j.limits)).collect()
    }

    /// Takes the position limits of all joints away.
    #[must_use]
    pub fn without_position_limits(mut self) -> Self {
        for joint in &mut self.joints {
            joint.limits.position = None;
        }
        self
    }
}
