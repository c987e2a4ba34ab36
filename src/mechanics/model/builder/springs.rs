//! Springs of a robot under construction, by the names of what they act on.

use nalgebra::Vector3;

use super::validation::{check_amount, check_coordinate, check_size};
use crate::model::{JointSpring, Model, ModelError, PointSpring};

/// A spring at a joint by its name, resolved when the model is built.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct NamedJointSpring {
    pub joint: String,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

impl Model {
    /// Adds a spring at a joint.
    ///
    /// # Errors
    /// An unknown joint, or a number that is no number of a spring.
    #[doc(hidden)]
    pub fn add_joint_spring(&mut self, spring: &NamedJointSpring) -> Result<(), ModelError> {
        let spring = spring.resolve(self)?;
        self.joint_springs.push(spring);
        Ok(())
    }

    /// Adds a spring between points of two links.
    ///
    /// # Errors
    /// An unknown link, or a number that is no number of a spring.
    #[doc(hidden)]
    pub fn add_point_spring(&mut self, spring: &NamedPointSpring) -> Result<(), ModelError> {
        let spring = spring.resolve(self, self.point_springs.len())?;
        self.point_springs.push(spring);
        Ok(())
    }
}

impl NamedJointSpring {
    fn resolve(&self, model: &Model) -> Result<JointSpring, ModelError> {
        let body = model.body_of_joint(&self.joint)?;
        let follower = model.bodies()[body].follows;
        let place = |what: &str| format!("spring at joint \"{}\": {what}", self.joint);
        check_coordinate(&place("rest"), self.rest)?;
        check_amount(&place("stiffness"), self.stiffness)?;
        check_amount(&place("damping"), self.damping)?;
        // At a joint that mimics another the spring acts on that one's coordinate.
        let (leader, ratio, offset) =
            follower.map_or((body, 1.0, 0.0), |f| (f.leader, f.ratio, f.offset));
        Ok(JointSpring {
            body: leader,
            rest: (self.rest - offset) / ratio,
            stiffness: self.stiffness * ratio * ratio,
            damping: self.damping * ratio * ratio,
        })
    }
}

/// A spring between points of links by their names, resolved when the model is built.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct NamedPointSpring {
    pub links: [Option<String>; 2],
    pub points: [Vector3<f64>; 2],
    pub rest_length: f64,
    pub stiffness: f64,
    pub damping: f64,
}

impl NamedPointSpring {
    /// `index` is what messages call it.
    fn resolve(&self, model: &Model, index: usize) -> Result<PointSpring, ModelError> {
        let place = |what: &str| format!("point spring {index}: {what}");
        check_size(&place("rest_length"), self.rest_length)?;
        check_amount(&place("stiffness"), self.stiffness)?;
        check_amount(&place("damping"), self.damping)?;
        let mut bodies = [None; 2];
        let mut points = [Vector3::zeros(); 2];
        for side in 0..2 {
            for x in self.points[side].iter() {
                check_coordinate(&place("point"), *x)?;
            }
            points[side] = match &self.links[side] {
                None => self.points[side],
                Some(name) => {
                    let link = model.link(name)?;
                    bodies[side] = link.body;
                    link.pose.point(&self.points[side])
                }
            };
        }
        Ok(PointSpring {
            bodies,
            points,
            rest_length: self.rest_length,
            stiffness: self.stiffness,
            damping: self.damping,
        })
    }
}
