use nalgebra::Vector3;

use super::planar::tangents;
use crate::contact::error::{check_finite, check_material, check_range};
use crate::contact::{ContactError, Site, SiteShape};
use crate::model::Model;

/// What a site looks like to the distance functions, in its body's internal frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outline {
    Ball {
        radius: f64,
    },
    Circle {
        axes: [Vector3<f64>; 2],
        radius: f64,
        tube: f64,
        range: Option<[f64; 2]>,
    },
}

impl Outline {
    /// Axes, radius and radius of the tube of a full circle \[m\]; none of what is no disc.
    pub fn disc(&self) -> Option<([Vector3<f64>; 2], f64, f64)> {
        match self {
            Self::Circle {
                axes,
                radius,
                tube,
                range: None,
            } => Some((*axes, *radius, *tube)),
            _ => None,
        }
    }

    /// Whether it is an arc, with two ends.
    pub fn is_arc(&self) -> bool {
        matches!(self, Self::Circle { range: Some(_), .. })
    }

    /// Of the sphere around it \[m\].
    pub fn size(&self) -> f64 {
        match self {
            Self::Ball { radius } => *radius,
            Self::Circle { radius, tube, .. } => radius + tube,
        }
    }

    /// Half of the edges of the box around it in the frame of its body, an arc being a full circle \[m\].
    pub fn half(&self) -> Vector3<f64> {
        match self {
            Self::Ball { radius } => Vector3::repeat(*radius),
            Self::Circle {
                axes, radius, tube, ..
            } => axes[0]
                .zip_map(&axes[1], |a, b| radius * a.hypot(b))
                .add_scalar(*tube),
        }
    }
}

/// Checks a site and brings its shape into normal form.
pub(crate) fn outline(model: &Model, site: &Site) -> Result<Outline, ContactError> {
    let place = format!("contact site \"{}\"", site.name);
    if let Some(body) = site.body.filter(|b| *b >= model.bodies().len()) {
        return Err(ContactError::ForeignBody {
            site: site.name.clone(),
            body,
            bodies: model.bodies().len(),
        });
    }
    check_finite(&format!("{place}: center"), site.center.as_slice())?;
    check_material(&place, &site.material)?;
    let at_least_zero = |what: &str, x: f64| {
        let place = format!("{place}: {what}");
        check_range(&place, &[x], "finite and at least 0", |x| x >= 0.0)
    };
    let positive = |what: &str, x: f64| {
        let place = format!("{place}: {what}");
        check_range(&place, &[x], "finite and positive", |x| x > 0.0)
    };
    let direction = |what: &str, x: &Vector3<f64>| {
        let place = format!("{place}: {what}");
        check_finite(&place, x.as_slice())?;
        let largest = x.amax();
        if largest == 0.0 {
            return Err(ContactError::ZeroDirection { place });
        }
        Ok((x / largest).normalize())
    };
    match &site.shape {
        SiteShape::Point => Ok(Outline::Ball { radius: 0.0 }),
        SiteShape::Sphere { radius } => {
            at_least_zero("radius", *radius)?;
            Ok(Outline::Ball { radius: *radius })
        }
        SiteShape::Arc {
            axes,
            radius,
            start,
            end,
            thickness,
        } => {
            positive("radius", *radius)?;
            at_least_zero("thickness", *thickness)?;
            check_finite(&format!("{place}: start"), &[*start])?;
            let tau = std::f64::consts::TAU;
            // A full turn written with rounded numbers is still a full turn.
            let width = |end: f64| end > *start && end - start <= tau * (1.0 + 1e-9);
            let range = "above start by at most 2 pi";
            check_range(&format!("{place}: end"), &[*end], range, width)?;
            let first = direction("axes[0]", &axes[0])?;
            let second = direction("axes[1]", &axes[1])?;
            let cosine = first.dot(&second);
            if cosine.abs() > 1e-6 {
                return Err(ContactError::ObliqueAxes {
                    site: site.name.clone(),
                    cosine,
                });
            }
            let full = end - start >= tau * (1.0 - 1e-9);
            Ok(Outline::Circle {
                axes: [first, (second - first * cosine).normalize()],
                radius: *radius,
                tube: *thickness,
                range: (!full).then_some([*start, *end]),
            })
        }
        SiteShape::DiscEdge { axis, radius } => {
            positive("radius", *radius)?;
            let axis = direction("axis", axis)?;
            Ok(Outline::Circle {
                axes: tangents(&axis, None),
                radius: *radius,
                tube: 0.0,
                range: None,
            })
        }
    }
}
