//! Contact sites as they are drawn.

use nalgebra::Vector3;
use serde::Serialize;

use crate::contact::{Contacts, SiteShape};

/// A contact site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SiteOutline {
    /// Its name.
    pub name: String,
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// `point`, `sphere` or `arc`.
    pub kind: &'static str,
    /// Centre in the body's frame \[m\].
    pub center: [f64; 3],
    /// Of the sphere or arc \[m\].
    pub radius: f64,
    /// Unit axes of an arc's plane; its points are centre + radius (cos θ axes₀ + sin θ axes₁).
    pub axes: [[f64; 3]; 2],
    /// First and last angle θ \[rad\].
    pub range: [f64; 2],
    /// Radius of the tube around an arc \[m\].
    pub thickness: f64,
}

pub(super) fn sites(contacts: &Contacts) -> Vec<SiteOutline> {
    let turn = std::f64::consts::TAU;
    let unit = |a: &Vector3<f64>| a.try_normalize(0.0).unwrap_or_default();
    contacts
        .sites()
        .iter()
        .map(|site| {
            let zero = [[0.0; 3]; 2];
            let (kind, radius, axes, range, thickness) = match &site.shape {
                SiteShape::Sphere { radius } => ("sphere", *radius, zero, [0.0; 2], 0.0),
                SiteShape::Arc {
                    axes,
                    radius,
                    start,
                    end,
                    thickness,
                } => {
                    let axes = [unit(&axes[0]).into(), unit(&axes[1]).into()];
                    ("arc", *radius, axes, [*start, *end], *thickness)
                }
                SiteShape::DiscEdge { axis, radius } => {
                    let axis = unit(axis);
                    // Any direction that is not along the axis starts the circle.
                    let side = Vector3::ith(axis.iamin(), 1.0);
                    let first = unit(&axis.cross(&side));
                    let axes = [first.into(), axis.cross(&first).into()];
                    ("arc", *radius, axes, [0.0, turn], 0.0)
                }
                _ => ("point", 0.0, zero, [0.0; 2], 0.0),
            };
            SiteOutline {
                name: site.name.clone(),
                body: site.body,
                kind,
                center: site.center.into(),
                radius,
                axes,
                range,
                thickness,
            }
        })
        .collect()
}
