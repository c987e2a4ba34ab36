//! One configuration at impact: what touches, what is free, what is wanted.

mod chart;
mod touching;

#[doc(hidden)]
pub use chart::coordinates;
pub use chart::{configuration, coordinate_names};
pub(crate) use touching::close_gaps;

use super::{DesignError, Variable};
use crate::model::{Base, Model};
use crate::spatial::{Scalar, lift, lift3};

/// A wanted kinetic cosine between two contacts of a stance.
#[derive(Debug, Clone, PartialEq)]
pub struct CosineTarget {
    /// Names of two contacts that touch.
    pub contacts: [String; 2],
    /// Wanted cosine: 0, or −cos(π/m).
    pub cosine: f64,
    /// Weight in a compromise, positive.
    pub weight: f64,
}

impl CosineTarget {
    /// ⟨û, v̂⟩ = −cos(π/m) for m ≥ 2, of weight 1: the angles at which two contacts have one outcome.
    #[must_use]
    pub fn of_order(contacts: [&str; 2], m: u32) -> Self {
        let cosine = match m {
            2 => 0.0,
            3 => -0.5,
            m => -(std::f64::consts::PI / f64::from(m.max(2))).cos(),
        };
        Self {
            contacts: contacts.map(str::to_string),
            cosine,
            weight: 1.0,
        }
    }
}

/// How the robot moves before the impact, for ξ.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Approach {
    /// With this velocity, n.
    Velocity(Vec<f64>),
    /// As one rigid body after a fall from rest through this height \[m\].
    Fall(f64),
}

impl Approach {
    /// The velocity (n) in configuration `q`.
    #[must_use]
    pub fn velocity<T: Scalar>(&self, model: &Model, q: &[T]) -> Vec<T> {
        let height = match self {
            Self::Velocity(v) => return v.iter().map(|v| lift(*v)).collect(),
            Self::Fall(height) => *height,
        };
        let mut v = vec![T::zero(); model.dof()];
        let strength = model.gravity().norm();
        if strength == 0.0 {
            return v;
        }
        let fall = model.gravity() * ((2.0 * strength * height).sqrt() / strength);
        match model.base() {
            Base::Fixed => {}
            Base::Planar => {
                v[0] = lift(fall.x);
                v[1] = lift(fall.z);
            }
            Base::Floating => {
                let turned = model.floating_pose(0, q).rotation.tr_mul(&lift3(&fall));
                v[..3].copy_from_slice(turned.as_slice());
            }
        }
        v
    }
}

/// One configuration at impact.
#[derive(Debug, Clone, PartialEq)]
pub struct Stance {
    /// Name, unique.
    pub name: String,
    /// Coordinates at the start, n, as [`coordinate_names`] orders them.
    pub coordinates: Vec<f64>,
    /// Free coordinates: index and variable.
    pub free: Vec<(usize, Variable)>,
    /// Contacts that must touch; all others must stay open.
    pub touching: Vec<String>,
    /// Wanted cosines.
    pub targets: Vec<CosineTarget>,
    /// Motion before the impact, for ξ.
    pub approach: Option<Approach>,
    /// Motions before the impact for which ξ is to be 0, each with its weight in a compromise.
    pub minimised: Vec<(Approach, f64)>,
    /// Least gap of the contacts that do not touch \[m\].
    pub clearance: f64,
    /// Least gaps of single contacts that do not touch \[m\], by name, instead of `clearance`.
    pub clearances: Vec<(String, f64)>,
}

impl Stance {
    /// A stance at rest in which nothing is free and every pair of `touching` is to be orthogonal.
    #[must_use]
    pub fn orthogonal(name: &str, coordinates: Vec<f64>, touching: &[&str]) -> Self {
        let mut targets = Vec::new();
        for (j, b) in touching.iter().enumerate() {
            for a in &touching[..j] {
                targets.push(CosineTarget::of_order([a, b], 2));
            }
        }
        Self {
            name: name.to_string(),
            coordinates,
            free: Vec::new(),
            touching: touching.iter().map(ToString::to_string).collect(),
            targets,
            approach: None,
            minimised: Vec::new(),
            clearance: 0.0,
            clearances: Vec::new(),
        }
    }

    /// Frees a coordinate by its index.
    #[must_use]
    pub fn with_free(mut self, coordinate: usize, variable: Variable) -> Self {
        self.free.push((coordinate, variable));
        self
    }
}

pub(super) fn check_stance(
    stance: &Stance,
    dof: usize,
    wrong: &dyn Fn(String) -> DesignError,
) -> Result<(), DesignError> {
    if stance.coordinates.len() != dof {
        return Err(wrong(format!(
            "it has {} coordinates, the robot {dof}",
            stance.coordinates.len()
        )));
    }
    let mut numbers = stance.coordinates.clone();
    let motions = stance.minimised.iter().map(|(motion, _)| motion);
    for motion in stance.approach.iter().chain(motions) {
        match motion {
            Approach::Velocity(v) if v.len() != dof => {
                let reason = format!("its velocity has {} entries, the robot {dof}", v.len());
                return Err(wrong(reason));
            }
            Approach::Velocity(v) => numbers.extend(v),
            Approach::Fall(height) if *height < 0.0 => {
                return Err(wrong(format!("a fall through {height} m goes upwards")));
            }
            Approach::Fall(height) => numbers.push(*height),
        }
    }
    numbers.push(stance.clearance);
    numbers.extend(stance.clearances.iter().map(|c| c.1));
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(wrong("a number is not finite".to_string()));
    }
    let wishes = !(stance.targets.is_empty() && stance.minimised.is_empty());
    if stance.touching.len() < 2 && wishes || stance.touching.is_empty() {
        return Err(wrong(
            "an impact design needs two contacts that touch; list them".to_string(),
        ));
    }
    Ok(())
}

pub(super) fn check_target(target: &CosineTarget, same: bool) -> Result<(), String> {
    let [a, b] = &target.contacts;
    if same {
        return Err(format!("a cosine needs two contacts, not \"{a}\" twice"));
    }
    if target.cosine.is_nan() || target.cosine.abs() >= 1.0 {
        return Err(format!(
            "the cosine of \"{a}\" and \"{b}\" is to be {}, it must lie between -1 and 1",
            target.cosine
        ));
    }
    if !(target.weight > 0.0 && target.weight.is_finite()) {
        return Err(format!(
            "the weight of \"{a}\" and \"{b}\" is {}, it must be positive",
            target.weight
        ));
    }
    Ok(())
}

/// Motions for which ξ is minimised must be motions, with positive weights.
pub(super) fn check_motions(stance: &Stance, model: &Model) -> Result<(), String> {
    let q = configuration(model, &stance.coordinates);
    for (k, (motion, weight)) in stance.minimised.iter().enumerate() {
        if motion.velocity(model, &q).iter().all(|v| *v == 0.0) {
            return Err(format!(
                "motion {k}, whose indeterminacy is to be minimised, is at rest"
            ));
        }
        if !(*weight > 0.0 && weight.is_finite()) {
            return Err(format!(
                "the weight of motion {k} is {weight}, it must be positive"
            ));
        }
    }
    Ok(())
}

/// Checks the free coordinates, narrows them to joint limits, and with several stances names them by stance.
pub(super) fn free_coordinates(
    stance: &mut Stance,
    model: &Model,
    several: bool,
) -> Result<(), DesignError> {
    let names = coordinate_names(model);
    let prefix = if several {
        format!("{}/", stance.name)
    } else {
        String::new()
    };
    for (index, variable) in &mut stance.free {
        if *index >= names.len() {
            return Err(DesignError::Variable {
                variable: variable.name.clone(),
                reason: format!(
                    "there is no coordinate {index}, the robot has {}",
                    names.len()
                ),
            });
        }
        let limited = model
            .leading_bodies()
            .find(|b| b.v_index == *index && b.kind.velocity_width() == 1);
        if let Some((low, high)) = limited.and_then(|b| b.limits.position) {
            variable.lower = variable.lower.max(low);
            variable.upper = variable.upper.min(high);
        }
        variable.name = format!("{prefix}{}", names[*index]);
        variable.start = stance.coordinates[*index];
        variable.check()?;
    }
    Ok(())
}
