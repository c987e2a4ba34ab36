//! Sites, terrain and pairs that are refused by name.

use carom::contact::{Combination, ContactError, Contacts, Material, Site, SiteShape, Terrain};
use carom::model::ModelError;
use carom::model::sample::hexapod;
use nalgebra::Vector3;

use super::support::{RUBBER, arc, free_body, ground};

#[test]
fn bad_input_is_refused_by_name() {
    let model = free_body();
    let unknown = Site::point(&model, "foot", "bodi", [0.0; 3], RUBBER).unwrap_err();
    assert!(matches!(unknown, ModelError::UnknownName { nearest: Some(n), .. } if n == "body"));
    let refuse = |shape: SiteShape, material: Material, terrain: Terrain| {
        let site = Site::new(&model, "foot", "body", [0.0; 3], shape, material).unwrap();
        Contacts::new(&model, vec![site], vec![terrain], &[], Combination::Average).unwrap_err()
    };
    let place = |e: ContactError| match e {
        ContactError::BadNumber { place, .. } | ContactError::ZeroDirection { place } => place,
        other => other.to_string(),
    };
    let point = SiteShape::Point;
    let site = "contact site \"foot\"";
    let disc = |axis: [f64; 3], radius: f64| SiteShape::DiscEdge {
        axis: axis.into(),
        radius,
    };
    let y = [0.0, 1.0, 0.0];
    for (shape, material, what) in [
        (point, Material::new(-0.1, 0.0), "friction"),
        (point, Material::new(f64::NAN, 0.0), "friction"),
        (point, Material::new(0.0, 1.1), "restitution"),
        (point, Material::new(0.0, f64::NAN), "restitution"),
        (SiteShape::Sphere { radius: -1.0 }, RUBBER, "radius"),
        (
            SiteShape::Sphere {
                radius: f64::INFINITY,
            },
            RUBBER,
            "radius",
        ),
        (disc(y, 0.0), RUBBER, "radius"),
        (disc([0.0; 3], 1.0), RUBBER, "axis"),
        (disc([f64::NAN, 0.0, 0.0], 1.0), RUBBER, "axis"),
        (arc(1.0, 1.0, 0.0), RUBBER, "end"),
        (arc(0.0, 7.0, 0.0), RUBBER, "end"),
        (arc(f64::NAN, 1.0, 0.0), RUBBER, "start"),
        (arc(0.0, 1.0, -0.1), RUBBER, "thickness"),
    ] {
        assert_eq!(
            place(refuse(shape, material, ground())),
            format!("{site}: {what}")
        );
    }
    let oblique = SiteShape::Arc {
        axes: [Vector3::x(), Vector3::new(1.0, 1.0, 0.0)],
        radius: 1.0,
        start: 0.0,
        end: 1.0,
        thickness: 0.0,
    };
    let error = refuse(oblique, RUBBER, ground());
    assert!(
        matches!(error, ContactError::ObliqueAxes { cosine, .. } if (cosine - 0.5_f64.sqrt()).abs() < 1e-15)
    );
    let flat = Terrain::plane("hill", [0.0; 3], [0.0; 3], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, flat)),
        "terrain \"hill\": normal"
    );
    let hill = Terrain::plane("hill", [0.0, f64::NAN, 0.0], [0.0, 0.0, 1.0], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, hill)),
        "terrain \"hill\": point"
    );
    let step = Terrain::step("step", [0.0, 2.0, 0.0], [1.0; 3], RUBBER);
    assert_eq!(
        place(refuse(point, RUBBER, step)),
        "terrain \"step\": max.y"
    );
    let ice = Terrain::plane("ice", [0.0; 3], [0.0, 0.0, 1.0], Material::new(0.0, -0.5));
    assert_eq!(
        place(refuse(point, RUBBER, ice)),
        "terrain \"ice\": restitution"
    );
    let nowhere = Site::point(&model, "foot", "body", [0.0, f64::NAN, 0.0], RUBBER).unwrap();
    let error = Contacts::new(&model, vec![nowhere], vec![], &[], Combination::Average);
    assert_eq!(place(error.unwrap_err()), "contact site \"foot\": center");
}

#[test]
fn bad_names_and_pairs_are_refused() {
    let model = hexapod().unwrap();
    let tip =
        |name: &str, link: &str| Site::sphere(&model, name, link, [0.0; 3], 0.01, RUBBER).unwrap();
    let refuse = |sites: Vec<Site>, terrains: Vec<Terrain>, pair: [&str; 2]| {
        let pairs = [pair.map(str::to_string)];
        let rule = Combination::Average;
        Contacts::new(&model, sites, terrains, &pairs, rule).unwrap_err()
    };
    let two = || vec![tip("left", "left0"), tip("right", "right0")];
    let mut twice = two();
    twice[1].name = "left".to_string();
    let duplicate = |e: ContactError, kind: &str| {
        assert!(
            matches!(&e, ContactError::DuplicateName { kind: k, .. } if *k == kind),
            "{e}"
        );
    };
    duplicate(refuse(twice, vec![], ["left", "left"]), "contact site");
    duplicate(
        refuse(two(), vec![ground(), ground()], ["left", "right"]),
        "terrain",
    );
    let mut shadow = two();
    shadow.push(tip("left-right", "left1"));
    duplicate(refuse(shadow, vec![ground()], ["left", "right"]), "contact");
    let error = refuse(two(), vec![], ["left", "rihgt"]);
    assert!(matches!(&error, ContactError::UnknownSite { nearest: Some(n), .. } if n == "right"));
    assert!(error.to_string().contains("did you mean \"right\"?"));
    let impossible = |e: ContactError| {
        assert!(matches!(e, ContactError::ImpossiblePair { .. }), "{e}");
    };
    impossible(refuse(two(), vec![], ["left", "left"]));
    let mut points = two();
    points.iter_mut().for_each(|s| s.shape = SiteShape::Point);
    impossible(refuse(points, vec![], ["left", "right"]));
    let mut disc = two();
    disc[0].shape = arc(0.0, 1.0, 0.0);
    impossible(refuse(disc, vec![], ["left", "right"]));
    let mut foreign = two();
    foreign[0].body = Some(99);
    let error = refuse(foreign, vec![], ["left", "right"]);
    assert!(matches!(
        error,
        ContactError::ForeignBody {
            body: 99,
            bodies: 7,
            ..
        }
    ));
}
