//! Contacts of a particle system at one configuration, ready for the sweeps.

use nalgebra::{Matrix3, Vector3};

use super::{Boundary, CellList, Particle};
use crate::impact::dissipation::ContactBlock;

/// What the sweeps change of a body, and its resistance. Boundaries have no inverse mass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    pub(crate) velocity: Vector3<f64>,
    pub(crate) spin: Vector3<f64>,
    pub(crate) inverse_mass: f64,
    pub(crate) inverse_inertia: f64,
}

/// One possible contact of body `a` with body `b`; the normal points from b to a.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GranularContact {
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Identifiers of the two bodies, to find the contact again in the next step.
    pub(crate) key: (u64, u64),
    /// Columns n, t, o.
    pub(crate) frame: Matrix3<f64>,
    /// From the centres of mass to the contact point.
    pub(crate) arm_a: Vector3<f64>,
    pub(crate) arm_b: Vector3<f64>,
    /// Gap ξ (m).
    pub(crate) gap: f64,
    /// Delassus block in the contact frame; its velocity is set in every visit.
    pub(crate) block: ContactBlock,
    /// Impulse in the contact frame (N s).
    pub(crate) impulse: Vector3<f64>,
}

impl GranularContact {
    /// Velocity of a relative to b at the contact point, in the contact frame.
    #[inline]
    pub(crate) fn relative_velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let (a, b) = (&motions[self.a as usize], &motions[self.b as usize]);
        let v = a.velocity + a.spin.cross(&self.arm_a) - b.velocity - b.spin.cross(&self.arm_b);
        self.frame.tr_mul(&v)
    }

    /// Applies an impulse given in the contact frame.
    #[inline]
    pub(crate) fn apply(&self, impulse: &Vector3<f64>, motions: &mut [Motion]) {
        let p = self.frame * impulse;
        let a = &mut motions[self.a as usize];
        a.velocity += a.inverse_mass * p;
        a.spin += a.inverse_inertia * self.arm_a.cross(&p);
        let b = &mut motions[self.b as usize];
        b.velocity -= b.inverse_mass * p;
        b.spin -= b.inverse_inertia * self.arm_b.cross(&p);
    }
}

/// Finds contacts; keeps its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactFinder {
    cells: CellList,
    centers: Vec<Vector3<f64>>,
    radii: Vec<f64>,
    pairs: Vec<(u32, u32)>,
}

impl ContactFinder {
    /// Fills `contacts` with every pair at most `margin` apart, ordered by identifiers. Particles must be in
    /// the order of their identifiers; boundaries follow them as bodies.
    pub(crate) fn find(
        &mut self,
        particles: &[Particle],
        boundaries: &[Boundary],
        friction: f64,
        margin: f64,
        contacts: &mut Vec<GranularContact>,
    ) {
        self.centers.clear();
        self.centers.extend(particles.iter().map(Particle::center));
        self.radii.clear();
        self.radii.extend(particles.iter().map(|p| p.radius));
        self.pairs.clear();
        self.cells
            .close_pairs(&self.centers, &self.radii, margin, &mut self.pairs);
        contacts.clear();
        let mut next = 0;
        for (i, particle) in particles.iter().enumerate() {
            while let Some(&(_, j)) = self.pairs.get(next).filter(|pair| pair.0 == i as u32) {
                next += 1;
                let other = &particles[j as usize];
                let apart = self.centers[i] - self.centers[j as usize];
                let distance = apart.norm();
                // Concentric spheres have no normal; any will part them.
                let normal = if distance > 0.0 {
                    apart / distance
                } else {
                    Vector3::x()
                };
                let gap = distance - particle.radius - other.radius;
                let mut contact = Self::contact(particle, &normal, gap, friction);
                (contact.a, contact.b) = (i as u32, j);
                contact.key = (particle.id, other.id);
                contact.add_other(other, gap);
                contacts.push(contact);
            }
            for (k, boundary) in boundaries.iter().enumerate() {
                let (gap, normal) = boundary.gap(&self.centers[i], particle.radius);
                if gap <= margin {
                    let mut contact = Self::contact(particle, &normal, gap, friction);
                    (contact.a, contact.b) = (i as u32, (particles.len() + k) as u32);
                    // Boundaries come after all particles.
                    contact.key = (particle.id, u64::MAX - (boundaries.len() - k) as u64);
                    contacts.push(contact);
                }
            }
        }
    }

    /// A contact of one particle, with a body that does not give way. The contact point is in the middle of
    /// the gap, so that exchanging the bodies changes nothing.
    fn contact(
        particle: &Particle,
        normal: &Vector3<f64>,
        gap: f64,
        friction: f64,
    ) -> GranularContact {
        let frame = frame(normal);
        let offset = particle.world_offset();
        let reach = particle.radius + 0.5 * gap;
        GranularContact {
            a: 0,
            b: 0,
            key: (0, 0),
            frame,
            arm_a: offset - reach * normal,
            arm_b: Vector3::zeros(),
            gap,
            block: ContactBlock {
                delassus: response(particle, &frame, -reach, &offset),
                velocity: Vector3::zeros(),
                tangents: 2,
                friction,
            },
            impulse: Vector3::zeros(),
        }
    }
}

impl GranularContact {
    fn add_other(&mut self, other: &Particle, gap: f64) {
        let offset = other.world_offset();
        let reach = other.radius + 0.5 * gap;
        self.arm_b = offset + reach * self.frame.column(0);
        self.block.delassus += response(other, &self.frame, reach, &offset);
    }
}

/// E/m − \[r\]ˣ I⁻¹ \[r\]ˣ in the contact frame (\[PER\] (2)) for the arm r = reach n + offset. Without an offset the
/// normal and tangential parts come out exactly uncoupled.
fn response(
    particle: &Particle,
    frame: &Matrix3<f64>,
    reach: f64,
    offset: &Vector3<f64>,
) -> Matrix3<f64> {
    let mut r = frame.tr_mul(offset);
    r[0] += reach;
    let turning = 1.0 / particle.inertia;
    let mut block = Matrix3::zeros();
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        block[(i, i)] = 1.0 / particle.mass + turning * (r[j] * r[j] + r[k] * r[k]);
        block[(i, j)] = -turning * r[i] * r[j];
        block[(j, i)] = block[(i, j)];
    }
    block
}

/// An orthonormal frame n, t, o from the normal: t lies across the axis that n is least aligned with.
fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let axis = Vector3::ith(normal.iamin(), 1.0);
    let t = normal.cross(&axis).normalize();
    Matrix3::from_columns(&[*normal, t, normal.cross(&t)])
}
