//! Robots for tests, benchmarks and examples, built in code: chains, random trees, a robot with six legs.
//!
//! Lengths are in m and masses in kg. A tree is drawn from a seed and the same everywhere. Source: none.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::model::{Base, sample};
//!
//! let chain = sample::chain(3)?;
//! assert_eq!((chain.dof(), chain.mass()), (3, 3.0));
//! let tree = sample::random_tree(7, 10, Base::Floating)?;
//! assert_eq!((tree.dof(), tree.configuration_len()), (16, 17));
//! # Ok::<(), carom::model::ModelError>(())
//! ```

use nalgebra::{Matrix3, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Base, Joint, Link, Model, ModelBuilder, ModelError};

/// Planar chain of `n` uniform thin rods of 1 m and 1 kg; at q = 0 it hangs out horizontally along x
/// and swings about y in gravity.
///
/// # Errors
/// None for n ≥ 1; [`ModelError::Empty`] cannot occur.
pub fn chain(n: usize) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("chain").link(Link::new("world"));
    let mut parent = "world".to_string();
    for i in 0..n {
        let link = format!("link{}", i + 1);
        let offset = if i == 0 { 0.0 } else { 1.0 };
        builder = builder
            .link(Link::new(&link).rod(1.0, Vector3::zeros(), Vector3::x()))
            .joint(
                Joint::revolute(&format!("joint{}", i + 1), &parent, &link)
                    .origin([offset, 0.0, 0.0], [0.0; 3])
                    .axis([0.0, 1.0, 0.0]),
            );
        parent = link;
    }
    builder.build()
}

/// Random tree of `n` moving links with full inertia tensors, oblique axes and origins, one joint in
/// four prismatic. The same seed gives the same tree.
///
/// # Errors
/// None: every tree it describes is valid.
pub fn random_tree(seed: u64, n: usize, base: Base) -> Result<Model, ModelError> {
    tree_builder(seed, n, base, 0.0).build()
}

/// The same tree with a rotor at every joint, that of joint i with a reflected inertia of 0.1 i.
///
/// # Errors
/// None: every tree it describes is valid.
pub fn geared_tree(seed: u64, n: usize, base: Base) -> Result<Model, ModelError> {
    tree_builder(seed, n, base, 0.1).build()
}

/// The same tree with rotors, dampers and springs at its joints. Of every three the third mimics the first and the second
/// the third, so that a leader may come after its follower; a second without a third moves on its own.
///
/// # Errors
/// None: every tree it describes is valid.
#[cfg(test)]
pub(crate) fn mimicking_tree(seed: u64, n: usize, base: Base) -> Result<Model, ModelError> {
    let mut random = Uniform::new(seed);
    let mut builder = tree_builder(seed, n, base, 0.1);
    for i in 1..=n {
        let name = format!("joint{i}");
        let (ratio, offset) = (random.between(-2.0, 2.0), random.between(-0.5, 0.5));
        let damping = random.between(0.0, 0.5);
        builder = builder
            .joint_spring(&name, 0.3, 2.0, 0.1)
            .adjust_joint(&name, |joint| joint.damping(damping))?;
        let leader = match i % 3 {
            2 if i < n => i + 1,
            0 => i - 2,
            _ => continue,
        };
        builder = builder.adjust_joint(&name, |joint| {
            joint.mimics(&format!("joint{leader}"), ratio, offset)
        })?;
    }
    builder.build()
}

fn tree_builder(seed: u64, n: usize, base: Base, armature: f64) -> ModelBuilder {
    let mut random = Uniform::new(seed);
    let mut builder = ModelBuilder::new("random")
        .base(base)
        .link(random.link("link0"));
    for i in 1..=n {
        let parent = format!("link{}", random.below(i));
        let child = format!("link{i}");
        let name = format!("joint{i}");
        let joint = if random.below(4) == 0 {
            Joint::prismatic(&name, &parent, &child)
        } else {
            Joint::revolute(&name, &parent, &child)
        };
        builder = builder.link(random.link(&child)).joint(
            joint
                .origin(random.vector(0.5), random.vector(1.5))
                .axis(random.vector(1.0))
                .armature(armature * i as f64),
        );
    }
    builder
}

/// Six-legged robot: a floating body of 7 kg with six straight legs of 0.17 m, each turning about
/// the lateral axis at the hip: 12 degrees of freedom.
///
/// # Errors
/// None: the description is valid.
pub fn hexapod() -> Result<Model, ModelError> {
    hexapod_builder().build()
}

/// The same robot far from anything that attracts it.
///
/// # Errors
/// None: the description is valid.
pub fn weightless_hexapod() -> Result<Model, ModelError> {
    hexapod_builder().gravity([0.0; 3]).build()
}

fn hexapod_builder() -> ModelBuilder {
    let mut builder = ModelBuilder::new("hexapod")
        .base(Base::Floating)
        .link(Link::new("body").solid_box(6.4, [0.5, 0.2, 0.13], Vector3::zeros()));
    for (i, x) in [0.2, 0.0, -0.2].into_iter().enumerate() {
        for (side, y) in [("left", 0.13), ("right", -0.13)] {
            let leg = format!("{side}{i}");
            builder = builder
                .link(Link::new(&leg).rod(0.1, Vector3::zeros(), Vector3::new(0.0, 0.0, -0.17)))
                .joint(
                    Joint::revolute(&format!("hip_{leg}"), "body", &leg)
                        .origin([x, y, 0.0], [0.0; 3])
                        .axis([0.0, 1.0, 0.0]),
                );
        }
    }
    builder
}

/// Uniform random numbers from a seed, for samples and property tests.
pub struct Uniform(Xoshiro256PlusPlus);

impl Uniform {
    /// A generator that depends on the seed alone.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An index below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }

    /// Three numbers in [−scale, scale).
    pub fn vector(&mut self, scale: f64) -> [f64; 3] {
        [(); 3].map(|()| self.between(-scale, scale))
    }

    /// A random rigid link: box inertia in turned axes, off-centre.
    fn link(&mut self, name: &str) -> Link {
        let mass = self.between(0.3, 3.0);
        let size = [(); 3].map(|()| self.between(0.05, 0.6));
        let squares = size.map(|s| s * s * mass / 12.0);
        let moments = Vector3::new(
            squares[1] + squares[2],
            squares[0] + squares[2],
            squares[0] + squares[1],
        );
        let turn = crate::spatial::rotation_exp(&Vector3::from(self.vector(1.5)));
        let central = turn * Matrix3::from_diagonal(&moments) * turn.transpose();
        // Exactly symmetric, as a description file would print it.
        let central = (central + central.transpose()) * 0.5;
        Link::new(name).inertial(mass, Vector3::from(self.vector(0.3)), central)
    }
}
