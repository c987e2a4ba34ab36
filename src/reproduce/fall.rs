//! \[SM\] Fig. 8: how far the two orders of reflection drive TREX apart, from two stances.

use std::sync::Arc;

use super::{PublishedCurve, PublishedNumber};
use crate::contact::{Combination, Contacts, Material, Site, Terrain};
use crate::control::Passive;
use crate::hybrid::Simulation;
use crate::impact::{Propagative, ReflectionOrder};
use crate::model::{Base, urdf};
use crate::study::momentum_distance;

/// Height, pitch, and joint positions (phi_A, gamma_A, phi_B, gamma_B, phi_T), 17 cm above touching.
const STANCES: [(&str, [f64; 2], [f64; 5]); 2] = [
    (
        "straight",
        [0.306_424_823_294_718_9, 0.362_162_301_197_587_4],
        [
            -1.897_338_044_455_732,
            0.0,
            -5.038_930_698_045_525,
            0.0,
            -0.19,
        ],
    ),
    (
        "optimized",
        [0.306_424_823_294_718_9, 0.362_162_301_197_587_4],
        [4.79, 5.67, 2.85, 5.71, -0.19],
    ),
];

/// Distance of the momenta of the two orders over half a second from the stance.
fn apart(height: f64, pitch: f64, joints: [f64; 5]) -> Option<Vec<[f64; 2]>> {
    let text = include_str!("../../robots/trex/trex_optimized.urdf");
    let model = urdf::parse(text, "trex.urdf")
        .and_then(|b| b.base(Base::Planar).build())
        .ok()?;
    let material = Material::new(0.0, 1.0);
    let site = |name, link, x| Site::point(&model, name, link, [x, 0.0, 0.0], material);
    let sites = [
        site("foot_A", "lower_leg_A", 0.0986),
        site("foot_B", "lower_leg_B", 0.0986),
        site("tail", "tail", 0.186_397_570_850_202),
    ];
    let sites = sites.into_iter().collect::<Result<Vec<_>, _>>().ok()?;
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).ok()?;
    let (model, contacts) = (Arc::new(model), Arc::new(contacts));
    let start = |order| {
        let mut builder = Simulation::builder(model.clone())
            .contacts(contacts.clone())
            .law(Propagative::with_order(order))
            .position("base.z", height)
            .position("base.pitch", pitch);
        for (name, value) in ["phi_A", "gamma_A", "phi_B", "gamma_B", "phi_T"]
            .iter()
            .zip(joints)
        {
            builder = builder.position(name, value);
        }
        builder.build().ok()
    };
    let mut first = start(ReflectionOrder::MostViolated)?;
    let mut second = start(ReflectionOrder::LeastViolated)?;
    let curve = momentum_distance([&mut first, &mut second], [&mut Passive, &mut Passive], 300);
    Some(
        curve
            .samples
            .iter()
            .map(|s| [s.time_s, s.distance])
            .collect(),
    )
}

pub fn figure_8(numbers: &mut Vec<PublishedNumber>, curves: &mut Vec<PublishedCurve>) {
    let mut series = Vec::new();
    for (name, [height, pitch], joints) in STANCES {
        let quantity = format!("{name} stance: distance of the two orders after the first impact");
        let Some(points) = apart(height, pitch, joints) else {
            let reason = "the runs cannot be built";
            numbers.push(PublishedNumber::failed(
                "trex",
                "[SM] Fig. 8",
                quantity,
                reason,
            ));
            continue;
        };
        let parted = points.iter().map(|p| p[1]).find(|d| *d > 0.0);
        numbers.push(PublishedNumber::not_printed(
            "trex",
            "[SM] Fig. 8",
            quantity,
            parted.unwrap_or(0.0),
            "the figure prints no number; an orthogonal design brings it to rounding (carom design)",
        ));
        series.push((format!("{name} stance"), points));
    }
    curves.push(PublishedCurve {
        item: "trex",
        title: "TREX: distance between the runs of two orders of reflection".to_string(),
        axes: ["time (s)", "momentum distance over momentum"],
        series,
    });
}
