use nalgebra::Vector3;

use super::error::check_material;
use super::gap::{Circle, Touch, ball_ball, ball_surface, circle_surface};
use super::outline::{Outline, outline};
use super::planar::{planar_normal, tangents};
use super::{Combination, ContactError, Material, Site, SiteShape, Surface, Terrain};
use crate::dynamics::{Kinematics, Support};
use crate::model::Model;
use crate::spatial::{Scalar, lift, lift3};

/// Where and in which directions one contact acts, at one configuration. World coordinates.
#[derive(Debug, Clone, Copy)]
pub struct ContactFrame<T: Scalar> {
    /// Signed distance φ \[m\]: positive when apart.
    pub gap: T,
    /// Unit normal from side 1 to side 0.
    pub normal: Vector3<T>,
    /// Unit tangents; a planar model uses the first alone.
    pub tangents: [Vector3<T>; 2],
    /// Bodies of side 0 (the site) and side 1; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Closest points of both sides \[m\].
    pub points: [Vector3<T>; 2],
}

impl<T: Scalar> ContactFrame<T> {
    /// Overwrites `out` (n) with directionᵀ(J₀ − J₁), J the Jacobians of the material points now at
    /// the closest points. With the normal it is Dφ; with a tangent, v ↦ sliding velocity.
    pub fn row(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        direction: &Vector3<T>,
        out: &mut [T],
    ) {
        out.fill(T::zero());
        let [first, second] = self.points;
        kinematics.add_point_force(model, self.bodies[0], &first, direction, out);
        kinematics.add_point_force(model, self.bodies[1], &second, &-direction, out);
    }

    /// Overwrites `out` with the rows of the normal and of the first `tangents` tangents, column after
    /// column, with the columns of `support`, that of [`ContactFrame::bodies`].
    pub fn support_rows(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        support: &Support,
        tangents: usize,
        out: &mut [T],
    ) {
        let [along, across] = self.tangents;
        match tangents {
            0 => self.fill_rows(model, kinematics, support, &[self.normal], out),
            1 => self.fill_rows(model, kinematics, support, &[self.normal, along], out),
            _ => {
                let directions = [self.normal, along, across];
                self.fill_rows(model, kinematics, support, &directions, out);
            }
        }
    }

    fn fill_rows<const R: usize>(
        &self,
        model: &Model,
        kinematics: &Kinematics<T>,
        support: &Support,
        directions: &[Vector3<T>; R],
        out: &mut [T],
    ) {
        out.fill(T::zero());
        let [first, second] = self.points;
        kinematics.add_point_rows(model, support, 0, &first, directions, out);
        if self.bodies[1].is_some() {
            let back = directions.map(|d| -d);
            kinematics.add_point_rows(model, support, 1, &second, &back, out);
        }
    }
}

/// The other side of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Terrain(usize),
    Site(usize),
}

#[derive(Debug, Clone, PartialEq)]
struct Potential {
    name: String,
    site: usize,
    other: Side,
    material: Material,
}

/// Every contact that a model can make: each site with each terrain (sites in order, terrains in
/// order within), then the declared pairs of sites. Sites that are fixed in the world take part in
/// pairs only.
///
/// A contact with terrain has the site's name when there is one terrain, `<site>@<terrain>` when
/// there are several; a pair is `<a>-<b>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    sites: Vec<Site>,
    outlines: Vec<Outline>,
    terrains: Vec<Terrain>,
    surfaces: Vec<Surface>,
    contacts: Vec<Potential>,
    planar: Option<Vector3<f64>>,
}

impl Contacts {
    /// Checks everything and lists the contacts.
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, pairs of unknown sites or of sites that cannot
    /// touch, numbers that are not finite or out of range, directions without length.
    pub fn new(
        model: &Model,
        sites: Vec<Site>,
        terrains: Vec<Terrain>,
        pairs: &[[String; 2]],
        combination: Combination,
    ) -> Result<Self, ContactError> {
        check_names("contact site", sites.iter().map(|s| s.name.as_str()))?;
        check_names("terrain", terrains.iter().map(|t| t.name.as_str()))?;
        let outlines = sites
            .iter()
            .map(|s| outline(model, s))
            .collect::<Result<_, _>>()?;
        let mut surfaces = Vec::with_capacity(terrains.len());
        for terrain in &terrains {
            check_material(&format!("terrain \"{}\"", terrain.name), &terrain.material)?;
            surfaces.push(terrain.normalized()?);
        }
        let mut contacts = Vec::new();
        for (i, site) in sites.iter().enumerate().filter(|s| s.1.body.is_some()) {
            for (k, terrain) in terrains.iter().enumerate() {
                let name = if terrains.len() == 1 {
                    site.name.clone()
                } else {
                    format!("{}@{}", site.name, terrain.name)
                };
                contacts.push(Potential {
                    name,
                    site: i,
                    other: Side::Terrain(k),
                    material: combination.material(&site.material, &terrain.material),
                });
            }
        }
        for pair in pairs {
            contacts.push(pair_contact(&sites, pair, combination)?);
        }
        check_names("contact", contacts.iter().map(|c| c.name.as_str()))?;
        Ok(Self {
            sites,
            outlines,
            terrains,
            surfaces,
            contacts,
            planar: planar_normal(model),
        })
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether nothing can touch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Name of contact i.
    #[must_use]
    pub fn name(&self, i: usize) -> &str {
        &self.contacts[i].name
    }

    /// Names of some contacts, in their order.
    #[must_use]
    pub fn names_of(&self, which: &[usize]) -> Vec<String> {
        which.iter().map(|&i| self.name(i).to_string()).collect()
    }

    /// Bodies of both sides of contact i; `None` is the world.
    #[must_use]
    pub fn bodies(&self, i: usize) -> [Option<usize>; 2] {
        let contact = &self.contacts[i];
        let other = match contact.other {
            Side::Terrain(_) => None,
            Side::Site(k) => self.sites[k].body,
        };
        [self.sites[contact.site].body, other]
    }

    /// Friction coefficient of contact i.
    #[must_use]
    pub fn friction(&self, i: usize) -> f64 {
        self.contacts[i].material.friction
    }

    /// Restitution of contact i.
    #[must_use]
    pub fn restitution(&self, i: usize) -> f64 {
        self.contacts[i].material.restitution
    }

    /// Sites of contact i, as indices: one for a contact with terrain, two for a pair.
    #[must_use]
    pub fn sites_of(&self, i: usize) -> Vec<usize> {
        let contact = &self.contacts[i];
        match contact.other {
            Side::Terrain(_) => vec![contact.site],
            Side::Site(other) => vec![contact.site, other],
        }
    }

    /// Number of tangents of contact i: 1 in a planar model, otherwise 2.
    #[must_use]
    pub fn tangent_count(&self, _i: usize) -> usize {
        if self.planar.is_some() { 1 } else { 2 }
    }

    /// Normal of the plane of motion of a planar model.
    #[must_use]
    pub fn planar_normal(&self) -> Option<&Vector3<f64>> {
        self.planar.as_ref()
    }

    /// The sites, in the order given.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The terrains, in the order given.
    #[must_use]
    pub fn terrains(&self) -> &[Terrain] {
        &self.terrains
    }

    /// Gap of contact i \[m\]. Needs placements.
    #[must_use]
    pub fn gap<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> T {
        self.touch(kinematics, i).gap
    }

    /// Gap, directions and points of contact i. Needs placements.
    #[must_use]
    pub fn frame<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> ContactFrame<T> {
        let Touch {
            gap,
            normal,
            points,
        } = self.touch(kinematics, i);
        ContactFrame {
            gap,
            normal,
            tangents: tangents(&normal, self.planar.as_ref()),
            bodies: self.bodies(i),
            points,
        }
    }

    fn touch<T: Scalar>(&self, kinematics: &Kinematics<T>, i: usize) -> Touch<T> {
        let contact = &self.contacts[i];
        let center = |k: usize| {
            let site = &self.sites[k];
            kinematics.world_point(site.body, &lift3(&site.center))
        };
        match (contact.other, &self.outlines[contact.site]) {
            (Side::Site(k), _) => ball_ball(
                [center(contact.site), center(k)],
                [contact.site, k].map(|k| lift(ball_radius(&self.sites[k]).unwrap_or(0.0))),
            ),
            (Side::Terrain(k), Outline::Ball { radius }) => {
                ball_surface(&center(contact.site), lift(*radius), &self.surfaces[k])
            }
            (
                Side::Terrain(k),
                Outline::Circle {
                    axes,
                    radius,
                    tube,
                    range,
                },
            ) => {
                let turned = |a: &Vector3<f64>| match self.sites[contact.site].body {
                    None => lift3(a),
                    Some(b) => kinematics.world[b].rotation * lift3::<T>(a),
                };
                let circle = Circle {
                    center: center(contact.site),
                    axes: [turned(&axes[0]), turned(&axes[1])],
                    radius: lift(*radius),
                    tube: lift(*tube),
                    range: *range,
                };
                circle_surface(&circle, &self.surfaces[k])
            }
        }
    }
}

/// Radius of a ball-shaped site.
fn ball_radius(site: &Site) -> Option<f64> {
    match site.shape {
        SiteShape::Point => Some(0.0),
        SiteShape::Sphere { radius } => Some(radius),
        SiteShape::Arc { .. } | SiteShape::DiscEdge { .. } => None,
    }
}

fn pair_contact(
    sites: &[Site],
    pair: &[String; 2],
    combination: Combination,
) -> Result<Potential, ContactError> {
    let name = format!("{}-{}", pair[0], pair[1]);
    let find = |site: &String| {
        sites.iter().position(|s| s.name == *site).ok_or_else(|| {
            let nearest = sites
                .iter()
                .map(|s| (strsim::damerau_levenshtein(site, &s.name), &s.name))
                .min()
                .filter(|(distance, _)| *distance <= 1 + site.len() / 2)
                .map(|(_, n)| n.clone());
            ContactError::UnknownSite {
                pair: name.clone(),
                site: site.clone(),
                nearest,
            }
        })
    };
    let (a, b) = (find(&pair[0])?, find(&pair[1])?);
    let (first, second) = (&sites[a], &sites[b]);
    let impossible = |reason| ContactError::ImpossiblePair {
        pair: name.clone(),
        reason,
    };
    let (Some(ra), Some(rb)) = (ball_radius(first), ball_radius(second)) else {
        return Err(impossible(
            "only spheres and points can touch other sites; put spheres along the arc or edge",
        ));
    };
    if first.body == second.body {
        return Err(impossible(
            "both sites are on one body and cannot move relative to each other; remove the pair",
        ));
    }
    if ra + rb == 0.0 {
        return Err(impossible(
            "two points have no inside to push out of; make one of them a sphere",
        ));
    }
    Ok(Potential {
        material: combination.material(&first.material, &second.material),
        name,
        site: a,
        other: Side::Site(b),
    })
}

fn check_names<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), ContactError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ContactError::DuplicateName {
                kind,
                name: name.to_string(),
            });
        }
    }
    Ok(())
}
