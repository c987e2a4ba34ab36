//! Height fields and smooth surfaces of one's own.

use carom::contact::{
    Combination, ContactError, Contacts, HeightField, OwnSurface, Proximity, Site, SiteShape,
    SmoothSurface, Terrain,
};
use carom::model::Base;
use carom::model::sample::{Uniform, random_tree};
use nalgebra::{Matrix3, Vector3};

use super::support::{
    RUBBER, arc, assert_consistent, assert_normal_row_is_gap_derivative, at, free_body, one, posed,
    random_shape, random_state, single,
};

/// Hills and valleys of curvature at most 0.3 (1.1² + 0.9²)/2 + 0.3 · 0.99/2 < 0.5 /m around a place.
fn hills(center: [f64; 3]) -> HeightField {
    let [x0, y0, z0] = center;
    HeightField::of_function([x0 - 6.0, y0 - 6.0], [0.25, 0.2], [49, 61], |x, y| {
        z0 + 0.3 * (1.1 * (x - x0) + 0.4).sin() * (0.9 * (y - y0)).cos()
    })
    .unwrap()
}

/// Parts of the rim of a disc carry it on hills, and those of an arc: none is longer than a sixteenth of the circle.
#[test]
fn an_arc_on_hills_has_its_inside_both_ends_and_parts() {
    let leg = single(
        arc(3.2, 6.2, 0.02),
        Terrain::heights("hills", hills([0.0; 3]), RUBBER),
    );
    let names: Vec<&str> = (0..leg.len()).map(|i| leg.name(i)).collect();
    let parts = (1..=8).map(|k| format!("foot:{k}"));
    let expected = ["foot", "foot:start", "foot:end"].map(String::from);
    let expected: Vec<String> = expected.into_iter().chain(parts).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_height_field_goes_through_every_height() {
    let mut random = Uniform::new(3);
    let rows: Vec<Vec<f64>> = (0..5)
        .map(|_| (0..9).map(|_| random.between(-1.0, 1.0)).collect())
        .collect();
    let field = HeightField::new([2.0, -1.0], [0.5, 0.1], &rows).unwrap();
    for (j, row) in rows.iter().enumerate() {
        for (i, z) in row.iter().enumerate() {
            let found = field.at(2.0 + 0.5 * i as f64, -1.0 + 0.1 * j as f64).value;
            // A dozen roundings of numbers up to a few.
            assert!((found - z).abs() < 1e-14, "{i} {j}: {found} {z}");
        }
    }
}

#[test]
fn a_height_field_is_twice_continuously_differentiable_everywhere() {
    let mut random = Uniform::new(4);
    let rows: Vec<Vec<f64>> = (0..4)
        .map(|_| (0..5).map(|_| random.between(-1.0, 1.0)).collect())
        .collect();
    let field = HeightField::new([0.0; 2], [1.0; 2], &rows).unwrap();
    // Third derivatives are at most 6 × 8 × the largest coefficient (below 10): over 2e-9 nothing changes by 1e-6.
    let step = 1e-9;
    for border in -4..8 {
        for _ in 0..20 {
            let border = f64::from(border);
            let along = random.between(-4.0, 8.0);
            for swap in [false, true] {
                let at = |x: f64| {
                    if swap {
                        field.at(along, x)
                    } else {
                        field.at(x, along)
                    }
                };
                let (before, after) = (at(border - step), at(border + step));
                assert!((before.value - after.value).abs() < 1e-6);
                assert!((before.gradient - after.gradient).amax() < 1e-6);
                assert!((before.hessian - after.hessian).amax() < 1e-6);
                // And the derivatives are those of the height: central differences err by step² f‴ and rounding/step.
                let (h, here) = (1e-5, at(border + 0.3));
                let [left, right] = [at(border + 0.3 - h), at(border + 0.3 + h)];
                let k = usize::from(swap);
                let slope = (right.value - left.value) / (2.0 * h);
                assert!((slope - here.gradient[k]).abs() < 1e-7);
                let bend = (right.gradient - left.gradient) / (2.0 * h);
                assert!((bend - here.hessian.column(k)).amax() < 1e-7);
            }
        }
    }
    // Beyond two cells it is level across the border.
    for y in [-3.0, 0.4, 9.0] {
        assert_eq!(field.at(-2.5, y).value, field.at(-1e9, y).value);
        assert_eq!(field.at(7.0, y).value, field.at(1e300, y).value);
        assert_eq!(field.at(7.0, y).gradient.x, 0.0);
    }
}

#[test]
fn slopes_of_a_grid_stay_straight() {
    let f = |x: f64, y: f64| 0.3 * x - 0.2 * y + 1.0;
    let field = HeightField::of_function([-1.0, 2.0], [0.1, 0.3], [30, 20], f).unwrap();
    let mut random = Uniform::new(5);
    for _ in 0..100 {
        let (x, y) = (random.between(-1.0, 1.9), random.between(2.0, 7.7));
        let here = field.at(x, y);
        // Roundings of coefficients up to 3, divided by the cell once and twice.
        assert!((here.value - f(x, y)).abs() < 1e-14);
        assert!((here.gradient.x - 0.3).abs() < 1e-13 && (here.gradient.y + 0.2).abs() < 1e-13);
        assert!(here.hessian.amax() < 1e-11);
    }
    let level = HeightField::new([0.0; 2], [0.1; 2], &vec![vec![0.7; 5]; 4]).unwrap();
    let here = level.at(0.123, 0.234);
    assert_eq!(
        (here.value, here.gradient.amax(), here.hessian.amax()),
        (0.7, 0.0, 0.0)
    );
}

/// A hollow sphere of radius R around (0, 0, R).
#[derive(Debug)]
struct Bowl(f64);

impl Bowl {
    fn height(&self, x: f64, y: f64) -> carom::contact::Height {
        let depth = (self.0 * self.0 - x * x - y * y).sqrt();
        let slope = nalgebra::Vector2::new(x, y) / depth;
        carom::contact::Height {
            value: self.0 - depth,
            gradient: slope,
            hessian: (nalgebra::Matrix2::identity() + slope * slope.transpose()) / depth,
        }
    }
}

impl SmoothSurface for Bowl {
    fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        let from = point - Vector3::z() * self.0;
        let normal = -from.normalize();
        let across = Matrix3::identity() - normal * normal.transpose();
        Proximity {
            distance: self.0 - from.norm(),
            normal,
            curvature: across / -from.norm(),
        }
    }
}

#[test]
fn the_closest_point_of_heights_is_that_of_the_bowl_that_they_are() {
    let bowl = Bowl(2.0);
    let mut random = Uniform::new(6);
    for _ in 0..200 {
        let point = Vector3::from(random.vector(0.6)) + Vector3::z() * 0.4;
        let exact = bowl.proximity(&point);
        let found = Proximity::of_heights(&point, |x, y| bowl.height(x, y));
        // Lengths of a few metres, curvatures up to 1/1.
        assert!((found.distance - exact.distance).abs() < 1e-14);
        assert!((found.normal - exact.normal).amax() < 1e-13);
        assert!((found.curvature - exact.curvature).amax() < 1e-12);
    }
}

#[test]
fn rows_over_smooth_surfaces_are_the_derivatives_of_the_gap() {
    let mut present = [0; 4];
    for seed in 0..60 {
        for kind in 0..4 {
            let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
            let model = random_tree(seed, 1 + seed as usize % 6, base).unwrap();
            let mut random = Uniform::new(seed * 4 + kind as u64);
            let q = random_state(&model, &mut random);
            let link = format!("link{}", 1 + seed as usize % 6);
            let shape = random_shape(kind, &mut random);
            let site = Site::new(&model, "s", &link, random.vector(0.2), shape, RUBBER).unwrap();
            let x = at(&model, &q).world_point(site.body, &site.center);
            let near = x + Vector3::from(random.vector(0.4)) - Vector3::z() * 0.3;
            let contacts = one(
                &model,
                site,
                Terrain::heights("hills", hills(near.into()), RUBBER),
            );
            let k = at(&model, &q);
            for i in 0..contacts.len() {
                let what = format!("seed {seed} {shape:?} contact {i}");
                let frame = contacts.frame(&k, i);
                assert_consistent(&frame);
                if contacts.is_present(&k, i) {
                    present[kind] += 1;
                    assert_eq!(frame.gap, contacts.gap(&k, i), "{what}");
                    assert!(contacts.gap(&k, 0) <= frame.gap + 1e-15, "{what}");
                }
                assert!(contacts.is_smooth(i));
                assert_normal_row_is_gap_derivative(&model, &contacts, i, &q, &what);
            }
        }
    }
    assert!(present.iter().all(|n| *n >= 60), "{present:?}");
}

#[test]
fn the_lowest_point_of_a_circle_is_below_all_others() {
    let mut random = Uniform::new(8);
    let field = hills([0.0; 3]);
    for _ in 0..100 {
        let turn = carom::spatial::rotation_exp(&Vector3::from(random.vector(0.9)));
        let place = [random.between(-2.0, 2.0), random.between(-2.0, 2.0), 0.6];
        let wheel = SiteShape::DiscEdge {
            axis: Vector3::y(),
            radius: 0.35,
        };
        let contacts = single(wheel, Terrain::heights("hills", field.clone(), RUBBER));
        let nearest = contacts.gap(&posed(turn, place), 0);
        let points = (0..4000).map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / 4000.0;
            let x =
                turn * Vector3::new(angle.cos(), 0.0, angle.sin()) * 0.35 + Vector3::from(place);
            field.proximity(&x).distance
        });
        let lowest = points.fold(f64::INFINITY, f64::min);
        // Between two points the circle is lower by at most R (1 + R κ) (π/4000)²/2.
        assert!(
            nearest <= lowest + 1e-15 && lowest - nearest < 1.5e-7,
            "{nearest} {lowest}"
        );
    }
}

#[test]
fn an_arc_ends_where_its_lowest_point_would_be_beyond() {
    // A half circle that bulges down, over a slope of 30 degrees: the lowest point is 30 degrees from the middle.
    let slope = 30.0_f64.to_radians();
    let field =
        HeightField::of_function([-5.0; 2], [0.5; 2], [21, 21], |x, _| slope.tan() * x).unwrap();
    let arc = |start: f64, end: f64| SiteShape::Arc {
        axes: [Vector3::x(), Vector3::z()],
        radius: 0.5,
        start: start.to_radians(),
        end: end.to_radians(),
        thickness: 0.0,
    };
    let plane = Terrain::plane("slope", [0.0; 3], [-slope.sin(), 0.0, slope.cos()], RUBBER);
    for (start, end) in [
        (-180.0, 0.0),
        (-180.0, -70.0),
        (-120.0, -70.0),
        (-50.0, 0.0),
    ] {
        let [over_field, over_plane] = [
            Terrain::heights("slope", field.clone(), RUBBER),
            plane.clone(),
        ]
        .map(|terrain| single(arc(start, end), terrain));
        let k = posed(Matrix3::identity(), [0.3, 0.2, 0.8]);
        for i in 0..3 {
            assert_eq!(
                over_field.is_present(&k, i),
                over_plane.is_present(&k, i),
                "{start} {end} {i}"
            );
            // The spline of a slope is straight to rounding.
            assert!((over_field.gap(&k, i) - over_plane.gap(&k, i)).abs() < 1e-14);
            let [a, b] = [over_field.seam(&k, i), over_plane.seam(&k, i)];
            // Over what may bend it is also how far the arc is from lying: it stands upright, at a sine of 1, and lies from 1/2 on.
            let upright = if i == 0 { 0.5 * 0.5 } else { f64::INFINITY };
            assert!((a - b.min(upright)).abs() < 1e-13, "{a} {b}");
        }
    }
}

/// An end of an arc is there where what is beside it on the arc is higher, whatever the lowest point of the full circle is.
#[test]
fn an_end_of_an_arc_is_there_where_it_is_lower_than_what_is_beside_it() {
    const INWARD: f64 = 1e-4;
    let (radius, last) = (0.085, std::f64::consts::PI);
    let model = free_body();
    let shape = SiteShape::Arc {
        axes: [Vector3::x(), Vector3::z()],
        radius,
        start: 0.0,
        end: last,
        thickness: 0.0,
    };
    let mut sites = vec![Site::new(&model, "leg", "body", [0.0; 3], shape, RUBBER).unwrap()];
    for (name, angle) in [("after_start", INWARD), ("before_end", last - INWARD)] {
        let place = [radius * angle.cos(), 0.0, radius * angle.sin()];
        sites.push(Site::point(&model, name, "body", place, RUBBER).unwrap());
    }
    let ground = HeightField::of_function([-2.0; 2], [0.1; 2], [41, 41], |x, y| {
        0.05 * (4.0 * x).sin() * (3.0 * y).cos()
    });
    let terrain = Terrain::heights("hills", ground.unwrap(), RUBBER);
    let contacts = Contacts::new(&model, sites, vec![terrain], &[], Combination::Average).unwrap();
    let find = |name: &str| {
        (0..contacts.len())
            .find(|i| contacts.name(*i) == name)
            .unwrap()
    };
    let pairs = [["leg:start", "after_start"], ["leg:end", "before_end"]].map(|p| p.map(find));
    let mut random = Uniform::new(29);
    let mut there = [0, 0];
    for _ in 0..400 {
        let mut q: Vec<f64> = (0..7).map(|_| random.between(-1.0, 1.0)).collect();
        let length = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[3..].iter_mut().for_each(|x| *x /= length);
        q[2] *= 0.1;
        let kinematics = at(&model, &q);
        for [end, inner] in pairs {
            let gap = |i: usize| contacts.gap(&kinematics, i);
            let rise = (gap(inner) - gap(end)) / (radius * INWARD);
            // Between the two the slope turns by 1e-4 and a little more.
            if rise.abs() > 1e-3 {
                assert_eq!(contacts.is_present(&kinematics, end), rise > 0.0, "{q:?}");
                there[usize::from(rise > 0.0)] += 1;
            }
        }
    }
    assert!(there.iter().all(|count| *count > 100), "{there:?}");
}

#[test]
fn own_surfaces_are_touched_by_their_own_derivatives() {
    let model = free_body();
    let site = Site::new(
        &model,
        "foot",
        "body",
        [0.1, 0.0, -0.2],
        SiteShape::Sphere { radius: 0.1 },
        RUBBER,
    );
    let terrain = Terrain::own("bowl", OwnSurface::new(Bowl(2.0)), RUBBER);
    let contacts = one(&model, site.unwrap(), terrain);
    let mut random = Uniform::new(9);
    for _ in 0..20 {
        let q = random_state(&model, &mut random);
        assert_normal_row_is_gap_derivative(&model, &contacts, 0, &q, "bowl");
    }
}

#[test]
fn sites_that_do_not_fit_into_valleys_are_refused_by_name() {
    // Grooves of radius 1/(0.05 · 10²) = 0.2 m at x = 3π/20 + 2π n/10.
    let grooves = HeightField::of_function([-1.0; 2], [0.02, 0.5], [101, 5], |x, _| {
        0.05 * (10.0 * x).sin()
    })
    .unwrap();
    let model = free_body();
    let made = |shape: SiteShape| {
        let site = Site::new(&model, "foot", "body", [0.0; 3], shape, RUBBER).unwrap();
        let terrain = Terrain::heights("grooves", grooves.clone(), RUBBER);
        Contacts::new(&model, vec![site], vec![terrain], &[], Combination::Average)
    };
    assert!(made(SiteShape::Point).is_ok());
    assert!(made(SiteShape::Sphere { radius: 0.19 }).is_ok());
    let refused = made(SiteShape::Sphere { radius: 0.21 }).unwrap_err();
    let ContactError::TooNarrow {
        site,
        terrain,
        place,
        valley,
        ..
    } = &refused
    else {
        panic!("{refused}");
    };
    assert_eq!((site.as_str(), terrain.as_str()), ("foot", "grooves"));
    let phase = (10.0 * place[0]).sin();
    assert!(phase < -0.9 && *valley <= 0.21, "{refused}");
    assert!(
        made(SiteShape::DiscEdge {
            axis: Vector3::y(),
            radius: 0.3
        })
        .is_err()
    );
}

#[test]
fn grids_that_are_none_are_refused() {
    let made = |rows: &[Vec<f64>], cell: f64| {
        HeightField::new([0.0; 2], [cell; 2], rows)
            .unwrap_err()
            .to_string()
    };
    assert!(made(&[vec![0.0; 3], vec![0.0; 2]], 1.0).contains("row 2 has 2 heights"));
    assert!(made(&[vec![0.0; 3]], 1.0).contains("at least 2 x 2"));
    assert!(made(&[], 1.0).contains("at least 2 x 2"));
    assert!(made(&[vec![0.0; 2], vec![0.0, f64::NAN]], 1.0).contains("NaN"));
    assert!(made(&[vec![0.0; 2], vec![0.0; 2]], 0.0).contains("positive"));
}
