//! Latches: what keeps a joint at a limit from when it strikes there until another contact strikes.
//!
//! The knee of a walker straightens during its swing, locks when it strikes its stop, and bears the robot until the other
//! foot comes down. In between its coordinate is no freedom: q̇ₖ = 0, by a force of the latch of any sign, in steps and in
//! impacts. The strike that the latch catches is one of all that is closed, without the coordinate:
//!
//! ```text
//! p⁻ without pₖ  ↦  p⁺ without pₖ   in the kinetic metric of the other coordinates,      q̇ₖ⁺ = 0
//! ```
//!
//! which is the projection of the momentum along the row of the stop where nothing else is closed, whatever the stop's
//! restitution; a touch too slow to be an impact of another contact is one here. When what releases it strikes, that impact
//! still has the joint locked; afterwards the limit is one like others, until the joint has left it and strikes again.

use crate::contact::contacts::Contacts;
use crate::contact::listing::Sides;
use crate::contact::{ContactError, JointLimit};
use crate::files::did_you_mean;
use crate::model::Model;

/// Which limit of a joint.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LimitEnd {
    /// The smallest position.
    Lower,
    /// The largest position.
    Upper,
}

/// A latch by names.
#[derive(Debug, Clone, PartialEq)]
pub struct LatchDeclaration {
    /// The joint, of a model that knows it for one ([`Model::with_latch`]).
    pub joint: String,
    /// The limit at which it is caught.
    pub at: LimitEnd,
    /// Contacts, or sites, shapes and pieces of terrain with all contacts of theirs, whose impacts let it go.
    pub release: Vec<String>,
    /// Whether it holds the joint where a simulation begins.
    pub engaged: bool,
}

/// A latch of the contacts of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Latch {
    /// The limit whose impact it catches, as a contact.
    pub stop: usize,
    /// Contacts whose impacts let it go, ascending.
    pub releases: Vec<usize>,
    /// Whether it holds the joint where a simulation begins.
    pub engaged: bool,
    /// The limit.
    pub limit: JointLimit,
}

/// Whether a side of a contact is what a name means, or a place of it: a point of a box, an edge, an end of an arc.
fn is_part(side: &str, name: &str) -> bool {
    side.strip_prefix(name).is_some_and(|rest| {
        let corner = rest.strip_prefix('_');
        let is_corner = corner.is_some_and(|k| k.parse::<usize>().is_ok());
        rest.is_empty() || rest.starts_with(':') || is_corner
    })
}

impl Latch {
    /// Whether a strike of these contacts lets the joint go.
    #[must_use]
    pub fn is_released_by(&self, striking: &[usize]) -> bool {
        self.releases.iter().any(|i| striking.contains(i))
    }
}

impl Contacts {
    /// Adds latches; after [`Contacts::with_joint_limits`].
    ///
    /// # Errors
    /// [`ContactError::ImpossibleLatch`]: a joint that the model does not have, that has no such limit or two latches, a
    /// contact or a site that is not there.
    pub fn with_latches(
        mut self,
        model: &Model,
        latches: &[LatchDeclaration],
    ) -> Result<Self, ContactError> {
        for declared in latches {
            let refused = |reason: String| ContactError::ImpossibleLatch {
                joint: declared.joint.clone(),
                reason,
            };
            let joint = model.joint(&declared.joint);
            let body = joint.map_err(|error| refused(error.to_string()))?.body;
            if !model.bodies()[body].latches {
                return Err(refused(
                    "the model does not know that it latches; make it with Model::with_latch"
                        .to_string(),
                ));
            }
            let sign = match declared.at {
                LimitEnd::Lower => 1.0,
                LimitEnd::Upper => -1.0,
            };
            let limit = |i: &usize| match self.contacts[*i].sides {
                Sides::Limit(limit) => {
                    (limit.body == body && limit.sign == sign).then_some((*i, limit))
                }
                _ => None,
            };
            let found = (0..self.contacts.len()).find_map(|i| limit(&i));
            let (stop, limit) = found.ok_or_else(|| {
                let word = match declared.at {
                    LimitEnd::Lower => "lower",
                    LimitEnd::Upper => "upper",
                };
                refused(format!(
                    "it has no {word} limit to be caught at; give it one in the robot's file, or leave limits on"
                ))
            })?;
            if self.latches.iter().any(|latch| latch.limit.body == body) {
                return Err(refused("it has two; one joint has one latch".to_string()));
            }
            let mut releases = Vec::new();
            for name in &declared.release {
                let of_site = |i: &usize| {
                    let mut sites = self.sites_of(*i).into_iter();
                    sites.any(|site| is_part(&self.sites[site].name, name))
                };
                let of_side = |i: &usize| {
                    let mut sides = self.name(*i).split('@');
                    sides.any(|side| is_part(side, name))
                };
                let named: Vec<usize> = (0..self.contacts.len())
                    .filter(|i| self.name(*i) == name || of_site(i) || of_side(i))
                    .collect();
                if named.is_empty() {
                    let sites = self.sites.iter().map(|site| site.name.as_str());
                    let all = sites.chain((0..self.contacts.len()).map(|i| self.name(i)));
                    let nearest = did_you_mean(name, all);
                    return Err(refused(format!(
                        "there is no contact or contact site \"{name}\" to release it{nearest}"
                    )));
                }
                releases.extend(named);
            }
            if releases.contains(&stop) {
                return Err(refused("its own stop cannot release it".to_string()));
            }
            releases.sort_unstable();
            releases.dedup();
            self.latches.push(Latch {
                stop,
                releases,
                engaged: declared.engaged,
                limit,
            });
        }
        Ok(self)
    }

    /// The latches of joints.
    #[must_use]
    pub fn latches(&self) -> &[Latch] {
        &self.latches
    }
}
