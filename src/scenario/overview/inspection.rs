//! What a robot is, and its mass matrix, gravity and energies in one state.

use nalgebra::Matrix6;
use serde::Serialize;
use thiserror::Error;

use super::body_pairs::link_pairs;
use super::ground_contacts::ground_contacts;
use crate::contact::CollisionKind;
use crate::dynamics::{
    ArticulatedFactor, Kinematics, LagrangianTerms, center_of_mass, gravity_energy, kinetic_energy,
    mass_diagonal, mass_matrix,
};
use crate::model::{Base, Body, Geometry, JointKind, Model};
use crate::scenario::robot_state::{joints, placed_joints};
use crate::scenario::{BodyPair, GroundContacts, SceneSummary};

/// Share of its own inertia that a joint's motion must cost, with what it carries following freely: below, an inverse of
/// the mass matrix has no correct digit left.
const SINGULAR: f64 = 1e-14;

/// The answer of `carom inspect`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// Name of the robot.
    pub name: String,
    /// How its root link is held.
    pub base: Base,
    /// Mass of everything that moves \[kg\].
    pub mass: f64,
    /// Number of degrees of freedom n.
    pub dof: usize,
    /// Names of the n entries of velocities, in order.
    pub coordinates: Vec<String>,
    /// The joints with a coordinate, in the order of the coordinates.
    pub joints: Vec<JointSummary>,
    /// Joints that mimic others and are moved by their coordinates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mimics: Vec<MimicSummary>,
    /// Spheres that can touch the terrain; other sites are declared in a scenario.
    pub contact_sites: Vec<SphereSite>,
    /// Collision shapes, all of which become contact sites where a scenario declares none.
    pub collision_shapes: Vec<CollisionShape>,
    /// How many contacts these have with level ground in a run whose scenario declares no sites. Of a scenario
    /// [`Inspection::scene`] has the contacts that it makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ground_contacts: Vec<GroundContacts>,
    /// Bodies that touch each other where a scenario says `contact.self = true`, and those that do not, where every
    /// coordinate is zero or in the state that was given.
    pub body_pairs: Vec<BodyPair>,
    /// Terrain, objects and what can touch what, of a scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<SceneSummary>,
    /// What a user should know that is not an error.
    pub warnings: Vec<String>,
    /// Quantities in a state, if one was given.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateQuantities>,
}

/// One joint that mimics another: its position is `ratio` times that of the other, plus `offset`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MimicSummary {
    /// Name of the joint.
    pub name: String,
    /// The link it moves.
    pub link: String,
    /// Name of the joint whose coordinate moves it.
    pub leader: String,
    /// Of lengths and angles also \[m/rad\] or \[rad/m\].
    pub ratio: f64,
    /// \[rad or m\].
    pub offset: f64,
}

/// One joint that moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointSummary {
    /// Name of the joint.
    pub name: String,
    /// Name of the joint of several freedoms that it is one of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// `revolute` or `prismatic`.
    pub kind: &'static str,
    /// The link it moves.
    pub link: String,
    /// Lowest and highest position \[rad or m\], if bounded; an end that is not is null.
    pub position: Option<[f64; 2]>,
    /// Largest effort \[N m or N\], if stated.
    pub effort: Option<f64>,
    /// Largest speed \[rad/s or m/s\], if stated.
    pub speed: Option<f64>,
    /// Viscous damping \[N m s/rad or N s/m\].
    pub damping: f64,
    /// Dry friction \[N m or N\].
    pub friction: f64,
}

/// A collision sphere of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SphereSite {
    /// Name of the link.
    pub link: String,
    /// Centre in the frame of the link \[m\].
    pub center: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
}

/// A collision shape of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CollisionShape {
    /// Name of the link.
    pub link: String,
    /// What it is.
    pub kind: CollisionKind,
    /// Largest extent along the axes of the shape \[m\]; absent for a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<f64>,
    /// Whether the link can move: what is fixed in the world touches nothing.
    pub moves: bool,
}

/// Quantities in one state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StateQuantities {
    /// M(q), rows \[kg, kg m, kg m²\].
    pub mass_matrix: Vec<Vec<f64>>,
    /// ∂V/∂q: what the actuators must hold at rest \[N, N m\].
    pub gravity: Vec<f64>,
    /// ½ vᵀ M v \[J\].
    pub kinetic_energy: f64,
    /// −Σ m g · c \[J\]: zero at the world's origin.
    pub potential_energy: f64,
    /// Centre of mass of everything that moves, in the world \[m\]; null for a robot without mass.
    pub center_of_mass: Option<[f64; 3]>,
}

/// The state is so extreme that its energies are not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the {quantity} is not finite in this state; its positions or velocities are too large")]
pub struct NotFinite {
    /// The first quantity that overflows.
    pub quantity: &'static str,
}

impl Inspection {
    /// Describes a robot, without a state.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self::described(model).on_ground(model)
    }

    /// The same with its contacts with level ground.
    fn on_ground(mut self, model: &Model) -> Self {
        let (contacts, unread) = ground_contacts(model);
        self.ground_contacts = contacts;
        self.warnings.extend(unread);
        self
    }

    fn described(model: &Model) -> Self {
        let mut inspection = Self {
            name: model.name().to_string(),
            base: model.base(),
            mass: model.mass(),
            dof: model.dof(),
            coordinates: model.coordinate_names().to_vec(),
            joints: placed_joints(model)
                .map(|(i, body)| JointSummary::new(model, i, body))
                .collect(),
            mimics: mimics(model),
            contact_sites: contact_sites(model),
            collision_shapes: collision_shapes(model),
            ground_contacts: Vec::new(),
            body_pairs: link_pairs(model, &model.neutral_configuration()),
            scene: None,
            warnings: model.warnings().to_vec(),
            state: None,
        };
        let mut kinematics = Kinematics::new(model);
        kinematics.update_placements(model, &model.neutral_configuration());
        inspection.warnings.extend(
            singular_mass(model, &kinematics)
                .map(|what| format!("with every coordinate at zero, {what}")),
        );
        inspection
    }

    /// Describes a robot and its quantities at configuration `q` and velocity `v`. Joints beyond
    /// their limits are warned of.
    ///
    /// # Errors
    /// [`NotFinite`].
    pub fn in_state(model: &Model, q: &[f64], v: &[f64]) -> Result<Self, NotFinite> {
        Ok(Self::with_quantities(model, q, v)?.on_ground(model))
    }

    /// The same without contacts.
    pub(super) fn with_quantities(model: &Model, q: &[f64], v: &[f64]) -> Result<Self, NotFinite> {
        let mut kinematics = Kinematics::new(model);
        kinematics.update_placements(model, q);
        kinematics.update_twists(model, &vec![0.0; v.len()]);
        let mut terms = LagrangianTerms::new(model);
        // At rest the force ∂L/∂q is −∂V/∂q.
        terms.update(model, &kinematics);
        let gravity = terms.force.iter().map(|f| 0.0 - f).collect();
        kinematics.update_twists(model, v);
        let m = mass_matrix(model, &kinematics);
        let com = (model.mass() > 0.0).then(|| center_of_mass(model, &kinematics).into());
        let state = StateQuantities {
            mass_matrix: m
                .row_iter()
                .map(|row| row.iter().copied().collect())
                .collect(),
            gravity,
            kinetic_energy: kinetic_energy(model, &kinematics),
            potential_energy: gravity_energy(model, &kinematics),
            center_of_mass: com,
        };
        state.check_finite()?;
        let mut inspection = Self::described(model);
        inspection.body_pairs = link_pairs(model, q);
        inspection.warnings = model.warnings().to_vec();
        inspection
            .warnings
            .extend(singular_mass(model, &kinematics));
        inspection.warnings.extend(violated_limits(model, q));
        inspection.state = Some(state);
        Ok(inspection)
    }
}

impl StateQuantities {
    fn check_finite(&self) -> Result<(), NotFinite> {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let quantities = [
            (
                "mass matrix",
                self.mass_matrix.iter().all(|row| finite(row)),
            ),
            ("gravity", finite(&self.gravity)),
            ("kinetic energy", self.kinetic_energy.is_finite()),
            ("potential energy", self.potential_energy.is_finite()),
            (
                "centre of mass",
                self.center_of_mass.is_none_or(|c| finite(&c)),
            ),
        ];
        if let Some((quantity, _)) = quantities.into_iter().find(|(_, ok)| !ok) {
            return Err(NotFinite { quantity });
        }
        Ok(())
    }
}

impl JointSummary {
    fn new(model: &Model, at: usize, body: &Body) -> Self {
        let part_of = model.composite_of(at);
        Self {
            name: body.joint.clone(),
            part_of: part_of.map(|composite| composite.name.clone()),
            kind: body.kind.word(),
            link: model.moved_link(at).to_string(),
            position: body.limits.position.map(|(low, high)| [low, high]),
            effort: body.limits.effort,
            speed: body.limits.velocity,
            damping: body.damping,
            friction: body.friction,
        }
    }
}

fn mimics(model: &Model) -> Vec<MimicSummary> {
    let followers = model.following_bodies();
    followers
        .map(|(body, follower)| MimicSummary {
            name: body.joint.clone(),
            link: body.name.clone(),
            leader: model.bodies()[follower.leader].joint.clone(),
            ratio: follower.ratio,
            offset: follower.offset,
        })
        .collect()
}

fn contact_sites(model: &Model) -> Vec<SphereSite> {
    model
        .shapes()
        .iter()
        .filter_map(|shape| match shape.geometry {
            Geometry::Sphere(radius) if shape.collision => Some(SphereSite {
                link: model.links()[shape.link].name.clone(),
                center: shape.pose.translation.into(),
                radius,
            }),
            _ => None,
        })
        .collect()
}

fn collision_shapes(model: &Model) -> Vec<CollisionShape> {
    let shape = |link: usize, kind: CollisionKind, extent: Option<f64>| CollisionShape {
        link: model.links()[link].name.clone(),
        kind,
        extent,
        moves: model.links()[link].body.is_some(),
    };
    let primitives = model.shapes().iter().filter(|s| s.collision).map(|s| {
        let kind = CollisionKind::of(&s.geometry);
        shape(s.link, kind, Some(s.geometry.extent()))
    });
    let meshes = model.meshes().iter().filter(|m| m.collision);
    let meshes = meshes.map(|m| shape(m.link, CollisionKind::Mesh, None));
    primitives.chain(meshes).collect()
}

/// What is wrong when some motion costs no kinetic energy: such a robot cannot be simulated. The pivots of M = L D Lᵀ are
/// the kinetic energies of a joint's motion when all joints beyond it follow as easily as they can, Dᵢ ≤ Mᵢᵢ; the least of
/// Dᵢ/Mᵢᵢ bounds the smallest eigenvalue of the scaled matrix from above. O(n).
fn singular_mass(model: &Model, kinematics: &Kinematics<f64>) -> Option<String> {
    let mut factor = ArticulatedFactor::new(model);
    if let Err(error) = factor.factor(model, kinematics) {
        let joint = &model.bodies()[error.body].joint;
        return Some(format!(
            "the mass matrix is not positive definite: joint \"{joint}\" moves without inertia"
        ));
    }
    let diagonal = mass_diagonal(model, kinematics);
    if diagonal.iter().any(|x| !x.is_finite()) {
        return Some("the mass matrix is not finite".to_string());
    }
    let share = |i: usize, body: &Body| {
        let at = body.v_index;
        match body.kind {
            JointKind::Floating => {
                let m = factor.floating_inertia(i);
                let scale = |k: usize| diagonal[at + k].sqrt();
                let scaled = Matrix6::from_fn(|j, k| m[(j, k)] / (scale(j) * scale(k)));
                scaled.symmetric_eigenvalues().min()
            }
            _ => 1.0 / (factor.inverse_inertia(i) * diagonal[at]),
        }
    };
    let mut bodies = model.bodies().iter().enumerate();
    let (_, body) = bodies.find(|(i, body)| {
        let share = share(*i, body);
        share.is_nan() || share < SINGULAR
    })?;
    Some(format!(
        "the mass matrix is singular to round-off: some motion of joint \"{}\" and of what it carries costs no kinetic energy",
        body.joint
    ))
}

fn violated_limits(model: &Model, q: &[f64]) -> Vec<String> {
    joints(model)
        .filter_map(|body| {
            let (low, high) = body.limits.position?;
            let at = q[body.q_index];
            (at < low || at > high).then(|| {
                format!(
                    "joint \"{}\" is at {at}, outside its limits {low} to {high}",
                    body.joint
                )
            })
        })
        .collect()
}
