//! Gaps, forces and places of contacts over time.

use crate::dynamics::Kinematics;
use crate::record::RunSeries;
use crate::scenario::Experiment;

use super::data::{rows_for_pictures, thinned};
use super::panel::{Curve, Figure, Look, Panel};

/// Gaps below this are rounding in a picture \[m\].
const LEAST_GAP_SPAN: f64 = 1e-6;
/// Forces below this are rounding in a picture, in weights.
const LEAST_FORCE_SHARE: f64 = 1e-9;
/// Curves that a panel tells apart.
const MOST_CURVES: usize = 7;
/// More panels of gaps are not looked at.
const MOST_GAPS: usize = 24;
/// More panels are not looked at; those with the largest forces stay.
const MOST_PANELS: usize = 48;

/// One panel of all gaps, or one each where they are many.
pub(crate) fn gaps(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let contacts = &experiment.contacts;
    let curves: Vec<Curve> = (0..contacts.len())
        .filter_map(|i| {
            let values = series.column(&format!("gap_{}_m", contacts.name(i)))?;
            Some(Curve {
                name: contacts.name(i).to_string(),
                points: thinned(series.times(), values, 0.0),
                look: Look::Line(i),
            })
        })
        .collect();
    let near = |curve: &Curve| curve.points.iter().fold(f64::INFINITY, |m, p| m.min(p.1));
    let panel = |title: String, curves: Vec<Curve>| Panel {
        title,
        axis: "gap (m)".to_string(),
        least_span: LEAST_GAP_SPAN,
        zero: true,
        curves,
        ..Panel::default()
    };
    match curves.len() {
        0 => None,
        1..=MOST_CURVES => Some(Figure::stacked(vec![panel(
            "Gaps of the contacts".to_string(),
            curves,
        )])),
        count => Some(Figure {
            heading: match count > MOST_GAPS {
                true => format!("Gaps of the {MOST_GAPS} contacts of {count} that came nearest"),
                false => "Gaps of the contacts".to_string(),
            },
            columns: 3,
            panels: nearest(curves, near)
                .into_iter()
                .map(|curve| panel(curve.name.clone(), vec![recolored(curve, 0)]))
                .collect(),
            common_legend: false,
            legend_of: 0,
        }),
    }
}

/// The curves that come nearest to zero, in their order.
fn nearest(curves: Vec<Curve>, near: impl Fn(&Curve) -> f64) -> Vec<Curve> {
    let mut order: Vec<(f64, usize)> = curves.iter().map(near).zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.truncate(MOST_GAPS);
    let mut kept = curves.into_iter().enumerate().collect::<Vec<_>>();
    kept.retain(|(i, _)| order.iter().any(|(_, k)| k == i));
    kept.into_iter().map(|(_, curve)| curve).collect()
}

fn recolored(curve: Curve, i: usize) -> Curve {
    Curve {
        look: Look::Line(i),
        ..curve
    }
}

/// The sum of normal forces beside the weight, and of each contact that carried something its normal and tangential
/// force over the cone μN.
pub(crate) fn forces(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let (model, contacts, times) = (&experiment.model, &experiment.contacts, series.times());
    let weight = model.mass() * model.gravity().norm();
    let column =
        |i: usize, what: &str| series.column(&format!("force_{}_{what}_N", contacts.name(i)));
    let mut carrying: Vec<(usize, f64)> = (0..contacts.len())
        .filter_map(|i| {
            let normal = column(i, "n")?;
            let peak = normal.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            (peak > LEAST_FORCE_SHARE * weight.max(f64::MIN_POSITIVE)).then_some((i, peak))
        })
        .collect();
    if carrying.is_empty() {
        return None;
    }
    let mut sum = vec![0.0; times.len()];
    for (i, _) in &carrying {
        let normal = column(*i, "n").unwrap_or_default();
        sum.iter_mut().zip(normal).for_each(|(sum, x)| *sum += x);
    }
    let left_out = carrying.len().saturating_sub(MOST_PANELS);
    carrying.sort_by(|a, b| b.1.total_cmp(&a.1));
    carrying.truncate(MOST_PANELS);
    carrying.sort_by_key(|entry| entry.0);
    let curve = |name: &str, values: &[f64], look: Look| Curve {
        name: name.to_string(),
        points: thinned(times, values, 0.0),
        look,
    };
    let mut panels = vec![Panel {
        title: "All contacts".to_string(),
        note: format!("dashed: weight {weight:.1} N"),
        axis: "force (N)".to_string(),
        zero: true,
        curves: vec![curve("normal", &sum, Look::Line(0))],
        bounds: vec![weight],
        ..Panel::default()
    }];
    for (i, _) in &carrying {
        let normal = column(*i, "n").unwrap_or_default();
        let friction = contacts.friction(*i);
        let mut curves = vec![curve("normal N", normal, Look::Line(0))];
        if friction > 0.0 {
            let first = column(*i, "t1").or(column(*i, "t")).unwrap_or_default();
            let second = column(*i, "t2");
            let tangential: Vec<f64> = (first.iter().enumerate())
                .map(|(k, x)| x.hypot(second.map_or(0.0, |t| t[k])))
                .collect();
            let cone: Vec<f64> = normal.iter().map(|x| friction * x).collect();
            curves.insert(0, curve("cone μN", &cone, Look::Area(1)));
            curves.push(curve("tangential |T|", &tangential, Look::Line(1)));
        }
        panels.push(Panel {
            title: contacts.name(*i).to_string(),
            note: format!("μ = {friction}"),
            axis: "force (N)".to_string(),
            zero: true,
            curves,
            ..Panel::default()
        });
    }
    // The legend is that of a contact with friction, if there is one.
    let largest = panels.iter().map(|panel| panel.curves.len()).max();
    let full = panels
        .iter()
        .position(|panel| Some(panel.curves.len()) == largest);
    let heading = match left_out {
        0 => "Contact forces".to_string(),
        n => format!("Contact forces; {n} contacts with smaller ones are left out"),
    };
    Some(Figure {
        heading,
        columns: if panels.len() > 9 { 3 } else { 2 },
        legend_of: full.unwrap_or(0),
        panels,
        common_legend: true,
    })
}

/// Places over time of one site of every body that has some and touched something: heights, and ways along the ground.
pub(crate) fn feet(experiment: &Experiment, series: &RunSeries) -> Option<Figure> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let mut shown: Vec<usize> = Vec::new();
    for i in 0..contacts.len() {
        let touched = series
            .column(&format!("force_{}_n_N", contacts.name(i)))
            .is_some_and(|force| force.iter().any(|x| *x != 0.0));
        let Some(&site) = contacts.sites_of(i).first() else {
            continue;
        };
        let body = contacts.sites()[site].body;
        let known = (shown.iter()).any(|s| contacts.sites()[*s].body == body);
        if touched && body.is_some() && !known {
            shown.push(site);
        }
    }
    shown.truncate(MOST_PANELS / 2);
    if shown.is_empty() {
        return None;
    }
    let columns: Vec<&[f64]> = (model.configuration_names().iter())
        .filter_map(|name| series.column(&format!("q_{name}")))
        .collect();
    if columns.len() != model.configuration_len() {
        return None;
    }
    let mut kinematics = Kinematics::<f64>::new(model);
    let mut places = vec![[Vec::new(), Vec::new(), Vec::new()]; shown.len()];
    let mut q = vec![0.0; columns.len()];
    for row in rows_for_pictures(series.times().len()) {
        q.iter_mut().zip(&columns).for_each(|(q, c)| *q = c[row]);
        kinematics.clock.time = series.times()[row];
        kinematics.update_placements(model, &q);
        for (site, place) in shown.iter().zip(&mut places) {
            let site = &contacts.sites()[*site];
            let at = kinematics.world_point(site.body, &site.center);
            for k in 0..3 {
                place[k].push((series.times()[row], at[k]));
            }
        }
    }
    let panels = shown.iter().zip(places).flat_map(|(site, [x, y, z])| {
        let name = &contacts.sites()[*site].name;
        let curve = |name: &str, points, i| Curve {
            name: name.to_string(),
            points,
            look: Look::Line(i),
        };
        [
            Panel {
                title: name.clone(),
                axis: "height z (m)".to_string(),
                least_span: LEAST_GAP_SPAN,
                curves: vec![curve("z", z, 0)],
                ..Panel::default()
            },
            Panel {
                title: name.clone(),
                axis: "x, y (m)".to_string(),
                least_span: LEAST_GAP_SPAN,
                curves: vec![curve("x", x, 1), curve("y", y, 2)],
                ..Panel::default()
            },
        ]
    });
    Some(Figure {
        heading: "Places of the sites that touched, one of each body".to_string(),
        columns: 2,
        panels: panels.collect(),
        common_legend: true,
        legend_of: 1,
    })
}
