//! Impulses of what a composed step holds and work of its dampers, summed over its stages, and whether contacts, dry
//! friction and dampers can exert them.
//!
//! Stages hold by impulses of any sign; some of them run backwards. Only the sums are impulses of the step:
//! normal ones push, friction is in the cone of the normal sum, that of a joint within its limit; and dampers take energy.

use crate::contact::Contacts;
use crate::discrete::held::{HeldContact, HeldJoint, Jumps};
use crate::friction::HeldMode;

/// Rounding of a sum of stages beside the largest impulse of the step.
const ROUNDING: f64 = 1e-12;

/// Sums over the stages so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct StageSums {
    /// Of each contact at the starts and at the ends of the stages: normal, then tangents \[N s\].
    contacts: Vec<[[f64; 3]; 2]>,
    /// Of each joint, likewise \[N s or N m s\].
    joints: Vec<[f64; 2]>,
    /// Work of dampers \[J\].
    damped: f64,
}

impl StageSums {
    /// Before the first stage of so many contacts and joints.
    pub fn begin(&mut self, contacts: usize, joints: usize) {
        self.contacts.clear();
        self.contacts.resize(contacts, [[0.0; 3]; 2]);
        self.joints.clear();
        self.joints.resize(joints, [0.0; 2]);
        self.damped = 0.0;
    }

    /// Takes in the impulses of a stage and what its dampers did \[J\].
    pub fn add(&mut self, held: &[HeldContact], joints: &[HeldJoint], damped: f64) {
        self.damped += damped;
        for (sum, h) in self.contacts.iter_mut().zip(held) {
            for (sum, x) in sum[0].iter_mut().zip(h.start_impulse) {
                *sum += x;
            }
            for (sum, x) in sum[1].iter_mut().zip(h.end_impulse) {
                *sum += x;
            }
        }
        for (sum, joint) in self.joints.iter_mut().zip(joints) {
            for (sum, x) in sum.iter_mut().zip(joint.impulses) {
                *sum += x;
            }
        }
    }

    /// What was held has these impulses over a step of `tau` \[s\] in place of those of its last stage.
    pub fn hand_over(&self, tau: f64, held: &mut [HeldContact], joints: &mut [HeldJoint]) {
        for (sum, h) in self.contacts.iter().zip(held) {
            [h.start_impulse, h.end_impulse] = *sum;
            h.jumps = Jumps::default();
            h.modes = [HeldMode::Stick; 2];
            h.duration = tau;
        }
        for (sum, joint) in self.joints.iter().zip(joints) {
            joint.impulses = *sum;
            joint.jump = 0.0;
            joint.duration = tau;
        }
    }

    /// Whether a contact pulls.
    pub fn pull(&self) -> bool {
        let rounding = self.rounding();
        let mut sums = self.contacts.iter();
        sums.any(|[start, end]| start[0] + end[0] < -rounding)
    }

    fn rounding(&self) -> f64 {
        let all = self.contacts.iter().flat_map(total);
        ROUNDING * all.fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// Whether dampers, contacts, and joints with this friction \[N or N m\], can exert the sums over `tau` \[s\], but for
    /// the sign of normal ones ([`StageSums::pull`]); joints that slide do.
    pub fn are_admissible(
        &self,
        contacts: &Contacts,
        held: &[HeldContact],
        joints: &[HeldJoint],
        joint_friction: impl Iterator<Item = f64>,
        tau: f64,
    ) -> bool {
        let rounding = self.rounding();
        let in_cones = self.contacts.iter().zip(held).all(|(sum, h)| {
            let [normal, x, y] = total(sum);
            let cone = contacts.friction(h.contact) * normal;
            normal < -rounding || x.hypot(y) <= cone.max(0.0) + rounding
        });
        let mut limited = self.joints.iter().zip(joints).zip(joint_friction);
        in_cones
            && self.damped <= 0.0
            && limited.all(|((sum, joint), f)| {
                joint.modes[1] != HeldMode::Stick || (sum[0] + sum[1]).abs() <= f * tau
            })
    }
}

fn total(sum: &[[f64; 3]; 2]) -> [f64; 3] {
    [0, 1, 2].map(|k| sum[0][k] + sum[1][k])
}

#[cfg(test)]
mod tests {
    use super::StageSums;
    use crate::contact::{Combination, Contacts, Material, Site, Terrain};
    use crate::discrete::held::{HeldContact, HeldJoint};
    use crate::model::{Base, Link, ModelBuilder};
    use nalgebra::Vector3;

    /// A ball with μ = 0.5 on the ground.
    fn contacts() -> Contacts {
        let ball = Link::new("ball").solid_sphere(1.0, 0.1, Vector3::zeros());
        let model = ModelBuilder::new("ball")
            .base(Base::Floating)
            .link(ball)
            .build()
            .unwrap();
        let material = Material::new(0.5, 0.0);
        let site = Site::sphere(&model, "ball", "ball", [0.0; 3], 0.1, material).unwrap();
        let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
        Contacts::new(&model, vec![site], vec![ground], &[], Combination::Minimum).unwrap()
    }

    #[test]
    fn sums_push_inside_their_cones_and_limits() {
        let contacts = contacts();
        // Stages of negative length pull: only the sums (start and end, a quarter each) count.
        let judge = |impulse: [f64; 3], joint: f64, damped: f64| {
            let mut held = [HeldContact::new(0)];
            let mut joints = [HeldJoint::default()];
            let mut sums = StageSums::default();
            sums.begin(1, 1);
            for stage in [3.0, -5.0, 3.0] {
                held[0].start_impulse = impulse.map(|x| 0.25 * stage * x);
                held[0].end_impulse = impulse.map(|x| 0.75 * stage * x);
                joints[0].impulses = [0.5 * stage * joint; 2];
                sums.add(&held, &joints, damped);
            }
            let admissible = sums.are_admissible(&contacts, &held, &joints, [2.0].into_iter(), 0.1);
            sums.hand_over(0.1, &mut held, &mut joints);
            assert_eq!(held[0].impulse(), impulse);
            assert_eq!(joints[0].impulses, [0.5 * joint; 2]);
            assert!(held[0].duration == 0.1 && joints[0].duration == 0.1);
            admissible && !sums.pull()
        };
        assert!(judge([4.0, 1.0, -1.0], 0.125, -0.1));
        assert!(judge([4.0, 1.0, -1.0], 0.125, 0.0));
        assert!(!judge([-4.0, 0.0, 0.0], 0.0, -0.1));
        assert!(!judge([4.0, 2.0, 1.0], 0.0, -0.1));
        assert!(!judge([4.0, 0.0, 0.0], 0.25, -0.1));
        assert!(!judge([4.0, 1.0, -1.0], 0.125, 0.1));
    }
}
